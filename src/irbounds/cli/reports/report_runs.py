"""`irbounds report runs`: a page that compares runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import irbounds
from irbounds.cli.input import options
from irbounds.cli.input import scores as tables
from irbounds.cli.input.read import check_read_once
from irbounds.cli.terminal.help import declare
from irbounds.cli.terminal.notes import notes_on_tests


@declare(
    "runs",
    {
        "Input": (
            options.qrels_or_scores,
            options.runs_or_scores,
            *tables.SCORES,
            options.columns,
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
    "irbounds report runs --scores scores.csv -o scores.html",
)
def command(
    qrels: str | None,
    runs: Sequence[str],
    scores: tuple[str, ...],
    lower_is_better: bool,
    columns: dict[str, str] | None,
    test: str,
    unjudged: str,
    title: str | None,
    **settings: Any,
) -> str:
    """Write a page that compares runs: measures, differences, figures and single queries."""
    from irbounds.comparison.significance.table import TESTS
    from irbounds.foundation.errors import InputError
    from irbounds.report.runs import TITLE

    if test in TESTS and not TESTS[test].resamples:
        options.refuse_unused("--test permutation or bootstrap", "seed")
    table = tables.read(scores)
    if table is not None:
        names = ("baseline", "correction", "family", "confidence_level", "seed", "date", "output")
        own = {name: settings[name] for name in names if name in settings}
        own["groups"] = tables.groups_of(table, settings["groups"])
        with notes_on_tests():
            return irbounds.report_runs(
                None, table, test=test, title=title or "Comparison of systems", **own
            )
    if columns:
        raise InputError("--columns needs --scores")
    assert qrels is not None  # without --scores
    check_read_once(qrels, *runs, settings["groups"])
    settings |= {"unjudged": options.as_treatment(unjudged), "title": title or TITLE}
    with notes_on_tests():
        return irbounds.report_runs(qrels, list(runs), test=test, **settings)
