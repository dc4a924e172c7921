"""Two systems on the same objects: probabilities, intervals and tests from the joint table."""

import csv
import json
import pickle
import time
from pathlib import Path

import mpmath
import numpy as np
import pytest
from commands import run_cli

import irbounds as irb
from irbounds.counts.margins import Cells, Difference, gamma_variates
from irbounds.counts.quick_shares import quick_probability, shares_of_three, shares_of_two
from irbounds.counts.shares import MixedShare, Product, Share, first_is_greater
from tests.reference import paired_counts as slow

SMALL = [[[9, 1], [2, 0]], [[3, 2], [1, 0]]]
USUAL = [[[100, 4], [7, 26]], [[20, 5], [9, 71]]]
EMPTY = np.zeros((2, 2, 2))
# The fault that brought this class: b is a, but for nine relevant objects that it also misses.
FAULT = [[[500, 0], [0, 20]], [[20, 0], [9, 171]]]
MEASURES = ("f", "precision", "recall", "accuracy", "specificity", "negative_predictive_value")


def relevant_only(both, a, b, neither):
    """A table of relevant objects: recall compares two proportions of them."""
    return irb.PairedCounts([[[0, 0], [0, 0]], [[neither, b], [a, both]]])


def exchanged(table):
    """With b first."""
    return np.swapaxes(table, -1, -2)


def draws(table, n, seed=1, prior=0.5):
    """Differences of F1, precision and F2 by draws of all eight cells, written out."""
    rng = np.random.default_rng(seed)
    _, y01, y10, y11, x00, x01, x10, x11 = (
        rng.standard_gamma(c, n) for c in np.ravel(table) + prior
    )
    tp = x11 + x10, x11 + x01
    fp, fn = (y11 + y10, y11 + y01), (x01 + x00, x10 + x00)
    of_a, of_b = (
        {"f": 2 * t / (2 * t + p + m), "precision": t / (t + p), "f2": 5 * t / (5 * t + 4 * m + p)}
        for t, p, m in zip(tp, fp, fn, strict=True)
    )
    return {name: of_a[name] - of_b[name] for name in of_a}


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
@pytest.mark.parametrize(
    "table", [SMALL, USUAL, EMPTY, FAULT, [[[0, 3], [1, 40]], [[2, 60], [75, 5]]]]
)
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
@pytest.mark.parametrize("beta", [0.0, 1.0, 0.3, 4.0])
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


def two_ways(cells, beta):
    """P(F_a > F_b) by nodes and splines, and by the integrals of products."""
    x11, x10, x01, x00, y11, y10, y01 = cells
    relevant = x11 + x10 + x01 + x00
    first, second, others = x10 + x01, y10 + y01, y11 + beta * relevant
    is_beta = beta in (0, 1)
    quick = quick_probability(
        (x10, x01),
        lambda n: shares_of_two(first, x11, n),
        (y10, y01),
        lambda n: (
            shares_of_two(second, others, n)
            if is_beta
            else shares_of_three(second, y11, relevant, beta, n)
        ),
    )
    part = Share(second, others) if is_beta else MixedShare(second, y11, relevant, beta)
    return quick, first_is_greater((x10, x01), Share(first, x11), (y10, y01), part)


@pytest.mark.parametrize(
    ("cells", "beta"),
    [
        ((71.5, 9.5, 5.5, 20.5, 26.5, 7.5, 4.5), 1.0),
        ((71.5, 9.5, 5.5, 20.5, 26.5, 7.5, 4.5), 3.0),
        ((4e5, 6000.5, 6100.5, 3e4, 9e4, 510.5, 480.5), 0.0),
    ],
)
def test_the_quick_way_and_the_other_agree(cells, beta):
    quick, other = two_ways(Cells(*cells), beta)
    assert abs(quick[0] - other[0]) <= quick[1] + other[1]
    assert quick[1] < 2e-9
    assert other[1] < 1e-9


def test_the_quick_way_knows_what_it_cannot_do():
    """Systems that miss relevant objects only: half the nodes agreed by chance to 1e-10, and were
    wrong by 4e-10."""
    assert two_ways(Cells(0.25, 1.25, 2.25, 3.25, 0.25, 2.25, 1.25), 0.0)[0] is None


