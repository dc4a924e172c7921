"""Bounds on recall, F, the yield and shares whose coverage is at least nominal in every review.

A lower bound on a measure that rises with the relevant documents of some strata and falls with
those of others, by inversion of a test; an upper bound is the same of its complement.  Three tests
are at hand, and the design alone (sizes and samples, never what was found) decides among them:

* Where each side has one stratum, or several of about one sampling fraction: Buehler's. The bound
  is the least value of the measure at yields with which samples as high as the one seen have a
  probability above alpha; samples are compared by the measure at Wilson's limits
  (`csrc/bounds/guaranteed_bound.h`). Yields that a test at level `CHANCE` of alpha rejects for
  their own side's sample are left out, and alpha is less by as much (Berger & Boos 1994). Where
  levels share one order of samples, a smaller alpha leaves more yields. Else the bound is at most
  what the larger alpha has, so that bounds of a higher level are never narrower.
* Up to four strata, or groups of strata of about one sampling fraction: the exact test of the
  weighted counts, the worst case over all yields (`csrc/bounds/weighted_counts.h`). Three take
  milliseconds, four a tenth of a second usually and some seconds at worst.
* Else, with more than four unlike rates, an exponential bound on the weighted sum of the counts
  (`csrc/bounds/exponential_bound.h`), which is wider.

The file is longer than 400 lines because all three tests share their strata.

Strata of which all is known enter as constants, those of which nothing is at their worst.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds._core.samples.guaranteed_bound import BoundSearch, WeightedSearch, exponential
from irbounds.foundation.interval import tail_probability
from irbounds.samples.model.exact_limits import population_bounds
from irbounds.samples.model.point_estimates import recall_ratio
from irbounds.samples.model.request import Ends as Answer
from irbounds.samples.model.request import Request
from irbounds.samples.model.strata import Segment, Stratum, total

if TYPE_CHECKING:
    from irbounds.typing import FloatOrArray

CHANCE = 0.01  # of alpha, for each of two groups; docs/how_we_chose.md compares
YIELD_CHANCE = 0.002  # of alpha, for either end of the yield of a stratum among unlike ones
# The normal quantile of Wilson's limits for all alphas up to each of these; ditto
ORDERS = ((0.009, 1.67), (0.045, 1.4), (0.19, 1.07), (1.0, 0.6))
# ratio of the greatest mean of a group's count to its least, up to which its strata are one; the
# first where the exact test of weighted counts can have the open strata one by one
FEW_ALIKE, ALIKE = 1.02, 1.15
SMALL_PART = 0.05  # of a group; its finite population narrows it by 1 part in 40
FOUND = 16.0  # relevant documents in the sample for which they are compared
LARGEST_SAMPLE = 2.0**26  # above it sums over the counts take minutes

BUEHLER, WEIGHTED, EXPONENTIAL = (
    "Buehler's bound",
    "exact test of the weighted counts",
    "exponential bound",
)
MOST_OPEN = 4  # strata for the exact test of weighted counts

Ends = tuple[Any, Any]
Linear = tuple[float, float, Any]  # factors of both groups' yields, and a constant


def recall(request: Request) -> Answer:
    """Ends of recall, for the table of methods."""
    level, side = request.options.level, request.options.side
    tolerance, target = request.tolerance, request.target
    return _around(request, recall_ends(request.one, request.other, level, side, tolerance, target))


def f_score(request: Request) -> Answer:
    """Ends of F, for the table of methods."""
    beta, level, side = request.measure.beta, request.options.level, request.options.side
    return _around(request, f_ends(request.one, request.other, beta, level, side))


def yield_of(request: Request) -> Answer:
    """Ends of the yield, for the table of methods."""
    level, side = request.options.level, request.options.side
    return _around(request, yield_ends(request.one, request.other, level, side))


def share(request: Request) -> Answer:
    """Ends of the yield of one segment, for the table of methods."""
    level, side, strata = request.options.level, request.options.side, request.one
    size = total(strata, "size")
    if len(strata) == 1:  # the share of one stratum has no nuisance: its exact test is inverted
        alpha = tail_probability(level, side)
        low, high = population_bounds(strata[0].relevant, strata[0].sampled, size, alpha)
    else:
        low, high = (end * size for end in share_ends(strata, level, side))
    return _around(request, (low, high), size)


def _around(request: Request, ends: Ends, scale: FloatOrArray = 1.0) -> Answer:
    """Ends extended to contain the estimate, which need not be a possible value if nearly all is
    known.

    `scale` is that of the ends if the measure is 1.
    """
    estimate = request.measure.estimate(request.one, request.other) * scale
    estimate = np.broadcast_to(estimate, request.shape)
    low, high = (np.broadcast_to(end, request.shape) for end in ends)
    return Answer(np.fmin(low, estimate), np.fmax(high, estimate))


def recall_ends(
    retrieved: Segment,
    unretrieved: Segment,
    level: float,
    side: str,
    tolerance: float = 0.0,
    target: float | None = None,
) -> Ends:
    """Ends for recall, R1/(R1 + R0).

    With a tolerance the log odds of the ends may be too far out by as much, but never too far in.
    With a target the low end may be any value on its side of the target.  Both are several times as
    fast, for plans, which need thousands of ends.
    """
    first, second = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    return _ends(
        level,
        side,
        (retrieved, unretrieved, first, second),
        (unretrieved, retrieved, first, second),
        tolerance,
        target,
    )


def f_ends(retrieved: Segment, unretrieved: Segment, beta: float, level: float, side: str) -> Ends:
    """Ends for F, (1 + β²) R1/(β² (R1 + R0) + N1); 1 - F has β² R0 + N1 - R1 in the numerator."""
    square, size = beta * beta, total(retrieved, "size")
    return _ends(
        level,
        side,
        (retrieved, unretrieved, (1 + square, 0.0, 0.0), (-1.0, square, size)),
        (unretrieved, retrieved, (square, -1.0, size), (0.0, 1 + square, 0.0)),
    )


def yield_ends(retrieved: Segment, unretrieved: Segment, level: float, side: str) -> Ends:
    """Ends for the yield, R1 + R0, in whole documents.

    The measure must fall with one of two groups: it falls with the non-relevant documents of the
    unretrieved segment.
    """
    sizes = total(retrieved, "size"), total(unretrieved, "size")
    gain, loss = (1.0, -1.0, sizes[1]), (-1.0, 1.0, sizes[0])
    low, high = _ends(
        level,
        side,
        (retrieved, _turned(unretrieved), gain, loss),
        (_turned(retrieved), unretrieved, gain, loss),
    )
    size = sizes[0] + sizes[1]
    # A quarter of a document is more than rounding takes; the bounds are whole numbers.
    least, most = np.ceil(low * size - 0.25), np.floor(high * size + 0.25)
    return np.maximum(0, least) + 0.0, np.minimum(size, most)  # -0.0 + 0.0 is 0.0


def name_of_test(*segments: Segment) -> str:
    """The name of the test that bounds from these strata invert, for one question."""
    strata = [stratum for segment in segments for stratum in segment]
    size, sampled = (np.array([float(stratum[k]) for stratum in strata]) for k in (0, 1))
    return _Design(size, sampled, len(segments[0])).test


def reaches(
    retrieved: Segment, unretrieved: Segment, target: float, level: float, side: str = "lower"
) -> np.ndarray:
    """Whether the low end of recall is the target or more, for every question: for plans.

    The exact test of weighted counts is run at the target and a little below it, and says yes
    after some hundred boxes that are rejected: 0.1 to 5 ms. Small samples have their bound.
    """
    first, second = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    alpha = tail_probability(level, side)
    question = (retrieved, unretrieved, first, second)
    low = np.fmin(
        least_share(*question, alpha, target=target), recall_ratio(retrieved, unretrieved)
    )  # as the end that is stated
    return np.asarray(low >= target)


def share_ends(segment: Segment, level: float, side: str) -> Ends:
    """Ends for the share R/N of one segment."""
    size = total(segment, "size")
    nothing = [Stratum(np.zeros(()), np.zeros(()), np.zeros(()))]
    gain, loss = (1.0, 0.0, 0.0), (-1.0, 0.0, size)
    return _ends(
        level, side, (segment, nothing, gain, loss), (_turned(segment), nothing, gain, loss)
    )


def _turned(segment: Segment) -> Segment:
    """The segment with relevant and non-relevant documents exchanged."""
    return [Stratum(size, sampled, sampled - relevant) for size, sampled, relevant in segment]


Question = tuple[Segment, Segment, Linear, Linear]


def _ends(
    level: float,
    side: str,
    of_measure: Question,
    of_complement: Question,
    tolerance: float = 0.0,
    target: float | None = None,
) -> Ends:
    alpha = tail_probability(level, side)
    low = 0.0 if side == "upper" else least_share(*of_measure, alpha, tolerance, target)
    high = 1.0 if side == "lower" else 1 - least_share(*of_complement, alpha, tolerance)
    shape = np.broadcast_shapes(np.shape(low), np.shape(high))
    # At levels near 0 low may be above high: the ends of the table of methods have the estimate
    # between them.
    return np.broadcast_to(low, shape), np.broadcast_to(high, shape)


def least_share(
    rising: Segment,
    falling: Segment,
    gain: Linear,
    loss: Linear,
    alpha: float,
    tolerance: float = 0.0,
    target: float | None = None,
) -> np.ndarray:
    """A lower bound on gain/(gain + loss), each linear in the yields of both groups, for every
    question.

    Parameters
    ----------
    rising, falling : Segment
        Groups of strata; the measure rises with the relevant documents of the first, and falls with
        the others'.
    gain, loss : triples
        Factors of both yields, and a constant, which may be an array.
    alpha : float
        Probability that the bound may miss.
    tolerance : float
        By how much the log odds of the bound may be too low; a search that takes long has a
        tolerance of its own, which seldom reaches 1e-4.
    target : float, optional
        If only the comparison with it counts: the bounds may be any values on their side of it.

    Returns
    -------
    ndarray
    """
    strata = [*rising, *falling]
    fields = [np.broadcast_arrays(*stratum) for stratum in strata]
    shape = np.broadcast_shapes(
        *(field[0].shape for field in fields), np.shape(gain[2]), np.shape(loss[2])
    )
    size, sampled, seen = (
        np.array([np.broadcast_to(field[k], shape).ravel() for field in fields]) for k in range(3)
    )
    constants = [np.broadcast_to(linear[2], shape).ravel() for linear in (gain, loss)]
    # A search depends on the design alone, so that all outcomes of one design share its tables.
    # Plans ask for thousands of outcomes of one design.
    designs, which = np.unique(np.concatenate([size, sampled]), axis=1, return_inverse=True)
    which, bounds = which.ravel(), np.empty(which.size)
    for k in range(designs.shape[1]):
        chosen = np.flatnonzero(which == k)
        chosen = chosen[np.lexsort(seen[:, chosen])]  # neighbours are alike
        design = _Design(designs[: len(strata), k], designs[len(strata) :, k], len(rising))
        rows = np.array([[*linear[:2], 0.0] for linear in (gain, loss)]).ravel() * np.ones(
            (chosen.size, 1)
        )
        rows[:, 2], rows[:, 5] = (constant[chosen] for constant in constants)
        bounds[chosen] = design.least(
            np.ascontiguousarray(seen[:, chosen].T), rows, alpha, tolerance, target
        )
    return bounds.reshape(shape)


class _Design:
    """Sizes and samples of the strata of both groups."""

    def __init__(self, size: np.ndarray, sampled: np.ndarray, n_rising: int) -> None:
        self.size, self.sampled = size, sampled
        self.group = (np.arange(size.size) >= n_rising).astype(np.int64)
        self.is_open = (sampled > 0) & (sampled < size)

    def least(
        self,
        seen: np.ndarray,
        rows: np.ndarray,
        alpha: float,
        tolerance: float,
        target: float | None,
    ) -> np.ndarray:
        """The bounds for rows of counts and of coefficients."""
        # The unsampled strata of the rising group have no relevant document at worst, those of the
        # other one nothing else.
        known = np.where(
            self.is_open, 0.0, np.where((self.sampled == 0) & (self.group == 1), self.size, seen)
        )
        yields = [known[:, self.group == k].sum(axis=1) for k in (0, 1)]
        # Yields that are known become part of the constant of each linear form.
        for part in (rows[:, :3], rows[:, 3:]):
            part[:, 2] += part[:, 0] * yields[0] + part[:, 1] * yields[1]
        sides = [np.flatnonzero(self.is_open & (self.group == k)) for k in (0, 1)]
        if not self.is_open.any():
            return _measure(rows, np.zeros((2, len(rows))))
        test = self.test
        if test == WEIGHTED:
            return self._weighted(seen, rows, alpha, target)
        if test == EXPONENTIAL:
            chosen = self.is_open
            return exponential(
                self.size[chosen],
                self.sampled[chosen],
                self.group[chosen],
                alpha,
                np.ascontiguousarray(seen[:, chosen]),
                rows,
            )
        counts = np.stack([seen[:, side].sum(axis=1) for side in sides], axis=1)
        groups = [self._group(side) for side in sides]
        if not all(map(len, sides)):  # one yield is unknown: its own bound is the measure's
            search, k = BoundSearch(groups, alpha, 0.0, 0.0, 0.0), 0 if len(sides[0]) else 1
            ends = np.zeros((2, len(rows)))
            ends[k] = search.likely_yields(k, np.ascontiguousarray(counts[:, k]))
            return _measure(rows, ends)
        # Each of the two groups may leave out its true yield with probability CHANCE alpha. The
        # test gets what remains, so that the errors add up to alpha at most.
        rest = 1 - 2 * CHANCE
        own = next(i for i, (most, _) in enumerate(ORDERS) if alpha < most)
        edges = zip(ORDERS[own:-1], ORDERS[own + 1 :], strict=True)
        looser = [(most * rest, z) for (most, _), (_, z) in edges]
        search = BoundSearch(
            groups, alpha * rest, alpha * CHANCE, ORDERS[own][1], tolerance, looser
        )
        return search.least(counts, rows, target=-1.0 if target is None else target)

    def _weighted(
        self, seen: np.ndarray, rows: np.ndarray, alpha: float, target: float | None
    ) -> np.ndarray:
        """The bounds by the exact test of the weighted counts."""
        clusters, chance = self._clusters(), YIELD_CHANCE * alpha
        search = WeightedSearch(
            [self._group(cluster) for cluster in clusters],
            [int(self.group[cluster[0]]) for cluster in clusters],
            alpha - 2 * len(clusters) * chance,
            chance,
        )
        counts = np.stack([seen[:, cluster].sum(axis=1) for cluster in clusters], axis=1)
        return search.least(counts, rows, -1.0 if target is None else target)

    @property
    def test(self) -> str:
        """The name of the test."""
        sides = [np.flatnonzero(self.is_open & (self.group == k)) for k in (0, 1)]
        if all(self._is_one(side) for side in sides):
            return BUEHLER
        is_small = self.sampled[self.is_open].sum() <= LARGEST_SAMPLE
        return WEIGHTED if is_small and len(self._clusters()) <= MOST_OPEN else EXPONENTIAL

    def _clusters(self) -> list[np.ndarray]:
        """Open strata of one side that can be treated as one, by rising sampling fractions."""
        clusters: list[np.ndarray] = []
        for k in (0, 1):
            side = np.flatnonzero(self.is_open & (self.group == k))
            order = side[np.argsort(self.sampled[side] / self.size[side], kind="stable")]
            start = 0
            for end in range(1, len(order) + 1):
                if end == len(order) or not self._is_one(order[start : end + 1]):
                    clusters += self._parts(order[start:end])
                    start = end
        return clusters

    def _parts(self, cluster: np.ndarray) -> list[np.ndarray]:
        """The strata of a cluster one by one where there are few, and its sample is such a part
        that the binomial bounds on its tails would be loose."""
        is_few = np.count_nonzero(self.is_open) <= MOST_OPEN
        if is_few and self.sampled[cluster].sum() > SMALL_PART * self.size[cluster].sum():
            return [cluster[i : i + 1] for i in range(len(cluster))]
        return [cluster]

    def _is_one(self, side: np.ndarray) -> bool:
        """True if the open strata of a group can be treated as one."""
        if self.sampled[side].sum() > LARGEST_SAMPLE:
            return False
        if len(side) < 2:
            return True
        # The mean of a group's count depends on where its relevant documents are. With `some` of
        # them it is least if all are in the strata with the lowest sampling fractions, which come
        # first, and greatest if all are in the last ones. FOUND of them are expected in the sample.
        size, sampled = self._group(side)
        some = min(size[-1] / 2, FOUND * size[-1] / sampled[-1])
        least, most = (
            np.interp(some, size, sampled),
            sampled[-1] - np.interp(size[-1] - some, size, sampled),
        )
        is_few = np.count_nonzero(self.is_open) <= MOST_OPEN
        return bool(most <= (FEW_ALIKE if is_few else ALIKE) * least)

    def _group(self, side: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The sizes and samples of the first 0, 1, 2, ... strata of a group together, by rising
        sampling fraction."""
        if len(side) == 0:
            return np.zeros(2), np.zeros(2)
        order = side[np.argsort(self.sampled[side] / self.size[side], kind="stable")]
        size, sampled = (
            np.concatenate([[0.0], np.cumsum(field[order])]) for field in (self.size, self.sampled)
        )
        return size, sampled


def _measure(rows: np.ndarray, yields: Sequence[np.ndarray] | np.ndarray) -> np.ndarray:
    """gain/(gain + loss), 1 where that is 0/0."""
    gain, loss = (
        part[:, 0] * yields[0] + part[:, 1] * yields[1] + part[:, 2]
        for part in (rows[:, :3], rows[:, 3:])
    )
    whole = gain + loss
    return np.where(whole > 0, gain / np.where(whole > 0, whole, 1.0), 1.0)
