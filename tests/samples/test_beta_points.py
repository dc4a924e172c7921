"""Bounds on the tails of beta densities, and the points for sums over them, against SciPy."""

import math

import numpy as np
import pytest
from scipy.special import betainc, gammaln

from irbounds._core.distributions.two_phase import chebyshev_points, likely_shares


@pytest.mark.parametrize("depth", [math.log(1e-16), math.log(1e-12)])
def test_tails_hold_no_more_than_was_asked_for(seed, depth):
    rng = np.random.default_rng(seed)
    for _ in range(500):
        a, b = np.exp(rng.uniform(math.log(0.05), math.log(1e7), 2))
        a = rng.choice([a, 19.99, 20.0, 25.0])  # at the switch
        low, high = likely_shares(a, b, depth)
        for share, one, two in ((low, a, b), (high, b, a)):
            tail = betainc(one, two, share)
            assert tail <= math.exp(depth), (a, b)
            assert tail >= 1e-3 * math.exp(depth) or share == 0, (a, b)


def test_points_integrate_waves(seed):
    """E (1 - q + q z)^T of BetaBin(T; a, b), whose moments at z = exp(i t) a sum over its
    probabilities gives."""
    rng = np.random.default_rng(seed)
    depth = math.log(1e-15)
    for _ in range(60):
        a, b = 0.5 + np.floor(np.exp(rng.uniform(0, 7, 2)) - 1)
        count, t = int(rng.integers(1, 2000)), float(rng.uniform(0, 0.2))
        low, high = likely_shares(a, b, math.log(1e-16))
        odds, weights = chebyshev_points(a - 0.5, b - 0.5, low, high, count, t, depth, 4)
        q = odds / (1 + odds)
        found = weights @ (1 - q + q * np.exp(1j * t)) ** count
        k = np.arange(count + 1)
        log_mass = (
            gammaln(count + 1) - gammaln(k + 1) - gammaln(count - k + 1)
            + gammaln(a + k) + gammaln(b + count - k) - gammaln(a + b + count)
            - gammaln(a) - gammaln(b) + gammaln(a + b)
        )  # fmt: skip
        assert found == pytest.approx(np.exp(log_mass) @ np.exp(1j * t * k), abs=1e-10)
        assert weights.sum() == pytest.approx(1)
