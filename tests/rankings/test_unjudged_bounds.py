"""Bounds over labels of unjudged documents: worked numbers, and enumeration of all labels and
orders."""

import pickle

import label_enumeration
import numpy as np
import pytest
from reference import unjudged as slow
from sizes import long

import irbounds as irb

LINE = [[1], [-1], [0], [-1], [1]]  # + ? - ? +, and one relevant document not retrieved
TIED = [[1, -1], [0, -1], [1]]
GRADED = [[3], [-1], [0], [-1], [1], [2], [-1]]


def as_input(ranks, unretrieved):
    """Qrels and run of a list of ranks of grades; a grade below 0 is left out of the qrels."""
    qrels, run = label_enumeration.as_input(ranks, unretrieved)
    return {"q": qrels}, {"q": run}


def ends(measure, ranks, unretrieved, **options):
    options = {"unjudged_hidden": 0, **options}
    found = irb.evaluate(*as_input(ranks, unretrieved), measure, unjudged="bounds", **options)
    return found.unjudged_low[0, 0], found.unjudged_high[0, 0]


@pytest.mark.parametrize(
    ("measure", "low", "high"),
    [
        ("P@5", 0.4, 0.8),
        ("R@5", 2 / 3, 0.8),
        ("F@5", 0.5, 0.8),
        ("RR", 1, 1),
        ("AP", 7 / 15, 0.71),
        ("Rprec", 1 / 3, 0.8),
        ("RBP(p=0.5)", 0.53125, 0.84375),
        ("Bpref", 0.25, 0.5),
    ],
)
def test_bounds_of_a_line_by_hand(measure, low, high):
    assert ends(measure, LINE, [1]) == pytest.approx((low, high), abs=1e-14)


def test_interpolated_precision_by_hand():
    assert ends("IPrec@.5", LINE, [1], ties="given") == pytest.approx((0.4, 1))


def test_hidden_documents_by_hand():
    assert ends("AP", LINE, [1], unjudged_hidden=1) == pytest.approx((0.35, 0.71))
    for hidden, low in ((0, 1), (1, 0.1310456), (2, 0.0875925), (9, 0.0875925)):
        found = ends("nDCG(dcg=exp-log2)@2", [[1]], [], unjudged_hidden=hidden, max_grade=3)
        assert found == pytest.approx((low, 1), abs=5e-8)


@pytest.mark.parametrize(
    ("measure", "joint", "expected"),
    [
        ("AP", (0.3, 0.76), (0.3833333333, 0.735)),
        ("nDCG@3", (0.2960819109, 1), (0.3826802767, 0.8826802767)),
        ("R@3", (0.25, 0.6), (1 / 3, 0.5)),
        ("RR", (0.5, 1), (0.75, 1)),
    ],
)
def test_bounds_of_ties_by_hand(measure, joint, expected):
    assert ends(measure, TIED, [1], bounds=True) == pytest.approx(joint, abs=5e-7)
    assert ends(measure, TIED, [1]) == pytest.approx(expected, abs=5e-7)


@pytest.mark.parametrize(
    ("measure", "low", "high"),
    [
        ("nDCG@5", 0.474283, 0.818609),
        ("nDCG(dcg=exp-log2)@5", 0.506109, 0.853130),
        ("nDCG", 0.714084, 0.877120),
        ("nDCG(dcg=exp-log2)", 0.739193, 0.904178),
        ("ERR(max_rel=3)@5", 0.878125, 0.933154),
        ("RBP(max_rel=3)", 0.270997, 0.585826),
        ("DCG@5", 3.386853, 6.571672),
    ],
)
def test_graded_bounds_by_hand(measure, low, high):
    assert ends(measure, GRADED, [2], max_grade=3) == pytest.approx((low, high), abs=5e-6)


