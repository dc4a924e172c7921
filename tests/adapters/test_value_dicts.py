"""The dicts that the drop-in for pytrec_eval returns: their values, whose they are, what stays."""

import gc
import random
import sys

import pytest

from irbounds.adapters import pytrec_eval as ours


def random_data(n_queries):
    rng = random.Random(1)
    qrels = {f"q{q}": {f"d{d}": rng.randrange(3) for d in range(12)} for q in range(n_queries)}
    run = {query: {doc: rng.randrange(20) / 4 for doc in docs} for query, docs in qrels.items()}
    return qrels, run


# Dicts whose keys are shared have 11 to 24 values; those of 5, 10, 21, 42 and 85 fill their tables.
@pytest.mark.parametrize("n_columns", [1, 2, 5, 6, 10, 11, 12, 24, 25, 42, 43, 85, 86, 300])
def test_each_value_is_that_of_its_measure_alone(n_columns):
    qrels, run = random_data(40)
    every = ours.RelevanceEvaluator(qrels, ours.supported_measures).evaluate(run)["q0"]
    names = random.Random(n_columns).sample(
        sorted(name for name in every if name != "11pt_avg") + [f"P_{k}" for k in range(2, 5)],
        min(n_columns, 80),
    ) + [f"ndcg_cut_{k}" for k in range(2001, 2001 + n_columns - 80)]
    evaluator = ours.RelevanceEvaluator(qrels, names)
    found = [evaluator.evaluate(run) for _ in range(2)]
    assert found[0] == found[1]
    assert {len(values) for values in found[0].values()} == {len(set(names))}
    for name in names:
        alone = ours.RelevanceEvaluator(qrels, [name]).evaluate(run)
        assert [values[name] for values in found[0].values()] == [
            values[name] for values in alone.values()
        ]


@pytest.mark.parametrize("n_columns", [4, 15, 40])
def test_a_dict_belongs_to_who_has_it(n_columns):
    qrels, run = random_data(40)
    names = [f"ndcg_cut_{k}" for k in range(1, n_columns + 1)]
    evaluator = ours.RelevanceEvaluator(qrels, names)
    first = evaluator.evaluate(run)
    kept = {query: dict(values.items()) for query, values in first.items()}
    for values in first.values():
        values["ndcg_cut_1"] = values["another"] = -1.0
        del values["ndcg_cut_2"]
    second = evaluator.evaluate(run)
    del evaluator, first
    gc.collect()
    assert second == kept


@pytest.mark.parametrize("n_columns", [4, 15, 40])
def test_no_object_stays_behind(n_columns):
    qrels, run = random_data(200)
    evaluator = ours.RelevanceEvaluator(qrels, [f"ndcg_cut_{k}" for k in range(1, n_columns + 1)])
    blocks = []
    for _ in range(6):
        for _ in range(5):
            evaluator.evaluate(run)
        gc.collect()
        blocks.append(sys.getallocatedblocks())
    assert blocks[-1] - blocks[1] < 200  # of 4,000 dicts
