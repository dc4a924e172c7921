"""Precision, elusion, yield and F from samples, and estimates of recall: enumeration of all yields
in fractions, and the formulas with many digits."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np

import irbounds as irb
from exactness.measure import RELATIVE, Family, Row
from exactness.samples import ENUMERATION, EXACT_ENDS, Stratum, ends, law_of, pairs, random_stratum
from tests.reference import sample_intervals as formulas
from tests.reference import samples as slow
from tests.reference.beta_laws import beta_ppf

ESTIMATE = 1e-12  # quotients and sums of probabilities


def kin(n: int) -> Iterator[Row]:
    """Precision, elusion, yield, F."""
    rows = {
        name: Row(f"{name}_interval", ENUMERATION, EXACT_ENDS, RELATIVE)
        for name in ("precision", "elusion", "yield", "f")
    }
    for pair in pairs(11, n):
        found = {
            "precision": irb.precision_interval(pair[0]),
            "elusion": irb.samples.elusion_interval(pair[1]),
            "yield": irb.yield_interval(*pair),
            "f": irb.f_interval(*pair, beta=2),
        }
        measures = {
            "precision": slow.precision(pair[0][0]),
            "elusion": slow.elusion(pair[1][0]),
            "yield": slow.total_yield,
            "f": slow.f_measure(2, pair[0][0]),
        }
        for name, row in rows.items():
            law = law_of(measures[name], *pair)
            row.add(ends(found[name]), [slow.quantile(law, p) for p in (0.025, 0.975)])
    yield from rows.values()


def shares_of_one_segment(n: int) -> Iterator[Row]:
    """Precision by its other methods."""
    rng = np.random.default_rng(12)
    jeffreys = Row(
        "precision_interval, beta-jeffreys", "quantiles of a beta law, 25 digits", EXACT_ENDS
    )
    bounds = Row(
        "precision_interval, guaranteed",
        "enumeration of all populations, whole numbers",
        EXACT_ENDS,
    )
    for _ in range(n):
        size, sampled, x = random_stratum(rng)
        with mpmath.workdps(25):
            a, b = x + mpmath.mpf(1) / 2, sampled - x + mpmath.mpf(1) / 2
            exact = [
                (x + (size - sampled) * beta_ppf(mpmath.mpf(p) / 40, a, b)) / size for p in (1, 39)
            ]
            jeffreys.add(
                ends(irb.precision_interval((size, sampled, x), method="beta-jeffreys")), exact
            )
        bounds.add(
            ends(irb.precision_interval((size, sampled, x), method="guaranteed")),
            [Fraction(k, size) for k in formulas.hypergeometric_bounds(x, sampled, size)],
        )
    yield from (jeffreys, bounds)


def bias_corrected(retrieved: Stratum, unretrieved: Stratum) -> Any:
    """The ratio less its bias to second order, from the twin's yields and variances."""
    (r1, v1), (r0, v0) = (formulas.segment([stratum]) for stratum in (retrieved, unretrieved))
    return min(1, max(0, r1 / (r1 + r0) - (r1 * v0 - r0 * v1) / (r1 + r0) ** 3))


def estimates(n: int) -> Iterator[Row]:
    """Points, and what the ratio does over all samples of known yields."""
    rng = np.random.default_rng(13)
    rows = {
        name: Row(f"recall_estimate, {name}", ENUMERATION, promised, RELATIVE)
        for name, promised in (
            ("ratio", ESTIMATE),
            ("bias-corrected", ESTIMATE),
            ("posterior-mean", ESTIMATE),
            ("posterior-median", EXACT_ENDS),
        )
    }
    for pair in pairs(13, n):
        law = law_of(slow.recall, *pair)
        exact = {
            "ratio": formulas.recall_estimate(*pair),
            "bias-corrected": bias_corrected(*pair),
            "posterior-mean": slow.mean(law),
            "posterior-median": slow.quantile(law, 0.5),
        }
        for name, row in rows.items():
            row.add(irb.samples.recall_estimate(*pair, name), exact[name])
    yield from rows.values()
    values, whole, bias = (
        Row(
            f"recall_estimator_distribution: {name}",
            "enumeration of all samples, fractions",
            ESTIMATE,
        )
        for name in ("probabilities", "mean, undefined", "bias, std")
    )
    for _ in range(n):
        known = [
            (size, sampled, int(rng.integers(1, size)))
            for size, sampled, _ in (random_stratum(rng, most=40) for _ in range(2))
        ]
        found = irb.samples.recall_estimator_distribution(*known)
        turned = [(size, relevant, sampled) for size, sampled, relevant in known]
        law = slow.estimator_law(*turned)
        undefined = 1 - sum(
            p for value, p in slow.estimator_law(*turned, undefined=2).items() if value != 2
        )
        mean, recall = slow.mean(law), Fraction(known[0][2], known[0][2] + known[1][2])
        values.add(
            np.cumsum(found.probabilities)[[0, -1]],
            [law[min(law)] * (1 - undefined), 1 - undefined],
        )
        whole.add([found.mean, found.undefined], [mean, undefined])
        variance = sum((value - mean) ** 2 * p for value, p in law.items())
        bias.add(
            [found.bias, found.std],
            [mean - recall, mpmath.sqrt(mpmath.mpf(variance.numerator) / variance.denominator)],
        )
    yield from (values, whole, bias)


FAMILIES = [
    Family(kin, 60, 3, "precision_interval elusion_interval yield_interval f_interval"),
    Family(shares_of_one_segment, 60, 4, ""),
    Family(estimates, 60, 3, "recall_estimate recall_estimator_distribution EstimatorDistribution"),
]
