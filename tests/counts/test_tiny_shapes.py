"""Differences of two probabilities of which nothing was seen, under tiny priors."""

import mpmath
import numpy as np
import pytest
from scipy import special
from sizes import long, nightly

import irbounds as irb
from tests.reference.f_density import f_density


def difference_below(a, b, c, x):
    """P(π1 - π2 < -x), x > 0, over s = π1 + π2 ~ Beta(a + b, c): π1/s ~ Beta(a, b)."""
    with mpmath.workdps(30):
        a, b, c, x = map(mpmath.mpf, (a, b, c, x))

        def integrand(u):  # s = exp(-u)
            s = mpmath.exp(-u)
            half = max(0, 1 - x / s) / 2  # which rounding puts below 0 at the end
            share = mpmath.betainc(a, b, 0, half, regularized=True)
            return s ** (a + b) * (1 - s) ** (c - 1) * share

        last = -mpmath.log(x)
        edges = [last * mpmath.mpf(k) / 12 for k in range(13)]
        edges[1:1] = [edges[1] * mpmath.mpf(10) ** -k for k in (6, 4, 3, 2, 1)]
        return float(mpmath.quad(integrand, edges) / mpmath.beta(a + b, c))


def by_second(a, b, c, x):
    """The same over π2 ~ Beta(b, a + c), of which 1 - π2 is shared by π1 with Beta(a, c)."""
    top, node, weight = (1 + x) / 2, *np.polynomial.legendre.leggauss(24)
    edges = np.concatenate([[0], np.geomspace(1e-14, 0.9, 50), np.arange(1, 60, 0.5)])
    half = np.diff(edges)[:, None] / 2
    past = (top - x) * np.exp(-(edges[:-1, None] + half * (1 + node)))  # of π2 over x, up to `top`
    y = x + past
    density = (b - 1) * np.log(y) + (a + c - 1) * np.log1p(-y) - special.betaln(b, a + c)
    share = special.betainc(a, c, np.minimum(past / (1 - y), 1))
    return special.betaincc(b, a + c, top) + np.sum(share * np.exp(density) * past * half * weight)


@pytest.mark.parametrize(
    ("shapes", "x"),
    [
        ((1e-4, 1e-6, 0.5), 0.01),
        ((1e-9, 5e-4, 2), 0.3),
        ((5e-4, 1e-9, 1e-4), 0.2),
        ((1e-5, 1e-5, 1e-5), 0.5),
        ((9e-4, 1e-12, 1000), 1e-4),
        ((9e-4, 9e-4, 1e-3), 0.9),
        ((1e-6, 9e-4, 1e9), 1e-9),
    ],
)
def test_uneven_shapes_and_small_third_ones(shapes, x):
    found = irb.counts.paired_comparison(0, 0, 0, prior=shapes)
    assert found.difference_cdf(-x) == pytest.approx(by_second(*shapes, x), rel=1e-11)
    swapped = irb.counts.paired_comparison(0, 0, 0, prior=(shapes[1], shapes[0], shapes[2]))
    assert swapped.difference_sf(x) == found.difference_cdf(-x)


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


@pytest.mark.parametrize(
    ("prior", "same", "x"),
    [
        (1e-5, 1, 1e-3),
        (9e-4, 100, 0.01),
        long((9e-4, 1, 1e-9)),
        long((1e-4, 7, 0.9)),
        long((1e-5, 1, 0.3)),
        long((1e-10, 1, 1e-3)),
        long((1e-100, 100, 0.01)),
        long((1e-100, 7, 0.9)),
    ],
)
def test_tails_equal_the_integral_over_the_sum(prior, same, x):
    """The cdf was .0011 for 6.9e-5 at a prior of 1e-5, -.001 and one object."""
    found = irb.counts.paired_comparison(0, 0, same, prior=prior)
    truth = difference_below(prior, prior, same + prior, x)
    assert found.difference_cdf(-x) == pytest.approx(truth, rel=1e-9, abs=1e-300)
    assert found.difference_sf(x) == pytest.approx(truth, rel=1e-9, abs=1e-300)
    assert found.difference_sf(-x) == pytest.approx(1 - truth, abs=1e-14)


def test_a_kernel_and_sums_meet_at_the_switch():
    for same in (0, 1, 1000, 10**9):
        low, high = (
            irb.counts.paired_comparison(0, 0, same, prior=prior).difference_cdf(
                [-1e-9, -1e-3, -0.5]
            )
            for prior in (0.00099999999, 0.00100000001)
        )
        assert low == pytest.approx(high, rel=1e-6, abs=1e-14)


@pytest.mark.parametrize("prior", [1e-3, 9e-4, 1e-10, 1e-100, 1e-300])
def test_zero_is_the_middle(prior):
    found = irb.counts.paired_comparison(0, 0, 3, prior=prior)
    assert found.difference_cdf(0.0) == pytest.approx(0.5, abs=1e-12)
    uneven = irb.counts.paired_comparison(0, 0, 3, prior=(prior, 3 * prior, prior))
    assert uneven.difference_sf(0.0) == pytest.approx(uneven.probability, abs=1e-12)


def test_intervals_of_nothing_seen():
    found = irb.counts.paired_comparison(0, 0, 1, prior=1e-10)
    low, high = found.difference_interval(0.999)
    assert (low, high) == (0, 0)  # 7e-8 of the probability lie beyond 1e-300


@pytest.mark.parametrize("prior", [1e-6, 1.5e-3, 1.942999563646066e-3, 2.1e-3, 0.5])
def test_differences_far_from_the_mean_of_large_counts(prior):
    """Cantelli: P(π1 - π2 > mean + d) is at most var/(var + d²), and likewise below."""
    rng = np.random.default_rng(4)
    counts = np.where(rng.random((3, 500)) < 0.3, 0.0, 10 ** rng.uniform(0, 12, (3, 500)))
    law = irb.counts.paired_comparison(*counts, prior=prior)
    mean, variance = law.difference, law.difference_variance
    for x in (mean + (1 - mean) * rng.random(500), mean - (1 + mean) * rng.random(500)):
        below, above = law.difference_cdf(x), law.difference_sf(x)
        most = variance / (variance + (x - mean) ** 2) + 1e-10
        assert np.all(np.where(x > mean, above, below) <= most)
        np.testing.assert_allclose(below + above, 1, atol=1e-15)
