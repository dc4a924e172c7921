"""How often each test of `compare` rejects a true null hypothesis: false positives at 0.05, by
null, test and queries.

    python benchmarks/comparison_nulls.py            # writes benchmarks/results/comparison_nulls.md
    python benchmarks/comparison_nulls.py --quick    # few samples, to see that it runs

One pair of runs: every difference has mean 0.  All nulls but the exponential are symmetric about 0,
which is what the permutation test, Wilcoxon's and the sign test ask of; the exponential's median is
not 0, so that their null hypotheses are false there.

Four runs: their values differ by chance alone, and a sample counts once if any difference is called
significant.  Under all nulls but the last the values of a query could be exchanged between the
runs, which the joint tests ask of.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from timing import is_quick, machine, publish, table

from irbounds.comparison.significance.paired_tests import Plan
from irbounds.comparison.significance.table import TESTS
from irbounds.comparison.significance.tukey import randomised, two_way

SEED, ALPHA, RESAMPLES, PARTS, RUNS = 15, 0.05, 999, 4, 4
QUERIES = (2, 3, 5, 8, 10, 20, 30, 50)
Draw = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]


def mostly_zeros(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """-2, -1, 1 or 2, and 0 in 70 %."""
    return rng.choice([-2.0, -1, 1, 2], shape) * (rng.random(shape) > 0.7)


def one_noisy(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """The last run has ten times the others' standard deviation."""
    return (
        rng.normal(size=shape) * np.where(np.arange(shape[0]) == shape[0] - 1, 10, 1)[:, None, None]
    )


NULLS: dict[str, Draw] = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "normal, rounded to whole numbers": lambda rng, shape: np.rint(rng.normal(size=shape)),
    "normal, rounded to whole numbers, 60 % zeros": lambda rng, shape: np.rint(
        rng.normal(0, 0.6, shape)
    ),
    "70 % zeros, else normal": lambda rng, shape: (
        rng.normal(size=shape) * (rng.random(shape) > 0.7)
    ),
    "70 % zeros, else -2, -1, 1, 2": mostly_zeros,
    "-1 or 1": lambda rng, shape: rng.choice([-1.0, 1.0], shape),
    "Student's t, 3 degrees": lambda rng, shape: rng.standard_t(3, shape),
    "exponential, less its mean": lambda rng, shape: rng.exponential(size=shape) - 1,
}
NULLS_OF_RUNS: dict[str, Draw] = {
    "normal": NULLS["normal"],
    "normal, rounded to whole numbers": NULLS["normal, rounded to whole numbers"],
    "70 % zeros, else -2, -1, 1, 2": mostly_zeros,
    "0 or 1": lambda rng, shape: rng.choice([0.0, 1.0], shape),
    "exponential": lambda rng, shape: rng.exponential(size=shape),
    "normal, one run ten times as spread": one_noisy,
}


def of_a_pair(parts: list[np.ndarray]) -> dict[str, float]:
    """Share of the columns that each test rejects; every part has resamples of its own."""
    return {
        name: float(
            np.mean(
                [
                    test(part, Plan(ALPHA, RESAMPLES, SEED + place)).p_value < ALPHA
                    for place, part in enumerate(parts)
                ]
            )
        )
        for name, test in TESTS.items()
    }


def of_runs(parts: list[np.ndarray]) -> dict[str, float]:
    """Share of the families, shape (runs, families, queries), in which each joint test rejects
    anything."""
    shares = {}
    for correction, baseline in (("tukey", None), ("dunnett", 0)):
        spreads = [
            np.ptp(means, axis=0)
            if baseline is None
            else np.abs(means - means[baseline]).max(axis=0)
            for means in (part.mean(axis=2) for part in parts)
        ]
        systems, spread = np.concatenate(parts, axis=1), np.concatenate(spreads)
        # p-values of the studentised range take long, its point does not
        unknown = np.full((1, len(spread)), np.nan)
        margin = two_way(systems, unknown, Plan(ALPHA, RESAMPLES, SEED), baseline).margin[0]
        shares[f"{correction}, t"] = float(np.mean(spread > margin * (1 + 1e-9)))
        shares[f"{correction}, permutation"] = float(
            np.mean(
                [
                    randomised(
                        part, own[None], Plan(ALPHA, RESAMPLES, SEED + place), baseline
                    ).p_value
                    < ALPHA
                    for place, (part, own) in enumerate(zip(parts, spreads, strict=True))
                ]
            )
        )
    return shares


def rows_of(
    nulls: dict[str, Draw],
    count: Callable[[list[np.ndarray]], dict[str, float]],
    shape: Callable[[int, int], tuple[int, ...]],
    samples: int,
) -> tuple[list[str], list[list[str]]]:
    """The tests' names, and a row for each null and number of queries."""
    rows, names = [], []
    for name, draw in nulls.items():
        for n in QUERIES:
            rng = np.random.default_rng([SEED, n])
            shares = count([draw(rng, shape(n, samples // PARTS)) for _ in range(PARTS)])
            names = list(shares)
            rows.append([name, str(n), *(f"{100 * share:.1f} %" for share in shares.values())])
    return names, rows


def main() -> None:
    """Measure and write the tables."""
    quick = is_quick(__doc__)
    samples = 80 if quick else 2000
    tests, pairs = rows_of(NULLS, of_a_pair, lambda n, m: (n, m), samples)
    joint, families = rows_of(NULLS_OF_RUNS, of_runs, lambda n, m: (RUNS, m, n), samples)
    error = 100 * (ALPHA * (1 - ALPHA) / samples) ** 0.5
    publish(
        [
            "# False positives of the tests of `compare`",
            "",
            f"Share of {samples:,} samples in which a test says that runs differ, at {ALPHA:g}, "
            "though their means do not; "
            f"{RESAMPLES:,} resamples. The standard error of a share of 5 % is {error:.1f} %. "
            "Made by "
            "`python benchmarks/comparison_nulls.py`.",
            "",
            machine(["numpy", "scipy"]),
            "",
            "## One pair of runs",
            "",
            "The differences, query by query, are drawn from the null. Under the exponential the "
            "null hypotheses of "
            "permutation, wilcoxon and sign, symmetry and a median of 0, are false.",
            "",
            *table(["null", "queries", *tests], pairs),
            "",
            f"## {RUNS} runs at once",
            "",
            "The runs' values are drawn from the null; a sample counts if any difference is "
            "significant. In the last null "
            "one run is spread ten times as wide as the others. The joint tests ask that the "
            "values of a query could be "
            "exchanged between the runs, or that the differences of all pairs have one variance; "
            "there it is false.",
            "",
            *table(["null", "queries", *joint], families),
        ],
        "comparison_nulls.md",
        write=not quick,
    )


if __name__ == "__main__":
    main()
