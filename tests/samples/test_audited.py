"""Segments that were coded and audited, against enumeration."""

import copy
import pickle
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import irbounds as irb
from irbounds._core.distributions.two_phase import transform
from irbounds.samples.model.strata import check_segment
from irbounds.samples.posterior.coded import (
    EXACT,
    LARGE,
    Density,
    audited_law,
)
from irbounds.samples.posterior.convolution import sum_law
from tests.reference.audited import audited_masses, audited_pmf, quantile, two_phase_share
from tests.reference.samples import convolve, yield_pmf
from tests.reference.yields_in_full import betabinomial

# N, n, called, audited and relevant of the called, audited and relevant of the others, and the
# mean and 95 % interval by enumeration
ENUMERATED = [
    ((200, 200, 60, 20, 17, 30, 1), 56.65591398, 45, 70),
    ((200, 50, 15, 10, 8, 15, 1), 59.75451203, 35, 89),
    ((500, 100, 40, 20, 18, 20, 2), 212.20650636, 158, 272),
    ((60, 20, 8, 8, 8, 12, 0), 24.20675621, 15, 35),
]


def audited(size, judged, called, m1, x1, m0, x0):
    return irb.Audited(size, judged, called, (m1, x1), (m0, x0))


def law_of(question, prior=0.5):
    (counts,) = check_segment("retrieved", audited(*question), True)
    return audited_law(type(counts)(*map(float, counts)), (prior, prior))


def random_question(rng, most):
    size = int(np.exp(rng.uniform(0, np.log(most))))
    judged = size if rng.random() < 0.3 else int(rng.integers(0, size + 1))
    called = int(rng.choice([0, judged, rng.integers(0, judged + 1)], p=[0.1, 0.1, 0.8]))
    audits = []
    for n in (called, judged - called):
        m = int(rng.choice([0, n, rng.integers(0, n + 1)], p=[0.1, 0.1, 0.8]))
        audits += [m, int(rng.choice([0, m, rng.integers(0, m + 1)], p=[0.25, 0.25, 0.5]))]
    return (size, judged, called, *audits)


@pytest.mark.parametrize(("question", "mean", "low", "high"), ENUMERATED)
def test_published_yields(question, mean, low, high):
    law = law_of(question)
    assert law.mean == pytest.approx(mean, abs=1e-8)
    assert (law.quantile(0.025), law.quantile(0.975)) == (low, high)


@pytest.mark.parametrize("question", [(60, 20, 8, 8, 8, 12, 0), (40, 30, 12, 5, 4, 6, 1)])
def test_the_quick_twin_equals_the_fractions(question):
    exact = audited_pmf(*question)
    assert audited_masses(*question)[list(exact)] == pytest.approx(
        [float(p) for p in exact.values()], abs=1e-14
    )


def test_tails_equal_enumeration(seed):
    rng = np.random.default_rng(seed)
    for _ in range(60):
        question = random_question(rng, 400)
        prior = float(rng.choice([0.5, 0.5, 1.0, 1e-3, 20.0]))
        law = law_of(question, prior)
        tails = np.cumsum(audited_masses(*question, prior)[::-1])[::-1]
        found = [law.above_at(x) for x in range(question[0] + 1)]
        assert found == pytest.approx(tails, abs=1e-11), question


NO_POINTS = (np.empty(0),) * 4
ONE_CALL = (0.0, 1.0, np.ones(1))


def beta_binomial_transform(count, a, b, t, points=NO_POINTS, **instructions):
    """At 16 frequencies up to t, by the recurrence or by points."""
    parameters = (a, b, 1.0, 1.0)
    return transform(count, 0.0, parameters, ONE_CALL, points, t / 15, 0, 16, 0.0, **instructions)[
        0
    ]


@pytest.mark.parametrize("question", [(300, 4.5, 0.5), (900, 1.0, 33.0), (1500, 200.5, 7.5)])
def test_the_recurrence_equals_sums_of_many_digits(question):
    count, a, b = question
    found = beta_binomial_transform(count, a, b, np.pi)
    with mpmath.workdps(30):
        mass = mpmath.beta(a, b + count) / mpmath.beta(a, b)
        masses = [mass]
        for k in range(count):
            mass = mass * (count - k) * (a + k) / ((k + 1) * (b + count - k - 1))
            masses.append(mass)
        for i in (1, 6, 15):
            angle = mpmath.mpf(np.pi / 15) * i
            powers = [mpmath.expj(angle * k) for k in range(int(count) + 1)]
            exact = complex(mpmath.fdot(masses, powers))
            assert abs(found[i] - exact) < 2e-14