@pytest.mark.long
def test_the_quick_way_on_any_table(seed):
    rng = np.random.default_rng(seed)
    answers = 0
    for i in range(60):
        cells = np.floor(10 ** rng.uniform(0, (1.5, 3, 6)[i % 3], 7)) - 0.5
        quick, other = two_ways(Cells(*cells.tolist()), (0.0, 1.0, 0.3, 2.0, 20.0)[i % 5])
        if quick is not None:
            answers += 1
            assert abs(quick[0] - other[0]) <= quick[1] + other[1]
    assert answers > 10


@pytest.mark.long
@pytest.mark.parametrize(
    ("shapes", "beta"),
    [
        ((11.5, 3.25, 20.0), 2.0),
        ((0.5, 0.25, 1.0), 0.3),
        ((1000.0, 30.0, 5.0), 4.0),
        ((3.0, 400.0, 1.25), 40.0),
    ],
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
        usual = irb.CountsPosterior(*counts[:3], 2 * prior, tn=counts[3])
        for measure in ("precision", "recall", "specificity", "accuracy", "f", "prevalence"):
            assert mine.measure(measure).cdf(0.7) == usual.measure(measure).cdf(0.7)
    wins, losses = 9 + 4, 5 + 7
    assert pairs.prob_superior("accuracy").probability == pytest.approx(
        irb.paired_comparison(wins, losses, prior=2 * prior).probability, abs=1e-14
    )
    assert pairs.prob_superior("recall").probability == pytest.approx(
        irb.paired_comparison(9, 5, prior=prior).probability, abs=1e-14
    )


def test_a_prior_of_eight_cells():
    prior = np.arange(1, 9).reshape(2, 2, 2) / 4
    pairs = irb.PairedCounts(USUAL, prior)
    one = irb.PairedCounts(np.array(USUAL) + prior - 0.5)
    for measure in MEASURES:
        assert pairs.prob_superior(measure).probability == pytest.approx(
            one.prob_superior(measure).probability
        )
    usual = irb.CountsPosterior(80 + 2 + 1.75, 33 + 1 + 0.75, 25 + 1.5 + 1.25, 1e-300)
    assert pairs.a.f().mean == pytest.approx(usual.f().mean)
    assert pairs.a.recall.mean == pytest.approx(usual.recall.mean)


# Intervals and tests
# ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "level", "method", "low", "high"),
    [
        ((4, 9, 3, 16), 0.95, "tango", -0.027, 0.390),  # Tango 1998, cross-over trial
        ((43, 0, 1, 0), 0.90, "tango", -0.096, 0.037),  # Tango 1998, contact lenses
        ((53, 16, 8, 9), 0.95, "tango", -0.020, 0.207),  # Agresti & Min 2005
        ((75, 25, 2, 0), 0.95, "tango", 0.139, 0.321),  # Duffy, Rothwell et al. 2024, 102 pairs
        # Fagerland, Lydersen & Laake 2014, Bentur's data
        ((1, 1, 7, 12), 0.95, "tango", -0.517, -0.026),
        ((1, 1, 7, 12), 0.95, "newcombe", -0.507, -0.026),
        # the same, Cavo's data: -0.1186 to -0.0046
        ((59, 6, 16, 80), 0.95, "newcombe", -0.119, -0.005),
        ((14, 5, 0, 22), 0.95, "newcombe", 0.011, 0.226),  # Altman et al. 2000, page 52
    ],
)
def test_published_intervals(table, level, method, low, high):
    found = relevant_only(*table).difference_interval(
        "recall", confidence_level=level, method=method
    )
    assert (round(found.low, 3), round(found.high, 3)) == (low, high)


@pytest.mark.parametrize(
    ("method", "expected"), [("asymptotic", 0.034), ("exact", 0.070), ("mid-p", 0.039)]
)
def test_published_p_values(method, expected):
    """Fagerland, Lydersen & Laake 2013, Bentur's data."""
    assert round(relevant_only(1, 1, 7, 12).mcnemar("recall", method), 3) == expected


