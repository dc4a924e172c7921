"""Intervals on a proportion of an unlimited population: each draw is relevant with probability p.

The functions take arrays of one shape: x relevant of n > 0 sampled documents, 0 <= x <= n.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from irbounds.foundation.distributions import beta_below
from irbounds.foundation.quadrature import find_roots
from irbounds.samples.model.tail_search import Ends, Tail, last_below


def at_least(x: Any, n: Any, p: Any) -> np.ndarray:
    """P(X >= x) of a binomial X, 0 <= x <= n + 1."""
    # P(X >= x) is the incomplete beta function I_p(x, n - x + 1). Its parameters must be positive:
    # counts at both ends of the range get 1 and 0 below instead.
    inside = beta_below(np.maximum(x, 1.0), np.maximum(n - x + 1, 1.0), p, 1 - p)
    return np.where(x <= 0, 1.0, np.where(x > n, 0.0, inside))


def at_most(x: Any, n: Any, p: Any) -> np.ndarray:
    """P(X <= x) of a binomial X, -1 <= x <= n."""
    return at_least(n - x, n, 1 - p)


def wald(x: Any, n: Any, tail: Tail, z: Any = None) -> Ends:
    """The estimate plus and minus z estimated standard errors (Webber 2013, eq. 11)."""
    z = tail.z if z is None else z
    half = z * np.sqrt(x / n * (1 - x / n) / n)
    return x / n - half, x / n + half


def wilson(x: Any, n: Any, tail: Tail, z: Any = None) -> Ends:
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


def wilson_corrected(x: Any, n: Any, tail: Tail, z: Any = None) -> Ends:
    """Wilson's interval with the correction for continuity: p tests x - 1/2 from below, x + 1/2
    from above.

    The ends solve (x ± 1/2 - n p)² = z² n p (1 - p), Newcombe (1998), method 4.
    """
    z = tail.z if z is None else z

    def root(count: Any, sign: float) -> Any:
        middle = count + z * z / 2
        spread = z * np.sqrt(np.maximum(0.0, count * (1 - count / n) + z * z / 4))
        return (middle + sign * spread) / (n + z * z)

    low, high = root(x - 0.5, -1.0), root(x + 0.5, 1.0)
    return np.where((x == 0) & (tail.z >= 0), 0.0, low), np.where(
        (x == n) & (tail.z >= 0), 1.0, high
    )


def agresti_coull(x: Any, n: Any, tail: Tail, z: Any = None) -> Ends:
    """Wald's interval with z²/2 added to both counts (below eq. 13)."""
    more = (tail.z if z is None else z) ** 2 / 2
    return wald(x + more, n + 2 * more, tail, z)


def clopper_pearson(x: Any, n: Any, tail: Tail) -> Ends:
    """All p that neither binomial tail rejects."""
    return _beta_ends(x, n, tail.probability, 0.0, 1.0)


def jeffreys(x: Any, n: Any, tail: Tail) -> Ends:
    """Quantiles of Beta(x + 1/2, n - x + 1/2); 0 for x = 0 and 1 for x = n."""
    return _beta_ends(x, n, tail.probability, 0.5, 0.5)


def _beta_ends(x: Any, n: Any, alpha: float, more: float, other: float) -> Ends:
    from scipy.special import betainccinv, betaincinv

    # A parameter of 0, as Clopper and Pearson's at x = 0, is outside the domain of the inverse; the
    # value computed there is replaced by 0 or 1.
    low = betaincinv(np.maximum(x + more, 1e-9), n - x + other, alpha)
    # by its own tail: at levels near 1 the difference 1 - alpha has lost alpha's digits
    high = betainccinv(x + other, np.maximum(n - x + more, 1e-9), alpha)
    return np.where(x > 0, low, 0.0), np.where(x < n, high, 1.0)


def mid_p(x: Any, n: Any, tail: Tail) -> Ends:
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


def blaker(x: Any, n: Any, tail: Tail) -> Ends:
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
