"""Which methods take audited segments, and the usual one where there are some."""

from __future__ import annotations

from typing import Any

from irbounds.foundation.errors import InputError
from irbounds.samples.intervals.table import usual_method
from irbounds.samples.model.strata import Audited

# Posteriors with a pair of parameters as their prior, which every proportion of an audited segment
# takes; the most conservative prior is of one sample.
METHODS = ("betabinom-half", "betabinom-uniform", "betabinom-half-per-stratum")


def method_for(side: str, method: str | None, *segments: Any) -> str:
    """The method that was asked for, or the usual one; with audited segments that is the posterior
    for one-sided claims too, as the guaranteed bound has no form for them."""
    is_audited = any(map(holds_audited, segments))
    if method is None and is_audited:
        usual_method(side, method)  # refuses an unknown side
        return "betabinom-half"
    chosen = usual_method(side, method)
    if is_audited and chosen not in METHODS:
        raise InputError(
            f"method {chosen!r} has no form for Audited segments; it must be one of "
            f"{', '.join(map(repr, METHODS))}"
        )
    return chosen


def refuse_error_rates(sensitivity: Any, specificity: Any) -> None:
    """Refuse a correction of recall by error rates."""
    for name, value in (("sensitivity", sensitivity), ("specificity", specificity)):
        if value is not None:
            raise InputError(
                f"`{name}` must not be given: recall has no correction by error rates, because "
                "false alarms among unretrieved documents decide it, and their rate there is not "
                "the rate elsewhere; audit a sample of the calls and give `Audited` segments"
            )


def holds_audited(segment: Any) -> bool:
    """Whether a segment is, or has among its strata, an audited one."""
    return isinstance(segment, Audited) or (
        isinstance(segment, list | tuple) and any(isinstance(item, Audited) for item in segment)
    )
