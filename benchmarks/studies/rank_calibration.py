"""Ranks of two and of many systems: do they hold together, and is P(best) what it says?

    python benchmarks/studies/rank_calibration.py            # writes the page of results
    python benchmarks/studies/rank_calibration.py --ranks    # all tables but that of P(best)
    python benchmarks/studies/rank_calibration.py --quick    # to see that it runs

Rank sets: systems with known means, whose units (queries or tasks) are drawn from a law.  P(best):
the systems' true means are drawn as well, so that a share of those with P(best) = p must be best.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from query_decisions import ALPHA, LEVEL, NOISE, Draw, opposed, ranks_held

import irbounds as irb
from irbounds.comparison.ranks.rank_sets import rank_sets
from irbounds.comparison.ranks.ranks import rank_bootstrap
from irbounds.comparison.significance.rank_draws import DRAW_METHODS, draw_ranks
from irbounds.queries.units import Units

sys.path.insert(0, str(next(p for p in Path(__file__).parents if p.name == "benchmarks")))
from timing import RESULTS, machine, publish, table

SIZES = (5, 10, 14, 20, 25, 41, 50)
# systems, all equal, which is the hardest case, as any claim is wrong; numbers of units, samples
CASES = (
    (2, SIZES, 200),
    (3, SIZES, 200),
    (5, (10, 20, 25, 41, 50), 80),
    (15, (10, 41), 40),
    (180, (10, 41), 20),
)
RESAMPLES, DRAWS = 199, 1000


def rare(share: float, spread: float = 0.01) -> Draw:
    """Scores that change by 1 on a share of the units, up or down, else hardly."""
    return lambda rng, shape: (
        ((rng.random(shape) < share) - share) * opposed(shape) + rng.normal(0, spread, shape)
    )


def one_alone(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """The scores of the first system alone change by 1 on 8 % of the units."""
    values = rng.normal(0, 0.01, shape)
    values[:, 0] += (rng.random(shape[0]) < 0.08) - 0.08
    return values


PAIR = "1 unit in {} of a pair, opposed"
LAWS: dict[str, Draw] = {
    **{name: NOISE[name] for name in ("normal", "heavy tails: t with 3")},
    "uniform": lambda rng, shape: rng.uniform(-0.2, 0.2, shape),
    "80 % zeros": NOISE["80 % zeros"],
    **{name: NOISE[name] for name in ("skewed, opposed", "lognormal, opposed")},
    "skewed and 80 % zeros, opposed": NOISE["skewed and 80 % zeros, opposed"],
    "0 or 1, opposed": lambda rng, shape: ((rng.random(shape) < 0.2) - 0.2) * opposed(shape),
    PAIR.format("10"): rare(0.05),
    "rare: 1 on 4 %, opposed": NOISE["rare: 1 on 4 %, opposed"],
    "1 on 4 %, opposed, and deviation 0.1": rare(0.04, 0.1),
    PAIR.format("20"): rare(0.025),
    "1 on 8 % of one system alone": one_alone,
}
MANY_LAWS = ("normal", "lognormal, opposed", "rare: 1 on 4 %, opposed")  # for 180 systems
POWER_LAWS: dict[str, Draw] = {
    **{name: LAWS[name] for name in ("normal", "heavy tails: t with 3", "skewed, opposed")},
    "normal, scores from 0 to 1": lambda rng, shape: rng.normal(0.25, 0.1, shape).clip(0, 1),
}
POWER_CASES, POWER_SAMPLES = ((2, (10, 14, 20, 25, 41)), (15, (14, 25, 41))), 100
PAGE, BEST = "rank_calibration.md", "## P(best)"
BINS = (0.0, 0.05, 0.2, 0.5, 0.8, 0.95, 1.0)
SPREADS = {"as far apart as means err": 1.0, "four times as far": 4.0}
BESTS = ((2, 5), (2, 10), (2, 41), (15, 10), (15, 41), (180, 41))
BEST_SAMPLES = 3000  # over systems: a third of it for 15, a tenth for 180


def held(divisor: int) -> list[list[str]]:
    """A row for each law and number of systems: how often all ranks are held together by max-t."""
    rows = []
    rank_bootstrap.RESAMPLES = RESAMPLES
    for law, draw in LAWS.items():
        for systems, sizes, samples in CASES:
            if systems == 180 and law not in MANY_LAWS:
                continue
            cells = dict.fromkeys(SIZES, "")
            own = np.zeros(systems)
            for n in sizes:
                rng = np.random.default_rng(1000 * systems + n)
                count = max(samples // divisor, 2)
                found = [ranks_held(draw, own, n, rng, ("max-t",))["max-t"] for _ in range(count)]
                cells[n] = f"{np.mean(found):.3f}"
            rows.append([law, f"{systems}", *cells.values()])
            print(*rows[-1], flush=True)
    return rows


def told(divisor: int) -> list[list[str]]:
    """A row for each law and number of systems: how often the first is told apart from the second,
    if its mean is one deviation of their difference larger, and if three."""
    rows = []
    for law, draw in POWER_LAWS.items():
        for systems, sizes in POWER_CASES:
            for apart in (1, 3):
                cells = []
                for n in sizes:
                    rng = np.random.default_rng(3000 * systems + n)
                    spread = draw(rng, (100_000, 2)) @ [1, -1]
                    is_told = []
                    for _ in range(max(POWER_SAMPLES // (divisor * (1 + systems // 10)), 2)):
                        values = draw(rng, (n, systems))
                        values[:, 0] += apart * spread.std()
                        units = Units(values, np.arange(n), np.full(n, 1 / n))
                        low = rank_sets(units, "max-t", ALPHA, rng).low
                        is_told.append(low[1] > 1)
                    cells.append(f"{n}: {np.mean(is_told):.3f}")
                rows.append([law, f"{systems}", f"{apart} s", ", ".join(cells)])
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


def page(together: list[list[str]], power: list[list[str]], best: list[list[str]]) -> list[str]:
    """The page of results."""
    errors = {f"{samples}": f"{(LEVEL * ALPHA / samples) ** 0.5:.3f}" for *_, samples in CASES}
    return [
        "# Ranks of two and of many systems",
        "",
        "Made by `python benchmarks/studies/rank_calibration.py`.",
        "",
        machine(["numpy", "scipy"]),
        "",
        "## Ranks that hold together",
        "",
        "The share of samples in which all true ranks lie within, by the default correction "
        f"*max-t*, nominal {LEVEL}. All systems are equal: this is the hardest case, as any claim "
        "about them is wrong. "
        + ", ".join(f"{count} samples of {m} systems" for m, _, count in CASES)
        + "; standard error "
        + ", ".join(f"{error} of {count}" for count, error in errors.items())
        + ". Columns: numbers of units. The deviation s of a difference from its mean is 0.14 for "
        "normal noise. Opposed: skewed to one side for every other system, to the other for the "
        "rest. 1 unit in 10 of a pair, or 20: scores change by 1 on 5 % of the units, or 2.5 %, up "
        f"for every other system and down for the rest. {RESAMPLES} resamples, to save time.",
        "",
        *table(["noise", "systems", *(f"{n}" for n in SIZES)], together),
        "",
        "## Pairs that are told apart",
        "",
        "By the number of units, the share of samples in which the best system is told apart from "
        f"the second, the others having equal means; {POWER_SAMPLES} samples of 2 systems, half of "
        "that of 15. Where they are 3 s apart, hardly any unit disagrees, and fewer than 36 do not "
        "show what losses are like, unless all scores lie between 0 and 1, or 0 and 100.",
        "",
        *table(["noise", "systems", "apart", "units: share"], power),
        "",
        BEST,
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


def main() -> None:
    """Simulate and write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--ranks", action="store_true", help="all tables but that of P(best)")
    given = parser.parse_args()
    warnings.simplefilter("ignore", irb.warnings.FewUnitsWarning)
    start = time.perf_counter()
    divisor = 50 if given.quick else 1
    best = [] if given.ranks else bests(30 if given.quick else BEST_SAMPLES)
    lines = page(held(divisor), told(divisor), best)
    if given.ranks:
        text = (RESULTS / PAGE).read_text(encoding="utf-8")
        lines = [*lines[: lines.index(BEST)], *text[text.index(BEST) :].rstrip("\n").split("\n")]
    print(f"{time.perf_counter() - start:.0f} s")
    publish(lines, PAGE, write=not given.quick)


if __name__ == "__main__":
    main()
