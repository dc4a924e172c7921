"""Comparison of runs: p-values are SciPy's, intervals fit their tests, corrections and ties are
what they say."""

import inspect
import json
import math
import pickle
import warnings

import numpy as np
import pytest
from data import SHARED, shared
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import comparison as ref
from scipy import stats
from sizes import only

import irbounds as irb
from irbounds.comparison.corrections import adjust
from irbounds.comparison.paired_test_table import TESTS
from irbounds.comparison.paired_tests import Plan, _walsh
from irbounds.comparison.paired_tests import permutation_test as permutation
from irbounds.comparison.tukey import randomised, residual_deviation, two_way

SEED = 7
COLLECTIONS = ("adi", "cisi", "med")
NAMES = ("clm", "btf", "tfidf", "prob")


# of Wilcoxon's test in SciPy before 1.13, whose
OLD_WARNING = "ignore:(Exact p-value|Sample size too small)"
# choice of exact counts was another
OLD_CHOICE = "method" not in inspect.signature(stats.wilcoxon).parameters


def seeded():
    """The seed, as SciPy is told: by `rng`, before 1.15 by `random_state`."""
    is_new = "rng" in inspect.signature(stats.permutation_test).parameters
    return {"rng" if is_new else "random_state": np.random.default_rng(SEED)}


def evaluations(values, measures=("AP",), names=None, low=None, high=None):
    """Evaluations of these values, (runs, queries) or (runs, queries, measures)."""
    values = np.asarray(values, float)
    values = values[..., None] if values.ndim == 2 else values
    queries = tuple(f"q{i}" for i in range(values.shape[1]))
    names = names or [f"run {i}" for i in range(len(values))]
    return {
        name: irb.Evaluation(tuple(measures), queries, own.copy(), low, high)
        for name, own in zip(names, values, strict=True)
    }


def of_differences(differences, **options):
    """The one difference of a run that is better by these than another, all of whose values are
    0."""
    values = np.array([np.zeros(len(differences)), differences])
    return irb.compare_evaluations(evaluations(values), **{"rng": SEED, **options}).between(
        "run 1", "run 0"
    )


def scipy_p(test, first, second):
    if test == "permutation":
        return stats.permutation_test(
            (first, second),
            lambda x, y, axis: np.mean(x - y, axis=axis),
            vectorized=True,
            permutation_type="samples",
            n_resamples=9999,
            batch=1000,
            **seeded(),
        ).pvalue
    if test == "sign":
        wins, losses = int((first > second).sum()), int((first < second).sum())
        return stats.binomtest(wins, wins + losses).pvalue
    return {"t": stats.ttest_rel, "wilcoxon": stats.wilcoxon}[test](first, second).pvalue


@pytest.fixture(scope="module", params=only(["adi"], COLLECTIONS))
def collection(request):
    if not SHARED.exists():
        pytest.skip("needs the research data beside the repository")
    folder = request.param
    return shared(folder, f"{folder}.qrels"), {
        name: shared(folder, f"{folder}.{name}.run.xz") for name in NAMES
    }


@pytest.mark.filterwarnings(OLD_WARNING)
@pytest.mark.parametrize("test", ["permutation", "t", "wilcoxon", "sign"])
def test_p_values_are_scipys_on_real_runs(collection, test):
    if test == "wilcoxon" and OLD_CHOICE:
        pytest.skip("SciPy before 1.13 took ties for none")
    comparison = irb.compare(*collection, "AP P@10 nDCG@10", test=test, rng=SEED)
    assert len(comparison.differences) == 18
    for one in comparison.differences:
        measure = comparison.measures.index(one.measure)
        first, second = (
            comparison.values[comparison.runs.index(name), :, measure]
            for name in (one.run, one.against)
        )
        assert one.p_value == pytest.approx(scipy_p(test, first, second), rel=1e-12), (
            one.measure,
            one.run,
        )
        assert one.difference == pytest.approx(first.mean() - second.mean(), abs=1e-15)


