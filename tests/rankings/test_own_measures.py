"""Measures of one's own, against the built-in ones and against all orders of tied documents."""

import math
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irbounds as irb
from irbounds.adapters.ir_measures import calc_aggregate, iter_calc
from irbounds.comparison import compare_evaluations
from irbounds.rankings.evaluating.rank_counts import TallyEvaluator
from irbounds.warnings import FewQueriesWarning

QRELS = {"q1": {"d1": 1, "d2": 0, "d3": 2}, "q2": {"d1": 1, "d9": 1}}
RUN = {"q1": {"d1": 0.7, "d2": 0.7, "d3": 0.4, "d4": 0.4}, "q2": {"d2": 1.0, "d1": 1.0}}


def average_precision(grades, n_relevant):
    found = grades >= 1
    precision = np.cumsum(found) / np.arange(1, len(grades) + 1)
    return float((precision * found).sum() / n_relevant) if n_relevant else 0.0


def search_length(grades, n_relevant):
    """Documents before the first relevant one."""
    return float(np.argmax(grades >= 1)) if (grades >= 1).any() else math.inf


def weighted(grades, n_relevant):
    """All different grades count, unjudged documents too."""
    return float((grades / 2.0 ** np.arange(len(grades))).sum())


AP = irb.define_measure("own_ap", average_precision)
LENGTH = irb.define_measure("length", search_length, lower_is_better=True)
WEIGHTED = irb.define_measure("weighted", weighted)

rankings = st.lists(st.tuples(st.integers(0, 3), st.sampled_from([-1, 0, 1, 1, 2])), max_size=6)


def all_orders(rows):
    """Grades in every order in which no score rises."""
    scores = sorted({score for score, _ in rows}, reverse=True)
    groups = [[grade for score, grade in rows if score == wanted] for wanted in scores]
    for order in product(*(permutations(group) for group in groups)):
        yield [grade for group in order for grade in group]


@given(rankings, st.sampled_from(["expected", "best", "worst", "given", "doc_id"]), st.booleans())
def test_values_and_bounds_are_those_of_all_orders(rows, ties, bounds):
    ids = [f"d{number}" for number in np.random.default_rng(3).permutation(len(rows))]
    run = {"q": {name: score for name, (score, _) in zip(ids, rows, strict=True)}}
    qrels = {"q": {name: grade for name, (_, grade) in zip(ids, rows, strict=True)} | {"x": 1}}
    if not rows:  # a run without any row is refused
        qrels["z"] = run["z"] = {"x": 1}
    ev = irb.evaluate(qrels, run, [AP, "AP", WEIGHTED], ties=ties, bounds=bounds)
    assert ev[AP] == pytest.approx(ev["AP"], abs=1e-14)
    orders = [weighted(np.array(order, float), 0) for order in all_orders(rows)]
    if ties == "expected":
        assert ev["weighted"][0] == pytest.approx(sum(orders) / len(orders), abs=1e-13)
    elif ties == "given":
        ranked = [grade for _, grade in sorted(rows, key=lambda row: -row[0])]
        assert ev["weighted"][0] == weighted(np.array(ranked, float), 0)
    elif ties == "doc_id":
        named = sorted(zip(ids, rows, strict=True), reverse=True)
        ranked = [grade for _, (_, grade) in sorted(named, key=lambda row: -row[1][0])]
        assert ev["weighted"][0] == weighted(np.array(ranked, float), 0)
    else:
        assert ev["weighted"][0] == (max if ties == "best" else min)(orders)
    if bounds:
        assert [end[0] for end in ev.bounds("weighted")] == [min(orders), max(orders)]
        assert np.ravel(ev.bounds(AP)) == pytest.approx(np.ravel(ev.bounds("AP")), abs=1e-14)


@given(rankings)
def test_arrays_and_groups(rows):
    score, grade = (np.array([row[part] for row in rows], float) for part in (0, 1))
    groups = np.arange(len(rows)) // 4
    own = irb.rank_measures(score, grade, [AP, "AP"], groups=groups, bounds=True)
    for values in (own.values, own.low, own.high):
        assert values[:, 0] == pytest.approx(values[:, 1], abs=1e-14)


