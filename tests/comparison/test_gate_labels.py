"""Gates whose verdict hangs on labels of unjudged documents, or on queries that a run lacks."""

import itertools
import json
import warnings
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from sizes import only

import irbounds as irb
from irbounds.warnings import UnclearGateWarning

N = 30
QRELS = {f"q{i:02}": {"d1": 1, "d2": 0} for i in range(N)}
GOOD = {q: {"d1": 3.0, "d2": 2.0} for q in QRELS}


def with_new_first(every):
    """The good run with an unjudged document before the rest on each `every`-th query."""
    return {
        q: {"new": 9.0, **own} if i % every == 0 else own for i, (q, own) in enumerate(GOOD.items())
    }


def reciprocal_rank(ranking, grades, _max_grade):
    places = [place for place, doc in enumerate(ranking, 1) if grades.get(doc, 0) >= 1]
    return 1 / places[0] if places else 0.0


def precision_at_2(ranking, grades, _max_grade):
    return sum(grades.get(doc, 0) >= 1 for doc in ranking[:2]) / 2


def recall_at_2(ranking, grades, _max_grade):
    relevant = [doc for doc, grade in grades.items() if grade >= 1]
    return len(set(relevant) & set(ranking[:2])) / len(relevant) if relevant else 0.0


def enumerated(qrels, old, new, measure, n_hidden=0):
    """The least, the nonrelevant and the greatest difference of each query, over all labels."""
    rows = []
    for query, judged in qrels.items():
        ranked = [sorted(run[query], key=run[query].get, reverse=True) for run in (old, new)]
        unseen = [f"hidden {i}" for i in range(n_hidden)]
        free = sorted({*ranked[0], *ranked[1]} - set(judged)) + unseen
        found = []
        for labels in itertools.product((0, 1), repeat=len(free)):
            grades = judged | dict(zip(free, labels, strict=True))
            found.append(measure(ranked[1], grades, 1) - measure(ranked[0], grades, 1))
        rows.append((min(found), found[0], max(found)))
    return np.array(rows).T


def verdict_of(differences, **options):
    """By the gate without labels, which has an oracle of its own."""
    names = tuple(range(len(differences)))
    runs = [
        irb.Evaluation(("AP",), names, np.asarray(values, float)[:, None])
        for values in (np.zeros(len(differences)), differences)
    ]
    return irb.comparison.gate_evaluations(*runs, **options).verdict


MEASURES = {"RR": reciprocal_rank, "P@2": precision_at_2, "R@2": recall_at_2}


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("n_hidden", only([1], [0, 1]))
def test_worst_and_best_labels_by_enumeration(name, n_hidden):
    rng = np.random.default_rng(7)
    seen = set()
    for _ in range(40):
        n = int(rng.integers(2, 25))
        shift = rng.choice([-2.0, 0.0, 2.0])
        share = rng.choice([0.05, 0.4])
        qrels, old, new = {}, {}, {}
        for q in (f"q{i}" for i in range(n)):
            relevant = rng.random(5) < 0.5
            qrels[q] = {"a": 1} | {
                d: int(r) for d, r in zip("bcdef", relevant, strict=True) if rng.random() > share
            }
            scores = rng.normal(size=6)
            old[q] = dict(zip("abcdef", scores.tolist(), strict=True))
            gains = np.array([1, *relevant]) * shift
            moved = scores + rng.normal(0, 0.3, 6) + gains
            new[q] = dict(zip("abcdef", moved.tolist(), strict=True))
        margin = float(rng.choice([0.0, 0.02, 0.2]))
        options = {"margin": margin, "strict": bool(rng.random() < 0.5)}
        found = irb.gate(
            *(qrels, old, new, name),
            unjudged="bounds",
            unjudged_hidden=n_hidden or None,
            **options,
        )
        low, chosen, high = enumerated(qrels, old, new, MEASURES[name], n_hidden)
        check = found[name]
        assert check.unjudged_bounds == pytest.approx((low.mean(), high.mean()), abs=1e-12)
        verdicts = [verdict_of(own, **options) for own in (chosen, low, high)]
        reason = check.reason or ""
        assert ("labels decide" in reason) == (len(set(verdicts)) > 1)
        assert found.verdict in (verdicts[0], "unclear")
        if found.verdict != "unclear":  # no labels between give the opposite verdict
            picks = rng.random((20, n)) < rng.random((20, 1))
            assert {verdict_of(np.where(pick, low, high), **options) for pick in picks} <= {
                found.verdict,
                "unclear",
            }
        seen.add((verdicts[0], found.verdict))
    assert {("fail", "unclear"), ("pass", "unclear")} <= seen  # turned in both directions
    assert ("pass", "pass") in seen or ("fail", "fail") in seen


