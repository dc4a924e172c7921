"""Beta-binomial distribution functions along paths: against sums of fractions, and SciPy's."""

from fractions import Fraction

import numpy as np
import pytest
from reference.control_sample import beta_binomial
from scipy.stats import betabinom

from irbounds._core.samples.beta_binomial_path import beta_binomial_path


@pytest.mark.parametrize("largest", [2, 60])
@pytest.mark.parametrize("rise", [1, 2])
def test_short_paths(largest, rise):
    rng = np.random.default_rng(largest + rise)
    for _ in range(3):
        first, n = int(rng.integers(0, 30)), int(rng.integers(1, 30))
        a, b = (Fraction(int(twice), 2) for twice in rng.integers(1, largest, 2, endpoint=True))
        start = int(rng.integers(-5, first + 3))
        k = start + np.cumsum(rng.integers(0, rise, n, endpoint=True))
        exact = [
            sum(beta_binomial(x, first + i, a, b) for x in range(min(k[i], first + i) + 1))
            for i in range(n)
        ]
        found = beta_binomial_path(first, k.astype(float), float(a), float(b))
        assert found == pytest.approx([float(p) for p in exact], abs=1e-14)


@pytest.mark.parametrize(
    ("a", "b"),
    [(1e-3, 1e-3), (0.5, 0.5), (20.5, 3.5), (1e3, 2e3), (0.5, 1e5), (1e5, 0.5), (3e4, 2e4)],
)
@pytest.mark.parametrize("slope", [0.0, 0.02, 0.5, 0.97, 1.0])
def test_long_paths(a, b, slope):
    """Falling, rising, and where probabilities underflow on the way."""
    first, n = 700, 30_000
    k = np.floor(slope * np.arange(n)) + 400
    found = beta_binomial_path(first, k, a, b)
    for i in (0, 1, 500, 4000, n - 1):
        assert found[i] == pytest.approx(betabinom.cdf(k[i], first + i, a, b), abs=2e-10)


@pytest.mark.parametrize(("a", "b"), [(4e4, 0.5), (0.5, 4e4), (1.5, 0.25), (0.25, 1.5)])
@pytest.mark.parametrize("share", [1e-4, 0.3, 0.9999])
def test_a_path_that_begins_in_a_long_tail(a, b, share):
    """A law whose probabilities rise or fall all the way."""
    m = 300_000
    k = np.floor(share * m)
    from_certain = beta_binomial_path(k, np.full(int(m - k) + 1, k), a, b)
    assert from_certain[0] == 1
    assert beta_binomial_path(m, np.array([k]), a, b)[0] == pytest.approx(
        from_certain[-1], abs=1e-12
    )


def test_a_long_tail_by_forty_digits():
    """The sum over k of C(m, k) B(a + k, b + m - k)/B(a, b), by mpmath; SciPy's is off by 2e-10."""
    found = beta_binomial_path(300_000, np.array([30.0]), 0.5, 4e4)[0]
    assert found == pytest.approx(0.99447411267023147288, abs=1e-13)


def test_an_empty_path():
    assert beta_binomial_path(5, np.zeros(0), 1, 1).size == 0
