"""Objects and calls of other libraries are accepted, and the reason of every different number is
shown.

The file is longer than 400 lines because it has a part for each library.
"""

import subprocess
import sys
from collections import namedtuple
from itertools import permutations, product

import ir_measures
import numpy as np
import pytest
from ir_measures import (
    AP,
    RR,
    Judged,
    NumRel,
    NumRet,
    P,
    Qrel,
    R,
    Rprec,
    ScoredDoc,
    SetF,
    Success,
    nDCG,
)

import irbounds as irb
from irbounds.adapters import ir_measures as answers
from irbounds.adapters import sklearn as scores

MEASURES = [
    AP,
    AP(rel=2) @ 5,
    nDCG @ 10,
    P @ 5,
    R @ 10,
    RR,
    Success @ 3,
    Rprec,
    SetF,
    NumRet,
    Judged @ 10,
]


@pytest.fixture
def data():
    """Rows of qrels and of a run whose scores do not tie, 12 queries; one judged query is not in
    the run."""
    rng = np.random.default_rng(1)
    qrels = [Qrel(f"q{q}", f"d{d}", int(rng.integers(0, 4))) for q in range(12) for d in range(15)]
    run = [
        ScoredDoc(f"q{q}", f"d{d}", float(s))
        for q in range(1, 12)
        for d, s in enumerate(rng.permutation(25))
        if d % 4 or q % 2
    ]
    return qrels, run


def as_dict(rows):
    nested = {}
    for query, doc, value, *_ in rows:
        nested.setdefault(query, {})[doc] = value
    return nested


# Rows that are named tuples
# ------------------------------------------------------------------------------


def test_named_tuples_are_rows(data):
    qrels, run = data
    expected = irb.evaluate(as_dict(qrels), as_dict(run), MEASURES, bounds=True)
    for ours in (
        irb.evaluate(qrels, run, MEASURES, bounds=True),
        irb.evaluate((row for row in qrels), iter(run), MEASURES, bounds=True),
    ):
        assert ours.to_dict() == expected.to_dict()
        assert ours.missing_queries == ("q0",)


def test_rows_need_not_be_ir_measures_own_or_grouped():
    other = namedtuple("Other", "score tag doc_id query_id")
    rows = [other(1.0, "x", "d1", "q1"), other(2.0, "x", "d1", "q2"), other(3.0, "x", "d2", "q1")]
    assert irb.Run.of(rows).to_dict() == {"q1": {"d1": 1.0, "d2": 3.0}, "q2": {"d1": 2.0}}
    assert irb.Qrels.from_tuples([]).query_ids == []
    with pytest.raises(irb.InputError, match="run: it has no rows"):
        irb.evaluate({"q1": {"d1": 1}}, iter([]), "AP")


def test_rows_are_not_kept():
    """Rows from an iterator: only ids and scores stay."""
    import tracemalloc

    def rows():
        for number in range(60_000):
            yield ScoredDoc("q1", str(number), 1.0)

    tracemalloc.start()
    irb.Run.of(rows())
    # the tuples alone take 9 MB; the C arrays are not counted
    assert tracemalloc.get_traced_memory()[1] < 6e6
    tracemalloc.stop()


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [("q1", "d1", 1)],
            "run: expected rows with query_id, doc_id and score, found a tuple without query_id",
        ),
        (
            [Qrel("q1", "d1", 1)],
            "run: expected rows with query_id, doc_id and score, found a Qrel without score",
        ),
        (
            ["q1 Q0 d1 1 1 x"],
            "run: expected rows with query_id, doc_id and score, found a str without query_id",
        ),
        (
            [{"query_id": "q1", "doc_id": "d1", "score": 1}],
            "run: expected rows with query_id, doc_id and score, found a dict; make a data frame "
            "of such rows",
        ),
        (
            [ScoredDoc("q1", "d1", 1), ScoredDoc("q1", "d1", 2)],
            "run: duplicate document 'd1' for query 'q1'",
        ),
        ([ScoredDoc("q1", "d1", "high")], "run: expected a number for document 'd1', found 'high'"),
        ([ScoredDoc("q1", "d1", None)], "run: expected a number for document 'd1', found None"),
        (
            [ScoredDoc("q1", "d1", float("nan"))],
            "run: `score` must be a number; found nan (query 'q1')",
        ),
        ([ScoredDoc(None, "d1", 1)], "run: ids must be text or whole numbers, found None"),
        (
            irb.Qrels.from_dict({"q": {"d": 1}}),
            "`run` must be a Run, a path, a dict of dicts, a data frame or",
        ),
    ],
)
def test_bad_rows(rows, message):
    with pytest.raises(irb.InputError) as error:
        irb.evaluate({"q1": {"d1": 1}}, rows, "AP")
    assert str(error.value).startswith(message)


