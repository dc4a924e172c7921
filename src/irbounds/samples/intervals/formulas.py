"""Recall intervals by formulas: normal approximations, the naive binomial, and Koopman's."""

from __future__ import annotations

from typing import Any

import numpy as np

from irbounds.foundation.interval import normal_quantile, tail_probability
from irbounds.samples.model.exact_limits import Tail, wilson
from irbounds.samples.model.point_estimates import recall_ratio, yield_estimate
from irbounds.samples.model.request import Ends, Request
from irbounds.samples.model.strata import Segment, total
from irbounds.samples.one_proportion.ratios import ratio_ends


def normal(request: Request) -> Ends:
    """Normal intervals by propagation of the yields' errors (eq. 23 to 29), not clipped; nan if
    nothing was found."""
    more = request.method.added
    (r1, v1), (r0, v0) = yield_estimate(request.one, more), yield_estimate(request.other, more)
    z = normal_quantile(request.options.level, request.options.side)
    with np.errstate(divide="ignore", invalid="ignore"):
        # The derivatives of r1/(r1 + r0) are r0/(r1 + r0)² and -r1/(r1 + r0)².
        middle = r1 / (r1 + r0)
        half = z * np.sqrt(v1 * r0**2 + v0 * r1**2) / (r1 + r0) ** 2
    low, high = middle - half, middle + half
    return Ends(low, high, raw=(low, high))


def naive(request: Request) -> Ends:
    """Wald's interval for the estimated recall, as if every relevant document of the samples were a
    trial (eq. 25).

    The formula ignores that a stratum was sampled completely.  If one was, the ends are clipped to
    the possible values of recall, so that a complete census gives recall itself.
    """
    retrieved, unretrieved, options = request.one, request.other, request.options
    estimate = recall_ratio(retrieved, unretrieved)
    n = total(retrieved, "relevant") + total(unretrieved, "relevant")
    with np.errstate(divide="ignore", invalid="ignore"):
        half = normal_quantile(options.level, options.side) * np.sqrt(estimate * (1 - estimate) / n)
    least, most = _possible_recall(retrieved, unretrieved)
    # The formula has no finite population: a census of one segment narrows nothing in it.
    has_census = np.any(
        np.broadcast_arrays(
            *(
                (stratum.sampled == stratum.size) & (stratum.size > 0)
                for stratum in [*retrieved, *unretrieved]
            )
        ),
        axis=0,
    )
    low, high = estimate - half, estimate + half
    low = np.where(has_census, np.maximum(low, least), low)
    high = np.where(has_census, np.minimum(high, most), high)
    return Ends(low, high, raw=(low, high))


def _possible_recall(retrieved: Segment, unretrieved: Segment) -> tuple[Any, Any]:
    """The smallest and the largest possible recall: no document outside the samples is relevant,
    or all are."""
    seen1, seen0 = total(retrieved, "relevant"), total(unretrieved, "relevant")
    most1, most0 = (
        seen + total(segment, "size") - total(segment, "sampled")
        for seen, segment in ((seen1, retrieved), (seen0, unretrieved))
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(seen1 > 0, seen1 / (seen1 + most0), 0.0), np.where(
            seen0 > 0, most1 / (most1 + seen0), 1.0
        )


def koopman(request: Request) -> Ends:
    """Recall = 1/(1 + θ N0/N1), θ = π0/π1 (section 3.4); one stratum in each segment.

    A completely sampled segment has a known proportion.  Chi-square then has one term, that of the
    other proportion, whose interval is Wilson's.
    """
    level, side = request.options.level, request.options.side
    retrieved, unretrieved = request.one[0], request.other[0]
    shape = np.broadcast_shapes(retrieved.size.shape, unretrieved.size.shape)
    (size1, n1, r1), (size0, n0, r0) = (
        [np.broadcast_to(field, shape) for field in stratum] for stratum in (retrieved, unretrieved)
    )
    tail = Tail(tail_probability(level, side), normal_quantile(level, side), side)
    if tail.z < 0:  # a bound of less than one half is that of more than one half on the other side
        tail = Tail(1 - tail.probability, tail.z, side)
    is_known1, is_known0 = n1 == size1, n0 == size0
    with np.errstate(divide="ignore", invalid="ignore"):
        theta_low, theta_high = ratio_ends(r0, n0, r1, n1, tail.z)
        odds = size0 / size1
        # Recall is 0 at an infinite ratio, but 1 if there are no unretrieved documents at all,
        # where the product is nan.
        low, high = (
            np.where(np.isinf(theta) & (size0 > 0), 0.0, 1 / (1 + theta * odds))
            for theta in (theta_high, theta_low)
        )
        (least1, most1), (least0, most0) = (
            _wilson_yield(stratum, tail) for stratum in ((size1, n1, r1), (size0, n0, r0))
        )
        by_parts = (
            np.where(least1 > 0, least1 / (least1 + most0), 0.0),
            np.where(least0 > 0, most1 / (most1 + least0), 1.0),
        )
    is_by_parts = is_known1 | is_known0
    low = np.where(is_by_parts, by_parts[0], low)
    return Ends(low, np.where(is_by_parts, by_parts[1], high))


def _wilson_yield(stratum: tuple[Any, Any, Any], tail: Tail) -> tuple[Any, Any]:
    """The yield if it is known, otherwise the ends of its Wilson interval."""
    size, sampled, relevant = stratum
    some = sampled > 0
    low, high = wilson(relevant, np.where(some, sampled, 1.0), tail)
    low, high = size * np.where(some, low, 0.0), size * np.where(some, high, 1.0)
    return np.where(sampled == size, relevant, low), np.where(sampled == size, relevant, high)
