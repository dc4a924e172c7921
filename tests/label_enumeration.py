"""Bounds over labels of many random queries, held against all labels and all orders.

The tests take some queries; `docs/how_we_chose.md` has the result of tens of thousands.
"""

from dataclasses import dataclass, field

import numpy as np
from reference import label_tables as slow

import irbounds as irb
from irbounds.comparison.label_bounds.pairs import query_bounds
from irbounds.rankings.measure_table.measure import parse_measures
from irbounds.rankings.unjudged.treatment import Hidden

HIDDEN = (0, 1, 2)
RULES = ("expected", "best", "worst", "any", "given", "doc_id")
CUTS = range(1, 10)
OUTER = ("AP", "ERR", "RR", "Success", "Bpref", "SetF(beta=2)", "SetAP", "SetP(relative=True)")
OUTER += ("Rprec(mult=0.4)", "Rprec(mult=2.5)", "GMAP", "GMBpref")


@dataclass
class Found:
    """Numbers compared, the largest deviation (relative to values above 1) and its place; outer
    bounds checked, and the measures with exact ones."""

    n: int = 0
    worst: float = 0.0
    where: object = None
    n_outer: int = 0
    exact: set = field(default_factory=set)

    def take(self, found, expected, where):
        """Compare two arrays; where: the name of an element by its index."""
        if found.size == 0:
            return
        deviation = np.abs(found - expected) / np.maximum(1, np.abs(expected))
        deviation[np.isnan(deviation)] = np.inf
        self.n += deviation.size
        at = np.unravel_index(np.argmax(deviation), deviation.shape)
        if deviation[at] >= self.worst:
            self.worst, self.where = float(deviation[at]), where(*at)


def draw_grades(rng, most_open, most_docs, highest):
    """Grades of documents, some open."""
    docs = rng.randint(0, most_docs)
    n_open = min(docs, rng.randint(0, most_open))
    grades = [-1] * n_open + [rng.randint(0, highest) for _ in range(docs - n_open)]
    rng.shuffle(grades)
    return grades


def draw_ranks(rng, documents, most_orders):
    """A list of ranks of these, ties among them, with so many orders at most."""
    ranks, mix, orders = [], rng.choice([0, 0.3, 0.6, 0.9]), 1
    for document in documents:
        size = len(ranks[-1]) + 1 if ranks else 0
        if ranks and orders * size <= most_orders and rng.random() < mix:
            ranks[-1].append(document)
            orders *= size
        else:
            ranks.append([document])
    return ranks


def draw_query(rng, highest):
    """Ranks of grades, and grades of judged documents not retrieved."""
    most_open = 6 if rng.random() < (0.3 if highest == 1 else 0.1) else 4
    grades = draw_grades(rng, most_open, 7, highest)
    n_labellings = (highest + 1) ** sum(grade < 0 for grade in grades)
    ranks = draw_ranks(rng, grades, 24 if n_labellings <= 64 else 4)
    return ranks, [rng.randint(0, highest) for _ in range(rng.choice([0, 0, 1, 2, 3]))]


def as_input(ranks, unretrieved):
    """The judgments and the ranking of one query; document ids rise down the ranking."""
    qrels, run = {}, {}
    for place, rank in enumerate(ranks):
        for grade in rank:
            doc = f"d{len(run)}"
            run[doc] = -place
            if grade >= 0:
                qrels[doc] = grade
    return (qrels | {f"u{i}": grade for i, grade in enumerate(unretrieved)}) or {"x": -1}, run


