"""Intervals of the outcomes that a design may draw, with one stratum in each segment."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.chance.sampling_chances import likely_counts, nodes_of
from irbounds.foundation.arguments import check_level
from irbounds.foundation.errors import check_choice
from irbounds.foundation.interval import SIDES, tail_probability
from irbounds.planning.assumptions.review import Case
from irbounds.planning.design.approximate_ends import (
    AS_IT_IS,
    Stretch,
    Yields,
    approximate_ends,
    approximate_log_odds,
    approximate_yields,
    measured_stretch,
)
from irbounds.planning.design.neyman import Samples
from irbounds.samples.intervals.pipeline import Outcomes
from irbounds.samples.intervals.table import INTERVAL_METHODS, METHODS
from irbounds.samples.model.request import Method
from irbounds.samples.model.strata import Stratum

if TYPE_CHECKING:
    from irbounds.typing import BoolArray, FloatArray, FloatOrArray, IntArray

# Probability of the counts that expectations leave out, in each tail of each sample: 4e-8 for two
# samples, which moves an expected width by less, well below search.ROUNDING.
RARE = 1e-8
UNLIKELY = 1e-7  # counts of one sample that chances leave out: likewise below search.ROUNDING
# Outcomes that are all evaluated: the ends of samples that are a large part of their segments jump
# from count to count.
ALL_OUTCOMES = 700
# Counts of each sample that are evaluated where there are more outcomes.  In 127 random designs of
# up to 2 million documents 21 were within 7.2e-4 of the width over all outcomes, 95 % of them
# within 1.2e-4.
NODES = 21
COARSE = 0.01  # tolerance of the log odds of slow ends, where nodes are many
SHARP = 2e-7  # of recall: a bound that is less below its target reaches it
LIKELY = (0.2, 0.5, 0.8)  # quantiles of the counts at which the stretch is measured


@dataclass(frozen=True)
class IntervalKind:
    """The kind of interval that is planned."""

    method: str = "betabinom-half"
    confidence_level: float = 0.95
    side: str = "two-sided"

    def __post_init__(self) -> None:
        check_choice("method", self.method, METHODS)
        check_level(self.confidence_level)
        check_choice("side", self.side, SIDES)

    @property
    def row(self) -> Method:
        """The method's row of the table."""
        return INTERVAL_METHODS[self.method]

    @property
    def lower(self) -> IntervalKind:
        """The one-sided interval that has the same low end; of a method whose ends are not
        quantiles, itself."""
        if self.side == "lower" or not self.row.is_posterior:
            return self
        # An end of a posterior is a quantile.  The low end of a two-sided interval is that of the
        # one-sided one with its tail.
        return IntervalKind(
            self.method, 1 - tail_probability(self.confidence_level, self.side), "lower"
        )

    def width(self, recall: float, low: FloatOrArray, high: FloatOrArray) -> FloatOrArray:
        """High less low end; of a one-sided interval the distance of its end from recall."""
        if self.side == "lower":
            return recall - low
        return high - (recall if self.side == "upper" else low)

    def approximate_yields(self, strata: list[Stratum]) -> Yields:
        """Approximate yields of a segment for this kind."""
        return approximate_yields(strata, self.method, self.confidence_level, self.side)


@dataclass(frozen=True)
class Counts:
    """Possible counts of relevant documents in one stratum's sample, with approximate yields."""

    size: float
    sampled: float
    counts: FloatArray
    chances: FloatArray
    yields: Yields


