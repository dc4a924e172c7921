"""`irbounds recall --weighted`: recall from documents with unequal inclusion probabilities."""

from __future__ import annotations

from collections.abc import Sequence

import irbounds
from irbounds.cli.input.read import Row, read_segments
from irbounds.cli.reviews.foot_lines import level_of
from irbounds.cli.terminal.render import Report, Table, interval_cells
from irbounds.foundation.errors import InputError, counted, fail


def weighted_report(
    table: str | None, largest: Sequence[float], confidence_level: float, side: str
) -> Report:
    """Recall from a table with a row for each sampled document that is relevant: its segment and
    its inclusion probability. With a column `relevant` of 0 and 1, the rows with 0 only tell what
    weights documents could have."""
    if table is None:
        raise InputError("--weighted needs a table with columns segment, probability")
    if len(largest) > 2:
        fail("--largest-weight", "must be given once, or once for each segment", list(largest))

    def probability(_segment: str, row: Row) -> tuple[float, bool]:
        value = row.number("probability")
        if not 0 < value <= 1:
            raise InputError(
                f"{row.where}: probability must be above 0 and at most 1; found {value:g}"
            )
        if row.get("relevant", "1").strip() not in ("0", "1"):
            raise InputError(f"{row.where}: relevant must be 0 or 1; found {row['relevant']!r}")
        return value, row.get("relevant", "1").strip() == "1"

    sampled = read_segments(table, ("probability",), probability)
    segments = [[value for value, is_relevant in rows if is_relevant] for rows in sampled]
    has_others = [len(rows) for rows in sampled] != [len(found) for found in segments]
    weights = list(largest)
    if has_others and not weights:
        weights = [1 / min(value for value, _ in rows) for rows in sampled]
    interval = irbounds.samples.weighted_recall_interval(
        segments[0], segments[1], weights or None, confidence_level=confidence_level, side=side
    )
    row = ["recall", interval.method, interval.estimate, interval.low, interval.high]
    header = ["measure", "method", "estimate", "low", "high"]
    found = counted(len(segments[0]), "relevant document", "relevant documents")
    cells = interval_cells(interval.estimate, interval.low, interval.high)
    return Report(
        header,
        [row],
        shown=Table(header, [[*row[:2], *cells]], 2),
        document={
            "found": [len(segment) for segment in segments],
            "largest_weights": weights or None,
            **interval.to_dict(),
        },
        notes=[
            f"{level_of(confidence_level, side)}, from {found} among the retrieved "
            f"and {len(segments[1])} among the others",
            "in simulations melded-gamma covered at least its level; there is no proof",
            "largest weight: as given"
            if largest
            else f"largest weight: that of the documents {'sampled' if has_others else 'found'}, "
            "unless --largest-weight sets another",
        ],
    )
