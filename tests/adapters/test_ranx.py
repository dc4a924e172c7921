"""The drop-in for ranx: its values on runs without ties, and by hand."""

import math
import random

import numpy as np
import pytest

import irbounds as irb
from irbounds.adapters import ranx as ours

METRICS = [
    *("hits", "hits@5", "hit_rate", "hit_rate@3", "precision", "precision@5", "recall"),
    *("recall@5", "f1", "f1@5", "r-precision", "mrr", "mrr@2", "map", "map@5", "dcg", "dcg@5"),
    *("dcg_burges", "dcg_burges@5", "ndcg", "ndcg@5", "ndcg_burges", "ndcg_burges@5", "bpref"),
]
QRELS = {"q1": {"d1": 1, "d2": 3, "d3": 0, "d9": 2}, "q2": {"d1": 0, "d2": 1}}
RUN = {"q1": {"d3": 9.0, "d2": 8.0, "x": 7.0, "d1": 6.0}, "q2": {"d1": 3.0, "x": 2.0, "d2": 1.0}}


def random_data(seed):
    rng = random.Random(seed)
    names = [f"d{i}" for i in range(30)]
    qrels, run = {}, {}
    for query in map(str, range(12)):
        qrels[query] = {name: rng.randint(0, 3) for name in rng.sample(names, 20)}
        qrels[query]["none"] = 0
        retrieved = rng.sample(names, rng.randint(5, 30))
        run[query] = dict(zip(retrieved, rng.sample(range(1000), len(retrieved)), strict=True))
        run[query]["none"] = -1.0
    return qrels, run


@pytest.mark.nightly
@pytest.mark.long
@pytest.mark.filterwarnings("ignore")  # of numba
@pytest.mark.parametrize("level", ["", "-l2"])
def test_the_values_of_ranx(level):
    ranx = pytest.importorskip("ranx")
    qrels, run = random_data(1)
    metrics = [metric + level for metric in [*METRICS, "rbp.95", "rbp.5"]]
    theirs = ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), metrics)
    found = ours.evaluate(qrels, run, metrics)
    assert list(found) == metrics
    for metric in metrics:
        assert found[metric] == pytest.approx(theirs[metric], abs=1e-12), metric
    written = ranx.Run(run)
    whole = ours.evaluate(ranx.Qrels(qrels), written, ["map", "ndcg@5"], return_std=True)
    other = ranx.Run(run)
    wanted = ranx.evaluate(ranx.Qrels(qrels), other, ["map", "ndcg@5"], return_std=True)
    assert whole["map"] == pytest.approx(wanted["map"], abs=1e-12)
    assert written.mean_scores == pytest.approx(other.mean_scores, abs=1e-12)
    assert written.std_scores == pytest.approx(other.std_scores, abs=1e-12)
    assert written.scores["map"] == pytest.approx(other.scores["map"], abs=1e-12)
    names = [metric + level for metric in ("map", "ndcg@5", "f1@5", "hit_rate@3") if not level]
    for name in names:  # irbounds itself takes ranx's objects and names
        value = irb.evaluate(ranx.Qrels(qrels), ranx.Run(run), name)[name].mean()
        assert value == pytest.approx(theirs[name], rel=1e-12), name
    compared = irb.compare(ranx.Qrels(qrels), [ranx.Run(run, name=name) for name in "ab"], "map")
    assert compared.runs == ("a", "b")
    with pytest.raises(irb.InputError, match="`run` must be a Run, a path"):
        irb.evaluate(qrels, ranx.Qrels(qrels), "AP")


