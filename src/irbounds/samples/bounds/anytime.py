"""Intervals that hold at every look together, whenever one stops: method "anytime".

`csrc/bounds/anytime.h` has the formulas. A prior only weighs the alternatives that evidence is
collected for; the intervals hold with every prior.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irbounds._core.samples import anytime as kernel
from irbounds.foundation.arguments import check_numbers
from irbounds.foundation.errors import InputError, fail
from irbounds.foundation.interval import tail_probability
from irbounds.samples.bounds import anytime_strata as strata
from irbounds.samples.model.exact_limits import Tail
from irbounds.samples.model.request import Ends, Request
from irbounds.samples.model.strata import Segment

if TYPE_CHECKING:
    from irbounds.typing import FloatOrArray

EQUAL = 1 - 1e-12  # evidence within this part of 1/alpha has reached it: 1 - 0.8 is not quite 1/5
DEFAULT_PRIOR = (0.5, 0.5)

BothEnds = tuple[Any, Any]


class AnytimePrior(NamedTuple):
    """The prior of a segment's yield: BetaBin(size; a, b)."""

    a: float
    b: float

    @property
    def exchanged(self) -> AnytimePrior:
        """That of documents that are not relevant."""
        return AnytimePrior(self.b, self.a)


def check_prior(prior: Any) -> AnytimePrior:
    """One number for a = b, or a pair; None is the default."""
    if prior is None:
        return AnytimePrior(*DEFAULT_PRIOR)
    # with parameters above 10 the prior's mass below a count among 2^52 may be less than 1e-300
    rule = "must be a number from 0.001 to 10, or a pair of them"
    numbers = check_numbers("prior", prior, rule, lambda x: (x >= 1e-3) & (x <= 10)).ravel()
    if numbers.size not in (1, 2):
        fail("prior", rule, prior)
    return AnytimePrior(float(numbers[0]), float(numbers[-1]))


@lru_cache(4096)
def upper_count(size: float, n: float, x: float, alpha: float, prior: AnytimePrior) -> float:
    """The largest number of relevant documents that is not refused, from one side."""
    return kernel.upper((size, n, x, *prior), EQUAL / alpha)


def lower_count(size: float, n: float, x: float, alpha: float, prior: AnytimePrior) -> float:
    """The least number of relevant documents that is not refused, from one side."""
    return size - upper_count(size, n, n - x, alpha, prior.exchanged)


def each(function: Callable[..., Any], *arrays: Any, values: int = 1) -> Any:
    """A function of numbers for each element, once for each that occurs."""
    broad = np.broadcast_arrays(*(np.asarray(array, float) for array in arrays))
    known: dict[tuple[float, ...], Any] = {}
    result = np.empty((values, broad[0].size))
    for i, args in enumerate(zip(*(array.ravel().tolist() for array in broad), strict=True)):
        if args not in known:
            known[args] = function(*args)
        result[:, i] = known[args]
    shaped = result.reshape(values, *broad[0].shape)
    return shaped[0] if values == 1 else tuple(shaped)


def count_ends(
    x: FloatOrArray,
    n: FloatOrArray,
    size: FloatOrArray,
    level: float,
    side: str,
    prior: AnytimePrior,
) -> BothEnds:
    """Numbers of relevant documents in populations. Two-sided ends are the numbers whose chance of
    the sample exceeds alpha times its mean."""
    alpha = tail_probability(level, "lower") if side != "two-sided" else 1 - level

    def ends(x: float, n: float, size: float) -> tuple[float, float]:
        if side == "two-sided":
            return kernel.ends((size, n, x, *prior), alpha / EQUAL)
        if side == "lower":
            return lower_count(size, n, x, alpha, prior), size
        return 0.0, upper_count(size, n, x, alpha, prior)

    return each(ends, x, n, size, values=2)


Sample = tuple[float, float, float]


def recall_low(
    one: Sample, other: Sample, alpha: float, prior: AnytimePrior, split: bool = False
) -> float:
    """The lower bound of recall, from (size, sampled, relevant) of the retrieved and of the
    unretrieved segment.

    Where all of one segment was read, all evidence is that about the other one: this holds if it
    was read before the other was sampled. If the reader goes to and fro between the segments, take
    `split`, which holds whatever the order.
    """
    if not split and one[0] == one[1]:
        found = one[2]
        most = upper_count(*other, alpha, prior) if other[0] > other[1] else other[2]
    elif not split and other[0] == other[1]:
        found, most = lower_count(*one, alpha, prior), other[2]
    else:
        both = (*one, *prior), (*other, *prior)
        return kernel.least_share(*both, alpha)
    return found / (found + most) if found else 0.0


