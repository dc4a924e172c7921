"""How large Student's t of a pair must be, so that no pair that is equal is told apart by chance:
the bootstrap of the largest t of all pairs.

The queries are drawn again 999 times; each time t is taken of every pair's differences less their
mean, and the largest is kept (the studentized max-t of Romano & Wolf 2005, "Exact and approximate
stepdown methods for multiple hypothesis testing", used for ranks by Mogstad, Romano, Shaikh &
Wilhelm 2024).  Skewed scores make it larger than a normal law would.  With few queries, resamples
that repeat one query make it very large, or infinite: then nothing is claimed.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from irbounds._core.draws import query_draws
from irbounds.comparison.significance.rank_draws import Units

# With 999 resamples α (999 + 1) is whole for the usual α, so that the point is one of them.
RESAMPLES = 999
REPEATING = 7  # queries or fewer: many resamples draw them as often, 1,716 different ones of 7
CELLS = 4_000_000  # weights in memory at a time
EQUAL = 1e-12  # relative: differences that are equal but for rounding


def bootstrap_points(units: Units, alpha: float, rng: np.random.Generator) -> np.ndarray:
    """The t that the pairs of each system exceed with the chance alpha, and last that of all pairs.

    Shape (systems + 1,).  Infinite where a share alpha of the resamples has no variance.
    """
    means, weights = units.group_means(), units.weights
    n = len(means)
    centre = np.array([math.fsum(column) for column in (weights[:, None] * means).T])
    values = np.ascontiguousarray(means - centre)
    least = EQUAL * float(np.abs(means).max())
    # So many that one of them at least is beyond the point.
    resamples = max(RESAMPLES, math.ceil(2 / alpha) - 1)
    batch = max(1, CELLS // n)
    systems = values.shape[1]
    largest = np.empty((resamples, systems + 1))
    for first in range(0, resamples, batch):
        rows = min(batch, resamples - first)
        # Each row's places are shifted by n, so that one count serves all rows.
        drawn = rng.integers(0, n, (rows, n)) + n * np.arange(rows)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n)
        back: Any = slice(None)
        if n <= REPEATING:
            counts, back = np.unique(counts, axis=0, return_inverse=True)
            back = back.ravel()
        own = counts * weights
        total = own.sum(axis=1, keepdims=True)
        squares = counts * weights**2 / total**2
        found = query_draws.pair_squares(values, own / total, squares, least)
        largest[first : first + rows, :systems] = found[back]
    largest[:, systems] = largest[:, :systems].max(axis=1)
    # of B resamples and the sample itself at most a share alpha is as large
    place = resamples - math.floor(alpha * (resamples + 1) + 1e-9)
    largest.partition(place, axis=0)
    return np.asarray(np.sqrt(largest[place]))