def test_the_bootstrap_is_its_slow_twin_on_real_runs(collection):
    """Studentised, symmetric: on SciPy's draws, t of each resample one by one."""
    comparison = irb.compare(*collection, "AP P@10", test="bootstrap", rng=SEED, resamples=299)
    for one in comparison.differences:
        measure = comparison.measures.index(one.measure)
        first, second = (
            comparison.values[comparison.runs.index(name), :, measure]
            for name in (one.run, one.against)
        )
        draws = np.random.default_rng(SEED).integers(0, len(first), (299, len(first)))
        p_value, low, high = ref.bootstrap_t((first - second).tolist(), draws.tolist(), 0.05)
        assert one.p_value == p_value
        assert (one.low, one.high) == pytest.approx((low, high), rel=1e-9)


def test_the_bootstraps_draws_are_scipys():
    values = np.random.default_rng(3).normal(size=40)
    means = np.sort(
        [values[row].mean() for row in np.random.default_rng(SEED).integers(0, 40, (199, 40))]
    )
    theirs = stats.bootstrap((values,), np.mean, n_resamples=199, **seeded()).bootstrap_distribution
    assert means == pytest.approx(np.sort(theirs), rel=1e-12)


def test_fishers_and_darwins_numbers():
    """Fisher 1935: 863 of 32,768 sums; t = 2.148.  Wilcoxon and signs by counting all changes of
    sign."""
    darwin = np.array(ref.DARWIN, float)
    one = of_differences(darwin, resamples=2**15)
    assert one.p_value == 2 * 863 / 32768
    student = of_differences(darwin, test="t")
    assert (student.statistic, student.p_value) == (
        pytest.approx(2.148, abs=5e-4),
        pytest.approx(0.0497, abs=5e-5),
    )
    assert of_differences(darwin, test="sign").p_value == pytest.approx(
        float(ref.sign_p(ref.DARWIN)), rel=1e-12
    )
    distinct = darwin + np.arange(15) / 100
    assert of_differences(distinct, test="wilcoxon").p_value == pytest.approx(
        float(ref.signed_rank_p(distinct.tolist())), rel=1e-12
    )


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(-4, 4), min_size=1, max_size=8))
def test_small_samples_are_counted_out(tenths):
    """All sign changes of up to 8 queries, sums that tie among them."""
    one = of_differences(np.array(tenths) / 10)
    assert one.p_value == pytest.approx(float(ref.randomisation_p(tenths)), rel=1e-12)
    assert (one.wins, one.losses, one.same) == (
        sum(d > 0 for d in tenths),
        sum(d < 0 for d in tenths),
        tenths.count(0),
    )


@pytest.mark.parametrize(
    ("n", "alpha"), [(6, 0.05), (12, 0.05), (40, 0.05), (40, 0.2), (300, 0.01)]
)
def test_the_permutation_interval_holds_what_scipy_does_not_reject(n, alpha):
    differences = np.random.default_rng(n).normal(0.1, 1, n)
    outcome = permutation(differences[:, None], Plan(alpha, 999, SEED))

    def p_at(shift):
        return stats.permutation_test(
            (differences - shift,),
            np.mean,
            permutation_type="samples",
            vectorized=True,
            n_resamples=999,
            **seeded(),
        ).pvalue

    low, high = outcome.low[0], outcome.high[0]
    step = 1e-9
    assert p_at(low + step) >= alpha
    assert p_at(high - step) >= alpha
    assert p_at(low - step) < alpha
    assert p_at(high + step) < alpha


@pytest.mark.parametrize(
    ("test", "n", "alpha"),
    [
        ("wilcoxon", 6, 0.05),
        ("wilcoxon", 25, 0.05),
        ("wilcoxon", 50, 0.1),
        ("wilcoxon", 80, 0.05),
        ("sign", 6, 0.05),
        ("sign", 25, 0.05),
        ("sign", 80, 0.1),
    ],
)
def test_rank_intervals_hold_what_scipy_does_not_reject(test, n, alpha):
    differences = np.random.default_rng(n).normal(0.3, 1, n)
    outcome = TESTS[test](differences[:, None], Plan(alpha, 999, SEED))

    def p_at(shift):
        moved = differences - shift
        return (
            stats.wilcoxon(moved).pvalue
            if test == "wilcoxon"
            else stats.binomtest(int((moved > 0).sum()), n).pvalue
        )

    for end, outwards in ((outcome.low[0], -1e-9), (outcome.high[0], 1e-9)):
        assert p_at(end - outwards) >= alpha
        assert p_at(end + outwards) < alpha


