"""Reports in all output formats: nothing else asks for the format."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from irbounds.cli.terminal import screen
from irbounds.foundation.errors import InputError
from irbounds.foundation.rounding import (
    as_decimals,
    as_ends,
    as_estimate,
    as_high_end,
    as_low_end,
    rounded_down,
    rounded_up,
)
from irbounds.foundation.writing import (
    Rows,
    as_csv,
    as_fitting_table,
    as_json,
    as_json_lines,
    as_latex,
    as_markdown,
    wrapped,
)


class Table(NamedTuple):
    """A header, rows, and the number of columns on the left that are names."""

    header: Sequence[str]
    rows: Rows
    numbers_from: int = 1


class Report:
    """The findings of a command: full numbers for programs, cells for people.

    Parameters
    ----------
    header, rows
        Names of columns and values, as in CSV and in records of JSON lines.
    shown : Table, optional
        The table for people; header and rows if there is none.
    document : optional
        The content of JSON; the records if there is none.
    notes : sequence of str
        Lines below the table for people.
    status : int
        The exit status of the command.
    called : dict, optional
        Names of single findings in a workbook, where those of the document say too little.

    A command overrides a method where a format differs or where making all of them costs much.
    """

    def __init__(
        self,
        header: Sequence[str] = (),
        rows: Rows = (),
        *,
        shown: Table | None = None,
        document: object = None,
        notes: Sequence[str] = (),
        status: int = 0,
        called: Mapping[str, str] | None = None,
    ) -> None:
        self._data = Table(header, rows)
        self._shown = shown
        self._document = document
        self._notes = notes
        self.status = status
        self.called = called or {}

    def data(self) -> Table:
        """Full numbers, a row for each finding."""
        return self._data

    def shown(self) -> Table:
        """Cells for people."""
        return self._shown or self.data()

    def document(self) -> Any:
        """The content of JSON."""
        return list(self.records()) if self._document is None else self._document

    def records(self) -> Iterator[dict[str, Any]]:
        """The content of JSON lines."""
        table = self.data()
        return (dict(zip(table.header, row, strict=True)) for row in table.rows)

    def notes(self) -> Sequence[str]:
        """Lines below the table for people."""
        return self._notes

    def text(self, width: int | None) -> str:
        """For people; a terminal has a width, a file has none."""
        table = self.shown()
        text = as_fitting_table(table.header, table.rows, table.numbers_from, width)
        return text + "".join(wrapped(line, width, "  ") for line in self.notes())

    def markdown(self) -> str:
        """A table of Markdown, notes below."""
        table = self.shown()
        text = as_markdown(table.header, table.rows, table.numbers_from)
        return text + "".join(f"\n{line}\n" for line in self.notes())

    def latex(self) -> str:
        """A tabular."""
        table = self.shown()
        return as_latex(table.header, table.rows, table.numbers_from)

    def csv(self, has_header: bool = True) -> str:
        """Comma-separated values."""
        table = self.data()
        return as_csv(table.header if has_header else None, table.rows)

    def json(self) -> str:
        """One JSON value."""
        return as_json(self.document())

    def json_lines(self) -> str:
        """One JSON object a line."""
        return as_json_lines(self.records())

    def trec(self) -> str:
        """As trec_eval prints: measure, query, value.  Only evaluations have it."""
        raise NotImplementedError


WRITERS: dict[str, Callable[[Report, int | None], str]] = {
    "table": lambda report, width: report.text(width),
    "csv": lambda report, _: report.csv(),
    "json": lambda report, _: report.json(),
    "jsonl": lambda report, _: report.json_lines(),
    "latex": lambda report, _: report.latex(),
    "markdown": lambda report, _: report.markdown(),
    "trec": lambda report, _: report.trec(),
}
FORMATS = tuple(name for name in WRITERS if name != "trec")
RANKING_FORMATS = tuple(WRITERS)
BOOK, BOOK_ENDING = "xlsx", ".xlsx"  # the format that is no text
BOOK_FORMATS = (*FORMATS, BOOK)
ENDINGS = {".csv": "csv", ".json": "json", ".jsonl": "jsonl", ".tex": "latex", ".md": "markdown"}
ENDINGS[BOOK_ENDING] = BOOK
WHOLE = ("table", "markdown", "json", BOOK)  # which have more than rows
MOST_DECIMALS = 1000  # costs from here on are shown without decimals
STREAMED = ("csv", "jsonl")  # whose rows can be written as they come


def is_book(format: str, output: str | None, date: str | None) -> bool:
    """Whether a report becomes a workbook, which needs a file; only a workbook has a date."""
    if format == BOOK and _is_screen(output):
        raise InputError(f"--format {BOOK} needs --output FILE{BOOK_ENDING}")
    if format != BOOK and date is not None:
        raise InputError(f"--date is for workbooks: it needs --output FILE{BOOK_ENDING}")
    return format == BOOK


def write(report: Report, format: str, output: str | None = None) -> None:
    """To the screen or to a file, in one of the formats of text."""
    screen.write(WRITERS[format](report, _width(output)), output)


def write_parts(
    parts: Iterable[Report],
    join: Callable[[list[Report]], Report],
    format: str,
    output: str | None = None,
) -> None:
    """Write reports as they come, if format and output allow it, else joined."""
    if format not in STREAMED or not _is_screen(output):
        waiting = list(parts)
        if waiting:
            write(join(waiting), format, output)
        return
    for number, part in enumerate(parts):
        text = part.csv(number == 0) if format == "csv" else WRITERS[format](part, None)
        screen.write(text, output)


def check_format(option: str, format: str, formats: Sequence[str]) -> None:
    """Refuse a format that another option excludes."""
    if format not in formats:
        raise InputError(f"{option} needs --format {' or '.join(formats)}")


def is_misnamed(format: str, ending: str) -> bool:
    """Whether the name of a file promises a workbook and its format is text, or the other way
    round."""
    return (ending == BOOK_ENDING) != (format == BOOK)


def tell_of_loss(what: str, format: str) -> None:
    """Say that a format has rows alone, and so not this."""
    if format not in WHOLE:
        screen.complain([f"{what} is not in {format}, but in {', '.join(WHOLE)}"])


def format_of_ending(formats: Sequence[str]) -> dict[str, str]:
    """The formats by how names of files end."""
    return {ending: name for ending, name in ENDINGS.items() if name in formats}


def short(value: float, whole: bool = False) -> str:
    """Four decimals, as trec_eval prints."""
    if math.isinf(value):
        return "∞"
    return as_decimals(value, 0 if whole else 4)


def is_whole(name: str, value: float) -> bool:
    """Whether a number is shown without decimals: documents, and large costs."""
    return name == "documents" or (name == "cost" and value >= MOST_DECIMALS)


def interval_cells(
    estimate: float, low: float, high: float, whole: bool = False, commas: bool = False
) -> list[str]:
    """Estimate and ends for people, the ends rounded outward; a dash for what is not known."""
    if whole:
        values = estimate, rounded_down(low, 0), rounded_up(high, 0)
        texts = [f"{value:{',' * commas}.0f}" for value in values]
    else:
        ends = as_ends(low, high) if low < high else [as_estimate(low)] * 2  # known: one number
        texts = [as_estimate(estimate), *ends]
    return [
        "—" if math.isnan(value) else "∞" if math.isinf(value) else text
        for value, text in zip((estimate, low, high), texts, strict=True)
    ]


def rounded_rows(header: Sequence[str], rows: Rows, columns: Sequence[str]) -> Rows:
    """Some columns for people: four decimals, the ends "low" and "high" rounded outward."""
    places = [header.index(name) for name in columns]
    ends = {"low": as_low_end, "high": as_high_end}
    return [
        [
            str(row[i])
            if not isinstance(row[i], float)
            else "none"
            if math.isnan(row[i])
            else ends.get(header[i], as_decimals)(row[i])
            for i in places
        ]
        for row in rows
    ]


def _is_screen(output: str | None) -> bool:
    return output in (None, "-")


def _width(output: str | None) -> int | None:
    """Columns of the terminal that is written to; in a pipe those that COLUMNS asks for, if any."""
    if not _is_screen(output) or sys.stdout is None:
        return None
    if not sys.stdout.isatty():
        asked = os.environ.get("COLUMNS", "")
        return int(asked) if asked.isdecimal() and int(asked) > 0 else None
    import shutil

    return shutil.get_terminal_size().columns
