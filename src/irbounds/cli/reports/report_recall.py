"""`irbounds report recall`: a memo on the recall of a review."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import irbounds
from irbounds.cli.input import options
from irbounds.cli.input.clusters import sample_of_clusters
from irbounds.cli.input.control import read_samples
from irbounds.cli.terminal.help import declare
from irbounds.cli.terminal.notes import warnings_as_notes
from irbounds.foundation.errors import InputError


@declare(
    "recall",
    {
        "Input": (*options.STRATA, options.sample(), options.of_families),
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
    sample: str | None,
    cluster: str | None,
    method: str | None,
    title: str | None,
    **settings: Any,
) -> str:
    """Write a memo on the recall of a review, for a court or a systematic review.

    --sample takes one sample of the whole collection, and --unretrieved beside it an elusion sample
    of the unretrieved documents outside it. With --cluster whole families were drawn, and the memo
    has the design effect.
    """
    from irbounds.report.memo import TITLE
    from irbounds.warnings import SampleWarning

    source = table if coded is None else coded
    if cluster is not None:
        for name, given in (("--coded", coded), ("--method", method)):
            if given is not None:
                raise InputError(f"--cluster does not take {name}")
        families = sample_of_clusters(cluster, table, sample, retrieved, unretrieved, columns)
        segments: Sequence[Any] = [families]
    else:
        samples = read_samples(table, retrieved, unretrieved, coded, columns, sample)
        segments = samples.audited() if samples.control is None else [samples.control]
    with warnings_as_notes(SampleWarning):
        return irbounds.report_recall(
            *segments,
            method=method,
            title=title or TITLE,
            source=source if source != "-" else None,
            **settings,
        )
