"""Coverage of intervals on the yield of reviews that were coded and audited.

    python benchmarks/studies/coded_coverage.py    # writes benchmarks/results/coded_coverage.md

A segment has N documents, R of them relevant. A coder calls each relevant document relevant with
the probability of its sensitivity, each other one with that of a false alarm. Half of the audit
goes to each class of calls, or less where a class is smaller. Where fewer documents are coded than
there are, the coder sees a random sample of the segment.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import irbounds as irb

RESULTS = Path(__file__).resolve().parents[1] / "results"
REVIEWS = 1000
# documents, coded, relevant, sensitivity, false alarms, audited
DESIGNS = (
    (20_000, 20_000, 100, 0.6, 0.01, 500),
    (10_000, 10_000, 100, 0.85, 0.01, 400),
    (5_000, 5_000, 1_000, 0.85, 0.05, 300),
    (5_000, 1_000, 1_000, 0.85, 0.05, 300),
    (2_000, 500, 40, 0.8, 0.02, 150),
    (500, 200, 250, 0.7, 0.2, 60),
    # few relevant documents
    (20_000, 20_000, 10, 0.7, 0.005, 400),
    (10_000, 2_000, 40, 0.9, 0.01, 300),
    (10_000, 2_000, 20, 0.9, 0.01, 300),
    (10_000, 2_000, 10, 0.9, 0.01, 300),
    (10_000, 2_000, 5, 0.9, 0.01, 300),
    (10_000, 2_000, 0, 0.9, 0.01, 300),
    # a coder who is nearly always right, or hardly better than chance, or always right
    (10_000, 3_000, 800, 0.99, 0.001, 200),
    (10_000, 3_000, 800, 0.35, 0.3, 200),
    (5_000, 1_000, 500, 1.0, 0.0, 200),
    # audits of few documents
    (5_000, 1_000, 500, 0.85, 0.03, 20),
    (5_000, 1_000, 2_500, 0.9, 0.1, 10),
    # nearly all relevant
    (2_000, 600, 1_900, 0.9, 0.2, 100),
    (200_000, 10_000, 4_000, 0.8, 0.01, 500),
)
NOTHING = (0, 0, 0)


def audit(rng: np.random.Generator, relevant: int, size: int, most: int) -> tuple[int, int]:
    """(audited, relevant) of a class of calls."""
    audited = min(size, most)
    return audited, int(rng.hypergeometric(relevant, size - relevant, audited)) if audited else 0


def review(rng: np.random.Generator, design: tuple[float, ...]) -> irb.Audited:
    """One coded and audited segment."""
    size, coded, relevant, sensitivity, alarms, audited = design
    of_coded = int(rng.hypergeometric(relevant, size - relevant, coded))
    right = int(rng.binomial(of_coded, sensitivity))
    called = right + int(rng.binomial(int(coded) - of_coded, alarms))
    half = int(audited) // 2
    one = audit(rng, right, called, half)
    other = audit(rng, of_coded - right, int(coded) - called, int(audited) - one[0])
    return irb.Audited(size, coded, called, one, other)


def main() -> None:
    """Measure all designs, and write the page."""
    lines = [
        "# Coverage of coded and audited reviews",
        "",
        f"95 % intervals on the yield of `Audited` segments, {REVIEWS} simulated reviews each. "
        "Made by `python benchmarks/studies/coded_coverage.py`.",
        "",
        "| documents | coded | relevant | sensitivity | false alarms | audited | coverage "
        "| width |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for design in DESIGNS:
        rng = np.random.default_rng(22)
        held, width = 0, 0.0
        for _ in range(REVIEWS):
            found = irb.yield_interval(review(rng, design), NOTHING)
            held += found.low <= design[2] <= found.high
            width += found.high - found.low
        cells = [*(f"{x:,}" for x in design), f"{held / REVIEWS:.3f}", f"{width / REVIEWS:.0f}"]
        lines.append(f"| {' | '.join(cells)} |")
        print(lines[-1], flush=True)
    (RESULTS / "coded_coverage.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
