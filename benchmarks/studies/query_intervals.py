"""How often intervals of a mean over queries hold it, on real runs.

    python benchmarks/studies/query_intervals.py            # writes the page of results
    python benchmarks/studies/query_intervals.py --quick    # to see that it runs

The per-query values of a run are taken for the law of its queries: samples are drawn from them with
replacement, and the mean to be held is theirs.  The runs are those of ../shared/data, where it is.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from scipy.special import ndtr, stdtr
from scipy.stats import binom

import irbounds as irb
from irbounds._core.distributions import dirichlet_mean
from irbounds.queries.choice import names_of_default
from irbounds.queries.means import UNIT
from irbounds.queries.moments import moments_of

sys.path.insert(0, str(next(p for p in Path(__file__).parents if p.name == "benchmarks")))
from timing import RESULTS, machine, publish, table

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
SYSTEMS = ("btf", "bti", "clm", "clmw", "prob", "tfidf")
COLLECTIONS = ("adi", "cisi", "med")
MEASURES = ("AP", "nDCG@10", "P@10", "RR", "Success@5")
# and by the default alone
MORE = ("nDCG", "P@5", "Success@1", "Success@10", "R@10", "R@100", "Rprec", "RBP(p=0.8)")
MORE = (*MORE, "ERR@10", "Bpref")
SIZES = (10, 25, 50, 100)
# samples of each run: formulas are quick, quantiles and resamples are not
METHODS = {"t": 4000, "hall": 4000, "wilson": 4000, "bca": 150, "guaranteed": 4000}
METHODS["bayesian-bootstrap"] = 150
WIDTHS = 150  # samples whose "guaranteed" intervals are computed, for their width
LEVEL, RESAMPLES = 0.95, 999
ROOM = 1e-12  # rounding of means that are reached exactly
DEFAULTS = 10_000  # samples of each run for the default
PAGE, BY_METHOD = "query_intervals.md", "## Coverage by method, size and measure"
NARROW = 0.02  # how far from the level coverage may be
MEASURED = ("method", "n", "measure", "mean", "least", "most", "mean width", "below", "above")
DEFAULT = ["n", "measure", "mean", "least", "most", "one-sided misses", "not t"]
OUTSIDE = ["n", "measure", "run", "values", "mean", "coverage", "below", "above", "nearest"]

CHOICE = (
    "The default is *t*, but *wilson* where values repeat or are skewed, and *jeffreys* where "
    "they are so skewed that both would cover too little. *t* covers AP and nDCG@10 within 0.02 "
    "of the level on every run from 25 queries on, needs no random numbers and no limits, and "
    "goes with the paired t-test of `compare`. It falls short where most values are equal or few "
    "are far from the others: Success@5 at any n, P@10 and RR of 25 queries, R@10 of CISI, of "
    "which one query of 76 has 1 and the others have 0.3 at most. *wilson* is Wilson's interval "
    "of a proportion, for other values than 0 and 1 that of as many queries as would have their "
    "variance. Its ends move with the mean as those of *t* do not, so that it takes the place of "
    "*t* where values are shares of few documents. *jeffreys*: half a query at either limit of "
    "the measure joins the sample, and all get random weights (Dirichlet). By itself it covers "
    "skewed measures, but is wider than *t* for AP, and too high for measures that stay far below "
    "their limit, as ERR does."
)
RULE = (
    "The default is *wilson* where all values are 0 or 1. Otherwise, with γ the skewness of the "
    "sample, and γ₊ that of the sample and half a query at either limit: where one value makes up "
    "more than a tenth of the sample, three queries at least, it is *jeffreys* if √(|γ γ₊|/n) is "
    "above 0.2, and *wilson* if not; elsewhere *jeffreys* above 0.28, *wilson* above 0.14, and *t* "
    "if not. It is *jeffreys* where all values are equal and neither 0 nor 1, and *t* if the upper "
    "limit is further from the mean than twenty times the range of the sample, if the values have "
    "no known limits, and for ERR. These numbers were found on the 18 runs below, some with other "
    "measures as well, and on made laws; "
    "[query_laws.md](query_laws.md) has laws that had no part in it."
)


def real_values(measures: tuple[str, ...]) -> dict[tuple[str, str], np.ndarray]:
    """Per-query values by run and measure."""
    found = {}
    for collection in COLLECTIONS:
        folder = DATA / collection
        evaluator = irb.Evaluator(folder / f"{collection}.qrels", list(measures))
        for system in SYSTEMS:
            evaluation = evaluator.evaluate(folder / f"{collection}.{system}.run.xz")
            for measure in measures:
                found[f"{collection} {system}", measure] = evaluation[measure]
    return found


def shares(
    values: np.ndarray, n: int, method: str, count: int, rng: np.random.Generator
) -> tuple[float, float, float]:
    """How often the mean is below the interval and above it, and the mean width.

    Samples of equal values count where they have no interval as misses on the side where the mean
    is.
    """
    samples = rng.choice(values, (count, n)).T
    if method == "guaranteed":
        width = shares_of(samples[:, :WIDTHS], values.mean(), method)[2]
        return *guaranteed_misses(samples, values.mean()), width
    return shares_of(samples, values.mean(), method)


def shares_of(samples: np.ndarray, mean: float, method: str) -> tuple[float, float, float]:
    """The same for samples, one in each column."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", irb.warnings.NoVarianceWarning)
        interval = irb.mean_interval(
            samples, method=method, limits=(0, 1), confidence_level=LEVEL, resamples=RESAMPLES
        )
    low = np.where(np.isnan(interval.low), interval.estimate, interval.low)
    high = np.where(np.isnan(interval.high), interval.estimate, interval.high)
    return (
        float(np.mean(mean < low - ROOM)),
        float(np.mean(mean > high + ROOM)),
        float(np.mean(high - low)),
    )


