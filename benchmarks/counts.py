"""Posteriors from confusion counts: exact, beside a straightforward NumPy Monte Carlo of 100,000
draws, in one run.

    python benchmarks/counts.py            # writes benchmarks/results/counts.md
    python benchmarks/counts.py --quick    # to see that it runs
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
from timing import best_seconds, is_quick, machine, publish, table

import irbounds as irb

DRAWS = 100_000
PAIRS = [
    ((10, 10, 5), (3, 2, 3)),
    ((80, 26, 20), (85, 30, 15)),
    ((1000, 40, 60), (980, 20, 80)),
    ((0, 3, 5), (1, 9, 4)),
    ((10**6, 10**5, 2 * 10**5), (10**6, 10**5, 199_000)),
]
OUTCOMES = [(17, 4, 100), (1, 0, 5), (430, 280, 3000)]


def draw_f(rng: np.random.Generator, counts: tuple[int, ...], beta: float) -> np.ndarray:
    """The paper's: three gamma variates (two where β = 1)."""
    tp, fp, fn = (count + 0.5 for count in counts)
    x = rng.gamma(tp, size=DRAWS)
    if beta == 1:
        return 2 * x / (2 * x + rng.gamma(fp + fn, size=DRAWS))
    y, z = rng.gamma(fp, size=DRAWS), rng.gamma(fn, size=DRAWS)
    return (1 + beta**2) * x / ((1 + beta**2) * x + beta**2 * z + y)


def row(name: str, ours: Callable[[], float], theirs: Callable[[], float]) -> list[str]:
    """Times, their ratio, and the values, which must agree within five standard errors."""
    exact, drawn = ours(), theirs()
    error = max(exact * (1 - exact), 1 / DRAWS) / DRAWS
    if (exact - drawn) ** 2 > 25 * error:
        sys.exit(f"{name}: {exact} and {drawn} differ: no comparison")
    fast, slow = best_seconds(ours), best_seconds(theirs, repeat=3)
    return [
        name,
        f"{fast * 1e6:.1f} µs",
        f"{slow * 1e3:.1f} ms",
        f"{slow / fast:,.0f}×",
        f"{exact:.6f}",
        f"{drawn:.4f}",
    ]


def main() -> None:
    """Measure and write the table."""
    quick = is_quick(__doc__)
    rng, rows = np.random.default_rng(1), []
    for beta in (1.0, 2.0):
        for first, second in PAIRS[:1] if quick else PAIRS:
            a, b = irb.CountsPosterior(*first), irb.CountsPosterior(*second)
            rows.append(
                row(
                    f"P(F_{beta:g} of {first} > of {second})",
                    lambda a=a, b=b, beta=beta: irb.prob_superior(a, b, beta=beta).probability,
                    lambda p=first, q=second, beta=beta: float(
                        np.mean(draw_f(rng, p, beta) > draw_f(rng, q, beta))
                    ),
                )
            )
    for wins, losses, same in OUTCOMES:

        def drawn(alpha: tuple[float, ...] = (wins + 0.5, losses + 0.5, same + 0.5)) -> float:
            pi = rng.dirichlet(alpha, DRAWS)
            return float(np.mean(pi[:, 0] > pi[:, 1]))

        rows.append(
            row(
                f"paired, {wins} to {losses}",
                lambda o=(wins, losses, same): irb.counts.paired_comparison(*o).probability,
                drawn,
            )
        )
    cells = rng.integers(0, 1000, (3, 10_000))
    seconds = best_seconds(lambda: irb.CountsPosterior(*cells).f().interval())
    publish(
        [
            "# Counts",
            "",
            f"Exact, against {DRAWS:,} draws with NumPy; one thread, the shortest of several "
            "runs. Made by "
            "`python benchmarks/counts.py`.",
            "",
            machine(["numpy", "scipy"]),
            "",
            *table(["", "irbounds, exact", "NumPy, draws", "ratio", "exact", "drawn"], rows),
            "",
            "10,000 intervals of F1 in one call, counts from 0 to 1,000: "
            f"{seconds / 1e4 * 1e6:.2f} µs each.",
        ],
        "counts.md",
        write=not quick,
    )


if __name__ == "__main__":
    main()
