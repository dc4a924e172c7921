"""Opens TREC files: plain or compressed, by path or standard input, and says what is wrong with one."""
from __future__ import annotations

import contextlib
import importlib
import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from irbounds._core.doc_rows import BadRow
from irbounds._core.trec_text import TrecReader
from irbounds.foundation.errors import InputError, InputFileError

MAGIC = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\x00": "lzma", b"BZh": "bz2"}


def is_path(source: Any) -> bool:
    """Whether this names a file (`-` is standard input)."""
    return isinstance(source, str | bytes | os.PathLike)


def can_reread(path: Any) -> bool:
    """Whether the file can be opened again for the same bytes."""
    return name_of(path) != "-" and Path(name_of(path)).is_file()


def name_of(path: Any) -> str:
    """The path as the user wrote it."""
    name = os.fsdecode(path)
    if "\0" in name:
        raise InputFileError(f"{name!r}: a path must not hold a NUL character")
    return name


def shown_name(path: Any) -> str:
    """The path as a message names it."""
    name = name_of(path)
    return "standard input" if name == "-" else name


def standard_input() -> IO[bytes]:
    """The bytes of standard input."""
    if sys.stdin is None:
        raise InputFileError("standard input is closed")
    return sys.stdin.buffer


@contextlib.contextmanager
def trec_reader(path: Any, *, is_run: bool) -> Iterator[TrecReader]:
    """A reader of the file's rows; inside the block, errors of its rows and of the file become InputError."""
    import lzma
    import zlib

    shown = shown_name(path)
    try:
        with _open(name_of(path)) as file:
            reader = TrecReader(file, is_run)
            yield reader
            if not reader.has_rows:
                raise InputError(f"{shown}: the file {'has no rows' if reader.line else 'is empty'}")
    except BadRow as error:
        where = f"{shown}:{error.line}" if error.line else shown
        raise InputError(f"{where}: {error.problem}") from None
    except EOFError:
        raise InputFileError(f"{shown}: the compressed file ends too early: it is truncated") from None
    except (lzma.LZMAError, zlib.error) as error:
        raise InputFileError(f"{shown}: the compressed file is damaged: {error}") from None
    except InputError:
        raise
    except OSError as error:
        raise InputFileError(f"{shown}: {error.strerror or error}") from None


@contextlib.contextmanager
def _open(name: str) -> Iterator[IO[bytes]]:
    """The bytes of a file, decompressed where its first bytes say that it is compressed."""
    with contextlib.ExitStack() as stack:
        file: Any = standard_input() if name == "-" else stack.enter_context(Path(name).open("rb"))
        if not hasattr(file, "peek"):
            file = io.BufferedReader(file)
            stack.callback(file.detach)
        head = file.peek(8)[:8]
        for magic, module in MAGIC.items():
            if head.startswith(magic):
                file = stack.enter_context(importlib.import_module(module).open(file, "rb"))
        yield file