def recall_ends(
    one: Segment,
    other: Segment,
    level: float,
    side: str,
    prior: AnytimePrior,
    split: bool = False,
) -> BothEnds:
    """Both ends of recall; two-sided with half of alpha each."""
    alpha = tail_probability(level, side)
    (first,), (second,) = one, other

    def ends(*counts: float) -> tuple[float, float]:
        one, other = _sample(counts[:3]), _sample(counts[3:])
        low = recall_low(one, other, alpha, prior, split) if side != "upper" else 0.0
        # 1 - recall = R0/(R1 + R0) is the recall of the other segment.
        high = 1.0 if side == "lower" else 1 - recall_low(other, one, alpha, prior, split)
        return low, high

    return each(ends, *first, *second, values=2)


def _sample(counts: tuple[float, ...]) -> Sample:
    size, n, x = counts
    return size, n, x


def _exchanged(sample: Sample) -> Sample:
    size, n, x = sample
    return size, n, n - x


def yield_ends(
    one: Segment, other: Segment, level: float, side: str, prior: AnytimePrior
) -> BothEnds:
    """Both ends of the yield of both segments; two-sided with half of alpha each."""
    alpha = tail_probability(level, side)
    (first,), (second,) = one, other

    def most(one: Sample, other: Sample, prior: AnytimePrior) -> float:
        # A segment that was read whole adds a constant, and the other one takes the whole of alpha.
        if one[0] == one[1] or other[0] == other[1]:
            whole, rest = (one, other) if one[0] == one[1] else (other, one)
            return whole[2] + upper_count(*rest, alpha, prior)
        return kernel.most_sum((*one, *prior), (*other, *prior), alpha)

    def ends(*counts: float) -> tuple[float, float]:
        one, other = _sample(counts[:3]), _sample(counts[3:])
        everything = one[0] + other[0]
        low = 0.0
        if side != "upper":
            # All documents less the most that are not relevant: the same search serves both ends.
            low = everything - most(_exchanged(one), _exchanged(other), prior.exchanged)
        return low, everything if side == "lower" else most(one, other, prior)

    return each(ends, *first, *second, values=2)


def recall(request: Request) -> Ends:
    """Ends of recall, for the table of methods."""
    options, segments = request.options, (request.one, request.other)
    if has_strata(*segments):
        check_strata(request.prior, *segments)
        alpha = tail_probability(options.level, options.side)

        def ends(one: list[Sample], other: list[Sample]) -> tuple[float, float]:
            known = strata.read_whole(one), strata.read_whole(other)
            return strata.recall_bounds(one, other, alpha, options.side, known)

        return Ends(*of_strata(ends, *segments))
    prior = check_prior(request.prior)
    return Ends(*recall_ends(*segments, options.level, options.side, prior))


def yield_of(request: Request) -> Ends:
    """Ends of the yield, for the table of methods."""
    options, segments = request.options, (request.one, request.other)
    if has_strata(*segments):
        return _sum_of_strata(request, *segments)
    prior = check_prior(request.prior)
    return Ends(*yield_ends(*segments, options.level, options.side, prior))


def share(request: Request) -> Ends:
    """Ends of the yield of one segment, for the table of methods."""
    if has_strata(request.one):
        return _sum_of_strata(request, request.one)
    (stratum,), options = request.one, request.options
    size, n, x = stratum
    return Ends(*count_ends(x, n, size, options.level, options.side, check_prior(request.prior)))


def has_strata(*segments: Segment) -> bool:
    """Whether there is a segment of several strata."""
    return max(map(len, segments)) > 1


def check_strata(prior: Any, *segments: Segment) -> None:
    """Refuse too many strata, and a prior, which their evidence has no use for."""
    if prior is not None:
        raise InputError("method 'anytime' takes no `prior` for segments of several strata")
    strata.check_number_of_strata(*segments)


def of_strata(function: Callable[..., BothEnds], *segments: Segment) -> BothEnds:
    """Both ends by a function of lists of samples, one for each segment."""
    lengths = [len(segment) for segment in segments]
    fields = [field for segment in segments for stratum in segment for field in stratum]

    def ends(*counts: float) -> BothEnds:
        samples = [_sample(counts[i : i + 3]) for i in range(0, len(counts), 3)]
        starts = np.cumsum([0, *lengths])
        return function(*(samples[i:j] for i, j in pairwise(starts)))

    return each(ends, *fields, values=2)


def _sum_of_strata(request: Request, *segments: Segment) -> Ends:
    check_strata(request.prior, *segments)
    side = request.options.side
    alpha = tail_probability(request.options.level, side)

    def ends(*segments: list[Sample]) -> tuple[float, float]:
        known = [strata.read_whole(samples) for samples in segments]
        return strata.sum_bounds(segments, alpha, side, known)

    return Ends(*of_strata(ends, *segments))


def finite_anytime(
    x: FloatOrArray, n: FloatOrArray, size: FloatOrArray, tail: Tail, prior: Any = None
) -> BothEnds:
    """Numbers of relevant documents of a finite population, for the table of proportions."""
    level = 1 - (2 if tail.is_two_sided else 1) * tail.probability
    return count_ends(x, n, size, level, tail.side, check_prior(prior))
