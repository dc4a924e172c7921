"""Sampling plans and the coverage laboratory, shown."""

from __future__ import annotations

import re
from typing import Any

from irbounds.cli.evaluations import short
from irbounds.cli.output import as_csv, as_json, as_latex, as_table, complain, write
from irbounds.cli.tables import Row, read_segments
from irbounds.foundation.errors import InputError, check_choice, check_count
from irbounds.planning.coverage import PAPER_METHODS, coverage
from irbounds.planning.coverage_report import CoverageReport
from irbounds.planning.design import allocate, expected_width
from irbounds.planning.review import AssumedReview
from irbounds.planning.sample_size import DESIGNS, SampleSize, sample_size

FORMATS = ("table", "csv", "json", "latex")


def assumed(
    table: str | None,
    population: int | None,
    retrieved: int | None,
    recall: str | None,
    precision: str | None,
    prevalence: str | None,
) -> AssumedReview:
    """From options, or from a table with columns segment, size, prevalence."""
    options = {"--population": population, "--retrieved": retrieved, "--recall": recall}
    if table is not None:
        if any(value is not None for value in (*options.values(), precision, prevalence)):
            raise InputError("give assumptions as options or as a table, not both")
        return _from_table(table)
    missing = [name for name, value in options.items() if value is None]
    if missing or (precision is None) == (prevalence is None):
        raise InputError(
            "give --population, --retrieved, --recall, and one of --precision and --prevalence; "
            "or a table" + (f"; {missing[0]} is missing" if missing else "")
        )
    return AssumedReview(
        population or 0,
        retrieved or 0,
        recall=_range("--recall", recall),
        precision=_range("--precision", precision),
        prevalence=_range("--prevalence", prevalence),
    )


def _range(option: str, text: str | None) -> Any:
    """0.7, or 0.6-0.9."""
    if text is None:
        return None
    try:
        numbers = [float(part) for part in re.split("(?<![eE])-", text)]  # 1e-3 is one number
    except ValueError:
        numbers = []
    if len(numbers) not in (1, 2):
        raise InputError(f"{option} must be a number or a range, as 0.7 or 0.6-0.9; found {text!r}")
    return numbers[0] if len(numbers) == 1 else (numbers[0], numbers[1])


def _from_table(path: str) -> AssumedReview:
    def stratum_of(name: str, row: Row) -> tuple[int, Any]:
        stratum = (
            check_count("size", row.number("size")),
            _range("prevalence", row["prevalence"].strip()),
        )
        AssumedReview.from_strata(*(stratum, (1, 1)) if name == "retrieved" else ((1, 1), stratum))
        return stratum

    return AssumedReview.from_strata(*read_segments(path, ("size", "prevalence"), stratum_of))


def show_plan(
    review: AssumedReview,
    *,
    sample: int | None,
    width: float | None,
    target: float | None,
    probability: float,
    at_most: int | None,
    design: str,
    method: str | None,
    level: float,
    side: str | None,
    format: str,
    output: str | None,
) -> int:
    """The split of a sample, or the sample for a goal; status 1 where no sample reaches it."""
    check_choice("--format", format, FORMATS)
    check_choice("--design", design, DESIGNS)
    if sum(goal is not None for goal in (sample, width, target)) != 1:
        raise InputError("give one goal: --sample, --width or --target")
    if sample is not None and at_most is not None:
        raise InputError(
            "--at-most goes with --width or --target: --sample is how many documents to assess"
        )
    options: dict[str, Any] = {"method": method, "confidence_level": level}
    reached = True
    if sample is not None:
        options["method"] = method or "betabinom-half"
        facts, lines, samples = _split(
            review, sample, design == "single-sample", side or "two-sided", options
        )
    else:
        goal = sample_size(
            review,
            width=width,
            target=target,
            probability=probability,
            at_most=at_most,
            side=side,
            design=design,
            **options,
        )
        facts, reached = goal.to_dict(), goal.reached
        samples = (goal.retrieved_sample, goal.unretrieved_sample)
        used = side or ("lower" if target is not None else "two-sided")
        lines = _goal_lines(goal, f"{goal.method}, {level:.4g} {used}")
    if samples[0] is None:
        total = facts["sample"]
        rows = [["whole collection", "1", str(sum(map(sum, review.sizes))), str(total)]]
    else:
        parts = [taken if isinstance(taken, tuple) else (taken,) for taken in samples]
        total = sum(map(sum, parts))
        rows = [
            [name, str(i + 1), str(size), str(n)]
            for name, sizes, taken in zip(
                ("retrieved", "unretrieved"), review.sizes, parts, strict=True
            )
            for i, (size, n) in enumerate(zip(sizes, taken, strict=True))
        ]
    header = ["segment", "stratum", "size", "sample"]
    if format == "json":
        write(as_json({"assumed": repr(review), **facts}), output)
    elif format == "csv":
        write(as_csv(header, rows), output)
    elif format == "latex":
        write(as_latex(header, rows), output)
    else:
        notes = [f"  assumed: {repr(review)[14:-1]}", f"  {total} documents", *lines]
        write(as_table(header, rows, numbers_from=1) + "\n".join(notes) + "\n", output)
    return 0 if reached else 1


