"""Ends of the interval for every sample that a design may draw; exact ends where they matter."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from irbounds.chance.sampling_chances import likely_counts, nodes_of
from irbounds.foundation.arguments import check_level
from irbounds.foundation.errors import check_choice
from irbounds.foundation.interval import SIDES, tail_probability
from irbounds.planning.assumptions.review import Case, Known
from irbounds.planning.design.approximate_ends import (
    AS_IT_IS,
    Stretch,
    Yields,
    rough_ends,
    rough_log_odds,
    rough_yields,
)
from irbounds.samples.intervals.pipeline import Outcomes
from irbounds.samples.intervals.table import INTERVAL_METHODS, METHODS
from irbounds.samples.model.request import Method
from irbounds.samples.model.strata import Stratum

# Probability of the counts that expectations leave out, in each tail of each sample: 4e-8 for two
# samples, which moves an expected width by less, well below sizes.ROUNDING.
RARE = 1e-8
# Part of the width by which two numbers of nodes may differ, and by which scatter about a smooth
# surface may count.  Measured: with 5e-4 the worst width of 2,210 random designs was off by 1.3e-3,
# with 2e-4 that of 602 designs of more than 400 outcomes by 4.2e-4.
CLOSE = 2e-4
# Outcomes that are all evaluated: the ends of samples that are a large part of their segments jump
# from count to count, so that neither smoothness nor scatter says how far few nodes are off.
ALWAYS_ALL = 400
FIRST_NODES = 6  # of each sample; doubled until the width stays
# Nodes of quick widths, for guaranteed intervals: in four designs of up to 10^6 documents 21 were
# within 1.2e-3 of all outcomes.
QUICK_NODES = 21
UNLIKELY = 1e-7  # counts of one sample that chances leave out: likewise below sizes.ROUNDING
COARSE = 0.01  # tolerance of the log odds of guaranteed bounds, where a target is far from them
SHARP = 2e-7  # of recall: a bound that is less below its target reaches it


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

    def width(self, recall: float, low: Any, high: Any) -> Any:
        """High less low end; of a one-sided interval the distance of its end from recall."""
        if self.side == "lower":
            return recall - low
        return high - (recall if self.side == "upper" else low)


@dataclass(frozen=True)
class Counts:
    """Possible counts of relevant documents in one stratum's sample, with rough yields for each."""

    known: Known
    sampled: float
    counts: np.ndarray
    chances: np.ndarray
    yields: Yields

    @classmethod
    def of(cls, known: Known, sampled: int, kind: IntervalKind) -> Counts:
        """Compute the counts by the hypergeometric distribution."""
        counts, chances = likely_counts(*known, float(sampled), RARE)
        stratum = Stratum(known.size, float(sampled), counts)
        return cls(
            known,
            float(sampled),
            counts,
            chances,
            rough_yields([stratum], kind.method, kind.confidence_level, kind.side),
        )


