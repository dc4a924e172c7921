"""How often intervals of a mean over queries hold it, on real runs and on made distributions.

    python benchmarks/studies/means.py [--data ../shared/data] [--quick]

The values of a run's queries are taken for their distribution: samples are drawn from them with
replacement, and the mean to be held is theirs.  There are 18 runs: MED, CISI, ADI, six systems
each.  Where all values are 0 or 1 the binomial distribution is enumerated.  Samples of equal
values, for which a method gives no interval, count as misses.  Families of made distributions have
shares of zeros from 0 to 0.95; the table has apart those of which a sample is expected to have
fewer than three values other than 0.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import NamedTuple

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
METHODS = {None: 2000, "t": 4000, "hall": 4000, "wilson": 4000, "bca": 150, "gaffke": 1000}
METHODS["bayesian-bootstrap"] = 150
UNIT = (0.0, 1.0)
LAW_SIZES = (5, 10, 25, 50, 200)
FEW = 3  # values other than 0 that are expected
Draw = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]


class Law(NamedTuple):
    """A distribution, its share of zeros, and the limits of its values."""

    draw: Draw
    zeros: float = 0.0
    limits: tuple[float, float] = UNIT


def mixed(zeros: float, rest: Draw) -> Law:
    """Zeros, and the rest."""
    return Law(lambda rng, s: rest(rng, s) * (rng.random(s) >= zeros), zeros)


def two_scales(small: float, share: float, large: Draw) -> Draw:
    """A share of large values, the rest about a small one."""
    return lambda rng, s: np.where(
        rng.random(s) < share, large(rng, s), small * rng.lognormal(0, 0.2, s)
    )


def differences(won: float, lost: float, size: float) -> Law:
    """Wins and losses of a size, about which nothing changes."""

    def draw(rng: np.random.Generator, s: tuple[int, ...]) -> np.ndarray:
        sign = rng.choice([-1.0, 0.0, 1.0], s, p=[lost, 1 - won - lost, won])
        return sign * size * rng.beta(4, 1, s)

    return Law(draw, 1 - won - lost, (-1.0, 1.0))


def binomial(m: int, share: float, relevant: int) -> Law:
    """A share of so many documents, such as P@k and R@k."""
    return Law(lambda rng, s: rng.binomial(m, share, s) / relevant, (1 - share) ** m)


ONE_SCALE: list[Draw] = [
    lambda rng, s: 10 ** rng.uniform(-3, 0, s),
    lambda rng, s: 10 ** rng.uniform(-3, -1, s),
    lambda rng, s: rng.beta(1, 20, s),
    lambda rng, s: rng.beta(2, 2, s),
    lambda rng, s: np.full(s, 0.1),
    lambda rng, s: np.full(s, 1.0),
]
LARGE: list[Draw] = [
    lambda rng, s: np.full(s, 0.5),
    lambda rng, s: np.full(s, 1.0),
    lambda rng, s: rng.beta(2, 2, s),
]
RANKS: list[Draw] = [
    lambda rng, s: 1 / rng.geometric(0.2, s),
    lambda rng, s: 1 / rng.geometric(0.6, s),
    lambda rng, s: 1 / np.ceil(10 ** rng.uniform(0, 3, s)),
    lambda rng, s: 0.1 / np.ceil(10 ** rng.uniform(0, 3, s)),
]
COUNTS = [(5, 0.1, 5), (5, 0.9, 5), (10, 0.03, 10), (10, 0.3, 10), (10, 0.98, 10), (1, 0.3, 1)]
COUNTS += [(4, 0.1, 40), (10, 0.1, 40), (10, 0.2, 100), (20, 0.1, 50), (4, 0.02, 4)]
FAMILIES: dict[str, list[Law]] = {
    "zeros and one scale": [
        mixed(z, rest) for z in (0, 0.25, 0.5, 0.75, 0.9, 0.95) for rest in ONE_SCALE
    ],
    "zeros and two scales": [
        mixed(z, two_scales(small, share, large))
        for z in (0, 0.5, 0.75, 0.9)
        for small in (0.004, 0.05)
        for share in (0.05, 0.1, 0.2, 0.4)
        for large in LARGE
    ],
    "counts of k": [binomial(*count) for count in COUNTS],
    "ranks": [mixed(z, rest) for z in (0, 0.5, 0.8, 0.95) for rest in RANKS],
    "heavy tails": [
        Law(lambda rng, s: np.minimum(rng.lognormal(-3, 1.2, s), 1)),
        Law(lambda rng, s: np.minimum(rng.lognormal(-4, 1.8, s), 1)),
        Law(lambda rng, s: np.minimum(0.01 * (1 + rng.pareto(1.2, s)), 1)),
        Law(lambda rng, s: rng.beta(0.3, 5, s)),
        Law(lambda rng, s: 1 - rng.beta(0.5, 10, s)),
    ],
    "values over the whole range": [
        Law(lambda rng, s, a=a, b=b: rng.beta(a, b, s))
        for a, b in ((1, 1), (2, 2), (5, 2), (0.3, 0.7), (0.5, 0.5), (1.5, 2))
    ],
    "differences": [differences(*of) for of in product((0.1, 0.4), (0.02, 0.1), (0.1, 0.5, 1))],
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
    for method, least_n, many in ((None, 25, len(values)), ("gaffke", 10, len(MEASURES))):
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


def of_law(law: Law, n: int, count: int, many: int) -> tuple[float, float, float]:
    """The coverage of the default and of t, and the width of the one in widths of the other."""
    rng = np.random.default_rng(n)
    mean = float(law.draw(rng, (many,)).mean())
    found = irb.mean_interval(law.draw(rng, (n, count)), limits=law.limits)
    t_low, t_high = found.raw_low, found.raw_high
    width = float((found.high - found.low).mean() / max((t_high - t_low).mean(), 1e-300))
    covered = holds(found.low, found.high, mean).mean()
    return float(covered), float((holds(t_low, t_high, mean) & (t_high > t_low)).mean()), width


def law_rows(quick: bool) -> tuple[list[Row], list[list[str]]]:
    """Coverage of made distributions, by the default: rows of coverage.toml, and of a table."""
    count, many = (20, 10**4) if quick else (4000, 10**6)
    found: dict[tuple[str, int], list[tuple[float, float, float]]] = {}
    for family, laws in FAMILIES.items():
        for law, n in product(laws[: 2 if quick else None], LAW_SIZES):
            is_few = (1 - law.zeros) * n < FEW
            name = f"any, fewer than {FEW} values but 0" if is_few else family
            found.setdefault((name, n), []).append(of_law(law, n, count, many))
    shown = []
    for family in dict.fromkeys(name for name, _ in found):
        cells = [np.array(found.get((family, n), ())).reshape(-1, 3) for n in LAW_SIZES]
        ours = [f"{of[:, 0].min():.3f} ({of[:, 1].min():.2f})" if len(of) else "–" for of in cells]
        widths = [f"{np.median(of[:, 2]):.2f}" for of in cells[1:3]]
        shown.append([family, *ours, *widths])
    ones = np.linspace(0.02, 0.98, 11 if quick else 961)
    binary = [zeros_and_ones(n, ones, None) for n in SIZES[1:]]
    name = "shares of ones from 0.02 to 0.98, 25 to 100 queries"
    rows = [coverage_row(ASK, "default", name, map(min, binary), map(np.mean, binary))]
    for sizes, least, most in (("few queries, ", 5, 10), ("", 25, 200)):
        some = [of[0] for (_, n), each in found.items() for of in each if least <= n <= most]
        many = sum(map(len, FAMILIES.values()))
        name = f"{many} made distributions, {sizes}{least} to {most} queries"
        rows.append(coverage_row(ASK, "default", name, some))
    return rows, shown


def least_of_two_points(n: int) -> float:
    """The least coverage of Gaffke's lower bound over all distributions on 0 and 1: it is
    least just below an end."""
    samples = (np.arange(n)[:, None] < np.arange(n + 1)) * 1.0
    options = {"method": "gaffke", "side": "lower", "confidence_level": LEVEL}
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
    for category in (irb.warnings.NoVarianceWarning, irb.warnings.FewQueriesWarning):
        warnings.simplefilter("ignore", category)
    rows, shown = run_rows(given.data, given.quick)
    points = (2, 5) if given.quick else (1, 2, 3, 5, 10, 20, 50)
    least = min(map(least_of_two_points, points))
    of_laws, families = law_rows(given.quick)
    page(store("means", [*rows, *of_laws], given), shown, families, least, given)


def page(
    stored: list[str],
    shown: list[list[str]],
    families: list[list[str]],
    least: float,
    given: object,
) -> None:
    """Write the page."""
    sizes = [f"{n} queries" for n in LAW_SIZES]
    head = ["family", *sizes, *(f"width, {n}" for n in LAW_SIZES[1:3])]
    lines = [
        *about(__doc__),
        "",
        *stored,
        "Made distributions: the least coverage of one by the default, and in brackets by t; and",
        "the median of their widths, in widths of t.",
        "",
        *table(head, families),
        "Means over the runs, and in brackets the least of a run:",
        "",
        *table(["method", "n", *MEASURES], shown),
        f"The one-sided bound of Gaffke covers {least:.4f} or more at {LEVEL}, for values of 0",
        "and 1 and up to 50 queries, by enumeration.",
    ]
    publish("Coverage of intervals of a mean over queries", lines, "means.md", given)


if __name__ == "__main__":
    main()
