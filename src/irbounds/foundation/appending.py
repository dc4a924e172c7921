"""Lines added to the end of a file: all of them or none."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Iterator
from typing import Any

from irbounds.foundation.errors import InputError, fail
from irbounds.foundation.paths import name_of, shown_name

BEGINNING = 64  # bytes that are enough to tell what a file is


@contextlib.contextmanager
def _locked(file: Any) -> Iterator[None]:
    """Wait until no other process appends; where the system has no such locks, go on."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
    except OSError:  # a file system without locks
        yield
        return
    try:
        yield
    finally:
        fcntl.flock(file, fcntl.LOCK_UN)


def append_lines(
    data: bytes, path: Any, check: Callable[[bytes], None], argument: str = "output"
) -> None:
    """Append whole lines to a file, which is made if there is none.

    `check` takes the first bytes of a file and refuses one that is of another kind. A lock keeps
    processes apart that append at the same time. A write that fails is taken back. A last line that
    lacks its line break is the rest of a write that was interrupted, by a loss of power for
    example: nothing is appended to it.
    """
    name = name_of(path)
    if name[-1:] in ("", "/", os.sep) or name == "-":
        fail(argument, "must name a file", name)
    # unbuffered, as a buffer would be written once more when a file is closed after a failure
    with open(name, "ab+", buffering=0) as file, _locked(file):  # noqa: PTH123, the name is text
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise InputError(f"{shown_name(name)}: must be a regular file")
        size = file.seek(0, os.SEEK_END)
        if size:
            file.seek(0)
            check(file.read(BEGINNING) or b"")
            file.seek(size - 1)
            if file.read(1) != b"\n":
                raise InputError(
                    f"{shown_name(name)}: the last line is not complete; remove it, or end it with "
                    "a line break"
                )
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[file.write(rest) or 0 :]
            os.fsync(file.fileno())
        except BaseException:
            os.ftruncate(file.fileno(), size)
            raise
