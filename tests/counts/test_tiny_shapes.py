"""Differences of two probabilities of which nothing was seen, under tiny priors."""

import numpy as np
import pytest
from scipy.special import betainc
from sizes import long, nightly

import irbounds as irb
from irbounds.counts import paired_comparison
from tests.reference.f_density import f_density


def test_nothing_seen_under_a_tiny_prior_is_refused():
    """Tails of the difference were wrong by up to 1e-3 there; the probability is not."""
    found = paired_comparison(0, [0, 1], 7, prior=9e-4)
    assert found.probability == pytest.approx(betainc([9e-4, 1.0009], 9e-4, 0.5), abs=1e-15)
    with pytest.raises(irb.InputError, match=r"`prior` must be 0.001 or more where neither"):
        found.difference_interval()
    low, high = paired_comparison(0, 1, 7, prior=9e-4).difference_interval()
    assert low < high


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("counts", "beta", "prior", "x"),
    [
        # both tiny: the density is, too
        nightly(((1, 0, 0), 812.3235537302951, 1.1058577688625945e-4, 0.9998894386761337)),
        long(((92, 0, 0), 243.5984968034762, 1.089588939385235e-4, 0.9999999998775397)),
        # one tiny, whose part is all of the density there
        long(((132, 0, 44591), 0.014409993127289753, 1.8535565627223568e-6, 0.8970747273330902)),
        nightly(((2119, 1, 0), 348.82741672730486, 1.4229466856031495e-6, 0.9999999569413799)),
        nightly(((15, 138, 0), 594.7250457935922, 2.4546313899254265e-7, 0.9997984316185476)),
        nightly(((16, 0, 67), 6.588673570138608e-4, 2.060905381711636e-4, 0.9995802472186972)),
        # true positives tiny, too
        ((0, 29, 78), 3.3470599660133523e-4, 1.4286287131119837e-6, 4.235719766597314e-9),
        long(((0, 0, 194), 0.33863538317290925, 2.534100579423733e-7, 6.878180673645469e-12)),
    ],
)
def test_density_of_f(counts, beta, prior, x):
    """Found by a hunt: sums that ran out of points were taken as they were, and had lost digits
    where the density is far below its terms: up to all of it."""
    expected = f_density([count + prior for count in counts], beta, x)
    found = irb.CountsPosterior(*counts, prior=prior).f(beta).pdf(x)
    assert found == pytest.approx(expected, rel=2e-11)


@pytest.mark.parametrize("prior", [1e-3, 2e-3, 0.02])
def test_zero_is_the_middle(prior):
    found = paired_comparison(0, 0, 3, prior=prior)
    assert found.difference_cdf(0.0) == pytest.approx(0.5, abs=1e-12)
    uneven = paired_comparison(0, 0, 3, prior=(prior, 3 * prior, prior))
    assert uneven.difference_sf(0.0) == pytest.approx(uneven.probability, abs=1e-12)


@pytest.mark.parametrize("prior", [1e-6, 1e-4, 1.5e-3, 1.942999563646066e-3, 2.1e-3, 0.05, 0.5])
def test_differences_far_from_the_mean_of_large_counts(prior):
    """Cantelli: P(π1 - π2 > mean + d) is at most var/(var + d²), and likewise below."""
    rng = np.random.default_rng(4)
    counts = np.where(rng.random((3, 500)) < 0.3, 0.0, 10 ** rng.uniform(0, 12, (3, 500)))
    if prior < 1e-3:
        counts[0] += counts[:2].sum(axis=0) == 0
    law = paired_comparison(*counts, prior=prior)
    mean, variance = law.difference, law.difference_variance
    for x in (mean + (1 - mean) * rng.random(500), mean - (1 + mean) * rng.random(500)):
        below, above = law.difference_cdf(x), law.difference_sf(x)
        most = variance / (variance + (x - mean) ** 2) + 1e-10
        assert np.all(np.where(x > mean, above, below) <= most)
        np.testing.assert_allclose(below + above, 1, atol=1e-15)
