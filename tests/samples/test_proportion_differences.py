"""The difference of two independent proportions."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import ndtri, xlogy
from scipy.stats import binom

import irbounds as irb

difference = irb.samples.binomial_difference_interval
# Newcombe (1998), table II: samples, methods 5 (Miettinen and Nurminen) and 10
PUBLISHED = [
    ((56, 70, 48, 80), (0.0528, 0.3382), (0.0524, 0.3339)),
    ((9, 10, 3, 10), (0.1700, 0.8406), (0.1705, 0.8090)),
    ((0, 20, 0, 10), (-0.2844, 0.1658), (-0.2775, 0.1611)),
    ((10, 10, 0, 20), (0.7156, 1.0), (0.6791, 1.0)),
]


@pytest.mark.parametrize(("counts", "score", "newcombe"), PUBLISHED)
def test_published_intervals(counts, score, newcombe):
    found = difference(*counts)
    assert (found.low, found.high) == pytest.approx(newcombe, abs=6e-5)
    found = difference(*counts, method="miettinen-nurminen")
    assert (found.low, found.high) == pytest.approx(score, abs=6e-5)


def score_statistic(d, x, m, y, k):
    """By the likelihood's maximum over q = p - d."""

    def loss(q):
        return -(xlogy(x, q + d) + xlogy(m - x, 1 - q - d) + xlogy(y, q) + xlogy(k - y, 1 - q))

    bounds = max(0.0, -d), min(1.0, 1 - d)
    q = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-12}).x
    n, p = m + k, q + d
    return (x / m - y / k - d) / math.sqrt((p * (1 - p) / m + q * (1 - q) / k) * n / (n - 1))


def test_score_ends_have_the_statistic_of_the_level():
    rng = np.random.default_rng(5)
    for _ in range(30):
        m, k = map(int, rng.integers(2, 60, 2))
        x, y = int(rng.integers(0, m + 1)), int(rng.integers(0, k + 1))
        found = difference(x, m, y, k, method="miettinen-nurminen")
        for end, side in ((found.low, 1), (found.high, -1)):
            if abs(end) < 1:
                z = score_statistic(end, x, m, y, k)
                assert z == pytest.approx(-side * ndtri(0.025), abs=1e-4)  # the search's accuracy


@pytest.mark.parametrize(("m", "k"), [(10, 10), (30, 100), (300, 50)])
def test_newcombe_covers(m, k):
    x, y = np.arange(m + 1)[:, None], np.arange(k + 1)[None]
    ends = difference(x, m, y, k)
    for p, q in np.random.default_rng(6).random((50, 2)):
        weight = binom.pmf(x, m, p) * binom.pmf(y, k, q)
        assert weight[(ends.low <= p - q) & (p - q <= ends.high)].sum() > 0.89


@pytest.mark.parametrize("method", ["newcombe", "miettinen-nurminen"])
def test_exchange_sides_and_empty(method):
    a = difference(7, 20, 11, 30, method=method)
    b = difference(11, 30, 7, 20, method=method)
    assert (a.low, a.high) == pytest.approx((-b.high, -b.low), abs=1e-12)
    one = difference(7, 20, 11, 30, method=method, side="lower", confidence_level=0.975)
    assert (one.low, one.high) == (pytest.approx(a.low, abs=1e-12), 1)
    none = difference(0, 0, 3, 4, method=method)
    assert (none.low, none.high) == (-1, 1)
    assert math.isnan(none.estimate)
