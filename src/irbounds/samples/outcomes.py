"""Recall intervals for many outcomes of one sampling design, which share distributions and
searches."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np

from irbounds._core.yield_posterior import YieldLaw, recall_ends
from irbounds.foundation.interval import tail_probability
from irbounds.samples.approximations import recall_ratio
from irbounds.samples.guaranteed import around
from irbounds.samples.guaranteed import recall_ends as guaranteed_ends
from irbounds.samples.intervals import finished, recall_ends_of
from irbounds.samples.methods import PRIOR_OF
from irbounds.samples.strata import Stratum
from irbounds.samples.yields import EXACT_TO, NARROW, likely_yields, segment_law

SMALL_TOLERANCE, TOLERANCE = 1e-9, 1e-7  # of the ends; the first where single documents count
Pair = tuple[float, float]


def tolerance_of(population: float) -> float:
    """The tolerance of the ends."""
    return SMALL_TOLERANCE if population <= 2 * EXACT_TO else TOLERANCE


class Outcomes:
    """The intervals for the samples of a design; pairs are of the retrieved and of the unretrieved
    segment.

    Ends differ from those of `recall_interval` by at most `tolerance_of` the collection.
    """

    def __init__(self, size: Pair, sampled: Pair, method: str) -> None:
        self.size: Pair = size
        self.sampled: Pair = sampled
        self.method: str = method
        self._laws: tuple[dict[float, YieldLaw], dict[float, YieldLaw]] = ({}, {})

    def ends(
        self,
        relevant: Any,
        confidence_level: float = 0.95,
        side: str = "two-sided",
        tolerance: float = 0.0,
    ) -> tuple[Any, Any]:
        """Low and high ends for these counts of relevant documents (2 × outcomes).

        With a tolerance the log odds of guaranteed ends may be too far out by as much.
        """
        found = np.asarray(relevant, float)
        one, other = (
            Stratum(*np.broadcast_arrays(float(size), float(sampled), r))
            for size, sampled, r in zip(self.size, self.sampled, found, strict=True)
        )
        if self.method == "guaranteed":
            estimate = np.broadcast_to(recall_ratio([one], [other]), found.shape[1:])
            raw = guaranteed_ends([one], [other], confidence_level, side, tolerance)
            return finished(*around(estimate, raw), [one], [other], self.method, side)
        if self.method not in PRIOR_OF and self.method != "beta-jeffreys":
            return recall_ends_of([one], [other], self.method, confidence_level, side)
        alpha = tail_probability(confidence_level, side)
        low = self._quantiles(found, alpha) if side != "upper" else np.zeros(found.shape[1])
        high = self._quantiles(found, 1 - alpha) if side != "lower" else np.ones(found.shape[1])
        return finished(low, high, [one], [other], self.method, side)

    def _quantiles(self, found: np.ndarray, p: float) -> np.ndarray:
        laws, places = [], []
        for segment in (0, 1):
            distinct, place = np.unique(found[segment], return_inverse=True)
            laws.append([self._law(segment, r) for r in distinct.tolist()])
            places.append(place.astype(np.int64))
        order = np.lexsort(places[::-1])
        ends = np.empty(found.shape[1])
        ends[order] = recall_ends(
            laws[0],
            laws[1],
            places[0][order],
            places[1][order],
            p,
            NormalDist().inv_cdf(p),
            tolerance_of(sum(self.size)),
        )
        return ends

    def _law(self, segment: int, relevant: float) -> YieldLaw:
        known = self._laws[segment]
        if relevant not in known:
            known[relevant] = self._make_law(
                Stratum(self.size[segment], self.sampled[segment], relevant)
            )
        return known[relevant]

    def _make_law(self, s: Stratum) -> YieldLaw:
        # as a beta-binomial of parts of documents, next to a continuum
        if self.method == "beta-jeffreys":
            parts = 2.0 ** (44 - math.ceil(math.log2(max(self.size))))
            return YieldLaw.beta_binomial(
                s.relevant * parts,
                (s.size - s.sampled) * parts,
                s.relevant + 0.5,
                s.sampled - s.relevant + 0.5,
            )
        prior = PRIOR_OF[self.method]
        # then, and where few yields are likely, every document has a cell
        both_small = max(self.size) <= EXACT_TO
        return segment_law([s], prior, both_small or likely_yields([s], prior) <= NARROW)
