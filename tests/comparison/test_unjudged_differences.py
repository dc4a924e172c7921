"""Bounds of differences over labels that runs share, and what to judge next."""

import random

import numpy as np
import pytest
from label_enumeration import check_differences
from sizes import long, nightly

import irbounds as irb
from irbounds.comparison.label_bounds.differences import sort_rows, sorted_differences

EXACT = {"P", "R", "RelP", "F(beta=0.5)", "RR", "Success", "RBP(p=0.8)", "RBP(max_rel=3)", "DCG"}
EXACT |= {"DCG(dcg=exp-log2)", "nDCG", "nDCG(dcg=exp-log2)", "Rprec", "SetP", "SetR", "NumRel"}
EXACT |= {"NumRelRet", "NumRet"}


@pytest.mark.parametrize("rule", ["expected", long("doc_id")])
def test_differences_by_all_measures_against_tables_of_all_labels(rule):
    found = check_differences(random.Random(6), 14, 2, rule=rule)
    assert found.worst < 2e-14, found.where
    assert found.exact == EXACT
    assert found.n_outer > 100


@pytest.mark.nightly
@pytest.mark.long
@pytest.mark.parametrize(
    ("highest", "rel", "n"), [nightly((1, 1, 600)), nightly((2, 1, 300)), (3, 2, 200)]
)
def test_differences_of_many_runs_against_enumeration(highest, rel, n, seed):
    """`docs/how_we_chose.md` has the largest deviation among 20,000 pairs."""
    rng = random.Random(f"{seed} {highest}")
    for number in range(n // 50):
        rule = ("expected", "given", "doc_id")[number % 3]
        found = check_differences(rng, 50, highest, rel, rule)
        assert found.worst < 2e-14, found.where


def test_a_difference_that_no_label_turns():
    qrels = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1, "b": 0}}
    good = {query: {"a": 3, "x": 2} for query in qrels}
    bad = {query: {"b": 3, "x": 2} for query in qrels}
    comparison = irb.compare(qrels, {"good": good, "bad": bad}, "P@2", unjudged="bounds")
    one = comparison.between("good", "bad", "P@2")
    assert tuple(one.unjudged_bounds) == (0.5, 0.5)
    assert not one.is_undone_by_unjudged
    assert "no labels of unjudged documents undo" in str(comparison)
    turned = comparison.between("bad", "good", "P@2")
    assert tuple(turned.unjudged_bounds) == (-0.5, -0.5)


def test_a_difference_that_labels_turn():
    qrels = {"q1": {"a": 1, "b": 0}}
    runs = {"a": {"q1": {"a": 3, "b": 2}}, "new": {"q1": {"x": 3, "y": 2}}}
    one = irb.compare(qrels, runs, "P@2", test="sign", unjudged="bounds").between("new", "a")
    assert tuple(one.unjudged_bounds) == (-0.5, 0.5)
    assert one.is_undone_by_unjudged
    assert one.to_dict()["unjudged_bounds"] == [-0.5, 0.5]
    assert one.to_dict()["is_undone_by_unjudged"]


def test_nothing_is_added_when_not_asked_for():
    qrels = {"q1": {"a": 1, "b": 0}}
    runs = [{"q1": {"a": 1}}, {"q1": {"b": 1}}]
    one = irb.compare(qrels, runs, "P@2", test="sign").differences[0]
    assert one.unjudged_bounds is None
    assert not one.is_undone_by_unjudged
    assert not any(name.startswith("unjudged") for name in one.to_dict())


@pytest.mark.parametrize("rule", ["doc_id", "given"])
def test_rules_that_break_ties(rule):
    qrels = {"q": {"a": 1, "b": 0}}
    one, other = {"q": {"b": 1, "x": 1, "a": 1}}, {"q": {"a": 1, "y": 1}}
    order = {"doc_id": (["x", "b", "a"], ["y", "a"]), "given": (["b", "x", "a"], ["a", "y"])}
    straight = [{"q": {doc: -place for place, doc in enumerate(own)}} for own in order[rule]]

    def bounds(runs, **options):
        found = irb.compare(qrels, runs, "RR nDCG P@1", test="sign", unjudged="bounds", **options)
        return [tuple(difference.unjudged_bounds) for difference in found.differences]

    assert bounds([one, other], ties=rule) == bounds(straight)


