"""Resampling plans, drawn once for all pairs of systems and all measures.

Plans of up to 2,000 queries equal those of `scipy.stats.permutation_test` and
`scipy.stats.bootstrap` with the same seed.  Kernels draw both, in time proportional to queries
times resamples.  That of the randomisation adds integers: values in fixed point, so that a sum
depends neither on the order of the queries nor on the other columns.
"""

from __future__ import annotations

import math
from itertools import permutations
from typing import NamedTuple

import numpy as np

from irbounds._core.draws import query_counts, query_draws, sign_flips

CELLS = 4_000_000  # bytes of a plan, or numbers, in memory at a time
# resamples: fewer pay for the table of 256 sums more often than they use it
LEAST_BATCH, MOST_BATCH = 64, 1024
# Queries up to which the plan is SciPy's.  Its signs use one bit in 32 that are drawn; with 10^5
# queries the draws took 3.1 of 3.5 s, a plan of all bits takes .3 s.  With its places of queries a
# bootstrap took 3.4 s, with counts .7 s.
LIKE_SCIPY = 2_000
FIXED_POINT = 62  # bits for the sum of all sizes
FEW_CHANGED = 16  # queries that differ, up to which p-values count all sign changes of these


class FlippedSums(NamedTuple):
    """Sums of the values with a changed sign.

    Attributes
    ----------
    sums : ndarray of int64, shape (columns, resamples)
        In units of 2^-exponent; 0 where they are 0 but for rounding.
    flipped : ndarray of int64, shape (resamples,)
        How many signs are changed.
    exponent : ndarray, shape (columns,)
    is_exact : bool
        Whether these are all changes of sign, each once.
    """

    sums: np.ndarray
    flipped: np.ndarray
    exponent: np.ndarray
    is_exact: bool


def count_of(n: int, resamples: int) -> int:
    """The number of sign changes of n queries: all of them, if there are at most as many as
    resamples."""
    return 2**n if _are_all(2, n, resamples) else resamples


