"""Dunnett's test on queries as blocks: its law, its randomised form, and what `compare` makes of a
baseline."""

import inspect
import math

import numpy as np
import pytest
from comparisons import compared, evaluations
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import comparison as ref
from scipy import stats
from sizes import only

import irbounds as irb
from irbounds.comparison.significance.paired_tests import Plan
from irbounds.comparison.significance.tukey import dunnett_quantile, dunnett_sf, randomised, two_way

TABLE = [(5, 3, 2), (1, 4, 2), (8, 2, 3), (6, 5, 1), (9, 7, 5)]


def systems_of(table):
    return np.array(table, float).T[:, None, :]


@pytest.mark.parametrize(
    ("others", "freedom", "point"),
    [(2, 5, 3.03), (2, 10, 2.57), (3, 10, 2.76), (2, 20, 2.38), (4, 20, 2.65)],
)
def test_points_are_dunnetts_1964(others, freedom, point):
    """Two-sided points at 0.05, Biometrics 20, table II."""
    assert dunnett_quantile(0.05, others, freedom) == pytest.approx(point, abs=0.0051)


@pytest.mark.parametrize(
    ("t", "others", "freedom"),
    [(2.0, 2, 5), (5.0, 9, 9), (300.0, 2, 2), (5.0, 300, 3000), (40.0, 2, 7), (25.0, 3, 50_000)],
)
def test_the_law_is_its_slow_twin(t, others, freedom):
    assert dunnett_sf(t, others, freedom) == pytest.approx(
        ref.many_to_one_tail(t, others, freedom), rel=1e-10
    )


def test_the_law_is_the_multivariate_t():
    """Drawn: a million rows of normals with one common part, over a common chi."""
    rng = np.random.default_rng(1)
    normal = rng.normal(size=(10**6, 5))
    t = (normal[:, 1:] - normal[:, :1]) / np.sqrt(2 * rng.chisquare(12, (10**6, 1)) / 12)
    beyond = np.count_nonzero(np.abs(t).max(axis=1) > 2.5)
    assert (
        stats.binom.ppf(1e-6, 10**6, dunnett_sf(2.5, 4, 12))
        <= beyond
        <= stats.binom.isf(1e-6, 10**6, dunnett_sf(2.5, 4, 12))
    )


@pytest.mark.quick_examples(20)
@settings(max_examples=60, deadline=None)
@given(st.floats(1e-8, 0.5), st.integers(1, 60), st.floats(0, 12))
def test_quantiles_invert_the_law_between_one_test_and_bonferroni(alpha, others, size):
    freedom = math.ceil(others * 2**size)
    point = dunnett_quantile(alpha, others, freedom)
    assert dunnett_sf(point, others, freedom) == pytest.approx(alpha, rel=1e-9)
    one, all_apart = (float(stats.t.isf(tail, freedom)) for tail in (alpha / 2, alpha / 2 / others))
    assert one * (1 - 1e-9) <= point <= all_apart * (1 + 1e-9)


def test_two_runs_are_the_paired_test():
    first, second = np.random.default_rng(4).normal(size=(2, 25))
    [one] = compared([first, second], test="t", correction="dunnett", baseline=0).differences
    expected = stats.ttest_rel(second, first)
    assert (one.statistic, one.p_value) == pytest.approx(
        (expected.statistic, expected.pvalue), rel=1e-10
    )
    assert (one.low, one.high) == pytest.approx(tuple(expected.confidence_interval()), rel=1e-9)


@pytest.mark.long
@pytest.mark.parametrize("baseline", only([1], [0, 1, 2]))
def test_randomised_dunnett_counts_every_shuffle(baseline):
    means = np.mean(TABLE, axis=0)
    others = [i for i in range(3) if i != baseline]
    differences = np.array([[means[i] - means[baseline]] for i in others])
    honest = randomised(systems_of(TABLE), differences, Plan(0.05, 10_000, 1), baseline)
    expected = ref.randomised_dunnett_p(TABLE, baseline)
    assert honest.p_value[:, 0] == pytest.approx([float(expected[i]) for i in others])


def test_drawn_shuffles_are_those_of_scipy():
    values = np.random.default_rng(2).normal(size=(4, 30)) + np.arange(4)[:, None] / 3

    def distance(*samples, axis):
        means = np.stack([sample.mean(axis=axis) for sample in samples])
        return np.abs(means - means[1]).max(axis=0)

    comparison = compared(values, correction="dunnett", baseline=1, rng=7, resamples=999)
    farthest = max(comparison.differences, key=lambda one: abs(one.difference))
    name = (
        "rng" if "rng" in inspect.signature(stats.permutation_test).parameters else "random_state"
    )
    assert (
        farthest.p_value
        == stats.permutation_test(
            tuple(values),
            distance,
            permutation_type="samples",
            vectorized=True,
            alternative="greater",
            n_resamples=999,
            **{name: np.random.default_rng(7)},
        ).pvalue
    )


