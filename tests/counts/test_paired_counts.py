"""Two systems on the same objects: the probability that one is better, from the joint table."""

import mpmath
import numpy as np
import pytest
from pairs import EMPTY, FAULT, MEASURES, SMALL, USUAL, draws

import irbounds as irb
from irbounds.counts.margins import Cells, Difference, gamma_variates
from irbounds.counts.shares import MixedShare, Product, Share, first_is_greater
from tests.reference import paired_counts as slow


def exchanged(table):
    """With b first."""
    return np.swapaxes(table, -1, -2)


# P(M_a > M_b)
# -------------------------------------------------------------------------------------------


ONE = [[[0, 0], [0, 0]], [[0, 0], [1, 0]]]


@pytest.mark.parametrize(
    ("table", "measure", "prior", "exact"),
    [
        # By nested quadrature of the twin's integrals with 15 digits, minutes each.
        (SMALL, "f", 0.25, 0.238578142977924),
        (SMALL, "precision", 0.25, 0.195942631553707),
        # By the twin with steps of 0.05 and, for the prior of 1/2, 0.1.
        (USUAL, "f", 0.25, 0.7071821952715),
        (USUAL, "precision", 0.25, 0.3548678231481),
        (ONE, "f", 0.25, 0.868902573291),
        (ONE, "precision", 0.25, 0.765464669981),
        (SMALL, "f", 0.5, 0.2541970151366),
    ],
)
def test_known_probabilities(table, measure, prior, exact):
    found = irb.PairedCounts(table, prior).prob_superior(measure)
    assert abs(found.probability - exact) < max(found.standard_error, 2e-12)
    assert found.standard_error < 2e-9
    assert found.method == "exact"


@pytest.mark.long
@pytest.mark.parametrize("measure", ["f", "precision", "recall", "accuracy"])
def test_probabilities_against_the_twin(measure):
    table = [[[30, 4], [2, 6]], [[5, 3], [8, 20]]]
    found = irb.PairedCounts(table, prior=2).prob_superior(measure)
    assert (
        abs(found.probability - slow.prob_superior(table, measure, 2, step=0.1))
        <= found.standard_error + 1e-12
    )


def test_the_fault_of_independence(seed):
    """As if on different objects P is 0.8562; the joint table says 0.9994."""
    pairs, n = irb.PairedCounts(FAULT), 400_000
    apart = irb.CountsPosterior(180, 20, 20), irb.CountsPosterior(171, 20, 29)
    assert irb.prob_superior(*apart).probability == pytest.approx(0.8562, abs=5e-5)
    assert pairs.prob_superior().probability == pytest.approx(0.9994, abs=5e-5)
    drawn = (draws(FAULT, n, seed)["f"] > 0).mean()
    # else once in 5 * 10^8
    assert abs(pairs.prob_superior().probability - drawn) < 6 * (0.0007 / n) ** 0.5


@pytest.mark.long
@pytest.mark.parametrize("table", [SMALL, FAULT, [[[0, 3], [1, 40]], [[2, 60], [75, 5]]]])
def test_probabilities_against_draws(table, seed):
    n, pairs = 100_000, irb.PairedCounts(table)
    for name, values in draws(table, n, seed).items():
        measure, beta = ("f", 2.0) if name == "f2" else (name, 1.0)
        for margin in (0.0, 0.04, -0.1):
            found = pairs.prob_superior(measure, beta, margin)
            error = 5 * max(found.probability * (1 - found.probability) / n, 1e-9) ** 0.5
            assert (
                abs((values > margin).mean() - found.probability) < error + found.standard_error
            ), (name, margin)
    for measure in ("f", "recall", "negative_predictive_value"):
        drawn = pairs.prob_superior(measure, margin=0.02, method="monte-carlo", rng=2)
        exact = pairs.prob_superior(measure, margin=0.02)
        assert (
            abs(drawn.probability - exact.probability)
            < 5 * drawn.standard_error + exact.standard_error + 1e-4
        )
        assert drawn.method == "monte-carlo"