def test_an_error_of_the_iterator_is_its_own():
    def rows():
        yield ScoredDoc("q1", "d1", 1)
        raise AttributeError("of the user's code")

    with pytest.raises(AttributeError, match="of the user's code"):
        irb.Run.of(rows())


# ir_measures' calls
# --------------------------------------------------------------------------------------


def test_iter_calc_yields_what_ir_measures_does(data):
    ours = list(answers.iter_calc(MEASURES, *data, ties="doc_id"))
    theirs = list(ir_measures.iter_calc(MEASURES, *data))
    assert all(type(metric) is ir_measures.Metric for metric in ours)
    assert len(ours) == len(theirs) == 12 * len(MEASURES)
    expected = {(metric.query_id, metric.measure): metric.value for metric in theirs}
    for query, measure, value in ours:
        assert value == pytest.approx(expected[query, measure], abs=1e-12), (query, measure)


def test_calc_and_calc_aggregate(data):
    ours, theirs = answers.calc(MEASURES, *data), ir_measures.calc(MEASURES, *data)
    assert ours.aggregated == pytest.approx(theirs.aggregated, abs=1e-12)
    assert list(ours.aggregated) == MEASURES
    assert answers.calc_aggregate(MEASURES, *data) == ours.aggregated
    assert len(ours.per_query) == len(theirs.per_query)


def test_where_ir_measures_is_trec_eval(data):
    """Its SetF takes the square of beta; and a query that the run lacks has no relevant documents
    in its NumRel."""
    qrels, run = data
    assert irb.evaluate(qrels, run, "SetF(beta=2)").mean["SetF(beta=2)"] == pytest.approx(
        ir_measures.calc_aggregate([SetF(beta=4.0)], qrels, run)[SetF(beta=4.0)], rel=1e-12
    )
    relevant = [
        sum(row.relevance > 0 for row in qrels if row.query_id == f"q{q}") for q in range(12)
    ]
    assert irb.evaluate(qrels, run, "NumRel")["NumRel"].tolist() == relevant
    theirs = {
        metric.query_id: metric.value for metric in ir_measures.iter_calc([NumRel], qrels, run)
    }
    assert [theirs[f"q{q}"] for q in range(12)] == [0, *relevant[1:]]


def test_what_is_given_as_measures_comes_back():
    qrels, run = {"q1": {"d1": 1}}, {"q1": {"d1": 1}}
    assert list(answers.calc_aggregate([AP, "P@1 ndcg_cut_5", AP], qrels, run)) == [
        AP,
        "P@1",
        "nDCG@5",
    ]
    assert list(answers.calc_aggregate(AP, qrels, run)) == [AP]
    with pytest.raises(irb.InputError, match="`measures` must name at least one measure"):
        answers.iter_calc([], qrels, run)


def test_without_ir_measures():
    code = (
        "import sys; sys.modules['ir_measures'] = None\n"
        "from irbounds.adapters.ir_measures import iter_calc\n"
        "print(*iter_calc('AP', {'q': {'d': 1}}, {'q': {'d': 1}}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "Metric(query_id='q', measure='AP', value=1.0)\n"


@pytest.mark.parametrize("module", ["ir_measures", "sklearn"])
def test_adapters_load_nothing_heavy(module):
    code = f"import sys, irbounds.adapters.{module}; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {"scipy", "pandas", "sklearn", "ir_measures", "ranx", "numba", "narwhals"} & set(
        loaded
    )


TIED = {"a": 3.0, "b": 2.0, "c": 2.0, "d": 2.0, "e": 1.0, "f": 1.0}
GRADES = {"b": 1, "d": 2, "e": 1, "z": 1}


def all_orders(tied):
    """The same ranking without ties, in every order that they allow: {document: score}."""
    groups = {}
    for document, score in tied.items():
        groups.setdefault(score, []).append(document)
    for chosen in product(*(permutations(groups[score]) for score in sorted(groups))):
        yield {
            document: float(place)
            for place, document in enumerate(d for group in chosen for d in group)
        }


