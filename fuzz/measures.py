"""Parsing of measures: any text is a measure or an error of one line; a measure's name is read as
itself."""

from __future__ import annotations

import irbounds as irb

NAMES = [info.name for info in irb.measures()]


def check(data: bytes) -> None:
    """Text; a first byte below 128 puts a known name before it."""
    text = data[1:].decode("utf-8", "replace")
    if data[:1] and data[0] < 128:
        text = NAMES[data[0] % len(NAMES)] + text
    try:
        measure = irb.Measure.parse(text)
    except irb.InputError as error:
        assert "\n" not in str(error), str(error)
        return
    name = str(measure)
    again = irb.Measure.parse(name)
    assert str(again) == name, (text, name, str(again))
    assert again == measure, (text, name)
    try:
        ev = irb.rank_measures(
            [3.0, 2, 2, 1, 1],
            [1, 0, 2, 1, 0],
            [measure],
            bounds=measure.spec.has_extremes(measure),
            collection_size=50,
            ties="expected" if measure.spec.has_expectation else "given",
        )
    except irb.InputError as error:
        assert "\n" not in str(error), str(error)
        return
    if ev.low is None:
        return
    assert (ev.low <= ev.values).all(), (name, ev.low, ev.values)
    assert (ev.values <= ev.high).all(), (name, ev.values, ev.high)
