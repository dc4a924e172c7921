"""Ends of an interval of a mean over queries, one function for each method.

Each takes columns of values, (queries, columns), and a `Question`, and returns both ends, whether
the interval is one-sided or not: `tail` is left outside of each.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from irbounds._core.common.exact_sum import column_means
from irbounds._core.draws import query_draws
from irbounds.queries.dirichlet import dirichlet_quantiles
from irbounds.queries.groups import Groups
from irbounds.queries.moments import Moments
from irbounds.queries.student import quantile
from irbounds.queries.widened import widened_ends

WIDENED = "widened-t"  # the default with limits
FIXED_POINT = 62  # bits for n times the largest size
# Sums of n values that are n 2^-50 of the largest apart, in the units of these bits, are equal but
# for the rounding of the values, as those of 0.1 and 0.2 and of 0.3 and 0; and one unit is lost by
# each value that is made a whole number.
EQUAL_SUMS = 2**12


class Question(NamedTuple):
    """Options of an interval, the moments of the columns, and the groups of the queries, if any;
    `tail` is left outside of each of the `sides`."""

    tail: float
    sides: int
    limits: tuple[float, float] | None
    resamples: int
    seed: int
    moments: Moments
    groups: Groups | None = None


def t_ends(values: np.ndarray, asked: Question) -> tuple[np.ndarray, np.ndarray]:
    """Student's: the mean ± t s/√n."""
    n = len(values)
    mean = asked.moments.mean
    with np.errstate(over="ignore"):  # ends beyond the doubles are infinite
        margin = quantile(n - 1, asked.tail) * asked.moments.spread / math.sqrt(n)
        return mean - margin, mean + margin


def hall_ends(values: np.ndarray, asked: Question) -> tuple[np.ndarray, np.ndarray]:
    """Student's t, straightened by Hall's cubic (1992, "On the removal of skewness by
    transformation").

    With T = (mean - μ)/s and γ the skewness, T + γ T²/3 + γ² T³/27 + γ/(6 n) is nearly normal with
    the variance 1/n.  It is ((1 + γ T/3)³ - 1)/γ + γ/(6 n), so that y belongs to
    T = 3 (c - 1)/γ, c³ = 1 + γ (y - γ/(6 n)); and c - 1 = (c³ - 1)/(c² + c + 1).
    """
    n = len(values)
    mean, spread = asked.moments.mean, asked.moments.spread
    away = (values - mean) / spread
    skewness = np.asarray(column_means(away**3))
    ends = []
    for y in (quantile(n - 1, asked.tail), -quantile(n - 1, asked.tail)):
        moved = y / math.sqrt(n) - skewness / (6 * n)
        c = np.cbrt(1 + skewness * moved)
        ends.append(mean - spread * 3 * moved / (c * c + c + 1))
    return np.minimum(*ends), np.maximum(*ends)


def jeffreys_ends(values: np.ndarray, asked: Question) -> tuple[np.ndarray, np.ndarray]:
    """Jeffreys' interval of a proportion, for means of values within limits: half a query at either
    limit joins the values, and all get random weights.

    Weights have the law Dirichlet(1, …, 1, 1/2, 1/2).  With k ones among n zeros and ones, the
    mean is Beta(k + 1/2, n - k + 1/2), which is his posterior.  As is usual (Brown, Cai & DasGupta
    2001), the interval reaches to the limit where all values are there, and in general to the
    sample's mean.
    """
    assert asked.limits is not None  # the caller has seen to it
    below, above = np.array([asked.tail, 1 - asked.tail]), np.array([1 - asked.tail, asked.tail])
    ends = [dirichlet_quantiles(column, below, above, asked.limits) for column in values.T]
    low, high = np.array(ends, float).reshape(-1, 2).T
    return np.minimum(low, asked.moments.mean), np.maximum(high, asked.moments.mean)


