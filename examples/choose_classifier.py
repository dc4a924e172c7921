"""Choose between two classifiers that were tested on the same objects, overall and by category.

python examples/choose_classifier.py        # invented predictions of two systems
"""

from __future__ import annotations

import numpy as np

import irbounds as irb

CATEGORIES = {"common": 0.20, "usual": 0.05, "rare": 0.005}


def invent(
    rng: np.random.Generator, share: float, n: int = 1500
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """True labels, and those of two systems; B sees a little more than A."""
    truth = rng.random(n) < share
    seen = rng.normal(truth * 3.0, 0.7)
    a, b = (seen + rng.normal(0, noise, n) for noise in (0.7, 0.6))
    return truth, a > 1.7, b > 1.7


def main() -> None:
    """One row a category, and the micro-average: both systems labelled the same objects."""
    rng = np.random.default_rng(3)
    tables = []
    print(
        "category      F1 of A                  F1 of B                  B less A            P(F1 "
        "of B higher)"
    )
    for name, share in CATEGORIES.items():
        truth, a, b = invent(rng, share)
        pairs = irb.PairedCounts.from_labels(truth, b, a)
        tables.append(pairs.table)
        print(f"{name:12}  {row(pairs)}")
    print(f"{'all (micro)':12}  {row(irb.PairedCounts(sum(tables)))}")


def row(pairs: irb.PairedCounts) -> str:
    """F1 of both systems, and what they differ by; B is the pair's first system."""
    cells = []
    for posterior in (pairs.b, pairs.a):
        low, high = posterior.f().interval(0.95)
        cells.append(f"{posterior.f().mean:.3f} [{low:.3f}, {high:.3f}]    ")
    difference = pairs.difference_interval("f")
    cells.append(f"[{difference.low:+.3f}, {difference.high:+.3f}]  ")
    return "  ".join([*cells, f"{pairs.prob_superior('f').probability:.4f}"])


if __name__ == "__main__":
    main()
