"""Moments of values over queries."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from irbounds._core.common.exact_sum import column_moments

# relative: values that are equal but for rounding (as in comparison/significance/paired_tests.py)
EQUAL = 1e-12


class Moments(NamedTuple):
    """Moments of columns: means, standard deviations (of n - 1), the least and the greatest values.

    A deviation is 0 where all values are equal but for rounding or there is one.  Where a value is
    not finite, neither is the mean, and the deviation is nan.
    """

    mean: np.ndarray
    spread: np.ndarray
    least: np.ndarray
    most: np.ndarray


def moments_of(values: np.ndarray) -> Moments:
    """Those of the columns of a matrix."""
    return Moments(*column_moments(values, EQUAL))


def mean_and_spread(values: np.ndarray) -> tuple[float, float]:
    """Those of one column."""
    found = moments_of(values[:, None])
    return float(found.mean[0]), float(found.spread[0])


def unbiased(n: float) -> float:
    """The factor of Σ (x - mean)³/(n s³) that makes the third cumulant unbiased: without it Hall's
    transform let a loss of the margin with an exponential tail pass with .089 of 10 queries at
    .05, with it with .072; two values have no skewness."""
    return n * n / ((n - 1) * (n - 2)) if n > 2 else 0.0
