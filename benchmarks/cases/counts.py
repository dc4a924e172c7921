"""Posteriors from confusion counts beside 100,000 draws with NumPy, within their error."""

from __future__ import annotations

from functools import partial

import numpy as np

import irbounds as irb
from cases import Case, Tools

DRAWS, CHANCE = 100_000, 0.008  # five standard errors of a share
PAIRS = (
    ((10, 10, 5), (3, 2, 3)),
    ((80, 26, 20), (85, 30, 15)),
    ((0, 3, 5), (1, 9, 4)),
    ((10**6, 10**5, 2 * 10**5), (10**6, 10**5, 199_000)),
)
OUTCOMES = ((17, 4, 100), (430, 280, 3000))


def draw_f(rng: np.random.Generator, counts: tuple[int, ...], beta: float) -> np.ndarray:
    """The paper's: three gamma variates (two where β = 1)."""
    tp, fp, fn = (count + 0.5 for count in counts)
    x = rng.gamma(tp, size=DRAWS)
    if beta == 1:
        return 2 * x / (2 * x + rng.gamma(fp + fn, size=DRAWS))
    y, z = rng.gamma(fp, size=DRAWS), rng.gamma(fn, size=DRAWS)
    return (1 + beta**2) * x / ((1 + beta**2) * x + beta**2 * z + y)


def superiority(_: bool, pair: tuple[tuple[int, ...], ...], beta: float) -> Tools:
    """P(F of one > F of the other)."""
    rng, (a, b) = np.random.default_rng(1), (irb.CountsPosterior(*each) for each in pair)
    return {
        "irbounds": lambda: lambda: irb.prob_superior(a, b, beta=beta).probability,
        "NumPy": lambda: lambda: (draw_f(rng, pair[0], beta) > draw_f(rng, pair[1], beta)).mean(),
    }


def paired(_: bool, outcome: tuple[int, ...]) -> Tools:
    """P(more objects are won)."""
    rng, alpha = np.random.default_rng(1), np.array([outcome[0], outcome[1], outcome[2]]) + 0.5

    def drawn() -> float:
        share = rng.dirichlet(alpha, DRAWS)
        return float((share[:, 0] > share[:, 1]).mean())

    return {
        "irbounds": lambda: lambda: irb.counts.paired_comparison(*outcome).probability,
        "NumPy": lambda: drawn,
    }


CASES = (
    *(
        Case(f"P(F_{beta} of {a} > of {b})", partial(superiority, pair=(a, b), beta=beta), CHANCE)
        for beta in (1, 2)
        for a, b in PAIRS
    ),
    *(
        Case(f"paired, {each[0]} to {each[1]}", partial(paired, outcome=each), CHANCE)
        for each in OUTCOMES
    ),
)
