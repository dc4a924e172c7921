"""Shared by functions of one proportion: the tails that an interval leaves out, and searches for
counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

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
