"""Intervals of one proportion and of a ratio of two: the formulas, and enumeration."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import mpmath
import numpy as np

import irbounds as irb
from exactness.measure import RELATIVE, Family, Row
from exactness.samples import SIDES, ends, random_stratum
from tests.reference import sample_intervals as formulas

PROPORTION = 1e-11  # the tests'
RATIO = 1e-13  # the docstring's
PROPORTIONS = {
    "wald": formulas.wald,
    "wilson": formulas.wilson,
    "wilson-cc": formulas.wilson_corrected,
    "agresti-coull": formulas.agresti_coull,
    "clopper-pearson": formulas.clopper_pearson,
    "jeffreys": formulas.jeffreys,
    "mid-p": formulas.mid_p,
    "blaker": formulas.blaker,
}
FINITE = {
    "hypergeometric": formulas.hypergeometric_bounds,
    "mid-p": formulas.hypergeometric_mid_p,
    "blaker": formulas.hypergeometric_blaker,
}


def proportions(n: int) -> Iterator[Row]:
    """Each method at both sides, and of a finite population."""
    rng = np.random.default_rng(1)
    for method, twin in PROPORTIONS.items():
        row = Row(f"binomial_interval, {method}", "formula or bisection, 20 digits", PROPORTION)
        for _ in range(n):
            trials = int(rng.integers(1, 20 if method == "blaker" else 80))
            x = int(rng.integers(0, trials + 1))
            for side in SIDES:
                with mpmath.workdps(20):
                    exact = formulas.binomial_interval(x, trials, twin, 0.95, side)
                    row.add(
                        ends(irb.binomial_interval(x, trials, method=method, side=side)),
                        list(exact),
                    )
        yield row
    for method, twin in FINITE.items():
        row = Row(
            f"binomial_interval, size=…, {method}",
            "enumeration of all populations, whole numbers",
            PROPORTION,
        )
        for _ in range(n):
            size, sampled, x = random_stratum(rng)
            for side in SIDES:
                low, high = twin(x, sampled, size, 0.95, side)
                exact = (
                    0 if side == "upper" else Fraction(low, size),
                    1 if side == "lower" else Fraction(high, size),
                )
                row.add(
                    ends(irb.binomial_interval(x, sampled, size=size, method=method, side=side)),
                    list(exact),
                )
        yield row


def ratios(n: int) -> Iterator[Row]:
    """Koopman's."""
    rng = np.random.default_rng(2)
    row = Row("binomial_ratio_interval", "bisection, 20 digits", RATIO, RELATIVE)
    for _ in range(n):
        m, k = rng.integers(1, 60, 2).tolist()
        question = int(rng.integers(0, m + 1)), m, int(rng.integers(0, k + 1)), k
        with mpmath.workdps(20):
            row.add(
                ends(irb.samples.binomial_ratio_interval(*question)),
                list(formulas.koopman(*question)),
            )
    yield row


FAMILIES = [
    Family(proportions, 60, 3, "binomial_interval"),
    Family(ratios, 60, 5, "binomial_ratio_interval"),
]
