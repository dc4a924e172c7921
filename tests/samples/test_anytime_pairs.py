"""Bounds of two segments, which hold at every look, against all pairs of totals."""

from fractions import Fraction

import numpy as np
import pytest

from irbounds._core.samples import anytime as kernel
from tests.reference import anytime as slow


def best_pair(one, other, alpha, is_sum):
    """The least share or the largest sum of all pairs that are left, by evidence of each count."""

    def evidences(size, n, x, a, b):
        counts = range(x + 1, size - n + x + 1)
        logs = [kernel.log_evidence((size, n, x, a, b), t) for t in counts]
        return np.exp(np.minimum([-np.inf, *logs], 300))

    if not is_sum:
        size, n, x, a, b = one
        one = size, n, n - x, b, a
    e1, e0 = evidences(*one), evidences(*other)
    goals = []
    for i, e in enumerate(e1):
        left = np.flatnonzero(e / 4 + e0 / 4 + e * e0 / 2 < (1 - 1e-11) / alpha)
        if left.size:
            t, k0 = one[2] + i, other[2] + left[-1]
            goals.append(t + k0 if is_sum else (one[0] - t) / max(one[0] - t + k0, 1))
    return max(goals) if is_sum else min(goals)


def test_two_segments_are_never_on_the_wrong_side():
    """Tables, and halved cells with little room, against all pairs."""
    rng = np.random.default_rng(12)
    pairs = [(((9648, 96, 19, 0.5, 0.5), (5914, 5259, 69, 0.5, 0.5)), 0.00214186)]
    priors = 0.0018091550702637603, 0.011372781758137405
    pairs.append((((118, 5, 5, *priors), (30, 2, 2, *priors)), 0.001))
    for _ in range(20):
        prior = [(0.5, 0.5), (1, 1), (0.1, 3.0), (10, 10), (3.0, 0.2)][int(rng.integers(5))]
        samples = []
        for _ in range(2):
            size = int(10 ** rng.uniform(1, 3))
            n = int(rng.integers(0, size))
            samples.append((size, n, int(rng.binomial(n, rng.random() ** 3)), *prior))
        pairs.append((tuple(samples), 10 ** rng.uniform(-4, -0.3)))
    for samples, alpha in pairs:
        least = best_pair(*samples, alpha, is_sum=False)
        most = best_pair(*samples, alpha, is_sum=True)
        for capacity in (64, 1024, 1 << 15):
            assert kernel.least_share(*samples, alpha, capacity) <= least * (1 + 1e-14)
            assert kernel.most_sum(*samples, alpha, capacity) >= most
        # all counts fit into the last tables: the best pair itself
        assert kernel.least_share(*samples, alpha, capacity) == pytest.approx(least, rel=1e-14)
        assert kernel.most_sum(*samples, alpha, capacity) == most
    (samples, alpha), room = pairs[0], 1 << 12
    assert best_pair(*samples, alpha, is_sum=True) == 3950
    assert kernel.most_sum(*samples, alpha, room) == 3950


def test_evidence_rises_as_much_as_the_search_assumes():
    """Between two counts, in fractions: the slope that docs/stopping_rules.md derives."""
    rng = np.random.default_rng(5)
    for _ in range(12):
        size = int(rng.integers(3, 26))
        n = int(rng.integers(1, size))
        x = int(rng.integers(0, n + 1))
        a, b = (Fraction(int(rng.choice([1, 5, 10])), 10) for _ in range(2))
        counts = range(x + 1, size - n + x + 1)
        e = {t: slow.evidence(size, n, x, t, a, b) for t in counts}
        weights = slow.prior(size, a, b)
        r = {t: weights[t] / sum(weights[:t]) for t in counts}
        for first in counts:
            for last in range(first + 1, counts.stop):
                most = max(r[first], r[last])
                assert all(r[t] <= most for t in range(first, last))
                ratio = Fraction(first + 1 - x, first + 1)
                ratio *= Fraction(size - first, size - n - first + x)
                ratio *= 1 - max(0, 1 - 1 / e[last]) * most / (1 + most)
                assert all(e[t + 1] >= ratio * e[t] for t in range(first, last))


@pytest.mark.long
@pytest.mark.nightly
def test_large_segments_against_all_pairs(seed):
    """Cells against every pair, in the design of the evidence of 20,000 counts of each: within 1e-5
    but for the few that take more than 160 edges."""
    rng, gaps = np.random.default_rng(seed), []
    for _ in range(12):
        samples = []
        for _ in range(2):
            n = int(rng.integers(2, 60))
            size = int(rng.integers(4000, 20_000))
            samples.append((size, n, int(rng.binomial(n, rng.random() ** 2)), 0.5, 0.5))
        alpha = 10 ** rng.uniform(-3, -0.5)
        for is_sum, bound in ((False, kernel.least_share), (True, kernel.most_sum)):
            best = best_pair(*samples, alpha, is_sum)
            gap = (bound(*samples, alpha, 64) - best) * (1 if is_sum else -1)
            assert -1e-14 * best <= gap <= 3e-4 * best + 1e-14
            gaps.append(gap <= 1.2e-5 * best + 1e-14)
    assert sum(gaps) >= len(gaps) - 3
