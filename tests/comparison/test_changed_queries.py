"""Tests of signs where queries do not differ, and p-values that are raised to what signs allow."""

from itertools import permutations

import numpy as np
import pytest
from comparisons import compared
from scipy import stats

from irbounds.comparison.significance.paired_tests import Plan, sign_p_of_one_size
from irbounds.comparison.significance.table import TESTS
from irbounds.comparison.significance.tukey import randomised


def of_differences(differences, **options):
    return compared([np.zeros(len(differences)), differences], **options).differences[0]


def share_of_sign_changes(values):
    """The randomisation test's p-value from all changes of sign of whole numbers."""
    sums = np.zeros(1, np.int64)
    for value in values:
        sums = np.concatenate([sums - value, sums + value])
    total = sum(values)
    return min(1.0, 2 * min((sums <= total).mean(), (sums >= total).mean()))


@pytest.mark.parametrize("unchanged", [0, 3, 400])
def test_unchanged_queries_do_not_matter(unchanged):
    """With up to 16 queries that differ all sign changes count, whatever `resamples` says.  Before,
    8 of 1,000 queries had a drawn p, which could turn a value at the edge into a star."""
    rng = np.random.default_rng(unchanged)
    columns = np.zeros((40, unchanged + 16))
    for column, changed in zip(columns, [*range(17)] * 3, strict=False):
        places = rng.permutation(len(column))[:changed]
        # eighths subtract without rounding, and often tie
        column[places] = (
            rng.choice([1, -1], changed, p=[0.8, 0.2]) * rng.integers(1, 9, changed) / 8
        )
    whole = (8 * columns).astype(np.int64)
    exact = [share_of_sign_changes(row[row != 0].tolist()) for row in whole]
    found = TESTS["permutation"](columns.T, Plan(0.05, 999, 1))
    assert found.p_value == pytest.approx(exact, rel=1e-12)
    ranked = TESTS["wilcoxon"](columns.T, Plan(0.05, 999, 1))
    signs = sign_p_of_one_size(columns.T)
    for row, p_value, sign_p in zip(whole, ranked.p_value, signs, strict=True):
        doubled = 2 * stats.rankdata(np.abs(row[row != 0])) * np.sign(row[row != 0])
        expected = share_of_sign_changes(doubled.astype(np.int64).tolist())
        assert p_value == pytest.approx(max(expected, sign_p), rel=1e-12)
    for one in (
        of_differences(columns[9], rng=seed, resamples=200) for seed in (1, 2)
    ):  # drawn intervals agree with counted p-values
        assert one.p_value == pytest.approx(exact[9], rel=1e-12)
        assert (one.low > 0 or one.high < 0) == (one.p_value < 0.05)


@pytest.mark.parametrize("baseline", [None, 0])
def test_unchanged_queries_do_not_matter_to_all_systems_together(baseline):
    """Two systems with 16 queries that differ, three with 5; every measure by itself."""
    rng = np.random.default_rng(4)
    for systems, changed in ((2, 16), (3, 5)):
        values = np.zeros((systems, 2, 60)) + rng.random(60)
        for measure in (0, 1):
            places = rng.permutation(60)[: changed - measure]
            values[:, measure, places] = rng.integers(0, 9, (systems, len(places))) / 8
        means = values.mean(axis=2)
        pairs = [(0, other) for other in range(1, systems)]
        differences = np.array([means[other] - means[first] for first, other in pairs])
        found = randomised(values, differences, Plan(0.05, 999, 1), baseline)
        for j in (0, 1):
            moved = values[:, j][:, np.ptp(values[:, j], axis=0) > 0]
            sums = np.zeros((1, systems))
            for row in moved.T:
                orders = np.array([*permutations(row)])
                sums = (sums[:, None] + orders).reshape(-1, systems)
            spreads = (
                np.ptp(sums, axis=1) if baseline is None else np.abs(sums - sums[:, :1]).max(axis=1)
            )
            for pair in range(len(pairs)):
                exact = (spreads >= abs(differences[pair, j]) * 60 - 1e-9).mean()
                assert found.p_value[pair, j] == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize(("test", "own"), [("t", 0.0047), ("wilcoxon", 2 / 2**7)])
def test_a_p_value_that_is_raised_is_marked(test, own):
    """20 queries, 7 with +0.5: t printed the sign test's p, unmarked, beside its own statistic."""
    differences = np.array([0.5] * 7 + [0.0] * 13)
    one = of_differences(differences, test=test, correction=None)
    assert one.p_value == 2 / 2**7
    assert one.has_raised_p == one.to_dict()["has_raised_p"] == (own < one.p_value)
    if test == "t":
        assert 2 * stats.t.sf(one.statistic, 19) == pytest.approx(own, abs=5e-5)
    comparison = compared([np.zeros(20), differences], test=test, correction=None)
    for text in (repr(comparison), comparison.to_latex("differences")):
        assert ("p is raised to that of the sign test" in text) == one.has_raised_p
    assert ("0.0156 ¶ *" in repr(comparison)) == one.has_raised_p
    assert not of_differences(np.arange(1.0, 9.0), test=test).has_raised_p
