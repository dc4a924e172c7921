"""irbounds as a provider of ir_measures: its values are those of the providers that it replaces."""

import random

import ir_measures
import pandas as pd
import pytest
from ir_measures import (
    AP,
    ERR,
    RR,
    Bpref,
    IPrec,
    Judged,
    NumQ,
    NumRel,
    NumRet,
    P,
    Qrel,
    R,
    Rprec,
    ScoredDoc,
    SetAP,
    SetF,
    SetP,
    SetR,
    StRecall,
    Success,
    nDCG,
)

import irbounds as irb
from irbounds.adapters import ir_measures as adapter

MEASURES = [
    *(AP, AP @ 5, AP(rel=2), AP(judged_only=True) @ 3, RR, RR(rel=2), P @ 5, P(rel=2) @ 3, R @ 5),
    *(nDCG, nDCG @ 5, nDCG(gains={1: 10, 2: 1}), nDCG(judged_only=True) @ 4, Rprec, Bpref),
    *(IPrec @ 0.1, IPrec(rel=2) @ 0.5, SetP, SetP(relative=True), SetR(rel=2), SetAP, Success @ 2),
    *(SetF, SetF(beta=2.0), SetF(beta=0.3, rel=2), NumQ, NumRet, NumRet(rel=1), NumRel),
    *(Judged @ 5, RR @ 3),
]


@pytest.fixture
def provider():
    yield adapter.register()
    adapter.unregister()


@pytest.fixture
def data():
    """Rows with ties, some of them as 32-bit floats only; one judged query is not in the run, and
    one query of the run is not judged."""
    rng = random.Random(5)
    qrels = [Qrel(f"q{q}", f"d{d}", rng.randint(0, 3)) for q in range(9) for d in range(12)]
    run = [
        ScoredDoc(f"q{q}", f"d{d}", rng.randint(0, 6) + rng.choice([0, 1e-9]))
        for q in range(1, 10)
        for d in rng.sample(range(20), 14)
    ]
    return qrels, run


def test_the_values_of_the_providers(data):
    """Theirs one measure at a time: ir_measures 0.4.3 mixes up levels of relevance and gains where
    it is asked for several at once, with 3 of 16 values of PYTHONHASHSEED: NumRet 65 for 112."""
    qrels, run = data
    alone = {measure: ir_measures.calc([measure], qrels, run) for measure in MEASURES}
    adapter.register()
    try:
        assert ir_measures.DefaultPipeline.providers[0].NAME == "irbounds"
        found, own = ir_measures.calc(MEASURES, qrels, run)
        again = ir_measures.evaluator(MEASURES, qrels).calc_aggregate(iter(run))
    finally:
        adapter.unregister()
    differ = {Judged @ 5, RR @ 3}  # their providers break ties in other ways
    for measure in MEASURES:
        if measure not in differ:
            wanted = alone[measure].aggregated[measure]
            assert found[measure] == pytest.approx(wanted, abs=1e-12), measure
    assert again == found
    rows = [row for theirs in alone.values() for row in theirs.per_query]
    wanted = {(row.query_id, row.measure): row.value for row in rows}
    assert len(own) == len(rows) == len(wanted)
    for row in own:
        if row.measure not in differ:
            value = wanted[row.query_id, row.measure]
            assert row.value == pytest.approx(value, abs=1e-12), row


def test_setf_is_exact(provider):
    """From its suite: beta is handed on as the square, and no digit is lost."""
    qrels = [Qrel("q", "a", 1), Qrel("q", "b", 1)]
    run = [ScoredDoc("q", "a", 3.0), *(ScoredDoc("q", str(i), 1.0) for i in range(3))]
    # precision 1/4, recall 1/2
    for beta in (2.0, 3.0, 0.5, 0.7, 1.0):
        wanted = (1 + beta) * 0.125 / (beta * 0.25 + 0.5)
        assert provider.calc_aggregate([SetF(beta=beta)], qrels, run)[SetF(beta=beta)] == wanted
        for item in (SetF(beta=beta), f"SetF(beta={beta})"):
            (value,) = adapter.calc_aggregate(item, qrels, run).values()
            assert value == wanted
    assert irb.evaluate(qrels, run, "SetF(beta=2)")["SetF(beta=2)"][0] == 5 * 0.125 / 1.5


