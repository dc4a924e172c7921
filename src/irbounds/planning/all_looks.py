"""Recall at every look at samples that grow: intersections of bounds, and evidence."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from irbounds.foundation.interval import Interval, tail_probability
from irbounds.planning.design.outcomes import IntervalKind
from irbounds.samples.bounds import anytime
from irbounds.samples.bounds import anytime_strata as strata
from irbounds.samples.model.point_estimates import recall_ratio
from irbounds.samples.model.strata import Stratum
from irbounds.warnings import SampleWarning

MOST_EVIDENCE = 1e15  # 1/alpha; what is beyond counts as this
# Less counts as none; evidence about strata is sought from 1 on,
# where some totals are always left.
LEAST_EVIDENCE, LEAST_OF_STRATA = 1e-3, 1.0
# Halves of log 1e18: to 4e-17 for one stratum in each segment. Strata take a tenth of a second for
# each, and get 24: to 3e-6.
SEARCHES, SEARCHES_OF_STRATA = 60, 24

ROUNDED = 1 + 1e-12
CONTRADICTION = (
    "the looks contradict each other: earlier ones leave no recall that is possible now; the "
    "interval is that of this look alone"
)

Samples = list[anytime.Sample]


class AllLooks:
    """Bounds of recall at all looks so far.

    Evidence about both segments, and about all their strata, is merged, whichever the next document
    is drawn from. Where one of them is read whole before the first look, all evidence is that about
    the others. After the first look it is too late: who reads a segment to its end only if the
    evidence about it is poor makes the error of all looks as large as 0.32 at 0.2 (6 and 10
    documents).
    """

    def __init__(self, kind: IntervalKind, prior: Any, segments: list[list[Stratum]]) -> None:
        self.kind = kind
        self._has_strata = anytime.has_strata(*segments)
        if self._has_strata:
            anytime.check_strata(prior, *segments)
        self._prior = anytime.check_prior(prior)
        self._ends = 0.0, 1.0
        self._known = [[False] * len(segment) for segment in segments]

    def _low(self, one: Samples, other: Samples, alpha: float, is_exchanged: bool = False) -> float:
        known = self._known[::-1] if is_exchanged else self._known
        if self._has_strata:
            return strata.recall_low(one, other, alpha, *known)
        # Whether a segment was read whole before the first look decides how evidence is split.
        split = not any(map(any, known))
        return anytime.recall_low(one[0], other[0], alpha, self._prior, split)

    def updated(self, before: list[list[Stratum]], after: list[list[Stratum]]) -> Interval:
        """The interval after new documents."""
        one, other = (_samples(segment) for segment in after)
        if not any(stratum.sampled for segment in before for stratum in segment):  # the first look
            self._known = [strata.read_whole(one), strata.read_whole(other)]
        alpha = tail_probability(self.kind.confidence_level, self.kind.side)
        low, high = 0.0, 1.0
        if self.kind.side != "upper":
            low = self._low(one, other, alpha)
        if self.kind.side != "lower":
            # 1 - recall is the recall of the other segment.
            high = 1 - self._low(other, one, alpha, is_exchanged=True)
        # Bounds of all looks hold together with the level, so their intersection does, and it never
        # widens.
        joint = max(low, self._ends[0]), min(high, self._ends[1])
        least, most = _possible(one, other)
        if joint[0] <= min(joint[1], most * ROUNDED) and least <= joint[1] * ROUNDED:
            low, high = joint
        else:  # the truth was refused: this look speaks for itself
            warnings.warn(CONTRADICTION, SampleWarning, stacklevel=3)
        self._ends = low, high
        estimate = recall_ratio(
            *([Stratum(*map(np.asarray, x)) for x in samples] for samples in (one, other))
        )
        is_all_read = all(map(all, map(strata.read_whole, (one, other))))
        if is_all_read and any(x for samples in (one, other) for _, _, x in samples):
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
        one, other = (_samples(segment) for segment in segments)

        def reaches(evidence: float) -> bool:
            return self._low(one, other, 1 / evidence) >= target * (1 - 1e-12)

        # The lower bound rises with alpha: what evidence reaches, less evidence reaches too.
        if reaches(MOST_EVIDENCE):
            return MOST_EVIDENCE
        least = LEAST_OF_STRATA if self._has_strata else LEAST_EVIDENCE
        low, high = math.log(least), math.log(MOST_EVIDENCE)
        if not reaches(least):
            return 0.0
        for _ in range(SEARCHES_OF_STRATA if self._has_strata else SEARCHES):
            middle = (low + high) / 2
            low, high = (middle, high) if reaches(math.exp(middle)) else (low, middle)
        return math.exp(low)


def _possible(one: Samples, other: Samples) -> tuple[float, float]:
    """The least and the greatest recall that the counts leave."""
    (found, unread), (missed, left) = (
        (sum(x for _, _, x in samples), sum(size - n for size, n, _ in samples))
        for samples in (one, other)
    )
    least = found / (found + missed + left) if found else 0.0
    most = 1.0 if not missed else (found + unread) / (found + unread + missed)
    return least, most


def _samples(segment: list[Stratum]) -> Samples:
    return [(float(size), float(sampled), float(x)) for size, sampled, x in segment]
