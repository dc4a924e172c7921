"""`irbounds report runs`: a page that compares runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import irbounds
from irbounds.cli.input import options
from irbounds.cli.input.read import check_read_once
from irbounds.cli.terminal.help import declare
from irbounds.cli.terminal.notes import notes_on_tests


@declare(
    "runs",
    {
        "Input": (
            options.qrels,
            options.runs,
            options.baseline(
                "File name of the run that others are compared with; the first by default."
            ),
        ),
        "Measures": options.evaluating("zero", "error"),
        "Tests and intervals": (
            options.test,
            options.correction(
                ("holm", "bonferroni", "dunnett"),
                "Correction for several comparisons: holm, bonferroni, dunnett or none",
            ),
            options.family,
            options.groups,
            options.confidence_level,
            options.seed("Seed of the tests that resample.", default=0, name="seed"),
        ),
        "Unjudged documents": options.UNJUDGED,
        "Output": options.PAGE,
    },
    "irbounds report runs qrels.txt bm25.run dense.run -o runs.html",
)
def command(
    qrels: str, runs: Sequence[str], test: str, unjudged: str, title: str | None, **settings: Any
) -> str:
    """Write a page that compares runs: measures, differences, figures and single queries."""
    from irbounds.comparison.significance.table import TESTS
    from irbounds.report.runs import TITLE

    if test in TESTS and not TESTS[test].resamples:
        options.refuse_unused("--test permutation or bootstrap", "seed")
    check_read_once(qrels, *runs, settings["groups"])
    settings |= {"unjudged": options.as_treatment(unjudged), "title": title or TITLE}
    with notes_on_tests():
        return irbounds.report_runs(qrels, list(runs), test=test, **settings)
