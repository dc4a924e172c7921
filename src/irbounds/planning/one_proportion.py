"""Sample sizes for one proportion: prevalence, richness, elusion."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from irbounds.foundation.arguments import check_level, check_number
from irbounds.foundation.errors import InputError, fail

MOST = 10**9  # documents of an unlimited population
MOST_ALLOWED = 1000  # relevant documents in an acceptance sample
LONGEST_PERIOD = 400  # sizes that are looked at beyond the first that is enough


def proportion_sample_size(
    margin: float,
    *,
    expected: float = 0.5,
    size: int | None = None,
    method: str | None = None,
    confidence_level: float = 0.95,
) -> int:
    """The number of documents for an interval of one proportion of about ± `margin`.

    Parameters
    ----------
    margin : float
        Largest half width of the two-sided interval, between 0 and 1/2.
    expected : float
        The proportion that the sample will show.  1/2 needs the largest sample.
    size : int, optional
        Documents in the population; unlimited by default.
    method, confidence_level
        As for `irbounds.binomial_interval`.

    Returns
    -------
    int
        The least number from which on intervals of samples with this proportion, rounded down and
        up to whole documents, have at most this half width.

    Examples
    --------
    >>> import irbounds as irb
    >>> irb.planning.proportion_sample_size(0.02, expected=0.1)
    874
    >>> irb.planning.proportion_sample_size(0.02, expected=0.1, size=5000)
    778
    """
    margin = check_number("margin", margin, "must be between 0 and 0.5", lambda x: 0 < x < 0.5)
    expected = check_number("expected", expected, "must be in [0, 1]", lambda x: 0 <= x <= 1)
    most = MOST if size is None else int(size)
    options: dict[str, Any] = {"size": size, "method": method, "confidence_level": confidence_level}

    def is_too_wide(n: np.ndarray) -> np.ndarray:
        return np.asarray(_half_width(n, expected, options) > margin)

    low, high = 0, 1
    while is_too_wide(np.asarray([high]))[0]:
        if high == most:
            fail("margin", f"must need at most {most} documents", margin)
        low, high = high, min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if is_too_wide(np.asarray([middle]))[0] else (low, middle)
    # Whole documents make widths go up and down as n rises, within about one more document found.
    period = int(min(2 / max(min(expected, 1 - expected), 2 / LONGEST_PERIOD), LONGEST_PERIOD))
    while (wide := np.flatnonzero(is_too_wide(np.arange(high, min(high + period, most))))).size:
        high += int(wide[-1]) + 1
    return high


def _half_width(n: np.ndarray, expected: float, options: dict[str, Any]) -> np.ndarray:
    """Half the width of an interval, the wider with the expected number rounded down or up."""
    from irbounds.samples.one_proportion.proportions import binomial_interval

    ends = [binomial_interval(f(n * expected), n, **options) for f in (np.floor, np.ceil)]
    return np.maximum(*[(np.asarray(each.high) - each.low) / 2 for each in ends])


@dataclass(frozen=True)
class AcceptanceSample:
    """A sample that accepts if it has at most so many relevant documents.

    Attributes
    ----------
    sampled : int
        Documents to draw.
    allowed : int
        Relevant documents with which the bound still holds.
    at_most : float
        The proportion that acceptance excludes with the confidence level.
    confidence_level : float
    power : float
        Probability of acceptance at the expected proportion.
    """

    sampled: int
    allowed: int
    at_most: float
    confidence_level: float
    power: float


def acceptance_samples(
    at_most: float,
    *,
    expected: float = 0.0,
    power: float = 0.8,
    size: int | None = None,
    confidence_level: float = 0.95,
) -> list[AcceptanceSample]:
    """Samples that show that a proportion is at most a limit: with 0, 1, 2, … documents allowed.

    Parameters
    ----------
    at_most : float
        The limit: with more relevant documents than this share, the sample accepts with a
        probability of at most 1 - `confidence_level`.
    expected : float
        The proportion for which the power is computed, below `at_most`.
    power : float
        The list ends with the first sample that accepts with this probability; it must allow at
        most 1,000 relevant documents.
    size : int, optional
        Documents in the population; unlimited by default.
    confidence_level : float

    Returns
    -------
    list of AcceptanceSample
        The smallest sample for each number of documents allowed.

    Notes
    -----
    The test is exact: hypergeometric with `size`, binomial without.  It accepts whenever the upper
    bound of "hypergeometric" or "clopper-pearson" (`irbounds.binomial_interval`) is at most the
    limit.

    Examples
    --------
    >>> import irbounds as irb
    >>> for sample in irb.planning.acceptance_samples(0.01, expected=0.003, power=0.6):
    ...     print(sample.sampled, sample.allowed, round(sample.power, 3))
    299 0 0.407
    473 1 0.585
    628 2 0.708
    """
    at_most = check_number("at_most", at_most, "must be between 0 and 1", lambda x: 0 < x < 1)
    power = check_number("power", power, "must be between 0 and 1", lambda x: 0 < x < 1)
    expected = check_number(
        "expected", expected, f"must be less than at_most, {at_most:g}", lambda x: 0 <= x < at_most
    )
    alpha = 1 - check_level(confidence_level)
    bad, good = at_most, expected
    if size is not None:
        # The least number of relevant documents above the limit, and the expected one.
        bad, good = math.floor(size * at_most) + 1, round(size * expected)
    samples: list[AcceptanceSample] = []
    allowed, least = 0, 1
    while not samples or samples[-1].power < power:
        n = _least(least, allowed, bad, size, alpha) if allowed <= MOST_ALLOWED else None
        if n is None:
            raise InputError(
                f"no sample with at most {MOST_ALLOWED} relevant documents accepts with "
                f"probability {power:g} if the proportion is {expected:g}: give a smaller `power` "
                "or `expected`"
            )
        chance = float(_accepts(allowed, np.asarray(n), good, size))
        samples.append(AcceptanceSample(n, allowed, at_most, confidence_level, chance))
        allowed, least = allowed + 1, n
    return samples


def _accepts(allowed: int, n: np.ndarray, relevant: float, size: int | None) -> np.ndarray:
    """Probability of at most so many relevant documents in samples of n."""
    if size is None:
        from irbounds.foundation.distributions import BetaDistribution

        if relevant == 0:
            return np.ones(n.shape)
        # P(X <= c) is a tail of Beta(c + 1, n - c); with n <= c it is 1.
        tail = BetaDistribution(allowed + 1.0, np.maximum(n - allowed, 1.0)).sf(relevant)
        return np.where(n > allowed, tail, 1.0)
    from irbounds.chance.hypergeometric import hypergeometric_cdf

    return np.asarray(hypergeometric_cdf(allowed, size, int(relevant), n))


def _least(start: int, allowed: int, relevant: float, size: int | None, alpha: float) -> int | None:
    """The smallest sample that rejects this many relevant documents; it is at least `start`."""
    most = MOST if size is None else int(size)
    low, high = start, start
    while _accepts(allowed, np.asarray(high), relevant, size) > alpha:
        if high == most:
            return None
        low, high = high, min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        if _accepts(allowed, np.asarray(middle), relevant, size) > alpha:
            low = middle
        else:
            high = middle
    return high
