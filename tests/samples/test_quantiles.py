"""Quantiles of recall and F are values that the measure can have, and the least that reach their
probability."""

from fractions import Fraction

import numpy as np
import pytest
from sizes import long

import irbounds as irb
from irbounds.samples.model.strata import Stratum
from irbounds.samples.posterior.recall_posterior import YieldPair

LEVELS = (1e-9, 1e-4, 0.025, 0.3, 0.5, 0.95, 0.999, 1 - 1e-9)
ROUNDING = 1e-12  # of probabilities


def drawn_segment(rng, largest):
    """A stratum of log-uniform size; its sample may be none of it or all, with any finding."""
    size = round(np.exp(rng.uniform(0, np.log(largest))))
    sampled = int(rng.choice([0, size, round(np.exp(rng.uniform(0, np.log(size + 1)))) - 1]))
    relevant = int(rng.choice([0, sampled, rng.integers(0, sampled + 1)]))
    return Stratum(float(size), float(sampled), float(relevant))


@pytest.mark.parametrize("largest", [30, 3000, long(20_000)])
@pytest.mark.parametrize("measure", ["recall", "f"])
def test_quantiles_are_the_least_values_that_reach_their_probability(measure, largest):
    rng = np.random.default_rng(largest)
    for _ in range(60):
        one, other = drawn_segment(rng, largest), drawn_segment(rng, largest)
        prior = (float(rng.choice([0.5, 1.0, 1e-3, 30.0])),) * 2
        beta = float(rng.choice([1.0, 0.5, 3.0]))
        pair = YieldPair([one], [other], prior)
        for p in LEVELS:
            x = pair.quantile(measure, p, beta)
            assert pair.below(measure, x, beta=beta) >= p - ROUNDING, (one, other, prior, p)
            assert pair.below(measure, x, beta=beta, strict=True) <= p + ROUNDING, (one, other, p)


def test_ends_of_small_reviews_are_ratios_of_documents():
    pair = YieldPair([Stratum(900.0, 60.0, 40.0)], [Stratum(2500.0, 200.0, 9.0)], (0.5, 0.5))
    for p in LEVELS:
        x = pair.quantile("recall", p)
        ratio = Fraction(x).limit_denominator(900 + 2500)
        assert x == float(ratio)


@pytest.mark.filterwarnings("ignore::irbounds.warnings.SampleWarning")
def test_few_likely_counts_of_very_many():
    """It raised an AssertionError: lattices did not resolve the ends of the wide law, and all
    counts were too many for one of single documents.  Expected are the quantiles of SciPy's
    beta-binomial laws, convolved."""
    segment = [(11515, 0, 0), (27807552, 8395037, 88), (2, 2, 1)]
    found = irb.precision_interval(segment, method="betabinom-half")
    size = sum(stratum[0] for stratum in segment)
    assert (round(found.low * size), round(found.high * size)) == (264, 11_825)


def test_a_recall_within_rounding_of_a_ratio_of_counts_is_that_ratio():
    """By the docstring: also of 1, which all reviews that missed nothing have."""
    post = irb.recall_posterior((15, 8, 2), (9346, 5, 0), 0.2)
    missed = post.cdf(0.99)
    assert missed < 0.8
    assert post.cdf(1 - 2e-12) == missed
    assert post.cdf(np.nextafter(1.0, 0.0)) == post.cdf(1.0) == 1.0
    assert post.sf(np.nextafter(1.0, 0.0)) == post.sf(1.0) == pytest.approx(1 - missed)
