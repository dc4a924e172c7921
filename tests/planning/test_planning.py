"""Sampling design: against enumeration, against the coverage laboratory, and what cannot be
planned.
"""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

import irbounds as irb
from irbounds.chance.sampling_chances import likely_counts, nodes_of
from irbounds.planning import Scenario, allocate, expected_width, least_sample
from irbounds.planning.design.designs import Designs
from irbounds.planning.design.expected_width import check_samples
from irbounds.planning.design.outcomes import IntervalKind
from tests.reference import coverage as reference

REVIEW = irb.AssumedReview(5_000_000, 500_000, recall=0.5, precision=0.5)


def scenario_of(review, samples):
    """The one review that a plan assumes, sampled as planned."""
    (first,), (second,) = review.sizes
    case = review.cases[0]
    found, missed = case.retrieved[0].relevant, case.unretrieved[0].relevant
    return Scenario(
        "planned",
        population=first + second,
        prevalence=(found + missed) / (first + second),
        recall=found / (found + missed),
        precision=found / first,
        retrieved_sample=samples[0],
        unretrieved_sample=samples[1],
    )


@pytest.mark.parametrize(
    ("size", "relevant", "sampled"),
    [
        (50, 20, 10),
        (4_500_000, 90_000, 4000),
        (10**9, 5, 1000),
        (30, 0, 7),
        (30, 30, 7),
        (20, 8, 20),
        (1, 1, 1),
    ],
)
def test_likely_counts_are_hypergeometric(size, relevant, sampled):
    counts, chances = likely_counts(size, relevant, sampled)
    assert chances.sum() == pytest.approx(1)
    assert chances == pytest.approx(stats.hypergeom(size, relevant, sampled).pmf(counts), rel=1e-6)
    assert stats.hypergeom(size, relevant, sampled).cdf(
        [counts[0] - 1, counts[-1]]
    ) == pytest.approx([0, 1], abs=1e-9)


def test_few_counts_integrate_smooth_functions():
    counts, chances = likely_counts(4_500_000, 90_000, 4000)
    places, weights = nodes_of(counts, chances, 4000, 16)
    nodes = counts[places]
    assert len(nodes) <= 18
    assert weights.sum() == pytest.approx(1)
    for power in (1, 2, 3):
        assert weights @ nodes**power == pytest.approx(chances @ counts**power, rel=1e-9)
    assert weights @ (1 / np.sqrt(nodes + 1)) == pytest.approx(
        chances @ (1 / np.sqrt(counts + 1)), rel=1e-5
    )


@pytest.mark.parametrize("method", ["betabinom-half", "normal-laplace", "guaranteed"])
@pytest.mark.parametrize("side", ["two-sided", "lower", "upper"])
def test_expected_width_by_enumeration(method, side):
    review = irb.AssumedReview(60, 25, recall=0.75, precision=0.6)
    case = review.cases[0]
    (found,), (missed,) = case.retrieved, case.unretrieved
    width = 0.0
    for r1, p1 in reference.hypergeometric(25, int(found.relevant), 9).items():
        for r0, p0 in reference.hypergeometric(35, int(missed.relevant), 11).items():
            interval = irb.recall_interval((25, 9, r1), (35, 11, r0), method=method, side=side)
            ends = {
                "two-sided": interval.high - interval.low,
                "lower": case.recall - interval.low,
                "upper": interval.high - case.recall,
            }
            width += float(p1 * p0) * ends[side]
    assert expected_width(review, 9, 11, method=method, side=side) == pytest.approx(width, abs=1e-6)


@pytest.mark.nightly
@pytest.mark.long
@pytest.mark.parametrize(
    ("review", "samples"),
    [
        (REVIEW, (1000, 4000)),
        (irb.AssumedReview(100_000, 2000, recall=0.9, precision=0.7), (150, 1500)),
        (irb.AssumedReview(3000, 400, recall=0.6, precision=0.4), (100, 300)),
    ],
)
def test_expected_width_is_the_width_that_the_laboratory_measures(review, samples):
    report = irb.coverage(
        scenario_of(review, samples), ["betabinom-half"], realisations=1, exact=True, progress=False
    )
    assert expected_width(review, *samples) == pytest.approx(report.width[0, 0], rel=2e-4)


@pytest.mark.nightly
@pytest.mark.long
def test_expected_width_over_ranges():
    review = irb.AssumedReview(20_000, 2000, recall=(0.6, 0.9), precision=0.5)
    recalls = np.linspace(0.6, 0.9, 61)
    widths = [
        expected_width(irb.AssumedReview(20_000, 2000, recall=r, precision=0.5), 100, 500)
        for r in recalls
    ]
    assert expected_width(review, 100, 500) == pytest.approx(
        np.trapezoid(widths, recalls) / 0.3, rel=2e-3
    )


