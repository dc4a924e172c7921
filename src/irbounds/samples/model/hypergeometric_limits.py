"""Intervals on the number of relevant documents in a finite population, by hypergeometric tails.

The functions take arrays of one shape: x relevant of n > 0 sampled documents, 0 <= x <= n, from a
population of `size` >= n.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from irbounds.chance.hypergeometric import hypergeometric_cdf, hypergeometric_sf
from irbounds.samples.model.tail_search import Ends, Tail, first_count, last_below

# A probability within rounding of alpha, as 1/5 is of 1 - 0.8, is equal to it; tails of the
# hypergeometric distribution have relative errors below 1e-12.
EQUAL = 1 + 1e-12


def _finite(x: Any, n: Any, size: Any, more: Any) -> np.ndarray:
    """P(X >= x) if `more` of the documents in the population are relevant."""
    tail = np.asarray(hypergeometric_sf(np.maximum(x - 1, 0), size, np.clip(more, 0, size), n))
    return np.where(x <= 0, 1.0, tail)


def _finite_below(x: Any, n: Any, size: Any, more: Any) -> np.ndarray:
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


def finite_tails(x: Any, n: Any, size: Any, tail: Tail) -> Ends:
    """Numbers that neither hypergeometric tail rejects."""
    return population_bounds(x, n, size, tail.probability)


def finite_mid_p(x: Any, n: Any, size: Any, tail: Tail) -> Ends:
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


def finite_blaker(x: Any, n: Any, size: Any, tail: Tail) -> Ends:
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
