"""Segments that fallible assessors coded and people audited, slowly: double sampling (Tenenbein
1970) with a finite population.

A random sample of `judged` of the `size` documents was coded, and `called` of these were called
relevant. An audit of `m1` called ones found `x1` relevant; one of `m0` other judged ones found
`x0`.
"""

from fractions import Fraction

import numpy as np
from mpmath import mpf, sqrt
from scipy.special import betaln, gammaln

from .samples import HALF, betabinomial_pmf, convolve


def audited_pmf(size, judged, called, m1, x1, m0, x0, prior=HALF):
    """{yield: probability}: a sum over how many of the documents that nobody coded would have been
    called relevant, each class with its own beta-binomial."""
    total = {}
    for more, weight in betabinomial_pmf(
        size - judged, called + prior, judged - called + prior
    ).items():
        of_called = betabinomial_pmf(called + more - m1, x1 + prior, m1 - x1 + prior)
        of_others = betabinomial_pmf(size - called - more - m0, x0 + prior, m0 - x0 + prior)
        for count, p in convolve(of_called, of_others).items():
            total[x1 + x0 + count] = total.get(x1 + x0 + count, 0) + weight * p
    return dict(sorted(total.items()))


def beta_binomial_masses(m, a, b):
    """All probabilities of BetaBin(m; a, b), in floats: within 1e-11 to some thousands."""
    k = np.arange(m + 1)
    logs = betaln(a + k, b + m - k) - gammaln(k + 1) - gammaln(m - k + 1)
    masses = np.exp(logs - logs.max())
    return masses / masses.sum()  # without the error that all of them share


def audited_masses(size, judged, called, m1, x1, m0, x0, prior=0.5):
    """`audited_pmf` in floats: the probability of every yield from 0 to `size`."""
    total = np.zeros(size + 1)
    of_calls = beta_binomial_masses(size - judged, called + prior, judged - called + prior)
    for more, weight in enumerate(of_calls):
        one = beta_binomial_masses(called + more - m1, x1 + prior, m1 - x1 + prior)
        two = beta_binomial_masses(size - called - more - m0, x0 + prior, m0 - x0 + prior)
        both = np.convolve(one, two)
        total[x1 + x0 : x1 + x0 + both.size] += weight * both
    return total


def end_masses(size, judged, called, m1, x1, m0, x0, end, prior=0.5):
    """`audited_masses` for an end of an interval.  The low end takes a class of calls as empty if
    its audit found no relevant document, that of the other class found some, and the prior adds
    more than a fifth of the other class's yield, half a standard deviation of it, or its low end
    by a gamma law; the high end is that of documents that are not relevant."""
    if end == "high":
        mirrored = end_masses(size, judged, called, m1, m1 - x1, m0, m0 - x0, "low", prior)
        return mirrored[::-1]
    of_calls = beta_binomial_masses(size - judged, called + prior, judged - called + prior)
    more = np.arange(of_calls.size)
    classes = (
        (called - m1 + more, m1, x1),
        (size - called - m0 - more, m0, x0),
    )
    empty = []
    for (left, m, x), (left_beside, m_beside, x_beside) in (classes, classes[::-1]):
        added = of_calls @ left * prior / (m + 2 * prior)
        if x > 0 or not x_beside:
            empty.append(False)
            continue
        moments = np.zeros(2)
        for weight, n in zip(of_calls, left_beside, strict=True):
            masses = beta_binomial_masses(n, x_beside + prior, m_beside - x_beside + prior)
            k = np.arange(masses.size)
            moments += weight * np.array([masses @ k, masses @ k**2])
        deviation = np.sqrt(max(moments[1] - moments[0] ** 2, 0))
        low = x_beside
        if deviation:
            shape = (moments[0] / deviation) ** 2
            low += moments[0] * max(0, 1 - 1 / (9 * shape) - 1.96 / (3 * shape**0.5)) ** 3
        else:
            low += moments[0]
        empty.append(added > min((x_beside + moments[0]) / 5, deviation / 2, low))
    total = np.zeros(size + 1)
    nothing = np.ones(1)
    for more, weight in enumerate(of_calls):
        one, two = (
            nothing if is_empty else beta_binomial_masses(left, x + prior, m - x + prior)
            for is_empty, left, m, x in (
                (empty[0], called + more - m1, m1, x1),
                (empty[1], size - called - more - m0, m0, x0),
            )
        )
        both = np.convolve(one, two)
        total[x1 + x0 : x1 + x0 + both.size] += weight * both
    return total


def quantile(pmf, p):
    """The least value with P(X <= value) >= p."""
    reached = 0
    for value, mass in pmf.items():
        reached += mass
        if reached >= p:
            return value
    return max(pmf)


def two_phase_share(judged, called, m1, x1, m0, x0):
    """The estimated share of relevant documents, and its standard error by propagation."""
    p, q1, q0 = Fraction(called, judged), Fraction(x1, m1), Fraction(x0, m0)
    variance = (
        p**2 * q1 * (1 - q1) / m1
        + (1 - p) ** 2 * q0 * (1 - q0) / m0
        + (q1 - q0) ** 2 * p * (1 - p) / judged
    )
    return p * q1 + (1 - p) * q0, sqrt(mpf(variance.numerator) / variance.denominator)


def lang_reiczigel(positive, sampled, sensitivity, specificity, z):
    """Prevalence by a fallible test (Lang & Reiczigel 2014), before it is cut off at 0 and 1.

    Sensitivity and specificity are (right, tested).
    """
    positive, z = mpf(positive), mpf(z)
    n = sampled + z**2
    p = (positive + z**2 / 2) / n
    (se, n_se), (sp, n_sp) = (
        ((mpf(right) + 1) / (tested + 2), tested + 2)
        for right, tested in (sensitivity, specificity)
    )
    informedness = se + sp - 1
    t = (p + sp - 1) / informedness
    of_se, of_sp = se * (1 - se) / n_se, sp * (1 - sp) / n_sp
    middle = t + 2 * z**2 * (t * of_se - (1 - t) * of_sp)
    half = z * sqrt(p * (1 - p) / n + t**2 * of_se + (1 - t) ** 2 * of_sp) / informedness
    return middle - half, middle + half


def lee_allocation(m: int, p: float, q0: float, q1: float, pilot: int) -> tuple[int, int]:
    """How many of m calibration labels go to documents that are not relevant, and how many to
    relevant ones (Lee et al. 2025), from a pilot of so many labels of each kind: with
    k = (pilot (1 - q0) + 1)/(pilot (1 - q1) + 1) relevant ones get m/(1 + (1/p - 1) √k).

    p is the share that the judge calls relevant, not that of relevant documents.
    """
    k = (pilot * (1 - q0) + 1) / (pilot * (1 - q1) + 1)
    relevant = round(min(max(m / (1 + (1 / p - 1) * k**0.5), pilot), m - pilot))
    return m - relevant, relevant
