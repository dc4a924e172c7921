"""One sample of clusters of the whole collection, or one of each segment; and clusters that were
drawn with unequal probabilities."""

import math

import numpy as np
import pytest

import irbounds as irb

share = irb.samples.cluster_proportion_interval
weighted = irb.samples.weighted_recall_interval
TP, FP, FN, TN = (
    np.array(each * 12) for each in ([3, 0, 1, 0], [1, 0, 0, 1], [0, 0, 1, 0], [0, 2, 1, 3])
)
SAMPLE = irb.samples.ClusterSample(3000, 6000, TP, FP, FN, TN)
pytestmark = pytest.mark.filterwarnings("ignore::irbounds.warnings.SampleWarning")


@pytest.mark.parametrize("side", ["two-sided", "lower", "upper"])
def test_each_measure_is_a_share_among_clusters_that_have_such_documents(side):
    """Sums over clusters, with the clusters that count; the relevant documents of the collection
    are as many as the sample estimates."""
    by_hand = {
        "recall": ([3, 1], [3, 2], 5 * 12 * 9000 / (13 * 12)),
        "precision": ([3, 1, 0], [4, 1, 1], 3000),
        "elusion": ([0, 1, 0], [2, 2, 3], 6000),
        "richness": ([3, 0, 2, 0], [4, 2, 3, 4], 9000),
    }
    for measure, (found, among, size) in by_hand.items():
        expected = share(found * 12, among * 12, size=math.ceil(size), side=side)
        assert SAMPLE.interval(measure, side=side) == expected
    of_yield, richness = (SAMPLE.interval(each, side=side) for each in ("yield", "richness"))
    assert [*of_yield] == [9000 * end for end in richness]
    either = share([3, 1, 0] * 12, [4, 2, 1] * 12, size=math.ceil(7 * 9000 / 13), side=side)
    both = SAMPLE.interval("F", side=side)
    assert both.estimate == pytest.approx(2 * 48 / (2 * 48 + 24 + 12))
    assert [*both] == pytest.approx([2 * x / (1 + x) for x in either], rel=1e-12)


def test_samples_of_each_segment():
    one = (3000, [4, 4], [3, 4]), (6000, [5, 3, 2], [0, 1, 0])
    sample = irb.samples.ClusterSample(
        3000, 6000, [3, 0, 4, 0, 0], [1, 0, 0, 0, 0], [0, 0, 0, 1, 0], [0, 5, 0, 2, 2], True
    )
    assert sample.interval() == irb.samples.cluster_recall_interval(*one)
    assert sample.interval("elusion") == share([0, 1, 0], [5, 3, 2], size=6000)
    with pytest.raises(irb.InputError, match="one of 'recall', 'precision', 'elusion'"):
        sample.interval("F")
    with pytest.raises(irb.InputError, match="of one segment; found both at index 2"):
        irb.samples.ClusterSample(3000, 6000, TP, FP, FN, TN, True)


def test_edges_of_one_sample():
    everything = irb.samples.ClusterSample(72, 84, TP, FP, FN, TN)
    for measure in everything.measures:
        found = everything.interval(measure)
        assert [*found] == pytest.approx([found.estimate] * 2, rel=1e-12)
    nothing = irb.samples.ClusterSample(0, 900, [0] * 3, [0] * 3, [0] * 3, [1, 5, 2])
    assert math.isnan(nothing.interval().estimate)
    assert [*nothing.interval()] == [*nothing.interval("precision")] == [0, 1]
    assert nothing.interval("elusion").low == 0 == nothing.interval("yield").estimate
    huge = irb.samples.ClusterSample(3 * 10**8, 6 * 10**8, TP, FP, FN, TN)
    assert 0.6 < huge.interval(side="lower").low < 0.8 == huge.interval().estimate


def test_bounds_are_no_looser_than_the_interval():
    for measure in SAMPLE.measures:
        both = SAMPLE.interval(measure)
        assert SAMPLE.interval(measure, side="lower").low >= both.low
        assert SAMPLE.interval(measure, side="upper").high <= both.high


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((10, 900, TP, FP, FN, TN), "`retrieved_size` must be a whole number, 72 or more"),
        ((300, 900, TP, FP, FN, TN[:3]), "must have one number for each cluster"),
        ((300, 900, [1, 0], [0, 0], [0, 0], [0, 0]), "found none at index 1"),
        ((300, 900, [0.5], [0], [0], [0]), "whole numbers of 0 or more"),
        ((300, 900, 1, 0, 0, 0), "one for each cluster"),
    ],
)
def test_what_is_no_sample(arguments, message):
    with pytest.raises(irb.InputError, match=message):
        irb.samples.ClusterSample(*arguments)


