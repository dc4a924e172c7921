"""The bootstrap of many queries draws counts: those of its slow twin, and of a multinomial law."""

import math

import numpy as np
import pytest
from comparisons import SEED, of_differences
from reference import query_counts as ref
from scipy import stats
from sizes import long

from irbounds._core.draws import query_counts
from irbounds.comparison.significance.resampling import LIKE_SCIPY, bootstrap_t


def generator(seed=SEED):
    return np.random.default_rng(seed).bit_generator


@pytest.mark.parametrize(
    ("n", "resamples"), [(17, 60), (63, 20), (64, 20), (65, 20), (1000, 9), (4097, 2)]
)
def test_counts_are_the_twins(n, resamples):
    """With 17 queries a total above n is drawn again, and most are drawn one by one."""
    found = query_counts.counts_of(n, resamples, generator())
    np.testing.assert_array_equal(found, ref.counts_of(n, resamples, generator()))


@pytest.mark.parametrize(("n", "columns", "resamples"), [(17, 1, 9), (130, 3, 17), (1025, 2, 3)])
def test_sums_are_the_twins(n, columns, resamples):
    """Blocks of 64 queries and tiles of 1,024, resamples eight at a time; the sums of one column
    do not depend on the others."""
    values = np.random.default_rng(5).standard_cauchy((columns, n))
    found = query_counts.moments(values, resamples, generator())
    rows = query_counts.counts_of(n, resamples, generator()).tolist()
    sizes = [[abs(value) for value in column] for column in values.tolist()]
    for sums, exact, scale in zip(
        found, ref.moments(values.tolist(), rows), ref.moments(sizes, rows), strict=True
    ):
        error = np.abs(sums - np.array(exact, float)) / np.array(scale, float)
        assert error.max() < 1e-15 * (2 + n / 64)
    for j in range(columns):
        alone = query_counts.moments(values[j : j + 1].copy(), resamples, generator())
        np.testing.assert_array_equal(alone[0][:, 0], found[0][:, j])
        np.testing.assert_array_equal(alone[1][:, 0], found[1][:, j])


@pytest.mark.parametrize("n", [17, long(2001)])
def test_counts_are_multinomial(n, seed):
    """Each resample draws n queries; each query's count is binomial, two of them have the
    covariance -1/n, and sums of neighbours are binomial too.  Another seed fails once in 10^5
    times."""
    resamples = 4_000_000 // n
    counts = query_counts.counts_of(n, resamples, generator(seed)).astype(np.int64)
    assert (counts.sum(axis=1) == n).all()
    for width in (1, 2, 16):
        sums = counts[:, : n // width * width].reshape(-1, width).sum(axis=1)
        if width > 1:  # one sum of each resample, since sums of one resample are dependent
            sums = sums.reshape(resamples, -1)[:, 0]
        law = stats.binom(n, width / n)
        least = law.ppf(20 / sums.size)
        most = law.ppf(1 - 20 / sums.size)
        clipped = np.clip(sums, least, most).astype(int)
        seen = np.bincount(clipped - int(least))
        places = np.arange(least, most + 1)
        chance = law.pmf(places)
        chance[0], chance[-1] = law.cdf(least), law.sf(most - 1)
        assert stats.chisquare(seen, chance * sums.size).pvalue > 1e-6
    product = (counts[:, 0] - 1.0) * (counts[:, n // 2] - 1.0)
    assert abs(product.mean() + 1 / n) < 5 * product.std() / math.sqrt(resamples)


@pytest.mark.long
@pytest.mark.parametrize("law", ["skewed", long("rare")])
def test_p_values_agree_with_places_drawn_by_numpy(law):
    """A plan of counts and one of places, both of 9,999 resamples, at 3,000 queries: apart by less
    than five standard errors of their difference, and the level of intervals by 3.6 of them."""
    n, rng = 3000, np.random.default_rng(11)
    values = {
        "skewed": lambda: rng.exponential(1, n) - 0.97,
        "rare": lambda: (rng.random(n) < 0.004) * rng.choice([-1.0, 1, 1], n),
    }[law]()
    assert n > LIKE_SCIPY
    centred = values - values.mean()
    t = abs(values.mean()) / (values.std(ddof=1) / math.sqrt(n))
    drawn = []
    for _ in range(9):
        rows = centred[rng.integers(0, n, (1111, n))]
        drawn.append(np.abs(rows.mean(axis=1)) / rows.std(axis=1, ddof=1) * math.sqrt(n))
    theirs = np.concatenate(drawn)
    ours = bootstrap_t(centred[:, None], 9999, SEED)[:, 0]
    p = np.mean(theirs >= t)
    assert abs(np.mean(ours >= t) - p) < 5 * math.sqrt(2 * p * (1 - p) / 9999) + 1e-9
    assert stats.ks_2samp(ours.round(9), theirs.round(9)).pvalue > 1e-5
    one = of_differences(values, test="bootstrap")
    t_margin = (one.high - one.low) / 2 / values.std(ddof=1) * math.sqrt(n)
    assert np.quantile(theirs, 0.94) - 1e-9 <= t_margin <= np.quantile(theirs, 0.96) + 1e-9
