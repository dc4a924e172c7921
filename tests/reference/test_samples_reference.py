"""The posteriors from samples against published numbers, against brute force, and each way against
the other."""

from fractions import Fraction
from itertools import combinations, product
from math import comb

import numpy as np
import pytest
from mpmath import diff, log, mp, mpf, workdps
from scipy import stats

from . import conservative_prior
from . import sample_intervals as si
from . import samples as ref

pytestmark = pytest.mark.long  # these test the twins, which change rarely

F = Fraction
HALF = mpf(1) / 2
SMALL = ((500, 50, 40), (2000, 100, 3))
LARGE = ((10_000, 500, 350), (90_000, 1000, 12))
PUBLISHED = ((2_027_935, 596, 541), (39_615_617, 7853, 131))


@pytest.fixture(autouse=True)
def fewer_digits():
    """To be quick."""
    with workdps(25):
        yield


def near(found, expected, tolerance):
    return all(
        abs(mp.convert(a) - mp.convert(b)) <= mpf(tolerance)
        for a, b in zip(found, expected, strict=True)
    )


# Yields
# -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("a", "b"), [(F(1, 2), F(1, 2)), (1, 1), (F(1, 3), 2)])
def test_posterior_is_bayes_rule_with_the_hypergeometric_likelihood(a, b):
    prior = ref.yield_pmf(12, 0, 0, a, b)
    joint = {R: p * si.hypergeometric_pmf(12, R, 5).get(2, 0) for R, p in prior.items()}
    posterior = ref.yield_pmf(12, 5, 2, a, b)
    assert sum(prior.values()) == sum(posterior.values()) == 1
    assert posterior == {R: p / sum(joint.values()) for R, p in joint.items() if p}
    assert ref.mean(posterior) == 2 + 7 * (a + 2) / (a + b + 5)


@pytest.mark.long
@pytest.mark.parametrize(
    ("k", "size", "sampled", "relevant", "expected"),
    [
        (93, 1000, 100, 10, ".53356835378729138"),
        (300, 10_000, 100, 10, ".00053120594669659198"),
        (0, 100_400, 500, 0, ".070587236357083935"),
    ],
)
def test_published_beta_binomials(k, size, sampled, relevant, expected):
    """The posterior of `relevant` in `sampled` is BetaBin(size - sampled; relevant + 1/2, ...)."""
    law = ref.yield_pmf(size, sampled, relevant, HALF, HALF)
    assert near([sum(law[relevant + j] for j in range(k + 1))], [expected], "1e-17")


def test_uniform_posterior_is_a_hypergeometric_tail():
    law = ref.yield_pmf(100, 10, 3, 1, 1)
    tail = sum(p for k, p in si.hypergeometric_pmf(101, 24, 11).items() if k > 3)
    assert ref.cdf(law, 3 + 20) == tail
    assert near([tail], [".24422030522186614"], "1e-17")


def test_segments_are_sums_of_strata():
    strata = [(6, 3, 1), (4, 4, 2), (0, 0, 0), (5, 0, 0)]
    total = ref.segment_pmf(strata, is_shared=False)
    by_hand = dict.fromkeys(total, 0)
    for parts in product(*(ref.yield_pmf(*stratum).items() for stratum in strata)):
        by_hand[sum(R for R, _ in parts)] += np.prod([p for _, p in parts])
    assert total == by_hand
    assert list(total) == list(range(3, 3 + 3 + 5 + 1))


def shares(strata):
    return ref.prior_shares(ref.pooled(strata))


