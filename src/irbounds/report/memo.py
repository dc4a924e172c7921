"""Parts that both kinds of recall memo share: for samples, and for coded documents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from irbounds.foundation.interval import Interval
from irbounds.samples.intervals import (
    elusion_interval,
    f_interval,
    precision_interval,
    yield_interval,
)
from irbounds.samples.strata import AuditedCounts, Segment

INTERVALS: dict[str, Callable[..., Interval]] = {
    "precision": precision_interval,
    "F": f_interval,
    "yield": yield_interval,
    "elusion": elusion_interval,
}
LABELS = {"F": "F1"}
SEGMENTS = ("retrieved", "unretrieved")
TITLE = "Recall validation memo"


def claim_side(measure: str) -> str:
    """The side of a one-sided bound: a review claims that elusion is at most so much, and all else
    at least."""
    return "upper" if measure == "elusion" else "lower"


def counts(segment: Segment) -> list[Any]:
    """Strata as lists of whole numbers, audited segments as dicts: for the line that is hashed."""
    return [
        {
            "size": int(one.size),
            "sampled": int(one.judged),
            "called": int(one.called),
            "called_audit": [int(one.m1), int(one.x1)],
            "other_audit": [int(one.m0), int(one.x0)],
        }
        if isinstance(one, AuditedCounts)
        else [int(field) for field in one]
        for one in segment
    ]
