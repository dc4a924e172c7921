"""Recall at every look at two samples that grow: intersections of bounds, and evidence."""

from __future__ import annotations

import math

import numpy as np

from irbounds.foundation.errors import InputError
from irbounds.foundation.interval import Interval, tail_probability
from irbounds.planning.outlook import IntervalKind
from irbounds.samples.anytime import AnytimePrior, Sample, recall_low
from irbounds.samples.approximations import recall_ratio
from irbounds.samples.strata import Stratum

MOST_EVIDENCE = 1e15  # 1/alpha; what is beyond counts as this
SEARCHES = 60  # halves of log 1e15: 6e-17


class AllLooks:
    """Bounds of recall at all looks so far.

    Evidence about both segments is merged, whichever the next document is drawn from. Where one
    segment is read whole before the other one is sampled, all evidence is that about the other:
    from there on the intersection begins anew.
    """

    def __init__(self, kind: IntervalKind, prior: AnytimePrior) -> None:
        self.kind = kind
        self.prior = prior
        self._ends = 0.0, 1.0
        self._split = True

    @staticmethod
    def check(segments: list[list[Stratum]]) -> None:
        """Refuse strata."""
        for segment in segments:
            _sample(segment)

    def updated(self, before: list[list[Stratum]], after: list[list[Stratum]]) -> Interval:
        """The interval after new documents."""
        one, other = (_sample(segment) for segment in after)
        split = self._split and not _is_read_first(before, (one, other))
        ends = (0.0, 1.0) if split != self._split else self._ends
        alpha = tail_probability(self.kind.confidence_level, self.kind.side)
        low, high = 0.0, 1.0
        if self.kind.side != "upper":
            low = recall_low(one, other, alpha, self.prior, split)
        if self.kind.side != "lower":
            high = 1 - recall_low(other, one, alpha, self.prior, split)
        joint = max(low, ends[0]), min(high, ends[1])
        if joint[0] <= joint[1]:  # else the truth was refused: this look speaks for itself
            low, high = joint
        self._ends, self._split = (low, high), split
        estimate = recall_ratio(*([Stratum(*map(np.asarray, x))] for x in (one, other)))
        if one[0] == one[1] and other[0] == other[1] and one[2] + other[2] > 0:
            low = high = float(estimate)
        return Interval(
            float(estimate),
            low,
            high,
            self.kind.confidence_level,
            self.kind.side,
            self.kind.method,
            "exact",
        )

    def e_value(self, segments: list[list[Stratum]], target: float) -> float:
        """The largest 1/alpha with which the lower bound reaches the target."""
        one, other = (_sample(segment) for segment in segments)

        def reaches(evidence: float) -> bool:
            low = recall_low(one, other, 1 / evidence, self.prior, self._split)
            return low >= target * (1 - 1e-12)

        if reaches(MOST_EVIDENCE):
            return MOST_EVIDENCE
        low, high = math.log(1e-3), math.log(MOST_EVIDENCE)
        if not reaches(1e-3):
            return 0.0
        for _ in range(SEARCHES):
            middle = (low + high) / 2
            low, high = (middle, high) if reaches(math.exp(middle)) else (low, middle)
        return math.exp(low)


def _sample(segment: list[Stratum]) -> Sample:
    if len(segment) > 1:
        raise InputError("looks='any' does not support strata: give each segment as one number")
    size, sampled, relevant = segment[0]
    return float(size), float(sampled), float(relevant)


def _is_read_first(before: list[list[Stratum]], now: tuple[Sample, Sample]) -> bool:
    """Whether one segment is read whole while, before this look, the other one was not sampled."""
    (size1, n1, _), (size0, n0, _) = now
    return (n1 == size1 and before[1][0].sampled == 0) or (
        n0 == size0 and before[0][0].sampled == 0
    )
