"""How wide an interval to expect, and where to assess (Webber 2013, section 4.3)."""
from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from irbounds.foundation.arguments import check_level
from irbounds.foundation.errors import InputError, check_choice, check_count, fail
from irbounds.planning.assumptions import AssumedReview, Case, Known, check_review
from irbounds.planning.chances import likely_counts, thinned
from irbounds.samples.intervals import METHODS, PRIOR_OF, finished, recall_interval
from irbounds.samples.outcomes import Outcomes
from irbounds.samples.proportions import SIDES, tail_probability
from irbounds.samples.strata import Stratum
from irbounds.samples.yields import YieldPair

RARE = 1e-6          # probability of what samples may find that expectations leave out
JOINT_OUTCOMES = 64  # of strata, spread evenly over what may be found

Samples = tuple[tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True)
class IntervalKind:
    """Which interval is planned for."""

    method: str = "betabinom-half"
    confidence_level: float = 0.95
    side: str = "two-sided"

    def __post_init__(self) -> None:
        check_choice("method", self.method, METHODS)
        check_level(self.confidence_level)
        check_choice("side", self.side, SIDES)


@dataclass(frozen=True)
class Allocation:
    """A sample split between the segments, or over their strata.

    Attributes
    ----------
    retrieved_sample, unretrieved_sample : int, or tuple of int over strata
    expected_width : float
        Of the planned interval; of a one-sided one the expected distance of its end from recall.
    neyman : tuple
        The samples that the normal approximation's variance asks for (Neyman 1934), where the search began.
    neyman_width : float
    """

    retrieved_sample: Any
    unretrieved_sample: Any
    expected_width: float
    neyman: tuple[Any, Any]
    neyman_width: float

    @property
    def samples(self) -> Samples:
        """Both samples, as tuples over strata."""
        first, second = (sample if isinstance(sample, tuple) else (sample,)
                         for sample in (self.retrieved_sample, self.unretrieved_sample))
        return first, second

    @property
    def share_retrieved(self) -> float:
        """Of the sample, in the retrieved segment."""
        first, second = map(sum, self.samples)
        return first / (first + second)

    def to_dict(self) -> dict[str, Any]:
        """All fields by name, and the share of the retrieved segment."""
        return {**vars(self), "share_retrieved": self.share_retrieved}


def expected_width(review: AssumedReview, retrieved_sample: Any, unretrieved_sample: Any, *,
                   method: str = "betabinom-half", confidence_level: float = 0.95, side: str = "two-sided") -> float:
    """The mean width of the interval on recall that a design will give.

    Parameters
    ----------
    review : AssumedReview
    retrieved_sample, unretrieved_sample : int, or sequence of int over strata
        Documents to assess.
    method, confidence_level, side
        As in `recall_interval`.  For a one-sided interval the width is the expected distance of its end from recall.

    Returns
    -------
    float
        Over all samples that may be drawn, and over the ranges of the assumptions: within 1e-6, or within 1e-3 of the
        width where one sample may hold more than 20 counts of relevant documents, of which 20 stand for all.  For
        strata over 64 outcomes that are spread evenly, which is good to about two digits.

    Raises
    ------
    InputError
        For samples larger than their segments.

    Examples
    --------
    >>> import irbounds as irb
    >>> review = irb.AssumedReview(5_000_000, 500_000, recall=0.5, precision=0.5)
    >>> round(irb.expected_width(review, 1000, 4000), 3)
    0.071
    """
    kind = IntervalKind(method, confidence_level, side)
    samples = check_samples(review, retrieved_sample, unretrieved_sample)
    return width_of(review, samples, kind)


