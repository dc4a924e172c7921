"""One check of a gate: is the new run worse by more than a margin, by one measure?

Differences are oriented here: above 0 the new run is better.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from irbounds.queries.moments import mean_and_spread
from irbounds.queries.student import quantile, upper_tail

# Up to so many queries all changes of sign are taken as well: with few different values Student's t
# erred up to .074 at .05 (5 queries), and agrees with them beyond (query_decisions.md).
MOST_FLIPPED = 16
EQUAL = 1e-12  # relative to the sum of sizes: sums that are equal but for rounding


class Question(NamedTuple):
    """The allowed loss and error rate of a check."""

    margin: float
    alpha: float
    strict: bool


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
        Whether `low` is above -margin; with few queries by all changes of sign as well.
    reason : str or None
        Why there are no bounds.
    deciding_p : float
        The greater of `p_value` and that of all changes of sign, where the queries are few.
    """

    mean: float
    spread: float
    low: float
    high: float
    p_value: float
    passes: bool
    reason: str | None
    deciding_p: float


def judge(differences: np.ndarray, asked: Question) -> Finding:
    """By Student's t, and with few queries by all changes of sign as well; where the differences
    have no variance, by their signs.

    n equal differences have one sign, which by chance they would with 2^-n: as few as that is below
    alpha, they are taken as they are.
    """
    n = len(differences)
    mean, spread = mean_and_spread(differences)
    allowed = 0.0 if asked.strict else asked.margin
    if spread > 0:
        error = spread / math.sqrt(n)
        reach = quantile(n - 1, asked.alpha) * error
        p_value = upper_tail(n - 1, -(mean + allowed) / error)
        passes = mean - reach > -asked.margin and (
            flip_p_value(differences + asked.margin) < asked.alpha
        )
        return Finding(
            mean,
            spread,
            mean - reach,
            mean + reach,
            p_value,
            passes,
            None,
            max(p_value, flip_p_value(-(differences + allowed))),
        )
    if not differences.any():
        return Finding(0.0, 0.0, 0.0, 0.0, 1.0, True, "no query changed", 1.0)
    chance = 0.5**n
    is_firm = chance < asked.alpha
    p_value = chance if is_firm and mean < -allowed else 1.0
    reason = (
        "one query has no variance"
        if n == 1
        else "all queries changed by the same, without variance"
    )
    passes = is_firm and mean > -asked.margin
    return Finding(mean, 0.0, math.nan, math.nan, p_value, passes, reason, p_value)


def flip_p_value(values: np.ndarray) -> float:
    """P(sum >= that of `values`) if all changes of sign are as likely; 0 of many values, for which
    Student's t decides.

    A sum with some signs changed is as large where the values changed sum to 0 or less.
    """
    if len(values) > MOST_FLIPPED:
        return 0.0
    sums = np.zeros(1)
    for value in values.tolist():
        sums = np.concatenate([sums, sums + value])
    return float(np.mean(sums <= EQUAL * float(np.abs(values).sum())))


def judge_between(worst: np.ndarray, best: np.ndarray, asked: Question) -> Finding:
    """A finding that is no better than those of any differences between `worst` and `best`: it
    passes only if they all do, and its p-value is the greatest.

    The ends alone do not say so: where one query gains much, the deviation grows more than the
    mean.  The squares of differences with the sum S sum to at most Φ(S), which is linear between
    the points where queries move from `worst` to `best` one after another, those with the greatest
    worst + best first (a fractional knapsack; the points are differences that may be).  On each
    piece, Φ = b + a S, the extremes of mean - t s/√n and of (mean + allowed) √n/s over S are where
    their derivatives are 0, or at the ends.
    """
    n = len(worst)
    allowed = 0.0 if asked.strict else asked.margin
    if n < 2:
        return Finding(float(worst.mean()), 0.0, math.nan, math.nan, 1.0, False, None, 1.0)
    order = np.argsort(-(worst + best), kind="stable")
    moved, slope = (best - worst)[order], (worst + best)[order]
    sums = math.fsum(worst) + np.append(0.0, np.cumsum(moved))
    first, last = sums[:-1], sums[1:]
    squares = math.fsum(worst**2) + np.append(0.0, np.cumsum(moved * slope))
    height = squares[:-1] - slope * first

    def errors(at: np.ndarray) -> np.ndarray:
        left = height + slope * at - at * at / n
        return np.sqrt(np.maximum(left, 0.0) / (n * (n - 1)))

    t = quantile(n - 1, asked.alpha)
    radius = np.sqrt(np.maximum(height + slope * slope * n / 4, 0.0))
    deepest = slope * n / 2 - radius / math.sqrt(t * t / (n * (n - 1)) + 1 / n)
    with np.errstate(divide="ignore", invalid="ignore"):
        turn = (allowed * slope * n / 2 - height) / (slope / 2 + allowed)
    places = [first, last, *(np.clip(np.nan_to_num(x), first, last) for x in (deepest, turn))]
    means = np.concatenate(places) / n
    error = np.concatenate([errors(place) for place in places])
    low = float((means - t * error).min())
    p_value = 1.0
    if means.max() + allowed < 0:
        with np.errstate(divide="ignore"):
            least = float((-(means + allowed) / error).min())
        p_value = max(upper_tail(n - 1, least), 0.0 if math.isfinite(least) else 0.5**n)
    p_value = max(p_value, flip_p_value(-(best + allowed)))
    passes = low > -asked.margin and flip_p_value(worst + asked.margin) < asked.alpha
    return Finding(float(means.min()), 0.0, low, math.nan, p_value, passes, None, p_value)


def verdicts(findings: list[Finding], alpha: float) -> list[str]:
    """Fail where Holm's adjusted p-value, over the measures, is below alpha; else pass or unclear.

    A gate passes if every measure does, which needs no correction: a loss passes only if its own
    check errs.
    """
    p_values = np.array([finding.deciding_p for finding in findings])
    order = np.argsort(p_values, kind="stable")
    is_small = p_values[order] * np.arange(len(p_values), 0, -1) < alpha
    n_failed = len(p_values) if is_small.all() else int(np.argmin(is_small))
    failed = set(order[:n_failed].tolist())
    return [
        "fail" if i in failed else "pass" if finding.passes else "unclear"
        for i, finding in enumerate(findings)
    ]
