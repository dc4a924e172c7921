"""Strata with small samples: what pooling them and widening their posteriors do to coverage.

Run: python benchmarks/studies/small_samples.py [--reviews 1000]

The prior of a segment is shared among its strata in each of four ways (`samples/portions.py`):

- neither: as it stands after the sharing;
- pooled: strata with samples of 1 to 3 documents are pooled, those of one sampling rate together;
- wider: the posterior of each stratum weighs two documents less, times the share of the prior that
  it does not have;
- both: what irbounds does.

The ways see the same samples.  A review counts if the 95 % interval holds the true value.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from unittest.mock import patch

import numpy as np
from strata_reviews import coverage_of, made_designs, sampled_segments, tiny_designs, truth_of

import irbounds as irb
from irbounds.samples import portions
from irbounds.samples.cautions import SampleWarning

RESULTS = Path(__file__).parents[1] / "results" / "small_samples.md"
SEED = 17
WAYS = {  # name: (least sample that is not pooled, whether posteriors are widened)
    "neither": (0, False),
    "pooled": (portions.LEAST_SAMPLE, False),
    "wider": (0, True),
    "both": (portions.LEAST_SAMPLE, True),
}
INTERVALS = {"recall": irb.recall_interval, "elusion": irb.elusion_interval}
FINDINGS = """
## Findings

- The posterior of a stratum with n sampled documents, a share p of them relevant, has a variance of
  p(1 - p)/(n + 1); its expectation over samples is (n - 1)/(n + 1) of the variance of the sample's
  share.  One stratum's skew makes up for that.  In a sum of many strata it does not, and the
  interval is too narrow.
- A weight of n - 2 in place of n has the right variance on average, if n is 4 or more.
- Smaller samples hardly show the spread within their strata.  Pooled, they are one sample.
- A pool has Kish's effective sample size.  That is too large if one of its strata stands for most
  of the documents, as in the design with one document in each of 40 strata of 50 to 5,000.
"""


def of_way(way, segments, true):
    """The coverage of each measure."""
    least, is_wider = WAYS[way]
    with (
        patch.object(portions, "LEAST_SAMPLE", least),
        patch.object(portions, "LEAST_WEIGHT", portions.LEAST_WEIGHT if is_wider else 1.0),
    ):
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
        "# Strata with small samples",
        "",
        *__doc__.split("\n\n", 2)[2].strip().splitlines(),
        "",
        f"{options.reviews:,} reviews a design: a coverage of .95 has a standard error of "
        f"{(0.95 * 0.05 / options.reviews) ** 0.5:.4f}.  Each cell has recall and elusion.",
        "",
        f"| design | {' | '.join(WAYS)} |",
        "| --- |" + " ---: |" * len(WAYS),
    ]
    for k, (name, design) in enumerate((tiny_designs() | made_designs()).items()):
        rows = of_design(design, options.reviews, [SEED, k])
        cells = " | ".join(", ".join(f"{share:.3f}" for share in row) for row in rows)
        lines.append(f"| {name} | {cells} |")
        print(lines[-1], flush=True)
    RESULTS.write_text("\n".join([*lines, "", *FINDINGS.strip().splitlines()]) + "\n", "utf-8")


if __name__ == "__main__":
    main()