def tails(x: np.ndarray, weights: np.ndarray, at: float) -> tuple[float, float]:
    """The probabilities that a mean of `x` with Dirichlet weights is below `at`, and above it."""
    order = np.argsort(weights != 1, kind="stable")  # the kernel wants weights of 1 first
    n_ones = int(np.count_nonzero(weights == 1))
    below, above = dirichlet_mean.tails(x[order], weights[order], n_ones, np.array([at]))
    return below[0], above[0]


def guaranteed_misses(samples: np.ndarray, mean: float) -> tuple[float, float]:
    """How often the mean is below Gaffke's interval and above it, from the tails at the mean, of
    which the ends are quantiles: a tenth of the time."""
    tail, missed = (1 - LEVEL) / 2, [0, 0]
    for sample in samples.T:
        for side, limit in enumerate((0.0, 1.0)):
            x, counts = np.unique(np.append(sample, limit), return_counts=True)
            if x.size == 1:  # all are at the limit: so is the end
                continue
            missed[side] += tails(x, counts.astype(float), mean)[side] < tail * (1 - 1e-9)
    return missed[0] / samples.shape[1], missed[1] / samples.shape[1]


def on_real_runs(quick: bool) -> list[list[str]]:
    """A row for each method, size and measure: over the runs."""
    runs, rows = real_values(MEASURES), []
    for method, count in METHODS.items():
        for n in SIZES:
            for measure in MEASURES:
                rng = np.random.default_rng(n)
                found = np.array(
                    [
                        shares(values, n, method, 20 if quick else count, rng)
                        for (_, name), values in runs.items()
                        if name == measure and np.ptp(values) > 0
                    ]
                )
                covered = 1 - found[:, 0] - found[:, 1]
                rows.append(
                    [
                        method,
                        f"{n}",
                        measure,
                        f"{covered.mean():.3f}",
                        f"{covered.min():.3f}",
                        f"{covered.max():.3f}",
                        f"{found[:, 2].mean():.3f}",
                        f"{found[:, 0].max():.3f}",
                        f"{found[:, 1].max():.3f}",
                    ]
                )
            print(method, n, *rows[-5][3:6], flush=True)
    return rows


def default_tails(
    samples: np.ndarray, mean: float, has_limits: bool
) -> tuple[np.ndarray, np.ndarray, float]:
    """How much the default interval of each column, one-sided, must leave out so that the mean is
    below it, or above it; and how many columns are not by t."""
    limits = UNIT if has_limits else None
    moments, n = moments_of(samples), len(samples)
    names = np.array(names_of_default(samples, moments, limits))
    own, error = moments.mean, moments.spread / n**0.5
    is_wilson, is_whole = names == "wilson", np.isin(samples, UNIT).all(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):  # infinite where values are equal
        # that of a mean of `mean`, if the variance is so many times μ (1 - μ) as it is here
        times = np.where(is_whole, 1, (n - 1) * error**2 / (own * (1 - own)))
        error = np.where(is_wilson, (times * mean * (1 - mean) / n) ** 0.5, error)
        away = (own - mean) / error
    away[np.abs(own - mean) <= ROOM] = 0.0
    below, above = stdtr(n - 1, -away), stdtr(n - 1, away)
    below, above = (
        np.where(is_whole & is_wilson, ndtr(z), tail) for tail, z in ((below, -away), (above, away))
    )
    for j in np.flatnonzero(names == "jeffreys"):
        x, counts = np.unique(np.append(samples[:, j], UNIT), return_counts=True)
        weights = counts.astype(float)
        weights[[0, -1]] -= 0.5
        found = tails(x, weights, mean)
        # the interval holds the sample's own mean, whatever its ends leave out
        below[j] = found[0] if mean < moments.mean[j] - ROOM else 1.0
        above[j] = found[1] if mean > moments.mean[j] + ROOM else 1.0
    return below, above, float((names != "t").mean())


