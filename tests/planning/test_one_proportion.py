"""Sample sizes for one proportion."""

import itertools

import numpy as np
import pytest
from scipy.stats import binom, hypergeom

import irbounds as irb
from irbounds import InputError

size_for = irb.planning.proportion_sample_size
samples_for = irb.planning.acceptance_samples


@pytest.mark.parametrize("size", [None, 900])
@pytest.mark.parametrize(
    ("margin", "expected"), [(0.05, 0.5), (0.03, 0.1), (0.1, 0.0), (0.08, 0.97)]
)
def test_least_size_from_which_on_all_are_narrow(size, margin, expected):
    n = np.arange(1, 900)
    half = [irb.binomial_interval(f(n * expected), n, size=size) for f in (np.floor, np.ceil)]
    wide = np.maximum(*[(each.high - each.low) / 2 for each in half]) > margin
    assert size_for(margin, expected=expected, size=size) == np.flatnonzero(wide)[-1] + 2


@pytest.mark.parametrize("size", [None, 500])
def test_acceptance_is_exact(size):
    found = samples_for(0.05, expected=0.01, power=0.9, size=size)
    for sample in found:
        if size:
            accepts = [hypergeom.cdf(sample.allowed, size, 26, sample.sampled - i) for i in (0, 1)]
            power = hypergeom.cdf(sample.allowed, size, 5, sample.sampled)
        else:
            accepts = [binom.cdf(sample.allowed, sample.sampled - i, 0.05) for i in (0, 1)]
            power = binom.cdf(sample.allowed, sample.sampled, 0.01)
        assert accepts[0] <= 0.05 < accepts[1]
        assert sample.power == pytest.approx(power, rel=1e-9)
        bound = irb.binomial_interval(
            sample.allowed,
            sample.sampled,
            size=size,
            side="upper",
            method="hypergeometric" if size else "clopper-pearson",
        )
        assert bound.high <= 0.05
    assert [sample.allowed for sample in found] == list(range(len(found)))
    assert [sample.power >= 0.9 for sample in found] == [False] * (len(found) - 1) + [True]


@pytest.mark.long
def test_goals_out_of_reach_are_refused():
    with pytest.raises(InputError, match="expected"):
        samples_for(0.01, expected=0.01)
    with pytest.raises(InputError, match="at most 1000 relevant documents"):
        samples_for(0.01, expected=0.0095)
    with pytest.raises(InputError, match="margin"):
        size_for(0)
    assert size_for(0.001, expected=0.5, size=100) == 100
    (whole,) = samples_for(0.01, power=0.99, size=50)
    assert (whole.sampled, whole.allowed) == (48, 0)


def path_sums(stages, size, relevant):
    """The probability of acceptance and the mean number of documents, over all counts of stages."""
    accepted = documents = 0.0
    for counts in itertools.product(*(range(row[0] + 1) for row in stages)):
        chance, drawn, found = 1.0, 0, 0
        for (n, *_), count in zip(stages, counts, strict=True):
            if size is None:
                chance *= binom.pmf(count, n, relevant)
            else:
                chance *= hypergeom.pmf(count, size - drawn, relevant - found, n)
            drawn, found = drawn + n, found + count
            if chance == 0:
                break
        if chance == 0:
            continue
        totals = list(itertools.accumulate(counts))
        place = next(
            i
            for i, row in enumerate(stages)
            if totals[i] <= row[1] or len(row) < 3 or totals[i] >= row[2]
        )
        accepted += chance * (totals[place] <= stages[place][1])
        documents += chance * sum(row[0] for row in stages[: place + 1])
    return accepted, documents


STAGES = [[(4, 0, 3), (5, 2)], [(3, 0, 2), (3, 1, 4), (4, 3)], [(5, 1)], [(2, 0, 5), (6, 6)]]


@pytest.mark.parametrize("stages", STAGES)
def test_stages_by_enumeration(stages):
    rule = irb.planning.AcceptanceStages(stages)
    for share in (0.0, 0.07, 0.4, 1.0):
        found = rule.accepts(share), rule.documents(share)
        assert found == pytest.approx(path_sums(stages, None, share), abs=1e-13)
    rule = irb.planning.AcceptanceStages(stages, 14)
    chances = []
    for relevant in range(15):
        accepted, documents = path_sums(stages, 14, relevant)
        assert rule.accepts(relevant / 14) == pytest.approx(accepted, abs=1e-13)
        assert rule.documents(relevant / 14) == pytest.approx(documents, abs=1e-12)
        chances.append(accepted)
    above = [i for i, chance in enumerate(chances) if chance > 0.1]
    assert rule.excluded_share(0.9) == (above[-1] / 14 if len(above) < 15 else 1.0)


def test_one_stage_is_an_acceptance_sample():
    for sample in samples_for(0.05, expected=0.01, size=500):
        rule = irb.planning.AcceptanceStages([(sample.sampled, sample.allowed)], 500)
        assert rule.excluded_share() <= 0.05
        assert rule.accepts(0.01) == pytest.approx(sample.power, rel=1e-12)
        smaller = irb.planning.AcceptanceStages([(sample.sampled - 1, sample.allowed)], 500)
        assert smaller.excluded_share() > 0.05
    rule = irb.planning.AcceptanceStages([(300, 0, 3), (300, 2)])
    assert rule.accepts([[0.0, 1.0]]).tolist() == [[1.0, 0.0]]


@pytest.mark.parametrize(
    ("stages", "words"),
    [
        ([], "rows of"),
        ([(30, 1, 3)], "rows of"),
        ([(30, 1), (30, 2)], "rows of"),
        ([(30, 1, 2), (30, 2)], "3 or more"),
        ([(0, 1)], "sampled"),
        ([(60, 0, 3), (60, 2)], "at most 100 documents"),
    ],
)
def test_stages_that_are_no_rule(stages, words):
    with pytest.raises(InputError, match=words):
        irb.planning.AcceptanceStages(stages, 100)


def test_sizes_are_whole_and_limits_that_are_whole_documents():
    """100 × 0.29 is 28.999999999999996: 29 relevant documents are not above the limit."""
    for sample in samples_for(0.29, size=100):
        assert hypergeom.cdf(sample.allowed, 100, 30, sample.sampled) <= 0.05
        assert hypergeom.cdf(sample.allowed, 100, 30, sample.sampled - 1) > 0.05
    with pytest.raises(InputError, match="whole number"):
        samples_for(0.1, size=100.5)
    with pytest.raises(InputError, match="whole number"):
        size_for(0.1, size=-3)
