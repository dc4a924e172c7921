"""Tables that people make: CSV and text in the encodings of spreadsheets, and Excel workbooks."""

from __future__ import annotations

import codecs
import contextlib
import io
import itertools
import re
from collections.abc import Iterator
from typing import Any

from irbounds.foundation.errors import InputError

ZIP, OLD_EXCEL, GZIP = b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"\x1f\x8b"
MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
NEEDS_OPENPYXL = (
    'reading an Excel workbook needs openpyxl: pip install "irbounds[excel]"; or save the sheet as '
    "CSV"
)
SEPARATOR = re.compile(r'"?sep=(.?)"?', re.IGNORECASE)
CONTROLS = re.compile(r"[\0-\x08\x0e-\x1f]")  # which no text has
PIECE = 4096  # rows
Line = tuple[int, list[str]]  # its number, and its cells


def text_of(data: bytes, name: str) -> str:
    """The content of a text file: UTF-8, UTF-16 as Excel's "Unicode text", or else Windows-1252,
    in which Excel writes CSV in the west of Europe and America."""
    _refuse_binary(data, name)
    marked = next((found for mark, found in MARKS.items() if data.startswith(mark)), "utf-8")
    if marked == "utf-8" and b"\0" in data[:4]:  # without a mark, as the first letters are ASCII
        marked = "utf-16-le" if data[1:2] == b"\0" else "utf-16-be"
    for encoding in (marked, "cp1252"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if not CONTROLS.search(text):
            return text
    raise InputError(f"{name}: expected text in UTF-8, UTF-16 or Windows-1252: save it as UTF-8")


def _refuse_binary(data: bytes, name: str) -> None:
    """Say what a file is that is no text."""
    if data.startswith(OLD_EXCEL):
        raise InputError(
            f"{name}: this is an Excel workbook of before 2007: save it as .xlsx or CSV"
        )
    if data.startswith(ZIP):
        kind = "a spreadsheet" if b"opendocument" in data[:200] else "a zip archive"
        raise InputError(f"{name}: this is {kind}: expected a table: save it as .xlsx or CSV")
    if data.startswith(GZIP):
        raise InputError(f"{name}: this is a compressed file: expected a table: unpack it first")


def is_workbook(data: bytes) -> bool:
    """Whether a file is an Excel workbook (.xlsx, .xlsm)."""
    if not data.startswith(ZIP):
        return False
    import zipfile  # here, as a start of the command line needs none of it

    with contextlib.suppress(zipfile.BadZipFile):
        return "xl/workbook.xml" in zipfile.ZipFile(io.BytesIO(data)).namelist()
    return False


def lines_of(data: bytes, name: str) -> Iterator[Line]:
    """The lines of a table with their numbers: of a workbook's first sheet that has cells, or of
    text with comma, semicolon or tab between cells, whichever the first line has most often, or
    that a line `sep=;` before it names, as Excel reads it."""
    if is_workbook(data):
        yield from _lines_of_workbook(data, name)
        return
    rows, start = csv_rows(data, name)
    with _told(name):
        for cells in rows:
            yield rows.line_num + start, cells


def rows_in_pieces(data: bytes, name: str) -> Iterator[list[list[str]]]:
    """The rows of such a table that have a cell, many at a time: of text in a fifth of the time, as
    the rows that are in memory are few."""
    if is_workbook(data):
        yield [cells for _, cells in _lines_of_workbook(data, name) if any(cells)]
        return
    rows, _ = csv_rows(data, name)
    with _told(name):
        while piece := list(itertools.islice(rows, PIECE)):
            yield [cells for cells in piece if any(cells)]


@contextlib.contextmanager
def _told(name: str) -> Iterator[None]:
    import csv

    try:
        yield
    except csv.Error as error:
        raise InputError(f"{name}: {error}") from None


def csv_rows(data: bytes, name: str) -> tuple[Any, int]:
    """A reader of the rows of a text, and the number of lines before it."""
    import csv  # here, for a start of the command line

    lines = list(io.StringIO(text_of(data, name), newline=""))
    start = next((i for i, line in enumerate(lines) if line.strip()), len(lines))
    named = SEPARATOR.fullmatch(lines[start].rstrip("\r\n")) if lines[start:] else None
    start += named is not None
    first = lines[start] if lines[start:] else ""
    delimiter = (named[1] or "\t") if named else max(",;\t", key=first.count)
    return csv.reader(lines[start:], delimiter=delimiter), start


def _lines_of_workbook(data: bytes, name: str) -> Iterator[Line]:
    try:
        import openpyxl
    except ImportError:
        raise ImportError(f"{name}: {NEEDS_OPENPYXL}") from None
    try:
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        rows: list[list[object]] = []
        for sheet in sorted(book.worksheets, key=lambda each: each.sheet_state != "visible"):
            rows = [list(row) for row in sheet.iter_rows(values_only=True)]
            if any(value is not None for row in rows for value in row):
                if _has_formulas(data):
                    _fill_in_formulas(rows, data, sheet.title)
                break
    except Exception as error:  # its readers raise what they meet in a broken file
        raise InputError(f"{name}: the workbook cannot be read: {error}") from None
    filled = [i for row in rows for i, value in enumerate(row) if value is not None]
    width = max(filled, default=-1) + 1
    for number, row in enumerate(rows, 1):
        yield number, [_text_of_value(value) for value in row[:width]]


def _has_formulas(data: bytes) -> bool:
    """Whether any sheet has a formula."""
    import zipfile

    with zipfile.ZipFile(io.BytesIO(data)) as parts:
        sheets = [name for name in parts.namelist() if name.startswith("xl/worksheets/")]
        return any(re.search(rb"<(\w+:)?f[ >/]", parts.read(name)) for name in sheets)


def _fill_in_formulas(rows: list[list[object]], data: bytes, title: str) -> None:
    """The text of each formula without a value, which no program has computed yet: an empty cell
    would be taken for one that was not filled in."""
    import openpyxl

    book = openpyxl.load_workbook(io.BytesIO(data), read_only=True)
    for row, texts in zip(rows, book[title].iter_rows(values_only=True), strict=False):
        for place, text in enumerate(texts[: len(row)]):
            if row[place] is None and text is not None:
                row[place] = str(text)


def _text_of_value(value: object) -> str:
    """A cell as text; whole numbers without a decimal point."""
    if value is None:
        return ""
    return repr(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
