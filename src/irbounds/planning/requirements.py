"""How many documents to assess (Webber 2013, section 4.3)."""
from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from irbounds.foundation.arguments import check_number
from irbounds.foundation.errors import InputError, check_count
from irbounds.planning.assumptions import AssumedReview, Case, check_review
from irbounds.planning.chances import likely_counts
from irbounds.planning.design import (
    RARE,
    Allocation,
    IntervalKind,
    Samples,
    allocate_for,
    neyman,
    outcomes_of,
    plain,
    width_of,
)
from irbounds.samples.outcomes import Outcomes

FINE = 0.002  # the least sample is found to this part of it
COMPLETE = 1e-12


@dataclass(frozen=True)
class SampleSize:
    """How many documents to assess for a goal, and where.

    Attributes
    ----------
    reached : bool
        Whether any sample reaches the goal; if not, these are the largest ones.
    sample : int
        Documents to assess in all.
    retrieved_sample, unretrieved_sample : int, or tuple of int over strata
    goal : {"width", "lower bound"}
    target : float
        The width, or the recall to be shown.
    value : float
        The expected width there, or the probability that the lower bound reaches the target.
    probability : float or None
        The probability asked for.
    shown : float or None
        Where a target is not reached: the recall that the samples show with that probability.
    least_sample : int or None
        For a lower bound: how many documents would do if all turned out as well as it can; None where no number does.
    """

    reached: bool
    sample: int
    retrieved_sample: Any
    unretrieved_sample: Any
    goal: str
    target: float
    value: float
    probability: float | None = None
    shown: float | None = None
    least_sample: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """All fields by name."""
        return dict(vars(self))

    def __repr__(self) -> str:
        what = (f"expected width {self.value:.4g}" if self.goal == "width" else
                f"recall {self.target:g} shown with probability {self.value:.4g}")
        answer = "" if self.reached else "not reached: "
        if self.shown is not None:
            what += f", recall {self.shown:.4f} with probability {self.probability:g}"
        return (f"SampleSize({answer}{self.sample} documents, {self.retrieved_sample} retrieved and "
                f"{self.unretrieved_sample} unretrieved: {what})")


def sample_size(review: AssumedReview, *, width: float | None = None, target: float | None = None,
                probability: float = 0.8, at_most: int | None = None, method: str = "betabinom-half",
                confidence_level: float = 0.95, side: str | None = None) -> SampleSize:
    """The least sample for a narrow interval, or for a lower bound that is likely to reach a target.

    Parameters
    ----------
    review : AssumedReview
    width : float
        Expected width of the interval, above 0.
    target : float
        Recall that the lower end of the interval is to reach, instead of a width.
    probability : float
        How likely that should be.
    at_most : int, optional
        Documents that can be assessed at most; without it the whole collection.
    method, confidence_level : as in `recall_interval`
    side : {"two-sided", "lower", "upper"}, optional
        Of the interval; without it two-sided for a width, lower for a target.

    Returns
    -------
    SampleSize
        `reached` is False where no sample does it; then it is the largest one, and `shown` what that can show.

    Raises
    ------
    InputError
        For a target above 1, and the like.

    Notes
    -----
    Each size is tried with its best split between the segments; the answer is within 0.2 % (or one document) of the
    least size at which the goal is reached.  Probabilities of lower bounds rise with the sample in small saws.

    Examples
    --------
    >>> import irbounds as irb
    >>> review = irb.AssumedReview(1_000_000, 50_000, recall=0.85, precision=0.6)
    >>> irb.sample_size(review, target=0.75)
    SampleSize(2379 documents, 192 retrieved and 2187 unretrieved: recall 0.75 shown with probability 0.8001)
    """
    if (width is None) == (target is None):
        raise InputError("give one of `width` and `target`")
    chance = check_number("probability", probability, "must be between 0 and 1", lambda x: 0 < x < 1)
    largest = sum(map(sum, check_review(review).sizes))
    most = largest if at_most is None else min(largest, check_count("at_most", at_most, _n_strata(review)))
    if target is None:
        kind = IntervalKind(method, confidence_level, "two-sided" if side is None else side)
        limit = check_number("width", width, "must be above 0 and at most 1", lambda x: 0 < x <= 1)
        return _for_width(review, kind, limit, most)
    kind = IntervalKind(method, confidence_level, "lower" if side is None else side)
    return _for_target(review, kind, _check_target(target, kind), chance, most)


def least_sample(population: int, retrieved: int, target: float, *, method: str = "betabinom-half",
                 confidence_level: float = 0.95, side: str = "lower") -> int | None:
    """The fewest documents with which any outcome could show that recall reaches a target.

    The best outcome is that all sampled retrieved documents are relevant and none of the others: fewer documents than
    this can show nothing, whatever they are.

    Returns
    -------
    int or None
        None where not even the whole collection could, as for a target of 1 by methods that do not know its size.

    Examples
    --------
    >>> import irbounds as irb
    >>> irb.least_sample(100_000, 20_000, 0.75)
    30
    """
    kind = IntervalKind(method, confidence_level, side)
    goal = _check_target(target, kind)
    size = check_count("population", population, 2)
    first = check_count("retrieved", retrieved, 1)
    if first >= size:
        raise InputError(f"`retrieved` must be below the population, {size}; found {retrieved}")
    review = AssumedReview(size, first, recall=1, precision=1)

    def best_low(samples: Samples) -> float:
        (n1,), (n0,) = samples
        outcomes = Outcomes((first, size - first), (n1, n0), kind.method)
        low, _ = outcomes.ends([[n1], [0]], kind.confidence_level, kind.side)
        return float(low[0])

    def reached(n: int) -> bool:
        return -allocate_for(review, n, lambda samples: -best_low(samples)).expected_width >= goal - COMPLETE

    return _first(reached, 2, size)


