"""Tests of paired values: is the difference between two systems more than chance, and where may it lie?

Each takes columns of differences, one for each pair of systems and measure, and goes through SciPy.  p-values are
two-sided.  The interval is the one that belongs to the test: of the mean (permutation, t, bootstrap), of the
pseudo-median (Wilcoxon) or of the median (sign), which are one under the symmetry that their tests assume.
"""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from irbounds.comparison.resampling import bootstrap_means, sign_flips

ROUNDING = 1e-14  # of sums that are equal but for rounding, relative to what was summed
LONGEST_EXACT = 50  # queries to which SciPy takes the exact distribution of Wilcoxon's statistic
LONGEST_WALSH = 2000  # queries whose averages of pairs are all held at once


class Outcome(NamedTuple):
    """Arrays of shape (columns,)."""

    statistic: np.ndarray
    p_value: np.ndarray
    estimate: np.ndarray
    low: np.ndarray
    high: np.ndarray


class Plan(NamedTuple):
    """What a test is told: 1 - the level of its intervals, and how to resample."""

    alpha: float
    resamples: int
    seed: int


def t_test(differences: np.ndarray, plan: Plan) -> Outcome:
    """Student's, as `scipy.stats.ttest_rel`; equal differences leave no doubt, one query leaves nothing to go by."""
    from scipy.stats import ttest_1samp

    def one(column: np.ndarray) -> tuple[float, ...]:
        mean = float(column.mean())
        if len(column) < 2:
            return math.nan, math.nan, mean, math.nan, math.nan
        if (column == column[0]).all():
            is_zero = column[0] == 0
            return 0.0 if is_zero else math.copysign(math.inf, mean), float(is_zero), mean, mean, mean
        result = ttest_1samp(column, 0.0)
        return result.statistic, result.pvalue, mean, *result.confidence_interval(1 - plan.alpha)

    return _by_column(one, differences)


def permutation_test(differences: np.ndarray, plan: Plan) -> Outcome:
    """Fisher's randomisation test of the mean, as `scipy.stats.permutation_test` with permutation_type="samples".

    The interval holds every shift that the test, on the same sign changes, would not reject: its ends are quantiles of
    the means of the flipped queries (Hartigan 1969, "Using subsample values as typical values").
    """
    n, m = differences.shape
    sums, flipped, is_exact = sign_flips(differences, plan.resamples, plan.seed)
    added = 0 if is_exact else 1
    total = differences.sum(axis=0)
    room = 100 * np.finfo(float).eps * np.maximum(np.abs(total), np.abs(differences).sum(axis=0))
    tails = [np.count_nonzero(side, axis=0) for side in (sums <= total + room, sums >= total - room)]
    p_value = np.minimum(2 * (np.minimum(*tails) + added) / (len(sums) + added), 1.0)
    is_moved = flipped > 0
    place = math.ceil(plan.alpha / 2 * (len(sums) + added) - added - np.count_nonzero(~is_moved) - 1e-9)
    low, high = np.full(m, -math.inf), np.full(m, math.inf)
    if place > 0:
        means = np.sort((total - sums[is_moved]) / 2 / flipped[is_moved, None], axis=0)
        low, high = means[place - 1], means[-place]
    return Outcome(total / n, p_value, total / n, low, high)