def wilson_ends(values: np.ndarray, asked: Question) -> tuple[np.ndarray, np.ndarray]:
    """Wilson's score interval of a proportion (1927), and for other values within limits that of as
    many queries as a proportion would have with their variance, in Student's t for the normal
    quantile (Korn & Graubard 1998).

    The means μ with (mean - μ)² ≤ a μ (1 - μ): a = z²/n of zeros and ones, and t² s²/(n mean
    (1 - mean)) of others, s² with the divisor n.  They are the roots of
    (1 + a) μ² - (2 mean + a) μ + mean², whose product is mean²/(1 + a).
    """
    assert asked.limits is not None  # the caller has seen to it
    n, (least, most) = len(values), asked.limits
    size = most - least
    # either from its own values: a mean next to its limit has lost the digits of the other one
    mean, other = (
        np.asarray(column_means(np.abs(values - limit))) / size for limit in asked.limits
    )
    t, z = quantile(max(n - 1, 1), asked.tail), quantile(math.inf, asked.tail)
    is_whole = are_at_limits(values, asked.limits)
    # standard errors of the mean
    error = t / n * math.sqrt(n - 1) * (asked.moments.spread / size)
    error = np.where(is_whole, z * np.sqrt(mean * other / n), error)
    with np.errstate(divide="ignore", invalid="ignore"):
        # Wilson's ends solve (p - mean)² = a p (1 - p), with a = z²/n for proportions. For other
        # values a is such that the variance at the mean is that of the sample.
        a = np.where(is_whole, z * z / n, (error / mean) * (error / other))
        root = np.hypot(error, a / 2)
        # from the limit that the mean is near
        is_low = mean <= 0.5
        near = np.where(is_low, mean, other)
        far_end = (near + a / 2 + root) / (1 + a)
        # The product of both roots is near²/(1 + a): the smaller one by division, as the difference
        # of terms that are nearly equal would lose its digits.
        near_end = np.where(near > 0, near * (near / (near + a / 2 + root)), 0)
    low = np.where(is_low, least + near_end * size, most - far_end * size)
    high = np.where(is_low, least + far_end * size, most - near_end * size)
    return (low, high) if asked.tail <= 0.5 else (high, low)


def are_at_limits(values: np.ndarray, limits: tuple[float, float]) -> np.ndarray:
    """By column, whether each value is the least or the greatest that is possible."""
    return np.asarray(((values == limits[0]) | (values == limits[1])).all(axis=0))


def bca_ends(values: np.ndarray, asked: Question) -> tuple[np.ndarray, np.ndarray]:
    """The bootstrap, bias-corrected and accelerated (Efron 1987), as `scipy.stats.bootstrap` with
    the same seed.

    Resamples whose sum is that of the sample, but for the rounding of values, count as half below
    it.  SciPy means the same, but there the rounding of each sum decides.

    The acceleration of a mean is its skewness over 6: leaving out x_i moves the mean by
    (mean - x_i)/(n - 1), so that the jackknife's sums are those of the third and second powers.
    """
    from statistics import NormalDist  # here, as it takes longer to import than most intervals

    normal = NormalDist()
    n, m = values.shape
    columns, exponent = _fixed_point(values)
    generator = np.random.default_rng(asked.seed).bit_generator
    sums = query_draws.bootstrap_sums(columns, asked.resamples, generator)
    total = columns.sum(axis=0)
    low, high = np.empty(m), np.empty(m)
    away = values - asked.moments.mean
    for j in range(m):
        own = sums[:, j]
        room = EQUAL_SUMS + 2 * n
        below = np.count_nonzero(own < total[j] - room)
        share = (below + np.count_nonzero(own <= total[j] + room)) / (2 * asked.resamples)
        bias = normal.inv_cdf(share) if 0 < share < 1 else math.nan
        # Over the largest, so that cubes neither overflow nor vanish.
        scaled = away[:, j] / np.abs(away[:, j]).max()
        acceleration = math.fsum(scaled**3) / (6 * math.fsum(scaled**2) ** 1.5)
        levels = []
        for z in (normal.inv_cdf(asked.tail), -normal.inv_cdf(asked.tail)):
            moved = bias + z
            levels.append(normal.cdf(bias + moved / (1 - acceleration * moved)))
        scale = -int(exponent[j])
        low[j], high[j] = (math.ldexp(end, scale) / n for end in _quantiles(own, levels))
    return low, high