@pytest.mark.parametrize(
    ("metric", "wanted"),
    [  # the rankings have the grades 0 3 - 1 (a 2 is missing) and 0 - 1
        ("hits", (2, 1)),
        ("hits@2", (1, 0)),
        ("hit_rate", (1, 1)),
        ("hit_rate@1", (0, 0)),
        ("precision", (2 / 4, 1 / 3)),
        ("precision@5", (2 / 5, 1 / 5)),
        ("recall@2-l2", (1 / 2, 0)),
        ("f1@2", (2 / 5, 0)),
        ("mrr", (1 / 2, 1 / 3)),
        ("map", ((1 / 2 + 2 / 4) / 3, 1 / 3)),
        ("map-l3", (1 / 2, 0)),
        ("map-l0", ((1 + 2 / 2 + 3 / 4) / 4, (1 + 2 / 3) / 2)),
        ("precision@2-l0", (2 / 2, 1 / 2)),
        ("recall@3-l0", (2 / 4, 2 / 2)),
        ("r-precision-l0", (3 / 4, 1 / 2)),
        ("hits-l0", (3, 2)),
        ("dcg-l0", (3 / math.log2(3) + 1 / math.log2(5), 1 / 2)),
        ("rbp.50-l0", (0.5 * (3 * 0.5 + 1 * 0.125), 0.5 * 0.25)),
        ("dcg", (3 / math.log2(3) + 1 / math.log2(5), 1 / 2)),
        ("dcg-l2", (3 / math.log2(3), 0)),
        ("dcg_burges@2", (7 / math.log2(3), 0)),
        ("rbp.50", (0.5 * (3 * 0.5 + 1 * 0.125), 0.5 * 0.25)),
        ("rbp.50-l2", (0.5 * 3 * 0.5, 0)),
    ],
)
def test_by_hand(metric, wanted):
    values = ours.evaluate(QRELS, RUN, metric, return_mean=False)
    assert values == pytest.approx(wanted, abs=1e-15)
    assert ours.evaluate(QRELS, RUN, metric) == pytest.approx(np.mean(wanted), abs=1e-15)
    both = ours.evaluate(QRELS, RUN, [metric, "mrr@1"], return_std=True)
    assert both[metric]["std"] == pytest.approx(np.std(wanted), abs=1e-15)


def test_queries_must_be_the_same_unless_made_comparable():
    one = {"q1": RUN["q1"], "other": {"d": 1.0}}
    with pytest.raises(irb.InputError, match="the run lacks 'q2'; make_comparable=True"):
        ours.evaluate(QRELS, one, "map")
    with pytest.raises(irb.InputError, match="the qrels lack 'other'"):
        ours.evaluate({"q1": QRELS["q1"]}, one, "map")
    found = ours.evaluate(QRELS, one, "map", make_comparable=True)
    assert found == pytest.approx((1 / 2 + 2 / 4) / 3 / 2)
    assert ours.evaluate(QRELS, {"other": {"d": 1.0}}, "map", make_comparable=True) == 0


def as_arrays(documents, numbers):
    """As ranx makes them: numbers of documents, and values."""
    return [
        np.array([[numbers[name], value] for name, value in of_query.items()], float)
        for of_query in documents.values()
    ]


def test_lists_of_arrays():
    numbers = {name: i * 2.0**60 for i, name in enumerate(["x", "d1", "d2", "d3", "d9"])}
    qrels, run = as_arrays(QRELS, numbers), as_arrays(RUN, numbers)
    for metric in ("map", "ndcg@2", "recall@3-l0"):
        wanted = ours.evaluate(QRELS, RUN, metric, return_mean=False)
        found = ours.evaluate(qrels, run, metric, return_mean=False)
        assert found.tolist() == wanted.tolist()
    whole = np.stack([qrels[1], qrels[1]])  # one array of three dimensions
    assert ours.evaluate(whole, [run[1]] * 2, "map") == 1 / 3
    with pytest.raises(irb.InputError, match="`run` must rank the rows of an array by falling"):
        ours.evaluate(qrels, [rows[::-1] for rows in run], "map")
    with pytest.raises(irb.InputError, match="the array of query 1 has a document twice"):
        ours.evaluate([qrels[0], qrels[1][[0, 0]]], run, "map")
    with pytest.raises(irb.InputError, match="`qrels` must be arrays with two columns"):
        ours.evaluate([rows[:, 0] for rows in qrels], run, "map")


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")  # of numba
def test_typed_lists_of_ranx():
    ranx = pytest.importorskip("ranx")
    qrels, run = random_data(2)
    lists = ranx.Qrels(qrels).to_typed_list(), ranx.Run(run).to_typed_list()
    for metric in ("map", "ndcg@5", "recall@5-l2"):
        assert ours.evaluate(*lists, metric) == pytest.approx(
            ranx.evaluate(*lists, metric), abs=1e-12
        )