def test_few_queries_have_no_interval():
    for test in ("permutation", "wilcoxon", "sign"):
        one = of_differences([0.1, 0.2, 0.3, 0.4, 0.5], test=test)
        assert (one.low, one.high, one.p_value) == (-math.inf, math.inf, 0.0625)


def test_walsh_averages_by_bisection_are_those_of_all_pairs(monkeypatch):
    values = np.random.default_rng(3).normal(size=60).round(2)
    pairs = np.sort([(values[i] + values[j]) / 2 for i in range(60) for j in range(i, 60)])
    monkeypatch.setattr("irbounds.comparison.paired_tests.LONGEST_WALSH", 10)
    places = [0, 17, 900, len(pairs) - 1]
    assert _walsh(values, places) == pytest.approx(pairs[places], abs=1e-14)


def test_holm_and_bonferroni():
    p_values = [0.01, 0.04, 0.03, 0.005, 0.9, 0.04]
    assert adjust(np.array(p_values), "holm") == pytest.approx(
        [float(p) for p in ref.holm(p_values)], rel=1e-12
    )
    assert adjust(np.array(p_values), "bonferroni") == pytest.approx(
        [0.06, 0.24, 0.18, 0.03, 1, 0.24]
    )
    with_nan = adjust(np.array([0.01, math.nan, 0.02]), "holm")
    assert with_nan[[0, 2]] == pytest.approx([0.02, 0.02])
    assert math.isnan(with_nan[1])


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_is_between_none_and_bonferroni(p_values):
    p = np.array(p_values)
    adjusted = adjust(p, "holm")
    assert adjusted == pytest.approx([float(x) for x in ref.holm(p_values)], rel=1e-12)
    assert (adjusted >= p).all()
    assert (adjusted <= adjust(p, "bonferroni")).all()


def test_families():
    rng = np.random.default_rng(5)
    named = evaluations(rng.normal(size=(3, 20, 2)) + np.arange(3)[:, None, None] / 2, ("AP", "RR"))
    by_measure = irb.compare_evaluations(named, test="t", correction="bonferroni", family="measure")
    over_all = irb.compare_evaluations(named, test="t", correction="bonferroni")
    assert (by_measure.family, over_all.family) == ("measure", "all")
    for one, other in zip(by_measure.differences, over_all.differences, strict=True):
        assert one.adjusted_p_value == min(1, 3 * one.p_value)
        assert other.adjusted_p_value == min(1, 6 * one.p_value)
        assert (one.low > 0 or one.high < 0) == (one.adjusted_p_value < 0.05)
        assert other.high - other.low > one.high - one.low


TABLE = [(5, 3, 2), (1, 4, 2), (8, 2, 3), (6, 5, 1), (9, 7, 5)]


def systems_of(table):
    return np.array(table, float).T[:, None, :]


def pair_differences(table):
    means = np.array(table, float).mean(axis=0)
    return np.array([[means[j] - means[i]] for i, j in ((0, 1), (0, 2), (1, 2))])


def test_randomised_tukey_counts_every_shuffle():
    honest = randomised(systems_of(TABLE), pair_differences(TABLE), Plan(0.05, 10_000, SEED))
    expected = ref.randomised_tukey_p(TABLE)
    assert honest.p_value[:, 0] == pytest.approx(
        [float(expected[pair]) for pair in ((0, 1), (0, 2), (1, 2))]
    )


