"""How often do the intervals hold the truth?  Every method × designs × truths.

Run: python benchmarks/studies/coverage.py [--quick]

Simple designs are summed exactly over all samples whose probability exceeds 1e-7; strata and
control samples are simulated.  A cell has the least, the mean and the 5 % quantile of the coverage
over a grid of truths.  Docstrings and the `covers` of `irbounds.samples.methods` must say what this
page shows.
"""
from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from scipy.stats import hypergeom

import irbounds as irb
from irbounds.samples.methods import INTERVAL_METHODS

sys.path.insert(0, str(Path(__file__).parent))
from stratified_priors import made_designs

RESULTS = Path(__file__).parents[1] / "results"
LEVEL, NEGLIGIBLE = 0.95, 1e-7
SIMPLE = {  # (retrieved documents, sampled, unretrieved documents, sampled)
    "README: 500/50, 2,000/100": (500, 50, 2000, 100),
    "tutorial: 12,000/150, 88,000/1,300": (12_000, 150, 88_000, 1300),
    "plan: 50,000/192, 950,000/2,187": (50_000, 192, 950_000, 2187),
    "small: 200/30, 1,000/30": (200, 30, 1000, 30),
    "census of the retrieved: 500/500, 2,000/100": (500, 500, 2000, 100),
    "rare: 2,000/100, 1,000,000/3,000": (2000, 100, 1_000_000, 3000),
}
SHARES = (0.02, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.97, 1.0)
COLUMNS = ("measure", "method", "side", "design", "kind", "least", "mean", "quantile_05", "truths")


def truths_of(design):
    """Yields (R1, R0): nine shares of the retrieved, from no document to 5 % of the unretrieved (rare: .2 %)."""
    n1_all, _, n0_all, n0 = design
    most = n0_all * (0.002 if n0_all >= 10**6 else 0.05)
    seconds = np.unique(np.round(np.geomspace(max(1, n0_all / n0 / 20), most, 12))).astype(int)
    return [(max(1, round(share * n1_all)), int(second)) for share in SHARES for second in (0, *seconds)]


def exact_coverage(design, truths, side, methods):
    """{method: coverage at each truth}, by summing over samples."""
    n1_all, n1, n0_all, n0 = design
    first = np.array([hypergeom.pmf(np.arange(n1 + 1), n1_all, r1, n1) for r1, _ in truths])
    second = np.array([hypergeom.pmf(np.arange(n0 + 1), n0_all, r0, n0) for _, r0 in truths])
    likely = np.zeros((n1 + 1, n0 + 1), bool)
    for p, q in zip(first, second, strict=True):
        likely |= np.multiply.outer(p, q) > NEGLIGIBLE
    found1, found0 = np.nonzero(likely)
    recall = np.array([r1 / (r1 + r0) for r1, r0 in truths])
    covered = {}
    for method in methods:
        ends = irb.recall_interval((n1_all, n1, found1), (n0_all, n0, found0), method=method, side=side,
                                   confidence_level=LEVEL)
        joint = first[:, found1] * second[:, found0]
        held = (ends.low <= recall[:, None] + 1e-9) & (ends.high >= recall[:, None] - 1e-9)
        covered[method] = (joint * held).sum(1) / joint.sum(1)
    return covered


def simulated_strata(design, reviews, rng):
    """{(measure, method, side): coverage} for one review with strata, drawn again and again."""
    retrieved, unretrieved = design
    yields = [sum(stratum[2] for stratum in segment) for segment in design]
    size1, size0 = (sum(stratum[0] for stratum in segment) for segment in design)
    truth = {"recall": yields[0] / sum(yields), "F": 2 * yields[0] / (size1 + sum(yields)), "yield": sum(yields),
             "elusion": yields[1] / size0}
    functions = {"recall": irb.recall_interval, "F": irb.f_interval, "yield": irb.yield_interval,
                 "elusion": irb.elusion_interval}
    questions = [("recall", "betabinom-half-per-stratum", "two-sided"), ("recall", "guaranteed", "two-sided"),
                 ("recall", "guaranteed", "lower"), ("recall", "betabinom-half", "lower"),
                 *((measure, "betabinom-half", "two-sided") for measure in functions)]
    found = [[irb.Stratum(size, sampled, rng.hypergeometric(relevant, size - relevant, sampled, reviews)
                          if sampled < size else np.full(reviews, relevant)) for size, sampled, relevant in segment]
             for segment in (retrieved, unretrieved)]
    covered = {}
    for measure, method, side in questions:
        ends = functions[measure](*found, method=method, side=side, confidence_level=LEVEL)
        slack = 1e-9 * max(1, truth[measure])
        held = (ends.low <= truth[measure] + slack) & (ends.high >= truth[measure] - slack)
        covered[measure, method, side] = held.mean()
    return covered


