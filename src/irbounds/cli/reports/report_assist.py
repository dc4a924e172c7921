"""`irbounds report assist`: a page on a measure from a judge's grades and people's labels."""

from __future__ import annotations

from collections.abc import Sequence

import irbounds
from irbounds.cli.input import options
from irbounds.cli.input.read import check_read_once
from irbounds.cli.judges.assist import (
    all_judges,
    check_combine,
    check_seed,
    judge_and_people,
)
from irbounds.cli.terminal.help import declare
from irbounds.cli.terminal.notes import warnings_as_notes
from irbounds.cli.terminal.screen import write_page


@declare(
    "assist",
    'irbounds report assist people.csv model.qrels new.run -m "P(rel=2)@10" -o assist.html',
    'irbounds report assist people.csv model.qrels new.run -m "P(rel=2)@10" --against old.run',
)
@judge_and_people
@options.confidence_level
@options.seed("Seed of the posterior's draws.")
@options.subject("Name of the launch, or of the change.")
@options.title
@options.date
@options.output
def command(
    human: str,
    judge: str,
    judges: Sequence[str],
    combine: str,
    run: str | None,
    measures: Sequence[str],
    against: str | None,
    method: str | None,
    unit: str,
    ties: str,
    max_grade: float | None,
    confidence_level: float,
    seed: int | None,
    subject: str,
    title: str | None,
    date: str | None,
    output: str | None,
) -> None:
    """Report a run's measure, estimated from a judge's grades and a few labels by people.

    The page has the interval, the estimates from the judge alone and from people alone, and the
    assumptions.
    """
    from irbounds.report.assist import TITLE

    check_combine(combine, judges)
    check_seed(seed, method)
    check_read_once(human, judge, *judges, run, against)
    with warnings_as_notes(irbounds.warnings.AssistedWarning, with_errors=True):
        page = irbounds.report_assist(
            human,
            all_judges(judge, judges),
            run,
            " ".join(measures) or None,
            against=against,
            method=method,
            combine=combine,
            unit=unit,
            ties=ties,
            max_grade=max_grade,
            confidence_level=confidence_level,
            seed=seed or 0,
            subject=subject,
            title=title or TITLE,
            date=date,
        )
    write_page(page, output)
