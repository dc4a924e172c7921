"""Writing to the screen and to files, which appear whole or not at all."""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from time import monotonic
from typing import Any, TextIO, TypeVar

from irbounds.foundation.atomic import write_file
from irbounds.foundation.errors import InputError

Item = TypeVar("Item")
TICK = 1.0  # seconds between two lines of `with_clock`
BOLD, CYAN, RED, END = "\033[1m", "\033[36m", "\033[31m", "\033[0m"
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


# Signs that a terminal would obey, as a name of a file can hold them, in the letters of `repr`.
OBEYED = {
    number: repr(chr(number))[1:-1]
    for number in (*range(32), *range(127, 160))
    if chr(number) not in "\n\t"
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


def drop_output(descriptor: int) -> None:
    """Throw away what is left in a buffer, and what comes: an exit that cannot write it has the
    status 120."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)


def coloured(text: str, colour: str, stream: TextIO | None) -> str:
    """The text; in a colour on a terminal that shows colours (https://no-color.org)."""
    has_colours = (
        stream is not None
        and stream.isatty()
        and not os.environ.get("NO_COLOR")
        and os.environ.get("TERM") != "dumb"
    )
    return f"{colour}{text}{END}" if text and has_colours else text


def complain(lines: Iterable[str]) -> None:
    """Notes for the user, on stderr.  If nobody can read them, the command goes on."""
    from irbounds.cli.terminal.wording import with_options

    try:
        for line in lines if sys.stderr is not None else ():  # print would take standard output
            print(_folded(f"irbounds: {with_options(line)}"), file=sys.stderr, flush=True)
    except OSError:  # a full disk, or a closed pipe
        drop_output(2)


def refuse(message: str) -> None:
    """The line that says why a command failed; `irbounds:` is red on a terminal."""
    if sys.stderr is not None:
        name, rest = "irbounds:", _folded(f"irbounds: {message}").removeprefix("irbounds:")
        print(coloured(name, RED, sys.stderr) + rest, file=sys.stderr)


def _folded(line: str) -> str:
    """A line of stderr, folded between words where a terminal is narrower; other readers get one
    line."""
    if not sys.stderr.isatty():
        return line
    import shutil
    import textwrap

    # Names of options and files stay whole, so that they can be copied.
    width = shutil.get_terminal_size().columns
    parts = textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False)
    return ("\n".join(parts) or line).translate(OBEYED)


def write(text: str, path: str | None = None) -> None:
    """To the screen (also for `-`), or to a file."""
    if path is None or path == "-":
        is_terminal = sys.stdout is not None and sys.stdout.isatty()
        write_coloured(text.translate(OBEYED) if is_terminal else text)
    else:
        write_file(text.encode(errors="irbounds.plain"), path, "--output")


def write_coloured(text: str) -> None:
    """To the screen, with signs that a terminal obeys."""
    if sys.stdout is None:
        raise InputError("standard output is closed")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough; the exit status is that of the verdict
        drop_output(1)


def with_progress(items: Iterable[Item], total: int) -> Iterator[Item]:
    """The items; if they take more than a second and stderr is a terminal, a bar on it shows how
    many are done.

    The bar is erased before an item is handed over, so that it does not mix with other output.
    """
    if total < 2 or sys.stderr is None or not sys.stderr.isatty():
        yield from items
        return
    import click

    start = monotonic()
    with contextlib.ExitStack() as stack:
        bar: Any = None
        for done, item in enumerate(items, 1):
            if bar is not None:
                sys.stderr.write("\r\033[K")
                sys.stderr.flush()
            yield item
            if bar is None and done < total and monotonic() - start > 1:
                bar = click.progressbar(length=total, label="runs", file=sys.stderr)
                stack.enter_context(bar)
            if bar is not None:
                bar.update(done - bar.pos)


@contextlib.contextmanager
def with_clock(task: str) -> Iterator[Callable[[str], None]]:
    """If the work takes more than a second and stderr is a terminal, a line on it says what is done
    and for how long; it is erased in the end.  The function that is handed over adds how far the
    work is."""
    far = [""]
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda text: None
        return
    import threading

    start, ended = monotonic(), threading.Event()

    def tick() -> None:
        while not ended.wait(TICK):
            sys.stderr.write(f"\r\033[K{task}: {far[0]}{monotonic() - start:.0f} s")
            sys.stderr.flush()

    clock = threading.Thread(target=tick, daemon=True)
    clock.start()
    try:
        yield lambda text: far.__setitem__(0, f"{text}, ")
    finally:
        ended.set()
        clock.join()
        if monotonic() - start > TICK:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()


def write_page(page: str, output: str | None) -> None:
    """HTML: to a file as UTF-8; to the screen in letters that every encoding has."""
    is_file = output not in (None, "-")
    write(page if is_file else page.encode("ascii", "xmlcharrefreplace").decode(), output)
