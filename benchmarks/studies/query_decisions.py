"""How often gates and rank sets err, where the truth is known.

    python benchmarks/studies/query_decisions.py            # writes the page of results
    python benchmarks/studies/query_decisions.py --gates    # the table of gates alone
    python benchmarks/studies/query_decisions.py --quick    # to see that it runs

Equal systems: the two values of each query are exchanged at random, so that neither run is better.
Losses: the differences of the law, moved to a mean of minus the loss, or multiplied.  Rank sets:
systems with known means, whose queries are drawn from the law.  The real pairs are those of
../shared/data.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

import irbounds as irb
from irbounds.comparison.gates.checks import Question, judge
from irbounds.comparison.gates.checks import verdicts as checked
from irbounds.comparison.ranks.rank_sets import rank_sets
from irbounds.comparison.ranks.ranks import rank_bootstrap
from irbounds.queries.units import Units

sys.path.insert(0, str(next(p for p in Path(__file__).parents if p.name == "benchmarks")))
from timing import RESULTS, machine, publish, table

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
PAIRS = (("med", "tfidf", "btf"), ("cisi", "tfidf", "prob"))
MEASURES = ("AP", "nDCG@10", "P@10", "RR")
PAGE, RANKS = "query_decisions.md", "## Ranks that hold together"
Rows = list[list[str]]
SIZES = (5, 10, 25, 50, 100)
ALPHA, MARGIN, LEVEL = 0.05, 0.01, 0.95
SYSTEMS = (3, 15)
MANY = 30  # systems, of the law that erred most
SAMPLES, FEW, RANK_SAMPLES = 1000, 600, 200
ERRORS = [
    "differences",
    "n",
    "1 measure",
    "strict",
    "4 measures",
    "strict",
    "loss: margin",
    "loss: margin + detectable",
    "multiplied",
    "power",
    "t alone",
]
GAINED = Question(0.0, ALPHA, False)
# Differences of n queries by several measures, or values by several systems.
Draw = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]

LAWS: dict[str, tuple[Draw, float, float]] = {  # the differences, their mean and deviation
    "normal": (lambda rng, shape: rng.normal(0, 0.1, shape), 0.0, 0.1),
    "tied: tenths": (
        lambda rng, shape: rng.choice([-0.2, -0.1, 0.0, 0.1, 0.2], shape),
        0.0,
        0.02**0.5,
    ),
    "80 % zeros": (
        lambda rng, shape: rng.normal(0, 0.2, shape) * (rng.random(shape) < 0.2),
        0.0,
        0.2 * 0.2**0.5,
    ),
    "skewed: a long tail of losses": (
        lambda rng, shape: -rng.exponential(0.1, shape),
        -0.1,
        0.1,
    ),
    "skewed: a long tail of gains": (
        lambda rng, shape: rng.exponential(0.1, shape),
        0.1,
        0.1,
    ),
    "a long tail of losses, 80 % zeros": (
        lambda rng, shape: -rng.exponential(0.1, shape) * (rng.random(shape) < 0.2),
        -0.02,
        0.1 * 0.36**0.5,
    ),
    "lognormal losses": (
        lambda rng, shape: -0.05 * rng.lognormal(0, 1, shape),
        -0.05 * np.exp(0.5),
        0.05 * ((np.e - 1) * np.e) ** 0.5,
    ),
    "heavy tails: t with 3": (
        lambda rng, shape: 0.1 * rng.standard_t(3, shape),
        0.0,
        0.1 * 3**0.5,
    ),
    "0 or -1, 1 in 20": (
        lambda rng, shape: -1.0 * (rng.random(shape) < 0.05),
        -0.05,
        0.0475**0.5,
    ),
    "0 or -1, 1 in 5": (lambda rng, shape: -1.0 * (rng.random(shape) < 0.2), -0.2, 0.4),
    "1, 0 or -1: 0.1, 0.7, 0.2": (
        lambda rng, shape: rng.choice([1.0, 0.0, -1.0], shape, p=[0.1, 0.7, 0.2]),
        -0.1,
        0.29**0.5,
    ),
}


def real_pairs() -> dict[str, np.ndarray]:
    """Differences of two real runs, queries by measures."""
    found = {}
    for collection, new, old in PAIRS if DATA.is_dir() else ():
        folder = DATA / collection
        evaluator = irb.Evaluator(folder / f"{collection}.qrels", list(MEASURES))
        own = [evaluator.evaluate(folder / f"{collection}.{x}.run.xz").values for x in (new, old)]
        found[f"real: {collection} {new} less {old}"] = own[0] - own[1]
    return found


def laws_of_differences() -> dict[str, tuple[Draw, np.ndarray, np.ndarray]]:
    """Draws of differences by 4 measures, their means and deviations."""
    laws: dict[str, tuple[Draw, np.ndarray, np.ndarray]] = {
        name: (draw, np.full(4, mean), np.full(4, spread))
        for name, (draw, mean, spread) in LAWS.items()
    }
    for name, values in real_pairs().items():
        laws[name] = (
            lambda rng, shape, values=values: values[rng.integers(len(values), size=shape[0])],
            values.mean(axis=0),
            values.std(axis=0),
        )
    return laws


def verdicts(differences: np.ndarray, strict: bool, many: tuple[int, ...]) -> list[str]:
    """Those of gates by the first measures, so many: as `irbounds.gate` puts them together."""
    asked = Question(MARGIN, ALPHA, strict)
    found = [judge(np.ascontiguousarray(column), asked) for column in differences.T]
    return [worst_of(checked(found[:m], ALPHA)) for m in many]


def worst_of(found: list[str]) -> str:
    """A gate's."""
    return next((kind for kind in ("fail", "unclear") if kind in found), "pass")