def test_p_values_by_enumeration():
    for wins in range(9):
        for losses in range(9):
            for method in ("exact", "mid-p"):
                found = relevant_only(5, wins, losses, 3).mcnemar("recall", method)
                assert found == pytest.approx(float(slow.mcnemar(wins, losses, method)), rel=1e-12)
    assert relevant_only(5, 0, 0, 3).mcnemar("recall", "asymptotic") == 1
    assert 0 < relevant_only(5, 3 * 10**8, 3 * 10**8 + 50_000, 3).mcnemar("recall") < 0.05


def test_asymptotic_p_values_are_those_of_statsmodels_formula():
    from scipy.stats import chi2

    assert relevant_only(5, 12, 30, 3).mcnemar("recall", "asymptotic") == pytest.approx(
        chi2.sf(18**2 / 42, 1)
    )


@pytest.mark.long
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_intervals_against_the_twins(level):
    rng = np.random.default_rng(3)
    z = mpmath.sqrt(2) * mpmath.erfinv(mpmath.mpf(level))
    for _ in range(40):
        both, wins, losses, neither = (int(10 ** rng.uniform(-0.4, 4)) for _ in range(4))
        n = both + wins + losses + neither
        if n == 0:
            continue
        pairs = relevant_only(both, wins, losses, neither)
        for method, exact in (
            ("tango", slow.tango(wins, losses, n, z) if wins + losses else None),
            ("newcombe", slow.newcombe(both, wins, losses, n, z)),
        ):
            found = pairs.difference_interval("recall", confidence_level=level, method=method)
            if exact is not None:
                assert [found.low, found.high] == pytest.approx(
                    [float(end) for end in exact], abs=1e-12
                )
            assert -1 <= found.low <= found.estimate <= found.high <= 1


def test_scores_without_a_difference():
    """No object tells the systems apart: the interval is that of n pairs, z²/(n + z²) to either
    side."""
    found = relevant_only(30, 0, 0, 10).difference_interval("recall", method="tango")
    end = 1.959963984540054**2 / (40 + 1.959963984540054**2)
    assert (found.low, found.high) == pytest.approx((-end, end), abs=1e-14)
    every = relevant_only(0, 12, 0, 0).difference_interval("recall", method="tango")
    assert every.high == 1
    assert 0.5 < every.low < 1


@pytest.mark.parametrize("method", ["posterior", "newcombe", "tango"])
def test_one_sided_intervals(method):
    pairs = irb.PairedCounts(USUAL)
    both = pairs.difference_interval("recall", 1.0, 0.9, method)
    lower = pairs.difference_interval("recall", 1.0, 0.95, method, side="lower")
    upper = pairs.difference_interval("recall", 1.0, 0.95, method, side="upper")
    assert (lower.low, lower.high) == (pytest.approx(both.low), 1)
    assert (upper.low, upper.high) == (-1, pytest.approx(both.high))
    less = pairs.difference_interval("recall", 1.0, 0.05, method, side="lower")
    assert less.low == pytest.approx(both.high, abs=1e-9)


@pytest.mark.long
@pytest.mark.parametrize("table", [SMALL, USUAL, EMPTY, FAULT])
@pytest.mark.parametrize(("measure", "beta"), [("f", 1), ("precision", 1), ("f", 2)])
def test_posterior_intervals_hold_what_they_say(table, measure, beta):
    found = irb.PairedCounts(table).difference_interval(measure, beta)
    values = draws(table, 200_000)["f2" if beta == 2 else measure]
    assert (values < found.low).mean() == pytest.approx(0.025, abs=0.0025)
    assert (values > found.high).mean() == pytest.approx(0.025, abs=0.0025)
    assert found.engine == "quasi-monte-carlo"
    assert max(found.standard_error) < 2e-3
    ends = (
        irb.PairedCounts(table).prob_superior(measure, beta, end).probability
        for end in (found.high, found.low)
    )
    assert list(ends) == pytest.approx([0.025, 0.975], abs=1e-4)


def test_posterior_intervals_of_proportions():
    pairs = irb.PairedCounts(USUAL)
    found = pairs.difference_interval("recall")
    assert found.engine == "exact"
    assert found.estimate == pytest.approx(4 / 105)
    ends = (
        pairs.prob_superior("recall", margin=end).probability for end in (found.high, found.low)
    )
    assert list(ends) == pytest.approx([0.025, 0.975], abs=1e-9)


