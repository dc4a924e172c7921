"""Recall from samples: the exact engine against full enumeration, the methods against slow
twins."""

import csv
import json
import math
import pickle
from itertools import product

import mpmath
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import signal, special, stats
from sizes import every, long

import irbounds as irb
from irbounds.samples.methods import METHODS, PRIOR_OF
from tests.commands import assert_refused, run_cli
from tests.data import shared
from tests.reference import sample_intervals as intervals
from tests.reference import samples as reference
from tests.reference.yields_in_full import FullPair

A, B = (500, 50, 40), (2000, 100, 3)
C, D = (10_000, 500, 350), (90_000, 1000, 12)
POSTERIOR = [*PRIOR_OF, "beta-jeffreys"]

# Table XII: topic, team, half prior, normal (corrected), Laplace; "AD" is the table's "UD".
TABLE_XII = """
201 UW .451 .928 .485 1.070 .351 .916
201 CS .287 .592 .304 .673 .226 .593
201 CB .119 .250 .126 .282 .093 .247
201 UP .097 .208 .102 .231 .076 .205
202 UW .523 .768 .542 .803 .501 .771
202 CS .451 .662 .467 .692 .432 .664
203 UW .623 .881 .832 .897 .552 .940
203 UB .427 .621 .552 .631 .378 .652
203 ZL-NoCull .123 .185 .157 .192 .105 .185
203 ZL-Cull .019 .034 .023 .035 .016 .033
204 H5 .572 .882 .595 .930 .538 .874
204 AD .229 .360 .235 .374 .216 .358
204 CB .149 .240 .151 .246 .140 .238
205 CS .592 .738 .599 .747 .587 .737
205 EQ .404 .509 .409 .516 .399 .505
205 IN .253 .327 .254 .329 .250 .325
206 CB-High .052 .112 .046 .106 .049 .109
206 LO .025 .069 .020 .063 .023 .067
206 CB-Mid .007 .015 .007 .015 .007 .014
206 CB-Low .006 .013 .006 .013 .005 .012
207 CB .698 .798 .723 .813 .689 .802
207 UW .688 .791 .714 .807 .677 .791
207 LO .489 .566 .503 .573 .484 .569
207 EQ .437 .507 .451 .515 .430 .507
"""


def convolved(pmfs):
    total = pmfs[0]
    for pmf in pmfs[1:]:
        total = np.maximum(signal.fftconvolve(total, pmf), 0)
    return total


def stratum_pmf(size, sampled, relevant, prior):
    """The posterior over 0 .. size in doubles."""
    k, rest = np.arange(size - sampled + 1), size - sampled
    log_p = (
        special.gammaln(rest + 1)
        - special.gammaln(k + 1)
        - special.gammaln(rest - k + 1)
        + special.betaln(k + prior + relevant, rest - k + prior + sampled - relevant)
    )
    p = np.exp(log_p - log_p.max())
    return np.concatenate([np.zeros(relevant), p / p.sum()])


