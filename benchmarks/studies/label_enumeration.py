"""Bounds over the labels of unjudged documents against all labels and all orders of random queries.

    python benchmarks/studies/label_enumeration.py            # some minutes
    python benchmarks/studies/label_enumeration.py --queries 100 --seed 5

The first writes benchmarks/results/unjudged_enumeration.md.
Each query has up to seven documents, up to six of them open, ties, up to three judged documents
that were not retrieved, and 0, 1 and 2 hidden documents; every measure with bounds is compared,
with every tie rule. The twin is `tests/reference/label_tables.py`.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "benchmarks")]

from label_enumeration import OUTER, RULES, check_bounds, check_differences  # noqa: E402
from timing import machine, publish, table  # noqa: E402

BATCH = 50  # queries of one call; each batch draws three cut-offs
GRADES = {"relevant or not": (1, 1), "grades 0 to 2": (2, 1), "grades 0 to 3, rel=2": (3, 2)}
DIFFERENCE_RULES = ("expected", "given", "doc_id")


def study(kind: str, grades: str, n_queries: int, seed: int) -> list[str]:
    """One row of the table."""
    highest, rel = GRADES[grades]
    rng = random.Random(f"{kind} {grades} {seed}")
    start, compared, n_outer, worst, where = time.process_time(), 0, 0, 0.0, None
    for number in range(-(-n_queries // BATCH)):
        if kind == "one run":
            found = check_bounds(rng, BATCH, highest, rel)
        else:
            rule = DIFFERENCE_RULES[number % len(DIFFERENCE_RULES)]
            found = check_differences(rng, BATCH, highest, rel, rule)
        compared += found.n - found.n_outer
        n_outer += found.n_outer
        if found.worst >= worst:
            worst, where = found.worst, found.where
    seconds = time.process_time() - start
    print(f"{kind}, {grades}: {worst:.2g} at {where}; {seconds:.0f} s", flush=True)
    outer = f"{2 * n_outer:,}" if n_outer else ""
    return [f"{kind}, {grades}", f"{n_queries:,}", f"{compared:,}", f"{worst:.1e}", outer]


def main() -> None:
    """Measure and write the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    n = arguments.queries
    rows = [
        study(kind, grades, count, arguments.seed)
        for kind in ("one run", "difference of two runs")
        for grades, count in zip(GRADES, (n, n // 2, n // 2), strict=True)
    ]
    lines = [
        "# Bounds over labels against enumeration",
        "",
        "All labels of the unjudged documents times all orders of ties, of random queries with up "
        "to six open documents. Every query of one run is compared with 0, 1 and 2 hidden "
        f"documents and the tie rules {', '.join(RULES)} (any: joint with the orders), by every "
        "measure that has bounds, at three of the cut-offs 1 to 9 drawn for each 50 queries and "
        "without one; differences with one of the numbers of hidden documents and the rules "
        f"{', '.join(DIFFERENCE_RULES)} in turn. Deviations are relative to values above 1. Outer "
        f"bounds of differences ({', '.join(OUTER)}) must contain the enumeration; a deviation "
        "would count what they lack. Made by `python benchmarks/studies/label_enumeration.py`.",
        "",
        machine(["numpy"]),
        "",
        *table(
            ["", "queries", "ends compared", "largest deviation", "outer ends that contain"], rows
        ),
    ]
    publish(lines, "unjudged_enumeration.md", write=n >= 10_000)


if __name__ == "__main__":
    main()
