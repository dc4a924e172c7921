"""How often intervals on the yield of coded and audited segments hold it.

    python benchmarks/studies/coded.py [--quick]

A segment has N documents, R of them relevant.  A coder calls each relevant document relevant with
the probability of its sensitivity, each other one with that of a false alarm.  Half of the audit
goes to each class of calls, or less where a class is smaller.  Where fewer documents are coded than
there are, the coder sees a random sample of the segment.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from reviews import coded
from study import LEVEL, about, coverage_row, holds, parser_of, publish, store, table

import irbounds as irb

Coder = tuple[float, float, int | tuple[int, int]]  # sensitivity, false alarms, audited documents
Design = tuple[int, int, int, Coder]  # documents, coded, relevant
ASK, METHOD = "the yield of coded and audited segments", "betabinom-half"
NOTHING = (0, 0, 0)
USUAL: tuple[Design, ...] = (
    (20_000, 20_000, 100, (0.6, 0.01, 500)),
    (10_000, 10_000, 100, (0.85, 0.01, 400)),
    (5_000, 5_000, 1_000, (0.85, 0.05, 300)),
    (5_000, 1_000, 1_000, (0.85, 0.05, 300)),
    (2_000, 500, 40, (0.8, 0.02, 150)),
    (500, 200, 250, (0.7, 0.2, 60)),
    (20_000, 20_000, 10, (0.7, 0.005, 400)),
    *((10_000, 2_000, relevant, (0.9, 0.01, 300)) for relevant in (40, 20, 10, 5, 0)),
    # a coder who is nearly always right, or hardly better than chance, or always right
    (10_000, 3_000, 800, (0.99, 0.001, 200)),
    (10_000, 3_000, 800, (0.35, 0.3, 200)),
    (5_000, 1_000, 500, (1.0, 0.0, 200)),
    # audits of few documents
    (5_000, 1_000, 500, (0.85, 0.03, 20)),
    (5_000, 1_000, 2_500, (0.9, 0.1, 10)),
    # nearly all relevant
    (2_000, 600, 1_900, (0.9, 0.2, 100)),
    (200_000, 10_000, 4_000, (0.8, 0.01, 500)),
)
# The worst of 2,600 random designs.  The first six were found under a rule for ends
# (`samples/posterior/coded.py`) that looked at the estimate only, the last four under the
# present one: coders who miss half of what is relevant, and more false alarms.
WORST: tuple[Design, ...] = (
    (20_000, 20_000, 18_000, (0.98, 0.001, (30, 400))),
    (20_000, 20_000, 18_000, (0.98, 0.001, (60, 400))),
    (10_000, 10_000, 9_000, (0.99, 0.0, (30, 200))),
    (5_000, 5_000, 5, (0.98, 0.2, (30, 400))),
    (1_000, 1_000, 3, (0.98, 0.2, (10, 100))),
    (5_000, 500, 5, (0.9, 0.2, (30, 400))),
    (11_969, 11_969, 447, (0.3, 0.0, (30, 100))),
    (5_569, 5_569, 305, (0.5, 0.0, (30, 100))),
    (1_299, 286, 5, (0.99, 0.4, (10, 100))),
    (3_849, 617, 14, (0.99, 0.4, (10, 30))),
)
LEAST = 6  # designs of each kind that the page shows


def grid() -> list[Design]:
    """Designs with few relevant documents, mostly."""
    parts = (
        (10_000, (500, 2000, 10_000), (5, 10, 20, 40, 100, 400), (100, 300)),
        (100_000, (3000, 20_000), (20, 100, 1000), (200, 600)),
        (1000, (200, 500), (5, 20, 100), (40, 100)),
    )
    coders = (
        ((0.9, 0.01), (0.6, 0.001), (0.7, 0.05)),
        ((0.9, 0.01), (0.7, 0.002)),
        ((0.9, 0.02), (0.7, 0.1), (0.5, 0.5)),
    )
    return [
        (size, of_coded, relevant, (*coder, audited))
        for (size, *rest), some in zip(parts, coders, strict=True)
        for of_coded, relevant, audited, coder in product(*rest, some)
    ]


def coverage(design: Design, reviews: int) -> tuple[float, float]:
    """How often intervals of the yield hold it, and their mean width."""
    rng, (held, width) = np.random.default_rng(22), (0, 0.0)
    for _ in range(reviews):
        found = irb.yield_interval(coded(rng, *design), NOTHING, confidence_level=LEVEL)
        held += bool(holds(found.low, found.high, design[2]))
        width += found.high - found.low
    return held / reviews, width / reviews


def cells(design: Design, found: tuple[float, float]) -> list[str]:
    """A row of the page."""
    size, of_coded, relevant, (sensitivity, alarms, audited) = design
    several = audited if isinstance(audited, tuple) else (audited,)
    shown = [f"{size:,}", f"{of_coded:,}", f"{relevant:,}", f"{sensitivity}", f"{alarms}"]
    return [*shown, " and ".join(map(str, several)), f"{found[0]:.3f}", f"{found[1]:.0f}"]


def main() -> None:
    """Measure all designs, and write the page."""
    given = parser_of(__doc__).parse_args()
    rows, shown = [], []
    for designs, kind, n in (
        (USUAL, "usual designs", 1000),
        (grid(), "designs, most with few relevant documents", 300),
        (WORST, "worst designs of 2,600 searched", 1000),
    ):
        some = designs[: 2 if given.quick else None]
        found = [coverage(each, 5 if given.quick else n) for each in some]
        shares = [share for share, _ in found]
        rows.append(coverage_row(ASK, METHOD, f"{len(some)} {kind}", shares))
        least = np.argsort(shares, kind="stable")[:LEAST].tolist()
        shown += [cells(some[i], found[i]) for i in least]
    columns = [
        "documents",
        "coded",
        "relevant",
        "sensitivity",
        "alarms",
        "audited",
        "coverage",
        "width",
    ]
    lines = [
        *about(__doc__),
        "",
        *store("coded", rows, given),
        f"The {LEAST} designs of each kind that are covered least (1,000 reviews, of the second "
        "kind 300; two audits are of those called relevant and of the others):",
        "",
        *table([*columns, "coverage", "width"], shown),
    ]
    publish("Coverage of coded and audited reviews", lines, "coded.md", given)


if __name__ == "__main__":
    main()
