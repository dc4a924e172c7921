"""Rows as text tables, CSV, JSON and LaTeX."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

# Modules of the standard library are imported where they are used: each format needs another one,
# and a start of the command line is as long as its imports.
Rows = Sequence[Sequence[Any]]
ESCAPES = str.maketrans(
    {
        **{letter: "\\" + letter for letter in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "∞": r"$\infty$",
    }
)

MOST_HTML_ROWS = 60  # of a table in a notebook
MARKDOWN_ESCAPES = str.maketrans({letter: "\\" + letter for letter in "\\|*_`<["})


class Latex(str):
    """A cell that already is LaTeX."""

    __slots__ = ()


class Columns(Sequence[Sequence[Any]]):
    """Rows that are held as columns: many rows are written faster so."""

    def __init__(self, columns: Sequence[Sequence[Any]]) -> None:
        self.columns = columns

    def __len__(self) -> int:
        return len(self.columns[0])

    def __getitem__(self, place: Any) -> Any:
        rows = zip(*(column[place] for column in self.columns), strict=True)
        return list(rows) if isinstance(place, slice) else [own[place] for own in self.columns]

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return zip(*self.columns, strict=True)


def _columns(header: Sequence[str], rows: Rows) -> list[list[str]]:
    """The texts of each column, the name first, each in one line: a line break in a name would
    break the row."""
    if isinstance(rows, Columns):
        columns = [[name, *column] for name, column in zip(header, rows.columns, strict=True)]
    else:
        columns = list(map(list, zip(header, *rows, strict=True)))
    texts = [list(map(str, column)) for column in columns]
    has_break = (len(("".join(column) + ".").splitlines()) > 1 for column in texts)
    return [
        list(map(_one_line, column)) if breaks else column
        for column, breaks in zip(texts, has_break, strict=True)
    ]


def _translated(column: list[str], escapes: dict[int, str]) -> list[str]:
    """Texts of one line each with escapes, all at once."""
    return "\n".join(column).translate(escapes).split("\n")


def _one_line(value: object) -> str:
    return " ".join(str(value).splitlines())


def as_table(header: Sequence[str], rows: Rows, numbers_from: int = 1) -> str:
    """A text table; columns from `numbers_from` on are aligned to the right."""
    columns = _columns(header, rows)
    widths = [max(map(len, column)) for column in columns]
    cells = [
        map(str.ljust if i < numbers_from else str.rjust, column, itertools.repeat(width))
        for i, (column, width) in enumerate(zip(columns, widths, strict=True))
    ]
    lines = [f"  {'   '.join(row)}".rstrip() for row in zip(*cells, strict=True)]
    rule = " " + "─" * (sum(widths) + 3 * len(widths) - 1)
    return "\n".join(["", lines[0], rule, *lines[1:], "", ""])


def as_narrow_table(header: Sequence[str], rows: Rows, numbers_from: int, width: int) -> str:
    """The table turned on its side, a column for each row, if that is at most `width` wide; else a
    block for each row, with one cell a line."""
    columns = list(zip(header, *rows, strict=True))
    if numbers_from == 1:
        text = as_table(columns[0], columns[1:])
        if max(map(len, text.splitlines())) <= width:
            return text
    widest = max(map(len, map(_one_line, header)))
    blocks = []
    for row in rows:
        cells = zip(header, map(_one_line, row), strict=True)
        lines = (f"  {_one_line(name):<{widest}}   {cell}".rstrip() for name, cell in cells)
        blocks.append("\n".join(lines) + "\n")
    return "\n" + "\n".join(blocks) + "\n"


def as_fitting_table(
    header: Sequence[str], rows: Rows, numbers_from: int = 1, width: int | None = None
) -> str:
    """A text table; on a terminal of `width` columns that it does not fit, a narrow one."""
    text = as_table(header, rows, numbers_from)
    if width is not None and max(map(len, text.splitlines())) > width:
        return as_narrow_table(header, rows, numbers_from, width)
    return text


def as_wrapped_table(header: Sequence[str], rows: Rows, width: int) -> str:
    """A table of texts, whose cells are wrapped so that it is at most `width` wide; the widest
    columns give way."""
    import textwrap

    cells = [[_one_line(cell) for cell in row] for row in (header, *rows)]
    columns = list(zip(*cells, strict=True))
    longest = [max(map(len, column)) for column in columns]
    words = [
        max(len(word) for cell in column for word in cell.split() or [""]) for column in columns
    ]
    available = max(width - 2 * len(columns), sum(words))
    # The limit on the widths falls until all columns fit, but no word is broken.
    limit = max(longest)

    def widths_at(limit: int) -> list[int]:
        pairs = zip(longest, words, strict=True)
        return [min(length, max(limit, word)) for length, word in pairs]

    while sum(widths_at(limit)) > available:
        limit -= 1
    widths = widths_at(limit)

    def lines(row: list[str]) -> list[str]:
        parts = [textwrap.wrap(cell, size) for cell, size in zip(row, widths, strict=True)]
        return [
            (
                "  " + "  ".join(f"{text:<{size}}" for text, size in zip(line, widths, strict=True))
            ).rstrip()
            for line in itertools.zip_longest(*parts, fillvalue="")
        ]

    rule = " " + "─" * (sum(widths) + 2 * len(widths) - 1)
    text = ["", *lines(cells[0]), rule, *(line for row in cells[1:] for line in lines(row)), ""]
    return "\n".join(text) + "\n"


def wrapped(line: str, width: int | None, indent: str = "") -> str:
    """The line, in several ones where the terminal is narrower."""
    if width is None or len(indent + line) <= width:
        return f"{indent}{line}\n"
    import textwrap

    lines = textwrap.wrap(line, width, initial_indent=indent, subsequent_indent=indent)
    return "".join(f"{part}\n" for part in lines)


def as_markdown(header: Sequence[str], rows: Rows, numbers_from: int = 1) -> str:
    """A table as GitHub's Markdown has it; columns from `numbers_from` on are set to the right."""
    cells = [_translated(column, MARKDOWN_ESCAPES) for column in _columns(header, rows)]
    lines = [f"| {' | '.join(row)} |" for row in zip(*cells, strict=True)]
    names = min(numbers_from, len(header))
    rule = ["---"] * names + ["---:"] * (len(header) - names)
    return "\n".join([lines[0], f"| {' | '.join(rule)} |", *lines[1:]]) + "\n"


