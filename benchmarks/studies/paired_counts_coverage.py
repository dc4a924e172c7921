"""How often intervals of paired differences hold the true difference.

    python benchmarks/studies/paired_counts_coverage.py            # writes the page of results
    python benchmarks/studies/paired_counts_coverage.py --quick    # to see that it runs

Objects are drawn independently; given the truth, each system is right with its own chance.
"alike": system b copies the label of a in 9 of 10 objects, and else labels by itself.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

import irbounds as irb

sys.path.insert(0, str(Path(__file__).parents[1]))
from timing import is_quick, machine, publish, table

LEVEL = 0.95
SIZES = (20, 100, 1000)
PREVALENCES = {"rare": 0.1, "common": 0.5}
# Chances of returning a relevant and another object: of a, and of b where it labels by itself.
SYSTEMS = {
    "apart, alike": ((0.8, 0.1), (0.3, 0.05), 0.9),
    "apart, independent": ((0.8, 0.1), (0.6, 0.05), 0.0),
    "equal, alike": ((0.8, 0.1), (0.8, 0.1), 0.9),
    "equal, independent": ((0.8, 0.1), (0.8, 0.1), 0.0),
}
MEASURES = ("accuracy", "recall", "precision", "f")
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
    ends: dict[str, list[np.ndarray]] = {name: [] for name in MEASURES}
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
) -> tuple[list[str], list[str], list[str]]:
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
        true = truth.difference(measure)
        shares.append(((low <= true + 1e-12) & (true - 1e-12 <= high)).mean())
        widths.append((high - low).mean())
    tests = []
    if kind.startswith("equal"):
        tests = [(pairs.mcnemar(measure, test) <= 0.05).mean() for measure, test in TESTS]
    coverage, width, rejected = (
        [f"{value:.3f}" for value in values] for values in (shares, widths, tests)
    )
    return coverage, width, rejected


def main() -> None:
    """Simulate and write the tables."""
    quick = is_quick(__doc__)
    count = 20 if quick else 1000
    coverage, widths, tests = [], [], []
    for seed, (n, (name, prevalence), kind) in enumerate(
        (n, pair, kind) for n in SIZES for pair in PREVALENCES.items() for kind in SYSTEMS
    ):
        start = time.perf_counter()
        rows = simulate(n, kind, prevalence, count, seed)
        for part, row in zip((coverage, widths, tests), rows, strict=True):
            if row:
                part.append([f"{n}", name, kind, *row])
        print(*coverage[-1], f"{time.perf_counter() - start:.0f} s", flush=True)
    design = ["objects", "relevant", "systems"]
    methods = [f"{'F1' if measure == 'f' else measure}: {method}" for measure, method in METHODS]
    lines = [
        "# Coverage of intervals of paired differences",
        "",
        f"Nominal {LEVEL}, two-sided, {count} tables for each design: the standard error of 0.95 "
        f"is {(0.95 * 0.05 / count) ** 0.5:.3f}. Rare is a prevalence of {PREVALENCES['rare']}, "
        f"common one of {PREVALENCES['common']}. System a returns 0.8 of the relevant objects and "
        "0.1 of the others; b returns as many where they are equal, else fewer of both. Where they "
        f"are alike, b copies a's label in 9 of 10 objects. Prior {PRIOR} in each of eight cells; "
        "the posteriors' ends are by draws. Made by `python "
        "benchmarks/studies/paired_counts_coverage.py`.",
        "",
        machine(["numpy", "scipy"]),
        "",
        "## Coverage",
        "",
        *table([*design, *methods], coverage),
        "",
        "## Mean width",
        "",
        *table([*design, *methods], widths),
        "",
        "## Share of p-values of McNemar's tests that are 0.05 or less, of equal systems",
        "",
        *table([*design, *(f"{measure}: {test}" for measure, test in TESTS)], tests),
    ]
    publish(lines, "paired_counts_coverage.md", write=not quick)


if __name__ == "__main__":
    main()