@pytest.mark.parametrize(
    ("measure", "low"), [("nDCG@5", 0.400407), ("nDCG(dcg=exp-log2)@5", 0.386912)]
)
def test_graded_bounds_with_hidden_documents_by_hand(measure, low):
    assert ends(measure, GRADED, [2], max_grade=3, unjudged_hidden=2)[0] == pytest.approx(
        low, abs=5e-7
    )


def test_values_beside_the_bounds_by_hand():
    assert ends("nDCG@5", LINE, [1]) == pytest.approx((0.650821, 0.830420), abs=5e-7)
    for measure, ranks, unretrieved, value in (
        ("Bpref", LINE, [1], 1 / 3),
        ("nDCG@5", GRADED, [2], 0.594964),
        ("nDCG", GRADED, [2], 0.720113),
    ):
        found = irb.evaluate(
            *as_input(ranks, unretrieved),
            measure,
            unjudged="bounds",
            max_grade=max(map(max, ranks)),
        )
        assert found.values[0, 0] == pytest.approx(value, abs=5e-7)


def test_share_of_unjudged_documents_does_not_depend_on_labels():
    ranks = [[1, -1], [-1], [0, -1]]
    for k, low, high in ((1, 0, 1), (2, 1 / 2, 1 / 2), (4, 2 / 4, 3 / 4), (9, 3 / 9, 3 / 9)):
        assert ends(f"Hole@{k}", ranks, [], bounds=True) == pytest.approx((low, high))
        assert ends(f"Hole@{k}", ranks, [], ties="best") == pytest.approx((low, low))
        assert ends(f"Hole@{k}", ranks, [], ties="worst") == pytest.approx((high, high))
    assert ends("Hole@1", ranks, []) == (0.5, 0.5)
    assert ends("Hole@4", ranks, []) == pytest.approx((2.5 / 4, 2.5 / 4))


@pytest.mark.parametrize(("measure", "plain"), [("GMAP", "AP"), ("GMBpref", "Bpref")])
def test_geometric_means_of_bounds(measure, plain):
    """Geometric means grow with each value, so their ends are those of the queries' ends."""
    queries = [as_input(*ranking) for ranking in ((LINE, [1]), (TIED, [1]), ([[-1]], []))]
    qrels = {f"q{i}": own["q"] for i, (own, _) in enumerate(queries)}
    run = {f"q{i}": own["q"] for i, (_, own) in enumerate(queries)}
    found = irb.evaluate(
        qrels, run, f"{measure} {plain}", unjudged="bounds", unjudged_hidden={"q0": 2}, bounds=True
    )
    for ranking, hidden, row in ((LINE, 2, 0), (TIED, 0, 1)):
        by_hand = slow.bounds(plain, ranking, [1], hidden, ties="any")
        both = found.unjudged_low[row, 0], found.unjudged_high[row, 0]
        assert both == pytest.approx(tuple(map(float, by_hand)))
    for end, values in zip(
        found.summary_unjudged_bounds[measure],
        (found.unjudged_low[:, 1], found.unjudged_high[:, 1]),
        strict=True,
    ):
        assert end == pytest.approx(np.exp(np.log(np.maximum(values, 1e-5)).mean()))


def ends_of_average_precision(grades, unretrieved, hidden):
    """Bounds for a ranking without ties: all numbers of relevant open documents, one by one."""
    one, ends = np.longdouble(1), []
    for greatest in (False, True):
        labels = [grade > 0 for grade in grades]
        n_relevant = sum(labels) + unretrieved + (0 if greatest else hidden)
        inverse = one / np.arange(1, len(grades) + 1)
        found = np.cumsum(labels)
        total = (found * inverse)[labels].sum()
        ratios = [total / n_relevant]
        if greatest:
            below = np.append(np.cumsum((inverse * labels)[::-1])[::-1], 0)
            unjudged = (i for i, grade in enumerate(grades) if grade < 0)
            for filled, i in enumerate(unjudged, 1):
                total += (found[i] + filled) * inverse[i] + below[i]
                ratios.append(total / (n_relevant + filled))
        else:
            below, filled = one * 0, 0
            for i in range(len(grades) - 1, -1, -1):
                if grades[i] < 0:
                    total += (found[i] + 1) * inverse[i] + below
                    filled += 1
                    ratios.append(total / (n_relevant + filled))
                if grades[i] != 0:
                    below += inverse[i]
        ends.append(max(ratios) if greatest else min(ratios))
    return ends


