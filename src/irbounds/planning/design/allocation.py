"""The allocation of a sample that gives the narrowest interval."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from irbounds.planning.assumptions.review import AssumedReview, Known
from irbounds.planning.design.design_cache import Plans
from irbounds.planning.design.neyman import Samples, flattened_neyman, neyman, shares_of, slope

# Splits of two strata that are all computed; of more splits, SPREAD are computed and refined.
ALL_SPLITS = 400
# Likewise for rough widths, which are smooth, in collections of more documents than SMALL.
ALL_SMOOTH = 100
SMALL = 1000
SPREAD = 24
FIRST_TRIED = 5  # splits whose exact widths correct the rough ones
FIRST_FOR_GOAL = 3  # likewise if only a goal must be reached
MOST_TRIED = 60  # splits whose exact width is computed
TRIED_FOR_GOAL = 12  # likewise if only a goal must be reached, of more splits than ALL_SMOOTH
NO_BETTER = 1e-4  # part of the width that a further split must gain to be worth computing
# Splits of a collection of at most SMALL documents that are all computed exactly: ends jump there
# from one outcome to the next, so that rough widths and chances are poor.  A tenth of a second.
ALL_EXACT = 60
GRID = 120  # sizes of a stratum's sample, evenly spaced in their logarithms
# Standard deviations by which a better split may lie below the course of the rough widths.
DOUBTS = 3.0


def narrowest(plans: Plans, sample: int) -> Samples:
    """The samples whose expected interval is narrowest."""
    if not plans.is_plain:
        return _over_strata(plans, sample)
    rough = splits(plans.review, sample, lambda n: plans.rough_width(_pair(n, sample)), smooth=True)
    relevant = min(
        case.retrieved_relevant + case.unretrieved_relevant for case in plans.review.cases
    )
    best = least_by_rough(
        rough,
        lambda n: plans.width(_pair(n, sample)),
        worth=NO_BETTER if len(rough) > SPREAD else 0.0,
        least_scatter=scatter_of(relevant) if not is_small(plans.review, rough) else math.inf,
    )
    return _pair(best, sample)


def is_small(review: AssumedReview, rough: dict[int, float]) -> bool:
    """True if all of these splits are computed exactly."""
    return len(rough) <= ALL_EXACT and sum(map(sum, review.sizes)) <= SMALL


def _pair(first: int, sample: int) -> Samples:
    return (first,), (sample - first,)


def scatter_of(relevant: float) -> float:
    """Return the least standard deviation of exact widths about rough ones that is reckoned with.
    Recall has steps of 1/R; widths average over more of them the more there are. Measured by
    `benchmarks/hunts/planning.py`."""
    return min(0.5 / relevant, 8 / relevant**2)


def splits(
    review: AssumedReview, sample: int, rough: Callable[[int], float], smooth: bool = False
) -> dict[int, float]:
    """Rough values by the number of documents from the retrieved of two strata: of all splits,
    or of splits near the smallest if there are many."""
    (size1,), (size0,) = review.sizes
    least, most = max(1, sample - size0), min(size1, sample - 1)
    if most - least < (ALL_SMOOTH if smooth and size1 + size0 > SMALL else ALL_SPLITS):
        return {n: rough(n) for n in range(least, most + 1)}
    # Even steps of log odds: splits in which one segment gets few documents are dense.
    odds = np.linspace(-1, 1, SPREAD)
    shares = 1 / (1 + np.exp(-odds * math.log(most - least + 1)))
    values = {
        n: rough(n)
        for n in {round(least + share * (most - least)) for share in shares} | {least, most}
    }
    while True:
        order = sorted(values)
        i = order.index(min(order, key=values.__getitem__))
        # Refined about the least value so far, until no whole number is new between its neighbours'
        # neighbours.
        low, high = order[max(0, i - 2)], order[min(len(order) - 1, i + 2)]
        new = {round(n) for n in np.linspace(low, high, SPREAD // 2)} - values.keys()
        if not new:
            return values
        values.update({n: rough(n) for n in new})


def first_size(reached: Callable[[int], bool], least: int, most: int) -> int | None:
    """The first size that a rough test accepts, by doubling and bisection."""
    missed, good = least - 1, least
    while not reached(good):
        if good == most:
            return None
        missed, good = good, min(most, max(16, 2 * good))
    # To 0.2 %: rough tests tell no more.
    while good - missed > max(1, good // 500):
        middle = (missed + good) // 2
        missed, good = (missed, middle) if reached(middle) else (middle, good)
    return good


def least_by_rough(
    rough: dict[int, float],
    exact: Callable[[int], float],
    goal: float | None = None,
    worth: float = 0.0,
    least_scatter: float = 0.0,
    most_tried: int | None = None,
) -> int:
    """Find the minimum of an exact function that a rough one follows, up to a slow drift and some
    scatter.

    Exact values are taken where the rough one is least and about there; then wherever the rough
    value, corrected by the mean error of the exact ones so far, can be least.  With a goal it ends
    at the first value that reaches it, or where no value is likely to.  An infinite scatter asks
    for all exact values.
    """
    order = sorted(rough, key=rough.__getitem__)
    # Splits up to 30 % above the least rough value: over these the difference of exact values is a
    # line.
    near = [n for n in order if rough[n] <= rough[order[0]] + 0.3 * abs(rough[order[0]])] or order
    first = {
        near[0],
        *(
            near[round(share * (len(near) - 1))]
            for share in np.linspace(0, 1, FIRST_TRIED if goal is None else FIRST_FOR_GOAL)
        ),
    }
    found: dict[int, float] = {}
    for n in sorted(first, key=rough.__getitem__):
        found[n] = exact(n)
        if goal is not None and found[n] <= goal:
            return n
    most = MOST_TRIED if goal is None or len(rough) <= ALL_SMOOTH else TRIED_FOR_GOAL
    if most_tried is not None and not math.isinf(least_scatter):
        most = min(most, most_tried)
    # The most promising split next, until none can be better by what the scatter allows.
    while len(found) < min(most, len(rough)):
        likely, scatter = _corrected(rough, found)
        scatter = max(scatter, least_scatter)
        low = min(found.values())
        tried = min((n for n in rough if n not in found), key=likely.__getitem__)
        if likely[tried] - DOUBTS * scatter >= (low - worth * abs(low) if goal is None else goal):
            break
        found[tried] = exact(tried)
        if goal is not None and found[tried] <= goal:
            return tried
    return min(found, key=lambda n: (found[n], rough[n]))


def _corrected(rough: dict[int, float], found: dict[int, float]) -> tuple[dict[int, float], float]:
    """Rough values and a difference that is a straight line, and by how much exact ones scatter
    about that."""
    places = np.array(list(found), float)
    off = np.array([found[n] - rough[n] for n in found])
    # A line through fewer points than four would follow their scatter.
    degree = 1 if len(found) >= 4 else 0
    line = (
        np.polynomial.Polynomial.fit(places, off, degree)
        if len(found) > 1
        else np.polynomial.Polynomial([off[0]])
    )
    rest = off - line(places)
    scatter = math.sqrt(float(rest @ rest) / max(1, len(found) - degree - 1))
    every = np.array(list(rough), float)
    # The line is not extended beyond the splits that it was fitted to.
    values = line(np.clip(every, places.min(), places.max())) + np.array(list(rough.values()))
    return dict(zip(rough, values.tolist(), strict=True)), scatter


def _over_strata(plans: Plans, sample: int) -> Samples:
    """Within segments as the expected posterior variance asks for; how much each segment gets, by
    rough widths; Neyman's allocation or a flatter one where that is narrower."""
    flattened = [flattened_neyman(plans.review, sample, power) for power in (1.0, 0.5)]
    over_strata = OverStrata(plans)
    best = min(
        [over_strata.split(sample, over_strata.share(sample)), *flattened], key=plans.rough_width
    )
    return min((best, flattened[0]), key=plans.width)


