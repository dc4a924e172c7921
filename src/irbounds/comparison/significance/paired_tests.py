"""Tests of paired values: is the difference between two systems more than chance, and where may it
lie?

Each takes columns of differences, one for each pair of systems and measure.  p-values are
two-sided.  The interval is the one that belongs to the test, which leaves 0 out exactly where the
p-value is below alpha.  It is of the mean (permutation, t, bootstrap), or of the pseudo-median
(Wilcoxon) or median (sign) of the differences that are not 0: these tests leave zeros out, and so
do their intervals.

No test that treats both directions alike, and holds its level for every symmetric distribution, can
give a p-value below 2^(1 - n), n the number of differences that are not 0.  Given their sizes, all
2^n patterns of signs are equally likely, and of the two that are most extreme, all + and all -, it
rejects both or neither.  A sample of the patterns, Wilcoxon's normal approximation and the
bootstrap could go below; they are held to it.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from irbounds._core.common.exact_sum import column_means, column_sums
from irbounds.comparison.significance.resampling import (
    CELLS,
    bootstrap_t,
    count_of,
    exact_tails,
    flip_signs,
)

EQUAL = 1e-12  # relative: differences that are equal but for rounding
TINY = 5e-324  # the double next to 0: an end that leaves out 0 and nothing else
ROUNDING = 1e-14  # of sums that are equal but for rounding, relative to what was summed
# Queries that differ, to which Wilcoxon's statistic has its exact distribution, and to which all
# signs are counted where sizes tie.  SciPy counts those that do not differ as well, and ties to 13.
LONGEST_EXACT, LONGEST_COUNTED = 50, 16
LONGEST_WALSH = 1000  # queries whose averages of pairs are all held at once


class Outcome(NamedTuple):
    """Arrays of shape (columns,); `is_raised`: the test's own p-value is lower than the signs of
    the differences allow, and has been raised to that."""

    statistic: np.ndarray
    p_value: np.ndarray
    estimate: np.ndarray
    low: np.ndarray
    high: np.ndarray
    is_raised: np.ndarray


class Plan(NamedTuple):
    """Settings of a test: 1 - the level of its intervals, and the resampling plan."""

    alpha: float
    resamples: int
    seed: int


def spreads_of(differences: np.ndarray) -> np.ndarray:
    """Standard deviations (of n - 1) of columns; 0 where all are equal but for rounding, nan of one
    row."""
    n, m = differences.shape
    if n < 2:
        return np.full(m, math.nan)
    is_equal = np.ptp(differences, axis=0) <= EQUAL * np.abs(differences).max(axis=0)
    away = differences - column_means(differences)
    return np.where(is_equal, 0.0, np.sqrt(column_sums(away**2) / (n - 1)))


def t_test(differences: np.ndarray, plan: Plan) -> Outcome:
    """Student's, as `scipy.stats.ttest_rel`, but never below the sign test where differences have
    one size; nan where the differences have no variance to divide by.

    Where all are 0 the p-value is 1: whatever the variance, t would be 0.
    """
    from scipy.special import stdtr, stdtrit

    n = len(differences)
    mean, spread = column_means(differences), spreads_of(differences)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.where(spread > 0, spread, math.nan) / math.sqrt(n)
        statistic = mean / error
        p_value = 2 * stdtr(n - 1, -np.abs(statistic))
        margin = -stdtrit(n - 1, plan.alpha / 2) * error
    is_nothing = (spread == 0) & (mean == 0)
    p_value = np.where(is_nothing, 1.0, p_value)
    least, statistic = sign_p_of_one_size(differences), np.where(is_nothing, 0.0, statistic)
    return raised(least, statistic, p_value, mean, mean - margin, mean + margin)


def permutation_test(
    differences: np.ndarray, plan: Plan, sizes: np.ndarray | None = None
) -> Outcome:
    """Fisher's randomisation test with the mean as its statistic, as `scipy.stats.permutation_test`
    of permutation_type="samples".

    It tests whether the differences are symmetric about 0: whether each query could as well have
    had its two values exchanged.  Where up to 16 differences are not 0, p counts all sign changes
    of these, also where the plan of all queries is drawn.  The interval holds every shift that the
    test, on the plan's sign changes, would not reject: its ends are quantiles of the means of the
    flipped queries (Hartigan 1969, "Using subsample values as typical values").  A shift moves
    differences of 0 as well, so that the interval needs all queries.

    With `sizes` the differences are sums over so many queries each.
    """
    n, m = differences.shape
    columns = np.ascontiguousarray(differences.T)
    step = max(1, CELLS // count_of(n, plan.resamples))
    parts = [
        _permutation(columns[first : first + step], plan, sizes) for first in range(0, m, step)
    ]
    p_value, low, high = (np.concatenate(part) for part in zip(*parts, strict=True))
    mean = column_means(differences)
    if sizes is not None:
        mean = mean * n / sizes.sum()
    least = least_p(np.count_nonzero(differences, axis=0))
    return raised(least, mean, p_value, mean, low, high)


def _permutation(
    columns: np.ndarray, plan: Plan, sizes: np.ndarray | None
) -> tuple[np.ndarray, ...]:
    """p-value, low, high of some columns, (columns, queries)."""
    sums, flipped, exponent, is_exact = flip_signs(columns, plan.resamples, plan.seed)
    if sizes is not None:  # how many queries are flipped: the same plan
        of_sizes = flip_signs(sizes[None], plan.resamples, plan.seed)
        flipped = np.ldexp(of_sizes.sums[0].astype(float), -int(of_sizes.exponent[0]))
    # Where resamples are drawn, the sample itself counts as one of them: no p-value is 0.
    added = 0 if is_exact else 1
    count = sums.shape[1]
    tails = [np.count_nonzero(side, axis=1) for side in (sums <= 0, sums >= 0)]
    p_value = np.minimum(2 * (np.minimum(*tails) + added) / (count + added), 1.0)
    if not is_exact:
        counted = np.minimum(2 * np.minimum(*exact_tails(columns)), 1.0)
        p_value = np.where(np.isnan(counted), p_value, counted)
    is_moved = flipped > 0
    # The interval holds the shifts that the test does not reject. Shifted by θ, flipping the signs
    # of a set gives as large a sum where θ is at least the set's mean, so that its ends are order
    # statistics of these means. The 1e-9 allows for rounding of products that are whole.
    place = math.ceil(plan.alpha / 2 * (count + added) - added - np.count_nonzero(~is_moved) - 1e-9)
    low, high = np.full(len(columns), -math.inf), np.full(len(columns), math.inf)
    if place > 0:
        means = sums[:, is_moved] / flipped[is_moved]
        means.partition([place - 1, means.shape[1] - place], axis=1)
        low, high = np.ldexp(means[:, place - 1], -exponent), np.ldexp(means[:, -place], -exponent)
    return p_value, low, high


def wilcoxon_test(differences: np.ndarray, plan: Plan) -> Outcome:
    """Wilcoxon's signed ranks, as `scipy.stats.wilcoxon` from SciPy 1.13 on of the differences that
    are not 0, but never below what the signs allow, nor below the sign test where differences have
    one size.

    The interval is that of Hodges and Lehmann: quantiles of the averages of all pairs of
    differences that are not 0.
    """

    def one(column: np.ndarray) -> tuple[float, ...]:
        moved = column[column != 0]
        n = len(moved)
        if n == 0:
            return 0.0, 1.0, math.nan, -math.inf, math.inf
        statistic, p_value, is_up, trimmed = _signed_ranks(moved, plan.alpha)
        n_pairs = n * (n + 1) // 2
        least = max(trimmed, 0)
        below, above, low, high = _walsh(
            moved, [(n_pairs - 1) // 2, n_pairs // 2, least, n_pairs - 1 - least]
        )
        if trimmed < 0:
            low, high = -math.inf, math.inf
        # 0 is an average of pairs, and where the interval ends, open
        if max(p_value, least_p(n)) < plan.alpha and low <= 0 <= high:
            low, high = (TINY, max(high, TINY)) if is_up else (min(low, -TINY), -TINY)
        return statistic, p_value, (below + above) / 2, low, high

    rows = np.array([one(column) for column in differences.T], float).reshape(-1, 5)
    least = least_p(np.count_nonzero(differences, axis=0))
    return raised(np.maximum(least, sign_p_of_one_size(differences)), *rows.T)


def sign_test(differences: np.ndarray, plan: Plan) -> Outcome:
    """The binomial test of wins against losses, as `scipy.stats.binomtest`; the interval is that of
    the median of the differences that are not 0."""
    from scipy.stats import binom

    wins, losses = (
        np.count_nonzero(differences > 0, axis=0),
        np.count_nonzero(differences < 0, axis=0),
    )
    p_value = np.minimum(2 * binom.cdf(np.minimum(wins, losses), wins + losses, 0.5), 1.0)
    rejected = {int(n): _too_few_wins(int(n), plan.alpha) for n in np.unique(wins + losses)}

    def one(column: np.ndarray) -> tuple[float, ...]:
        ordered = np.sort(column[column != 0])
        n = len(ordered)
        if n == 0:
            return math.nan, -math.inf, math.inf
        few = rejected[n]
        # The values between these two are the medians that the sign test does not reject.
        low, high = (ordered[few], ordered[n - 1 - few]) if few >= 0 else (-math.inf, math.inf)
        return ordered[(n - 1) // 2] / 2 + ordered[n // 2] / 2, low, high

    middle = np.array([one(column) for column in differences.T], float).reshape(-1, 3).T
    return raised(np.zeros(p_value.shape), wins.astype(float), p_value, *middle)


def _too_few_wins(n: int, alpha: float) -> int:
    """The most wins of n fair ones that are too few at this level, or -1."""
    from scipy.stats import binom

    few = int(binom.ppf(alpha / 2, n, 0.5)) if n else -1
    while few >= 0 and 2 * binom.cdf(few, n, 0.5) >= alpha:
        few -= 1
    return few


def bootstrap_test(differences: np.ndarray, plan: Plan) -> Outcome:
    """The studentised bootstrap of the mean with a symmetric interval (Hall 1988, "On symmetric
    bootstrap confidence intervals"): Student's t, referred to the sizes of t in resamples instead
    of the normal law's.

    p is the share of resamples whose t is as large; it is never below what the signs allow, nor
    below the sign test where differences have one size.  The interval is the mean plus and minus so
    many standard errors.  Percentile and BCa intervals reject a true mean of 0 in 10 to 25 % of
    samples of 10 queries, and BCa in 15 % of samples of 30 of which 70 % are 0, whether its levels
    are widened (Hesterberg 2015) or not; this one in at most 7 %
    (benchmarks/results/gates.md).
    """
    n = len(differences)
    mean, spread = column_means(differences), spreads_of(differences)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.where(spread > 0, spread, math.nan) / math.sqrt(n)
        statistic = mean / error
    p_value, margin = (
        np.where((spread == 0) & (mean == 0), 1.0, math.nan),
        np.full(len(mean), math.nan),
    )
    known = np.flatnonzero(spread > 0)
    # A product that is whole in exact arithmetic, such as 0.05 × 10,000, may come out above it:
    # 1e-9 less is rounded up to the same number.
    place = math.ceil(plan.alpha * (plan.resamples + 1) - 1 - 1e-9)
    step = max(1, CELLS // plan.resamples)
    for first in range(0, known.size, step):
        part = known[first : first + step]
        size = bootstrap_t(differences[:, part] - mean[part], plan.resamples, plan.seed)
        # Resamples that equal the statistic but for rounding count as beyond it.
        more = np.count_nonzero(size >= np.abs(statistic[part]) * (1 - 1e-9), axis=0)
        p_value[part] = (more + 1) / (plan.resamples + 1)
        is_reached = place > 0 and least_p(n) < plan.alpha
        margin[part] = (
            np.partition(size, -place, axis=0)[-place] * error[part] if is_reached else math.inf
        )
    least = least_p(np.count_nonzero(differences, axis=0))
    least = np.maximum(least, sign_p_of_one_size(differences))
    return raised(least, statistic, p_value, mean, mean - margin, mean + margin)


def raised(
    least: np.ndarray,
    statistic: np.ndarray,
    p_value: np.ndarray,
    estimate: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
) -> Outcome:
    """The outcome with p-values that are nowhere below the least ones; nan stays nan."""
    raised = np.maximum(p_value, least)
    return Outcome(statistic, raised, estimate, low, high, p_value < least)


def sign_p_of_one_size(differences: np.ndarray) -> np.ndarray:
    """The sign test's p-value of columns whose differences, but for zeros, have one absolute size;
    0 of others.

    There the number of wins is all that differences say.  Without this floor t rejects 10.9 % of
    7 fair signs at 0.05, the bootstrap 8.7 % of 28, Wilcoxon 7.8 % of 21
    (tests/comparison/test_comparison_nulls.py enumerates them).
    """
    from scipy.special import bdtr

    sizes = np.abs(differences)
    most = sizes.max(axis=0)
    least = np.where(sizes > 0, sizes, most).min(axis=0)
    has_one_size = most - least <= EQUAL * most
    wins, losses = (differences > 0).sum(axis=0), (differences < 0).sum(axis=0)
    p_value = np.minimum(2 * bdtr(np.minimum(wins, losses), wins + losses, 0.5), 1.0)
    return np.where(has_one_size, p_value, 0.0)


def least_p(n: Any) -> Any:
    """The least two-sided p-value that n signs allow, n a number or an array."""
    return np.minimum(np.ldexp(1.0, 1 - n), 1.0)


def in_agreement(outcome: Outcome, p_value: np.ndarray, alpha: float) -> Outcome:
    """Intervals that leave 0 out exactly where the p-value is below alpha.

    They do so by themselves, but where rounding decides, where the p-value counts all sign changes
    and the interval's are drawn, and where what the signs allow keeps a p-value up: then the
    interval is widened to 0.
    """
    low, high = outcome.low.copy(), outcome.high.copy()
    is_rejected = p_value < alpha
    low[~is_rejected & (low > 0)] = 0.0
    high[~is_rejected & (high < 0)] = 0.0
    is_within = is_rejected & (low <= 0) & (high >= 0)
    low[is_within & (outcome.estimate > 0)] = TINY
    high[is_within & (outcome.estimate < 0)] = -TINY
    return outcome._replace(low=low, high=high)


def _signed_ranks(moved: np.ndarray, alpha: float) -> tuple[float, float, bool, int]:
    """For differences that are not 0: the lesser sum of ranks, its p-value, whether the positive
    ones have the greater, and how many averages of pairs the interval leaves out at either end,
    less 1 (-1: it has no ends).

    The interval takes the critical value of the test at 0.
    """
    from scipy.special import ndtr, ndtri

    n = len(moved)
    _, place, ties = np.unique(np.abs(moved), return_inverse=True, return_counts=True)
    doubled = (2 * np.cumsum(ties) - ties + 1)[place]  # ranks of ties are halves
    total = n * (n + 1)
    positive = int(doubled[moved > 0].sum())
    least = min(positive, total - positive)
    if n <= (LONGEST_EXACT if len(ties) == n else LONGEST_COUNTED):
        below = _signed_rank_law(tuple(sorted(doubled.tolist())))
        p_value = min(2 * float(below[least]), 1.0)
        trimmed = (int(np.count_nonzero(2 * below < alpha)) - 1) // 2
    else:
        # The variance n (n + 1) (2 n + 1)/24 less Σ (t³ - t)/48 for groups of t equal sizes.
        spread = math.sqrt((total * (2 * n + 1) - float((ties**3 - ties).sum()) / 2) / 24)
        p_value = 2 * float(ndtr((least / 2 - total / 4) / spread))
        trimmed = max(-1, math.ceil(total / 4 + ndtri(alpha / 2) * spread) - 1)
    return least / 2, p_value, 2 * positive > total, trimmed if least_p(n) < alpha else -1


@lru_cache(maxsize=64)
def _signed_rank_law(doubled: tuple[int, ...]) -> np.ndarray:
    """P(sum <= k), k = 0, 1, …, of these numbers, each there or not with equal chances."""
    ways = np.ones(1)
    for rank in doubled:
        ways = np.append(ways, np.zeros(rank)) + np.append(np.zeros(rank), ways)
    below = np.cumsum(ways) / 2.0 ** len(doubled)
    below.setflags(write=False)
    return below


def _walsh(column: np.ndarray, places: list[int]) -> list[float]:
    """Averages of two differences, one with itself included: those at these places (from 0) of all
    in order."""
    if len(column) <= LONGEST_WALSH:
        rows, others = np.triu_indices(len(column))
        return np.partition((column[rows] + column[others]) / 2, places)[places].tolist()
    ordered = np.sort(column)
    ranks = np.arange(len(ordered))

    def is_above(middle: float, place: int) -> bool:
        """Whether more pairs i <= j than `place` have an average of at most the middle."""
        # For each x, as many `ordered` as are at most 2 middle - x.
        upto = np.searchsorted(ordered, 2 * middle - ordered, side="right")
        return int(np.maximum(upto - ranks, 0).sum()) > place

    def find(place: int) -> float:
        low, high = float(ordered[0]), float(ordered[-1])
        while low < (middle := (low + high) / 2) < high:
            low, high = (low, middle) if is_above(middle, place) else (middle, high)
        return 0.0 if abs(high) <= ROUNDING * largest else high

    largest = float(np.abs(ordered).max())
    return [find(place) for place in places]
