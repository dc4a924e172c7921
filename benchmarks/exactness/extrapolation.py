"""Reference precision-recall curves: the printed formulas with 110 digits, and all pairs of yields
of small samples."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from fractions import Fraction
from itertools import accumulate
from typing import Any

import mpmath
import numpy as np

import irbounds as irb
from exactness.measure import ABOVE_1, RELATIVE, Family, Row
from tests.reference import extrapolation as slow
from tests.reference import samples, weak_orderings

CURVE, POINT, BETA = 1e-14, 1e-13, 1e-10  # the docstring's; the tests', round trip and β
# a quotient of slopes, each to 13 digits, that may cancel in part
SENSITIVITY = 1e-9
ARITHMETIC = 1e-14  # a handful of products
PROBABILITY = 1e-9  # the docstring's, of the ends of intervals
RUN = 1e-12  # the tests', of expected precision
FORMULA = "printed formula, 110 digits"
Points = tuple[np.ndarray, np.ndarray, np.ndarray]


def random_points(n: int, seed: int) -> Points:
    """Recall near 0, near 1 and between; prevalence of all sizes; precision above it, near it, and
    near 1."""
    rng = np.random.default_rng(seed)
    u, kind = rng.random((4, 2 * n)), rng.integers(0, 3, (3, 2 * n))
    recall = np.choose(kind[0], [u[0], 10 ** (-9 * u[0]), 1 - 10 ** (-9 * u[0])])
    prevalence = np.choose(kind[1] % 2, [u[1], 10 ** (-9 * u[1])])
    above = np.choose(kind[2], [u[2], 10 ** (-6 * u[2]), 1 - 10 ** (-6 * u[2])])
    points = recall, prevalence + (1 - prevalence) * above, prevalence
    valid = (points[1] > prevalence) & (points[1] < 1) & (recall > 0) & (recall < 1)
    return tuple(column[valid][:n] for column in points)  # type: ignore[return-value]


def curves(n: int) -> Iterator[Row]:
    """Over the whole range that the docstring names."""
    rng = np.random.default_rng(1)
    rows = {
        name: Row(f"PrecisionCurve.{name}", FORMULA, CURVE, RELATIVE)
        for name in ("precision", "relevance_probability")
    }
    for _ in range(n):
        recall = float(
            rng.choice([rng.random(), 10 ** (-9 * rng.random()), 1 - 10 ** (-12 * rng.random())])
        )
        rho = float(rng.choice([rng.uniform(0.01, 0.99), 10 ** (-9 * rng.random()) * 0.99]))
        beta = float(
            rng.choice([-rng.random(), 10 ** rng.uniform(-8, 12), 10 ** rng.uniform(-1, 3)])
        )
        curve = irb.extrapolation.PrecisionCurve(rho, beta)
        rows["precision"].add(curve.precision(recall), slow.precision(recall, rho, beta))
        rows["relevance_probability"].add(
            curve.relevance_probability(recall), slow.relevance(recall, rho, beta)
        )
    yield from rows.values()


def points(n: int) -> Iterator[Row]:
    """Curves through points: β, the way back, and on to another recall."""
    R, P, rho = random_points(n, 2)
    target = np.random.default_rng(3).random(R.size)
    curve = irb.extrapolation.PrecisionCurve.through(R, P, rho)
    back = Row("PrecisionCurve.through, and back", "the point itself", POINT, RELATIVE)
    many = random_points(200 * n, 4)
    back.add(irb.extrapolation.PrecisionCurve.through(*many).precision(many[0]), many[1])
    beta = Row(
        "PrecisionCurve.through: β, where above 0.001", "bisection, 50 digits", BETA, RELATIVE
    )
    on = Row("extrapolate_precision", "bisection, 50 digits, and printed formula", POINT, RELATIVE)
    extrapolated = irb.extrapolation.extrapolate_precision(R, P, rho, target)
    for i in range(R.size):
        exact = slow.beta_through(R[i], P[i], rho[i])
        if abs(exact) > 1e-3:  # nearer to 0, precision hardly depends on it
            beta.add(curve.beta[i], exact)
        on.add(extrapolated[i], slow.precision(target[i], rho[i], exact))
    yield from (back, beta, on)


def sensitivities(n: int) -> Iterator[Row]:
    """Derivatives by precision, recall and prevalence."""
    rng = np.random.default_rng(5)
    row = Row(
        "PrecisionCurve.sensitivity", "differences of the formula, 110 digits", SENSITIVITY, ABOVE_1
    )
    for _ in range(n):
        rho = float(rng.uniform(0.01, 0.3))
        recall, p, target = map(float, rng.uniform([0.1, rho + 0.05, 0.1], [0.9, 0.95, 1]))
        by = irb.extrapolation.PrecisionCurve.through(recall, p, rho).sensitivity(recall, target)
        row.add(list(by), [derivative((recall, p, rho), place, target) for place in (1, 0, 2)])
    yield row


def derivative(point: tuple[float, float, float], place: int, target: float) -> Any:
    """A central difference whose error is that of its step, 1e-12, squared."""
    with mpmath.workdps(slow.DIGITS):
        step = mpmath.mpf("1e-12")
        moved = [
            [mpmath.mpf(x) + sign * step * (i == place) for i, x in enumerate(point)]
            for sign in (1, -1)
        ]
        above, below = (slow.extrapolated(*arguments, target) for arguments in moved)
        return (above - below) / (2 * step)


def arithmetic(n: int) -> Iterator[Row]:
    """Documents, cost, F."""
    rng = np.random.default_rng(6)
    documents, cost, f = (
        Row(name, "formula, fractions", ARITHMETIC, RELATIVE)
        for name in ("documents_to_review", "cost", "f_score")
    )
    for _ in range(n):
        N, values = int(10 ** rng.uniform(2, 9)), rng.uniform(0.01, 1, 3).tolist()
        rho, R, P = map(Fraction, values)
        needed, relevant = rho * N * R / P, rho * N * R
        documents.add(irb.extrapolation.documents_to_review(N, *values), needed)
        cost.add(
            irb.extrapolation.cost(N, *values, per_document=1.5, per_relevant=4, fixed=100),
            100 + needed * 3 / 2 + 4 * relevant,
        )
        f.add(irb.extrapolation.f_score(*values[:2], beta=2), 5 * rho * R / (4 * R + rho))
    yield from (documents, cost, f)


def intervals(n: int) -> Iterator[Row]:
    """Probability that is missing at an end, of all pairs of yields: at most p below it, at least p
    up to it."""
    rng = np.random.default_rng(7)
    functions = {
        "extrapolated_precision_interval": (irb.extrapolation.extrapolated_precision_interval, 0),
        "documents_to_review_interval": (irb.extrapolation.documents_to_review_interval, 1),
        "cost_interval": (irb.extrapolation.cost_interval, 1),
    }
    rows = {
        name: Row(
            f"{name}: probability at its ends", "enumeration of all yields, fractions", PROBABILITY
        )
        for name in functions
    }
    for _ in range(n):
        retrieved, unretrieved = (
            (size, sampled, int(rng.integers(1, sampled)))
            for size, sampled in ((int(rng.integers(9, 14)), 6), (int(rng.integers(16, 26)), 9))
        )
        target = float(rng.choice([0.3, 0.6, 0.75]))
        laws = both_laws(retrieved, unretrieved, target)
        for name, (function, place) in functions.items():
            found = function(retrieved, unretrieved, target, confidence_level=0.8)
            for end, p in ((found.low, 0.1), (found.high, 0.9)):
                rows[name].add(missing_probability(laws[place], end, p), 0)
    yield from rows.values()


def both_laws(retrieved: Any, unretrieved: Any, target: float) -> list[dict[Any, Any]]:
    """{value: probability} of precision at the target and of documents."""
    both = slow.measures_of_yields(retrieved[0], unretrieved[0], target)
    pmfs = [samples.yield_pmf(*stratum) for stratum in (retrieved, unretrieved)]
    known = {(tp, fn): both(tp, fn) for tp in pmfs[0] for fn in pmfs[1]}
    return [samples.law(lambda tp, fn, i=i: known[tp, fn][i], *pmfs) for i in (0, 1)]


def missing_probability(law: dict[Any, Any], end: float, p: float) -> float:
    """With a tolerance for the place of an end: if a value has a large probability, an
    end just below it misses all of that."""
    tolerance = 2e-8 * abs(end)
    reached = list(accumulate(law.values()))
    values = list(law)
    up_to = max(
        (float(c) for value, c in zip(values, reached, strict=True) if value <= end + tolerance),
        default=0.0,
    )
    below = max(
        (float(c) for value, c in zip(values, reached, strict=True) if value < end - tolerance),
        default=0.0,
    )
    return max(0.0, p - up_to, below - p)


def runs(n: int) -> Iterator[Row]:
    """Expected precision of tied rankings at recall levels, carried to the target."""
    rng = np.random.default_rng(8)
    read = Row("extrapolate_run: precision", "closed forms, fractions", RUN, RELATIVE)
    carried = Row(
        "extrapolate_run: extrapolated", "bisection, 50 digits, and printed formula", RUN, RELATIVE
    )
    levels = [0.25, 0.5, 0.75]
    for _ in range(n):
        grades, scores = (
            (rng.random(20) < 0.4).astype(int).tolist(),
            rng.integers(0, 6, 20).tolist(),
        )
        grades[int(np.argmax(scores))] = 1
        qrels, run = (
            {"q": {f"d{i}": value for i, value in enumerate(column)}} for column in (grades, scores)
        )
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", irb.warnings.ExtrapolationWarning
            )  # 0.25 is far from 0.6
            found = irb.extrapolation.extrapolate_run(
                qrels, run, 0.6, collection_size=200, levels=levels
            )
        ranks = weak_orderings.counts(
            [
                [g for g, s in zip(grades, scores, strict=True) if s == score]
                for score in sorted(set(scores), reverse=True)
            ]
        )
        ranks, n_relevant = weak_orderings.with_unretrieved(ranks, sum(grades), 200), sum(grades)
        for i, level in enumerate(levels):
            p = weak_orderings.at_recall(weak_orderings.ep, ranks, n_relevant, level)
            read.add(found.precision[0, i], p)
            if n_relevant / 200 < p < 1:
                carried.add(
                    found.extrapolated[0, i],
                    slow.extrapolated(
                        level,
                        mpmath.mpf(p.numerator) / p.denominator,
                        mpmath.mpf(n_relevant) / 200,
                        0.6,
                    ),
                )
    yield from (read, carried)


FAMILIES = [
    Family(curves, 600, 40, "PrecisionCurve"),
    Family(points, 250, 20, "extrapolate_precision"),
    Family(sensitivities, 40, 4, "Sensitivity"),
    Family(arithmetic, 200, 20, "documents_to_review cost f_score"),
    Family(
        intervals,
        10,
        1,
        "extrapolated_precision_interval documents_to_review_interval cost_interval",
    ),
    Family(runs, 60, 5, "extrapolate_run ExtrapolatedRun"),
]