def enumerated_recall(retrieved, unretrieved, prior=0.5):
    """P(recall <= q) as a function of q, from whole distributions."""
    first, second = (
        [
            stratum_pmf(*stratum, prior * float(share) if share else prior)
            for stratum, share in zip(segment, reference.prior_shares(segment), strict=True)
        ]
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


def enumerated_quantile(below, p):
    low, high = 1e-12, 1.0
    while high - low > 1e-13:
        middle = (low + high) / 2
        low, high = (low, middle) if below(middle) >= p else (middle, high)
    return high


@pytest.mark.parametrize(
    ("arguments", "low", "high", "tolerance"),
    [
        ({}, 0.71906355, 0.95707071, 5e-9),
        ({"large": True}, 0.79326431, 0.92184725, 5e-9),
        ({"large": True, "method": "betabinom-uniform"}, 0.788261, 0.917988, 5e-7),
        ({"large": True, "method": "koopman"}, 0.78805651, 0.91896375, 5e-9),
        (
            {"large": True, "method": "beta-jeffreys", "finite_population": False},
            0.792836,
            0.92215154,
            5e-7,
        ),
        ({"large": True, "method": "beta-jeffreys"}, 0.7936417805, 0.9214841870, 1e-9),
    ],
)
def test_numbers_of_others(arguments, low, high, tolerance):
    segments = (C, D) if arguments.pop("large", False) else (A, B)
    result = irb.recall_interval(*segments, **arguments)
    assert (result.low, result.high) == pytest.approx((low, high), abs=tolerance)


def test_more_numbers_of_others():
    assert irb.recall_interval(A, B, side="lower", method="betabinom-half").low == pytest.approx(
        0.74385246, abs=5e-9
    )
    published = irb.recall_interval(
        (2_027_935, 596, 541), (39_615_617, 7853, 131), method="beta-jeffreys"
    )
    assert (round(published.low, 4), round(published.high, 4)) == (0.7017, 0.7683)
    assert irb.most_conservative_prior([20, 20, 40, 50], [5, 10, 10, 2]) == pytest.approx(
        [0.192354, 0.321907, 0.254813, 0.046403], abs=6e-7
    )
    known = irb.recall_estimator_distribution((2000, 100, 1000), (100_000, 100, 3000))
    assert (known.recall, round(known.mean, 2)) == (0.25, 0.31)


SMALL = st.tuples(*[st.integers(0, 30)] * 3).map(lambda counts: tuple(sorted(counts, reverse=True)))


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


@pytest.mark.quick_examples(40)
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
    for _ in range(120):
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
        (([(50, 5, 5), (20, 2, 0)], [(100, 10, 0), (5, 1, 1)]), 0.01),
        (([(504, 15, 15), (78147, 126, 126)], [(40, 1, 0), (4, 3, 1)]), 0.022),
        long((([(137702, 2, 1), (4, 3, 2), (8, 2, 1)], [(531, 1, 0), (111085, 0, 0)]), 0.5)),
        (
            (
                [(3, 2, 1), (395, 6, 1), (9787, 0, 0), (5, 1, 0)],
                [(41674, 2, 2), (19, 19, 12), (7, 5, 0)],
            ),
            1.7e-6,
        ),
        (
            (
                [(2088, 6, 0), (425, 9, 9), (652, 16, 1), (32762, 4, 1)],
                [(7644, 4373, 4366), (162, 1, 0), (881, 1, 0)],
            ),
            624.0,
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


def test_atoms_and_tiny_priors():
    """Recall is 0 or 1 with much of the probability: the search neither overflows nor takes all
    documents in turn."""
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
    for sizes in ((2000, 300), (30_000, 5000, 400), (200_000, 90_000, 1000, 50)):
        segments = [
            [(int(size), int(size * 0.01) + 20, int(rng.integers(0, 9))) for size in sizes]
            for _ in range(2)
        ]
        below = enumerated_recall(*segments)
        result = irb.recall_interval(*segments)
        for end, p in ((result.low, 0.025), (result.high, 0.975)):
            assert below(end - 1e-8) <= p <= below(end + 1e-8)
    many = [(1000 + i, 20, i % 3) for i in range(256)]
    assert 0 < irb.recall_interval(many, many).low < 0.5 < irb.recall_interval(many, many).high < 1
    whole = irb.recall_interval([A], [B, (10, 10, 2)])
    assert whole.low < irb.recall_interval(A, B).low


def legal_strata(topic, team):
    segments = {"R": [], "N": []}
    with shared("trec_legal_2009_interactive", "strata.csv").open() as lines:
        for row in csv.DictReader(lines):
            if row["topic"] == topic:
                segments[row["pattern"][row["teams"].split().index(team)]].append(
                    (int(row["N"]), int(row["n"]), int(row["r2"]))
                )
    return segments["R"], segments["N"]


@pytest.mark.parametrize("row", TABLE_XII.strip().splitlines())
def test_table_xii(row):
    topic, team, *ends = row.split()
    ends = list(map(float, ends))
    segments = legal_strata(topic, team)
    half, normal, laplace = (
        irb.recall_interval(*segments, method=method)
        for method in ("betabinom-half-per-stratum", "normal-mle", "normal-laplace")
    )
    assert (half.low, half.high) == pytest.approx(ends[:2], abs=0.004)
    assert (normal.raw_low, normal.raw_high) == pytest.approx(ends[2:4], abs=0.002)
    assert (laplace.low, laplace.high) == pytest.approx(ends[4:], abs=0.002)


@pytest.mark.quick_examples(40)
@settings(max_examples=60, deadline=None)
@given(SMALL, SMALL, st.sampled_from([0.8, 0.95]), st.sampled_from(["two-sided", "lower", "upper"]))
def test_formulas_against_twins(retrieved, unretrieved, level, side):
    if 0 in (retrieved[1], unretrieved[1]):
        return
    segments = [retrieved], [unretrieved]
    with mpmath.workdps(20):
        for method, more in (("normal-mle", 0), ("normal-laplace", 1), ("normal-agresti-coull", 2)):
            twin = intervals.normal_recall(*segments, more, level, side)
            expected = [
                float(end) for end in intervals.reported(twin, *segments, more=more, side=side)
            ]
            ours = irb.recall_interval(*segments, method=method, confidence_level=level, side=side)
            if retrieved[2] + unretrieved[2] and not (
                retrieved[0] == retrieved[1] and retrieved[2] == 0
            ):
                assert (ours.low, ours.high) == pytest.approx(expected, abs=1e-9), method
                assert ours.raw_low == pytest.approx(float(twin.low), abs=1e-9) or side == "upper"
        naive = intervals.reported(
            intervals.naive_recall(*segments, level, side), *segments, side=side
        )
        ours = irb.recall_interval(
            *segments, method="naive-binomial", confidence_level=level, side=side
        )
        assert (ours.low, ours.high) == pytest.approx([float(end) for end in naive], abs=1e-9)
        if retrieved[2] + unretrieved[2] and not (
            retrieved[0] == retrieved[1] and retrieved[2] == 0
        ):
            koopman = intervals.koopman_recall(retrieved, unretrieved, level, side)
            ours = irb.recall_interval(
                *segments, method="koopman", confidence_level=level, side=side
            )
            assert (ours.low, ours.high) == pytest.approx([float(end) for end in koopman], abs=1e-9)


SIZES = [
    ((40, 12), (90, 15, 2)),
    ((500, 50), (2000, 100, 3)),
    ((30, 30), (50, 9, 1)),
    ((100_000, 60), (900_000, 300, 2)),
]


@pytest.mark.parametrize(
    ("sizes", "method"), every(3, product(SIZES, [*POSTERIOR, "koopman", "guaranteed"]))
)
def test_one_more_relevant_never_lowers_an_end(sizes, method):
    retrieved, unretrieved = sizes
    found = np.arange(retrieved[1] + 1)
    result = irb.recall_interval((*retrieved, found), unretrieved, method=method)
    assert (np.diff(result.low) >= -1e-9).all()
    assert (np.diff(result.high) >= -1e-9).all()
    assert (result.low >= 0).all()
    assert (result.high <= 1).all()
    assert (result.low <= result.high).all()


@pytest.mark.parametrize(
    ("n1", "n0", "one", "other", "level"),
    [(9, 12, 4, 5, 0.95), (6, 14, 6, 3, 0.8), (10, 7, 3, 7, 0.9)],
)
def test_guaranteed_covers_every_pair_of_yields(n1, n0, one, other, level):
    r1, r0 = np.arange(one + 1)[:, None], np.arange(other + 1)[None, :]
    for side in ("two-sided", "lower", "upper"):
        result = irb.recall_interval(
            (n1, one, r1), (n0, other, r0), method="guaranteed", confidence_level=level, side=side
        )
        for first in range(n1 + 1):
            for second in range(n0 + 1):
                if first + second == 0:
                    continue
                recall = first / (first + second)
                chance = stats.hypergeom.pmf(r1, n1, first, one) * stats.hypergeom.pmf(
                    r0, n0, second, other
                )
                covered = (result.low <= recall + 1e-12) & (recall - 1e-12 <= result.high)
                assert (chance * covered).sum() >= level - 1e-9, (first, second, side)


def test_arrays_are_single_questions():
    sizes, found = np.array([[500], [5000]]), np.array([10, 20, 40])
    for method in METHODS:
        together = irb.recall_interval((sizes, 50, found), (20_000, 300, [[1], [4]]), method=method)
        assert together.low.shape == together.estimate.shape == (2, 3)
        single = irb.recall_interval((5000, 50, 40), (20_000, 300, 4), method=method)
        assert (together.low[1, 2], together.high[1, 2]) == pytest.approx(
            (single.low, single.high), abs=1e-12
        )
    mixed = irb.recall_interval([(sizes, 50, 10), A], B)
    assert mixed.low.shape == (2, 1)
    drawn = irb.recall_interval((sizes, 50, found), B, engine="monte-carlo", rng=1)
    assert drawn.standard_error[0].shape == (2, 3)


def test_a_census_is_an_ordinary_case():
    for method in METHODS:
        if method in ("koopman", "normal-laplace", "normal-agresti-coull"):
            continue  # do not know of finite populations, or add counts that nobody saw
        result = irb.recall_interval((100, 100, 30), (1000, 1000, 10), method=method)
        expected = (0.75, 0.75) if method != "naive-binomial" else (result.low, result.high)
        assert (result.low, result.high) == pytest.approx(expected, abs=1e-9), method
    assert irb.recall_interval((100, 100, 30), (1000, 100, 0)).high == 1
    assert irb.recall_interval((0, 0, 0), (1000, 100, 5)).high == 0
    assert irb.recall_interval((100, 10, 5), (0, 0, 0)).low == 1


def test_estimators():
    assert irb.recall_estimate(A, B) == pytest.approx(400 / 460)
    assert math.isnan(irb.recall_estimate((10, 5, 0), (10, 5, 0)))
    post = irb.recall_posterior(C, D)
    assert irb.recall_estimate(C, D, "posterior-mean") == post.mean
    assert irb.recall_estimate(C, D, "posterior-median") == post.median == post.quantile(0.5)
    drawn = post.rvs(200_000, rng=2)
    assert drawn.mean() == pytest.approx(post.mean, abs=5 * drawn.std() / math.sqrt(drawn.size))
    assert post.cdf(post.quantile([0.1, 0.5, 0.9])) == pytest.approx([0.1, 0.5, 0.9], abs=1e-5)
    assert pickle.loads(pickle.dumps(post)).median == post.median
    true = irb.recall_estimator_distribution((200, 20, 100), (3000, 60, 90))
    assert true.probabilities.sum() + true.undefined == pytest.approx(1)
    r1, r0 = np.random.default_rng(1).hypergeometric(
        [[100], [90]], [[100], [2910]], [[20], [60]], (2, 200_000)
    )
    estimates = r1 * 10 / (r1 * 10 + r0 * 50)
    assert true.mean == pytest.approx(
        estimates.mean(), abs=5 * estimates.std() / math.sqrt(estimates.size)
    )
    assert true.std == pytest.approx(estimates.std(), rel=0.01)
    corrected = irb.recall_estimate((200, 20, r1[:5000]), (3000, 60, r0[:5000]), "bias-corrected")
    assert abs(corrected.mean() - true.recall) < abs(true.bias)


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


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (((10, 20, 3), B), {}, "`retrieved`: sampled must be at most size; found 20 of 10"),
        ((A, (100, 10, 11)), {}, "`unretrieved`: relevant must be at most sampled; found 11 of 10"),
        (
            ([A, (10, 5, -1)], B),
            {},
            r"`retrieved\[1\].relevant` must be a whole number, 0 or more; found -1",
        ),
        ((A, (100, math.nan, 1)), {}, "`unretrieved.sampled` must be a whole number"),
        (
            (A, (100, 10.5, 1)),
            {},
            "`unretrieved.sampled` must be a whole number, 0 or more; found 10.5",
        ),
        (([], B), {}, "`retrieved` has no strata"),
        (((1, 2), B), {}, r"`retrieved` must be \(size, sampled, relevant\)"),
        ((5, B), {}, "`retrieved` must be a stratum"),
        (
            (A, B),
            {"confidence_level": 1},
            "`confidence_level` must be between 0 and 1, as 0.95 is; found 1",
        ),
        ((A, B), {"confidence_level": 95}, "`confidence_level` must be between 0 and 1"),
        ((A, B), {"method": "wilson"}, "`method` must be one of 'betabinom-half'"),
        ((A, B), {"side": "left"}, "`side` must be one of 'two-sided', 'lower', 'upper'"),
        ((A, B), {"engine": "gpu"}, "`engine` must be one of 'exact', 'monte-carlo'"),
        (
            (A, B),
            {"engine": "monte-carlo", "draws": 0},
            "`draws` must be a whole number, 10 or more",
        ),
        (
            ([A, A], B),
            {"method": "koopman"},
            "'koopman' does not support strata; `retrieved` has 2",
        ),
        (((500, 50, [1, 2]), (500, 50, [1, 2, 3])), {}, "strata must broadcast"),
        (((10**30, 50, 1), B), {}, r"`retrieved.size` must be at most 2\^49"),
    ],
)
def test_impossible_questions(arguments, options, message):
    with pytest.raises(irb.InputError, match=message):
        irb.recall_interval(*arguments, **options)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: irb.recall_posterior((500, 50, [1, 2]), B), "counts must be numbers, not arrays"),
        (lambda: irb.recall_posterior(A, B, prior=0), "`prior` must be a number above 0"),
        (lambda: irb.recall_posterior(A, B).cdf(2), "`q` must be from 0 to 1; found 2"),
        (lambda: irb.recall_estimate(A, B, "mean"), "`estimator` must be one of"),
        (lambda: irb.f_interval(A, B, beta=-1), "`beta` must be 0 or more; found -1"),
        (lambda: irb.f_interval(A, B, method="koopman"), "`method` must be one of"),
        (
            lambda: irb.most_conservative_prior(10, 20),
            "`sampled` must be at most size, 10; found 20",
        ),
    ],
)
def test_impossible_options(make, message):
    with pytest.raises(irb.InputError, match=message):
        make()