def test_next_judgments_by_hand():
    qrels = {"q1": {"d1": 1, "d2": 0}}
    runs = {
        "a": {"q1": {"d1": 3, "d3": 2, "d4": 1}},
        "b": {"q1": {"d2": 3, "d4": 2, "d1": 1}},
    }
    found = irb.next_judgments(qrels, runs, "P@2")
    assert found.documents == (("q1", "d3", 0.5), ("q1", "d4", 0.5))
    assert tuple(found.bounds["a", "b"]) == (0, 1)
    assert tuple(found.bounds_after["a", "b"]) == (0.5, 0.5)
    assert not found.is_settled
    after = irb.next_judgments(qrels, runs, "P@2", judged={"q1": {"d4": 0}})
    assert after.is_settled
    assert after.documents == ()


def test_a_file_for_the_assessor_comes_back(tmp_path):
    qrels = {"q1": {"d1": 1, "d2": 0}}
    runs = {"a": {"q1": {"d3": 3, "d1": 2}}, "b": {"q1": {"d4": 3, "d2": 2}}}
    path = tmp_path / "to_judge.qrels"
    found = irb.next_judgments(qrels, runs, "P@2", n=1)
    found.write(path)
    assert path.read_text() == "q1 0 d3 -1\n"
    same = irb.next_judgments(qrels, runs, "P@2", n=1, judged=path)  # nothing filled in
    assert same.documents == found.documents
    path.write_text("q1 0 d3 1\n")
    found = irb.next_judgments(qrels, runs, "P@2", n=1, judged=path)
    assert found.is_settled
    assert tuple(found.bounds["a", "b"]) == (0.5, 1)


@pytest.mark.parametrize(
    "measure", ["P@3", "RBP", "DCG@4", "nDCG@3", "R@3", "RelP@3", "F@3", "SetP"]
)
def test_bounds_of_next_judgments_are_those_of_compare(measure):
    rng = np.random.default_rng(5)
    qrels = {f"q{i}": {f"d{d}": int(rng.random() < 0.4) for d in range(4)} for i in range(4)}
    runs = {
        name: {
            query: {f"d{d}": float(rng.integers(9)) for d in rng.permutation(9)[:6]}
            for query in qrels
        }
        for name in "abc"
    }
    found = irb.next_judgments(qrels, runs, measure)
    compared = irb.compare(qrels, runs, measure, test="sign", unjudged="bounds")
    for (run, against), bounds in found.bounds.items():
        expected = compared.between(run, against).unjudged_bounds
        assert tuple(bounds) == pytest.approx(tuple(expected), abs=1e-13)


def test_each_judgment_takes_its_width_whatever_the_label():
    rng = np.random.default_rng(6)
    qrels = {f"q{i}": {"j1": 1, "j0": 0} for i in range(5)}
    runs = {
        name: {
            query: {
                doc: float(rng.random()) for doc in rng.permutation([*"abcdef", "j1", "j0"])[:6]
            }
            for query in qrels
        }
        for name in ("one", "other")
    }
    found = irb.next_judgments(qrels, runs, "RBP", n=1)
    (query, doc, width), bounds = found.documents[0], found.bounds["one", "other"]
    for label in (0, 1):
        after = irb.next_judgments(qrels, runs, "RBP", judged={query: {doc: label}})
        left = after.bounds["one", "other"]
        assert bounds.high - bounds.low - (left.high - left.low) == pytest.approx(width)


