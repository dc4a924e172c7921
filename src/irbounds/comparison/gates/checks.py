"""One check of a gate: is the new run worse by more than a margin, by one measure?

Differences are oriented here: above 0 the new run is better.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from irbounds._core.common.exact_sum import column_means
from irbounds.comparison.gates.rare_queries import (
    UNLIKE,
    UNLIKE_GROUPS,
    Few,
    all_agree,
    count_unlike,
    few_unlike,
)
from irbounds.comparison.significance.grouped import group_means, group_sums
from irbounds.comparison.significance.hall import skewness_error, transform, turn
from irbounds.foundation.shares import share_tails
from irbounds.queries.groups import GroupedMeans, Groups
from irbounds.queries.moments import mean_and_spread, unbiased
from irbounds.queries.student import quantile, upper_tail

# Up to so many queries all changes of sign are taken as well: with few different values Student's t
# erred up to .074 at .05 (5 queries), and agrees with them beyond (query_decisions.md).
MOST_FLIPPED = 16
EQUAL = 1e-12  # relative to the sum of sizes: sums that are equal but for rounding


class Question(NamedTuple):
    """The allowed loss and error rate of a check, and the largest difference that is possible."""

    margin: float
    alpha: float
    strict: bool
    largest: float = math.inf

    @property
    def allowed(self) -> float:
        """The loss beyond which a check fails."""
        return 0.0 if self.strict else self.margin


class Finding(NamedTuple):
    """The test of one measure, in one order of ties.

    Attributes
    ----------
    mean, spread : float
    low, high : float
        One-sided bounds of the mean, each at 1 - alpha; nan where there is no variance.
    p_value : float
        p-value of the hypothesis that the new run is not worse (by more than the margin, or at all
        with strict); small ones say that it is.
    passes : bool
        Whether `low` is above -margin, and the tests that `doubts` names say so as well.
    reason : str or None
        Why there are no bounds.
    deciding_p : float
        The greatest of `p_value`, that of Hall's transform, that of all changes of sign where
        the queries are few, and the chance that so few queries differ, or are against it.
    doubts : tuple of str
        Tests that do not agree where Student's t would decide: "skewness", "signs", "number".
    few : Few or None
        That of "number", where it is a doubt.
    """

    mean: float
    spread: float
    low: float
    high: float
    p_value: float
    passes: bool
    reason: str | None
    deciding_p: float
    doubts: tuple[str, ...] = ()
    few: Few | None = None


class Doubts(NamedTuple):
    """p-values, beside Student's t, of the hypothesis that the mean is 0 or less."""

    skewness: float
    signs: float
    number: float

    def names(self, alpha: float) -> tuple[str, ...]:
        """Those that do not reject it."""
        return tuple(name for name, p in zip(self._fields, self, strict=True) if not p < alpha)


class Sample(NamedTuple):
    """Numbers that a check is made from: n queries, or groups of them.

    Attributes
    ----------
    n : int
    mean, spread : float
        `spread` over √n is the error of the mean.
    freedom, skewness : float
    below, above : float
        How far the bounds of the mean are from it.
    p_value : float
        That the mean is -allowed or more.
    units, gains, losses : ndarray, shape (n,)
        Differences, and what they are above -margin and below -allowed; of groups the means, and
        sums over the queries.
    """

    n: int
    mean: float
    spread: float
    freedom: float
    skewness: float
    below: float
    above: float
    p_value: float
    units: np.ndarray
    gains: np.ndarray
    losses: np.ndarray

    @classmethod
    def of_queries(cls, differences: np.ndarray, asked: Question) -> Sample:
        """The numbers of independent differences."""
        n = len(differences)
        mean, spread = mean_and_spread(differences)
        reach = p_value = skewness = math.nan
        if spread > 0:
            error = spread / math.sqrt(n)
            reach = quantile(n - 1, asked.alpha) * error
            p_value = upper_tail(n - 1, -(mean + asked.allowed) / error)
        gains, losses = differences + asked.margin, -(differences + asked.allowed)
        return cls(
            n, mean, spread, n - 1, skewness, reach, reach, p_value, differences, gains, losses
        )

    @classmethod
    def of_groups(cls, differences: np.ndarray, asked: Question, groups: Groups) -> Sample:
        """The numbers of groups whose sizes differ."""
        means = GroupedMeans.of(differences[:, None], groups)
        n, error = len(groups), float(means.error[0])
        below, above = (float(margin[0]) for margin in means.margins(asked.alpha))
        return cls(
            n,
            float(means.mean[0]),
            error * math.sqrt(n),
            means.freedom,
            float(means.skewness[0]) * math.sqrt(n / means.n) * unbiased(n),
            below,
            above,
            means.tails(-asked.allowed)[0][1],
            group_means(differences, groups),
            group_sums(differences + asked.margin, groups),
            group_sums(-(differences + asked.allowed), groups),
        )


