"""How often intervals of paired differences hold the true difference.

    python benchmarks/studies/paired_counts.py [--quick]

Objects are drawn independently; given the truth, each system is right with its own chance.  System
a returns 0.8 of the relevant objects and 0.1 of the others; b returns as many where they are equal,
else fewer of both.  "alike": b copies the label of a in 9 of 10 objects, and else labels by itself.
A tenth (rare) or half (common) of the objects are relevant.

Random designs have 30 to 2,000 objects, of which 0.005 to 0.5 are relevant.  In a third of them
recall is equal, in a third it differs by 0 to 0.95.  Labels are independent, or as alike or unlike
as they can be, or between.
"""

from __future__ import annotations

import numpy as np
from study import (
    LEVEL,
    Row,
    about,
    coverage_row,
    error_row,
    holds,
    parser_of,
    publish,
    store,
    table,
)

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
    *((measure, "mover") for measure in NAMES),
    *((measure, "posterior") for measure in NAMES),
    *((measure, method) for measure in ("accuracy", "recall") for method in ("newcombe", "tango")),
]
ASKED = {True: "a paired difference", False: "other methods for a paired difference"}
RANDOM = 150  # random designs
TESTS = [
    (measure, test)
    for measure in ("accuracy", "recall")
    for test in ("mid-p", "exact", "asymptotic")
]
DRAWS = 4000
OF_POSTERIORS = 0.25  # of the tables of a random design: draws take long
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


def random_cells(rng: np.random.Generator) -> tuple[int, np.ndarray]:
    """The number of objects and the chances of the cells of a random design."""
    n, prevalence = np.exp(rng.uniform(*np.log([[30, 0.005], [2000, 0.5]])))
    a, b = np.clip(rng.beta(0.6, 0.6, 2), 0.02, 0.98)
    kind = rng.integers(3)
    if kind == 1:
        b = a
    elif kind == 2:
        apart = rng.uniform(0, 0.95)
        b = rng.uniform(0, 1 - apart)
        a = b + apart
    false_a, false_b = np.exp(rng.uniform(*np.log([0.001, 0.3]), 2))
    alike = rng.choice([0, 0, 0.5, 0.9, 1, -1])
    chances = np.empty((2, 2, 2))
    for truth, share, p, q in ((1, prevalence, a, b), (0, 1 - prevalence, false_a, false_b)):
        end = min(p, q) if alike > 0 else max(0.0, p + q - 1)
        both = (1 - abs(alike)) * p * q + abs(alike) * end
        chances[truth] = share * np.array([[1 - p - q + both, q - both], [p - both, both]])
    return int(n), np.maximum(chances, 0)


def posterior_ends(tables: np.ndarray, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Ends of the posterior intervals by measure.  By draws, as thousands of quantiles would take
    hours: the tails beyond the ends are good to 0.0025.  The observed difference may be outside."""
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
    tables: np.ndarray, chances: np.ndarray, rng: np.random.Generator, share: float = 1.0
) -> tuple[list[float], list[float]]:
    """Coverage and mean width by method; posteriors from a share of the tables."""
    pairs, truth = irb.PairedCounts(tables), irb.PairedCounts(chances * 1000)
    posterior = posterior_ends(tables[: int(share * len(tables))], rng)
    shares, widths = [], []
    for measure, method in METHODS:
        if method == "posterior":
            low, high = posterior[measure]
        else:
            interval = pairs.difference_interval(measure, confidence_level=LEVEL, method=method)
            low, high = interval.low, interval.high
        shares.append(float(holds(low, high, truth.difference(measure)).mean()))
        widths.append(float((high - low).mean()))
    return shares, widths


def rows_of(coverage: list[list[float]], designs: str) -> list[Row]:
    """The rows of coverage.toml: the default, and the other methods."""
    return [
        coverage_row(
            ASKED[method == "mover"], method, f"{NAMES[measure]}, {len(coverage)} {designs}", shares
        )
        for (measure, method), shares in zip(METHODS, np.transpose(coverage), strict=True)
    ]


def draw(n: int, chances: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """Tables of a design."""
    return rng.multinomial(n, chances.ravel() / chances.sum(), count).reshape(-1, 2, 2, 2)


def main() -> None:
    """Simulate and write the tables."""
    given = parser_of(__doc__).parse_args()
    count = 20 if given.quick else 1000
    coverage, rejected, shown = [], [], []
    designs = [(n, pair, kind) for n in SIZES for pair in PREVALENCES.items() for kind in SYSTEMS]
    for seed, (n, (name, prevalence), kind) in enumerate(designs):
        rng, chances = np.random.default_rng(seed), cells(prevalence, *SYSTEMS[kind])
        tables = draw(n, chances, count, rng)
        shares, widths = simulate(tables, chances, rng)
        coverage.append(shares)
        if kind.startswith("equal"):
            pairs = irb.PairedCounts(tables)
            rejected.append([float((pairs.mcnemar(*each) <= 0.05).mean()) for each in TESTS])
        both = (f"{s:.3f}, {w:.3f}" for s, w in zip(shares, widths, strict=True))
        shown.append([f"{n}", name, kind, *both])
        print(*shown[-1], flush=True)
    rows = rows_of(coverage, "designs")
    coverage, width = [], []
    for seed in range(2 if given.quick else RANDOM):
        rng = np.random.default_rng([seed, RANDOM])
        n, chances = random_cells(rng)
        tables = draw(n, chances, 2 * count, rng)
        for results, each in zip(
            (coverage, width), simulate(tables, chances, rng, OF_POSTERIORS), strict=True
        ):
            results.append(each)
    rows += rows_of(coverage, "random designs")
    shown.append(["30 to 2000", "any", "random, least", *(f"{x:.3f}" for x in np.min(coverage, 0))])
    means = zip(np.mean(coverage, 0), np.mean(width, 0), strict=True)
    shown.append(["30 to 2000", "any", "random, mean", *(f"{s:.3f}, {w:.3f}" for s, w in means)])
    for j, (measure, test) in enumerate(TESTS):
        designs_of_test = f"{measure}, {len(rejected)} designs of equal systems"
        errors = [each[j] for each in rejected]
        rows.append(error_row("McNemar's tests", test, designs_of_test, errors))
    methods = [f"{NAMES[measure]}: {method}" for measure, method in METHODS]
    lines = [
        *about(__doc__),
        "",
        *store("paired_counts", rows, given),
        f"Coverage and mean width, {count} tables for each design, {2 * count} for a random one;",
        f"prior {PRIOR} in each of eight cells; the posteriors' ends are by draws, in random",
        f"designs for {OF_POSTERIORS:.0%} of the tables.",
        "",
        *table(["objects", "relevant", "systems", *methods], shown),
    ]
    publish("Coverage of intervals of paired differences", lines, "paired_counts.md", given)


if __name__ == "__main__":
    main()