@pytest.mark.parametrize(
    ("n", "share", "hidden"),
    [(300, 0.3, 0), (5_000, 0.01, 1), long((40_000, 0.001, 0)), (900, 0, 5)],
)
def test_average_precision_of_long_rankings(n, share, hidden):
    rng = np.random.default_rng(n)
    grades = np.where(rng.random(n) < share, rng.random(n) < 0.2, -1).tolist()
    found = ends("AP", [[grade] for grade in grades], [1], unjudged_hidden=hidden)
    expected = ends_of_average_precision(grades, 1, hidden)
    assert found == pytest.approx(tuple(map(float, expected)), rel=2e-14)


@pytest.mark.parametrize("rule", ["doc_id", "given"])
def test_one_order_is_that_of_the_rule(rule):
    qrels = {"q": {"a": 1, "b": 0, "c": 1}}
    run = {"q": {"b": 1, "x": 1, "a": 1, "y": 1}}
    order = {"doc_id": ["y", "x", "b", "a"], "given": ["b", "x", "a", "y"]}[rule]
    straight = {"q": {doc: -place for place, doc in enumerate(order)}}
    tied = irb.evaluate(qrels, run, "AP nDCG P@2", ties=rule, unjudged="bounds")
    alone = irb.evaluate(qrels, straight, "AP nDCG P@2", unjudged="bounds")
    assert np.array_equal(tied.unjudged_low, alone.unjudged_low)
    assert np.array_equal(tied.unjudged_high, alone.unjudged_high)


def test_hidden_by_query_and_by_collection():
    qrels = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1, "b": 0}}
    run = {"q1": {"a": 2, "x": 1}, "q2": {"a": 2, "x": 1}}

    def low(**options):
        return irb.evaluate(qrels, run, "SetR", unjudged="bounds", **options).unjudged_low[:, 0]

    assert low(unjudged_hidden={"q2": 3}).tolist() == [1, 1 / 4]
    assert low(unjudged_hidden="collection", collection_size=10).tolist() == [1 / 8, 1 / 8]
    assert low(unjudged_hidden="collection", collection_size=10**9)[0] == pytest.approx(1e-9)


def test_edges():
    qrels, run = {"q": {"a": 1, "b": 0}, "z": {"d": 1}}, {"q": {}, "z": {"d": 1}}
    nothing = irb.evaluate(qrels, run, "AP nDCG P@3", unjudged="bounds")
    assert nothing.unjudged_low[0].tolist() == nothing.unjudged_high[0].tolist() == [0, 0, 0]
    judged = irb.evaluate({"q": {"a": 1, "b": 0}}, {"q": {"b": 2, "a": 1}}, "AP", unjudged="bounds")
    assert judged.unjudged_low == judged.unjudged_high == judged.values == [[0.5]]
    barren = irb.evaluate(
        {"q": {"b": 0}}, {"q": {"x": 2, "b": 1}}, "AP nDCG R@1", unjudged="bounds"
    )
    assert barren.unjudged_low.tolist() == [[0, 0, 0]]
    assert barren.unjudged_high.tolist() == [[1, 1, 1]]