@pytest.mark.long
def test_recall_on_the_command_line():
    given = ["--retrieved", "500/50/40", "--unretrieved", "2,000/100/3"]
    done = run_cli("recall", *given, "--target", 0.75, "--format", "json")
    answer = json.loads(done.stdout)
    assert answer["probability_of_target"] == irb.recall_posterior(A, B).sf(0.75)
    recall = answer["intervals"][0]
    assert (recall["low"], recall["high"]) == (
        irb.recall_interval(A, B).low,
        irb.recall_interval(A, B).high,
    )
    assert "0.9417" in run_cli("recall", *given, "--target", 0.75).stdout
    rows = list(
        csv.DictReader(run_cli("recall", *given, "--all-methods", "-f", "csv").stdout.splitlines())
    )
    assert [row["method"] for row in rows] == [
        name for name in METHODS if not name.endswith("per-stratum")
    ]
    strata = (
        "segment;size;sampled;relevant\nretrieved;500;50;40\nretrieved;10;10;3\n"
        "unretrieved;2000;100;3\n"
    )
    rows = list(
        csv.DictReader(
            run_cli("recall", "-", "--side", "lower", "-f", "csv", text=strata).stdout.splitlines()
        )
    )
    assert float(rows[0]["low"]) == irb.recall_interval([A, (10, 10, 3)], B, side="lower").low
    assert (
        "koopman does not support strata"
        in run_cli("recall", "-", "--all-methods", text=strata).stdout
    )
    drawn = [
        run_cli("recall", *given, "--engine", "monte-carlo", "--seed", 5).stdout for _ in range(2)
    ]
    assert drawn[0] == drawn[1]
    assert run_cli("recall", *given, "-f", "latex").stdout.startswith(r"\begin{tabular}")


