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
    Stretch,
    Yields,
    approximate_ends,
    approximate_log_odds,
    measured_stretch,
)
from irbounds.planning.design.neyman import Samples
from irbounds.planning.design.outcomes import RARE, SHARP, IntervalKind
from irbounds.samples.intervals.pipeline import recall_ends_of
from irbounds.samples.model.strata import Stratum

if TYPE_CHECKING:
    from irbounds.typing import FloatArray, FloatOrArray, IntArray

OUTCOMES = 1024  # with approximate ends
EXACT = 32  # with exact ends too: these are within a percent or so of the approximate ones, so that
# the mean difference of 32 is known to some 0.2 % of the width
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

    def measured_stretch(self) -> Stretch:
        """Measure the stretch over some outcomes."""
        # The ends of other methods are near the approximate ones.
        if not self.kind.row.holds_at_all_looks:
            return AS_IT_IS
        some = slice(0, EXACT)
        retrieved, unretrieved = (yields.at(some) for yields in self._yields)
        return measured_stretch(self._ends(some, self.kind), retrieved, unretrieved)

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
        some = slice(0, EXACT)
        exact = self.kind.width(self.case.recall, *self._ends(some, self.kind))
        approximate, slope = self._approximate_widths[some], 1.0
        if self.kind.row.holds_at_all_looks and np.ptp(approximate) > 0:
            slope = float(np.clip(np.polyfit(approximate, exact, 1)[0], *SLOPES))
        rest = self.approximate_width() - float(approximate.mean())
        return float(np.mean(exact)) + slope * rest

    def _distances(self, target: float) -> FloatArray:
        """Distances of the approximate low ends above the target, in log odds."""
        low, _ = approximate_log_odds(*self._yields, self.stretch)
        limit = math.inf if target >= 1 else math.log(target / (1 - target))
        return np.where(self._found[0] > 0, low - limit, -np.inf)

    def approximate_chance(self, target: float) -> float:
        """Compute the share of the outcomes whose approximate low end reaches a target."""
        return float((self._distances(target) >= 0).mean())

    def chance(self, target: float) -> float:
        """Compute the share of the outcomes whose low end reaches a target.

        Approximate ends decide far from the target. Exact ends are taken where they are nearest to
        it, because they may be on the wrong side there.
        """
        distances = self._distances(target)
        reached = distances >= 0
        nearest = np.argsort(np.abs(distances), kind="stable")[: 2 * EXACT]
        low, _ = self._ends(nearest, self.kind.lower)
        reached[nearest] = low >= target - SHARP
        return float(reached.mean())


def even_points(dimensions: int, count: int) -> FloatArray:
    """Points of a Sobol sequence, turned by fixed random numbers.

    They are the same for all designs, so that comparing two designs has no noise of its own.
    """
    from scipy.stats import qmc

    turned = np.random.default_rng(0).random(dimensions)
    return np.asarray((qmc.Sobol(dimensions, scramble=False).random(count) + turned) % 1)


def _counts_at(points: FloatArray, counts: FloatArray, chances: FloatArray) -> FloatArray:
    """Counts at these quantiles."""
    places = np.searchsorted(np.cumsum(chances), points)
    return np.asarray(counts[np.minimum(places, len(counts) - 1)])
