"""How often the tests of `compare` reject a true null hypothesis; a part of gates.py.

One pair of runs: every difference has mean 0.  All nulls but the exponential are symmetric about 0,
which is what the permutation test, Wilcoxon's and the sign test ask of; the exponential's median is
not 0, so that their null hypotheses are false there.

Four runs: their values differ by chance alone, and a sample counts once if any difference is called
significant.  Under all nulls but the last the values of a query could be exchanged between the
runs, which the joint tests ask of.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from study import ALPHA, table

from irbounds.comparison.significance.paired_tests import Plan
from irbounds.comparison.significance.table import TESTS
from irbounds.comparison.significance.tukey import randomised, two_way

SEED, RESAMPLES, PARTS, RUNS = 15, 999, 4, 4
QUERIES = (8, 30)
Draw = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]


def mostly_zeros(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """-2, -1, 1 or 2, and 0 in 70 %."""
    return rng.choice([-2.0, -1, 1, 2], shape) * (rng.random(shape) > 0.7)


def one_noisy(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """The last run has ten times the others' standard deviation."""
    is_last = np.arange(shape[0]) == shape[0] - 1
    return rng.normal(size=shape) * np.where(is_last, 10, 1)[:, None, None]


NULLS: dict[str, Draw] = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "normal, whole numbers": lambda rng, shape: np.rint(rng.normal(size=shape)),
    "normal, whole numbers, 60 % zeros": lambda rng, shape: np.rint(rng.normal(0, 0.6, shape)),
    "70 % zeros, else normal": lambda rng, shape: (
        rng.normal(size=shape) * (rng.random(shape) > 0.7)
    ),
    "70 % zeros, else -2, -1, 1, 2": mostly_zeros,
    "-1 or 1": lambda rng, shape: rng.choice([-1.0, 1.0], shape),
    "Student's t, 3 degrees": lambda rng, shape: rng.standard_t(3, shape),
    "exponential, less its mean": lambda rng, shape: rng.exponential(size=shape) - 1,
}
NULLS_OF_RUNS: dict[str, Draw] = {
    "normal": NULLS["normal"],
    "normal, whole numbers": NULLS["normal, whole numbers"],
    "70 % zeros, else -2, -1, 1, 2": mostly_zeros,
    "0 or 1": lambda rng, shape: rng.choice([0.0, 1.0], shape),
    "exponential": lambda rng, shape: rng.exponential(size=shape),
    "normal, one run ten times as spread": one_noisy,
}


def plan(place: int = 0) -> Plan:
    """Every part has resamples of its own."""
    return Plan(ALPHA, RESAMPLES, SEED + place)


def of_a_pair(parts: list[np.ndarray]) -> dict[str, float]:
    """Share of the columns that each test rejects."""
    return {
        name: float(np.mean([test(each, plan(i)).p_value < ALPHA for i, each in enumerate(parts)]))
        for name, test in TESTS.items()
    }


def of_runs(parts: list[np.ndarray]) -> dict[str, float]:
    """Share of the families, shape (runs, families, queries), in which each joint test rejects
    anything."""
    shares = {}
    for correction, baseline in (("tukey", None), ("dunnett", 0)):
        means = [part.mean(axis=2) for part in parts]
        spreads = [
            np.ptp(m, axis=0) if baseline is None else np.abs(m - m[baseline]).max(axis=0)
            for m in means
        ]
        systems, spread = np.concatenate(parts, axis=1), np.concatenate(spreads)
        # p-values of the studentised range take long, its point does not
        unknown = np.full((1, len(spread)), np.nan)
        margin = two_way(systems, unknown, plan(), baseline).margin[0]
        shares[f"{correction}, t"] = float(np.mean(spread > margin * (1 + 1e-9)))
        p_values = [
            randomised(part, own[None], plan(i), baseline).p_value
            for i, (part, own) in enumerate(zip(parts, spreads, strict=True))
        ]
        name = f"{correction}, permutation"
        shares[name] = float(np.mean([each < ALPHA for each in p_values]))
    return shares


def rows_of(
    laws: dict[str, Draw],
    count: Callable[[list[np.ndarray]], dict[str, float]],
    shape: Callable[[int], tuple[int, ...]],
) -> tuple[list[str], list[list[str]]]:
    """The tests' names, and a row for each null, with the shares by number of queries."""
    rows, names = [], []
    for law, draw in laws.items():
        of_sizes = []
        for n in QUERIES:
            rng = np.random.default_rng([SEED, n])
            of_sizes.append(count([draw(rng, shape(n)) for _ in range(PARTS)]))
        names = list(of_sizes[0])
        rows.append([law, *(", ".join(f"{each[x]:.3f}" for each in of_sizes) for x in names)])
    return names, rows


def tables(samples: int) -> list[str]:
    """The lines of a page."""
    m = samples // PARTS
    tests, pairs = rows_of(NULLS, of_a_pair, lambda n: (n, m))
    joint, families = rows_of(NULLS_OF_RUNS, of_runs, lambda n: (RUNS, m, n))
    sizes = " and ".join(map(str, QUERIES))
    return [
        f"Share of {samples:,} samples in which a test of `compare` says at {ALPHA:g} that runs",
        f"differ, though their means do not; {sizes} queries, {RESAMPLES} resamples. One pair:",
        "",
        *table(["differences", *tests], pairs),
        f"{RUNS} runs at once, any difference; in the last row the joint tests' hypothesis is",
        "false, as are those of permutation, wilcoxon and sign in the last row above:",
        "",
        *table(["values", *joint], families),
    ]