@pytest.mark.parametrize(
    ("arguments", "text", "message"),
    [
        ([], None, "give --retrieved and --unretrieved as SIZE/SAMPLED/RELEVANT"),
        (["--retrieved", "5/5/5"], None, "--unretrieved is missing"),
        (
            ["--retrieved", "5/5", "--unretrieved", "5/5/5"],
            None,
            "--retrieved must be SIZE/SAMPLED/RELEVANT",
        ),
        (
            ["--retrieved", "5/6/5", "--unretrieved", "5/5/5"],
            None,
            "`retrieved`: sampled must be at most size",
        ),
        (
            ["-"],
            "segment,size,sampled,relevant\nx,5,5,5\n",
            "standard input:2: segment must be retrieved or unretrieved",
        ),
        (
            ["-"],
            "segment,size,sampled,relevant\nretrieved,5,5,9\n",
            "standard input:2: `retrieved`: relevant must be",
        ),
        (
            ["-"],
            "segment,size,sampled,relevant\nretrieved,5,5,1\n",
            "no stratum of the unretrieved segment",
        ),
        (
            ["--retrieved", "5/5/5", "--unretrieved", "5/5/5", "--target", "75"],
            None,
            "`--target` must be from 0 to 1",
        ),
        (
            ["--retrieved", "5/5/5", "--unretrieved", "5/5/5", "--method", "x"],
            None,
            "`--method` must be one of",
        ),
    ],
)
def test_bad_command_lines(arguments, text, message):
    assert_refused(run_cli("recall", *arguments, text=text), message)


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