def wilcoxon_test(differences: np.ndarray, plan: Plan) -> Outcome:
    """Wilcoxon's signed ranks, as `scipy.stats.wilcoxon`, which drops differences of 0.

    The interval is that of Hodges and Lehmann: quantiles of the averages of all pairs of differences, those of 0 too.
    """
    from scipy.stats import wilcoxon

    def one(column: np.ndarray) -> tuple[float, ...]:
        moved = column[column != 0]
        result = wilcoxon(column) if moved.size else None
        trimmed = _wilcoxon_quantile(column, plan.alpha)
        n_pairs = len(column) * (len(column) + 1) // 2
        middle = (_walsh(column, (n_pairs - 1) // 2) + _walsh(column, n_pairs // 2)) / 2
        low, high = ((_walsh(column, trimmed), _walsh(column, n_pairs - 1 - trimmed)) if trimmed >= 0
                     else (-math.inf, math.inf))
        if result is None:
            return 0.0, 1.0, middle, low, high
        return result.statistic, result.pvalue, middle, low, high

    return _by_column(one, differences)


def sign_test(differences: np.ndarray, plan: Plan) -> Outcome:
    """The binomial test of wins against losses, as `scipy.stats.binomtest`; the interval is that of the median."""
    from scipy.stats import binom, binomtest

    n = len(differences)
    rejected = int(binom.ppf(plan.alpha / 2, n, 0.5)) - 1  # the most wins that are too few
    while 2 * binom.cdf(rejected + 1, n, 0.5) < plan.alpha:
        rejected += 1

    def one(column: np.ndarray) -> tuple[float, ...]:
        wins, losses = int(np.count_nonzero(column > 0)), int(np.count_nonzero(column < 0))
        p_value = binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
        ordered = np.sort(column)
        middle = float(ordered[n // 2] + ordered[(n - 1) // 2]) / 2
        low, high = (ordered[rejected], ordered[n - 1 - rejected]) if rejected >= 0 else (-math.inf, math.inf)
        return wins, p_value, middle, low, high

    return _by_column(one, differences)


def bootstrap_test(differences: np.ndarray, plan: Plan) -> Outcome:
    """The bootstrap of the mean, interval BCa as `scipy.stats.bootstrap` has it (Efron 1987).

    The p-value is the least level at which the BCa interval leaves 0 out, but no less than 2/(resamples + 1).
    """
    n, m = differences.shape
    mean = differences.mean(axis=0)
    if n < 2:
        nothing = np.full(m, math.nan)
        return Outcome(mean, nothing, mean, nothing, nothing)
    means = bootstrap_means(differences, plan.resamples, plan.seed)
    room = ROUNDING * np.abs(differences).mean(axis=0)
    outcomes = [_bca(differences[:, j], means[:, j], room[j], plan) for j in range(m)]
    return Outcome(mean, *(np.array(column, float) for column in zip(*outcomes, strict=True)))


def _bca(column: np.ndarray, means: np.ndarray, room: float, plan: Plan) -> tuple[float, float, float, float]:
    """p-value, mean, low, high."""
    from scipy.special import ndtr, ndtri

    mean = float(column.mean())
    if np.ptp(column) == 0:
        return 1.0 if mean == 0 else 2 / (plan.resamples + 1), mean, mean, mean
    away = column - mean
    skew = (away**3).sum() / (away**2).sum() ** 1.5 / 6
    bias = ndtri(_share_below(means, mean, room))
    ends = []
    for z in (ndtri(plan.alpha / 2), -ndtri(plan.alpha / 2)):
        level = ndtr(bias + (bias + z) / (1 - skew * (bias + z)))
        ends.append(float(np.quantile(means, level)) if not math.isnan(level) else math.nan)
    least = 1 / (plan.resamples + 1)
    at_zero = ndtri(min(max(_share_below(means, 0.0, room), least), 1 - least)) - bias
    tail = ndtr(at_zero / (1 + skew * at_zero) - bias) if 1 + skew * at_zero > 0 else float(at_zero > 0)
    return max(2 * min(tail, 1 - tail), 2 * least), mean, ends[0], ends[1]


def _share_below(values: np.ndarray, level: float, room: float) -> float:
    """The share of values below the level, those equal to it but for rounding counted by half."""
    return float(np.mean(values < level - room) + np.mean(values <= level + room)) / 2


def _wilcoxon_quantile(column: np.ndarray, alpha: float) -> int:
    """The greatest sum of ranks that is too low at this level, or -1: averages of pairs to leave out at either end."""
    from scipy.special import ndtri

    n = len(column)
    size = np.abs(column)
    if n <= LONGEST_EXACT and (column != 0).all() and len(np.unique(size)) == n:
        ways = np.ones(1)
        for rank in range(1, n + 1):
            ways = np.append(ways, np.zeros(rank)) + np.append(np.zeros(rank), ways)
        below = np.cumsum(ways) / 2.0**n
        return int(np.count_nonzero(2 * below < alpha)) - 1
    spread = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    return max(-1, math.ceil(n * (n + 1) / 4 + ndtri(alpha / 2) * spread) - 1)


def _walsh(column: np.ndarray, place: int) -> float:
    """The average of two differences, one with itself included, that stands at this place (from 0) of all in order."""
    if len(column) <= LONGEST_WALSH:
        rows, others = np.triu_indices(len(column))
        return float(np.partition((column[rows] + column[others]) / 2, place)[place])
    ordered = np.sort(column)
    ranks = np.arange(len(ordered))
    low, high = float(ordered[0]), float(ordered[-1])
    while True:
        middle = (low + high) / 2
        if not low < middle < high:
            return high
        upto = np.searchsorted(ordered, 2 * middle - ordered, side="right")
        if int(np.maximum(upto - ranks, 0).sum()) > place:  # pairs i <= j whose average is at most the middle
            high = middle
        else:
            low = middle


def _by_column(test: Callable[[np.ndarray], tuple[float, ...]], differences: np.ndarray) -> Outcome:
    rows = [test(differences[:, j]) for j in range(differences.shape[1])]
    return Outcome(*np.array(rows, float).reshape(len(rows), 5).T)


TESTS: dict[str, Callable[[np.ndarray, Plan], Outcome]] = {
    "permutation": permutation_test, "t": t_test, "wilcoxon": wilcoxon_test, "sign": sign_test,
    "bootstrap": bootstrap_test,
}
ESTIMANDS = {"permutation": "mean", "t": "mean", "wilcoxon": "pseudo-median", "sign": "median", "bootstrap": "mean"}
TITLES = {
    "permutation": "randomisation test", "t": "paired t-test", "wilcoxon": "Wilcoxon's signed-rank test",
    "sign": "sign test", "bootstrap": "BCa bootstrap",
}
RESAMPLING = ("permutation", "bootstrap")
