"""Pictures of people's labels by a judge's grades."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from irbounds.assisted.trend_in_rank import RankProfile, rank_profile
from irbounds.plot.canvas import axes, legend, style, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from irbounds.typing import MeasureLike, QrelsLike, RunLike


def judge_calibration(
    human: QrelsLike,
    judge: QrelsLike | Sequence[QrelsLike],
    run: RunLike,
    measure: MeasureLike = "P@10",
    ax: Axes | None = None,
    *,
    against: RunLike | None = None,
    bins: int = 3,
    ties: str = "expected",
    confidence_level: float = 0.95,
) -> Axes:
    """People's labels by rank within each grade of a judge, to see whether documents of one grade
    are exchangeable.

    A point is the mean gain of the labels at some ranks (the share of relevant documents, where
    gains are 0 or 1), with its interval; a dashed line is the mean of the grade.  If relevance does
    not go with rank within a grade, the points lie about its line.  The title has the correlation
    of labels and ranks within grades, and its p-value by permutations within grades.

    Parameters
    ----------
    human, judge, run, measure, against, ties
        As in `assisted_interval`, for ``unit="document"``.  With `against` a document that both
        runs rank has the better of its ranks.
    ax : matplotlib.axes.Axes, optional
    bins : int
        Groups of ranks, with about as many pairs each.
    confidence_level : float
        Level of each interval by itself.

    Notes
    -----
    Intervals are posteriors of the finite number of documents in each group: exact where gains are
    0 or 1, as by method "strata", otherwise drawn, as by method "posterior".

    "strata" and "model-assisted" need no exchangeability: people's labels are random within a
    grade.  "posterior" does.

    Examples
    --------
    >>> import irbounds as irb
    >>> judge = {"q": {f"d{i}": i % 2 for i in range(40)}}
    >>> run = {"q": {f"d{i}": -i for i in range(40)}}
    >>> human = {"q": {f"d{i}": int(i % 2 and i < 20) for i in range(0, 40, 3)}}
    >>> irb.plot.judge_calibration(human, judge, run, "P@40").get_title()
    'label and rank within grades: correlation −0.61, p = 0.0610'
    """
    profile = rank_profile(
        human,
        judge,
        run,
        measure,
        against=against,
        bins=bins,
        ties=ties,
        confidence_level=confidence_level,
    )
    return draw_profile(profile, ax)


def draw_profile(profile: RankProfile, ax: Axes | None = None) -> Axes:
    """The picture of a profile that was computed before."""
    ax = axes(ax)
    handles, n_grades = [], len(profile.means)
    # points of different grades at the same ranks side by side
    step = 0.02 * max(profile.last_rank - 1, 1)
    for i, (grade, mean) in enumerate(profile.means.items()):
        look = style(i)
        bins = [one for one in profile.bins if one.grade == grade]
        x = np.array([one.rank for one in bins]) + step * (i - (n_grades - 1) / 2)
        y = np.array([one.mean for one in bins])
        # Distances from the mean, as `errorbar` takes them.
        ends = np.array([(one.mean - one.low, one.high - one.mean) for one in bins]).T
        handles.append(
            ax.errorbar(
                x,
                y,
                yerr=ends,
                color=look["color"],
                marker=look["marker"],
                linestyle="none",
                markersize=6,
                elinewidth=1.3,
                capsize=3,
            )
        )
        ax.axhline(mean, color=look["color"], linestyle="--", linewidth=1.0)
    room = 0.5 + step * n_grades / 2
    ax.set(
        xlabel="rank in the run (mean of the labelled documents)",
        ylabel="share relevant" if profile.most_gain == 1 else "mean gain",
        xlim=(1 - room, profile.last_rank + room),
        ylim=(-0.04 * profile.most_gain, 1.04 * profile.most_gain),
    )
    ax.set_title(said(profile), fontsize="medium", pad=24 if n_grades <= 3 else None)
    legend(ax, handles, [f"judge's grade {grade:g}" for grade in profile.means])
    return tidy(ax)


def said(profile: RankProfile) -> str:
    """The trend in words."""
    if np.isnan(profile.correlation):
        return "label and rank within grades: no correlation, all are equal"
    value = f"{profile.correlation:.2f}".replace("-", "\N{MINUS SIGN}")
    return f"label and rank within grades: correlation {value}, p = {profile.p_value:.4f}"
