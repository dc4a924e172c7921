"""The hypergeometric distribution by sums with 50 digits, and the competition of methods by
enumeration."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
from scipy.stats import hypergeom

import irbounds as irb
from exactness.measure import ABOVE_1, RELATIVE, Family, Row
from tests.reference import rankings as slow
from tests.reference import selection as slow_selection
from tests.reference.beta_laws import beta_cdf

UP_TO_10_TO_10, BEYOND, CURVE = 1e-13, 1e-12, 1e-12  # the docstrings', for probabilities to 1e-300
LOGARITHM = 1e-13  # the tests', of the logarithm itself
SELECTION, LONG_SELECTION = 1e-12, 1e-9  # the tests'; the docstring's
LEAST = mpmath.mpf("1e-300")
SUMS = "sums with 50 digits"


@dataclass
class Distribution:
    """P(X = x), P(X <= x), P(X > x) for one x."""

    point: Any
    below: Any
    above: Any


def exact_law(x: int, population: int, relevant: int, drawn: int) -> Distribution:
    """P(X = x), and sums by the ratios of neighbours: of the smaller tail, the other one is its
    rest."""
    with mpmath.workdps(50):
        point = probability(x, population, relevant, drawn)
        rest = population - relevant - drawn

        def rising(k: int) -> Any:
            return mpmath.mpf((relevant - k) * (drawn - k)) / ((k + 1) * (rest + k + 1))

        if x * population < relevant * drawn:
            below = point + tail(
                point, (1 / rising(k) for k in range(x - 1, max(0, -rest) - 1, -1))
            )
            return Distribution(point, below, 1 - below)
        above = tail(point, (rising(k) for k in range(x, min(relevant, drawn))))
        return Distribution(point, 1 - above, above)


def probability(x: int, population: int, relevant: int, drawn: int) -> Any:
    """The twin's fraction; beyond a million documents its whole numbers are too long, and gamma
    functions stand in."""
    if population <= 10**6:
        exact = slow.hypergeometric(x, population, relevant, drawn)
        return mpmath.mpf(exact.numerator) / exact.denominator
    with mpmath.workdps(90):
        choose = mpmath.binomial
        return (
            choose(relevant, x)
            * choose(population - relevant, drawn - x)
            / choose(population, drawn)
        )


def tail(term: Any, ratios: Iterator[Any]) -> Any:
    """The sum of the terms after one, as long as they matter."""
    total = mpmath.mpf(0)
    for ratio in ratios:
        term *= ratio
        total += term
        if term < total * mpmath.mpf("1e-40"):
            break
    return total


def questions(population: int, n: int) -> Iterator[tuple[int, int, int, int]]:
    """Some standard deviations about and above the mean."""
    rng = np.random.default_rng(population)
    for _ in range(n):
        relevant, drawn = (
            int(10 ** rng.uniform(0.3, np.log10(population) - 0.1)) for _ in range(2)
        )
        drawn = min(drawn, 20_000)
        mean = relevant * drawn / population
        x = int(mean + rng.uniform(-8, 8) * (mean**0.5 + 1))
        yield (
            min(max(x, 0, drawn + relevant - population), relevant, drawn),
            population,
            relevant,
            drawn,
        )


def hypergeometric(n: int) -> Iterator[Row]:
    """Each function at populations of all sizes, SciPy beside it."""
    for population in (200, 10**4, 10**6, 10**9, 10**12):
        has_peer = population <= 10**9  # beyond, SciPy may take minutes for one number
        promised = UP_TO_10_TO_10 if population <= 10**10 else BEYOND
        of = f"{population:,} documents"
        point, below, above, before = (
            Row(
                f"hypergeometric_{name}, {of}",
                SUMS,
                promised,
                RELATIVE,
                "SciPy" * (has_peer and name != "tail"),
            )
            for name in ("pmf", "cdf", "sf", "tail")
        )
        logs = [
            Row(f"hypergeometric_{name}, {of}", SUMS, LOGARITHM, ABOVE_1)
            for name in ("logpmf", "logcdf", "logsf", "logtail")
        ]
        for question in questions(population, n):
            law = exact_law(*question)
            for row, name, exact in (
                (point, "pmf", law.point),
                (below, "cdf", law.below),
                (above, "sf", law.above),
            ):
                peer = quietly(getattr(hypergeom, name), question) if has_peer else None
                add_where_normal(
                    row, getattr(irb.chance, f"hypergeometric_{name}")(*question), exact, peer
                )
            with mpmath.workdps(50):
                worse = law.below - law.point if law.below > 2 * law.point else None
            if worse is not None:
                add_where_normal(before, irb.chance.hypergeometric_tail(*question), worse)
            functions = (
                irb.chance.hypergeometric_logpmf,
                irb.chance.hypergeometric_logcdf,
                irb.chance.hypergeometric_logsf,
                irb.chance.hypergeometric_logtail,
            )
            for row, function, value in zip(
                logs, functions, (law.point, law.below, law.above, worse), strict=True
            ):
                if value:
                    row.add(function(*question), log(value))
        yield from (point, below, above, before, *logs)


def wide(n: int) -> Iterator[Row]:
    """Tails of thousands of terms, whose rounding may add up."""
    rng = np.random.default_rng(10)
    rows = [
        Row(
            f"hypergeometric_{name}, standard deviations of 10^3 to 10^4",
            SUMS,
            UP_TO_10_TO_10,
            RELATIVE,
        )
        for name in ("cdf", "sf")
    ]
    for _ in range(n):
        population = int(10 ** rng.uniform(8.5, 10))
        relevant, drawn = (int(population * share) for share in rng.uniform(0.2, 0.95, 2))
        mean = relevant * drawn / population
        deviation = (mean * (1 - relevant / population) * (1 - drawn / population)) ** 0.5
        shrink = max(1.0, (deviation / 10 ** rng.uniform(3, 4)) ** 2)
        drawn = int(drawn / shrink)
        x = int(relevant * drawn / population + rng.uniform(-2, 2) * deviation / shrink**0.5)
        law = exact_law(x, population, relevant, drawn)
        for row, function, exact in zip(
            rows,
            (irb.chance.hypergeometric_cdf, irb.chance.hypergeometric_sf),
            (law.below, law.above),
            strict=True,
        ):
            add_where_normal(row, function(x, population, relevant, drawn), exact)
    yield from rows


def quietly(function: Any, question: tuple[int, int, int, int]) -> float:
    """SciPy's answer, which may come with warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(function(*question))


