"""Point estimates of yields and of recall, with the estimated variances of yields."""

from __future__ import annotations

from typing import Any

import numpy as np

from irbounds.samples.strata import Segment


def yield_estimate(segment: Segment, more: float = 0.0) -> tuple[Any, Any]:
    """The estimated yield of a segment and its variance, with `more` added to both counts in
    each stratum (eq. 4, 5, 11, 24, 27).  The yield of a completely sampled stratum is known."""
    estimate: Any = 0.0
    variance: Any = 0.0
    for size, sampled, relevant in segment:
        with np.errstate(divide="ignore", invalid="ignore"):
            n = sampled + 2 * more
            p = (relevant + more) / n
            is_census = sampled == size
            unseen = np.where(is_census, 0.0, 1 - sampled / size)
            estimate = estimate + np.where(is_census, relevant, size * p)
            variance = variance + np.where(is_census, 0.0, size * size * p * (1 - p) / n * unseen)
    return estimate, variance


def recall_ratio(retrieved: Segment, unretrieved: Segment) -> Any:
    """The ratio of the estimated yields (eq. 2); nan if nothing relevant was found, or a stratum
    was not sampled."""
    (first, _), (second, _) = yield_estimate(retrieved), yield_estimate(unretrieved)
    with np.errstate(divide="ignore", invalid="ignore"):
        return first / (first + second)
