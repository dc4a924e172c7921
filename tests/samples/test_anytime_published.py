"""Bounds that hold at every look: published sample sizes, errors and neighbours."""

import numpy as np
import pytest

import irbounds as irb
from irbounds.samples.bounds import anytime
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
