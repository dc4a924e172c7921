"""Figures of what labels of unjudged documents could make of means and of differences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from irbounds.comparison.runs.comparison import Comparison
from irbounds.foundation.errors import InputError
from irbounds.plot.canvas import COLOURS, axes, name_rows, shown
from irbounds.plot.means import rows_of
from irbounds.plot.systems import draw_rows, row_size, system_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from irbounds.rankings.data.evaluation import Evaluation
    from irbounds.typing import EvaluationsLike, MeasureLike

PALE = 0.45  # of the range over labels, behind that over ties


def unjudged_ranges(
    evaluations: Evaluation | EvaluationsLike,
    measure: MeasureLike | None = None,
    ax: Axes | None = None,
    *,
    order: str = "value",
    baseline: str | None = None,
) -> Axes:
    """One row for each system: the mean of the measure as a point, its range over the orders of
    ties as a bar, and its range over all labels of unjudged documents as a pale bar behind.

    Parameters
    ----------
    evaluations : Evaluation or dict of Evaluation by system
        With ``unjudged="bounds"``.  With ``bounds=True`` as well the pale bar is over labels and
        orders of ties together; without it there are no bars of ties.
    measure, ax, order
        As in `tie_ranges`.
    baseline : str, optional
        A system whose range over labels is shaded from top to bottom.  Where another's lies outside
        it, no labels can bring the two together; where it does not, they still may not, as both
        share their documents: see `unjudged_differences`.

    Raises
    ------
    InputError
        For an evaluation without bounds over labels, and a measure or baseline that was not
        evaluated.

    Examples
    --------
    >>> import irbounds as irb
    >>> qrels, run = {"q1": {"d1": 1, "d2": 0}}, {"q1": {"d3": 3, "d1": 2, "d2": 2}}
    >>> found = irb.evaluate(qrels, run, "AP", bounds=True, unjudged="bounds")
    >>> ax = irb.plot.unjudged_ranges({"new": found})
    >>> [round(float(x), 4) for line in ax.lines for x in line.get_xdata()]
    [0.3333, 1.0, 0.3333, 0.5, 0.4167]
    """
    named, name, values = system_rows(evaluations, measure, order, baseline)
    for system, evaluation in named.items():
        if evaluation.unjudged_low is None:
            raise InputError(
                f"`evaluations` must have bounds over labels; {system!r} was made without "
                "unjudged='bounds'"
            )
    labels = {system: own.summary_unjudged_bounds[name] for system, own in named.items()}
    ties = {
        system: own.summary_bounds[name] for system, own in named.items() if own.low is not None
    }
    bars = [
        (labels, {"color": COLOURS[5], "linewidth": 9, "alpha": PALE}),
        (ties, {"color": COLOURS[4], "linewidth": 5}),
    ]
    ax = draw_rows(ax, list(named), values, bars, baseline, 0.16)
    inside = "; inside: orders of ties" * bool(ties)
    ax.set_xlabel(f"{name} (bars: labels of unjudged documents{inside})", loc="right")
    return name_rows(ax, list(named))


def unjudged_differences(
    comparison: Comparison, measure: MeasureLike | None = None, ax: Axes | None = None
) -> Axes:
    """One row for each difference: the difference as a point, and its range over labels of unjudged
    documents as a bar; pale where it reaches 0, so that labels could undo the conclusion.

    Parameters
    ----------
    comparison : Comparison
        Result of `compare` with ``unjudged="bounds"``.
    measure : str, optional
        One of those compared; the first by default.
    ax : matplotlib.axes.Axes, optional

    Raises
    ------
    InputError
        For a comparison without such bounds, or a measure that was not compared.

    Examples
    --------
    >>> import irbounds as irb
    >>> qrels = {"q1": {"d1": 1, "d2": 0}}
    >>> runs = {"old": {"q1": {"d2": 2, "d3": 1}}, "new": {"q1": {"d1": 2, "d3": 1}}}
    >>> found = irb.compare(qrels, runs, "P@1", test="sign", unjudged="bounds")
    >>> ax = irb.plot.unjudged_differences(found)
    >>> [text.get_text() for text in ax.get_yticklabels()], ax.lines[1].get_xdata().tolist()
    (['new − old'], [1.0, 1.0])
    """
    name, rows = rows_of(comparison, measure)
    if any(one.unjudged_bounds is None for one in rows):
        raise InputError(
            "`comparison` must have bounds over labels; it was made without unjudged='bounds'"
        )
    ax = axes(ax, row_size(len(rows)))
    ax.axvline(0, color="black", linewidth=0.8, zorder=0)
    for place, one in enumerate(rows):
        # Pale where labels could turn the sign.
        alpha = PALE if one.is_undone_by_unjudged else 1.0
        ends: Any = one.unjudged_bounds
        look: dict[str, Any] = {"color": COLOURS[5], "alpha": alpha, "linewidth": 7, "zorder": 1}
        ax.plot(ends, (place, place), solid_capstyle="butt", **look)
        if math.isfinite(one.difference):
            ax.plot([one.difference], [place], "o", color=COLOURS[0], markersize=5, zorder=2)
    outer = ", outer bounds" * any(one.unjudged_is_exact is False for one in rows)
    ax.set_xlabel(f"{name}, difference (bars: labels of unjudged documents{outer})", loc="right")
    return name_rows(ax, [f"{shown(one.run)} − {shown(one.against)}" for one in rows])