def gates(samples: int) -> list[list[str]]:
    """A row for each law and size: shares of wrong verdicts."""
    rows = []
    for name, (draw, mean, spread) in laws_of_differences().items():
        for n in SIZES:
            rng = np.random.default_rng(n)
            wrong = dict.fromkeys(
                (
                    "one",
                    "one strict",
                    "four",
                    "four strict",
                    "margin",
                    "more",
                    "multiplied",
                    "found",
                    "found by t",
                ),
                0,
            )
            effect = irb.queries.detectable_difference(n, 1.0, alpha=ALPHA, side="one-sided")
            detectable = effect * spread[0]
            # by so much the law's own loss is the margin and what is detectable of the product
            room = -mean[0] - detectable
            times = MARGIN / room if room > 0 else None
            for _ in range(samples):
                apart = draw(rng, (n, 4))
                equal = apart * rng.choice([-1.0, 1.0], (n, 1))
                for strict, key in ((False, ""), (True, " strict")):
                    one, four = verdicts(equal, strict, (1, 4))
                    wrong["one" + key] += one == "fail"
                    wrong["four" + key] += four == "fail"
                centred = (apart - mean)[:, :1]
                for loss, key in ((MARGIN, "margin"), (MARGIN + detectable, "more")):
                    wrong[key] += verdicts(centred - loss, False, (1,)) == ["pass"]
                if times is not None:
                    wrong["multiplied"] += verdicts(apart[:, :1] * times, False, (1,)) == ["pass"]
                gain = judge(np.ascontiguousarray(centred[:, 0]) + detectable, GAINED)
                wrong["found"] += gain.passes
                wrong["found by t"] += gain.low > 0
            shares = {kind: f"{count / samples:.3f}" for kind, count in wrong.items()}
            if times is None:
                shares["multiplied"] = ""
            rows.append([name, f"{n}", *shares.values()])
            print(*rows[-1], flush=True)
    return rows


def opposed(shape: tuple[int, ...]) -> np.ndarray:
    """Every other system the other way."""
    return np.where(np.arange(shape[1]) % 2, -1, 1)


