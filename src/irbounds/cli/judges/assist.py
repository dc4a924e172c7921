"""`irbounds assist`: a run's measure from a judge's grades and people's labels."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import irbounds
from irbounds.cli.input import options
from irbounds.cli.input.read import check_read_once
from irbounds.cli.reviews.foot_lines import level_of
from irbounds.cli.terminal.help import declare
from irbounds.cli.terminal.notes import warnings_as_notes
from irbounds.cli.terminal.render import Report, Table, interval_cells, short
from irbounds.foundation.errors import InputError, counted

if TYPE_CHECKING:
    import click

ASSUMED = "the posterior assumes that relevance does not go with rank within a grade"
JUDGES = (
    options.argument("judge", "Grades of the judge, such as a language model, for all pairs."),
    options.file(
        "--judge judges", "Another judge of the same pairs; may be repeated.", multiple=True
    ),
    options.one_of(
        "--combine",
        ("patterns", "best"),
        "Use of several judges",
        default="patterns",
        notes={
            "patterns": "strata by all of them",
            "best": "the one that agrees best with the others",
        },
    ),
)
MEASURE = (
    options.measures_as(
        None, 'One measure, such as "P(rel=2)@10"; by default P@10, or SetP without RUN.'
    ),
    options.ties_of("expected", "doc_id", "given"),  # whose weights of documents are linear
    options.number(
        "--max-grade",
        "For DCG: the highest grade of people's scale; by default the largest of people's and "
        "the judge's grades.",
    ),
)
INPUT = (
    options.argument(
        "human", "Labels of people: TREC qrels, or a table as allocate-labels writes."
    ),
    JUDGES[0],
    options.argument(
        "run", "Run file; without it the measure is SetP, of all pairs.", required=False
    ),
    options.file("--against", "Estimate the difference from this run."),
    *JUDGES[1:],
    options.one_of(
        "--unit",
        ("document", "query"),
        "Units that were sampled for people to label",
        default="document",
    ),
    options.file(
        "--groups",
        "With --unit query, if whole groups were drawn, such as all queries of a document: a file "
        "of two columns, query and group.",
    ),
)
METHOD = options.method(
    "strata, strata-adjusted (default where all documents count alike), model-assisted, "
    "model-assisted-adjusted (default elsewhere) or posterior; with --unit query "
    "regression (default) or cochran."
)


def all_judges(judge: str, judges: Sequence[str], combine: str) -> str | list[str]:
    """One file, or several of them."""
    if combine != "patterns" and not judges:
        raise InputError("--combine is for several judges: give another one as --judge")
    return [judge, *judges] if judges else judge


def estimating(seed: str) -> dict[str, Sequence[click.Parameter]]:
    """The options of `irbounds.assisted_interval`, in sections; `seed` is its name there."""
    return {
        "Input": INPUT,
        "Measure": MEASURE,
        "Interval": (
            METHOD,
            options.confidence_level,
            options.seed("Seed of the posterior's draws.", name=seed),
        ),
    }


def estimated(
    function: Callable[..., Any],
    seed: int | None,
    /,
    *,
    human: str,
    judge: str,
    judges: Sequence[str],
    measures: str | None,
    **settings: Any,
) -> Any:
    """The result of a function of a judge and people, once its options are checked."""
    both = all_judges(judge, judges, settings["combine"])
    if seed is not None and settings["method"] != "posterior":
        raise InputError("--seed is for --method posterior: no other method draws")
    check_read_once(human, judge, *judges, *(settings[k] for k in ("run", "against", "groups")))
    with warnings_as_notes(irbounds.warnings.AssistedWarning, with_errors=True):
        return function(human, both, measure=measures or None, **settings)


@declare(
    "assist",
    {**estimating("rng"), "Output": options.OUTPUT},
    'irbounds assist people.csv model.qrels new.run -m "P(rel=2)@10"',
    'irbounds assist people.csv model.qrels new.run -m "P(rel=2)@10" --against old.run',
)
def command(**settings: Any) -> Report:
    """Estimate a run's measure from a judge's grades for all pairs and people's labels for a few.

    Prints the interval beside the estimates from the judge alone and from people alone.
    """
    found = estimated(irbounds.assisted_interval, settings["rng"], **settings)
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
        else "correlation of judge and people undefined: all gains by one of them are equal",
        *_agreement(found.agreement),
        *([f"the interval is {found.gain}"] if found.gain else []),
        *([ASSUMED] if found.method == "posterior" else []),
    ]
    if found.unused:
        notes.append(
            f"{counted(found.unused, 'label', 'labels')} of pairs that the measure does not count: "
            "not used"
        )
        if found.unit == "document" and settings["against"] is None:
            notes.append(
                "if labels were drawn for another run alone, the others are no random sample of "
                "this one, and the interval does not hold"
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
    return Report(header, rows, shown=Table(header, cells), document=found.to_dict(), notes=notes)


def _agreement(found: Mapping[str, tuple[float, float, float]]) -> Iterator[str]:
    """Three lines, if there is any."""
    cells = {kind: interval_cells(*ends) for kind, ends in found.items()}
    texts = [f"{kind} {middle} [{low}, {high}]" for kind, (middle, low, high) in cells.items()]
    if texts:
        yield f"agreement on what is relevant: {texts[0]}"
        yield ", ".join(texts[1:3])
        yield ", ".join(texts[3:])
