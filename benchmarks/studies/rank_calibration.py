"""Ranks of two and of many systems: do they hold together, and is P(best) what it says?

    python benchmarks/studies/rank_calibration.py            # writes the page of results
    python benchmarks/studies/rank_calibration.py --quick    # to see that it runs

Rank sets: systems with known means, whose units (queries or tasks) are drawn from a law.  P(best):
the systems' true means are drawn as well, so that a share of those with P(best) = p must be best.
"""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from query_decisions import ALPHA, LEVEL, NOISE, ranks_held

from irbounds.comparison import rank_bootstrap
from irbounds.comparison.rank_draws import DRAW_METHODS, Units, draw_ranks

sys.path.insert(0, str(next(p for p in Path(__file__).parents if p.name == "benchmarks")))
from timing import is_quick, machine, publish, table

CASES = ((2, 5), (2, 10), (2, 41), (15, 5), (15, 41), (180, 5), (180, 10), (180, 41))
SAMPLES, RESAMPLES, DRAWS = 300, 199, 1000
MEANS: dict[str, Callable[[int], np.ndarray]] = {
    "all equal": lambda m: np.zeros(m),
    "in steps of 1/2 s": lambda m: 0.05 * np.arange(m, dtype=float),
    "pairs of equal ones": lambda m: 0.1 * (np.arange(m) // 2),
}
LAWS = (
    "normal",
    "heavy tails: t with 3",
    "tied: tenths",
    "80 % zeros",
    "skewed, opposed",
    "lognormal, opposed",
    "rare: 1 on 4 %, opposed",
)
BINS = (0.0, 0.05, 0.2, 0.5, 0.8, 0.95, 1.0)
SPREADS = {"as far apart as means err": 1.0, "four times as far": 4.0}
BESTS = ((2, 5), (2, 10), (2, 41), (15, 10), (15, 41), (180, 41))
BEST_SAMPLES = 3000  # over systems: a third of it for 15, a tenth for 180


def held(samples: int) -> list[list[str]]:
    """A row for each law and means: how often all ranks are held together by max-t."""
    rows = []
    rank_bootstrap.RESAMPLES = RESAMPLES
    for law in LAWS:
        for kind, means in MEANS.items():
            cells = []
            for systems, n in CASES:
                rng = np.random.default_rng(1000 * systems + n)
                count = samples if systems < 180 else samples // 3
                own = means(systems)
                found = [ranks_held(NOISE[law], own, n, rng)["max-t"] for _ in range(count)]
                cells.append(f"{np.mean(found):.3f}")
            rows.append([law, kind, *cells])
            print(*rows[-1], flush=True)
    return rows


def bests(samples: int) -> list[list[str]]:
    """A row for each method, spread of true means, and case: shares of systems that are best, by
    their P(best)."""
    rows = []
    for method in DRAW_METHODS:
        for spread, times in SPREADS.items():
            for systems, n in BESTS:
                rng = np.random.default_rng(2000 * systems + n)
                said, is_best = [], []
                for _ in range(max(samples // {2: 1, 15: 3, 180: 10}[systems], 10)):
                    true = rng.normal(0, times * 0.1 / n**0.5, systems)
                    values = true + rng.normal(0, 0.1, (n, systems)) + rng.normal(0, 0.2, (n, 1))
                    units = Units(values, np.arange(n), np.full(n, 1 / n))
                    found = draw_ranks(units, method, DRAWS, rng, has_beats=False)
                    said += found.best.tolist()
                    is_best += (true == true.max()).tolist()
                p, hit = np.array(said), np.array(is_best)
                place = np.clip(np.searchsorted(BINS, p, side="right") - 1, 0, len(BINS) - 2)
                cells = []
                for k in range(len(BINS) - 1):
                    own = place == k
                    count = int(own.sum())
                    cells.append(
                        f"{p[own].mean():.3f}: {hit[own].mean():.3f}" if count > 99 else ""
                    )
                rows.append([method, spread, f"{systems}", f"{n}", *cells])
                print(*rows[-1], flush=True)
    return rows


def main() -> None:
    """Simulate and write the page."""
    quick = is_quick(__doc__)
    start = time.perf_counter()
    samples = 6 if quick else SAMPLES
    together = held(samples)
    best = bests(30 if quick else BEST_SAMPLES)
    error = (LEVEL * ALPHA / samples) ** 0.5
    lines = [
        "# Ranks of two and of many systems",
        "",
        "Made by `python benchmarks/studies/rank_calibration.py`.",
        "",
        machine(["numpy", "scipy"]),
        "",
        "## Ranks that hold together",
        "",
        f"The share of {samples} samples in which all true ranks lie within (of a third of them "
        f"for 180 systems), by the default correction *max-t*, nominal {LEVEL}, standard error "
        f"{error:.3f} and {error * 3**0.5:.3f}. Columns: systems × units. The deviation s of a "
        "difference from its mean is 0.14 for normal noise. Opposed: skewed to one side for every "
        f"other system, to the other for the rest. {RESAMPLES} resamples, to save time.",
        "",
        *table(["noise", "means", *(f"{m} × {n}" for m, n in CASES)], together),
        "",
        "## P(best)",
        "",
        "By P(best), its mean: the share of those systems that are best. True means are drawn from "
        "a normal law, whose deviation is that of a mean of n units, or four times it; the draws "
        f"take none for likelier than another. {DRAWS:,} draws. Bins with fewer than 100 systems "
        "are left out.",
        "",
        *table(
            [
                "method",
                "true means",
                "systems",
                "units",
                *(f"{low:g} to {high:g}" for low, high in itertools.pairwise(BINS)),
            ],
            best,
        ),
    ]
    print(f"{time.perf_counter() - start:.0f} s")
    publish(lines, "rank_calibration.md", write=not quick)


if __name__ == "__main__":
    main()
