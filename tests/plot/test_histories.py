"""Time axes of histories: seconds to years, and one time alone."""

import itertools

import numpy as np
import pytest

import irbounds as irb

pytest.importorskip("matplotlib")

SPANS = {
    "one": (["2026-11-23T05:05:01"], "11-23 00:00"),
    "at once": (["2026-11-23T05:05:01"] * 2, "11-23 00:00"),
    "seconds": (["2026-11-23T05:05:01", "2026-11-23T05:05:02"], "05:05:00"),
    "hours": (["2026-11-23T05:05:01", "2026-11-23T10:14:31"], "11-23 06:00"),
    "days": (["2026-11-23T05:05:01", "2026-11-26T10:14:31"], "2026-11-24"),
    "months": (["2026-03-03T05:05:01", "2026-11-23T10:14:31"], "2026-07"),
    "years": (["2017-03-03T05:05:01", "2026-11-23T10:14:31"], "2020"),
}


@pytest.mark.parametrize("span", SPANS)
def test_ticks_of_time_are_few_and_differ(span):
    import matplotlib.pyplot as plt

    times, expected = SPANS[span]
    values = np.array([[0.2], [0.6], [0.4]])
    evaluation = irb.Evaluation(("AP",), ("q1", "q2", "q3"), values)
    entries = [
        irb.HistoryEntry(np.datetime64(time, "s").item(), "bm25", evaluation) for time in times
    ]
    ax = irb.plot.history(irb.History(tuple(entries)))
    ax.figure.canvas.draw()
    low, high = ax.get_xlim()
    labels = [
        label.get_text()
        for label, at in zip(ax.get_xticklabels(), ax.get_xticks(), strict=True)
        if low <= at <= high
    ]
    plt.close(ax.figure)
    assert expected in labels
    assert 2 <= len(labels) <= 8
    assert all(one != other for one, other in itertools.combinations(labels, 2))
    for line in ax.lines:  # all points are within
        at = np.asarray(line.get_xdata(orig=False), float)
        assert ((low <= at) & (at <= high)).all()
