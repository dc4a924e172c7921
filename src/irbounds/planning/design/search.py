"""The numbers of documents that reach a goal.

This file is longer than 400 lines because the search needs both: what a size costs, and what is
known of the costs of sizes near it.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import NamedTuple

from irbounds.planning.assumptions.review import AssumedReview
from irbounds.planning.design.allocation import (
    SMALL,
    OverStrata,
    first_size,
    is_small,
    least_by_rough,
    scatter_of,
    splits,
)
from irbounds.planning.design.design_cache import Plans
from irbounds.planning.design.neyman import Samples, neyman
from irbounds.planning.design.one_sample import SingleSample
from irbounds.planning.design.outcomes import IntervalKind

# Distance from the goal, in probability or relative width, within which sizes are examined.
SAW = 0.06
# A width or probability within ROUNDING of its goal reaches it: expectations leave out counts of
# probability RARE and UNLIKELY, and small reviews have probabilities of exactly one half.
ROUNDING = 1e-6
# Splits of one size of which the chance of a guaranteed bound is taken: each takes 0.05 s.
FEW_TRIED = 8
WIDTHS_TRIED = 4  # the same of guaranteed widths, which take up to a second
SHARE_STEP = 0.2  # of the logarithms of sizes at which the best split of a slow width is searched
ALL_SIZES = 60  # sizes that are all computed, if there are no more
FEW = 8  # sizes on each side that are always examined
STEPS = 10  # widths go up and down with the size by less than 10/R, as recall moves in steps of 1/R
CHECKED = 48  # sizes examined on each side; if there are more, a third of that, evenly spaced
NEIGHBOURS = 8  # sizes near by whose exact costs correct a rough cost
DOUBTS = 2.0  # the margin of a corrected cost, as a multiple of the largest distance of these
SURE = 0.001  # plus that part of a width
JUMPY = 0.02  # or that probability: exact probabilities jump about rough ones
SCATTER = 0.006  # least standard deviation of exact probabilities about rough ones


class Goal(NamedTuple):
    """A width, or a recall to be shown with a probability."""

    name: str
    at: float
    asked: float

    @property
    def cost(self) -> float:
        """The largest cost that reaches the goal. Costs are widths, or probabilities of missing the
        recall."""
        return ROUNDING + (self.asked if self.name == "width" else 1 - self.asked)


class Sizes(ABC):
    """Costs of samples by their size, rough and exact ones."""

    def __init__(self, review: AssumedReview, kind: IntervalKind, goal: Goal) -> None:
        self.review = review
        self.kind = kind
        self.goal = goal
        relevant = min(
            sum(s.relevant for s in (*case.retrieved, *case.unretrieved)) for case in review.cases
        )
        self.margin: float = (
            SAW if goal.name != "width" else min(SAW * goal.asked, STEPS / relevant)
        )
        self.scatter: float = SCATTER if goal.name != "width" else scatter_of(relevant)
        self._reached: dict[int, bool] = {}
        self._looked_at: dict[int, Samples | None] = {}
        self._off: dict[int, float] = {}
        self._rough: dict[int, float] = {}

    def rough(self, n: int) -> float:
        """The least rough cost of any split."""
        if n not in self._rough:
            self._rough[n] = self.least_rough(n)
        return self._rough[n]

    def reached(self, n: int) -> bool:
        """Tell whether any split reaches the goal."""
        if n not in self._reached:
            self._looked_at[n] = self.best(n, self.goal.cost)
            cost = self.cost(n, self._looked_at[n])
            self._reached[n] = cost <= self.goal.cost
            self._off[n] = cost - self.rough(n)
        return self._reached[n]

    def chosen(self, n: int) -> Samples | None:
        """Return the best split, or that which reaches the goal where the search for the best one,
        which tries a few, misses it."""
        best = self.best(n)
        is_missed = n in self._looked_at and self.cost(n, best) > self.goal.cost
        return self._looked_at[n] if is_missed and self._reached[n] else best

    def is_clear(self, n: int, sign: int) -> bool:
        """Tell whether a size surely reaches the goal (-1) or misses it (1), judged by how far
        exact costs of sizes near it were off rough ones."""
        # Rough costs are off by much the same at sizes near one another.
        near = [self._off[m] for m in sorted(self._off, key=lambda m: abs(m - n))[:NEIGHBOURS]]
        middle = sum(near) / len(near)
        margin = DOUBTS * max(abs(off - middle) for off in near) + (
            SURE * self.goal.asked + 2 * self.scatter if self.goal.name == "width" else JUMPY
        )
        return sign * (self.rough(n) + middle - self.goal.cost) > margin

    def value(self, n: int, samples: Samples | None) -> float:
        """Return the exact width of samples, or the probability that they show the recall."""
        cost = self.cost(n, samples)
        return cost if self.goal.name == "width" else 1 - cost

    @abstractmethod
    def at(self, target: float) -> Sizes:
        """Return the same for another recall."""

    def shown(self, n: int) -> tuple[float, Samples | None]:
        """The greatest recall that samples of a size show with the goal's probability, to four
        decimals, and the split that does it."""

        def greatest(reached: Callable[[float], bool]) -> float:
            low, high = 0.0, self.goal.at
            while high - low > 1e-4:
                middle = (low + high) / 2
                low, high = (middle, high) if reached(middle) else (low, middle)
            return low

        about = greatest(lambda target: self.at(target).rough(n) <= self.goal.cost)
        samples = self.at(max(about, 1e-4)).best(n)
        return greatest(
            lambda target: self.chance_of(n, samples, target) >= self.goal.asked - ROUNDING
        ), samples

    @abstractmethod
    def least_rough(self, n: int) -> float:
        """Find the least rough cost of one size."""

    @abstractmethod
    def best(self, n: int, enough: float | None = None) -> Samples | None:
        """The split with the least cost, or one that costs no more than what is enough."""

    @abstractmethod
    def cost(self, n: int, samples: Samples | None) -> float:
        """Return the exact cost of samples."""

    @abstractmethod
    def chance_of(self, n: int, samples: Samples | None, target: float) -> float:
        """Probability that samples show a recall."""


class _Planned(Sizes):
    """Samples of each stratum."""

    def __init__(
        self, review: AssumedReview, kind: IntervalKind, goal: Goal, plans: Plans | None = None
    ) -> None:
        super().__init__(review, kind, goal)
        self.plans = plans or Plans(review, kind)

    def at(self, target: float) -> Sizes:
        """Return the same for another recall."""
        return type(self)(self.review, self.kind, self.goal._replace(at=target), self.plans)

    def cost(self, n: int, samples: Samples | None) -> float:
        """Return the exact cost."""
        assert samples is not None
        return (
            self.plans.width(samples)
            if self.goal.name == "width"
            else 1 - self.plans.chance(samples, self.goal.at)
        )

    def rough_cost(self, samples: Samples) -> float:
        """Return the rough cost of samples."""
        if self.goal.name == "width":
            return self.plans.rough_width(samples)
        return 1 - self.plans.rough_chance(samples, self.goal.at)

    def chance_of(self, n: int, samples: Samples | None, target: float) -> float:
        """Probability that samples show a recall."""
        assert samples is not None
        return self.plans.chance(samples, target)


class TwoStrata(_Planned):
    """One stratum in each segment: every split of a size, or those about the best one."""

    def __init__(
        self, review: AssumedReview, kind: IntervalKind, goal: Goal, plans: Plans | None = None
    ) -> None:
        super().__init__(review, kind, goal, plans)
        self._known: dict[int, dict[int, float]] = {}
        self._shares: dict[int, float] = {}
        self._off_quick: dict[int, float] = {}

    def _costs(self, n: int) -> dict[int, float]:
        if n not in self._known:
            self._known[n] = splits(
                self.plans.review,
                n,
                lambda first: self.rough_cost(((first,), (n - first,))),
                smooth=self.goal.name == "width",
            )
        return self._known[n]

    def least_rough(self, n: int) -> float:
        """Find the least rough cost of one size."""
        return min(self._costs(n).values())

    def best(self, n: int, enough: float | None = None) -> Samples:
        """Find the split."""
        if self._is_quick:
            (size1,), (size0,) = self.review.sizes
            first = min(size1, n - 1, max(1, n - size0, round(n * self._share_near(n))))
            return (first,), (n - first,)
        return self._searched(n, enough)

    @property
    def _is_quick(self) -> bool:
        """Whether widths take so long that quick ones are compared."""
        is_small = sum(map(sum, self.review.sizes)) <= SMALL
        return self.kind.row.is_slow and self.goal.name == "width" and not is_small

    def cost(self, n: int, samples: Samples | None) -> float:
        """Return the exact cost, or a quick one, corrected by its distance from the exact one of a
        size at most a third from n."""
        if not self._is_quick:
            return super().cost(n, samples)
        assert samples is not None
        step, quick = round(math.log(n) / SHARE_STEP), self.plans.width(samples, quick=True)
        known = next((k for k in self._off_quick if abs(k - step) <= 1), step)
        if known not in self._off_quick:  # at a million documents it takes some 10 seconds
            self._off_quick[known] = self.plans.width(samples) - quick
        return quick + self._off_quick[known]

    def value(self, n: int, samples: Samples | None) -> float:
        """Return the exact width of samples, or the probability that they show the recall."""
        if not self._is_quick:
            return super().value(n, samples)
        assert samples is not None
        return self.plans.width(samples)

    def _share_near(self, n: int) -> float:
        """The retrieved part of the best split of a size at most a tenth from n.  The width is
        flat there, so that a part that is a few per cent off costs a thousandth at most."""
        step = round(math.log(n) / SHARE_STEP)
        if step not in self._shares:
            size = min(sum(map(sum, self.review.sizes)), max(2, round(math.exp(step * SHARE_STEP))))
            self._shares[step] = self._searched(size, 0.0)[0][0] / size
        return self._shares[step]

    def _searched(self, n: int, enough: float | None) -> Samples:
        costs = self._costs(n)
        first = least_by_rough(
            costs,
            lambda first: self.cost(n, ((first,), (n - first,))),
            enough,
            least_scatter=math.inf if is_small(self.review, costs) else self.scatter,
            most_tried=None
            if not self.kind.row.is_slow
            else FEW_TRIED
            if self.goal.name != "width"
            else WIDTHS_TRIED,
        )
        return (first,), (n - first,)


class ManyStrata(_Planned):
    """The share of the segments is searched once, or for sizes near by; within them documents go
    where they are worth most."""

    def __init__(
        self, review: AssumedReview, kind: IntervalKind, goal: Goal, plans: Plans | None = None
    ) -> None:
        super().__init__(review, kind, goal, plans)
        self._over = OverStrata(self.plans)
        self._shares: dict[int, float] = {}
        self._off_rough: dict[int, float] = {}

    def best(self, n: int, enough: float | None = None) -> Samples:
        """Find the split."""
        split = self._split(n)
        if self.kind.row.holds_at_all_looks or (
            enough is not None and self.cost(n, split) <= enough
        ):
            return split  # the correction of rough costs is that of such splits
        start = neyman(self.review, n)
        return min((split, start), key=lambda samples: self.cost(n, samples))

    def cost(self, n: int, samples: Samples | None) -> float:
        """Return the exact cost. Where it takes seconds: the rough one, corrected by how far exact
        ones of two sizes, a little smaller and a little larger, are off theirs."""
        if not self.kind.row.holds_at_all_looks:
            return super().cost(n, samples)
        assert samples is not None
        place, rough = math.log(n) / SHARE_STEP, self.rough_cost(samples)
        below, share = math.floor(place), place - math.floor(place)
        off = (1 - share) * self._off_at(below) + share * self._off_at(below + 1)
        return rough * off if self.goal.name == "width" else rough + off

    def _off_at(self, step: int) -> float:
        """The quotient of exact and rough width of a size, or the difference of probabilities."""
        largest = sum(map(sum, self.review.sizes))
        size = min(
            largest, max(sum(map(len, self.review.sizes)), round(math.exp(step * SHARE_STEP)))
        )
        if size not in self._off_rough:
            samples = self._split(size)
            exact, rough = super().cost(size, samples), self.rough_cost(samples)
            off = exact - rough
            if self.goal.name == "width":
                off = exact / rough if rough > 0 else 1.0
            self._off_rough[size] = off
        return self._off_rough[size]

    def value(self, n: int, samples: Samples | None) -> float:
        """Return the exact width of samples, or the probability that they show the recall."""
        cost = super().cost(n, samples)
        return cost if self.goal.name == "width" else 1 - cost

    def chance_of(self, n: int, samples: Samples | None, target: float) -> float:
        """Probability that samples show a recall."""
        assert samples is not None
        if self.kind.row.holds_at_all_looks:
            return self.plans.rough_chance(samples, target)
        return super().chance_of(n, samples, target)

    def _split(self, n: int) -> Samples:
        """Find the split that is likely the best."""
        # ends that hold at all looks take more from the retrieved the larger the sample is
        step = round(math.log(n) / SHARE_STEP) if self.kind.row.holds_at_all_looks else 0
        if step not in self._shares:
            self._shares[step] = self._over.share(n)
        return self._over.split(n, self._shares[step])

    def least_rough(self, n: int) -> float:
        """Find the least rough cost of one size."""
        return self.rough_cost(self._split(n))


class OneSample(Sizes):
    """One sample of the whole collection."""

    def __init__(
        self,
        review: AssumedReview,
        kind: IntervalKind,
        goal: Goal,
        design: SingleSample | None = None,
    ) -> None:
        super().__init__(review, kind, goal)
        self.design = design or SingleSample(review, kind)
        self._costs: dict[int, float] = {}

    def at(self, target: float) -> Sizes:
        """Return the same for another recall."""
        return type(self)(self.review, self.kind, self.goal._replace(at=target), self.design)

    def best(self, n: int, enough: float | None = None) -> None:
        """Find the split."""
        return

    def least_rough(self, n: int) -> float:
        """Find the least rough cost of one size."""
        if self.goal.name == "width":
            return self.design.rough_width(n)
        return 1 - self.design.rough_chance(n, self.goal.at)

    def cost(self, n: int, samples: Samples | None) -> float:
        """Return the exact cost."""
        if n not in self._costs:
            self._costs[n] = (
                self.design.width(n)
                if self.goal.name == "width"
                else 1 - self.design.chance(n, self.goal.at)
            )
        return self._costs[n]

    def chance_of(self, n: int, samples: Samples | None, target: float) -> float:
        """Probability that samples show a recall."""
        return self.design.chance(n, target)


def sizes_of(review: AssumedReview, kind: IntervalKind, goal: Goal, single: bool) -> Sizes:
    """Choose the class for the design."""
    if single:
        return OneSample(review, kind, goal)
    return (TwoStrata if [len(sizes) for sizes in review.sizes] == [1, 1] else ManyStrata)(
        review, kind, goal
    )


def first_and_last(sizes: Sizes, fewest: int, most: int) -> tuple[int | None, int | None]:
    """The smallest size that reaches the goal, and the size from which on all do; None if the
    largest does not.

    Rough costs give the start.  Then exact costs are bracketed.  Then sizes on both sides are
    examined while their rough costs, corrected by their observed error, are near the goal.
    """
    goal = sizes.goal.cost
    if most - fewest <= ALL_SIZES:
        last = next((n + 1 for n in range(most, fewest - 1, -1) if not sizes.reached(n)), fewest)
        if last > most:
            return None, None
        return next(n for n in range(fewest, most + 1) if sizes.reached(n)), last
    begin = first_size(lambda n: sizes.rough(n) <= goal, fewest, most)
    shift = _shift(sizes, most if begin is None else begin)
    begin = first_size(lambda n: sizes.rough(n) + shift <= goal, fewest, most)
    bracket = _bracket(sizes, most if begin is None else begin, fewest, most)
    if bracket is None:
        return None, None
    missed, good = bracket
    last = _last_missed(sizes, missed, good, most, shift) + 1
    if last > most:
        return None, None
    return _first_reached(sizes, missed, good, fewest, shift), last


def _shift(sizes: Sizes, n: int) -> float:
    """Return how much exact costs are above rough ones."""
    return sizes.cost(n, sizes.best(n)) - sizes.rough(n)


def _bracket(sizes: Sizes, begin: int, fewest: int, most: int) -> tuple[int, int] | None:
    """Neighbours: the smaller one misses the goal, the larger one reaches it."""
    missed, good, step = fewest - 1, most + 1, max(1, begin // 200)
    n = begin
    while True:
        if sizes.reached(n):
            good = n
            if good == fewest or missed >= fewest:
                break
            n = max(fewest, n - step)
        else:
            missed = n
            if n == most:
                return None
            if good <= most:
                break
            n = min(most, n + step)
        step *= 2
    while good - missed > 1:
        middle = (missed + good) // 2
        missed, good = (missed, middle) if sizes.reached(middle) else (middle, good)
    return missed, good


def _last_missed(sizes: Sizes, missed: int, good: int, most: int, shift: float) -> int:
    """The largest size that misses the goal."""
    goal = sizes.goal.cost
    top, step = good, 1
    while top < most and (top - good < FEW or sizes.rough(top) + shift > goal - sizes.margin):
        top, step = min(most, top + step), 2 * step
    further = (
        {most - 2**k for k in range(most.bit_length())} & set(range(top + 1, most))
        if most - top < 4096
        else set()
    )
    for n in sorted(_spread(good + 1, top) | further, reverse=True):
        if not sizes.is_clear(n, -1) and not sizes.reached(n):
            return _settled(sizes, n, most)
    return missed


def _settled(sizes: Sizes, missed: int, most: int) -> int:
    """The last size of a run that misses the goal."""
    while missed < most and not sizes.reached(missed + 1):
        missed += 1
    return missed


def _first_reached(sizes: Sizes, missed: int, good: int, fewest: int, shift: float) -> int:
    """The least size that reaches the goal."""
    goal = sizes.goal.cost
    bottom, step = missed, 1
    while bottom > fewest and (
        missed - bottom < FEW or sizes.rough(bottom) + shift < goal + sizes.margin
    ):
        bottom, step = max(fewest, bottom - step), 2 * step
    for n in sorted(_spread(bottom, missed - 1)):
        if not sizes.is_clear(n, 1) and sizes.reached(n):
            return n
    return good


def _spread(low: int, high: int) -> set[int]:
    """Sizes between two, both included; evenly spaced where there are many."""
    if high < low:
        return set()
    step = 1 if high - low < CHECKED else math.ceil((high - low + 1) * 3 / CHECKED)
    return set(range(low, high + 1, step)) | {high}
