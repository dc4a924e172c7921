"""SciPy's resampling plans, drawn once for all pairs of systems and all measures.

`scipy.stats.permutation_test` and `scipy.stats.bootstrap` draw the same plan for every sample of one length and seed.
They are run on a stand-in, ones or places, which shows the plan; one product of matrices then gives the means of all
columns at once.  The p-values are those of a call for each column, at a fraction of its time.
"""
from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np

CELLS = 2_000_000  # queries × resamples in memory at a time: some 100 MB with SciPy's own copies


def generator_argument(function: Callable[..., Any], seed: int) -> dict[str, Any]:
    """A generator of this seed under the name that SciPy has for it: `rng`, before 1.15 `random_state`."""
    name = "rng" if "rng" in inspect.signature(function).parameters else "random_state"
    return {name: np.random.default_rng(seed)}


def sign_flips(columns: np.ndarray, resamples: int, seed: int) -> tuple[np.ndarray, np.ndarray, bool]:
    """Sums of columns whose values change sign at random, as in the null distribution of a paired randomisation test.

    Parameters
    ----------
    columns : ndarray, shape (n, m)
    resamples : int
        With 2^n or more all sign changes are taken, each once.
    seed : int

    Returns
    -------
    sums : ndarray, shape (resamples, m)
        Of each column, its values times the signs.
    flipped : ndarray, shape (resamples,)
        How many signs were changed.
    is_exact : bool
        Whether these are all sign changes.
    """
    from scipy.stats import permutation_test

    n = len(columns)
    if n == 1:  # SciPy wants two queries
        return np.concatenate([columns, -columns]), np.array([0.0, 1.0]), True
    sums, flipped = [], []

    def look(signs: np.ndarray, axis: int) -> np.ndarray:
        if signs.ndim == 2:  # SciPy asks for the observed value first
            sums.append(signs @ columns)
            flipped.append(np.round((n - signs.sum(axis=1)) / 2))
        return signs.mean(axis=axis)

    permutation_test((np.ones(n),), look, permutation_type="samples", vectorized=True, n_resamples=resamples,
                     batch=max(1, CELLS // (4 * n)), **generator_argument(permutation_test, seed))
    return np.concatenate(sums), np.concatenate(flipped), _are_all(2, n, resamples)


def bootstrap_means(columns: np.ndarray, resamples: int, seed: int) -> np.ndarray:
    """Means of each column over queries drawn with replacement, shape (resamples, m)."""
    from scipy.stats import bootstrap

    n = len(columns)

    def look(places: np.ndarray, axis: int) -> np.ndarray:
        if places.ndim == 1:
            return places.mean(axis=axis)
        rows = len(places)
        cells = places.astype(np.int64) + n * np.arange(rows)[:, None]
        means.append(np.bincount(cells.ravel(), minlength=rows * n).reshape(rows, n) @ columns / n)
        return places.mean(axis=axis)

    means: list[np.ndarray] = []
    bootstrap((np.arange(float(n)),), look, vectorized=True, n_resamples=resamples, method="percentile",
              batch=max(1, CELLS // n), **generator_argument(bootstrap, seed))
    return np.concatenate([mean for mean in means if mean.ndim == 2])


def null_ranges(systems: np.ndarray, resamples: int, seed: int) -> tuple[np.ndarray, bool]:
    """Greatest minus least mean of systems whose values are shuffled within each query.

    Parameters
    ----------
    systems : ndarray, shape (k, m, n)
        Values of k systems by m measures for n queries.

    Returns
    -------
    ranges : ndarray, shape (resamples, m)
    is_exact : bool
        Whether these are all k!^n shuffles, each once.
    """
    from scipy.stats import permutation_test

    k, m, n = systems.shape
    if n == 1:
        return np.ptp(systems[:, :, 0], axis=0)[None], True

    def spread(*samples: np.ndarray, axis: int) -> np.ndarray:
        means = np.stack([sample.mean(axis=axis) for sample in samples])
        return means.max(axis=0) - means.min(axis=0)

    result = permutation_test(
        tuple(systems), spread, permutation_type="samples", vectorized=True, n_resamples=resamples,
        batch=max(1, CELLS // (2 * n * k * m)), alternative="greater", axis=-1,
        **generator_argument(permutation_test, seed))
    return result.null_distribution, _are_all(math.factorial(k), n, resamples)


def _are_all(orders: int, n: int, resamples: int) -> bool:
    """Whether SciPy goes through all orders of n queries one by one instead of drawing."""
    return n < 64 and orders**n <= resamples
