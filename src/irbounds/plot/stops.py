"""A review along its documents, and what a stopping rule says of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irbounds.foundation.errors import fail
from irbounds.plot.canvas import COLOURS, GREY, axes, legend, tidy
from irbounds.stopping.curves import StoppingCurve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEAST_SHOWN = 1e-6  # of BUSCAR's value, on a logarithmic scale


def stopping(curve: StoppingCurve, ax: Axes | None = None) -> Axes:
    """A stopping rule along a review, the level or target it needs, and where it first stops.

    Parameters
    ----------
    curve : StoppingCurve
        "certified": the lower bound of recall, and the target. "buscar": the least probability over
        urns on a logarithmic scale, and 1 - confidence_level.
    ax : matplotlib.axes.Axes, optional

    Examples
    --------
    >>> import irbounds as irb
    >>> curve = irb.stopping_curve([1] * 20 + [0] * 180, 200, target=0.5)
    >>> ax = irb.plot.stopping(curve)
    >>> ax.lines[0].get_ydata()[[19, 119]].round(4).tolist()
    [0.1, 0.5128]
    """
    if not isinstance(curve, StoppingCurve):
        fail("curve", "must be a StoppingCurve, from stopping_curve", curve)
    ax = axes(ax)
    is_certified = curve.total_bound is not None
    # A logarithmic axis has no 0.
    values = curve.values if is_certified else np.maximum(curve.values, LEAST_SHOWN)
    needed = curve.target if is_certified else 1 - curve.confidence_level
    handles = ax.plot(
        curve.looks, values, "-", color=COLOURS[0], linewidth=1.8, drawstyle="steps-post"
    )
    handles.append(ax.axhline(needed, color=GREY, linestyle="--", linewidth=1.2))
    names = (
        ["recall at least", f"target {curve.target:g}"]
        if is_certified
        else ["BUSCAR's p", f"{needed:.3g}"]
    )
    stop = curve.first_stop
    if stop is not None:
        handles.append(ax.axvline(stop, color=COLOURS[1], linestyle=":", linewidth=1.4))
        names.append(f"first stop, {stop:,} documents")
    ax.set(
        xlabel="documents read",
        xlim=(0, max(1, curve.population)),
        ylabel="lower bound of recall" if is_certified else "least probability over urns",
    )
    ax.xaxis.set_major_formatter("{x:,.0f}")
    if is_certified:
        ax.set_ylim(0, 1.02)
    else:
        ax.set_yscale("log")
        ax.set_ylim(LEAST_SHOWN, 1.5)
    legend(ax, handles, names)
    return tidy(ax)
