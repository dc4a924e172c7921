"""How often `weighted_recall_interval` holds recall, whatever the weights.

Every relevant document of a segment is drawn independently, with the probability of its group. All
are given to the interval, with the largest weight of each segment, but for the last design.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from study import LEVEL, Row, coverage_row, holds, table

import irbounds as irb

ASK, METHOD = "recall, unequal weights", "weighted_recall_interval"
FEW = 10  # times fewer reviews where documents are known: no closed form
SIDES = ("two-sided", "lower", "upper")
Group = tuple[int, float]  # relevant documents, and the probability that each is drawn


class Design(NamedTuple):
    """Relevant documents of both segments, and whether the largest weights are given."""

    retrieved: list[Group]
    unretrieved: list[Group]
    is_largest_given: bool = True


KINDS = {
    "designs of the source": {
        "small": Design([(300, 0.1)], [(80, 0.05)]),
        "large": Design([(7000, 0.05)], [(1100, 0.011)]),
        "few": Design([(20, 0.1), (20, 0.3)], [(15, 0.02), (15, 0.05)]),
        "very few": Design([(5, 0.1), (5, 0.5)], [(4, 0.025), (4, 0.2)]),
    },
    "designs that do harm": {
        "equal weights, one document": Design([(1, 0.5)], [(1, 0.5)]),
        "all nearly certain": Design([(30, 0.99)], [(8, 0.98)]),
        "weights from 1.1 to 100": Design([(40, 0.9), (40, 0.01)], [(10, 0.5), (10, 0.01)]),
        "known and sampled": Design([(20, 1.0), (40, 0.1)], [(5, 1.0), (10, 0.05)]),
        "known retrieved, sampled unretrieved": Design([(45, 1.0)], [(12, 0.05)]),
        "nothing relevant unretrieved": Design([(60, 0.2)], [(0, 0.05)]),
        "nothing relevant retrieved": Design([(0, 0.2)], [(60, 0.05)]),
        "one document of weight 1e9": Design([(60, 0.2)], [(20, 0.1), (1, 1e-9)]),
        "most of weight 1e9": Design([(600, 0.2)], [(100, 0.1), (1500, 1e-9)]),
    },
    "design": {"not told": Design([(600, 0.2)], [(100, 0.1), (1500, 1e-9)], False)},
}


def ends(design: Design, counts: list[int], side: str) -> tuple[float, float]:
    """The interval of one review. Where nothing was found the largest weight is needed."""
    cut = len(design.retrieved)
    lists = [
        [p for (_, p), n in zip(groups, found, strict=True) for _ in range(n)]
        for groups, found in ((design.retrieved, counts[:cut]), (design.unretrieved, counts[cut:]))
    ]
    is_needed = design.is_largest_given or not all(lists)
    both = design.retrieved, design.unretrieved
    largest = tuple(max(1 / p for _, p in groups) for groups in both) if is_needed else None
    options = {"side": side, "confidence_level": LEVEL}
    interval = irb.samples.weighted_recall_interval(*lists, largest, **options)
    return interval.low, interval.high


def coverage(design: Design, reviews: int, rng: np.random.Generator) -> list[float]:
    """The share of reviews whose interval holds recall, by side; the mean width."""
    relevant = [sum(n for n, _ in groups) for groups in design[:2]]
    recall = relevant[0] / sum(relevant)
    groups = (*design.retrieved, *design.unretrieved)
    drawn = np.array([rng.binomial(n, p, reviews) for n, p in groups]).T
    outcomes, times = np.unique(drawn, axis=0, return_counts=True)
    shares = []
    for side in SIDES:
        low, high = np.array([ends(design, each, side) for each in outcomes.tolist()]).T
        shares.append(float(times[holds(low, high, recall)].sum() / reviews))
        if side == "two-sided":
            width = float(times @ (high - low) / reviews)
    return [*shares, width]


def described(groups: list[Group]) -> str:
    """Documents × probability of each group."""
    return " + ".join(f"{n} × {p:g}" for n, p in groups)


def rows_and_lines(quick: bool) -> tuple[list[Row], list[str]]:
    """The coverage of all designs, and their part of the page."""
    rows, shown = [], []
    for seed, (kind, designs) in enumerate(KINDS.items()):
        found = {}
        for place, (name, design) in enumerate(designs.items()):
            is_known = any(p == 1 for _, p in (*design.retrieved, *design.unretrieved))
            reviews = 100 if quick else 20_000 // (FEW if is_known else 1)
            rng = np.random.default_rng((seed, place))
            *found[name], width = coverage(design, reviews, rng)
            of_groups = described(design.retrieved), described(design.unretrieved)
            numbers = (*(f"{share:.4f}" for share in found[name]), f"{width:.3f}")
            shown.append([name, *of_groups, f"{reviews:,}", *numbers])
        told = kind != "design"
        ask = ASK if told else f"{ASK}, largest weight not given"
        sides = [*found.values()] if told else [each[:1] for each in found.values()]
        means = np.mean(sides, axis=0)
        rows.append(coverage_row(ask, METHOD, f"{len(designs)} {kind}", np.ravel(sides), means))
    columns = ["design", "retrieved", "unretrieved", "reviews", *SIDES, "width"]
    lines = [
        *table(columns, shown),
        "Documents × probability of each group are given.  Every relevant document is drawn",
        "independently.  The last design shows why the largest weight has to be given: documents",
        "that are hardly ever drawn leave no trace.",
    ]
    return rows, lines
