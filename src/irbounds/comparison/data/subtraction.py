"""Differences of values, in which rounding makes none."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

NO_DIFFERENCE = 1e-12  # relative: what rounding makes of equal values reached in two ways


def subtract(first: Any, second: Any) -> np.ndarray:
    """Differences; 0 if values are equal up to rounding, or both infinite.

    The result never falls as `first` rises or `second` falls, so that bounds of the two give bounds
    of the difference.
    """
    first, second = np.asarray(first, float), np.asarray(second, float)
    with np.errstate(invalid="ignore"):
        difference = first - second
        is_same = np.abs(difference) <= NO_DIFFERENCE * np.maximum(np.abs(first), np.abs(second))
    return np.where(is_same & np.isfinite(difference) | (first == second), 0.0, difference)


def difference_of_means(first: float, second: float) -> float:
    """The difference of two means; nan if both are infinite."""
    return first - second if math.isinf(first) else float(subtract(first, second))