class OverStrata:
    """Splits over several strata."""

    def __init__(self, plans: Plans) -> None:
        self.plans = plans
        self.known = [Convex(plans.review, part) for part in (0, 1)]

    def _limits(self, sample: int) -> tuple[int, int]:
        first, second = self.plans.review.sizes
        return max(len(first), sample - sum(second)), min(sum(first), sample - len(second))

    def split(self, sample: int, share: float) -> Samples:
        """The division with this share of the documents in the retrieved segment, as nearly as
        possible."""
        least, most = self._limits(sample)
        n = min(most, max(least, round(share * sample)))
        return self.known[0].split(n), self.known[1].split(sample - n)

    def share(self, sample: int) -> float:
        """Find the retrieved segment's share of the sample that makes the rough width least."""
        least, most = self._limits(sample)
        n = sum(neyman(self.plans.review, sample)[0])
        tried = {n: self.plans.rough_width(self.split(sample, n / sample))}
        step = math.log(2)
        # A step of 0.05 in log odds moves a share by 1.25 % at most, as p (1 - p) is at most 1/4.
        while step > 0.05:
            # Steps of log odds to either side, halved when neither is better.
            odds = math.log((n - least + 1) / (most - n + 1))
            near = [
                round(least - 1 + (most - least + 2) / (1 + math.exp(-odds - sign * step)))
                for sign in (-1, 1)
            ]
            for m in near:
                if least <= m <= most and m not in tried:
                    tried[m] = self.plans.rough_width(self.split(sample, m / sample))
            best = min(tried, key=tried.__getitem__)
            step, n = (step, best) if best != n else (step / 2, n)
        return n / sample


