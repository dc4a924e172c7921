"""Figures of confidence intervals: of the means of systems, and of their differences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from irbounds.comparison.runs.comparison import Comparison
from irbounds.foundation.errors import InputError, fail
from irbounds.plot.canvas import COLOURS, GREY, axes, name_rows, shown
from irbounds.plot.histories import interval_ends
from irbounds.plot.systems import draw_rows, row_size, system_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from irbounds.comparison.data.difference import Difference
    from irbounds.rankings.data.evaluation import Evaluation
    from irbounds.typing import EvaluationsLike, GroupsLike, MeasureLike

OVER_QUERIES: dict[str, Any] = {"color": GREY, "linewidth": 1.6}
OVER_TIES: dict[str, Any] = {"color": COLOURS[4], "linewidth": 6}


def mean_intervals(
    evaluations: Evaluation | EvaluationsLike,
    measure: MeasureLike | None = None,
    ax: Axes | None = None,
    *,
    order: str = "value",
    confidence_level: float = 0.95,
    groups: GroupsLike | None = None,
) -> Axes:
    """One row for each system: the mean as a point, its confidence interval over queries as a line,
    and its range over the orders of ties as a bar.

    Parameters
    ----------
    evaluations : Evaluation or dict of Evaluation by system
        Bars of ties need ``bounds=True``.
    measure, ax, order
        As in `tie_ranges`.
    confidence_level : float
    groups : mapping, path or data frame, optional
        As in `Evaluation.interval`.

    Raises
    ------
    InputError
        For a measure that was not evaluated.

    Examples
    --------
    >>> import irbounds as irb
    >>> qrels = {"q1": {"d1": 1}, "q2": {"d1": 1}}
    >>> run = {"q1": {"d1": 2, "d2": 1}, "q2": {"d2": 2, "d1": 1}}
    >>> ax = irb.plot.mean_intervals(irb.evaluate(qrels, run, "RR"))
    >>> ax.get_xlabel()
    'RR (lines: 95 % intervals over queries)'
    """
    named, name, values = system_rows(evaluations, measure, order, None)
    intervals = {
        system: interval_ends(evaluation, name, confidence_level, groups)
        for system, evaluation in named.items()
        if not name.spec.is_sum
    }
    ties = {
        system: evaluation.summary_bounds[name]
        for system, evaluation in named.items()
        if evaluation.low is not None
    }
    ax = draw_rows(ax, list(named), values, [(ties, OVER_TIES), (intervals, OVER_QUERIES)], None, 0)
    ax.set_xlabel(_label(name, confidence_level, has_ties=_has_width(ties.values())), loc="right")
    return name_rows(ax, list(named))


def difference_intervals(
    comparison: Comparison, measure: MeasureLike | None = None, ax: Axes | None = None
) -> Axes:
    """One row for each difference: the estimate as a point, its confidence interval as a line, and
    its range over the orders of ties as a bar.

    A significant difference has a filled point.

    Parameters
    ----------
    comparison : Comparison
        Result of `compare`.
    measure : str, optional
        One of those compared; the first by default.
    ax : matplotlib.axes.Axes, optional

    Raises
    ------
    InputError
        For a measure that was not compared.

    Examples
    --------
    >>> import irbounds as irb
    >>> qrels = {f"q{i}": {"d1": 1} for i in range(6)}
    >>> old = {query: {"d2": 2, "d1": 1} for query in qrels}
    >>> new = {query: {"d1": 2, "d2": 1} for query in qrels}
    >>> found = irb.compare(qrels, {"old": old, "new": new}, "P@1", test="sign")
    >>> ax = irb.plot.difference_intervals(found)
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['new − old']
    """
    name, rows = rows_of(comparison, measure)
    ax = axes(ax, row_size(len(rows)))
    ax.axvline(0, color="black", linewidth=0.8, zorder=0)
    for place, one in enumerate(rows):
        level = (place, place)
        ends: list[tuple[Any, dict[str, Any]]] = [((one.low, one.high), OVER_QUERIES)]
        if one.tie_bounds is not None:
            ends.insert(0, (one.tie_bounds, OVER_TIES))
        for zorder, (bounds, look) in enumerate(ends, 1):
            if all(map(math.isfinite, bounds)):
                ax.plot(bounds, level, solid_capstyle="butt", zorder=zorder, **look)
        if math.isfinite(one.estimate):
            face = COLOURS[0] if one.is_significant else "white"
            point: dict[str, Any] = {"color": COLOURS[0], "markerfacecolor": face, "markersize": 5}
            ax.plot([one.estimate], [place], "o", zorder=3, **point)
    has_ties = _has_width([one.tie_bounds for one in rows if one.tie_bounds is not None])
    label = _label(f"{name}, {rows[0].estimand} difference", comparison.confidence_level, has_ties)
    ax.set_xlabel(label, loc="right")
    return name_rows(ax, [f"{shown(one.run)} − {shown(one.against)}" for one in rows])


def rows_of(comparison: Comparison, measure: MeasureLike | None) -> tuple[str, list[Difference]]:
    """The name of the measure, and the differences by it."""
    if not isinstance(comparison, Comparison):
        fail("comparison", "must be a Comparison", comparison)
    known = list(dict.fromkeys(one.measure for one in comparison.differences))
    if not known:
        raise InputError("`comparison` has no difference")
    name = known[0] if measure is None else str(measure)
    if name not in known:
        fail("measure", f"must be one of those compared, {', '.join(known[:5])}", measure)
    return name, [one for one in comparison.differences if one.measure == name]


def _has_width(bounds: Any) -> bool:
    return any(low < high for low, high in bounds)


def _label(name: str, level: float, has_ties: bool) -> str:
    ties = "; bars: orders of ties" * has_ties
    return f"{name} (lines: {100 * level:.10g} % intervals over queries{ties})"