def add_where_normal(row: Row, value: float, exact: Any, peer: float | None = None) -> None:
    """Below 1e-300 doubles lose their digits, and nothing is promised."""
    if exact >= LEAST:
        row.add(value, exact, peer)


def log(value: Any) -> Any:
    """With the digits that doubles near 1 have no room for."""
    with mpmath.workdps(50):
        return mpmath.log(value)


def curves(n: int) -> Iterator[Row]:
    """At some cuts of long rankings that do better than chance, so that what is summed stays
    short."""
    row = Row("hypergeometric_curve, up to 10^6 cuts", SUMS, CURVE, RELATIVE)
    for population, relevant, length, share in (
        (300, 20, 300, 0.06),
        (10**6, 1000, 10**5, 0.002),
        (10**9, 10**6, 10**6, 0.00108),
        (10**6, 5 * 10**5, 10**4, 0.51),
    ):
        rng = np.random.default_rng(population + length)
        relevance = rng.random(length) < share
        relevance &= np.cumsum(relevance) <= relevant
        relevance |= np.cumsum(~relevance) > population - relevant
        found, curve = (
            np.cumsum(relevance),
            irb.chance.hypergeometric_curve(relevance, population, relevant),
        )
        for cut in {length, *rng.integers(1, length + 1, n).tolist()}:
            law = exact_law(int(found[cut - 1]), population, relevant, cut)
            with mpmath.workdps(50):
                add_where_normal(row, curve[cut - 1], law.below - law.point)
    yield row


def selection(n: int) -> Iterator[Row]:
    """Few trials by enumeration, many of two methods by the binomial tail (odd, so that none is
    tied)."""
    rng = np.random.default_rng(7)
    few = Row(
        "probability_of_correct_selection, up to 12 trials",
        "enumeration of all outcomes, fractions",
        SELECTION,
        RELATIVE,
    )
    for _ in range(n):
        trials, methods = int(rng.integers(1, 13)), int(rng.integers(2, 5))
        ratio = float(rng.integers(8, 30)) / 8
        few.add(
            irb.chance.probability_of_correct_selection(trials, methods, ratio),
            slow_selection.probability_of_correct_selection(trials, methods, ratio),
        )
    many = Row(
        "probability_of_correct_selection, 10^2 to 10^5 trials, two methods",
        "binomial tails, 50 digits",
        LONG_SELECTION,
    )
    for trials in np.unique(
        2 * (10 ** rng.uniform(1.7, 4.7, max(2, n // 5))).astype(int) + 1
    ).tolist():
        ratio = Fraction(int(rng.integers(101, 130)), 100)
        with mpmath.workdps(50):
            p = mpmath.mpf(ratio.numerator) / (ratio.numerator + ratio.denominator)
            many.add(
                irb.chance.probability_of_correct_selection(trials, 2, float(ratio)),
                beta_cdf(p, trials // 2 + 1, trials - trials // 2),
            )
    yield from (few, many)


def competitions(n: int) -> Iterator[Row]:
    """Shares of the trials won, ties in equal parts."""
    rng = np.random.default_rng(8)
    row = Row("competition, ties shared", "definition, fractions", SELECTION)
    for _ in range(n):
        values = rng.integers(0, 3, (int(rng.integers(2, 5)), int(rng.integers(1, 40))))
        row.add(
            irb.chance.competition(values, ties="shared").shares,
            slow_selection.shares(values.tolist()),
        )
    yield row


FAMILIES = [
    Family(
        hypergeometric,
        200,
        5,
        " ".join(
            f"hypergeometric_{name}"
            for name in ("pmf", "cdf", "sf", "tail", "logpmf", "logcdf", "logsf", "logtail")
        ),
    ),
    Family(wide, 30, 1, ""),
    Family(curves, 15, 1, "hypergeometric_curve"),
    Family(selection, 60, 3, "probability_of_correct_selection"),
    Family(competitions, 100, 10, "competition Competition"),
]
