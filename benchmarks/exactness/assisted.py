"""Judges that err and people who audit them: enumeration, and formulas with many digits."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import mpmath
import numpy as np
from scipy.stats import norm

import irbounds as irb
from exactness.measure import Family, Row
from tests.reference import assisted as slow
from tests.reference import audited as slow_audited

EXACT_ENDS, PROBABILITY, FORMULA = 1e-9, 1e-11, 1e-11  # the docstrings' and the tests'
Question = tuple[int, int, int, int, int, int, int]


def coded_segment(rng: np.random.Generator, most: int) -> Question:
    """(size, sampled, called, audited and relevant of the called, of the others)."""
    size = int(np.exp(rng.uniform(0, np.log(most))))
    sampled = int(rng.integers(0, size + 1))
    called = int(rng.integers(0, sampled + 1))
    m1, m0 = int(rng.integers(0, called + 1)), int(rng.integers(0, sampled - called + 1))
    return size, sampled, called, m1, int(rng.integers(m1 + 1)), m0, int(rng.integers(m0 + 1))


def audited(question: Question) -> irb.Audited:
    """As the library takes it."""
    size, sampled, called, m1, x1, m0, x0 = question
    return irb.Audited(size, sampled, called, (m1, x1), (m0, x0))


def audits(n: int) -> Iterator[Row]:
    """P(recall <= q) beside ten documents that are known."""
    rng = np.random.default_rng(22)
    row = Row("recall_posterior of Audited, cdf", "enumeration of calls and yields", PROBABILITY)
    for _ in range(n):
        question = coded_segment(rng, 500)
        below = np.cumsum(slow_audited.audited_masses(*question))
        posterior = irb.recall_posterior(audited(question), (10, 10, 10))
        for found in rng.integers(0, question[0] + 1, 5).tolist():
            row.add(posterior.cdf(found / (found + 10)), below[found])
    yield row


def prevalences(n: int) -> Iterator[Row]:
    """Both ends before they are clipped."""
    rng = np.random.default_rng(23)
    row = Row("prevalence_interval", "formula, 30 digits", FORMULA)
    for _ in range(n):
        sampled = int(rng.integers(1, 2000))
        x = int(rng.integers(0, sampled + 1))
        rates = [
            (int(rng.integers(m * 3 // 4, m + 1)), m) for m in rng.integers(8, 300, 2).tolist()
        ]
        with mpmath.workdps(30):
            z = mpmath.mpf(norm.ppf(0.975))
            exact = slow_audited.lang_reiczigel(x, sampled, *rates, z)
        found = irb.samples.prevalence_interval(x, sampled, *rates)
        row.add([found.raw_low, found.raw_high], list(exact))
    yield row


def assisted_intervals(n: int) -> Iterator[Row]:
    """Ends and estimate of the share of relevant pairs."""
    rng = np.random.default_rng(24)
    row = Row("assisted_interval, strata", "enumeration of all pairs, fractions", EXACT_ENDS)
    for _ in range(n):
        size = int(rng.integers(6, 40))
        docs = [f"d{i}" for i in range(size)]
        grade = rng.integers(0, 3, size).tolist()
        labels = [int(rng.integers(2)) if rng.random() < 0.5 else None for _ in docs]
        labels[:2] = [0, 1]
        human = {"q": {d: y for d, y in zip(docs, labels, strict=True) if y is not None}}
        found = irb.assisted_interval(
            human, {"q": dict(zip(docs, grade, strict=True))}, measure="SetP", method="strata"
        )
        law = slow.strata_pmf(
            [(Fraction(1, size), g, y) for g, y in zip(grade, labels, strict=True)]
        )
        exact = [slow_audited.quantile(law, p) for p in (Fraction(25, 1000), Fraction(975, 1000))]
        mean = sum(x * p for x, p in law.items())
        row.add([found.low, found.high, found.estimate], [*exact, mean])
    yield row


FAMILIES = [
    Family(audits, 60, 3, "Audited"),
    Family(prevalences, 60, 5, "prevalence_interval"),
    Family(assisted_intervals, 40, 2, "assisted_interval AssistedInterval JudgeStratum"),
]
