"""Designs for one review: what their intervals will be, remembered by their samples."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from irbounds.planning.assumptions.review import AssumedReview, Case
from irbounds.planning.design.approximate_ends import AS_IT_IS, Stretch
from irbounds.planning.design.neyman import Samples, neyman
from irbounds.planning.design.outcomes import Counts, IntervalKind, Outlook
from irbounds.planning.design.stratified import Joint


class Plans:
    """Expected widths, and chances of low ends, of designs for one review and one kind of
    interval."""

    def __init__(self, review: AssumedReview, kind: IntervalKind) -> None:
        self.review = review
        self.kind = kind
        self.is_plain: bool = [len(sizes) for sizes in review.sizes] == [1, 1]
        self._counts: dict[tuple[int, int, int], Counts] = {}
        self._stretches: dict[tuple[int, int], Stretch] = {}
        self._joint_stretches: dict[tuple[int, int], float] = {}
        self._spread: dict[Any, Any] = {}
        self._widths: dict[tuple[Samples, bool], float] = {}
        self._rough_widths: dict[Samples, float] = {}
        self._chances: dict[tuple[Samples, float], float] = {}

    def _expected(self, value: Callable[[int, Case], float]) -> float:
        return math.fsum(case.weight * value(i, case) for i, case in enumerate(self.review.cases))

    def outlook(self, i: int, case: Case, samples: Samples) -> Outlook:
        """Return the outlook of one case; counts are shared between designs."""
        parts = []
        for part, known in enumerate((case.retrieved[0], case.unretrieved[0])):
            key = (i, part, samples[part][0])
            if key not in self._counts:
                if len(self._counts) > 20_000:
                    self._counts.clear()
                self._counts[key] = Counts.of(known, samples[part][0], self.kind)
            parts.append(self._counts[key])
        return Outlook(case, parts[0], parts[1], self.kind, self._stretch(i, case, samples))

    def _stretch(self, i: int, case: Case, samples: Samples) -> Stretch:
        """Return the ratio of exact to rough distances, measured on Neyman's design for samples of
        about that size."""
        population = sum(map(sum, self.review.sizes))
        size = min(population, 2 ** round(math.log2(max(2, samples[0][0] + samples[1][0]))))
        if (i, size) not in self._stretches:
            self._stretches[i, size] = AS_IT_IS
            self._stretches[i, size] = self.outlook(
                i, case, neyman(self.review, size)
            ).measured_stretch()
        return self._stretches[i, size]

    def _plain_joint(self, case: Case, samples: Samples) -> Joint:
        return Joint(case, samples, self.kind, laws=self._spread)

    def _joint(self, i: int, case: Case, samples: Samples) -> Joint:
        is_far = self.kind.row.holds_at_all_looks  # ends twice as far out as rough ones
        stretch = self._joint_stretch(i, case, sum(map(sum, samples))) if is_far else 1.0
        return Joint(case, samples, self.kind, laws=self._spread, stretch=stretch)

    def _joint_stretch(self, i: int, case: Case, n: int) -> float:
        """Return the same ratio of low ends for several strata, measured on Neyman's designs of
        the next powers of two, and between them in proportion to the logarithm of n."""
        sizes = [size for segment in self.review.sizes for size in segment]
        fewest, exponent = len(sizes), math.log2(max(2, n))
        ratios = []
        for power in (math.floor(exponent), math.floor(exponent) + 1):
            size = min(sum(sizes), max(fewest, 2**power))
            if (i, size) not in self._joint_stretches:
                design = neyman(self.review, size)
                joint = Joint(case, design, self.kind, laws=self._spread)
                self._joint_stretches[i, size] = joint.measured_stretch()
            ratios.append(self._joint_stretches[i, size])
        share = exponent - math.floor(exponent)
        return ratios[0] ** (1 - share) * ratios[1] ** share

    def rough_width(self, samples: Samples) -> float:
        """Expected width by rough ends."""
        if samples not in self._rough_widths:
            self._rough_widths[samples] = self._expected(
                lambda i, case: (
                    self.outlook(i, case, samples).rough_width
                    if self.is_plain
                    else self._plain_joint(case, samples).rough_width
                )
            )
        return self._rough_widths[samples]

    def width(self, samples: Samples, quick: bool = False) -> float:
        """Expected width; a quick one may be off by some thousandths of it."""
        key = samples, quick
        if key not in self._widths:
            self._widths[key] = self._expected(
                lambda i, case: (
                    self.outlook(i, case, samples).width(quick)
                    if self.is_plain
                    else self._plain_joint(case, samples).width()
                )
            )
        return self._widths[key]

    def rough_chance(self, samples: Samples, target: float) -> float:
        """Probability that the rough low end reaches a target."""
        return self._expected(
            lambda i, case: (
                self.outlook(i, case, samples).rough_chance(target)
                if self.is_plain
                else self._joint(i, case, samples).rough_chance(target)
            )
        )

    def chance(self, samples: Samples, target: float) -> float:
        """Probability that the low end reaches a target."""
        if (samples, target) not in self._chances:
            self._chances[samples, target] = self._expected(
                lambda i, case: (
                    self.outlook(i, case, samples).chance(target)
                    if self.is_plain
                    else self._joint(i, case, samples).chance(target)
                )
            )
        return self._chances[samples, target]
