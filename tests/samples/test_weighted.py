"""Recall from samples of unequal probabilities: the source's numbers, and coverage."""

import math
import tomllib
from pathlib import Path

import numpy as np
import pytest

import irbounds as irb
from tests.reference.gammas import shifted_exponential_ratio_below, shifted_ratio_below


def ends(interval):
    return interval.low, interval.high


def test_numbers_of_the_formula():
    wide = irb.samples.weighted_recall_interval([0.1] * 40, [0.05] * 3)
    assert ends(wide) == pytest.approx((0.67981509, 0.97117065), abs=5e-9)
    assert wide.estimate == 400 / 460
    lower = irb.samples.weighted_recall_interval([0.1] * 40, [0.05] * 3, side="lower")
    assert ends(lower) == pytest.approx((0.70857936, 1), abs=5e-9)
    large = irb.samples.weighted_recall_interval([0.05] * 350, [1 / 90] * 12)
    assert ends(large) == pytest.approx((0.78557146, 0.92681991), abs=5e-9)


def test_known_documents_stand_apart():
    """The general case, with a handful of known documents, is near to the closed ones."""
    plain = ends(irb.samples.weighted_recall_interval([0.1] * 40, [0.05] * 3))
    known = ends(irb.samples.weighted_recall_interval([0.1] * 40 + [1] * 5, [0.05] * 3))
    assert plain[0] < known[0] < plain[0] + 0.01
    census = irb.samples.weighted_recall_interval([1] * 45, [1] * 3, 1)
    assert ends(census) == (45 / 48, 45 / 48)
    read = irb.samples.weighted_recall_interval([1] * 45, [0.05] * 3, (1, 20))
    rng = np.random.default_rng(1)
    # 3 found with weights of 20: gamma variates of mean 60 and 80, by simulation
    drawn = [20 * rng.gamma(shape, size=400_000) for shape in (3, 4)]
    assert read.high == pytest.approx(45 / (45 + np.quantile(drawn[0], 0.025)), abs=3e-3)
    assert read.low == pytest.approx(45 / (45 + np.quantile(drawn[1], 0.975)), abs=3e-3)


def test_the_general_case_by_simulation():
    """Known documents beside sampled ones in both segments: quantiles of (5 + G)/(2 + H)."""
    interval = irb.samples.weighted_recall_interval([1] * 5 + [0.2] * 8, [1] * 2 + [0.1] * 4)
    rng = np.random.default_rng(2)
    size = 1_000_000
    low = (5 + 5 * rng.gamma(8, size=size)) / (2 + 10 * rng.gamma(5, size=size))
    high = (5 + 5 * rng.gamma(9, size=size)) / (2 + 10 * rng.gamma(4, size=size))
    odds = np.quantile(low, 0.025), np.quantile(high, 0.975)
    assert ends(interval) == pytest.approx([x / (1 + x) for x in odds], abs=2e-3)


def test_segments_without_relevant_documents():
    assert ends(irb.samples.weighted_recall_interval([], [], 20)) == (0, 1)
    assert math.isnan(irb.samples.weighted_recall_interval([], [], 20).estimate)
    none = irb.samples.weighted_recall_interval([0.1] * 5, [], 20)
    assert (none.estimate, none.high) == (1, 1)
    assert 0 < none.low < 0.5
    missed = irb.samples.weighted_recall_interval([], [0.1] * 5, 20)
    assert (missed.estimate, missed.low) == (0, 0)