def test_issue_16_tukey_with_a_baseline_is_dunnetts():
    """Fewer pairs, less to pay for: D5."""
    values = np.random.default_rng(3).normal(size=(5, 40)) + np.arange(5)[:, None] / 5
    tukey = compared(values, test="t", correction="tukey")
    dunnett = compared(values, test="t", correction="tukey", baseline=0)
    assert dunnett.correction == "dunnett"
    assert "Dunnett's test, two-way" in repr(dunnett)
    assert "Tukey's HSD is for all pairs" in repr(dunnett)
    assert (
        dunnett.differences
        == compared(values, test="t", correction="dunnett", baseline=0).differences
    )
    for one in dunnett.differences:
        other = tukey.between(one.run, one.against)
        assert one.p_value < other.p_value
        assert one.high - one.low < other.high - other.low


@pytest.mark.nightly
@pytest.mark.long
@pytest.mark.parametrize("test", ["t", "permutation"])
def test_the_family_holds_its_level(test):
    """Four runs like the baseline, 400 times: a false claim in 5 % of them, within what chance
    allows at 1e-4."""
    rng = np.random.default_rng(8)
    values = rng.normal(size=(400, 5, 12)) + rng.normal(size=(400, 1, 12))
    false = sum(
        any(
            one.is_significant
            for one in compared(
                own, test=test, correction="dunnett", baseline=0, resamples=199
            ).differences
        )
        for own in values
    )
    assert stats.binom.ppf(1e-4, 400, 0.05) <= false <= stats.binom.isf(1e-4, 400, 0.05)


@pytest.mark.parametrize("correction", ["tukey", "dunnett"])
@pytest.mark.parametrize("test", ["t", "permutation"])
def test_issue_16_joint_tests_of_several_measures_are_one_family(test, correction):
    values = np.random.default_rng(5).normal(size=(3, 20, 2)) + np.arange(3)[:, None, None] / 2
    options = {
        "test": test,
        "correction": correction,
        "resamples": 999,
        "baseline": 0 if correction == "dunnett" else None,
    }
    by_measure = compared(values, ("AP", "RR"), family="measure", **options)
    over_all = compared(values, ("AP", "RR"), **options)
    assert over_all.family == "all"
    for one, other in zip(by_measure.differences, over_all.differences, strict=True):
        assert (one.p_value, one.adjusted_p_value) == (other.p_value, one.p_value)
        assert other.adjusted_p_value == min(1.0, 2 * one.p_value)
        assert other.high - other.low > one.high - one.low
        for each in (one, other):
            assert (each.low > 0 or each.high < 0) == (each.adjusted_p_value < 0.05)
    assert "times the number of measures" in repr(over_all)


def test_issue_15_no_residual_is_no_certainty():
    """Every query moves all runs alike: p = 0 and an interval of no width before."""
    query = np.linspace(0.1, 0.5, 8)
    values = [query, query, query + 0.25]
    for options in ({"correction": "tukey"}, {"correction": "dunnett", "baseline": 0}):
        with pytest.warns(
            irb.warnings.NoVarianceWarning,
            match="equal on all queries have no variance; no p-value",
        ):
            comparison = irb.comparison.compare_evaluations(
                evaluations(values), test="t", **options
            )
        same, apart = comparison.between("run 1", "run 0"), comparison.between("run 2", "run 0")
        assert (same.p_value, same.is_significant) == (1.0, False)
        assert not apart.is_significant
        assert all(
            map(
                math.isnan, (apart.p_value, apart.adjusted_p_value, apart.low, apart.high, same.low)
            )
        )
        assert "‡ differences that are equal on all queries have no variance" in repr(comparison)


def test_one_query_has_no_residual():
    honest = two_way(
        np.array([[[0.1]], [[0.2]], [[0.4]]]), np.array([[0.1], [0.3]]), Plan(0.05, 100, 0), 0
    )
    assert np.isnan(honest.p_value).all()
    assert np.isnan(honest.margin).all()


@pytest.mark.parametrize("correction", ["tukey", "dunnett"])
def test_too_few_queries_for_a_claim_give_no_ends(correction):
    """Two runs, five queries: p is 2^-4 at least.  Three runs on three: 6 of 6^3 shuffles are most
    extreme."""
    values = np.random.default_rng(6).normal(size=(3, 5)) + np.arange(3)[:, None] * 100
    baseline = 0 if correction == "dunnett" else None
    [one] = compared(values[:2], correction=correction, baseline=baseline).differences
    assert (one.p_value, one.low, one.high) == (2**-4, -math.inf, math.inf)
    farthest = compared(values[:, :3], correction=correction, baseline=baseline).between(
        "run 2", "run 0"
    )
    assert farthest.p_value < 0.05
    assert 0 < farthest.low < farthest.high < math.inf
    same = compared([values[0], values[0]], correction=correction, baseline=baseline).differences[0]
    assert (same.p_value, same.low, same.high) == (1.0, 0.0, 0.0)
