"""Bounds that hold at every look: published sample sizes, errors and neighbours."""

from fractions import Fraction

import numpy as np
import pytest

import irbounds as irb
from irbounds.samples.bounds import anytime
from tests.reference import anytime as slow
from tests.reference.anytime import error_of_all_looks

HALF, UNIFORM = anytime.AnytimePrior(0.5, 0.5), anytime.AnytimePrior(1.0, 1.0)


@pytest.mark.long
def test_published_two_sided_errors():
    """All looks at 1,000 documents, nominal 0.05, uniform prior."""
    errors = {1: 0.006, 5: 0.013325, 20: 0.029271, 100: 0.032425, 500: 0.039191}
    low = np.zeros((1001, 1001))
    for total, error in errors.items():
        high = np.full((1001, 1001), 1000.0)
        for n in range(1001):
            chance = irb.chance.hypergeometric_pmf(np.arange(n + 1), 1000, total, n)
            high[n, : n + 1][chance <= 0.05 / (n + 1) * (1 + 1e-12)] = -1
        assert error_of_all_looks(1000, total, low, high) == pytest.approx(error, abs=1e-6)


@pytest.mark.parametrize(
    ("prior", "samples"), [(HALF, (562, 985, 1310, 1867)), (UNIFORM, (668, 1013, 1307, 1831))]
)
def test_published_sample_sizes(prior, samples):
    """The least sample that shows at most 333 missed of 50,000, by what was found in it."""
    for found, n in zip((0.0, 1.0, 2.0, 4.0), samples, strict=True):
        assert anytime.upper_count(50_000.0, float(n), found, 0.05, prior) == 333
        assert anytime.upper_count(50_000.0, n - 1.0, found, 0.05, prior) > 333


@pytest.mark.parametrize(
    ("one", "other", "union", "half", "ends"),
    [
        ((500, 50, 40), (2000, 100, 3), 0.579350, 0.743852, (0.605705, 0.991170)),
        ((10_000, 500, 350), (90_000, 1000, 12), 0.730381, 0.805473, (0.725354, 0.966658)),
    ],
)
def test_published_neighbours_of_the_recall_bound(one, other, union, half, ends):
    """The union bound of both segments, one look, and the two-sided interval."""
    found = anytime.lower_count(*map(float, one), 0.025, UNIFORM)
    missed = anytime.upper_count(*map(float, other), 0.025, UNIFORM)
    assert found / (found + missed) == pytest.approx(union, abs=5e-7)
    one_look = irb.recall_interval(one, other, method="betabinom-half", side="lower")
    assert one_look.low == pytest.approx(half, abs=5e-7)
    both = irb.recall_interval(one, other, method="anytime")
    assert (both.low, both.high) == pytest.approx(ends, abs=5e-7)


@pytest.mark.long
@pytest.mark.parametrize(("bar", "published"), [(20, 0.030808), (5, 0.173469)])
def test_published_errors_of_the_worst_truth(bar, published):
    """8 and 14 documents, an opponent choosing every next draw: the worst of all truths."""
    e1, e0 = {}, {}

    def fails(one, other, k1, k0):
        if (one, k1) not in e1:
            e1[one, k1] = float(slow.evidence(8, one[0], one[0] - one[1], 8 - k1))
        if (other, k0) not in e0:
            e0[other, k0] = float(slow.evidence(14, *other, k0))
        both = e1[one, k1], e0[other, k0]
        return sum(both) / 4 + both[0] * both[1] / 2 >= bar * (1 - 1e-12)

    errors = [
        slow.error_of_any_play((8, 14), (k1, k0), lambda a, b, k=(k1, k0): fails(a, b, *k))
        for k1 in range(1, 9)
        for k0 in range(15)
    ]
    assert float(max(errors)) == pytest.approx(published, abs=5e-7)
    assert max(errors) <= Fraction(1, bar)
