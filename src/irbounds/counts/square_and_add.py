"""Intervals for the difference of two measures of the same objects, from the interval of each and
the correlation of both.

Squares of the distances between each estimate and its ends add up as variances do, less what the
correlation takes off: Newcombe (1998, "Improved confidence intervals for the difference between
binomial proportions based on paired data", method 10) for proportions; Zou & Donner (2008,
"Construction of confidence limits about effect measures: a general approach") for any measure.
"""

from __future__ import annotations

import numpy as np

from irbounds.counts.margins import Cells
from irbounds.foundation.distributions import BetaDistribution
from irbounds.foundation.shares import share_quantiles

# Ends of a single measure are quantiles of Beta(k + 1/2 ∓ OUTWARD, n - k + 1/2 ± OUTWARD): 0 is
# Jeffreys' interval, 1/2 that of Clopper and Pearson.  With 0 the least coverage of a difference of
# precision is 0.92, with 0.1 it is 0.93 and intervals are 3 % wider (docs/how_we_chose.md).
OUTWARD = 0.1


def recovered_ends(
    cells: Cells, weight: float, beta: float, tail: float
) -> tuple[np.ndarray, np.ndarray]:
    """Ends of the interval for the first system's measure minus that of the second.

    The measure is TP/(weight (TP + FN) + (1 - weight) (TP + FP)): precision with weight 0, recall
    with 1, F with β²/(1 + β²).  Where a system has none to count, its measure may be anything.
    """
    from scipy.special import ndtri

    # A tail above one half is that of a one-sided level below it: the ends are exchanged.
    side = min(tail, 1 - tail)
    (p, low_p, high_p), (q, low_q, high_q) = (
        _single(each, weight, beta, side) for each in (cells, cells.exchanged())
    )
    # Two systems that agreed on all objects need not agree on the next: z²/3 objects more in each
    # cell on which they differ.  For n objects without a difference this gives ±0.82 z²/n, which is
    # ±3.1/n at 0.95: a difference of 3/n in one direction is not seen in exp(-3) = 0.05.
    unseen = float(ndtri(side)) ** 2 / 3
    phi = np.minimum(_correlation(cells, weight, 0.0), _correlation(cells, weight, unseen))
    below_p, above_p, below_q, above_q = p - low_p, high_p - p, q - low_q, high_q - q
    low = p - q - reach_of(below_p, above_p, below_q, above_q, phi)
    high = p - q + reach_of(below_q, above_q, below_p, above_p, phi)
    is_known = ~np.isnan(p - q)
    low, high = (
        np.clip(np.where(is_known, end, other), -1, 1)
        for end, other in ((low, low_p - high_q), (high, high_p - low_q))
    )
    return (low, high) if tail <= 0.5 else (high, low)


def _single(
    cells: Cells, weight: float, beta: float, tail: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Estimate and ends of the first system's measure."""
    tp, fp, fn = cells.x11 + cells.x10, cells.y11 + cells.y10, cells.x01 + cells.x00
    with np.errstate(invalid="ignore"):
        estimate = tp / (tp + weight * fn + (1 - weight) * fp)
    least, most = 0.5 - OUTWARD, 0.5 + OUTWARD
    low = _quantile(tp + least, fp, fn, most, weight, beta, tail)
    high = _quantile(tp + most, fp, fn, least, weight, beta, 1 - tail)
    # fmin and fmax: with nothing to count the estimate is nan
    low = np.where(tp > 0, np.fmin(low, estimate), 0.0)
    is_wrong = (weight < 1) & (fp > 0) | (weight > 0) & (fn > 0)
    return estimate, low, np.where(is_wrong, np.fmax(high, estimate), 1.0)


def _quantile(
    a: np.ndarray,
    fp: np.ndarray,
    fn: np.ndarray,
    more: float,
    weight: float,
    beta: float,
    p: float,
) -> np.ndarray:
    """Quantile of a measure whose errors have `more` added to them, by their weights."""
    if beta not in (0, 1):
        return share_quantiles(a, fp + (1 - weight) * more, fn + weight * more, beta, p)
    # One kind of errors counts, or both alike: a share of TP among TP and errors, which has a
    # beta distribution.
    errors = {0.0: fp, 0.5: fp + fn, 1.0: fn}[weight]
    share = BetaDistribution(a, errors + more)._quantile(np.asarray(p))
    return 2 * share / (1 + share) if weight == 0.5 else share


def _correlation(cells: Cells, weight: float, more: float) -> np.ndarray:
    """Correlation of both measures by their linear terms; `more` objects are added to each cell on
    which the systems differ.  0 where one measure has no variance."""
    x11, x10, x01, x00, y11, y10, y01 = cells
    x10, x01, y10, y01 = x10 + more, x01 + more, y10 + more, y01 + more
    relevant = x11 + x10 + x01 + x00
    with np.errstate(divide="ignore", invalid="ignore"):
        p, q = (
            tp / (weight * relevant + (1 - weight) * (tp + fp))
            for tp, fp in ((x11 + x10, y11 + y10), (x11 + x01, y11 + y01))
        )
        # An object adds this to the linear term of p, by its truth and whether it was returned.
        (hit_p, miss_p, false_p), (hit_q, miss_q, false_q) = (
            (1 - f, -weight * f, (weight - 1) * f) for f in (p, q)
        )
        both = x11 * hit_p * hit_q + x10 * hit_p * miss_q + x01 * miss_p * hit_q
        both += x00 * miss_p * miss_q + y11 * false_p * false_q
        first = (x11 + x10) * hit_p**2 + (x01 + x00) * miss_p**2 + (y11 + y10) * false_p**2
        second = (x11 + x01) * hit_q**2 + (x10 + x00) * miss_q**2 + (y11 + y01) * false_q**2
        phi = both / (np.sqrt(first) * np.sqrt(second))
    return np.clip(np.nan_to_num(phi, nan=0.0), -1, 1)


def reach_of(
    below_p: np.ndarray,
    above_p: np.ndarray,
    below_q: np.ndarray,
    above_q: np.ndarray,
    phi: np.ndarray,
) -> np.ndarray:
    """The farthest that p - q goes below its estimate within the ellipse of this correlation whose
    axes are the distances of the ends.

    Usually this is where p falls and q rises.  Where the correlation is high and one distance far
    longer than the other, both fall or both rise there, and the other distance of p or q counts:
    the published formula would take the wrong one.
    """
    # Where only p or only q moves, which belongs to two quarters of the ellipse.
    reach = np.maximum(below_p, above_q) * np.sqrt((1 - phi) * (1 + phi))
    for x, y, is_there in (
        (below_p, above_q, (below_p >= phi * above_q) & (above_q >= phi * below_p)),
        (above_p, above_q, above_p < phi * above_q),  # both rise
        (below_p, below_q, below_q < phi * below_p),  # both fall
    ):
        square = np.maximum((x - y) ** 2 + 2 * (1 - phi) * x * y, 0)
        reach = np.where(is_there, np.maximum(reach, np.sqrt(square)), reach)
    return reach
