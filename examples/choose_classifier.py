"""Choose between two classifiers that were tested on the same objects, overall and by category.

    python examples/choose_classifier.py        # invented predictions of two systems
"""
from __future__ import annotations

import numpy as np

import irbounds as irb

CATEGORIES = {"common": 0.20, "usual": 0.05, "rare": 0.005}


def invent(rng: np.random.Generator, share: float, n: int = 1500) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """True labels, and those of two systems; B sees a little more than A."""
    truth = rng.random(n) < share
    seen = rng.normal(truth * 3.0, 0.7)
    a, b = (seen + rng.normal(0, noise, n) for noise in (0.7, 0.6))
    return truth, a > 1.7, b > 1.7


def main() -> None:
    """One row a category, and the micro-average."""
    rng = np.random.default_rng(3)
    posteriors: dict[str, list[irb.CountsPosterior]] = {"A": [], "B": []}
    print("category      F1 of A                  F1 of B                  P(B right more often)")
    for name, share in CATEGORIES.items():
        truth, a, b = invent(rng, share)
        row = f"{name:12}"
        for system, predicted in (("A", a), ("B", b)):
            posterior = irb.CountsPosterior.from_labels(truth, predicted)
            posteriors[system].append(posterior)
            low, high = posterior.f().interval(0.95)
            row += f"  {posterior.f().mean:.3f} [{low:.3f}, {high:.3f}]  "
        print(f"{row}  {irb.paired_comparison_from_labels(truth, b, a).probability:.4f}")
    a, b = (irb.micro_average(posteriors[system]) for system in ("A", "B"))
    print(f"micro-average: F1 {a.f().mean:.3f} and {b.f().mean:.3f}; P(F1 of B > F1 of A), as if the data were "
          f"different ones: {irb.prob_superior(b, a).probability:.4f}")


if __name__ == "__main__":
    main()