def test_lower_is_better_and_infinite_values():
    ev = irb.evaluate(QRELS, RUN, [LENGTH, "ESL(nr=1)"], ties="best", bounds=True)
    assert ev[LENGTH].tolist() == ev["ESL(nr=1)"].tolist() == ev.low[:, 0].tolist() == [0, 0]
    nothing = {"q1": {"d4": 1.0}}
    for ties in ("expected", "best", "worst", "given"):
        ev = irb.evaluate(QRELS, nothing, LENGTH, ties=ties, bounds=True)
        assert ev[LENGTH].tolist() == ev.high.ravel().tolist() == [math.inf, math.inf]


def test_options_of_evaluate():
    for options in ({"judged_only": True}, {"missing": "skip"}, {"collection_size": 20}):
        ev = irb.evaluate(QRELS, {"q1": RUN["q1"]}, [AP, "AP"], **options)
        assert ev[AP] == pytest.approx(ev["AP"], abs=1e-15), options
    seen = []

    def note(grades, n_relevant):
        seen.append((grades.tolist(), n_relevant))
        grades[:] = 9  # the function's own array
        return 0

    measure = irb.define_measure("note", note, rel=2)
    irb.evaluate(QRELS, RUN, [measure, WEIGHTED], ties="given", missing="zero")
    assert seen == [([1, 0, 2, -1], 1), ([-1, 1], 0)]


def test_aggregates():
    half = [
        irb.define_measure(f"m{i}", lambda grades, n: 0.5 * (len(grades) > 2), aggregate=how)
        for i, how in enumerate(["mean", "sum", "geometric mean"])
    ]
    ev = irb.evaluate(QRELS, RUN, half, bounds=True)
    assert list(ev.mean.values()) == [0.25] * 3
    assert list(ev.summary.values()) == [0.25, 0.5, pytest.approx(math.sqrt(0.5 * 1e-5))]
    assert "0.5000  in" in repr(ev)


def test_files_and_frames(tmp_path):
    path = tmp_path / "run"
    path.write_text(
        "".join(
            f"{query} Q0 {doc} 1 {score} x\n"
            for query, documents in RUN.items()
            for doc, score in documents.items()
        )
    )
    wanted = irb.evaluate(QRELS, RUN, "AP").values.tolist()
    evaluator = irb.Evaluator(QRELS, [AP])
    assert evaluator.evaluate(path).values.tolist() == wanted
    assert evaluator.evaluate(irb.Run.from_dict(RUN)).values.tolist() == wanted
    assert evaluator.evaluate_many({"a": RUN, "b": path})["b"].values.tolist() == wanted
    found = evaluator.evaluate_topk(["q1"], [["d3", "d1"]], [[1.0, 1.0]])
    assert found[AP][0] == 1


def test_comparisons():
    runs = {"a": RUN, "b": {"q1": {"d3": 1.0}, "q2": {"d2": 1.0, "d1": 0.5}}}
    with pytest.warns(FewQueriesWarning):
        compared = irb.compare(QRELS, runs, [LENGTH, AP, "AP"], test="bootstrap")
    one = compared.between("b", "a", LENGTH)
    assert (one.measure, one.wins, one.losses) == ("length", 1, 1)
    assert compared["own_ap"][0].p_value == compared["AP"][0].p_value
    assert compared.to_dict()["measures"] == ["length", "own_ap", "AP"]
    assert "length" in compared.to_text()
    assert r"\textbf" in compared.to_latex()


@pytest.mark.usefixtures("empty_pictures")
def test_reports():
    runs = {"a": RUN, "b": {"q1": {"d3": 1.0}, "q2": {"d9": 1.0}}}
    own = irb.define_measure("mine", average_precision, definition="Precision, <averaged>.")
    with pytest.warns(FewQueriesWarning):
        page = irb.report_runs(QRELS, runs, [own, "NumRet"], test="bootstrap")
    assert "Precision, &lt;averaged&gt;." in page
    assert page.count(">mine<") >= 2


def test_scores_computed_elsewhere():
    queries = tuple(f"q{number}" for number in range(8))
    low, high = (
        irb.Evaluation(
            ("my clicks @ 3", "MAP", "ESL(nr=1)"), queries, np.linspace(*ends, 24).reshape(8, 3)
        )
        for ends in ((0.1, 0.4), (0.3, 0.8))
    )
    assert low.measures == ("my clicks @ 3", "MAP", "ESL(nr=1)")
    assert low["my clicks @ 3"].tolist() == low.values[:, 0].tolist()
    assert low["MAP"].tolist() == low.values[:, 1].tolist()
    compared = compare_evaluations({"low": low, "high": high})
    assert compared.between("high", "low", "my clicks @ 3").wins == 8
    assert compared.between("high", "low", "ESL(nr=1)").losses == 8
    with pytest.raises(irb.InputError, match=r"same measures; found \(A,\) .* and \(B,\)"):
        compare_evaluations(
            {name: irb.Evaluation((name.upper(),), ("q",), np.zeros((1, 1))) for name in "ab"}
        )


