"""`irbounds plan-queries`: how many queries a comparison needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import irbounds
from irbounds.cli.input import options
from irbounds.cli.input import scores as tables
from irbounds.cli.input.read import check_read_once
from irbounds.cli.terminal.help import declare
from irbounds.cli.terminal.notes import warnings_as_notes
from irbounds.cli.terminal.output import groups_record
from irbounds.cli.terminal.render import Report, Table
from irbounds.foundation.errors import InputError, fail

if TYPE_CHECKING:
    from irbounds.rankings.data.evaluation import Evaluation
    from irbounds.rankings.data.scores import Scores

# Groups of a pilot, their size and correlation.
Design = tuple[Any, float | None, float | None]
LEAST_ALPHA = 1e-16  # less of it is 0 in 1 - alpha
POWER = 0.8


@declare(
    "plan-queries",
    {
        "Input": (
            options.argument("qrels", "Judgments of a pilot study.", required=False),
            options.argument(
                "runs",
                "Run files of the pilot: two to compare, or one with --half-width.",
                nargs=-1,
            ),
            *tables.SCORES,
            options.columns,
            *tables.PAIR,
            options.number(
                "--sd", "Standard deviation over queries; by default that of the pilot."
            ),
            options.measures,
        ),
        "Groups": (
            options.groups,
            options.number("--group-size", "Queries in a group; by default that of --groups."),
            options.number(
                "--correlation",
                "Correlation of the differences in a group, 0 to 1; by default that of the pilot.",
            ),
        ),
        "Goal": (
            options.number(
                "--difference", "Find the queries needed to detect this mean difference."
            ),
            options.number(
                "--half-width", "Find the queries needed for an interval of this half width."
            ),
            options.count("--queries", "Find the difference that this number of queries detects."),
            options.number(
                "--power", f"Probability of detecting the difference; {POWER} by default."
            ),
            options.alpha,
            options.flag("--one-sided", "Plan for a one-sided test."),
        ),
        "Output": options.OUTPUT,
    },
    "irbounds plan-queries --difference 0.02 --sd 0.11",
    "irbounds plan-queries --queries 50 --sd 0.11",
    'irbounds plan-queries qrels.txt a.run b.run -m "AP nDCG@10" --difference 0.02',
)
def command(
    qrels: str | None,
    runs: Sequence[str],
    scores: tuple[str, ...],
    lower_is_better: bool,
    columns: dict[str, str] | None,
    old_system: str | None,
    new_system: str | None,
    measures: str,
    difference: float | None,
    half_width: float | None,
    queries: int | None,
    sd: float | None,
    power: float | None,
    alpha: float,
    one_sided: bool,
    groups: str | None,
    group_size: float | None,
    correlation: float | None,
) -> Report:
    """Plan how many queries a comparison or an interval needs.

    Give one goal (--difference, --half-width or --queries) and either the standard deviation over
    queries or a pilot.
    """
    goals = {"--difference": difference, "--half-width": half_width, "--queries": queries}
    if sum(goal is not None for goal in goals.values()) != 1:
        raise InputError("give one goal: --difference, --half-width or --queries")
    if half_width is not None and power is not None:
        raise InputError("--power goes with --difference or --queries: an interval has no power")
    power = POWER if power is None else power
    if not LEAST_ALPHA <= alpha < 1:
        fail("alpha", f"must be between {LEAST_ALPHA:g} and 1, for example 0.05", alpha)
    if queries is not None and queries < 2:
        fail("queries", "must be 2 or more", queries)
    n_runs, of_one = len(runs), half_width is not None
    design: Design = (groups, group_size, correlation)
    if scores:
        table = tables.read(scores)
        assert table is not None
        chosen = _chosen(table, old_system, new_system, of_one)
        n_runs = len(chosen)
        design = tables.groups_of(table, groups), group_size, correlation
        spreads = _spreads_of(chosen, design)
    else:
        if old_system or new_system or columns or lower_is_better:
            raise InputError("--baseline, --new, --columns and --lower-is-better need --scores")
        spreads = _spreads(qrels, runs, measures, sd, of_one, design)
    has_groups = design != (None, None, None)
    test: dict[str, Any] = {"power": power, "alpha": alpha}
    test["side"] = "one-sided" if one_sided else "two-sided"
    note = f"paired t-test, {test['side']}, level {alpha:g}, power {power:.12g}"
    if half_width is not None:
        test["power"] = None
        what = "mean difference" if n_runs > 1 else "mean"
        note = f"t interval of the {what}, {test['side']}, confidence level {1 - alpha:g}"
    header = ["measure", "sd", "queries", "half_width" if half_width is not None else "difference"]
    rows = []
    for name, spread, size, rho in spreads:
        own: dict[str, Any] = {"group_size": size, "correlation": rho} if has_groups else {}
        if queries is not None:
            found = irbounds.queries.detectable_difference(queries, spread, **test, **own)
            rows.append([name, spread, queries, found, *own.values()])
            continue
        needed = irbounds.queries_needed(difference, spread, half_width=half_width, **test, **own)
        goal = half_width if difference is None else difference
        rows.append([name, spread, needed, goal, *own.values()])
    if has_groups:
        header += ["group_size", "correlation"]
        note += "; variance times 1 + (group size - 1) correlation"
    has_pilot = bool(qrels or scores)
    if not has_pilot:
        header, rows = header[1:], [row[1:] for row in rows]
    shown = [[f"{x:.6g}" if isinstance(x, float) else str(x) for x in row] for row in rows]
    return Report(
        header,
        rows,
        shown=Table([name.replace("_", " ") for name in header], shown, 1 if has_pilot else 0),
        document={
            **{name: value for name, value in test.items() if value is not None},
            **groups_record(groups),
            "plans": [dict(zip(header, row, strict=True)) for row in rows],
        },
        notes=[note],
    )


def _spreads(
    qrels: str | None,
    runs: Sequence[str],
    measures: str,
    sd: float | None,
    of_one: bool,
    design: Design,
) -> list[tuple[str, float, float, float]]:
    """Standard deviations, group sizes and correlations by measure: those given, or those of a
    pilot."""
    from irbounds.queries.sizes import group_design

    groups = design[0]
    if (sd is None) == (qrels is None):
        found = "" if sd is None else ", not both"
        raise InputError(f"give --sd, or a pilot: qrels and runs{found}")
    if sd is not None:
        if measures != options.DEFAULT_MEASURES:
            raise InputError("--measures goes with a pilot: --sd is of one measure")
        if groups is not None:
            raise InputError("--groups goes with a pilot; --group-size and --correlation with --sd")
        return [("", sd, *group_design(*design[1:]))]
    if not (len(runs) == 2 or (of_one and len(runs) == 1)):
        one = "one run or two" if of_one else "two runs"
        raise InputError(f"a pilot needs {one}; found {len(runs)}")
    from irbounds.comparison.data.alignment import check_compared
    from irbounds.warnings import RunWarning

    assert qrels is not None  # without `sd`
    check_read_once(qrels, *runs, groups)
    evaluator = irbounds.Evaluator(qrels, measures)
    check_compared(evaluator.measures)
    with warnings_as_notes(RunWarning):
        evaluations = [evaluator.evaluate(run) for run in runs]
    return _spreads_of(evaluations, design)


def _chosen(table: Scores, baseline: str | None, new: str | None, of_one: bool) -> list[Evaluation]:
    """The systems of a table: those that were named, or all."""
    names = [
        tables.system_of(table, name, option)
        for name, option in ((baseline, "--baseline"), (new, "--new"))
        if name is not None
    ] or list(table)
    if not (len(names) == 2 or (of_one and len(names) == 1)):
        one = "one system or two" if of_one else "two systems"
        raise InputError(f"a pilot needs {one}: name them with --baseline and --new")
    return [table[name] for name in names]


def _spreads_of(
    evaluations: list[Evaluation], design: Design
) -> list[tuple[str, float, float, float]]:
    """By measure the standard deviation over queries, of the values or of the differences, and the
    size and correlation of groups."""
    import numpy as np

    from irbounds.queries.moments import moments_of
    from irbounds.queries.sizes import group_design
    from irbounds.rankings.reading.groups import group_labels

    values = evaluations[0].values
    if len(evaluations) == 2:
        values = values - evaluations[1].values
    if not np.isfinite(values).all():
        raise InputError("the pilot has infinite values, of which there is no standard deviation")
    found = moments_of(values).spread.tolist()
    for name, spread in zip(evaluations[0].measures, found, strict=True):
        if not spread > 0:
            raise InputError(f"the pilot has no variance by {name}")
    labels = group_labels(design[0], evaluations[0].query_ids)
    return [
        (name, spread, *group_design(*design[1:], column, labels))
        for name, spread, column in zip(evaluations[0].measures, found, values.T, strict=True)
    ]
