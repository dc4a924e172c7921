"""Which prior should the strata of a segment have?  Coverage of 95 % recall intervals under several
rules.

Run: python benchmarks/studies/stratified_priors.py [--data ../shared/data] [--reviews 1000]

Each rule shares one half-prior (alpha = beta = 1/2) among the strata of a segment, but for the
first one, which gives a whole half-prior to every stratum.  A review is one set of samples drawn
from fixed yields; its interval is the posterior's, by draws (beta, then binomial), and it counts as
covering where the true recall lies between the 2.5 % and 97.5 % points.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import numpy as np

RESULTS = Path(__file__).parents[1] / "results" / "stratified_priors.md"
DRAWS, BATCH = 400, 100


def every(size, sampled):
    """A half-prior in every stratum, as Webber (2013) has it."""
    return np.ones(len(size))


def equal(size, sampled):
    """Equal shares."""
    is_open = sampled < size
    return is_open / max(1, is_open.sum())


def by_sample(size, sampled):
    """In proportion to the sampled documents."""
    open_sample = sampled * (sampled < size)
    return open_sample / max(1, open_sample.sum())


def by_size(size, sampled):
    """In proportion to the documents."""
    return size / size.sum()


def by_root_of_size(size, sampled):
    """In proportion to the root of the number of documents."""
    return np.sqrt(size) / np.sqrt(size).sum()


def half_and_half(size, sampled):
    """Half equally, half by sample: the rule that irbounds uses."""
    return (equal(size, sampled) + by_sample(size, sampled)) / 2


def half_by_size(size, sampled):
    """Half equally, half by size."""
    return (equal(size, sampled) + by_size(size, sampled)) / 2


RULES = (every, equal, by_sample, by_size, by_root_of_size, half_by_size, half_and_half)


def made_designs():
    """{name: (retrieved, unretrieved)}, strata as (size, sampled, relevant); 8,640 of 12,000
    retrieved are relevant."""
    one = [(12_000, 150, 8640)]
    designs = {
        f"{h} equal strata": (one, [(88_000 // h, round(1300 / h), round(1360 / h))] * h)
        for h in (1, 2, 5, 10, 20, 40, 60)
    }
    return designs | {
        "20 equal, .5 % elusion": (one, [(4400, 65, 22)] * 20),
        "20 equal, all relevant in 2": (one, [(4400, 65, 680)] * 2 + [(4400, 65, 0)] * 18),
        "20 + 20 equal strata": ([(600, 8, 432)] * 20, [(4400, 65, 68)] * 20),
        "5, small ones rich": (
            one,
            [
                (2000, 400, 800),
                (4000, 300, 300),
                (8000, 300, 150),
                (24_000, 200, 80),
                (50_000, 100, 30),
            ],
        ),
        "30 of 3 sampled, 1 large": (
            one,
            [(40 + 10 * i, 3, int((40 + 10 * i) * 0.02 * (i % 5))) for i in range(30)]
            + [(80_000, 900, 900)],
        ),
        "20, half relevant": ([(6000, 150, 4000)], [(500, 25, 250)] * 20),
        "40, .1 % relevant": ([(2000, 100, 1500)], [(10_000, 50, 10)] * 40),
        "1 large, 19 small": ([(2000, 100, 1500)], [(100_000, 400, 100)] + [(100, 20, 30)] * 19),
        "10 censuses, 1 sample": ([(2000, 100, 1500)], [(30, 30, 10)] * 10 + [(50_000, 800, 400)]),
    }


def trec_designs(data):
    """The topics and teams of TREC Legal 2009, yields as estimated from the official samples."""
    with (data / "trec_legal_2009_interactive" / "strata.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if int(row["N"])]
    designs = {}
    for topic in sorted({row["topic"] for row in rows}):
        of_topic = [row for row in rows if row["topic"] == topic]
        for k, team in enumerate(of_topic[0]["teams"].split()):
            segments = {"R": [], "N": []}
            for row in of_topic:
                size, sampled, relevant = (int(row[column]) for column in ("N", "a", "r2"))
                segments[row["pattern"][k]].append(
                    (size, min(sampled, size), round(size * relevant / sampled) if sampled else 0)
                )
            designs[f"TREC {topic}, {team}"] = (segments["R"], segments["N"])
    return designs


def drawn_yields(segment, found, rule, rng):
    """Draws of the segment's yield for every review (reviews × draws)."""
    size, sampled, _ = np.array(segment).T
    weight = np.maximum(0.5 * rule(size, sampled), 1e-9)[:, None, None]
    a, b = found[..., None] + weight, (sampled[:, None] - found)[..., None] + weight
    shares = rng.beta(*np.broadcast_arrays(a, b, np.empty((1, 1, DRAWS)))[:2])
    unseen = np.broadcast_to((size - sampled)[:, None, None], shares.shape)
    return (found[..., None] + rng.binomial(unseen, np.clip(shares, 0, 1))).sum(0)


def covered(design, reviews, seed):
    """{rule: share of reviews whose interval holds the true recall}."""
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
    yields = [sum(stratum[2] for stratum in segment) for segment in design]
    recall, shares = yields[0] / sum(yields), {}
    for rule in RULES:
        held = 0
        for start in range(0, reviews, BATCH):
            first, second = (
                drawn_yields(segment, f[:, start : start + BATCH], rule, rng)
                for segment, f in zip(design, found, strict=True)
            )
            drawn = first / np.maximum(first + second, 1e-9)
            place = (drawn < recall).mean(1) + (drawn == recall).mean(1) / 2
            place[found[1][:, start : start + BATCH].sum(0) == 0] = 0.5  # then the upper end is 1
            held += ((place >= 0.025) & (place <= 0.975)).sum()
        shares[rule.__name__] = held / reviews
    return shares


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--reviews", type=int, default=1000)
    options = parser.parse_args()
    designs = made_designs() | (trec_designs(options.data) if options.data.is_dir() else {})
    names = [rule.__name__ for rule in RULES]
    lines = [
        "# One prior for the strata of a segment",
        "",
        *__doc__.split("\n\n")[2].strip().splitlines(),
        "",
        *(f"- {rule.__name__}: {rule.__doc__}" for rule in RULES),
        "",
        f"Coverage of 95 % intervals, {options.reviews:,} reviews a design (standard error "
        f"{(0.95 * 0.05 / options.reviews) ** 0.5:.3f}).",
        "",
        f"| design | {' | '.join(names)} |",
        "| --- |" + " ---: |" * len(names),
    ]
    table = []
    for i, (name, design) in enumerate(designs.items()):
        shares = covered(design, options.reviews, i)
        table.append([shares[rule] for rule in names])
        lines.append(f"| {name} | " + " | ".join(f"{share:.3f}" for share in table[-1]) + " |")
        print(lines[-1], flush=True)
    for label, summary in (("mean", np.mean), ("least", np.min)):
        lines.append(
            f"| **{label}** | " + " | ".join(f"{value:.3f}" for value in summary(table, 0)) + " |"
        )
    RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
