"""Looks at samples that contradict each other are told, and never contradict the counts."""

import warnings

import pytest

import irbounds as irb


def test_bounds_never_contradict_the_counts():
    monitor = irb.SampleMonitor(500, 2000, looks="any", side="lower")
    monitor.update(retrieved=(60, 60), unretrieved=(300, 0))
    with pytest.warns(irb.warnings.SampleWarning, match="the looks contradict each other"):
        monitor.update(unretrieved=(1600, 1600))
    found = monitor.update(retrieved=(400, 0))
    assert found.low <= 100 / 1700


def test_two_sides_that_do_not_meet():
    monitor = irb.SampleMonitor(500, 2000, looks="any")
    first = monitor.update(retrieved=(60, 0), unretrieved=(300, 60))
    with pytest.warns(irb.warnings.SampleWarning, match="the interval is that of this look alone"):
        second = monitor.update(retrieved=(400, 400))
    assert first.high < second.low < second.estimate < second.high


def test_usual_looks_say_nothing():
    monitor = irb.SampleMonitor(500, 2000, looks="any")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(10):
            monitor.update(retrieved=(40, 30), unretrieved=(150, 3))
        monitor.update(retrieved=(100, 80), unretrieved=(500, 9))
    assert monitor.interval.high <= 1
