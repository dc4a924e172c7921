"""Which ranks a system may have: 1 and those that are better, to all less those that are worse.

Pairs are told apart by paired t-tests.  Where a correction keeps the chance of any false claim
about the pairs at α, all true ranks lie in their sets together with the chance 1 - α (Mogstad,
Romano, Shaikh & Wilhelm 2024): a true rank leaves its set only if some pair is claimed the wrong
way round, or claimed though equal.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from irbounds.comparison.corrections import adjust
from irbounds.comparison.rank_draws import Units

CORRECTIONS = ("bonferroni", "holm")
EQUAL = 1e-12  # relative: differences that are equal but for rounding


class RankSets(NamedTuple):
    """Least and greatest ranks, each of shape (systems,), and what the pairs were told apart by.

    `is_better[i, j]` says that i is better than j, by all pairs taken together.
    """

    low: np.ndarray
    high: np.ndarray
    single_low: np.ndarray
    single_high: np.ndarray
    is_better: np.ndarray


def pair_p_values(units: Units) -> tuple[np.ndarray, np.ndarray]:
    """Mean differences and two-sided p-values of every pair, each of shape (systems, systems).

    Groups are what is sampled: their means are compared, with 1/Σ w² - 1 degrees of freedom.  Pairs
    without variance get 1: nothing is claimed of them.
    """
    from scipy.special import stdtr

    means, weights = units.group_means(), units.weights
    n, systems = means.shape
    squares = math.fsum(weights**2)
    mean = np.zeros((systems, systems))
    p_value = np.ones((systems, systems))
    if n < 2:
        return mean, p_value
    freedom = 1 / squares - 1
    room = EQUAL * np.abs(means).max(axis=0)
    for i in range(systems):
        apart = means[:, i : i + 1] - means
        apart[np.abs(apart) <= np.maximum(room[i], room)] = 0.0
        own = (weights[:, None] * apart).sum(axis=0)
        variance = (weights[:, None] ** 2 * (apart - own) ** 2).sum(axis=0) / (1 - squares)
        is_known = np.ptp(apart, axis=0) > np.maximum(room[i], room)
        mean[i] = own
        statistic = np.abs(own[is_known]) / np.sqrt(variance[is_known])
        p_value[i, is_known] = 2 * stdtr(freedom, -statistic)
    # one number for a pair, whichever way round
    return mean, np.maximum(p_value, p_value.T)


def rank_sets(units: Units, correction: str | None, alpha: float) -> RankSets:
    """Ranks that hold together, and those of one system at a time."""
    mean, p_value = pair_p_values(units)
    systems = len(mean)
    first, second = np.triu_indices(systems, 1)
    found = np.zeros((systems, systems), bool)
    found[first, second] = adjust(p_value[first, second], correction) < alpha
    is_better = (found | found.T) & (mean > 0)
    single = np.zeros((systems, systems), bool)  # of a row's system alone
    for i in range(systems):
        others = np.arange(systems) != i
        single[i, others] = adjust(p_value[i, others], correction) < alpha
    single_better, single_worse = single & (mean > 0), single & (mean < 0)
    return RankSets(
        1 + is_better.sum(axis=0),
        systems - is_better.sum(axis=1),
        1 + single_worse.sum(axis=1),
        systems - single_better.sum(axis=1),
        is_better,
    )


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