def test_randomised_tukey_is_scipys_permutation_test():
    values = np.random.default_rng(2).normal(size=(4, 30)) + np.arange(4)[:, None] / 3

    def spread(*samples, axis):
        means = np.stack([sample.mean(axis=axis) for sample in samples])
        return means.max(axis=0) - means.min(axis=0)

    comparison = irb.compare_evaluations(
        evaluations(values), correction="tukey", rng=SEED, resamples=999
    )
    widest = max(comparison.differences, key=lambda one: abs(one.difference))
    assert (
        widest.p_value
        == stats.permutation_test(
            tuple(values),
            spread,
            permutation_type="samples",
            vectorized=True,
            alternative="greater",
            n_resamples=999,
            **seeded(),
        ).pvalue
    )
    assert all(
        (one.low > 0 or one.high < 0) == one.is_significant for one in comparison.differences
    )


def test_two_way_tukey():
    systems = systems_of(TABLE)
    assert residual_deviation(systems)[0] ** 2 == pytest.approx(
        float(ref.residual_variance(TABLE)), rel=1e-12
    )
    honest = two_way(systems, pair_differences(TABLE), Plan(0.05, 100, SEED))
    error = math.sqrt(float(ref.residual_variance(TABLE)) / len(TABLE))
    for p_value, (difference,) in zip(honest.p_value[:, 0], pair_differences(TABLE), strict=True):
        assert p_value == pytest.approx(
            stats.studentized_range.sf(abs(difference) / error, 3, 8), rel=1e-9
        )
    # tables: q of 3 means, 8 degrees, 0.05
    assert honest.margin[0, 0] == pytest.approx(4.041 * error, rel=2e-4)


def test_tukey_of_two_runs_is_the_paired_test():
    first, second = np.random.default_rng(4).normal(size=(2, 25))
    named = evaluations([first, second])
    [one] = irb.compare_evaluations(named, test="t", correction="tukey").differences
    expected = stats.ttest_rel(second, first)
    assert one.p_value == pytest.approx(expected.pvalue, rel=1e-6)
    assert (one.low, one.high) == pytest.approx(tuple(expected.confidence_interval()), rel=1e-6)


def test_blocks_see_what_independent_samples_do_not():
    """Hard and easy queries: scipy.stats.tukey_hsd, as ranx uses it, finds nothing."""
    rng = np.random.default_rng(6)
    query = rng.normal(0, 1, 50)
    values = np.stack([query + shift + rng.normal(0, 0.1, 50) for shift in (0, 0.1, 0.2)])
    assert (stats.tukey_hsd(*values).pvalue > 0.05).all()
    assert all(
        one.is_significant
        for one in irb.compare_evaluations(
            evaluations(values), test="t", correction="tukey"
        ).differences
    )


@pytest.fixture(scope="module")
def differences_of_equal_systems():
    """AP of 500 pairs of random rankings, (queries, pairs)."""
    n_queries, n_pairs = 50, 500
    rng = np.random.default_rng(11)
    relevance = (rng.random((n_queries, 40)) < 0.2).astype(float)
    groups = np.repeat(np.arange(n_queries), 40)

    def random_run():
        return irb.rank_measures(
            rng.random(relevance.size), relevance.ravel(), "AP", groups=groups
        )["AP"]

    return np.stack([random_run() - random_run() for _ in range(n_pairs)], axis=1)


@pytest.mark.parametrize("test", ["permutation", "t", "wilcoxon", "bootstrap"])
def test_equal_systems_are_told_apart_as_rarely_as_promised(test, differences_of_equal_systems):
    """100 A/A pairs, then 400 more: P(p < 0.05) is 0.05, within what chance allows at 1e-4."""
    p_value = TESTS[test](differences_of_equal_systems, Plan(0.05, 1999, SEED)).p_value
    for part in (p_value[:100], p_value):
        low, high = stats.binom.ppf(1e-4, len(part), 0.05), stats.binom.isf(1e-4, len(part), 0.05)
        assert low <= np.count_nonzero(part < 0.05) <= high


