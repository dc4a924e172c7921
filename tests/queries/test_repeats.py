"""Repeats of units: components of variance, intervals, pass@k and pass^k."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

import irbounds as irb
from irbounds.queries import pass_at_k, pass_hat_k, repeated_interval

SCORES = [[0.6, 0.7, 0.5], [0.2, 0.4, 0.2], [0.9, 0.9, 0.8], [0.4, 0.5, 0.2]]


def chances(n, c, k):
    """By counting the draws of k answers."""
    draws = list(itertools.combinations([1] * c + [0] * (n - c), k))
    return (
        float(Fraction(sum(any(draw) for draw in draws), len(draws))),
        float(Fraction(sum(all(draw) for draw in draws), len(draws))),
    )


def test_passes_are_shares_of_draws():
    for n in range(1, 9):
        for c in range(n + 1):
            for k in range(1, n + 1):
                assert (pass_at_k(n, c, k), pass_hat_k(n, c, k)) == chances(n, c, k)


def test_passes_of_arrays_and_of_many_answers():
    right = [0, 1, 5, 10]
    assert pass_at_k(10, right, 5).tolist() == [pass_at_k(10, c, 5) for c in right]
    assert pass_hat_k([[4], [5]], [2, 3], 2).shape == (2, 2)
    assert pass_at_k(100_000, 1, 1) == 1e-5
    exact = 1 - Fraction(math.comb(9_990, 100), math.comb(10_000, 100))
    assert pass_at_k(10_000, 10, 100) == float(exact)


def test_passes_are_those_of_the_hypergeometric_law():
    found = irb.chance.hypergeometric_sf(0, 20, 6, 5)
    assert pass_at_k(20, 6, 5) == pytest.approx(found, rel=1e-13)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((5, 6, 1), "`c` must be `n` at most"),
        ((5, 2, 6), "no more answers can be drawn"),
        ((5, 2, 0), "`k` must be 1 or more"),
        ((5, 2.5, 1), "`c` must be whole numbers"),
        ((5, -1, 1), "`c` must be whole numbers"),
        (([5, 5], [1, 2, 3], 1), "shapes must broadcast"),
    ],
)
def test_passes_that_are_refused(given, message):
    for function in (pass_at_k, pass_hat_k):
        with pytest.raises(irb.InputError, match=message):
            function(*given)


def crossed_twin(scores, t_units, t_repeats):
    """Two-way analysis of variance, sum by sum."""
    n, m = len(scores), len(scores[0])
    mean = sum(map(sum, scores)) / (n * m)
    units = [sum(row) / m for row in scores]
    repeats = [sum(row[j] for row in scores) / n for j in range(m)]
    of_units = m * sum((u - mean) ** 2 for u in units) / (n - 1)
    of_repeats = n * sum((r - mean) ** 2 for r in repeats) / (m - 1)
    total = sum((x - mean) ** 2 for row in scores for x in row)
    residual = (total - (n - 1) * of_units - (m - 1) * of_repeats) / ((n - 1) * (m - 1))
    reach = t_units**2 * of_units + t_repeats**2 * max(0, of_repeats - residual)
    components = (of_units - residual) / m, (of_repeats - residual) / n, residual
    return mean, math.sqrt(reach / (n * m)), components


def test_a_crossed_design():
    found = repeated_interval(SCORES, "crossed")
    mean, reach, components = crossed_twin(SCORES, 3.182446305284263, 4.302652729911275)
    assert found.estimate == pytest.approx(mean)
    assert (found.low, found.high) == pytest.approx((mean - reach, mean + reach))
    own = found.unit_variance, found.repeat_variance, found.residual_variance
    assert own == pytest.approx(components)
    expected = math.sqrt(components[0] / 8 + components[1] / 2 + components[2] / 16)
    assert found.standard_error(8, 2) == pytest.approx(expected)


def test_a_nested_design_is_student_of_the_means():
    found = repeated_interval(SCORES)
    known = irb.mean_interval(np.mean(SCORES, axis=1))
    assert (found.low, found.high) == pytest.approx((known.low, known.high))
    within = np.var(SCORES, axis=1, ddof=1).mean()
    assert found.residual_variance == pytest.approx(within)
    between = np.var(np.mean(SCORES, axis=1), ddof=1) - within / 3
    assert found.unit_variance == pytest.approx(between)
    ragged = repeated_interval([[1, 2, math.nan], [3, math.nan, math.nan], [2, 2, 5]])
    assert ragged.n_repeats == pytest.approx(3 / (1 / 2 + 1 + 1 / 3))
    assert ragged.residual_variance == pytest.approx((0.5 + 6) / 3)


def test_what_to_buy():
    found = repeated_interval(SCORES, "crossed")
    needed = found.units_needed(0.3, 3)
    assert 1.959964 * found.standard_error(needed, 3) <= 0.3
    assert 1.959964 * found.standard_error(needed - 1, 3) > 0.3
    assert found.units_needed(0.01, 3) is None  # three repeats vary too much for any number
    assert "with twice the units" in found.to_text()


@pytest.mark.parametrize("design", ["nested", "crossed"])
def test_groups_of_units_are_the_sample(design):
    rng = np.random.default_rng(3)
    codes = np.repeat(np.arange(6), 4)
    scores = rng.normal(size=6)[codes][:, None] + rng.normal(0, 0.1, (24, 3))
    found = repeated_interval(scores, design, groups=codes)
    of_groups = repeated_interval(scores.reshape(6, 4, 3).mean(axis=1), design)
    assert found.n_groups == 6
    if design == "nested":  # in a crossed one the repeats' variance has other degrees of freedom
        assert (found.low, found.high) == pytest.approx((of_groups.low, of_groups.high))
    alone = repeated_interval(scores, design)
    assert found.high - found.low > 1.5 * (alone.high - alone.low)
    error = scores.mean(axis=1).reshape(6, 4).mean(axis=1).std(ddof=1) / math.sqrt(6)
    expected = math.hypot(error, math.sqrt(found.repeat_variance / 3))
    assert found.standard_error(24, 3) == pytest.approx(expected)
    assert f"standard error {expected:.4f} by 6 groups" in found.to_text()
    with pytest.raises(irb.InputError, match="`groups` must be two or more"):
        repeated_interval(scores, design, groups=[0] * 24)


def test_repeats_that_move_all_units():
    rng = np.random.default_rng(1)
    noise = rng.normal(size=(40, 3))
    assert not repeated_interval(noise, "crossed").moves_together
    assert repeated_interval(noise + np.array([0, 2, 4]), "crossed").moves_together
    assert not repeated_interval(noise + np.array([0, 2, 4])).moves_together


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (([1, 2, 3],), "shape"),
        (([[1], [2]],), "a unit with two"),
        (([[1, 2]],), "two units or more"),
        (([[1, math.nan], [2, 3]], "crossed"), "the unit at index 0 has 1 of 2"),
        (([[1, math.inf], [2, 3]],), "finite"),
        (([[1, 2], [2, 3]], "both"), "`design` must be one of"),
    ],
)
def test_repeats_that_are_refused(given, message):
    with pytest.raises(irb.InputError, match=message):
        repeated_interval(*given)


@pytest.mark.long
@pytest.mark.parametrize("sds", [(0.3, 0.0, 0.2), (0.3, 0.05, 0.2), (0.3, 0.2, 0.2)])
@pytest.mark.parametrize(("n", "m"), [(30, 2), (100, 3), (12, 5)])
def test_crossed_intervals_cover(n, m, sds):
    rng = np.random.default_rng(n)
    units, repeats, rest = sds
    n_covered = 0
    for _ in range(2000):
        scores = rng.normal(0, units, (n, 1)) + rng.normal(0, repeats, m)
        found = repeated_interval(scores + rng.normal(0, rest, (n, m)), "crossed")
        n_covered += found.low <= 0 <= found.high
    assert n_covered / 2000 >= 0.92  # 0.93 or more, less two standard errors


@pytest.mark.long
@pytest.mark.parametrize(
    ("design", "of_repeats"), [("nested", 0.0), ("crossed", 0.0), ("crossed", 0.3)]
)
def test_intervals_of_groups_cover(design, of_repeats):
    """Without groups these cover 0.70 to 0.89."""
    rng = np.random.default_rng(5)
    codes, n_covered = np.repeat(np.arange(12), 5), 0
    for _ in range(2000):
        scores = rng.normal(0, 0.7, 12)[codes][:, None] + rng.normal(0, 0.5, (60, 1))
        scores = scores + rng.normal(0, 0.5, (60, 4)) + rng.normal(0, of_repeats, 4)
        found = repeated_interval(scores, design, groups=codes)
        n_covered += found.low <= 0 <= found.high
    assert n_covered / 2000 >= 0.94
