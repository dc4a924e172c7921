"""Reading: tables with a header, lists of labels; `-` is standard input."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from irbounds.cli.input.headers import column_names, folded
from irbounds.cli.input.numbers import number_of
from irbounds.cli.terminal.screen import complain
from irbounds.cli.terminal.wording import options_of
from irbounds.foundation.errors import InputError, InputFileError
from irbounds.foundation.paths import numbered, short_names, shown_name, standard_input
from irbounds.foundation.tables import is_workbook, lines_of, text_of

SHARES = ("precision", "recall", "prevalence", "probability")  # columns from 0 to 1
TOTALS = {
    *("total", "totals", "subtotal", "grandtotal", "sum", "sums"),
    *("summe", "gesamt", "insgesamt", "zwischensumme", "somme"),
}
MOST_BYTES = 2**28  # of a table or a list of labels, which is held whole


class Row(dict[str, str]):
    """A row of a table by column, and its place in the file."""

    def __init__(self, cells: dict[str, str], where: str) -> None:
        super().__init__(cells)
        self.where = where

    def numbers(self, *columns: str) -> Any:
        """The numbers in some columns."""
        return map(self.number, columns)

    def number(self, column: str) -> float:
        """The number in a column; of objects, unless the column has shares."""
        text = self[column]
        try:
            return number_of(text, is_count=column not in SHARES)
        except ValueError as error:
            raise InputError(
                f"{self.where}: expected a number as {column}, found {text!r}{error}"
            ) from None

    def count_or_none(self, column: str) -> float | None:
        """The count in a column, None where it is another text."""
        try:
            return number_of(self[column].replace(",", ""), is_count=True)
        except ValueError:
            return None


def check_read_once(*paths: str | None) -> None:
    """Refuse `-` given for several files, and names of measures in the place of files."""
    for path in paths:
        if path is not None:
            _refuse_measure(path)
    if paths.count("-") > 1:
        raise InputError("standard input can be read once only: `-` was given twice")


def names_of_runs(runs: Sequence[str], name: str | None) -> list[str]:
    """Short names of the run files, each different; `name` is that of standard input."""
    names = numbered(short_names(list(runs)))
    if name is None:
        return names
    if "-" not in runs:
        raise InputError("--name is the name of a run in standard input; no run is `-`")
    if name in names:
        raise InputError(f"--name must differ from the names of the files; found {name!r}")
    return [name if run == "-" else own for run, own in zip(runs, names, strict=True)]


def _refuse_measure(run: str) -> None:
    """Refuse the name of a measure, which is no file: the shell took a list of measures apart."""
    import os
    import re

    if re.fullmatch(r"[A-Za-z][\w@.()=]*", run) and not os.path.exists(run):  # noqa: PTH110, a faster start
        from irbounds.rankings.measure_table.measure import parse_measures

        try:
            parse_measures(run)
        except InputError:
            return
        raise InputFileError(
            f'{run}: No such file; a list of measures needs quotes, as in -m "AP {run}"'
        )


def _bytes(path: str) -> bytes:
    try:
        if path == "-":
            # One byte more than may be: that it is there says that the file is too long.
            data = standard_input().read(MOST_BYTES + 1)
        else:
            with open(path, "rb") as file:  # noqa: PTH123, a faster start
                data = file.read(MOST_BYTES + 1)
    except InputError:
        raise
    except OSError as error:
        meant = options_of([path], ["--unretrieved"])
        hint = meant and f": {meant}"
        raise InputFileError(f"{shown_name(path)}: {error.strerror}{hint}") from None
    if len(data) > MOST_BYTES:
        raise InputError(
            f"{shown_name(path)}: a table or list of labels must be at most {MOST_BYTES >> 20} MiB"
        )
    return data


def filled_lines(path: str) -> Iterator[tuple[int, list[str]]]:
    """The lines of a table that have something in a cell, without the blanks around each cell."""
    lines = (
        (number, [cell.strip() for cell in cells])
        for number, cells in lines_of(_bytes(path), shown_name(path))
    )
    return ((number, cells) for number, cells in lines if any(cells))


def is_of_strata(path: str) -> bool:
    """Whether a table's header has a column `segment`."""
    lines = (cells for _, cells in filled_lines(path))
    header = next((cells for cells in lines if sum(map(bool, cells)) > 1), [])
    return "segment" in map(folded, header)


