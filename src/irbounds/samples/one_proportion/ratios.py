"""Koopman's interval for the ratio of two proportions (Koopman 1984; Webber 2013, section 3.4)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.foundation.arguments import plain
from irbounds.foundation.interval import Interval, normal_quantile, one_sided
from irbounds.foundation.quadrature import find_roots
from irbounds.samples.one_proportion.proportions import check_two_samples

if TYPE_CHECKING:
    from irbounds.typing import FloatOrArray

# Ends are at most this far from the observed ratio, in logarithms.  Chi-square is at least x²/(m
# θ) or so for a small ratio θ: with counts below 2^52 and z² below 72, as levels below 1 are, it
# exceeds z² at θ = 2^-52/72, exp(-41), and the observed ratio is between exp(-37) and exp(37).
FARTHEST = 100.0


def binomial_ratio_interval(
    x1: FloatOrArray,
    n1: Any,
    x2: FloatOrArray,
    n2: Any,
    *,
    confidence_level: float = 0.95,
    side: str = "two-sided",
) -> Interval:
    """Koopman's interval for the ratio of two proportions, (x1/n1)/(x2/n2).

    Parameters
    ----------
    x1, n1, x2, n2 : int or array_like of int
        Successes and trials.  With x1 = 0 the interval begins at 0, with x2 = 0 it is not bounded
        above.
    confidence_level : float
        A one-sided bound at 0.5 is the observed ratio itself; below, it is the other side's bound
        at 1 - confidence_level.
    side : {"two-sided", "lower", "upper"}

    Returns
    -------
    Interval
        All ratios whose chi-square (Koopman 1984) is not significant; inverting the ratio inverts
        the interval. Ends are within 1e-13 of exact arithmetic, relative, for counts to 2^52 and
        levels from 0.001 on (one-sided: from 0.5005 on, or up to 0.4995). Nearer to the observed
        ratio rounding of huge counts shows: ends are within 1e-8 there.

    Examples
    --------
    >>> import irbounds as irb
    >>> irb.samples.binomial_ratio_interval(36, 40, 16, 80)
    Interval(4.5 in [2.93957, 7.15222], 0.95 two-sided, koopman)
    """
    x, m, y, k = check_two_samples(x1, n1, x2, n2)
    low, high = ratio_ends(x, m, y, k, normal_quantile(confidence_level, side))
    low, high = one_sided(low, high, side, 0.0, math.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = x / m / (y / k)
    return Interval(plain(estimate), plain(low), plain(high), confidence_level, side, "koopman")


def ratio_ends(
    x: np.ndarray, m: np.ndarray, y: np.ndarray, k: np.ndarray, z: float
) -> tuple[np.ndarray, np.ndarray]:
    """Ends of the ratios whose chi-square is at most z²; with z below 0 they are exchanged."""
    known = (m > 0) & (k > 0) & (x + y > 0)
    x, m, y, k = (np.where(known, value, 1.0) for value in (x, m, y, k))
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        # both ends in one search, as a step costs the same for one value as for a few
        first, second = np.stack([x, m, y, k]), np.stack([y, k, x, m])
        x, m, y, k = np.stack([first, second], axis=1)
        high, inverse = _high_end(x, m, y, k, abs(z))
        # no rounding of 1/inverse above the observed ratio, from which `high` was searched upwards
        low = np.fmin(1 / inverse, x[0] / m[0] * (k[0] / y[0]))
    low, high = (low, high) if z >= 0 else (high, low)
    return np.where(known, low, 0.0), np.where(known, high, math.inf)


def _high_end(x: np.ndarray, m: np.ndarray, y: np.ndarray, k: np.ndarray, z: float) -> np.ndarray:
    """The largest ratio whose chi-square is at most z²: infinite for y = 0.

    The root of chi-square is 0 at the observed ratio and nearly proportional to the distance from
    it, in logarithms.  For x = 0 this distance is infinite; chi-square is then nearly proportional
    to the ratio while this is small, with the factor m y/k.  Both searches start from a bracket, so
    that they end within the steps of `find_roots`.
    """
    none = x == 0
    # For x = 0 chi-square is m y/k times the ratio, to first order: it reaches z² at this start.
    start = np.where(none, k / (m * np.maximum(y, 1)) * (z * z), x / m * (k / np.maximum(y, 1)))
    if z == 0:
        return np.where(y == 0, math.inf, np.where(none, 0.0, start))

    def excess(distance: np.ndarray) -> np.ndarray:
        root = np.sqrt(_chi_square(start * np.exp(distance), x, m, y, k))
        rise = np.where(none, np.log(np.maximum(root, 1e-300) / z), root - z)
        return np.where(~none & (distance == 0), -z, np.where(y == 0, distance - 1, rise))

    nearest = np.where(none, -FARTHEST, 0.0)
    distance = find_roots(excess, nearest, np.full(x.shape, FARTHEST))
    return np.where(y == 0, math.inf, start * np.exp(distance))


def _chi_square(
    ratio: np.ndarray, x: np.ndarray, m: np.ndarray, y: np.ndarray, k: np.ndarray
) -> np.ndarray:
    """Pearson's chi-square at p1/p2 = ratio with the maximum likelihood p1 and p2.

    p1 is the smaller root of (m + k) p² - s p + ratio (x + y), s = ratio (m + y) + x + k.  The
    discriminant is written as a sum of positive terms, and the roots and their distances from 1
    without differences of close numbers: s² minus four times the product would lose all digits of
    large counts, and 1 - p those of rare failures.
    """
    one, other = ratio * (m + y), x + k
    root, twice = np.sqrt((one - other) ** 2 + 4 * ratio * (m - x) * (k - y)), 2 * (m + k)
    p2 = np.minimum(1.0, 2 * (x + y) / (one + other + root))
    p1 = np.minimum(1.0, ratio * p2)
    short1, short2 = twice - one - other, twice - (one + other) / ratio
    # One of two forms of the root of a quadratic: that in which terms of one sign are added.
    q1 = np.where(short1 >= 0, (short1 + root) / twice, 2 * (m - x) * (ratio - 1) / (root - short1))
    q2 = np.where(
        short2 >= 0,
        (short2 + root / ratio) / twice,
        2 * (k - y) * (1 - ratio) / (root - ratio * short2),
    )
    q1, q2 = (np.minimum(1.0, np.maximum(0.0, q)) for q in (q1, q2))
    first, second = _pearson(x, m, p1, q1), _pearson(y, k, p2, q2)
    none = x == 0
    if not none.any():
        return first + second
    # Where p1 and p2 are most likely, (x - m p1)/q1 + (y - k p2)/q2 is 0.  For x = 0 the second
    # term is the square of the first, but for a factor; y - k p2 has no digits at levels near 0.
    with np.errstate(divide="ignore", invalid="ignore"):
        squared = first * first * (q2 / (k * p2))
    return first + np.where(none & (p2 > 0), squared, second)


def _pearson(x: np.ndarray, n: np.ndarray, p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """(x - n p)²/(n p q), q = 1 - p, with factors cancelled if x is 0 or n."""
    # x - n p loses digits where p is near 1; n q - (n - x) is the same distance there.
    distance = np.where(p < q, x - n * p, n - x - n * q)
    between = np.where((p > 0) & (q > 0), distance**2 / (n * p * q), math.inf)
    none = np.where(q > 0, n * p / q, math.inf)
    every = np.where(p > 0, n * q / p, math.inf)
    return np.where(x == 0, none, np.where(x == n, every, between))
