"""`irbounds recall --sample`: recall from one random sample of the whole collection."""

from __future__ import annotations

from typing import Any

import irbounds
from irbounds.cli.reviews.foot_lines import covers_of, level_of, percent_of, said_of
from irbounds.cli.terminal.notes import warnings_as_notes
from irbounds.cli.terminal.render import Report, Table, interval_cells
from irbounds.foundation.errors import InputError, check_choice

FORM = "SAMPLED/FOUND/MISSED or RETRIEVED/UNRETRIEVED/SAMPLED/FOUND/MISSED"


def report_of_one_sample(
    text: str, method: str | None, confidence_level: float, side: str
) -> Report:
    """Recall, with how often the method covers."""
    from irbounds.foundation.interval import SIDES
    from irbounds.samples.intervals.table import INTERVAL_METHODS
    from irbounds.samples.other_designs.control_sample import METHODS
    from irbounds.warnings import SampleWarning

    check_choice("--side", side, SIDES)
    if method is not None:
        check_choice("--method", method, METHODS)
    retrieved, unretrieved, sampled, found, missed = _numbers(text)
    with warnings_as_notes(SampleWarning):
        interval = irbounds.recall_interval_from_sample(
            retrieved,
            unretrieved,
            sampled,
            found,
            missed,
            method=method,
            confidence_level=confidence_level,
            side=side,
        )
    covers = INTERVAL_METHODS[interval.method].covers
    row = ["recall", interval.method, interval.estimate, interval.low, interval.high]
    header = ["measure", "method", "estimate", "low", "high"]
    cells = [*row[:2], *interval_cells(interval.estimate, interval.low, interval.high)]
    return Report(
        header,
        [row],
        shown=Table(header, [cells], 2),
        document={
            "retrieved_size": retrieved,
            "unretrieved_size": unretrieved,
            "sampled": sampled,
            "relevant_retrieved": found,
            "relevant_unretrieved": missed,
            "confidence_level": confidence_level,
            "side": side,
            "intervals": [
                {"measure": "recall", "covers": covers_of(covers, side), **interval.to_dict()}
            ],
        },
        notes=[
            f"{level_of(confidence_level, side)}, from one sample of the collection, computed "
            "without simulation",
            f"{interval.method} {said_of(covers, percent_of(confidence_level), side)}",
        ],
    )


def _numbers(text: str) -> list[Any]:
    """The two sizes, or None for unknown ones, and the three counts of the sample."""
    parts = text.split("/")
    try:
        numbers: list[Any] = [int(part.replace(",", "").replace("_", "")) for part in parts]
    except ValueError:
        numbers = []
    if len(numbers) not in (3, 5):
        raise InputError(f"--sample must be {FORM}; found {text!r}")
    return [None, None, *numbers] if len(numbers) == 3 else numbers
