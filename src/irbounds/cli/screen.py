"""Writing to the screen and to files, which appear whole or not at all."""

from __future__ import annotations

import codecs
import io
import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

from irbounds.foundation.atomic import write_file
from irbounds.foundation.errors import InputError

Item = TypeVar("Item")
PLAIN = {
    "─": "-",
    "∞": "inf",
    "…": "...",
    "−": "-",
    "×": "x",
    "²": "^2",
    "λ": "lambda",
    "†": "!",
    "‡": "!!",
    "–": "-",
}


def _plain(error: UnicodeError) -> tuple[str | bytes, int]:
    """Encode what an encoding lacks: bytes of a file that were no text as they came, signs of ours
    in plain letters."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    error.end = error.start + 1
    letter = error.object[error.start]
    if "\udc80" <= letter <= "\udcff":
        return codecs.lookup_error("surrogateescape")(error)
    return (PLAIN[letter], error.end) if letter in PLAIN else codecs.backslashreplace_errors(error)


codecs.register_error("irbounds.plain", _plain)


def prepare_screen() -> None:
    """Let any text be printed, whatever the encoding of the screen."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="irbounds.plain")


def complain(lines: Iterable[str]) -> None:
    """Notes for the user, on stderr."""
    for line in lines if sys.stderr is not None else ():  # print would take standard output instead
        print(f"irbounds: {line}", file=sys.stderr)


def refuse(message: str) -> None:
    """The line that says why a command failed; `irbounds:` is red on a terminal."""
    from irbounds.cli.help import RED, coloured

    if sys.stderr is not None:
        print(coloured("irbounds:", RED, sys.stderr), message, file=sys.stderr)


def write(text: str, path: str | None = None) -> None:
    """To the screen (also for `-`), or to a file."""
    if path is None or path == "-":
        if sys.stdout is None:
            raise InputError("standard output is closed")
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    write_file(text.encode(errors="irbounds.plain"), path, "--output")


def with_progress(items: Iterable[Item], total: int) -> Iterator[Item]:
    """The items; if they take more than a second and stderr is a terminal, a line on it says how
    many are done.

    The line is erased before an item is handed over, so that it does not mix with other output.
    """
    if total < 2 or sys.stderr is None or not sys.stderr.isatty():
        yield from items
        return
    start = time.monotonic()
    for done, item in enumerate(items, 1):
        sys.stderr.write("\r\033[K")
        sys.stderr.flush()
        yield item
        seconds = time.monotonic() - start
        if seconds > 1 and done < total:
            left = seconds / done * (total - done)
            sys.stderr.write(f"{done} of {total} runs, about {left:.0f} s left")
            sys.stderr.flush()


def write_page(page: str, output: str | None) -> None:
    """HTML: to a file as UTF-8; to the screen in letters that every encoding has."""
    is_file = output not in (None, "-")
    write(page if is_file else page.encode("ascii", "xmlcharrefreplace").decode(), output)