def test_adapter_of_ir_measures():
    assert calc_aggregate([AP, "AP"], QRELS, RUN)[AP] == irb.evaluate(QRELS, RUN, "AP").mean["AP"]
    assert [metric.measure for metric in iter_calc([AP], QRELS, RUN)] == ["own_ap", "own_ap"]


def failing(grades, n_relevant):
    raise ZeroDivisionError("mine")


@pytest.mark.parametrize("returned", [None, "a", float("nan"), [1, 2]])
def test_what_is_no_number_is_refused(returned):
    measure = irb.define_measure("mine", lambda grades, n_relevant: returned)
    with pytest.raises(irb.InputError, match=r"run: mine must return a number; found .*'q1'"):
        irb.evaluate(QRELS, RUN, measure)
    with pytest.raises(irb.InputError, match=r"mine must return a number; found .*\(query 'b'\)"):
        irb.rank_measures([1, 2], [0, 1], measure, groups=["b", "c"])


def test_errors_of_functions_go_through():
    measure = irb.define_measure("mine", failing)
    with pytest.raises(ZeroDivisionError, match="mine"):
        irb.evaluate(QRELS, RUN, measure)
    with pytest.raises(ZeroDivisionError, match="mine"):
        irb.rank_measures([1, 2], [0, 1], measure)


def test_too_many_orders_are_refused():
    rows = np.arange(16)
    with pytest.raises(irb.InputError, match=r"own_ap is a Python function: it is .* 5,040"):
        irb.rank_measures(np.zeros(16), rows % 2, AP)
    with pytest.raises(irb.InputError, match=r"bounds are computed over all orders"):
        irb.rank_measures(np.zeros(16), rows % 2, AP, ties="given", bounds=True)
    found = irb.rank_measures(np.zeros(16), rows % 2, [AP, "AP"], ties="given").values
    assert found[0, 0] == pytest.approx(found[0, 1], abs=1e-15)
    seven = irb.rank_measures(np.zeros(7), rows[:7], [WEIGHTED], bounds=True)
    assert seven.values[0, 0] == pytest.approx(3 * (2 - 2**-6), rel=1e-14)
    many = irb.rank_measures(np.zeros(5000), rows.repeat(313)[:5000] > 99, [AP, "AP"])
    assert many.values.tolist() == [[0.0, 0.0]]  # one order of the grades
    with pytest.raises(irb.InputError, match=r"nan at index 1"):
        irb.rank_measures([1, math.nan], [1, 0], AP)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("AP", average_precision), "`name` must not be that of a built-in"),
        (("MAP", average_precision), "built-in"),
        (("recip_rank", average_precision), "built-in"),
        (("P_10", average_precision), "built-in"),
        (("mine@3", average_precision), "letters, digits"),
        (("", average_precision), "letters"),
        ((3, average_precision), "letters"),
        (("mine", "AP"), "`function` must be callable"),
    ],
)
def test_definitions_that_are_refused(arguments, message):
    with pytest.raises(irb.InputError, match=message):
        irb.define_measure(*arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rel": -1}, "`rel`"),
        ({"rel": True}, "`rel`"),
        ({"rel": "1"}, "`rel`"),
        ({"aggregate": "total"}, "`aggregate`"),
        ({"lower_is_better": 2}, "`lower_is_better`"),
    ],
)
def test_options_that_are_refused(options, message):
    with pytest.raises(irb.InputError, match=message):
        irb.define_measure("mine", average_precision, **options)


def test_where_functions_cannot_go():
    with pytest.raises(irb.InputError, match=r"own_ap is a Python function, .* use `evaluate`"):
        TallyEvaluator([AP])
    other = irb.define_measure("own_ap", search_length)
    with pytest.raises(irb.InputError, match="two measures are called own_ap"):
        irb.evaluate(QRELS, RUN, [AP, other])
    assert len(irb.evaluate(QRELS, RUN, [AP, AP]).measures) == 1
    with pytest.raises(irb.InputError, match="unknown measure 'own_ap'"):
        irb.evaluate(QRELS, RUN, "own_ap")
