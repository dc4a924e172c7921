"""The quick twins against the sure ones."""

from fractions import Fraction
from itertools import permutations, product

import mpmath
import numpy as np
import pytest

from . import (
    beta_laws,
    conservative_prior,
    counts,
    extrapolation,
    float_shares,
    paired_counts,
    query_means,
    quick,
    quick_superiority,
    sample_intervals,
    stopping,
    subtopics,
)


@pytest.mark.parametrize("shapes", [(0.5, 3.5, 2.0), (40.5, 2.5, 900.5), (1.0, 1.0, 1e-2)])
@pytest.mark.parametrize("beta", [0.05, 1.0, 7.0])
def test_moments_of_f(shapes, beta):
    a, b, c = shapes
    law = float_shares.Pieces(float_shares.FOdds(a, b, c, beta + 1e-9))  # 1 is a Beta law

    def moment(power):
        return float_shares.integral(
            lambda t: law.density(t) * (1 + np.exp(-(law.centre + t))) ** -power, law.marks
        )

    for power in (1, 2):
        assert quick.f_moment(power, a, b, c, beta + 1e-9) == pytest.approx(
            moment(power), abs=1e-13
        )


@pytest.mark.parametrize(
    ("a", "b"), [(0.5, 0.5), (3.0, 1e-3), (1e6, 1e6 + 700), (4e5, 4e5), (70.5, 2.0)]
)
def test_beta_above_half(a, b):
    expected = 1 - beta_laws.beta_cdf("0.5", a, b)
    assert quick.beta_above_half(a, b) == pytest.approx(float(expected), abs=1e-15)


def test_beta_above_half_of_huge_counts():
    with mpmath.workdps(40):
        a, b = mpmath.mpf("1099511626451.5"), mpmath.mpf("1099511627776.5")
        unit, place = mpmath.sqrt(1 / a + 1 / b), mpmath.log(b / a)

        def density(t):
            return mpmath.exp(a * t - (a + b) * mpmath.log((a * mpmath.exp(t) + b) / (a + b)))

        ends = [k * unit for k in range(-12, 13)]
        above = mpmath.quad(density, [place, *(t for t in ends if t > place)])
        below = mpmath.quad(density, [*(t for t in ends if t < place), place])
        expected = float(above / (above + below))
    assert quick.beta_above_half(float(a), float(b)) == pytest.approx(expected, abs=1e-15)


@pytest.mark.long
@pytest.mark.parametrize("method", ["clopper_pearson", "mid_p", "jeffreys", "blaker"])
@pytest.mark.parametrize(("x", "n"), [(0, 3), (1, 9), (7, 12), (20, 20)])
@pytest.mark.parametrize("level", [0.9, 1 - 2.0**-40])
def test_ends_of_a_proportion(method, x, n, level):
    with mpmath.workdps(25):
        expected = getattr(sample_intervals, method)(x, n, mpmath.mpf(level), "two-sided")
        found = getattr(quick, method)(x, n, level, "two-sided")
    assert found == pytest.approx([float(end) for end in expected], abs=1e-13)


def test_blaker_touches_the_level():
    # p² + (1 - p)² is 1/2 at 1/2 and more elsewhere
    assert quick.blaker(2, 2, 0.5, "two-sided") == (0.5, 1.0)


@pytest.mark.long
@pytest.mark.parametrize(("n", "effect", "cut"), [(2, 0.5, 3.0), (30, 0.4, 2.05), (10**5, 0.01, 2)])
def test_power(n, effect, cut):
    expected = query_means.power_of_t(n, effect, cut, 2)
    assert quick.power_of_t(n, effect, cut, 2) == pytest.approx(float(expected), rel=1e-12)


@pytest.mark.parametrize(
    "values",
    [[0, 1], [0, 0, 1, 1, 1, 0.25], [0.1, 0.2, 0.3, 0.7], [0, *(1 - 0.5**k for k in range(9))]],
)
@pytest.mark.parametrize("tail", [1e-4, 0.025, 0.6])
def test_ends_of_a_mean(values, tail):
    x, tail = [Fraction(value) for value in values], Fraction(tail)
    end = quick.dirichlet_end(x, tail)
    step = Fraction(1, 10**14)
    below, above = (query_means.dirichlet_tail(x, Fraction(end) + by) for by in (-step, step))
    assert above <= 1 - tail <= below


PAIRS = [  # of both systems, with one prior, weight and margin
    ("f", (36391, 21, 0), (36391, 0, 15), 0.5, 1.0, 0.0),
    ("precision", (10**6, 0, 3), (999_000, 1, 0), 0.5, 1.0, 0.0),
    ("recall", (0, 5, 0), (0, 5, 0), 0.01, 1.0, 0.0),
    ("precision", (10**9, 10**6, 0), (10**9, 10**6 + 1500, 0), 1.0, 1.0, 0.0),
    ("f", (3, 1, 0), (300, 40, 70), 0.5, 1.0, 0.1),
    ("precision", (10**6, 700, 0), (10**6 + 9, 900, 0), 0.5, 1.0, -1e-4),
    ("recall", (5, 0, 700), (0, 0, 9), 0.3, 1.0, 0.4),
    ("recall", (9, 0, 2), (8, 0, 3), 2.0, 1.0, 1e-9),
]
HARD = [
    ("f", (779_050_026_342, 30577, 1), (276_424_012_944, 10749, 1), 0.5, 1.0, 0.0),
    ("f", (36391, 21, 0), (36391, 0, 15), 0.5, 10.0, 0.0),
    ("f", (8, 1, 219), (0, 0, 255), 0.01, 2.4, 0.0),
    ("f", (0, 9, 0), (0, 0, 4), 0.5, 0.05, 0.0),
    ("f", (234_110, 64_311, 3), (234_207, 64_263, 7), 1.0, 20.0, 0.0),
    ("f", (40, 3, 9), (35, 8, 4), 0.5, 0.5, 0.03),
]


