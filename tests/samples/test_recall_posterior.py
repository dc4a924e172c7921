"""The exact engine of recall's posterior: enumeration, wide and singular laws, Monte Carlo."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import signal, special, stats
from segments import POSTERIOR, SMALL, A, B
from sizes import long

import irbounds as irb
from irbounds.samples.posterior.convolution import sum_law
from tests.reference import samples as reference
from tests.reference import yields_in_full as full
from tests.reference.yields_in_full import FullPair


def convolved(pmfs):
    total = pmfs[0]
    for pmf in pmfs[1:]:
        total = np.maximum(signal.fftconvolve(total, pmf), 0)
    return total


def part_pmf(seen, unseen, a, b):
    """The posterior over 0 .. seen + unseen in doubles."""
    k = np.arange(unseen + 1)
    log_p = (
        special.gammaln(unseen + 1)
        - special.gammaln(k + 1)
        - special.gammaln(unseen - k + 1)
        + special.betaln(k + float(a), unseen - k + float(b))
    )
    p = np.exp(log_p - log_p.max())
    return np.concatenate([np.zeros(seen), p / p.sum()])


def enumerated_recall(retrieved, unretrieved, prior=0.5):
    """P(recall <= q) as a function of q, from whole distributions."""
    first, second = (
        [part_pmf(*part) for part in reference.posterior_parts(segment, prior, prior)]
        for segment in (retrieved, unretrieved)
    )
    p1, p0 = (convolved(pmfs) for pmfs in (first, second))
    above = np.append(np.cumsum(p0[::-1])[::-1], 0)
    k = np.arange(p1.size)

    def below(q):
        needed = k * (1 - q) / q
        whole = np.where(
            np.abs(needed - np.round(needed)) < 1e-9, np.round(needed), np.ceil(needed)
        )
        return float(p1 @ above[np.minimum(whole, p0.size).astype(int)])

    return below


@pytest.mark.quick_examples(80)
@settings(max_examples=150, deadline=None)
@given(
    SMALL,
    SMALL,
    st.sampled_from(["betabinom-half", "betabinom-uniform"]),
    st.sampled_from([0.5, 0.8, 0.95]),
    st.sampled_from(["two-sided", "lower", "upper"]),
)
def test_small_designs_by_enumeration(retrieved, unretrieved, method, level, side):
    result = irb.recall_interval(
        retrieved, unretrieved, method=method, confidence_level=level, side=side
    )
    if retrieved[2] + unretrieved[2] == 0:
        assert (result.low, result.high) == (0, 1)
        assert math.isnan(result.estimate)
        return
    # everything was sampled
    if retrieved[:1] + unretrieved[:1] == retrieved[1:2] + unretrieved[1:2]:
        assert (
            result.low
            == result.high
            == result.estimate
            == retrieved[2] / (retrieved[2] + unretrieved[2])
        )
        return
    prior = reference.HALF if method == "betabinom-half" else 1
    pmfs = [reference.yield_pmf(*stratum, prior, prior) for stratum in (retrieved, unretrieved)]
    law = reference.law(
        reference.recall, *pmfs, undefined=0 if 0 in pmfs[0] and 0 in pmfs[1] else None
    )
    counts = (retrieved[2], unretrieved[2])
    if retrieved[0] == retrieved[1] and retrieved[2] == 0:
        counts = (0, 1)  # nothing can be found among the retrieved: recall is 0
    expected = reference.interval(lambda p: reference.quantile(law, p), level, side, counts)
    assert (result.low, result.high) == pytest.approx([float(end) for end in expected], abs=1e-9)


@pytest.mark.quick_examples(20)
@settings(max_examples=60, deadline=None)
@example((12, 0, 0), (13, 0, 0), 1.0)
@example((5, 3, 0), (26, 15, 5), 1.0)
@given(SMALL, SMALL, st.floats(0.3, 3))
def test_kin_of_recall_by_enumeration(retrieved, unretrieved, beta):
    pmfs = [reference.yield_pmf(*stratum) for stratum in (retrieved, unretrieved)]
    post = irb.recall_posterior(retrieved, unretrieved)
    law = reference.law(reference.recall, *pmfs, undefined=0)
    for q in (0, 0.25, 1 / 3, 0.5, 0.6, 0.75, 1):
        exact_q = reference.exact(q) if q != 1 / 3 else reference.Fraction(1, 3)
        assert post.cdf(q) == pytest.approx(
            float(sum(p for v, p in law.items() if v <= exact_q)), abs=1e-12
        )
        assert post.sf(q) == pytest.approx(
            float(sum(p for v, p in law.items() if v >= exact_q)), abs=1e-12
        )
    assert post.mean == pytest.approx(float(reference.mean(law)), abs=1e-12)
    total = reference.law(reference.total_yield, *pmfs)
    result = irb.yield_interval(retrieved, unretrieved)
    size, sampled, found = (a + b for a, b in zip(retrieved, unretrieved, strict=True))
    assert result.low == (float(reference.quantile(total, 0.025)) if found else 0)
    assert result.high == (float(reference.quantile(total, 0.975)) if found < sampled else size)
    if retrieved[2] and retrieved[0]:
        f_law = reference.law(reference.f_measure(beta, retrieved[0]), *pmfs)
        result = irb.f_interval(
            retrieved, unretrieved, beta=beta, side="lower", method="betabinom-half"
        )
        assert result.low == pytest.approx(float(reference.quantile(f_law, 0.05)), abs=1e-9)
    share = reference.law(reference.precision(retrieved[0]), *pmfs) if retrieved[0] else None
    if share and 0 < retrieved[2] < retrieved[1]:
        result = irb.precision_interval(retrieved)
        assert (result.low, result.high) == pytest.approx(
            [float(reference.quantile(share, p)) for p in (0.025, 0.975)]
        )


@pytest.mark.long
def test_large_designs_by_enumeration():
    rng = np.random.default_rng(8)
    for _ in range(60):
        design = []
        for _ in range(2):
            size = int(10 ** rng.uniform(3, 6))
            sampled = int(min(size, 10 ** rng.uniform(1, 3.6)))
            design.append((size, sampled, int(rng.binomial(sampled, 10 ** rng.uniform(-3, -0.02)))))
        below = enumerated_recall([design[0]], [design[1]])
        both_small = max(design[0][0], design[1][0]) <= 20_000
        result = irb.recall_interval(*design)
        for end, p, is_forced in (
            (result.low, 0.025, design[0][2] == 0),
            (result.high, 0.975, design[1][2] == 0),
        ):
            if not is_forced:
                tolerance = 1e-9 if both_small else 1e-7
                assert below(end - tolerance) <= p + 1e-12, design
                assert below(end + tolerance) >= p - 1e-12, design
        post = irb.recall_posterior(*design)
        for q in (0.25, 0.5, 0.75, 0.9, result.estimate if result.estimate > 0 else 0.3):
            # the sum has 11 digits
            assert post.cdf(q) == pytest.approx(below(q), abs=1e-11 if both_small else 1e-7), (
                design,
                q,
            )


@pytest.mark.parametrize(
    ("design", "level", "end", "value"),
    [
        (((1151269, 3, 3), (434353, 0, 0)), 0.95, "low", 0.6310337480),
        (((1026673, 10, 10), (642173, 5, 5)), 0.95, "low", 0.5679925480),
        (((10**9, 10, 10), (6 * 10**8, 5, 5)), 0.90, "low", 0.5919421999),
        (((1702091, 300, 162), (637708, 2, 2)), 0.99, "low", 0.5626910160),
        (((845130, 2, 2), (426035, 590, 399)), 0.95, "high", 0.7518966845),
        (((42829, 300, 300), (92054, 500, 0)), 0.95, "low", 0.9893678490),
    ],
)
def test_ends_of_wide_and_of_singular_laws(design, level, end, value):
    """Beta-binomials of SciPy, summed in full."""
    assert getattr(irb.recall_interval(*design, confidence_level=level), end) == pytest.approx(
        value, abs=1e-8
    )


@pytest.mark.parametrize(
    ("segments", "prior"),
    [
        (([(50, 5, 5), (20, 2, 0)], [(100, 10, 0), (5, 1, 1)]), 0.001),
        (([(504, 15, 15), (78147, 126, 126)], [(40, 1, 0), (4, 3, 1)]), 0.022),
        long((([(137702, 2, 1), (4, 3, 2), (8, 2, 1)], [(531, 1, 0), (111085, 0, 0)]), 0.5)),
        (
            (
                [(3, 2, 1), (395, 6, 1), (9787, 0, 0), (5, 1, 0)],
                [(41674, 2, 2), (19, 19, 12), (7, 5, 0)],
            ),
            1.7e-6,
        ),
        long(
            (
                (
                    [(2088, 6, 0), (425, 9, 9), (652, 16, 1), (32762, 4, 1)],
                    [(7644, 4373, 4366), (162, 1, 0), (881, 1, 0)],
                ),
                624.0,
            )
        ),
    ],
)
def test_strata_with_every_prior(segments, prior):
    """Tails that are not cut, laws that are singular at both ends, spikes."""
    full, post = (
        FullPair(*segments, prior=(prior, prior)),
        irb.recall_posterior(*segments, prior=prior),
    )
    for p in (1e-4, 0.025, 0.5, 0.975):
        q = post.quantile(p)
        assert full.below("recall", q + 1e-8) >= p - 1e-10
        assert q == 0 or full.below("recall", q - 1e-8) <= p + 1e-10
        for x in (q, 0.3, 0.7, 0.8125):
            assert post.cdf(x) == pytest.approx(full.below("recall", x), abs=1e-9)
            assert post.sf(x) == pytest.approx(1 - full.below("recall", x, strict=True), abs=1e-9)
    if sum(map(len, [full.one.pmf, full.other.pmf])) < 1000:
        assert post.mean == pytest.approx(full.mean(), abs=1e-12)


@pytest.mark.parametrize(
    ("segments", "prior", "x"),
    [
        (([(13731, 1, 1), (4797, 5, 0)], [(11775, 17, 2)]), 2.10319773995406, 0.709),
        (([(3, 2, 1), (2007, 729, 0), (149, 11, 11), (11686, 1, 0)], [(2, 2, 1)]), 4.3e-5, 0.5),
        (([(9000, 100, 60)], [(500, 12, i % 2) for i in range(40)]), 0.5, 0.8),
    ],
)
def test_strata_of_up_to_20_000_documents(segments, prior, x):
    """Lattices were off by 2e-10 in the first two; found by the hunt."""
    full = FullPair(*segments, prior=(prior, prior))
    post = irb.recall_posterior(*segments, prior=prior)
    assert post.cdf(x) == pytest.approx(full.below("recall", x), abs=1e-11)
    assert post.sf(x) == pytest.approx(1 - full.below("recall", x, strict=True), abs=1e-11)


def test_atoms_and_tiny_priors():
    """Recall is 0 or 1 with much of the probability: the search does not take all in turn."""
    post = irb.recall_posterior((10**9, 50, 0), (10**9, 100, 0), prior=0.01)
    assert [post.quantile(p) for p in (0.025, 0.975)] == [0, 1]
    post = irb.recall_posterior((500, 50, 0), (2000, 100, 3), prior=1e-6)
    assert post.quantile(0.025) == 0
    for size in (10, 10**5, 10**9, 2**49):
        for prior in (1e-8, 0.5, 1e3):
            for sampled, relevant in ((0, 0), (1, 1), (size, size // 2)):
                post = irb.recall_posterior(
                    (size, sampled, relevant), [(size, 1, 0), (3, 1, 1)], prior=prior
                )
                values = post.quantile([1e-6, 0.5, 1 - 1e-6])
                assert ((values >= 0) & (values <= 1)).all()
                assert (np.diff(values) >= -4e-9).all()
                assert post.cdf(values[1]) >= 0.5 - 1e-6
                assert 0 <= post.mean <= 1


@pytest.mark.parametrize(
    "design",
    [
        ((10**9 // 3, 1000, 700), (10**9, 2000, 3)),
        ((5 * 10**8, 20, 3), (10**9, 3000, 1)),
        ((10**6, 10**5, 10), (10**9, 10**4, 5)),
        ((300, 30, 20), (10**9, 10**5, 0)),
    ],
)
def test_a_thousand_million_documents(design):
    """Where documents are that many, yields are beta variates in all but the sixth digit."""
    exact, smooth = (
        irb.recall_interval(*design, method=method)
        for method in ("betabinom-half", "beta-jeffreys")
    )
    drawn = irb.recall_interval(*design, engine="monte-carlo", rng=3, draws=200_000)
    tolerance = 1e-5 if min(design[0][0], design[1][0]) > 10**6 else 0.01
    assert (exact.low, exact.high) == pytest.approx((smooth.low, smooth.high), abs=tolerance)
    assert abs(exact.low - drawn.low) <= 5 * drawn.standard_error[0] + 1e-9
    assert abs(exact.high - drawn.high) <= 5 * drawn.standard_error[1] + 1e-9


@pytest.mark.parametrize("designs", [3, pytest.param(12, marks=pytest.mark.long)])
def test_engines_agree(designs):
    rng = np.random.default_rng(4)
    for _ in range(designs):
        segments = []
        for _ in range(2):
            strata = []
            for _ in range(int(rng.integers(1, 4))):
                size = int(10 ** rng.uniform(2, 6))
                sampled = int(min(size, 10 ** rng.uniform(1, 3)))
                strata.append((size, sampled, int(rng.integers(1, 1 + max(1, sampled // 3)))))
            segments.append(strata)
        for method in POSTERIOR:
            exact = irb.recall_interval(*segments, method=method)
            drawn = irb.recall_interval(*segments, method=method, engine="monte-carlo", rng=1)
            assert (exact.engine, drawn.engine) == ("exact", "monte-carlo")
            for end, other, error in (
                (exact.low, drawn.low, drawn.standard_error[0]),
                (exact.high, drawn.high, drawn.standard_error[1]),
            ):
                assert abs(end - other) <= 5 * error + 1e-6, (segments, method)


def test_strata_by_convolution():
    rng = np.random.default_rng(6)
    # to 20,000 documents ends are searched to 1e-11, beyond them to 2e-8 (`YieldPair.quantile`)
    for sizes, near in (
        ((2000, 300), 1e-10),
        ((30_000, 5000, 400), 2e-8),
        ((200_000, 90_000, 1000, 50), 2e-8),
    ):
        segments = [
            [(int(size), int(size * 0.01) + 20, int(rng.integers(0, 9))) for size in sizes]
            for _ in range(2)
        ]
        below = enumerated_recall(*segments)
        result = irb.recall_interval(*segments)
        for end, p in ((result.low, 0.025), (result.high, 0.975)):
            assert below(end - near) <= p <= below(end + near)
    many = [(1000 + i, 20, i % 3) for i in range(256)]
    assert 0 < irb.recall_interval(many, many).low < 0.5 < irb.recall_interval(many, many).high < 1
    whole = irb.recall_interval([A], [B, (10, 10, 2)])
    assert whole.low < irb.recall_interval(A, B).low


def test_hundreds_of_equal_strata():
    """The rounding of a transform is raised to a power; 4e-12 where its positive half was kept."""
    parts = [(0.0, 9.0, 1229 + 1 / 64, 1 / 64)] * 979 + [(0.0, 172.0, 0.5, 1229.5)]
    pmf = full.convolved([full.betabinomial(int(m), a, b) for _, m, a, b in parts])
    above = np.cumsum(pmf[::-1])[::-1].astype(float)
    found = sum_law(parts).above_between(np.arange(pmf.size))
    assert abs(found - above).max() < 2e-13


def test_quantiles_of_the_posterior_at_0_and_1():
    post = irb.recall_posterior(A, B)
    assert post.quantile([0, 1]).tolist() == [post.quantile(0), post.quantile(1)]
    assert (
        0
        <= post.quantile(0)
        <= post.quantile(1e-9)
        <= post.quantile(1 - 1e-9)
        <= post.quantile(1)
        <= 1
    )
    known = irb.recall_posterior((50, 50, 40), (20, 20, 3))
    assert known.quantile([0, 0.5, 1]) == pytest.approx([40 / 43] * 3)
    # the ends of the support, however improbable: 1.7e-4 off where tails were left out
    large = irb.recall_posterior([(30_500, 500, 40), (10, 2, 1)], (20_000, 1_000, 30))
    assert large.quantile([0, 1]).tolist() == [41 / (41 + 19_030), 30_049 / (30_049 + 30)]
    audited = irb.recall_posterior(
        irb.Audited(1_000, 200, 50, (20, 18), (20, 2)), irb.Audited(900, 300, 9, (5, 4), (30, 1))
    )
    assert audited.quantile([0, 1]).tolist() == [20 / (20 + 870), 980 / (980 + 5)]
    unsampled = irb.recall_posterior((5, 0, 0), (5, 0, 0))
    assert unsampled.quantile([0, 1]).tolist() == [0, 1]
    nothing = irb.recall_posterior((5, 5, 0), (5, 0, 0))
    assert nothing.quantile([0, 1]).tolist() == [0, 0]


def test_strata_whose_yields_differ_by_orders_of_magnitude():
    """A quantile near 1 hangs on few documents of a stratum that may hold millions: points must
    become more."""
    retrieved, unretrieved = (
        [(10**6, 300, 150), (500, 50, 20)],
        [(10**9, 200, 1), (3 * 10**5, 100, 2)],
    )
    exact = irb.recall_interval(retrieved, unretrieved)
    drawn = irb.recall_interval(retrieved, unretrieved, engine="monte-carlo", draws=10**6, rng=1)
    assert abs(exact.low - drawn.low) <= 4 * drawn.standard_error[0]
    assert abs(exact.high - drawn.high) <= 4 * drawn.standard_error[1]
    post = irb.recall_posterior(retrieved, unretrieved)
    assert post.cdf([exact.low, exact.high]) == pytest.approx([0.025, 0.975], abs=1e-5)
    assert post.mean == pytest.approx(post.rvs(10**6, rng=2).mean(), abs=2e-3)


def test_ends_of_tiny_recall():
    """A yield of a handful against milliards: R1 is 5 or 6, R0 a beta variate times its size."""
    result = irb.recall_interval((10, 9, 5), (10**12, 1000, 7))
    shares = stats.beta(7.5, 993.5)
    p6 = 5.5 / 10

    def below(q):
        return sum(
            p * shares.sf((r1 / q - r1 - 7) / (10**12 - 1000)) for r1, p in ((5, 1 - p6), (6, p6))
        )

    assert [below(result.low), below(result.high)] == pytest.approx([0.025, 0.975], abs=1e-6)
    known = irb.recall_interval((10**9, 1, 1), (10**9, 1, 1), method="betabinom-mcp")
    assert known.low <= known.high


def test_extreme_quantiles():
    post = irb.recall_posterior((500, 50, 40), (2000, 100, 3))
    least, low, high, most = post.quantile([0, 1e-9, 1 - 1e-9, 1])
    assert 40 / (40 + 1903) <= least < low < high < most <= 490 / 493
    assert irb.recall_posterior((10, 10, 5), (5, 5, 5)).quantile([0, 1]) == pytest.approx(
        [0.5, 0.5]
    )
    with pytest.raises(irb.InputError, match="`p` must be from 0 to 1"):
        post.quantile(1.5)
