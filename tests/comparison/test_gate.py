"""Gates: verdicts against SciPy's one-sided t, error rates, ties, formats."""

import json
import math
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from scipy import stats
from sizes import long

import irbounds as irb
from irbounds.comparison import gate_evaluations
from irbounds.comparison.gates.checks import Question, judge, verdicts
from irbounds.queries import detectable_difference
from tests.data import shared


def evaluation(values, measure="AP", **bounds):
    values = np.asarray(values, float)
    values = values[:, None] if values.ndim == 1 else values
    names = (measure,) if isinstance(measure, str) else measure
    return irb.Evaluation(names, tuple(range(len(values))), values, **bounds)


def gate_of(differences, **options):
    """The gate of a run with these differences from a baseline of zeros."""
    differences = np.asarray(differences, float)
    return gate_evaluations(
        evaluation(np.zeros(differences.shape)), evaluation(differences), **options
    )


@pytest.mark.parametrize("shift", [-0.2, -0.05, -0.02, 0.0, 0.02, 0.2])
@pytest.mark.parametrize("strict", [False, True])
def test_verdicts_are_those_of_one_sided_t(shift, strict):
    rng = np.random.default_rng(1)
    for margin in (0.0, 0.03, 0.1):
        differences = shift + rng.normal(0, 0.1, 30)
        found = gate_of(differences, margin=margin, strict=strict)
        check = found["AP"]
        upper = stats.ttest_1samp(differences, 0, alternative="less").confidence_interval(0.95)
        lower = stats.ttest_1samp(differences, 0, alternative="greater").confidence_interval(0.95)
        assert [check.low, check.high] == pytest.approx([lower.low, upper.high], rel=1e-12)
        p_value = stats.ttest_1samp(
            differences, 0.0 if strict else -margin, alternative="less"
        ).pvalue
        assert check.p_value == pytest.approx(p_value, rel=1e-9)
        expected = "fail" if p_value < 0.05 else "pass" if lower.low > -margin else "unclear"
        assert found.verdict == check.verdict == expected
        assert found.exit_status == {"pass": 0, "fail": 1, "unclear": 3}[expected]


@pytest.mark.long
def test_equal_systems_fail_in_at_most_alpha():
    # A/A: halves of equal systems; differences of skewed values are symmetric
    rng = np.random.default_rng(2)
    count = 1500
    for measures in (1, 4):
        names = tuple(f"P@{k}" for k in range(1, measures + 1))
        failed = 0
        for _ in range(count // measures):
            old, new = rng.beta(0.5, 1, (2, 20, measures))
            found = gate_evaluations(evaluation(old, names), evaluation(new, names), strict=True)
            failed += found.verdict == "fail"
        n = count // measures
        # three standard errors: one seed in 700 would fail
        assert failed / n <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / n)


@pytest.mark.long
@pytest.mark.parametrize("n", [10, long(50)])
def test_losses_of_the_margin_pass_in_at_most_alpha(n):
    rng = np.random.default_rng(3)
    count = 1500
    passed = sum(
        gate_of(rng.normal(-0.05, 0.2, n), margin=0.05).verdict == "pass" for _ in range(count)
    )
    assert passed / count <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / count)


@pytest.mark.parametrize(("n", "chance"), [(50, 0.605), (200, 0.134)])
def test_rare_losses_pass_as_often_as_the_docstring_says(n, chance):
    # of queries 1 % lose 1, the margin: a sample without them passes, any other one does not
    verdicts = [gate_of([-1.0] * k + [0.0] * (n - k), margin=0.01).verdict for k in range(11)]
    passed = sum(
        stats.binom.pmf(k, n, 0.01) for k, verdict in enumerate(verdicts) if verdict == "pass"
    )
    assert "pass" not in verdicts[1:]
    assert passed == pytest.approx(0.99**n, rel=1e-9)
    assert passed == pytest.approx(chance, abs=5e-4)


