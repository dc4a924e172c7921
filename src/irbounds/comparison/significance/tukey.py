"""All pairs of systems on the same queries (Tukey's honestly significant differences), or all
against one (Dunnett).

Queries are blocks: a hard query is hard for all systems.  A two-way layout without replication
(Carterette 2012; Sakai 2018, "Laboratory Experiments in Information Retrieval") removes the effect
of the queries.  `scipy.stats.tukey_hsd` and `scipy.stats.dunnett` treat the samples as independent
and keep this effect, so that they find few differences.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from irbounds._core.common.exact_sum import column_means, column_sums
from irbounds.comparison.significance.dunnett import dunnett_quantile, dunnett_sf
from irbounds.comparison.significance.paired_tests import EQUAL, Plan
from irbounds.comparison.significance.resampling import null_spreads


class Honest(NamedTuple):
    """Arrays of shape (pairs, measures), and the residual standard deviation, shape (measures,)."""

    statistic: np.ndarray
    p_value: np.ndarray
    margin: np.ndarray
    residual: np.ndarray


def residual_deviation(systems: np.ndarray) -> np.ndarray:
    """The standard deviation of values minus the effects of system and query; `systems` has shape
    (systems, measures, queries).

    It is 0 if systems differ by the same amount on every query, up to rounding.
    """
    k, m, n = systems.shape
    if k < 2 or n < 2:
        return np.full(m, math.nan)
    residual = np.empty(m)
    for j in range(m):
        values = systems[:, j, :]
        # Two-way residuals: less the mean of the query and that of the system.
        rest = values - column_means(values)  # less the mean of each query
        rest -= column_means(rest.T)[:, None]
        deviation = math.sqrt(column_sums(rest.reshape(-1, 1) ** 2)[0] / ((k - 1) * (n - 1)))
        residual[j] = deviation if np.abs(rest).max() > EQUAL * np.abs(values).max() else 0.0
    return residual


def two_way(
    systems: np.ndarray, differences: np.ndarray, plan: Plan, baseline: int | None = None
) -> Honest:
    """Tests by the studentised range with (systems - 1)(queries - 1) degrees of freedom; with a
    baseline by Dunnett's distribution.

    For two systems both equal the paired t test.  If the residual is 0, there is no margin and no
    p-value, except 1 for systems that do not differ.

    Parameters
    ----------
    systems : ndarray, shape (systems, measures, queries)
    differences : ndarray, shape (pairs, measures)
        Differences of means.
    plan : Plan
    baseline : int, optional
        The place of the system that all differences are from.
    """
    from scipy.stats import studentized_range

    k, _, n = systems.shape
    residual = residual_deviation(systems)
    freedom = (k - 1) * (n - 1)
    if n < 2:
        nothing = np.full(differences.shape, math.nan)
        return Honest(nothing, nothing, nothing, residual)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.where(residual > 0, residual, math.nan) / math.sqrt(n)
        if baseline is None:
            statistic = np.abs(differences) / error
            p_value = studentized_range.sf(statistic, k, freedom)
            margin = studentized_range.ppf(1 - plan.alpha, k, freedom) * error
        else:
            # A difference of two means has √2 times the error of one.
            statistic = differences / (math.sqrt(2) * error)
            p_value = np.array(
                [
                    [math.nan if math.isnan(t) else dunnett_sf(t, k - 1, freedom) for t in row]
                    for row in np.abs(statistic).tolist()
                ]
            )
            margin = dunnett_quantile(plan.alpha, k - 1, freedom) * math.sqrt(2) * error
    is_nothing = (residual == 0) & (differences == 0)
    return Honest(
        np.where(is_nothing, 0.0, statistic),
        np.where(is_nothing, 1.0, np.clip(p_value, 0, 1)),
        np.broadcast_to(margin, differences.shape),
        residual,
    )


def randomised(
    systems: np.ndarray, differences: np.ndarray, plan: Plan, baseline: int | None = None
) -> Honest:
    """Tests by the range of the means when the systems' values are shuffled within every query
    (Carterette 2012), or with a baseline by their largest distance from its mean.

    Takes and returns the same as `two_way`.
    """
    spreads, is_exact = null_spreads(systems, plan.resamples, plan.seed, baseline)
    added = 0 if is_exact else 1
    size = np.abs(differences)
    # Spreads that equal the difference but for the rounding of the means count as at least as
    # large.
    tolerance = 1e-13 * np.maximum(size, np.abs(systems).mean(axis=2).mean(axis=0))
    p_value = np.empty(size.shape)
    for pair in range(len(size)):
        p_value[pair] = (
            np.count_nonzero(spreads >= size[pair] - tolerance[pair], axis=0) + added
        ) / (len(spreads) + added)
    # The margin is the spread that would have p = alpha: of B draws and the sample itself at most a
    # share alpha is as large.
    # 1e-9: a product that is whole but for rounding is not rounded up to the next number.
    place = math.ceil(plan.alpha * (len(spreads) + added) - added - 1e-9)
    margin = np.sort(spreads, axis=0)[-place] if place > 0 else np.full(spreads.shape[1], math.inf)
    largest = spreads.max(axis=0)
    # The p-value of the largest spread that can occur.
    least = (np.count_nonzero(spreads >= largest * (1 - 1e-12), axis=0) + added) / (
        len(spreads) + added
    )
    # no difference could be significant: too few queries
    margin[(least >= plan.alpha) & (largest > 0)] = math.inf
    return Honest(
        size if baseline is None else differences,
        p_value,
        np.broadcast_to(margin, size.shape),
        residual_deviation(systems),
    )