def control_sample(reviews, rng):
    """{(method, side): coverage at each truth} of one sample of 1,000 of 100,000 documents, split afterwards."""
    covered = {}
    for prevalence in (0.01, 0.05, 0.2):
        for recall in (0.5, 0.7, 0.8, 0.9, 0.97):
            relevant = round(100_000 * prevalence)
            first = round(relevant * recall)
            counts = rng.multivariate_hypergeometric([first, relevant - first, 100_000 - relevant], 1000, reviews)
            for method, side in (("betabinom-half", "two-sided"), ("guaranteed", "two-sided"), ("guaranteed", "lower")):
                pairs, times = np.unique(counts[:, :2], axis=0, return_counts=True)
                ends = irb.recall_interval_from_sample(None, None, 1000, *pairs.T, method=method, side=side)
                held = (ends.low <= first / relevant) & (ends.high >= first / relevant)
                covered.setdefault((method, side), []).append(times[held].sum() / reviews)
    return covered


def rows(reviews, quick):
    rng = np.random.default_rng(15)
    simple = dict(list(SIMPLE.items())[:1]) if quick else SIMPLE
    for name, design in simple.items():
        truths = truths_of(design)[::8 if quick else 1]
        for side in ("two-sided", "lower", "upper"):
            chosen = ["betabinom-half", "guaranteed"]
            if side == "two-sided":
                chosen = [name for name in INTERVAL_METHODS if not name.endswith("per-stratum")]
            for method, covered in exact_coverage(design, truths, side, chosen).items():
                yield ["recall", method, side, name, "exact", *summary(covered), len(covered)]
    totals = {}
    for name, design in list(made_designs().items())[:2 if quick else None]:
        for key, share in simulated_strata(design, 20 if quick else reviews, rng).items():
            yield [*key, name, "simulated", share, share, share, 1]
            totals.setdefault(key, []).append(share)
    for key, shares in totals.items():
        yield [*key, "all designs with strata", "simulated", *summary(shares), len(shares)]
    for (method, side), shares in control_sample(100 if quick else 4 * reviews, rng).items():
        yield ["recall", method, side, "control sample: 1,000 of 100,000", "simulated", *summary(shares), len(shares)]


def summary(covered):
    return float(np.min(covered)), float(np.mean(covered)), float(np.quantile(covered, 0.05))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few truths, nothing written")
    parser.add_argument("--reviews", type=int, default=1000, help="simulated reviews a design")
    options = parser.parse_args()
    lines = []
    for row in rows(options.reviews, options.quick):
        lines.append([str(value) if not isinstance(value, float) else f"{value:.4f}" for value in row])
        print("\t".join(lines[-1]), flush=True)
    if options.quick:
        return
    text = "\n".join("\t".join(line) for line in [COLUMNS, *lines]) + "\n"
    (RESULTS / "coverage.tsv").write_text(text, encoding="utf-8")
    page = ["# Measured coverage", "", *__doc__.split("\n\n")[2].strip().splitlines(), "",
            f"Level {LEVEL}. Simulated: {options.reviews:,} reviews a design, standard error "
            f"{(LEVEL * (1 - LEVEL) / options.reviews) ** .5:.3f}.", "",
            "| measure | method | side | design | how | least | mean | 5 % quantile | truths |",
            "| --- | --- | --- | --- | --- | ---: | ---: | ---: | ---: |"]
    page += [f"| {' | '.join(line)} |" for line in lines]
    (RESULTS / "coverage.md").write_text("\n".join(page) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
