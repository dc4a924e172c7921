"""Parts that both kinds of recall memo share: for samples, and for coded documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from irbounds.foundation.interval import Interval
from irbounds.samples.intervals import (
    elusion_interval,
    f_interval,
    precision_interval,
    yield_interval,
)
from irbounds.samples.priors import PerStratum, Prior
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


def alike(priors: Sequence[Any], prior: Prior | None) -> list[Any]:
    """Other priors, each in every stratum if this one is: one that strata share may give a range
    that leaves out what the memo says by its own prior."""
    if not isinstance(prior, PerStratum):
        return [*priors]
    return [PerStratum(each if isinstance(each, str) else (each, each)) for each in priors]


def verdict(low: float, high: float, target: float) -> str:
    """Whether one-sided bounds of recall show that the target was reached, or missed; the page
    gives the target in percent."""
    if low >= target:
        return "reached"
    return "missed" if high < target else "open"


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