def test_labels_turn_a_fail_and_a_pass():
    new = with_new_first(2)
    assert irb.gate(QRELS, GOOD, new, "P@1").verdict == "fail"
    found = irb.gate(QRELS, GOOD, new, "P@1", unjudged="bounds")
    assert (found.verdict, found.exit_status) == ("unclear", 3)
    said = "labels decide: fail with the worst labels of unjudged documents, pass with the best"
    assert found["P@1"].reason == said
    assert found["P@1"].unjudged_bounds == (-0.5, 0.0)
    assert f"P@1: {said}" in found.to_text()
    assert f"- P@1: {said}" in found.to_markdown()
    assert said in found.annotations()[0]
    assert found.annotations()[0].startswith("::warning ")
    (case,) = ET.fromstring(found.to_junit())
    assert said in case.find("skipped").get("message")
    (check,) = json.loads(found.to_json())["checks"]
    assert (check["reason"], check["unjudged_bounds"]) == (said, [-0.5, 0.0])
    # the other way round the baseline retrieved them
    assert irb.gate(QRELS, new, GOOD, "P@1").verdict == "pass"
    found = irb.gate(QRELS, new, GOOD, "P@1", unjudged="bounds")
    assert found.verdict == "pass"  # it never loses, whatever the labels
    cut = {q: {d: s for d, s in own.items() if d != "d2"} for q, own in GOOD.items()}
    lacks = {q: {"d2": 2.0, "d1": 1.0, "x": 0.5} for q in GOOD}
    assert irb.gate(QRELS, lacks, cut, "P@3").verdict == "pass"
    assert irb.gate(QRELS, lacks, cut, "P@3", unjudged="bounds").verdict == "unclear"


def test_verdicts_that_no_label_turns():
    bad = {q: {"d2": 3.0, "d1": 2.0, "new": 1.0} for q in QRELS}
    assert irb.gate(QRELS, GOOD, bad, "P@1", unjudged="bounds").verdict == "fail"
    alike = {q: {**own, "x": 1.0, "y": 1.0} for q, own in GOOD.items()}
    for ties in ("expected", "doc_id", "given"):
        found = irb.gate(QRELS, alike, alike, "AP nDCG P@3", unjudged="bounds", ties=ties)
        assert found.verdict == "pass"
        assert {check.unjudged_bounds for check in found.checks} == {(0.0, 0.0)}
    found = irb.gate(QRELS, GOOD, GOOD, "P@1")
    assert found["P@1"].unjudged_bounds is None


def test_several_measures_with_holm():
    # NumRet counts unjudged documents whatever their labels are
    new = with_new_first(2)
    found = irb.gate(QRELS, GOOD, new, "P@1 RR NumRet", unjudged="bounds")
    assert [check.verdict for check in found.checks] == ["unclear", "unclear", "pass"]
    # 5 of 30 lose 1: of fair signs as many do with a chance of 1/32
    rare = {q: {"new": 9.0, **own} if i < 5 else own for i, (q, own) in enumerate(GOOD.items())}
    one = irb.gate(QRELS, GOOD, rare, "P@1", unjudged="bounds", strict=True)
    many = irb.gate(QRELS, GOOD, rare, "P@1 P@2 RR", unjudged="bounds", strict=True)
    assert "fail with the worst" in one["P@1"].reason
    assert "unclear with the worst" in many["P@1"].reason  # three times as much p-value