@pytest.mark.parametrize("metrics", [None, 5, [5]])
def test_metrics_are_names(metrics):
    with pytest.raises(irb.InputError, match=r"^`metrics` must be .*names?[^\n]*; found (None|5)$"):
        ours.evaluate(QRELS, RUN, metrics)


def test_ties_are_a_rule():
    qrels, run = {"q": {"a": 1}}, {"q": {"b": 1.0, "a": 1.0}}
    values = [
        float(ours.evaluate(qrels, run, "mrr", ties=ties))
        for ties in ("expected", "best", "worst", "given", "doc_id")
    ]
    assert values == [0.75, 1.0, 0.5, 0.5, 0.5]


@pytest.mark.parametrize("metric", ["mapp", "map@", "rbp", "map@3-l", "ndcg@-1", "", "map mrr"])
def test_other_names_are_refused(metric):
    with pytest.raises(irb.InputError, match="unknown metric"):
        ours.evaluate(QRELS, RUN, metric)
    with pytest.raises(irb.InputError, match="must name at least one metric"):
        ours.evaluate(QRELS, RUN, [])


def test_whole_numbers_and_floats_name_the_same_documents():
    """Scores make an array of floats, judgments one of whole numbers."""
    qrels = [np.array([[1, 1], [2, 0], [3, 2]])]
    run = [np.array([[1, 0.9], [2, 0.8], [3, 0.1]])]
    assert ours.evaluate(qrels, run, "map") == pytest.approx(5 / 6)
    named = {"0": {"1": 1, "2": 0, "3": 2}}
    assert ours.evaluate(named, run, "map") == pytest.approx(5 / 6)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")  # of numba
@pytest.mark.parametrize("seed", range(3))
def test_objects_of_ranx_are_read_by_their_arrays(seed):
    ranx = pytest.importorskip("ranx")
    qrels, run = random_data(seed)
    run = {query: {d: s // 100 for d, s in own.items()} for query, own in run.items()}  # with ties
    metrics = [*METRICS, "rbp.95", "ndcg@5-l2"]
    run = dict(sorted(run.items(), reverse=True))
    for ties in ("expected", "best", "worst", "doc_id"):
        objects = ranx.Qrels(qrels), ranx.Run(run)
        found = ours.evaluate(*objects, metrics, return_mean=False, ties=ties)
        plain = [each.to_dict() for each in objects]  # which ranx sorts
        wanted = ours.evaluate(*plain, metrics, return_mean=False, ties=ties)
        for metric in metrics:
            assert np.array_equal(found[metric], wanted[metric]), metric
    saved = objects[1].scores["map"]
    assert saved == dict(zip(plain[0], wanted["map"], strict=True))
    less = {query: own for query, own in run.items() if query not in ("1", "4")} | {"z": {"d1": 1}}
    with pytest.raises(irb.InputError, match="must have the same queries"):
        ours.evaluate(ranx.Qrels(qrels), ranx.Run(less), "map")
    found = ours.evaluate(ranx.Qrels(qrels), ranx.Run(less), "map", make_comparable=True)
    assert found == pytest.approx(ours.evaluate(qrels, less, "map", make_comparable=True))
    other = ranx.Run({"z": {"d1": 1.0}})
    assert ours.evaluate(ranx.Qrels(qrels), other, "map", make_comparable=True) == 0