def test_a_detectable_loss_fails_with_its_power():
    rng = np.random.default_rng(4)
    n, sd, margin = 40, 0.2, 0.02
    loss = margin + detectable_difference(n, sd, side="one-sided")
    count = 1000
    failed = sum(
        gate_of(rng.normal(-loss, sd, n), margin=margin).verdict == "fail" for _ in range(count)
    )
    assert failed / count == pytest.approx(0.8, abs=5 * math.sqrt(0.16 / count))


def test_the_text_says_what_is_needed_to_fail_and_which_loss_is_detected():
    rng = np.random.default_rng(4)
    values = rng.normal(0, 0.2, 40)
    gate = gate_of(values, margin=0.02)
    detected = detectable_difference(40, values.std(ddof=1), side="one-sided")
    assert gate.verdict == "unclear"
    assert "fails if a drop above 0.02 is shown (one-sided 95 % bounds)" in gate.to_text()
    said = f"detects a loss of {0.02 + detected:.4g} (margin + {detected:.4g}) by 40 queries"
    assert said in gate.to_text()


def test_several_measures_share_alpha_by_holm():
    rng = np.random.default_rng(5)
    old = np.zeros((30, 2))
    half = rng.normal(0, 0.1, (15, 2))
    noise = np.concatenate([half, -half])  # without skewness
    # t of -2 and -2: p of 0.027 is no failure of two, though it is of one
    both = noise - 2 * noise.std(axis=0, ddof=1) / math.sqrt(30)
    names = ("AP", "RR")
    one = gate_evaluations(evaluation(old[:, :1]), evaluation(both[:, :1]), margin=0)
    assert one.verdict == "fail"
    assert one["AP"].p_value == pytest.approx(stats.t.cdf(-2, 29))
    two = gate_evaluations(evaluation(old, names), evaluation(both, names), margin=0)
    assert two.verdict == "unclear"
    # of p 0.0001 and 0.027 Holm rejects both
    both = both - [2 * noise[:, 0].std(ddof=1) / math.sqrt(30), 0]
    two = gate_evaluations(evaluation(old, names), evaluation(both, names), margin=0)
    assert [check.verdict for check in two.checks] == ["fail", "fail"]


def test_differences_without_variance():
    assert gate_of(np.zeros(5), margin=0).verdict == "pass"
    assert gate_of(np.zeros(1)).verdict == "pass"
    # a share 0.19/1.2 at the limit makes up for the others: (1.01/1.2)^18 is below 0.05
    for n, verdict in ((1, "unclear"), (17, "unclear"), (18, "fail")):
        found = gate_of(np.full(n, -0.2))
        assert found.verdict == verdict
        assert math.isnan(found.checks[0].low)
        assert "none" in found.to_text()
    assert gate_of(np.full(14, 0.3)).verdict == "pass"
    assert gate_of(np.full(29, -0.01), margin=0.02).verdict == "pass"
    assert gate_of(np.full(29, -0.01), margin=0.02, strict=True).verdict == "fail"


@pytest.mark.parametrize("margin", [1, 5.0, {"AP": 1}])
def test_a_margin_that_no_loss_reaches(margin):
    column = np.linspace(0, 1, 40)
    with pytest.raises(irb.InputError, match="`margin` must be below 1 for AP"):
        gate_evaluations(evaluation(column, "AP"), evaluation(column, "AP"), margin=margin)


def test_a_margin_that_no_loss_reaches_where_any_loss_fails():
    column = np.linspace(0.2, 1, 40)
    pair = evaluation(column, "AP"), evaluation(column - 0.1, "AP")
    assert gate_evaluations(*pair, margin=1, strict=True).verdict == "fail"


