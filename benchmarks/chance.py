"""Beta variates beside NumPy, the hypergeometric distribution beside SciPy, in one run, on one
thread.

    python benchmarks/chance.py            # writes benchmarks/results/chance.md
    python benchmarks/chance.py --quick    # small, to see that it runs
"""

from __future__ import annotations

import math
import sys

import numpy as np
from scipy.stats import hypergeom
from timing import best_seconds, is_quick, machine, publish, table

import irbounds as irb

PAIRS = [
    (0.5, 0.5),
    (10.5, 90.5),
    (0.5, 500.5),
    (3000.5, 7000.5),
    (1, 3),
    (0.2, 5),
    (2, 1e6),
    (0.001, 1e6),
]
CURVES = [
    (10**6, 1000, 0.01),
    (10**6, 500_000, 0.6),
    (10**9, 10**6, 0.2),
    (10**5, 50_000, 0.5),
    (2 * 10**5, 100, 0.0005),
]


def beta_rows(n: int) -> list[list[str]]:
    """One row a pair: nanoseconds a variate with each instruction set and in NumPy."""
    from irbounds._core.draws import beta_cheng

    rng, rows = np.random.default_rng(1), []
    for a, b in PAIRS:
        numpy = best_seconds(lambda a=a, b=b: rng.beta(a, b, n))
        ours = best_seconds(lambda a=a, b=b: irb.distributions.random_beta(a, b, n, rng=rng))
        first, second = np.array([a], float), np.array([b], float)
        levels = [
            best_seconds(
                lambda x=first, y=second, most=most: beta_cheng.fill(
                    x, y, n, rng.bit_generator, most
                )
            )
            for most in (0, 1)
        ]
        rows.append(
            [
                f"{a:g}, {b:g}",
                f"{numpy / n * 1e9:.1f}",
                f"{ours / n * 1e9:.1f} ({numpy / ours:.1f}×)",
                *(
                    f"{seconds / n * 1e9:.1f} ({numpy / seconds:.1f}×)"
                    for seconds in reversed(levels)
                ),
            ]
        )
    return rows


def grid(n: int) -> list[tuple[str, tuple[np.ndarray, ...]]]:
    """Vectors of n questions: one set of parameters with many counts, and parameters that all
    differ."""
    rng, cases = np.random.default_rng(2), []
    for population in (10**4, 10**5, 10**6, 10**8):
        for share, drawn in ((0.01, 0.02), (0.2, 0.01), (0.5, 0.1)):
            relevant, draws = int(share * population), int(drawn * population)
            mean = relevant * draws / population
            spread = math.sqrt(mean * (1 - share) * (1 - drawn))
            for where, centre in (("middle", 0), ("tail", 12)):
                found = np.round(mean + spread * (centre + rng.uniform(-2, 2, n))).clip(
                    0, min(relevant, draws)
                )
                cases.append(
                    (
                        where,
                        (found, np.full(n, population), np.full(n, relevant), np.full(n, draws)),
                    )
                )
                jitter = rng.integers(0, max(2, relevant // 10), n)
                cases.append(
                    (
                        where + ", all different",
                        (found, np.full(n, population), relevant - jitter, np.full(n, draws)),
                    )
                )
    return cases


def tail_rows(n: int, n_slow: int) -> list[list[str]]:
    """Geometric means over the grid of SciPy's time against ours, on vectors of n and of n_slow."""
    ratios: dict[str, list[tuple[float, float, float]]] = {}
    for where, arguments in grid(n):
        some = tuple(argument[:n_slow].astype(np.int64) for argument in arguments)
        ours = best_seconds(lambda a=arguments: irb.chance.hypergeometric_sf(*a)) / n
        scipy = best_seconds(lambda a=some: hypergeom.sf(*a), repeat=1) / n_slow
        if not np.allclose(
            irb.chance.hypergeometric_sf(*some), hypergeom.sf(*some), rtol=1e-4, atol=1e-300
        ):
            sys.exit(f"the values differ: no comparison ({where}, {[int(a[0]) for a in some]})")
        for key in (where, "all"):
            ratios.setdefault(key, []).append((ours, scipy, scipy / ours))
    rows = []
    for where, measured in ratios.items():
        ours, scipy, ratio = (
            math.exp(sum(map(math.log, column)) / len(measured))
            for column in zip(*measured, strict=True)
        )
        rows.append([where, f"{ours * 1e9:.1f}", f"{scipy * 1e9:.0f}", f"{ratio:.0f}×"])
    return rows


def curve_rows(n: int, n_slow: int) -> list[list[str]]:
    """Nanoseconds a cut of whole rankings, and SciPy's of a loop over the cuts."""
    rng, rows = np.random.default_rng(4), []
    for population, relevant, share in CURVES:
        length = min(n, population)
        ranking = rng.random(length) < share
        ranking &= np.cumsum(ranking) <= relevant
        ranking |= np.cumsum(~ranking) > population - relevant
        ours = (
            best_seconds(
                lambda r=ranking, p=population, k=relevant: irb.chance.hypergeometric_curve(r, p, k)
            )
            / length
        )
        found, cuts = np.cumsum(ranking), rng.choice(length, n_slow, replace=False)

        def loop(
            found: np.ndarray = found,
            cuts: np.ndarray = cuts,
            p: int = population,
            k: int = relevant,
        ) -> None:
            for cut in cuts:
                hypergeom.cdf(found[cut] - 1, p, k, cut + 1)

        scipy = best_seconds(loop, repeat=1) / n_slow
        rows.append(
            [
                f"{population:,} documents, {relevant:,} relevant, {length:,} cuts, {share:g} "
                "relevant",
                f"{ours * 1e9:.1f}",
                f"{scipy * 1e6:.0f} µs",
                f"{scipy / ours:,.0f}×",
            ]
        )
    return rows


def main() -> None:
    """Measure and write the tables."""
    quick = is_quick(__doc__)
    n, n_slow, n_cuts = (1000, 100, 10) if quick else (100_000, 10_000, 200)
    lines = [
        "# Chance",
        "",
        "One thread, the shortest of several runs; a ratio says how many times as long as "
        "irbounds the "
        "other takes. Made by `python benchmarks/chance.py`.",
        "",
        machine(["numpy", "scipy"]),
        "",
        f"## Beta variates, vectors of {n:,}: ns each",
        "",
        *table(
            ["a, b", "NumPy", "irbounds", "with AVX2 at most", "without vector instructions"],
            beta_rows(n),
        ),
        "",
        f"## P(X > found), vectors of {n:,} (SciPy {n_slow:,}): ns each, geometric means",
        "",
        "Populations 10^4 to 10^8; the tail is 12 standard deviations up; either one set of "
        "parameters with many "
        "counts, or parameters that all differ.",
        "",
        *table(["where", "irbounds", "SciPy", "ratio"], tail_rows(n, n_slow)),
        "",
        "## P(X < found) at every cut of a ranking",
        "",
        *table(
            ["ranking", "irbounds, ns a cut", "a loop of SciPy calls, a cut", "ratio"],
            curve_rows(10 * n, n_cuts),
        ),
    ]
    publish(lines, "chance.md", write=not quick)


if __name__ == "__main__":
    main()
