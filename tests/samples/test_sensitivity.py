"""The range of an interval and of a claim over a family of priors (issue 15)."""

import numpy as np
import pytest

import irbounds as irb
from irbounds.foundation.errors import InputError
from irbounds.samples import prior_sensitivity

SEGMENTS = (500, 50, 40), (2000, 100, 3)


@pytest.mark.parametrize("side", ["two-sided", "lower", "upper"])
def test_each_prior_gives_its_own_interval(side):
    found = prior_sensitivity(*SEGMENTS, target=0.75, side=side, confidence_level=0.9)
    assert found.priors == (0.25, 0.5, 1.0, "mcp")
    for i, method in [(1, "betabinom-half"), (2, "betabinom-uniform"), (3, "betabinom-mcp")]:
        interval = irb.recall_interval(*SEGMENTS, method=method, side=side, confidence_level=0.9)
        assert (found.low[i], found.high[i]) == pytest.approx(
            (interval.low, interval.high), abs=1e-8
        )
        assert found.probability[i] == irb.recall_posterior(*SEGMENTS, prior=found.priors[i]).sf(
            0.75
        )


def test_ranges_are_over_the_priors_given():
    found = prior_sensitivity(*SEGMENTS, priors=[0.5, (0.1, 2.0)])
    assert found.low_range == (found.low.min(), found.low.max())
    assert found.high_range[0] < found.high_range[1]
    assert found.probability_range is None
    assert found.to_dict()["priors"] == [0.5, [0.1, 2.0]]
    assert np.isfinite(found.low).all()


def test_a_clean_sample_forces_the_upper_end_under_every_prior():
    found = prior_sensitivity((500, 50, 40), (2000, 100, 0))
    assert (found.high == 1).all()


def test_wrong_arguments():
    with pytest.raises(InputError, match="`priors` must hold at least one prior"):
        prior_sensitivity(*SEGMENTS, priors=[])
    with pytest.raises(InputError, match="`target` must be from 0 to 1"):
        prior_sensitivity(*SEGMENTS, target=2)
