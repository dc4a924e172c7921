"""Recall intervals by formulas: normal approximations, the naive binomial, and Koopman's."""

from __future__ import annotations

from typing import Any

import numpy as np

from irbounds.foundation.interval import normal_quantile, tail_probability
from irbounds.samples.proportion_methods import Tail, wilson
from irbounds.samples.ratios import ratio_ends
from irbounds.samples.strata import Segment, total

Ends = tuple[Any, Any]


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


def normal(retrieved: Segment, unretrieved: Segment, level: float, side: str, more: float) -> Ends:
    """Normal intervals by propagation of the yields' errors (eq. 23 to 29), not clipped; nan if
    nothing was found."""
    (r1, v1), (r0, v0) = yield_estimate(retrieved, more), yield_estimate(unretrieved, more)
    z = normal_quantile(level, side)
    with np.errstate(divide="ignore", invalid="ignore"):
        middle = r1 / (r1 + r0)
        half = z * np.sqrt(v1 * r0**2 + v0 * r1**2) / (r1 + r0) ** 2
    return middle - half, middle + half


def naive(retrieved: Segment, unretrieved: Segment, level: float, side: str) -> Ends:
    """Wald's interval for the estimated recall, as if every relevant document of the samples were a
    trial (eq. 25).

    The formula ignores that a stratum was sampled completely.  If one was, the ends are clipped to
    the possible values of recall, so that a complete census gives recall itself.
    """
    estimate = recall_ratio(retrieved, unretrieved)
    n = total(retrieved, "relevant") + total(unretrieved, "relevant")
    with np.errstate(divide="ignore", invalid="ignore"):
        half = normal_quantile(level, side) * np.sqrt(estimate * (1 - estimate) / n)
    least, most = _possible_recall(retrieved, unretrieved)
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
    return np.where(has_census, np.maximum(low, least), low), np.where(
        has_census, np.minimum(high, most), high
    )


def _possible_recall(retrieved: Segment, unretrieved: Segment) -> Ends:
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


def koopman(retrieved: Segment, unretrieved: Segment, level: float, side: str) -> Ends:
    """Recall = 1/(1 + θ N0/N1), θ = π0/π1 (section 3.4); one stratum in each segment.

    A completely sampled segment has a known proportion.  Chi-square then has one term, that of the
    other proportion, whose interval is Wilson's.
    """
    one, other = retrieved[0], unretrieved[0]
    shape = np.broadcast_shapes(one.size.shape, other.size.shape)
    (size1, n1, r1), (size0, n0, r0) = (
        [np.broadcast_to(field, shape) for field in stratum] for stratum in (one, other)
    )
    tail = Tail(tail_probability(level, side), normal_quantile(level, side), side)
    if tail.z < 0:  # a bound of less than one half is that of more than one half on the other side
        tail = Tail(1 - tail.probability, tail.z, side)
    is_known1, is_known0 = n1 == size1, n0 == size0
    with np.errstate(divide="ignore", invalid="ignore"):
        theta_low, theta_high = ratio_ends(r0, n0, r1, n1, tail.z)
        odds = size0 / size1
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
    return np.where(is_by_parts, by_parts[0], low), np.where(is_by_parts, by_parts[1], high)


def _wilson_yield(stratum: tuple[Any, Any, Any], tail: Tail) -> Ends:
    """The yield if it is known, otherwise the ends of its Wilson interval."""
    size, sampled, relevant = stratum
    some = sampled > 0
    low, high = wilson(relevant, np.where(some, sampled, 1.0), tail)
    low, high = size * np.where(some, low, 0.0), size * np.where(some, high, 1.0)
    return np.where(sampled == size, relevant, low), np.where(sampled == size, relevant, high)
