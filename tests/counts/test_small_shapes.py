"""P(A beats B) for shapes next to 0, margins next to 0 and pairs that the hunt found."""

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betainc, betaln, expit, log_expit
from sizes import long

import irbounds as irb
from tests.reference import counts as reference
from tests.reference import tiny_margins


@pytest.mark.parametrize("prior", [5e-324, 1e-310, 1e-307, 1e-300, 1e-290])
def test_shapes_next_to_0_give_their_ratio(prior):
    """Boost's betainc(a, a, 0.5) is 0 below 3e-308; found by the hunt."""
    ratio = prior / (prior + 3 * prior)
    assert irb.counts.paired_comparison(0, 0, 1, prior=prior).probability == pytest.approx(
        0.5, rel=1e-15
    )
    several = irb.counts.paired_comparison([0, 1], [0, 0], prior=(prior, 3 * prior, 1)).probability
    assert several == pytest.approx([ratio, 1], rel=1e-15)


@pytest.mark.parametrize("prior", [5e-4, 2e-4, 1e-5, 1e-7])
@pytest.mark.parametrize("measure", ["recall", "f"])
def test_priors_next_to_0_beside_counts_of_0(prior, measure):
    """Tails of Beta laws with such shapes came out as 0, and answers were off by 1.6e-8."""
    found = irb.prob_superior(
        *(irb.CountsPosterior(tp, 1, 0, prior=prior) for tp in (735, 740)), measure
    )
    errors = prior if measure == "recall" else 1 + 2 * prior
    s = np.linspace(-np.arcsinh(60), np.arcsinh(60 + 50 / errors), 8001)
    v = np.log((735 + prior) / max(errors, 0.3)) + np.sinh(s)
    logs = (735 + prior) * log_expit(v) + errors * log_expit(-v) - betaln(735 + prior, errors)
    weights = np.exp(logs) * np.cosh(s) * (s[1] - s[0])
    assert weights.sum() == pytest.approx(1, abs=1e-11)
    power = errors * log_expit(-v) - np.log(errors) - betaln(errors, 740 + prior)  # v > 30
    above = np.where(v > 30, np.exp(power), betainc(errors, 740 + prior, expit(-v)))
    assert found.probability == pytest.approx(1 - (weights * above).sum(), abs=1e-11)
    assert found.standard_error < 1e-11


def test_an_f_score_whose_errors_have_a_prior_next_to_0():
    """Its distribution function was 0 in place of 3e-7: F < x is a Beta tail for each share of
    false negatives among the errors, whose mean is a sum over log odds."""
    tp, fp, fn, beta = 288.5, 5.454e-7, 0.004212, 0.5452
    law = irb.CountsPosterior(tp - 1e-7, fp - 1e-7, fn - 1e-7, prior=1e-7).f(beta)
    s = np.linspace(-np.arcsinh(60 + 50 / fn), np.arcsinh(60 + 50 / fp), 12001)
    v = np.sinh(s)
    share, rest = expit(v), expit(-v)
    density = np.exp(fn * log_expit(v) + fp * log_expit(-v) - betaln(fn, fp)) * np.cosh(s)
    x = expit(5.116)
    odds = x / (1 - x) * (rest + beta**2 * share) / (1 + beta**2)
    below = betainc(tp, fp + fn, odds / (1 + odds))
    expected = (density * below).sum() * (s[1] - s[0])
    assert law.cdf(x) == pytest.approx(expected, abs=1e-11)
    assert expected > 1e-7


PAIRS = [
    ((32, 629, 1), (48, 576, 3), 17.668736299855123, 0.51408498699622681),
    ((32, 645, 1), (48, 576, 4), 19.02581055708324, 0.66427521606750677),
    ((32, 646, 1), (0, 577, 5), 19.024095707380418, 0.99999999181090193),
    ((0, 1, 23151), (0, 1, 1777), 0.0028406701290457042, 0.47252717079317993),
    ((0, 1, 23151), (0, 1, 1814), 0.0028406701290457042, 0.47258332629078317),
]


