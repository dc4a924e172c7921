"""Ranks of two and of many systems: do they hold together, and is P(best) what it says?

    python benchmarks/studies/ranks.py [--quick]

Rank sets: systems with known means, whose units (queries or tasks) are drawn from a distribution.
All systems are equal, which is the hardest case, as any claim about them is wrong.  Opposed: skewed
to one side for every other system, to the other for the rest.  All values of a unit share a normal
deviate.  P(best): the systems' true means are drawn as well, so that a share p of those with
P(best) = p must be best.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable

import numpy as np
from study import ALPHA, about, coverage_row, parser_of, publish, store, table

import irbounds as irb
from irbounds.comparison.ranks import rank_sets as rank_sets_module
from irbounds.comparison.ranks.rank_sets import rank_sets
from irbounds.comparison.significance.rank_draws import DRAW_METHODS, Units, draw_ranks

ASK = "ranks that hold together"
RESAMPLES, DRAWS = 199, 1000
Draw = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]
# systems, numbers of units, samples
CASES = (
    (2, (5, 10, 25, 50), 200),
    (3, (5, 10, 25, 50), 200),
    (5, (10, 25, 50), 80),
    (15, (10, 41), 40),
)
MANY = (180, (10, 41), 20)
BINS = (0.0, 0.05, 0.2, 0.5, 0.8, 0.95, 1.0)
SPREADS = {"as far apart as means err": 1.0, "four times as far": 4.0}
BESTS = ((2, 5, 3000), (2, 41, 3000), (15, 41, 1000), (180, 41, 300))  # systems, units, samples


def opposed(shape: tuple[int, ...]) -> np.ndarray:
    """Every other system the other way."""
    return np.where(np.arange(shape[1]) % 2, -1, 1)


def changed(share: float, spread: float = 0.01) -> Draw:
    """Scores that change by 1 on a share of the units, up or down, else hardly."""
    return lambda rng, s: ((rng.random(s) < share) - share) * opposed(s) + rng.normal(0, spread, s)


def one_alone(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """The scores of the first system alone change by 1 on 8 % of the units."""
    values = rng.normal(0, 0.01, shape)
    values[:, 0] += (rng.random(shape[0]) < 0.08) - 0.08
    return values


LAWS: dict[str, Draw] = {
    "normal": lambda rng, s: rng.normal(0, 0.1, s),
    "heavy tails: t with 3": lambda rng, s: 0.1 * rng.standard_t(3, s),
    "uniform": lambda rng, s: rng.uniform(-0.2, 0.2, s),
    "80 % zeros": lambda rng, s: rng.normal(0, 0.2, s) * (rng.random(s) < 0.2),
    "skewed, opposed": lambda rng, s: (rng.exponential(0.1, s) - 0.1) * opposed(s),
    "lognormal, opposed": lambda rng, s: (
        0.1 * (np.exp(rng.normal(0, 1, s)) - np.exp(0.5)) * opposed(s)
    ),
    "skewed and 80 % zeros, opposed": lambda rng, s: (
        (rng.exponential(0.2, s) * (rng.random(s) < 0.2) - 0.04) * opposed(s)
    ),
    "0 or 1, opposed": lambda rng, s: ((rng.random(s) < 0.2) - 0.2) * opposed(s),
    "1 unit in 10 of a pair, opposed": changed(0.05),
    "rare: 1 on 4 %, opposed": changed(0.04),
}
FEW: dict[str, Draw] = {  # few units differ much, and a sample may lack them
    "1 on 4 %, opposed, and deviation 0.1": changed(0.04, 0.1),
    "1 unit in 20 of a pair, opposed": changed(0.025),
    "1 on 8 % of one system alone": one_alone,
}


def share_held(draw: Draw, systems: int, n: int, samples: int, correction: str) -> float:
    """In how many samples the ranks of all systems, which are equal, are held together."""
    rng, held = np.random.default_rng(1000 * systems + n), 0
    for _ in range(samples):
        values = draw(rng, (n, systems)) + rng.normal(0, 0.2, (n, 1))
        found = rank_sets(Units.of_queries(values), correction, ALPHA, rng)
        held += bool((found.low <= 1).all() and (found.high >= systems).all())
    return held / samples


def held_rows(
    laws: dict[str, Draw], cases: tuple, divisor: int
) -> tuple[list[float], list[list[str]]]:
    """All shares by max-t, and a row for each distribution: by systems, for rising units."""
    shares, shown = [], []
    for law, draw in laws.items():
        cells = []
        for systems, sizes, samples in cases:
            count = max(samples // divisor, 2)
            found = [share_held(draw, systems, n, count, "max-t") for n in sizes]
            shares += found
            cells.append(", ".join(f"{share:.3f}" for share in found))
        shown.append([law, *cells])
        print(*shown[-1], flush=True)
    return shares, shown


def best_rows(divisor: int) -> list[list[str]]:
    """By P(best), its mean: the share of those systems that are best."""
    rows = []
    for method, (spread, times) in itertools.product(DRAW_METHODS, SPREADS.items()):
        for systems, n, samples in BESTS:
            rng = np.random.default_rng(2000 * systems + n)
            said, is_best = [], []
            for _ in range(max(samples // divisor, 10)):
                true = rng.normal(0, times * 0.1 / n**0.5, systems)
                values = true + rng.normal(0, 0.1, (n, systems)) + rng.normal(0, 0.2, (n, 1))
                found = draw_ranks(Units.of_queries(values), method, DRAWS, rng, has_beats=False)
                said += found.best.tolist()
                is_best += (true == true.max()).tolist()
            p, hit = np.array(said), np.array(is_best)
            place = np.clip(np.searchsorted(BINS, p, side="right") - 1, 0, len(BINS) - 2)
            own = [place == k for k in range(len(BINS) - 1)]
            cells = [f"{p[o].mean():.3f}: {hit[o].mean():.3f}" if o.sum() > 99 else "" for o in own]
            rows.append([method, spread, f"{systems}", f"{n}", *cells])
    return rows


def main() -> None:
    """Simulate and write the page."""
    given = parser_of(__doc__).parse_args()
    divisor = 50 if given.quick else 1
    warnings.simplefilter("ignore", irb.warnings.FewUnitsWarning)
    rank_sets_module.RESAMPLES = RESAMPLES
    usual, of_usual = held_rows(LAWS, CASES, divisor)
    few, of_few = held_rows(FEW, CASES, divisor)
    three = {name: LAWS[name] for name in [*LAWS][::4]}
    many = [] if given.quick else held_rows(three, (MANY,), divisor)[0]
    rare = share_held(LAWS["rare: 1 on 4 %, opposed"], 15, 25, 200 // divisor, "bonferroni")
    rows = [
        coverage_row(ASK, "max-t", f"2 to 15 systems, {len(LAWS)} distributions", usual),
        coverage_row(f"{ASK}, few units differ much", "max-t", f"{len(FEW)} distributions", few),
        coverage_row("other corrections of ranks", "bonferroni", "15 systems, 1 on 4 %", [rare]),
    ]
    if many:
        rows.append(coverage_row(ASK, "max-t", f"180 systems, {len(three)} distributions", many))
    sizes = [f"{m} systems, {', '.join(map(str, s))} units" for m, s, _ in CASES]
    bins = [f"{low:g} to {high:g}" for low, high in itertools.pairwise(BINS)]
    counts = ", ".join(f"{samples} samples of {m} systems" for m, _, samples in (*CASES, MANY))
    lines = [
        *about(__doc__),
        "",
        *store("ranks", rows, given),
        f"Ranks by *max-t*; {counts}; {RESAMPLES} resamples.",
        "",
        *table(["values", *sizes], [*of_usual, *of_few]),
        f"By P(best), its mean: the share of those systems that are best. {DRAWS:,} draws.",
        "",
        *table(["method", "true means", "systems", "units", *bins], best_rows(divisor)),
    ]
    publish("Ranks of two and of many systems", lines, "ranks.md", given)


if __name__ == "__main__":
    main()
