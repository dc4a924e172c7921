"""Limits of one proportion: tails, binomial and hypergeometric limits, and searches for counts.

The functions take arrays of one shape: x relevant of n > 0 sampled documents, 0 <= x <= n.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irbounds.chance.hypergeometric import hypergeometric_cdf, hypergeometric_sf
from irbounds.foundation.distributions import beta_below
from irbounds.foundation.quadrature import find_roots

if TYPE_CHECKING:
    from irbounds.typing import FloatOrArray

Ends = tuple[Any, Any]


class Tail(NamedTuple):
    """The error probability of each end, its normal quantile, and the side."""

    probability: float
    z: float
    side: str

    @property
    def is_two_sided(self) -> bool:
        """True for two-sided intervals."""
        return self.side == "two-sided"


def last_below(x: np.ndarray, holds: Callable[[np.ndarray], Any]) -> np.ndarray:
    """The last of the counts -1, …, x - 1 for which a statement holds; it holds for -1 and is
    false from some count on."""
    low, high = np.full(x.shape, -1.0), x.copy()
    # Searches of all elements run together. An element that has ended keeps low + 1 = high,
    # whatever the statement says of its middle.
    while (high - low > 1).any():
        middle = np.floor((low + high) / 2)
        good = np.asarray(holds(middle)) & (middle < high)
        low, high = np.where(good, middle, low), np.where(good, high, np.minimum(high, middle))
        high = np.maximum(high, low + 1)
    return low


def first_count(
    low: np.ndarray, high: np.ndarray, holds: Callable[[np.ndarray], Any]
) -> np.ndarray:
    """The first whole number above `low`, and at most `high`, for which a statement holds; it
    stays true from some number on; `high` if it holds for none before."""
    low, high = low.astype(float), high.astype(float)
    while (far := high - low > 1).any():
        middle = np.floor((low + high) / 2)
        good = np.asarray(holds(middle))
        low, high = np.where(far & ~good, middle, low), np.where(far & good, middle, high)
    return high


def at_least(x: FloatOrArray, n: FloatOrArray, p: FloatOrArray) -> np.ndarray:
    """P(X >= x) of a binomial X, 0 <= x <= n + 1."""
    # P(X >= x) is the incomplete beta function I_p(x, n - x + 1). Its parameters must be positive:
    # counts at both ends of the range get 1 and 0 below instead.
    inside = beta_below(np.maximum(x, 1.0), np.maximum(n - x + 1, 1.0), p, 1 - p)
    return np.where(x <= 0, 1.0, np.where(x > n, 0.0, inside))


def at_most(x: FloatOrArray, n: FloatOrArray, p: FloatOrArray) -> np.ndarray:
    """P(X <= x) of a binomial X, -1 <= x <= n."""
    return at_least(n - x, n, 1 - p)


def wald(x: FloatOrArray, n: FloatOrArray, tail: Tail, z: FloatOrArray = None) -> Ends:
    """The estimate plus and minus z estimated standard errors (Webber 2013, eq. 11)."""
    z = tail.z if z is None else z
    half = z * np.sqrt(x / n * (1 - x / n) / n)
    return x / n - half, x / n + half


def wilson(x: FloatOrArray, n: FloatOrArray, tail: Tail, z: FloatOrArray = None) -> Ends:
    """All p whose normal test, with the variance at p, accepts the sample (eq. 12)."""
    z = tail.z if z is None else z
    p = x / n
    half = z * np.sqrt((p * (1 - p) + z * z / (4 * n)) / n)
    middle, scale = p + z * z / (2 * n), 1 + z * z / n
    low, high = (middle - half) / scale, (middle + half) / scale
    # For x = 0 the two terms of the low end are equal, but for rounding. With z below 0, for levels
    # below one half, the ends are exchanged and this one is not 0.
    return np.where((x == 0) & (tail.z >= 0), 0.0, low), np.where(
        (x == n) & (tail.z >= 0), 1.0, high
    )


def wilson_corrected(x: FloatOrArray, n: FloatOrArray, tail: Tail, z: FloatOrArray = None) -> Ends:
    """Wilson's interval with the correction for continuity: p tests x - 1/2 from below, x + 1/2
    from above.

    The ends solve (x ± 1/2 - n p)² = z² n p (1 - p), Newcombe (1998), method 4.
    """
    z = tail.z if z is None else z

    def root(count: FloatOrArray, sign: float) -> Any:
        middle = count + z * z / 2
        spread = z * np.sqrt(np.maximum(0.0, count * (1 - count / n) + z * z / 4))
        return (middle + sign * spread) / (n + z * z)

    low, high = root(x - 0.5, -1.0), root(x + 0.5, 1.0)
    return np.where((x == 0) & (tail.z >= 0), 0.0, low), np.where(
        (x == n) & (tail.z >= 0), 1.0, high
    )


def agresti_coull(x: FloatOrArray, n: FloatOrArray, tail: Tail, z: FloatOrArray = None) -> Ends:
    """Wald's interval with z²/2 added to both counts (below eq. 13)."""
    more = (tail.z if z is None else z) ** 2 / 2
    return wald(x + more, n + 2 * more, tail, z)


