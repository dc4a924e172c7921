"""Rows as text tables, CSV, JSON and LaTeX."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Sequence
from typing import Any

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


class Latex(str):
    """A cell that already is LaTeX."""

    __slots__ = ()


def _one_line(value: Any) -> str:
    """The text of a cell in one line; a line break in a name would break the row."""
    return " ".join(str(value).splitlines())


def as_table(header: Sequence[str], rows: Rows, numbers_from: int = 1) -> str:
    """A text table; columns from `numbers_from` on are aligned to the right."""
    cells = [list(map(_one_line, row)) for row in (header, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]

    def line(row: list[str]) -> str:
        set_cells = (
            text.ljust(width) if i < numbers_from else text.rjust(width)
            for i, (text, width) in enumerate(zip(row, widths, strict=True))
        )
        return ("  " + "   ".join(set_cells)).rstrip()

    rule = " " + "─" * (sum(widths) + 3 * len(widths) - 1)
    return "\n".join(["", line(cells[0]), rule, *map(line, cells[1:]), "", ""])


def as_csv(header: Sequence[str] | None, rows: Rows) -> str:
    """Comma-separated values with full precision; without a header the rows continue a table."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([*([] if header is None else [header]), *rows])
    return text.getvalue()


def as_json(value: Any) -> str:
    """Standard JSON: infinities and nan become null."""
    return _dumps(value, indent=2) + "\n"


def as_json_lines(records: Iterable[dict[str, Any]]) -> str:
    """One JSON object a line."""
    return "".join(_dumps(record) + "\n" for record in records)


def _dumps(value: Any, indent: int | None = None) -> str:
    """JSON, with escapes for bytes that are not valid text."""
    text = json.dumps(_finite(value), indent=indent, ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace").decode()


def as_latex(header: Sequence[str], rows: Rows, numbers_from: int = 1) -> str:
    """A LaTeX tabular with booktabs rules; columns from `numbers_from` on are aligned to the
    right."""

    def line(row: Sequence[Any]) -> str:
        text = " & ".join(map(_escaped, row)) + r" \\"
        # else an option of the line before
        return "{}" + text if text.startswith(("[", "*")) else text

    columns = "l" * numbers_from + "r" * (len(header) - numbers_from)
    return (
        "\n".join(
            [
                rf"\begin{{tabular}}{{{columns}}}",
                r"\toprule",
                line(header),
                r"\midrule",
                *map(line, rows),
                r"\bottomrule",
                r"\end{tabular}",
            ]
        )
        + "\n"
    )


def _escaped(value: Any) -> str:
    return value if isinstance(value, Latex) else _one_line(value).translate(ESCAPES)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