def test_lower_is_better():
    rng = np.random.default_rng(6)
    old = rng.normal(10, 1, 40)
    slower = gate_evaluations(
        evaluation(old, "ESL(nr=1)"),
        evaluation(old + rng.normal(2, 0.5, 40), "ESL(nr=1)"),
        margin=1,
    )
    check = slower.checks[0]
    assert slower.verdict == "fail"
    assert 1 < check.low < check.difference < check.high
    assert check.difference == pytest.approx(check.new - check.baseline)
    faster = gate_evaluations(
        evaluation(old, "ESL(nr=1)"), evaluation(old - 1, "ESL(nr=1)"), margin=1
    )
    assert faster.verdict == "pass"


def test_ties_that_decide_make_it_unclear():
    n = 30
    qrels = {f"q{i}": {"d1": 1} for i in range(n)}
    good = {q: {"d1": 3.0, "d2": 2.0, "d3": 1.0} for q in qrels}
    for q in list(qrels)[5:12]:
        good[q] = {"d1": 2.0, "d2": 3.0, "d3": 1.0}
    tied = {q: {"d1": 1.0, "d2": 1.0, "d3": 1.0} if q > "q2" else good[q] for q in qrels}
    found = irb.gate(qrels, good, tied, "RR", margin=0.01)
    assert found.verdict == "unclear"
    assert "ties decide: fail in the worst order, pass in the best" in found.to_text()
    low, high = found["RR"].tie_bounds
    assert low < found["RR"].difference < high
    assert irb.gate(qrels, good, tied, "RR", ties="best").verdict == "pass"
    # one run against itself: its ties are broken alike
    assert irb.gate(qrels, tied, tied, "RR").verdict == "pass"
    # the same values of other documents are not the same
    other = {q: {("d4" if d == "d3" else d): s for d, s in own.items()} for q, own in tied.items()}
    assert irb.gate(qrels, tied, other, "RR").verdict == "unclear"


def test_margins_by_measure():
    rng = np.random.default_rng(7)
    names = ("AP", "RR")
    old = rng.random((40, 2))
    new = old - 0.05 + rng.normal(0, 0.01, (40, 2))
    found = gate_evaluations(
        evaluation(old, names), evaluation(new, names), margin={"map": 0.1, "MRR": 0.01}
    )
    assert [check.verdict for check in found.checks] == ["pass", "fail"]
    with pytest.raises(irb.InputError, match="`margin` must have the measures AP, RR; found AP"):
        gate_evaluations(evaluation(old, names), evaluation(new, names), margin={"AP": 0.1})


def test_drift_and_judged_share():
    n = 30
    qrels = {f"q{i}": {"d1": 1} for i in range(n)}
    good = {q: {"d1": 2.0, "d2": 1.0} for q in qrels}
    bad = {q: {"d1": 1.0, "d2": 2.0} if int(q[1:]) % 5 else good[q] for q in qrels}
    found = irb.gate(qrels, bad, good, "RR", previous=good, min_judged=0.9)
    assert found.verdict == "unclear"
    assert found.judged == 0.5
    assert "only 0.500 of the first documents are judged" in found.to_text()
    suite = ET.fromstring(found.to_junit())  # which would be all right without a case for it
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("2", "0", "1")
    assert [case.get("name") for case in suite] == ["RR", "judged"]
    assert found.drift[0].difference == 0
    assert irb.gate(qrels, good, bad, "RR", min_judged=0.9).verdict == "fail"


def test_queries_that_the_new_run_lacks_count_zero():
    qrels = {f"q{i}": {"d1": 1} for i in range(30)}
    good = {q: {"d1": 2.0 + (i % 3)} for i, q in enumerate(qrels)}
    half = {q: own for i, (q, own) in enumerate(good.items()) if i % 2}
    found = irb.gate(qrels, good, half, "RR")
    assert found.verdict == "fail"
    assert len(found.missing_queries) == 15
    assert "the new run lacks 15 judged queries" in repr(found)
    rarely = {
        q: own | {"d2": 9.0} if i % 4 == 0 else own for i, (q, own) in enumerate(good.items())
    }
    check = irb.gate(qrels, rarely, half, "RR", missing="skip").checks[0]
    assert (check.baseline, check.new) == (1, 1)  # means of the queries that both have