def random_cells(rng, most):
    """Gamma shapes of all sizes, often few objects that tell the systems apart."""
    counts = np.floor(10 ** rng.uniform(-0.5, most, 7))
    if rng.random() < 0.5:
        counts[[1, 2, 5, 6]] = np.floor(10 ** rng.uniform(-0.5, 1, 4))
    return Cells(*(counts + 0.25).tolist())


@pytest.mark.long
@pytest.mark.parametrize("beta", [1.0, 0.3])
def test_errors_that_are_stated_hold(beta):
    """Quadrature against quasi-Monte Carlo at no margin: two ways that have nothing in common."""
    rng = np.random.default_rng(int(10 * beta))
    for _ in range(6):
        cells = random_cells(rng, 4)
        x11, x10, x01, x00, y11, y10, y01 = cells
        relevant = x11 + x10 + x01 + x00
        share = (
            Share(y10 + y01, y11 + beta * relevant)
            if beta in (0, 1)
            else MixedShare(y10 + y01, y11, relevant, beta)
        )
        exact, error = first_is_greater((x10, x01), Share(x10 + x01, x11), (y10, y01), share)
        about, about_error = Difference(cells, beta**2 / (1 + beta**2)).above(0.0)
        assert abs(exact - about) < error + about_error
        assert error < 1e-8


@pytest.mark.long
@pytest.mark.parametrize(
    ("shapes", "beta"),
    [((11.5, 3.25, 20.0), 2.0), ((0.5, 0.25, 1.0), 0.3), ((3.0, 400.0, 1.25), 40.0)],
)
def test_mixed_shares_against_the_twin(shapes, beta):
    share = MixedShare(*shapes, beta)
    assert share.error < 1e-10
    x = np.array([0.001, 0.1, 0.3, 0.6, 0.9])
    with mpmath.workdps(20):
        exact = [
            float(slow.mixed_share_above(mpmath.mpf(float(value)), *shapes, beta)) for value in x
        ]
    assert share.above(x, 1 - x) == pytest.approx(exact, abs=1e-11)


@pytest.mark.long
def test_beta_is_continuous():
    """F of β = 1 has a Beta variate, of its neighbours a mixture; precision and recall are the
    limits."""
    pairs = irb.PairedCounts(USUAL)
    near = [pairs.prob_superior("f", beta).probability for beta in (1 - 1e-9, 1.0, 1 + 1e-9)]
    assert np.ptp(near) < 1e-8
    for beta, measure in (
        (1e-200, "precision"),
        (0, "precision"),
        (1e200, "recall"),
        (np.inf, "recall"),
        (1e9, "recall"),
    ):
        found = pairs.prob_superior("f", beta).probability
        assert found == pytest.approx(pairs.prob_superior(measure).probability, abs=1e-9)
    assert pairs.prob_superior("f", 1e-9).probability == pytest.approx(
        pairs.prob_superior("precision").probability, abs=1e-8
    )


@pytest.mark.long
@pytest.mark.parametrize("measure", MEASURES)
def test_systems_change_places(measure):
    forth, back = irb.PairedCounts(USUAL), irb.PairedCounts(exchanged(USUAL))
    for margin in (0.0, 0.03):
        first, second = (
            forth.prob_superior(measure, margin=margin),
            back.prob_superior(measure, margin=-margin),
        )
        assert first.probability + second.probability == pytest.approx(
            1, abs=first.standard_error + second.standard_error + 1e-9
        )
    assert forth.difference(measure) == pytest.approx(-back.difference(measure))
    one, other = forth.difference_interval(measure), back.difference_interval(measure)
    assert (one.low, one.high) == pytest.approx((-other.high, -other.low), abs=1e-4)
    assert irb.PairedCounts(EMPTY).prob_superior(measure).probability == pytest.approx(
        0.5, abs=1e-12
    )


def test_the_other_label_exchanges_measures():
    pairs, other = irb.PairedCounts(USUAL), irb.PairedCounts(np.array(USUAL)[::-1, ::-1, ::-1])
    for measure, mirrored in (
        ("precision", "negative_predictive_value"),
        ("recall", "specificity"),
        ("accuracy", "accuracy"),
    ):
        assert pairs.prob_superior(measure).probability == other.prob_superior(mirrored).probability
        assert pairs.difference(measure) == other.difference(mirrored)