def test_strata_share_one_prior():
    assert shares([(8, 6, 1), (4, 4, 2), (14, 4, 0)]) == [F(5, 16), 1, F(11, 16)]
    assert shares([(6, 0, 0), (3, 0, 0)]) == [F(7, 12), F(5, 12)]
    assert shares([(4, 4, 2)]) == [1]
    parts = ref.posterior_parts([(8, 6, 1), (14, 4, 0)])
    share = (F(1, 2) + F(2, 7) / (F(2, 7) + 2)) / 2
    a, b = share / 2 + 1, share / 2 + 5
    kept = 1 - 2 * (1 - share) / (a + b)
    assert parts[0] == (1, 2, a * kept, b * kept)
    total = ref.segment_pmf([(8, 6, 1), (14, 4, 0)])
    laws = [ref.betabinomial_pmf(m, a, b) for _, m, a, b in parts]
    shifted = {1 + k: p for k, p in laws[0].items()}
    assert total == ref.convolve(shifted, laws[1])


def test_a_single_stratum_keeps_its_prior():
    assert ref.segment_pmf([(9, 2, 1)]) == ref.yield_pmf(9, 2, 1)


def test_small_samples_of_one_rate_are_one_sample():
    """Their rates are equal, so that their documents weigh the same; other strata stay."""
    strata = [(20, 2, 1), (30, 3, 0), (10, 1, 1), (50, 10, 4), (3, 3, 1)]
    *others, pool = ref.pooled(strata)
    assert [row[:3] for row in others] == [(50, 10, 4), (3, 3, 1)]
    assert pool == (60, 6, 2, 6, 2, True)
    assert ref.pooled(strata[::-1])[-1] == pool
    assert ref.posterior_parts(strata)[-1] == (2, 54, F(5, 2), F(9, 2))


def test_small_samples_are_weighted_by_their_unseen_documents():
    (pool,) = ref.pooled([(12, 2, 2), (42, 2, 0)])
    # 10 and 40 unseen documents: a share of 1/5, whose variance is 17/25 p(1 - p)/2
    assert pool == (54, 4, 2, F(50, 17), F(10, 17), True)


def test_posteriors_of_small_samples_are_as_wide_as_their_sums_vary():
    """20 strata of 7 sampled documents each: the mean of the posterior variance over all samples is
    near the variance of the estimate, where without the reduction it is a quarter less.  The law of
    a stratum depends on its own sample and on how many others show no more irrelevant documents.
    """
    n, p, strata = 7, F(3, 10), 20
    chances = binomial(n, p)

    def variances(r, no_more):
        """The posterior's, and what it would be without the reduction by two documents but for the
        stratum's share of them."""
        others = [r] * no_more + [max(r - 1, 0)] * (strata - 1 - no_more)
        *_, a, b = ref.posterior_parts([(10**9, n, s) for s in (r, *others)])[0]
        mean, lost = a / (a + b), 2 * (1 - F(1, strata))
        return [mean * (1 - mean) / (weight + 1) for weight in (a + b, a + b + lost)]

    expected = [0, 0]
    for r in range(n + 1):
        for no_more, chance in enumerate(binomial(strata - 1, sum(chances[r:]))):
            for i, variance in enumerate(variances(r, no_more)):
                expected[i] += chances[r] * chance * variance / (p * (1 - p) / n)
    assert 0.97 < expected[0] < 1.03
    assert expected[1] < 0.8


def binomial(n, p):
    """[P(k)] of k successes among n."""
    return [comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]


# Recall and its kin
# -------------------------------------------------------------------------------------

CASES = [
    ([(9, 4, 2)], [(12, 5, 1)]),
    ([(6, 3, 0)], [(8, 2, 0)]),
    ([(5, 2, 1), (4, 1, 0)], [(7, 3, 0), (3, 1, 1)]),
]


@pytest.mark.parametrize("case", CASES)
def test_recall_by_tails_is_recall_by_enumeration(case):
    pmf1, pmf0 = map(ref.segment_pmf, case)
    law = ref.law(ref.recall, pmf1, pmf0)
    assert sum(law.values()) == 1
    for q in [0, *law, F(1, 7), F(5, 11), "0.9999", 1]:
        assert ref.recall_cdf(q, pmf1, pmf0) == ref.cdf(law, q)
    for p in [*np.linspace(0.01, 1, 34), *(ref.cdf(law, q) for q in list(law)[::5])]:
        q = ref.quantile(law, p)
        assert q == ref.recall_quantile(p, pmf1, pmf0)
        assert ref.cdf(law, q) >= ref.exact(p) > ref.cdf(law, q) - law[q]


