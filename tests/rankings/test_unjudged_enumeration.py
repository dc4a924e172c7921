"""Bounds over labels by every measure and tie rule: all labels and orders of random queries, and
real runs with complete judgments."""

import random

import numpy as np
import pytest
from data import shared
from label_enumeration import check_bounds
from sizes import nightly

import irbounds as irb


@pytest.mark.parametrize(("highest", "rel"), [(1, 1), (3, 2)])
def test_all_measures_and_rules_against_tables_of_all_labels(highest, rel):
    found = check_bounds(random.Random(5), 10, highest, rel)
    assert found.worst < 2e-14, found.where
    assert found.n > 20_000


@pytest.mark.nightly
@pytest.mark.long
@pytest.mark.parametrize(
    ("highest", "rel", "n"), [nightly((1, 1, 600)), nightly((2, 1, 300)), (3, 2, 100)]
)
def test_bounds_of_many_queries_against_enumeration(highest, rel, n, seed):
    """`docs/how_we_chose.md` has the largest deviation among 20,000 queries."""
    rng = random.Random(f"{seed} {highest}")
    for _ in range(n // 50):
        found = check_bounds(rng, 50, highest, rel)
        assert found.worst < 2e-14, found.where


CUTS = (1, 5, 10, 100)
MEASURES = [
    *(f"{name}@{k}" for name in ("P", "R", "F", "Success", "RelP", "DCG", "nDCG") for k in CUTS),
    *(f"{name}@{k}" for name in ("AP", "RR", "RBP", "ERR") for k in CUTS),
    *("AP", "RR", "RBP", "RBP(p=0.5)", "ERR", "DCG", "nDCG", "nDCG(dcg=exp-log2)", "Rprec"),
    *("Rprec(mult=0.5)", "Bpref", "SetP", "SetR", "SetF(beta=2)", "SetAP", "NumRel", "NumRelRet"),
    *("NumRet", "GMAP", "ER@10", "IPrec@0", "IPrec@0.3", "IPrec@1"),
]


def complete_and_pooled(name, held_out, depth):
    """By query: all judgments, those of the documents that other runs have down to a depth, the
    rankings of the runs held out, and the number of relevant documents in neither."""
    folder = shared(name)
    complete = irb.Qrels.from_trec(next(folder.glob("*.qrels"))).to_dict()
    runs = [irb.Run.from_trec(path).to_dict() for path in sorted(folder.glob("*.run.xz"))]
    new = [runs[i] for i in held_out]
    pooled, everything, hidden = {}, {}, {}
    for query, relevant in complete.items():
        pooled[query] = {}
        for i, run in enumerate(runs):
            if i not in held_out:
                documents = run.get(query, {})
                first = sorted(documents, key=documents.__getitem__, reverse=True)[:depth]
                pooled[query] |= {doc: relevant.get(doc, 0) for doc in first}
        pooled[query] = pooled[query] or {"none": 0}
        known = dict.fromkeys(pooled[query], 0)
        for run in new:
            known |= dict.fromkeys(run.get(query, {}), 0)
        hidden[query] = sum(doc not in known for doc, grade in relevant.items() if grade > 0)
        everything[query] = known | {doc: g for doc, g in relevant.items() if g > 0}
    return everything, pooled, new, hidden


@pytest.mark.long
@pytest.mark.parametrize("depth", [nightly(1), 5, nightly(10), nightly(20)])
@pytest.mark.parametrize("name", ["adi", "med", "cisi"])
@pytest.mark.parametrize("held_out", [0, 3, 5])
def test_complete_judgments_lie_inside_the_bounds_of_a_pool(name, held_out, depth):
    """A real run's values by all judgments, and its bounds by those of a pool that lacks it."""
    everything, pooled, (run,), hidden = complete_and_pooled(name, [held_out], depth)
    for rule in ("expected", "best", "worst", "doc_id", "given", "any"):
        measures = [text for text in MEASURES if rule != "expected" or "IPrec" not in text]
        options = {"ties": "best" if rule == "any" else rule, "bounds": rule == "any"}
        true = irb.evaluate(everything, run, measures, **options)
        found = irb.evaluate(
            pooled, run, measures, unjudged="bounds", unjudged_hidden=hidden, max_grade=1, **options
        )
        low, high = (true.low, true.high) if rule == "any" else (true.values, true.values)
        slack = 1e-12 * np.maximum(1, np.abs(high))
        assert true.query_ids == found.query_ids
        for beyond in (found.unjudged_low - low - slack, high - found.unjudged_high - slack):
            row, column = np.unravel_index(np.argmax(beyond), beyond.shape)
            assert beyond[row, column] <= 0, (rule, measures[column], true.query_ids[row])


@pytest.mark.nightly
@pytest.mark.long
@pytest.mark.parametrize("depth", [nightly(1), 5, nightly(10), nightly(20)])
@pytest.mark.parametrize("name", ["adi", "med", "cisi"])
def test_complete_judgments_lie_inside_the_bounds_of_differences(name, depth):
    everything, pooled, new, hidden = complete_and_pooled(name, [1, 4], depth)
    runs = dict(zip(("a", "b"), new, strict=True))
    # comparisons are of means
    left_out = ("IPrec", "Num", "GMAP")
    measures = [text for text in MEASURES if not text.startswith(left_out)]
    for rule in ("expected", "doc_id", "given"):
        true = irb.compare(everything, runs, measures, ties=rule, test="t")
        found = irb.compare(
            pooled,
            runs,
            measures,
            ties=rule,
            test="t",
            unjudged="bounds",
            unjudged_hidden=hidden,
            max_grade=1,
        )
        for own, other in zip(true.differences, found.differences, strict=True):
            low, high = other.unjudged_bounds
            where = rule, own.measure, low, own.difference, high
            assert low - 1e-12 <= own.difference <= high + 1e-12, where
            is_settled = not other.is_undone_by_unjudged
            assert not is_settled or np.sign(own.difference) == np.sign(other.difference), where