def test_expectation_is_the_mean_of_ir_measures_over_all_orders():
    """And ir_measures' own value is that of one order, the one of names."""
    measures = [AP, nDCG @ 3, P @ 3, RR, Rprec]
    ours = irb.evaluate({"q": GRADES}, {"q": TIED}, measures, bounds=True)
    theirs = [
        ir_measures.calc_aggregate(measures, {"q": GRADES}, {"q": order})
        for order in all_orders(TIED)
    ]
    by_name = ir_measures.calc_aggregate(measures, {"q": GRADES}, {"q": TIED})
    for measure in measures:
        values = [result[measure] for result in theirs]
        assert ours.mean[str(measure)] == pytest.approx(np.mean(values), rel=1e-12)
        assert ours.mean_bounds[str(measure)] == pytest.approx(
            (min(values), max(values)), rel=1e-12
        )
        assert any(by_name[measure] == pytest.approx(value, rel=1e-12) for value in values)


# scikit-learn's metrics
# ----------------------------------------------------------------------------------

sklearn_metrics = pytest.importorskip("sklearn.metrics")
rng = np.random.default_rng(3)
MARKS, UNTIED = rng.integers(0, 2, (30, 5)), rng.permutation(150).reshape(30, 5) / 150
COARSE = rng.integers(0, 3, (30, 5)) / 2
GAINS, WEIGHTS = rng.integers(0, 4, (30, 5)).astype(float), rng.random(30)


@pytest.mark.parametrize("average", ["macro", "micro", "weighted", "samples", None])
def test_average_precision_without_ties_is_scikit_learns(average):
    marks = MARKS[MARKS.any(axis=1)]
    expected = sklearn_metrics.average_precision_score(marks, UNTIED[: len(marks)], average=average)
    assert scores.average_precision_score(
        marks, UNTIED[: len(marks)], average=average
    ) == pytest.approx(expected, rel=1e-12)


def test_labels_of_any_kind_are_scikit_learns():
    truth, score = np.array(["no", "yes", "yes", "no", "yes"]), [0.1, 0.9, 0.3, 0.4, 0.8]
    for ours, theirs in ((scores, sklearn_metrics),):
        assert ours.average_precision_score(truth, score, pos_label="yes") == pytest.approx(
            theirs.average_precision_score(truth, score, pos_label="yes")
        )
        assert ours.average_precision_score([-1, 1, 1, -1, 1], score) == pytest.approx(
            theirs.average_precision_score([-1, 1, 1, -1, 1], score)
        )
        classes = np.array([0, 1, 2, 1, 0, 2])
        assert ours.average_precision_score(classes, UNTIED[:6, :3]) == pytest.approx(
            theirs.average_precision_score(classes, UNTIED[:6, :3])
        )
    assert scores.average_precision_score([0, 0], [0.1, 0.2]) == 0.0


def test_tied_average_precision_is_the_mean_of_scikit_learns_over_all_orders():
    """Which on the ties themselves gives neither that mean, nor always a value that some order
    has."""
    documents = list(TIED)
    truth = [int(document in GRADES) for document in documents]
    theirs = [
        sklearn_metrics.average_precision_score(truth, [order[d] for d in documents])
        for order in all_orders(TIED)
    ]
    tied = list(TIED.values())
    assert scores.average_precision_score(truth, tied) == pytest.approx(np.mean(theirs), rel=1e-12)
    assert scores.average_precision_score(truth, tied, ties="best") == pytest.approx(
        max(theirs), rel=1e-12
    )
    assert scores.average_precision_score(truth, tied, ties="worst") == pytest.approx(
        min(theirs), rel=1e-12
    )
    assert sklearn_metrics.average_precision_score(truth, tied) != pytest.approx(
        np.mean(theirs), abs=1e-3
    )
    truth, tied = [0, 0, 1, 1], [1, 0.9, 0.1, 0.1]
    assert sklearn_metrics.average_precision_score(truth, tied) == 0.5
    assert scores.average_precision_score(truth, tied, ties="best") == pytest.approx(5 / 12)
    assert scores.average_precision_score(truth, tied, ties="worst") == pytest.approx(5 / 12)


