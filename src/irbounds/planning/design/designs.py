"""Designs for one review: what their intervals will be, remembered by their samples."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any, cast

from irbounds.planning.assumptions.review import AssumedReview
from irbounds.planning.design.approximate_ends import AS_IT_IS, Stretch
from irbounds.planning.design.neyman import Samples, neyman
from irbounds.planning.design.outcomes import IntervalKind, OutcomeGrid
from irbounds.planning.design.stratified import OutcomeSample

Outcomes = OutcomeGrid | OutcomeSample
MOST_SHARED = 20_000  # counts that are kept


class Designs:
    """Expected widths, and chances that the low end reaches a target, of designs for one review and
    one kind of interval."""

    def __init__(self, review: AssumedReview, kind: IntervalKind) -> None:
        self.review = review
        self.kind = kind
        self.is_plain: bool = [len(sizes) for sizes in review.sizes] == [1, 1]
        self.population: int = sum(map(sum, review.sizes))
        self.width = cache(self._width)
        self.approximate_width = cache(self._approximate_width)
        self.chance = cache(self._chance)
        self._stretch = cache(self._measured_stretch)
        self._shared: dict[Any, Any] = {}
        # For each case of designs with strata, measured where a target is nearly reached.
        self._stretch_of_strata: dict[int, Stretch] = {}

    def _outcomes(self, i: int, samples: Samples, stretch: Stretch) -> Outcomes:
        if len(self._shared) > MOST_SHARED:
            self._shared.clear()
        make = OutcomeGrid if self.is_plain else OutcomeSample
        return make(self.review.cases[i], samples, self.kind, self._shared, stretch)

    def _expected(
        self, samples: Samples, value: Callable[[Outcomes], float], is_stretched: bool = True
    ) -> float:
        """The mean over the cases of the review."""
        terms = []
        for i, case in enumerate(self.review.cases):
            stretch = self._stretch_near(i, samples) if is_stretched else AS_IT_IS
            terms.append(case.weight * value(self._outcomes(i, samples, stretch)))
        return math.fsum(terms)

    def _stretch_near(self, i: int, samples: Samples) -> Stretch:
        """Return the stretch between those of the next powers of two, in proportion to the
        logarithm of the size; of designs with strata the one that was measured last."""
        if not self.is_plain:
            return self._stretch_of_strata.get(i, AS_IT_IS)
        exponent = math.log2(max(2, sum(map(sum, samples))))
        below, share = math.floor(exponent), exponent - math.floor(exponent)
        first, second = self._stretch(i, below), self._stretch(i, below + 1)
        low, high = (a ** (1 - share) * b**share for a, b in zip(first, second, strict=True))
        return low, high

    def _measured_stretch(self, i: int, exponent: int) -> Stretch:
        """Measure the stretch on Neyman's design of about this size."""
        fewest = sum(map(len, self.review.sizes))
        size = min(self.population, max(fewest, 2**exponent))
        outcomes = self._outcomes(i, neyman(self.review, size), AS_IT_IS)
        return cast("OutcomeGrid", outcomes).measured_stretch()

    def rough_chance(self, samples: Samples, target: float) -> float:
        """Probability that the low end reaches a target, of designs with strata, to a hundredth."""
        return self._expected(
            samples, lambda outcomes: cast("OutcomeSample", outcomes).rough_chance(target)
        )

    def measure_stretch(self, samples: Samples, target: float) -> None:
        """Measure the stretch of designs with strata on one that nearly reaches a target."""
        for i in range(len(self.review.cases)):
            outcomes = self._outcomes(i, samples, self._stretch_near(i, samples))
            self._stretch_of_strata[i] = cast("OutcomeSample", outcomes).stretch_at(target)

    def _width(self, samples: Samples) -> float:
        """Expected width."""
        return self._expected(samples, lambda outcomes: outcomes.width(), is_stretched=False)

    def _approximate_width(self, samples: Samples) -> float:
        """Expected width by approximate ends."""
        # Those over strata are corrected by exact widths instead.
        return self._expected(samples, lambda outcomes: outcomes.approximate_width(), self.is_plain)

    def _chance(self, samples: Samples, target: float) -> float:
        """Probability that the low end reaches a target."""
        return self._expected(samples, lambda outcomes: outcomes.chance(target))

    def approximate_chance(self, samples: Samples, target: float) -> float:
        """Probability that the approximate low end reaches a target."""
        return self._expected(samples, lambda outcomes: outcomes.approximate_chance(target))
