"""Intervals of the outcomes that a design with several strata may draw."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.chance.sampling_chances import likely_counts
from irbounds.planning.assumptions.review import Case
from irbounds.planning.design.approximate_ends import (
    AS_IT_IS,
    STRETCHES,
    Stretch,
    Yields,
    approximate_ends,
    approximate_log_odds,
)
from irbounds.planning.design.even_points import even_points
from irbounds.planning.design.neyman import Samples
from irbounds.planning.design.outcomes import RARE, SHARP, IntervalKind
from irbounds.samples.intervals.pipeline import recall_ends_of, recall_reaches
from irbounds.samples.intervals.table import ONE_SIDED
from irbounds.samples.model.strata import Stratum

if TYPE_CHECKING:
    from irbounds.typing import BoolArray, FloatArray, FloatOrArray, IntArray

OUTCOMES = 1024  # with approximate ends
EXACT = 32  # with exact ends too: these are within a percent or so of the approximate ones, so that
# the mean difference of 32 is known to some 0.2 % of the width
EXACT_SLOW = 8  # where each end takes a tenth of a second
# Outcomes among which the edge of those that reach a target may lie, 0.8 % of all; where it is only
# a start or a comparison 2.3 %.  The exact test takes longest next to the edge.
EDGE, ROUGH_EDGE = 8, 24
# Outcomes that check the order, at this distance from the edge; of how many one is asked if it is
# wrong.
CHECKS, FAR, ASKED = 16, 64, 4
# Different outcomes that are all asked: in designs of so few documents the order is often wrong
# next to the edge, and one outcome has much probability.
FEW = 256
# Slopes of exact widths by approximate ones: between 1.0 and 1.8 in designs with three strata.
SLOPES = (0.5, 3.0)


class OutcomeSample:
    """Outcomes of samples from all strata, spread evenly over what may be found.

    `shared` holds the counts that designs of one review share.
    """

    def __init__(
        self,
        case: Case,
        samples: Samples,
        kind: IntervalKind,
        shared: dict[Any, Any],
        stretch: Stretch = AS_IT_IS,
    ) -> None:
        self.case = case
        self.kind = kind
        self.stretch = stretch
        strata = [*case.retrieved, *case.unretrieved]
        if "points" not in shared:
            shared["points"] = even_points(len(strata), OUTCOMES)
        assessed = []
        for i, (stratum, n) in enumerate(zip(strata, [*samples[0], *samples[1]], strict=True)):
            key = (stratum, i, n)
            if key not in shared:
                shared[key] = _counts_at(
                    shared["points"][:, i], *likely_counts(*stratum, float(n), RARE)
                )
            counts = shared[key]
            assessed.append(
                Stratum(np.full(OUTCOMES, stratum.size), np.full(OUTCOMES, float(n)), counts)
            )
        n_retrieved = len(case.retrieved)
        self.segments = assessed[:n_retrieved], assessed[n_retrieved:]
        self._found = [sum(s.relevant for s in segment) for segment in self.segments]

    @cached_property
    def _yields(self) -> tuple[Yields, Yields]:
        retrieved, unretrieved = (self.kind.approximate_yields(x) for x in self.segments)
        return retrieved, unretrieved

    def _ends(
        self, chosen: slice | IntArray, kind: IntervalKind
    ) -> tuple[FloatOrArray, FloatOrArray]:
        """Exact ends of some outcomes."""
        retrieved, unretrieved = (
            [Stratum(*(field[chosen] for field in stratum)) for stratum in segment]
            for segment in self.segments
        )
        return recall_ends_of(retrieved, unretrieved, kind.method, kind.confidence_level, kind.side)

    @cached_property
    def _approximate_widths(self) -> FloatArray:
        ends = approximate_ends(
            *self._yields, (self._found[0], self._found[1]), self.kind.side, self.stretch
        )
        return np.asarray(self.kind.width(self.case.recall, *ends))

    def approximate_width(self) -> float:
        """Compute the expected width by approximate ends."""
        return float(self._approximate_widths.mean())

    def width(self) -> float:
        """Compute the mean approximate width, and the mean difference of some exact ones from
        theirs; ends that hold at all looks are further out, by a part of the width."""
        some = slice(0, EXACT_SLOW if self.kind.method == ONE_SIDED.name else EXACT)
        exact = self.kind.width(self.case.recall, *self._ends(some, self.kind))
        approximate, slope = self._approximate_widths[some], 1.0
        if self.kind.row.holds_at_all_looks and np.ptp(approximate) > 0:
            slope = float(np.clip(np.polyfit(approximate, exact, 1)[0], *SLOPES))
        rest = self.approximate_width() - float(approximate.mean())
        return float(np.mean(exact)) + slope * rest

    def _distances(self, target: float) -> FloatArray:
        """Distances of the approximate low ends above the target, in log odds."""
        low, _ = approximate_log_odds(*self._yields, self.stretch)
        return np.where(self._found[0] > 0, low - _log_odds(target), -np.inf)

    def approximate_chance(self, target: float) -> float:
        """Compute the share of the outcomes whose approximate low end reaches a target."""
        return float((self._distances(target) >= 0).mean())

    def chance(self, target: float) -> float:
        """Compute the share of the outcomes whose low end reaches a target."""
        counts = np.stack([stratum.relevant for part in self.segments for stratum in part])
        if np.unique(counts, axis=1).shape[1] <= FEW:
            return float(self._reaches(np.arange(OUTCOMES), target).mean())
        order, edge = self._edge(target, EDGE)
        # Next to the edge the order is often wrong; farther away some outcomes check it.
        places = np.arange(EDGE, len(order), OUTCOMES // CHECKS)
        places = places[np.abs(places - edge) > FAR]
        is_right = (self._reaches(order[places], target) == (places < edge)).all()
        first, last = (max(0, edge - FAR), edge + FAR) if is_right else (0, len(order))
        places = np.arange(first + ASKED // 2, min(last, len(order)), ASKED)
        asked = float(self._reaches(order[places], target).sum()) * ASKED
        return min(first + asked, len(order)) / OUTCOMES

    def rough_chance(self, target: float) -> float:
        """The same to a hundredth, unchecked."""
        return self._edge(target, ROUGH_EDGE)[1] / OUTCOMES

    def stretch_at(self, target: float) -> Stretch:
        """The stretch with which the approximate low end of the last outcome that reaches a target
        is the target."""
        order, edge = self._edge(target, ROUGH_EDGE)
        if not 0 < edge < len(order):
            return self.stretch
        middle, low = (
            approximate_log_odds(*self._yields, stretch)[0][order[edge - 1]]
            for stretch in ((0.0, 0.0), AS_IT_IS)
        )
        ratio = float((middle - _log_odds(target)) / (middle - low)) if middle > low else 1.0
        return min(STRETCHES[1], max(STRETCHES[0], ratio)), self.stretch[1]

    def _edge(self, target: float, within: int) -> tuple[IntArray, int]:
        """The outcomes by their approximate low ends, and how many of them reach the target.

        Approximate low ends are wrong by much the same distance in all outcomes of a design, so
        that they nearly always put outcomes in the order of the exact ones: the edge is found by
        halving, to `within` outcomes.
        """
        distances = self._distances(target)
        possible = np.flatnonzero(np.isfinite(distances))
        order = possible[np.argsort(-distances[possible], kind="stable")]
        most = bad = len(order)
        good, guess, step = 0, int((distances >= 0).sum()), 4 * within
        while bad - good > (within if good > 0 and bad < most else 0):
            place = min(bad, max(good + 1, guess))
            does = bool(self._reaches(order[[place - 1]], target)[0])
            good, bad = (place, bad) if does else (good, place - 1)
            # Steps from the guess double until the edge is passed; then the rest is halved.
            is_inside = good > 0 and bad < most
            guess = (good + bad + 1) // 2 if is_inside else place + (step if does else -step)
            step *= 2
        return order, (good + bad) // 2

    def _reaches(self, places: IntArray, target: float) -> BoolArray:
        """Whether the exact low ends of outcomes reach a target."""
        counts = np.stack([stratum.relevant[places] for part in self.segments for stratum in part])
        first, which = np.unique(counts, axis=1, return_index=True, return_inverse=True)[1:]
        one, other = (
            [Stratum(*(field[places[first]] for field in stratum)) for stratum in segment]
            for segment in self.segments
        )
        kind = self.kind.lower
        found = recall_reaches(
            one, other, kind.method, kind.confidence_level, kind.side, target - SHARP
        )
        return np.asarray(found[which.ravel()])


def _log_odds(target: float) -> float:
    return math.inf if target >= 1 else math.log(target / (1 - target))


def _counts_at(points: FloatArray, counts: FloatArray, chances: FloatArray) -> FloatArray:
    """Counts at these quantiles."""
    places = np.searchsorted(np.cumsum(chances), points)
    return np.asarray(counts[np.minimum(places, len(counts) - 1)])
