"""Intervals of samples that grow: `SampleMonitor` and simulated stopping."""

import pytest

import irbounds as irb
from irbounds.planning import simulate_stopping
from irbounds.warnings import OptionalStoppingWarning


def test_monitor_adds_up_and_warns():
    monitor = irb.SampleMonitor(500, 2000)
    with pytest.raises(ValueError, match="nothing has been assessed yet"):
        _ = monitor.interval
    assert (
        repr(monitor)
        == "SampleMonitor(retrieved 0 of 0 of 500, unretrieved 0 of 0 of 2000; 0 looks)"
    )
    first = monitor.update(retrieved=(50, 40), unretrieved=(100, 3))
    assert vars(first) == vars(irb.recall_interval((500, 50, 40), (2000, 100, 3)))
    with pytest.warns(OptionalStoppingWarning, match="computed more than once"):
        second = monitor.update(unretrieved=(50, 0))
    assert second.low == irb.recall_interval((500, 50, 40), (2000, 150, 3)).low
    assert monitor.interval is second
    monitor.update(retrieved=(1, 1))  # said once
    with pytest.raises(ValueError, match=r"`retrieved.relevant` must be at most the 2 assessed"):
        monitor.update(retrieved=(2, 3))
    with pytest.raises(ValueError, match="500 documents, of which 51 are assessed"):
        monitor.update(retrieved=(450, 3))
    assert len(monitor.history) == 3


def test_monitor_with_planned_looks():
    monitor = irb.SampleMonitor(500, 2000, looks=2, side="lower")
    assert monitor.update(
        retrieved=(50, 40), unretrieved=(100, 3)
    ).confidence_level == pytest.approx(0.975)
    monitor.update(retrieved=(10, 8))
    with pytest.warns(OptionalStoppingWarning, match="look 3, but 2 were planned"):
        monitor.update(retrieved=(10, 8))


@pytest.mark.long
def test_stopping_when_it_pleases_covers_less():
    review = irb.AssumedReview(20_000, 2000, recall=0.7, precision=0.5)
    free = simulate_stopping(review, 200, 1000, looks=10, target=0.7, reviews=1500, rng=1)
    assert free.fixed_coverage > free.coverage + 4 * free.standard_error
    assert free.bias > 0.01
    assert abs(free.fixed_bias) < 0.02
    assert 0 < free.stopped < 1
    assert free.mean_sample < 1200
    safe = simulate_stopping(
        review, 200, 1000, looks=10, target=0.7, reviews=1500, corrected=True, rng=1
    )
    assert safe.coverage > 0.95
    once = simulate_stopping(review, 200, 1000, looks=1, width=1, reviews=1500, rng=1)
    assert (once.coverage, once.mean_sample) == (once.fixed_coverage, 1200)
    with pytest.raises(ValueError, match="no ranges"):
        simulate_stopping(
            irb.AssumedReview(2000, 200, recall=(0.5, 0.8), precision=0.5), 10, 10, width=0.1
        )