def test_recall_where_nothing_is_relevant():
    # {0: 2/3, 1: 1/3}, {0: 1/2, 1: 1/2}
    pmf1, pmf0 = ref.yield_pmf(2, 1, 0, 1, 1), ref.yield_pmf(1, 0, 0, 1, 1)
    assert ref.law(ref.recall, pmf1, pmf0) == {0: F(1, 2), F(1, 2): F(1, 4), 1: F(1, 4)}
    assert ref.law(ref.recall, pmf1, pmf0, 0) == {0: F(2, 3), F(1, 2): F(1, 6), 1: F(1, 6)}
    assert ref.law(ref.recall, pmf1, pmf0, 1) == {0: F(1, 3), F(1, 2): F(1, 6), 1: F(1, 2)}
    assert ref.recall_cdf(0, pmf1, pmf0) == F(1, 2)


def test_kin_of_recall_by_hand():
    pmf1, pmf0 = {1: F(1, 4), 2: F(3, 4)}, {0: F(1, 2), 4: F(1, 2)}
    assert ref.law(ref.recall, pmf1, pmf0) == {F(1, 5): F(1, 8), F(1, 3): F(3, 8), 1: F(1, 2)}
    assert ref.law(ref.precision(8), pmf1, pmf0) == {F(1, 8): F(1, 4), F(1, 4): F(3, 4)}
    assert ref.law(ref.elusion(5), pmf1, pmf0) == {0: F(1, 2), F(4, 5): F(1, 2)}
    assert ref.law(ref.total_yield, pmf1, pmf0) == {1: F(1, 8), 2: F(3, 8), 5: F(1, 8), 6: F(3, 8)}
    for tp, fn, beta in product((1, 2), (0, 4), (F(1, 2), 1, 2)):
        p, r = F(tp, 8), F(tp, tp + fn)
        assert ref.f_measure(beta, 8)(tp, fn) == (1 + beta**2) * p * r / (beta**2 * p + r)
    assert ref.f_measure(1, 8)(0, 0) == 0
    assert ref.f_measure(1, 0)(0, 0) is None
    law = ref.law(ref.recall, pmf1, pmf0)
    assert ref.mean(law) == F(1, 40) + F(1, 8) + F(1, 2)
    assert (ref.cdf(law, F(1, 3)), ref.sf(law, F(1, 3))) == (F(1, 2), F(7, 8))


def test_interval_forces_ends_and_sides():
    law = ref.law(ref.recall, *map(ref.segment_pmf, CASES[1]))

    def ends(**options):
        return ref.interval(lambda p: ref.quantile(law, p), "0.6", **options)

    low, high = ends()
    assert (low, high) == (0, 1) or 0 <= low < high <= 1
    assert ends(counts=(0, 0)) == (0, 1)
    assert ends(counts=(0, 1)) == (0, high)
    assert ends(counts=(1, 0)) == (low, 1)
    assert ends(side="lower", counts=(1, 1)) == (mp.convert(ref.quantile(law, "0.4")), 1)
    assert ends(side="upper", counts=(1, 1)) == (0, mp.convert(ref.quantile(law, "0.6")))


def test_published_recall_quantiles():
    pmfs = [ref.yield_pmf(*stratum, HALF, HALF) for stratum in SMALL]
    expected = {".025": ".71906355", ".975": ".95707071", ".05": ".74385246"}
    assert near([ref.recall_quantile(p, *pmfs) for p in expected], expected.values(), "5e-9")


@pytest.mark.nightly
@pytest.mark.long
@pytest.mark.parametrize(
    ("prior", "low", "high", "tolerance"),
    [(HALF, ".79326431", ".92184725", "5e-9"), (mpf(1), ".788261", ".917988", "5e-7")],
)
def test_published_recall_quantiles_of_many_documents(prior, low, high, tolerance):
    pmfs = [ref.yield_pmf(*stratum, prior, prior) for stratum in LARGE]
    for p, q in ((0.025, F(low)), (0.975, F(high))):
        assert ref.recall_cdf(q - F(tolerance), *pmfs) < p < ref.recall_cdf(q + F(tolerance), *pmfs)


