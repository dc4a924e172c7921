"""How often intervals of a mean over queries hold it, on real runs and on made distributions.

    python benchmarks/studies/means.py [--data ../shared/data] [--quick]

The values of a run's queries are taken for their distribution: samples are drawn from them with
replacement, and the mean to be held is theirs.  There are 18 runs: MED, CISI, ADI, six systems
each.  Where all values are 0 or 1 the binomial distribution is enumerated.  Samples of equal
values, for which a method gives no interval, count as misses.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
from scipy.stats import binom
from study import (
    DATA,
    LEVEL,
    Row,
    about,
    coverage_row,
    holds,
    parser_of,
    publish,
    store,
    table,
)

import irbounds as irb

ASK = "mean over queries"
COLLECTIONS = ("adi", "cisi", "med")
SYSTEMS = ("btf", "bti", "clm", "clmw", "prob", "tfidf")
MEASURES = ("AP", "nDCG@10", "P@10", "RR", "Success@5")
MORE = ("nDCG", "P@5", "Success@1", "Success@10", "R@10", "R@100", "Rprec", "RBP(p=0.8)")
MORE = (*MORE, "ERR@10", "Bpref")  # by the default alone
SIZES = (10, 25, 50, 100)
# samples of each run: resamples are slow
METHODS = {None: 2000, "t": 4000, "hall": 4000, "wilson": 4000, "bca": 150, "guaranteed": 1000}
METHODS["bayesian-bootstrap"] = 150
UNIT = (0.0, 1.0)
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


def real_values(data: Path, measures: tuple[str, ...]) -> dict[str, dict[str, np.ndarray]]:
    """Values of the queries by measure and run."""
    found: dict[str, dict[str, np.ndarray]] = {name: {} for name in measures}
    for collection in COLLECTIONS:
        folder = data / collection
        evaluator = irb.Evaluator(folder / f"{collection}.qrels", list(measures))
        for system in SYSTEMS:
            evaluation = evaluator.evaluate(folder / f"{collection}.{system}.run.xz")
            for measure in measures:
                values = np.minimum(evaluation[measure], 1.0)  # sums can round up
                if np.ptp(values) > 0:
                    found[measure][f"{collection} {system}"] = values
    return found


def held(samples: np.ndarray, mean: float, method: str | None, has_limits: bool) -> np.ndarray:
    """Whether the interval of each column holds the mean."""
    limits = UNIT if has_limits else None
    found = irb.mean_interval(samples, method=method, limits=limits, resamples=999, rng=1)
    low, high = (np.where(np.isnan(e), found.estimate, e) for e in (found.low, found.high))
    return holds(low, high, mean)


def zeros_and_ones(n: int, share: np.ndarray, method: str | None) -> np.ndarray:
    """The exact coverage of shares of ones."""
    ones = np.arange(n + 1)
    samples = (np.arange(n)[:, None] < ones) * 1.0
    chances = binom.pmf(ones, n, share[:, None])
    of_share = [held(samples, each, method, True) for each in share]
    return (chances * np.array(of_share)).sum(axis=1)


def of_run(values: np.ndarray, n: int, method: str | None, count: int, has_limits: bool) -> float:
    """The coverage for one run."""
    if np.isin(values, UNIT).all():
        return float(zeros_and_ones(n, np.array([values.mean()]), method)[0])
    samples = np.random.default_rng(n).choice(values, (count, n)).T
    return float(held(samples, values.mean(), method, has_limits).mean())


def run_rows(data: Path, quick: bool) -> tuple[list[Row], list[list[str]]]:
    """Coverage on real runs: rows of coverage.toml, and a row for each method and size."""
    values = real_values(data, (*MEASURES, *MORE))
    cells: dict[tuple[str | None, int, str], np.ndarray] = {}
    for (method, count), n in product(METHODS.items(), SIZES):
        for measure in values if method is None else MEASURES:
            some = [*values[measure].values()][: 2 if quick else None]
            has_limits = "ERR" not in measure
            shares = [of_run(v, n, method, 20 if quick else count, has_limits) for v in some]
            cells[method, n, measure] = np.array(shares)
        print(method, n, flush=True)
    rows = []
    for method, least_n, many in ((None, 25, len(values)), ("guaranteed", 10, len(MEASURES))):
        some = [v for (m, n, _), v in cells.items() if m == method and n >= least_n]
        name = f"18 runs by {many} measures, {least_n} to 100 queries"
        of_method = method or "default"
        rows.append(coverage_row(ASK, of_method, name, map(min, some), map(np.mean, some)))
    shown = []
    for method, n in product(METHODS, SIZES):
        each = [cells[method, n, measure] for measure in MEASURES]
        shares = [f"{v.mean():.3f} ({v.min():.3f})" for v in each]
        shown.append([method or "default", f"{n}", *shares])
    return rows, shown


def law_rows(quick: bool) -> list[Row]:
    """Coverage of made distributions and of zeros and ones, by the default."""
    rng, shares = np.random.default_rng(20261122), []
    count, many = (20, 10**4) if quick else (2000, 4 * 10**6)
    for draw in LAWS.values():
        mean = float(draw(rng, (many,)).mean())
        samples = [draw(rng, (n, count)) for n in SIZES[1:]]
        shares.append([held(each, mean, None, True).mean() for each in samples])
    ones = np.linspace(0.02, 0.98, 11 if quick else 961)
    binary = [zeros_and_ones(n, ones, None) for n in SIZES[1:]]
    few = rng.beta(0.02, 0.5, (10, count))
    of_laws = np.ravel(shares)
    names = (
        f"{len(LAWS)} made distributions, 25 to 100 queries",
        "shares of ones from 0.02 to 0.98, 25 to 100 queries",
        "Beta(0.02, 0.5), 10 queries",
    )
    almost = [held(few, 0.02 / 0.52, None, True).mean()]
    return [
        coverage_row(ASK, "default", names[0], of_laws, of_laws),
        coverage_row(ASK, "default", names[1], map(min, binary), map(np.mean, binary)),
        coverage_row(f"{ASK}, values almost all 0", "default", names[2], almost),
    ]


def least_of_two_points(n: int) -> float:
    """The least coverage of the guaranteed lower bound over all distributions on 0 and 1: it is
    least just below an end."""
    samples = (np.arange(n)[:, None] < np.arange(n + 1)) * 1.0
    options = {"method": "guaranteed", "side": "lower", "confidence_level": LEVEL}
    ends = irb.mean_interval(samples, **options).low
    chances = np.nextafter(np.clip(ends, 1e-9, 1), 0)
    held_by = ends <= chances[:, None]
    return float((binom.pmf(range(n + 1), n, chances[:, None]) * held_by).sum(axis=1).min())


def main() -> None:
    """Simulate and write the page."""
    parser = parser_of(__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="where the runs are")
    given = parser.parse_args()
    if not given.data.is_dir():
        sys.exit(f"needs the research data: {given.data}")
    warnings.simplefilter("ignore", irb.warnings.NoVarianceWarning)
    rows, shown = run_rows(given.data, given.quick)
    points = (2, 5) if given.quick else (1, 2, 3, 5, 10, 20, 50)
    least = min(map(least_of_two_points, points))
    page(store("means", [*rows, *law_rows(given.quick)], given), shown, least, given)


def page(stored: list[str], shown: list[list[str]], least: float, given: object) -> None:
    """Write the page."""
    lines = [
        *about(__doc__),
        "",
        *stored,
        "Means over the runs, and in brackets the least of a run:",
        "",
        *table(["method", "n", *MEASURES], shown),
        f"The one-sided guaranteed bound covers {least:.4f} or more at {LEVEL}, for values of 0",
        "and 1 and up to 50 queries, by enumeration.",
    ]
    publish("Coverage of intervals of a mean over queries", lines, "means.md", given)


if __name__ == "__main__":
    main()
