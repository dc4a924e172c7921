"""How a comparison is shown."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator

from irbounds.cli.output import as_json_lines, complain, write
from irbounds.comparison.cautions import FewQueriesWarning, NoVarianceWarning
from irbounds.comparison.comparison import Comparison
from irbounds.foundation.errors import check_choice

FORMATS = ("table", "csv", "json", "jsonl", "latex")
TABLES = ("runs", "differences")


def check_output(format: str, table: str | None) -> None:
    """Refuse unknown formats and tables before any work is done."""
    check_choice("--format", format, FORMATS)
    if table is not None:
        check_choice("--rows", table, TABLES)


def write_comparison(
    comparison: Comparison, format: str, rows: str | None, path: str | None = None
) -> None:
    """In one of the formats; `rows` says of what in CSV and LaTeX."""
    if format == "json":
        text = comparison.to_json()
    elif format == "jsonl":
        text = as_json_lines(difference.to_dict() for difference in comparison.differences)
    elif format == "csv":
        text = comparison.to_csv(rows or "differences")
    elif format == "latex":
        text = comparison.to_latex(rows or "runs")
    else:
        text = comparison.to_text()
    write(text, path)


@contextlib.contextmanager
def warnings_as_notes() -> Iterator[None]:
    """Say what a comparison warns of in a line each, on stderr."""
    with warnings.catch_warnings(record=True) as caught:
        for kind in (FewQueriesWarning, NoVarianceWarning):
            warnings.simplefilter("always", kind)
        yield
    complain(str(warning.message) for warning in caught)
