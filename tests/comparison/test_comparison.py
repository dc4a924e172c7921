"""Comparison of runs: p-values are SciPy's, intervals fit their tests, and corrections hold."""

import inspect
import math

import numpy as np
import pytest
from comparisons import OLD_WARNING, SEED, evaluations, of_differences
from data import SHARED, shared
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import comparison as ref
from scipy import stats
from sizes import long, only

import irbounds as irb
from irbounds._core.draws.query_draws import bootstrap_shares
from irbounds.comparison import compare_evaluations
from irbounds.comparison.significance.corrections import adjust
from irbounds.comparison.significance.paired_tests import Plan, _walsh
from irbounds.comparison.significance.paired_tests import permutation_test as permutation
from irbounds.comparison.significance.table import TESTS
from irbounds.comparison.significance.tukey import randomised, residual_deviation, two_way

COLLECTIONS = ("adi", "cisi", "med")
NAMES = ("clm", "btf", "tfidf", "prob")
# SciPy before 1.13 counted exactly in other cases
OLD_CHOICE = "method" not in inspect.signature(stats.wilcoxon).parameters


def seeded():
    """The seed, as SciPy is told: by `rng`, before 1.15 by `random_state`."""
    is_new = "rng" in inspect.signature(stats.permutation_test).parameters
    return {"rng" if is_new else "random_state": np.random.default_rng(SEED)}


def scipy_p(test, first, second):
    """SciPy's p-value; tests of signs and ranks get the queries that differ where they are few."""
    is_changed = first != second
    if test == "wilcoxon" or (test == "permutation" and is_changed.sum() <= 16):
        first, second = first[is_changed], second[is_changed]
    if test == "wilcoxon" and 13 < len(first) <= 16:  # it would take ties for too many to count
        every = stats.PermutationMethod(n_resamples=np.inf)
        return stats.wilcoxon(first, second, method=every).pvalue
    if test == "permutation":
        return stats.permutation_test(
            (first, second),
            lambda x, y, axis: np.mean(x - y, axis=axis),
            vectorized=True,
            permutation_type="samples",
            n_resamples=np.inf if len(first) <= 16 else 9999,
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


@pytest.mark.parametrize("n", [1, 2, 7, 65_537, long(3_000_001)])
def test_shares_of_queries_are_those_of_numpys_draws(n):
    """The stream goes on from one batch to the next; of 3,000,001 numbers one in 1,400 is drawn
    again."""
    rows = 3 if n > 1000 else 200
    rng = np.random.default_rng(SEED)
    draws = [rng.integers(0, n, n) for _ in range(rows)]
    found = bootstrap_shares(n, rows, 2, np.random.default_rng(SEED).bit_generator)
    shares = [row.copy() for batch in found for row in batch]
    assert len(shares) == rows
    for share, places in zip(shares, draws, strict=True):
        np.testing.assert_array_equal(share, np.bincount(places, minlength=n) / n)


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
    monkeypatch.setattr("irbounds.comparison.significance.paired_tests.LONGEST_WALSH", 10)
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
    by_measure = compare_evaluations(named, test="t", correction="bonferroni", family="measure")
    over_all = compare_evaluations(named, test="t", correction="bonferroni")
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

    comparison = compare_evaluations(
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
    [one] = compare_evaluations(named, test="t", correction="tukey").differences
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
        for one in compare_evaluations(
            evaluations(values), test="t", correction="tukey"
        ).differences
    )


def test_intervals_cover_the_true_difference():
    rng = np.random.default_rng(13)
    differences = rng.exponential(1, (60, 400)) - rng.exponential(1, (60, 400)) + 0.3
    # symmetric: mean and medians are one
    for test in ("permutation", "t", "bootstrap", "wilcoxon", "sign"):
        outcome = TESTS[test](differences, Plan(0.1, 999, SEED))
        held = np.count_nonzero((outcome.low <= 0.3) & (outcome.high >= 0.3))
        assert stats.binom.ppf(1e-4, 400, 0.88) <= held <= stats.binom.isf(1e-4, 400, 0.93), test
