"""The look all pictures share: where they are drawn, and colours that colour-blind readers can tell apart."""
from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito (2008), without the yellow that vanishes on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
GREY = "#767676"


def axes(ax: Axes | None) -> Axes:
    """The Axes asked for, or those of a new figure."""
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError('plots need Matplotlib: pip install "irbounds[plot]"') from None
    return plt.subplots(figsize=(6.4, 4.2), layout="constrained")[1]


def tidy(ax: Axes) -> Axes:
    """Leaves of the frame what carries the scales."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(length=3)
    return ax
