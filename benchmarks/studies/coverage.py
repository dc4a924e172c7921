"""How often do the intervals hold the truth?  Every method × designs × truths.

Run: python benchmarks/studies/coverage.py [--data ../shared/data] [--reviews 1000] [--parts simple
strata] [--methods anytime] [--quick]

Simple designs are summed over all samples whose probability exceeds 1e-6, at some 30 or 100 truths:
the coverage between these can be less.  "Every truth" is summed at every possible pair of yields.
One share is summed over all samples, at 2,001 shares (every one, where the collection is finite).
Strata and control samples are simulated.  A row has the least, the mean and the 5 % quantile of the
coverage over its truths. `tests/samples/test_measured_coverage.py` holds docstrings and tables of
methods to this page.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path

import numpy as np
from scipy.stats import binom, hypergeom

import irbounds as irb
from irbounds.samples.intervals.table import ALL_MEASURES, INTERVAL_METHODS
from irbounds.samples.one_proportion.table import PROPORTION_METHODS

sys.path.insert(0, str(Path(__file__).parent))
from coverage_strata import (
    FUNCTIONS,
    LEVEL,
    ROUNDING,
    SEGMENTS,
    audited_designs,
    audited_rows,
    contrast_designs,
    holds,
    retrieved_designs,
    strata_rows,
    summary,
    topic_rows,
    true_values,
)
from strata_reviews import made_designs, tiny_designs, trec_designs, uneven_designs

RESULTS = Path(__file__).parents[1] / "results"
NEGLIGIBLE, MANY_SAMPLES = 1e-6, 100_000
COLUMNS = ("measure", "method", "side", "design", "how", "least", "mean", "quantile_05", "truths")
SIMPLE = {  # (retrieved documents, sampled, unretrieved documents, sampled)
    "README: 500/50, 2,000/100": (500, 50, 2000, 100),
    "tutorial: 12,000/150, 88,000/1,300": (12_000, 150, 88_000, 1300),
    "plan: 50,000/192, 950,000/2,187": (50_000, 192, 950_000, 2187),
    "small: 200/30, 1,000/30": (200, 30, 1000, 30),
    "census of the retrieved: 500/500, 2,000/100": (500, 500, 2000, 100),
    "rare: 2,000/100, 1,000,000/3,000": (2000, 100, 1_000_000, 3000),
}
EVERY = {f"{name.partition(':')[0]}, every truth": SIMPLE[name] for name in list(SIMPLE)[0:4:3]}
PARTS = (
    "simple",
    "every",
    "shares",
    "control",
    "strata",
    "topics",
    "tiny",
    "uneven",
    "retrieved",
    "contrast",
    "audited",
)
SHARES = (0.02, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.97, 1.0)  # of the retrieved that are relevant
# sample, collection
SINGLE = ((10, None), (30, None), (100, None), (300, None), (30, 100), (100, 1000))
USUAL = ("betabinom-half", "guaranteed")


def truths_of(design):
    """Yields (R1, R0): shares of the retrieved × none to 5 % of the unretrieved (.2 % of 10^6).

    Designs with many samples have a coarser grid, as the time is that of the samples that matter.
    """
    n1_all, n1, n0_all, n0 = design
    most = n0_all * (0.002 if n0_all >= 10**6 else 0.05)
    shares, n_rare = (SHARES, 12) if n1 * n0 <= MANY_SAMPLES else (SHARES[2::2], 6)
    rare = np.unique(np.round(np.geomspace(max(1, n0_all / n0 / 20), most, n_rare))).astype(int)
    return [(max(1, round(share * n1_all)), int(r0)) for share in shares for r0 in (0, *rare)]


def simple_rows(name, design, every, wanted):
    """Rows of a design with two simple samples, summed over the samples that matter."""
    n1_all, n1, n0_all, n0 = design
    truths = truths_of(design)[::every]
    r1, r0 = np.array(truths).T
    first = np.array([hypergeom.pmf(np.arange(n1 + 1), n1_all, r, n1) for r in r1])
    second = np.array([hypergeom.pmf(np.arange(n0 + 1), n0_all, r, n0) for r in r0])
    likely = np.zeros((n1 + 1, n0 + 1), bool)
    for p, q in zip(first, second, strict=True):
        likely |= np.multiply.outer(p, q) > NEGLIGIBLE
    found1, found0 = np.nonzero(likely)
    joint = first[:, found1] * second[:, found0]
    true = true_values(r1, r0, n1_all, n0_all)
    segments = [(n1_all, n1, found1), (n0_all, n0, found0)]
    for measure in ALL_MEASURES:
        for side in ("two-sided", "lower", "upper"):
            methods = [m for m, row in INTERVAL_METHODS.items() if measure in row.measures]
            for method in methods if (measure, side) == ("recall", "two-sided") else USUAL:
                if method not in wanted or method.endswith("per-stratum"):
                    continue  # the latter are the same as without strata
                chosen = [segments[i] for i in SEGMENTS.get(measure, [0, 1])]
                ends = FUNCTIONS[measure](*chosen, method=method, side=side, confidence_level=LEVEL)
                covered = (joint * holds(ends, true[measure][:, None])).sum(1) / joint.sum(1)
                yield [measure, method, side, name, "exact", *summary(covered), len(covered)]


def every_rows(name, design, wanted):
    """Rows of a design with two simple samples, summed over all samples at every pair of yields.

    Ends are monotone in the relevant documents of the unretrieved sample, so that for each count of
    the retrieved one those whose intervals hold a truth are a range: a difference of two cumulated
    probabilities.
    """
    n1_all, n1, n0_all, n0 = design
    yields1, yields0 = np.arange(n1_all + 1), np.arange(n0_all + 1)
    chance1 = hypergeom.pmf(np.arange(n1 + 1), n1_all, yields1[:, None], n1)
    chance0 = hypergeom.pmf(np.arange(n0 + 1), n0_all, yields0[:, None], n0)
    below = np.concatenate([np.zeros((n0_all + 1, 1)), chance0.cumsum(1)], axis=1)
    for measure in ALL_MEASURES:
        for side in ("two-sided", "lower", "upper"):
            for method in (one for one in USUAL if one in wanted):
                found1, found0 = np.indices((n1 + 1, n0 + 1)).reshape(2, -1)
                segments = [(n1_all, n1, found1), (n0_all, n0, found0)]
                chosen = [segments[i] for i in SEGMENTS.get(measure, [0, 1])]
                ends = FUNCTIONS[measure](*chosen, method=method, side=side, confidence_level=LEVEL)
                sign = 1 if measure in ("yield", "elusion") else -1  # ends rise, or fall
                low, high = (
                    sign * (end + slack).reshape(n1 + 1, n0 + 1)
                    for end, slack in ((ends.low, -ROUNDING), (ends.high, ROUNDING))
                )
                first, last = (high, low) if sign == 1 else (low, high)
                if (np.diff(first) < 0).any() or (np.diff(last) < 0).any():
                    raise AssertionError("ends are not monotone")
                covered = []
                for r1 in yields1:
                    with np.errstate(invalid="ignore"):  # no recall where nothing is relevant
                        true = true_values(r1, yields0, n1_all, n0_all)[measure]
                    truth = np.broadcast_to(sign * np.asarray(true, float), n0_all + 1)
                    held = np.zeros(n0_all + 1)
                    for found in np.flatnonzero(chance1[r1]):
                        start = first[found].searchsorted(truth, side="left")
                        stop = np.maximum(last[found].searchsorted(truth, side="right"), start)
                        held += chance1[r1, found] * (below[yields0, stop] - below[yields0, start])
                    covered.append(held[np.isfinite(truth)])
                covered = np.concatenate(covered)
                yield [measure, method, side, name, "exact", *summary(covered), len(covered)]


def single_rows(sampled, size, points, wanted):
    """Rows of one share: every method of binomial_interval."""
    found = np.arange(sampled + 1)
    if size is None:
        truth = np.linspace(0, 1, points)
        chance = binom.pmf(found, sampled, truth[:, None])
    else:
        relevant = np.arange(size + 1)
        truth, chance = relevant / size, hypergeom.pmf(found, size, relevant[:, None], sampled)
    for method, row in PROPORTION_METHODS.items():
        if method not in wanted or (row.ends if size is None else row.finite) is None:
            continue
        for side in ("two-sided", "lower"):
            ends = irb.binomial_interval(
                found, sampled, method=method, size=size, side=side, confidence_level=LEVEL
            )
            covered = (chance * holds(ends, truth[:, None])).sum(1)
            name = f"one share: {sampled} of {'many' if size is None else f'{size:,}'}"
            yield ["share", method, side, name, "exact", *summary(covered), len(covered)]


def control_rows(reviews, rng, wanted):
    """Rows of one sample of 1,000 of 100,000 documents, split afterwards."""
    covered = {}
    for prevalence in (0.01, 0.05, 0.2):
        for recall in (0.5, 0.7, 0.8, 0.9, 0.97):
            relevant = round(100_000 * prevalence)
            first = round(relevant * recall)
            counts = rng.multivariate_hypergeometric(
                [first, relevant - first, 100_000 - relevant], 1000, reviews
            )
            pairs, times = np.unique(counts[:, :2], axis=0, return_counts=True)
            for method in (name for name in USUAL if name in wanted):
                for side in ("two-sided", "lower"):
                    ends = irb.recall_interval_from_sample(
                        None, None, 1000, *pairs.T, method=method, side=side
                    )
                    held = times[holds(ends, first / relevant)].sum() / reviews
                    covered.setdefault((method, side), []).append(held)
    for (method, side), shares in covered.items():
        yield [
            "recall",
            method,
            side,
            "control sample: 1,000 of 100,000",
            f"simulated, {reviews:,}",
            *summary(shares),
            len(shares),
        ]


def rows(parts, wanted, data, reviews, quick):
    """The rows of some parts of the page, of the methods that are wanted."""
    if "simple" in parts:
        for name, design in list(SIMPLE.items())[: 1 if quick else None]:
            yield from simple_rows(name, design, 8 if quick else 1, wanted)
    if "every" in parts:
        for name, design in EVERY.items():
            yield from every_rows(name, (50, 5, 200, 10) if quick else design, wanted)
    if "shares" in parts:
        for sampled, size in SINGLE:
            yield from single_rows(sampled, size, 101 if quick else 2001, wanted)
    if "control" in parts:
        yield from control_rows(100 if quick else 4 * reviews, np.random.default_rng(15), wanted)
    of_strata = {
        "strata": (16, made_designs() | (trec_designs(data) if data.exists() else {})),
        "tiny": (17, tiny_designs()),
        "uneven": (18, uneven_designs()),
        "retrieved": (19, retrieved_designs()),
        "contrast": (21, contrast_designs()),
    }
    for part, (seed, designs) in of_strata.items():
        if part in parts:
            few = dict(list(designs.items())[: 2 if quick else None])
            asked = wanted if part == "strata" else [name for name in wanted if name != "anytime"]
            rng = np.random.default_rng(seed)
            yield from strata_rows(few, 20 if quick else reviews, rng, asked)
    if "topics" in parts and data.exists():
        few = dict(list(trec_designs(data).items())[: 2 if quick else None])
        rng = np.random.default_rng(22)
        yield from topic_rows(few, 20 if quick else reviews, rng, wanted)
    if "audited" in parts:
        few = dict(list(audited_designs().items())[: 1 if quick else None])
        rng = np.random.default_rng(20)
        yield from audited_rows(few, 2 if quick else reviews // 5, rng, wanted)


def with_earlier(lines):
    """The rows, and those of an earlier page that they do not replace."""
    path = RESULTS / "coverage.tsv"
    earlier = (
        [line.split("\t") for line in path.read_text("utf-8").splitlines()[1:]]
        if path.exists()
        else []
    )
    known = {tuple(line[:4]) for line in lines}
    return sorted([*lines, *(line for line in earlier if tuple(line[:4]) not in known)], key=place)


def place(line):
    """Where a row stands: simple designs first, by design, measure and side."""
    designs = list(SIMPLE)
    kind = (
        designs.index(line[3])
        if line[3] in designs
        else len(designs) + line[4].startswith("simulated")
    )
    return kind, line[3] if kind >= len(designs) else "", line[0], line[2], line[1]


def page(lines):
    """The page of results: what holds for all, then a table for each kind of design."""
    error = (LEVEL * (1 - LEVEL) / 1000) ** 0.5
    text = ["# Measured coverage", "", "Made by `python benchmarks/studies/coverage.py`.", ""]
    text += __doc__.split("\n\n")[2].strip().splitlines()
    text += [
        "",
        f"The confidence level is {LEVEL}. Simulated rows tell how many reviews they have: 1,000 "
        "give a",
        f"standard error of {error:.3f}, and the least of many rows lies below the true least by "
        "some two such errors.",
        "Elsewhere: [extrapolated precision](extrapolation_coverage.md), [repeated "
        "looks](stopping.md).",
        "",
        f"| {' | '.join(COLUMNS).replace('quantile_05', '5 % quantile')} |",
        "| --- | --- | --- | --- | --- | ---: | ---: | ---: | ---: |",
    ]
    return "\n".join(text + [f"| {' | '.join(line)} |" for line in lines]) + "\n"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", type=Path, default=Path("../shared/data"), help="where TREC 2009's strata are"
    )
    parser.add_argument("--reviews", type=int, default=1000, help="simulated reviews a design")
    parser.add_argument(
        "--parts", nargs="+", default=PARTS, choices=PARTS, help="the others stay as they are"
    )
    methods = sorted({*INTERVAL_METHODS, *PROPORTION_METHODS})
    parser.add_argument(
        "--methods", nargs="+", default=methods, choices=methods, help="the others stay as well"
    )
    parser.add_argument("--quick", action="store_true", help="a few truths, nothing written")
    options = parser.parse_args()
    warnings.simplefilter("ignore", irb.warnings.SampleWarning)
    lines = []
    for row in rows(options.parts, options.methods, options.data, options.reviews, options.quick):
        lines.append([f"{value:.4f}" if isinstance(value, float) else str(value) for value in row])
        print("\t".join(lines[-1]), flush=True)
    if not options.quick:
        lines = with_earlier(lines)
        (RESULTS / "coverage.tsv").write_text(
            "".join("\t".join(line) + "\n" for line in [COLUMNS, *lines]), "utf-8"
        )
        (RESULTS / "coverage.md").write_text(page(lines), "utf-8")


if __name__ == "__main__":
    main()