def test_docstrings_say_what_the_page_of_coverage_says():
    page = Path(__file__).parents[2] / "benchmarks" / "results" / "paired_counts_coverage.md"
    if not page.exists():
        pytest.skip("needs the source tree")
    sections = page.read_text().split("## ")
    coverage, tests = (
        [row.strip("| ").split(" | ") for row in sections[i].splitlines() if row.startswith("|")]
        for i in (1, 3)
    )
    least = {
        name: min(float(row[i]) for row in coverage[2:])
        for i, name in enumerate(coverage[0])
        if ": " in name
    }
    text = " ".join(irb.PairedCounts.difference_interval.__doc__.split())
    for name, words in (
        ("F1: posterior", "{} to 1 for F_1"),
        ("precision: posterior", "{} to 1 for precision"),
        ("accuracy: posterior", "{} to 1 for accuracy"),
        ("recall: posterior", "{} to 1 for recall"),
    ):
        assert words.format(f"{least[name]:.3f}") in text
    for method in ("newcombe", "tango"):
        value = min(least[f"{measure}: {method}"] for measure in ("accuracy", "recall"))
        assert f"{value:.3f} to 1" in text.split(method.title())[-1]
    most = max(
        float(row[i]) for row in tests[2:] for i, name in enumerate(tests[0]) if "mid-p" in name
    )
    assert f"at most {100 * most:.1f} % at 5 %" in " ".join(
        irb.PairedCounts.mcnemar.__doc__.split()
    )


# Tables from labels
# -------------------------------------------------------------------------------------


def test_labels_of_any_kind():
    truth, a, b = np.random.default_rng(1).integers(0, 2, (3, 500))
    expected = [
        [[int(((truth == t) & (a == i) & (b == j)).sum()) for j in (0, 1)] for i in (0, 1)]
        for t in (0, 1)
    ]
    words = np.array(["no", "yes"])
    for vectors, positive in (
        ((truth, a, b), 1),
        ((truth.astype(bool), a.astype(bool), b.astype(bool)), True),
        ((words[truth], words[a], words[b]), "yes"),
        ([words[v].astype(object) for v in (truth, a, b)], "yes"),
        ([v.tolist() for v in (truth, a, b)], 1),
    ):
        assert irb.PairedCounts.from_labels(*vectors, positive=positive).table.tolist() == expected
    pairs = irb.PairedCounts.from_labels(truth, a, b)
    assert repr(pairs.a) == repr(irb.CountsPosterior.from_labels(truth, a, prior=1.0))
    assert repr(pairs.b) == repr(irb.CountsPosterior.from_labels(truth, b, prior=1.0))
    weighted = irb.PairedCounts.from_labels(truth, a, b, weights=np.full(500, 0.5))
    assert weighted.table.tolist() == (np.array(expected) / 2).tolist()


@pytest.mark.long
def test_several_categories():
    labels = np.random.default_rng(2).integers(0, 3, (3, 200))
    pairs = irb.PairedCounts.from_labels(*labels, labels=[0, 1, 2])
    assert pairs.shape == (3,)
    assert len(repr(pairs).splitlines()) == 1
    marks = irb.PairedCounts.from_labels(*(vector[:, None] == np.arange(3) for vector in labels))
    assert (marks.table == pairs.table).all()
    together = pairs.prob_superior().probability, pairs.difference_interval().high, pairs.mcnemar()
    for i in range(3):
        single = irb.PairedCounts.from_labels(*labels, positive=i)
        assert (single.table == pairs[i].table).all()
        alone = (
            single.prob_superior().probability,
            single.difference_interval().high,
            single.mcnemar(),
        )
        assert tuple(values[i] for values in together) == pytest.approx(alone, abs=1e-14)
    assert (
        pairs.to_dict()["measures"]["f"]["probability"]
        == pairs.prob_superior().probability.tolist()
    )
    assert irb.PairedCounts.from_labels(*np.zeros((3, 0, 2), bool)).table.shape == (2, 2, 2, 2)