class Convex:
    """The division of a segment's sample among its strata that minimises the expected posterior
    variance of its yield.

    The variance of a stratum falls with its sample, ever more slowly; so each document goes where
    it reduces the variance most.
    """

    def __init__(self, review: AssumedReview, part: int) -> None:
        self.sizes = review.sizes[part]
        self.taken: list[np.ndarray] = []
        self.slopes: list[np.ndarray] = []
        for i, size in enumerate(self.sizes):
            n = np.unique(np.rint(np.geomspace(1, size, GRID)))
            variance = sum(
                case.weight
                * slope(case, part) ** 2
                * _expected_variance(
                    (case.retrieved, case.unretrieved)[part][i], n, len(self.sizes)
                )
                for case in review.cases
            )
            # On the convex hull slopes fall, as the search by price demands.
            kept = _hull(n, np.asarray(variance))
            self.taken.append(n[kept])
            self.slopes.append(-np.diff(np.asarray(variance)[kept]) / np.diff(n[kept]))

    def split(self, sample: int) -> tuple[int, ...]:
        """A division of `sample` documents with at least one in each stratum."""
        if len(self.sizes) == 1:
            return (sample,)
        low, high = (
            0.0,
            max((float(slopes.max()) for slopes in self.slopes if slopes.size), default=1.0)
            + 1e-300,
        )
        for _ in range(100):
            # The price is what a document must be worth (a Lagrange multiplier). Geometric halving,
            # as slopes span many powers of ten.
            middle = math.sqrt(low * high) if low > 0 else high / 1024
            low, high = (low, middle) if sum(self._asked(middle)) <= sample else (middle, high)
            if high <= 1e-300 or 0 < high <= low * (1 + 1e-12):
                break
        few, many = self._asked(high), self._asked(low)
        # Between the two divisions that enclose the sample, in proportion.
        share = (sample - sum(few)) / max(1e-300, sum(many) - sum(few))
        return tuple(
            shares_of(
                [a + share * (b - a) for a, b in zip(few, many, strict=True)],
                list(self.sizes),
                sample,
            )
        )

    def _asked(self, price: float) -> list[float]:
        """Each stratum's sample where a document takes off so much; between the places of the table
        by its slopes."""
        asked = []
        for taken, slopes in zip(self.taken, self.slopes, strict=True):
            if len(slopes) < 2 or price >= slopes[0]:
                asked.append(
                    float(taken[0]) if not len(slopes) or price >= slopes[0] else float(taken[-1])
                )
                continue
            # The slope between two places of the table is that of the place between them.
            middles = np.sqrt(taken[1:] * taken[:-1])
            rising = np.log(np.maximum(slopes[::-1], 1e-300))
            asked.append(
                float(taken[-1])
                if price <= slopes[-1]
                else float(np.interp(math.log(max(price, 1e-300)), rising, middles[::-1]))
            )
        return asked


def _hull(x: np.ndarray, y: np.ndarray) -> list[int]:
    """The lower convex hull."""
    kept: list[int] = []
    for i in range(len(x)):
        # The last point is on or above the line from the one before it to the new one.
        while len(kept) > 1 and (y[kept[-1]] - y[kept[-2]]) * (x[i] - x[kept[-1]]) >= (
            y[i] - y[kept[-1]]
        ) * (x[kept[-1]] - x[kept[-2]]):
            kept.pop()
        kept.append(i)
    return kept


def _expected_variance(known: Known, sampled: np.ndarray, n_strata: int) -> np.ndarray:
    """Return the expected variance of the posterior of a stratum's yield, over all samples. The
    half prior is shared among the strata. The mean and the variance of the hypergeometric
    distribution give a closed form."""
    size, relevant = known
    alpha, unseen, p = 0.5 / n_strata, size - sampled, relevant / size
    total = sampled + 2 * alpha
    mean = (sampled * p + alpha) / total
    spread = sampled * p * (1 - p) * unseen / max(1.0, size - 1) / total**2
    # unseen (total + unseen)/(total + 1) times m (1 - m) is the variance of the beta-binomial with
    # the mean m; E m (1 - m) is the mean less its square and its variance.
    return np.asarray(unseen * (total + unseen) / (total + 1) * (mean - mean**2 - spread))
