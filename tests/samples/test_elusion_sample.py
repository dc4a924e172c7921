"""A control sample together with an elusion sample: by enumeration of the samples and of the
collections."""

from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest

import irbounds as irb
from irbounds.foundation.errors import InputError
from irbounds.samples import ControlSample, elusion_interval
from irbounds.samples.other_designs.control_sample import checked_segments
from irbounds.warnings import SampleWarning


@pytest.mark.parametrize("is_apart", [True, False])
@pytest.mark.parametrize(("size1", "size0", "n", "m"), [(3, 5, 4, 1), (2, 5, 3, 2), (3, 4, 5, 1)])
def test_the_union_is_a_random_sample_of_each_segment(size1, size0, n, m, is_apart):
    """Every pair of sets is as likely as any other of the same sizes, whether the elusion sample
    was drawn outside the control sample or without regard to it."""
    collection = range(size1 + size0)
    unretrieved = set(range(size1, size1 + size0))
    chances = Counter()
    for drawn in combinations(collection, n):
        first, second = set(drawn) - unretrieved, set(drawn) & unretrieved
        frame = unretrieved - second if is_apart else unretrieved
        draws = [set(each) for each in combinations(frame, min(m, len(frame)))]
        for draw in draws:
            pair = frozenset(first), frozenset(second | draw)
            chances[pair] += Fraction(1, comb(len(collection), n) * len(draws))
    assert sum(chances.values()) == 1
    by_sizes = {}
    for (first, second), chance in chances.items():
        by_sizes.setdefault((len(first), len(second)), []).append(chance)
    for (first, second), found in by_sizes.items():
        assert len(found) == comb(size1, first) * comb(size0, second)
        assert len(set(found)) == 1


def ways(relevant, size, drawn):
    """How likely 0, 1, … relevant documents are among those drawn."""
    k = np.arange(drawn + 1)
    counts = [comb(relevant, i) * comb(size - relevant, drawn - i) for i in k]
    return np.array(counts) / comb(size, drawn)


@pytest.mark.parametrize(
    ("size1", "size0", "n", "m"), [(5, 8, 6, 2), (3, 9, 4, 3), (7, 6, 5, 0), (2, 10, 6, 4)]
)
@pytest.mark.parametrize("side", ["lower", "upper", "two-sided"])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_guaranteed_bounds_of_both_samples_cover_every_collection(size1, size0, n, m, side, level):
    """Over all divisions of the control sample and all counts of both samples."""
    splits = [n1 for n1 in range(n + 1) if n1 <= size1 and n - n1 + m <= size0]
    assert len(splits) > 1
    asked = {"confidence_level": level, "side": side, "method": "guaranteed"}
    covered = np.zeros((size1 + 1, size0 + 1))
    elusion = np.zeros((size1 + 1, size0 + 1))
    total = sum(comb(size1, n1) * comb(size0, n - n1) for n1 in splits)
    for n1 in splits:
        n0 = n - n1
        r1, r0, s = np.indices((n1 + 1, n0 + 1, m + 1))
        sample = ControlSample(size1, size0, n, r1, r0, n1, m, s)
        ends = irb.recall_interval(*sample.segments, **asked)
        below = elusion_interval(*sample.segments, **asked)
        chance = comb(size1, n1) * comb(size0, n0) / total
        for big1 in range(size1 + 1):
            first = ways(big1, size1, n1)[:, None, None]
            for big0 in range(size0 + 1):
                # the elusion sample is of what the control sample left
                left = [min(max(big0 - i, 0), size0 - n0) for i in range(n0 + 1)]
                later = [ways(relevant, size0 - n0, m) for relevant in left]
                second = ways(big0, size0, n0)[:, None] * np.array(later)
                law = first * second[None]
                if big1 + big0:
                    recall = big1 / (big1 + big0)
                    held = (ends.low <= recall + 1e-12) & (ends.high >= recall - 1e-12)
                    covered[big1, big0] += chance * law[held].sum()
                share = big0 / size0
                held = (below.low <= share + 1e-12) & (below.high >= share - 1e-12)
                elusion[big1, big0] += chance * law[held].sum()
    assert covered.ravel()[1:].min() >= level - 1e-9
    assert elusion.min() >= level - 1e-9


def test_the_elusion_sample_adds_to_the_unretrieved_documents():
    sample = ControlSample(12_000, 88_000, 1500, 131, 20, 180, 1000, 12)
    assert tuple(sample.segments) == ((12_000, 180, 131), (88_000, 2320, 32))
    assert all(type(field) is int for field in sample.segments[1])
    assert checked_segments(sample) == sample.segments
    alone = ControlSample(12_000, 88_000, 1500, 131, 20, 180)
    narrow, wide = (irb.recall_interval(*one.segments, side="lower").low for one in (sample, alone))
    assert narrow > wide
    many = ControlSample(12_000, 88_000, 1500, [131, 100], 20, 180, 1000, [12, 0])
    assert irb.recall_interval(*many.segments, side="lower").low[0] == narrow


def test_everything_is_in_one_of_the_samples():
    sample = ControlSample(3, 10, 8, 2, 1, 3, 5, 1)
    found = irb.recall_interval(*sample.segments)
    assert (found.low, found.high) == (0.5, 0.5)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ((10, 20, 9, 2, 1, 3, 5, 6), "`elusion_relevant` must be at most `elusion_sampled`, 5"),
        (
            (10, 20, 9, 2, 1, 3, 15, 6),
            "`elusion_sampled` must be at most the unretrieved documents outside the control "
            "sample, 14; found 15",
        ),
        ((10, 20, 9, 2, 1, 10, 0, 0), "`sampled_retrieved` must be at most `sampled`, 9; found 10"),
        ((10, 20, 9, 2, 1, 3, -1, 0), "`elusion_sampled` must be a whole number"),
        ((10, 20, 9, 2, 1, 1), "`relevant_retrieved` must be at most `sampled_retrieved`, 1"),
    ],
)
def test_impossible_samples(counts, message):
    with pytest.raises(InputError, match="must") as caught:
        irb.report_recall(ControlSample(*counts))
    assert message in str(caught.value)


def test_a_division_that_contradicts_the_sizes():
    with pytest.warns(SampleWarning, match="would have 180 or more of the 1200 retrieved ones"):
        checked_segments(ControlSample(1200, 88_000, 1500, 131, 20, 180))
    with pytest.warns(SampleWarning, match="would have 1490 or more of the 88000 unretrieved"):
        irb.recall_interval_from_sample(12_000, 88_000, 1500, 1, 20, sampled_retrieved=10)