def test_recall_quantiles_by_sorting_every_pair():
    """In double precision: all 451 x 1901 recalls, sorted."""
    pmfs = [ref.yield_pmf(*stratum, HALF, HALF) for stratum in SMALL]
    (k, p), (j, q) = (
        (np.array(list(pmf)), np.array(list(map(float, pmf.values())))) for pmf in pmfs
    )
    recall, weight = (k[:, None] / (k[:, None] + j)).ravel(), np.outer(p, q).ravel()
    order = np.argsort(recall)
    at = np.searchsorted(np.cumsum(weight[order]), [0.025, 0.05, 0.975])
    exact = [float(ref.recall_quantile(p, *pmfs)) for p in (".025", ".05", ".975")]
    assert recall[order][at] == pytest.approx(exact, rel=1e-12)


# Betas instead of beta-binomials
# ------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize(
    ("finite", "low", "high"),
    [(False, ".792836", ".92215154"), (True, ".79364178048", ".92148418703")],
)
def test_beta_jeffreys(finite, low, high):
    """The published pair is that of R = pi N; for Webber's R = r + pi (N - n), SciPy's quad gave
    the other one."""
    with workdps(15):
        found = [ref.beta_jeffreys_cdf(q, *LARGE, finite=finite) for q in (low, high)]
    assert near(found, (".025", ".975"), "2e-7")


@pytest.mark.long
def test_published_beta_jeffreys():
    with workdps(15):
        found = [ref.beta_jeffreys_cdf(q, *PUBLISHED) for q in (".7017", ".7683")]
    assert near(found, (".025", ".975"), "3e-4")


@pytest.mark.long
@pytest.mark.parametrize("finite", [True, False])
@pytest.mark.parametrize(
    "strata", [((30, 10, 0), (60, 5, 0)), ((30, 10, 4), (60, 20, 3)), ((9, 8, 8), (60, 59, 3))]
)
def test_beta_jeffreys_in_double_precision(strata, finite):
    """The mean over u of P(pi0 >= y(u)), pi1 the u-quantile."""
    nodes, weights = np.polynomial.legendre.leggauss(200)
    (N1, n1, r1), (N0, n0, r0) = strata
    pi1 = stats.beta.ppf((nodes + 1) / 2, r1 + 0.5, n1 - r1 + 0.5)
    R1 = r1 + pi1 * (N1 - n1) if finite else pi1 * N1
    R0 = R1 * 2 / 3  # recall 0.6
    y = (R0 - r0) / (N0 - n0) if finite else R0 / N0
    with workdps(15):
        found = ref.beta_jeffreys_cdf(0.6, *strata, finite=finite)
    assert float(found) == pytest.approx(
        weights / 2 @ stats.beta.sf(y, r0 + 0.5, n0 - r0 + 0.5), abs=1e-5
    )


@pytest.mark.long
def test_beta_jeffreys_quantile_and_a_census():
    strata = (20, 10, 3), (60, 10, 2)
    with workdps(15):
        q = ref.beta_jeffreys_quantile("0.1", *strata, digits=5)
        assert near([ref.beta_jeffreys_cdf(q, *strata)], ["0.1"], "1e-5")
        assert near([ref.beta_jeffreys_cdf(F(1, 2), (10, 10, 3), (5, 5, 3))], [1], 0)
        assert near([ref.beta_jeffreys_cdf(0.49, (10, 10, 3), (5, 5, 3))], [0], 0)
        assert near(
            [ref.beta_jeffreys_cdf(0.6, (5, 5, 3), (30, 10, 0))],
            [stats.beta.sf(0.1, 0.5, 10.5)],
            "1e-12",
        )
        assert near(
            [ref.beta_jeffreys_cdf(0.6, (30, 10, 0), (5, 5, 4))],
            [stats.beta.cdf(0.3, 0.5, 10.5)],
            "1e-12",
        )