def nearest(n: int, p: float) -> float:
    """The chance next to the level that a count of n lies between two numbers: no method without
    random numbers whose ends rise with the count covers p any closer."""
    law = np.concatenate([[0], binom.cdf(range(n + 1), n, p)])
    chances = (law[None, :] - law[:, None]).ravel()
    return float(chances[np.argmin(np.abs(chances - LEVEL))])


def default_misses(
    values: np.ndarray, n: int, count: int, has_limits: bool, rng: np.random.Generator
) -> tuple[dict[float, tuple[float, float]], float]:
    """By the tail that is left out, how often the mean is below and above; and how often the
    default is not t.  Exactly for values 0 and 1, of which the ones are binomial."""
    mean = values.mean()
    if np.isin(values, UNIT).all():
        samples = np.array([np.repeat([1.0, 0.0], [k, n - k]) for k in range(n + 1)]).T
        law = binom.pmf(range(n + 1), n, mean)
    else:
        samples, law = rng.choice(values, (count, n)).T, np.full(count, 1 / count)
    below, above, share = default_tails(samples, mean, has_limits)
    tails = [(1 - LEVEL) / 2, 1 - LEVEL]
    return {
        tail: (law[below < tail * (1 - 1e-9)].sum(), law[above < tail * (1 - 1e-9)].sum())
        for tail in tails
    }, share


def default_rows(quick: bool) -> tuple[list[list[str]], list[list[str]], str]:
    """A row for each size and measure, and one for each size and law that is further than 0.02 from
    the level."""
    runs, rows, outside = real_values((*MEASURES, *MORE)), [], []
    n_cells = {"drawn": 0, "enumerated": 0}
    count = 20 if quick else DEFAULTS
    for n in SIZES:
        for measure in (*MEASURES, *MORE):
            rng = np.random.default_rng(n)
            covered, one_sided, shares_not_t = [], [], []
            for (run, name), values in runs.items():
                if name != measure or np.ptp(values) < ROOM:
                    continue
                values = np.where(values > 1, 1.0, values)  # sums that round up
                missed, share = default_misses(values, n, count, "ERR" not in name, rng)
                below, above = missed[(1 - LEVEL) / 2]
                covered.append(1 - below - above)
                one_sided.append(max(missed[1 - LEVEL]))
                shares_not_t.append(share)
                is_exact = bool(np.isin(values, UNIT).all())
                n_cells["enumerated" if is_exact else "drawn"] += n >= 25
                if abs(covered[-1] - LEVEL) > NARROW and n >= 25:
                    kind = "0 or 1" if is_exact else f"{np.unique(values).size} values"
                    cells = [f"{n}", measure, run, kind, f"{values.mean():.3f}"]
                    cells += [f"{share:.3f}" for share in (covered[-1], below, above)]
                    has_two = np.unique(values).size == 2
                    best = nearest(n, (values == values.max()).mean()) if has_two else None
                    outside.append([*cells, "" if best is None else f"{best:.3f}"])
            cells = [np.mean(covered), min(covered), max(covered), max(one_sided)]
            cells.append(np.mean(shares_not_t))
            rows.append([f"{n}", measure, *(f"{cell:.3f}" for cell in cells)])
        print("default", n, flush=True)
    said = f"{n_cells['drawn']} cells that are drawn and {n_cells['enumerated']} enumerated ones"
    return rows, outside, said


def forced(outside: list[list[str]]) -> str:
    """How many of these cells no method could bring nearer to the level."""
    most = max((float(row[5]) for row in outside), default=LEVEL)
    least = min((float(row[5]) for row in outside), default=LEVEL)
    equal = sum(row[-1] == row[5] for row in outside)
    return (
        f"They are {len(outside)}, and cover with {least:.3f} to {most:.3f}; in {equal} of them "
        "the default has that chance: no such method is within 0.02 of the level there."
    )


