"""ranx itself: its objects and names, its orders of ties, its Tukey test."""

import numpy as np
import pytest

import irbounds as irb
from tests.tied_orders import GRADES, TIED, all_orders


@pytest.fixture(scope="module")
def ranx():
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("ranx")


NAMES_OF_RANX = [
    "map",
    "map@3",
    "mrr",
    "mrr@2",
    "precision",
    "precision@3",
    "recall@3",  # `recall` alone is trec_eval's family of cut-offs
    "f1",
    "f1@3",
    "hit_rate@2",
    "r-precision",
    "dcg",
    "dcg@3",
    "ndcg",
    "ndcg@3",
    "dcg_burges@3",
    "ndcg_burges",
    "ndcg_burges@3",
]


@pytest.mark.long
@pytest.mark.nightly  # numba compiles ranx for most of a minute; test_ranx.py has its values
@pytest.mark.filterwarnings("ignore")
def test_ranx_objects_and_names(ranx):
    rng = np.random.default_rng(1)
    qrels = {f"q{q}": {f"d{d}": int(rng.integers(0, 4)) for d in range(15)} for q in range(1, 12)}
    run = {
        f"q{q}": {f"d{d}": float(s) for d, s in enumerate(rng.permutation(25)) if d % 4 or q % 2}
        for q in range(1, 12)
    }
    theirs = ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), NAMES_OF_RANX)
    ours = irb.evaluate(ranx.Qrels(qrels), ranx.Run(run), NAMES_OF_RANX)
    for name in NAMES_OF_RANX:
        assert ours[name].mean() == pytest.approx(theirs[name], rel=1e-12), name
    comparison = irb.compare(
        ranx.Qrels(qrels), [ranx.Run(run, name="bm25"), ranx.Run(run, name="dense")], "map"
    )
    assert comparison.runs == ("bm25", "dense")
    with pytest.raises(irb.InputError, match="`run` must be a Run, a path"):
        irb.evaluate(qrels, ranx.Qrels(qrels), "AP")


@pytest.mark.long
@pytest.mark.nightly  # numba compiles ranx for most of a minute; test_ranx.py has its values
@pytest.mark.filterwarnings("ignore")
def test_expectation_is_the_mean_of_ranx_over_all_orders(ranx):
    """ranx takes tied documents as they come: another order of the dict, another value."""
    names = ["map", "ndcg@3", "precision@3", "mrr"]
    qrels = ranx.Qrels({"q": GRADES})
    theirs = [ranx.evaluate(qrels, ranx.Run({"q": order}), names) for order in all_orders(TIED)]
    ours = irb.evaluate({"q": GRADES}, {"q": TIED}, names, bounds=True)
    shuffled = [
        ranx.evaluate(qrels, ranx.Run({"q": dict(sorted(TIED.items(), reverse=flag))}), "mrr")
        for flag in (False, True)
    ]
    assert shuffled[0] == pytest.approx(1 / 2)
    assert shuffled[1] == pytest.approx(1 / 2)
    for name in names:
        values = [result[name] for result in theirs]
        assert ours[name][0] == pytest.approx(np.mean(values), rel=1e-12)
        low, high = ours.bounds(name)
        assert (low[0], high[0]) == pytest.approx((min(values), max(values)), rel=1e-12)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_tukey_of_ranx_ignores_queries(ranx):
    """Hard and easy queries hide from ranx what two runs differ by on all of them."""
    rng = np.random.default_rng(6)
    depth = {f"q{q}": int(rng.integers(1, 30)) for q in range(40)}
    qrels = {query: {"rel": 1} for query in depth}

    def run(extra):
        return {
            query: {**{f"d{i}": float(100 - i) for i in range(n + extra)}, "rel": 100.5 - n - extra}
            for query, n in depth.items()
        }

    runs = {"one": run(0), "two": run(1), "three": run(2)}
    theirs = ranx.compare(
        ranx.Qrels(qrels),
        [ranx.Run(own, name=name) for name, own in runs.items()],
        "mrr",
        stat_test="tukey",
        max_p=0.05,
    )
    ours = irb.compare(qrels, runs, "mrr", test="t", correction="tukey")
    assert not theirs.comparisons[frozenset(["one", "two"])]["mrr"]["significant"]
    assert ours.between("one", "two").is_significant