def test_points_of_beta_densities_give_the_transform_of_beta_binomials(seed):
    rng = np.random.default_rng(seed)
    for _ in range(100):
        a, b = np.floor(np.exp(rng.uniform(0, rng.choice([2, 6, 9]), 2)))
        a, b = a - rng.integers(0, 2) / 2, b - rng.integers(0, 2) / 2  # other priors, other points
        count = float(np.floor(np.exp(rng.uniform(0, np.log(20_000)))))
        t = min(np.pi, float(np.exp(rng.uniform(-9, 1.2))))
        exact = beta_binomial_transform(count, a, b, t)
        for precision, most in ((EXACT, 3e-12), (LARGE, 5e-10)):
            one = Density.of(a, b, precision).points(count, t)
            found = beta_binomial_transform(count, a, b, t, (*one, np.ones(1), np.ones(1)))
            assert found == pytest.approx(exact, abs=most), (a, b, count, t)


def test_all_instructions_give_the_same_bits():
    points = (*Density.of(6.5, 1.5, EXACT).points(900.0, 0.3), np.ones(1), np.ones(1))
    for each in (NO_POINTS, points):
        found = [
            beta_binomial_transform(900.0, 6.5, 1.5, 0.3, each, most_instructions=i)
            for i in range(3)
        ]
        assert (found[0] == found[1]).all()
        assert (found[0] == found[2]).all()


@pytest.mark.parametrize("prior", [0.5, 1.0])
@pytest.mark.parametrize(
    "question", [(50_000, 1000, 200, 60, 51, 120, 4), (10**6, 5000, 300, 100, 30, 600, 2)]
)
def test_large_segments_leave_out_less_than_1e_9(question, prior, monkeypatch):
    quick = law_of(question, prior)
    monkeypatch.setattr("irbounds.samples.posterior.coded.LARGE", EXACT)
    exact = law_of(question, prior)
    x = np.round(exact.mean + exact.std * np.linspace(-4, 6, 200))
    assert quick.above_between(x) == pytest.approx(exact.above_between(x), abs=1e-9)


@pytest.mark.parametrize(
    "question", [(6699, 5587, 42, 4, 2, 7, 3), (8267, 1672, 29, 7, 6, 703, 671)]
)
def test_uniform_priors_have_enough_points(question, monkeypatch):
    # equal steps of the log odds, by the density's own band and the wave's steepest phase, were
    # wrong by 6e-10 and 4e-8
    found = law_of(question, 1.0)
    monkeypatch.setattr("irbounds.samples.posterior.coded.RECURRENCE", -1.0)
    exact = law_of(question, 1.0)
    x = np.arange(0.0, question[0])
    assert found.above_between(x) == pytest.approx(exact.above_between(x), abs=1e-11)


def test_angles_beyond_the_kernel_are_refused():
    # the mean was wrong by 48 standard deviations
    billion = 10**9
    question = (10**12, 10**12 - billion, 10**12 - 2 * billion, billion, billion - 1, 10**8, 0)
    with pytest.raises(irb.InputError, match="needs more coded and audited documents"):
        law_of(question)


@pytest.mark.long
@pytest.mark.parametrize("most", [2000, 5000])
def test_tails_of_larger_segments_equal_enumeration(seed, most):
    rng = np.random.default_rng(seed)
    for _ in range(4):
        question = random_question(rng, most)
        law = law_of(question)
        tails = np.cumsum(audited_masses(*question)[::-1])[::-1]
        found = [law.above_at(x) for x in range(question[0] + 1)]
        assert found == pytest.approx(tails, abs=1e-10), question


@pytest.mark.parametrize(
    "question", [(20_000, 1000, 200, 60, 51, 120, 4), (9000, 1000, 500, 30, 30, 40, 0)]
)
def test_quadrature_equals_the_recurrence(question, monkeypatch):
    quadrature = law_of(question)
    monkeypatch.setattr(
        "irbounds.samples.posterior.coded.RECURRENCE", -1.0
    )  # always the cheaper one
    recurrence = law_of(question)
    x = np.round(recurrence.mean + recurrence.std * np.linspace(-4, 4, 100))
    assert quadrature.above_between(x) == pytest.approx(recurrence.above_between(x), abs=1e-11)