def test_a_million_labels_are_counted_at_once():
    """No loop over objects; the bound is some 20 times what it takes, and a loop would take 10
    times the bound."""
    labels = np.random.default_rng(1).integers(0, 2, (3, 10**6))
    start = time.process_time()
    irb.PairedCounts.from_labels(*labels)
    assert time.process_time() - start < 1


def test_results_are_fixed_and_can_be_copied():
    pairs = irb.PairedCounts(USUAL)
    with pytest.raises(ValueError, match="read-only"):
        pairs.table[0] = 1
    again = pickle.loads(pickle.dumps(pairs))
    assert (again.table == pairs.table).all()
    assert again.prior == 0.5
    found = json.loads(json.dumps(pairs.to_dict()))
    assert found["measures"]["recall"]["mcnemar"] == pairs.mcnemar("recall")
    assert set(found["measures"]) == set(MEASURES)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: irb.PairedCounts([[1, 2], [3, 4]]),
            r"`table` must have the shape \(..., 2, 2, 2\)",
        ),
        (
            lambda: irb.PairedCounts(-np.ones((2, 2, 2))),
            r"`table` must be from 0 to 2\^52; found -1",
        ),
        (lambda: irb.PairedCounts(np.full((2, 2, 2), np.nan)), "`table` must be from 0 to"),
        (lambda: irb.PairedCounts(USUAL, 0), "`prior` must be a number above 0, or an array"),
        (lambda: irb.PairedCounts(USUAL, [1, 2]), "`prior` must be a number above 0, or an array"),
        (
            lambda: irb.PairedCounts(EMPTY, 1e-3).prob_superior(),
            "`prior` must be 0.05 or more for f where a cell is empty",
        ),
        (
            lambda: irb.PairedCounts(USUAL).prob_superior("prevalence"),
            "`measure` must be one of 'f', 'precision'",
        ),
        (lambda: irb.PairedCounts(USUAL).prob_superior(beta=-1), "`beta` must be 0 or more"),
        (lambda: irb.PairedCounts(USUAL).prob_superior(margin=2), "`margin` must be from -1 to 1"),
        (
            lambda: irb.PairedCounts(USUAL).prob_superior(method="guess"),
            "`method` must be one of 'exact', 'monte-carlo'",
        ),
        (
            lambda: irb.PairedCounts(USUAL).difference_interval(method="tango"),
            "`measure` must be accuracy, recall or specificity for method='tango'; found 'f'",
        ),
        (
            lambda: irb.PairedCounts(USUAL).mcnemar("f"),
            "`measure` must be one of 'accuracy', 'recall', 'specificity'",
        ),
        (
            lambda: irb.PairedCounts(np.array(USUAL) / 3).mcnemar(),
            "`table` must have whole counts for McNemar's test",
        ),
        (lambda: irb.PairedCounts(USUAL)[0], "a single table cannot be indexed"),
        (
            lambda: irb.PairedCounts.from_labels([1, 0], [1, 0], [1]),
            "labels must be of the same objects",
        ),
        (
            lambda: irb.PairedCounts.from_labels([1, 0], [1, 0], [1, 0], weights=[1]),
            "`weights` must have one number for",
        ),
    ],
)
def test_bad_input_is_one_line(make, message):
    with pytest.raises(irb.InputError, match=message) as error:
        make()
    assert "\n" not in str(error.value)


def test_small_priors_where_no_cell_is_empty():
    full = np.maximum(USUAL, 1)
    assert irb.PairedCounts(full, 1e-6).prob_superior().probability == pytest.approx(
        irb.PairedCounts(full, 0.1).prob_superior().probability, abs=0.01
    )


# pandas' indexes
# ----------------------------------------------------------------------------------------