def simulated(rng, relevant, chances, reviews=1500):
    """The share of reviews in which both kinds of intervals hold recall; the documents of each
    segment are two groups with their own chances, drawn one by one."""
    groups = [(k // 2, k - k // 2) for k in relevant]
    found = [
        [rng.binomial(n, p, reviews) for n, p in zip(group, chance, strict=True)]
        for group, chance in zip(groups, chances, strict=True)
    ]
    recall = relevant[0] / sum(relevant)
    largest = tuple(1 / min(chance) for chance in chances)
    holds, known = np.zeros(2), {}
    for counts in zip(*found[0], *found[1], strict=True):
        if counts not in known:
            lists = [
                [p for n, p in zip(counts[i : i + 2], chance, strict=True) for _ in range(n)]
                for i, chance in zip((0, 2), chances, strict=True)
            ]
            both = irb.samples.weighted_recall_interval(*lists, largest)
            low = irb.samples.weighted_recall_interval(*lists, largest, side="lower").low
            known[counts] = np.array([both.low <= recall <= both.high, low <= recall])
        holds += known[counts]
    return holds / reviews


@pytest.mark.long
@pytest.mark.parametrize(
    ("relevant", "chances"),
    [
        ((300, 80), ((0.1, 0.1), (0.05, 0.05))),  # small
        ((7000, 1100), ((0.05, 0.05), (0.011, 0.011))),  # large
        ((40, 30), ((0.1, 0.3), (0.02, 0.05))),  # few, unequal
        ((10, 8), ((0.1, 0.5), (0.025, 0.2))),  # very few, very unequal
    ],
    ids=["small", "large", "few", "very few"],
)
def test_coverage(seed, relevant, chances):
    """At least 0.95; another seed fails less than once in 10^5."""
    coverage = simulated(np.random.default_rng(seed), relevant, chances)
    assert (coverage > 0.95 - 4.3 * math.sqrt(0.95 * 0.05 / 1500)).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.1, 0], [0.1]), "`retrieved_probabilities` must be above 0 and at most 1; found 0"),
        (([1e-300], [0.1]), "`retrieved_probabilities` must be at least 1e-100; found 1e-300"),
        ((0.1, [0.1]), "`retrieved_probabilities` must be a list of numbers; found 0.1"),
        (([0.1], []), "`largest_weights` is needed where `unretrieved_probabilities` has none"),
        (([0.1], [0.1], 5), "`largest_weights` must be at least 10, a weight of `retrieved_"),
        (([0.1], [0.1], 0.5), "`largest_weights` must be one number or two, from 1 to 1e100"),
        (([0.1], [0.1], 1e300), "`largest_weights` must be one number or two, from 1 to 1e100"),
        (([0.1], [0.1], [20, 20, 20]), "`largest_weights` must be one number or two"),
    ],
)
def test_hostile_input_is_one_line(arguments, message):
    with pytest.raises(irb.InputError) as error:
        irb.samples.weighted_recall_interval(*arguments)
    assert str(error.value).startswith(message)


