"""Intervals that hold at every look at samples of several strata, whichever stratum is looked into
next: method "anytime" for segments with strata.

`samples/bounds/betting.py` has the evidence and `samples/bounds/betting.py` the bounds.
Evidence about both segments is merged as for one stratum in each: e1/4 + e0/4 + e1 e0/2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from irbounds._core.samples import anytime as kernel
from irbounds.foundation.errors import InputError
from irbounds.samples.bounds.betting import (
    Goal,
    Problem,
    SegmentEvidence,
    Strata,
    least_measure,
    share_goal,
    sum_goal,
)

Sample = tuple[float, float, float]
Samples = Sequence[Sample]

EQUAL = 1 - 1e-12  # as in samples/bounds/anytime.py
PRIOR = 0.5, 0.5
MOST_STRATA = 200  # of both segments: they take 10 s, and three times as many 27 times as long
# Rounding of the log evidence: sums of terms of the size of sampled log size, each right to some
# units of the last place.
ABSOLUTE_ERROR, RELATIVE_ERROR = 1e-9, 1e-14
LARGE = 1e6  # strata of which rounding of the evidence hides documents: recall is 1e-4 lower at 1e7


def check_number_of_strata(*segments: Sequence[object]) -> None:
    """Refuse more strata than the search is made for."""
    found = sum(map(len, segments))
    if found > MOST_STRATA:
        raise InputError(
            f"method 'anytime' takes at most {MOST_STRATA} strata in both segments; found {found}"
        )


def exchanged(samples: Samples) -> list[Sample]:
    """The same samples, counting the documents that are not relevant."""
    return [(size, n, n - x) for size, n, x in samples]


def open_strata(samples: Samples, is_known: Sequence[bool]) -> list[Sample]:
    """The strata that evidence is about: not those that were read whole before the first look."""
    return [sample for sample, known in zip(samples, is_known, strict=True) if not known]


def read_whole(samples: Samples) -> list[bool]:
    """Which strata are read whole."""
    return [size == n for size, n, _ in samples]


def _least(groups: list[list[Sample]], alpha: float, goal: Goal, own: float = 0.0) -> float:
    """The least measure of totals of one or two groups that are left; for `own` see `Problem`."""
    if sum(map(len, groups)) == 1:  # the evidence of one stratum by itself is a little stronger
        ((size, n, x),) = groups[0]
        return goal.value(np.array([size - kernel.upper((size, n, n - x, *PRIOR), EQUAL / alpha)]))
    return least_measure(_problem(groups, alpha, own), goal)


def _problem(groups: list[list[Sample]], alpha: float, own: float = 0.0) -> Problem:
    evidence = SegmentEvidence(*(Strata(*np.array(group, float).T) for group in groups))
    # log g is a sum of logarithms of falling factorials: one term of at most log(size + 1) for each
    # sampled document, each rounded once.
    terms = sum(n * math.log(size + 1) for group in groups for size, n, _ in group)
    # The bar is raised by the error, so that rounding lets more totals stay and the bound only
    # falls.
    error = ABSOLUTE_ERROR + RELATIVE_ERROR * terms
    log_bar = error - math.log(alpha)
    return Problem(evidence, evidence.least, evidence.most, log_bar, error, own)


def recall_low(
    one: Samples,
    other: Samples,
    alpha: float,
    one_known: Sequence[bool],
    other_known: Sequence[bool],
) -> float:
    """The lower bound of recall, from (size, sampled, relevant) of the strata of the retrieved and
    of the unretrieved segment, and which of them were read whole before the first look."""
    if not any(x for _, _, x in one):
        return 0.0
    # The unretrieved segment is counted by its documents that are not relevant: then recall rises
    # with every total, as the search for the least demands.
    missed = exchanged(other)
    groups = [open_strata(one, one_known), open_strata(missed, other_known)]
    own = sum(x for (_, _, x), known in zip(one, one_known, strict=True) if known)
    others = sum(size for size, _, _ in other)
    others -= sum(x for (_, _, x), known in zip(missed, other_known, strict=True) if known)
    goal = share_goal(len(groups[0]), len(groups[1]), own, others)
    groups = [group for group in groups if group]
    if not groups:
        return goal.value(np.empty(0))
    at_least = 0.0
    if max(size for group in groups for size, _, _ in group) >= LARGE:
        # Merged evidence is e1/4 + e0/4 + e1 e0/2, so that e1 >= 4/alpha alone refuses totals of
        # the retrieved segment, whatever the other one holds.
        at_least = own
        if open_strata(one, one_known):  # evidence about them alone of 4/alpha is enough
            alone = open_strata(one, one_known)
            at_least += least_measure(_problem([alone], alpha / 4), sum_goal(len(alone)))
    return max(0.0, _least(groups, alpha, goal, at_least))


def least_sum(segments: Sequence[Samples], alpha: float, known: Sequence[Sequence[bool]]) -> float:
    """The least number of relevant documents in the strata of one segment or of two."""
    groups = [open_strata(*pair) for pair in zip(segments, known, strict=True)]
    everything = sum(
        x
        for segment, is_known in zip(segments, known, strict=True)
        for (_, _, x), whole in zip(segment, is_known, strict=True)
        if whole
    )
    groups = [group for group in groups if group]
    if not groups:
        return everything
    least = _least(groups, alpha, sum_goal(sum(map(len, groups))))
    # the least totals that are left are whole; 1e-9 is the rounding of sums of up to 1e6
    return everything + max(
        sum(x for group in groups for _, _, x in group),
        math.ceil(least - 1e-9 * max(1.0, least)),
    )


def most_sum(segments: Sequence[Samples], alpha: float, known: Sequence[Sequence[bool]]) -> float:
    """The largest number of relevant documents in the strata of one segment or of two."""
    size = sum(size for segment in segments for size, _, _ in segment)
    return size - least_sum([exchanged(segment) for segment in segments], alpha, known)


def recall_bounds(
    one: Samples,
    other: Samples,
    alpha: float,
    side: str,
    known: tuple[Sequence[bool], Sequence[bool]],
) -> tuple[float, float]:
    """Both ends of recall, each with alpha, or 0 and 1 where the side leaves it open."""
    low = recall_low(one, other, alpha, *known) if side != "upper" else 0.0
    high = 1.0
    if side != "lower":
        high = 1 - recall_low(other, one, alpha, known[1], known[0])
    return low, high


def sum_bounds(
    segments: Sequence[Samples], alpha: float, side: str, known: Sequence[Sequence[bool]]
) -> tuple[float, float]:
    """Both ends of the number of relevant documents, each with alpha."""
    low = least_sum(segments, alpha, known) if side != "upper" else 0.0
    if side == "lower":
        return low, sum(size for segment in segments for size, _, _ in segment)
    return low, most_sum(segments, alpha, known)
