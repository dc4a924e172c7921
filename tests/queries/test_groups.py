"""Intervals of means over queries in groups, and how many queries these need."""

import math
import warnings

import numpy as np
import pytest

import irbounds as irb
from irbounds.queries.groups import GroupedMeans, Groups, freedom_of
from irbounds.queries.student import quantile

WORKED = [  # values, groups, standard error, degrees of freedom
    ("1 0 1 1 0 0 1 1", "aabbbccd", 0.0742021050, 2.6033057851),
    (".2 .4 .9 .8 .7 .1 .3 .3 .2 .6", "aabbbccccd", 0.175, 2.3924050633),
]
SIZES = np.array([2, 5, 9, 1, 14, 3, 3, 40, 7, 2])


def grouped(rng, sizes, columns=1, shared=0.5):
    codes = np.repeat(np.arange(len(sizes)), sizes)
    common = rng.normal(size=(len(sizes), columns))[codes] * math.sqrt(shared)
    return codes, common + rng.normal(size=(len(codes), columns)) * math.sqrt(1 - shared)


@pytest.mark.parametrize(("values", "labels", "error", "freedom"), WORKED)
def test_cr2_has_the_error_and_the_freedom_of_worked_examples(values, labels, error, freedom):
    x = np.array(values.split(), float)
    groups = Groups.of(list(labels), len(x))
    means = GroupedMeans.of(x[:, None], groups)
    found = freedom_of(groups.sizes, 0.0)
    assert means.error[0] == pytest.approx(error, abs=1e-10)
    assert found == pytest.approx(freedom, abs=1e-10)
    if labels == WORKED[0][1]:
        reach = quantile(found, 0.025) * means.error[0]
        ends = means.mean[0] - reach, means.mean[0] + reach
        assert ends == pytest.approx((0.3671342557, 0.8828657443), abs=1e-9)


@pytest.mark.parametrize("correlation", [0.0, 0.3, 1.0])
def test_freedom_is_that_of_the_matrix(correlation):
    h = SIZES / SIZES.sum()
    root = np.diag((1 - h) ** -0.5)
    residual = np.eye(len(h)) - np.outer(h, np.ones(len(h)))
    inner = np.diag(SIZES * (1 + (SIZES - 1) * correlation))
    matrix = root @ residual @ inner @ residual.T @ root
    expected = np.trace(matrix) ** 2 / np.trace(matrix @ matrix)
    assert freedom_of(SIZES.astype(float), correlation) == pytest.approx(expected, rel=1e-12)


def test_margins_solve_the_score_test_of_skewed_sums():
    rng, kinds = np.random.default_rng(3), set()
    for _ in range(40):
        codes = np.repeat(np.arange(7), rng.permutation(SIZES[:7]))
        x, groups = rng.exponential(size=(len(codes), 1)), Groups(codes)
        means = GroupedMeans.of(x, groups)
        # from the definition: the third moment of the terms of the mean, as of so many groups
        n, error = max(groups.freedom + 1, 3.0), float(means.error[0])
        terms = np.bincount(codes, x[:, 0] - x.mean()) / len(x)
        skewness = (terms**3).sum() * n**0.5 / error**3 * n * n / ((n - 1) * (n - 2))
        t = quantile(groups.freedom, 0.025)
        for sign, margin in zip((-1, 1), means.margins(0.025), strict=True):
            away = np.linspace(t * error, 1.5 * t * error, 4001)
            variance = error**2 + sign * 2 * skewness / (3 * n**0.5) * error * away
            holds = away**2 <= t * t * variance * (1 + 1e-12)
            furthest = away[holds].max(initial=t * error)
            assert margin[0] == pytest.approx(furthest, rel=2e-4)
            kinds.add(int(np.searchsorted([1.001, 1.499], margin[0] / (t * error))))
    assert kinds == {0, 1, 2}  # Student's, further, and as far as may be


def test_tails_belong_to_the_ends():
    rng = np.random.default_rng(8)
    for _ in range(30):
        codes, x = grouped(rng, rng.integers(1, 30, rng.integers(3, 12)))
        groups = Groups(codes)
        means = GroupedMeans.of(x, groups)
        for tail in (0.025, 0.2):
            below, above = means.margins(tail)
            if groups.are_equal:
                continue
            ends = float(means.mean[0] - below[0]), float(means.mean[0] + above[0])
            assert means.tails(ends[0])[0][0] == pytest.approx(tail, rel=1e-7)
            assert means.tails(ends[1])[0][1] == pytest.approx(tail, rel=1e-7)


@pytest.mark.parametrize("method", [None, "t", "hall", "wilson", "jeffreys", "bca", "gaffke"])
def test_groups_of_one_size_have_the_interval_of_their_means(method):
    x = np.random.default_rng(2).random((60, 2))
    codes = np.arange(60) % 12
    of_means = x.reshape(5, 12, 2).mean(axis=0)
    found = irb.mean_interval(x, method=method, limits=(0, 1), groups=codes)
    expected = irb.mean_interval(of_means, method=method, limits=(0, 1))
    for end in ("estimate", "low", "high"):
        assert getattr(found, end) == pytest.approx(getattr(expected, end), rel=1e-12)
    assert found.method == expected.method
    assert found.n_groups == 12
    alone = irb.mean_interval(x, method=method, limits=(0, 1))
    ratio = (found.high - found.low) / (alone.high - alone.low)
    assert found.inflation == pytest.approx(ratio)


def test_queries_of_their_own_are_as_without_groups():
    x = np.random.default_rng(4).random(40)
    for groups in (range(40), [None] * 40, [math.nan] * 40):
        found, expected = irb.mean_interval(x, groups=groups), irb.mean_interval(x)
        assert found.to_dict() == expected.to_dict()
        assert "n_groups" not in found.to_dict()


