"""The smallest sample with which a target can be shown."""

from __future__ import annotations

import math
from functools import cache

from irbounds.foundation.arguments import check_number
from irbounds.foundation.errors import InputError, check_count
from irbounds.planning.design.outcomes import SHARP, IntervalKind
from irbounds.samples.intervals.pipeline import Outcomes
from irbounds.samples.intervals.table import usual_method


def least_sample(
    population: int,
    retrieved: int,
    target: float,
    *,
    method: str | None = None,
    confidence_level: float = 0.95,
    side: str = "lower",
) -> int | None:
    """The size of the smallest sample with which any outcome could show that recall reaches a
    target.

    In the best outcome all sampled retrieved documents are relevant, and none of the others: a
    smaller sample can never show the target by this method.  The result is exact, because lower
    ends for the best outcome rise with both samples.  Only those of "betabinom-mcp", whose prior
    depends on the sample, need not rise; then a smaller sample may suffice.

    Parameters
    ----------
    population, retrieved : int
        Documents of the collection, and those of them that were retrieved, fewer.
    target : float
        The recall, above 0 and at most 1.
    method : str, optional
        That of the lower end, as in `recall_interval`, and by default its method for that side:
        "guaranteed" for lower bounds, "betabinom-half" for two-sided intervals.
    confidence_level : float
    side : {"lower", "two-sided"}
        A two-sided interval is taken by its low end.

    Returns
    -------
    int or None
        None where not even the whole collection could, as for a target of 1 by methods that do not
        know its size.

    Raises
    ------
    InputError
        For numbers outside these ranges, unknown methods, and the side "upper".

    Examples
    --------
    >>> import irbounds as irb
    >>> irb.planning.least_sample(100_000, 20_000, 0.75)
    38
    """
    kind = IntervalKind(usual_method(side, method), confidence_level, side)
    goal = check_target(target, kind)
    size = check_count("population", population, 2)
    first = check_count("retrieved", retrieved, 1)
    if first >= size:
        raise InputError(f"`retrieved` must be below the population, {size}; found {retrieved}")
    return _Best(size, first, kind).least(goal)


def check_target(target: float, kind: IntervalKind) -> float:
    """A recall that a lower end can reach."""
    if kind.side == "upper":
        raise InputError(
            "`side` must be 'lower' or 'two-sided', because an upper bound cannot reach a target"
        )
    return check_number("target", target, "must be above 0 and at most 1", lambda x: 0 < x <= 1)


# Shares of the retrieved segment with which the search begins; even steps of log odds.
SHARES = tuple(1 / (1 + math.exp(-odds)) for odds in range(-9, 10, 2))


class _Best:
    """Lower ends for the best outcome of each design; they rise with both samples."""

    def __init__(self, population: int, retrieved: int, kind: IntervalKind) -> None:
        self.sizes = (retrieved, population - retrieved)
        self.kind = kind
        self.exact = cache(self._exact)

    def _exact(self, n1: int, n0: int) -> float:
        """Return the lower end that `recall_interval` gives."""
        # The best outcome: all retrieved documents of the sample are relevant, and none of the
        # others.
        design = Outcomes(self.sizes, (n1, n0), self.kind.method)
        low, _ = design.ends([[n1], [0]], self.kind.confidence_level, self.kind.side)
        return float(low[0])

    def _begin(self, target: float) -> tuple[int, int]:
        """Return samples that reach the target, at most about twice as many as needed."""
        size1, size0 = self.sizes
        n = 1
        while True:
            n = min(2 * n, size1 + size0)
            for share in SHARES:
                n1 = min(size1, n - 1, max(1, n - size0, round(n * share)))
                if self.exact(n1, n - n1) >= target:
                    return n1, n - n1

    def least(self, target: float) -> int | None:
        """Return the least size that reaches the target with any split.

        Sizes below the least one known are excluded by rectangles: as ends rise with both samples,
        (n1, n0) that misses the target excludes all designs with no more documents of either
        segment.  One pass over n1 does it, as what is excluded for a size is so for smaller ones.
        """
        target -= SHARP
        if self.exact(*self.sizes) < target:
            return None
        first, second = self._begin(target)
        found = first + self._least_second(first, second, target)
        n1, step = 1, 1
        while n1 <= min(self.sizes[0], found - 2):
            n0 = min(self.sizes[1], found - 1 - n1)
            if self.exact(n1, n0) >= target:
                found = n1 + self._least_second(n1, n0, target)
                # The same n1 again, with one document less than found.
                continue
            last, step = self._last_missed(n1, n0, step, min(self.sizes[0], found - 2), target)
            n1 = last + 1
        return found

    def _least_second(self, n1: int, n0: int, target: float) -> int:
        """Return the least sample of the unretrieved segment that does it, which is n0 at most."""
        missed = 0
        while n0 - missed > 1:
            middle = (missed + n0) // 2
            missed, n0 = (missed, middle) if self.exact(n1, middle) >= target else (middle, n0)
        return n0

    def _last_missed(
        self, n1: int, n0: int, step: int, most: int, target: float
    ) -> tuple[int, int]:
        """Return a sample from n1 on with which the target is missed, and the step to it."""
        last, grows = n1, True
        while step >= 1 and last < most:
            tried = min(most, last + step)
            if self.exact(tried, n0) < target:
                last = tried
                step = 2 * step if grows else step // 2
            else:
                grows, step = False, step // 2
        return last, max(1, last - n1)