def check_bounds(rng, n_queries, highest, rel=1, n_cuts=3):
    """Bounds of every measure and tie rule with each number of hidden documents, at some cuts."""
    qrels, run, hidden_by_query, expected = {}, {}, {}, {}
    for number in range(n_queries):
        ranks, unretrieved = draw_query(rng, highest)
        for hidden in HIDDEN:
            query = f"q{number}h{hidden}"
            qrels[query], run[query] = as_input(ranks, unretrieved)
            hidden_by_query[query] = hidden
            labels = range(highest + 1)
            expected[query] = slow.bounds(ranks, unretrieved, hidden, labels=labels, rel=rel)
    found = Found()
    names = slow.names(rng.sample(CUTS, n_cuts), rel)
    for rule in RULES:
        own = {text: at for text, at in names.items() if rule != "expected" or "IPrec" not in text}
        columns = [slow.column_of(*at) for at in own.values()]
        evaluation = irb.evaluate(
            qrels,
            run,
            list(own),
            ties="best" if rule == "any" else rule,
            bounds=rule == "any",
            unjudged="bounds",
            unjudged_hidden=hidden_by_query,
            max_grade=highest,
        )
        ids, texts = evaluation.query_ids, list(own)
        for side, ends in enumerate((evaluation.unjudged_low, evaluation.unjudged_high)):
            exactly = np.array([expected[query][rule][side][columns] for query in ids])
            found.take(
                np.asarray(ends),
                exactly,
                lambda row, column, rule=rule, side=side, ids=ids, texts=texts: (
                    texts[column],
                    rule,
                    side,
                    qrels[ids[row]],
                    run[ids[row]],
                    ids[row],
                ),
            )
    return found


def draw_runs(rng, highest):
    """Two runs, lists of ranks of document numbers, and the grades of the documents."""
    most_open = 6 if rng.random() < 0.2 else 4
    grades = draw_grades(rng, most_open, 8, highest)
    runs = []
    for _ in range(2):
        chosen = rng.sample(range(len(grades)), rng.randint(0, min(7, len(grades))))
        runs.append(draw_ranks(rng, chosen, 12))
    return grades, runs


def check_differences(rng, n_queries, highest, rel=1, rule="expected", n_cuts=3):
    """Bounds of differences by every measure at some cuts, with some hidden documents: exact ones
    equal, outer ones no narrower."""
    qrels, runs, hidden_by_query, expected = {}, ({}, {}), {}, []
    for number in range(n_queries):
        (grades, pair), query = draw_runs(rng, highest), f"q{number}"
        judged = {f"d{i}": grade for i, grade in enumerate(grades) if grade >= 0}
        qrels[query] = judged or {"x": -1}
        for run, ranks in zip(runs, pair, strict=True):
            run[query] = {f"d{doc}": -place for place, rank in enumerate(ranks) for doc in rank}
        hidden_by_query[query] = hidden = rng.choice(HIDDEN)
        ordered, labels = in_order(rule, pair), range(highest + 1)
        expected.append(slow.difference_bounds(ordered, grades, hidden, labels=labels, rel=rel))
    names = slow.names(rng.sample(CUTS, n_cuts), rel)
    names = {text: at for text, at in names.items() if "IPrec" not in text}
    judgments = irb.Qrels.from_dict(qrels)
    bounds = query_bounds(
        judgments,
        [irb.Run.from_dict(run) for run in runs],
        parse_measures(list(names)),
        [(0, 1)],
        ties=rule,
        query_ids=list(qrels),
        hidden=Hidden.read(hidden_by_query, 0, judgments),
        max_grade=highest,
    )[:, 0]
    exactly = np.array(expected)[:, :, [slow.column_of(*at) for at in names.values()]]

    def where(row, column):
        query = f"q{row}"
        ranked = [run[query] for run in runs]
        return list(names)[column], rule, qrels[query], hidden_by_query[query], ranked

    return compare_differences(bounds, exactly, [name for name, _ in names.values()], where)


def compare_differences(bounds, exactly, names, where):
    """Bounds: queries x measures x (low, high, is exact); exactly: queries x 2 x measures."""
    found = Found()
    is_exact = bounds[:, :, 2] == 1
    found.n_outer = int((~is_exact).sum())
    found.exact = {names[column] for column in np.flatnonzero(is_exact.any(axis=0))}
    never_outer = [column for column, name in enumerate(names) if name not in OUTER]
    assert is_exact[:, never_outer].all()
    for side, sign in ((0, 1), (1, -1)):
        own, there = bounds[:, :, side], exactly[:, side]
        inside = np.where(is_exact, own, there + sign * np.maximum(0, sign * (own - there)))
        found.take(inside, there, where)
    return found


def in_order(rule, runs):
    """The runs as a rule that breaks ties has them."""
    if rule == "expected":
        return runs
    key = (lambda doc: -doc) if rule == "doc_id" else None
    return [
        [[doc] for rank in run for doc in (sorted(rank, key=key) if key else rank)] for run in runs
    ]
