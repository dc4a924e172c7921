"""One simple random sample of the whole collection, split afterwards by what was retrieved (a
control sample)."""

from __future__ import annotations

import math
from collections.abc import Callable

from irbounds.chance.sampling_chances import likely_counts, nodes_of
from irbounds.foundation.errors import InputError
from irbounds.planning.assumptions.review import AssumedReview
from irbounds.planning.design.designs import Designs
from irbounds.planning.design.neyman import Samples
from irbounds.planning.design.outcomes import RARE, IntervalKind

# Splits whose exact values are all taken: few splits are of few documents, where values have steps.
ALL_SPLITS = 45
NODES = 9  # splits whose exact values are taken if there are more
APPROXIMATE_NODES = 24


class SingleSample:
    """Designs of one sample.

    How many documents of it were retrieved, n1, is hypergeometric. Given n1 it is a sample of n1
    documents of the one segment and of the rest of the other.
    """

    def __init__(self, review: AssumedReview, kind: IntervalKind) -> None:
        if [len(sizes) for sizes in review.sizes] != [1, 1]:
            raise InputError(
                "one sample of the whole collection needs a review with one stratum in each segment"
            )
        self.review = review
        self.kind = kind
        self.designs = Designs(review, kind)
        self.sizes: tuple[int, int] = (review.sizes[0][0], review.sizes[1][0])

    def _mean(self, samples: Samples, value: Callable[[Samples], float], nodes: int) -> float:
        """The mean over all splits, or over nodes."""
        size, n = float(sum(self.sizes)), sum(map(sum, samples))
        counts, chances = likely_counts(size, float(self.sizes[0]), float(n), RARE)
        most = len(counts) if len(counts) <= ALL_SPLITS else nodes
        places, weights = nodes_of(counts, chances, float(n), most)
        return math.fsum(
            weight * value(((int(first),), (n - int(first),)))
            for first, weight in zip(counts[places].tolist(), weights.tolist(), strict=True)
        )

    def _corrected(
        self,
        samples: Samples,
        exact: Callable[[Samples], float],
        approximate: Callable[[Samples], float],
    ) -> float:
        """The mean of approximate values, and that of the exact ones' excess over fewer splits:
        exact values jump from one split to the next, and approximate ones with them."""
        every = sum(map(sum, samples)) + 1
        excess = self._mean(samples, lambda split: exact(split) - approximate(split), NODES)
        return self._mean(samples, approximate, every) + excess

    def width(self, samples: Samples) -> float:
        """Expected width."""
        return self._corrected(samples, self.designs.width, self.designs.approximate_width)

    def approximate_width(self, samples: Samples) -> float:
        """Expected width by approximate ends."""
        return self._mean(samples, self.designs.approximate_width, APPROXIMATE_NODES)

    def approximate_chance(self, samples: Samples, target: float) -> float:
        """Probability that the approximate low end reaches a target."""
        every = sum(map(sum, samples)) + 1
        return self._mean(
            samples, lambda split: self.designs.approximate_chance(split, target), every
        )

    def chance(self, samples: Samples, target: float) -> float:
        """Probability that the low end reaches a target."""
        return self._corrected(
            samples,
            lambda split: self.designs.chance(split, target),
            lambda split: self.designs.approximate_chance(split, target),
        )


def whole(sample: int) -> Samples:
    """One sample of the whole collection."""
    return (sample,), ()
