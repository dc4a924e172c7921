"""Figures of posteriors: the comparison of two systems, and the recall of a review."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.counts.posterior import CountsPosterior
from irbounds.counts.superiority import prob_superior
from irbounds.foundation.arguments import check_level, check_number
from irbounds.foundation.distributions import Distribution
from irbounds.foundation.errors import InputError, fail
from irbounds.foundation.interval import Interval
from irbounds.foundation.rounding import as_high_end, as_low_end, probability
from irbounds.plot.canvas import COLOURS, GREY, axes, legend, shown, tidy
from irbounds.samples.intervals.estimators import RecallPosterior

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POINTS = 400
STEPS = (0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02)
MOST_BARS, THIN, BROAD = 100, 300, 60  # bars where recall is likely; shares of the axis
SCALED_FROM = 20  # the ratio of densities above which one would hide the other


def superiority(
    a: CountsPosterior,
    b: CountsPosterior,
    measure: str = "f",
    beta: float = 1.0,
    ax: Axes | None = None,
    *,
    names: tuple[Any, Any] = ("A", "B"),
    margin: float = 0.0,
) -> Axes:
    """Posterior densities of two systems, and the probability that A is better than B.

    Parameters
    ----------
    a, b : CountsPosterior
        Single ones, not arrays.
    measure, beta, margin
        As in `prob_superior`.
    ax : matplotlib.axes.Axes, optional
    names : pair
        Names of the systems.

    Raises
    ------
    InputError
        For arrays of posteriors, and all that `prob_superior` refuses.

    Examples
    --------
    Figure 1 of Goutte & Gaussier (2005):

    >>> import irbounds as irb
    >>> a, b = irb.CountsPosterior(3, 2, 3), irb.CountsPosterior(10, 10, 5)
    >>> irb.plot.superiority(a, b, "precision", names=("System 2", "System 1")).get_title()
    'P(System 2 > System 1) = 0.6522'
    """
    chance = prob_superior(a, b, measure, beta, margin=margin).probability
    if np.ndim(chance):
        raise InputError("counts must be numbers, not arrays: the figure compares two posteriors")
    laws = a.measure(measure, beta), b.measure(measure, beta)
    # All but a thousandth of each law is in view.
    ends = np.array([law.ppf([0.0005, 0.9995]) for law in laws])
    least, most = ends[:, 0].min(), ends[:, 1].max()
    padding = 0.04 * (most - least)
    limits = max(0.0, least - padding), min(1.0, most + padding)
    ax = axes(ax)
    handles, tops = [], [_highest(law) for law in laws]
    is_scaled = max(tops) > SCALED_FROM * min(tops)
    for law, top, colour, dash in zip(laws, tops, COLOURS, ("-", "--"), strict=False):
        x = _points(law, limits)
        scale = 1 / top if is_scaled else 1.0
        y = scale * law.pdf(x)
        handles += ax.plot(x, y, dash, color=colour, linewidth=1.8)
        ax.fill_between(x, y, color=colour, alpha=0.12, linewidth=0)
        ax.plot([law.mean] * 2, [0, scale * law.pdf(law.mean)], ":", color=colour, linewidth=1.2)
    title = measure.replace("_", " ") if measure != "f" else f"F{beta:g}"
    chance = min(max(chance, 5e-324), 1 - 2**-53)  # never certain, but a double may be 0 or 1
    better = " > ".join(map(shown, names)) + (f" + {margin:g}" if margin else "")
    ax.set_title(f"P({better}) {probability(chance)}", fontsize="medium", parse_math=False)
    ax.set(
        xlabel=f"{title} (dotted: means)",
        xlim=limits,
        ylim=(0, 1.08 * max(tops) if not is_scaled else 1.08),
        ylabel="posterior density" + ", each of its highest" * is_scaled,
    )
    legend(ax, handles, names, loc="best", bbox_to_anchor=None, ncols=1)
    return tidy(ax)


def _points(law: Distribution, limits: tuple[float, float]) -> np.ndarray:
    """Points of the axis, and of the distribution's own range, which may be far narrower; without
    ends at which densities are infinite."""
    low, high = law.ppf([1e-6, 1 - 1e-6])
    x = np.unique(
        np.concatenate([np.linspace(limits[0], limits[1], POINTS), np.linspace(low, high, POINTS)])
    )
    return x[(x > 0) & (x < 1) & (x >= limits[0]) & (x <= limits[1])]


def _highest(law: Distribution) -> float:
    """The maximum of the density, without ends at which it may be infinite."""
    return float(np.max(law.pdf(law.ppf(np.linspace(0.02, 0.98, 97)))))


def recall_posterior(
    posterior: RecallPosterior,
    target: float | None = None,
    ax: Axes | None = None,
    *,
    interval: Interval | None = None,
    confidence_level: float = 0.95,
) -> Axes:
    """The posterior of recall, its interval, and the probability that a target was reached.

    The bars are exact probabilities: recall has one value for each pair of yields.  If everything
    was reviewed there is one bar.

    Parameters
    ----------
    posterior : RecallPosterior
        From `recall_posterior`.
    target : float in [0, 1], optional
    ax : matplotlib.axes.Axes, optional
    interval : Interval, optional
        From `recall_interval`; by default the interval with the same posterior probability on
        either side.
    confidence_level : float
        Confidence level of that default.

    Examples
    --------
    >>> import irbounds as irb
    >>> post = irb.recall_posterior((500, 50, 40), (2000, 100, 3))
    >>> irb.plot.recall_posterior(post, target=0.75).get_title()
    'P(recall ≥ 0.75) = 0.9417'
    """
    if not isinstance(posterior, RecallPosterior):
        fail("posterior", "must be a RecallPosterior, from recall_posterior", posterior)
    level = check_level(confidence_level if interval is None else interval.confidence_level)
    low, high = (
        posterior.quantile([(1 - level) / 2, (1 + level) / 2])
        if interval is None
        else (interval.low, interval.high)
    )
    marks = (
        []
        if target is None
        else [check_number("target", target, "must be from 0 to 1", lambda x: 0 <= x <= 1)]
    )
    # All but a thousandth of the probability is in view.
    likely = posterior.quantile([0.0005, 0.9995])
    limits = _limits([low, high, *likely, *marks])
    step = _step(likely[1] - likely[0], limits[1] - limits[0])
    # The target is an edge, so that no bar has two colours.
    edges = _edges(limits, step, marks[0] if marks else 0.0)
    at_least = posterior.sf(edges)
    masses = -np.diff(at_least)
    masses[-1] += at_least[-1]  # recall may be the last edge itself
    ax = axes(ax)
    reached = edges[:-1] >= (marks[0] if marks else 0.0)
    for chosen, colour in ((~reached, COLOURS[4]), (reached, COLOURS[0])):
        ax.stairs(np.where(chosen, masses, 0), edges, fill=True, color=colour, linewidth=0)
    top = float(masses.max())
    ax.plot(
        [low, high],
        [-0.06 * top] * 2,
        "|-",
        color="black",
        linewidth=1.6,
        markersize=9,
        clip_on=False,
    )
    ax.axhline(0, color=GREY, linewidth=0.8)
    if marks:
        ax.axvline(marks[0], color=COLOURS[1], linestyle="--", linewidth=1.5)
        ax.set_title(
            f"P(recall ≥ {marks[0]:g}) {probability(float(posterior.sf(marks[0])))}",
            fontsize="medium",
        )
    ax.set(
        xlim=limits,
        ylim=(-0.12 * top, 1.05 * top),
        ylabel=f"probability, per {step:g} of recall",
        xlabel=f"recall (line: {_described(interval, level, low, high)})",
    )
    ax.set_yticks([tick for tick in ax.get_yticks() if 0 <= tick <= 1.05 * top])
    return tidy(ax)


def _described(interval: Interval | None, level: float, low: float, high: float) -> str:
    side = "" if interval is None or interval.side == "two-sided" else f"{interval.side} "
    ends = f"from {as_low_end(low)} to {as_high_end(high)}"
    return f"{100 * level:g} % {side}interval {ends}"


def _step(likely: float, axis: float) -> float:
    """The width of the bars: few enough bars where recall is likely, bars wide enough to see, and a
    wide bar if there is only one."""
    thinnest = max(likely / MOST_BARS, axis / (THIN if likely > axis / THIN else BROAD))
    return next((step for step in STEPS if step >= thinnest), STEPS[-1])


def _limits(needed: list[float]) -> tuple[float, float]:
    """The limits of the axis, at least a tenth of recall apart."""
    least, most = min(needed), max(needed)
    padding = max(0.04 * (most - least), (0.1 - (most - least)) / 2)
    return max(0.0, least - padding), min(1.0, most + padding)


def _edges(limits: tuple[float, float], step: float, through: float) -> np.ndarray:
    """Edges of bars of equal width, cut at 0 and 1; one edge is the target."""
    first, last = np.floor((limits[0] - through) / step), np.ceil((limits[1] - through) / step)
    return np.unique(np.clip(through + step * np.arange(first, last + 1), 0, 1))