@pytest.mark.parametrize(
    "lists",
    [
        ([0.993, 0.277] + [1] * 56, [1.2e-4, 0.028, 0.48, 1.9e-4, 6.9e-4, 0.016, 0.81, 8e-4, 1, 1]),
        ([0.999, 0.9999, 0.257, 1, 1], [0.99, 5e-3, 0.9, 3e-4, 1e-4, 0.5]),
        ([1e-5, 0.3, 1], [0.5, 1e-5] + [1] * 40),
        ([0.2] * 30 + [1] * 3, [0.5] * 200 + [1] * 10),
    ],
)
def test_ends_beside_known_documents_are_quantiles(lists):
    interval = irb.samples.weighted_recall_interval(*lists)
    for end, p, raised in ((interval.low, 0.025, 1), (interval.high, 0.975, 0)):
        weights = [[1 / chance for chance in chances if chance < 1] for chances in lists]
        weights[raised].append(max(weights[raised]))
        means = [math.fsum(some) for some in weights]
        scales = [math.fsum(w * w for w in some) / math.fsum(some) for some in weights]
        shapes = [mean / scale for mean, scale in zip(means, scales, strict=True)]
        known = [chances.count(1) for chances in lists]
        reached = shifted_ratio_below(end / (1 - end), shapes, scales, known)
        assert reached == pytest.approx(p, abs=1e-9)


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95, 0.999999])
@pytest.mark.parametrize(
    ("chance", "found", "missed", "known"),
    [
        (0.05, 20_000, 5e-4, (1, 3)),  # a narrow variate: off by 1.5e-4 with fixed nodes
        (0.5, 8_000, 5e-4, (1000, 0)),
        (0.01, 200, 0.01, (1, 50)),
        (0.5, 40, 1e-3, (50, 1)),
        (1e-5, 2, 0.9, (60, 3)),
        (0.9, 1, 1e-9, (1, 1)),
        (0.5, 200_000, 0.5, (0, 1)),
    ],
)
def test_ends_beside_one_missed_document_have_a_closed_form(level, chance, found, missed, known):
    interval = irb.samples.weighted_recall_interval(
        [chance] * found + [1] * known[0], [missed] + [1] * known[1], confidence_level=level
    )
    # the greater end takes one more document of the retrieved segment
    odds = interval.high / (1 - interval.high)
    shares = [known[0] * chance, known[1] * missed]
    reached = shifted_exponential_ratio_below(odds * chance / missed, found + 1, shares)
    assert reached == pytest.approx((1 + level) / 2, abs=2e-11)
    if found < 30_000:
        twin = shifted_ratio_below(odds, [found + 1, 1.0], [1 / chance, 1 / missed], known)
        assert twin == pytest.approx(reached, abs=1e-11)


PAGE = Path(__file__).parents[2] / "benchmarks" / "results" / "coverage.toml"


@pytest.mark.skipif(not PAGE.is_file(), reason="needs the source tree")
def test_measured_coverage():
    """The four designs of the source, and hostile ones where the largest weight is told."""
    asked = tomllib.loads(PAGE.read_text("utf-8"))["clusters"]
    told, not_told = (
        asked[f"recall, unequal weights{more}"] for more in ("", ", largest weight not given")
    )
    assert [name.split()[1] for name in told] == ["4", "9"]
    assert min(numbers[0] for numbers in told.values()) >= 0.95
    assert [*not_told.values()] == [[0, 0, 0]]


def test_equal_weights_do_not_depend_on_their_order_or_container():
    lists = [0.1] * 40, [0.05] * 3
    assert ends(irb.samples.weighted_recall_interval(*lists)) == ends(
        irb.samples.weighted_recall_interval(*map(np.array, lists))
    )
    mixed = [0.1, 0.5, 1, 0.01]
    there = ends(irb.samples.weighted_recall_interval(mixed, lists[1]))
    assert there == pytest.approx(ends(irb.samples.weighted_recall_interval(mixed[::-1], lists[1])))


def test_one_weight_of_a_milliard():
    """One such document among those that were not retrieved is nearly all of them."""
    found = irb.samples.weighted_recall_interval([0.1] * 40, [0.05] * 3 + [1e-9])
    assert found.estimate == pytest.approx(400 / (460 + 1e9))
    assert 0 <= found.low < found.estimate < found.high <= 1
    exchanged = irb.samples.weighted_recall_interval([0.05] * 3 + [1e-9], [0.1] * 40)
    assert ends(exchanged) == pytest.approx((1 - found.high, 1 - found.low), abs=1e-9)
    # none was found, but one could have had that weight
    could = irb.samples.weighted_recall_interval([0.1] * 40, [0.05] * 3, (10, 1e9))
    assert could.low < 1e-6
    assert could.high == irb.samples.weighted_recall_interval([0.1] * 40, [0.05] * 3, (10, 20)).high


def test_more_known_documents_never_widen():
    before = irb.samples.weighted_recall_interval([0.1] * 10, [0.1] * 2)
    for known in (1, 10, 1000):
        found = irb.samples.weighted_recall_interval(
            [0.1] * 10 + [1] * known, [0.1] * 2 + [1] * known
        )
        assert found.high - found.low < before.high - before.low
        before = found