def test_documents_of_one_width_come_in_the_order_of_the_input():
    """Queries as in the qrels, runs as given, documents as in each run; with P@4 all 12 are alike,
    with RBP those at one place."""
    qrels = {"q2": {"z": 1}, "q1": {"z": 1}}
    runs = {
        "one": {query: {f"a{i}": 9 - i for i in (3, 0, 2)} | {"z": 1} for query in ("q1", "q2")},
        "other": {query: {f"b{i}": 9 - i for i in (1, 3, 0)} | {"z": 1} for query in ("q1", "q2")},
    }
    found = irb.next_judgments(qrels, runs, "P@4").documents
    assert [one.width for one in found] == pytest.approx([1 / 8] * 12)  # 1/4 of one query in two
    docs = ("a3", "a0", "a2", "b1", "b3", "b0")
    assert [one[:2] for one in found] == [(query, doc) for query in qrels for doc in docs]
    for n in (1, 5, 11):
        assert irb.next_judgments(qrels, runs, "P@4", n=n).documents == found[:n]
    found = irb.next_judgments(qrels, runs, "RBP(p=0.5)").documents
    places = (("a0", "b0"), ("a2", "b1"), ("a3", "b3"))
    assert [one[:2] for one in found] == [
        (query, doc) for place in places for query in qrels for doc in place
    ]


def random_pools(rng, n_queries):
    """Complete judgments, of which two for each query are known, and two runs."""
    docs = list("abcdefgh")
    truth = {
        f"q{i}": {doc: int(rng.random() < 0.4) for doc in docs} | {"z": 1} for i in range(n_queries)
    }
    known = {query: {doc: own[doc] for doc in ("a", "b", "z")} for query, own in truth.items()}
    runs = {
        name: {
            query: {str(doc): float(rng.integers(6)) for doc in rng.permutation(docs)[:6]}
            for query in truth
        }
        for name in ("one", "other")
    }
    for query, own in truth.items():  # no hidden document
        retrieved = {doc for run in runs.values() for doc in run[query]} | set(known[query])
        truth[query] = {doc: grade for doc, grade in own.items() if doc in retrieved}
    return truth, known, runs


@pytest.mark.parametrize("measure", ["AP", "AP@3", "ERR", "nDCG@3", "R@3", "P@3"])
def test_the_loop_ends_at_the_true_difference(measure, tmp_path):
    """Fill in the file, give it back, until nothing is left: bounds hold the truth and shrink, and
    what is settled has the true sign."""
    truth, known, runs = random_pools(np.random.default_rng(8), 4)
    true = irb.compare(truth, runs, measure, test="sign").between("one", "other").difference
    path, judged, last = tmp_path / "judged.qrels", {}, np.inf
    for _ in range(50):
        found = irb.next_judgments(known, runs, measure, n=2, judged=judged or None)
        low, high = found.bounds["one", "other"]
        assert low - 1e-12 <= true <= high + 1e-12
        assert high - low <= last + 1e-12
        last = high - low
        if found.is_settled:
            break
        found.write(path)
        for line in path.read_text().splitlines():
            query, _, doc, mark = line.split()
            assert mark == "-1"
            assert doc not in judged.setdefault(query, {})
            judged[query][doc] = truth[query][doc]
    assert found.is_settled
    assert found.documents == ()
    assert low == high == pytest.approx(true) or np.sign(low) == np.sign(high) == np.sign(true)


def test_outer_bounds_of_next_judgments_say_so():
    _, known, runs = random_pools(np.random.default_rng(9), 3)
    for measure, is_exact in (("AP", False), ("ERR@3", False), ("DCG", True)):
        found = irb.next_judgments(known, runs, measure)
        assert found.is_exact is is_exact
        assert found.to_dict()["is_exact"] is is_exact
        assert ("outer bounds" in repr(found)) is not is_exact
        compared = irb.compare(known, runs, measure, test="sign", unjudged="bounds")
        expected = compared.between("one", "other").unjudged_bounds
        assert tuple(found.bounds["one", "other"]) == pytest.approx(tuple(expected), abs=1e-13)