# The most conservative prior
# ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "sampled", "expected"),
    [(20, 5, ".192354"), (20, 10, ".321907"), (40, 10, ".254813"), (50, 2, ".046404")],
)
def test_most_conservative_priors(size, sampled, expected):
    """The last one is .0464034 exactly."""
    found = conservative_prior.most_conservative_prior(
        size, sampled, conservative_prior.information_gain_by_margins, digits=7
    )
    assert near([found], [expected], "1e-6")
    with workdps(40):
        slope = diff(
            lambda a: conservative_prior.information_gain_by_margins(size, sampled, a), found
        )
        assert abs(slope) < mpf("1e-4")


@pytest.mark.parametrize(
    ("size", "sampled", "a"), [(9, 4, "0.3"), (5, 1, "0.7"), (6, 6, "1.5"), (7, 0, "0.2")]
)
def test_information_gain_three_ways(size, sampled, a):
    """As eq. 18 stands, by its margins, and as the mean divergence from prior to posterior."""
    a = mpf(a)
    prior = ref.yield_pmf(size, 0, 0, a, a)
    divergence = mpf(0)
    for x in range(sampled + 1):
        posterior = ref.yield_pmf(size, sampled, x, a, a)
        chance = ref.betabinomial_pmf(sampled, a, a)[x]
        divergence += chance * sum(p * log(p / prior[R]) for R, p in posterior.items())
    gains = [conservative_prior.information_gain, conservative_prior.information_gain_by_margins]
    assert near([gain(size, sampled, a) for gain in gains], [divergence] * 2, "1e-20")


def test_most_conservative_prior_at_the_ends():
    assert near([conservative_prior.most_conservative_prior(6, 6, digits=6)], [1], "1e-5")
    assert conservative_prior.most_conservative_prior(9, 1) == 0
    gains = [conservative_prior.information_gain(9, 1, a) for a in ("0.01", "0.1", "0.5", "1")]
    assert gains == sorted(gains, reverse=True)
    for size, sampled in [(9, 0), (1, 1)]:
        with pytest.raises(ValueError, match="every prior"):
            conservative_prior.most_conservative_prior(size, sampled)


def test_limits_of_the_most_conservative_prior():
    limits = conservative_prior.limits
    assert all(limits(N, n) == (N, n) for N in (1, 7, 200, 999, 1000) for n in range(1, N + 1))
    assert [limits(10**6, n) for n in (50, 800, 801, 10**5)] == [
        (1000, 50),
        (1000, 800),
        (1000, 800),
        (1000, 800),
    ]
    assert [limits(1100, n) for n in (850, 950, 1050, 1100)] == [
        (1000, 800),
        (1000, 850),
        (1000, 950),
        (1000, 1000),
    ]


# The estimator of recall
# --------------------------------------------------------------------------------


def test_bias_of_the_estimator():
    """Webber's table III: true recall 0.25, mean 0.31."""
    law = ref.estimator_law((2000, 1000, 100), (100_000, 3000, 100))
    mean = float(sum(mp.convert(value) * mp.convert(p) for value, p in law.items()))
    assert round(mean, 2) == 0.31


def test_estimator_over_every_pair_of_samples():
    retrieved, unretrieved = [1, 1, 1, 0, 0], [1, 0, 0, 0, 0, 0]
    law = {}
    for one, other in product(combinations(retrieved, 2), combinations(unretrieved, 3)):
        R1, R0 = F(sum(one) * 5, 2), F(sum(other) * 6, 3)
        if R1 + R0:
            law[R1 / (R1 + R0)] = law.get(R1 / (R1 + R0), 0) + 1
    ways = sum(law.values())
    assert ways < comb(5, 2) * comb(6, 3)
    assert ref.estimator_law((5, 3, 2), (6, 1, 3)) == {
        value: F(law[value], ways) for value in sorted(law)
    }