def test_sizes_that_contradict_the_sample():
    with pytest.warns(irb.warnings.SampleWarning, match=r"46.2 % of the sample were retrieved"):
        irb.samples.ClusterSample(200, 60_000, TP, FP, FN, TN)


@pytest.mark.parametrize("way", ["documents", "families"])
def test_coverage_where_families_have_documents_of_both_segments(way):
    """40 of 400 families, uniform from 1 to 12; recall of all is counted."""
    rng, held = np.random.default_rng(5), []
    for _ in range(150):
        m = rng.integers(1, 13, 400)
        relevant = rng.binomial(m, rng.beta(0.3, 1.2, 400))
        tp = (
            rng.binomial(relevant, 0.8)
            if way == "documents"
            else relevant * (rng.random(400) < 0.8)
        )
        fp = rng.binomial(m - relevant, 0.05)
        counts = tp, fp, relevant - tp, m - relevant - fp
        drawn = [each[:40] for each in counts]
        sizes = int((tp + fp).sum()), int((m - tp - fp).sum())
        low, high = irb.samples.ClusterSample(*sizes, *drawn).interval()
        held.append(low <= tp.sum() / relevant.sum() <= high)
    assert np.mean(held) >= 0.93


def test_weights_of_clusters_by_hand():
    """The relevant documents of a cluster weigh together."""
    found = weighted(
        [0.1] * 3 + [0.5, 1], [0.1, 0.05], 60, clusters=(["a", "a", "b", None, "c"], ["a", "d"])
    )
    assert found.estimate == (30 + 2 + 1) / (30 + 2 + 1 + 10 + 20)
    sure = weighted([1.0] * 3 + [0.1], [0.1], 10, clusters=([*"aaab"], ["c"]))
    assert [*sure] == [*weighted([1.0] * 3 + [0.1], [0.1], 10)]
    alone = weighted([0.1] * 3 + [0.5, 1], [0.1, 0.05], 60, clusters=([*"abcde"], [*"fg"]))
    assert [*alone] == [*weighted([0.1] * 3 + [0.5, 1], [0.1, 0.05], 60)]
    # 20 families of 3 found, each with weight 3/0.1, are as 20 documents with this weight
    whole = weighted([0.1] * 60, [0.1], 40, clusters=([i // 3 for i in range(60)], [None]))
    assert [*whole] == pytest.approx([*weighted([0.1 / 3] * 20, [0.1], 40)], rel=1e-12)


def test_mistakes_in_clusters():
    with pytest.raises(irb.InputError, match="needs `largest_weights`"):
        weighted([0.1], [0.1], clusters=(["a"], ["b"]))
    with pytest.raises(irb.InputError, match=r"one probability; found 0.1 and 0.2 for 'a'"):
        weighted([0.1], [0.2], 20, clusters=(["a"], ["a"]))
    with pytest.raises(irb.InputError, match="`clusters` must have a label for each of the 2"):
        weighted([0.1, 0.1], [0.2], 20, clusters=(["a"], ["a"]))
    with pytest.raises(irb.InputError, match="must be at least 20, a weight of"):
        weighted([0.1, 0.1], [0.2], 10, clusters=(["a", "a"], ["b"]))


@pytest.mark.parametrize("by_family", [False, True])
def test_coverage_of_families_drawn_with_unequal_probabilities(by_family):
    """Families of 5, all alike or not; 2 % or 20 % are drawn, each by itself."""
    rng, held = np.random.default_rng(6), []
    chance = np.where(rng.random(2000) < 0.3, 0.2, 0.02)
    relevant = 5 * (rng.random(2000) < 0.1) if by_family else rng.binomial(5, 0.1, 2000)
    found = rng.binomial(relevant, 0.8)
    for _ in range(150):
        drawn = np.flatnonzero(rng.random(2000) < chance)
        lists = [np.repeat(drawn, counts[drawn]) for counts in (found, relevant - found)]
        low, high = weighted(*(chance[each] for each in lists), 5 / 0.02, clusters=lists)
        held.append(low <= found.sum() / relevant.sum() <= high)
    assert np.mean(held) >= 0.95
