"""Measures of subtopics: enumeration of all orders of ties, ndeval, and where they come from."""

import random
from collections import namedtuple
from itertools import chain, permutations, product

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from measure_texts import twins_of
from reference.subtopics import MEASURES as SLOW

import irbounds as irb

FORMS = twins_of(
    """
    alpha_DCG@3 alpha_nDCG@3 alpha_nDCG(alpha=0.3,rel=2)@5 alpha_nDCG(alpha=1)@2 ERR_IA@1 ERR_IA@4
    nERR_IA@4 NRBP NRBP(alpha=0,beta=0.8) nNRBP(alpha=0.7,beta=0.3) AP_IA AP_IA(rel=2) P_IA@3
    StRecall@2 StRecall(rel=0)@2
    """,
    at="k",
)
LINEAR = twins_of(
    """
    P_IA@1 P_IA@3 P_IA(rel=2)@4 P_IA(rel=0)@2 P_IA@9 alpha_DCG(alpha=0)@3 alpha_nDCG(alpha=0)@4
    NRBP(alpha=0,beta=0.8) nNRBP(alpha=0) alpha_nDCG@1 alpha_DCG(alpha=1)@1 ERR_IA@1
    nERR_IA(rel=2)@1 StRecall@1
    """,
    at="k",
)
DOCUMENTS = [f"d{i}" for i in range(5)]
judgments = st.dictionaries(
    st.sampled_from([*DOCUMENTS, "x", "y"]),
    st.dictionaries(st.sampled_from("013"), st.sampled_from([0, 1, 1, 2]), min_size=1),
    min_size=1,
)
# A run without any row is refused, a query without rows is not.
OTHER, OTHER_RUN = {"z": {"d": {"0": 1}}}, {"z": {"d": 1.0}}
runs = st.dictionaries(st.sampled_from(DOCUMENTS), st.sampled_from([1.0, 2.0]), max_size=5)


@settings(max_examples=6, deadline=None)
@given(judgments, runs)
def test_expectation_equals_enumeration(judged, run):
    qrels, ranked = {"q": judged, **OTHER}, {"q": run, **OTHER_RUN}
    found = irb.evaluate(qrels, ranked, [*FORMS, "AP"])
    groups = [[d for d in run if run[d] == score] for score in sorted(set(run.values()))[::-1]]
    orders = [list(chain(*order)) for order in product(*map(permutations, groups))]
    for i, (text, (name, options)) in enumerate(FORMS.items()):
        values = [SLOW[name](order, judged, **options) for order in orders]
        wanted = float(sum(values) / len(values))
        assert found.values[0, i] == pytest.approx(wanted, rel=1e-12, abs=1e-13), text
    highest = {doc: max(grades.values()) for doc, grades in judged.items()}
    whole = irb.evaluate({"q": highest, "z": {"d": 1}}, ranked, "AP")
    assert found["AP"].tolist() == whole["AP"].tolist()


@settings(max_examples=8, deadline=None)
@given(judgments, runs)
def test_ends_equal_enumeration(judged, run):
    """Best, worst and mean where documents add the number of their subtopics."""
    qrels, ranked = {"q": judged, **OTHER}, {"q": run, **OTHER_RUN}
    found = irb.evaluate(qrels, ranked, [*LINEAR, "AP"], bounds=True)
    sides = {
        ties: irb.evaluate(qrels, ranked, [*LINEAR], ties=ties).values[0]
        for ties in ("best", "worst")
    }
    groups = [[d for d in run if run[d] == score] for score in sorted(set(run.values()))[::-1]]
    orders = [list(chain(*order)) for order in product(*map(permutations, groups))]
    for i, (text, (name, options)) in enumerate(LINEAR.items()):
        values = [SLOW[name](order, judged, **options) for order in orders]
        wanted = [float(x) for x in (min(values), max(values), sum(values) / len(values))]
        ours = [found.low[0, i], found.high[0, i], found.values[0, i]]
        assert ours == pytest.approx(wanted, rel=1e-12, abs=1e-13), text
        assert [sides["worst"][i], sides["best"][i]] == ours[:2]
    highest = {doc: max(grades.values()) for doc, grades in judged.items()}
    whole = irb.evaluate({"q": highest, "z": {"d": 1}}, ranked, "AP", bounds=True)
    assert np.array_equal(found.bounds("AP"), whole.bounds("AP"))


def test_ends_of_intent_aware_precision():
    """Two of three tied documents are seen: those with three and two subtopics, or with one and
    two.  By hand: three subtopics, (3 + 2) / (2 x 3) and (1 + 2) / (2 x 3)."""
    qrels = {"q": {"a": {"0": 1}, "b": {"0": 1, "1": 1}, "c": {"0": 1, "1": 1, "2": 1}}}
    found = irb.evaluate(qrels, {"q": dict.fromkeys("abc", 1)}, "P_IA@2", bounds=True)
    assert found.bounds("P_IA@2") == (pytest.approx([3 / 6]), pytest.approx([5 / 6]))
    assert found["P_IA@2"] == pytest.approx([4 / 6])
    gone = irb.evaluate({"q": {"a": {"0": 0}}}, {"q": {"a": 1}}, "P_IA@2", bounds=True)
    assert gone.low.tolist() == gone.high.tolist() == [[0]]


