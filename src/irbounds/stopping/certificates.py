"""Certificates of one-phase reviews, by a random sample that was judged before and kept apart."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.foundation.arguments import as_floats, check_flag, check_level
from irbounds.foundation.errors import InputError, check_choice, check_count, fail
from irbounds.stopping.urns import as_given, exact_target

if TYPE_CHECKING:
    from irbounds.typing import ArrayLike

GUARANTEES = ("probability", "mean")
LONGEST_EXACT = 5000  # trials whose binomial tail is summed exactly where doubles cannot decide
NEAR = 1e-11  # rounding of the incomplete beta function and more
MOST_TOGETHER = 20_000  # control documents of simultaneous bounds: these take 5 s
# After so many secants, mostly 3, halves of the logarithm of a local level are taken.
MOST_SECANTS, SURE = 10, 1e-10
NEGLIGIBLE = 1e-25  # a chance of so many points; 10^4 of them are far below rounding


def certifying_rank(
    found: int,
    target: float | Fraction = 0.8,
    *,
    confidence_level: float = 0.95,
    guarantee: str = "probability",
) -> int | None:
    """Tell how many control documents a review must have reached to certify its recall.

    A random sample of the collection was judged before the review, and `found` of its documents
    are relevant: the control documents. The review reads in any order that does not depend on
    them, and stops when it has read the J-th of them (Lewis, Yang & Frieder 2021).

    Parameters
    ----------
    found : int
        Relevant documents of the control sample.
    target : float or Fraction
        Recall to be certified, above 0 and at most 1.
    confidence_level : float
    guarantee : {"probability", "mean"}
        "probability": recall at the stop reaches the target with the confidence level. "mean":
        its expected value does.

    Returns
    -------
    int or None
        J; None where even all of them are not enough.

    Notes
    -----
    "probability" needs P(X < J) >= confidence_level, X binomial with `found` trials of the target,
    which is derived for large collections. In finite ones the probability can be less with low
    targets: 0.33 for a target of 0.055 at the level 0.5. The least `found` is log(1 -
    confidence_level) / log(target), rounded up. "mean" needs J >= target (found + 1).

    Examples
    --------
    >>> import irbounds as irb
    >>> irb.stopping.certifying_rank(30, target=0.8)
    28
    >>> irb.stopping.certifying_rank(30, target=0.8, guarantee="mean")
    25
    >>> irb.stopping.certifying_rank(13, target=0.8) is None
    True
    """
    trials = check_count("found", found, 0)
    goal = exact_target(target)
    level = check_level(confidence_level)
    check_choice("guarantee", guarantee, GUARANTEES)
    if guarantee == "mean":
        # The mean recall at the rank-th of `trials` control documents is rank/(trials + 1), the
        # mean of an order statistic.
        rank = math.ceil(goal * (trials + 1))
        return rank if rank <= trials else None
    low, high = 1, trials + 1  # the first rank with P(X < rank) >= level; P(X < trials + 1) = 1
    while low < high:
        middle = (low + high) // 2
        if _reaches(middle, trials, goal, level):
            # P(X < rank) rises with the rank.
            high = middle
        else:
            low = middle + 1
    return low if low <= trials else None


def _reaches(rank: int, trials: int, target: Fraction, level: float) -> bool:
    """Whether P(X < rank) >= level, exactly where doubles are too near."""
    from scipy.special import betainc

    alpha, left = 1 - level, trials - rank + 1  # scipy's bdtr is nan from 2^31 trials on
    above = float(betainc(rank, left, float(target)))
    # Where rounding cannot turn it, or fractions would take long, by the smaller tail.
    if abs(above - alpha) > NEAR * alpha + 1e-300 or trials > LONGEST_EXACT:
        return (
            above <= alpha
            if alpha < 0.5
            else float(betainc(left, rank, float(1 - target))) >= level
        )
    exact = sum(
        math.comb(trials, x) * target**x * (1 - target) ** (trials - x)
        for x in range(rank, trials + 1)
    )
    # The level as it is written: 0.95 is 19/20.
    return exact <= 1 - Fraction(Decimal(repr(level)))


@dataclass(frozen=True, eq=False)
class ControlCurve:
    """Lower bounds of recall along a review, by control documents; see `control_curve`.

    Attributes
    ----------
    positions : ndarray of int, shape (reached,)
        Documents read when each control document was reached.
    recall_low : ndarray, shape (reached,)
        The lower bound of recall from there on.
    found_total : int
        All control documents, reached or not.
    confidence_level : float
    simultaneous : bool
    local_level : float
        The level at which each single bound can fail.
    """

    positions: np.ndarray = field(repr=False)
    recall_low: np.ndarray = field(repr=False)
    found_total: int
    confidence_level: float
    simultaneous: bool
    local_level: float

    def low_at(self, read: ArrayLike) -> Any:
        """The lower bound after this many documents."""
        bounds = np.concatenate([[0.0], self.recall_low])
        low = bounds[np.searchsorted(self.positions, read, side="right")]
        return low if np.ndim(low) else float(low)

    def first_reaching(self, target: float) -> int | None:
        """The documents read when the bound first reaches a target, or None."""
        at = np.flatnonzero(self.recall_low >= float(exact_target(target)))
        return int(self.positions[at[0]]) if at.size else None

    def to_dict(self) -> dict[str, Any]:
        """All attributes, arrays as lists."""
        return {
            name: value.tolist() if isinstance(value, np.ndarray) else value
            for name, value in vars(self).items()
        }


def control_curve(
    positions: ArrayLike,
    found_total: int | None = None,
    simultaneous: bool = True,
    *,
    confidence_level: float = 0.95,
) -> ControlCurve:
    """Bound recall from below along a review, by control documents that it reaches.

    Parameters
    ----------
    positions : array_like of int, shape (reached,)
        Documents read when each relevant document of the control sample was reached, in any order.
        The sample is drawn at random from the collection and kept apart from training.
    found_total : int
        Relevant documents of the whole control sample, reached or not. It has no default: with
        those reached alone every review would soon seem to have found nearly all.
    simultaneous : bool
        True: the bounds at all depths are true together with the confidence level, wherever the
        review stops. False: each is true with it by itself, at one depth chosen before.
    confidence_level : float

    Returns
    -------
    ControlCurve

    Raises
    ------
    InputError
        Without `found_total`, for positions that are not whole numbers from 1 on or are repeated,
        for more of them than `found_total`, and for simultaneous bounds of more than 20,000 control
        documents.

    Notes
    -----
    In a large collection the recall at which the j-th of r control documents is reached has the
    distribution Beta(j, r - j + 1). Its bound is the p-quantile of this distribution, with the same
    p for all j: `local_level`. p is the largest number with which all r recalls are above their
    bounds with the confidence level. In finite collections that probability was larger in all
    simulations.

    Examples
    --------
    >>> import irbounds as irb
    >>> curve = irb.stopping.control_curve([12, 30, 31, 90, 200], found_total=14)
    >>> curve.recall_low.round(4)
    array([0.0005, 0.0087, 0.0281, 0.0564, 0.0918])
    >>> round(curve.low_at(100), 4)
    0.0564
    """
    rule = "must be a list of whole numbers from 1 on"
    at = as_floats("positions", positions, rule)
    if at.ndim != 1:
        fail("positions", rule, positions)
    if at.size and np.asarray(positions).dtype == bool:
        fail("positions", "must be counts of documents, not True or False", as_given(positions, 0))
    wrong = (at != np.floor(at)) | ~((at >= 1) & (at <= 2**52))
    if wrong.any():
        i = int(np.flatnonzero(wrong)[0])
        fail("positions", rule, as_given(positions, i), f"at index {i}")
    at = np.sort(at).astype(np.int64)
    if (np.diff(at) == 0).any():
        fail("positions", "must not have a position twice", int(at[:-1][np.diff(at) == 0][0]))
    if found_total is None:
        raise InputError(
            "`found_total` is needed: the number of relevant documents in the whole control "
            "sample, with those that the review has not reached"
        )
    total = check_count("found_total", found_total, 0)
    if at.size > total:
        fail("positions", f"must be at most `found_total`, {total}", at.size)
    together = check_flag("simultaneous", simultaneous)
    level = check_level(confidence_level)
    if together and total > MOST_TOGETHER:
        rule = f"must be at most {MOST_TOGETHER:,} for simultaneous bounds"
        fail("found_total", rule, total)
    local = local_level(total, level) if together and total else 1 - level
    low = limits(total, local, at.size)
    return ControlCurve(at, low, total, level, together, local)


def limits(total: int, local: float, reached: int) -> np.ndarray:
    """The bounds of a local level after 1, 2, ..., `reached` of `total` control documents."""
    from scipy.special import betaincinv

    rank = np.arange(1, reached + 1)
    # The j-th of `total` uniform order statistics has the law Beta(j, total - j + 1).
    return betaincinv(rank, total - rank + 1, local)


@lru_cache(256)
def local_level(total: int, level: float) -> float:
    """The level of each bound with which all of them hold together with the level."""
    alpha = 1 - level
    if total == 1:
        return alpha
    # the union bound is too low, a single bound's level too high
    low, high = math.log(alpha / total), math.log(alpha)

    def excess(log_local: float) -> float:
        """log of the chance to fail over alpha: nearly straight, with a slope next to 1."""
        fails = 1 - above_all(limits(total, math.exp(log_local), total))
        return math.log(max(fails, 1e-300) / alpha)

    # alpha / 7.8 for 14 control documents, / 20 for 100, / 34 for 500 at 0.95: this is near
    before = math.log(alpha / (0.9 * math.log(total) ** 2 + 1.2))
    off_before = excess(before)
    now = before - off_before
    for _ in range(MOST_SECANTS):
        if not low <= now <= high:
            break
        off = excess(now)
        step = off * (now - before) / (off - off_before) if off != off_before else 0.0
        before, off_before, now = now, off, now - step
        if abs(step) <= SURE:
            return math.exp(now)
    return math.exp(_bisected(excess, low, high))


def _bisected(excess: Callable[[float], float], low: float, high: float) -> float:
    from scipy.optimize import brentq

    return float(brentq(excess, low, high, xtol=SURE))


def above_all(low: np.ndarray) -> float:
    """P(U_(j) >= low[j] for all j) of uniform order statistics, low rising.

    The points are those of a Poisson process of rate r on [0, 1], given that there are r. At
    low[j] at most j - 1 points may be below: the chances of their number go from bound to bound.
    """
    from scipy.special import gammaln

    r = low.size
    # The means of the numbers of points between bounds.
    steps = np.diff(low, prepend=0.0)[:, None] * r
    # Poisson probabilities of more points in a step than these are below 1e-25.
    jumps = np.arange(min(int(steps.max() + 12 * math.sqrt(steps.max()) + 16), r) + 1)
    with np.errstate(divide="ignore"):
        logs = jumps[1:] * np.log(steps) - gammaln(jumps[1:] + 1)
    jump_chances = np.exp(np.concatenate([np.zeros((r, 1)), logs], axis=1) - steps)
    chances, first = np.ones(1), 0  # of first, first + 1, ... points so far
    for j in range(r):
        chances = np.convolve(chances, jump_chances[j])[: j + 1 - first]
        while chances.size > 1 and chances[0] < NEGLIGIBLE:
            chances, first = chances[1:], first + 1
    # The points that are left lie beyond the last bound. The quotient by the Poisson probability of
    # r points makes it a probability given r.
    last = r * (1 - low[-1])
    left = r - first - np.arange(chances.size)
    with np.errstate(divide="ignore"):
        final = np.exp(left * math.log(last) - last - gammaln(left + 1))
    return float(chances @ final / math.exp(r * math.log(r) - r - math.lgamma(r + 1)))
