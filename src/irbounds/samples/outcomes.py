"""Recall intervals of many outcomes of one sampling design: laws and searches are shared between them."""
from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np

from irbounds._core.yield_posterior import YieldLaw, recall_ends
from irbounds.samples.intervals import PRIOR_OF, finished, recall_interval
from irbounds.samples.priors import Prior
from irbounds.samples.proportions import tail_probability
from irbounds.samples.strata import Stratum
from irbounds.samples.yields import EXACT_TO, NARROW, likely_yields, segment_law

SMALL_TOLERANCE, TOLERANCE = 1e-9, 1e-7  # the first where single documents count


def outcome_ends(size: tuple[float, float], sampled: tuple[float, float], relevant: np.ndarray, method: str,
                 confidence_level: float = 0.95, side: str = "two-sided") -> tuple[np.ndarray, np.ndarray]:
    """Ends of `recall_interval` for outcomes of a design, retrieved segment first.

    `size` and `sampled` are of the two segments, `relevant` (2 × outcomes) is what the samples found.  They are within
    `tolerance_of` the collection of what `recall_interval` says.
    """
    r1, r0 = np.asarray(relevant, float)
    one, other = Stratum(float(size[0]), float(sampled[0]), r1), Stratum(float(size[1]), float(sampled[1]), r0)
    if method in PRIOR_OF or method == "beta-jeffreys":
        low, high = _posterior_ends(one, other, method, tail_probability(confidence_level, side), side)
        first, second = ([Stratum(*np.broadcast_arrays(*stratum))] for stratum in (one, other))
        return finished(low, high, first, second, method, side)
    interval = recall_interval(one, other, confidence_level=confidence_level, method=method, side=side)
    return interval.low, interval.high


def tolerance_of(population: float) -> float:
    """Within what the ends are found."""
    return SMALL_TOLERANCE if population <= 2 * EXACT_TO else TOLERANCE


def _posterior_ends(one: Stratum, other: Stratum, method: str, alpha: float, side: str) -> tuple[Any, Any]:
    counts, places = zip(*(np.unique(stratum.relevant, return_inverse=True) for stratum in (one, other)), strict=True)
    first, second = (np.ascontiguousarray(place, np.int64) for place in places)
    samples = [[Stratum(stratum.size, stratum.sampled, r) for r in distinct]
               for stratum, distinct in zip((one, other), counts, strict=True)]
    if method == "beta-jeffreys":
        laws = _jeffreys_laws(samples, max(one.size, other.size))
    else:
        laws = _laws(samples, PRIOR_OF[method])
    order = np.lexsort((second, first))
    tolerance = tolerance_of(one.size + other.size)
    ends = []
    for p, asked in ((alpha, side != "upper"), (1 - alpha, side != "lower")):
        end = np.full(first.size, 0.0 if p == alpha else 1.0)
        if asked:
            end[order] = recall_ends(laws[0], laws[1], first[order], second[order], p, NormalDist().inv_cdf(p),
                                     tolerance)
        ends.append(end)
    return ends[0], ends[1]


def _laws(samples: list[list[Stratum]], prior: Prior) -> list[list[YieldLaw]]:
    """Cells of single documents in small collections, and for a segment that has few likely yields."""
    both_small = all(segment[0].size <= EXACT_TO for segment in samples)
    return [[segment_law([stratum], prior, both_small or likely_yields([stratum], prior) <= NARROW)
             for stratum in segment] for segment in samples]


def _jeffreys_laws(samples: list[list[Stratum]], largest: float) -> list[list[YieldLaw]]:
    """Beta posteriors as beta-binomial ones of parts of documents, too small to be told from a continuum."""
    parts = 2.0 ** (44 - math.ceil(math.log2(largest)))
    return [[YieldLaw.beta_binomial(s.relevant * parts, (s.size - s.sampled) * parts, s.relevant + 0.5,
                                    s.sampled - s.relevant + 0.5, math.inf) for s in segment] for segment in samples]
