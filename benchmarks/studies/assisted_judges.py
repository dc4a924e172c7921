"""Coverage and width of intervals from the grades of several judges and a few people's labels.

    python benchmarks/studies/assisted_judges.py --sets 0:8     # then 8:16
    python benchmarks/studies/assisted_judges.py --page

Pairs and triples of the 33 judges of `assisted_coverage.py`, drawn at random; the question is its
P@10 of 250 pairs.  The first command adds rows to benchmarks/results/assisted_judges.tsv, the
second writes benchmarks/results/assisted_judges.md.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
from assisted_coverage import (
    RESULTS,
    SAMPLES,
    THRESHOLDS,
    Tally,
    first_system,
    read,
    read_rows,
    store,
    strata,
)

import irbounds as irb
from irbounds.assisted.allocation import _spread
from irbounds.assisted.estimators import correlation
from irbounds.assisted.judges import mid_ranks, pair_scores, score_strata

FIELDS = ("set", "judges", "rel", "n", "method", "coverage", "width", "outside")
DRAWS = 300
TABLE = RESULTS / "assisted_judges.tsv"
Row = dict[str, Any]
BEST_LABELS = "the judge that agrees best with the labels"
BEST_OTHERS = "combine='best'"
NARROWEST = "the narrowest judge"


def interval(group: np.ndarray, y: np.ndarray, chosen: np.ndarray) -> tuple[float, float]:
    """The default's, for strata of these names."""
    group = np.unique(group, return_inverse=True)[1]
    sizes = np.bincount(group).tolist()
    counts = np.bincount(group[chosen], minlength=len(sizes)).tolist()
    found = np.bincount(group[chosen], y[chosen], minlength=len(sizes)).astype(int).tolist()
    return strata(tuple(zip(sizes, counts, found, strict=True)))[1]


def one_set(columns: np.ndarray, y: np.ndarray, n: int, rng: np.random.Generator) -> Tally:
    """All methods on the same simple random samples, and the strata on systematic ones."""
    tally, score, size = Tally(float(y.mean())), pair_scores(columns), y.size
    places = np.array([mid_ranks(row) for row in columns])
    rest = (places.sum(axis=0) - places) / (len(places) - 1)
    nearest = int(np.argmax([correlation(a, b) for a, b in zip(places, rest, strict=True)]))
    for _ in range(DRAWS):
        chosen = rng.permutation(size)[:n]
        is_in = np.isin(np.arange(size), chosen)
        tally.add("strata by all", *interval(score_strata(score, is_in), y, chosen))
        spread = _spread(score, np.ones(size, bool), n, rng)
        is_in = np.isin(np.arange(size), spread)
        tally.add(
            "strata by all, allocate_labels", *interval(score_strata(score, is_in), y, spread)
        )
        alone = [interval(row, y, chosen) for row in columns]
        for i, ends in enumerate(alone):
            tally.add(f"judge {i}", *ends)
        agreement = [np.nan_to_num(correlation(row[chosen], y[chosen])) for row in columns]
        tally.add(BEST_LABELS, *alone[int(np.argmax(agreement))])
        if len(columns) > 2:
            tally.add(BEST_OTHERS, *alone[nearest])
    return tally


def rows(first: int, last: int) -> Iterator[Row]:
    """The results of some sets of two and of three judges."""
    truth, judges = read()
    ranking = first_system(judges)
    pool = [(query, doc) for query, docs in ranking.items() for doc in docs[:10]]
    grades = [np.array([float(judges[name][pair]) for pair in pool]) for name in judges]
    for number in range(first, last):
        for n_judges in (2, 3):
            rng = np.random.default_rng([number, n_judges])
            columns = np.array([grades[i] for i in rng.permutation(len(grades))[:n_judges]])
            for rel in THRESHOLDS:
                y = np.array([float(truth[pair] >= rel) for pair in pool])
                for n in SAMPLES:
                    found = list(
                        one_set(columns, y, n, rng).rows(set=number, judges=n_judges, rel=rel, n=n)
                    )
                    alone = [row for row in found if str(row["method"]).startswith("judge ")]
                    yield from (row for row in found if row not in alone)
                    yield min(alone, key=lambda row: float(row["width"])) | {"method": NARROWEST}
        print(number, flush=True)


def page() -> list[str]:
    """Over all sets: mean, least and greatest coverage, mean width."""
    found_rows = read_rows(TABLE)
    groups: dict[tuple[str, ...], dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in found_rows:
        groups[row["rel"], row["n"], row["judges"]][row["method"]].append(row)
    sets = {row["set"] for row in found_rows}
    lines = [
        "# Coverage with several judges",
        "",
        f"Nominal coverage is 0.95. {len(sets)} pairs and {len(sets)} triples of the 33 judges, "
        f"{DRAWS} samples each; P@10 of 250 pairs. Coverage is the mean over sets (least to "
        "greatest), width the mean. *The narrowest judge* is the one of the set whose intervals "
        "are narrowest on average, which nobody knows beforehand. Made by "
        "`python benchmarks/studies/assisted_judges.py`.",
        "",
        "| measure | labels | judges | method | coverage | width |",
        "|---|---|---|---|---|---|",
    ]
    for rel, n, k in sorted(groups, key=lambda key: tuple(map(int, key))):
        for method, found in groups[rel, n, k].items():
            coverage = np.array([float(row["coverage"]) for row in found])
            width = np.mean([float(row["width"]) for row in found])
            lines.append(
                f"| P(rel={rel})@10 | {n} | {k} | {method} | {coverage.mean():.3f} "
                f"({coverage.min():.3f} to {coverage.max():.3f}) | {width:.3f} |"
            )
    return lines


def main() -> int:
    """Measure some sets, or write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", default="0:8", help="which of the sets, as in 0:8")
    parser.add_argument("--page", action="store_true", help="write the page")
    options = parser.parse_args()
    if options.page:
        text = "\n".join(page()) + "\n"
        (RESULTS / "assisted_judges.md").write_text(text, encoding="utf-8")
        return 0
    warnings.simplefilter("ignore", irb.warnings.SampleWarning)
    first, last = map(int, options.sets.split(":"))
    store(list(rows(first, last)), TABLE, FIELDS)
    return 0


if __name__ == "__main__":
    sys.exit(main())
