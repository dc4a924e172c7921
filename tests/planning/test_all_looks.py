"""A monitor that may be looked at as often as one likes."""

import warnings

import numpy as np
import pytest

import irbounds as irb
from irbounds.samples.bounds.anytime import AnytimePrior, recall_low


def monitor_of(size=(500, 2000), **options):
    return irb.SampleMonitor(*size, looks="any", **options)


def test_bounds_of_all_looks_are_intersected():
    monitor = monitor_of(side="lower")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        first = monitor.update((50, 40), (100, 3))
        assert first.low == pytest.approx(0.623711, abs=5e-7)
        assert first.method == "anytime"
        worse = monitor.update((0, 0), (20, 6))
        better = monitor.update((50, 45), (300, 1))
    assert first.low == worse.low < better.low
    assert monitor.interval is better
    assert len(monitor.history) == 3


def test_two_sided_intervals_never_grow():
    rng = np.random.default_rng(1)
    monitor, last = monitor_of(prior=1), (0.0, 1.0)
    for _ in range(12):
        interval = monitor.update(
            (20, int(rng.binomial(20, 0.8))), (60, int(rng.binomial(60, 0.03)))
        )
        assert last[0] <= interval.low <= interval.high <= last[1]
        last = interval.low, interval.high


def test_a_segment_read_first_leaves_all_evidence_to_the_other():
    monitor = monitor_of(side="lower")
    monitor.update(retrieved=(500, 400))
    found = monitor.update(unretrieved=(100, 3)).low
    fresh = irb.recall_interval((500, 500, 400), (2000, 100, 3), method="anytime", side="lower")
    assert found == fresh.low
    monitor = monitor_of(side="lower")
    monitor.update((100, 80), (50, 1))
    found = monitor.update((400, 320), (50, 2)).low  # to and fro: the evidence is merged
    sample = (500.0, 500.0, 400.0), (2000.0, 100.0, 3.0)
    merged = recall_low(*sample, 0.05, AnytimePrior(0.5, 0.5), split=True)
    assert found == pytest.approx(merged)
    assert found < fresh.low
    monitor = monitor_of(side="lower")
    monitor.update((100, 80))  # one may still go over to the other segment
    monitor.update((400, 320))
    assert monitor.update((0, 0), (100, 3)).low == pytest.approx(merged)


def test_all_read_is_recall_itself():
    monitor = monitor_of((10, 20))
    interval = monitor.update((10, 6), (20, 2))
    assert (interval.low, interval.high) == (0.75, 0.75)


def test_e_values():
    monitor = monitor_of(side="lower")
    low = monitor.update((50, 40), (100, 3)).low
    assert monitor.e_value(low) == pytest.approx(20, rel=5e-3)  # of the next pair
    assert monitor.e_value(0.3) > monitor.e_value(0.6) > monitor.e_value(0.8) >= 0
    assert monitor.e_value(0) == 1e15
    with pytest.raises(irb.InputError, match="from 0 to 1"):
        monitor.e_value(2)
    with pytest.raises(irb.InputError, match="`e_value` needs a monitor with looks='any'"):
        irb.SampleMonitor(5, 5).e_value(0.5)


def test_hostile_monitors():
    with pytest.raises(irb.InputError, match="`looks` must be one of 'any'; found 'all'"):
        irb.SampleMonitor(5, 5, looks="all")
    with pytest.raises(irb.InputError, match="`method` must be one of 'anytime'"):
        monitor_of(method="koopman")
    with pytest.raises(irb.InputError, match="`prior` is for looks='any'"):
        irb.SampleMonitor(5, 5, prior=1)
    with pytest.raises(irb.InputError, match="takes no `prior` for segments of several strata"):
        monitor_of(([5, 5], 5), prior=1)


@pytest.mark.long
def test_strata():
    """The stratum of each next document may be chosen by what was seen; all of one stratum read
    before the first look leaves the evidence to the others."""
    monitor = monitor_of(([300, 200], [1000, 1000]), side="lower")
    first = monitor.update([(30, 25), (20, 4)], [(50, 2), (40, 1)])
    one, other = [(300, 30, 25), (200, 20, 4)], [(1000, 50, 2), (1000, 40, 1)]
    fresh = irb.recall_interval(one, other, method="anytime", side="lower")
    assert first.low == pytest.approx(fresh.low, rel=1e-4)
    second = monitor.update((0, 0), [(0, 0), (200, 3)])
    assert second.low > first.low
    monitor = monitor_of(([300, 200], [1000, 1000]), side="lower")
    whole = monitor.update([(300, 250), (20, 4)], [(50, 2), (40, 1)])
    split = monitor_of(([300, 200], [1000, 1000]), side="lower")
    split.update([(1, 1), (0, 0)])
    assert split.update([(299, 249), (20, 4)], [(50, 2), (40, 1)]).low < whole.low


@pytest.mark.nightly
@pytest.mark.long
def test_e_values_of_strata():
    monitor = monitor_of(([300, 200], [1000, 1000]), side="lower")
    low = monitor.update([(30, 25), (20, 4)], [(50, 2), (40, 1)]).low
    assert monitor.e_value(low) == pytest.approx(20, rel=1e-2)
    assert monitor.e_value(low / 2) > 20
    assert monitor.e_value(0.99) == 0
