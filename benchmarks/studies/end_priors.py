"""Would a prior that differs between the ends make the default interval cover more evenly?

Run: python benchmarks/studies/end_priors.py [--data ../shared/data] [--reviews 2000] [--seed 202]

The default, "betabinom-half", takes both ends from the posterior with a prior of half a relevant
and half a non-relevant document.  Here each end has a prior that favours the values beyond it: the
low end of recall takes the relevant retrieved documents with (1/2 - d, 1/2 + d) and the relevant
others with (1/2 + d, 1/2 - d), the high end the reverse.  d = 0 is the default; d = 1/2 is Clopper
and Pearson's prior, for one sample of a large population.

A review is one set of samples drawn from fixed yields.  All d see the same samples.  An end covers
if its posterior, by 800 draws, has at least 2.5 % on its side of the true value.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from scipy.stats import gamma, hypergeom, poisson

from irbounds.samples.posterior.recall_posterior import YieldPair

sys.path.insert(0, str(Path(__file__).parent))
from coverage import NEGLIGIBLE, SIMPLE, truths_of
from strata_reviews import (
    MEASURES,
    TAIL,
    around,
    coverages,
    half_and_half,
    made_designs,
    trec_designs,
)

RESULTS = Path(__file__).parents[1] / "results" / "end_priors.md"
SHIFTS = (0.0, 0.1, 0.2, 0.3, 0.5)
DRAWN_SHIFTS = (0.0, 0.2, 0.3)


def of_strata(design, reviews, seed):
    """[coverage of each measure] for each d."""
    changes = {d: ([around(d)], half_and_half, "") for d in DRAWN_SHIFTS}
    return [shares for shares, _ in coverages(design, reviews, seed, changes).values()]


def of_readme():
    """Lines for recall in README's design, summed over all likely samples: coverage at the truths
    of the page of measured coverage, and the mean width."""
    design = next(iter(SIMPLE.values()))
    n1_all, n1, n0_all, n0 = design
    r1, r0 = np.array(truths_of(design)).T
    first = hypergeom.pmf(np.arange(n1 + 1), n1_all, r1[:, None], n1)
    second = hypergeom.pmf(np.arange(n0 + 1), n0_all, r0[:, None], n0)
    likely = (first[:, :, None] * second[:, None, :]).max(0) > NEGLIGIBLE
    found1, found0 = np.nonzero(likely)
    chance = first[:, found1] * second[:, found0]
    chance /= chance.sum(1, keepdims=True)
    true = (r1 / (r1 + r0))[:, None]
    for shift in DRAWN_SHIFTS:
        ends = []
        for sign, p in ((1, TAIL), (-1, 1 - TAIL)):
            few, many = 0.5 - sign * shift, 0.5 + sign * shift
            pairs = (
                YieldPair.of_parts(
                    [(x, n1_all - n1, x + few, n1 - x + many)],
                    [(y, n0_all - n0, y + many, n0 - y + few)],
                )
                for x, y in zip(found1.tolist(), found0.tolist(), strict=True)
            )
            ends.append(np.array([pair.quantile("recall", p) for pair in pairs]))
        low, high = np.where(found1 == 0, 0.0, ends[0]), np.where(found0 == 0, 1.0, ends[1])
        covered = (chance * ((low <= true + 1e-9) & (high >= true - 1e-9))).sum(1)
        cells = covered.min(), covered.mean(), (chance * (high - low)).sum(1).mean()
        yield f"| {shift:g} | " + " | ".join(f"{cell:.4f}" for cell in cells) + " |"


def of_rare_events():
    """Lines for one Poisson count, exactly: means of 1 to 40, and of 3."""
    means, counts = np.append(np.geomspace(1, 40, 4000), 3.0), np.arange(150)[:, None]
    chance = poisson.pmf(counts, means)
    for shift in SHIFTS:
        few, many = (
            np.where(counts + a > 0, gamma.cdf(means, np.maximum(counts + a, 1e-9)), 1.0)
            for a in (0.5 - shift, 0.5 + shift)
        )
        covered = (chance * ((few >= TAIL) & (many <= 1 - TAIL))).sum(0)
        cells = covered[:-1].min(), covered[:-1].mean(), covered[-1]
        yield f"| {shift:g} | " + " | ".join(f"{cell:.4f}" for cell in cells) + " |"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--reviews", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=202)
    options = parser.parse_args()
    error = (0.95 * 0.05 / options.reviews) ** 0.5
    lines = [
        "# A prior for each end",
        "",
        *"\n\n".join(__doc__.split("\n\n")[2:]).strip().splitlines(),
        "",
        "One Poisson count, coverage of 95 % intervals on its mean, computed exactly:",
        "",
        "| d | least, means 1 to 40 | mean over log means | at a mean of 3 |",
        "| --- | ---: | ---: | ---: |",
        *of_rare_events(),
        "",
        f"Recall in README's design, {next(iter(SIMPLE)).split(': ')[1]}, computed exactly:",
        "",
        "| d | least | mean | mean width |",
        "| --- | ---: | ---: | ---: |",
        *of_readme(),
        "",
        f"Strata, {options.reviews:,} reviews a design (standard error {error:.3f}), for each d "
        f"{', '.join(MEASURES)}:",
        "",
        "| design | " + " | ".join(f"d = {shift:g}" for shift in DRAWN_SHIFTS) + " |",
        "| --- |" + " ---: |" * len(DRAWN_SHIFTS),
    ]
    trec = trec_designs(options.data) if options.data.is_dir() else {}
    for kind, designs in (("made designs", made_designs()), ("TREC 2009", trec)):
        tables = []
        for k, (name, design) in enumerate(designs.items()):
            tables.append(of_strata(design, options.reviews, [options.seed, k]))
            lines.append(row(name, tables[-1]))
            print(lines[-1], flush=True)
        for word, summary in (("least", np.min), ("mean", np.mean)) if tables else ():
            lines.append(row(f"**{word} of {kind}**", summary(tables, axis=0)))
    RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


def row(name, table):
    """A line of the table: the measures of a d in one cell."""
    cells = (", ".join(f"{share:.3f}" for share in shares) for shares in table)
    return f"| {name} | " + " | ".join(cells) + " |"


if __name__ == "__main__":
    main()
