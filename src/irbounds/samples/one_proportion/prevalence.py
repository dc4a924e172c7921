"""The share of relevant documents where a fallible test, with known error rates, has judged a
sample (Rogan & Gladen 1978, Lang & Reiczigel 2014)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.foundation.arguments import broadcast, check_numbers, check_same_index, plain
from irbounds.foundation.errors import InputError, fail
from irbounds.foundation.interval import Interval, normal_quantile, one_sided

if TYPE_CHECKING:
    from irbounds.typing import FloatOrArray

METHOD = "lang-reiczigel"
Rate = tuple[float, float, float]  # observed, smoothed, and the variance of the smoothed rate


def prevalence_interval(
    positive: FloatOrArray,
    sampled: FloatOrArray,
    sensitivity: FloatOrArray,
    specificity: FloatOrArray,
    *,
    confidence_level: float = 0.95,
    side: str = "two-sided",
) -> Interval:
    """An interval on the share of relevant documents that corrects a judge's known errors.

    Parameters
    ----------
    positive, sampled : float or array_like
        Documents that the judge called relevant, and documents that it judged: a simple random
        sample of a large population.
    sensitivity, specificity : (right, tested) or float
        How many of the relevant, and of the nonrelevant, documents of a validation study the judge
        called right: ``(178, 179)``.  A number from 0 to 1 is taken as known without error.
    confidence_level : float
    side : {"two-sided", "lower", "upper"}

    Returns
    -------
    Interval
        ``estimate`` is Rogan and Gladen's, (p + specificity - 1)/(sensitivity + specificity - 1),
        clipped to [0, 1]; the ends are Lang and Reiczigel's, also clipped.  ``raw_low`` and
        ``raw_high`` are the ends before clipping.

    Raises
    ------
    InputError
        If sensitivity + specificity is at most 1: such a judge says nothing about relevance.

    Notes
    -----
    The error rates must hold for the population that is judged.  If people can label a random part
    of that population itself, do that instead: `Audited` and `assisted_interval` need no rates
    from elsewhere, and their intervals are narrower.

    There is no such correction of recall.  Recall depends on the judge's false alarms among the
    documents that were not retrieved, mostly easy nonrelevant ones, and the rate there is not the
    rate in a validation study.  `recall_interval` takes `Audited` segments instead.

    References
    ----------
    Z. Lang, J. Reiczigel (2014), Confidence limits for prevalence of disease adjusted for estimated
    sensitivity and specificity, Preventive Veterinary Medicine 113.

    Examples
    --------
    >>> import irbounds as irb
    >>> errors = {"sensitivity": (178, 179), "specificity": (358, 359)}
    >>> irb.samples.prevalence_interval(4060, 11_284, **errors)
    Interval(0.36003 in [0.348674, 0.372083], 0.95 two-sided, lang-reiczigel)
    """
    check_same_index(positive=positive, sampled=sampled)
    counts = [
        check_numbers(
            name, value, "must be 0 or more and finite", lambda x: (x >= 0) & (x < math.inf)
        )
        for name, value in (("positive", positive), ("sampled", sampled))
    ]
    x, n = broadcast(positive=counts[0], sampled=counts[1])
    if (x > n).any():
        i = tuple(np.argwhere(x > n)[0])
        fail("positive", f"must be at most `sampled`, {n[i]:g}", float(x[i]))
    z = normal_quantile(confidence_level, side)
    se, sp = _rate("sensitivity", sensitivity), _rate("specificity", specificity)
    for observed in (se[0] + sp[0], se[1] + sp[1]):
        # At 1 the judge's calls are independent of relevance and the corrected share is a quotient
        # by 0.
        if observed <= 1 + 1e-12:
            raise InputError(
                "`sensitivity` and `specificity` must add up to more than 1; found "
                f"{se[0]:g} and {sp[0]:g}: such a judge tells nothing about relevance"
            )
    informedness = _difference(sensitivity, specificity)
    # Lang and Reiczigel's interval: Wald's with z²/2 added to both counts of the sample, as Agresti
    # and Coull do, and one to those of the tests of the judge.
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = np.clip((x / n + sp[0] - 1) / (se[0] + sp[0] - 1), 0, 1)
        p = (x + z**2 / 2) / (n + z**2)
        share = (p + sp[1] - 1) / informedness
        middle = share + 2 * z**2 * (share * se[2] - (1 - share) * sp[2])
        # The delta method for (p + sp - 1)/(se + sp - 1): by p 1, by se -share and by sp 1 - share,
        # each over the denominator.
        variance = p * (1 - p) / (n + z**2) + share**2 * se[2] + (1 - share) ** 2 * sp[2]
        half = z * np.sqrt(variance) / informedness
    raw = [
        np.where(n > 0, end, open_end)
        for end, open_end in ((middle - half, 0.0), (middle + half, 1.0))
    ]
    low, high = one_sided(np.clip(raw[0], 0, 1), np.clip(raw[1], 0, 1), side)
    return Interval(
        plain(estimate),
        plain(low),
        plain(high),
        confidence_level,
        side,
        METHOD,
        "formula",
        None,
        plain(raw[0]),
        plain(raw[1]),
    )


def _difference(sensitivity: FloatOrArray, specificity: FloatOrArray) -> float:
    """Smoothed sensitivity + specificity - 1, one quotient of whole numbers: near 0 the sum of two
    rounded rates keeps few digits."""
    (right, n1), (correct, n2) = (
        (float(value), 1.0) if np.ndim(value) == 0 else (float(value[0]) + 1, float(value[1]) + 2)
        for value in (sensitivity, specificity)
    )
    return (right * n2 - (n2 - correct) * n1) / (n1 * n2)


def _rate(name: str, value: Any) -> Rate:
    """A rate as observed, with one success and one failure added, and the variance of that; an
    exact rate has none."""
    rule = "must be (right, tested) with 0 <= right <= tested and tested >= 1, or from 0 to 1"
    numbers = check_numbers(name, value, rule, lambda x: (x >= 0) & (x < math.inf))
    if numbers.shape == ():
        if not numbers <= 1:
            fail(name, rule, value)
        return float(numbers), float(numbers), 0.0
    if numbers.shape != (2,) or numbers[0] > numbers[1] or numbers[1] < 1:
        fail(name, rule, value)
    right, tested = numbers.tolist()
    smoothed = (right + 1) / (tested + 2)
    return right / tested, smoothed, smoothed * (1 - smoothed) / (tested + 2)