def test_a_a_splits_of_random_runs_through_compare():
    """Runs with random scores, the test whole: 100 pairs, each by the randomisation test."""
    rng = np.random.default_rng(12)
    qrels = {f"q{q}": {f"d{d}": int(rng.random() < 0.3) for d in range(20)} for q in range(30)}
    evaluator = irb.Evaluator(qrels, "AP", bounds=True)
    few = 0
    for seed in range(100):
        runs = {
            name: {
                query: dict(zip(documents, rng.random(20), strict=True))
                for query, documents in qrels.items()
            }
            for name in ("a", "b")
        }
        evaluated = {name: evaluator.evaluate(run) for name, run in runs.items()}
        few += (
            irb.compare_evaluations(evaluated, rng=seed, resamples=999)
            .differences[0]
            .is_significant
        )
    assert stats.binom.ppf(1e-3, 100, 0.05) <= few <= stats.binom.isf(1e-3, 100, 0.05)


def test_intervals_cover_the_true_difference():
    rng = np.random.default_rng(13)
    differences = rng.exponential(1, (60, 400)) - rng.exponential(1, (60, 400)) + 0.3
    # symmetric: mean and medians are one
    for test in ("permutation", "t", "bootstrap", "wilcoxon", "sign"):
        outcome = TESTS[test](differences, Plan(0.1, 999, SEED))
        held = np.count_nonzero((outcome.low <= 0.3) & (outcome.high >= 0.3))
        assert stats.binom.ppf(1e-4, 400, 0.88) <= held <= stats.binom.isf(1e-4, 400, 0.93), test


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
@pytest.mark.filterwarnings("ignore::irbounds.FewQueriesWarning")
def test_identical_runs(test):
    """p = 1 by every test, without a warning; an interval only where no variance and no other
    values are needed."""
    one = of_differences([0.0] * 10, test=test)
    assert (one.p_value, one.difference, one.same) == (1.0, 0.0, 10)
    np.testing.assert_array_equal((one.low, one.high), ENDS_OF_NOTHING[test])
    assert (one.effect_size, one.superiority, one.is_significant) == (0.0, 0.5, False)
    assert (one.reason is not None) == (test in ("t", "bootstrap"))


