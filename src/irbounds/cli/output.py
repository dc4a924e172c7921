"""Writing to the screen and to files, which appear whole or not at all."""

from __future__ import annotations

import codecs
import contextlib
import io
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from irbounds.foundation.atomic import write_file
from irbounds.foundation.errors import InputError
from irbounds.foundation.writing import Rows as Rows
from irbounds.foundation.writing import as_csv as as_csv
from irbounds.foundation.writing import as_json as as_json
from irbounds.foundation.writing import as_json_lines as as_json_lines
from irbounds.foundation.writing import as_latex as as_latex
from irbounds.foundation.writing import as_table as as_table

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
    """The items; where they take more than a second and somebody watches, a bar on stderr says how
    many are left."""
    if total < 2 or sys.stderr is None or not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import Progress

    start = time.monotonic()
    with contextlib.ExitStack() as stack:
        bar = task = None
        for done, item in enumerate(items, 1):
            yield item
            if bar is None and time.monotonic() - start > 1:
                bar = stack.enter_context(Progress(console=Console(stderr=True), transient=True))
                task = bar.add_task("evaluating", total=total)
            if bar is not None and task is not None:
                bar.update(task, completed=done)


def as_wrapped_table(header: Sequence[str], rows: Rows) -> str:
    """A table whose cells are wrapped to the width of the terminal."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(*header, box=box.SIMPLE_HEAD)
    for row in rows:
        table.add_row(*map(str, row))
    is_screen = sys.stdout is not None and sys.stdout.isatty()
    console = Console(
        file=io.StringIO(),
        force_terminal=is_screen,
        highlight=False,
        markup=False,
        width=None if is_screen else 100,
    )
    console.print(table)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"
