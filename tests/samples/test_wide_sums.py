"""Sums of a wide law, singular at both ends, and a narrow one of very many documents."""

import numpy as np
import pytest
from scipy.special import betaln, gammaln

import irbounds as irb


def beta_binomial(n, a, b, k):
    """Probabilities of the counts k."""
    log_choose = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return np.exp(log_choose + betaln(a + k, b + n - k) - betaln(a, b))


@pytest.mark.filterwarnings("ignore::irbounds.SampleWarning")
def test_few_likely_counts_of_very_many():
    """It raised an AssertionError: lattices did not resolve the ends of the wide law, and all
    counts were too many for one of single documents."""
    segment = [(11515, 0, 0), (27807552, 8395037, 88), (2, 2, 1)]
    wide = beta_binomial(11515, 0.16059444330686554, 0.21415458889245043, np.arange(11516.0))
    narrow = beta_binomial(19412515, 88.12503444974887, 8394947.62526671, np.arange(3000.0))
    through = np.cumsum(np.convolve(wide, narrow))
    expected = [89 + np.searchsorted(through, p) for p in (0.025, 0.975)]
    found = irb.precision_interval(segment, method="betabinom-half")
    size = sum(stratum[0] for stratum in segment)
    assert [round(found.low * size), round(found.high * size)] == expected