@pytest.mark.parametrize(("a", "b", "beta", "expected"), PAIRS)
def test_pairs_on_which_a_density_is_off(a, b, beta, expected):
    """Found by the hunt: the last was 1.0 for 0.47, with infinity as its stated error."""
    found = irb.prob_superior(*(irb.CountsPosterior(*each) for each in (a, b)), "f", beta)
    assert found.probability == pytest.approx(expected, abs=1e-11)


@pytest.mark.long
@pytest.mark.nightly  # up to half a minute each
@pytest.mark.parametrize(("a", "b", "beta", "expected"), PAIRS)
def test_those_pairs_by_the_twin(a, b, beta, expected):
    with mpmath.workdps(18):
        assert float(reference.prob_superior(a, b, "f", beta)) == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize(
    ("counts", "beta", "prior", "expected"),
    [
        ((0, 0, 5), 0.003984942279239812, 0.7849664388937052, 0.49992270725290166),  # 1e-11 off
        ((0, 0, 0), 15.356008214301278, 0.003179102178809345, 0.33901620480096230),
    ],
)
def test_means_of_f(counts, beta, prior, expected):
    """Expected values are from `f_mean` of the twin, with 18 digits."""
    mean = irb.CountsPosterior(*counts, prior=prior).f(beta).mean
    assert mean == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("counts", [(0, 1, 5), (0, 1, 0), (0, 3, 200), (5, 0, 1)])
@pytest.mark.parametrize("prior", [1e-8, 1e-6, 1e-4])
def test_differences_of_laws_with_shapes_next_to_0(counts, prior):
    """At 0 the difference is below with the probability of a Beta law; it was off by 9e-10."""
    wins, losses, _ = counts
    below = irb.counts.paired_comparison(*counts, prior=prior).difference_cdf(0.0)
    assert below == pytest.approx(betainc(wins + prior, losses + prior, 0.5), abs=1e-11)


def at_margin(counts, prior, margin):
    """The answers for two shares, (successes, failures, successes, failures)."""
    first, second = counts[:2], counts[2:]
    found = irb.prob_superior(
        *(irb.CountsPosterior(*each, 0, prior=prior) for each in (first, second)),
        "precision",
        margin=margin,
    )
    shapes = [[count + prior for count in each] for each in (first, second)]
    return found, tiny_margins.superior(*shapes, margin)


@pytest.mark.long
@pytest.mark.parametrize(
    ("counts", "prior", "margin"),
    [
        ((0, 0, 0, 0), 0.05, -1e-30),
        long(((0, 0, 0, 0), 0.01, -1e-300)),
        ((275, 0, 0, 9), 0.0048, 1e-26),
        long(((0, 0, 0, 24), 0.0071, 1.1e-96)),
        long(((62, 0, 0, 0), 0.01, -7.6e-67)),
        long(((0, 5, 0, 29), 0.0035, 1.7e-87)),
        ((3, 4, 0, 2), 0.5, 1e-39),
        long(((0, 1, 0, 0), 0.29, -1e-41)),
    ],
)
def test_margins_next_to_0(counts, prior, margin):
    """Half of a small law's mass may be below such a margin; answers were off by up to 0.3."""
    found, expected = at_margin(counts, prior, margin)
    assert found.probability == pytest.approx(expected, abs=1e-12)
    assert found.standard_error < 1e-11


@pytest.mark.long
@settings(max_examples=30)
@given(
    st.tuples(*[st.one_of(st.just(0), st.integers(0, 100))] * 4),
    st.floats(-2.3, 0.3),
    st.floats(-300, -0.1),
    st.sampled_from([-1, 1]),
)
def test_margins_of_all_sizes(counts, log_prior, log_margin, sign):
    found, expected = at_margin(counts, 10**log_prior, sign * 10**log_margin)
    assert abs(found.probability - expected) <= 1e-11 + found.standard_error