class OutcomeGrid:
    """All outcomes of two samples: retrieved × unretrieved.

    `shared` holds the counts that designs of one review and one kind of interval share.
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
        parts = []
        for part, known in enumerate((case.retrieved[0], case.unretrieved[0])):
            key = (part, known, samples[part][0])
            if key not in shared:
                sampled = float(samples[part][0])
                counts, chances = likely_counts(*known, sampled, RARE)
                yields = kind.approximate_yields([Stratum(known.size, sampled, counts)])
                shared[key] = Counts(known.size, sampled, counts, chances, yields)
            parts.append(shared[key])
        self.retrieved, self.unretrieved = self.parts = parts[0], parts[1]
        self.shape = len(self.retrieved.counts), len(self.unretrieved.counts)

    @cached_property
    def _intervals(self) -> Outcomes:
        first, second = self.parts
        return Outcomes(
            (first.size, second.size), (first.sampled, second.sampled), self.kind.method
        )

    def _ends(
        self,
        places: tuple[IntArray, IntArray],
        kind: IntervalKind,
        tolerance: float = 0.0,
        target: float | None = None,
    ) -> tuple[FloatOrArray, FloatOrArray]:
        """Exact ends of the outcomes at places of both counts."""
        found = [part.counts[place] for part, place in zip(self.parts, places, strict=True)]
        return self._intervals.ends(found, kind.confidence_level, kind.side, tolerance, target)

    def _expected(self, values: FloatArray | BoolArray) -> float:
        return float(self.retrieved.chances @ values @ self.unretrieved.chances)

    def measured_stretch(self) -> Stretch:
        """Measure the stretch over nine likely outcomes."""
        likely = [
            np.searchsorted(np.cumsum(part.chances), LIKELY).clip(0, len(part.counts) - 1)
            for part in self.parts
        ]
        places = np.repeat(likely[0], 3), np.tile(likely[1], 3)
        ends = self._ends(places, self.kind)
        yields = [part.yields.at(place) for part, place in zip(self.parts, places, strict=True)]
        return measured_stretch(ends, yields[0], yields[1])

    def approximate_width(self) -> float:
        """Compute the expected width by approximate ends."""
        found = self.retrieved.counts[:, None], self.unretrieved.counts[None, :]
        ends = approximate_ends(
            self.retrieved.yields.column,
            self.unretrieved.yields,
            found,
            self.kind.side,
            self.stretch,
        )
        widths = self.kind.width(self.case.recall, *ends)
        return self._expected(np.broadcast_to(widths, self.shape))

    def width(self) -> float:
        """Compute the expected width by exact ends: over all outcomes if they are few, else over
        nodes of both counts."""
        is_small = self.shape[0] * self.shape[1] <= ALL_OUTCOMES
        most = ALL_OUTCOMES if is_small else NODES
        (places1, weights1), (places0, weights0) = (
            nodes_of(part.counts, part.chances, part.sampled, most) for part in self.parts
        )
        grid = np.repeat(places1, len(places0)), np.tile(places0, len(places1))
        # Only the guaranteed ends make use of a tolerance.
        is_coarse = self.kind.row.is_slow and not self.kind.row.holds_at_all_looks and not is_small
        tolerance = COARSE if is_coarse else 0.0
        low, high = self._ends(grid, self.kind, tolerance)
        # Ends with a tolerance are too far out by nearly all of it, which is given back:
        # d recall = recall (1 - recall) d log odds.  The rest was 2e-5 on the average of 30
        # intervals in three designs of 10^6 documents.
        low, high = low + tolerance * low * (1 - low), high - tolerance * high * (1 - high)
        widths = np.asarray(self.kind.width(self.case.recall, low, high))
        return float(weights1 @ widths.reshape(len(places1), len(places0)) @ weights0)

    def approximate_chance(self, target: float) -> float:
        """Compute the probability that the approximate low end reaches a target."""
        return self._expected(self._approximately_reaches(target))

    def _approximately_reaches(self, target: float) -> BoolArray:
        low, _ = approximate_log_odds(
            self.retrieved.yields.column, self.unretrieved.yields, self.stretch
        )
        limit = math.log(target / (1 - target)) if target < 1 else math.inf
        return np.asarray((low >= limit) & (self.retrieved.counts[:, None] > 0))

    def chance(self, target: float) -> float:
        """Compute the probability that the exact low end reaches a target."""
        if not self.kind.row.is_monotone:
            places = np.indices(self.shape).reshape(2, -1)
            return self._expected(self._reaches((places[0], places[1]), target).reshape(self.shape))
        # The low end rises with every relevant document found among the retrieved, and falls with
        # every one among the others.  So either each r1 has a last r0 with which it reaches the
        # target, or each r0 a first r1; the segment with fewer counts is gone through.
        approximate = self._approximately_reaches(target)
        if self.shape[0] <= self.shape[1]:
            rows, chances = self.retrieved, self.unretrieved.chances
            last = approximate.sum(axis=1) - 1
            reached = _last_reached(
                rows.chances, last, len(chances), lambda i, j: self._reaches((i, j), target)
            )
        else:
            rows, chances = self.unretrieved, self.retrieved.chances[::-1]
            last, top = approximate.sum(axis=0) - 1, len(chances) - 1
            reached = _last_reached(
                rows.chances, last, len(chances), lambda i, j: self._reaches((top - j, i), target)
            )
        return float(rows.chances @ np.concatenate([[0.0], np.cumsum(chances)])[reached + 1])

    def _reaches(self, places: tuple[IntArray, IntArray], target: float) -> BoolArray:
        limit = target - SHARP
        return np.asarray(self._ends(places, self.kind.lower, target=limit)[0] >= limit)


def _last_reached(
    chances: FloatArray,
    guess: IntArray,
    width: int,
    reaches: Callable[[IntArray, IntArray], BoolArray],
) -> IntArray:
    """Find the last column that reaches a target in each row; all before it do. -1 for none."""
    good, bad = np.full(len(guess), -1), np.full(len(guess), width)
    # Rows as unlikely as these are taken to miss, without a search.
    bad[chances < UNLIKELY] = 0
    step = np.ones(len(guess), np.int64)
    while (bad - good > 1).any():
        rows = np.flatnonzero(bad - good > 1)
        at = np.clip(guess[rows], good[rows] + 1, bad[rows] - 1)
        does = reaches(rows, at)
        good[rows] = np.where(does, at, good[rows])
        bad[rows] = np.where(does, bad[rows], at)
        # Steps from the guess double until the edge is passed; then the rest is halved.
        is_inside = (good[rows] >= 0) & (bad[rows] < width) & (step[rows] > 1)
        beyond = np.where(does, good[rows] + step[rows], bad[rows] - step[rows])
        guess[rows] = np.where(is_inside, (good[rows] + bad[rows]) // 2, beyond)
        step[rows] *= 2
    return good
