"""The fewest documents with which anything can be shown."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from irbounds.foundation.arguments import check_number
from irbounds.foundation.errors import InputError, check_count
from irbounds.planning.allocation import least_by_rough, splits
from irbounds.planning.assumptions import AssumedReview
from irbounds.planning.outlook import SHARP, IntervalKind
from irbounds.planning.rough import rough_log_odds, rough_yields
from irbounds.samples.intervals import recall_interval
from irbounds.samples.strata import Stratum

AROUND = 0.02  # of a size: so far below the first one that does it others are tried


def least_sample(
    population: int,
    retrieved: int,
    target: float,
    *,
    method: str = "betabinom-half",
    confidence_level: float = 0.95,
    side: str = "lower",
) -> int | None:
    """The fewest documents with which any outcome could show that recall reaches a target.

    The best outcome is that all sampled retrieved documents are relevant and none of the others:
    fewer documents than this can show nothing by this method, whatever they are.

    Returns
    -------
    int or None
        None where not even the whole collection could, as for a target of 1 by methods that do not
        know its size.

    Examples
    --------
    >>> import irbounds as irb
    >>> irb.least_sample(100_000, 20_000, 0.75)
    30
    """
    kind = IntervalKind(method, confidence_level, side)
    goal = check_target(target, kind)
    size = check_count("population", population, 2)
    first = check_count("retrieved", retrieved, 1)
    if first >= size:
        raise InputError(f"`retrieved` must be below the population, {size}; found {retrieved}")
    return _Best(size, first, kind).least(goal)


def check_target(target: Any, kind: IntervalKind) -> float:
    """A recall that a lower end can reach."""
    if kind.side == "upper":
        raise InputError(
            "an upper bound has no lower end to reach a target: `side` must be lower or two-sided"
        )
    return check_number("target", target, "must be above 0 and at most 1", lambda x: 0 < x <= 1)


class _Best:
    """Lower ends for the best outcome of each design."""

    def __init__(self, population: int, retrieved: int, kind: IntervalKind) -> None:
        self.sizes = (retrieved, population - retrieved)
        self.review = AssumedReview(population, retrieved, recall=1, precision=1)
        self.kind = kind

    def rough(self, n1: Any, n0: Any) -> np.ndarray:
        """Return rough lower ends."""
        kind, (size1, size0) = self.kind, self.sizes
        one, other = (
            rough_yields(
                [Stratum(np.full(np.shape(n), float(size)), np.asarray(n, float), found)],
                kind.method,
                kind.confidence_level,
                kind.side,
            )
            for n, size, found in (
                (n1, size1, np.asarray(n1, float)),
                (n0, size0, np.zeros(np.shape(n0))),
            )
        )
        return np.asarray(1 / (1 + np.exp(-np.clip(rough_log_odds(one, other)[0], -700, 700))))

    def exact(self, n1: int, n0: int) -> float:
        """Return the lower end that `recall_interval` gives."""
        kind, (size1, size0) = self.kind, self.sizes
        return float(
            recall_interval(
                (size1, n1, n1),
                (size0, n0, 0),
                method=kind.method,
                confidence_level=kind.confidence_level,
                side=kind.side,
            ).low
        )

    def _splits(self, n: int) -> dict[int, float]:
        """Rough ends below 1."""
        least, most = max(1, n - self.sizes[1]), min(self.sizes[0], n - 1)
        if most - least < 4096:
            chosen = np.arange(least, most + 1)
            return dict(
                zip(chosen.tolist(), (1 - self.rough(chosen, n - chosen)).tolist(), strict=True)
            )
        return splits(self.review, n, lambda first: 1 - float(self.rough(first, n - first)))

    def reached(self, n: int, target: float) -> bool:
        """Tell whether the best outcome of any split reaches the target."""
        goal = 1 - target + SHARP
        costs = self._splits(n)
        if self.sizes[0] + self.sizes[1] == n:
            return self.exact(*self.sizes) >= target - SHARP
        return (
            1
            - self.exact(
                best := least_by_rough(costs, lambda first: 1 - self.exact(first, n - first), goal),
                n - best,
            )
            <= goal
        )

    def least(self, target: float) -> int | None:
        """The first size that does it."""
        size = sum(self.sizes)
        missed, good = 1, 2
        while not self.reached(good, target):
            if good == size:
                return None
            missed, good = good, min(size, max(16, 2 * good))
        while good - missed > 1:
            middle = (missed + good) // 2
            missed, good = (missed, middle) if self.reached(middle, target) else (middle, good)
        for n in range(max(2, good - 8, math.floor(good * (1 - AROUND))), good):
            if self.reached(n, target):
                return n
        return good
