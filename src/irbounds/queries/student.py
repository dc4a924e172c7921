"""Student's t by the package's own kernels: importing SciPy takes longer than most questions."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from irbounds._core.counts import shares

NORMAL_FROM = 1e15  # degrees of freedom: beyond, T is normal within rounding


def upper_tail(freedom: float, t: float) -> float:
    """P(T > t).

    T²/(T² + ν) has the law Beta(1/2, ν/2).
    """
    if t == 0:
        return 0.5
    if math.isinf(t):
        return 0.0 if t > 0 else 1.0
    if freedom > NORMAL_FROM:
        return math.erfc(t / math.sqrt(2)) / 2
    ratio = t * t / freedom
    if ratio == 0 or math.isinf(ratio):
        return 0.5 if ratio == 0 else 0.0 if t > 0 else 1.0
    p, q, r = _column(0.5), _column(freedom / 2), _column(0.0)
    x, y = _column(ratio / (1 + ratio)), _column(1 / (1 + ratio))
    below, above = shares.tails(p, q, r, 0.0, x, y)
    return float(above[0]) / 2 if t > 0 else 0.5 + float(below[0]) / 2


@lru_cache(maxsize=512)
def quantile(freedom: float, tail: float) -> float:
    """The t that T exceeds with the probability `tail`, between 0 and 1."""
    if tail > 0.5:
        return -quantile(freedom, 1 - tail)
    if tail == 0.5:
        return 0.0
    # T²/ν are the odds of a share with the law Beta(1/2, ν/2).
    shape = min(freedom, NORMAL_FROM) / 2
    half, rest, none = _column(0.5), _column(shape), _column(0.0)
    if tail > 0.25:  # the chance of smaller sizes is the small one
        log_odds = shares.quantiles(half, rest, none, 0.0, _column(1 - 2 * tail))[0]
    else:
        log_odds = -shares.quantiles(rest, half, none, 0.0, _column(2 * tail))[0]
    return math.sqrt(2 * shape) * math.exp(float(log_odds) / 2)


def _column(value: float) -> np.ndarray:
    return np.array([value])
