"""Quantiles of a mean with random weights, which have a Dirichlet law: exact, nothing is drawn."""

from __future__ import annotations

import numpy as np

from irbounds._core.distributions import dirichlet_mean


def dirichlet_quantiles(
    values: np.ndarray, below: np.ndarray, above: np.ndarray, halves: tuple[float, ...] = ()
) -> np.ndarray:
    """The places below which Σ w_i x_i is with these probabilities; the value where all are equal.

    Parameters
    ----------
    values : ndarray, shape (n,)
    below, above : ndarray
        Probabilities that add up to 1: each is given, as the smaller one has digits that the other
        has lost.
    halves : tuple of float
        Values more, whose parameters are 1/2: two or none.
    """
    x, counts = np.unique(values, return_counts=True)
    if halves:
        x, places = np.unique(np.concatenate([x, halves]), return_inverse=True)
        counts = np.bincount(places, np.concatenate([counts, np.full(len(halves), 0.5)]))
    if x.size == 1:
        return np.full(len(below), x[0])
    # weights of equal values add up to one of a larger parameter; the kernel takes 1 first
    order = np.argsort(counts != 1, kind="stable")
    n_ones = int(np.count_nonzero(counts == 1))
    scale = float(np.abs(x).max())  # so that differences neither overflow nor vanish
    found = dirichlet_mean.quantiles(
        np.ascontiguousarray(x[order] / scale),
        np.ascontiguousarray(counts[order].astype(float)),
        n_ones,
        np.ascontiguousarray(below, float),
        np.ascontiguousarray(above, float),
    )
    return np.clip(found * scale, x[0], x[-1])
