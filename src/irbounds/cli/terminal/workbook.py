"""Excel workbooks: a report with where it comes from, and tables to fill in.

The same content gives the same bytes.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from irbounds._version import __version__
from irbounds.foundation.arguments import check_date
from irbounds.foundation.paths import can_reread, file_hash, shown_name
from irbounds.foundation.writing import valid_text

if TYPE_CHECKING:
    from irbounds.cli.terminal.render import Report

NEEDS_OPENPYXL = (
    'writing an Excel workbook needs openpyxl: pip install "irbounds[excel]"; or write .csv'
)
LAST_ROW = 10_000  # for which a template offers words
WIDEST = 60  # characters of a column
EPOCH = (1980, 1, 1, 0, 0, 0)  # the first time that a zip archive can have


def of_report(report: Report, command: str, inputs: Iterable[str], date: str | None) -> bytes:
    """A sheet with the table, the lines below it, and single findings; then command, version, date,
    and the hashes of the files that were read."""
    table, document = report.data(), report.document()
    facts = document.items() if isinstance(document, dict) else ()
    day = check_date(date)
    origin = [("command", command), ("version", f"irbounds {__version__}"), ("date", day)]
    for path in filter(can_reread, inputs):
        origin += [("input", shown_name(path)), ("SHA-256", file_hash(path))]
    book = _book()
    sheet = book.active
    sheet.title = "results"
    _fill(sheet, [table.header, *table.rows], is_table=True)
    _fill(sheet, [[], *([line] for line in report.notes())])
    called = report.called
    _fill(
        sheet,
        [[], *([called.get(name, name.replace("_", " ")), x] for name, x in facts if _is_plain(x))],
    )
    _fill(sheet, [[], *origin])
    return _bytes_of(book, day)


def of_template(
    title: str,
    columns: Mapping[str, str],
    rows: Sequence[Sequence[Any]],
    lines: Iterable[Sequence[Any]],
) -> bytes:
    """A sheet to fill in, and one of explanations.  columns: the words that may stand in each,
    "yes,no", "@" for names, or ""; rows: what stands in the first rows, whose other cells are
    yellow."""
    book = _book()
    from openpyxl.styles import PatternFill
    from openpyxl.worksheet.datavalidation import DataValidation

    sheet = book.active
    sheet.title = title
    _fill(sheet, [[*columns], *rows], is_table=True)
    for place, words in enumerate(columns.values(), 1):
        letter = sheet.cell(1, place).column_letter
        if words == "@":  # Excel would cut the digits of long numbers
            sheet.column_dimensions[letter].number_format = words
        elif words:
            rule = DataValidation(type="list", formula1=f'"{words}"', allow_blank=True)
            rule.add(f"{letter}2:{letter}{LAST_ROW}")
            sheet.add_data_validation(rule)
        for number in range(2, len(rows) + 2):
            if sheet.cell(number, place).value is None:
                sheet.cell(number, place).fill = PatternFill("solid", fgColor="FFF2CC")
    _fill(book.create_sheet("explanations"), lines)
    return _bytes_of(book, "2000-01-01")


def _is_plain(value: object) -> bool:
    return isinstance(value, str | int | float)


def _book() -> Any:
    try:
        import openpyxl
    except ImportError:
        raise ImportError(NEEDS_OPENPYXL) from None
    return openpyxl.Workbook()


def _fill(sheet: Any, rows: Iterable[Sequence[Any]], is_table: bool = False) -> None:
    """Add rows: numbers as numbers, all else as text, which no program takes for a formula."""
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
    from openpyxl.styles import Font

    start = sheet.max_row + 1 if sheet.max_row > 1 or sheet["A1"].value is not None else 1
    for number, row in enumerate(rows, start):
        for place, value in enumerate(row, 1):
            cell = sheet.cell(number, place)
            if isinstance(value, int | float) and math.isfinite(value):
                cell.value = value
                continue
            text = {"nan": "—", "inf": "∞", "-inf": "−∞"}.get(str(value), str(value))
            cell.value = (
                ILLEGAL_CHARACTERS_RE.sub("?", valid_text(text)) if value is not None else None
            )
            cell.data_type = "s" if value is not None else "n"
            if place > 1 or is_table:
                width = sheet.column_dimensions[cell.column_letter]
                width.width = min(WIDEST, max(width.width or 0, len(text) + 2))
            if is_table and number == 1:
                cell.font = Font(bold=True)
    if is_table:
        sheet.freeze_panes = "A2"


def _bytes_of(book: Any, day: str) -> bytes:
    """The file, all of whose times are those of the day: openpyxl writes when it saves."""
    import datetime
    import zipfile

    book.properties.creator = f"irbounds {__version__}"
    book.properties.created = datetime.datetime.fromisoformat(day)
    saved, found = io.BytesIO(), io.BytesIO()
    book.save(saved)
    with zipfile.ZipFile(saved) as parts, zipfile.ZipFile(found, "w") as archive:
        for name in parts.namelist():
            data = parts.read(name)
            if name == "docProps/core.xml":
                changed = rb"(<dcterms:modified[^>]*>)[^<]*"
                data = re.sub(changed, rb"\g<1>" + f"{day}T00:00:00Z".encode(), data)
            archive.writestr(zipfile.ZipInfo(name, EPOCH), data, zipfile.ZIP_DEFLATED)
    return found.getvalue()