def _split(
    review: AssumedReview, sample: int, single: bool, side: str, options: dict[str, Any]
) -> tuple[dict[str, Any], list[str], tuple[Any, Any]]:
    """Facts, lines of the table, and samples where the number of documents is known."""
    kind = f"{options['method']}, {options['confidence_level']:.4g} {side}"
    if single:
        width = expected_width(review, sample=sample, side=side, **options)
        facts = {"sample": sample, "design": "single-sample", "expected_width": width}
        return facts, [f"  {kind}: expected width {width:.4f}"], (None, None)
    found = allocate(review, sample, side=side, **options)
    first, second = ((count,) if isinstance(count, int) else count for count in found.neyman)
    lines = [
        f"  {kind}: expected width {found.expected_width:.4f}",
        f"  Neyman's allocation {_together(first)} + {_together(second)}: {found.neyman_width:.4f}",
    ]
    return (
        {"sample": sample, **found.to_dict()},
        lines,
        (found.retrieved_sample, found.unretrieved_sample),
    )


def _goal_lines(goal: SampleSize, kind: str) -> list[str]:
    what = (
        f"expected width {goal.value:.4f}, {goal.target:g} asked for"
        if goal.probability is None
        else f"recall {goal.target:g} is shown with probability {goal.value:.4f}, "
        f"{goal.probability:g} asked for"
    )
    lines = [f"  {kind}: {what}"]
    if goal.first_size is not None and goal.first_size < goal.sample:
        lines.append(f"  {goal.first_size} documents reach it too, but not every number between")
    if goal.shown is not None:
        lines.append(f"  with probability {goal.probability:g} it shows recall {goal.shown:.4f}")
    if goal.least_sample is not None:
        lines.append(
            f"  fewer than {goal.least_sample} documents can never show it by this method, "
            "whatever they are"
        )
    if not goal.reached:
        lines.insert(0, "  NO SAMPLE OF THIS SIZE OR BELOW REACHES THE GOAL; the largest:")
    return lines


def _together(sample: tuple[int, ...]) -> str:
    return ", ".join(map(str, sample))


def show_coverage(
    scenarios: list[str],
    *,
    methods: str | None,
    realisations: int,
    samples: int,
    exact: bool,
    level: float,
    side: str,
    seed: int | None,
    workers: int | None,
    per_realisation: bool,
    format: str,
    output: str | None,
) -> None:
    """Coverage of the methods, a table for each scenario."""
    check_choice("--format", format, FORMATS)
    chosen = PAPER_METHODS if methods is None else tuple(methods.replace(",", " ").split())
    reports: list[CoverageReport] = []
    for scenario in scenarios:
        reports.append(
            coverage(
                scenario,
                chosen,
                realisations=realisations,
                samples=samples,
                exact=exact,
                confidence_level=level,
                side=side,
                rng=seed,
                workers=workers,
            )
        )
        if reports[-1].interrupted:
            complain(
                [
                    f"interrupted: {scenario} has {len(reports[-1].coverage)} of {realisations} "
                    "realisations"
                ]
            )
            break
    if per_realisation:
        if format not in ("csv", "json"):
            raise InputError("--per-realisation needs --format csv or json")
        _write_realisations(reports, format, output)
        return
    header = ["scenario", "method", *next(iter(reports[0].to_dict().values()))]
    rows: list[list[Any]] = [
        [report.scenario, method, *row.values()]
        for report in reports
        for method, row in report.to_dict().items()
    ]
    if format == "json":
        write(as_json({report.scenario: report.to_dict() for report in reports}), output)
    elif format == "csv":
        write(as_csv(header, rows), output)
    elif format == "latex":
        write(as_latex(header, [[*row[:2], *map(short, row[2:])] for row in rows]), output)
    else:
        write("\n\n".join(map(repr, reports)) + "\n", output)


def _write_realisations(reports: list[CoverageReport], format: str, output: str | None) -> None:
    tables = [(report.scenario, report.columns("realisations")) for report in reports]
    header = ["scenario", *tables[0][1]]
    rows = [[name, *row] for name, columns in tables for row in zip(*columns.values(), strict=True)]
    if format == "csv":
        write(as_csv(header, rows), output)
    else:
        write(as_json([dict(zip(header, row, strict=True)) for row in rows]), output)