NOISE: dict[str, Draw] = {
    "normal": lambda rng, shape: rng.normal(0, 0.1, shape),
    "heavy tails: t with 3": lambda rng, shape: 0.1 * rng.standard_t(3, shape),
    "tied: tenths": lambda rng, shape: rng.choice([-0.2, -0.1, 0.0, 0.1, 0.2], shape),
    "80 % zeros": lambda rng, shape: rng.normal(0, 0.2, shape) * (rng.random(shape) < 0.2),
    "skewed": lambda rng, shape: rng.exponential(0.1, shape) - 0.1,
    "skewed, opposed": lambda rng, shape: (rng.exponential(0.1, shape) - 0.1) * opposed(shape),
    "Beta(0.2, 2), opposed": lambda rng, shape: (rng.beta(0.2, 2, shape) - 1 / 11) * opposed(shape),
    "lognormal, opposed": lambda rng, shape: (
        0.1 * (np.exp(rng.normal(0, 1, shape)) - np.exp(0.5)) * opposed(shape)
    ),
    "skewed and 80 % zeros, opposed": lambda rng, shape: (
        (rng.exponential(0.2, shape) * (rng.random(shape) < 0.2) - 0.04) * opposed(shape)
    ),
    "rare: 1 on 4 %, opposed": lambda rng, shape: (
        ((rng.random(shape) < 0.04) - 0.04) * opposed(shape) + rng.normal(0, 0.01, shape)
    ),
}
MEANS: dict[str, Callable[[int], np.ndarray]] = {
    "all equal": lambda m: np.zeros(m),
    "two groups": lambda m: np.where(np.arange(m) < m // 2, 0.05, 0.0),
}
RANKED = ("max-t", "bonferroni")


def ranks(samples: int) -> list[list[str]]:
    """A row for each law, means and number of systems: how often all ranks are held together."""
    rows = []
    rank_bootstrap.RESAMPLES = 199
    for law, draw in NOISE.items():
        cases = [("all equal", m) for m in SYSTEMS]
        if law == "skewed, opposed":
            cases += [("two groups", SYSTEMS[-1]), ("all equal", MANY)]
        for kind, m in cases:
            held = {name: [0] * len(SIZES) for name in RANKED}
            for place, n in enumerate(SIZES):
                rng = np.random.default_rng(n)
                for _ in range(samples):
                    found = ranks_held(draw, MEANS[kind](m), n, rng)
                    for name in RANKED:
                        held[name][place] += found[name]
            cells = [f"{count / samples:.3f}" for name in RANKED for count in held[name]]
            rows.append([law, kind, f"{m}", *cells])
            print(*rows[-1], flush=True)
    return rows


def ranks_held(
    draw: Draw,
    mean: np.ndarray,
    n: int,
    rng: np.random.Generator,
    corrections: tuple[str, ...] = RANKED,
) -> dict[str, bool]:
    """Whether all true ranks lie within, in one sample."""
    m = len(mean)
    low = 1 + (mean[None, :] > mean[:, None]).sum(axis=1)
    high = m - (mean[None, :] < mean[:, None]).sum(axis=1)
    values = mean + draw(rng, (n, m)) + rng.normal(0, 0.2, (n, 1))
    units = Units(values, np.arange(n), np.full(n, 1 / n))
    sets = {name: rank_sets(units, name, ALPHA, rng) for name in corrections}
    return {
        name: bool((found.low <= low).all() and (found.high >= high).all())
        for name, found in sets.items()
    }


def guaranteed(samples: int) -> list[list[str]]:
    """A row for each law: how often the guaranteed interval holds the mean."""
    rows = []
    laws: dict[str, tuple[Draw, float]] = {
        "uniform": (lambda rng, shape: rng.random(shape), 0.5),
        "tied: tenths": (lambda rng, shape: rng.integers(0, 11, shape) / 10, 0.5),
        "80 % zeros": (lambda rng, shape: rng.random(shape) * (rng.random(shape) < 0.2), 0.1),
        "0 or 1, 1 of them 5 %": (lambda rng, shape: (rng.random(shape) < 0.05) * 1.0, 0.05),
        "skewed, Beta(0.2, 2)": (lambda rng, shape: rng.beta(0.2, 2, shape), 1 / 11),
        "1 but for 2 % at 0": (lambda rng, shape: (rng.random(shape) < 0.98) * 1.0, 0.98),
    }
    for name, (draw, mean) in laws.items():
        row = [name]
        for n in SIZES:
            values = draw(np.random.default_rng(n), (n, samples))
            found = irb.mean_interval(values, method="guaranteed", confidence_level=LEVEL)
            row.append(f"{np.mean((found.low <= mean) & (mean <= found.high)):.3f}")
        rows.append(row)
        print(*row, flush=True)
    return rows


def page(samples: int, few: int, n_ranked: int, held: Rows, erred: Rows, ranked: Rows) -> list[str]:
    """The page of results."""
    sizes = [f"n = {n}" for n in SIZES]
    return [
        "# Errors of gates and of rank sets",
        "",
        f"Made by `python benchmarks/studies/query_decisions.py`; {samples:,} samples of each law "
        f"and number of queries n for gates, {few:,} for the others. The standard error is "
        f"{(0.05 * 0.95 / samples) ** 0.5:.3f} of 0.05 among {samples:,}, "
        f"{(0.05 * 0.95 / few) ** 0.5:.3f} among {few:,}.",
        "",
        machine(["numpy", "scipy"]),
        "",
        "## Gates",
        "",
        f"Level {ALPHA}, margin {MARGIN}. Equal systems: the share of wrong *fail*, by one measure "
        "and by four with Holm's correction, without and with `strict`. Losses: the share of wrong "
        "*pass*, where the loss is the margin, and where it is the margin and the detectable "
        "difference of n queries; *multiplied*: the same loss by the law's own differences times a "
        "number, so that zeros stay zeros, where they lose enough for their deviation. Power: the "
        "share of *pass*, where the run is better than the margin allows by the detectable "
        "difference, which Student's t finds with 0.8 if differences are normal; and beside it the "
        "share in which Student's t alone lets it pass.",
        "",
        *table(
            ERRORS,
            erred,
        ),
        "",
        RANKS,
        "",
        f"The share of {n_ranked} samples in which all true ranks lie within, nominal {LEVEL}, "
        f"standard error {(LEVEL * ALPHA / n_ranked) ** 0.5:.3f}; equal systems have all ranks of "
        "their group. Opposed: skewed to one side for every other system, to the other for the "
        "rest. All values of a query share a normal deviate, which pairs cancel. *max-t* is the "
        "default: a pair is told apart where Student's t and Hall's transform of it are both "
        "beyond the point of Bonferroni's t and the 0.95 point of the largest t among 999 "
        "bootstrap resamples (199 here, to save time). With 5 queries that is often infinite, "
        "and nothing is claimed.",
        "",
        *table(
            [
                "noise",
                "means",
                "systems",
                *(f"{name}, {size}" for name in RANKED for size in sizes),
            ],
            ranked,
        ),
        "",
        "## Guaranteed intervals of a mean",
        "",
        f"The share of samples whose interval holds the mean, nominal {LEVEL}, two-sided.",
        "",
        *table(["values", *sizes], held),
    ]


def main() -> None:
    """Simulate and write the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--gates", action="store_true", help="the table of gates alone")
    given = parser.parse_args()
    quick = given.quick
    warnings.simplefilter("ignore", irb.warnings.NoVarianceWarning)
    start = time.perf_counter()
    samples = 20 if quick else SAMPLES
    few = 20 if quick else FEW
    n_ranked = 20 if quick else RANK_SAMPLES
    held, ranked = ([], []) if given.gates else (guaranteed(few), ranks(n_ranked))
    lines = page(samples, few, n_ranked, held, gates(samples), ranked)
    if given.gates:
        text = (RESULTS / PAGE).read_text(encoding="utf-8")
        lines = [*lines[: lines.index(RANKS)], *text[text.index(RANKS) :].rstrip("\n").split("\n")]
    print(f"{time.perf_counter() - start:.0f} s")
    publish(lines, PAGE, write=not quick)


if __name__ == "__main__":
    main()
