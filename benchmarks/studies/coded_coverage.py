"""Coverage of intervals on the yield of reviews that were coded and audited.

    python benchmarks/studies/coded_coverage.py    # writes benchmarks/results/coded_coverage.md

A segment has N documents, R of them relevant. A coder calls each relevant document relevant with
the probability of its sensitivity, each other one with that of a false alarm. Half of the audit
goes to each class of calls, or less where a class is smaller. Where fewer documents are coded than
there are, the coder sees a random sample of the segment.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import irbounds as irb

# documents, coded, relevant, sensitivity, false alarms, audited: in all, or of each class
Design = tuple[Any, ...]
RESULTS = Path(__file__).resolve().parents[1] / "results"
REVIEWS = 1000
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
# The worst of 2,600 random designs, with audits of each class.  The first six were found under a
# rule for ends (`samples/posterior/coded.py`) that looked at the estimate only: a class of
# which all that was audited is relevant, beside a small one, and few relevant documents beside many
# false alarms.  The last four were found under the present one: coders who miss half of what is
# relevant, and more false alarms.
WORST = (
    (20_000, 20_000, 18_000, 0.98, 0.001, (30, 400)),
    (20_000, 20_000, 18_000, 0.98, 0.001, (60, 400)),
    (10_000, 10_000, 9_000, 0.99, 0.0, (30, 200)),
    (5_000, 5_000, 5, 0.98, 0.2, (30, 400)),
    (1_000, 1_000, 3, 0.98, 0.2, (10, 100)),
    (5_000, 500, 5, 0.9, 0.2, (30, 400)),
    (11_969, 11_969, 447, 0.3, 0.0, (30, 100)),
    (5_569, 5_569, 305, 0.5, 0.0, (30, 100)),
    (1_299, 286, 5, 0.99, 0.4, (10, 100)),
    (3_849, 617, 14, 0.99, 0.4, (10, 30)),
)
NOTHING = (0, 0, 0)
# The grid: its reviews of a design, and the coders, by sensitivity and false alarms
GRID_REVIEWS = 300
CODERS = (0.9, 0.01), (0.6, 0.001), (0.7, 0.05)
HEAD = (
    "| documents | coded | relevant | sensitivity | false alarms | audited | coverage | width |",
    "|---|---|---|---|---|---|---|---|",
)


def audit(rng: np.random.Generator, relevant: int, size: int, most: int) -> tuple[int, int]:
    """(audited, relevant) of a class of calls."""
    audited = min(size, most)
    return audited, int(rng.hypergeometric(relevant, size - relevant, audited)) if audited else 0


def review(rng: np.random.Generator, design: Design) -> irb.Audited:
    """One coded and audited segment."""
    size, coded, relevant, sensitivity, alarms, audited = design
    of_coded = int(rng.hypergeometric(relevant, size - relevant, coded))
    right = int(rng.binomial(of_coded, sensitivity))
    called = right + int(rng.binomial(int(coded) - of_coded, alarms))
    if isinstance(audited, tuple):
        most, rest = audited
        one = audit(rng, right, called, most)
    else:
        one = audit(rng, right, called, int(audited) // 2)
        rest = int(audited) - one[0]
    other = audit(rng, of_coded - right, int(coded) - called, rest)
    return irb.Audited(size, coded, called, one, other)


def coverage(design: Design, reviews: int) -> tuple[float, float]:
    """How often intervals of the yield hold it, and their mean width."""
    rng = np.random.default_rng(22)
    held, width = 0, 0.0
    for _ in range(reviews):
        found = irb.yield_interval(review(rng, design), NOTHING)
        held += found.low <= design[2] <= found.high
        width += found.high - found.low
    return held / reviews, width / reviews


def line(design: Design, reviews: int) -> str:
    """A row of a table."""
    share, width = coverage(design, reviews)
    shown = (" and ".join(map(str, x)) if isinstance(x, tuple) else f"{x:,}" for x in design)
    cells = [*shown, f"{share:.3f}", f"{width:.0f}"]
    return f"| {' | '.join(cells)} |"


def grid_designs() -> list[Design]:
    """Designs with few relevant documents, mostly."""
    parts = (
        (10_000, (500, 2000, 10_000), (5, 10, 20, 40, 100, 400), CODERS, (100, 300)),
        (100_000, (3000, 20_000), (20, 100, 1000), ((0.9, 0.01), (0.7, 0.002)), (200, 600)),
        (1000, (200, 500), (5, 20, 100), ((0.9, 0.02), (0.7, 0.1), (0.5, 0.5)), (40, 100)),
    )
    return [
        (size, coded, relevant, *coder, audited)
        for size, *rest in parts
        for coded, relevant, coder, audited in product(*rest)
    ]


def grid_lines(lines: list[str]) -> list[str]:
    """The summary of the grid, and the designs that are covered least."""
    shares = np.array([float(each.split("|")[-3]) for each in lines])
    order = np.argsort(shares, kind="stable")
    return [
        "",
        f"{len(lines)} more designs, most of them with few relevant documents, {GRID_REVIEWS} "
        f"reviews each: the mean coverage is {shares.mean():.3f}, {(shares < 0.94).sum()} designs "
        f"are covered in less than .94 and {(shares < 0.92).sum()} in less than .92. The least "
        "covered ones:",
        "",
        *HEAD,
        *(lines[i] for i in order[:6]),
    ]


def main() -> None:
    """Measure all designs, and write the page."""
    lines = [line(design, REVIEWS) for design in DESIGNS]
    text = [
        "# Coverage of coded and audited reviews",
        "",
        f"95 % intervals on the yield of `Audited` segments, {REVIEWS} simulated reviews each. "
        "Made by `python benchmarks/studies/coded_coverage.py`.",
        "",
        *HEAD,
        *lines,
        "",
        "Ten of the worst designs that searches among 2,600 random ones found, "
        f"{REVIEWS} reviews each, with documents audited of those called relevant and of the "
        "others:",
        "",
        *HEAD,
        *(line(design, REVIEWS) for design in WORST),
        *grid_lines([line(design, GRID_REVIEWS) for design in grid_designs()]),
    ]
    (RESULTS / "coded_coverage.md").write_text("\n".join(text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
