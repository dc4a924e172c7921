"""A ranking compared with chance (Joiner & Werner)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from irbounds.chance import hypergeometric
from irbounds.foundation.errors import check_choice
from irbounds.plot.canvas import COLOURS, GREY, axes, legend, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from irbounds.typing import ArrayLike

SHOWS = ("probability", "found")
MOST_CUTS = 400  # of which the law of chance is computed; lines between them
TAILS = (0.05, 0.95)
# standard deviations and counts to either side hold all of a law but 1e-15
FAR, FEWEST = 12, 40


def hypergeometric_curve(
    relevance: ArrayLike,
    population: int,
    relevant: int,
    ax: Axes | None = None,
    *,
    shown: int = 0,
    shown_relevant: int = 0,
    show: str = "probability",
) -> Axes:
    """Joiner & Werner's measure at every cut of a ranking, compared with random rankings.

    Parameters
    ----------
    relevance, population, relevant, shown, shown_relevant
        As in `irbounds.chance.hypergeometric_curve`.
    ax : matplotlib.axes.Axes, optional
    show : {"probability", "found"}
        The probability that as many documents drawn at random include fewer relevant ones; or the
        number of relevant documents found.  Each is drawn with its expectation under chance, and
        the band from the 5 % to the 95 % quantile of chance.

    Raises
    ------
    InputError
        As `irbounds.chance.hypergeometric_curve` does.

    Examples
    --------
    >>> import irbounds as irb
    >>> ax = irb.plot.hypergeometric_curve([1, 1, 1, 0], population=200, relevant=12)
    >>> ax.lines[0].get_ydata().round(4).tolist()
    [0.94, 0.9967, 0.9998, 0.9994]
    """
    is_found = check_choice("show", show, SHOWS) == "found"
    curve = hypergeometric.hypergeometric_curve(
        relevance, population, relevant, shown=shown, shown_relevant=shown_relevant
    )
    cuts = np.arange(1, curve.size + 1)
    found = np.cumsum(np.asarray(relevance) > 0)
    # Each cut has a law of its own to compute: a few hundred of them draw the same band.
    few = (
        np.unique(np.linspace(1, max(1, curve.size), MOST_CUTS).astype(int)) if curve.size else cuts
    )
    law = np.array(
        [_chance(int(cut), population - shown, relevant - shown_relevant, is_found) for cut in few]
    )
    mean, low, high = law.reshape(-1, 3).T
    ax = axes(ax)
    band = ax.fill_between(
        few, low, high, color=GREY, alpha=0.22, linewidth=0, step="post" if is_found else None
    )
    handles = ax.plot(
        cuts,
        found if is_found else curve,
        "-",
        color=COLOURS[0],
        linewidth=1.8,
        drawstyle="steps-post" if is_found else "default",
    )
    handles += ax.plot(few, mean, "--", color=COLOURS[1], linewidth=1.4)
    ax.set(
        xlabel="documents read",
        xlim=(1, max(2, curve.size)),
        ylabel="relevant documents found" if is_found else "P(random draw finds fewer)",
    )
    if is_found:
        ax.set_ylim(0, 1.05 * max(1.0, float(found.max(initial=0)), float(high.max(initial=0))))
    else:
        ax.set_ylim(0, 1.02)
    legend(ax, [*handles, band], ["ranking", "chance, expected", "chance, 5 % to 95 %"])
    return tidy(ax)


def _chance(
    drawn: int, population: int, relevant: int, is_found: bool
) -> tuple[float, float, float]:
    """Expectation and quantiles of X, or of P(Y < X) with Y another such draw, whose expectation is
    half of what ties leave."""
    mean = drawn * relevant / population
    padding = (
        FAR * math.sqrt(mean * (1 - relevant / population) * (1 - drawn / population)) + FEWEST
    )
    x = np.arange(
        max(0, drawn + relevant - population, int(mean - padding)),
        min(drawn, relevant, int(mean + padding)) + 1,
    )
    masses = np.asarray(hypergeometric.hypergeometric_pmf(x, population, relevant, drawn))
    through = np.cumsum(masses)
    places = np.minimum(np.searchsorted(through, TAILS), x.size - 1)
    if is_found:
        return mean, float(x[places[0]]), float(x[places[1]])
    # P(Y < X) at a count X is the mass below it.  Its mean over X is half of P(Y != X), and Y = X
    # has the chance of the squared masses' sum.
    below = np.maximum(0.0, through - masses)[places]
    return (1 - float(masses @ masses)) / 2, float(below[0]), float(below[1])