class Outlook:
    """Two strata, one sample of each: all outcomes, retrieved × unretrieved."""

    def __init__(
        self,
        case: Case,
        retrieved: Counts,
        unretrieved: Counts,
        kind: IntervalKind,
        stretch: Stretch = AS_IT_IS,
    ) -> None:
        self.case = case
        self.stretch = stretch
        self.kind = kind
        self.parts = (retrieved, unretrieved)

    @cached_property
    def _outcomes(self) -> Outcomes:
        (size1, _), (size0, _) = (part.known for part in self.parts)
        return Outcomes(
            (size1, size0), (self.parts[0].sampled, self.parts[1].sampled), self.kind.method
        )

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of possible counts in both samples."""
        return len(self.parts[0].counts), len(self.parts[1].counts)

    def _tables(self) -> tuple[Yields, Yields]:
        return self.parts[0].yields.column, self.parts[1].yields

    def measured_stretch(self) -> Stretch:
        """Return the ratio of the exact ends' distances from the middle to the rough ones', in log
        odds: the median over nine likely outcomes."""
        places = np.ix_(
            *(
                np.searchsorted(np.cumsum(part.chances), (0.2, 0.5, 0.8)).clip(
                    0, len(part.counts) - 1
                )
                for part in self.parts
            )
        )
        grid = [np.broadcast_to(place, (3, 3)).ravel() for place in places]
        found = np.array([part.counts[place] for part, place in zip(self.parts, grid, strict=True)])
        ends = self._outcomes.ends(found, self.kind.confidence_level, self.kind.side)
        retrieved, unretrieved = (
            Yields(*(field[place] for field in part.yields))
            for part, place in zip(self.parts, grid, strict=True)
        )
        # The log odds of recall, R1/R0, are a difference of logarithms.
        middle, stretch = retrieved.middle - unretrieved.middle, []
        with np.errstate(divide="ignore", invalid="ignore"):
            for exact, rough in zip(ends, rough_log_odds(retrieved, unretrieved), strict=True):
                ratios = (np.log(exact / (1 - exact)) - middle) / (rough - middle)
                ratios = ratios[np.isfinite(ratios)]
                stretch.append(float(np.clip(np.median(ratios), 0.5, 2)) if ratios.size else 1.0)
        return stretch[0], stretch[1]

    @cached_property
    def rough(self) -> np.ndarray:
        """Rough widths of all outcomes."""
        found = self.parts[0].counts[:, None], self.parts[1].counts[None, :]
        ends = rough_ends(*self._tables(), found, self.kind.side, self.stretch)
        return np.broadcast_to(self.kind.width(self.case.recall, *ends), self.shape)

    @property
    def rough_width(self) -> float:
        """Expected, by the rough ends."""
        return float(self.parts[0].chances @ self.rough @ self.parts[1].chances)

    def width(self, quick: bool = False) -> float:
        """Expected.  The rough widths are averaged over all outcomes, the exact ones' difference
        from them over nodes, of which there are twice as many until that settles.  A quick
        one takes QUICK_NODES, and coarse bounds."""
        exact = np.full(self.rough.shape, np.nan)
        before, nodes = math.inf, QUICK_NODES if quick else FIRST_NODES
        while True:
            all_of_them = exact.size <= ALWAYS_ALL
            laws = [
                nodes_of(p.counts, p.chances, p.sampled, 10**9 if all_of_them else nodes)
                for p in self.parts
            ]
            (places1, weights1), (places0, weights0) = laws
            grid = np.ix_(places1, places0)
            self._fill(exact, grid, quick)
            difference = exact[grid] - self.rough[grid]
            width = self.rough_width + float(weights1 @ difference @ weights0)
            if quick or difference.shape == exact.shape:
                return width
            weights = np.outer(weights1, weights0)
            # Two numbers of nodes may agree by luck, as exact ends have steps: scatter must be
            # small as well.
            tolerance = CLOSE * abs(width) + 1e-12
            if (
                abs(width - before) <= tolerance
                and _scatter(difference, places1, places0, weights) <= tolerance
            ):
                return width
            before, nodes = width, 2 * nodes - 1

    def _fill(self, exact: np.ndarray, grid: Any, coarse: bool) -> None:
        """Exact widths where the grid has none yet."""
        wanted = np.zeros(exact.shape, bool)
        wanted[grid] = True
        places = np.nonzero(wanted & np.isnan(exact))
        if places[0].size:
            found = np.array(
                [part.counts[place] for part, place in zip(self.parts, places, strict=True)]
            )
            exact[places] = self.kind.width(self.case.recall, *self._ends(found, coarse))

    def _ends(self, found: np.ndarray, coarse: bool) -> tuple[Any, Any]:
        """Ends of the interval.  Coarse ones have a tolerance, by which nearly all of them are too
        far out, and which is given back: what is left was 2e-5 on the average of 30 intervals in
        three designs of 10^6 documents, and 5e-4 in one of small samples."""
        tolerance = COARSE if coarse else 0.0
        low, high = self._outcomes.ends(
            found, self.kind.confidence_level, self.kind.side, tolerance
        )
        # d recall = recall (1 - recall) d log odds.
        return low + tolerance * low * (1 - low), high - tolerance * high * (1 - high)

    def rough_chance(self, target: float) -> float:
        """Probability that the rough low end reaches a target."""
        return float(self.parts[0].chances @ self._rough_reaches(target) @ self.parts[1].chances)

    def _rough_reaches(self, target: float) -> np.ndarray:
        """Tell for all outcomes whether the rough low end reaches a target."""
        low, _ = rough_log_odds(*self._tables(), self.stretch)
        limit = math.log(target / (1 - target)) if target < 1 else math.inf
        return (low >= limit) & (self.parts[0].counts[:, None] > 0)

    def chance(self, target: float) -> float:
        """Probability that the low end reaches a target."""
        retrieved, unretrieved = self.parts
        if not self.kind.row.is_monotone:
            places = np.nonzero(np.ones(self.shape, bool))
            reaches = self._reaches(places, target).reshape(self.shape)
            return float(retrieved.chances @ reaches @ unretrieved.chances)
        # The low end rises with every relevant document found among the retrieved, and falls with
        # every one among the others.  So either each r1 has a last r0 with which it reaches the
        # target, or each r0 a first r1; the segment with fewer counts is gone through.
        rough = self._rough_reaches(target)
        if self.shape[0] <= self.shape[1]:
            reached = self._staircase(
                retrieved,
                rough.sum(axis=1) - 1,
                self.shape[1],
                lambda places, at: self._reaches((places, at), target),
            )
            return float(
                retrieved.chances
                @ np.concatenate([[0.0], np.cumsum(unretrieved.chances)])[reached + 1]
            )
        last = self.shape[0] - 1
        reached = self._staircase(
            unretrieved,
            rough.sum(axis=0) - 1,
            self.shape[0],
            lambda places, at: self._reaches((last - at, places), target),
        )
        return float(
            unretrieved.chances
            @ np.concatenate([[0.0], np.cumsum(retrieved.chances[::-1])])[reached + 1]
        )

    def _staircase(
        self, part: Counts, guess: np.ndarray, width: int, reaches: Callable[..., np.ndarray]
    ) -> np.ndarray:
        """Find, for each likely count of one sample, the last place in the other one that reaches
        the target."""
        good, bad = np.full(len(guess), -1), np.full(len(guess), width)
        # Counts as unlikely as these are taken to miss, without a search.
        bad[part.chances < UNLIKELY] = 0
        step = np.ones(len(guess), np.int64)
        while (bad - good > 1).any():
            rows = np.flatnonzero(bad - good > 1)
            at = np.clip(guess[rows], good[rows] + 1, bad[rows] - 1)
            does = reaches(rows, at)
            good[rows] = np.where(does, at, good[rows])
            bad[rows] = np.where(does, bad[rows], at)
            # Steps from the guess double until the edge is passed; then the rest is halved.
            inside = (good[rows] >= 0) & (bad[rows] < width) & (step[rows] > 1)
            guess[rows] = np.where(
                inside,
                (good[rows] + bad[rows]) // 2,
                np.where(does, good[rows] + step[rows], bad[rows] - step[rows]),
            )
            step[rows] *= 2
        return good

    def _reaches(self, places: Any, target: float) -> np.ndarray:
        found = np.array(
            [part.counts[place] for part, place in zip(self.parts, places, strict=True)]
        )
        level, side = self.kind.lower.confidence_level, self.kind.lower.side
        if not self.kind.row.is_slow or target >= 1:
            return np.asarray(self._outcomes.ends(found, level, side)[0] >= target - SHARP)
        # A bound with a tolerance is never too high, and 8 times as quick.
        low, _ = self._outcomes.ends(found, level, side, COARSE)
        reached = np.asarray(low >= target - SHARP)
        # Bounds with a tolerance are at most COARSE too low in log odds: one that is below the
        # target by twice as much misses it for sure.
        odds = (target - SHARP) / (1 - target + SHARP) * math.exp(-2 * COARSE)
        unsure = ~reached & (low >= odds / (1 + odds))
        if unsure.any():
            low, _ = self._outcomes.ends(found[:, unsure], level, side)
            reached[unsure] = low >= target - SHARP
        return reached


def _scatter(
    values: np.ndarray, places1: np.ndarray, places0: np.ndarray, weights: np.ndarray
) -> float:
    """Return the standard error of a weighted sum of values that scatter about a smooth surface:
    the ends of small reviews jump from one ratio of whole numbers to the next."""
    x, y = (np.sqrt(places + 0.5) for places in np.meshgrid(places1, places0, indexing="ij"))
    # A quadratic surface in the roots of the counts, on which Poisson counts have one variance.
    columns = np.array(
        [np.ones(x.size), x.ravel(), y.ravel(), (x * y).ravel(), (x * x).ravel(), (y * y).ravel()]
    )
    root = np.sqrt(np.abs(weights.ravel()))
    fitted, *_ = np.linalg.lstsq((columns * root).T, values.ravel() * root, rcond=None)
    rest = values.ravel() - fitted @ columns
    return float(np.sqrt(np.sum((weights.ravel() * rest) ** 2)))