def test_f_of_extreme_weights_is_precision_or_recall():
    for retrieved, unretrieved in ((A, B), ((10**9, 1000, 50), (10**12, 1000, 3))):
        precision, recall = (
            irb.precision_interval(retrieved),
            irb.recall_interval(retrieved, unretrieved),
        )
        for beta, other in (
            (0, precision),
            (1e-9, precision),
            (1e-200, precision),
            (1e12, recall),
            (1e200, recall),
            (math.inf, recall),
        ):
            f = irb.f_interval(retrieved, unretrieved, beta=beta)
            assert (f.estimate, f.low, f.high) == pytest.approx(
                (other.estimate, other.low, other.high), rel=2e-6
            )


def test_options_are_those_of_the_signature():
    for interval in (irb.precision_interval, irb.elusion_interval):
        with pytest.raises(
            TypeError, match=rf"{interval.__name__}\(\) got an unexpected keyword argument 'foo'"
        ):
            interval(A, foo=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"draws": 5}, "`draws` must be a whole number, 10 or more"),
        ({"rng": -1}, "`rng` must be None, a whole number"),
        ({"rng": "x"}, "`rng` must be"),
        ({"rng": 1.5}, "`rng` must be"),
    ],
)
def test_options_of_the_other_engine_are_checked_too(options, message):
    for interval in (
        irb.recall_interval,
        irb.precision_interval,
        irb.f_interval,
        irb.yield_interval,
    ):
        for engine in ("exact", "monte-carlo"):
            with pytest.raises(irb.InputError, match=message):
                interval(A, B, engine=engine, **options)