def test_mean_bounds_and_hand_over():
    qrels = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1, "b": 0}}
    run = {"q1": {"x": 2, "a": 1}, "q2": {"a": 2, "x": 1}}
    found = irb.evaluate(qrels, run, "P@1", unjudged="bounds")
    assert found.mean_unjudged_bounds == {"P@1": (0.5, 1.0)}
    assert found.to_dict()["q1"] == {
        "P@1": 0,
        "P@1.unjudged_low": 0,
        "P@1.unjudged_high": 1,
        "P@1.judged": 0,
    }
    assert "unjudged" in repr(found)
    plain = irb.evaluate(qrels, run, "P@1")
    assert plain.unjudged_low is None
    assert plain.unjudged_high is None
    with pytest.raises(ValueError, match="unjudged='bounds'"):
        _ = plain.mean_unjudged_bounds


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measures": "ESL(nr=1)"}, "has no bounds over unjudged documents"),
        ({"measures": "IPrec@0.5"}, "its mean over tied orders has none; choose ties='doc_id' or"),
        ({"measures": "P(judged_only=True)@5"}, "`judged_only` drops them"),
        ({"measures": "P(rel=0)@5"}, "every grade is relevant"),
        ({"judged_only": True}, "judged_only"),
        ({"max_grade": 0.5}, "at least the highest grade"),
        ({"max_grade": 9, "measures": "ERR"}, "above max_rel=4"),
        ({"unjudged_hidden": -1}, "unjudged_hidden"),
        ({"unjudged_hidden": "collection"}, "needs `collection_size`"),
        ({"unjudged_hidden": {"q9": 1}}, "must name judged queries"),
        ({"unjudged_hidden": "collection", "collection_size": 3}, "`collection_size` 3 is less"),
        ({"unjudged_hidden": 5, "collection_size": 4}, "more than `collection_size` 4"),
        ({"unjudged_hidden": {"q": 1}, "collection_size": 4}, "more than `collection_size` 4"),
        ({"unjudged": "maybe"}, "unjudged"),
    ],
)
def test_bad_input(options, message):
    qrels = {"q": {"a": 1, "b": 0}}
    options = {"measures": "P@1", "unjudged": "bounds", **options}
    with pytest.raises(irb.InputError, match=message) as error:
        irb.evaluate(qrels, {"q": {"a": 3, "x": 2, "y": 1}}, **options)
    assert "\n" not in str(error.value)


def test_qrels_of_relevant_documents_only_are_refused_unless_asked():
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 2, "x": 1}}
    with pytest.raises(irb.InputError, match="relevant documents only"):
        irb.evaluate(qrels, run, "P@2", unjudged="bounds")
    found = irb.evaluate(qrels, run, "P@2", unjudged="bounds", unjudged_hidden=0)
    assert found.mean_unjudged_bounds == {"P@2": (0.5, 1)}


def test_other_ways_in_give_the_same():
    qrels = {"q": {"a": 1, "b": 0}}
    run = {"q": {"x": 3, "a": 2, "b": 1}}
    evaluator = irb.Evaluator(qrels, "AP P@1", unjudged="bounds")
    found = evaluator.evaluate(run)
    again = pickle.loads(pickle.dumps(evaluator)).evaluate(irb.Run.from_dict(run))
    topk = evaluator.evaluate_topk(["q"], [["x", "a", "b"]], [[3, 2, 1]])
    for other in (again, topk, pickle.loads(pickle.dumps(found))):
        assert np.array_equal(other.unjudged_low, found.unjudged_low)
        assert np.array_equal(other.unjudged_high, found.unjudged_high)
        assert np.array_equal(other.judged, found.judged)
    assert not found.unjudged_low.flags.writeable
    expected = irb.Evaluator(qrels, "P@1", unjudged=0.5).evaluate_topk(["q"], [["x"]], [[1]])
    assert expected.mean == {"P@1": 0.5}


def test_condensed_is_judged_only():
    qrels = {"q": {"a": 1, "b": 0}}
    run = {"q": {"x": 3, "a": 2, "b": 1}}
    assert irb.evaluate(qrels, run, "P@1", unjudged="condensed").mean == {"P@1": 1}
    assert irb.evaluate(qrels, run, "P@1", judged_only=True).mean == {"P@1": 1}
