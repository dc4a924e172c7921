"""Gates: changes of sign of the differences, and signs of differences of one size."""

import itertools

import numpy as np
import pytest
from scipy import stats

from irbounds.comparison.gates.checks import Question, flip_p_value, judge


def test_changes_of_sign_are_all_counted():
    rng = np.random.default_rng(12)
    for n in (1, 3, 8):
        for values in (rng.normal(size=n), rng.choice([-0.1, 0.0, 0.1], n)):
            signs = np.array(list(itertools.product([-1, 1], repeat=n)))
            expected = np.mean(signs @ values >= values.sum() - 1e-12)
            assert flip_p_value(values) == expected
    values = rng.normal(size=17)
    assert flip_p_value(values) == 0


@pytest.mark.parametrize("n", [17, 40, 300])
def test_many_values_of_one_size_are_judged_by_their_signs(n):
    rng = np.random.default_rng(14)
    for share, gains in itertools.product((0.1, 0.5, 1.0), (0.0, 0.2, 0.5, 1.0)):
        values = 0.3 * rng.choice([-1.0, 1.0], n, p=[1 - gains, gains]) * (rng.random(n) < share)
        wins, losses = int((values > 0).sum()), int((values < 0).sum())
        expected = stats.binom.cdf(losses, wins + losses, 0.5)
        assert flip_p_value(values) == pytest.approx(expected, rel=1e-10, abs=1e-15)


@pytest.mark.parametrize("n", [17, 20, 35, 50, 100])
def test_equal_systems_with_differences_of_one_size_fail_in_at_most_alpha_exactly(n):
    # by Student's t alone .0525 of 35
    asked = Question(0.0, 0.05, True)
    shares = np.arange(0.02, 1.01, 0.02)
    failed = np.zeros(len(shares))
    for moved in range(n + 1):
        chance = stats.binom.pmf(moved, n, shares)
        for losses in range((moved + 1) // 2, moved + 1):
            values = np.repeat([-1.0, 1.0, 0.0], [losses, moved - losses, n - moved])
            if judge(values, asked).deciding_p < 0.05:
                # and so do all with more losses of as many that moved
                failed += chance * stats.binom.sf(losses - 1, moved, 0.5)
                break
    assert failed.max() <= 0.05