def clopper_pearson(x: FloatOrArray, n: FloatOrArray, tail: Tail) -> Ends:
    """All p that neither binomial tail rejects."""
    return _beta_ends(x, n, tail.probability, 0.0, 1.0)


def jeffreys(x: FloatOrArray, n: FloatOrArray, tail: Tail) -> Ends:
    """Quantiles of Beta(x + 1/2, n - x + 1/2); 0 for x = 0 and 1 for x = n."""
    return _beta_ends(x, n, tail.probability, 0.5, 0.5)


def _beta_ends(x: FloatOrArray, n: FloatOrArray, alpha: float, more: float, other: float) -> Ends:
    from scipy.special import betainccinv, betaincinv

    # A parameter of 0, as Clopper and Pearson's at x = 0, is outside the domain of the inverse; the
    # value computed there is replaced by 0 or 1.
    low = betaincinv(np.maximum(x + more, 1e-9), n - x + other, alpha)
    # by its own tail: at levels near 1 the difference 1 - alpha has lost alpha's digits
    high = betainccinv(x + other, np.maximum(n - x + more, 1e-9), alpha)
    return np.where(x > 0, low, 0.0), np.where(x < n, high, 1.0)


def mid_p(x: FloatOrArray, n: FloatOrArray, tail: Tail) -> Ends:
    """All p that neither tail rejects, if the observed count has half its probability."""
    low, high = _mid_p_low(x, n, tail.probability), 1 - _mid_p_low(n - x, n, tail.probability)
    if tail.is_two_sided:  # near level 0 both are the same, but for rounding
        return np.minimum(low, high), np.maximum(low, high)
    return low, high


def _mid_p_low(x: np.ndarray, n: np.ndarray, alpha: float) -> np.ndarray:
    """The point where P(X > x) + P(X = x)/2 = (P(X >= x) + P(X >= x + 1))/2 is alpha.  It lies
    between the points where the two terms are alpha."""
    least, _ = _beta_ends(x, n, alpha, 0.0, 1.0)
    most = np.where(x < n, _beta_ends(np.minimum(x + 1, n), n, alpha, 0.0, 1.0)[0], 1.0)

    def excess(share: np.ndarray) -> np.ndarray:
        p = least + share * (most - least)
        return (at_least(x, n, p) + at_least(x + 1, n, p)) / (2 * alpha) - 1

    first, last = np.zeros(x.shape), np.ones(x.shape)
    share = find_roots(excess, first, last)
    # for x = 0 the sum begins at 1/2, for x = n it ends there: bounds with alpha beyond have no
    # root
    share = np.where(excess(first) >= 0, 0.0, np.where(excess(last) <= 0, 1.0, share))
    return least + share * (most - least)


def blaker(x: FloatOrArray, n: FloatOrArray, tail: Tail) -> Ends:
    """All p whose acceptability exceeds 1 - level (Blaker 2000), and all values between them.

    The acceptability of p is the smaller tail of the sample plus the largest tail on the other side
    that is not larger.  The interval lies inside Clopper and Pearson's and keeps its level.  A
    one-sided bound equals Clopper and Pearson's.
    """
    if not tail.is_two_sided:
        return clopper_pearson(x, n, tail)
    return _blaker_low(x, n, tail.probability), 1 - _blaker_low(n - x, n, tail.probability)


def _blaker_low(x: np.ndarray, n: np.ndarray, half: float) -> np.ndarray:
    """The smallest accepted p; `half` is half of alpha.

    Below Clopper and Pearson's low end p0 the acceptability is at most twice P(X >= x), too little.
    From p0 on let y be the largest count whose P(X <= y) is at most P(X >= x).  While y stays the
    same, P(X >= x) + P(X <= y) first falls, then rises, because the ratio of the derivatives rises
    with p: it reaches alpha at most once.  At the point p1 where y grows by 1, both tails are equal
    and above half of alpha: p1 is accepted.  So the end is p1, or the point before it where the sum
    reaches alpha.
    """
    from scipy.special import betaincinv

    some = x > 0
    x = np.where(some, x, 1.0)  # 0 is accepted for x = 0: that end is set below
    p0 = betaincinv(x, n - x + 1, half)
    y = last_below(x, lambda count: at_most(count, n, p0) <= half)
    middle = betaincinv(x, n - x + 1, 0.5)  # there P(X <= y + 1) <= P(X < x) <= P(X >= x)

    def between(
        first: np.ndarray, last: np.ndarray, rise: Callable[[np.ndarray], np.ndarray]
    ) -> np.ndarray:
        share = find_roots(
            lambda t: rise(first + t * (last - first)), np.zeros(x.shape), np.ones(x.shape)
        )
        return first + share * (last - first)

    p1 = between(p0, middle, lambda p: at_least(x, n, p) - at_most(y + 1, n, p))

    def excess(p: np.ndarray) -> np.ndarray:
        return (at_least(x, n, p) + at_most(y, n, p)) / (2 * half) - 1

    is_before = excess(p1) > 0
    last = np.where(is_before, p1, p0)
    low = between(p0, last, lambda p: np.where(is_before, excess(p), p - p0))
    return np.where(some, np.where(is_before, low, p1), 0.0)


