"""Tukey's honestly significant differences for systems on the same queries.

Queries are blocks: a hard one is hard for all systems.  Taken out as in a two-way layout without replication
(Carterette 2012; Sakai 2018, "Laboratory Experiments in Information Retrieval"), they leave only what tells systems
apart; `scipy.stats.tukey_hsd` takes the samples as independent and keeps their spread, so that few differences remain.
"""
from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from irbounds.comparison.paired_tests import Plan
from irbounds.comparison.resampling import null_ranges


class Honest(NamedTuple):
    """Arrays of shape (pairs, measures), and the residual standard deviation, shape (measures,)."""

    statistic: np.ndarray
    p_value: np.ndarray
    margin: np.ndarray
    residual: np.ndarray


def residual_deviation(systems: np.ndarray) -> np.ndarray:
    """Of values less the effects of system and query; `systems` has shape (systems, measures, queries)."""
    k, m, n = systems.shape
    if k < 2 or n < 2:
        return np.full(m, math.nan)
    rest = (systems - systems.mean(axis=2, keepdims=True) - systems.mean(axis=0, keepdims=True)
            + systems.mean(axis=(0, 2), keepdims=True))
    return np.sqrt((rest**2).sum(axis=(0, 2)) / ((k - 1) * (n - 1)))


def two_way(systems: np.ndarray, differences: np.ndarray, plan: Plan) -> Honest:
    """By the studentised range with (systems - 1)(queries - 1) degrees of freedom; of two systems, the paired t-test.

    Parameters
    ----------
    systems : ndarray, shape (systems, measures, queries)
    differences : ndarray, shape (pairs, measures)
        Of means.
    plan : Plan
    """
    from scipy.stats import studentized_range

    k, _, n = systems.shape
    residual = residual_deviation(systems)
    freedom = (k - 1) * (n - 1)
    if n < 2:
        nothing = np.full(differences.shape, math.nan)
        return Honest(nothing, nothing, nothing, residual)
    error = residual / math.sqrt(n)
    is_exact = error <= 1e-14 * np.abs(systems).max(axis=(0, 2))  # but for rounding, queries move all systems alike
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.where(is_exact, np.where(differences == 0, 0.0, math.inf), np.abs(differences) / error)
    p_value = np.where(np.isinf(statistic), 0.0, studentized_range.sf(np.where(np.isinf(statistic), 0, statistic),
                                                                      k, freedom))
    margin = np.where(is_exact, 0.0, studentized_range.ppf(1 - plan.alpha, k, freedom) * error)
    return Honest(statistic, np.clip(p_value, 0, 1), np.broadcast_to(margin, differences.shape), residual)


def randomised(systems: np.ndarray, differences: np.ndarray, plan: Plan) -> Honest:
    """By the range of the means when the systems' values are shuffled within every query (Carterette 2012).

    Takes and returns what `two_way` does.
    """
    ranges, is_exact = null_ranges(systems, plan.resamples, plan.seed)
    added = 0 if is_exact else 1
    size = np.abs(differences)
    room = 1e-13 * np.maximum(size, np.abs(systems).mean(axis=(0, 2)))
    p_value = np.empty(size.shape)
    for pair in range(len(size)):
        p_value[pair] = (np.count_nonzero(ranges >= size[pair] - room[pair], axis=0) + added) / (len(ranges) + added)
    place = math.ceil(plan.alpha * (len(ranges) + added) - added - 1e-9)
    margin = np.sort(ranges, axis=0)[-place] if place > 0 else np.full(ranges.shape[1], math.inf)
    return Honest(size, p_value, np.broadcast_to(margin, size.shape), residual_deviation(systems))