def test_registered_by_name(provider):
    assert ir_measures.providers.registry["irbounds"] is provider
    assert ir_measures.irbounds is provider
    assert provider.is_available()
    assert adapter.register(ties="best") is not provider
    assert [p.NAME for p in ir_measures.DefaultPipeline.providers].count("irbounds") == 1
    adapter.unregister()
    adapter.unregister()
    assert "irbounds" not in ir_measures.providers.registry
    assert not hasattr(ir_measures, "irbounds")
    with pytest.raises(irb.InputError, match="`ties` must be one of"):
        adapter.register(ties="random")


def test_what_is_not_in_the_table_goes_to_the_others(provider):
    first = ir_measures.define_byquery(
        lambda qrels, run: float(run.doc_id.iloc[0] == "d1"), "First"
    )
    qrels, run = [Qrel("q", "d1", 1)], [ScoredDoc("q", "d1", 2.0), ScoredDoc("q", "d2", 1.0)]
    assert not provider.supports(first)
    assert provider.supports(AP)
    assert provider.supports(P @ 5)
    assert ir_measures.calc_aggregate([AP, first @ 1], qrels, run) == {AP: 1.0, first @ 1: 1.0}
    with pytest.raises(ValueError, match="unsupported measure First"):
        provider.calc_aggregate([first], qrels, run)
    with pytest.raises(AssertionError, match="unsupported params"):
        provider.supports(AP(q=1))


def test_measures_of_define_through_the_adapter():
    """They are ir_measures' own values, beside those of irbounds."""
    found = ir_measures.define_byquery(lambda qrels, run: len(run) / 4, "Length")
    whole = ir_measures.define(lambda qrels, run: [("q", 7.0)], "Seven")
    qrels = {"q": {"d1": 1}, "r": {"d1": 1}}
    run = {"q": {"d1": 2.0, "d2": 1.0}, "r": {"d2": 1.0}}
    measures = [found, AP, whole, found @ 1]
    rows = [ScoredDoc(q, d, s) for q, docs in run.items() for d, s in docs.items()]
    for source in (run, irb.Run.of(run), rows, iter(rows)):
        aggregated, metrics = adapter.calc(measures, qrels, source)
        assert aggregated == {found: 0.375, AP: 0.5, whole: 3.5, found @ 1: 0.25}
        assert list(aggregated) == measures
        values = {(m.query_id, m.measure): m.value for m in metrics}
        assert len(values) == 8
        assert values["q", found] == 0.5
        assert values["r", whole] == 0.0
    assert adapter.calc_aggregate([found], qrels, run) == {found: 0.375}
    assert adapter.calc_aggregate(found, qrels, run) == {found: 0.375}


def test_nothing_to_evaluate(provider):
    qrels, run = [Qrel("q", "d1", 1)], [ScoredDoc("q", "d1", 2.0)]
    assert provider.calc_aggregate([AP], qrels, [])[AP] == 0
    assert provider.calc_aggregate([AP], qrels, [ScoredDoc("r", "d1", 2.0)])[AP] == 0
    assert list(provider.iter_calc([AP], [], run)) == []
    assert provider.calc_aggregate([], qrels, run) == {}