def allocate(review: AssumedReview, sample: int, *, method: str = "betabinom-half", confidence_level: float = 0.95,
             side: str = "two-sided") -> Allocation:
    """Where to assess `sample` documents, so that the expected interval is narrowest.

    Parameters
    ----------
    review : AssumedReview
    sample : int
        Documents to assess in all; every stratum gets one at least.
    method, confidence_level, side
        As in `expected_width`.

    Returns
    -------
    Allocation

    Raises
    ------
    InputError
        For a sample larger than the collection, or smaller than its number of strata.

    Notes
    -----
    Neyman's allocation for the normal approximation is the start; the split between the segments is then searched on
    the expected width itself, and over strata also moves between pairs of them.

    Examples
    --------
    >>> import irbounds as irb
    >>> review = irb.AssumedReview(5_000_000, 500_000, recall=0.9, precision=0.1)
    >>> plan = irb.allocate(review, 5000)
    >>> plan.share_retrieved < 0.2
    True
    """
    kind = IntervalKind(method, confidence_level, side)
    return allocate_for(review, check_sample(review, sample), lambda samples: width_of(review, samples, kind))


def check_sample(review: AssumedReview, sample: int) -> int:
    """A number of documents that can be assessed, one in each stratum at least."""
    sizes = [size for segment in check_review(review).sizes for size in segment]
    count = check_count("sample", sample, 1)
    if count < len(sizes):
        fail("sample", f"must be at least {len(sizes)}, one document in each stratum", sample)
    if count > sum(sizes):
        fail("sample", f"must be at most the collection, {sum(sizes)} documents", sample)
    return count


def check_samples(review: AssumedReview, retrieved: Any, unretrieved: Any) -> Samples:
    """Samples for each stratum, none larger than its stratum."""
    checked = []
    check_review(review)
    for name, value, sizes in zip(("retrieved_sample", "unretrieved_sample"), (retrieved, unretrieved), review.sizes,
                                  strict=True):
        is_list = isinstance(value, tuple | list | np.ndarray) and getattr(value, "ndim", True)
        values = list(value) if is_list else [value]
        if len(values) != len(sizes):
            raise InputError(f"`{name}` needs one number for each of {len(sizes)} strata; found {len(values)}")
        counts = tuple(check_count(name, n, 0) for n in values)
        for n, size in zip(counts, sizes, strict=True):
            if n > size:
                fail(name, f"must be at most the segment, {size} documents", n)
        checked.append(counts)
    return checked[0], checked[1]


def width_of(review: AssumedReview, samples: Samples, kind: IntervalKind) -> float:
    """Expected over the cases of the assumptions."""
    nodes = 20 if len(review.cases) == 1 else 10
    return math.fsum(case.weight * _width(case, samples, kind, nodes) for case in review.cases)


def _width(case: Case, samples: Samples, kind: IntervalKind, nodes: int) -> float:
    weights, (low, high) = outcomes_of(case, samples, kind, nodes)
    if kind.side == "lower":
        return float(weights @ (case.recall - low))
    return float(weights @ (high - (case.recall if kind.side == "upper" else low)))


def outcomes_of(case: Case, samples: Samples, kind: IntervalKind,
                nodes: int = 20) -> tuple[np.ndarray, tuple[Any, Any]]:
    """Weights of what may be found, and the interval's ends there."""
    strata = [*case.retrieved, *case.unretrieved]
    taken = [*samples[0], *samples[1]]
    laws = [likely_counts(*known, float(n), RARE) for known, n in zip(strata, taken, strict=True)]
    if len(strata) == 2:
        (counts1, chances1), (counts0, chances0) = (thinned(*law, nodes) for law in laws)
        found = np.array([axis.ravel() for axis in np.meshgrid(counts1, counts0, indexing="ij")])
        sizes, sampled = (strata[0].size, strata[1].size), (float(taken[0]), float(taken[1]))
        return np.outer(chances1, chances0).ravel(), Outcomes(sizes, sampled, kind.method).ends(
            found, kind.confidence_level, kind.side)
    assessed = [Stratum(np.full(JOINT_OUTCOMES, known.size), np.full(JOINT_OUTCOMES, float(n)), r)
                for known, n, r in zip(strata, taken, _spread(laws), strict=True)]
    n_retrieved = len(case.retrieved)
    return (np.full(JOINT_OUTCOMES, 1 / JOINT_OUTCOMES),
            _strata_ends([assessed[:n_retrieved], assessed[n_retrieved:]], kind))


