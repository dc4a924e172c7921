"""Numbers of all sizes, the ends of their ranges among them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np


def whole(rng: np.random.Generator, low: int, high: int) -> int:
    """From low to high: log-uniform from either end, or one of the ends and their neighbours."""
    if high <= low:
        return low
    span = high - low
    how = rng.random()
    if how < 0.15:
        return low + min(span, int(rng.integers(0, 3)))
    if how < 0.25:
        return high - min(span, int(rng.integers(0, 3)))
    if how < 0.4:
        return low + int(rng.integers(0, span, endpoint=True))
    step = min(span, math.floor(math.exp(rng.uniform(0, math.log(span + 1)))))
    return low + step if how < 0.8 else high - step


def share(rng: np.random.Generator, least: float = 1e-12) -> float:
    """Between 0 and 1, near either of them or not, the ends left out."""
    how = rng.random()
    near = math.exp(rng.uniform(math.log(least), math.log(0.5)))
    if how < 0.4:
        return near
    if how < 0.7:
        return min(1 - near, math.nextafter(1, 0))
    if how < 0.8:
        return float(rng.choice([0.1, 0.25, 0.5, 0.75, 0.9, 0.05, 0.95]))
    return float(rng.uniform(1e-3, 0.999))


def positive(rng: np.random.Generator, low: float, high: float) -> float:
    """Log-uniform, whole at times."""
    x = math.exp(rng.uniform(math.log(low), math.log(high)))
    return float(max(1, round(x))) if rng.random() < 0.2 and low <= 1 <= high else x


def one_of(rng: np.random.Generator, values: Sequence[Any]) -> Any:
    """One of them, as it is: NumPy would make numbers of its own kind."""
    return values[int(rng.integers(len(values)))]
