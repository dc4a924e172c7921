"""BUSCAR's urns: where they begin, which totals miss a target, and urns with odds."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.foundation.arguments import as_floats, check_number
from irbounds.foundation.errors import fail

if TYPE_CHECKING:
    from irbounds.typing import ArrayLike

RULE = "must be above 0 and at most 1, for example 0.95"
LEAST_LOG_TIME, MOST_LOG_TIME = -90.0, 7.0  # see biased_tails
DEPTH, NODES = 45.0, 400  # exp(-45) = 3e-20 of the peak are left out; steps of 0.15 or less
SEARCHES = 60  # of a golden section: 97 * 0.618^60 = 3e-11


def exact_target(target: object) -> Fraction:
    """The target as a fraction: 0.95 is 19/20, as it is written."""
    if not isinstance(target, Fraction | Decimal):
        return Fraction(repr(check_number("target", target, RULE, lambda x: 0 < x <= 1)))
    if not (isinstance(target, Fraction) or target.is_finite()):
        fail("target", RULE, target)
    exact = Fraction(target)
    return exact if 0 < exact <= 1 else fail("target", RULE, target)


def missing_totals(target: Fraction, found: int, population: int) -> np.ndarray:
    """The least totals with which 0, 1, ..., `found` documents are less than the target; at most
    one more than the population."""
    n, d = target.numerator, target.denominator
    # Products of 64-bit integers overflow from 2^63 on.
    if found * d < 2**62:
        totals = np.arange(found + 1) * np.int64(d) // n + 1
    else:
        totals = np.array([min(j * d // n, population) + 1 for j in range(found + 1)])
    return np.minimum(totals, population + 1).astype(float)


def check_labels(labels: Any, population: int, argument: str = "labels") -> np.ndarray:
    """Labels of documents in the order in which they were read, each 0 or 1, as bytes."""
    marks = as_floats(argument, labels, "must be a list of 0 and 1")
    if marks.ndim != 1:
        fail(argument, "must be a list of 0 and 1", labels)
    wrong = (marks != 0) & (marks != 1)
    if wrong.any():
        i = int(np.flatnonzero(wrong)[0])
        fail(argument, "must be 0 or 1", as_given(labels, i), f"at index {i}")
    if marks.size > population:
        fail(argument, f"must be at most `population`, {population} documents", marks.size)
    return marks.astype(np.uint8)


def as_batches(at_random: Any) -> np.ndarray:
    """For each document 0, or the number of the random batch that it belongs to."""
    rule = "must be a list of 0 and 1, or of whole numbers of batches"
    numbers = as_floats("at_random", at_random, rule)
    if numbers.ndim != 1:
        fail("at_random", rule, at_random)
    wrong = (numbers != np.floor(numbers)) | ~((numbers >= 0) & (numbers < np.inf))
    if wrong.any():
        i = int(np.flatnonzero(wrong)[0])
        rule = "must be 0 or 1, or the whole number of a batch"
        fail("at_random", rule, as_given(at_random, i), f"at index {i}")
    return numbers


def as_given(values: ArrayLike, i: int) -> Any:
    """The element as the caller wrote it: None, not nan."""
    value = values[i] if isinstance(values, list | tuple) else np.asarray(values)[i]
    return value.item() if isinstance(value, np.generic) else value


def urn_starts(marks: np.ndarray) -> np.ndarray:
    """Documents read before each urn that can have the least probability: none, or a relevant one
    last, with an irrelevant one next."""
    after = np.flatnonzero((marks[:-1] == 1) & (marks[1:] == 0)) + 1
    return np.concatenate([[0], after]).astype(float)


def biased_tails(
    unread: np.ndarray, missed: np.ndarray, drawn: np.ndarray, found: np.ndarray, odds: float
) -> np.ndarray:
    """P(X <= found) of urns from which a relevant document is `odds` times as likely to be drawn
    next as another one (Wallenius).

    Let each document arrive after an exponential time, at the rate `odds` if it is relevant and 1
    if not: the order of arrival has Wallenius' law. At most k relevant documents are among the
    first i if the (i - k)-th irrelevant document arrives before the (k + 1)-th relevant one. That
    is the integral over time t of the density of the former, with exp(-t) of Beta(u - c + 1,
    i - k), times the probability I_{exp(-odds t)}(c, k + 1) of the latter. The logarithm of both
    is concave in log t; the trapezoidal rule goes as far as the product is above exp(-45) of its
    peak. Documents up to 10^15 have times above exp(-90) until then. Relative error 1e-9.
    """
    from scipy.special import betainc, betaln

    others = drawn - found
    is_open = others > 0
    result = np.ones(drawn.shape)
    if not is_open.any():
        return result
    a, b = (unread - missed + 1)[is_open], others[is_open]
    c, k = missed[is_open], found[is_open]
    constant = betaln(a, b)

    def density(s: np.ndarray) -> np.ndarray:
        shape = (...,) + (None,) * (s.ndim - 1)
        with np.errstate(divide="ignore", under="ignore"):
            t = np.exp(s)
            early = (b[shape] - 1) * np.log(-np.expm1(-t)) - a[shape] * t + s
            late = np.log(betainc(c[shape], k[shape] + 1, np.exp(-odds * t)))
        return early + late - constant[shape]

    low, high = (np.full(a.shape, x) for x in (LEAST_LOG_TIME, MOST_LOG_TIME))
    for _ in range(SEARCHES):
        # Golden section: each step keeps .618 of the interval with the peak, as the density has
        # one.
        one, other = high - 0.618034 * (high - low), low + 0.618034 * (high - low)
        rises = density(other) > density(one)  # both -inf where the peak is to the left
        low, high = np.where(rises, one, low), np.where(rises, high, other)
    peak = (low + high) / 2
    height = density(peak)
    ends = []
    for end in (LEAST_LOG_TIME, MOST_LOG_TIME):
        inside, outside = peak.copy(), np.full(a.shape, end)
        # 30 halvings leave 1e-9 of the interval: the ends decide only what is left out.
        for _ in range(30):
            middle = (inside + outside) / 2
            is_in = density(middle) > height - DEPTH
            inside, outside = np.where(is_in, middle, inside), np.where(is_in, outside, middle)
        ends.append(outside)
    # The integrand is nothing at both ends, and smooth: equal steps have an error that falls
    # exponentially with their number.
    step = (ends[1] - ends[0]) / (NODES - 1)
    nodes = ends[0][:, None] + step[:, None] * np.arange(NODES)
    with np.errstate(under="ignore"):
        result[is_open] = np.minimum(1, step * np.exp(density(nodes)).sum(axis=1))
    return result
