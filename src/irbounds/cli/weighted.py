"""`irbounds recall --weighted`: recall from documents with unequal inclusion probabilities."""

from __future__ import annotations

from collections.abc import Sequence

import irbounds
from irbounds.cli.read import Row, read_segments
from irbounds.cli.render import Report, Table, short
from irbounds.foundation.errors import InputError, fail


def weighted_report(
    table: str | None, largest: Sequence[float], confidence_level: float, side: str
) -> Report:
    """Recall from a table with a row for each sampled document that is relevant: its segment and
    its inclusion probability."""
    if table is None:
        raise InputError("--weighted needs a table with columns segment, probability")
    if len(largest) > 2:
        fail("--largest-weight", "must be given once, or once for each segment", list(largest))

    def probability(_segment: str, row: Row) -> float:
        value = row.number("probability")
        if not 0 < value <= 1:
            raise InputError(
                f"{row.where}: probability must be above 0 and at most 1; found {value:g}"
            )
        return value

    segments = read_segments(table, ("probability",), probability)
    interval = irbounds.weighted_recall_interval(
        *segments,
        list(largest) or None,
        confidence_level=confidence_level,
        side=side,
    )
    row = ["recall", interval.method, interval.estimate, interval.low, interval.high]
    header = ["measure", "method", "estimate", "low", "high"]
    return Report(
        header,
        [row],
        shown=Table(header, [[*row[:2], *(short(value) for value in row[2:])]], 2),
        document={
            "found": [len(segment) for segment in segments],
            "largest_weights": list(largest) or None,
            **interval.to_dict(),
        },
        notes=[
            f"{100 * confidence_level:.4g} % {side}, from {len(segments[0])} relevant documents "
            f"among the retrieved and {len(segments[1])} among the others",
            "largest weight: that of the documents found, unless --largest-weight says otherwise"
            if not largest
            else "largest weight: as given",
        ],
    )
