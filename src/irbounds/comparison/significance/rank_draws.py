"""Ranks of systems when the queries are drawn again: how often each is best, or above another."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from irbounds._core.draws import query_draws
from irbounds.queries.groups import Units

BATCH = 500  # draws whose weights are held at a time
CELLS = 1_000_000  # ranks that are found at a time
DRAW_METHODS = ("bayesian-bootstrap", "t")


class DrawnRanks(NamedTuple):
    """Shares of draws, and ranks in them; equal systems share the best of their ranks.

    Attributes
    ----------
    best : ndarray, shape (systems,)
        In which share a system is best; of k equal ones each counts 1/k.
    beats : ndarray, shape (systems, systems), or None
        In which share the first is above the second; equal ones count half.
    expected : ndarray, shape (systems,)
        The mean rank.
    low, high : ndarray of int, shape (systems,)
        Quantiles of the rank: at most a share `tail` is below the first, and above the second.
    """

    best: np.ndarray
    beats: np.ndarray | None
    expected: np.ndarray
    low: np.ndarray
    high: np.ndarray


def draw_ranks(
    units: Units,
    method: str,
    draws: int,
    rng: np.random.Generator,
    tail: float = 0.025,
    has_beats: bool = True,
) -> DrawnRanks:
    """Ranks of the means under random weights of the units.

    Without `beats` time grows with n log n of n systems, and memory with n.
    """
    values = np.ascontiguousarray(units.values)
    tail += 1e-12  # levels carry rounding
    # the places of the quantiles among the draws in order, from 1
    places = math.floor(draws * tail) + 1, math.ceil(draws * (1 - tail))
    drawn = (
        _weights(units, method, min(BATCH, draws - first), rng) for first in range(0, draws, BATCH)
    )
    return (_all_pairs if has_beats else _by_sorting)(drawn, values, draws, places)


def _all_pairs(
    drawn: Iterable[np.ndarray], values: np.ndarray, draws: int, places: tuple[int, int]
) -> DrawnRanks:
    systems = values.shape[1]
    best, above = np.zeros(systems), np.zeros((systems, systems), np.int32)
    ranks = np.zeros((systems, systems), np.int32)
    for weights in drawn:
        query_draws.add_ranks(np.ascontiguousarray(weights), values, best, above, ranks)
    # each pair is above, below or equal
    beats = (1 + (above.astype(float) - above.T) / draws) / 2
    expected = ranks @ np.arange(1.0, systems + 1) / draws  # of whole numbers: exact sums
    np.cumsum(ranks, axis=1, out=ranks)
    low, high = (1 + np.argmax(ranks >= place, axis=1) for place in places)
    return DrawnRanks(best / draws, beats, expected, low, high)


def _by_sorting(
    drawn: Iterable[np.ndarray], values: np.ndarray, draws: int, places: tuple[int, int]
) -> DrawnRanks:
    systems = values.shape[1]
    rows = max(1, CELLS // systems)
    best, sums = np.zeros((2, systems))
    # of each system the least ranks so far and the greatest, as many as the quantiles ask for
    least, most = (np.empty((0, systems), np.int32) for _ in range(2))
    n_least, n_most = places[0], draws + 1 - places[1]
    for weights in drawn:
        for first in range(0, len(weights), rows):
            found = _ranks(weights[first : first + rows], values)
            is_best = found == 1
            best += (is_best / is_best.sum(axis=1, keepdims=True)).sum(axis=0)
            sums += found.sum(axis=0)
            least, most = np.concatenate([least, found]), np.concatenate([most, found])
            # Only ranks that can still be the quantile are kept, so memory does not grow with
            # draws.
            if len(least) > n_least:
                least = np.partition(least, n_least - 1, axis=0)[:n_least]
            if len(most) > n_most:
                most = np.partition(most, len(most) - n_most, axis=0)[-n_most:]
    return DrawnRanks(
        best / draws,
        None,
        sums / draws,
        least.max(axis=0).astype(int),
        most.min(axis=0).astype(int),
    )


def _ranks(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Ranks under each row of weights, from 1."""
    sums = np.zeros((len(weights), values.shape[1]))
    for q, row in enumerate(values):  # in the order of the kernel, so that equal sums are the same
        sums += weights[:, q : q + 1] * row
    order = np.argsort(-sums, axis=1)
    sums = np.take_along_axis(sums, order, axis=1)
    places = np.arange(1, sums.shape[1] + 1, dtype=np.int32)
    # Equal sums share the rank of the first of them: 0 where a sum equals the one before, then the
    # maximum so far.
    is_equal = sums[:, 1:] == sums[:, :-1]
    own = np.repeat(places[None, :], len(sums), axis=0)
    own[:, 1:][is_equal] = 0
    np.maximum.accumulate(own, axis=1, out=own)
    ranks = np.empty_like(own)
    np.put_along_axis(ranks, order, own, axis=1)
    return ranks


def _weights(units: Units, method: str, count: int, rng: np.random.Generator) -> np.ndarray:
    """Random weights of the units, shape (count, units)."""
    # Nested: groups are drawn, and the units in each on their own; the weights multiply.
    of_groups = _draw(units.weights, method, count, rng)
    groups = units.groups
    if groups is None:
        return of_groups
    if units.is_whole:
        return (of_groups / groups.sizes)[:, groups.codes]
    within = np.empty((count, len(groups.codes)))
    for group in range(len(groups)):
        places = np.flatnonzero(groups.codes == group)
        within[:, places] = _draw(np.full(len(places), 1 / len(places)), method, count, rng)
    return within * of_groups[:, groups.codes]


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
