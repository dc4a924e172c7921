"""Bounds over labels by every measure and tie rule: all labels and orders of random queries, and
real runs with complete judgments."""

import random

import numpy as np
import pytest
from data import shared
from label_enumeration import check_bounds

import irbounds as irb


@pytest.mark.parametrize(("highest", "rel"), [(1, 1), (3, 2)])
def test_all_measures_and_rules_against_tables_of_all_labels(highest, rel):
    found = check_bounds(random.Random(5), 10, highest, rel)
    assert found.worst < 2e-14, found.where
    assert found.n > 20_000


@pytest.mark.long
@pytest.mark.parametrize(("highest", "rel", "n"), [(1, 1, 600), (2, 1, 300), (3, 2, 200)])
def test_bounds_of_many_queries_against_enumeration(highest, rel, n, seed):
    """`benchmarks/studies/label_enumeration.py` has 20,000 queries."""
    rng = random.Random(f"{seed} {highest}")
    for _ in range(n // 50):
        found = check_bounds(rng, 50, highest, rel)
        assert found.worst < 2e-14, found.where


@pytest.mark.long
def test_complete_judgments_lie_inside_the_bounds_of_a_pool():
    """A real run's values by all judgments, and its bounds by those of a pool that lacks it."""
    folder = shared("med")
    qrels = irb.Qrels.from_trec(next(folder.glob("*qrels*")))
    runs = sorted(folder.glob("*.run*"))
    if len(runs) < 4:
        pytest.skip("needs four runs")
    complete = qrels.to_dict()
    pooled = {query: {} for query in complete}
    for path in runs[:3]:
        for query, documents in irb.Run.from_trec(path).to_dict().items():
            for doc in sorted(documents, key=documents.__getitem__, reverse=True)[:10]:
                pooled[query][doc] = complete.get(query, {}).get(doc, 0)
    measures = "AP P@10 R@10 nDCG@10 RR RBP Rprec Bpref"
    everything = irb.Qrels.from_dict(
        {q: {**dict.fromkeys(run, 0), **complete[q]} for q, run in pooled.items()}
    )
    hidden = {q: sum(g > 0 for g in complete[q].values()) for q in pooled}
    true = irb.evaluate(everything, runs[3], measures)
    found = irb.evaluate(pooled, runs[3], measures, unjudged="bounds", unjudged_hidden=hidden)
    columns = [i for i, measure in enumerate(true.measures) if str(measure) != "Bpref"]
    assert np.all(found.unjudged_low[:, columns] <= true.values[:, columns] + 1e-12)
    assert np.all(found.unjudged_high[:, columns] >= true.values[:, columns] - 1e-12)
