"""`irbounds report runs`: a page that compares runs."""

from __future__ import annotations

from collections.abc import Sequence

import irbounds
from irbounds.cli.input import options
from irbounds.cli.input.read import check_read_once
from irbounds.cli.rankings.labels import read_hidden, read_treatment
from irbounds.cli.terminal.help import declare
from irbounds.cli.terminal.notes import notes_on_tests
from irbounds.cli.terminal.screen import write_page


@declare("runs", "irbounds report runs qrels.txt bm25.run dense.run -o runs.html")
@options.qrels
@options.runs
@options.measures
@options.baseline("File name of the run that others are compared with; the first by default.")
@options.test
@options.correction(
    ("holm", "bonferroni", "dunnett"),
    "Correction for several comparisons: holm, bonferroni, dunnett or none.",
)
@options.family
@options.confidence_level
@options.seed("Seed of the tests that resample.", default=0)
@options.ties
@options.missing_as(("zero", "error"))
@options.judged_only
@options.unjudged
@options.labels_of_unjudged
@options.collection_size
@options.score_precision
@options.score_tolerance
@options.title
@options.date
@options.output
def command(
    qrels: str,
    runs: Sequence[str],
    measures: Sequence[str],
    baseline: str | None,
    test: str,
    correction: str | None,
    family: str | None,
    confidence_level: float,
    seed: int,
    ties: str,
    missing: str,
    judged_only: bool,
    unjudged: str,
    unjudged_hidden: str | None,
    max_grade: float | None,
    collection_size: int | None,
    score_precision: str,
    score_tolerance: float,
    title: str | None,
    date: str | None,
    output: str | None,
) -> None:
    """Write a page that compares runs: measures, differences, figures and single queries."""
    from irbounds.comparison.significance.table import TESTS
    from irbounds.report.runs import TITLE

    if test in TESTS and not TESTS[test].resamples:
        options.refuse_unused("--test permutation or bootstrap", "seed")
    check_read_once(qrels, *runs)
    with notes_on_tests():
        page = irbounds.report_runs(
            qrels,
            list(runs),
            " ".join(measures),
            baseline=baseline,
            test=test,
            family=family,
            correction=correction,
            confidence_level=confidence_level,
            seed=seed,
            ties=ties,
            missing=missing,
            judged_only=judged_only,
            unjudged=read_treatment(unjudged),
            unjudged_hidden=read_hidden(unjudged_hidden),
            max_grade=max_grade,
            collection_size=collection_size,
            score_precision=score_precision,
            score_tolerance=score_tolerance,
            title=title or TITLE,
            date=date,
        )
    write_page(page, output)
