"""`irbounds report history`: a page that follows measures of runs over time."""

from __future__ import annotations

from collections.abc import Sequence

import irbounds
from irbounds.cli.input import options
from irbounds.cli.terminal.help import declare
from irbounds.cli.terminal.screen import write_page


@declare("history", "irbounds report history history.jsonl -o history.html")
@options.argument("history", help="File written by `irbounds eval --append`.")
@options.measures_as(None, "Measures; all of the history by default.")
@options.option(
    "--run",
    "series",
    multiple=True,
    metavar="NAME",
    help="Run to test and list; all by default. The pictures draw seven, changed ones first.",
)
@options.option("--since", help="Leave out earlier results; for example 2026-01-31.")
@options.test_without_draws
@options.correction(
    ("holm", "bonferroni"), "Correction for all tests of the page: holm, bonferroni or none."
)
@options.confidence_level
@options.title
@options.date
@options.output
def command(
    history: str,
    measures: Sequence[str],
    series: Sequence[str],
    since: str | None,
    test: str,
    correction: str | None,
    confidence_level: float,
    title: str | None,
    date: str | None,
    output: str | None,
) -> None:
    """Plot measures of runs over time, and mark significant changes.

    Changes are tested by paired tests on the same queries, with a correction for all tests of the
    page. Differences that are equal on all queries have no variance for the t-test: the sign test
    takes its place. Evaluations with different judgments or settings are not compared.
    """
    from irbounds.report.history import TITLE

    page = irbounds.report_history(
        history,
        list(measures) or None,
        runs=list(series) or None,
        since=since,
        test=test,
        correction=correction,
        confidence_level=confidence_level,
        title=title or TITLE,
        date=date,
    )
    write_page(page, output)
