"""The numbers of documents that reach a goal."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache
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
TRIED_CHANCES, TRIED_CHANCES_OF_LARGE = 12, 2
ALL_SIZES = 60  # sizes that are all computed, if there are no more
# Up to this size the sizes next to an answer are examined.  Beyond, of strata, and where
# assumptions are ranges, probabilities hardly go up and down from one size to the next.
SAW = 600
FEW, FEW_SMOOTH = 8, 1  # sizes on each side of the answer that are always examined
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
CORRECTIONS = 3  # rounds in which approximate costs are fitted to an exact one

Progress = Callable[[int, int], None]


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
    """Costs of samples by their size, approximate and exact ones.

    Where not `many` sizes are asked for, the split of each is searched by itself.  `progress` is
    called with the number of sizes examined and the last one.
    """

    def __init__(
        self,
        designs: Designs | SingleSample,
        goal: Goal,
        many: bool = True,
        progress: Progress | None = None,
    ) -> None:
        self.designs = designs
        self.goal = goal
        self.splits: Splits | None = None
        is_plain = [len(sizes) for sizes in designs.review.sizes] == [1, 1]
        if isinstance(designs, Designs):
            is_tested = designs.kind.method == ONE_SIDED.name and not is_plain
            self.splits = Splits(designs, EVEN if is_tested else UNEVEN, many)
        review = designs.review
        self.relevant: float = min(
            case.retrieved_relevant + case.unretrieved_relevant for case in review.cases
        )
        is_small = is_plain and (not goal.is_width or sum(map(sum, review.sizes)) <= SMALL)
        # Exact costs that take seconds: those of strata, and guaranteed widths.
        self.is_costly: bool = designs.kind.row.is_slow and not is_small
        self.is_chance_of_strata = not is_plain and not goal.is_width
        self.has_ranges = len(review.cases) > 1
        self.shift = 0.0  # the exact cost less the approximate one, of the size last fitted
        self.approximate = cache(self._approximate)
        self.reached = cache(self._reached)
        self.usual = cache(self._best_by_width)
        self._progress = progress
        self._examined = 0

    @property
    def margin(self) -> float:
        """How far the costs of sizes next to one another may jump."""
        if not self.goal.is_width:
            return JUMP
        # Widths average over more steps of 1/R the more there are: the standard deviation of exact
        # widths about approximate ones, measured by `benchmarks/hunts/planning.py`.
        return SCATTERS * min(0.5 / self.relevant, 8 / self.relevant**2)

    def has_saw(self, n: int) -> bool:
        """Tell whether the sizes next to an answer are examined."""
        return not (self.is_costly or self.has_ranges or self.is_chance_of_strata or n > SAW)

    @property
    def is_smooth(self) -> bool:
        """Tell whether costs hardly jump."""
        return self.goal.is_width and (self.relevant > MANY or self.splits is None)

    def fit(self, n: int, evennesses: Sequence[float] = ()) -> None:
        """Fit approximate costs to the exact one of a size.

        For chances of strata the low ends are fitted; then choose how even the sampling rates of
        strata are.
        """
        if not self.is_chance_of_strata or self.splits is None:
            self.shift = self.cost(self.best(n)) - self.approximate(n)
            return
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
        self._tell(n)
        return self.approximate_cost(self.usual(n))

    def excess(self, n: int) -> float:
        """How far the fitted approximate cost of a size is above the goal."""
        return self.approximate(n) + self.shift - self.goal.cost

    def _reached(self, n: int) -> bool:
        """Tell whether a split of this size reaches the goal."""
        self._tell(n)
        return self.cost(self.best(n)) <= self.goal.cost

    def _tell(self, n: int) -> None:
        self._examined += 1
        if self._progress is not None:
            self._progress(self._examined, n)

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
        if self.is_costly or self.is_smooth:
            return [usual]
        if not self.splits.designs.is_plain:
            return [usual, neyman(self.designs.review, n)]
        near = self.splits.near(usual)
        n_tried = TRIED_CHANCES if self.has_saw(n) else TRIED_CHANCES_OF_LARGE
        if self.goal.is_width:
            n_tried = TRIED_WIDTHS
        return sorted(near, key=self.approximate_cost)[:n_tried]

    def shown(self, n: int) -> tuple[float, Samples]:
        """The greatest recall that samples of a size show with the goal's probability, to four
        decimals, and the split that does it."""

        def greatest(chance: Callable[[Samples, float], float], split: Samples) -> float:
            low, high = 0.0, self.goal.at
            while high - low > 1e-4:
                middle = (low + high) / 2
                does = chance(split, middle) >= self.goal.asked - ROUNDING
                low, high = (middle, high) if does else (low, middle)
            return low

        designs = self.designs
        about = greatest(designs.approximate_chance, self.usual(n))
        near = Sizes(designs, self.goal._replace(at=max(about, 1e-4)))
        if self.is_chance_of_strata:
            near.fit(n)
        split = near.best(n)
        return greatest(
            designs.approximate_chance if self.is_costly else designs.chance, split
        ), split


def first_and_last(sizes: Sizes, fewest: int, most: int) -> tuple[int | None, int | None]:
    """The smallest size that reaches the goal, and the size from which on all do; None if the
    largest does not.

    Approximate costs, fitted to exact ones, give a size, which is enlarged until it reaches the
    goal.  Where costs go up and down from one size to the next, sizes on both sides are then
    examined while approximate costs are near the goal; else the first and the last size are
    this one.
    """
    if most - fewest <= ALL_SIZES and not sizes.is_costly:
        last = next((n + 1 for n in range(most, fewest - 1, -1) if not sizes.reached(n)), fewest)
        if last > most:
            return None, None
        return next(n for n in range(fewest, most + 1) if sizes.reached(n)), last
    n = _fitted(sizes, fewest, most)
    if n is None or not sizes.has_saw(n):
        return n, n
    while n > fewest and sizes.reached(n - 1):
        n -= 1
    last = n
    for missed in reversed([*_sizes_near_goal(sizes, range(n + 1, most + 1), 1)]):
        if not sizes.reached(missed):
            last = next((m for m in range(missed + 1, most + 1) if sizes.reached(m)), most + 1)
            break
    if last > most:
        return None, None
    below = [*_sizes_near_goal(sizes, range(n - 2, fewest - 1, -1), -1)]
    return next((m for m in reversed(below) if sizes.reached(m)), n), last


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


def _fitted(sizes: Sizes, fewest: int, most: int) -> int | None:
    """A size that reaches the goal, near the first by approximate costs that are fitted to the
    exact one at each answer; what is missing or too much then is made up by steps."""

    def first() -> int:
        return first_size(lambda n: sizes.excess(n) <= 0, fewest, most) or most

    n = first()
    for i in range(CORRECTIONS):
        before = n
        sizes.fit(n, EVENNESSES if i == 1 else ())
        n = first()
        if n == before and i > 0:
            break
    while not sizes.reached(n):
        if n == most:
            return None
        missing = sizes.cost(sizes.best(n)) - sizes.goal.cost
        n = min(most, n + max(1, round(n * max(missing, 1 / STEPS))))
    step = n // 8 if sizes.cost(sizes.best(n)) < sizes.goal.cost - JUMP / 2 else 0
    while step > n // STEPS:
        does = n - step >= fewest and sizes.reached(n - step)
        n, step = (n - step, step) if does else (n, step // 2)
    return n


def _sizes_near_goal(sizes: Sizes, candidates: range, sign: int) -> Iterator[int]:
    """Sizes that are examined, by their distance: all of the first ones, then more and more widely
    spaced ones."""
    i, few = 0, FEW_SMOOTH if sizes.is_smooth else FEW
    while i < len(candidates):
        n = candidates[i]
        if i >= few and -sign * sizes.excess(n) > sizes.margin:
            return
        yield n
        i += max(1, i // FEW)
