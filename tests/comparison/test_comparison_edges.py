"""Comparisons at the edges and in ties."""

import math

import numpy as np
import pytest
from comparisons import SEED, evaluations, of_differences

import irbounds as irb
from irbounds.comparison import compare_evaluations
from irbounds.comparison.significance.table import TESTS

# Edges
# ----------------------------------------------------------------------


ENDS_OF_NOTHING = {
    "permutation": (0.0, 0.0),
    "wilcoxon": (-math.inf, math.inf),
    "sign": (-math.inf, math.inf),
    "t": (math.nan, math.nan),
    "bootstrap": (math.nan, math.nan),
}


@pytest.mark.parametrize("test", list(TESTS))
@pytest.mark.filterwarnings("ignore::irbounds.warnings.FewQueriesWarning")
def test_identical_runs(test):
    """p = 1 by every test, without a warning; an interval only where no variance and no other
    values are needed."""
    one = of_differences([0.0] * 10, test=test)
    assert (one.p_value, one.difference, one.same) == (1.0, 0.0, 10)
    np.testing.assert_array_equal((one.low, one.high), ENDS_OF_NOTHING[test])
    assert (one.effect_size, one.superiority, one.is_significant) == (0.0, 0.5, False)
    assert (one.reason is not None) == (test in ("t", "bootstrap"))


@pytest.mark.filterwarnings(
    "ignore::irbounds.warnings.NoVarianceWarning", "ignore::irbounds.warnings.FewQueriesWarning"
)
def test_one_query():
    p_values = {test: of_differences([0.3], test=test).p_value for test in TESTS}
    assert {test: p for test, p in p_values.items() if not math.isnan(p)} == {
        "permutation": 1.0,
        "wilcoxon": 1.0,
        "sign": 1.0,
    }
    named = evaluations([[0.1], [0.2], [0.3]])
    for test in ("t", "permutation"):
        comparison = compare_evaluations(named, test=test, correction="tukey", rng=1)
        assert not any(one.is_significant for one in comparison.differences)
        assert "run 1 − run 0" in repr(comparison)


@pytest.mark.parametrize("test", ["permutation", "wilcoxon", "sign"])
def test_a_constant_difference(test):
    one = of_differences([0.25] * 12, test=test)
    assert one.p_value == 2**-11 if test != "wilcoxon" else one.p_value < 0.01
    assert (one.difference, one.low, one.high, one.effect_size) == (0.25, 0.25, 0.25, math.inf)


def test_rounding_is_no_difference():
    """0.1 + 0.2 and 0.3 differ in their last bit; no query was won."""
    one = compare_evaluations(evaluations([[0.3, 0.5], [0.1 + 0.2, 0.5]])).differences[0]
    assert (one.wins, one.losses, one.same, one.p_value) == (0, 0, 2, 1.0)


def test_infinite_values_go_with_the_sign_test_alone():
    qrels = {f"q{i}": {"d1": 1} for i in range(6)}
    found = {f"q{i}": {"d1": 1} for i in range(6)}
    lost = {f"q{i}": {"d2": 1} for i in range(6)}
    with pytest.raises(
        irb.InputError, match=r"ESL\(nr=1\) of 'lost' is infinite for query 'q0', so there"
    ):
        irb.compare(qrels, {"found": found, "lost": lost}, "ESL(nr=1)")
    [one] = irb.compare(qrels, {"found": found, "lost": lost}, "ESL(nr=1)", test="sign").differences
    assert (one.wins, one.losses, one.p_value) == (0, 6, 0.03125)
    assert one.difference == math.inf
    [both] = irb.compare(qrels, {"a": lost, "b": lost}, "ESL(nr=1)", test="sign").differences
    assert (both.same, both.p_value) == (6, 1.0)
    [with_rest] = irb.compare(
        qrels, {"found": found, "lost": lost}, "ESL(nr=1)", collection_size=5
    ).differences
    assert (with_rest.wins, with_rest.losses) == (0, 6)


def test_lower_is_better():
    qrels = {f"q{i}": {"d1": 1} for i in range(6)}
    good = {f"q{i}": {"d1": 2, "d2": 1} for i in range(6)}
    bad = {f"q{i}": {"d1": 1, "d2": 2} for i in range(6)}
    comparison = irb.compare(qrels, {"bad": bad, "good": good}, "ESL(nr=1)")
    one = comparison.between("good", "bad")
    assert (one.difference, one.wins, one.superiority) == (-1.0, 6, 1.0)
    assert r"\textbf{0.0000}$^{a}$" in comparison.to_latex()