def test_indexes_that_differ_are_refused():
    """Rows of different objects were joined by position."""
    pd = pytest.importorskip("pandas")
    one, other = pd.Series([3, 4], index=["a", "b"]), pd.Series([4, 3], index=["b", "a"])
    message = "must have the same index, in the same order; found 'a' and 'b' at position 0"
    for make in (
        lambda: irb.CountsPosterior(one, other, 1),
        lambda: irb.CountsPosterior(1, one, 2, tn=other),
        lambda: irb.CountsPosterior.from_labels(one, other, positive=3),
        lambda: irb.CountsPosterior.from_labels(one, one, positive=3, weights=other),
        lambda: irb.PairedCounts.from_labels(one, one, other, positive=3),
        lambda: irb.paired_comparison_from_labels(one, other, one),
    ):
        with pytest.raises(irb.InputError, match=message):
            make()
    with pytest.raises(
        irb.InputError, match="`tp` and `fp` must have the same index, in the same order; found 2"
    ):
        irb.CountsPosterior(one, one[:1], 1)
    marks = pd.DataFrame({"x": [1, 0], "y": [0, 0]})
    with pytest.raises(irb.InputError, match="`truth` and `prediction` must have the same columns"):
        irb.CountsPosterior.from_labels(marks, marks[["y", "x"]])


def test_equal_indexes_and_arrays_are_taken():
    pd = pytest.importorskip("pandas")
    one, other = pd.Series([3, 4], index=["a", "b"]), pd.Series([4, 3], index=["a", "b"])
    assert irb.CountsPosterior(one, other, np.array([1, 2])).fp.tolist() == [4, 3]
    assert irb.CountsPosterior.from_labels(one, other.to_numpy(), positive=3).fn == 1
    assert (
        irb.CountsPosterior.from_labels(pd.Series([1, 0]), pd.Series([1, 0], index=range(2))).tp
        == 1
    )


# The command line
# ---------------------------------------------------------------------------------------


@pytest.fixture
def labels(tmp_path):
    for name, words in (("truth", "1 1 0 0 1 1"), ("a", "1 1 0 1 1 0"), ("b", "1 0 1 1 0 0")):
        (tmp_path / name).write_text("\n".join(words.split()) + "\n")
    return [
        "counts",
        "--truth",
        tmp_path / "truth",
        "--prediction",
        tmp_path / "a",
        "--prediction",
        tmp_path / "b",
    ]


@pytest.mark.parametrize(
    ("options", "measure", "margin"),
    [
        (("--measure", "recall", "--margin", "0.1"), "recall", 0.1),
        pytest.param((), "f", 0.0, marks=pytest.mark.long),
    ],
)
def test_files_of_labels_are_compared_on_the_same_objects(labels, options, measure, margin):
    pairs = irb.PairedCounts.from_labels([1, 1, 0, 0, 1, 1], [1, 1, 0, 1, 1, 0], [1, 0, 1, 1, 0, 0])
    rows = json.loads(run_cli(*labels, *options, "-f", "json").stdout)["rows"]
    assert rows[1]["P(first better on the same objects)"] == pytest.approx(
        pairs.prob_superior(measure, margin=margin).probability
    )
    assert not any("different" in name for row in rows for name in row)
    interval = pairs.difference_interval(measure)
    assert [
        rows[1][name] for name in ("difference", "difference.low", "difference.high")
    ] == pytest.approx([interval.estimate, interval.low, interval.high])
    assert rows[0]["difference"] is None


@pytest.mark.long
def test_tables_of_the_same_objects(labels):
    pairs = irb.PairedCounts.from_labels([1, 1, 0, 0, 1, 1], [1, 1, 0, 1, 1, 0], [1, 0, 1, 1, 0, 0])
    table = list(csv.DictReader(run_cli(*labels, "-f", "csv").stdout.splitlines()))
    assert not any("different" in name for name in table[0])
    shown = run_cli(*labels).stdout
    assert "same objects" in shown
    assert "different" not in shown
    assert f"{pairs.prob_superior().probability:.4f}" in shown


def test_counts_alone_are_compared_as_of_different_objects():
    done = run_cli("counts", "--tp", 10, "--fp", 10, "--fn", 5, "--tp", 3, "--fp", 2, "--fn", 3)
    assert "P(A better; different objects)" in done.stdout
    done = run_cli(
        "counts", "--tp", 10, "--fp", 10, "--fn", 5, "--tp", 3, "--fp", 2, "--fn", 3, "-f", "csv"
    )
    assert "P(first better if judged on different objects)" in done.stdout


def test_measures_that_pairs_lack_are_refused(labels):
    done = run_cli(*labels, "--measure", "prevalence")
    assert (done.returncode, done.stdout) == (2, "")
    assert "`--measure` must be one of 'f', 'precision'" in done.stderr
