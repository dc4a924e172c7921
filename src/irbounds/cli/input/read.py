"""Reading: CSV tables with a header, lists of labels; `-` is standard input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from irbounds.foundation.errors import InputError, InputFileError, suggest
from irbounds.foundation.paths import numbered, short_names, shown_name, standard_input

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
        """The number in a column."""
        text = self[column].strip().replace("_", "")
        try:
            return float(text)
        except ValueError:
            import re

            has_commas = re.fullmatch(r"\d{1,3}(,\d{3})+(\.\d*)?", text)
            hint = f": write {text.replace(',', '')}" if has_commas else ""
            raise InputError(
                f"{self.where}: expected a number as {column}, found {self[column]!r}{hint}"
            ) from None


def check_read_once(*paths: str | None) -> None:
    """Refuse `-` given for several files."""
    if paths.count("-") > 1:
        raise InputError("standard input can be read once only: `-` was given twice")


def names_of_runs(runs: Sequence[str], name: str | None) -> list[str]:
    """Short names of the run files, each different; `name` is that of standard input."""
    for run in runs:
        _refuse_measure(run)
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


def _lines(path: str) -> list[str]:
    try:
        if path == "-":
            # One byte more than may be: that it is there says that the file is too long.
            data = standard_input().read(MOST_BYTES + 1)
        else:
            with open(path, "rb") as file:  # noqa: PTH123, a faster start
                data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise InputError(
                f"{shown_name(path)}: a table or list of labels must be at most "
                f"{MOST_BYTES >> 20} MiB"
            )
        return data.decode("utf-8-sig").splitlines()
    except InputError:
        raise
    except OSError as error:
        raise InputFileError(f"{shown_name(path)}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{shown_name(path)}: expected text in UTF-8") from None


def _cells(path: str) -> list[list[str]]:
    """The cells of each line; the first line that is not empty shows the delimiter."""
    import csv

    name, lines = shown_name(path), _lines(path)
    if not any(line.strip() for line in lines):
        raise InputError(f"{name}: the file has no rows")
    first = next(line for line in lines if line.strip())
    try:
        # The delimiter that the header has most often.
        return list(csv.reader(lines, delimiter=max(",;\t", key=first.count)))
    except csv.Error as error:
        raise InputError(f"{name}: {error}") from None


def is_of_strata(path: str) -> bool:
    """Whether a table's header has a column `segment`."""
    header = next(cells for cells in _cells(path) if any(cell.strip() for cell in cells))
    return "segment" in (cell.strip().lower() for cell in header)


def read_table(
    path: str, needed: Sequence[str], letters: Mapping[str, str] = MappingProxyType({})
) -> tuple[list[str], list[Row]]:
    """Column names and rows of a file with comma, semicolon or tab between cells; names in any
    case.

    A header that has all of the `letters`, in their case, has the columns that these stand for.
    """
    name = shown_name(path)
    table = _cells(path)
    columns: list[str] = []
    rows = []
    for number, cells in enumerate(table, 1):
        if not any(cell.strip() for cell in cells):
            continue
        if not columns:
            columns = _column_names(
                [cell.strip() for cell in cells], needed, letters, f"{name}:{number}"
            )
            continue
        if len(cells) != len(columns):
            raise InputError(
                f"{name}:{number}: expected {len(columns)} columns, found {len(cells)}"
            )
        rows.append(Row(dict(zip(columns, cells, strict=True)), f"{name}:{number}"))
    if not rows:
        raise InputError(f"{name}: the file has a header and no rows")
    return columns, rows


def _column_names(
    cells: list[str], needed: Sequence[str], letters: Mapping[str, str], where: str
) -> list[str]:
    """The names in a header, which are distinct and include all that are needed."""
    # Before case is dropped: N and n are different columns.
    if letters and set(letters) <= set(cells):
        cells = [letters.get(cell, cell) for cell in cells]
    columns = [cell.lower() for cell in cells]
    wanted = ", ".join(needed) + (
        f" (or {', '.join(letters)} for the last {len(letters)})" if letters else ""
    )
    missing = next((column for column in needed if column not in columns), None)
    if missing and letters and all(cell not in columns for cell in needed[1:]):
        raise InputError(
            f"{where}: expected a header with the columns {wanted}; found {', '.join(cells)}"
        )
    twice = next((column for column in columns if column and columns.count(column) > 1), None)
    if twice:
        raise InputError(
            f"{where}: duplicate column {twice!r}"
            + (f"; a table of strata has {wanted}" if letters else "")
        )
    if missing:
        raise InputError(
            f"{where}: expected a column {missing!r}; found {', '.join(columns)}"
            f"{suggest(missing, columns)}"
            + (f"; a table of strata has {wanted}" if letters else "")
        )
    return columns


def first_of(names: Sequence[str], columns: Sequence[str]) -> str | None:
    """The first of these names that a table has as a column."""
    return next((name for name in names if name in columns), None)


def letter_of(place: int) -> str:
    """The name of a system that has none: A to Z, then numbers."""
    return chr(ord("A") + place) if place < 26 else str(place + 1)


def read_labels(path: str) -> list[Any]:
    """One label a line, as text."""
    name = shown_name(path)
    labels = [line.strip() for line in _lines(path)]
    if not labels:
        raise InputError(f"{name}: the file has no labels")
    if "" in labels:
        raise InputError(f"{name}:{labels.index('') + 1}: expected a label, found an empty line")
    return labels
