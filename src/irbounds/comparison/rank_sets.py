"""Which ranks a system may have: 1 and those that are better, to all less those that are worse.

Pairs are told apart by paired t-tests.  Where a correction keeps the chance of any false claim
about the pairs at α, all true ranks lie in their sets together with the chance 1 - α (Mogstad,
Romano, Shaikh & Wilhelm 2024): a true rank leaves its set only if some pair is claimed the wrong
way round, or claimed though equal.

"max-t" claims a pair where both Student's t and Hall's (1992) transform of it, which takes off the
skewness, are beyond Bonferroni's point and that of the bootstrap (`rank_bootstrap`).  Each alone
errs too often where scores are skewed: `benchmarks/results/query_decisions.md`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from irbounds.comparison.corrections import adjust
from irbounds.comparison.rank_bootstrap import EQUAL, bootstrap_points
from irbounds.comparison.rank_draws import Units

MAX_T = "max-t"
CORRECTIONS = (MAX_T, "bonferroni", "holm")


class RankSets(NamedTuple):
    """Least and greatest ranks, each of shape (systems,), and what the pairs were told apart by.

    `is_better[i, j]` says that i is better than j, by all pairs taken together.
    """

    low: np.ndarray
    high: np.ndarray
    single_low: np.ndarray
    single_high: np.ndarray
    is_better: np.ndarray


class Pairs(NamedTuple):
    """Mean differences, Student's t, and Hall's transform of it, each of shape (systems, systems).

    t is nan where there is no variance.
    """

    mean: np.ndarray
    t: np.ndarray
    hall: np.ndarray
    freedom: float


def compare_pairs(units: Units) -> Pairs:
    """Groups are what is sampled: their means are compared, with 1/Σ w² - 1 degrees of freedom.

    With u = t/√n, n = 1/Σ w², and the skewness γ, Hall's transform is √n (u + γ u²/3 + γ² u³/27 +
    γ/(6 n)).
    """
    means, weights = units.group_means(), units.weights
    n, systems = means.shape
    squares = math.fsum(weights**2)
    mean = np.zeros((systems, systems))
    t, hall = np.full((2, systems, systems), math.nan)
    if n < 2:
        return Pairs(mean, t, hall, 0.0)
    room = EQUAL * np.abs(means).max(axis=0)
    column, root = weights[:, None], math.sqrt(squares)
    for i in range(systems):
        apart = means[:, i : i + 1] - means
        apart[np.abs(apart) <= np.maximum(room[i], room)] = 0.0
        own = (column * apart).sum(axis=0)
        mean[i] = own
        is_known = np.ptp(apart, axis=0) > np.maximum(room[i], room)
        apart -= own
        square = apart * apart
        with np.errstate(divide="ignore", invalid="ignore"):
            t[i] = own / np.sqrt((column**2 * square).sum(axis=0) / (1 - squares))
            spread = np.sqrt((column * square).sum(axis=0) / (1 - squares))
            skewness = (column * (square * apart)).sum(axis=0) / (spread * spread * spread)
            u = t[i] * root
            straight = u + skewness * u * u / 3 + skewness * skewness * u * u * u / 27
            hall[i] = (straight + skewness * squares / 6) / root
        t[i, ~is_known] = hall[i, ~is_known] = math.nan
    return Pairs(mean, t, hall, 1 / squares - 1)


def pair_p_values(pairs: Pairs) -> np.ndarray:
    """Two-sided p-values of every pair; 1 without variance: nothing is claimed."""
    from scipy.special import stdtr

    p_value = np.ones(pairs.t.shape)
    is_known = ~np.isnan(pairs.t)
    p_value[is_known] = 2 * stdtr(pairs.freedom, -np.abs(pairs.t[is_known]))
    # one number for a pair, whichever way round
    return np.maximum(p_value, p_value.T)


def rank_sets(
    units: Units, correction: str | None, alpha: float, rng: np.random.Generator
) -> RankSets:
    """Simultaneous intervals of ranks, and individual ones."""
    pairs = compare_pairs(units)
    tell = _by_max_t if correction == MAX_T else _by_p_values
    found, single = tell(pairs, units, correction, alpha, rng)
    mean, systems = pairs.mean, len(pairs.mean)
    is_better = (found | found.T) & (mean > 0)
    single_better, single_worse = single & (mean > 0), single & (mean < 0)
    return RankSets(
        1 + is_better.sum(axis=0),
        systems - is_better.sum(axis=1),
        1 + single_worse.sum(axis=1),
        systems - single_better.sum(axis=1),
        is_better,
    )


Told = tuple[np.ndarray, np.ndarray]  # apart of all pairs, and of the pairs of a row's system


def _by_p_values(
    pairs: Pairs, units: Units, correction: str | None, alpha: float, rng: np.random.Generator
) -> Told:
    p_value = pair_p_values(pairs)
    systems = len(p_value)
    first, second = np.triu_indices(systems, 1)
    found, single = np.zeros((2, systems, systems), bool)
    found[first, second] = adjust(p_value[first, second], correction) < alpha
    for i in range(systems):
        others = np.arange(systems) != i
        single[i, others] = adjust(p_value[i, others], correction) < alpha
    return found, single


def _by_max_t(
    pairs: Pairs, units: Units, correction: str | None, alpha: float, rng: np.random.Generator
) -> Told:
    from scipy.special import stdtrit

    systems = len(pairs.t)
    found = np.zeros((systems, systems), bool)
    if pairs.freedom <= 0:
        return found, found
    straight = np.maximum(np.sign(pairs.t) * pairs.hall, 0)  # 0 where it says the other way
    size = np.nan_to_num(np.minimum(np.abs(pairs.t), straight))
    size = np.minimum(size, size.T)
    tails = alpha / 2 / np.append(np.full(systems, systems - 1), systems * (systems - 1) / 2)
    points = np.maximum(bootstrap_points(units, alpha, rng), -stdtrit(pairs.freedom, tails))
    return size > points[-1], size > points[:-1, None]


def tiers_of(order: np.ndarray, is_better: np.ndarray) -> list[list[int]]:
    """Systems in order, the best first: a tier begins with the best one that is left, and takes
    those after it that it is not better than, up to the first that it is."""
    tiers: list[list[int]] = []
    for system in order.tolist():
        if tiers and not is_better[tiers[-1][0], system]:
            tiers[-1].append(system)
        else:
            tiers.append([system])
    return tiers