def test_expected_width_over_strata():
    """Two strata of one prevalence are sampled as one in proportion."""
    one = irb.AssumedReview.from_strata((10_000, 0.5), (90_000, 0.02))
    two = irb.AssumedReview.from_strata(
        [(6000, 0.5), (4000, 0.5)], [(45_000, 0.02), (45_000, 0.02)]
    )
    assert expected_width(two, (120, 80), (500, 500)) == pytest.approx(
        expected_width(one, 200, 1000), rel=0.05
    )


def test_all_assessed_has_no_width():
    review = irb.AssumedReview(60, 25, recall=0.75, precision=0.6)
    assert expected_width(review, 25, 35) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(
    ("recall", "precision", "sample"), [(0.75, 0.6, 20), (0.5, 0.3, 30), (0.9, 0.8, 12)]
)
def test_allocation_is_the_best_of_all(recall, precision, sample):
    review = irb.AssumedReview(200, 60, recall=recall, precision=precision)
    widths = {n: expected_width(review, n, sample - n) for n in range(1, sample)}
    plan = allocate(review, sample)
    assert plan.retrieved_sample + plan.unretrieved_sample == sample
    assert plan.expected_width == pytest.approx(widths[plan.retrieved_sample])
    assert plan.expected_width <= min(widths.values()) * 1.003
    assert plan.neyman_width >= plan.expected_width


@pytest.mark.long
def test_lesson_of_figure_14():
    """High recall and low precision want most assessments among the unretrieved; a fifth is near
    the best elsewhere."""
    high = irb.AssumedReview(5_000_000, 500_000, recall=0.9, precision=0.1)
    plan = allocate(high, 5000)
    assert plan.share_retrieved < 0.2
    assert expected_width(high, 4000, 1000) > 1.5 * plan.expected_width
    low = irb.AssumedReview(5_000_000, 500_000, recall=0.25, precision=0.9)
    assert expected_width(low, 2500, 2500) < 1.3 * allocate(low, 5000).expected_width
    for review in (high, low, REVIEW):
        assert expected_width(review, 1000, 4000) < 1.1 * allocate(review, 5000).expected_width


def test_allocation_over_strata():
    review = irb.AssumedReview.from_strata(
        [(10_000, 0.5), (5000, 0.1)], [(20_000, 0.05), (70_000, 0.002)]
    )
    plan = allocate(review, 600, method="normal-laplace")
    assert sum(plan.retrieved_sample) + sum(plan.unretrieved_sample) == 600
    assert plan.expected_width <= plan.neyman_width
    even = expected_width(review, (150, 150), (150, 150), method="normal-laplace")
    assert plan.expected_width < even


def test_allocation_within_small_segments():
    review = irb.AssumedReview.from_strata([(3, 0.7), (5000, 0.4)], [(2, 0.5), (90_000, 0.001)])
    for sample in (4, 5, 50, 95_000):
        plan = allocate(review, sample, method="normal-laplace")
        taken = [*plan.retrieved_sample, *plan.unretrieved_sample]
        assert sum(taken) == sample
        assert all(
            1 <= n <= size for n, size in zip(taken, itertools.chain(*review.sizes), strict=True)
        )


@pytest.mark.long
def test_sample_size_for_a_width():
    review = irb.AssumedReview(50_000, 5000, recall=0.8, precision=0.5)
    found = irb.sample_size(review, width=0.2)
    assert found.reached
    assert found.sample == found.retrieved_sample + found.unretrieved_sample
    assert found.value <= 0.2
    assert allocate(review, round(found.sample * 0.97)).expected_width > 0.2
    samples = (found.retrieved_sample, found.unretrieved_sample)
    report = irb.coverage(
        scenario_of(review, samples), "betabinom-half", realisations=1, exact=True, progress=False
    )
    assert report.width[0, 0] == pytest.approx(found.value, rel=1e-3)
    assert report.coverage[0, 0] == pytest.approx(0.95, abs=0.02)


@pytest.mark.long
@pytest.mark.parametrize(
    ("target", "probability", "side"), [(0.75, 0.8, None), (0.7, 0.9, "two-sided")]
)
def test_sample_size_for_a_lower_bound_by_simulation(target, probability, side):
    review = irb.AssumedReview(20_000, 2000, recall=0.85, precision=0.6)
    found = irb.sample_size(review, target=target, probability=probability, side=side)
    assert found.reached
    assert found.value >= probability
    assert found.method == ("guaranteed" if side is None else "betabinom-half")
    rng = np.random.default_rng(1)
    draws = [
        rng.hypergeometric(int(known.relevant), int(known.size - known.relevant), n, 2000)
        for known, n in zip(
            (*review.cases[0].retrieved, *review.cases[0].unretrieved),
            (found.retrieved_sample, found.unretrieved_sample),
            strict=True,
        )
    ]
    distinct, counts = np.unique(np.array(draws), axis=1, return_counts=True)
    low = irb.recall_interval(
        (2000, found.retrieved_sample, distinct[0]),
        (18_000, found.unretrieved_sample, distinct[1]),
        side=side or "lower",
        method=found.method,
    ).low
    share = counts @ (low >= target) / 2000
    assert share == pytest.approx(
        found.value, abs=4 * math.sqrt(found.value * (1 - found.value) / 2000)
    )