@pytest.mark.filterwarnings("ignore::irbounds.warnings.FewQueriesWarning")
def test_ends_stay_within_the_limits():
    rng = np.random.default_rng(6)
    for _ in range(40):
        sizes = rng.integers(1, 41, rng.integers(2, 9))
        x = (rng.random(sizes.sum()) < rng.choice([0.05, 0.5, 0.97])).astype(float)
        codes = np.repeat(np.arange(len(sizes)), sizes)
        found = irb.mean_interval(x, groups=codes, limits=(0, 1))
        assert 0 <= found.low <= found.estimate <= found.high <= 1
        assert found.low < found.high


def test_few_groups_get_a_caution_that_says_what_they_cost():
    with pytest.warns(irb.warnings.FewQueriesWarning, match=r"4 groups.* times as wide"):
        irb.mean_interval([1, 0, 1, 1, 0, 0, 1, 1], groups=list("aabbbccd"))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"groups": [1, 2]}, "a group for each of the 4 values; found 2"),
        ({"groups": {"a": 1}}, "a group for each value"),
        ({"groups": [1, 1, 2, 1], "method": "bca"}, "'t' and 'widened-t' take others"),
        ({"groups": [1, 1, 2, 2], "statistic": "median"}, "the median takes no `groups`"),
    ],
)
def test_groups_that_do_not_fit_are_refused(options, said):
    with pytest.raises(irb.InputError, match=said):
        irb.mean_interval([0.1, 0.2, 0.3, 0.4], **options)


@pytest.mark.filterwarnings("ignore::irbounds.warnings.FewQueriesWarning")
@pytest.mark.parametrize("limits", [None, (0, 1)])
@pytest.mark.parametrize("n", [9, 20])
def test_coverage_where_large_groups_score_less(n, limits):
    rng = np.random.default_rng(n)
    held, count, weighted, total = 0.0, 60, 0.0, 0.0
    laws = rng.geometric(1 / 8, 20000).clip(1, 40)
    target = (laws * 1 / (1 + (laws / 8) ** 0.6)).sum() / laws.sum()
    for _ in range(count):
        sizes = rng.geometric(1 / 8, n).clip(1, 40)
        codes = np.repeat(np.arange(n), sizes)
        mean = 1 / (1 + (sizes / 8) ** 0.6)
        chance = rng.beta(mean * 4, (1 - mean) * 4, (10, n))[:, codes]  # a correlation of 0.2
        x = (rng.random(chance.shape) < chance).astype(float).T
        found = irb.mean_interval(x, groups=codes, limits=limits)
        held += np.mean((found.low <= target) & (target <= found.high)) / count
        weighted, total = weighted + x.sum(), total + x.size
    assert weighted / total == pytest.approx(target, abs=0.05)
    assert held >= 0.92  # 0.95 and more, of 60 samples of sizes


@pytest.mark.filterwarnings("ignore::irbounds.warnings.FewQueriesWarning")
def test_coverage_where_samples_lack_the_few_large_groups():
    rng, n, count, held = np.random.default_rng(1), 20, 60, 0.0
    law = (1 + rng.geometric(1 / 7, 10**5)).clip(2, 40)  # one in 15 has 20 queries or more
    target = (law * np.where(law >= 20, 0.15, 0.85)).sum() / law.sum()
    for _ in range(count):
        sizes = rng.choice(law, n)
        codes = np.repeat(np.arange(n), sizes)
        mean = np.where(sizes >= 20, 0.15, 0.85)[:, None].repeat(4, axis=1)
        chance = rng.beta(mean, 1 - mean)[codes]  # a correlation of 0.5
        x = (rng.random(chance.shape) < chance).astype(float)
        found = irb.mean_interval(x, groups=codes, limits=(0, 1))
        held += np.mean((found.low <= target) & (target <= found.high)) / count
    assert held >= 0.92  # 0.97 of 3,600 samples, 0.89 of 500 with the chances of single queries


def test_queries_in_groups_need_as_many_more_as_the_design_effect_says():
    alone = irb.queries_needed(difference=0.02, sd=0.11)
    found = irb.queries_needed(difference=0.02, sd=0.11, group_size=10, correlation=0.3)
    assert alone * 3.7 <= found <= alone * 3.7 + 20  # Student's t of 90 groups is wider
    assert irb.queries_needed(difference=0.02, sd=0.11, group_size=1, correlation=0.3) == alone
    back = irb.queries.detectable_difference(found, sd=0.11, group_size=10, correlation=0.3)
    assert back == pytest.approx(0.02, rel=0.01)
    codes, x = grouped(np.random.default_rng(1), np.full(400, 10))
    of_pilot = irb.queries_needed(difference=0.2, pilot=x[:, 0], groups=codes)
    given = irb.queries_needed(difference=0.2, sd=x.std(), group_size=10, correlation=0.5)
    assert of_pilot == pytest.approx(given, rel=0.1)
    with pytest.raises(irb.InputError, match="both of them"):
        irb.queries_needed(difference=0.2, sd=1, group_size=10)


def test_unequal_groups_get_a_caution_that_large_ones_may_be_lacking():
    rng, few = np.random.default_rng(9), np.array([40, 30, *[2] * 18])
    with pytest.warns(irb.warnings.FewQueriesWarning, match="20 groups.*count as 2 equal ones"):
        irb.mean_interval(rng.random(few.sum()), groups=np.repeat(np.arange(20), few))
    for sizes in (np.tile(few, 3), np.array([3, *[1] * 39]), np.full(20, 5)):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            irb.mean_interval(
                rng.random(sizes.sum()), groups=np.repeat(np.arange(len(sizes)), sizes)
            )