@pytest.mark.parametrize("k", [None, 1, 3, 5, 9])
@pytest.mark.parametrize("score", [UNTIED, COARSE])
def test_ndcg_and_dcg_are_scikit_learns_with_ties_too(k, score):
    for weights in (None, WEIGHTS):
        assert scores.ndcg_score(GAINS, score, k=k, sample_weight=weights) == pytest.approx(
            sklearn_metrics.ndcg_score(GAINS, score, k=k, sample_weight=weights), rel=1e-12
        )
        assert scores.dcg_score(
            GAINS, score, k=k, log_base=10, sample_weight=weights
        ) == pytest.approx(
            sklearn_metrics.dcg_score(GAINS, score, k=k, log_base=10, sample_weight=weights),
            rel=1e-12,
        )


def test_label_ranking():
    marks = np.vstack([MARKS, np.zeros(5, int), np.ones(5, int)])
    score, weights = np.vstack([UNTIED, COARSE[:2]]), np.append(WEIGHTS, [0.3, 0.4])
    assert scores.label_ranking_average_precision_score(
        marks, score, sample_weight=weights
    ) == pytest.approx(
        sklearn_metrics.label_ranking_average_precision_score(marks, score, sample_weight=weights),
        rel=1e-12,
    )
    theirs = [
        sklearn_metrics.label_ranking_average_precision_score(
            [[1, 0, 0, 1, 1, 0]], [list(order.values())]
        )
        for order in ({d: order[d] for d in TIED} for order in all_orders(TIED))
    ]
    assert scores.label_ranking_average_precision_score(
        [[1, 0, 0, 1, 1, 0]], [list(TIED.values())]
    ) == pytest.approx(np.mean(theirs), rel=1e-12)


def test_as_a_scorer_of_scikit_learn():
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_score

    scorer = sklearn_metrics.make_scorer(
        scores.average_precision_score, response_method="predict_proba"
    )
    features = np.random.default_rng(4).normal(size=(80, 3))
    target = (features[:, 0] + np.random.default_rng(5).normal(size=80) > 0).astype(int)
    ours = cross_val_score(LogisticRegression(), features, target, scoring=scorer)
    theirs = cross_val_score(LogisticRegression(), features, target, scoring="average_precision")
    assert ours == pytest.approx(theirs, rel=1e-12)  # probabilities do not tie


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: scores.average_precision_score([0, 1], [1, 2], sample_weight=[1, 2]),
            "`sample_weight` is not supported",
        ),
        (
            lambda: scores.average_precision_score([0, 1], [1, 2], average="mean"),
            "`average` must be one of",
        ),
        (
            lambda: scores.average_precision_score([0, 1], [1, 2], ties="doc_id"),
            "`ties` must be one of 'expected'",
        ),
        (
            lambda: scores.average_precision_score([0, 1, 2], [1, 2, 3]),
            "`pos_label` must be one of two labels",
        ),
        (
            lambda: scores.average_precision_score(["a", "b"], [1, 2]),
            "`pos_label` must be one of two labels",
        ),
        (
            lambda: scores.average_precision_score([0, 1], [1, float("nan")]),
            "`y_score` must be finite; found nan at",
        ),
        (
            lambda: scores.average_precision_score([0, 1], [1, 2, 3]),
            "`y_true` and `y_score` must have one shape",
        ),
        (
            lambda: scores.average_precision_score([0, 1, 2], np.ones((3, 2))),
            "`y_score` must have a row for each of 3",
        ),
        (
            lambda: scores.average_precision_score([[0, 2]], [[1, 2]]),
            "`y_true` must be 0 or 1 in a matrix of labels",
        ),
        (lambda: scores.average_precision_score([], []), "`y_score` has no values"),
        (lambda: scores.ndcg_score([1, 0], [1, 2]), "`y_true` must have two dimensions"),
        (
            lambda: scores.ndcg_score([[1, -1]], [[1, 2]]),
            "`y_true` must be gains, 0 or more and finite; found -1 at",
        ),
        (
            lambda: scores.ndcg_score([[1, 0]], [[1, 2]], k=0),
            "`k` must be a whole number, 1 or more; found 0",
        ),
        (
            lambda: scores.ndcg_score([[1, 0]], [[1, 2]], sample_weight=[1, 2]),
            "`sample_weight` must be one weight",
        ),
        (
            lambda: scores.dcg_score([[1, 0]], [[1, 2]], log_base=1),
            "`log_base` must be above 0 and not 1",
        ),
    ],
)
def test_bad_scores(call, message):
    with pytest.raises(irb.InputError) as error:
        call()
    assert str(error.value).startswith(message)


# ranx
# ----------------------------------------------------------------------


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
def test_ranx_objects_and_names(ranx, data):
    qrels, run = map(as_dict, data)
    del qrels["q0"]
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
