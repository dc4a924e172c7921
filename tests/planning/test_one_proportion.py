"""Sample sizes for one proportion."""

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
