"""`irbounds assist`: a run's measure from a judge's grades and people's labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import irbounds
from irbounds.cli.input import options
from irbounds.cli.input.read import check_read_once
from irbounds.cli.reviews.coverage_words import level_of
from irbounds.cli.terminal.help import declare
from irbounds.cli.terminal.notes import warnings_as_notes
from irbounds.cli.terminal.render import Report, Table, interval_cells, short, write
from irbounds.foundation.errors import InputError, counted

ASSUMED = "the posterior assumes that relevance does not go with rank within a grade"
further_judges = options.option(
    "--judge",
    "judges",
    multiple=True,
    type=options.File(),
    help="Another judge of the same pairs; may be repeated.",
)
combine = options.one_of(
    "--combine",
    ("patterns", "best"),
    default="patterns",
    help="Use of several judges",
    notes={"patterns": "strata by all of them", "best": "the one that agrees best with the others"},
)


highest_grade = options.max_grade(
    "For DCG: the highest grade of people's scale; by default the largest of people's and the "
    "judge's grades."
)


def all_judges(judge: str, judges: Sequence[str]) -> Any:
    """One file, or several of them."""
    return [judge, *judges] if judges else judge


def check_combine(how: str, judges: Sequence[str]) -> None:
    """Refuse a way to combine one judge."""
    if how != "patterns" and not judges:
        raise InputError("--combine is for several judges: give another one as --judge")


def check_seed(seed: int | None, method: str | None) -> None:
    """Refuse a seed of what does not draw."""
    if seed is not None and method != "posterior":
        raise InputError("--seed is for --method posterior: no other method draws")


def judge_and_people(command: Any) -> Any:
    """The files, the measure and how both sources of labels are put together."""
    for option in (
        highest_grade,
        options.judge_ties,
        combine,
        further_judges,
        options.one_of(
            "--unit",
            ("document", "query"),
            default="document",
            help="Units that were sampled for people to label",
        ),
        options.method(
            "strata, strata-adjusted (default where all documents count alike), model-assisted, "
            "model-assisted-adjusted (default elsewhere) or posterior; with --unit query "
            "regression (default) or cochran."
        ),
        options.option(
            "--against", type=options.File(), help="Estimate the difference from this run."
        ),
        options.judged_measure,
        options.argument(
            "run", required=False, help="Run file; without it the measure is SetP, of all pairs."
        ),
        options.argument(
            "judge", help="Grades of the judge, such as a language model, for all pairs."
        ),
        options.argument(
            "human", help="Labels of people: TREC qrels, or a table as allocate-labels writes."
        ),
    ):
        command = option(command)
    return command


@declare(
    "assist",
    'irbounds assist people.csv model.qrels new.run -m "P(rel=2)@10"',
    'irbounds assist people.csv model.qrels new.run -m "P(rel=2)@10" --against old.run',
)
@judge_and_people
@options.confidence_level
@options.seed("Seed of the posterior's draws.")
@options.format
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
    format: str,
    output: str | None,
) -> None:
    """Estimate a run's measure from a judge's grades for all pairs and people's labels for a few.

    Prints the interval beside the estimates from the judge alone and from people alone.
    """
    check_combine(combine, judges)
    check_seed(seed, method)
    check_read_once(human, judge, *judges, run, against)
    with warnings_as_notes(irbounds.warnings.AssistedWarning, with_errors=True):
        found = irbounds.assisted_interval(
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
            rng=seed,
        )
    alone = found.human_alone or (math.nan,) * 3
    rows: list[tuple[str, float, float, float]] = [
        ("judge and people", found.estimate, found.low, found.high),
        ("people alone", *alone),
        ("judge alone", found.judge_alone, math.nan, math.nan),
    ]
    units = "pairs" if found.unit == "document" else "queries"
    notes = [
        f"{found.measure}, {level_of(found.confidence_level, 'two-sided')}, method {found.method}",
        f"{found.sampled} of {found.population} {units} were labelled by people, all by the judge",
        f"correlation of judge and people {short(found.correlation)}"
        if found.correlation == found.correlation
        else "judge and people have no correlation: all gains by one of them are equal",
        *([f"the interval is {found.gain}"] if found.gain else []),
        *([ASSUMED] if found.method == "posterior" else []),
    ]
    if found.unused:
        notes.append(
            f"{counted(found.unused, 'label', 'labels')} of pairs that the measure does not count: "
            "not used"
        )
    if found.unit == "query":
        notes.append(
            f"with a correlation below {short(found.least_correlation)} a judge does not help"
        )
    if found.human_alone is None:
        notes.append(
            "one label gives no interval of people alone"
            if found.sampled == 1
            else "labels are unevenly spread over grades: people alone would be biased"
        )
    cells = [[name, *interval_cells(estimate, low, high)] for name, estimate, low, high in rows]
    header = ["estimate from", "estimate", "low", "high"]
    report = Report(header, rows, shown=Table(header, cells), document=found.to_dict(), notes=notes)
    write(report, format, output)
