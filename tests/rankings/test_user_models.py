"""Measures of user models, of pairs and of overlap: enumeration of all orders of ties, and the
providers of ir_measures."""

import math
import random

import ir_measures
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from measure_texts import twins_of
from rankings.test_ties_expected import close, flat, unretrieved_grades
from reference import rankings as slow
from reference import user_models  # noqa: F401  enters its measures

import irbounds as irb

EXPECTED = twins_of(
    """
    SDCG(max_rel=3)@3 SDCG(min_rel=1,max_rel=2)@9 INSQ(T=2.0,max_rel=3) Accuracy Accuracy(rel=2)
    Accuracy@3 Compat Compat(p=0.5,normalize=False) BPM(max_rel=3)@4 BPM(T=2.0,max_rel=3)@3
    """
)
EXTREMES = twins_of(
    "NERR8(max_rel=3)@3 NERR9(max_rel=3)@4 NERR10(p=0.8,max_rel=4) NERR11(T=2.0,max_rel=4)"
)
ORDERS = twins_of("INST(max_rel=3) INST(T=0.4,max_rel=4)")
ONE_ORDER = {**EXTREMES, **ORDERS, **{name: EXPECTED[name] for name in EXPECTED if "BPM" in name}}

grades = st.sampled_from([-1, 0, 0, 1, 1, 2, 3])
rankings = st.lists(st.lists(grades, min_size=1, max_size=3), max_size=2)


@pytest.mark.quick_examples(2)
@settings(max_examples=4, deadline=None)
@given(rankings, unretrieved_grades)
def test_expectation_and_extremes_equal_enumeration(ranks, unretrieved):
    scores, relevance = flat(ranks)
    options = {"unretrieved": unretrieved}
    result = irb.rank_measures(scores, relevance, list(EXPECTED), bounds=True, **options)
    orders = [order for order, _ in slow.orders(ranks)]
    for i, (text, (name, parameters)) in enumerate(EXPECTED.items()):
        every = [slow.measure_of_order(name, o, unretrieved, **parameters) for o in orders]
        assert close(result.values[0, i], sum(every) / len(every)), text
        assert close(result.low[0, i], min(every)), text
        assert close(result.high[0, i], max(every)), text


@pytest.mark.long
@settings(max_examples=4, deadline=None)
@given(rankings, unretrieved_grades)
def test_orders_one_by_one(ranks, unretrieved):
    scores, relevance = flat(ranks)
    options = {"unretrieved": unretrieved}
    order = [grade for rank in ranks for grade in rank]
    found = irb.rank_measures(scores, relevance, list(ONE_ORDER), ties="given", **options)
    for i, (text, (name, parameters)) in enumerate(ONE_ORDER.items()):
        wanted = slow.measure_of_order(name, order, unretrieved, **parameters)
        assert close(found.values[0, i], wanted), text


@pytest.mark.long
@settings(max_examples=2, deadline=None)
@given(st.lists(st.lists(grades, min_size=1, max_size=3), max_size=2), unretrieved_grades)
def test_best_and_worst_orders(ranks, unretrieved):
    scores, relevance = flat(ranks)
    for ties, end in (("best", max), ("worst", min)):
        found = irb.rank_measures(
            scores, relevance, list(EXTREMES), ties=ties, unretrieved=unretrieved
        )
        for i, (text, (name, parameters)) in enumerate(EXTREMES.items()):
            every = [
                slow.measure_of_order(name, o, unretrieved, **parameters)
                for o, _ in slow.orders(ranks)
            ]
            assert close(found.values[0, i], end(every)), text


def random_data(seed, n_documents=40):
    rng = random.Random(seed)
    names = [f"d{i}" for i in range(n_documents)]
    qrels, run = {}, {}
    for query in map(str, range(12)):
        qrels[query] = {name: rng.choice([0, 0, 1, 2, 3]) for name in rng.sample(names, 15)}
        run[query] = {name: 0.5 + rng.random() for name in rng.sample(names, rng.randint(5, 40))}
    return qrels, run


def check_provider(names):
    qrels, run = random_data(len(names))
    objects = [ir_measures.parse_measure(name) for name in names]
    ours = irb.evaluate(qrels, run, objects, ties="doc_id").to_dict()
    compared = 0
    for metric in ir_measures.iter_calc(objects, qrels, run):
        here = ours[metric.query_id][str(irb.Measure.parse(str(metric.measure)))]
        assert here == pytest.approx(metric.value, abs=1e-9), metric
        compared += 1
    assert compared >= 11 * len(names)