def test_a_baseline_that_lacks_queries_is_no_gain():
    """Issue 20: a baseline that was cut short let a loss on every query that it had pass."""
    qrels = {f"q{i}": {"d1": 1} for i in range(60)}
    good = {q: {"d1": 2.0, "d2": 1.0} for q in qrels}
    bad = {q: {"d1": 1.0, "d2": 2.0} if int(q[1:]) % 2 else good[q] for q in qrels}
    half = {q: good[q] for i, q in enumerate(qrels) if i < 30}
    found = irb.gate(qrels, half, bad, "RR")
    assert (found.verdict, found["RR"].verdict) == ("unclear", "unclear")
    assert "passes only by 30 queries that the baseline lacks, fail without" in repr(found)
    assert "the baseline lacks 30 judged queries" in repr(found)
    assert len(found.to_dict()["baseline_missing_queries"]) == 30
    assert irb.gate(qrels, half, good, "RR").verdict == "pass"  # nothing changed in the others
    none = {"q60": {"d1": 1.0}}
    assert irb.gate(qrels | {"q60": {"d1": 1}}, none, good, "RR").verdict == "unclear"
    skipped = irb.gate(qrels, half, good, "RR", missing="skip")
    assert (skipped.verdict, skipped["RR"].n_queries) == ("pass", 30)
    assert "the baseline lacks 30 judged queries" in repr(skipped)
    with pytest.warns(irb.testing.UnclearGateWarning, match="passes only by 30 queries"):
        irb.testing.assert_not_worse(qrels, half, bad, "RR")


def test_queries_without_judgments_are_told():
    qrels = {f"q{i}": {"d1": 1} for i in range(30)}
    run = {f"q{i}": {"d1": 1.0} for i in range(70)}
    found = irb.gate(qrels, run, run, "RR")
    assert "40 queries of the new run without judgments, left out" in found.to_markdown()


def test_formats():
    rng = np.random.default_rng(8)
    names = ("AP", 'nDCG(gains={1:2,2:"5"})'.replace('"', ""), "P@5")
    old = rng.random((40, 3))
    new = old + rng.normal([-0.2, -0.01, 0.1], 0.1, (40, 3))
    found = gate_evaluations(evaluation(old, names), evaluation(new, names))
    assert [check.verdict for check in found.checks] == ["fail", "unclear", "pass"]
    suite = ET.fromstring(found.to_junit())
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", "1", "1")
    cases = list(suite)
    assert [case.get("name") for case in cases] == list(names)
    assert [[child.tag for child in case] for case in cases] == [["failure"], ["skipped"], []]
    assert json.loads(found.to_json())["exit_status"] == 1
    assert found.to_markdown().count("\n| ") == 5
    lines = found.annotations()
    assert [line.split(" ")[0] for line in lines] == ["::error", "::warning"]
    assert all("\n" not in line for line in lines)


def test_real_runs():
    folder = shared("med")
    runs = {name: folder / f"med.{name}.run.xz" for name in ("btf", "tfidf", "prob")}
    qrels = folder / "med.qrels"
    assert irb.gate(qrels, runs["btf"], runs["tfidf"], "AP", margin=0.02).verdict == "pass"
    worse = irb.gate(qrels, runs["tfidf"], runs["btf"], "AP", margin=0.02)
    assert worse.verdict == "fail"
    assert worse["AP"].difference == pytest.approx(-0.066846, abs=6e-7)
    close = irb.gate(qrels, runs["prob"], runs["tfidf"], "AP nDCG@10", margin=0.02)
    assert close.verdict == "unclear"


