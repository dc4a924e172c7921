"""Reference precision-recall curves through points, and their uncertainty (Dimm 2015, figures 2 and
6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.extrapolation.curve import PrecisionCurve
from irbounds.extrapolation.posterior import draw_curves, estimated_point
from irbounds.extrapolation.run import ExtrapolatedRun
from irbounds.foundation.arguments import broadcast, check_level, check_numbers, check_rng
from irbounds.foundation.errors import InputError, check_count, fail
from irbounds.plot.canvas import COLOURS, GREY, MARKERS, axes, legend, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from irbounds.samples.model.priors import PerStratum
    from irbounds.typing import ArrayLike, PriorLike, RNGLike, SegmentLike

LEVELS = np.linspace(0, 1, 401)
PORTION = 20  # recall levels at a time, so that memory is used again


def reference_curves(
    recall: ArrayLike,
    precision: ArrayLike,
    prevalence: ArrayLike,
    target_recall: float | None = None,
    *,
    labels: str | Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Measured points, the reference curve through each, and its precision at a target recall
    (figure 2).

    Parameters
    ----------
    recall, precision, prevalence : float or array_like
        As for `extrapolate_precision`.
    target_recall : float, optional
        Marked by a line, and by an open marker on each curve.
    labels : list of str, optional
        One for each point.
    ax : matplotlib.axes.Axes, optional
    """
    curve = PrecisionCurve.through(recall, precision, prevalence)
    R, P, rho, beta = (
        array.ravel()
        for array in broadcast(
            recall=check_numbers("recall", recall, "must be a number", np.isfinite),
            precision=check_numbers("precision", precision, "must be a number", np.isfinite),
            prevalence=np.asarray(curve.prevalence),
            beta=np.asarray(curve.beta),
        )
    )
    names = (
        [None] * R.size if labels is None else [labels] if isinstance(labels, str) else list(labels)
    )
    if len(names) != R.size:
        fail("labels", f"must be one for each of the {R.size} points", labels)
    ax = axes(ax)
    for i in range(R.size):
        colour, marker = COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)]
        own = PrecisionCurve(rho[i], beta[i])
        _draw(ax, own, (R[i], P[i]), colour, marker, names[i])
        _mark_target(ax, own, target_recall, color=colour, marker=marker)
    if labels is not None:
        ax.legend(frameon=False, fontsize="small")
    return _finished(ax, target_recall)


def reference_band(
    retrieved: SegmentLike,
    unretrieved: SegmentLike,
    target_recall: float | None = None,
    *,
    confidence_level: float = 0.95,
    prior: PriorLike | PerStratum = 0.5,
    draws: int = 4000,
    rng: RNGLike = None,
    label: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """The reference curve through the point of a sampled review, with the uncertainty from sampling
    as a band.

    Parameters
    ----------
    retrieved, unretrieved : Stratum, (size, sampled, relevant) or a list of such
    target_recall : float, optional
        Marked by a line; the interval there by a bar.
    confidence_level : float
        Level of the interval at each recall; the whole curve is inside less often.
    prior : float or pair
        Prior of the yields.
    draws : int
    rng : None, int or numpy.random.Generator
    label : str, optional
    ax : matplotlib.axes.Axes, optional
    """
    tail = (1 - check_level(confidence_level)) / 2
    rho, beta = draw_curves(
        retrieved, unretrieved, prior, check_count("draws", draws, 10), check_rng(rng)
    )
    R, P, prevalence = estimated_point(retrieved, unretrieved)
    if not (0 < prevalence < P < 1 and 0 < R < 1):
        raise InputError(
            f"no reference curve goes through the estimates: recall {R:g}, precision {P:g}, "
            "prevalence "
            f"{prevalence:g}"
        )
    drawn = PrecisionCurve(rho, beta)
    band = np.concatenate(
        [
            np.quantile(drawn.precision(LEVELS[i : i + PORTION, None]), [tail, 1 - tail], axis=1)
            for i in range(0, LEVELS.size, PORTION)
        ],
        axis=1,
    )
    curve = PrecisionCurve.through(R, P, prevalence)
    ax = axes(ax)
    # Each call on the same Axes takes the next colour: curves are told from other lines by their
    # number of points.
    used = sum(np.size(line.get_xdata()) == LEVELS.size for line in ax.get_lines())
    colour, marker = COLOURS[used % len(COLOURS)], MARKERS[used % len(MARKERS)]
    ax.fill_between(LEVELS, *band, color=colour, alpha=0.18, linewidth=0)
    _draw(ax, curve, (R, P), colour, marker, label)
    if target_recall is not None:
        ends = np.quantile(drawn.precision(target_recall), [tail, 1 - tail])
        ax.vlines(target_recall, *ends, color=colour, linewidth=2.5)
        _mark_target(ax, curve, target_recall, color=colour, marker=marker, zorder=4)
    if label is not None:
        ax.legend(frameon=False, fontsize="small")
    return _finished(ax, target_recall)


def extrapolated_run(
    found: ExtrapolatedRun, query_id: object = None, *, ax: Axes | None = None
) -> Axes:
    """Precision of a query by recall, and its extrapolation from each point to the target recall
    (figure 6).

    The model fits where the second line is flat.

    Parameters
    ----------
    found : ExtrapolatedRun
    query_id : optional
        The first query by default.
    ax : matplotlib.axes.Axes, optional
    """
    if query_id is not None and query_id not in found.query_ids:
        fail("query_id", "must be a query of the run", query_id)
    row = 0 if query_id is None else found.query_ids.index(query_id)
    ax = axes(ax)
    order = np.argsort(found.levels)
    ax.plot(
        found.levels[order],
        found.precision[row, order],
        color=GREY,
        linewidth=1.5,
        label="precision",
    )
    ax.plot(
        found.levels[order],
        found.extrapolated[row, order],
        color=COLOURS[0],
        linewidth=1.5,
        label=f"extrapolated to recall {found.target_recall:g}",
    )
    legend(ax, *ax.get_legend_handles_labels())
    ax.set_title(f"query {found.query_ids[row]}", loc="right", fontsize="medium")
    return _finished(ax, found.target_recall)


def _draw(
    ax: Axes,
    curve: PrecisionCurve,
    point: tuple[float, float],
    colour: str,
    marker: str,
    label: str | None,
) -> None:
    """A curve and the point that it goes through."""
    ax.plot(LEVELS, curve.precision(LEVELS), color=colour, linewidth=1.5)
    ax.plot(*point, marker, color=colour, label=label)


def _mark_target(ax: Axes, curve: PrecisionCurve, target: float | None, **look: Any) -> None:
    """An open marker where a curve reaches the target."""
    if target is not None:
        ax.plot(target, curve.precision(target), linestyle="none", markerfacecolor="white", **look)


def _finished(ax: Axes, target_recall: float | None) -> Axes:
    if target_recall is not None:
        ax.axvline(target_recall, color=GREY, linestyle=":", linewidth=1, zorder=0)
    ax.set(xlim=(0, 1), ylim=(0, 1.02), xlabel="recall", ylabel="precision")
    return tidy(ax)
