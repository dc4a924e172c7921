"""Cheng's beta sampler by its distribution: chi-square, Kolmogorov-Smirnov and moments that any
seed passes."""

import math

import numpy as np
import pytest
from scipy import stats
from sizes import nightly

import irbounds as irb
from irbounds._core.draws import beta_cheng, binomial_draws
from irbounds.distributions import random_beta

GRID = [
    (1, 1),
    (1.000001, 1.000001),
    (0.999999, 1.000001),
    (1, 3),
    (0.5, 0.5),
    (0.05, 0.2),
    (0.2, 5),
    (0.5, 500.5),
    (2, 3),
    (10.5, 90.5),
    (3000.5, 7000.5),
    (2, 1e6),
    (1e6, 1e6),
    (0.9, 1e6),
    (1e6, 0.3),
]
N = 10**6


@pytest.mark.long
@pytest.mark.parametrize(("a", "b"), [nightly(ab) if ab == (1e6, 1e6) else ab for ab in GRID])
def test_distribution(a, b):
    law = stats.beta(a, b)
    x = random_beta(a, b, N, rng=20)
    assert (x >= 0).all()
    assert (x <= 1).all()
    counts = np.histogram(law.cdf(x), bins=200, range=(0, 1))[0]
    assert stats.chisquare(counts).pvalue > 1e-9
    assert stats.kstest(x, law.cdf).pvalue > 1e-9
    assert abs(x.mean() - law.mean()) < 6 * law.std() / math.sqrt(N)
    fourth = law.stats("k") + 3
    assert abs(x.var() / law.var() - 1) < 6 * math.sqrt((fourth - 1) / N)


@pytest.mark.parametrize(("a", "b"), [(0.001, 0.001), (0.001, 1e6), (0.01, 3)])
def test_mass_near_the_ends(a, b):
    """Where much of the mass lies below the smallest double, compare what lies above it."""
    law, x = stats.beta(a, b), random_beta(a, b, N, rng=3)
    for point in (1e-250, 1e-100, 1e-30, 1e-12, law.mean()):
        expected = law.cdf(point)
        assert np.mean(x <= point) == pytest.approx(
            expected, abs=6 * math.sqrt(expected * (1 - expected) / N) + 1e-9
        )


@pytest.mark.parametrize("a", [1e-300, 1e-8, 1e-3, 1, 1e3, 1e12, 1e100])
@pytest.mark.parametrize("b", [1e-300, 1e-8, 1e-3, 1, 1e3, 1e12, 1e100])
def test_extreme_parameters_give_numbers(a, b):
    x = random_beta(a, b, 2000, rng=1)
    assert ((x >= 0) & (x <= 1)).all()
    mean, spread = a / (a + b), math.sqrt(a / (a + b) * (b / (a + b)) / (a + b + 1))
    assert abs(x.mean() - mean) <= 6 * spread / math.sqrt(2000) + 1e-15


@pytest.mark.parametrize(
    ("a", "b"), [*GRID, (1e-8, 1e-8), (1e-8, 1e12), (3, 1e12), (1e12, 1e12), (1e-300, 1)]
)
def test_every_instruction_set_gives_the_same_bits(a, b):
    parameters = np.array([a, a], dtype=float), np.array([b, b], dtype=float)
    baseline, avx2, avx512 = (
        beta_cheng.fill(*parameters, 5000, np.random.default_rng(3).bit_generator, level)
        for level in range(3)
    )
    assert (baseline == avx2).all()
    assert (baseline == avx512).all()


def test_shapes_and_seeds():
    assert isinstance(random_beta(2, 3, rng=1), float)
    assert random_beta([2, 3], 1, rng=1).shape == (2,)
    assert random_beta([[2], [3]], [1, 2, 3], rng=1).shape == (2, 3)
    assert random_beta(2, 3, 0).shape == (0,)
    # more than 64 bits hold
    assert random_beta(10**30, 1, rng=1) == random_beta(1e30, 1, rng=1)
    x = random_beta([0.5, 50], [[50], [0.5], [5]], (4000, 3, 2), rng=np.random.default_rng(5))
    expected = np.array([0.5, 50]) / (np.array([0.5, 50]) + np.array([[50], [0.5], [5]]))
    assert x.mean(axis=0) == pytest.approx(expected, abs=0.03)
    assert (x == random_beta([0.5, 50], [[50], [0.5], [5]], (4000, 3, 2), rng=5)).all()
    assert (random_beta(2, 3, 100, rng=5) != random_beta(2, 3, 100, rng=6)).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 1), "`a` must be from 1e-300 to 1e100; found 0"),
        (([1, math.nan], 1), "found nan at index 1"),
        (([1, 2], [1, 2, 3]), "must broadcast"),
        (([1, 2], 1, 3), "must broadcast"),
        ((1, 1, -2), "`size`"),
    ],
)
def test_bad_parameters(arguments, message):
    with pytest.raises(irb.InputError, match=message):
        random_beta(*arguments)


@pytest.mark.parametrize(
    ("trials", "p"),
    [
        (25, 0.4),
        (40, 0.26),
        (45, 0.76),
        (1000, 0.0101),
        (1000, 0.5),
        (10**6, 0.3),
        (10**9, 0.7),
        (10**9, 1.5e-8),
    ],
)
def test_binomial_variates(trials, p):
    """Counts by quantile against the law; the same bits whatever the instructions."""
    drawn = binomial_draws.fill(trials, np.full(N, p), np.random.default_rng(2).bit_generator)
    law = stats.binom(trials, p)
    edges = np.unique(law.ppf(np.linspace(0.001, 0.999, 60)))
    expected = np.diff(np.concatenate([[0], law.cdf(edges), [1]])) * N
    counts = np.histogram(drawn, np.concatenate([[-1], edges + 0.5, [trials + 1]]))[0]
    enough = expected > 5
    assert ((counts - expected)[enough] ** 2 / expected[enough]).sum() < stats.chi2.ppf(
        1 - 1e-9, enough.sum()
    )
    few = [
        binomial_draws.fill(trials, np.full(5000, p), np.random.default_rng(3).bit_generator, level)
        for level in range(3)
    ]
    assert (few[0] == few[1]).all()
    assert (few[0] == few[2]).all()
