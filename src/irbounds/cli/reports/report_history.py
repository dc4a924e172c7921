"""`irbounds report history`: a page that follows measures of runs over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import irbounds
from irbounds.cli.input import options
from irbounds.cli.terminal.help import declare


@declare(
    "history",
    {
        "Input": (
            options.argument("history", "File written by `irbounds eval --append`."),
            options.measures_as(None, "Measures; all of the history by default."),
            options.option(
                "--run runs",
                "Run to test and list; all by default. The figures show at most seven, "
                "changed ones first.",
                multiple=True,
                metavar="NAME",
            ),
            options.option("--since", "Leave out earlier results; for example 2026-01-31."),
        ),
        "Tests and intervals": (
            options.test_of(("t", "wilcoxon", "sign"), "t"),
            options.correction(
                ("holm", "bonferroni"),
                "Correction for all tests of the page: holm, bonferroni or none",
            ),
            options.groups,
            options.confidence_level,
        ),
        "Output": options.PAGE,
    },
    "irbounds report history history.jsonl -o history.html",
)
def command(history: str, runs: Sequence[str], title: str | None, **settings: Any) -> str:
    """Plot measures of runs over time, and mark significant changes.

    Changes are tested by paired tests on the same queries, with a correction for all tests of the
    page. If a difference is equal on all queries, the sign test is used. Evaluations with different
    judgments or settings are not compared.
    """
    from irbounds.report.history import TITLE

    settings |= {"runs": list(runs) or None, "title": title or TITLE}
    return irbounds.report_history(history, **settings)