def test_published_numbers():
    """For tied documents, the provider of ir_measures gives 1 in either order (its issue 61)."""
    qrels = {"q": {"d0": {"0": 1, "1": 1}, "d1": {"0": 1}}}
    measures = "alpha_nDCG@10 ERR_IA@10 StRecall@10 AP_IA P_IA@10 NRBP"
    expected = {
        ("d0",): [0.8637574338, 0.7214332044, 1, 0.75, 0.1, 0.75],
        ("d1",): [0.4318787169, 0.3607166022, 0.5, 0.25, 0.05, 0.375],
        ("d1", "d0"): [0.8406064155, 0.6312540538, 1, 0.75, 0.15, 0.65625],
    }
    for order, values in expected.items():
        run = {doc: -i for i, doc in enumerate(order)}
        found = irb.evaluate(qrels, {"q": run}, measures).values[0]
        assert found == pytest.approx(values, abs=1e-10)
    tied = irb.evaluate(qrels, {"q": {"d0": 1, "d1": 1}}, "alpha_nDCG@10")
    assert tied.values[0, 0] == pytest.approx(0.9203032078, abs=1e-10)


def random_data(seed):
    rng = random.Random(seed)
    names = [f"d{i}" for i in range(40)]
    rows, run = [], []
    for query in map(str, range(8)):
        for doc in rng.sample(names, 25):
            for subtopic in rng.sample("0123", rng.randint(1, 3)):
                grade = rng.choice([0, 0, 1, 2])
                rows.append(ir_measures.Qrel(query, doc, grade, subtopic))
        found = rng.sample(names, rng.randint(3, 35))
        run += [ir_measures.ScoredDoc(query, doc, rng.random()) for doc in found]
    return rows, run


@pytest.mark.long
def test_pyndeval():
    """But at cut-off 1, where ndeval leaves alpha_DCG and ERR_IA undivided."""
    pytest.importorskip("pyndeval")
    qrels, run = random_data(3)
    names = (
        "alpha_DCG@10 alpha_nDCG@5 alpha_nDCG@1 alpha_nDCG(alpha=0.3)@20 alpha_nDCG(rel=2)@10 "
        "ERR_IA@10 nERR_IA@5 NRBP nNRBP NRBP(alpha=0.2,beta=0.7) nNRBP(alpha=0.2,beta=0.7) AP_IA "
        "P_IA@10 StRecall@5 AP_IA(rel=2) P_IA@20"
    )
    objects = [ir_measures.parse_measure(name) for name in names.split()]
    ours = irb.evaluate(qrels, run, objects, ties="given").to_dict()
    compared = 0
    for one in objects:  # the provider reads a run for the first alpha and level alone
        for metric in ir_measures.iter_calc([one], qrels, run):
            here = ours[metric.query_id][str(irb.Measure.parse(str(metric.measure)))]
            assert here == pytest.approx(metric.value, abs=1e-9), metric
            compared += 1
    assert compared == 8 * len(objects)


Row = namedtuple("Row", "query_id doc_id relevance subtopic_id")


def test_sources_of_subtopics(tmp_path):
    rows = [("q", "a", 1, "0"), ("q", "a", 0, "1"), ("q", "b", 1, "1"), ("r", "a", 2, "0")]
    text = "".join(f"{query} {topic} {doc} {grade}\n" for query, doc, grade, topic in rows)
    (tmp_path / "qrels.txt").write_text("# subtopics\n" + text)
    nested = {}
    for query, doc, grade, subtopic in rows:
        nested.setdefault(query, {}).setdefault(doc, {})[subtopic] = grade
    frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    run = {"q": {"a": 2, "b": 1}, "r": {"b": 1, "a": 1}}
    values = [
        irb.evaluate(source, run, "alpha_nDCG@2 P@1 StRecall@1").values.tolist()
        for source in (tmp_path / "qrels.txt", nested, frame, [Row(*row) for row in rows])
    ]
    assert values == [values[0]] * 4
    assert values[0][0] == [1, 1, 0.5]


