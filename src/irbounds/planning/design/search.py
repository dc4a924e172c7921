"""The numbers of documents that reach a goal."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import NamedTuple

from irbounds.planning.design.allocation import SMALL, Splits
from irbounds.planning.design.designs import Designs
from irbounds.planning.design.neyman import Samples, neyman
from irbounds.planning.design.one_sample import SingleSample, whole
from irbounds.samples.intervals.table import ONE_SIDED

# A width or probability within ROUNDING of its goal reaches it: expectations leave out counts of
# probability RARE and UNLIKELY, and small reviews have probabilities of exactly one half.
ROUNDING = 1e-6
# Splits of one size whose exact values are taken, the best ones by approximate values.  Widths: in
# 52 random designs the best of six was as narrow as the best of all near by, the first alone up to
# 0.9 % wider, and 0.04 % where more than MANY documents are relevant, as recall moves in steps of
# 1/R.  Chances: with eight one of 13 sizes was a tenth too large.
TRIED_WIDTHS, MANY = 6, 1000
TRIED_CHANCES, TRIED_SLOW_CHANCES = 12, 2
SLOW_FROM = 600  # documents in samples whose slow chances take 0.02 s and more
ALL_SIZES = 60  # sizes that are all computed, if there are no more
# Sizes on each side of the answer that are always examined: where costs jump, where exact chances
# take long, and of widths that hardly jump.
FEW, FEW_SLOW, FEW_SMOOTH = 8, 3, 1
# Farther sizes are examined while their approximate costs are near the goal: by less than JUMP for
# probabilities, SCATTERS standard deviations for widths.
JUMP = 0.04
SCATTERS = 3.0
# How even the sampling rates of strata are: those of posteriors, those for a guaranteed width, and
# the ones that are compared for a guaranteed bound, whose test takes the worst yields of strata.
# In three designs the better of 0.5 and 1 was within 0.02 of the greatest chance of a grid, and 0
# up to 0.08 below it.
UNEVEN, EVEN, EVENNESSES = 0.0, 0.5, (0.5, 1.0)
STEPS = 200  # of a size, where single ones are tried
CORRECTIONS = 3  # rounds in which costs that take seconds are corrected by an exact one


class Goal(NamedTuple):
    """A width, or a recall to be shown with a probability."""

    name: str
    at: float
    asked: float

    @property
    def is_width(self) -> bool:
        """Tell which it is."""
        return self.name == "width"

    @property
    def cost(self) -> float:
        """The largest cost that reaches the goal. Costs are widths, or probabilities of missing the
        recall."""
        return ROUNDING + (self.asked if self.is_width else 1 - self.asked)


class Sizes:
    """Costs of samples by their size, approximate and exact ones."""

    def __init__(self, designs: Designs | SingleSample, goal: Goal) -> None:
        self.designs = designs
        self.goal = goal
        self.kind = designs.kind
        self.splits: Splits | None = None
        if isinstance(designs, Designs):
            is_tested = self.kind.method == ONE_SIDED.name and not designs.is_plain
            self.splits = Splits(designs, EVEN if is_tested else UNEVEN)
        review = designs.review
        self.population: int = sum(map(sum, review.sizes))
        self.relevant: float = min(
            case.retrieved_relevant + case.unretrieved_relevant for case in review.cases
        )
        is_plain = [len(sizes) for sizes in review.sizes] == [1, 1]
        # Exact costs that take seconds: those of strata, and guaranteed widths.
        self.is_costly: bool = self.kind.row.is_slow and (
            goal.is_width and self.population > SMALL if is_plain else True
        )
        self.approximate = cache(self._approximate)
        self.reached = cache(self._reached)
        self.usual = cache(self._best_by_width)

    @property
    def margin(self) -> float:
        """How far the costs of sizes next to one another may jump."""
        if not self.goal.is_width:
            return JUMP
        # Widths average over more steps of 1/R the more there are: the standard deviation of exact
        # widths about approximate ones, measured by `benchmarks/hunts/planning.py`.
        return SCATTERS * min(0.5 / self.relevant, 8 / self.relevant**2)

    @property
    def is_smooth(self) -> bool:
        """Tell whether costs hardly jump."""
        return self.goal.is_width and (self.relevant > MANY or self.splits is None)

    def is_slow(self, n: int) -> bool:
        """Tell whether few exact costs can be taken."""
        return self.kind.row.is_slow and n > SLOW_FROM

    def excess(self, n: int) -> float:
        """How far the exact cost of a size is above its approximate one."""
        return self.cost(self.usual(n)) - self.approximate(n)

    def fit(self, n: int, evennesses: Sequence[float] = ()) -> None:
        """Fit the approximate chances of strata to the exact one at a size, and choose how even
        the sampling rates of strata are."""
        assert self.splits is not None
        designs, chances = self.splits.designs, {}
        if self.splits.evenness != UNEVEN:
            for self.splits.evenness in evennesses:
                split = self.splits.split(n, self.splits.share(n))
                chances[self.splits.evenness] = designs.rough_chance(split, self.goal.at)
        if chances:
            self.splits.evenness = max(chances, key=chances.__getitem__)
            self.usual.cache_clear()
        designs.measure_stretch(self.usual(n), self.goal.at)
        self.approximate.cache_clear()
        self.reached.cache_clear()

    def cost(self, split: Samples) -> float:
        """Return the exact cost of a split."""
        if self.goal.is_width:
            return self.designs.width(split)
        return 1 - self.designs.chance(split, self.goal.at)

    def approximate_cost(self, split: Samples) -> float:
        """Return the approximate cost of a split."""
        if self.goal.is_width:
            return self.designs.approximate_width(split)
        return 1 - self.designs.approximate_chance(split, self.goal.at)

    def value(self, split: Samples) -> float:
        """Return the exact width of a split, or the probability that it shows the recall."""
        return self.cost(split) if self.goal.is_width else 1 - self.cost(split)

    def _approximate(self, n: int) -> float:
        """The approximate cost of a size."""
        return self.approximate_cost(self.usual(n))

    def _reached(self, n: int) -> bool:
        """Tell whether a split of this size reaches the goal."""
        return self.cost(self.best(n)) <= self.goal.cost

    def _best_by_width(self, n: int) -> Samples:
        """The split with the least approximate width, or nearly so.

        It is used for a target too: chances jump from one split to the next.
        """
        return whole(n) if self.splits is None else self.splits.split(n, self.splits.share(n))

    def best(self, n: int) -> Samples:
        """The first split that reaches the goal, else the one with the least cost."""
        tried = (self.splits.few(n) if self.splits else []) or self._tried(n)
        if len(tried) == 1:
            return tried[0]
        costs = []
        for split in tried:
            costs.append(self.cost(split))
            if costs[-1] <= self.goal.cost:
                break
        return tried[costs.index(min(costs))]

    def _tried(self, n: int) -> list[Samples]:
        """Splits whose exact costs are compared."""
        usual = self.usual(n)
        if self.splits is None:
            return [usual]
        if self.splits.evenness != UNEVEN and self.goal.is_width:
            even = Splits(self.splits.designs, EVENNESSES[-1])
            return [usual, even.split(n, even.share(n))]
        if self.is_costly:
            return [usual]
        if not self.splits.designs.is_plain:
            return [usual, neyman(self.designs.review, n)]
        if self.is_smooth:
            return [usual]
        near = self.splits.near(usual)
        n_tried = TRIED_SLOW_CHANCES if self.is_slow(n) else TRIED_CHANCES
        if self.goal.is_width:
            n_tried = TRIED_WIDTHS
        return sorted(near, key=self.approximate_cost)[:n_tried]

    def shown(self, n: int) -> tuple[float, Samples]:
        """The greatest recall that samples of a size show with the goal's probability, to four
        decimals, and the split that does it."""

        def greatest(reached: Callable[[float], bool]) -> float:
            low, high = 0.0, self.goal.at
            while high - low > 1e-4:
                middle = (low + high) / 2
                low, high = (middle, high) if reached(middle) else (low, middle)
            return low

        def at(target: float) -> Sizes:
            return Sizes(self.designs, self.goal._replace(at=target))

        about = greatest(lambda target: at(target).approximate(n) <= self.goal.cost)
        if self.is_costly:  # by a fit that holds there
            at(max(about, 1e-4)).fit(n)
            about = greatest(lambda target: at(target).approximate(n) <= self.goal.cost)
        split = at(max(about, 1e-4)).best(n)
        chance = self.designs.approximate_chance if self.is_costly else self.designs.chance
        return greatest(lambda target: chance(split, target) >= self.goal.asked - ROUNDING), split


def first_and_last(sizes: Sizes, fewest: int, most: int) -> tuple[int | None, int | None]:
    """The smallest size that reaches the goal, and the size from which on all do; None if the
    largest does not.

    Approximate costs, corrected by exact ones, give the start.  Exact costs bracket the goal.
    Sizes on both sides are then examined while approximate costs are near the goal, as costs go up
    and down from one size to the next.
    """
    if sizes.is_costly:
        find = _corrected if sizes.goal.is_width else _fitted
        n = find(sizes, fewest, most, CORRECTIONS)[0]
        return n, n
    if most - fewest <= ALL_SIZES:
        last = next((n + 1 for n in range(most, fewest - 1, -1) if not sizes.reached(n)), fewest)
        if last > most:
            return None, None
        return next(n for n in range(fewest, most + 1) if sizes.reached(n)), last
    begin, shift = _corrected(sizes, fewest, most, 1)
    bracket = _bracket(sizes, begin or most, fewest, most)
    if bracket is None:
        return None, None
    missed, good = bracket
    above = _sizes_near_goal(sizes, range(good + 1, most + 1), shift, 1)
    last_missed = next((n for n in reversed(list(above)) if not sizes.reached(n)), missed)
    while last_missed < most and not sizes.reached(last_missed + 1):
        last_missed += 1
    if last_missed == most:
        return None, None
    below = _sizes_near_goal(sizes, range(missed - 1, fewest - 1, -1), shift, -1)
    first = next((n for n in reversed(list(below)) if sizes.reached(n)), good)
    return first, last_missed + 1


def first_size(reached: Callable[[int], bool], least: int, most: int) -> int | None:
    """Find the first size that an approximate test accepts, to 0.2 %."""
    if not reached(most):
        return None
    missed, good = least - 1, most
    while good - missed > max(1, good // 500):
        # Halves of logarithms: large sizes take longer.
        middle = min(good - 1, max(missed + 1, round(math.sqrt(max(1, missed) * good))))
        missed, good = (missed, middle) if reached(middle) else (middle, good)
    return good


def _corrected(sizes: Sizes, fewest: int, most: int, rounds: int) -> tuple[int | None, float]:
    """The first size that reaches the goal by approximate costs, corrected by how far the exact
    cost of that size is above the approximate one; and that correction."""
    shift, begin = 0.0, None
    for _ in range(rounds + 1):
        goal = sizes.goal.cost - shift
        begin = first_size(partial(_is_near, sizes, goal), fewest, most)
        shift = sizes.excess(begin or most)
    return begin, shift


def _fitted(sizes: Sizes, fewest: int, most: int, rounds: int) -> tuple[int | None, float]:
    """The same for chances of strata, which are fitted to the exact ones at each answer; what is
    missing or too much then is made up by steps."""
    n = first_size(partial(_is_near, sizes, sizes.goal.cost), fewest, most) or most
    for i in range(rounds):
        before = n
        sizes.fit(n, EVENNESSES if i == 1 else ())
        n = first_size(partial(_is_near, sizes, sizes.goal.cost), fewest, most) or most
        if n == before and i > 0:
            break
    while not sizes.reached(n):
        if n == most:
            return None, 0.0
        missing = sizes.cost(sizes.best(n)) - sizes.goal.cost
        n = min(most, n + max(1, round(n * max(missing, 1 / STEPS))))
    step = n // 8 if sizes.cost(sizes.best(n)) < sizes.goal.cost - JUMP / 2 else 0
    while step > n // STEPS:
        does = n - step >= fewest and sizes.reached(n - step)
        n, step = (n - step, step) if does else (n, step // 2)
    return n, 0.0


def _is_near(sizes: Sizes, goal: float, n: int) -> bool:
    return sizes.approximate(n) <= goal


def _bracket(sizes: Sizes, begin: int, fewest: int, most: int) -> tuple[int, int] | None:
    """Neighbours: the smaller one misses the goal, the larger one reaches it."""
    missed, good, step = fewest - 1, most + 1, max(1, begin // STEPS)
    n = begin
    while good > most or (missed < fewest and good > fewest):
        if sizes.reached(n):
            good, n = n, max(fewest, n - step)
        elif n == most:
            return None
        else:
            missed, n = n, min(most, n + step)
        step *= 2
    while good - missed > 1:
        middle = (missed + good) // 2
        missed, good = (missed, middle) if sizes.reached(middle) else (middle, good)
    return missed, good


def _sizes_near_goal(sizes: Sizes, candidates: range, shift: float, sign: int) -> Iterator[int]:
    """Sizes that are examined, by their distance: all of the first ones, then more and more widely
    spaced ones."""
    i, goal = 0, sizes.goal.cost - shift
    is_slow = bool(candidates) and sizes.is_slow(candidates[0])
    few = FEW_SMOOTH if sizes.is_smooth else FEW_SLOW if is_slow else FEW
    while i < len(candidates):
        n = candidates[i]
        if i >= few and sign * (goal - sizes.approximate(n)) > sizes.margin:
            return
        yield n
        i += max(1, i) if is_slow else max(1, i // FEW)
