"""Point estimates of yields and of recall, with the estimated variances of yields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.samples.model.strata import AuditedCounts, Segment

if TYPE_CHECKING:
    from irbounds.typing import FloatOrArray


def yield_estimate(segment: Segment, more: float = 0.0) -> tuple[Any, Any]:
    """The estimated yield of a segment and its variance, with `more` added to both counts in
    each stratum (eq. 4, 5, 11, 24, 27).  The yield of a completely sampled stratum is known."""
    estimate: FloatOrArray = 0.0
    variance: FloatOrArray = 0.0
    for stratum in segment:
        if isinstance(stratum, AuditedCounts):
            found = _audited_estimate(stratum)
            estimate, variance = estimate + found[0], variance + found[1]
            continue
        size, sampled, relevant = stratum
        with np.errstate(divide="ignore", invalid="ignore"):
            n = sampled + 2 * more
            p = (relevant + more) / n
            is_census = sampled == size
            # A sample without replacement knows its own documents: the factor 1 - n/N.
            unseen = np.where(is_census, 0.0, 1 - sampled / size)
            estimate = estimate + np.where(is_census, relevant, size * p)
            variance = variance + np.where(is_census, 0.0, size * size * p * (1 - p) / n * unseen)
    return estimate, variance


def _audited_estimate(s: AuditedCounts) -> tuple[Any, Any]:
    """The yield by double sampling and its variance by propagation, for a large segment.  A class
    to which no document belongs adds nothing."""
    with np.errstate(divide="ignore", invalid="ignore"):
        p, q1, q0 = s.called / s.judged, s.x1 / s.m1, s.x0 / s.m0
        # The delta method: p q1 + (1 - p) q0 has the derivatives p, 1 - p and q1 - q0 by its three
        # independent rates, and each rate has a binomial variance. Where a class is empty, its rate
        # is 0/0 and its derivative 0.
        called, other = np.where(p == 0, 0.0, p * q1), np.where(p == 1, 0.0, (1 - p) * q0)
        variance = (
            np.where(p == 0, 0.0, p**2 * q1 * (1 - q1) / s.m1)
            + np.where(p == 1, 0.0, (1 - p) ** 2 * q0 * (1 - q0) / s.m0)
            + np.where((p == 0) | (p == 1), 0.0, (q1 - q0) ** 2 * p * (1 - p) / s.judged)
        )
        is_census = s.sampled == s.size
        share = called + other
        return (
            np.where(is_census, s.relevant, s.size * share),
            np.where(is_census, 0.0, s.size**2 * variance),
        )


def recall_ratio(retrieved: Segment, unretrieved: Segment) -> Any:
    """The ratio of the estimated yields (eq. 2); nan if nothing relevant was found, or a stratum
    was not sampled."""
    with np.errstate(divide="ignore", invalid="ignore"):
        first, second = estimated_yield(retrieved), estimated_yield(unretrieved)
        return first / (first + second)


def estimated_yield(segment: Segment) -> Any:
    """The first result of `yield_estimate`, at a quarter of its cost: every interval needs it.  The
    caller ignores divisions by zero."""
    if any(isinstance(stratum, AuditedCounts) for stratum in segment):
        return yield_estimate(segment)[0]
    estimate: FloatOrArray = 0.0
    for size, sampled, relevant in segment:
        estimate = estimate + np.where(sampled == size, relevant, size * (relevant / sampled))
    return estimate
