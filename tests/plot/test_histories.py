"""Time axes of histories: seconds to years, and one time alone."""

import itertools

import numpy as np
import pytest

import irbounds as irb
from irbounds.rankings import HistoryEntry

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
    entries = [HistoryEntry(np.datetime64(time, "s").item(), "bm25", evaluation) for time in times]
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


def test_a_run_without_the_measure_has_no_line_and_keeps_the_colour_of_others():
    import matplotlib.pyplot as plt

    def entry(day, run, *measures):
        values = np.array([[0.2], [0.6], [0.4]]).repeat(len(measures), axis=1)
        evaluation = irb.Evaluation(measures, ("q1", "q2", "q3"), values)
        return HistoryEntry(np.datetime64(day, "s").item(), run, evaluation)

    entries = (
        entry("2026-01-29", "a", "AP", "RR"),
        entry("2026-01-30", "b", "AP"),
        entry("2026-01-31", "c", "AP", "RR"),
    )
    history = irb.History(entries)
    colours = {}
    for measure, expected in {"AP": ["a", "b", "c"], "RR": ["a", "c"]}.items():
        ax = irb.plot.history(history, measure)
        names = [text.get_text() for text in ax.get_legend().get_texts()]
        assert names == expected
        colours[measure] = dict(zip(names, [line.get_color() for line in ax.lines], strict=True))
        plt.close(ax.figure)
    assert colours["AP"]["c"] == colours["RR"]["c"]
    assert "<html" in irb.report_history(history, date="2026-02-01")


@pytest.mark.usefixtures("empty_pictures")
def test_tables_tell_entries_of_one_minute_apart():
    evaluations = [
        irb.Evaluation(("AP",), tuple(range(9)), np.linspace(0, 0.1, 9)[:, None] ** power + shift)
        for power, shift in ((1, 0.2), (2, 0.6))
    ]
    at = [np.datetime64(f"2026-01-31T02:00:0{second}").item() for second in (1, 2)]
    entries = (HistoryEntry(at[0], "a", evaluations[0]),)
    assert "2026-01-31 02:00<" in irb.report_history(irb.History(entries), date="2026-02-01")
    entries += (HistoryEntry(at[1], "a", evaluations[1]),)
    page = irb.report_history(irb.History(entries), date="2026-02-01")
    assert "2026-01-31 02:00:01" in page
    assert "2026-01-31 02:00:02" in page