@pytest.mark.parametrize("question", [(300, 300, 90, 50, 45, 60, 3), (90, 90, 30, 9, 9, 20, 0)])
def test_a_fully_coded_segment_is_two_strata(question):
    size, _, called, m1, x1, m0, x0 = question
    law = law_of(question)
    exact = convolve(yield_pmf(called, m1, x1), yield_pmf(size - called, m0, x0))
    assert law.mean == pytest.approx(float(sum(k * p for k, p in exact.items())), abs=1e-9)
    for p in (Fraction(1, 40), Fraction(1, 2), Fraction(39, 40)):
        assert law.quantile(float(p)) == quantile(exact, p)


def test_everything_audited_leaves_nothing_open():
    law = law_of((30, 30, 10, 10, 8, 20, 3))
    assert law.ends == (11, 11)


def test_large_segments_agree_with_draws(seed):
    from irbounds.samples.posterior.coded import draw_audited

    for question in ((10**6, 2000, 200, 60, 51, 120, 4), (10**9, 10**9, 10**6, 100, 80, 3000, 0)):
        (counts,) = check_segment("retrieved", audited(*question), True)
        counts = type(counts)(*map(float, counts))
        law = audited_law(counts, (0.5, 0.5))
        drawn = draw_audited(counts, (0.5, 0.5), 20_000, np.random.default_rng(seed))
        # 5 standard errors of a share near 1/2: another seed fails once in a million
        for p in (0.1, 0.5, 0.9):
            share = (drawn <= law.quantile(p)).mean()
            assert share == pytest.approx(p, abs=5 * np.sqrt(0.25 / 20_000))


def test_estimates_are_of_double_sampling():
    from irbounds.samples.model.point_estimates import yield_estimate

    segment = check_segment("x", audited(10_000, 1000, 120, 60, 48, 100, 4), True)
    share, error = two_phase_share(1000, 120, 60, 48, 100, 4)
    estimate, variance = yield_estimate(segment)
    assert float(share) == 0.1312
    assert estimate / 10_000 == pytest.approx(float(share), abs=1e-15)
    assert np.sqrt(variance) / 10_000 == pytest.approx(float(error), abs=1e-15)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ((10, 11, 3, (1, 1), (1, 0)), "sampled must be at most size; found 11 of 10"),
        ((10, 8, 9, (1, 1), (1, 0)), "called must be at most sampled; found 9 of 8"),
        ((10, 8, 3, (4, 1), (1, 0)), "audited in called_audit must be at most called"),
        ((10, 8, 3, (2, 3), (1, 0)), "relevant documents in called_audit must be at"),
        ((10, 8, 3, (2, 1), (6, 0)), "other_audit must be at most sampled - called"),
        ((10, 8, 3, (2, 1), (5, 6)), "relevant documents in other_audit must be at"),
        ((10, 8, 3, 2, (5, 1)), r"called_audit` must be \(audited, relevant\)"),
        ((10, 8.5, 3, (2, 1), (5, 1)), "sampled` must be a whole number"),
    ],
)
def test_bad_counts_are_one_clear_line_when_made(fields, message):
    with pytest.raises(irb.InputError, match=message) as error:
        irb.Audited(*fields)
    assert "\n" not in str(error.value)
    assert str(error.value).startswith("`Audited")


def test_an_audited_segment_is_a_tuple_that_is_copied_and_pickled():
    for copied in (copy.copy(CODED), pickle.loads(pickle.dumps(CODED)), irb.Audited(*CODED)):
        assert copied == CODED
        assert type(copied) is irb.Audited
    assert repr(irb.Audited(8, 4, 2, (2, 1), (1, 0))) == (
        "Audited(size=8, sampled=4, called=2, called_audit=(2, 1), other_audit=(1, 0))"
    )
    with pytest.raises(irb.InputError, match="called must be at most sampled; found 5000 of 1000"):
        irb.yield_interval(CODED._replace(called=5000), NOTHING)  # does not go through __new__


def test_functions_without_a_form_refuse():
    with pytest.raises(irb.InputError, match="no form for Audited segments"):
        irb.samples.recall_estimate(audited(*ENUMERATED[0][0]), (100, 10, 1), "bias-corrected")


NOTHING = (0, 0, 0)
CODED = irb.Audited(10_000, 1000, 300, (60, 51), (120, 4))


@pytest.mark.parametrize(("question", "mean", "low", "high"), ENUMERATED)
def test_yield_intervals_are_those_of_enumeration(question, mean, low, high):
    found = irb.yield_interval(audited(*question), NOTHING)
    assert (found.low, found.high) == (low, high)
    assert (found.method, found.side) == ("betabinom-half", "two-sided")


