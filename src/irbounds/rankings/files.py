"""Opens TREC files: plain or compressed, by path or standard input, and says what is wrong with
one."""

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
from irbounds.foundation.errors import InputError, InputFileError, fail, shown

LONGEST_PATH = 32_767  # of all systems; each has limits of its own
MAGIC = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\x00": "lzma", b"BZh": "bz2"}


def is_path(source: Any) -> bool:
    """Whether this names a file (`-` is standard input)."""
    return isinstance(source, str | bytes | os.PathLike)


def can_reread(path: Any) -> bool:
    """Whether the file can be opened again for the same bytes."""
    return name_of(path) != "-" and os.path.isfile(name_of(path))  # noqa: PTH113, Path's raises for long names


def name_of(path: Any) -> str:
    """The path as the user wrote it."""
    if not is_path(path):
        fail("path", "must be a path, or - for standard input", path)
    name = os.fsdecode(path)
    if "\0" in name:
        raise InputFileError(f"{name!r}: a path must not hold a NUL character")
    try:
        os.fsencode(name)
    except UnicodeEncodeError:
        raise InputFileError(f"{name!r}: a path must be text that the system can write") from None
    if len(name) > LONGEST_PATH:
        raise InputFileError(
            f"{shown(name)}: a path must not be longer than {LONGEST_PATH} characters"
        )
    return name


def shown_name(path: Any) -> str:
    """The path as a message names it."""
    name = name_of(path)
    if name == "-":
        return "standard input"
    return name if name.splitlines() in ([], [name]) else repr(name)


def standard_input() -> IO[bytes]:
    """The bytes of standard input."""
    if sys.stdin is None:
        raise InputFileError("standard input is closed")
    return sys.stdin.buffer


@contextlib.contextmanager
def trec_reader(path: Any, *, is_run: bool) -> Iterator[TrecReader]:
    """A reader of the file's rows; inside the block, errors of its rows and of the file become
    InputError."""
    import lzma
    import zlib

    name = shown_name(path)
    try:
        with _open(name_of(path)) as file:
            reader = TrecReader(file, is_run)
            yield reader
            if not reader.has_rows:
                raise InputError(f"{name}: the file {'has no rows' if reader.line else 'is empty'}")
    except BadRow as error:
        where = f"{name}:{error.line}" if error.line else name
        raise InputError(f"{where}: {error.problem}") from None
    except EOFError:
        raise InputFileError(
            f"{name}: the compressed file ends too early: it is truncated"
        ) from None
    except (lzma.LZMAError, zlib.error) as error:
        raise InputFileError(f"{name}: the compressed file is damaged: {error}") from None
    except InputError:
        raise
    except OSError as error:
        raise InputFileError(f"{name}: {error.strerror or error}") from None


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