def judge(differences: np.ndarray, asked: Question, groups: Groups | None = None) -> Finding:
    """By Student's t and Hall's transform of it, and with few queries by all changes of sign as
    well; where the differences have no variance, by their signs.

    n equal differences are taken as they are where n are not too few.  With groups these are
    counted in place of queries.
    """
    if groups is None:
        sample = Sample.of_queries(differences, asked)
    elif groups.are_equal or len(groups) < 2:
        sample = Sample.of_queries(group_means(differences, groups), asked)
    else:
        sample = Sample.of_groups(differences, asked, groups)
    n, mean, spread = sample.n, sample.mean, sample.spread
    allowed, gains, losses = asked.allowed, sample.gains, sample.losses
    unlike, usual = count_unlike(sample.units), UNLIKE if groups is None else UNLIKE_GROUPS
    # of both claims: not worse than the margin, and worse than allowed
    claims = (
        (mean + asked.margin, asked.largest - asked.margin, all_agree(gains)),
        (-(mean + allowed), asked.largest + allowed, all_agree(losses)),
    )
    few = [few_unlike(n, unlike, *claim, usual) for claim in claims]
    if spread > 0:
        p_value = sample.p_value
        # Both must also stand the test that allows for skewness and that by signs.
        above = _doubts(sample, gains, mean + asked.margin, 1, few[0])
        below = _doubts(sample, losses, -(mean + allowed), -1, few[1])
        low_is_above = mean - sample.below > -asked.margin
        doubts = above.names(asked.alpha) if low_is_above else ()
        passes = low_is_above and not doubts
        if p_value < asked.alpha:
            doubts += below.names(asked.alpha)
        return Finding(
            mean,
            spread,
            mean - sample.below,
            mean + sample.above,
            p_value,
            passes,
            None,
            max(p_value, *below),
            doubts,
            few[0 if low_is_above else 1] if "number" in doubts else None,
        )
    if not differences.any():
        return Finding(0.0, 0.0, 0.0, 0.0, 1.0, True, "no query changed", 1.0)
    unit = "query" if groups is None else "group"
    reason = (
        f"one {unit} has no variance"
        if n == 1
        else "all queries changed by the same amount: there is no variance"
        if groups is None
        else "all groups changed by the same amount: there is no variance"
    )
    is_above = mean > -asked.margin
    passes = is_above and few[0].chance < asked.alpha
    p_value = few[1].chance if mean < -allowed else 1.0
    found = Finding(mean, 0.0, math.nan, math.nan, p_value, passes, reason, p_value)
    own = few[0 if is_above else 1]
    is_few = own.chance >= asked.alpha
    return found._replace(doubts=("number",), few=own) if is_few else found


def _doubts(sample: Sample, values: np.ndarray, mean: float, sign: int, few: Few) -> Doubts:
    skewness = sign * sample.skewness
    if math.isnan(skewness):
        away = (values - mean) / sample.spread
        third = float(np.asarray(column_means((away * away * away)[:, None]))[0])
        skewness = third * unbiased(sample.n)
    by_hall = hall_p_value(sample.n, mean / sample.spread, skewness, sample.freedom)
    return Doubts(by_hall, flip_p_value(values), few.chance)


def hall_p_value(n: int, u: float, skewness: float, freedom: float) -> float:
    """The p-value by Hall's (1992) transform of t, which takes off the skewness γ: the greatest
    over all γ from `skewness` less what it may be too large by, to `skewness`.

    Where u = mean/s > 0 the transform is least at `hall.turn`.  Where u <= 0 nothing is shown, and
    γ is taken as it is.

    Few queries rarely show a long tail.  Without the slack, skewed differences (Gamma(0.5) less its
    mean) failed strict gates with 0.11 of 5 queries and 0.07 of 25, at 0.05; with the slack of
    normal values lognormal ones still erred in 0.07 of 20 to 100 queries, with this one in 0.05
    (docs/how_we_chose.md).
    """
    if math.isinf(u):
        return 0.0 if u > 0 else 1.0
    if u > 0:
        least = max(skewness - float(skewness_error(n, skewness)), float(turn(n, u)))
        skewness = min(least, skewness)
    return upper_tail(freedom, float(transform(n, u, skewness)))


def flip_p_value(values: np.ndarray) -> float:
    """P(sum >= that of the values) if all changes of sign are as likely; of many values, for which
    Student's t decides, 0, but where they have one size, the sign test's.

    A sum with some signs changed is as large where the values changed sum to 0 or less.
    """
    if len(values) > MOST_FLIPPED:
        return sign_p_value(values)
    # The sums of all subsets of the values: with each value the list doubles.
    sums = np.zeros(1)
    for value in values.tolist():
        sums = np.concatenate([sums, sums + value])
    return float(np.mean(sums <= EQUAL * float(np.abs(values).sum())))


def sign_p_value(values: np.ndarray) -> float:
    """P(so few below 0) of fair signs, where all values but zeros have one size; 0 elsewhere.

    There t failed 0.0525 of equal systems at 0.05 with 35 to 100 queries (by enumeration).
    """
    sizes = np.abs(values[values != 0])
    if sizes.size and sizes.max() > sizes.min() + EQUAL * sizes.max():
        return 0.0
    n_below, n_above = int((values < 0).sum()), int((values > 0).sum())
    if n_above == 0:
        return 1.0
    # P(X <= k) of n fair coins is I_1/2(n - k, k + 1)
    return float(share_tails(n_above, n_below + 1, 0.0, 0.0, 0.5, 0.5)[0])


def verdicts(findings: list[Finding], alpha: float) -> list[str]:
    """Fail where Holm's adjusted p-value, over the measures, is below alpha; else pass or unclear.

    A gate passes if every measure does, which needs no correction: a loss passes only if its own
    check errs.
    """
    p_values = np.array([finding.deciding_p for finding in findings])
    order = np.argsort(p_values, kind="stable")
    # Holm's steps: the first one that is too large ends the rejections.
    is_small = p_values[order] * np.arange(len(p_values), 0, -1) < alpha
    n_failed = len(p_values) if is_small.all() else int(np.argmin(is_small))
    failed = set(order[:n_failed].tolist())
    return [
        "fail" if i in failed else "pass" if finding.passes else "unclear"
        for i, finding in enumerate(findings)
    ]