def test_recall_equals_enumeration_of_both_segments():
    one, two = (200, 50, 15, 10, 8, 15, 1), (300, 200, 20, 20, 6, 60, 1)
    r1, r0 = (audited_masses(*question) for question in (one, two))
    x, y = np.meshgrid(np.arange(r1.size), np.arange(r0.size), indexing="ij")
    recall, weight = (x / np.maximum(x + y, 1e-300)).ravel(), np.outer(r1, r0).ravel()
    order = np.argsort(recall, kind="stable")
    reached = np.cumsum(weight[order])
    found = irb.recall_interval(audited(*one), audited(*two))
    for end, p in ((found.low, 0.025), (found.high, 0.975)):
        assert end == pytest.approx(recall[order][np.searchsorted(reached, p)], abs=1e-9)


def test_a_fully_coded_segment_equals_the_strata():
    coded = irb.Audited(1000, 1000, 300, (50, 45), (100, 3))
    strata = [(300, 50, 45), (700, 100, 3)]
    for function in (irb.precision_interval, irb.samples.elusion_interval):
        one = function(coded)
        other = function(strata, method="betabinom-half-per-stratum")
        assert (one.low, one.high) == (other.low, other.high)
        assert one.estimate == pytest.approx(other.estimate, abs=1e-15)
    assert irb.yield_interval(coded, NOTHING).low == 259
    assert irb.yield_interval(coded, NOTHING).high == 326


def test_audited_segments_stand_beside_strata():
    both = irb.recall_interval([CODED, (500, 50, 20)], [(90_000, 1000, 3), (100, 100, 2)])
    drawn = irb.recall_interval(
        [CODED, (500, 50, 20)], [(90_000, 1000, 3), (100, 100, 2)], engine="monte-carlo", rng=1
    )
    assert both.estimate == drawn.estimate
    for end in ("low", "high"):
        error = drawn.standard_error[end == "high"]
        assert getattr(both, end) == pytest.approx(getattr(drawn, end), abs=5 * error)


@pytest.mark.parametrize(
    ("question", "stratum"),
    [
        ((650, 4, 0, 0, 0, 4, 0), (15_870, 3, 3)),
        ((97, 3, 0, 0, 0, 2, 2), (11_115, 7, 0)),
        ((480, 22, 22, 4, 4, 0, 0), (17_529, 11, 0)),
    ],
)
def test_sums_with_strata_have_every_document(question, stratum):
    """Where more than 10,000 yields were likely, lattices made probabilities wrong by 2e-10."""
    size, sampled, relevant = stratum
    part = (float(relevant), float(size - sampled), relevant + 0.5, sampled - relevant + 0.5)
    twin = np.convolve(audited_masses(*question), betabinomial(size - sampled, *part[2:]))
    tails = np.cumsum(twin[::-1])[::-1]
    law = sum_law([part], [law_of(question)])
    found = law.above_between(relevant + np.arange(0.0, tails.size))
    assert found == pytest.approx(tails.astype(float), abs=1e-11)


def test_tiny_priors_raise_no_overflow():
    with np.errstate(over="raise"):
        assert law_of((200, 20, 5, 0, 0, 15, 1), 0.06).mean < 200


def test_one_sided_claims_are_posteriors():
    lower = irb.recall_interval(CODED, (90_000, 1000, 3), side="lower")
    both = irb.recall_interval(CODED, (90_000, 1000, 3), confidence_level=0.9)
    assert (lower.method, lower.high) == ("betabinom-half", 1)
    assert lower.low == pytest.approx(both.low, abs=1e-12)


def test_fields_may_be_arrays():
    many = irb.recall_interval(
        irb.Audited([1000, 2000], 500, [100, 120], (50, 40), ([60, 70], 2)), (9000, 1000, 3)
    )
    one = irb.recall_interval(irb.Audited(2000, 500, 120, (50, 40), (70, 2)), (9000, 1000, 3))
    assert (many.low[1], many.estimate[1], many.high[1]) == (one.low, one.estimate, one.high)


@pytest.mark.parametrize("method", ["guaranteed", "koopman", "betabinom-mcp", "normal-mle"])
def test_methods_without_a_form_say_so(method):
    with pytest.raises(irb.InputError, match=f"method '{method}' has no form for Audited"):
        irb.recall_interval(CODED, (90_000, 1000, 3), method=method)


def test_nothing_found_and_nothing_audited():
    nothing = irb.recall_interval(irb.Audited(100, 0, 0, (0, 0), (0, 0)), (100, 0, 0))
    assert (nothing.low, nothing.high) == (0, 1)
    none = irb.samples.elusion_interval(irb.Audited(50_000, 5000, 0, (0, 0), (300, 0)))
    assert none.low == 0
    assert 0.001 < none.high < 0.02
