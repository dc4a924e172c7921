"""Differences of the weights that documents of a pool have in pairs of runs, and their order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def weight_differences(weights: np.ndarray, pairs: Sequence[tuple[int, int]]) -> np.ndarray:
    """Rows of `weights` less others: a row for each pair of runs."""
    found = np.empty((len(pairs), weights.shape[1]))
    for row, (one, other) in zip(found, pairs, strict=True):
        np.subtract(weights[one], weights[other], out=row)
    return found


def sorted_differences(
    weights: np.ndarray, pairs: Sequence[tuple[int, int]]
) -> tuple[np.ndarray, np.ndarray]:
    """The differences of the rows of each pair that are not 0, rising, one pair after the other;
    and where each begins."""
    of_runs = [np.flatnonzero(row) for row in weights]
    is_sparse = 4 * max(map(len, of_runs), default=0) <= weights.shape[1]
    found = [np.zeros(0)]
    for one, other in pairs:
        first, second = weights[one], weights[other]
        if is_sparse:
            found.append(_sparse_difference(first, second, of_runs[one], of_runs[other]))
            continue
        difference = first - second
        difference = difference[difference != 0]
        difference.sort()
        found.append(difference)
    start = np.cumsum([len(differences) for differences in found])
    return np.concatenate(found), start.astype(np.int64)


def _sparse_difference(
    first: np.ndarray, second: np.ndarray, of_first: np.ndarray, of_second: np.ndarray
) -> np.ndarray:
    """The same of two rows that are 0 almost everywhere.  Where they share no document they are in
    order already, as documents of a pool are numbered run by run from the best down: the stable
    sort of numpy then only looks."""
    there = second[of_first]
    if not there.any():
        apart = np.concatenate([-second[of_second], first[of_first][::-1]])
        apart.sort(kind="stable")
        return apart
    own = first[of_first] - there
    difference = np.concatenate([own[own != 0], -second[of_second[first[of_second] == 0]]])
    difference.sort()
    return difference


def sort_rows(rows: np.ndarray) -> None:
    """Sort each row, in place.  In a large pool most documents are in neither run of a pair: the
    zeros among their weights need no sorting."""
    if 2 * np.count_nonzero(rows) > rows.size:
        rows.sort(axis=1)
        return
    for row in rows:
        some = row[row != 0]
        some.sort()
        n_below = int(np.searchsorted(some, 0.0))
        row.fill(0.0)
        row[:n_below] = some[:n_below]
        row[len(row) - (len(some) - n_below) :] = some[n_below:]
