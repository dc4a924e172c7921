"""How often the default interval of a mean over queries holds it, for made laws.

    python benchmarks/studies/query_laws.py            # writes the page of results
    python benchmarks/studies/query_laws.py --quick    # to see that it runs

The rule of the default was chosen on the real runs of query_intervals.py; these laws had no part in
that.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

import irbounds as irb

sys.path.insert(0, str(next(p for p in Path(__file__).parents if p.name == "benchmarks")))
from timing import machine, publish, table

SAMPLES, SEED, LEVEL = 2000, 20261122, 0.95
SIZES = (25, 50, 100)
MEAN_OF = 4_000_000  # draws for the mean of a law: its error is 0.03 of an interval's at most
PAGE = "query_laws.md"
COLUMNS = ["law of a query's value", "n", "default", "t", "samples that leave t"]

Draw = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]
LAWS: dict[str, Draw] = {
    "uniform": lambda rng, s: rng.random(s),
    "Beta(0.3, 0.7)": lambda rng, s: rng.beta(0.3, 0.7, s),
    "Beta(5, 2)": lambda rng, s: rng.beta(5, 2, s),
    "Beta(0.5, 10)": lambda rng, s: rng.beta(0.5, 10, s),
    "Beta(10, 0.3)": lambda rng, s: rng.beta(10, 0.3, s),
    "Beta(2, 3), 40 % are 0": lambda rng, s: rng.beta(2, 3, s) * (rng.random(s) < 0.6),
    "Beta(2, 3), 90 % are 0": lambda rng, s: rng.beta(2, 3, s) * (rng.random(s) < 0.1),
    "Beta(2, 20), one in ten Beta(20, 2)": lambda rng, s: np.where(
        rng.random(s) < 0.1, rng.beta(20, 2, s), rng.beta(2, 20, s)
    ),
    "P@5, shares of 0.1": lambda rng, s: rng.binomial(5, 0.1, s) / 5,
    "P@5, shares of 0.9": lambda rng, s: rng.binomial(5, 0.9, s) / 5,
    "P@10, shares of Beta(0.5, 1.5)": lambda rng, s: rng.binomial(10, rng.beta(0.5, 1.5, s)) / 10,
    "RR, each document relevant with 0.2": lambda rng, s: 1 / rng.geometric(0.2, s),
    "RR, with 0.6": lambda rng, s: 1 / rng.geometric(0.6, s),
    "RR, with 0.95": lambda rng, s: 1 / rng.geometric(0.95, s),
    "exp N(-3, 1.2²), at most 1": lambda rng, s: np.minimum(rng.lognormal(-3, 1.2, s), 1),
}


def covered(rows: np.ndarray, mean: float, method: str | None) -> tuple[float, float]:
    """The share of samples whose interval holds the mean, and of those that are not by t."""
    found = [irb.mean_interval(row, method=method, limits=(0, 1)) for row in rows]
    held = [bool(each.low <= mean <= each.high) for each in found]
    return float(np.mean(held)), float(np.mean([each.method != "t" for each in found]))


def rows_of(samples: int) -> list[list[str]]:
    """A row for each law and number of queries."""
    rng, rows = np.random.default_rng(SEED), []
    for name, draw in LAWS.items():
        mean = float(draw(rng, (MEAN_OF,)).mean())
        for n in SIZES:
            values = draw(rng, (samples, n))
            default, left = covered(values, mean, None)
            student, _ = covered(values, mean, "t")
            rows.append([name, str(n), f"{default:.3f}", f"{student:.3f}", f"{left:.2f}"])
    return rows


def zeros_and_ones() -> list[list[str]]:
    """A row for each number of queries, each 0 or 1: the law is binomial, nothing is drawn."""
    from scipy.stats import binom

    shares, rows = np.arange(20, 981) / 1000, []
    for n in (10, *SIZES):
        ones = np.arange(n + 1)
        values = (np.arange(n)[:, None] < ones) * 1.0
        chances = binom.pmf(ones, n, shares[:, None])
        cells = []
        for method in (None, "guaranteed"):
            each = [irb.mean_interval(one, method=method, limits=(0, 1)) for one in values.T]
            low, high = np.array([(one.low, one.high) for one in each]).T
            held = (low <= shares[:, None]) & (shares[:, None] <= high)
            coverage = (chances * held).sum(axis=1)
            cells += [f"{coverage.min():.3f}", f"{coverage.mean():.3f}", f"{coverage.max():.3f}"]
            if method is None:
                cells.append(f"{np.mean(np.abs(coverage - LEVEL) > 0.02):.2f}")
        rows.append([str(n), *cells])
    return rows


BINARY = [
    "",
    "## Zeros and ones",
    "",
    "Queries of 0 or 1, shares of ones 0.020, 0.021, … 0.980; exact, by the binomial law. Coverage "
    "of a count moves in steps with the share, and its least is far below the mean. *away*: how "
    "many of the shares have a coverage more than 0.02 from the level.",
    "",
]
BINARY_COLUMNS = [
    "n",
    *("default, least", "mean", "greatest", "away"),
    *("guaranteed, least", "mean", "greatest"),
]


def main() -> None:
    """Simulate and write the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    warnings.simplefilter("ignore", irb.warnings.NoVarianceWarning)
    rows = rows_of(20 if given.quick else SAMPLES)
    error = (LEVEL * (1 - LEVEL) / SAMPLES) ** 0.5
    lines = [
        "# Coverage of the default interval of a mean, for made laws",
        "",
        f"Nominal {LEVEL}, two-sided, limits 0 and 1; {SAMPLES} samples of n queries, standard "
        f"error {error:.3f}. The rule that chooses between *t*, *wilson* and *jeffreys* was found "
        "on the runs of [query_intervals.md](query_intervals.md), and not on these laws. Made by "
        "`python benchmarks/studies/query_laws.py`.",
        "",
        machine(["numpy", "scipy"]),
        "",
        *table(COLUMNS, rows),
        *BINARY,
        *table(BINARY_COLUMNS, zeros_and_ones()),
    ]
    publish(lines, PAGE, write=not given.quick)


if __name__ == "__main__":
    main()