def test_measures_of_subtopics(provider):
    """By hand; AP is the same as alone, from the last grade of a document as in ir_measures."""
    rows = ("q", "a", 1, "1"), ("q", "a", 0, "2"), ("q", "b", 1, "2"), ("r", "a", 2, "1")
    qrels = [Qrel(*row) for row in rows]
    run = [ScoredDoc("q", "a", 2.0), ScoredDoc("q", "b", 1.0), ScoredDoc("r", "a", 1.0)]
    wanted = {StRecall @ 1: {"q": 0.5, "r": 1.0}, AP: {"q": 0.5, "r": 1.0}}
    for source in (qrels, iter(qrels), pd.DataFrame(qrels)):
        found = {measure: {} for measure in wanted}
        for row in ir_measures.iter_calc(list(wanted), source, iter(run)):
            found[row.measure][row.query_id] = row.value
        assert found == wanted
    whole = {"q": {"a": 1, "b": 1}}  # a dict has one subtopic
    assert ir_measures.calc_aggregate([StRecall @ 1], whole, run) == {StRecall @ 1: 1.0}
    assert provider.calc_aggregate([StRecall @ 1], qrels, [])[StRecall @ 1] == 0


def test_another_rule_for_ties(provider):
    qrels, run = {"q": {"a": 1}}, {"q": {"b": 1.0, "a": 1.0}}
    assert ir_measures.calc_aggregate([RR], qrels, run) == {RR: 0.5}
    adapter.register(ties="expected")
    assert ir_measures.calc_aggregate([RR, ERR @ 2], qrels, run)[RR] == 0.75
    assert ir_measures.calc_aggregate([IPrec @ 0.5], qrels, run) == {IPrec @ 0.5: 0.75}
    with pytest.raises(irb.InputError, match="no exact expectation"):
        ir_measures.calc_aggregate([ir_measures.INST(max_rel=3)], qrels, run)


def values_of(metrics):
    return {(row.query_id, str(row.measure)): row.value for row in metrics}


@pytest.mark.parametrize("measure", ["Accuracy", "Accuracy(rel=2)", "Accuracy@3"])
def test_accuracy_leaves_out_queries_with_nothing_relevant(provider, measure):
    """From its suite, and at random: no value and no part in the mean, where none was retrieved."""
    asked = ir_measures.parse_measure(measure)
    for seed in range(40):
        rng = random.Random(seed)
        qrels = [Qrel(f"q{q}", f"d{d}", rng.randint(-1, 2)) for q in range(3) for d in range(6)]
        run = [
            ScoredDoc(f"q{q}", f"d{d}", -float(i))
            for q in range(rng.randint(1, 4))
            for i, d in enumerate(rng.sample(range(20), 7))
        ]
        wanted = ir_measures.accuracy.calc([asked], qrels, run)
        for found in (provider.calc([asked], qrels, run), adapter.calc([asked], qrels, run)):
            mean, wanted_mean = found.aggregated[asked], wanted.aggregated[asked]
            assert mean == pytest.approx(wanted_mean, abs=1e-12, nan_ok=True)
            theirs = values_of(wanted.per_query)
            assert values_of(found.per_query) == pytest.approx(theirs, abs=1e-12)


def test_the_printed_digits_of_gdeval(provider):
    """From its suite, of numbers that Perl's gdeval prints with five digits."""
    grades = {"0": [0, 1, 1, 2, 0], "1": {0: 1, 3: 2, 5: 2}}
    qrels = [Qrel("0", f"D{d}", grade) for d, grade in enumerate(grades["0"])]
    qrels += [Qrel("1", f"D{d}", grade) for d, grade in grades["1"].items()]
    rankings = {
        "0": {0: 0.8, 2: 0.7, 1: 0.3, 3: 0.4, 4: 0.1},
        "1": {1: 0.8, 3: 0.7, 4: 0.3, 2: 0.4},
    }
    run = [ScoredDoc(q, f"D{d}", score) for q in rankings for d, score in rankings[q].items()]
    exponential = nDCG(dcg="exp-log2")
    wanted = {
        exponential @ 20: (0.6201, 0.35099),
        exponential @ 2: (0.17377, 0.38685),
        ERR @ 20: (0.10175, 0.09375),
        ERR @ 2: (0.03125, 0.09375),
    }
    found = values_of(provider.iter_calc(wanted, qrels, run))
    for measure, values in wanted.items():
        assert [round(found[q, str(measure)], 5) for q in ("0", "1")] == list(values)