@pytest.mark.long
@pytest.mark.parametrize("case", PAIRS)
def test_superiority_of_beta_laws(case):
    assert superior_quickly(case) == pytest.approx(superior_surely(case), abs=1e-13)


@pytest.mark.parametrize("case", PAIRS[:1] + HARD)
def test_superiority_of_f(case):
    measure, a, b, prior, beta, margin = case
    laws = (float_shares.law_of(measure, counts, beta, prior) for counts in (a, b))
    expected = float_shares.superior(*laws, margin)
    assert superior_quickly(case) == pytest.approx(expected, abs=2e-13)


@pytest.mark.long
def test_superiority_of_f_with_many_digits():
    case = ("f", (4, 0, 3), (9, 2, 1), 0.5, 2.0, 0.0)
    assert superior_quickly(case) == pytest.approx(superior_surely(case, 17), abs=1e-13)


def superior_quickly(case):
    measure, a, b, prior, beta, margin = case
    laws = (quick_superiority.law_of(measure, counts, beta, prior) for counts in (a, b))
    return quick_superiority.superior(*laws, margin)


def superior_surely(case, digits=30):
    measure, a, b, prior, beta, margin = case
    with mpmath.workdps(digits):
        priors = (mpmath.mpf(prior),) * 3
        return float(counts.prob_superior(a, b, measure, beta, margin, priors))


def test_superiority_that_is_not_sure():
    laws = (quick_superiority.law_of("f", (10**9, 10**6, n), 1e3, 0.5) for n in (0, 1))
    with pytest.raises(quick_superiority.NoAnswerError):
        quick_superiority.superior(*laws)


@pytest.mark.parametrize(
    ("wins", "losses", "n"),
    [(0, 3, 3), (5, 1, 40), (10**8, 10**8 + 9, 10**9), (8, 131973, 131981)],
)
def test_tango(wins, losses, n):
    expected = paired_counts.tango(wins, losses, n, mpmath.mpf(1.96))
    found = paired_counts.quick_tango(wins, losses, n, np.longdouble(1.96))
    assert found == pytest.approx([float(end) for end in expected], abs=1e-15)


@pytest.mark.parametrize("alpha", [0.05, 0.5])
def test_certified_totals(alpha):
    labels = [1, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0]
    for n in (0, 3, 12):
        assert [
            stopping.certified_last(labels[:k], 12 + n, alpha) for k in range(1, len(labels) + 1)
        ] == stopping.certified(labels, 12 + n, alpha)


@pytest.mark.parametrize(("size", "sampled"), [(2, 2), (7, 3), (9, 9), (11, 2)])
def test_most_conservative_priors(size, sampled):
    expected = float(conservative_prior.most_conservative_prior(size, sampled))
    found = conservative_prior.quick_most_conservative_prior(size, sampled)
    assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("table", "measure", "prior"),
    [
        ([11, 3, 5, 6, 1, 9, 3, 11], "f", 0.5),
        ([0, 0, 6, 0, 0, 0, 0, 0], "precision", 0.4),
        ([12, 0, 0, 12, 3, 12, 0, 12], "f", 5.0),
    ],
)
def test_superiority_of_few_paired_objects(table, measure, prior):
    expected = float(paired_counts.prob_superior(table, measure, prior, step=0.15))
    assert paired_counts.quick_prob_superior(table, measure, prior) == pytest.approx(
        expected, abs=1e-11
    )


@pytest.mark.parametrize("point", [(0.6, 0.95, 0.03), (0.9, 0.31, 0.3), (0.999, 0.4, 1e-3)])
@pytest.mark.parametrize("target", [0.3, 1.0])
def test_derivatives_along_a_curve(point, target):
    found = extrapolation.sensitivities(*point, target)
    for place, by in enumerate(["recall", "precision", "prevalence"]):
        with mpmath.workdps(110):
            known, step = list(map(mpmath.mpf, point)), mpmath.mpf("1e-30")
            values = []
            for sign in (1, -1):
                moved = [value + sign * step * (i == place) for i, value in enumerate(known)]
                values.append(extrapolation.extrapolated(*moved, target))
            expected = (values[0] - values[1]) / (2 * step)
        assert float(found[by]) == pytest.approx(float(expected), rel=1e-14)


@pytest.mark.parametrize("name", sorted(subtopics.MEASURES))
def test_subtopics_over_orders(name):
    rng = np.random.default_rng(5)
    judged = {
        f"d{i}": {f"s{j}": int(rng.integers(-1, 3)) for j in range(3) if rng.random() < 0.7}
        for i in range(5)
    }
    groups = [["d0", "x"], ["d1"], ["d2", "d3", "y"]]
    given = {"alpha": 0.3} if name in subtopics.NOVELTY else {}
    given |= {"beta": 0.8} if "NRBP" in name else {}
    given |= {} if name in ("NRBP", "nNRBP", "AP_IA") else {"k": 4}
    orders = [[*a, *b, *c] for a, b, c in product(*map(permutations, groups))]
    values = [subtopics.MEASURES[name](order, judged, **given) for order in orders]
    found = subtopics.mean_over_orders(name, groups, judged, **given)
    assert float(found) == pytest.approx(float(sum(values) / len(values)), rel=1e-15)
