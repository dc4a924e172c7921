"""Paths as users write them, and standard input, which `-` names."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import IO, TYPE_CHECKING, TypeGuard

from irbounds.foundation.errors import InputError, InputFileError, fail, shown

if TYPE_CHECKING:
    from irbounds.typing import PathLike

LONGEST_PATH = 32_767  # of all systems; each has limits of its own


def is_path(source: object) -> TypeGuard[PathLike]:
    """True for the path of a file, for a file of fsspec, and for `-`, standard input."""
    return isinstance(source, str | bytes | os.PathLike) or is_url(source)


def is_url(path: object) -> bool:
    """True for an address such as s3://bucket/a.run; the letter of a drive is none."""
    scheme, colon, _ = _address(path).partition("://")
    return bool(colon) and len(scheme) > 1 and scheme.isalnum()


def _address(path: object) -> str:
    if type(path).__module__.partition(".")[0] == "fsspec":
        return str(getattr(path, "full_name", ""))
    return path if isinstance(path, str) else ""


def can_reread(path: object) -> bool:
    """True if the file can be opened again with the same bytes."""
    return name_of(path) != "-" and os.path.isfile(name_of(path))  # noqa: PTH113, Path's raises for long names


def name_of(path: object) -> str:
    """The path as the user wrote it."""
    if not is_path(path):
        fail("path", "must be a path, or - for standard input", path)
    name = _address(path) or os.fsdecode(path)
    if "\0" in name:
        raise InputFileError(f"{name!r}: a path must not contain a NUL character")
    try:
        os.fsencode(name)
    except UnicodeEncodeError:
        raise InputFileError(f"{name!r}: a path must be text that the system can write") from None
    if len(name) > LONGEST_PATH:
        raise InputFileError(
            f"{shown(name)}: a path must not be longer than {LONGEST_PATH} characters"
        )
    return name


def shown_name(path: object) -> str:
    """The path as a message shows it."""
    name = name_of(path)
    if name == "-":
        return "standard input"
    return name if name.splitlines() in ([], [name]) else repr(name)


def standard_input() -> IO[bytes]:
    """The bytes of standard input."""
    if sys.stdin is None:
        raise InputFileError("standard input is closed")
    return sys.stdin.buffer


def short_names(paths: list[str]) -> list[str]:
    """File names, with as many of their folders as it takes to tell the files apart."""
    parts = {path: path.replace(os.sep, "/").rstrip("/").split("/") for path in paths}
    names = {}
    for path, own in parts.items():
        others = [part for other, part in parts.items() if other != path]
        n = 1
        while n < len(own) and any(part[-n:] == own[-n:] for part in others):
            n += 1
        names[path] = "/".join(own[-n:]) or path
    return [names[path] for path in paths]


def numbered(names: Iterable[str]) -> list[str]:
    """The names; one that an earlier one has gets its place, as in "a.run (2)"."""
    found: list[str] = []
    for place, name in enumerate(names, 1):
        while name in found:
            name = f"{name} ({place})"
        found.append(name)
    return found


def ending_of(path: object) -> str:
    """How the name of a file ends, in small letters, with its point: ".csv"; "" if it has no
    letters after a point, as in "run.v2.1"."""
    ending = os.path.splitext(name_of(path))[1].lower()  # noqa: PTH122, a faster start
    return ending if ending[1:2].isalpha() else ""


def check_page(argument: str, path: object) -> None:
    """Refuse names of other files than pages, such as memo.pdf."""
    ending = ending_of(path)
    if ending not in ("", ".html", ".htm"):
        raise InputError(
            f"`{argument}` must end in .html, as the page is HTML (a browser prints it as PDF); "
            f"found {shown_name(path)!r}"
        )


def file_hash(path: object) -> str:
    """SHA-256 of a file's bytes, as sha256sum prints it."""
    import hashlib  # here, as it loads OpenSSL

    try:
        with open(name_of(path), "rb") as file:  # noqa: PTH123, a faster start
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputFileError(f"{shown_name(path)}: {error.strerror or error}") from None
