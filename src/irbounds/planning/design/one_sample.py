"""One simple random sample of the whole collection, split afterwards by what was retrieved (a
control sample)."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from irbounds.chance.sampling_chances import likely_counts, nodes_of
from irbounds.foundation.errors import InputError
from irbounds.planning.assumptions.review import AssumedReview
from irbounds.planning.design.design_cache import Plans
from irbounds.planning.design.neyman import Samples
from irbounds.planning.design.outcomes import CLOSE, RARE, IntervalKind

# Splits whose exact values are all taken: few splits are of few documents, where the exact ends'
# difference from rough ones has steps, and 5 and 9 splits may agree by luck.
ALL_SPLITS = 33
SCATTERS = 2.0  # standard errors of scatter that count as a difference
FIRST_SPLITS = 5  # splits of the sample whose exact values are taken; doubled until the mean stays


class SingleSample:
    """Designs of one sample.  How many documents of it were retrieved, n1, is hypergeometric; given
    n1 it is a sample of n1 documents of the one segment and of the rest of the other."""

    def __init__(self, review: AssumedReview, kind: IntervalKind) -> None:
        if [len(sizes) for sizes in review.sizes] != [1, 1]:
            raise InputError(
                "one sample of the whole collection needs a review with one stratum in each segment"
            )
        self.plans = Plans(review, kind)
        self.sizes: tuple[int, int] = (review.sizes[0][0], review.sizes[1][0])

    def _law(self, sample: int) -> tuple[np.ndarray, np.ndarray]:
        return likely_counts(float(sum(self.sizes)), float(self.sizes[0]), float(sample), RARE)

    def width(self, sample: int) -> float:
        """Expected width."""
        return self._mean(sample, self.plans.rough_width, self.plans.width)

    def rough_width(self, sample: int) -> float:
        """Expected width by rough ends."""
        counts, chances = _thinned(*self._law(sample), sample, 24)
        return math.fsum(
            weight * self.plans.rough_width(_pair(n, sample))
            for n, weight in zip(counts.tolist(), chances.tolist(), strict=True)
        )

    def chance(self, sample: int, target: float) -> float:
        """Probability that the low end reaches a target."""
        return self._mean(
            sample,
            lambda samples: self._rough_chance(samples, target),
            lambda samples: self.plans.chance(samples, target),
            least=CLOSE,
        )

    def rough_chance(self, sample: int, target: float) -> float:
        """Probability that the rough low end reaches a target."""
        counts, chances = self._law(sample)
        return math.fsum(
            weight * self._rough_chance(_pair(n, sample), target)
            for n, weight in zip(counts.tolist(), chances.tolist(), strict=True)
        )

    def _rough_chance(self, samples: Samples, target: float) -> float:
        return self.plans.rough_chance(samples, target)

    def _mean(
        self,
        sample: int,
        rough: Callable[[Samples], float],
        exact: Callable[[Samples], float],
        least: float = 0.0,
    ) -> float:
        """Rough values over all splits, and the difference of exact ones over few of them, then
        over more."""
        counts, chances = self._law(sample)
        if counts.size <= ALL_SPLITS:
            return math.fsum(
                p * exact(_pair(n, sample))
                for n, p in zip(counts.tolist(), chances.tolist(), strict=True)
            )
        about = math.fsum(
            p * rough(_pair(n, sample))
            for n, p in zip(counts.tolist(), chances.tolist(), strict=True)
        )
        nodes, before = FIRST_SPLITS, math.inf
        while True:
            places, weights = _thinned(counts, chances, sample, nodes)
            above = np.array(
                [exact(_pair(n, sample)) - rough(_pair(n, sample)) for n in places.tolist()]
            )
            # Rough values are cheap and follow the exact ones: their difference is smooth, and few
            # nodes are enough for its mean.
            value = about + math.fsum((weights * above).tolist())
            apart = max(abs(value - before), SCATTERS * _scatter(weights, above))
            if len(places) == len(counts) or apart <= max(least, CLOSE * abs(value)):
                return value
            nodes, before = 2 * nodes - 1, value


def _scatter(weights: np.ndarray, values: np.ndarray) -> float:
    """The standard error of a weighted sum of values that scatter about a smooth curve: second
    differences of independent scatter have six times its variance.

    Exact ends have steps, so that values of two sets of nodes may agree by luck: by this, too,
    nodes are enough."""
    steps = np.diff(values, 2)
    if not steps.size:
        return math.inf
    shares = np.abs(weights[1:-1])  # rules with as few nodes as these have weights below 0
    return math.sqrt(
        float(shares @ steps**2) / (float(shares.sum()) or 1.0) / 6 * float(weights @ weights)
    )


def _pair(first: float, sample: int) -> Samples:
    return (int(first),), (sample - int(first),)


def _thinned(
    counts: np.ndarray, chances: np.ndarray, sample: int, nodes: int
) -> tuple[np.ndarray, np.ndarray]:
    places, weights = nodes_of(counts, chances, float(sample), nodes)
    return counts[places], weights
