"""A measure of runs over time, with intervals over queries and significant changes."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.foundation.errors import fail
from irbounds.plot.canvas import GREY, SIZE, axes, legend, style, tidy
from irbounds.rankings.data.evaluation import Evaluation
from irbounds.rankings.history.history import History, HistoryEntry
from irbounds.rankings.measure_table.measure import Measure
from irbounds.warnings import FewQueriesWarning, NoVarianceWarning

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from irbounds.typing import GroupsLike, MeasureLike

AGGREGATES = {"geometric mean": "geometric-mean", "median": "median"}  # others are shown as means
MOST_RUNS = 7  # the colours that can be told apart
# how ticks are written whose unit has so many days or fewer, and more than the next one of these
TICKS = {
    365: "%Y",
    31: "%Y-%m",
    1: "%Y-%m-%d",
    1 / 24: "%m-%d %H:%M",
    1 / 1440: "%H:%M",
    1 / 86400: "%H:%M:%S",
}


def history(
    history: History,
    measure: MeasureLike | None = None,
    ax: Axes | None = None,
    *,
    runs: Sequence[str] | None = None,
    confidence_level: float = 0.95,
    changes: Sequence[Any] = (),
    groups: GroupsLike | None = None,
) -> Axes:
    """The mean of a measure over time, with its interval over queries; the geometric mean or the
    median of measures that are aggregated so.

    Parameters
    ----------
    history : History
    measure : str, optional
        The first one by default.
    ax : matplotlib.axes.Axes, optional
    runs : sequence of str, optional
        The runs to draw; by default the first seven. An entry that cannot be compared with the one
        before, because its judgments or settings differ, begins a new line; a dotted line marks it.
    confidence_level : float
        Level of the intervals (`Evaluation.interval`).
    changes : sequence, optional
        Changes to be marked with a triangle, as the report finds them.
    groups : mapping, path or data frame, optional
        As in `Evaluation.interval`.

    Examples
    --------
    >>> import numpy as np
    >>> import irbounds as irb
    >>> values = np.array([[0.2], [0.6], [0.4]])
    >>> entries = [
    ...     irb.rankings.HistoryEntry(np.datetime64(day, "s").item(), "bm25",
    ...                      irb.Evaluation(("AP",), ("q1", "q2", "q3"), values))
    ...     for day in ("2026-01-30", "2026-01-31")]
    >>> ax = irb.plot.history(irb.History(tuple(entries)))
    >>> ax.lines[0].get_ydata().round(4).tolist()
    [0.4, 0.4]
    """
    if not isinstance(history, History) or not len(history):
        fail("history", "must be a History with an entry", history)
    name = history.measures[0] if measure is None else str(measure)
    if name not in history.measures:
        fail("measure", f"must be one of {', '.join(history.measures)}", name)
    ax = axes(ax, SIZE)
    names = list(history.runs[:MOST_RUNS] if runs is None else runs)
    handles, times = {}, []
    for number, run in enumerate(names):
        entries = [one for one in history.of_run(run) if name in one.evaluation.mean]
        if entries:  # a run need not have all measures
            handles[run] = _line(ax, entries, name, style(number), confidence_level, groups)
            times += [one.time for one in entries]
    for change in changes:
        if change.run in names and change.difference.measure == name:
            place = names.index(change.run)
            entry = history.of_run(change.run)[change.entry]
            ax.plot(
                [entry.time],
                [value_of(entry.evaluation, name)],
                marker="^" if change.difference.difference > 0 else "v",
                markersize=11,
                color=style(place)["color"],
                markerfacecolor=style(place)["color"] if change.kind == "step" else "none",
                linestyle="none",
                gid="change",
            )
    ax.set(ylabel=f"{name}, {_statistic(name).replace('-', ' ')} over queries")
    _time_axis(ax, times)
    legend(ax, [*handles.values()], [*handles])
    return tidy(ax)


def _time_axis(ax: Axes, times: list[datetime]) -> None:
    """Ticks from seconds to years; where all times are one or seconds apart, room beside them."""
    from matplotlib.dates import AutoDateFormatter, AutoDateLocator

    if times:
        first, last = min(times), max(times)
        # of one time matplotlib shows four years, of two seconds it writes microseconds
        room = timedelta(days=1) if first == last else timedelta(seconds=20)
        if last - first < room:
            beside = (room - (last - first)) / 2
            ax.set_xlim(first - beside, last + beside)  # type: ignore[arg-type]
    locator = AutoDateLocator(minticks=3, maxticks=8)  # type: ignore[no-untyped-call]
    formatter = AutoDateFormatter(locator)  # type: ignore[no-untyped-call]
    formatter.scaled = TICKS
    ax.xaxis.set_major_locator(locator)
    ax.xaxis.set_major_formatter(formatter)
    ax.tick_params(axis="x", labelrotation=30)


def _line(
    ax: Axes,
    entries: list[HistoryEntry],
    name: str,
    look: dict[str, Any],
    level: float,
    groups: GroupsLike | None,
) -> Any:
    """The line of a run, broken where entries cannot be compared; its handle."""
    handle: Any = None
    parts: list[list[HistoryEntry]] = []
    for entry in entries:
        # A line from one set of judgments to another would show a change that is none of the run's.
        if parts and entry.is_comparable(parts[-1][-1]):
            parts[-1].append(entry)
        else:
            parts.append([entry])
    for number, part in enumerate(parts):
        times: Any = [entry.time for entry in part]
        means = [value_of(entry.evaluation, name) for entry in part]
        ends = np.array([interval_ends(entry.evaluation, name, level, groups) for entry in part])
        [line] = ax.plot(times, means, **look, markersize=4, linewidth=1.6)
        handle = handle or line
        ax.fill_between(times, ends[:, 0], ends[:, 1], color=look["color"], alpha=0.14, linewidth=0)
        if len(part) == 1:  # which has no area
            ax.vlines(times, *ends.T, color=look["color"], alpha=0.3, linewidth=4)
        if number:
            ax.axvline(times[0], color=GREY, linestyle=":", linewidth=1.2)
    return handle


def value_of(evaluation: Evaluation, name: str) -> float:
    """The number that the page shows: the mean over queries, or the geometric mean or the median
    of measures that are aggregated so."""
    return (evaluation.mean if _statistic(name) == "mean" else evaluation.summary)[name]


def _statistic(name: str) -> str:
    return AGGREGATES.get(Measure.of(name).spec.aggregate, "mean")


def interval_ends(
    evaluation: Evaluation, name: str, level: float, groups: GroupsLike | None = None
) -> tuple[float, float]:
    """Those of `value_of` over queries like these; nan where there is none."""
    values, statistic = evaluation[name], _statistic(name)
    has_none = groups is not None and statistic == "median"
    if has_none or not len(values) or not np.isfinite(values).all():
        return math.nan, math.nan
    with warnings.catch_warnings():
        # Without limits, equal values have no interval: the page shows a dash.
        warnings.simplefilter("ignore", NoVarianceWarning)
        warnings.simplefilter("ignore", FewQueriesWarning)  # a bar shows how wide it is
        interval = evaluation.interval(
            name, confidence_level=level, statistic=statistic, groups=groups
        )
    return float(interval.low), float(interval.high)