# A probability within rounding of alpha, as 1/5 is of 1 - 0.8, is equal to it; tails of the
# hypergeometric distribution have relative errors below 1e-12.
EQUAL = 1 + 1e-12


def _finite(x: FloatOrArray, n: FloatOrArray, size: FloatOrArray, more: FloatOrArray) -> np.ndarray:
    """P(X >= x) if `more` of the documents in the population are relevant."""
    tail = np.asarray(hypergeometric_sf(np.maximum(x - 1, 0), size, np.clip(more, 0, size), n))
    return np.where(x <= 0, 1.0, tail)


def _finite_below(
    x: FloatOrArray, n: FloatOrArray, size: FloatOrArray, more: FloatOrArray
) -> np.ndarray:
    """P(X <= x), likewise; x may be -1."""
    tail = np.asarray(hypergeometric_cdf(np.maximum(x, 0), size, np.clip(more, 0, size), n))
    return np.where(x < 0, 0.0, tail)


def population_bounds(
    x: np.ndarray, n: np.ndarray, size: np.ndarray, alpha: float
) -> tuple[np.ndarray, np.ndarray]:
    """The smallest and the largest number of relevant documents in the population that no test
    at level alpha rejects: P(X >= x) > alpha and P(X <= x) > alpha; by bisection of all elements
    together."""

    def low(count: np.ndarray) -> np.ndarray:
        # The population has at least the x relevant documents that were seen, and at most all but
        # the n - x others.
        return first_count(
            count - 1, size - n + count, lambda k: _finite(count, n, size, k) > alpha * EQUAL
        )

    return low(x), size - low(n - x)


def finite_tails(x: FloatOrArray, n: FloatOrArray, size: FloatOrArray, tail: Tail) -> Ends:
    """Numbers that neither hypergeometric tail rejects."""
    return population_bounds(x, n, size, tail.probability)


def finite_mid_p(x: FloatOrArray, n: FloatOrArray, size: FloatOrArray, tail: Tail) -> Ends:
    """Numbers that neither tail rejects, if the observed count has half its probability."""

    def low(count: np.ndarray) -> np.ndarray:
        return first_count(
            count - 1,
            size - n + count,
            lambda k: (
                (_finite(count, n, size, k) + _finite(count + 1, n, size, k)) / 2
                > tail.probability * EQUAL
            ),
        )

    first, last = low(x), size - low(n - x)
    if tail.is_two_sided:  # near level 0 the tails may step over every number: its neighbours stay
        return np.minimum(first, last), np.maximum(first, last)
    return first, last


def finite_blaker(x: FloatOrArray, n: FloatOrArray, size: FloatOrArray, tail: Tail) -> Ends:
    """Numbers whose acceptability, as for `blaker`, exceeds 1 - level, and all numbers between
    them."""
    if not tail.is_two_sided:
        return finite_tails(x, n, size, tail)
    low, high = (_finite_blaker_low(count, n, size, tail.probability) for count in (x, n - x))
    return low, size - high


def _finite_blaker_low(x: np.ndarray, n: np.ndarray, size: np.ndarray, half: float) -> np.ndarray:
    """The smallest accepted number; `_blaker_low` explains the search.

    Numbers jump over the points where y grows, so several ranges with one y may be searched.  The
    search ends: from the low end at alpha instead of half of it on, P(X >= x) alone exceeds alpha.
    """
    alpha = min(2 * half * EQUAL, 2 - EQUAL)  # with level 0 or nearly so, the likeliest are left
    current = first_count(x - 1, size - n + x, lambda k: _finite(x, n, size, k) > half * EQUAL)
    sure = first_count(x - 1, size - n + x, lambda k: _finite(x, n, size, k) > alpha)
    found = current >= sure
    while not found.all():

        def is_smaller(count: np.ndarray, k: np.ndarray) -> np.ndarray:
            return _finite_below(count, n, size, k) <= _finite(x, n, size, k) * EQUAL

        # The largest tail on the other side that is no larger than that of the sample.
        y = last_below(x, lambda count, k=current: is_smaller(count, k))  # type: ignore[misc]

        def is_accepted(k: np.ndarray, y: np.ndarray = y) -> np.ndarray:
            return _finite(x, n, size, k) + _finite_below(y, n, size, k) > alpha

        found = found | is_accepted(current)
        # Up to the number from which on that tail is larger, the acceptability is one sum.
        after = first_count(
            current,
            sure,
            lambda k, y=y: is_smaller(y + 1, k),  # type: ignore[misc]
        )
        inside = first_count(current, after, is_accepted)
        current = np.where(found, current, inside)
        found = found | (inside < after) | (inside >= sure)
    return np.minimum(current, sure)