def test_rows_of_any_kind():
    """Named tuples are read by place, others by attribute; names that are no text become text."""

    class Renamed(Row):  # a field that another attribute hides
        @property
        def relevance(self):
            return 1.0

    class Plain:
        def __init__(self, *values):
            self.query_id, self.doc_id, self.relevance, self.subtopic_id = values

    rows = [("q", "a", 1, "0"), (7, 8, 1.0, 9), ("q", "b", True, "0"), (7, "b", 1, "1")]
    run = {"q": {"a": 1, "b": 2}, "7": {"8": 2, "b": 1}}
    wanted = irb.evaluate(
        {"q": {"a": {"0": 1}, "b": {"0": 1}}, "7": {"8": {"9": 1}, "b": {"1": 1}}},
        run,
        "alpha_nDCG@2 ERR_IA@2",
    )
    kinds = Row, Plain, Renamed
    for kind in kinds:
        found = irb.evaluate([kind(*row) for row in rows], run, wanted.measures)
        assert (found.values == wanted.values).all()
        assert found.query_ids == wanted.query_ids == ("q", "7")
    mixed = [kinds[i % 3](*row) for i, row in enumerate(rows)]
    assert (irb.evaluate(iter(mixed), run, wanted.measures).values == wanted.values).all()
    for grade in ("high", None, float("nan"), float("inf"), 10**400):
        with pytest.raises(irb.InputError, match="relevance must be a number"):
            irb.evaluate([Row("q", "a", grade, "0")], run, "ERR_IA@2")
    with pytest.raises(irb.InputError, match=r"from -2\^31 to 2\^31 as relevance"):
        irb.evaluate([Row("q", "a", 1e12, "0")], run, "ERR_IA@2")
    with pytest.raises(irb.InputError, match="need qrels with subtopics"):
        irb.evaluate([Row("q", "a", 1, "0"), ("q", "a", 1, "0")], run, "ERR_IA@2")
    with pytest.raises(irb.InputError, match="duplicate document 'a' for query 'q', subtopic '0'"):
        irb.evaluate([Row(*rows[1]), Row(*rows[0]), Row(*rows[0])], run, "ERR_IA@2")


@pytest.mark.parametrize("starts", [["d"], ["a", "é", "\uffee", "\U00010000", "\udcff"]])
def test_the_ideal_ranking_takes_equal_documents_by_falling_bytes(starts):
    """The first of two equal documents decides what the others add: by the slow twin."""
    rng = random.Random(4)
    for _ in range(20):
        names = {rng.choice(starts) + "x" * rng.choice([0, 9]) + str(i) for i in range(7)}
        judged = {
            name: dict.fromkeys(rng.sample("012", rng.randint(1, 2)), 1)
            for name in rng.sample(sorted(names), 7)
        }
        order = sorted(names, key=lambda name: name.encode("utf-8", "surrogateescape"))
        number = {name: f"{place}" for place, name in enumerate(order)}
        plain = {number[name]: grades for name, grades in judged.items()}
        run = {name: i for i, name in enumerate(judged)}
        found = irb.evaluate({"q": judged}, {"q": run}, "alpha_nDCG(alpha=0.3)@3")
        wanted = SLOW["alpha_nDCG"]([number[name] for name in [*run][::-1]], plain, k=3, alpha=0.3)
        assert found.values[0, 0] == pytest.approx(float(wanted), rel=1e-12)


def test_the_whole_judgments_are_made_when_they_are_asked_for():
    qrels = {"q": {"a": {"0": 1, "1": 2}, "b": {"1": 0}}}
    evaluator = irb.Evaluator(qrels, "nERR_IA@2")
    assert evaluator.evaluate({"q": {"a": 1}}).values[0, 0] == 1
    assert evaluator.qrels.to_dict() == {"q": {"b": 0.0, "a": 2.0}}


def test_ties_missing_queries_and_refusals(tmp_path):
    qrels = {"q": {"a": {"0": 1}, "b": {"1": 1}}, "r": {"a": {"0": 1}}}
    run = {"q": {"a": 1, "b": 1, "c": 1}}
    for ties in ("given", "doc_id", "expected"):
        found = irb.evaluate(qrels, run, "StRecall@1 AP", ties=ties)
        assert found.values[1].tolist() == [0, 0]
        assert found["StRecall@1"][0] == {"given": 0.5, "doc_id": 0, "expected": 1 / 3}[ties]
    skipped = irb.evaluate(qrels, run, "StRecall@1", missing="skip")
    assert skipped.query_ids == ("q",)
    assert (
        irb.Evaluator(qrels, "StRecall@9").evaluate_many({"a": run})["a"].mean["StRecall@9"] == 0.5
    )
    (tmp_path / "qrels.txt").write_text("q 0 a 1\nq 0 a 1\n")
    for source, options, problem in [
        ({"q": {"a": 1}}, {}, "need qrels with subtopics"),
        (
            {"q": {"a": {"1": 1}}, "r": {"b": 1}},
            {},
            "qrels: query 'r': expected {subtopic: grade} for document 'b', found 1",
        ),
        (irb.Qrels.from_dict({"q": {"a": 1}}), {}, "need qrels with subtopics"),
        (qrels, {"bounds": True}, "^alpha_nDCG@5 has no known best and worst order"),
        (qrels, {"ties": "best"}, "^alpha_nDCG@5 has no known best and worst order"),
        (qrels, {"unjudged": "bounds"}, "no bounds or means over labels"),
        (tmp_path / "qrels.txt", {}, "duplicate document 'a' for query 'q', subtopic '0'"),
    ]:
        with pytest.raises(irb.InputError, match=problem):
            irb.evaluate(source, run, "alpha_nDCG@5", **options)
    with pytest.raises(irb.InputError, match="needs qrels with subtopics"):
        irb.rank_measures([1], [1], "alpha_nDCG@5")