def _spread(laws: list[tuple[np.ndarray, np.ndarray]]) -> list[np.ndarray]:
    """Counts of all strata at points of a Sobol sequence, the same for every design."""
    from scipy.stats import qmc

    points = qmc.Sobol(len(laws), rng=np.random.default_rng(0)).random(JOINT_OUTCOMES)
    return [counts[np.minimum(np.searchsorted(np.cumsum(chances), points[:, i]), len(counts) - 1)]
            for i, (counts, chances) in enumerate(laws)]


def _strata_ends(segments: list[list[Stratum]], kind: IntervalKind) -> tuple[Any, Any]:
    one, other = segments
    if kind.method not in PRIOR_OF:
        interval = recall_interval(one, other, confidence_level=kind.confidence_level, method=kind.method,
                                   side=kind.side)
        return interval.low, interval.high
    alpha = tail_probability(kind.confidence_level, kind.side)
    ends = np.empty((2, JOINT_OUTCOMES))
    for i in range(JOINT_OUTCOMES):
        first, second = ([Stratum(*(float(field[i]) for field in stratum)) for stratum in segment]
                         for segment in segments)
        pair = YieldPair(first, second, PRIOR_OF[kind.method])
        ends[:, i] = pair.rough_recall(alpha), pair.rough_recall(1 - alpha)
    return finished(ends[0], ends[1], one, other, kind.method, kind.side)


def allocate_for(review: AssumedReview, sample: int, width: Callable[[Samples], float],
                 exchange: bool = True) -> Allocation:
    """The samples that make a function of them least; `exchange` moves between pairs of strata."""
    known: dict[Samples, float] = {}

    def at(samples: Samples) -> float:
        if samples not in known:
            known[samples] = width(samples)
        return known[samples]

    start, sizes = neyman(review, sample), [sum(segment) for segment in review.sizes]
    least, most = max(len(review.sizes[0]), sample - sizes[1]), min(sizes[0], sample - len(review.sizes[1]))
    first = _search(lambda n: at(_split(review, sample, n)), least, most, sum(start[0]))
    samples = min((start, _split(review, sample, first)), key=at)
    if exchange and len(samples[0]) + len(samples[1]) > 2:
        samples = _exchange(review, samples, at)
    return Allocation(plain(samples[0]), plain(samples[1]), at(samples), (plain(start[0]), plain(start[1])), at(start))


def plain(sample: tuple[int, ...]) -> Any:
    """A number for one stratum."""
    return sample[0] if len(sample) == 1 else sample


def _search(width: Callable[[int], float], least: int, most: int, start: int) -> int:
    """Where a function of a whole number is least: from a start on by doubled odds, then by golden sections."""
    def moved(n: int, factor: float) -> int:
        """With so many times the odds of falling above least; by one at least."""
        odds = factor * (n - least + 1) / (most - n + 1)
        to = round((least - 1 + odds * (most + 1)) / (1 + odds))
        return min(most, max(least, max(n + 1, to) if factor > 1 else min(n - 1, to)))

    start = min(most, max(least, start))
    tried = {n: width(n) for n in {moved(start, 0.5), start, moved(start, 2)}}
    for factor in (2.0, 0.5):
        end = max if factor > 1 else min
        while (n := end(tried)) == min(tried, key=tried.__getitem__) and n not in (least, most):
            tried[moved(n, factor)] = width(moved(n, factor))
    for _ in range(20):
        order = sorted(tried)
        i = order.index(min(order, key=tried.__getitem__))
        n, left, right = order[i], order[max(0, i - 1)], order[min(len(order) - 1, i + 1)]
        if max(right - n, n - left) <= max(1, 0.02 * min(n - least + 1, most - n + 1)):
            break
        n += round(0.382 * (right - n)) or 1 if right - n >= n - left else -(round(0.382 * (n - left)) or 1)
        if n in tried:
            break
        tried[n] = width(n)
    return min(tried, key=tried.__getitem__)


