"""Fewer numbers of calls that stand for all of a law: for mixtures over the calls of documents that
nobody coded."""

from __future__ import annotations

import math

import numpy as np

LIKELY = 1e-16  # the least weight of a number of calls in a mixture
LOST_DIRECTION = 1e-10  # a polynomial that is shorter is rounding


def whole_calls(calls: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same mean with whole numbers: each is shared between its neighbours.  With a fraction of
    a document both classes lost one, which shifted ends of 12,230 documents by 11 of them."""
    below = np.floor(calls)
    part = calls - below
    both = np.concatenate([weights * (1 - part), weights * part])
    is_likely = both > LIKELY
    return np.concatenate([below, below + 1])[is_likely], both[is_likely]


def gauss_calls(calls: np.ndarray, weights: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """At most n whole numbers near Gauss' points of a law, and weights that give polynomials of a
    lower degree their mean.

    Lanczos' recurrence for polynomials p_k that are orthonormal under the law, each made orthogonal
    again to all before; Gauss' points are the eigenvalues of its matrix (Golub and Welsch 1969).
    """
    mean = float(weights @ calls)
    scale = math.sqrt(float(weights @ np.square(calls - mean)))
    if n >= calls.size or scale == 0:
        return calls, weights
    x = (calls - mean) / scale
    rows = [np.sqrt(weights / weights.sum())]
    diagonal: list[float] = []
    beside: list[float] = []
    while True:
        row = x * rows[-1]
        diagonal.append(float(row @ rows[-1]))
        # Twice, as once leaves the rounding of what it takes off.
        for _ in range(2):
            for each in rows:
                row = row - (row @ each) * each
        length = float(np.linalg.norm(row))
        if len(rows) == n or length < LOST_DIRECTION:
            break
        beside.append(length)
        rows.append(row / length)
    matrix = np.diag(diagonal) + np.diag(beside, 1) + np.diag(beside, -1)
    points = np.unique(np.rint(np.linalg.eigvalsh(matrix) * scale + mean))
    values = np.ones((points.size, points.size))
    y = (points - mean) / scale
    for k in range(points.size - 1):
        values[k + 1] = (y - diagonal[k]) * values[k]
        if k:
            values[k + 1] -= beside[k - 1] * values[k - 1]
        values[k + 1] /= beside[k]
    # The mean of p_0 is 1, that of all others 0.
    return points, np.linalg.solve(values, np.eye(points.size)[0])