def test_nan_is_named():
    with pytest.raises(irb.InputError, match="AP of 'run 1' is nan for query 'q1'"):
        compare_evaluations(evaluations([[0.1, 0.2], [0.1, math.nan]]))


def test_missing_queries():
    qrels = {"q1": {"d1": 1}, "q2": {"d1": 1}, "q3": {"d1": 1}}
    whole = {query: {"d1": 1} for query in qrels}
    runs = {"whole": whole, "part": {"q1": {"d1": 1}, "q2": {"d2": 1}, "q9": {"d1": 1}}}
    zero = irb.compare(qrels, runs, "RR")
    assert zero.query_ids == ("q1", "q2", "q3")
    assert zero.between("part", "whole").difference == pytest.approx(-2 / 3)
    assert (zero.missing_queries["part"], zero.unjudged_queries["part"]) == (("q3",), ("q9",))
    skip = irb.compare(qrels, runs, "RR", missing="skip")
    assert skip.query_ids == ("q1", "q2")
    assert skip.between("part", "whole").difference == -0.5
    with pytest.raises(
        irb.InputError, match=r"part: it lacks the judged query 'q3' \(1 such query\)"
    ):
        irb.compare(qrels, runs, "RR", missing="error")
    with pytest.raises(irb.InputError, match="the runs have no judged query in common"):
        irb.compare(qrels, {"a": {"q1": {"d1": 1}}, "b": {"q2": {"d1": 1}}}, "RR", missing="skip")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"test": "z"},
            "`test` must be one of 'permutation', 't', 'wilcoxon', 'sign', 'bootstrap'; found 'z'",
        ),
        (
            {"test": "sign", "correction": "tukey"},
            "correction='tukey' requires test='t' or 'permutation'; found 'sign'",
        ),
        ({"correction": "dunnett"}, "correction='dunnett' requires `baseline`"),
        (
            {"test": "wilcoxon", "correction": "dunnett"},
            "correction='dunnett' requires test='t' or 'permutation'; found",
        ),
        ({"confidence_level": 95}, "`confidence_level` must be between 0 and 1"),
        ({"resamples": 10}, "`resamples` must be a whole number, 100 or more; found 10"),
        ({"rng": "x"}, "`rng` must be None, a whole number"),
        ({"runs": {"first": {"q1": {"d1": 1}}}}, "`runs` must be two or more; found 1"),
        (
            {"runs": {"q1": {"d1": 1}, "q2": {"d1": 1}}},
            "`runs` must be a list of runs or {name: run}; found one run",
        ),
        ({"runs": "a.run"}, "`runs` must be a list or a dict of names; found 'str'"),
        (
            {"runs": [{"q1": {"d1": "x"}}, {"q1": {"d1": 1}}]},
            "run 1: query 'q1': expected a number",
        ),
    ],
)
def test_bad_input(change, message):
    arguments = {"runs": {"first": {"q1": {"d1": 1}}, "second": {"q1": {"d1": 1}}}, **change}
    with pytest.raises(irb.InputError) as error:
        irb.compare({"q1": {"d1": 1}}, measures="RR", **arguments)
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


def test_evaluations_must_go_together():
    first, second = evaluations([[1, 2]], ["AP"]), evaluations([[1, 2]], ["RR"])
    with pytest.raises(irb.InputError, match="of the same measures"):
        compare_evaluations([first["run 0"], second["run 0"]])
    with pytest.raises(
        irb.InputError, match="`evaluations` must be Evaluations; found 'int' as 'evaluation 2'"
    ):
        compare_evaluations([first["run 0"], 3])


def test_seeds():
    """The same seed, the same numbers; 0 unless said otherwise; a drawn one is told."""
    values = np.random.default_rng(1).normal(size=(2, 40))
    assert compare_evaluations(evaluations(values)).seed == 0
    drawn = compare_evaluations(evaluations(values), rng=None)
    again = compare_evaluations(evaluations(values), rng=drawn.seed)
    assert drawn.differences == again.differences
    assert (
        compare_evaluations(evaluations(values), rng=np.random.default_rng(3)).seed
        == compare_evaluations(evaluations(values), rng=np.random.default_rng(3)).seed
    )
    assert compare_evaluations(evaluations(values), test="t").seed is None


