"""`WeakOrdering` against the closed forms of Cooper and of Raghavan, Bollmann & Jung, in
fractions."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

import irbounds as irb
from exactness.measure import ABSOLUTE, RELATIVE, Family, Row
from tests.reference import weak_orderings as slow

CLOSED = 1e-13  # the tests': a few products and one quotient
SUMS = 1e-12  # the tests': sums over the final rank
AGAINST = "closed forms, fractions"
PRECISIONS = ("prr", "precall", "ep")
LEVELS = [Fraction(i, 8) for i in range(9)]
Ranks = list[tuple[int, int]]


def random_ranks(rng: np.random.Generator) -> tuple[Ranks, int]:
    """(relevant, nonrelevant) of each rank, the first with either, and how many relevant documents
    are missing."""
    ranks = [(int(r), int(i)) for r, i in rng.integers(0, 7, (rng.integers(1, 6), 2))]
    return [(1, 1), *ranks] if rng.random() < 0.5 else [*ranks, (1, 1)], int(rng.integers(0, 3))


def ordering(
    ranks: Ranks, missing: int, collection_size: int | None = None
) -> irb.rankings.WeakOrdering:
    """The same, of the library."""
    relevant, nonrelevant = zip(*ranks, strict=True)
    return irb.rankings.WeakOrdering(
        relevant, nonrelevant, sum(relevant) + missing, collection_size
    )


def stops(n: int) -> Iterator[Row]:
    """At the nr-th relevant document, at a recall level, after nd documents."""
    rng = np.random.default_rng(1)
    length = Row("WeakOrdering.esl", AGAINST, CLOSED, RELATIVE)
    rows = {
        name: [
            Row(f"WeakOrdering.{name}(nr=…), real", AGAINST, SUMS, RELATIVE),
            Row(f"WeakOrdering.{name}(recall=…), intuitive and ceiling", AGAINST, SUMS, RELATIVE),
            Row(f"WeakOrdering.{name}(nd=…)", AGAINST, CLOSED, RELATIVE),
        ]
        for name in PRECISIONS
    }
    for _ in range(n):
        ranks, missing = random_ranks(rng)
        w, n_relevant = ordering(ranks, missing), sum(r for r, _ in ranks) + missing
        nr, nd = Fraction(int(rng.integers(1, 8 * n_relevant + 9)), 8), int(rng.integers(1, 50))
        length.add(w.esl(float(nr)), slow.esl(ranks, nr))
        for name in PRECISIONS:
            ours, theirs = getattr(w, name), getattr(slow, name)
            rows[name][0].add(ours(nr=float(nr)), theirs(ranks, nr))
            for how in ("intuitive", "ceiling"):
                rows[name][1].add(
                    ours(recall=list(map(float, LEVELS)), interpolation=how),
                    [slow.at_recall(theirs, ranks, n_relevant, x, how) for x in LEVELS],
                )
            rows[name][2].add(ours(nd=nd), slow.precision_at_documents(ranks, nd))
    yield length
    for some in rows.values():
        yield from some


def read_so_far(n: int) -> Iterator[Row]:
    """Recall, fallout, generality, precision from these; and how long the search is."""
    rng = np.random.default_rng(2)
    recall, fallout, generality, precision = (
        Row(f"WeakOrdering.{name}", AGAINST, CLOSED, RELATIVE)
        for name in ("expected_recall", "fallout", "generality", "precision_from")
    )
    lengths = Row("WeakOrdering.search_length_distribution", AGAINST, SUMS, RELATIVE)
    for _ in range(n):
        ranks, missing = random_ranks(rng)
        n_relevant, read = sum(r for r, _ in ranks) + missing, sum(map(sum, ranks))
        size, nd = read + missing + int(rng.integers(0, 20)), int(rng.integers(1, read + 5))
        whole, w = slow.with_unretrieved(ranks, n_relevant, size), ordering(ranks, missing, size)
        nd = min(nd, size)
        found, lost = (
            slow.expected_recall(whole, nd, n_relevant),
            slow.fallout(whole, nd, n_relevant, size),
        )
        recall.add(w.expected_recall(nd), found)
        fallout.add(w.fallout(nd), lost)
        generality.add(w.generality, slow.generality(n_relevant, size))
        precision.add(
            w.precision_from(0.5, 0.25),
            slow.precision_from(slow.generality(n_relevant, size), Fraction(1, 2), Fraction(1, 4)),
        )
        nr = Fraction(int(rng.integers(1, 8 * sum(r for r, _ in ranks) + 1)), 8)
        stop = slow.final_rank(ranks, nr)
        exact = slow.search_length_distribution(ranks, nr)
        lengths.add(
            ordering(ranks, missing).search_length_distribution(float(nr)),
            [exact[stop.j + v] for v in range(stop.i + 1)],
        )
    yield from (recall, fallout, generality, precision, lengths)


def wide_ranks(n: int) -> Iterator[Row]:
    """Ranks of up to 10^15 documents that hold few relevant ones."""
    rng = np.random.default_rng(3)
    row = Row(
        "WeakOrdering.ep(nr=…), ranks of 20 to 10^15 documents",
        "digamma functions, 60 digits and more",
        SUMS,
        RELATIVE,
    )
    for _ in range(n):
        relevant = int(rng.integers(1, 21))
        wanted, nonrelevant = int(rng.integers(1, relevant + 1)), int(10 ** rng.uniform(1, 15))
        before = int(rng.choice([0, 1000, 10**9]))
        row.add(
            irb.rankings.WeakOrdering([0, relevant], [before, nonrelevant]).ep(nr=wanted),
            slow.expected_precision_of_wide_rank(relevant, nonrelevant, before, wanted),
        )
    yield row


def graphs(n: int) -> Iterator[Row]:
    """The mean over queries at the paper's recall levels, by orderings and by files."""
    rng = np.random.default_rng(4)
    by_orderings = Row("mean_graph, WeakOrdering.recall_precision_graph", AGAINST, SUMS, ABSOLUTE)
    by_files = Row("recall_precision_graph", AGAINST, SUMS, ABSOLUTE)
    levels = [Fraction(i, 20) for i in range(21)]
    for _ in range(n):
        queries = [random_ranks(rng) for _ in range(3)]
        qrels, run = files(queries)
        for name in PRECISIONS:
            each = [
                [
                    slow.at_recall(
                        getattr(slow, name), ranks, sum(r for r, _ in ranks) + missing, x
                    )
                    for x in levels
                ]
                for ranks, missing in queries
            ]
            mean = [sum(values) / 3 for values in zip(*each, strict=True)]
            by_orderings.add(
                irb.rankings.mean_graph([ordering(*query) for query in queries], name).precision,
                mean,
            )
            by_orderings.add(ordering(*queries[0]).recall_precision_graph(name).precision, each[0])
            by_files.add(irb.rankings.recall_precision_graph(qrels, run, name).precision, mean)
    yield from (by_orderings, by_files)


def files(
    queries: list[tuple[Ranks, int]],
) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Judgments and a run with these ranks."""
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for q, (ranks, missing) in enumerate(queries):
        marks = [(k, mark) for k, (r, i) in enumerate(ranks) for mark in [1] * r + [0] * i]
        run[f"q{q}"] = {f"d{j}": -float(k) for j, (k, _) in enumerate(marks)}
        qrels[f"q{q}"] = {f"d{j}": mark for j, (_, mark) in enumerate(marks)} | {
            f"u{j}": 1 for j in range(missing)
        }
    return qrels, run


FAMILIES = [
    Family(stops, 300, 20, "WeakOrdering"),
    Family(read_so_far, 300, 20, ""),
    Family(wide_ranks, 200, 10, ""),
    Family(graphs, 20, 2, "RecallPrecisionGraph mean_graph recall_precision_graph"),
]
