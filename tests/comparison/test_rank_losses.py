"""Ranks where units are few to show losses: pairs in which all units agree, chains, skewness."""

import itertools

import numpy as np
import pytest
from scipy.special import stdtrit
from sizes import long

from irbounds.comparison.ranks.rank_sets import SLACK, PairTests, _chains, rank_sets
from irbounds.queries.groups import Units


def units_of(values):
    n = len(values)
    return Units(np.asarray(values, float), np.full(n, 1 / n))


def sets_of(values, seed=0):
    return rank_sets(units_of(values), "max-t", 0.05, np.random.default_rng(seed))


def apart(n, systems, losses=0):
    """The first system is better than the others, which are alike, on all units but so many."""
    rng = np.random.default_rng(n)
    values = rng.normal(0, 0.01, (n, systems))
    values[:, 0] += 0.2
    values[:losses, 0] -= 0.25
    return values


@pytest.mark.parametrize(("systems", "least"), [(2, 36), (3, 46), (4, 53), (10, 53), (11, 36)])
def test_units_that_all_agree_must_be_many(systems, least):
    # 0.9^n is below .05/2 over the pairs: 1, 3, at most 6; 1 of more than ten systems
    assert sets_of(apart(least - 1, systems)).high[0] == systems
    assert sets_of(apart(least, systems)).high[0] == 1
    # Where one disagrees, the other tests decide.
    assert sets_of(apart(least - 1, systems, losses=1)).high[0] == 1


@pytest.mark.parametrize("correction", ["max-t", "bonferroni", "holm", None])
def test_the_same_difference_on_all_units_is_as_one_that_hardly_varies(correction):
    rng = np.random.default_rng(3)
    for n, is_told in ((35, False), (36, True)):
        values = np.stack([rng.integers(200, 260, n) / 1.0, np.zeros(n)], axis=1)
        values[:, 1] = values[:, 0] - 1
        jitter = rng.normal(0, 1e-9, (n, 2))
        for noise in (0.0, jitter):
            found = rank_sets(units_of(values + noise), correction, 0.05, rng)
            if correction == "max-t" or noise is not jitter:
                assert (found.high[0] == 1) == is_told
                assert len(found.starts) == 1 + is_told
    # equal systems stay together, two units say nothing
    assert rank_sets(units_of(values[:, [0, 0]]), correction, 0.05, rng).high[0] == 2
    assert rank_sets(units_of(values[:2]), correction, 0.05, rng).high[0] == 2


@pytest.mark.parametrize("correction", ["max-t", "bonferroni"])
@pytest.mark.parametrize("n", [10, 25, 36])
def test_ranks_of_systems_that_rarely_change_hold_without_noise(correction, n):
    # all units have one difference in .43, .12 and .05 of the samples, of systems that are equal
    rng = np.random.default_rng(14)
    held = 0
    for _ in range(200):
        values = ((rng.random((n, 2)) < 0.04) - 0.04) * [1, -1]
        same = np.ptp(values[:, 0] - values[:, 1]) == 0
        held += not same or rank_sets(units_of(values), correction, 0.05, rng).high[0] == 2
    assert held / 200 >= 0.95 - 3 * (0.05 * 0.95 / 200) ** 0.5


def test_a_system_alone_asks_for_its_own_pairs():
    # of 3 systems each is in two pairs: 0.9^42 is below .05/4, 0.9^41 is not
    found = sets_of(apart(42, 3))
    assert found.high[0] == 3
    assert found.single_high[0] == 1
    assert sets_of(apart(41, 3)).single_high[0] == 3


def test_equal_units_are_not_against():
    values = apart(35, 2)
    values[:3, 0] = values[:3, 1]
    assert sets_of(values).high[0] == 2


@pytest.mark.parametrize("scale", [1, 100])
@pytest.mark.parametrize(("gain", "n", "is_told"), [(0.17, 25, 1), (0.15, 25, 0), (0.32, 14, 1)])
def test_large_gains_on_a_scale_need_fewer_units(scale, gain, n, is_told):
    # (1/(1 + gain))^n is below .05/2: with scores to 1 or 100, a tenth of losses is not enough
    values = np.random.default_rng(5).normal(0.3, 0.01, (n, 2)) * scale
    values[:, 0] += gain * scale - (values[:, 0] - values[:, 1]).mean()
    assert (values[:, 0] > values[:, 1]).all()
    assert sets_of(values).high[0] == 2 - is_told
    assert sets_of(-values[:, ::-1]).high[0] == 2 - is_told
    # scores of no scale, of both signs or above 100, need 36 units whatever the gain
    assert sets_of(values - 0.3 * scale).high[0] == 2
    assert sets_of(values + 200).high[0] == 2


