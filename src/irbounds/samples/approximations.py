"""Recall intervals by formulas: normal approximations, the naive binomial, and Koopman's."""
from __future__ import annotations

from typing import Any

import numpy as np

from irbounds.samples.proportions import binomial_ratio_interval, normal_quantile
from irbounds.samples.strata import Segment, total

Ends = tuple[Any, Any]


def yield_estimate(segment: Segment, more: float = 0.0) -> tuple[Any, Any]:
    """A segment's estimated yield and its variance, with `more` added to the counts of either kind in each stratum
    (eq. 4, 5, 11, 24, 27)."""
    estimate: Any = 0.0
    variance: Any = 0.0
    for size, sampled, relevant in segment:
        with np.errstate(divide="ignore", invalid="ignore"):
            n = sampled + 2 * more
            p = (relevant + more) / n
            unseen = np.where(size > 0, 1 - sampled / size, 0.0)
            estimate = estimate + np.where(size > 0, size * p, 0.0)
            variance = variance + np.where(unseen > 0, size * size * p * (1 - p) / n * unseen, 0.0)
    return estimate, variance


def recall_ratio(retrieved: Segment, unretrieved: Segment) -> Any:
    """The estimated yields' ratio (eq. 2); nan where nothing relevant was found, or a stratum was not sampled."""
    (first, _), (second, _) = yield_estimate(retrieved), yield_estimate(unretrieved)
    with np.errstate(divide="ignore", invalid="ignore"):
        return first / (first + second)


def normal(retrieved: Segment, unretrieved: Segment, level: float, side: str, more: float) -> Ends:
    """By propagation of the yields' errors (eq. 23 to 29), not clipped; nan where nothing was found."""
    (r1, v1), (r0, v0) = yield_estimate(retrieved, more), yield_estimate(unretrieved, more)
    z = normal_quantile(level, side)
    with np.errstate(divide="ignore", invalid="ignore"):
        middle = r1 / (r1 + r0)
        half = z * np.sqrt(v1 * r0**2 + v0 * r1**2) / (r1 + r0) ** 2
    return middle - half, middle + half


def naive(retrieved: Segment, unretrieved: Segment, level: float, side: str) -> Ends:
    """Wald's interval on the estimated recall, as if every relevant document of the samples were a trial (eq. 25)."""
    estimate = recall_ratio(retrieved, unretrieved)
    n = total(retrieved, "relevant") + total(unretrieved, "relevant")
    with np.errstate(divide="ignore", invalid="ignore"):
        half = normal_quantile(level, side) * np.sqrt(estimate * (1 - estimate) / n)
    return estimate - half, estimate + half


def koopman(retrieved: Segment, unretrieved: Segment, level: float, side: str) -> Ends:
    """Recall = 1/(1 + θ N0/N1), θ = π0/π1 (section 3.4); one stratum each."""
    (n1_all, n1, r1), (n0_all, n0, r0) = retrieved[0], unretrieved[0]
    turned = {"two-sided": "two-sided", "lower": "upper", "upper": "lower"}[side]
    ratio = binomial_ratio_interval(r0, n0, r1, n1, confidence_level=level, side=turned)
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = n0_all / n1_all
        low, high = (np.where(np.isinf(theta) & (n0_all > 0), 0.0, 1 / (1 + theta * odds))
                     for theta in (ratio.high, ratio.low))
    low, high = np.where(n1_all == 0, 0.0, low), np.where(n1_all == 0, np.where(r0 > 0, 0.0, 1.0), high)
    return np.where(n0_all == 0, 1.0 * (r1 > 0), low), high