def flip_signs(columns: np.ndarray, resamples: int, seed: int) -> FlippedSums:
    """Sums over the flipped queries: the null distribution of a paired randomisation test.

    Parameters
    ----------
    columns : ndarray, shape (m, n)
        Differences, one column of n queries in each row.
    resamples : int
        With 2^n or more all sign changes are taken, each once.
    seed : int
    """
    n = columns.shape[1]
    values, exponent = fixed_point(columns)
    is_exact = _are_all(2, n, resamples)
    if is_exact:
        sums, flipped = _all_flips(values)
    else:
        batch = min(max(CELLS // ((n + 7) // 8), LEAST_BATCH), MOST_BATCH)
        sums, flipped = sign_flips.flipped_sums(
            values, resamples, batch, np.random.default_rng(seed).bit_generator, n > LIKE_SCIPY
        )
    sums[np.abs(sums) <= _tolerance(values)[:, None]] = 0
    return FlippedSums(sums, flipped, exponent, is_exact)


def exact_tails(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The shares of all sign changes whose flipped sum is at most 0, and at least 0.

    Only columns with up to 16 differences other than 0 are counted, others get nan.  Changing the
    sign of 0 changes nothing, so that differences of 0 do not matter.

    Parameters
    ----------
    columns : ndarray, shape (m, n)
    """
    is_changed = columns != 0
    few = np.flatnonzero(np.count_nonzero(is_changed, axis=1) <= FEW_CHANGED)
    rows, places = np.nonzero(is_changed[few])
    changed = np.zeros((few.size, FEW_CHANGED))
    first = np.searchsorted(rows, np.arange(few.size))
    changed[rows, np.arange(rows.size) - first[rows]] = columns[few[rows], places]
    tails = np.full((2, len(columns)), math.nan)
    if few.size:
        values, _ = fixed_point(changed)
        tails[:, few] = sign_flips.subset_tails(values, _tolerance(values))
    return tails[0], tails[1]


def _tolerance(values: np.ndarray) -> np.ndarray:
    """Sums up to this size are 0: differences carry the rounding of what was subtracted, and half a
    unit from their fixed point."""
    of_rounding = 50 * np.finfo(float).eps * np.abs(values).sum(axis=1)
    return of_rounding.astype(np.int64) + values.shape[1]


def fixed_point(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows of finite numbers as integers times 2^-exponent, whose absolute values sum to at most
    2^62."""
    largest = np.abs(columns).max(axis=1)
    # n numbers of at most 2^bits add up to at most 2^62, within 64-bit integers.
    bits = FIXED_POINT - math.ceil(math.log2(columns.shape[1]))
    exponent = np.where(largest > 0, bits - np.frexp(largest)[1], 0)
    return np.ascontiguousarray(np.rint(np.ldexp(columns, exponent[:, None]))).astype(
        np.int64
    ), exponent


def _all_flips(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Every subset of the queries once: for each query, the subsets without it, then those with
    it."""
    sums, flipped = np.zeros((len(values), 1), np.int64), np.zeros(1, np.int64)
    for column in values.T:
        sums, flipped = (
            np.concatenate([sums, sums + column[:, None]], axis=1),
            np.append(flipped, flipped + 1),
        )
    return sums, flipped


def bootstrap_t(columns: np.ndarray, resamples: int, seed: int) -> np.ndarray:
    """Absolute value of Student's t of resamples about the mean of the sample; infinite if a
    resample repeats one value.

    Parameters
    ----------
    columns : ndarray, shape (n, m)
        Less their means.

    Returns
    -------
    ndarray, shape (resamples, m)
        0 where a resample of one value has the sample's mean.
    """
    n, m = columns.shape
    generator = np.random.default_rng(seed).bit_generator
    if n > LIKE_SCIPY:
        sums, squares = query_counts.moments(np.ascontiguousarray(columns.T), resamples, generator)
        return _sizes_of_t(sums / n, squares / n, n)
    squares = columns**2
    # few columns: shares that stay in the nearest memory, many: fewer readings of the columns
    batch = max(1, CELLS * min(m, 16) // (16 * n))
    return np.concatenate(
        [
            _sizes_of_t(share @ columns, share @ squares, n)
            for share in query_draws.bootstrap_shares(n, resamples, batch, generator)
        ]
    )


def _sizes_of_t(mean: np.ndarray, square: np.ndarray, n: int) -> np.ndarray:
    """From the means of resamples and of their squares."""
    variance = square - mean**2
    # rounding of the sums stays below 1e-14
    variance[variance <= 1e-13 * square] = 0
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.abs(mean) * math.sqrt(n - 1) / np.sqrt(variance)
    size[np.isnan(size)] = 0
    return size


def null_spreads(
    systems: np.ndarray, resamples: int, seed: int, baseline: int | None = None
) -> list[tuple[np.ndarray, bool]]:
    """The ranges of the means when the systems' values are shuffled within each query, for each
    measure.

    Parameters
    ----------
    systems : ndarray, shape (k, m, n)
        Values of k systems by m measures for n queries.
    baseline : int, optional
        The place of a system: the greatest distance of another mean from its.  Without it, the
        range of all means.

    Returns
    -------
    spreads : ndarray
        In all shuffles of the queries on which the systems differ, each as often, where there are
        at most `resamples` or 2^16 of them; otherwise in `resamples` shuffles of all queries.
    is_exact : bool
        Whether these are all shuffles.
    """
    k, m, n = systems.shape
    flat, exponent = fixed_point(systems.transpose(1, 0, 2).reshape(m, k * n))
    values = np.ascontiguousarray(flat.reshape(m, k, n).transpose(2, 0, 1))
    is_changed = values.max(axis=2) > values.min(axis=2)  # others are the same in every order
    most = max(resamples, 2**FEW_CHANGED)
    is_exact = [_are_all(math.factorial(k), int(n), most) for n in is_changed.sum(axis=0)]
    drawn = np.flatnonzero(~np.array(is_exact))
    spreads = {}
    if drawn.size:
        found = sign_flips.shuffled(
            np.ascontiguousarray(values[:, drawn]),
            -1 if baseline is None else baseline,
            resamples,
            np.random.default_rng(seed).bit_generator,
        )
        spreads = dict(zip(drawn.tolist(), found.T, strict=True))
    for j in np.flatnonzero(is_exact).tolist():
        spreads[j] = _all_shuffles(values[is_changed[:, j], j], baseline)
    return [(np.ldexp(spreads[j].astype(float), -exponent[j]) / n, is_exact[j]) for j in range(m)]


def _all_shuffles(values: np.ndarray, baseline: int | None) -> np.ndarray:
    """Every order of the systems for every query, each as often; `values` has shape (n, k).

    Without a baseline the systems may change places in all queries at once, so that the first query
    needs one order.
    """
    k = values.shape[1]
    orders = np.array(list(permutations(range(k))))
    is_first = baseline is None and len(values) > 0
    sums = values[:1].copy() if is_first else np.zeros((1, k), np.int64)
    for row in values[is_first:]:
        sums = (sums[:, None] + row[orders]).reshape(-1, k)
    low, high = sums.min(axis=1), sums.max(axis=1)
    return (
        high - low
        if baseline is None
        else np.maximum(high - sums[:, baseline], sums[:, baseline] - low)
    )


def _are_all(orders: int, n: int, resamples: int) -> bool:
    """True if all orders of n queries are enumerated instead of drawn, as in SciPy."""
    # From 64 queries on there are more orders than resamples can be: the power is not computed.
    return n < 64 and orders**n <= resamples