def test_a_tuple_of_strata_is_a_list_of_them():
    # three, which could be taken for size, sampled and relevant
    strata = (A, (100, 30, 9), (50, 10, 2))
    assert irb.recall_interval(strata, B).low == irb.recall_interval(list(strata), B).low
    assert irb.recall_interval(strata[:2], B).low == irb.recall_interval(list(strata[:2]), B).low


def test_ends_of_yields_as_of_their_shares():
    nothing, everything = ((100, 10, 0), (200, 20, 0)), ((100, 10, 10), (200, 20, 20))
    assert irb.yield_interval(*nothing).low == 0
    assert irb.yield_interval(*everything).high == 300
    assert (
        irb.yield_interval((0, 0, 0), (100, 10, 0)).high
        == 100 * irb.elusion_interval((100, 10, 0)).high
    )


def test_engines_are_checked_for_every_method():
    for method in METHODS:
        with pytest.raises(irb.InputError, match="`engine` must be one of"):
            irb.recall_interval(A, B, method=method, engine="x")
    with pytest.raises(irb.InputError, match="`engine` must be one of"):
        irb.precision_interval(A, method="guaranteed", engine="x")


def test_an_estimator_without_estimates():
    nothing = irb.recall_estimator_distribution((20, 10, 0), (100, 10, 0))
    assert nothing.undefined == 1
    assert math.isnan(nothing.mean)
    assert math.isnan(nothing.std)