def ladder(n=20):
    """Three systems one above the other, the neighbours with a unit to the contrary."""
    values = np.random.default_rng(4).normal((0.2, 0.1, 0.0), 0.01, (n, 3))
    values[0] = [0.1, 0.12, 0.0]
    values[1] = [0.2, 0.0, 0.02]
    return values


def test_chains_tell_apart_what_no_unit_speaks_against():
    values = ladder()
    assert (values[:, 0] > values[:, 2]).all()
    found = sets_of(values)
    assert found.low.tolist() == found.high.tolist() == [1, 2, 3]
    assert found.single_low.tolist() == found.single_high.tolist() == [1, 2, 3]
    assert found.starts == (0, 1, 2)
    # without the one between, nothing is told
    assert sets_of(values[:, [0, 2]]).high.tolist() == [2, 2]


def test_chains_are_the_transitive_closure():
    rng = np.random.default_rng(8)
    for systems in (2, 3, 6, 9):
        for _ in range(20):
            values = rng.normal(0, 1, (5, systems))
            tests = PairTests(units_of(values))
            place = np.argsort(np.argsort(-values.mean(axis=0)))
            direct = (place[:, None] < place) & (rng.random((systems, systems)) < 0.3)
            found = _chains(tests, lambda i, _, d=direct: (d[i] | d[:, i], d[i]), 0.05)
            closed = direct.copy()
            for k, i, j in itertools.product(range(systems), repeat=3):
                closed[i, j] |= closed[i, k] and closed[k, j]
            assert (found == closed).all()


def test_the_careful_transform_is_the_least_within_the_slack():
    rng = np.random.default_rng(9)
    for n, sign in itertools.product((3, 8, 40), (-1, 1)):
        values = np.stack([rng.normal(0, 1, n), sign * rng.lognormal(0, 1, n)], axis=1)
        values[:, 0] += rng.choice([-3, 3])
        pairs = PairTests(units_of(values)).of(0)
        x = values[:, 0] - values[:, 1]
        x = x * np.sign(x.mean())
        u = x.mean() / x.std(ddof=1)
        third = ((x - x.mean()) ** 3).mean() / x.std(ddof=1) ** 3 * n * n / ((n - 1) * (n - 2))
        loss = min(third, 0)
        slack = SLACK * ((6 + 9 * loss**2 + 15 / 8 * loss**4) / (n - 2)) ** 0.5
        g = np.linspace(third - slack, third, 200_001)
        least = (n**0.5 * (u + g * u**2 / 3 + g**2 * u**3 / 27 + g / (6 * n))).min()
        assert abs(pairs.careful[1]) == pytest.approx(abs(least), rel=1e-6, abs=1e-6)
        assert (pairs.careful[1] > 0) == ((least > 0) == (pairs.mean[1] > 0))


@pytest.mark.parametrize(("systems", "n"), [(2, 10), long((3, 20))])
def test_ranks_of_systems_whose_scores_rarely_change_hold_together(systems, n):
    # by 1 on 4 % of the units, up for every other system and down for the rest; without a count of
    # the units that agree they held in .54, .88 and .84
    rng = np.random.default_rng(10)
    held = 0
    for _ in range(150):
        sign = np.where(np.arange(systems) % 2, -1, 1)
        values = ((rng.random((n, systems)) < 0.04) - 0.04) * sign
        values += rng.normal(0, 0.01, values.shape)
        held += (rank_sets(units_of(values), "max-t", 0.05, rng).high == systems).all()
    # .99 or more of 300
    assert held / 150 >= 0.95


def test_points_are_those_of_bonferroni_for_the_careful_transform():
    # two systems whose careful transform alone is short of the point
    rng = np.random.default_rng(12)
    kept = 0
    for _ in range(200):
        values = rng.exponential(0.1, (12, 2)) * [-1, 1] + [0.33, 0.0]
        pairs = PairTests(units_of(values)).of(0)
        is_told = sets_of(values).high[0] == 1
        short = abs(pairs.careful[1]) <= -stdtrit(11, 0.025)
        assert not (is_told and short)
        kept += short
    assert 10 < kept < 200