def test_probability_of_a_bound_by_enumeration():
    review = irb.AssumedReview(60, 25, recall=0.75, precision=0.6)
    case = review.cases[0]
    segments = [
        (int(known.size), int(known.relevant), n)
        for known, n in zip((*case.retrieved, *case.unretrieved), (15, 20), strict=True)
    ]
    for target in (0.3, 0.45, 0.5, 0.6, 0.9):
        expected = reference.lower_bound_reaches(
            target,
            *segments,
            lambda one, other: (
                irb.recall_interval(one, other, side="lower", method="betabinom-half").low + 1e-9,
                1,
            ),
        )
        found = Designs(review, IntervalKind(side="lower")).chance(((15,), (20,)), target)
        assert found == pytest.approx(float(expected), abs=1e-5)


@pytest.mark.long
def test_goals_that_no_sample_reaches():
    review = irb.AssumedReview(20_000, 2000, recall=0.7, precision=0.6)
    found = irb.sample_size(review, target=0.75)
    assert not found.reached
    assert found.sample == 20_000
    assert 0.7 <= found.shown <= review.recall  # all documents: its recall, at most
    assert "not reached" in repr(found)
    few = irb.sample_size(review, width=0.05, at_most=300)
    assert (few.reached, few.sample) == (False, 300)
    # each searches the division of 300 documents on its own
    assert few.value == pytest.approx(allocate(review, 300).expected_width, rel=2e-4)
    some = irb.sample_size(review, target=0.65, at_most=300)
    assert not some.reached
    assert 0.4 < some.shown < 0.65
    all_of_it = irb.sample_size(
        irb.AssumedReview(100, 20, recall=0.8, precision=0.8), target=0.8, probability=0.9
    )
    assert all_of_it.reached


@pytest.mark.parametrize("target", [0.5, 0.75, 0.9])
def test_least_sample_by_trying_all(target):
    def best(n):
        return max(
            irb.recall_interval((40, n1, n1), (160, n - n1, 0), side="lower").low
            for n1 in range(max(1, n - 160), min(40, n - 1) + 1)
        )

    found = least_sample(200, 40, target)
    assert best(found) >= target
    assert best(found - 1) < target


def test_samples_are_checked_by_stratum():
    review = irb.AssumedReview.from_strata([(10, 0.5), (5, 0.1)], (20, 0.05))
    assert check_samples(review, [3, 2], 4) == ((3, 2), (4,))
    with pytest.raises(ValueError, match="at most the segment, 5 documents"):
        check_samples(review, [3, 6], 4)


STRATA = ((8, 6), [(9, 2), (12, 1)])  # size and relevant documents


def expected_exactly(samples, width):
    """The mean of a function of the interval over all outcomes of samples from these strata."""
    known = [STRATA[0], *STRATA[1]]
    laws = [
        stats.hypergeom(size, relevant, n).pmf(np.arange(n + 1))
        for (size, relevant), n in zip(known, samples, strict=True)
    ]
    mean = 0.0
    for found in itertools.product(*(range(n + 1) for n in samples)):
        chance = math.prod(law[x] for law, x in zip(laws, found, strict=True))
        if chance > 0:
            strata = [(size, n, x) for (size, _), n, x in zip(known, samples, found, strict=True)]
            interval = irb.recall_interval(strata[0], strata[1:], method="anytime")
            mean += chance * width(interval)
    return mean


@pytest.mark.nightly
@pytest.mark.long
@pytest.mark.parametrize("samples", [(4, 4, 5), (6, 3, 8)])
def test_expected_width_of_strata_at_any_time(samples):
    """Against the sum over all outcomes. Steps of such small reviews make 2 % of it."""
    review = irb.AssumedReview.from_strata(
        *[(size, relevant / size) for size, relevant in STRATA[:1]],
        [(size, relevant / size) for size, relevant in STRATA[1]],
    )
    exact = expected_exactly(samples, lambda interval: interval.high - interval.low)
    planned = expected_width(review, samples[0], samples[1:], method="anytime")
    assert planned == pytest.approx(exact, rel=0.02)


@pytest.mark.long
@pytest.mark.nightly  # a minute
def test_sample_sizes_of_strata_at_any_time():
    review = irb.AssumedReview.from_strata((2000, 0.7), [(4000, 0.02), (9000, 0.001)])
    found = irb.sample_size(review, width=0.25, method="anytime")
    assert found.reached
    assert found.value == pytest.approx(0.25, rel=0.02)
    samples = found.retrieved_sample, found.unretrieved_sample
    again = expected_width(review, *samples, method="anytime")
    assert again == found.value
    fewer = tuple(round(0.8 * n) for n in samples[1])
    assert expected_width(review, samples[0], fewer, method="anytime") > found.value
    usual = irb.sample_size(review, width=0.25)
    assert usual.sample < found.sample
