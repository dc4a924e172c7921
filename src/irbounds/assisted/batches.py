"""Earlier labels that are denser in a part of the pairs than elsewhere: they were drawn for fewer
runs, or for a smaller cut-off, than those that are drawn now."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations, islice

import numpy as np

from irbounds.assisted.cautions import log_chance

# The probability of labels as uneven as that, below which they were not drawn from all pairs alike;
# over the number of parts that are compared.
UNLIKELY_PART = 1e-3
MOST_RUNS = 5  # of which every subset is compared; of more, single ones
MOST_DEPTHS = 20  # that are compared


class EarlierPart:
    """Pairs among which earlier labels are denser, and how to even that out.

    Parameters
    ----------
    ranks : ndarray
        A row for each run: the ranks of pairs, infinite where they do not count.
    is_labelled, group : ndarray
        Whether each pair has a label, and its stratum.
    """

    def __init__(self, ranks: np.ndarray, is_labelled: np.ndarray, group: np.ndarray) -> None:
        self.is_inside = _densest_part(ranks, is_labelled, group)
        most = int(group.max()) + 1
        cell = 2 * group + self.is_inside
        shape = (most, 2)
        self._size = np.bincount(cell, minlength=2 * most).reshape(shape)
        self._labelled = np.bincount(cell[is_labelled], minlength=2 * most).reshape(shape)

    def needed(self) -> np.ndarray:
        """New labels of each stratum with which pairs outside have as many as those inside."""
        outside, inside = self._labelled.T
        rate = inside / np.maximum(self._size[:, 1], 1)
        return np.maximum(np.rint(rate * self._size[:, 0]) - outside, 0).astype(int)

    def outside(self, n: int, stratum: int) -> int:
        """How many of n new labels of a stratum go to pairs outside of the part."""
        size, labelled = self._size[stratum], self._labelled[stratum]
        free = size - labelled
        wanted = (labelled.sum() + n) * size[0] / max(size.sum(), 1) - labelled[0]
        return int(min(max(round(wanted), n - free[1], 0), free[0], n))


def _densest_part(ranks: np.ndarray, is_labelled: np.ndarray, group: np.ndarray) -> np.ndarray:
    """The top of some of the runs in which labels are most surely denser than in the other pairs of
    their stratum; all pairs where that may be chance."""
    everywhere = np.ones(is_labelled.size, bool)
    if not is_labelled.any() or not len(ranks):
        return everywhere
    most = int(group.max()) + 1
    # Labels for each pair of a stratum, in random samples.
    rate = np.bincount(group[is_labelled], minlength=most) / np.bincount(group, minlength=most)
    mean = rate[group]
    sums = [(float(is_labelled[part].sum()), float(mean[part].sum())) for part in _parts(ranks)]
    found, expected = np.array(sums).T
    chance = log_chance(found, expected, int(is_labelled.sum()))
    best = int(np.argmin(chance))
    if chance[best] >= math.log(UNLIKELY_PART / chance.size):
        return everywhere
    return next(islice(_parts(ranks), best, None))


def _parts(ranks: np.ndarray) -> Iterator[np.ndarray]:
    """The pairs at some rank or above in any of some runs."""
    found = np.unique(ranks[np.isfinite(ranks)])
    depths = np.unique(np.quantile(found, np.linspace(0, 1, MOST_DEPTHS), method="lower"))
    n_runs = len(ranks)
    for k in range(1, n_runs + 1) if n_runs <= MOST_RUNS else (1,):
        for rows in combinations(range(n_runs), k):
            nearest = ranks[list(rows)].min(axis=0)
            for depth in depths.tolist():
                yield nearest <= depth
