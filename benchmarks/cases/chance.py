"""Beta variates beside NumPy, the hypergeometric distribution beside SciPy."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from scipy.stats import hypergeom

import irbounds as irb
from cases import Case, Tools, Work, unchecked

PAIRS = ((0.5, 0.5), (10.5, 90.5), (3000.5, 7000.5), (0.001, 1e6))
CURVES = ((10**6, 1000, 0.01), (10**6, 500_000, 0.6), (10**9, 10**6, 0.2), (10**5, 50_000, 0.5))
CUTS = 200  # of a ranking at which SciPy is called


def variates(quick: bool, a: float, b: float) -> Tools:
    """The draws differ, so nothing is compared; the tests compare their distribution."""
    n, rng = 1000 if quick else 100_000, np.random.default_rng(1)
    return {
        "irbounds": lambda: unchecked(irb.distributions.random_beta, a, b, n, rng=rng),
        "NumPy": lambda: unchecked(rng.beta, a, b, n),
    }


def questions(n: int, centre: float, all_different: bool) -> tuple[np.ndarray, ...]:
    """n tails, so many deviations above the mean: of one set of parameters, or all different."""
    rng, population, relevant, drawn = np.random.default_rng(2), 10**6, 200_000, 10_000
    mean = relevant * drawn / population
    spread = math.sqrt(mean * (1 - relevant / population) * (1 - drawn / population))
    found = np.round(mean + spread * (centre + rng.uniform(-2, 2, n))).astype(np.int64)
    jitter = rng.integers(0, relevant // 10, n) if all_different else 0
    return (
        found,
        np.full(n, population),
        relevant - jitter + np.zeros(n, np.int64),
        np.full(n, drawn),
    )


def tails(quick: bool, centre: float, all_different: bool) -> Tools:
    """P(X > found)."""
    asked = questions(100 if quick else 10_000, centre, all_different)
    return {
        "irbounds": lambda: lambda: irb.chance.hypergeometric_sf(*asked),
        "SciPy": lambda: lambda: hypergeom.sf(*asked),
    }


def curve(quick: bool, population: int, relevant: int, share: float) -> Tools:
    """P(X < found) at the cuts of a ranking: SciPy's at some of them, in a loop."""
    rng, length = np.random.default_rng(4), min(10_000 if quick else 10**6, population)
    ranking = rng.random(length) < share
    ranking &= np.cumsum(ranking) <= relevant
    ranking |= np.cumsum(~ranking) > population - relevant
    found, cuts = np.cumsum(ranking), np.arange(length // CUTS - 1, length, length // CUTS)

    def loop() -> list[float]:
        return [hypergeom.cdf(found[cut] - 1, population, relevant, cut + 1) for cut in cuts]

    def ours() -> Work:
        return lambda: irb.chance.hypergeometric_curve(ranking, population, relevant)[cuts]

    return {"irbounds": ours, "SciPy": lambda: loop}


def curve_case(population: int, relevant: int, share: float) -> Case:
    """A ranking; SciPy's time is for all of its cuts."""
    length = min(10**6, population)
    name = f"{length:,} cuts, {population:,} documents, {relevant:,} relevant"
    tools = partial(curve, population=population, relevant=relevant, share=share)
    return Case(name, tools, 1e-4, times={"SciPy": CUTS / length})


CASES = (
    *(Case(f"100,000 variates, Beta({a:g}, {b:g})", partial(variates, a=a, b=b)) for a, b in PAIRS),
    *(
        Case(
            f"10,000 tails, {centre} deviations up{', all different' * apart}",
            partial(tails, centre=centre, all_different=apart),
            1e-4,
        )
        for centre in (0, 12)
        for apart in (False, True)
    ),
    *(curve_case(*each) for each in CURVES),
)
