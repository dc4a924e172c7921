"""Several strata: outcomes spread evenly over what may be found, rough ends for all and exact ones
for some."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np

from irbounds.chance.sampling_chances import likely_counts
from irbounds.planning.assumptions.review import Case
from irbounds.planning.design.approximate_ends import rough_ends, rough_log_odds, rough_yields
from irbounds.planning.design.outcomes import RARE, SHARP, IntervalKind
from irbounds.samples.intervals.pipeline import recall_ends_of
from irbounds.samples.model.strata import Stratum

OUTCOMES = 1024  # with rough ends
EXACT = 32  # with exact ends too: these are within a percent or so of the rough ones, so that the
# mean difference of 32 is known to some 0.2 % of the width
# Slopes of exact widths by rough ones: between 1.0 and 1.8 in designs with three strata.
SLOPES = (0.5, 3.0)


def even_points(dimensions: int, count: int) -> np.ndarray:
    """Points of a Sobol sequence, turned by fixed random numbers: the same for every design."""
    from scipy.stats import qmc

    turned = np.random.default_rng(0).random(dimensions)
    return np.asarray((qmc.Sobol(dimensions, scramble=False).random(count) + turned) % 1)


class Joint:
    """The outcomes of samples from all strata."""

    def __init__(
        self,
        case: Case,
        samples: tuple[tuple[int, ...], tuple[int, ...]],
        kind: IntervalKind,
        *,
        laws: dict[Any, Any] | None = None,
        stretch: float = 1.0,
    ) -> None:
        self.case = case
        self.kind = kind
        self.stretch = stretch
        known: dict[Any, Any] = {} if laws is None else laws
        strata = [*case.retrieved, *case.unretrieved]
        taken = [*samples[0], *samples[1]]
        if "points" not in known:
            known["points"] = even_points(len(strata), OUTCOMES)
        # Uniform numbers in place of outcomes: the quantiles of each stratum's counts at them.  The
        # same for all designs, so that comparing two has no noise of its own.
        points = known["points"]
        found = []
        for i, (stratum, n) in enumerate(zip(strata, taken, strict=True)):
            # Designs with the same sample of a stratum share its counts.
            key = (stratum, i, n)
            if key not in known:
                known[key] = _spread(likely_counts(*stratum, float(n), RARE), points[:, i])
            found.append(known[key])
        assessed = [
            Stratum(np.full(len(points), stratum.size), np.full(len(points), float(n)), counts)
            for stratum, n, counts in zip(strata, taken, found, strict=True)
        ]
        self.segments = assessed[: len(case.retrieved)], assessed[len(case.retrieved) :]

    @cached_property
    def _yields(self) -> Any:
        return [
            rough_yields(segment, self.kind.method, self.kind.confidence_level, self.kind.side)
            for segment in self.segments
        ]

    @cached_property
    def rough(self) -> np.ndarray:
        """Rough widths of all outcomes."""
        found = [sum(stratum.relevant for stratum in segment) for segment in self.segments]
        retrieved, unretrieved = self._yields
        low, high = rough_ends(retrieved, unretrieved, (found[0], found[1]), self.kind.side)
        return np.asarray(self.kind.width(self.case.recall, low, high))

    @property
    def rough_width(self) -> float:
        """Their mean."""
        return float(self.rough.mean())

    def _exact(self, chosen: Any, kind: IntervalKind) -> tuple[Any, Any]:
        retrieved, unretrieved = (
            [Stratum(*(field[chosen] for field in stratum)) for stratum in segment]
            for segment in self.segments
        )
        return recall_ends_of(retrieved, unretrieved, kind.method, kind.confidence_level, kind.side)

    def measured_stretch(self) -> float:
        """Return the ratio of the exact low ends' distances from the middle to the rough ones', in
        log odds: the median over some outcomes."""
        some = slice(0, EXACT)
        low, _ = self._exact(some, self.kind.lower)
        retrieved, unretrieved = self._yields
        middle = (retrieved.middle - unretrieved.middle)[some]
        rough = rough_log_odds(retrieved, unretrieved)[0][some]
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = (np.log(low / (1 - low)) - middle) / (rough - middle)
        ratios = ratios[np.isfinite(ratios) & (ratios > 0)]
        return float(np.median(ratios)) if ratios.size else 1.0

    def width(self) -> float:
        """The mean rough width, and the mean difference of some exact ones from theirs; ends that
        hold at all looks are further out, by a part of the width."""
        some = slice(0, EXACT)
        exact = self.kind.width(self.case.recall, *self._exact(some, self.kind))
        rough, slope = self.rough[some], 1.0
        if self.kind.row.holds_at_all_looks and np.ptp(rough) > 0:
            slope = float(np.clip(np.polyfit(rough, exact, 1)[0], *SLOPES))
        return float(np.mean(exact)) + slope * (self.rough_width - float(rough.mean()))

    def _distances(self, target: float) -> np.ndarray:
        """Distances of the rough low ends above the target, in log odds."""
        retrieved, unretrieved = self._yields
        low, _ = rough_log_odds(retrieved, unretrieved, (self.stretch, self.stretch))
        found = sum(stratum.relevant for stratum in self.segments[0])
        limit = math.inf if target >= 1 else math.log(target / (1 - target))
        return np.where(found > 0, low - limit, -np.inf)

    def rough_chance(self, target: float) -> float:
        """Share of the outcomes whose rough low end reaches a target."""
        return float((self._distances(target) >= 0).mean())

    def chance(self, target: float) -> float:
        """Share of the outcomes whose low end reaches a target; next to the target exact ends are
        taken."""
        distances = self._distances(target)
        reached = distances >= 0
        # Rough ends decide far from the target; where they are nearest to it they may be on the
        # wrong side.
        nearest = np.argsort(np.abs(distances), kind="stable")[: 2 * EXACT]
        low, _ = self._exact(nearest, self.kind.lower)
        reached[nearest] = low >= target - SHARP
        return float(reached.mean())


def _spread(law: tuple[np.ndarray, np.ndarray], points: np.ndarray) -> np.ndarray:
    """Counts at quantiles."""
    counts, chances = law
    return counts[np.minimum(np.searchsorted(np.cumsum(chances), points), len(counts) - 1)]
