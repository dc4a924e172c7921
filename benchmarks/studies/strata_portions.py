"""Small samples, uneven strata and contrasts: what the rules of `samples/posterior/pooling.py` do.

Run: python benchmarks/studies/strata_portions.py [--reviews 1000]

The half-prior of a segment is shared among its strata in six ways:

- by sample: half equally, half in proportion to the sampled documents; nothing else;
- neither: half equally, half in proportion to unseen/(sampled + 1), the documents for which one
  sampled document stands; nothing else;
- pooled: the same, and strata with samples of 1 to 3 documents are one, with a prior of its own;
- wider: as neither, and the posterior of each stratum weighs two documents less, times the share of
  the prior that it does not have;
- both: pooled and wider;
- sides: both, and if at most half of the segment is estimated to be relevant, each stratum shares β
  with the strata that show no more other documents than it does; if more is, α with those that show
  no more relevant ones.  This is what irbounds does.

The ways see the same samples.  A review counts if the 95 % interval holds the true value.
"""

from __future__ import annotations

import argparse
import warnings
from contextlib import ExitStack
from pathlib import Path
from unittest.mock import patch

import numpy as np
from coverage_strata import contrast_designs
from strata_reviews import (
    coverage_of,
    half_and_half,
    made_designs,
    sampled_segments,
    tiny_designs,
    truth_of,
    uneven_designs,
)

import irbounds as irb
from irbounds.samples.posterior import pooling as portions
from irbounds.warnings import SampleWarning

RESULTS = Path(__file__).parents[1] / "results" / "strata_portions.md"
SEED = 17


def shares_by_sample(segment):
    """Half equally, half by sampled documents."""
    size, sampled = np.array([(one.unseen + one.sampled, one.sampled) for one in segment]).T
    return [portions.Share(w, w, w) for w in half_and_half(size, sampled).tolist()]


UNPOOLED = {"LEAST_SAMPLE": 0}
UNCHANGED = {"LEAST_WEIGHT": 1.0}  # posteriors keep their weight
ALIKE = {  # both sides of the prior, whatever the samples show
    "_among_no_more": lambda seen, weights: np.broadcast_to(
        weights.reshape(-1, *[1] * (seen.ndim - 1)), seen.shape
    )
}
WAYS = {  # what differs from irbounds
    "by sample": ALIKE | UNPOOLED | UNCHANGED | {"shares_of": shares_by_sample},
    "neither": ALIKE | UNPOOLED | UNCHANGED,
    "pooled": ALIKE | UNCHANGED,
    "wider": ALIKE | UNPOOLED,
    "both": ALIKE,
    "sides": {},
}
INTERVALS = {"recall": irb.recall_interval, "elusion": irb.samples.elusion_interval}
FINDINGS = """
## Findings

- A prior that is shared by sampled documents leaves little to a large stratum that was sampled too
  little.  Where its sample shows nothing relevant, the interval then takes it as known, and recall
  is claimed too high.  The documents for which one sampled document stands say where a relevant
  document that the sample missed means most.
- The posterior of a stratum with n sampled documents, a share p of them relevant, has a variance of
  p(1 - p)/(n + 1); its expectation over samples is (n - 1)/(n + 1) of the variance of the sample's
  share.  One stratum's skew makes up for that.  In a sum of many strata it does not, and the
  interval is too narrow.  A weight of n - 2 in place of n has the right variance on average.
- Samples of 1 to 3 documents hardly show the spread within their strata.  Pooled, they are one
  sample, whose effective size is Kish's.
- A stratum whose whole sample is relevant, among strata that show nothing relevant, is the only one
  that can have more other documents than its sample says.  With a small share of β it seems to be
  relevant throughout.  With all of β its interval is as wide as if it were alone.
"""


def of_way(way, segments, true):
    """The coverage of each measure."""
    with ExitStack() as stack:
        for name, value in WAYS[way].items():
            stack.enter_context(patch.object(portions, name, value))
        return list(coverage_of(INTERVALS, segments, true))


def of_design(design, reviews, seed):
    """The coverage of each measure in each way."""
    segments, true = (
        sampled_segments(design, reviews, np.random.default_rng(seed)),
        truth_of(design),
    )
    return [of_way(way, segments, true) for way in WAYS]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reviews", type=int, default=1000)
    options = parser.parse_args()
    warnings.simplefilter("ignore", SampleWarning)
    lines = [
        "# Small samples, uneven strata and contrasts",
        "",
        *__doc__.split("\n\n", 2)[2].strip().splitlines(),
        "",
        f"{options.reviews:,} reviews a design: a coverage of .95 has a standard error of "
        f"{(0.95 * 0.05 / options.reviews) ** 0.5:.4f}.  Each cell has recall and elusion.",
        "",
        f"| design | {' | '.join(WAYS)} |",
        "| --- |" + " ---: |" * len(WAYS),
    ]
    for k, (name, design) in enumerate(
        (tiny_designs() | uneven_designs() | made_designs() | contrast_designs()).items()
    ):
        rows = of_design(design, options.reviews, [SEED, k])
        cells = " | ".join(", ".join(f"{share:.3f}" for share in row) for row in rows)
        lines.append(f"| {name} | {cells} |")
        print(lines[-1], flush=True)
    RESULTS.write_text("\n".join([*lines, "", *FINDINGS.strip().splitlines()]) + "\n", "utf-8")


if __name__ == "__main__":
    main()
