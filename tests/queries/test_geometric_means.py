"""The default interval of a geometric mean allows for failing queries that the sample lacks."""

import numpy as np
import pytest
from sizes import long

import irbounds as irb


@pytest.mark.parametrize(("n", "share"), [(25, 0.02), long((25, 0.2)), long((50, 0.0))])
def test_coverage_where_queries_fail(n, share):
    rng = np.random.default_rng(n)
    values = rng.beta(3, 3, (n, 600)) * (rng.random((n, 600)) >= share)
    # E log of Beta(3, 3) is digamma(3) - digamma(6)
    truth = np.exp((1 - share) * -(1 / 3 + 1 / 4 + 1 / 5) + share * np.log(1e-5))
    found = irb.mean_interval(values, statistic="geometric-mean", limits=(0, 1))
    assert found.method == "jeffreys"
    assert np.mean((found.low <= truth) & (truth <= found.high)) > 0.92


def test_an_evaluation_has_it_and_measures_without_limits_have_t():
    qrels = {f"q{i}": {"d1": 1} for i in range(30)}
    run = {f"q{i}": {"d1": 1.0 + i % 3, "d2": 2.5} for i in range(30)}
    evaluation = irb.evaluate(qrels, run, "GMAP AP")
    assert evaluation.interval("GMAP").method == "jeffreys"
    found = irb.mean_interval([0.2, 0.5, 0.9], statistic="geometric-mean")
    assert found.method == "t"
    other = irb.mean_interval([0.2, 0.5, 0.9], statistic="geometric mean")
    assert other.to_dict() == found.to_dict()
    assert irb.mean_interval([0.5] * 9, statistic="geometric-mean", limits=(0, 1)).low < 0.5


def test_an_interval_has_no_power():
    with pytest.raises(irb.InputError, match="an interval has no power"):
        irb.queries_needed(half_width=0.02, sd=0.11, power=0.9)
    assert irb.queries_needed(0.02, 0.11) == irb.queries_needed(0.02, 0.11, power=0.8)
