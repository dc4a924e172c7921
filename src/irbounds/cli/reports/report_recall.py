"""`irbounds report recall`: a memo on the recall of a review."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import irbounds
from irbounds.cli.input import options
from irbounds.cli.input.read import (
    audited_of,
    check_coded_alone,
    coded_from_table,
    coded_method,
    read_samples,
)
from irbounds.cli.terminal.help import declare
from irbounds.cli.terminal.notes import warnings_as_notes


@declare(
    "recall",
    {
        "Input": options.STRATA,
        "Intervals": (
            options.number("--target", "Target of recall.", 0.75),
            options.method("betabinom-half (default), koopman, guaranteed and others."),
            options.confidence_level,
        ),
        "Output": (options.subject("Name of the legal matter or of the review."), *options.PAGE),
    },
    "irbounds report recall --retrieved 12000/150/108 --unretrieved 88000/1300/20 -o memo.html",
)
def command(
    table: str | None,
    retrieved: Sequence[str],
    unretrieved: Sequence[str],
    coded: str | None,
    method: str | None,
    title: str | None,
    **settings: Any,
) -> str:
    """Write a memo on the recall of a review, for a court or a systematic review.

    The memo prints on two sheets.
    """
    from irbounds.report.memo import TITLE
    from irbounds.warnings import SampleWarning

    if coded is None:
        segments = read_samples(table, retrieved, unretrieved)
    else:
        check_coded_alone(table, retrieved, unretrieved)
        samples, believed = coded_from_table(coded)
        segments, table = audited_of(samples, believed), coded
        method = method or coded_method(samples, believed)

    with warnings_as_notes(SampleWarning):
        return irbounds.report_recall(
            *segments,
            method=method,
            title=title or TITLE,
            source=table if table != "-" else None,
            **settings,
        )
