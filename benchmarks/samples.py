"""Recall intervals from samples: exact, and by Monte Carlo, beside a straightforward NumPy Monte
Carlo of 40,000 draws.

    python benchmarks/samples.py            # writes benchmarks/results/samples.md
    python benchmarks/samples.py --quick    # to see that it runs
"""

from __future__ import annotations

import sys

import numpy as np
from timing import best_seconds, is_quick, machine, publish, table

import irbounds as irb

DRAWS = 40_000
DESIGNS = [
    ((500, 50, 40), (2000, 100, 3)),
    ((10_000, 500, 350), (90_000, 1000, 12)),
    ((100_000, 1000, 700), (900_000, 2000, 5)),
    ((2000, 200, 150), (98_000, 500, 0)),
    ((500_000, 1000, 600), (45_000_000, 3000, 6)),
]
METHODS = ["koopman", "guaranteed", "beta-jeffreys", "normal-laplace"]


def draw_recall(rng: np.random.Generator, design: tuple[tuple[int, int, int], ...]) -> np.ndarray:
    """The paper's: beta, then binomial, pairs, both quantiles."""
    yields = []
    for size, sampled, relevant in design:
        share = rng.beta(0.5 + relevant, 0.5 + sampled - relevant, DRAWS)
        yields.append(relevant + rng.binomial(size - sampled, share))
    recall = yields[0] / (yields[0] + yields[1])
    return np.quantile(recall, [0.025, 0.975])


def row(design: tuple[tuple[int, int, int], ...]) -> list[str]:
    """Times of the exact and the Monte Carlo engine and of NumPy, after a look at the values."""
    rng = np.random.default_rng(1)
    exact = irb.recall_interval(*design)
    drawn = draw_recall(rng, design)
    if design[1][2] and not np.allclose((exact.low, exact.high), drawn, atol=0.01):
        sys.exit(f"{design}: {exact} and {drawn} differ: no comparison")
    ours = best_seconds(lambda: irb.recall_interval(*design))
    monte_carlo = best_seconds(lambda: irb.recall_interval(*design, engine="monte-carlo", rng=rng))
    numpy = best_seconds(lambda: draw_recall(rng, design), repeat=5)
    return [
        " | ".join("/".join(f"{count:,}" for count in stratum) for stratum in design).replace(
            "|", "and"
        ),
        f"{ours * 1e3:.2f} ms",
        f"{numpy / ours:.0f}×",
        f"{monte_carlo * 1e3:.2f} ms",
        f"{numpy / monte_carlo:.1f}×",
        f"{numpy * 1e3:.1f} ms",
        f"{exact.low:.6f}, {exact.high:.6f}",
        f"{drawn[0]:.4f}, {drawn[1]:.4f}",
    ]


def main() -> None:
    """Measure and write the table."""
    quick = is_quick(__doc__)
    rows = [row(design) for design in (DESIGNS[:1] if quick else DESIGNS)]
    found = np.arange(1000) % 50
    many = best_seconds(lambda: irb.recall_interval((500, 50, found), (2000, 100, 3)), repeat=1)
    others = [
        [
            method,
            f"{1e3 * best_seconds(lambda m=method: irb.recall_interval(*DESIGNS[1], method=m)):.2f}"
            " ms",
        ]
        for method in METHODS
    ]
    publish(
        [
            "# Samples",
            "",
            "Recall, half prior, 95 %, as size/sampled/relevant of the retrieved and the "
            "unretrieved segment; NumPy with "
            f"{DRAWS:,} draws. One thread, the shortest of several runs. Made by `python "
            "benchmarks/samples.py`.",
            "",
            machine(["numpy", "scipy"]),
            "",
            *table(
                [
                    "design",
                    "exact",
                    "ratio",
                    "Monte Carlo engine",
                    "ratio",
                    "NumPy",
                    "exact ends",
                    "NumPy's",
                ],
                rows,
            ),
            "",
            f"A thousand questions in one call (500/50/0 … 49 and 2,000/100/3): {many * 1e3:.0f} "
            "ms.",
            "",
            "Other methods on the second design:",
            "",
            *table(["method", "time"], others),
        ],
        "samples.md",
        write=not quick,
    )


if __name__ == "__main__":
    main()
