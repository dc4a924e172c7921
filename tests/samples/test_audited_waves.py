"""Transforms of audited segments between frequencies (samples/posterior/coded_quadrature.py)."""

import math
from functools import partial

import numpy as np
import pytest

from irbounds._core.distributions.two_phase import transform, transform_at
from irbounds._core.samples.yield_posterior import YieldLaw
from irbounds.samples.posterior.coded_quadrature import SAMPLES, window

EMPTY = (np.empty(0),) * 4
DESIGNS = (  # size, coded, called, audits of both classes
    (3000, 5, 2, 1, 1, 1, 0),
    (3000, 40, 20, 3, 2, 4, 1),
    (3000, 40, 0, 0, 0, 3, 1),
    (3000, 8, 8, 0, 0, 0, 0),
)


def of_design(size, coded, called, m1, x1, m0, x0):
    """The arguments of `transform` that say which law, and the documents not audited."""
    law = YieldLaw.beta_binomial(0.0, size - coded, 0.5 + called, 0.5 + coded - called)
    parameters = 0.5 + x1, 0.5 + m1 - x1, 0.5 + x0, 0.5 + m0 - x0
    counts = float(called - m1), float(size - called - m0)
    return (*counts, parameters, (law.ends[0], 1.0, law.masses), EMPTY), sum(counts)


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("begin", [192, 1000])
def test_frequencies_between_are_those_of_the_kernel(design, begin):
    arguments, documents = of_design(*design)
    ring, end = 4096, begin * 3 // 2
    exact, _ = transform(*arguments, 2 * math.pi / ring, begin, end, 0.0)
    found = window(partial(transform_at, *arguments), documents, ring, begin, end, 3e-15)
    assert found is not None
    np.testing.assert_allclose(found, exact, rtol=0, atol=2e-14)


def test_other_transforms_are_refused():
    calls = []

    def wave(t):
        calls.append(t.size)
        return np.exp(700j * t)  # neither near 0 nor near the end of 3,000 documents

    assert window(wave, 3000.0, 4096, 1000, 1500, 5e-16) is None
    assert calls == [SAMPLES]


def test_frequencies_need_not_be_equally_spaced():
    arguments, _ = of_design(*DESIGNS[0])
    exact, _ = transform(*arguments, 2 * math.pi / 4096, 64, 128, 0.0)
    some = np.array([3, 20, 21, 40, 63])
    np.testing.assert_array_equal(
        transform_at(*arguments, 2 * math.pi / 4096 * (64 + some)), exact[some]
    )