def read_table(
    path: str,
    needed: Sequence[str],
    optional: Sequence[str] = (),
    given: Mapping[str, str] | None = None,
) -> tuple[list[str], list[Row]]:
    """Column names and rows of a table in text or in a workbook; `given` is what --columns says.

    Lines with one cell above the header are left out; rows that add up the others too, with a line.
    """
    name = shown_name(path)
    columns: list[str] = []
    rows: list[Row] = []
    totals = []
    has_lines, untitled = False, None
    for number, cells in filled_lines(path):
        where = f"{name}:{number}"
        has_lines = True
        if not columns:
            try:
                columns = column_names(cells, needed, optional, given or {}, where)
            except InputError as error:
                if sum(map(bool, cells)) > 1:
                    raise InputError(_with_sheet(str(error), path)) from None
                untitled = untitled or error  # a line above the header, such as a title
                continue
            twice = next((each for each in columns if each and columns.count(each) > 1), None)
            if twice:
                raise InputError(f"{where}: duplicate column {twice!r}")
            continue
        if len(cells) != len(columns):
            raise InputError(f"{where}: expected {len(columns)} columns, found {len(cells)}")
        row = Row(dict(zip(columns, cells, strict=True)), where)
        total = next((cell for cell in cells if is_total(cell)), None)
        if total:
            totals.append((total, row, len(rows)))
        else:
            rows.append(row)
    if not has_lines:
        raise InputError(f"{name}: the file has no rows")
    if not columns:
        raise InputError(_with_sheet(str(untitled), path))
    if not rows:
        raise InputError(f"{name}: the file has a header and no rows")
    for total, row, place in totals:
        _check_total(total, row, rows, place, needed)
    return columns, rows


def is_total(cell: str) -> bool:
    """Whether a cell names a row of totals, perhaps with a remark, as in "Total (all)"."""
    return folded(re.sub(r"\(.*?\)", "", cell)) in TOTALS


def _check_total(
    name: str, total: Row, rows: Sequence[Row], place: int, columns: Sequence[str]
) -> None:
    """Refuse a row of totals whose counts are not those of all rows, of some just above it, or of
    some just below it; it stands before the row with this place."""
    counts = {}
    for column in columns:
        cells = [each.count_or_none(column) for each in (total, *rows)]
        numbers = [cell for cell in cells if cell is not None]
        if column not in SHARES and len(numbers) == len(cells):
            counts[column] = numbers
    parts = [(0, len(rows)), *((i, place) for i in range(place))]
    parts += [(place, i + 1) for i in range(place, len(rows))]
    if all(
        any(sum(whole[1:][slice(*part)]) != whole[0] for whole in counts.values()) for part in parts
    ):
        first, last = (0, place) if place else parts[0]
        column, found, added = next(
            (column, whole[0], added)
            for column, whole in counts.items()
            if (added := sum(whole[1:][first:last])) != whole[0]
        )
        raise InputError(
            f"{total.where}: the row {name!r} has {found:.15g} as {column}, but the rows add up to "
            f"{added:.15g}: correct the rows, or leave the total out"
        )
    complain([f"{total.where}: the row {name!r} is left out, as it adds up others"])


def _with_sheet(message: str, path: str) -> str:
    """A message on missing columns, with where the table of a workbook must be."""
    is_book = path.casefold().endswith((".xlsx", ".xlsm")) and ": expected a " in message
    return (
        f"{message}; the table must be on the first sheet that is not hidden"
        if is_book
        else message
    )


def first_of(names: Sequence[str], columns: Sequence[str]) -> str | None:
    """The first of these names that a table has as a column."""
    return next((name for name in names if name in columns), None)


def letter_of(place: int) -> str:
    """The name of a system that has none: A to Z, then numbers."""
    return chr(ord("A") + place) if place < 26 else str(place + 1)


def read_labels(path: str) -> list[str]:
    """One label a line, as text."""
    name, data = shown_name(path), _bytes(path)
    if is_workbook(data):
        labels = ["\t".join(cells).strip() for _, cells in lines_of(data, name)]
    else:
        labels = [line.strip() for line in text_of(data, name).splitlines()]
    if not labels:
        raise InputError(f"{name}: the file has no labels")
    if "" in labels:
        raise InputError(f"{name}:{labels.index('') + 1}: expected a label, found an empty line")
    for delimiter in ("\t", ",", ";"):
        first = [label.partition(delimiter)[0] for label in labels if delimiter in label]
        if len(labels) > 1 and len({*first}) == len(labels):
            raise InputError(
                f"{name}:1: expected a label alone, found {labels[0]!r}: write the labels without "
                "ids, one a line, in the same order in all files"
            )
    return labels
