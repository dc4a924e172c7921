"""Hall's (1992) transform of Student's t, which takes off the skewness of what is averaged.

`n` is the number of values, or 1/Σ w² of weighted ones, and u = mean/s; arrays of u and of the
skewness γ broadcast.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def skewness_error(n: float, skewness: Any) -> Any:
    """By how much the sample's skewness may be too large: its standard error in large samples.

    By the delta method n times its variance is μ₆ - 6 μ₄ + 9 + γ² (9 μ₄ + 35)/4 - 3 γ μ₅, with the
    moments of standardised values: 6 for normal ones, 6 + 9 γ² + 15 γ⁴/8 for those of a Gamma law
    with the skewness γ, which is taken here where the tail is against the claim, γ below 0.
    """
    square = np.minimum(skewness, 0.0) ** 2
    return np.sqrt((6 + square * (9 + 1.875 * square)) / (n - 2)) if n > 2 else np.inf


def turn(n: float, u: Any) -> Any:
    """The skewness with the least transform, which is a convex parabola in γ where u > 0."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        least = np.divide(-(u * u / 3 + 1 / (6 * n)) * 27, 2 * u * u * u)  # u³ may vanish
    return np.where(np.isinf(u), 0.0, least)


def transform(n: float, u: Any, skewness: Any) -> Any:
    """√n (u + γ u²/3 + γ² u³/27 + γ/(6 n)), which grows with u."""
    straight = u * (1 + skewness * u / 3 * (1 + skewness * u / 9)) + skewness / (6 * n)
    return np.sqrt(n) * straight
