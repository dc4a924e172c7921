"""Neyman's allocation (1934) by the normal approximation's variance."""

from __future__ import annotations

import math
from collections.abc import Iterable

from irbounds.planning.assumptions.review import AssumedReview, Case, Known

Samples = tuple[tuple[int, ...], tuple[int, ...]]


def slope(case: Case, part: int) -> float:
    """Derivative of recall by the relevant documents of a segment."""
    found, missed = (
        sum(s.relevant for s in segment) for segment in (case.retrieved, case.unretrieved)
    )
    # d R1/(R1 + R0) is R0/(R1 + R0)² by R1, and R1/(R1 + R0)² by R0. The half document keeps a
    # segment from having no weight at all.
    return ((missed if part == 0 else found) + 0.5) / (found + missed) ** 2


def neyman(review: AssumedReview, sample: int) -> Samples:
    """Return the samples that minimise the variance of the normal approximation."""
    taken = shares_of(_deviations(review), [*review.sizes[0], *review.sizes[1]], sample)
    n = len(review.sizes[0])
    return tuple(taken[:n]), tuple(taken[n:])


def _deviations(review: AssumedReview) -> list[float]:
    """Contribution of each stratum's sample to the standard deviation of recall: N sqrt(p (1 - p))
    |dRec/dR|."""

    def of(case: Case, part: int, i: int) -> float:
        stratum: Known = (case.retrieved, case.unretrieved)[part][i]
        # Half a document more of either kind: a stratum that is all relevant, or not at all, would
        # have no deviation and no sample.
        p = (stratum.relevant + 0.5) / (stratum.size + 1)
        return stratum.size * math.sqrt(p * (1 - p)) * slope(case, part)

    places: Iterable[tuple[int, int]] = (
        (part, i) for part in (0, 1) for i in range(len(review.sizes[part]))
    )
    return [
        math.fsum(case.weight * of(case, part, i) for case in review.cases) for part, i in places
    ]


def shares_of(weights: list[float], sizes: list[int], sample: int) -> list[int]:
    """Whole numbers in proportion to the weights, each between 1 and its size, in all `sample`."""
    taken = [1.0] * len(weights)
    free = set(range(len(weights)))
    while free:  # those that would be too small or too large are set to their limits
        left = sample - sum(taken[i] for i in range(len(weights)) if i not in free)
        total = sum(weights[i] for i in free)
        asked = {i: left * weights[i] / total for i in free}
        out = {i for i in free if not 1 <= asked[i] <= sizes[i]}
        over = sum(max(0.0, asked[i] - sizes[i]) for i in out)
        under = sum(max(0.0, 1 - asked[i]) for i in out)
        # Only those on the side that is off by more: setting them moves what the others ask for.
        out = {i for i in out if (asked[i] > sizes[i]) == (over >= under)}
        for i in out or free:
            taken[i] = min(float(sizes[i]), max(1.0, asked[i]))
        free = free - out if out else set()
    # The largest remainders are rounded up, so that the sum is the sample.
    whole = [math.floor(n) for n in taken]
    for i in sorted(range(len(whole)), key=lambda i: whole[i] - taken[i])[: sample - sum(whole)]:
        whole[i] += 1
    return whole
