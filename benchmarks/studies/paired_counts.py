"""How often intervals of paired differences hold the true difference.

    python benchmarks/studies/paired_counts.py [--quick]

Objects are drawn independently; given the truth, each system is right with its own chance.  System
a returns 0.8 of the relevant objects and 0.1 of the others; b returns as many where they are equal,
else fewer of both.  "alike": b copies the label of a in 9 of 10 objects, and else labels by itself.
A tenth (rare) or half (common) of the objects are relevant.
"""

from __future__ import annotations

import time

import numpy as np
from study import LEVEL, about, coverage_row, error_row, holds, parser_of, publish, store, table

import irbounds as irb

SIZES = (20, 100, 1000)
PREVALENCES = {"rare": 0.1, "common": 0.5}
# Chances of returning a relevant and another object: of a, and of b where it labels by itself.
SYSTEMS = {
    "apart, alike": ((0.8, 0.1), (0.3, 0.05), 0.9),
    "apart, independent": ((0.8, 0.1), (0.6, 0.05), 0.0),
    "equal, alike": ((0.8, 0.1), (0.8, 0.1), 0.9),
    "equal, independent": ((0.8, 0.1), (0.8, 0.1), 0.0),
}
NAMES = {"accuracy": "accuracy", "recall": "recall", "precision": "precision", "f": "F1"}
METHODS = [
    *(
        (measure, method)
        for measure in ("accuracy", "recall")
        for method in ("posterior", "newcombe", "tango")
    ),
    ("precision", "posterior"),
    ("f", "posterior"),
]
TESTS = [
    (measure, test)
    for measure in ("accuracy", "recall")
    for test in ("mid-p", "exact", "asymptotic")
]
DRAWS = 4000
PRIOR = 0.5  # in each of eight cells, the default of PairedCounts


def cells(
    prevalence: float, a: tuple[float, float], b: tuple[float, float], copied: float
) -> np.ndarray:
    """Chances of the eight cells: truth, a, b."""
    chances = np.empty((2, 2, 2))
    for truth, share in ((1, prevalence), (0, 1 - prevalence)):
        first, second = (np.array([1 - system[1 - truth], system[1 - truth]]) for system in (a, b))
        chances[truth] = share * first[:, None] * ((1 - copied) * second + copied * np.eye(2))
    return chances


def posterior_ends(tables: np.ndarray, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Ends of the posterior intervals by measure.  By draws, as thousands of quantiles would take
    hours: the tails beyond the ends are good to 0.0025."""
    found, place = np.unique(tables.reshape(len(tables), 8), axis=0, return_inverse=True)
    ends: dict[str, list[np.ndarray]] = {name: [] for name in NAMES}
    for some in np.array_split(found, max(1, len(found) // 50)):
        y00, y01, y10, y11, x00, x01, x10, x11 = np.moveaxis(
            rng.standard_gamma(some + PRIOR, (DRAWS, *some.shape)), -1, 0
        )
        tp_a, tp_b, relevant = x11 + x10, x11 + x01, x11 + x10 + x01 + x00
        returned_a, returned_b = tp_a + y11 + y10, tp_b + y11 + y01
        drawn = {
            "accuracy": (x10 + y01 - x01 - y10) / (relevant + y00 + y01 + y10 + y11),
            "recall": (x10 - x01) / relevant,
            "precision": tp_a / returned_a - tp_b / returned_b,
            "f": 2 * tp_a / (relevant + returned_a) - 2 * tp_b / (relevant + returned_b),
        }
        for name, values in drawn.items():
            ends[name].append(np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0))
    return {name: np.concatenate(parts, axis=1)[:, place.ravel()] for name, parts in ends.items()}


def simulate(
    n: int, kind: str, prevalence: float, count: int, seed: int
) -> tuple[list[float], list[float], list[float]]:
    """Coverage and mean width by method; and for equal systems how often tests reject."""
    chances = cells(prevalence, *SYSTEMS[kind])
    rng = np.random.default_rng(seed)
    tables = rng.multinomial(n, chances.ravel(), count).reshape(-1, 2, 2, 2)
    pairs, truth = irb.PairedCounts(tables), irb.PairedCounts(chances * 1000)
    posterior = posterior_ends(tables, rng)
    shares, widths = [], []
    for measure, method in METHODS:
        low, high = posterior[measure]
        if method != "posterior":
            interval = pairs.difference_interval(measure, confidence_level=LEVEL, method=method)
            low, high = interval.low, interval.high
        shares.append(float(holds(low, high, truth.difference(measure)).mean()))
        widths.append(float((high - low).mean()))
    tests = TESTS if kind.startswith("equal") else []
    return shares, widths, [float((pairs.mcnemar(*each) <= 0.05).mean()) for each in tests]


def main() -> None:
    """Simulate and write the tables."""
    given = parser_of(__doc__).parse_args()
    count = 20 if given.quick else 1000
    coverage, rejected, shown = [], [], []
    designs = [(n, pair, kind) for n in SIZES for pair in PREVALENCES.items() for kind in SYSTEMS]
    for seed, (n, (name, prevalence), kind) in enumerate(designs):
        start = time.perf_counter()
        shares, widths, tests = simulate(n, kind, prevalence, count, seed)
        coverage.append(shares)
        rejected += [tests] if tests else []
        both = (f"{s:.3f}, {w:.3f}" for s, w in zip(shares, widths, strict=True))
        shown.append([f"{n}", name, kind, *both])
        print(*shown[-1], f"{time.perf_counter() - start:.0f} s", flush=True)
    rows = [
        coverage_row("a paired difference", method, f"{NAMES[measure]}, {len(designs)} designs", v)
        for (measure, method), v in zip(METHODS, np.transpose(coverage), strict=True)
    ]
    for j, (measure, test) in enumerate(TESTS):
        designs_of_test = f"{measure}, {len(rejected)} designs of equal systems"
        shares = [each[j] for each in rejected]
        rows.append(error_row("McNemar's tests", test, designs_of_test, shares))
    methods = [f"{NAMES[measure]}: {method}" for measure, method in METHODS]
    lines = [
        *about(__doc__),
        "",
        *store("paired_counts", rows, given),
        f"Coverage and mean width, {count} tables for each design; prior {PRIOR} in each of eight",
        "cells; the posteriors' ends are by draws.",
        "",
        *table(["objects", "relevant", "systems", *methods], shown),
    ]
    publish("Coverage of intervals of paired differences", lines, "paired_counts.md", given)


if __name__ == "__main__":
    main()