def least_of_two_points(n: int, tail: float) -> float:
    """The least coverage of the guaranteed lower bound over all laws on 0 and one other point, 1 -
    on two points it is a function of how many are the larger one, whose law is binomial."""
    bounds = []
    for k in range(n + 1):
        values = np.repeat([1.0, 0.0], [k, n - k])
        bounds.append(
            irb.mean_interval(
                values, method="guaranteed", side="lower", confidence_level=1 - tail
            ).low
        )
    ends = np.array(bounds)
    chances = np.unique(np.concatenate([np.linspace(0, 1, 2001)[1:-1], np.clip(ends, 1e-9, 1)]))
    # just below an end, where the bound misses
    chances = np.concatenate([chances, np.nextafter(chances, 0)])
    coverage = [binom.pmf(range(n + 1), n, p)[ends <= p].sum() for p in chances]
    return float(min(coverage))


def method_tables(quick: bool) -> list[str]:
    """The methods by name."""
    points = [
        [f"{n}", *(f"{least_of_two_points(n, tail):.4f}" for tail in (0.1, 0.05, 0.025))]
        for n in ((2, 5) if quick else (1, 2, 3, 5, 10, 20, 50))
    ]
    rows = on_real_runs(quick)
    return [
        BY_METHOD,
        "",
        *table(list(MEASURED), rows),
        "",
        "## Guaranteed bounds, exactly",
        "",
        "The least coverage of the one-sided *guaranteed* bound over all laws on 0 and 1, by "
        "enumeration: it is never below the level.",
        "",
        *table(["n", "0.90", "0.95", "0.975"], points),
    ]


def main() -> None:
    """Simulate and write the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--default", action="store_true", help="the default's tables alone")
    given = parser.parse_args()
    if not DATA.is_dir():
        sys.exit(f"needs the research data: {DATA}")
    start = time.perf_counter()
    defaults, outside, cells = default_rows(given.quick)
    if given.default:
        text = (RESULTS / PAGE).read_text(encoding="utf-8")
        others = [text[text.index(BY_METHOD) :].rstrip("\n")]
    else:
        others = method_tables(given.quick)
    lines = [
        "# Coverage of intervals of a mean over queries",
        "",
        f"Nominal {LEVEL}, two-sided. 18 runs (MED, CISI, ADI, six systems each); samples of n "
        "queries are drawn with replacement from the run's own, whose mean is to be held. Samples "
        f"of each run: {', '.join(f'{name} {count}' for name, count in METHODS.items())}; the "
        f"standard error of 0.95 is {(0.95 * 0.05 / 4000) ** 0.5:.3f} of 4000, "
        f"{(0.95 * 0.05 / 150) ** 0.5:.3f} of 150. Mean, least and most: coverage over the runs. "
        "Below and above: the run whose mean is most often below the interval, or above it. "
        f"Widths of *guaranteed* are of the first {WIDTHS}. "
        "Samples of equal values, for which *t*, *hall*, *bca* and *bayesian-bootstrap* give no "
        "interval, and *wilson* only where they are 0 or 1, count as misses. "
        f"bca with {RESAMPLES} resamples. Made by `python benchmarks/studies/query_intervals.py`.",
        "",
        machine(["numpy", "scipy"]),
        "",
        "## Choice",
        "",
        CHOICE,
        "",
        RULE,
        "",
        "## The default",
        "",
        f"{DEFAULTS} samples of each run, standard error 0.002; for runs whose values are 0 or 1 "
        "the binomial law is enumerated. One-sided: the greatest share, over the runs, of 0.95 "
        "bounds that miss on their side. Last: the share of samples that leave *t* (for 0 and 1, "
        "of the n + 1 different ones).",
        "",
        *table(DEFAULT, defaults),
        "",
        "## Where the default is further than 0.02 from the level",
        "",
        f"Those of {cells} from 25 queries on. A law of two values has n + 1 counts. *Nearest* "
        "is the chance next to the level that a count lies between two numbers: no method whose "
        "ends rise with the count, and that needs no random numbers, covers the mean closer to its "
        f"level. {forced(outside)}",
        "",
        *table(OUTSIDE, outside),
        "",
        *others,
    ]
    print(f"{time.perf_counter() - start:.0f} s")
    publish(lines, PAGE, write=not given.quick)


if __name__ == "__main__":
    main()
