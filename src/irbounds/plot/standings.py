"""Ranks of systems with their intervals, and the tiers they form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irbounds.comparison.ranks.ranks import Ranks
from irbounds.foundation.errors import check_count, fail
from irbounds.plot.canvas import COLOURS, GREY, axes, legend, name_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_LABELLED = 400  # rows; names of more would overlap at any size that Matplotlib draws


def ranks(ranks: Ranks, ax: Axes | None = None, *, most: int | None = None) -> Axes:
    """One row for each system, the best first: its rank as a point, the ranks that it may have as
    bars; tiers are shaded in turn.

    Parameters
    ----------
    ranks : Ranks
        Result of `Comparison.ranks` or `compare_scores`.
    ax : matplotlib.axes.Axes, optional
    most : int, optional
        The number of systems to draw, the best first; all by default, 400 at most.

    Examples
    --------
    >>> import warnings
    >>> import irbounds as irb
    >>> warnings.simplefilter("ignore", irb.warnings.FewUnitsWarning)  # three tasks are few
    >>> scores = {"a": {"t1": 0.9, "t2": 0.8, "t3": 0.95}, "b": {"t1": 0.2, "t2": 0.3, "t3": 0.1},
    ...           "c": {"t1": 0.3, "t2": 0.2, "t3": 0.2}}
    >>> ranked = irb.comparison.compare_scores(scores, confidence_level=0.8)
    >>> ax = irb.plot.ranks(ranked)
    >>> [row.get_text() for row in ax.get_yticklabels()], ax.lines[0].get_xdata().tolist()
    (['a', 'c', 'b'], [1, 3])
    """
    if not isinstance(ranks, Ranks):
        fail("ranks", "must be Ranks, from `Comparison.ranks` or `compare_scores`", ranks)
    wanted = MOST_LABELLED if most is None else check_count("most", most, 1)
    rows = ranks.rows()[: min(wanted, MOST_LABELLED)]
    ax = axes(ax, (6.4, max(1.8, 1.15 + 0.24 * len(rows))))
    from matplotlib.ticker import MaxNLocator  # after `axes`, which says where Matplotlib lacks

    for place, row in enumerate(rows):
        if row["tier"] % 2 == 0:
            ax.axhspan(place - 0.5, place + 0.5, color=GREY, alpha=0.13, linewidth=0, zorder=0)
    ends = [(row["low"], row["high"]) for row in rows]
    singles = [(row["single_low"], row["single_high"]) for row in rows]
    handles = []
    for place, (together, single, row) in enumerate(zip(ends, singles, rows, strict=True)):
        look: Any = {"solid_capstyle": "round", "zorder": 1}
        # Those of the last row stand in the legend for all.
        handles = [
            *ax.plot(together, (place, place), color=COLOURS[4], linewidth=2, **look),
            *ax.plot(single, (place, place), color=COLOURS[0], linewidth=5, alpha=0.55, **look),
            *ax.plot([row["rank"]], [place], "o", color=COLOURS[0], markersize=5, zorder=2),
        ]
    level = f"{100 * ranks.confidence_level:g} %"
    jointly = f"simultaneous, {level}, {ranks.correction}"
    if ranks.correction is None:
        jointly = f"all pairs, {level}, not corrected"
    legend(ax, handles, [jointly, "individual", "rank by the mean"])
    ax.set_xlabel("rank (shading: every second tier)", loc="right")
    ax.set_xlim(0.5, len(ranks.systems) + 0.5)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    return name_rows(ax, [row["system"] for row in rows])
