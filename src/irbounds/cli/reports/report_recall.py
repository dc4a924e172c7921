"""`irbounds report recall`: a memo on the recall of a review."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import irbounds
from irbounds.cli.input import options
from irbounds.cli.input.samples import Samples
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
    columns: dict[str, str] | None,
    method: str | None,
    title: str | None,
    **settings: Any,
) -> str:
    """Write a memo on the recall of a review, for a court or a systematic review."""
    from irbounds.report.memo import TITLE
    from irbounds.warnings import SampleWarning

    samples = Samples.read(table, retrieved, unretrieved, coded, columns)
    source = table if coded is None else coded
    with warnings_as_notes(SampleWarning):
        return irbounds.report_recall(
            *samples.audited(),
            method=method,
            title=title or TITLE,
            source=source if source != "-" else None,
            **settings,
        )
