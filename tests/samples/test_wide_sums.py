"""Sums of a wide law, singular at both ends, and a narrow one of very many documents."""

import numpy as np
import pytest
from scipy.stats import betabinom

import irbounds as irb
from tests.reference.samples import posterior_parts


@pytest.mark.filterwarnings("ignore::irbounds.warnings.SampleWarning")
def test_few_likely_counts_of_very_many():
    """It raised an AssertionError: lattices did not resolve the ends of the wide law, and all
    counts were too many for one of single documents."""
    segment = [(11515, 0, 0), (27807552, 8395037, 88), (2, 2, 1)]
    likely = np.arange(12_000)
    masses = np.ones(1)
    for _, unseen, a, b in posterior_parts(segment, 0.5, 0.5, True):
        masses = np.convolve(masses, betabinom.pmf(likely, unseen, float(a), float(b)))
    through = np.cumsum(masses)
    expected = [89 + np.searchsorted(through, p) for p in (0.025, 0.975)]
    found = irb.precision_interval(segment, method="betabinom-half")
    size = sum(stratum[0] for stratum in segment)
    assert [round(found.low * size), round(found.high * size)] == expected
