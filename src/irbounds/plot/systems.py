"""Figures of systems: recall-precision graphs, and measures with their ranges over ties."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.foundation.errors import InputError, check_choice, fail
from irbounds.plot.canvas import (
    COLOURS,
    GREY,
    LONGEST_NAME,
    SIZE,
    axes,
    legend,
    name_rows,
    shown,
    style,
    tidy,
)
from irbounds.rankings.data.evaluation import Evaluation
from irbounds.rankings.evaluating.weak_ordering import (
    RecallPrecisionGraph,
    WeakOrdering,
    mean_graph,
)
from irbounds.rankings.measure_table.measure import Measure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from irbounds.typing import EvaluationsLike, MeasureLike

    GraphLike = RecallPrecisionGraph | WeakOrdering | Sequence[WeakOrdering]
    GraphsLike = GraphLike | Mapping[Any, GraphLike]

PRECISION = {"prr": "probability of relevance", "ep": "expected precision", "precall": "PRECALL"}
ORDERS = ("value", "given")


def recall_precision_graph(
    graphs: GraphsLike, ax: Axes | None = None, *, band: bool = True
) -> Axes:
    """Precision by recall level, with the range over the orders of tied documents as a band.

    Parameters
    ----------
    graphs : RecallPrecisionGraph, WeakOrdering, list of WeakOrdering, or a dict of such by system
        A list of orderings is one system's queries, of which the mean is drawn.  Graphs have a band
        where they were made with ``bounds=True``; that of orderings is computed.
    ax : matplotlib.axes.Axes, optional
    band : bool
        Whether to draw it.

    Raises
    ------
    InputError
        For no graph, or graphs of different measures.

    Examples
    --------
    >>> import irbounds as irb
    >>> w = irb.rankings.WeakOrdering(relevant=[1, 3], nonrelevant=[2, 7])
    >>> ax = irb.plot.recall_precision_graph({"A": w, "B": w.in_order("best")})
    >>> [float(line.get_ydata()[0]) for line in ax.lines]
    [0.5, 1.0]
    """
    named = {
        name: _graph(graph)
        for name, graph in (graphs if isinstance(graphs, Mapping) else {"": graphs}).items()
    }
    if len({graph.measure for graph in named.values()}) != 1:
        raise InputError(
            "`graphs` must hold graphs of one measure; found "
            + (", ".join(dict.fromkeys(graph.measure for graph in named.values())) or "none")
        )
    ax = axes(ax, (SIZE[0], max(SIZE[1], 0.19 * len(named))))
    handles = []
    for number, graph in enumerate(named.values()):
        # Levels may be given in any order; a line needs theirs.
        order = np.argsort(graph.levels)
        look = style(number)
        handles += ax.plot(
            graph.levels[order],
            graph.precision[order],
            **look,
            markersize=4,
            markevery=2,
            linewidth=1.6,
            clip_on=False,
        )
        if band and graph.low is not None and graph.high is not None:
            ax.fill_between(
                graph.levels[order],
                graph.low[order],
                graph.high[order],
                color=look["color"],
                alpha=0.16,
                linewidth=0,
            )
    ax.set(xlabel="recall", ylabel=PRECISION[graph.measure], xlim=(0, 1), ylim=(0, 1.02))
    if isinstance(graphs, Mapping):
        legend(ax, handles, list(named))
    return tidy(ax)


def _sign(measure: Measure) -> int:
    """1 if higher is better, -1 if lower is."""
    return -1 if measure.spec.lower_is_better else 1


def _less(b: np.ndarray, a: np.ndarray) -> np.ndarray:
    """b - a; 0 where both are infinite."""
    with np.errstate(invalid="ignore"):
        return np.where(a == b, 0.0, b - a)


def _graph(value: GraphLike) -> RecallPrecisionGraph:
    return value if isinstance(value, RecallPrecisionGraph) else mean_graph(value, bounds=True)


def _evaluations(
    evaluations: Evaluation | EvaluationsLike, measure: MeasureLike | None
) -> tuple[dict[Any, Evaluation], Measure]:
    """Evaluations by name, and the measure with its name in them."""
    named = dict(evaluations) if isinstance(evaluations, Mapping) else {"": evaluations}
    if not named:
        raise InputError("`evaluations` is empty")
    for evaluation in named.values():
        if not isinstance(evaluation, Evaluation):
            fail("evaluations", "must be an Evaluation, or a dict of them by system", evaluation)
    first: Evaluation = next(iter(named.values()))
    try:
        name = first.measures[0] if measure is None else first.measures[first.column(measure)]
        for evaluation in named.values():
            evaluation.column(name)
    except KeyError as error:
        raise InputError(str(error.args[0])) from None
    return named, name


def system_rows(
    evaluations: Evaluation | EvaluationsLike, measure: Any, order: str, baseline: Any
) -> tuple[dict[Any, Evaluation], Measure, dict[Any, float]]:
    """Evaluations by name in the order of their rows, the measure, and its means."""
    named, name = _evaluations(evaluations, measure)
    if baseline is not None and baseline not in named:
        fail("baseline", f"must be one of the {len(named)} systems", baseline)
    values = {system: evaluation.summary[name] for system, evaluation in named.items()}
    systems = list(named)
    if check_choice("order", order, ORDERS) == "value":
        systems.sort(key=lambda system: -_sign(name) * values[system])
    return {system: named[system] for system in systems}, name, values


def tie_ranges(
    evaluations: Evaluation | EvaluationsLike,
    measure: MeasureLike | None = None,
    ax: Axes | None = None,
    *,
    order: str = "value",
    baseline: str | None = None,
) -> Axes:
    """One row for each system: the mean of the measure as a point, its range over the orders of
    ties as a bar.

    Parameters
    ----------
    evaluations : Evaluation or dict of Evaluation by system
        With ``bounds=True``, else there are points alone.
    measure : str, optional
        One of those evaluated; the first by default.
    ax : matplotlib.axes.Axes, optional
    order : {"value", "given"}
        Best first, or as they come.
    baseline : str, optional
        A system whose range is shaded from top to bottom, to show which
        others reach into it.

    Raises
    ------
    InputError
        For a measure or baseline that was not evaluated.

    Examples
    --------
    >>> import irbounds as irb
    >>> qrels, run = {"q1": {"d1": 1, "d2": 0}}, {"q1": {"d1": 0.7, "d2": 0.7}}
    >>> ax = irb.plot.tie_ranges({"tied": irb.evaluate(qrels, run, "AP", bounds=True)})
    >>> ax.lines[0].get_xdata().tolist(), ax.get_xlabel()
    ([0.5, 1.0], 'AP (bars: range over orders of ties)')
    """
    named, name, values = system_rows(evaluations, measure, order, baseline)
    ranges = {
        system: evaluation.summary_bounds[name]
        if evaluation.low is not None
        else (values[system],) * 2
        for system, evaluation in named.items()
    }
    bars = (ranges, {"color": COLOURS[4], "linewidth": 5})
    ax = draw_rows(ax, list(named), values, [bars], baseline, 0.22)
    _mark_infinite(ax, [ranges[system][1] for system in named], [values[one] for one in named])
    has_ranges = any(evaluation.low is not None for evaluation in named.values())
    # From the right end on, since long names leave little width for the axis.
    ax.set_xlabel(name + " (bars: range over orders of ties)" * has_ranges, loc="right")
    return name_rows(ax, list(named))


def row_size(n_rows: int) -> tuple[float, float]:
    """The size of a new figure with so many rows."""
    return 6.4, max(1.6, 0.95 + 0.27 * n_rows)


def draw_rows(
    ax: Axes | None,
    systems: Sequence[Any],
    values: Mapping[Any, float],
    bars: Sequence[tuple[Mapping[Any, Any], dict[str, Any]]],
    baseline: str | None,
    shade: float,
) -> Axes:
    """A row for each system: its bars, the widest first, and its value as a point; the range of the
    baseline is shaded from top to bottom."""
    ax = axes(ax, row_size(len(systems)))
    widest = bars[0][0]
    if baseline is not None and all(map(math.isfinite, widest[baseline])):
        ax.axvspan(*widest[baseline], color=GREY, alpha=shade, linewidth=0, zorder=0)
        ax.axvline(values[baseline], color=GREY, linewidth=1, zorder=0)
    point: dict[str, Any] = {"color": COLOURS[0], "markersize": 5, "zorder": len(bars) + 1}
    for place, system in enumerate(systems):
        for number, (ranges, look) in enumerate(bars, 1):
            if system in ranges:
                ends = ranges[system]
                ax.plot(ends, (place, place), solid_capstyle="butt", zorder=number, **look)
        ax.plot([values[system]], [place], "o", **point)
    return ax


def _mark_infinite(ax: Axes, highs: list[float], values: list[float]) -> None:
    """Mark rows with an infinite value, such as an expected search length, at their right end."""
    if not any(map(math.isfinite, values)):
        ax.set_xticks([])
    for place, (high, value) in enumerate(zip(highs, values, strict=True)):
        if not math.isfinite(high):
            ax.annotate(
                "∞" if math.isinf(value) else "→ ∞" if math.isinf(high) else "no value",
                (1, place),
                xycoords=("axes fraction", "data"),
                ha="right",
                va="center",
                color=COLOURS[0],
            )


MOST_BARS = 1000  # the pixels of 5 inches, at 200 to an inch


def _bar_starts(n_queries: int) -> np.ndarray:
    """The first query of each bar."""
    n_bars = min(n_queries, MOST_BARS)
    return np.arange(n_bars) * n_queries // max(n_bars, 1)


def _farthest(values: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """The value of each bar that is farthest from 0."""
    least, most = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
    return np.where(-least > most, least, most)


def differences(
    a: Evaluation,
    b: Evaluation,
    measure: MeasureLike | None = None,
    ax: Axes | None = None,
    *,
    names: tuple[Any, Any] = ("A", "B"),
) -> Axes:
    """B's values minus A's, query by query, from the largest gain to the largest loss; the orders
    of ties as a band.

    If there are more than 1,000 queries, which a screen hardly tells apart, neighbours share a bar:
    the farthest from 0 of their differences, and all of their ranges.

    Parameters
    ----------
    a, b : Evaluation
        Evaluations of the same queries.
    measure : str, optional
        One of those evaluated; the first by default.
    ax : matplotlib.axes.Axes, optional
    names : pair
        Names of the systems.

    Raises
    ------
    InputError
        For different queries, or a measure that was not evaluated.

    Examples
    --------
    >>> import irbounds as irb
    >>> qrels = {"q1": {"d1": 1}, "q2": {"d1": 1}}
    >>> a = irb.evaluate(qrels, {"q1": {"d1": 1, "d2": 2}, "q2": {"d1": 1}}, "RR")
    >>> b = irb.evaluate(qrels, {"q1": {"d1": 3, "d2": 2}, "q2": {"d1": 1}}, "RR")
    >>> irb.plot.differences(a, b).get_title()
    'B − A\\nbetter 1, same 1, worse 0'
    """
    _, name = _evaluations({"a": a, "b": b}, measure)
    if a.query_ids != b.query_ids:
        raise InputError(
            f"`a` and `b` must be of the same queries; found {len(a.query_ids)} and "
            f"{len(b.query_ids)}"
            + (" in another order" if set(a.query_ids) == set(b.query_ids) else "")
        )
    from matplotlib.patches import StepPatch
    from matplotlib.ticker import MaxNLocator

    low = high = difference = _less(b[name], a[name])
    has_ranges = a.low is not None and b.low is not None
    if has_ranges:
        (a_low, a_high), (b_low, b_high) = a.bounds(name), b.bounds(name)
        # Orders of ties in the two runs are free of each other: B's worst with A's best, and the
        # other way round.
        low, high = _less(b_low, a_high), _less(b_high, a_low)
    gain = _sign(name) * difference
    order = np.argsort(-gain, kind="stable")
    ends = np.concatenate((low, high, [0.0]))
    ends = ends[np.isfinite(ends)]
    padding = 0.05 * float(ends.max() - ends.min()) or 1.0
    limits = float(ends.min()) - padding, float(ends.max()) + padding
    # where infinite, to the edge
    low, high, difference = (np.clip(x, *limits)[order] for x in (low, high, difference))
    ax = axes(ax, (6.4, 3.0))
    starts = _bar_starts(gain.size)
    edges = np.append(starts, gain.size)
    # not `Axes.stairs`, which looks for limits step by step: 0.05 s for 1,000, and they are known
    style: dict[str, Any] = {"edges": edges, "fill": True, "linewidth": 0}
    if has_ranges:
        low, high = np.minimum.reduceat(low, starts), np.maximum.reduceat(high, starts)
        pale: dict[str, Any] = {"baseline": low, "color": COLOURS[4], "alpha": 0.35}
        ax.add_artist(StepPatch(high, **pale, **style))
    for sign, colour in ((1, COLOURS[0]), (-1, COLOURS[1])):
        bars = _farthest(np.where(sign * gain[order] > 0, difference, 0), starts)
        ax.add_artist(StepPatch(bars, color=colour, **style))
    ax.axhline(0, color="black", linewidth=0.8)
    first, second = map(shown, names)
    ax.set(
        xlabel="queries, sorted" + " (pale: range over orders of ties)" * has_ranges,
        xlim=(0, gain.size),
        ylabel=f"{name}, difference",
        ylim=limits,
    )
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    better, worse = int((gain > 0).sum()), int((gain < 0).sum())
    between = " " if len(first) + len(second) <= LONGEST_NAME else "\n"
    ax.set_title(
        f"{second}{between}− {first}\nbetter {better}, same {gain.size - better - worse}, worse "
        f"{worse}",
        fontsize="small",
        parse_math=False,
    )
    return tidy(ax)
