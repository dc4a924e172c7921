"""The paired tests where queries come in groups, which are the sample.

A group's sum of differences is symmetric about 0, or has the mean 0, where the systems do not
differ, however alike its queries are.  Groups of one size have the tests of their means; of others

- signs of sums are changed, and a set of groups has its sum over its size for a mean;
- Student's t is that of `GroupedMeans`, and the bootstrap draws its terms again;
- Wilcoxon's and the sign test take the groups' means, each group once.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from irbounds.comparison.significance.paired_tests import (
    Outcome,
    Plan,
    bootstrap_test,
    least_p,
    permutation_test,
    raised,
    sign_p_of_one_size,
    t_test,
)
from irbounds.comparison.significance.tukey import Honest, randomised, two_way
from irbounds.queries.groups import GroupedMeans, Groups

GroupedTest = Callable[[np.ndarray, Plan, Groups], Outcome]
ROUNDING = 1e-12  # relative: sums that differ from 0 by it are 0


def group_sums(differences: np.ndarray, groups: Groups) -> np.ndarray:
    """Sums over the queries of each group, shape (groups, columns); 0 where rounding makes them."""
    sums = groups.sums(differences)
    sums[np.abs(sums) <= ROUNDING * groups.sums(np.abs(differences))] = 0.0
    return sums


def group_means(differences: np.ndarray, groups: Groups) -> np.ndarray:
    """Means of each group."""
    sizes = groups.sizes if differences.ndim == 1 else groups.sizes[:, None]
    return np.asarray(group_sums(differences, groups) / sizes)


def grouped_permutation(differences: np.ndarray, plan: Plan, groups: Groups) -> Outcome:
    """Whole groups change sign: exact for any dependence within them."""
    if groups.are_equal:
        return permutation_test(group_means(differences, groups), plan)
    return permutation_test(group_sums(differences, groups), plan, groups.sizes)


def grouped_t(differences: np.ndarray, plan: Plan, groups: Groups) -> Outcome:
    """Student's, with the variance CR2; of sums as well (Fieller), whose p-value counts if it is
    larger, but for means far from 0."""
    if groups.are_equal or len(groups) < 2:
        return t_test(group_means(differences, groups), plan)
    means = GroupedMeans.of(differences, groups)
    mean, error = means.mean, means.error
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.where(error > 0, mean / error, math.nan)
    p_value = np.array([2 * min(tails) for tails in means.tails()])
    is_nothing = (error == 0) & (mean == 0)
    p_value = np.where(is_nothing, 1.0, np.where(error > 0, p_value, math.nan))
    below, above = (np.where(error > 0, end, math.nan) for end in means.margins(plan.alpha / 2))
    least = sign_p_of_one_size(group_sums(differences, groups))
    statistic = np.where(is_nothing, 0.0, statistic)
    return raised(least, statistic, p_value, mean, mean - below, mean + above)


def grouped_bootstrap(differences: np.ndarray, plan: Plan, groups: Groups) -> Outcome:
    """Groups are drawn again, each by its term of the mean; the changes of their signs must agree.

    Where few groups are large, few resamples are like the sample: of 10 groups, one of 40 queries
    and the others of 2, the bootstrap alone erred in .13 at .05.
    """
    if groups.are_equal or len(groups) < 2:
        return bootstrap_test(group_means(differences, groups), plan)
    found, sums = bootstrap_test(_terms(differences, groups), plan), group_sums(differences, groups)
    of_signs = grouped_permutation(differences, plan, groups)
    low, high = np.minimum(found.low, of_signs.low), np.maximum(found.high, of_signs.high)
    least = np.maximum(least_p(np.count_nonzero(sums, axis=0)), sign_p_of_one_size(sums))
    p_value = np.where(
        np.isnan(found.p_value), math.nan, np.maximum(found.p_value, of_signs.p_value)
    )
    return raised(least, found.statistic, p_value, found.estimate, low, high)


def _terms(values: np.ndarray, groups: Groups) -> np.ndarray:
    """Values of groups whose mean is that of the queries, and whose standard error is CR2's."""
    means = GroupedMeans.of(values, groups)
    away = means.away / np.sqrt(1 - groups.weights)[:, None]
    away -= away.mean(axis=0)
    spread = away.std(axis=0, ddof=1)
    wanted = means.error * math.sqrt(len(groups))
    scale = np.divide(wanted, spread, out=np.zeros_like(spread), where=spread > 0)
    return np.asarray(means.mean + away * scale)


def on_group_means(test: Callable[[np.ndarray, Plan], Outcome]) -> GroupedTest:
    """The test of the groups' means, each group once."""
    return lambda differences, plan, groups: test(group_means(differences, groups), plan)


def grouped_two_way(
    systems: np.ndarray,
    differences: np.ndarray,
    plan: Plan,
    baseline: int | None,
    groups: Groups,
) -> Honest:
    """`two_way` with groups as blocks, and as many degrees of freedom as they have."""
    k, m, n = systems.shape
    if len(groups) < 2:
        return two_way(systems[:, :, :1], differences, plan, baseline)
    terms = _terms(systems.reshape(k * m, n).T, groups).T.reshape(k, m, len(groups))
    return two_way(terms, differences, plan, baseline, groups.freedom)


def grouped_randomised(
    systems: np.ndarray,
    differences: np.ndarray,
    plan: Plan,
    baseline: int | None,
    groups: Groups,
) -> Honest:
    """`randomised` with the systems' sums shuffled within every group."""
    k, m, n = systems.shape
    sums = groups.sums(systems.reshape(k * m, n).T) * (len(groups) / n)
    blocks = np.ascontiguousarray(sums.T.reshape(k, m, len(groups)))
    return randomised(blocks, differences, plan, baseline)
