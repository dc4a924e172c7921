"""Lines added to the end of a file: all of them or none."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Iterator
from typing import IO, TYPE_CHECKING

from irbounds.foundation.errors import InputError, fail
from irbounds.foundation.paths import name_of, shown_name

if TYPE_CHECKING:
    from irbounds.typing import PathLike

BEGINNING = 64  # bytes that are enough to tell what a file is


@contextlib.contextmanager
def _locked(file: IO[bytes]) -> Iterator[None]:
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


def replace_content(
    path: PathLike, change: Callable[[bytes], bytes], argument: str = "output"
) -> None:
    """Put what `change` makes of a file's content in its place, whole or not at all; the content is
    empty if there is no file.

    The new content is written beside the file, which it then replaces in one step.  A lock keeps
    processes apart that do so at the same time.  A failure leaves no new file.
    """
    from pathlib import Path  # here, for a faster start

    name = os.path.realpath(check_file_name(path, argument))
    while True:
        is_new = not Path(name).exists()
        with open(name, "ab+", buffering=0) as file, _locked(file):  # noqa: PTH123
            state = os.fstat(file.fileno())
            if not stat.S_ISREG(state.st_mode):
                raise InputError(f"{shown_name(path)}: must be a regular file")
            if not _is_at(file, name):
                continue  # another process has replaced it meanwhile
            file.seek(0)
            found = file.read() or b""
            beside = Path(name).with_name(f".{Path(name).name}.{os.getpid()}.new")
            try:
                content = change(found)
                # In the same directory, so that replacing is renaming, which no reader sees half
                # done.
                with beside.open("wb") as new:
                    beside.chmod(stat.S_IMODE(state.st_mode))
                    new.write(content)
                    new.flush()
                    os.fsync(new.fileno())
                if os.name == "nt":  # an open file cannot be replaced there
                    file.close()
                beside.replace(name)
            except BaseException:
                with contextlib.suppress(OSError):
                    beside.unlink(missing_ok=True)
                    if is_new and not found:  # it was made above
                        if os.name == "nt":
                            file.close()
                        Path(name).unlink()
                raise
            return


def check_file_name(path: PathLike, argument: str) -> str:
    """The name of a file that can be written again and again."""
    name = name_of(path)
    if name[-1:] in ("", "/", os.sep) or name == "-":
        fail(argument, "must name a file", name)
    return name


def append_lines(
    data: bytes, path: PathLike, check: Callable[[bytes], None], argument: str = "output"
) -> None:
    """Append whole lines to a file, which is made if there is none.

    `check` takes the first bytes of a file and refuses one that is of another kind. A lock keeps
    processes apart that append at the same time. A write that fails is taken back, and with it a
    file that it made. A last line that lacks its line break is the rest of a write that was
    interrupted, by a loss of power for example: nothing is appended to it.
    """
    name = os.path.realpath(check_file_name(path, argument))
    while True:
        if not os.path.exists(name):  # noqa: PTH110, Path's raises for long names
            with contextlib.suppress(_NotEmptyError):
                replace_content(name, lambda found: _only_if_empty(found, data), argument)
                return
        # unbuffered, as a buffer would be written once more when a file is closed after a failure
        with open(name, "ab+", buffering=0) as file, _locked(file):  # noqa: PTH123
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise InputError(f"{shown_name(path)}: must be a regular file")
            if not _is_at(file, name):
                continue  # another process took it back meanwhile
            _append(data, file, shown_name(path), check)
            return


class _NotEmptyError(Exception):
    """Another process has made the file meanwhile."""


def _only_if_empty(found: bytes, data: bytes) -> bytes:
    if found:
        raise _NotEmptyError
    return data


def _is_at(file: IO[bytes], name: str) -> bool:
    """True if an open file still has this name."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.stat(name))  # noqa: PTH116, as above
    except FileNotFoundError:
        return False


def _append(data: bytes, file: IO[bytes], name: str, check: Callable[[bytes], None]) -> None:
    size = file.seek(0, os.SEEK_END)
    if size:
        file.seek(0)
        check(file.read(BEGINNING) or b"")
        file.seek(size - 1)
        if file.read(1) != b"\n":
            raise InputError(
                f"{name}: the last line is not complete; remove it, or end it with a line break"
            )
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[file.write(rest) or 0 :]
        os.fsync(file.fileno())
    except BaseException:
        os.ftruncate(file.fileno(), size)
        raise