def test_hidden_documents():
    # with one hidden relevant document R@2 halves in both runs; the loss stays
    new = {q: {"d2": 3.0, "d3": 2.0, "d1": 1.0} for q in QRELS}
    plain = irb.gate(QRELS, GOOD, new, "R@2", unjudged="bounds")["R@2"]
    hidden = irb.gate(QRELS, GOOD, new, "R@2", unjudged="bounds", unjudged_hidden=9)["R@2"]
    assert plain.unjudged_bounds == (-1.0, 0.0)
    assert hidden.unjudged_bounds == pytest.approx((-1.0, 0.0))
    with pytest.raises(irb.InputError, match="`unjudged_hidden` goes with unjudged='bounds'"):
        irb.gate(QRELS, GOOD, new, "R@2", unjudged_hidden=9)
    with pytest.raises(irb.InputError, match="`max_grade` goes with unjudged='bounds'"):
        irb.gate(QRELS, GOOD, new, "R@2", max_grade=2)
    graded = irb.gate(QRELS, GOOD, with_new_first(1), "DCG@1", unjudged="bounds", max_grade=3)
    assert graded["DCG@1"].unjudged_bounds == (-1.0, 2.0)


@pytest.mark.parametrize(
    ("measures", "options", "message"),
    [
        ("infAP", {"ties": "doc_id"}, "infAP has no bounds over unjudged documents"),
        ("P@1", {"ties": "best"}, "differences have bounds over unjudged documents with ties="),
        ("P@1", {"judged_only": True}, "`judged_only` drops unjudged documents"),
        ("P@1", {"unjudged": "condensed"}, "`unjudged` must be"),
    ],
)
def test_what_has_no_bounds_is_refused_in_one_line(measures, options, message):
    with pytest.raises(irb.InputError) as caught:
        irb.gate(QRELS, GOOD, GOOD, measures, **{"unjudged": "bounds", **options})
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_evaluations_with_bounds_over_labels():
    evaluator = irb.Evaluator(QRELS, "P@1", unjudged="bounds")
    runs = [evaluator.evaluate(run) for run in (GOOD, with_new_first(2))]
    assert irb.comparison.gate_evaluations(*runs).verdict == "fail"
    found = irb.comparison.gate_evaluations(*runs, unjudged="bounds")
    assert found.verdict == "unclear"
    assert found["P@1"].unjudged_bounds == (-0.5, 0.0)
    plain = irb.Evaluator(QRELS, "P@1").evaluate(GOOD)
    with pytest.raises(irb.InputError, match="`new` must be evaluated with unjudged='bounds'"):
        irb.comparison.gate_evaluations(runs[0], plain, unjudged="bounds")


def test_assertion_takes_labels():
    new = with_new_first(2)
    with pytest.raises(AssertionError, match="fail: 30 queries"):
        irb.testing.assert_not_worse(QRELS, GOOD, new, "P@1")
    with pytest.warns(UnclearGateWarning, match="labels decide"):
        irb.testing.assert_not_worse(QRELS, GOOD, new, "P@1", unjudged="bounds")
    with pytest.raises(AssertionError, match="labels decide"):
        irb.testing.assert_not_worse(QRELS, GOOD, new, "P@1", unjudged="bounds", on_unclear="fail")


def test_queries_that_only_the_new_run_lacks_are_unclear_if_skipped():
    half = {q: own for i, (q, own) in enumerate(GOOD.items()) if i % 2}
    found = irb.gate(QRELS, GOOD, half, "RR", missing="skip")
    assert (found.verdict, found.exit_status) == ("unclear", 3)
    assert found.reason == "15 queries of the baseline left out, as the new run lacks them"
    assert ET.fromstring(found.to_junit()).get("skipped") == "1"
    assert irb.gate(QRELS, half, half, "RR", missing="skip").verdict == "pass"
    assert irb.gate(QRELS, half, GOOD, "RR", missing="skip").verdict == "pass"
    bad = {q: {"d2": 2.0, "d1": 1.0} for q in half}
    assert irb.gate(QRELS, GOOD, bad, "RR", missing="skip").verdict == "fail"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert irb.gate(QRELS, GOOD, half, "RR", missing="zero").reason is None
