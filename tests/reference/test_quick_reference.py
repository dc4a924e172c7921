"""The quick twins against the sure ones."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from . import beta_laws, float_shares, query_means, quick, sample_intervals


@pytest.mark.parametrize("shapes", [(0.5, 3.5, 2.0), (40.5, 2.5, 900.5), (1.0, 1.0, 1e-2)])
@pytest.mark.parametrize("beta", [0.05, 1.0, 7.0])
def test_moments_of_f(shapes, beta):
    a, b, c = shapes
    law = float_shares.Pieces(float_shares.FOdds(a, b, c, beta + 1e-9))  # 1 is a Beta law

    def moment(power):
        return float_shares.integral(
            lambda t: law.density(t) * (1 + np.exp(-(law.centre + t))) ** -power, law.marks
        )

    for power in (1, 2):
        assert quick.f_moment(power, a, b, c, beta + 1e-9) == pytest.approx(
            moment(power), abs=1e-13
        )


@pytest.mark.parametrize(
    ("a", "b"), [(0.5, 0.5), (3.0, 1e-3), (1e6, 1e6 + 700), (4e5, 4e5), (70.5, 2.0)]
)
def test_beta_above_half(a, b):
    expected = 1 - beta_laws.beta_cdf("0.5", a, b)
    assert quick.beta_above_half(a, b) == pytest.approx(float(expected), abs=1e-15)


def test_beta_above_half_of_huge_counts():
    with mpmath.workdps(40):
        a, b = mpmath.mpf("1099511626451.5"), mpmath.mpf("1099511627776.5")
        unit, place = mpmath.sqrt(1 / a + 1 / b), mpmath.log(b / a)

        def density(t):
            return mpmath.exp(a * t - (a + b) * mpmath.log((a * mpmath.exp(t) + b) / (a + b)))

        ends = [k * unit for k in range(-12, 13)]
        above = mpmath.quad(density, [place, *(t for t in ends if t > place)])
        below = mpmath.quad(density, [*(t for t in ends if t < place), place])
        expected = float(above / (above + below))
    assert quick.beta_above_half(float(a), float(b)) == pytest.approx(expected, abs=1e-15)


@pytest.mark.long
@pytest.mark.parametrize("method", ["clopper_pearson", "mid_p", "jeffreys", "blaker"])
@pytest.mark.parametrize(("x", "n"), [(0, 3), (1, 9), (7, 12), (20, 20)])
@pytest.mark.parametrize("level", [0.9, 1 - 2.0**-40])
def test_ends_of_a_proportion(method, x, n, level):
    with mpmath.workdps(25):
        expected = getattr(sample_intervals, method)(x, n, mpmath.mpf(level), "two-sided")
        found = getattr(quick, method)(x, n, level, "two-sided")
    assert found == pytest.approx([float(end) for end in expected], abs=1e-13)


@pytest.mark.long
@pytest.mark.parametrize(("n", "effect", "cut"), [(2, 0.5, 3.0), (30, 0.4, 2.05), (10**5, 0.01, 2)])
def test_power(n, effect, cut):
    expected = query_means.power_of_t(n, effect, cut, 2)
    assert quick.power_of_t(n, effect, cut, 2) == pytest.approx(float(expected), rel=1e-12)


@pytest.mark.parametrize(
    "values",
    [[0, 1], [0, 0, 1, 1, 1, 0.25], [0.1, 0.2, 0.3, 0.7], [0, *(1 - 0.5**k for k in range(9))]],
)
@pytest.mark.parametrize("tail", [1e-4, 0.025, 0.6])
def test_ends_of_a_mean(values, tail):
    x, tail = [Fraction(value) for value in values], Fraction(tail)
    end = quick.dirichlet_end(x, tail)
    step = Fraction(1, 10**14)
    below, above = (query_means.dirichlet_tail(x, Fraction(end) + by) for by in (-step, step))
    assert above <= 1 - tail <= below