def as_html(header: Sequence[str], rows: Rows, numbers_from: int = 1) -> str:
    """A table of HTML for notebooks; columns from `numbers_from` on are set to the right."""
    import html

    def line(row: Sequence[Any], tag: str) -> str:
        cells = []
        for place, cell in enumerate(row):
            side = "left" if place < numbers_from else "right"
            text = html.escape(_one_line(cell))
            cells.append(f'<{tag} style="text-align: {side}">{text}</{tag}>')
        return f"<tr>{''.join(cells)}</tr>"

    body = "\n".join(line(row, "td") for row in rows)
    return f"<table>\n<thead>{line(header, 'th')}</thead>\n<tbody>\n{body}\n</tbody>\n</table>\n"


class InNotebooks:
    """A result that notebooks show as a table: by default its fields, one a row."""

    to_dict: Callable[[], dict[str, Any]]

    def _table(self) -> tuple[list[str], Rows]:
        """The header and the cells."""
        fields = {name: value for name, value in self.to_dict().items() if _is_plain(value)}
        return ["", "value"], [[name.replace("_", " "), value] for name, value in fields.items()]

    def _repr_html_(self) -> str:
        header, rows = self._table()
        rows = [[_shown_cell(cell) for cell in row] for row in rows[:MOST_HTML_ROWS]]
        return html_lines(repr(self).splitlines()[:1]) + as_html(header, rows)


def _is_plain(value: object) -> bool:
    """True for what fits into a cell, if it was given."""
    is_short = isinstance(value, (list, tuple)) and len(value) <= 3
    return isinstance(value, (str, int, float)) or is_short


def _shown_cell(value: object) -> object:
    if isinstance(value, (list, tuple)):
        return ", ".join(str(_shown_cell(one)) for one in value)
    return f"{value:.6g}" if isinstance(value, float) else value


def html_lines(lines: Iterable[str]) -> str:
    """A paragraph for each line."""
    import html

    return "".join(f"<p>{html.escape(line)}</p>\n" for line in lines)


def as_csv(header: Sequence[str] | None, rows: Rows) -> str:
    """Comma-separated values with full precision; without a header the rows continue a table."""
    import csv
    import io

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    if header is not None:
        writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


def as_json(value: object) -> str:
    """Standard JSON: infinities and nan become null."""
    return as_json_text(value, indent=2) + "\n"


def as_json_lines(records: Iterable[dict[str, Any]]) -> str:
    """One JSON object a line."""
    return "".join(as_json_text(record) + "\n" for record in records)


def as_json_text(value: object, indent: int | None = None) -> str:
    """JSON, with escapes for bytes that are not valid text."""
    import json

    return valid_text(json.dumps(_finite(value), indent=indent, ensure_ascii=False))


def valid_text(text: str) -> str:
    """The text, bytes of a file that were no text escaped as JSON has them."""
    return text.encode("utf-8", "backslashreplace").decode()


def as_latex(header: Sequence[str], rows: Rows, numbers_from: int = 1) -> str:
    """A LaTeX tabular with booktabs rules; columns from `numbers_from` on are aligned to the
    right."""

    def line(row: Sequence[str]) -> str:
        text = " & ".join(row) + r" \\"
        # else an option of the line before
        return "{}" + text if text.startswith(("[", "*")) else text

    cells: Iterable[Sequence[str]] = (list(map(_escaped, row)) for row in (header, *rows))
    if isinstance(rows, Columns):  # many rows, of text alone
        own = [_translated(column, ESCAPES) for column in _columns(header, rows)]
        cells = zip(*own, strict=True)
    first, *lines = map(line, cells)
    columns = "l" * numbers_from + "r" * (len(header) - numbers_from)
    return (
        "\n".join(
            [
                rf"\begin{{tabular}}{{{columns}}}",
                r"\toprule",
                first,
                r"\midrule",
                *lines,
                r"\bottomrule",
                r"\end{tabular}",
            ]
        )
        + "\n"
    )


def _escaped(value: object) -> str:
    return value if isinstance(value, Latex) else _one_line(value).translate(ESCAPES)


def _finite(value: object) -> Any:
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