def test_assertion():
    qrels = {f"q{i}": {"d1": 1} for i in range(30)}
    good = {q: {"d1": 2.0, "d2": 1.0} for q in qrels}
    bad = {q: {"d1": 1.0, "d2": 2.0} if int(q[1:]) % 5 else good[q] for q in qrels}
    noisy = {q: {"d1": 1.0, "d2": 2.0} if int(q[1:]) % 29 == 0 else good[q] for q in qrels}
    assert irb.testing.assert_not_worse(qrels, good, good, "RR").verdict == "pass"
    with pytest.raises(AssertionError, match=r"RR +fail"):
        irb.testing.assert_not_worse(qrels, good, bad, "RR", margin=0.02)
    with pytest.warns(irb.testing.UnclearGateWarning, match="RR: unclear"):
        irb.testing.assert_not_worse(qrels, good, noisy, "RR", margin=0.02)
    with pytest.raises(AssertionError, match="unclear"):
        irb.testing.assert_not_worse(qrels, good, noisy, "RR", margin=0.02, on_unclear="fail")
    assert (
        irb.testing.assert_not_worse(
            qrels, good, noisy, "RR", margin=0.02, on_unclear="pass"
        ).verdict
        == "unclear"
    )


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"margin": -0.1}, "`margin` must be 0 or more and finite; found -0.1"),
        ({"alpha": 0.6}, "`alpha` must be above 0 and at most 0.5, for example 0.05; found 0.6"),
        ({"alpha": 0}, "`alpha` must be above 0 and at most 0.5"),
        ({"strict": "yes"}, "`strict` must be True or False"),
    ],
)
def test_bad_input(options, text):
    with pytest.raises(irb.InputError) as caught:
        gate_of([0.1, 0.2], **options)
    assert str(caught.value).startswith(text)


def test_infinite_values_have_no_mean():
    with pytest.raises(irb.InputError, match="infinite for query 1"):
        gate_evaluations(
            evaluation([1.0, 2.0], "ESL(nr=1)"), evaluation([1.0, math.inf], "ESL(nr=1)")
        )


@pytest.mark.long
def test_equal_systems_with_few_values_fail_in_at_most_alpha_if_strict():
    # Student's t alone fails .074 of them by four measures
    rng = np.random.default_rng(13)
    asked = Question(0.01, 0.05, True)
    failed = 0
    for _ in range(500):
        apart = rng.choice([-0.2, -0.1, 0.0, 0.1, 0.2], (5, 4))
        found = verdicts([judge(column, asked) for column in apart.T.copy()], 0.05)
        failed += "fail" in found
    assert failed / 500 <= 0.05


def test_odd_names_give_valid_xml_and_tables():
    name = 'a|b <&"\x07\ud800>\n% é'
    found = gate_evaluations(*(evaluation(np.full(30, x), (name,)) for x in (0.5, 0.1)))
    assert found.verdict == "fail"
    (case,) = ET.fromstring(found.to_junit())
    assert case.get("name") == 'a|b <&"\ufffd\ufffd> % é'
    assert all(
        line.count("|") - line.count("\\|") == 8 for line in found.to_markdown().split("\n")[4:7]
    )
    assert "\n" not in found.annotations()[0]
    assert json.loads(found.to_json())["checks"][0]["verdict"] == "fail"


@pytest.mark.parametrize("sign", [-1, 1])
def test_a_reason_says_which_test_does_not_agree(sign):
    # 5 of 14 queries change: of 2^14 changes of sign 2^10 are as large, 1/16 is not below .05
    apart = sign * np.array([0.42, 0.43, 0.45, 0.44, -0.001, *[0] * 9])
    found = gate_evaluations(evaluation(np.full(14, 0.5)), evaluation(0.5 + apart), margin=0)
    (check,) = found.checks
    assert check.verdict == "unclear"
    assert check.low > 0 or check.high < 0
    for text in (found.to_text(), found.to_json(), found.to_junit(), found.to_markdown()):
        assert "the exact test by changes of sign do" in text
    if sign < 0:
        assert check.deciding_p >= 1 / 16 > 0.05 > check.p_value
        assert "by the tests beside Student's t" in found.to_text()