def _fixed_point(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Columns as whole numbers times 2^-exponent; n times the largest fits."""
    largest = np.abs(values).max(axis=0)
    room = FIXED_POINT - math.ceil(math.log2(len(values)))
    exponent = np.where(largest > 0, room - np.frexp(largest)[1], 0)
    return np.ascontiguousarray(np.rint(np.ldexp(values, exponent)).astype(np.int64)), exponent


def _quantiles(sums: np.ndarray, levels: list[float]) -> list[float]:
    """Between neighbours in order, as NumPy's percentiles; nan where a level is."""
    if any(map(math.isnan, levels)):
        return [math.nan] * len(levels)
    last = len(sums) - 1
    places = [min(max(level, 0.0), 1.0) * last for level in levels]
    between = [(int(place), min(int(place) + 1, last)) for place in places]
    ordered = np.partition(sums, sorted({place for pair in between for place in pair}))
    found = []
    for place, (first, second) in zip(places, between, strict=True):
        below, above = float(ordered[first]), float(ordered[second])
        found.append(below + (place - first) * (above - below))
    return found


def gaffke_ends(values: np.ndarray, asked: Question) -> tuple[np.ndarray, np.ndarray]:
    """Gaffke's bound (2004) for values within limits: one more value, at the limit, joins them, and
    all get random weights."""
    assert asked.limits is not None  # the caller has seen to it
    least, most = asked.limits
    below, above = np.array([asked.tail, 1 - asked.tail]), np.array([1 - asked.tail, asked.tail])
    ends = [
        (
            dirichlet_quantiles(np.append(column, least), below[:1], above[:1])[0],
            dirichlet_quantiles(np.append(column, most), below[1:], above[1:])[0],
        )
        for column in values.T
    ]
    low, high = np.array(ends, float).reshape(-1, 2).T
    return low, high


def bayesian_ends(values: np.ndarray, asked: Question) -> tuple[np.ndarray, np.ndarray]:
    """Rubin's Bayesian bootstrap (1981): quantiles of the mean with random weights."""
    below, above = np.array([asked.tail, 1 - asked.tail]), np.array([1 - asked.tail, asked.tail])
    ends = [dirichlet_quantiles(column, below, above) for column in values.T]
    low, high = np.array(ends, float).reshape(-1, 2).T
    return low, high


def limited_ends(values: np.ndarray, asked: Question) -> tuple[np.ndarray, np.ndarray]:
    """Student's, widened for what the sample may lack."""
    assert asked.limits is not None  # the caller has seen to it
    found = widened_ends(values, asked.moments, asked.limits, asked.tail, asked.sides)
    return found.low, found.high


class Method(NamedTuple):
    """How its ends are computed, what kind of computation that is, and whether it needs limits of
    the values, or values that differ, and if it does, takes those that are all at one limit."""

    ends: Callable[[np.ndarray, Question], tuple[np.ndarray, np.ndarray]]
    engine: str
    needs_spread: bool = True
    needs_limits: bool = False
    takes_limits: bool = False

    def has_ends(self, moments: Moments, limits: tuple[float, float] | None) -> np.ndarray:
        """By column, whether it has an interval."""
        if not self.needs_spread:
            return np.ones(moments.spread.shape, bool)
        has_spread = moments.spread > 0  # one query has none
        if self.takes_limits and limits is not None:
            has_spread = has_spread | (moments.most == limits[0]) | (moments.least == limits[1])
        return np.asarray(has_spread)


MEAN_METHODS = {
    "t": Method(t_ends, "formula"),
    WIDENED: Method(limited_ends, "formula", needs_spread=False, needs_limits=True),
    "hall": Method(hall_ends, "formula"),
    "wilson": Method(wilson_ends, "formula", needs_limits=True, takes_limits=True),
    "jeffreys": Method(jeffreys_ends, "exact", needs_spread=False, needs_limits=True),
    "bca": Method(bca_ends, "monte-carlo"),
    "gaffke": Method(gaffke_ends, "exact", needs_spread=False, needs_limits=True),
    "bayesian-bootstrap": Method(bayesian_ends, "exact"),
}