OWN = (
    "Accuracy Accuracy@10 Accuracy(rel=2) Compat Compat(p=0.8) Compat(p=0.9,normalize=False) infAP "
    "infAP(rel=2) NumQ"
)
CWL = (
    "SDCG(max_rel=3)@10 SDCG(min_rel=1,max_rel=3)@20 INSQ(max_rel=3) INSQ(T=3.0,max_rel=2) "
    "INST(max_rel=3) INST(T=2.0,max_rel=4) BPM(max_rel=3)@10 BPM(T=2.0,max_rel=3)@5 "
    "NERR8(max_rel=4)@9 NERR9(max_rel=4)@10 NERR10(max_rel=4) NERR10(p=0.5,max_rel=4) "
    "NERR11(max_rel=4) NERR11(T=2.0,max_rel=4)"
)


def test_ir_measures_itself():
    check_provider(OWN.split())


@pytest.mark.long
def test_cwl_eval():
    pytest.importorskip("cwl")
    check_provider(CWL.split())


@pytest.mark.long
@pytest.mark.parametrize("rel", [1, 2])
def test_ap_of_cwl_eval_is_a_mean_over_retrieved_documents(rel):
    pytest.importorskip("cwl")
    rng = random.Random(rel)
    docs = [f"d{i}" for i in range(8)]
    for _ in range(12):
        run = {"q": {doc: float(-i) for i, doc in enumerate(rng.sample(docs, rng.randint(1, 8)))}}
        judged = rng.sample(docs, rng.randint(1, 8))
        qrels = [ir_measures.Qrel("q", doc, rng.choice([0, 1, 2])) for doc in judged]
        theirs = ir_measures.cwl_eval.calc_aggregate([ir_measures.AP(rel=rel)], qrels, run)
        ours = irb.evaluate(qrels, run, f"APRet(rel={rel})").values[0, 0]
        assert [*theirs.values()] == pytest.approx([ours], rel=1e-12)


@pytest.mark.parametrize(
    ("text", "options", "problem"),
    [
        ("INST(max_rel=3)", {"ties": "best"}, "no known best and worst order"),
        ("INST(max_rel=3)", {}, "no exact expectation"),
        ("INST(max_rel=3)", {"ties": "given", "bounds": True}, "no known best and worst order"),
        ("NERR10", {"ties": "best"}, "NERR10 needs max_rel="),
        ("SDCG(min_rel=3,max_rel=3)@5", {}, "min_rel must be below max_rel"),
        ("BPM(max_rel=3)", {}, "needs a cut-off"),
    ],
)
def test_what_is_refused(text, options, problem):
    with pytest.raises(irb.InputError, match=problem):
        irb.rank_measures([1, 1], [1, 0], text, **options)


def test_grades_above_the_highest_count_for_it():
    values = irb.rank_measures([2, 1], [7, 3], "SDCG(max_rel=3)@2 INSQ(max_rel=3)").values
    assert values[0, 0] == 1
    assert values[0, 1] == pytest.approx(
        irb.rank_measures([2, 1], [1, 1], "INSQ(max_rel=1)").values
    )


def test_ten_gains_of_a_tenth_are_one():
    """Sums of rounded shares stay below 1: a user who wants 1 would read on."""
    scores, grades = range(20, 0, -1), [1] * 20
    text = "BPM(max_rel=10)@20"
    found = irb.rank_measures(scores, grades, text, ties="given").values[0, 0]
    assert close(found, slow.measure_of_order("BPM", grades, max_rel=10, cutoff=20))
    assert found == pytest.approx(0.1, rel=1e-15)
    far = irb.rank_measures(scores, [1] * 10 + [0] * 10, text, ties="given").values[0, 0]
    assert far == pytest.approx(0.1, rel=1e-15)  # of ten documents, not of eleven


@pytest.mark.parametrize("target", [20.0, 1e3, 963192.9950234822, 1e6])
def test_insq_of_large_targets_keeps_its_digits(target):
    """Its 1,000 weights hardly differ then: sums of them were differences of nearly equal sums."""
    weights = [1 / (place + 2 * target - 1) ** 2 for place in range(1, 1001)]
    expected = math.fsum(weights[100:200]) / math.fsum(weights)
    found = irb.rank_measures(
        [3.0] * 100 + [2.0] * 100 + [1.0] * 900,
        [0] * 100 + [1] * 100 + [0] * 900,
        f"INSQ(T={target!r},max_rel=1)",
    )
    assert float(found.values[0, 0]) == pytest.approx(expected, rel=1e-14)
