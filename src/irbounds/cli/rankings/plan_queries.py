"""`irbounds plan-queries`: how many queries a comparison needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import irbounds
from irbounds.cli.input import options
from irbounds.cli.input.read import check_read_once
from irbounds.cli.terminal.help import declare
from irbounds.cli.terminal.notes import warnings_as_notes
from irbounds.cli.terminal.output import groups_record
from irbounds.cli.terminal.render import Report, Table
from irbounds.foundation.errors import InputError, fail

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
    spreads = _spreads(
        qrels, runs, measures, sd, half_width is not None, (groups, group_size, correlation)
    )
    test: dict[str, Any] = {
        "power": power,
        "alpha": alpha,
        "side": "one-sided" if one_sided else "two-sided",
    }
    note = f"paired t-test, {test['side']}, level {alpha:g}, power {power:.12g}"
    if half_width is not None:
        test["power"] = None
        what = "mean difference" if len(runs) > 1 else "mean"
        note = f"t interval of the {what}, {test['side']}, confidence level {1 - alpha:g}"
    has_groups = (groups, group_size, correlation) != (None, None, None)
    header = ["measure", "sd", "queries", "half_width" if half_width is not None else "difference"]
    rows = []
    for name, spread, size, rho in spreads:
        design: dict[str, Any] = {"group_size": size, "correlation": rho} if has_groups else {}
        if queries is not None:
            found = irbounds.queries.detectable_difference(queries, spread, **test, **design)
            rows.append([name, spread, queries, found, *design.values()])
            continue
        needed = irbounds.queries_needed(
            difference, spread, half_width=half_width, **test, **design
        )
        goal = half_width if difference is None else difference
        rows.append([name, spread, needed, goal, *design.values()])
    if has_groups:
        header += ["group_size", "correlation"]
        note += "; variance times 1 + (group size - 1) correlation"
    if not qrels:
        header, rows = header[1:], [row[1:] for row in rows]
    shown = [[f"{x:.6g}" if isinstance(x, float) else str(x) for x in row] for row in rows]
    return Report(
        header,
        rows,
        shown=Table([name.replace("_", " ") for name in header], shown, 1 if qrels else 0),
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
    design: tuple[str | None, float | None, float | None],
) -> list[tuple[str, float, float, float]]:
    """Standard deviations, group sizes and correlations by measure: those given, or those of a
    pilot."""
    from irbounds.queries.sizes import group_design

    groups, given = design[0], design[1:]
    if (sd is None) == (qrels is None):
        found = "" if sd is None else ", not both"
        raise InputError(f"give --sd, or a pilot: qrels and runs{found}")
    if sd is not None:
        if measures != options.DEFAULT_MEASURES:
            raise InputError("--measures goes with a pilot: --sd is of one measure")
        if groups is not None:
            raise InputError("--groups goes with a pilot; --group-size and --correlation with --sd")
        return [("", sd, *group_design(*given))]
    if not (len(runs) == 2 or (of_one and len(runs) == 1)):
        one = "one run or two" if of_one else "two runs"
        raise InputError(f"a pilot needs {one}; found {len(runs)}")
    import numpy as np

    from irbounds.comparison.data.alignment import check_compared
    from irbounds.queries.moments import moments_of
    from irbounds.rankings.reading.groups import group_labels
    from irbounds.warnings import RunWarning

    assert qrels is not None  # without `sd`
    check_read_once(qrels, *runs, groups)
    evaluator = irbounds.Evaluator(qrels, measures)
    check_compared(evaluator.measures)
    with warnings_as_notes(RunWarning):
        evaluations = [evaluator.evaluate(run) for run in runs]
    values = evaluations[0].values
    if len(runs) == 2:
        values = values - evaluations[1].values
    if not np.isfinite(values).all():
        raise InputError("the pilot has infinite values, of which there is no standard deviation")
    found = moments_of(values).spread.tolist()
    for name, spread in zip(evaluations[0].measures, found, strict=True):
        if not spread > 0:
            raise InputError(f"the pilot has no variance by {name}")
    labels = group_labels(groups, evaluations[0].query_ids)
    return [
        (name, spread, *group_design(*given, column, labels))
        for name, spread, column in zip(evaluations[0].measures, found, values.T, strict=True)
    ]
