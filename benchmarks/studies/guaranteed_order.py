"""Compares orders of the samples for guaranteed bounds: the source of two constants.

    python benchmarks/studies/guaranteed_order.py            # writes results/guaranteed_order.md
    python benchmarks/studies/guaranteed_order.py --quick    # only checks that it runs

`samples/bounds/guaranteed.py` orders samples by recall at Wilson's limits, taken at ORDER times the
normal quantile of alpha, and leaves out yields that a test at level CHANCE times alpha rejects.
Reviews are drawn for each design (precision from .1 to 1, recall from .3 to 1), and one sample of
each. The table has the distance of each order's mean lower bound below that of the half prior.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from statistics import NormalDist

import numpy as np

import irbounds as irb
from irbounds._core.samples.guaranteed_bound import BoundSearch
from irbounds.samples.bounds.guaranteed import CHANCE, ORDER

sys.path.insert(0, str(Path(__file__).parents[1]))
from timing import machine, publish, table

DESIGNS = [
    (500, 50, 2000, 100),
    (200, 30, 1000, 30),
    (60, 20, 60, 20),
    (400, 20, 1000, 100),
    (2000, 100, 100_000, 500),
    (5000, 400, 20_000, 400),
    (12_000, 150, 88_000, 1300),
]
TAILS = (0.05, 0.025, 0.005)
FACTORS = (0.0, 0.3, 0.5, 0.65, 0.8, 1.1, 1.4)
CHANCES = (0.0, 0.002, 0.02, 0.05, 0.1)


def draw_samples(design: tuple[int, ...], rng: np.random.Generator, count: int) -> np.ndarray:
    """Counts of relevant documents in the samples of `count` reviews, one row each."""
    size1, sampled1, size0, sampled0 = design
    rows: list[tuple[float, float]] = []
    while len(rows) < count:
        yield1 = round(size1 * rng.uniform(0.1, 1))
        recall = rng.uniform(0.3, 1)
        yield0 = round(yield1 * (1 - recall) / recall)
        if 0 < yield0 <= size0:
            rows.append(
                (
                    rng.hypergeometric(yield1, size1 - yield1, sampled1),
                    rng.hypergeometric(yield0, size0 - yield0, sampled0),
                )
            )
    return np.array(sorted(rows), float)


def lower_bounds(
    design: tuple[int, ...], seen: np.ndarray, alpha: float, factor: float, chance: float
) -> np.ndarray:
    """Guaranteed lower bounds on recall with another factor and another chance."""
    size1, sampled1, size0, sampled0 = design
    groups = [
        (np.array([0.0, size1]), np.array([0.0, sampled1])),
        (np.array([0.0, size0]), np.array([0.0, sampled0])),
    ]
    z = factor * NormalDist().inv_cdf(1 - alpha)
    search = BoundSearch(groups, alpha * (1 - 2 * chance), alpha * chance, z, 1e-4)
    return search.least(seen, np.tile([1.0, 0, 0, 0, 1, 0], (len(seen), 1)))


def study(alpha: float, count: int) -> list[str]:
    """The table of one alpha."""
    rng = np.random.default_rng(1)
    drawn = [draw_samples(design, rng, count) for design in DESIGNS]
    posterior = [
        irb.recall_interval(
            (size1, sampled1, seen[:, 0]),
            (size0, sampled0, seen[:, 1]),
            side="lower",
            method="betabinom-half",
            confidence_level=1 - alpha,
        ).low.mean()
        for (size1, sampled1, size0, sampled0), seen in zip(DESIGNS, drawn, strict=True)
    ]
    rows = []
    for factor, chance in [*((f, CHANCE) for f in FACTORS), *((ORDER, c) for c in CHANCES)]:
        losses = [
            float(half - lower_bounds(design, seen, alpha, factor, chance).mean())
            for design, seen, half in zip(DESIGNS, drawn, posterior, strict=True)
        ]
        means = [f"{loss:.4f}" for loss in [*losses, np.mean(losses)]]
        rows.append([f"{factor:g}", f"{chance:g}", *means])
    names = [f"{a:,}/{b}, {c:,}/{d}" for a, b, c, d in DESIGNS]
    return ["", f"## α = {alpha}", "", *table(["factor", "chance", *names, "mean"], rows)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    lines = [
        "# The order of samples for guaranteed bounds",
        "",
        "Distance of the mean guaranteed lower bound on recall below that of the half prior.",
        "Samples are ordered by recall at Wilson's limits, taken at `factor` times the normal",
        "quantile of α. Yields that a test at level `chance` times α rejects are left out.",
        f"irbounds uses the factor {ORDER:g} and the chance {CHANCE:g}.",
        "Made by `python benchmarks/studies/guaranteed_order.py`.",
        "",
        machine(["numpy", "scipy"]),
    ]
    for alpha in TAILS[:1] if quick else TAILS:
        lines += study(alpha, 2 if quick else 40)
    publish(lines, "guaranteed_order.md", write=not quick)


if __name__ == "__main__":
    main()
