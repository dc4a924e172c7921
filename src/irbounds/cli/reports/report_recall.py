"""`irbounds report recall`: a memo on the recall of a review."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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
            options.number("--target", "Target of recall, such as 0.75; none by default."),
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
    subject: str,
    date: str | None,
    output: str | None,
    **settings: Any,
) -> str:
    """Write a memo on the recall of a review, for a court or a systematic review.

    --sample takes one sample of the whole collection, and --unretrieved beside it an elusion sample
    of the unretrieved documents outside it. With --cluster whole families were drawn, and the memo
    has the design effect.
    """
    from irbounds.report.memo import TITLE
    from irbounds.report.page import Page
    from irbounds.report.recall import memo
    from irbounds.warnings import SampleWarning

    source = table if coded is None else coded
    source = None if source == "-" else source
    typed: tuple[list[str], dict[str, Any]] | None = None
    if source is not None:
        names = None if columns is None else ",".join(map("=".join, columns.items()))
        options_typed = {"coded": coded, "sample": sample, "unretrieved": [*unretrieved]}
        typed = [] if table is None else [table], {**options_typed, "columns": names}
    first: Any
    second: Any = None
    if cluster is not None:
        for name, given in (("--coded", coded), ("--method", method)):
            if given is not None:
                raise InputError(f"--cluster does not take {name}")
        first = sample_of_clusters(cluster, table, sample, retrieved, unretrieved, columns)
    else:
        samples = read_samples(table, retrieved, unretrieved, coded, columns, sample)
        first, second = (samples.control, None) if samples.control else samples.audited()
    with warnings_as_notes(SampleWarning):
        return memo(
            Page.of(title or TITLE, date, output, subject),
            first,
            second,
            settings | {"method": method},
            source,
            typed,
        )
