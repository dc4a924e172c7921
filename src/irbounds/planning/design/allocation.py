"""The division of a sample between the segments and over their strata."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from irbounds.planning.assumptions.review import AssumedReview, Known
from irbounds.planning.design.designs import Designs
from irbounds.planning.design.neyman import Samples, neyman, shares_of, slope

if TYPE_CHECKING:
    from irbounds.typing import FloatArray

GRID = 120  # sizes of a stratum's sample, evenly spaced in their logarithms
# Splits that are all computed exactly, in a collection of at most SMALL documents: ends jump there
# from one outcome to the next, so that approximate ones are poor.  A tenth of a second.
ALL_EXACT = 60
SMALL = 1000
# Splits about the best one by approximate values, and what parts of its retrieved sample they have.
NEAR = 32
NEAR_PARTS = (0.5, 1.5)
# Steps of log odds in the search for the retrieved segment's share.  The last moves a share by
# 1.25 % at most, as p (1 - p) is at most 1/4.
FIRST_STEP, LAST_STEP = math.log(2), 0.05


class Splits:
    """Divisions of samples.

    `evenness` is how far the strata of a segment have equal sampling rates: 0 not at all, 1 wholly.
    Where `many` sizes are compared, shares of the retrieved segment are searched for powers of two.
    """

    def __init__(self, designs: Designs, evenness: float = 0.0, many: bool = False) -> None:
        self.designs = designs
        self.evenness = evenness
        self._many = many
        self._searched = cache(self._least_width)
        self.within = [Convex(designs.review, part) for part in (0, 1)]

    def _limits(self, sample: int) -> tuple[int, int]:
        first, second = self.designs.review.sizes
        return max(len(first), sample - sum(second)), min(sum(first), sample - len(second))

    def _with(self, n: int, sample: int) -> Samples:
        """The division with n documents in the retrieved segment."""
        first, second = self.within[0].split(n), self.within[1].split(sample - n)
        sizes = self.designs.review.sizes
        return self._evened(first, sizes[0]), self._evened(second, sizes[1])

    def _evened(self, sample: tuple[int, ...], sizes: Sequence[int]) -> tuple[int, ...]:
        """The geometric mean of a division and of one in proportion to the strata."""
        if self.evenness == 0 or len(sample) == 1:
            return sample
        weights = [
            n ** (1 - self.evenness) * size**self.evenness
            for n, size in zip(sample, sizes, strict=True)
        ]
        return tuple(shares_of(weights, list(sizes), sum(sample)))

    def few(self, sample: int) -> list[Samples]:
        """All divisions where they are few and the collection is small: they are compared by exact
        values. Else none."""
        least, most = self._limits(sample)
        is_few = most - least < ALL_EXACT and self.designs.population <= SMALL
        if not (is_few and self.designs.is_plain):
            return []
        return [self._with(n, sample) for n in range(least, most + 1)]

    def split(self, sample: int, share: float) -> Samples:
        """The division with this share of the documents in the retrieved segment, as nearly as
        possible."""
        least, most = self._limits(sample)
        return self._with(min(most, max(least, round(share * sample))), sample)

    def near(self, split: Samples) -> list[Samples]:
        """Splits about one."""
        first, second = map(sum, split)
        least, most = self._limits(first + second)
        numbers = np.rint(np.linspace(*NEAR_PARTS, NEAR) * first).clip(least, most)
        return [self._with(int(n), first + second) for n in np.unique(numbers)]

    def share(self, sample: int) -> float:
        """The retrieved segment's share of the sample that makes the approximate width least, in
        proportion between the two sizes next to it for which it was searched."""
        # Samples of much of the collection take segments whole; there shares bend.
        if not self._many or 2 * sample >= self.designs.population:
            return self._searched(sample, self.evenness)
        fewest = sum(map(len, self.designs.review.sizes))
        low = max(fewest, 2 ** (sample.bit_length() - 1))
        high = 2 ** sample.bit_length()
        part = math.log(sample / low) / math.log(high / low)
        first, second = (self._searched(size, self.evenness) for size in (low, high))
        odds = (first / (1 - first)) ** (1 - part) * (second / (1 - second)) ** part
        return odds / (1 + odds)

    def _least_width(self, sample: int, evenness: float) -> float:
        least, most = self._limits(sample)
        n = sum(neyman(self.designs.review, sample)[0])
        widths = {n: self.designs.approximate_width(self._with(n, sample))}
        step = FIRST_STEP
        while step > LAST_STEP:
            # Steps of log odds to either side, halved when neither is better.
            odds = math.log((n - least + 1) / (most - n + 1))
            for sign in (-1, 1):
                share = 1 / (1 + math.exp(-odds - sign * step))
                m = round(least - 1 + (most - least + 2) * share)
                if least <= m <= most and m not in widths:
                    widths[m] = self.designs.approximate_width(self._with(m, sample))
            best = min(widths, key=widths.__getitem__)
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
        # The least and the greatest sample of each stratum, the slopes, and their logarithms and
        # places from the last to the first.
        self.tables: list[tuple[float, float, list[float], FloatArray, FloatArray]] = []
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
            taken = n[kept]
            slopes = -np.diff(np.asarray(variance)[kept]) / np.diff(taken)
            # The slope between two places of the table is that of the place between them.
            middles = np.sqrt(taken[1:] * taken[:-1])[::-1]
            rising = np.log(np.maximum(slopes[::-1], 1e-300))
            self.tables.append(
                (float(taken[0]), float(taken[-1]), slopes.tolist(), rising, middles)
            )

    def split(self, sample: int) -> tuple[int, ...]:
        """A division of `sample` documents with at least one in each stratum."""
        if len(self.sizes) == 1:
            return (sample,)
        low, high = (
            0.0,
            max((max(slopes) for _, _, slopes, _, _ in self.tables if slopes), default=1.0)
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
        asked, logarithm = [], math.log(max(price, 1e-300))
        for least, most, slopes, rising, middles in self.tables:
            if not slopes or price >= slopes[0]:
                asked.append(least)
            elif len(slopes) < 2 or price <= slopes[-1]:
                asked.append(most)
            else:
                asked.append(float(np.interp(logarithm, rising, middles)))
        return asked


def _hull(x: FloatArray, y: FloatArray) -> list[int]:
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


def _expected_variance(known: Known, sampled: FloatArray, n_strata: int) -> FloatArray:
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
