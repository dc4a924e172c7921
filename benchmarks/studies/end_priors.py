"""Would a prior that differs between the ends make the default interval cover more evenly?

Run: python benchmarks/studies/end_priors.py [--data ../shared/data] [--reviews 1000] [--seed 202]

The default, "betabinom-half", takes both ends from the posterior with a prior of half a relevant
and half a non-relevant document.  Here each end has a prior that favours the values beyond it: the
low end of recall takes the relevant retrieved documents with (1/2 - d, 1/2 + d) and the relevant
others with (1/2 + d, 1/2 - d), the high end the reverse.  d = 0 is the default; d = 1/2 is Clopper
and Pearson's prior, for one sample of a large population.

A review is one set of samples drawn from fixed yields.  All d see the same samples.  An end covers
if its posterior, by 400 draws, has at least 2.5 % on its side of the true value.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from scipy.stats import gamma, hypergeom, poisson

from irbounds.samples.yields import YieldPair

sys.path.insert(0, str(Path(__file__).parent))
from coverage import NEGLIGIBLE, SIMPLE, truths_of
from stratified_priors import half_and_half, made_designs, trec_designs

RESULTS = Path(__file__).parents[1] / "results" / "end_priors.md"
DRAWS, BATCH, TAIL = 400, 100, 0.025
SHIFTS = (0.0, 0.1, 0.2, 0.3, 0.5)
DRAWN_SHIFTS = (0.0, 0.2, 0.3)
MEASURES = ("recall", "F", "yield")


def draws(segment, found, prior, rng):
    """Draws of the segment's yield for every review (reviews × draws), from its shared prior."""
    size, sampled, _ = np.array(segment).T
    share = half_and_half(size, sampled)
    total = np.zeros((found.shape[1], DRAWS))
    for h, r in enumerate(found):
        if size[h] == sampled[h]:
            total += r[:, None]
            continue
        a, b = (max(1e-9, side * share[h]) for side in prior)
        shares = rng.beta((r + a)[:, None], (sampled[h] - r + b)[:, None], total.shape)
        total += r[:, None] + rng.binomial(int(size[h] - sampled[h]), np.clip(shares, 0, 1))
    return total


def values(first, second, size):
    """Each measure at yields of both segments."""
    return {
        "recall": first / np.maximum(first + second, 1e-9),
        "F": 2 * first / (size + first + second),
        "yield": first + second,
    }


def held(design, found, shift, rng):
    """For each measure and review whether the interval holds the true value."""
    favoured, opposed = (0.5 + shift, 0.5 - shift), (0.5 - shift, 0.5 + shift)
    few = [draws(segment, r, opposed, rng) for segment, r in zip(design, found, strict=True)]
    many = (
        [draws(segment, r, favoured, rng) for segment, r in zip(design, found, strict=True)]
        if shift
        else few
    )
    size, yields = sum(s[0] for s in design[0]), [sum(s[2] for s in seg) for seg in design]
    true = values(*yields, size)
    low = values(few[0], many[1], size) | {"yield": few[0] + few[1]}
    high = values(many[0], few[1], size) | {"yield": many[0] + many[1]}
    seen = [r.sum(0) for r in found]
    is_open = {  # ends that samples without relevant documents force
        "recall": (seen[0] == 0, seen[1] == 0),
        "F": (seen[0] == 0, np.zeros(seen[0].size, bool)),
        "yield": (seen[0] + seen[1] == 0, np.zeros(seen[0].size, bool)),
    }
    return {
        name: (((low[name] <= true[name]).mean(1) >= TAIL) | is_open[name][0])
        & (((high[name] >= true[name]).mean(1) >= TAIL) | is_open[name][1])
        for name in MEASURES
    }


def coverages(design, reviews, seed):
    """[coverage of each measure] for each d."""
    rng = np.random.default_rng(seed)
    found = [
        np.array(
            [
                rng.hypergeometric(r, size - r, n, reviews) if n < size else np.full(reviews, r)
                for size, n, r in segment
            ]
        )
        for segment in design
    ]
    table = []
    for shift in DRAWN_SHIFTS:
        shares = dict.fromkeys(MEASURES, 0)
        for start in range(0, reviews, BATCH):
            part = [r[:, start : start + BATCH] for r in found]
            for name, is_held in held(design, part, shift, rng).items():
                shares[name] += is_held.sum() / reviews
        table.append([shares[name] for name in MEASURES])
    return table


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
    parser.add_argument("--reviews", type=int, default=1000)
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
            tables.append(coverages(design, options.reviews, [options.seed, k]))
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
