"""Ends of intervals from audits that found nothing in a class of calls, against enumeration."""

import numpy as np
import pytest

import irbounds as irb
from irbounds.samples.model.strata import check_segment
from irbounds.samples.posterior.coded import audited_law
from tests.reference.audited import audited_masses, end_masses
from tests.samples.test_audited import random_question

NOTHING = (0, 0, 0)
# an audit of the others that found nothing, of the called ones, and the same of what is not
# relevant; no audit of one class
QUESTIONS = [
    (600, 120, 8, 8, 3, 40, 0),
    (600, 120, 100, 40, 0, 20, 4),
    (600, 120, 112, 40, 40, 8, 5),
    (400, 90, 10, 10, 4, 0, 0),
]


def segment_of(size, judged, called, m1, x1, m0, x0):
    return irb.Audited(size, judged, called, (m1, x1), (m0, x0))


def law_of(question, prior, end):
    (counts,) = check_segment("retrieved", segment_of(*question), True)
    return audited_law(type(counts)(*map(float, counts)), (prior, prior), end)


def first_with(masses, p):
    return int(np.searchsorted(np.cumsum(masses), p))


@pytest.mark.parametrize("question", QUESTIONS)
def test_yield_intervals_take_such_classes_as_empty(question):
    low, high = (end_masses(*question, end) for end in ("low", "high"))
    plain = audited_masses(*question)
    found = irb.yield_interval(segment_of(*question), NOTHING)
    assert (found.low, found.high) == (first_with(low, 0.025), first_with(high, 0.975))
    assert abs(low - plain).max() > 1e-3 or abs(high - plain).max() > 1e-3
    assert found.low <= first_with(plain, 0.025)
    assert found.high >= first_with(plain, 0.975)


@pytest.mark.long
def test_laws_of_ends_equal_enumeration(seed):
    rng = np.random.default_rng(seed)
    for _ in range(60):
        question = random_question(rng, 400)
        prior = float(rng.choice([0.5, 0.5, 1.0, 1e-3, 20.0]))
        for end in ("low", "high"):
            tails = np.cumsum(end_masses(*question, end, prior)[::-1])[::-1]
            law = law_of(question, prior, end)
            found = law.above_between(np.arange(0.0, question[0] + 1))
            assert found == pytest.approx(tails, abs=1e-11), (question, prior, end)


@pytest.mark.parametrize(
    "question", [(9000, 1000, 500, 30, 5, 40, 0), (15_000, 900, 9, 9, 2, 60, 0)]
)
def test_points_of_certain_shares_equal_the_recurrence(question, monkeypatch):
    quadrature = law_of(question, 0.5, "low")
    monkeypatch.setattr(
        "irbounds.samples.posterior.coded.RECURRENCE", -1.0
    )  # always the cheaper one
    recurrence = law_of(question, 0.5, "low")
    x = np.round(recurrence.mean + recurrence.std * np.linspace(-4, 4, 100))
    assert quadrature.above_between(x) == pytest.approx(recurrence.above_between(x), abs=1e-11)


def test_recall_ends_are_those_of_both_yields():
    one, other = QUESTIONS[0], QUESTIONS[3]
    ends = [
        (end_masses(*one, "low"), end_masses(*other, "high"), 0.025),
        (end_masses(*one, "high"), end_masses(*other, "low"), 0.975),
    ]
    found = irb.recall_interval(segment_of(*one), segment_of(*other))
    for end, (r1, r0, p) in zip((found.low, found.high), ends, strict=True):
        x, y = np.meshgrid(np.arange(r1.size), np.arange(r0.size), indexing="ij")
        recall, weight = (x / np.maximum(x + y, 1e-300)).ravel(), np.outer(r1, r0).ravel()
        order = np.argsort(recall, kind="stable")
        reached = np.cumsum(weight[order])
        assert end == pytest.approx(recall[order][np.searchsorted(reached, p)], abs=1e-9)


def test_draws_are_of_the_same_ends():
    segments = segment_of(10_000, 2000, 22, 22, 3, 150, 0), (90_000, 1000, 3)
    exact = irb.recall_interval(*segments)
    drawn = irb.recall_interval(*segments, engine="monte-carlo", rng=1)
    for end in ("low", "high"):
        error = drawn.standard_error[end == "high"]
        assert getattr(exact, end) == pytest.approx(getattr(drawn, end), abs=5 * error)


def test_sensitivity_and_one_sided_bounds_have_the_same_ends():
    segments = segment_of(10_000, 2000, 22, 22, 3, 150, 0), (90_000, 1000, 3)
    found = irb.recall_interval(*segments)
    by_prior = irb.samples.prior_sensitivity(*segments, priors=[0.5])
    assert (by_prior.low[0], by_prior.high[0]) == (found.low, found.high)
    lower = irb.recall_interval(*segments, side="lower", confidence_level=0.975)
    assert lower.low == pytest.approx(found.low, abs=1e-9)


def test_a_fully_coded_segment_has_the_posterior_of_strata_and_these_ends():
    question = (2000, 2000, 60, 20, 6, 100, 0)
    strata = [(60, 20, 6), (1940, 100, 0)]
    found = irb.yield_interval(segment_of(*question), NOTHING)
    other = irb.yield_interval(strata, NOTHING, method="betabinom-half-per-stratum")
    assert found.high == other.high
    # strata with whole priors have the posterior, and not the low end
    assert found.low == first_with(end_masses(*question, "low"), 0.025) < other.low


def test_ends_hold_the_estimate():
    # an estimate by the counts, between ends that take nothing or everything of a class
    for question in QUESTIONS[:3]:
        found = irb.yield_interval(segment_of(*question), NOTHING)
        assert found.low <= found.estimate <= found.high


def test_estimates_of_recall():
    coded, other = irb.Audited(10_000, 1000, 300, (60, 51), (120, 4)), (90_000, 1000, 3)
    posterior = irb.recall_posterior(coded, other)
    estimate = irb.recall_interval(coded, other).estimate
    for name, wanted in (
        ("ratio", estimate),
        ("posterior-mean", posterior.mean),
        ("posterior-median", posterior.median),
    ):
        assert irb.samples.recall_estimate(coded, other, name) == wanted
    # by hand: 300/1000 called, of these 51/60, of the others 4/120 relevant
    found = 10_000 * (0.3 * 51 / 60 + 0.7 * 4 / 120)
    assert irb.samples.recall_estimate(coded, other) == pytest.approx(
        found / (found + 270), rel=1e-14
    )


def test_parts_whose_likely_yields_are_far_from_their_ends():
    """The moments of such a law underflowed: an OverflowError."""
    unretrieved = [
        irb.Audited(186_422, 186_422, 464, (377, 234), (108, 0)),
        irb.Audited(60_574, 60_574, 374, (31, 29), (395, 0)),
    ]
    found = irb.recall_interval((3201, 675, 533), unretrieved)
    rng = np.random.default_rng(3)
    drawn = np.quantile(
        irb.recall_posterior((3201, 675, 533), unretrieved).rvs(100_000, rng), [0.025, 0.975]
    )
    assert found.low == pytest.approx(drawn[0], abs=0.01)
    assert found.high >= drawn[1] - 0.01