@pytest.mark.filterwarnings(
    "ignore::irbounds.NoVarianceWarning", "ignore::irbounds.FewQueriesWarning"
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
        comparison = irb.compare_evaluations(named, test=test, correction="tukey", rng=1)
        assert not any(one.is_significant for one in comparison.differences)
        assert "run 1 − run 0" in repr(comparison)


@pytest.mark.parametrize("test", ["permutation", "wilcoxon", "sign"])
def test_a_constant_difference(test):
    one = of_differences([0.25] * 12, test=test)
    assert one.p_value == 2**-11 if test != "wilcoxon" else one.p_value < 0.01
    assert (one.difference, one.low, one.high, one.effect_size) == (0.25, 0.25, 0.25, math.inf)


def test_rounding_is_no_difference():
    """0.1 + 0.2 and 0.3 differ in their last bit; no query was won."""
    one = irb.compare_evaluations(evaluations([[0.3, 0.5], [0.1 + 0.2, 0.5]])).differences[0]
    assert (one.wins, one.losses, one.same, one.p_value) == (0, 0, 2, 1.0)


def test_infinite_values_go_with_the_sign_test_alone():
    qrels = {f"q{i}": {"d1": 1} for i in range(6)}
    found = {f"q{i}": {"d1": 1} for i in range(6)}
    lost = {f"q{i}": {"d2": 1} for i in range(6)}
    with pytest.raises(
        irb.InputError, match=r"ESL\(nr=1\) of 'lost' is infinite for query 'q0', so that"
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
        irb.compare_evaluations(evaluations([[0.1, 0.2], [0.1, math.nan]]))


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
            {"correction": "fdr"},
            "`correction` must be one of 'holm', 'bonferroni', 'tukey', 'dunnett'; found 'fdr'",
        ),
        (
            {"test": "sign", "correction": "tukey"},
            "correction='tukey' requires test='t' or 'permutation'; found 'sign'",
        ),
        (
            {"correction": "dunnett"},
            "correction='dunnett' requires `baseline`",
        ),
        (
            {"test": "wilcoxon", "correction": "dunnett"},
            "correction='dunnett' requires test='t' or 'permutation'; found",
        ),
        ({"family": "runs"}, "`family` must be one of 'measure', 'all'; found 'runs'"),
        (
            {"baseline": "frist"},
            "`baseline` must be one of the runs, 'first', 'second'; found 'frist', did you mean",
        ),
        ({"baseline": 2}, "`baseline` must be one of the runs"),
        ({"confidence_level": 95}, "`confidence_level` must be between 0 and 1"),
        ({"resamples": 10}, "`resamples` must be a whole number, 100 or more; found 10"),
        ({"rng": -1}, "`rng` must be 0 or more; found -1"),
        ({"rng": "x"}, "`rng` must be None, a whole number"),
        ({"ties": "name"}, "`ties` must be one of"),
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
        irb.compare_evaluations([first["run 0"], second["run 0"]])
    with pytest.raises(
        irb.InputError, match="`evaluations` must be Evaluations; found 'int' as 'evaluation 2'"
    ):
        irb.compare_evaluations([first["run 0"], 3])


def test_seeds():
    """The same seed, the same numbers; 0 unless said otherwise; a drawn one is told."""
    values = np.random.default_rng(1).normal(size=(2, 40))
    assert irb.compare_evaluations(evaluations(values)).seed == 0
    drawn = irb.compare_evaluations(evaluations(values), rng=None)
    again = irb.compare_evaluations(evaluations(values), rng=drawn.seed)
    assert drawn.differences == again.differences
    assert (
        irb.compare_evaluations(evaluations(values), rng=np.random.default_rng(3)).seed
        == irb.compare_evaluations(evaluations(values), rng=np.random.default_rng(3)).seed
    )
    assert irb.compare_evaluations(evaluations(values), test="t").seed is None


def test_columns_do_not_change_each_other():
    """One plan of resampling serves all pairs and measures: each p-value is that of the pair
    alone."""
    values = np.random.default_rng(8).normal(size=(3, 30, 2))
    for test in ("permutation", "bootstrap"):
        whole = irb.compare_evaluations(
            evaluations(values, ("AP", "RR")), test=test, rng=SEED, resamples=499
        )
        alone = irb.compare_evaluations(
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
        irb.compare_evaluations(evaluations(values), test=test, rng=1, resamples=999).differences
        for test in ("permutation", "bootstrap")
    ]
    monkeypatch.setattr("irbounds.comparison.resampling.CELLS", 64 * 40)
    parts = [
        irb.compare_evaluations(evaluations(values), test=test, rng=1, resamples=999).differences
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
    comparison = irb.compare_evaluations(evaluations([[1, 2, 3], [2, 3, 5]]))
    one = comparison.differences[0]
    assert (one.tie_bounds, one.hangs_on_ties, comparison.mean_bounds) == (None, False, None)
    assert "tie orders" not in repr(comparison)
    assert "tie_bounds.low" not in comparison.to_csv()


# Output
# ----------------------------------------------------------------------


@pytest.fixture
def comparison():
    rng = np.random.default_rng(10)
    qrels = {f"q{q}": {f"d{d}": int(d < 3) for d in range(12)} for q in range(16)}

    def run(noise):
        return {
            query: {d: round(grade + noise * rng.normal(), 1) for d, grade in documents.items()}
            for query, documents in qrels.items()
        }

    return irb.compare(
        qrels,
        {"bm25": run(2), "dense_1": run(0.5), "s&p": run(0.7)},
        "AP nDCG@5",
        rng=1,
        resamples=999,
    )


def test_a_comparison_is_frozen_and_pickles(comparison):
    with pytest.raises(AttributeError):
        comparison.test = "t"
    copy = pickle.loads(pickle.dumps(comparison))
    assert copy.differences == comparison.differences
    for own in (comparison, copy):
        with pytest.raises(ValueError, match="read-only"):
            own.values[0, 0, 0] = 1


def test_look_up(comparison):
    assert [one.measure for one in comparison["ndcg_cut_5"]] == ["nDCG@5"] * 3
    assert comparison.between("dense_1", "bm25", "AP") in comparison.differences
    with pytest.raises(irb.InputError, match="pass `measure`, one of AP, nDCG@5"):
        comparison.between("bm25", "dense_1")
    with pytest.raises(KeyError, match="'x' and 'bm25' were not compared"):
        comparison.between("x", "bm25", "AP")
    with pytest.raises(KeyError, match="RR was not compared"):
        comparison["RR"]


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_frames(comparison, backend):
    frame = comparison.to_frame(backend)
    names = list(frame.columns if backend != "pyarrow" else frame.column_names)
    assert names[:3] == ["measure", "run", "against"]
    assert frame.shape == (6, len(names))
    assert list(
        map(float, frame["p_value"].to_pylist() if backend == "pyarrow" else frame["p_value"])
    ) == [one.p_value for one in comparison.differences]
    assert comparison.to_frame(backend, rows="runs").shape == (6, 5)
    with pytest.raises(
        irb.InputError, match="`rows` must be 'runs' or 'differences'; found 'queries'"
    ):
        comparison.to_frame(backend, rows="queries")


def test_csv_and_json(comparison):
    import csv
    import io
    import json

    rows = list(csv.DictReader(io.StringIO(comparison.to_csv())))
    assert [float(row["difference"]) for row in rows] == [
        one.difference for one in comparison.differences
    ]
    assert [float(row["tie_bounds.low"]) for row in rows] == [
        one.tie_bounds.low for one in comparison.differences
    ]
    report = json.loads(comparison.to_json())
    assert (report["test"], report["seed"], report["n_queries"]) == ("permutation", 1, 16)
    assert [one["p_value"] for one in report["differences"]] == [
        one.p_value for one in comparison.differences
    ]
    assert report["runs"][0]["means"] == comparison.means["bm25"]


def test_latex(comparison):
    table = comparison.to_latex()
    assert r" & run & AP & nDCG@5 \\" in table
    assert r"b & dense\_1 & " in table
    assert r"s\&p" in table
    worse = comparison.between("dense_1", "bm25", "AP")
    assert worse.is_significant
    assert worse.difference > 0
    [line] = [line for line in table.splitlines() if line.startswith("b &")]
    assert "$^{a" in line
    differences = comparison.to_latex("differences")
    assert differences.count(r"\\") == 7
    assert "−" not in differences.split("toprule")[1]


def test_names_that_break_rows_and_tables():
    name = "a_b&c%d\\e$f#g{h}~^ <x> |\nnext"
    qrels = {f"q{q}": {"x": 1, "y": 0} for q in range(5)}
    run = {query: {"x": 1, "y": 2} for query in qrels}
    comparison = irb.compare(qrels, {name: run, "b": run}, "AP", test="t")
    row = next(line for line in comparison.to_latex().splitlines() if line.startswith("a &"))
    assert (
        r"a\_b\&c\%d\textbackslash{}e\$f\#g\{h\}\textasciitilde{}\textasciicircum{} "
        r"\textless{}x\textgreater{} "
        r"\textbar{} next &"
    ) in row
    assert any(
        line.startswith("  a_b&c%d\\e$f#g{h}~^ <x> | next  ")
        for line in comparison.to_text().splitlines()
    )
    assert name in comparison.to_csv()
    assert json.loads(comparison.to_json())["runs"][0]["run"] == name


def test_the_best_run_of_many_has_letters():
    values = np.random.default_rng(3).normal(size=(30, 12)) + np.arange(30)[:, None]
    latex = irb.compare_evaluations(evaluations(values), test="t", correction=None).to_latex()
    assert "ad & run 29 & " in latex
    assert "$^{a,aa,ab,ac,b," in latex


def test_nothing_else_warns():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for kind in (irb.FewQueriesWarning, irb.NoVarianceWarning):
            warnings.simplefilter("ignore", kind)
        warnings.filterwarnings("ignore", OLD_WARNING.partition(":")[2])
        for test in TESTS:
            for values in (
                [0.0],
                [0.1],
                [0, 0],
                [0.1, 0.1],
                [0, 0, 0.1],
                [0.1] * 60,
                [0, 0.2] * 40,
            ):
                repr(of_differences(values, test=test))
