"""Ranks of systems when the queries are drawn again: how often each is best, or above another."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from irbounds._core import query_draws

BATCH = 500  # draws whose weights are held at a time
DRAW_METHODS = ("bayesian-bootstrap", "t")


class Units(NamedTuple):
    """The units that are drawn again.

    Attributes
    ----------
    values : ndarray, shape (units, systems)
        Higher is better.
    groups : ndarray of int, shape (units,)
        The group (a task, say) that each unit is of, 0, 1, …; each unit its own without groups.
    weights : ndarray, shape (groups,)
        Weights of the groups in the mean; their sum is 1.
    """

    values: np.ndarray
    groups: np.ndarray
    weights: np.ndarray

    @property
    def is_nested(self) -> bool:
        """Whether a group has several units, which are then drawn as well."""
        return len(self.weights) < len(self.groups)

    def group_means(self) -> np.ndarray:
        """Shape (groups, systems)."""
        if not self.is_nested:
            return self.values
        sums = np.zeros((len(self.weights), self.values.shape[1]))
        np.add.at(sums, self.groups, self.values)
        return sums / np.bincount(self.groups)[:, None]

    def means(self) -> np.ndarray:
        """The weighted mean of the group means, by system."""
        return np.array(
            [math.fsum(column) for column in (self.weights[:, None] * self.group_means()).T]
        )


class DrawnRanks(NamedTuple):
    """Shares of draws.

    Attributes
    ----------
    best : ndarray, shape (systems,)
        In which a system is best; of k equal ones each counts 1/k.
    beats : ndarray, shape (systems, systems)
        In which the first is above the second; equal ones count half.
    ranks : ndarray, shape (systems, systems)
        In which a system (row) has the rank 1, 2, … (column); equal ones share the best of theirs.
    """

    best: np.ndarray
    beats: np.ndarray
    ranks: np.ndarray


def draw_ranks(units: Units, method: str, draws: int, rng: np.random.Generator) -> DrawnRanks:
    """Ranks of the means under random weights of the units."""
    values = np.ascontiguousarray(units.values)
    systems = values.shape[1]
    best, above = np.zeros(systems), np.zeros((systems, systems), np.int32)
    ranks = np.zeros((systems, systems), np.int32)
    for first in range(0, draws, BATCH):
        count = min(BATCH, draws - first)
        weights = _weights(units, method, count, rng)
        query_draws.add_ranks(np.ascontiguousarray(weights), values, best, above, ranks)
    # each pair is above, below or equal
    beats = (1 + (above.astype(float) - above.T) / draws) / 2
    return DrawnRanks(best / draws, beats, ranks / draws)


def _weights(units: Units, method: str, count: int, rng: np.random.Generator) -> np.ndarray:
    """Random weights of the units, shape (count, units)."""
    of_groups = _draw(units.weights, method, count, rng)
    if not units.is_nested:
        return of_groups[:, units.groups]
    within = np.empty((count, len(units.groups)))
    for group in range(len(units.weights)):
        places = np.flatnonzero(units.groups == group)
        within[:, places] = _draw(np.full(len(places), 1 / len(places)), method, count, rng)
    return within * of_groups[:, units.groups]


def _draw(weights: np.ndarray, method: str, count: int, rng: np.random.Generator) -> np.ndarray:
    """Weights about those given.

    "bayesian-bootstrap": times exponential variates, which is Dirichlet(1, …, 1) for equal ones.
    "t": w_i (1 + (g_i - Σ w g) √c √(ν/χ²)), g normal.  Weighted means then have the covariance of
    the weighted mean: c = 1/(1 - Σ w²), which is n/(n - 1) for equal weights, makes up for the
    mean that was taken off, and ν = 1/Σ w² - 1 are its degrees of freedom.
    """
    if len(weights) == 1:
        return np.ones((count, 1)) * weights
    if method == "bayesian-bootstrap":
        drawn = rng.standard_exponential((count, len(weights))) * weights
        return drawn / drawn.sum(axis=1, keepdims=True)
    squares = math.fsum(weights**2)
    freedom = 1 / squares - 1
    normal = rng.standard_normal((count, len(weights)))
    spread = np.sqrt(freedom / rng.chisquare(freedom, (count, 1)) / (1 - squares))
    moved = (normal - (normal * weights).sum(axis=1, keepdims=True)) * spread
    return weights * (1 + moved)
