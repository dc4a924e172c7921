"""`irbounds plan`: how many documents to assess, and of which segment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import irbounds
from irbounds.cli.input import options
from irbounds.cli.input.numbers import range_of
from irbounds.cli.input.read import Row
from irbounds.cli.input.samples import read_segments
from irbounds.cli.input.templates import PLAN, write_template
from irbounds.cli.terminal.help import declare
from irbounds.cli.terminal.render import Report, Table
from irbounds.cli.terminal.screen import with_clock
from irbounds.foundation.errors import InputError, check_count
from irbounds.foundation.rounding import as_low_end

if TYPE_CHECKING:
    from irbounds.planning.assumptions.review import AssumedReview
    from irbounds.planning.design.sample_size import SampleSize

PROBABILITY = 0.8  # of showing the target
NO_SAMPLE = 1  # exit status


@declare(
    "plan",
    {
        "Assumed review": (
            options.table("Table of strata with columns segment, size, prevalence"),
            options.table_columns,
            options.template("strata"),
            options.population("Number of documents in the collection."),
            options.count("--retrieved", "Number of retrieved documents."),
            options.option("--recall", "Assumed recall: 0.8, or a range 0.6-0.9."),
            options.option("--precision", "Assumed precision: a number or a range."),
            options.option("--prevalence", "Assumed prevalence instead of precision."),
        ),
        "Goal": (
            options.count("--sample", "Divide this number of documents between the segments."),
            options.number(
                "--width", "Find the smallest sample for an interval of this expected width."
            ),
            options.number(
                "--target",
                "Find the smallest sample whose lower bound on recall is likely to reach this.",
            ),
            options.number(
                "--probability", "With --target: the probability of reaching it.", PROBABILITY
            ),
            options.count("--at-most", "Greatest number of documents to assess."),
            options.one_of(
                "--design",
                ("stratified", "single-sample"),
                "Samples",
                default="stratified",
                notes={
                    "stratified": "one of each segment",
                    "single-sample": "one of the whole collection",
                },
            ),
        ),
        "Interval": (
            options.method(
                "guaranteed (default of one-sided bounds), betabinom-half (default of two-sided "
                "intervals), koopman and others."
            ),
            options.confidence_level,
            options.one_of(
                "--side",
                options.SIDES,
                "Kind of interval; by default lower with --target, otherwise two-sided",
            ),
        ),
        "Output": options.BOOK_OUTPUT,
    },
    "irbounds plan --population 1000000 --retrieved 50000 --recall 0.85 --precision 0.6 "
    "--sample 2000",
    "irbounds plan strata.csv --target 0.75",
)
def command(
    table: str | None,
    columns: dict[str, str] | None,
    template: str | None,
    population: int | None,
    retrieved: int | None,
    recall: str | None,
    precision: str | None,
    prevalence: str | None,
    sample: int | None,
    design: str,
    side: str | None,
    width: float | None,
    target: float | None,
    probability: float,
    at_most: int | None,
    output: str | None,
    **settings: Any,
) -> Report | int:
    """Plan how many documents to assess, and of which segment.

    Give the assumed review and one goal: --sample, --width or --target. The exit status is 1 if no
    sample reaches the goal.
    """
    if template is not None:
        if table is not None:
            raise InputError("--template does not take a table")
        return write_template(PLAN, template, output)
    sizes = {"--population": population, "--retrieved": retrieved, "--recall": recall}
    shares = {"--precision": precision, "--prevalence": prevalence}
    review = _assumed(table, columns, sizes, shares)
    if sum(goal is not None for goal in (sample, width, target)) != 1:
        raise InputError("give one goal: --sample, --width or --target")
    if target is None and probability != PROBABILITY:
        raise InputError("--probability requires --target")
    if sample is not None and at_most is not None:
        raise InputError("--at-most requires --width or --target")
    reached = True
    samples: tuple[Any, Any]
    used = side or ("lower" if target is not None else "two-sided")
    if sample is not None:
        from irbounds.samples.intervals.table import usual_method

        settings["method"] = usual_method(used, settings["method"])
        facts, lines, samples = _split(review, sample, design, settings | {"side": used})
    else:
        with with_clock("searching sizes") as tell:
            goal = irbounds.sample_size(
                review,
                width=width,
                target=target,
                probability=probability,
                at_most=at_most,
                side=side,
                design=design,
                progress=lambda tried, n: tell(f"{tried} tried, the last of {n} documents"),
                **settings,
            )
        facts, reached = goal.to_dict(), goal.reached
        samples = (goal.retrieved_sample, goal.unretrieved_sample)
        lines = _goal_lines(goal, f"{goal.method}, {settings['confidence_level']:.4g} {used}")
    header = ["segment", "stratum", "size", "sample"]
    rows, total = _rows(review, samples, facts["sample"])
    assumed = repr(review)[14:-1]  # without the name of its class
    return Report(
        header,
        rows,
        shown=Table(header, rows),
        document={"assumed": assumed, **facts},
        called={
            "value": "expected width"
            if width is not None
            else "probability that the bound reaches the target",
            "first_size": "smallest sample that works",
            "least_sample": "smallest sample that could work with the best labels",
            "probability": "probability asked for",
            "shown": "recall shown with that probability",
        },
        notes=[f"assumed relevant: {assumed}", f"{total} documents", *lines],
        status=0 if reached else NO_SAMPLE,
    )


def _rows(
    review: AssumedReview, samples: tuple[Any, Any], total: int
) -> tuple[list[list[Any]], int]:
    """A row for each stratum, and the number of documents to assess."""
    if samples[0] is None:
        return [["whole collection", 1, sum(map(sum, review.sizes)), total]], total
    parts = [taken if isinstance(taken, tuple) else (taken,) for taken in samples]
    rows = [
        [name, i + 1, size, n]
        for name, sizes, taken in zip(
            ("retrieved", "unretrieved"), review.sizes, parts, strict=True
        )
        for i, (size, n) in enumerate(zip(sizes, taken, strict=True))
    ]
    return rows, sum(map(sum, parts))


def _assumed(
    table: str | None,
    columns: dict[str, str] | None,
    sizes: dict[str, Any],
    shares: dict[str, str | None],
) -> AssumedReview:
    """From options, or from a table with columns segment, size, prevalence."""
    if table is not None:
        if any(value is not None for value in (*sizes.values(), *shares.values())):
            raise InputError("give assumptions as options or as a table, not both")
        return _from_table(table, columns)
    if columns:
        raise InputError("--columns is for tables")
    missing = [name for name, value in sizes.items() if value is None]
    if missing or sum(value is None for value in shares.values()) != 1:
        raise InputError(
            "give --population, --retrieved, --recall, and one of --precision and --prevalence; "
            "or a table" + (f"; {missing[0]} is missing" if missing else "")
        )
    recall, precision, prevalence = (
        _range(name, value) for name, value in ({"--recall": sizes["--recall"]} | shares).items()
    )
    return irbounds.AssumedReview(
        sizes["--population"],
        sizes["--retrieved"],
        recall=recall,
        precision=precision,
        prevalence=prevalence,
    )


def _range(option: str, text: str | None) -> Any:
    """0.7, or 0.6-0.9."""
    if text is None:
        return None
    numbers: list[float] = []
    advice: object = ""
    try:
        numbers = range_of(text)
    except ValueError as error:
        advice = error
    if len(numbers) not in (1, 2):
        raise InputError(
            f"{option} must be a number or a range, for example 0.7 or 0.6-0.9; found {text!r}"
            f"{advice}"
        )
    return numbers[0] if len(numbers) == 1 else (numbers[0], numbers[1])


def _from_table(path: str, columns: dict[str, str] | None) -> AssumedReview:
    def stratum_of(name: str, row: Row) -> tuple[int, Any]:
        stratum = (
            check_count("size", row.number("size")),
            _range("prevalence", row["prevalence"].strip()),
        )
        irbounds.AssumedReview.from_strata(
            *(stratum, (1, 1)) if name == "retrieved" else ((1, 1), stratum)
        )
        return stratum

    return irbounds.AssumedReview.from_strata(
        *read_segments(path, ("size", "prevalence"), stratum_of, columns)
    )


def _split(
    review: AssumedReview, sample: int, design: str, settings: dict[str, Any]
) -> tuple[dict[str, Any], list[str], tuple[Any, Any]]:
    """Facts, lines of the table, and samples where the number of documents is known."""
    kind = f"{settings['method']}, {settings['confidence_level']:.4g} {settings['side']}"
    if design == "single-sample":
        width = irbounds.planning.expected_width(review, sample=sample, **settings)
        facts = {"sample": sample, "design": design, "expected_width": width}
        return facts, [f"{kind}: expected width {width:.4f}"], (None, None)
    found = irbounds.planning.allocate(review, sample, **settings)
    first, second = ((count,) if isinstance(count, int) else count for count in found.neyman)
    lines = [
        f"{kind}: expected width {found.expected_width:.4f}",
        f"Neyman's allocation {_together(first)} + {_together(second)}: {found.neyman_width:.4f}",
    ]
    samples = (found.retrieved_sample, found.unretrieved_sample)
    return {"sample": sample, **found.to_dict()}, lines, samples


def _goal_lines(goal: SampleSize, kind: str) -> list[str]:
    what = (
        f"expected width {goal.value:.4f}; the goal is {goal.target:g}"
        if goal.probability is None
        else f"shows recall {goal.target:g} with probability {goal.value:.4f}, where "
        f"{goal.probability:g} is asked for"
    )
    lines = [f"{kind}: {what}"]
    if goal.first_size is not None and goal.first_size < goal.sample:
        lines.append(f"{goal.first_size} documents also work, but some larger samples do not")
    if goal.shown is not None:
        lines.append(
            f"with probability {goal.probability:g} it shows recall {as_low_end(goal.shown)}"
        )
    if goal.least_sample is not None:
        lines.append(
            f"with fewer than {goal.least_sample} documents this method cannot show it, whatever "
            "their labels"
        )
    if not goal.reached:
        lines.insert(
            0, "no sample of this size or a smaller one reaches the goal; for the largest:"
        )
    return lines


def _together(sample: tuple[int, ...]) -> str:
    return ", ".join(map(str, sample))
