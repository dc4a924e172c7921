"""Objects and calls of ir_measures are accepted, and why numbers differ is shown."""

import subprocess
import sys
from collections import namedtuple

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
from tests.tied_orders import GRADES, TIED, all_orders

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
            ["q1 Q0 d1 1 1 x"],  # texts are paths
            "q1 Q0 d1 1 1 x: No such file or directory",
        ),
        (
            [{"query_id": "q1", "doc_id": "d1", "score": 1}, {"query_id": "q1", "score": 1}],
            "run: row 1: expected a dict with query_id, doc_id, score",
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


def test_adapters_load_nothing_heavy():
    adapters = "irbounds.adapters.ir_measures, irbounds.adapters.sklearn"
    code = f"import sys, {adapters}; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {"scipy", "pandas", "sklearn", "ir_measures", "ranx", "numba", "narwhals"} & set(
        loaded
    )


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


@pytest.mark.filterwarnings("ignore:run")  # of ties
def test_set_f_of_beta_0_is_the_precision():
    qrels = [Qrel("q", "a", 1), Qrel("q", "b", 1), Qrel("q", "c", 0)]
    run = [ScoredDoc("q", name, 1.0) for name in "axy"]
    for measure in (SetF(beta=0.0), SetF(beta=0.0, rel=1)):
        theirs = ir_measures.calc_aggregate([measure], qrels, run)[measure]
        assert answers.calc_aggregate([measure], qrels, run) == {measure: pytest.approx(theirs)}
        assert theirs == pytest.approx(1 / 3)
    assert answers.calc_aggregate("SetF(beta=0.0) SetF(rel=2, beta=0) SetP", qrels, run) == {
        "SetF(beta=0)": 1 / 3,
        "SetF(beta=0,rel=2)": 0,
        "SetP": 1 / 3,
    }
    provider = answers.register()
    try:
        assert provider.calc_aggregate([SetF(beta=0.0)], qrels, run)[SetF(beta=0.0)] == 1 / 3
    finally:
        answers.unregister()


def test_set_f_of_trec_eval_has_the_square_of_beta():
    qrels, run = {"q": {"a": 1, "b": 1, "c": 1}}, {"q": {"a": 3.0, "x": 2.0}}
    wanted = irb.evaluate(qrels, run, "SetF(beta=2)").mean["SetF(beta=2)"]
    assert answers.calc_aggregate("set_F.4", qrels, run) == {"SetF(beta=4)": wanted}
    assert answers.calc_aggregate("SetF(beta=4) set_F.3", qrels, run) == {
        "SetF(beta=4)": wanted,
        "SetF(beta=3)": pytest.approx(4 / (3 / (1 / 3) + 1 / (1 / 2))),
    }
    found = answers.calc_aggregate("set_F.0 set_F", qrels, run)
    assert found == {"SetF(beta=0)": 0.5, "SetF": pytest.approx(0.4)}


def count_of_run(qrels, run):
    """A measure that ir_measures computes."""
    return float(len(run))


def test_options_of_defined_measures_alone_are_checked():
    qrels, run = {"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": {"a": 1.0, "b": 2.0}}
    own = ir_measures.define_byquery(count_of_run, name="Own")
    with pytest.raises(irb.InputError, match="`ties` must be one of"):
        answers.calc([own], qrels, run, ties="nonsense")
    with pytest.raises(TypeError, match="collectionsize"):
        answers.calc([own], qrels, run, collectionsize=3)
    for measures in ([own], [own, P @ 1]):
        found = answers.calc(measures, qrels, run)
        assert (found.aggregated[own], len(found.per_query)) == (1.0, 2 * len(measures))
        found = answers.calc(measures, qrels, run, missing="skip")
        assert (found.aggregated[own], len(found.per_query)) == (2.0, len(measures))
        with pytest.raises(irb.InputError, match=r"^run: it lacks the judged query 'q2'"):
            answers.calc(measures, qrels, run, missing="error")


def test_bpm_at_its_threshold():
    """The gains add up to T at the sixth document; the float sum of ir_measures stays below."""
    measure = ir_measures.parse_measure("BPM(max_rel=3,T=2.0)@9")
    qrels = [Qrel("q", f"d{i}", grade) for i, grade in enumerate([0, 1, 2, 2, 0, 1, 0, 3, 3])]
    run = [ScoredDoc("q", f"d{i}", -float(i)) for i in range(9)]
    found = answers.calc_aggregate([measure], qrels, run, ties="doc_id")[measure]
    assert found == pytest.approx(2 / 6)
    pytest.importorskip("cwl")  # by which ir_measures computes it
    assert ir_measures.calc_aggregate([measure], qrels, run)[measure] == pytest.approx(3 / 8)
