"""Writing: tables for people, CSV, JSON and LaTeX for programs."""
from __future__ import annotations

import codecs
import csv
import io
import json
import math
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from irbounds.foundation.atomic import write_file
from irbounds.foundation.errors import InputError

Rows = Sequence[Sequence[Any]]
PLAIN = {"─": "-", "∞": "inf", "…": "...", "−": "-", "×": "x", "²": "^2", "λ": "lambda"}


def _plain(error: UnicodeError) -> tuple[str | bytes, int]:
    """Encode what an encoding lacks: bytes of a file that were no text as they came, signs of ours in plain letters."""
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


def as_table(header: Sequence[str], rows: Rows, numbers_from: int = 1) -> str:
    """A table of text as wide as it needs to be; columns from `numbers_from` on are set to the right."""
    cells = [list(map(str, row)) for row in (header, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]

    def line(row: list[str]) -> str:
        set_cells = (text.ljust(width) if i < numbers_from else text.rjust(width)
                     for i, (text, width) in enumerate(zip(row, widths, strict=True)))
        return ("  " + "   ".join(set_cells)).rstrip()

    rule = " " + "─" * (sum(widths) + 3 * len(widths) - 1)
    return "\n".join(["", line(cells[0]), rule, *map(line, cells[1:]), "", ""])


def as_wrapped_table(header: Sequence[str], rows: Rows) -> str:
    """A table whose cells are wrapped to the width of the terminal."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(*header, box=box.SIMPLE_HEAD)
    for row in rows:
        table.add_row(*map(str, row))
    console = Console(file=io.StringIO(), force_terminal=sys.stdout.isatty(), highlight=False, markup=False,
                      width=None if sys.stdout.isatty() else 100)
    console.print(table)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


def as_csv(header: Sequence[str], rows: Rows) -> str:
    """Comma-separated values with full precision."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([header, *rows])
    return text.getvalue()


def as_json(value: Any) -> str:
    """JSON as the standard has it: infinities and nan become null."""
    return _dumps(value, indent=2) + "\n"


def as_json_lines(records: Iterable[dict[str, Any]]) -> str:
    """One JSON object a line."""
    return "".join(_dumps(record) + "\n" for record in records)


def _dumps(value: Any, indent: int | None = None) -> str:
    """JSON, with escapes for bytes of a file that were no text, which JSON cannot have."""
    text = json.dumps(_finite(value), indent=indent, ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace").decode()


def as_latex(header: Sequence[str], rows: Rows, numbers_from: int = 1) -> str:
    """A tabular in the style of booktabs; columns from `numbers_from` on are set to the right."""
    def line(row: Sequence[Any]) -> str:
        text = " & ".join(map(_escaped, row)) + r" \\"
        return "{}" + text if text.startswith(("[", "*")) else text  # else an option of the line before

    columns = "l" * numbers_from + "r" * (len(header) - numbers_from)
    return "\n".join([rf"\begin{{tabular}}{{{columns}}}", r"\toprule", line(header), r"\midrule", *map(line, rows),
                      r"\bottomrule", r"\end{tabular}"]) + "\n"


def _escaped(value: Any) -> str:
    text = str(value).replace("\\", r"\textbackslash ")
    for letter in "&%$#_{}":
        text = text.replace(letter, "\\" + letter)
    return text.replace("~", r"\textasciitilde ").replace("^", r"\textasciicircum ").replace("∞", r"$\infty$")


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