def neyman(review: AssumedReview, sample: int) -> Samples:
    """The samples that the variance of the normal approximation asks for."""
    taken = _shares(_deviations(review, 0) + _deviations(review, 1), [*review.sizes[0], *review.sizes[1]], sample)
    n = len(review.sizes[0])
    return tuple(taken[:n]), tuple(taken[n:])


def _split(review: AssumedReview, sample: int, first: int) -> Samples:
    """Neyman's allocation within the segments, with so many documents from the retrieved one."""
    return (tuple(_shares(_deviations(review, 0), list(review.sizes[0]), first)),
            tuple(_shares(_deviations(review, 1), list(review.sizes[1]), sample - first)))


def _deviations(review: AssumedReview, part: int) -> list[float]:
    return [_deviation(review, part, i) for i in range(len(review.sizes[part]))]


def _deviation(review: AssumedReview, part: int, i: int) -> float:
    """What a stratum's sample contributes to the standard deviation of recall: N sqrt(p (1 - p)) |dRec/dR|."""
    def of(case: Case) -> float:
        segments = (case.retrieved, case.unretrieved)
        found, missed = (sum(s.relevant for s in segment) for segment in segments)
        stratum: Known = segments[part][i]
        p = (stratum.relevant + 0.5) / (stratum.size + 1)
        slope = (missed if part == 0 else found) + 0.5
        return stratum.size * math.sqrt(p * (1 - p)) * slope / (found + missed) ** 2

    return math.fsum(case.weight * of(case) for case in review.cases)


def _shares(weights: list[float], sizes: list[int], sample: int) -> list[int]:
    """Whole numbers in proportion to the weights, each between 1 and its size, in all `sample`."""
    taken = [1.0] * len(weights)
    free = set(range(len(weights)))
    while free:  # those that would be too small or too large are set to their limits
        room = sample - sum(taken[i] for i in range(len(weights)) if i not in free)
        total = sum(weights[i] for i in free)
        asked = {i: room * weights[i] / total for i in free}
        out = {i for i in free if not 1 <= asked[i] <= sizes[i]}
        over = sum(max(0.0, asked[i] - sizes[i]) for i in out)
        under = sum(max(0.0, 1 - asked[i]) for i in out)
        out = {i for i in out if (asked[i] > sizes[i]) == (over >= under)}
        for i in out or free:
            taken[i] = min(float(sizes[i]), max(1.0, asked[i]))
        free = free - out if out else set()
    whole = [math.floor(n) for n in taken]
    for i in sorted(range(len(whole)), key=lambda i: whole[i] - taken[i])[:sample - sum(whole)]:
        whole[i] += 1
    return whole


def _exchange(review: AssumedReview, samples: Samples, width: Callable[[Samples], float]) -> Samples:
    """Moves a quarter of a stratum's sample to another one while that narrows the interval."""
    n, sizes = len(samples[0]), [*review.sizes[0], *review.sizes[1]]
    improved = True
    while improved:
        improved = False
        for giver in range(len(sizes)):
            for taker in range(len(sizes)):
                moved = [*samples[0], *samples[1]]
                amount = min(round(moved[giver] / 4), sizes[taker] - moved[taker], moved[giver] - 1)
                if giver == taker or amount < 1:
                    continue
                moved[giver] -= amount
                moved[taker] += amount
                other = (tuple(moved[:n]), tuple(moved[n:]))
                if width(other) < 0.999 * width(samples):
                    samples, improved = other, True
    return samples
