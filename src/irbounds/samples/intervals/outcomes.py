"""Recall intervals for many outcomes of one sampling design, which share distributions and
searches."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np

from irbounds._core.samples.yield_posterior import YieldLaw, recall_ends
from irbounds.foundation.interval import tail_probability
from irbounds.samples.intervals.pipeline import recall_ends_of
from irbounds.samples.intervals.table import INTERVAL_METHODS
from irbounds.samples.model.estimands import Recall
from irbounds.samples.model.request import Method
from irbounds.samples.model.strata import Stratum
from irbounds.samples.posterior.convolution import EXACT_TO

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
        self.method: Method = INTERVAL_METHODS[method]
        self._laws: tuple[dict[float, YieldLaw], dict[float, YieldLaw]] = ({}, {})

    def ends(
        self,
        relevant: Any,
        confidence_level: float = 0.95,
        side: str = "two-sided",
        tolerance: float = 0.0,
    ) -> tuple[Any, Any]:
        """Low and high ends for these counts of relevant documents (2 × outcomes).

        With a tolerance the log odds of a slow method's ends may be too far out by as much.
        """
        found = np.asarray(relevant, float)
        retrieved, unretrieved = (
            Stratum(*np.broadcast_arrays(float(size), float(sampled), r))
            for size, sampled, r in zip(self.size, self.sampled, found, strict=True)
        )
        # No law of one stratum by itself: each outcome is a question of its own.
        if self.method.stratum_law is None:
            name = self.method.name
            return recall_ends_of(
                [retrieved], [unretrieved], name, confidence_level, side, tolerance
            )
        alpha = tail_probability(confidence_level, side)
        low = self._quantiles(found, alpha) if side != "upper" else np.zeros(found.shape[1])
        high = self._quantiles(found, 1 - alpha) if side != "lower" else np.ones(found.shape[1])
        return Recall().finished(
            low, high, [retrieved], [unretrieved], side, self.method.forces_ends
        )

    def _quantiles(self, found: np.ndarray, p: float) -> np.ndarray:
        laws, places = [], []
        for segment in (0, 1):
            distinct, place = np.unique(found[segment], return_inverse=True)
            laws.append([self._law(segment, r) for r in distinct.tolist()])
            places.append(place.astype(np.int64))
        # Sorted by both laws, neighbouring outcomes share a law and have ends near one another,
        # which start the next search.
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
            stratum = Stratum(self.size[segment], self.sampled[segment], relevant)
            assert self.method.stratum_law is not None
            known[relevant] = self.method.stratum_law(self.method, stratum, max(self.size))
        return known[relevant]
