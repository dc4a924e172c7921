"""Screening stops, certificates and weighted recall, by fractions and many digits."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from fractions import Fraction

import mpmath
import numpy as np

import irbounds as irb
from exactness.measure import ABSOLUTE, RELATIVE, Family, Row
from tests.reference import stopping as slow

URNS, ODDS = 1e-11, 1e-9  # the docstring's, and that of urns.biased_tails
BAND, WEIGHTED = 1e-9, 1e-9  # of probabilities, at the ends that are found


def random_review(rng: np.random.Generator, most: int) -> tuple[list[int], int]:
    """Labels with constant or falling prevalence, and the collection's size."""
    population = int(rng.integers(1, most))
    read = int(rng.integers(1, population + 1))
    rates = rng.random() * (1 if rng.random() < 0.4 else np.linspace(1, 0, read))
    return (rng.random(read) < rates).astype(int).tolist(), population


def urns(n: int) -> Iterator[Row]:
    """BUSCAR's least probability, at every document and at one."""
    rng = np.random.default_rng(11)
    rows = [
        Row("stopping_curve, buscar", "all urns, fractions", URNS, RELATIVE),
        Row("stopping_curve, buscar with odds", "document by document, fractions", ODDS, RELATIVE),
    ]
    for _ in range(n):
        target = Fraction(str(round(float(rng.uniform(0.02, 1)), 3)))
        for row, most, odds in ((rows[0], 80, Fraction(1)), (rows[1], 25, Fraction(5, 2))):
            labels, population = random_review(rng, most)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", irb.warnings.OptionalStoppingWarning)
                looks = None if odds == 1 else [len(labels)]
                curve = irb.stopping_curve(
                    labels, population, target, "buscar", odds=float(odds), looks=looks
                )
            row.add(curve.values[-1], slow.buscar(labels, population, target, odds)[0])
    yield from rows


def bets(n: int) -> Iterator[Row]:
    """The certified totals."""
    rng = np.random.default_rng(12)
    row = Row("stopping_curve, certified totals", "a wealth for each total, 40 digits", 0.0)
    for _ in range(n):
        labels, population = random_review(rng, 40)
        alpha = float(rng.choice([0.05, 0.2, 0.5]))
        curve = irb.stopping_curve(labels, population, confidence_level=1 - alpha)
        bounds = slow.certified(labels, population, alpha)
        irrelevant = np.arange(1, len(labels) + 1) - np.cumsum(labels)
        row.add(
            curve.total_bound,
            np.where(np.array(bounds) < 0, population - irrelevant, bounds),
        )
    yield row


def certificates(n: int) -> Iterator[Row]:
    """Ranks by sums of fractions; the chance of the band by Bolshev's recursion."""
    rng = np.random.default_rng(13)
    ranks = Row("certifying_rank", "binomial sums, fractions", 0.0)
    band = Row("control_curve, chance of all bounds", "Bolshev's recursion, 60 digits", BAND)
    for _ in range(n):
        found, target = int(rng.integers(1, 60)), Fraction(int(rng.integers(1, 100)), 100)
        alpha = Fraction(int(rng.integers(1, 60)), 100)
        tail, least = Fraction(0), math.inf
        for x in range(found, 0, -1):
            tail += math.comb(found, x) * target**x * (1 - target) ** (found - x)
            least = x if tail <= alpha else least
        rank = irb.stopping.certifying_rank(found, target, confidence_level=float(1 - alpha))
        ranks.add(math.inf if rank is None else rank, least)
        low = irb.stopping.control_curve(
            range(1, found + 1), confidence_level=float(1 - alpha)
        ).recall_low
        band.add(float(1 - alpha), bolshev(low.tolist()))
    yield from (ranks, band)


def bolshev(low: list[float]) -> mpmath.mpf:
    """P(U_(j) >= low_j for all j) of uniform order statistics."""
    with mpmath.workdps(60):
        n, chances = len(low), [mpmath.mpf(1)]
        for k in range(1, n + 1):
            lost = sum(
                math.comb(k, m) * mpmath.mpf(low[n - k + m - 1]) ** m * chances[k - m]
                for m in range(1, k + 1)
            )
            chances.append(1 - lost)
        return chances[n]


def weighted(n: int) -> Iterator[Row]:
    """The probability below the low end, of the ratio of two gamma variates."""
    rng = np.random.default_rng(14)
    row = Row("weighted_recall_interval, low", "incomplete beta, 30 digits", WEIGHTED, ABSOLUTE)
    for _ in range(n):
        lists = [(rng.uniform(0.01, 0.9, int(rng.integers(1, 60)))).tolist() for _ in range(2)]
        low = irb.samples.weighted_recall_interval(*lists).low
        with mpmath.workdps(30):
            weights = [[1 / mpmath.mpf(p) for p in chances] for chances in lists]
            weights[1].append(max(weights[1]))
            means = [sum(w) for w in weights]
            squares = [sum(x * x for x in w) for w in weights]
            shapes = [m * m / v for m, v in zip(means, squares, strict=True)]
            rates = [m / v for m, v in zip(means, squares, strict=True)]
            odds = mpmath.mpf(low) / (1 - mpmath.mpf(low)) * rates[0] / rates[1]
            below = mpmath.betainc(*shapes, 0, odds / (1 + odds), regularized=True)
        row.add(0.025, below)
    yield row


FAMILIES = [
    Family(urns, 200, 5, "stopping_curve StoppingCurve"),
    Family(bets, 60, 3, "ReviewMonitor"),
    Family(certificates, 100, 5, "certifying_rank control_curve ControlCurve"),
    Family(weighted, 100, 5, "weighted_recall_interval"),
]