def test_columns_do_not_change_each_other():
    """One plan of resampling serves all pairs and measures: each p-value is that of the pair
    alone."""
    values = np.random.default_rng(8).normal(size=(3, 30, 2))
    for test in ("permutation", "bootstrap"):
        whole = compare_evaluations(
            evaluations(values, ("AP", "RR")), test=test, rng=SEED, resamples=499
        )
        alone = compare_evaluations(
            evaluations(values[[0, 2], :, 1], ["RR"], ["run 0", "run 2"]),
            test=test,
            rng=SEED,
            resamples=499,
        )
        one, other = whole.between("run 2", "run 0", "RR"), alone.differences[0]
        assert (one.p_value, one.low, one.high) == pytest.approx(
            (other.p_value, other.low, other.high), rel=1e-12
        )


def test_memory_is_bounded(monkeypatch):
    """The plan comes in batches, with the same result."""
    values = np.random.default_rng(9).normal(size=(2, 64))
    whole = [
        compare_evaluations(evaluations(values), test=test, rng=1, resamples=999).differences
        for test in ("permutation", "bootstrap")
    ]
    monkeypatch.setattr("irbounds.comparison.significance.resampling.CELLS", 64 * 40)
    parts = [
        compare_evaluations(evaluations(values), test=test, rng=1, resamples=999).differences
        for test in ("permutation", "bootstrap")
    ]
    for (one,), (other,) in zip(whole, parts, strict=True):
        assert one.p_value == other.p_value
        assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-12)


# Ties
# ----------------------------------------------------------------------


def test_ties_that_undo_and_make_a_difference():
    qrels = {f"q{i}": {"d1": 1} for i in range(10)}
    tied = {f"q{i}": {"d1": 1, "d2": 1} for i in range(10)}
    first = {f"q{i}": {"d1": 2, "d2": 1} for i in range(10)}
    last = {f"q{i}": {"d1": 1, "d2": 2, "d3": 3} for i in range(10)}
    comparison = irb.compare(qrels, {"tied": tied, "first": first, "last": last}, "RR")
    one = comparison.between("first", "tied")
    assert (one.difference, one.is_significant) == (0.25, True)
    assert (one.run_ties, one.against_ties, one.tie_bounds) == ((1, 1), (0.5, 1), (0, 0.5))
    assert one.is_undone_by_ties
    assert one.is_made_by_ties
    other = comparison.between("last", "first")
    assert not other.hangs_on_ties
    assert other.tie_bounds == pytest.approx((-2 / 3, -2 / 3))
    distance = comparison.between("last", "tied")
    # -0.42 where ties make 0.5
    assert (distance.is_undone_by_ties, distance.is_made_by_ties) == (False, True)
    assert "† tie-breaking alone" in repr(comparison)


def test_without_bounds_nothing_is_said_of_ties():
    comparison = compare_evaluations(evaluations([[1, 2, 3], [2, 3, 5]]))
    one = comparison.differences[0]
    assert (one.tie_bounds, one.hangs_on_ties, comparison.mean_bounds) == (None, False, None)
    assert "tie orders" not in repr(comparison)
    assert "tie_bounds.low" not in comparison.to_csv()


@pytest.mark.parametrize(
    ("measure", "line"),
    [
        (
            "GMAP",
            "measure GMAP is a geometric mean over queries; comparisons are of means: compare",
        ),
        (
            irb.define_measure("Middle", lambda grades, n_relevant: 0.5, aggregate="median"),
            "measure Middle is a median over queries; comparisons are of means",
        ),
    ],
)
def test_other_aggregates_than_means_are_refused(measure, line):
    """The mean of AP was printed under the name GMAP."""
    qrels = {q: {"d": 1} for q in "abc"}
    runs = {name: {q: {"d": 1.0, "e": 2.0} for q in "abc"} for name in ("one", "two")}
    with pytest.raises(irb.InputError, match=line):
        irb.compare(qrels, runs, measure)
    with pytest.raises(irb.InputError, match=line):
        irb.gate(qrels, runs["one"], runs["two"], measure, margin=0.01)


def test_ties_too_large_for_bounds_are_told_as_a_comparison_can_help():
    qrels = {"q": {f"d{i}": i % 4 for i in range(900)}}
    runs = {name: dict.fromkeys(qrels["q"], 1.0) for name in "ab"}
    for use in (irb.compare, irb.report_runs):
        with pytest.raises(
            irb.InputError, match=r"G: the ties are too large .*: leave the measure"
        ):
            use(qrels, {name: {"q": run} for name, run in runs.items()}, "G", ties="doc_id")
