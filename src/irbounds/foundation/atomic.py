"""Output files that are complete or absent."""

from __future__ import annotations

import os
import stat

from irbounds.foundation.errors import fail


def write_file(data: bytes, path: str | os.PathLike[str], argument: str = "output") -> None:
    """Write a regular file through a temporary file beside it, which then replaces it and keeps its
    mode; write devices and pipes directly."""
    if not isinstance(path, str | os.PathLike):
        fail(argument, "must be a path", path)
    name = os.fspath(path)
    try:
        is_writable = "\0" not in name and bool(os.fsencode(name))
    except UnicodeEncodeError:
        is_writable = False
    if name and not is_writable:
        fail(argument, "must be a path that the system can write", name)
    if name[-1:] in ("", "/", os.sep):
        fail(argument, "must name a file", name)
    try:
        _write(data, name)
    except OSError as error:
        error.filename = name  # not the temporary one
        raise


def _write(data: bytes, path: str) -> None:
    import secrets  # here, as most commands write to the screen
    from pathlib import Path

    try:
        old_mode = Path(path).stat().st_mode
    except FileNotFoundError:
        old_mode = None
    if old_mode is not None and not stat.S_ISREG(old_mode):
        Path(path).write_bytes(data)
        return
    target = Path(path).resolve()
    mode = 0o666 if old_mode is None else stat.S_IMODE(old_mode)
    part = target.with_name(f".irbounds-{secrets.token_hex(4)}.part")
    try:
        # With its mode before anything is in it: nobody reads what they may not.
        part.touch(mode, exist_ok=False)
        part.write_bytes(data)
        if old_mode is not None:
            part.chmod(mode)  # also what the umask took away
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