def test_baseline_and_hand_over():
    qrels = {"q1": {"d1": 1, "d2": 0}}
    runs = {name: {"q1": {f"d{i}": float((i * ord(name)) % 7) for i in range(6)}} for name in "abc"}
    found = irb.next_judgments(qrels, runs, "P@2", baseline="b")
    assert list(found.bounds) == [("a", "b"), ("c", "b")]
    assert found.to_dict()["pairs"][0]["run"] == "a"
    frame = found.to_frame()
    assert list(frame.columns) == ["query_id", "doc_id", "width"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measure": "Bpref"}, "must be one of"),
        ({"n": 0}, "`n` must be"),
        ({"ties": "best"}, "ties='expected', 'doc_id' or 'given'"),
        ({"baseline": "z"}, "`baseline` must be"),
        ({"max_grade": 0}, "max_grade"),
        ({"judged": {"q": {"a": float("nan")}}}, "judged: `relevance` must be a number; found nan"),
        ({"judged": 3}, "`judged` must be a Qrels, a path"),
        ({"judged": {"z": {"a": 1}}}, "`judged` must name queries of the qrels; found 'z'"),
        ({"unjudged_hidden": 3, "collection_size": 4}, "more than `collection_size` 4"),
        ({"collection_size": 1}, "`collection_size` 1 is less than the . documents of query 'q'"),
        ({"qrels": {}}, "`qrels` has no query"),
    ],
)
def test_bad_input_to_next_judgments(options, message):
    runs = [{"q": {"a": 1}}, {"q": {"b": 1}}]
    with pytest.raises(irb.InputError, match=message):
        irb.next_judgments(
            **{"qrels": {"q": {"a": 1, "b": 0}}, "runs": runs, "measure": "P@1", **options}
        )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ties": "best"}, "ties='expected', 'doc_id' or 'given'"),
        ({"measures": "ESL(nr=1)"}, "no bounds over unjudged"),
        ({"judged_only": True}, "judged_only"),
        ({"unjudged": "condensed", "max_grade": 2}, "`max_grade` goes with unjudged='bounds'"),
        ({"unjudged": "some"}, "`unjudged` must be one of"),
        ({"qrels": {"q": {"a": 1}}}, "relevant documents only"),
        ({"unjudged": "nonrelevant", "max_grade": 2}, "`max_grade` goes with unjudged='bounds'"),
        ({"unjudged_hidden": 3, "collection_size": 4}, "more than `collection_size` 4"),
        ({"collection_size": 1}, "`collection_size` 1 is less than the . documents of query 'q'"),
    ],
)
def test_bad_input_to_compare(options, message):
    runs = [{"q": {"a": 1}}, {"q": {"b": 1}}]
    options = {"qrels": {"q": {"a": 1, "b": 0}}, "measures": "P@1", "unjudged": "bounds", **options}
    with pytest.raises(irb.InputError, match=message):
        irb.compare(runs=runs, **options)


@pytest.mark.parametrize("share", [0.0, 0.02, 0.4, 0.6, 1.0])
def test_rows_with_many_zeros_are_sorted(share):
    rng = np.random.default_rng(3)
    rows = rng.standard_normal((7, 300)) * (rng.random((7, 300)) < share)
    expected = np.sort(rows, axis=1)
    sort_rows(rows)
    assert (rows == expected).all()


@pytest.mark.parametrize("share", [0.05, 0.2, 1.0])
def test_sorted_differences_leave_out_zeros(share):
    rng = np.random.default_rng(4)
    weights = rng.integers(1, 6, (4, 60)) * (rng.random((4, 60)) < share)
    weights[0, :], weights[1, :] = 0, 0
    weights[0, :7], weights[1, 7:14] = np.arange(7, 0, -1), np.arange(7, 0, -1)
    pairs = [(0, 1), (0, 2), (2, 0), (2, 3), (1, 3)]
    found, start = sorted_differences(weights.astype(float), pairs)
    for (one, other), low, high in zip(pairs, start[:-1], start[1:], strict=True):
        difference = sorted(weights[one] - weights[other])
        assert found[low:high].tolist() == [value for value in difference if value != 0]
    assert len(start) == len(pairs) + 1
    assert start[-1] == len(found)