@pytest.mark.long
def test_true_negatives_do_not_matter_to_f():
    with_them, without = irb.PairedCounts(USUAL), np.array(USUAL)
    without[0, 0, 0] = 0
    for measure in ("f", "precision", "recall"):
        assert (
            with_them.prob_superior(measure, margin=0.01).probability
            == irb.PairedCounts(without).prob_superior(measure, margin=0.01).probability
        )


@pytest.mark.long
@pytest.mark.parametrize("margin", [-1, 1])
def test_margins_that_nothing_reaches(margin):
    for measure in MEASURES:
        assert irb.PairedCounts(USUAL).prob_superior(measure, margin=margin).probability == (
            margin < 0
        )


@pytest.mark.long
def test_large_counts():
    """Counts of 10^9 objects: probabilities are those of a normal approximation, and of draws."""
    table = [[[10**9, 40_000], [39_500, 10**6]], [[10**6, 50_000], [50_600, 10**7]]]
    found = irb.PairedCounts(table).prob_superior()
    drawn = (draws(table, 200_000)["f"] > 0).mean()
    assert abs(found.probability - drawn) < 5 * (0.25 / 200_000) ** 0.5
    assert found.standard_error < 1e-9
    interval = irb.PairedCounts(table).difference_interval()
    assert interval.low < interval.estimate < interval.high


def test_a_narrow_part_of_a_product_is_found():
    """Where one part is within 1e-4 of 1 the other one is the wider by far, whatever their log odds
    say."""
    from irbounds.counts.shares import Lead, _log_odds, sigmoid

    product = Product(Lead(180_000.25, 20.25), Share(180_020.5, 30_000.25))
    u, weights = _log_odds(product, 192)
    assert float((weights * product.density(*sigmoid(u), 192)).sum()) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("shape", [0.05, 0.25, 3.25, 1e4, 1e9])
def test_gamma_variates_by_splines(shape):
    from scipy.special import gammaincinv, logit

    u = np.random.default_rng(1).random(1000)
    assert gamma_variates(shape, logit(u)) == pytest.approx(gammaincinv(shape, u), rel=1e-9)


# Coherence with what there was
# --------------------------------------------------------------------------


@pytest.mark.parametrize("prior", [0.5, 1, 2.5])
def test_each_system_alone_has_twice_the_prior(prior):
    pairs = irb.PairedCounts(USUAL, prior)
    for mine, counts in ((pairs.a, (80, 33, 25, 104)), (pairs.b, (76, 30, 29, 107))):
        usual = irb.CountsPosterior(*counts, prior=2 * prior)
        for measure in ("precision", "recall", "specificity", "accuracy", "f", "prevalence"):
            assert mine.measure(measure).cdf(0.7) == usual.measure(measure).cdf(0.7)
    wins, losses = 9 + 4, 5 + 7
    assert pairs.prob_superior("accuracy").probability == pytest.approx(
        irb.counts.paired_comparison(wins, losses, prior=2 * prior).probability, abs=1e-14
    )
    assert pairs.prob_superior("recall").probability == pytest.approx(
        irb.counts.paired_comparison(9, 5, prior=prior).probability, abs=1e-14
    )


@pytest.mark.long
def test_a_prior_of_eight_cells():
    prior = np.arange(1, 9).reshape(2, 2, 2) / 4
    pairs = irb.PairedCounts(USUAL, prior)
    one = irb.PairedCounts(np.array(USUAL) + prior - 0.5)
    for measure in MEASURES:
        assert pairs.prob_superior(measure).probability == pytest.approx(
            one.prob_superior(measure).probability
        )
    usual = irb.CountsPosterior(80 + 2 + 1.75, 33 + 1 + 0.75, 25 + 1.5 + 1.25, prior=1e-250)
    assert pairs.a.f().mean == pytest.approx(usual.f().mean)
    assert pairs.a.recall.mean == pytest.approx(usual.recall.mean)