def _check_target(target: Any, kind: IntervalKind) -> float:
    """A recall that a lower end can reach."""
    if kind.side == "upper":
        raise InputError("an upper bound has no lower end to reach a target: `side` must be lower or two-sided")
    return check_number("target", target, "must be above 0 and at most 1", lambda x: 0 < x <= 1)


def probability_of_bound(review: AssumedReview, samples: Samples, kind: IntervalKind, target: float) -> float:
    """How likely the lower end of the interval reaches a target."""
    return math.fsum(case.weight * _probability(case, samples, kind, target) for case in review.cases)


def _probability(case: Case, samples: Samples, kind: IntervalKind, target: float) -> float:
    if len(case.retrieved) + len(case.unretrieved) > 2:
        weights, (low, _) = outcomes_of(case, samples, kind)
        return float(weights @ (low >= target - COMPLETE))
    (known1,), (known0,), (n1,), (n0,) = case.retrieved, case.unretrieved, *samples
    counts1, chances1 = likely_counts(*known1, float(n1), RARE)
    counts0, chances0 = likely_counts(*known0, float(n0), RARE)
    outcomes = Outcomes((known1.size, known0.size), (float(n1), float(n0)), kind.method)

    def reaches(places: np.ndarray) -> np.ndarray:
        """Whether counts1 with counts0 at these places do."""
        low, _ = outcomes.ends(np.array([counts1, counts0[places]]), kind.confidence_level, kind.side)
        return np.asarray(low >= target - 2e-7)

    # The lower end falls with every relevant document found among the unretrieved: for each r1 find the last r0.
    good, bad = np.full(len(counts1), -1), np.full(len(counts1), len(counts0))
    while (bad - good > 1).any():
        middle = (good + bad) // 2
        does = reaches(np.clip(middle, 0, len(counts0) - 1))
        far = bad - good > 1
        good, bad = np.where(far & does, middle, good), np.where(far & ~does, middle, bad)
    below = np.concatenate([[0.0], np.cumsum(chances0)])
    return float(chances1 @ below[good + 1])


def _n_strata(review: AssumedReview) -> int:
    return sum(map(len, review.sizes))


def _for_width(review: AssumedReview, kind: IntervalKind, limit: float, most: int) -> SampleSize:
    def split(n: int, exchange: bool = False) -> Allocation:
        return allocate_for(review, n, lambda samples: width_of(review, samples, kind), exchange)

    n = _least(lambda n: width_of(review, neyman(review, n), kind) <= limit,
               lambda n: split(n).expected_width <= limit, _n_strata(review), most)
    best = split(most if n is None else n, True)
    return SampleSize(n is not None, most if n is None else n, best.retrieved_sample, best.unretrieved_sample, "width",
                      limit, best.expected_width)


def _for_target(review: AssumedReview, kind: IntervalKind, goal: float, chance: float, most: int) -> SampleSize:
    lower = IntervalKind(kind.method, kind.confidence_level, "lower")

    def chance_of(samples: Samples, recall: float = goal) -> float:
        return probability_of_bound(review, samples, kind, recall)

    def split(n: int) -> Samples:
        """Neyman's, or the one whose bound is expected to be highest."""
        highest = allocate_for(review, n, lambda samples: width_of(review, samples, lower), False).samples
        return max(neyman(review, n), highest, key=chance_of)

    fewest = _n_strata(review)
    n = _least(lambda n: chance_of(neyman(review, n)) >= chance, lambda n: chance_of(split(n)) >= chance, fewest, most)
    best = split(most if n is None else n)
    shown = None if n is not None else _greatest(lambda recall: chance_of(best, recall) >= chance, goal)
    sizes = [sum(segment) for segment in review.sizes]
    least = least_sample(sum(sizes), sizes[0], goal, method=kind.method, confidence_level=kind.confidence_level,
                         side=kind.side) if fewest == 2 else None
    return SampleSize(n is not None, most if n is None else n, plain(best[0]), plain(best[1]), "lower bound", goal,
                      chance_of(best), chance, shown, least)


def _least(rough: Callable[[int], bool], reached: Callable[[int], bool], least: int, most: int) -> int | None:
    """The least whole number from which on a goal is reached, to a part FINE of it; None where none up to most does.

    What the rough test accepts the other one does too; it is quicker, and finds where to begin.
    """
    good = _first(rough, least, most)
    if good is None:
        if not reached(most):
            return None
        good = most
    step = 0.01
    while good > least:
        tried = max(least, min(good - 1, math.floor(good * (1 - step))))
        if not reached(tried):
            return _between(reached, tried, good)
        good, step = tried, 2 * step
    return good


def _first(reached: Callable[[int], bool], least: int, most: int) -> int | None:
    missed, step = least, least
    while not reached(step):
        if step == most:
            return None
        missed, step = step, min(most, max(16, 2 * step))
    return _between(reached, missed, step) if step > least else least


def _between(reached: Callable[[int], bool], missed: int, good: int) -> int:
    while good - missed > max(1, FINE * missed):
        middle = (missed + good) // 2
        missed, good = (missed, middle) if reached(middle) else (middle, good)
    return good


def _greatest(reached: Callable[[float], bool], above: float) -> float:
    """The greatest number below one that is too great, to four decimals."""
    low, high = 0.0, above
    while high - low > 1e-4:
        middle = (low + high) / 2
        low, high = (middle, high) if reached(middle) else (low, middle)
    return low
