"""Coverage and expected width: every sample of a review, the intervals by enumeration or
formulas."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import mpmath
import numpy as np

import irbounds as irb
from exactness.measure import RELATIVE, Family, Row
from tests.reference import coverage as slow
from tests.reference import sample_intervals as formulas
from tests.reference import samples

# `coverage`'s docstring: of its ends; what it leaves out is less probable
COVERAGE = 1e-7
WIDTH, THINNED = 1e-6, 1e-3  # the docstring's: all counts summed up; 20 of them with weights
Segment = tuple[int, int, int]  # size, relevant, sampled
Interval = Callable[[Segment, Segment], tuple[Any, Any]]


def random_review(rng: np.random.Generator, most: int) -> list[Segment]:
    """Both segments of a review, neither assessed whole."""
    review = []
    for _ in range(2):
        size = int(rng.integers(6, most))
        review.append((size, int(rng.integers(1, size + 1)), int(rng.integers(2, size))))
    return review


def scenario(review: list[Segment]) -> irb.planning.Scenario:
    """That has this review only."""
    (size1, relevant1, sampled1), (size0, relevant0, sampled0) = review
    relevant = relevant1 + relevant0
    return irb.planning.Scenario(
        "fixed",
        population=size1 + size0,
        prevalence=relevant / (size1 + size0),
        recall=relevant1 / relevant,
        precision=relevant1 / size1,
        retrieved_sample=sampled1,
        unretrieved_sample=sampled0,
    )


@cache
def half(retrieved: Segment, unretrieved: Segment) -> tuple[Fraction, Fraction]:
    """Ends by enumeration of all yields; segments as (size, sampled, relevant)."""
    if retrieved[2] == unretrieved[2] == 0:
        return Fraction(0), Fraction(1)
    law = samples.law(
        samples.recall, *(samples.yield_pmf(*segment) for segment in (retrieved, unretrieved))
    )
    return (
        samples.quantile(law, Fraction(1, 40)) if retrieved[2] else Fraction(0),
        samples.quantile(law, Fraction(39, 40)) if unretrieved[2] else Fraction(1),
    )


def normal(more: int) -> Interval:
    """Ends by the normal approximation."""

    def interval(retrieved: Segment, unretrieved: Segment) -> tuple[float, float]:
        if retrieved[2] == unretrieved[2] == 0:
            return 0.0, 1.0
        segments = [retrieved], [unretrieved]
        with mpmath.workdps(20):
            return with_room(
                formulas.reported(formulas.normal_recall(*segments, more), *segments, more=more)
            )

    return interval


def koopman(retrieved: Segment, unretrieved: Segment) -> tuple[float, float]:
    """Ends by bisection."""
    if retrieved[2] == unretrieved[2] == 0:
        return 0.0, 1.0
    with mpmath.workdps(20):
        return with_room(formulas.koopman_recall(retrieved, unretrieved))


def with_room(ends: tuple[Any, Any]) -> tuple[float, float]:
    """For the rounding of an end that is recall itself."""
    return float(ends[0]) - 1e-12, float(ends[1]) + 1e-12


METHODS: dict[str, Interval] = {
    "betabinom-half": half,
    "normal-mle": normal(0),
    "normal-laplace": normal(1),
    "normal-agresti-coull": normal(2),
    "koopman": koopman,
}


def coverages(n: int) -> Iterator[Row]:
    """How often recall is inside, how wide intervals are, how often they lie on either side."""
    for method, interval in METHODS.items():
        rng = np.random.default_rng(1)
        against = (
            "enumeration of samples and yields"
            if method == "betabinom-half"
            else "enumeration of samples"
        )
        row = Row(f"coverage(exact=True), {method}", f"{against}, fractions", COVERAGE)
        for _ in range(n):
            review = random_review(rng, 22)
            report = irb.coverage(
                scenario(review), method, realisations=1, exact=True, progress=False, workers=1
            )
            found = (report.coverage, report.width, report.gap_below, report.gap_above)
            row.add(
                [float(column[0, 0]) for column in found], list(slow.coverage(*review, interval))
            )
        yield row


def widths(n: int) -> Iterator[Row]:
    """Expected widths of assumed reviews, where all counts are taken."""
    rng = np.random.default_rng(2)
    few = Row(
        "expected_width, samples of up to 19", "enumeration of samples and yields, fractions", WIDTH
    )
    for _ in range(n):
        recall, precision = rng.uniform([0.4, 0.3], [0.9, 0.7]).tolist()
        review = irb.AssumedReview(60, 25, recall=recall, precision=precision)
        segments = assumed(review, int(rng.integers(3, 12)), int(rng.integers(4, 20)))
        few.add(
            irb.planning.expected_width(review, segments[0][2], segments[1][2]),
            slow.coverage(*segments, half)[1],
        )
    yield few


def thinned_widths(n: int) -> Iterator[Row]:
    """Where some counts stand for the others."""
    rng = np.random.default_rng(3)
    many = Row(
        "expected_width, samples of hundreds",
        "enumeration of samples, fractions",
        THINNED,
        RELATIVE,
    )
    for i in range(n):
        method = ("normal-laplace", "normal-mle")[i % 2]
        recall, precision = rng.uniform([0.5, 0.3], [0.8, 0.6]).tolist()
        review = irb.AssumedReview(3000, 400, recall=recall, precision=precision)
        segments = assumed(review, 60, 150)
        many.add(
            irb.planning.expected_width(review, 60, 150, method=method),
            slow.coverage(*segments, METHODS[method])[1],
        )
    yield many


def assumed(review: irb.AssumedReview, *sampled: int) -> list[Segment]:
    """The review as the twin takes it."""
    case = review.cases[0]
    return [
        (int(known.size), int(known.relevant), n)
        for known, n in zip((*case.retrieved, *case.unretrieved), sampled, strict=True)
    ]


FAMILIES = [
    Family(coverages, 12, 1, "coverage CoverageReport"),
    Family(widths, 12, 1, "expected_width"),
    Family(thinned_widths, 4, 0, ""),
]
