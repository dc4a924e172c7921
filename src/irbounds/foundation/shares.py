"""Tails and quantiles of shares of gamma variates (beta distributions and those of F), in arrays of
any shape."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irbounds._core.counts import shares

if TYPE_CHECKING:
    from irbounds.typing import FloatOrArray


def flat_columns(*values: FloatOrArray) -> tuple[tuple[int, ...], list[np.ndarray]]:
    """Flat arrays of floats in one shape, as kernels take them, and that shape."""
    arrays = np.broadcast_arrays(*(np.asarray(value, float) for value in values))
    return arrays[0].shape, [np.ascontiguousarray(array).ravel() for array in arrays]


def share_tails(
    p: FloatOrArray, q: FloatOrArray, r: FloatOrArray, beta: float, x: FloatOrArray, y: FloatOrArray
) -> tuple[np.ndarray, np.ndarray]:
    """P(share < x) and P(share > x), y = 1 - x: for Beta(p, q) if r = beta = 0, otherwise for F."""
    shape, (p, q, r, x, y) = flat_columns(p, q, r, x, y)
    inside = (x > 0) & (y > 0)
    below, above = (x > 0).astype(float), (x <= 0).astype(float)
    p, q, r, x, y = (v[inside] for v in (p, q, r, x, y))
    below[inside], above[inside] = shares.tails(p, q, r, beta, x, y)
    return below.reshape(shape), above.reshape(shape)


def share_quantiles(
    p: FloatOrArray, q: FloatOrArray, r: FloatOrArray, beta: float, below: FloatOrArray
) -> np.ndarray:
    """Quantiles of these shares."""
    from scipy.special import expit

    shape, (p, q, r, below) = flat_columns(p, q, r, below)
    inside = (below > 0) & (below < 1)
    result = (below > 0).astype(float)
    p, q, r, below = (v[inside] for v in (p, q, r, below))
    result[inside] = expit(shares.quantiles(p, q, r, beta, below))
    return result.reshape(shape)
