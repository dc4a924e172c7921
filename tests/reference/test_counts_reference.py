"""The counts reference against the paper's numbers, against exact sums, and each way against the
other.

The file is longer than 400 lines because every function of the twin has several oracles.
"""

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest
from mpmath import betainc, gammaprod, hyp2f1, log, mp, mpc, mpf, pi, quad, workdps
from scipy import special
from sizes import every, long, only

from . import beta_laws
from . import counts as ref

pytestmark = pytest.mark.long  # these test the twins, which change rarely

F = Fraction
A, B = (10, 10, 5), (3, 2, 3)  # (tp, fp, fn): GG section 2.2's systems, false negatives added


@pytest.fixture(autouse=True)
def fewer_digits():
    """To be quick: with 25 digits, two ways agree to about 20."""
    with workdps(25):
        yield


def agree(a, b, tolerance="1e-19"):
    """Equal, relative to the value."""
    return abs(a - b) <= mpf(tolerance) * abs(b)


def number(x):
    """An mpmath number from a Fraction, a string or any other number."""
    return mp.convert(x)


# Beta laws
# ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "a", "b"),
    [
        ("0.3", 2.5, 1.5),
        ("1e-10", 0.5, 3.5),
        ("0.999", 0.5, 0.5),
        (".2", 150, 160),
        (".3", ".01", ".02"),
    ],
)
def test_beta_cdf_is_the_incomplete_beta_function(x, a, b):
    x, a, b = map(number, (x, a, b))
    assert agree(ref.beta_cdf(x, a, b), betainc(a, b, 0, x, regularized=True))


@pytest.mark.parametrize(
    ("a", "b", "x"), [(3, 4, F(1, 5)), (40, 7, F(9, 10)), (1, 1, F(1, 3)), (2, 300, F(1, 1000))]
)
def test_beta_cdf_of_whole_numbers_is_a_binomial_tail(a, b, x):
    n = a + b - 1
    tail = sum(comb(n, k) * x**k * (1 - x) ** (n - k) for k in range(a, n + 1))
    assert agree(ref.beta_cdf(number(x), a, b), number(tail))


LARGE = [(0.499, 1e6 + 0.5, 1e6 + 0.5), (1e-6, 0.5, 1e6), (0.99, 1e6, 1e4), (0.7, 1, 1)]


@pytest.mark.parametrize(("x", "a", "b"), LARGE)
def test_beta_cdf_of_large_parameters(x, a, b):
    assert agree(ref.beta_cdf(x, a, b), special.betainc(a, b, x), "1e-11")
    assert agree(ref.beta_cdf(x, a, b) + ref.beta_cdf(1 - mpf(x), b, a), 1)


@pytest.mark.parametrize(("t", "a", "b"), [(-1, 2.5, 1.5), (-9, 0.5, 80.5), (-0.7, 40, 60)])
def test_tail_by_series_and_by_quadrature(t, a, b):
    t, a, b = map(mpf, (t, a, b))
    assert agree(beta_laws.tail_by_series(t, a, b), beta_laws.tail_by_quadrature(t, a, b))


def test_beta_cdf_at_and_beyond_the_ends():
    assert [ref.beta_cdf(x, 2, 3) for x in (-1, 0, 1, 2)] == [0, 0, 1, 1]


QUANTILES = [(".025", 3.5, 2.5), (".975", 1e6, 0.5), ("1e-9", 1e6, 1e6), ("1e-9", 0.01, 0.02)]


@pytest.mark.parametrize(("p", "a", "b"), QUANTILES)
def test_beta_ppf_undoes_beta_cdf(p, a, b):
    assert agree(ref.beta_cdf(ref.beta_ppf(p, a, b), a, b), number(p), "1e-17")


HPD = [(3.5, 2.5, 0.95), (1.001, 2, 0.95), (300, 1.01, 0.99), (1e6, 1.5, 0.95), (1e6, 1e6, 0.5)]


@pytest.mark.parametrize(("a", "b", "level"), HPD)
def test_hpd_has_equal_heights_and_the_wanted_mass(a, b, level):
    low, high = ref.beta_hpd(a, b, level)
    above = ref.beta_cdf(1 - high, b, a) if 1 - high > mpf("1e-20") else 0
    assert agree(1 - above - ref.beta_cdf(low, a, b), mpf(level), "1e-15")
    if above > 0:  # else the end is nearer to 1 than the digits reach
        height_low, height_high = ((a - 1) * log(x) + (b - 1) * mp.log1p(-x) for x in (low, high))
        assert abs(height_low - height_high) < mpf("1e-14")


def widths(a, b, level):
    """Width of the interval of the wanted mass from each of a grid of lower ends, in double
    precision."""
    below = np.linspace(0, 1 - level, 2001)
    return special.betaincinv(a, b, np.minimum(below + level, 1)) - special.betaincinv(a, b, below)


SHAPES = [
    (3.5, 2.5),
    (1.5, 40),
    (0.5, 0.5),
    (0.3, 0.7),
    (0.7, 0.3),
    (0.5, 2.5),
    (2.5, 0.5),
    (1, 3),
    (3, 1),
    (1, 0.5),
]


@pytest.mark.parametrize("level", [0.3, 0.95])
@pytest.mark.parametrize(("a", "b"), SHAPES)
def test_no_interval_is_shorter_than_hpd(a, b, level):
    with workdps(20):
        low, high = ref.beta_hpd(a, b, level)
    every = widths(a, b, level)
    assert float(high - low) == pytest.approx(every.min(), abs=1e-6)
    assert float(high - low) <= every.min() + 1e-12
    if a <= 1 or b <= 1:
        assert low == 0 or high == 1


def test_hpd_where_many_intervals_are_as_short():
    assert ref.beta_hpd(1, 1, 0.5) == (0.25, 0.75)
    low, high = ref.beta_hpd(0.5, 0.5, 0.9)
    assert low == 0
    assert agree(high, mp.sin(pi * mpf(0.9) / 2) ** 2)  # the arcsine law


# F of one system
# ----------------------------------------------------------------------------------------

ONES = (1, 1, 1)


def f_sf_exactly(x, tp, fp, fn, beta):
    """P(F > x) with every prior 1: P(X > s) = sum_{j <= tp} E[e^-s s^j / j!], s = (b^2 Z + Y) x /
    ((1+b^2)(1-x))."""
    scale = x / ((1 + beta**2) * (1 - x))

    def mean(n, j, c):
        """E[(cG)^j e^-cG / j!], G ~ Gamma(n + 1)."""
        return comb(n + j, j) * c**j / (1 + c) ** (n + 1 + j)

    c_y, c_z = scale, beta**2 * scale
    return sum(mean(fp, j - i, c_y) * mean(fn, i, c_z) for j in range(tp + 1) for i in range(j + 1))


EXACT_F = [
    (F(1, 2), 3, 2, 5, F(1, 2)),
    (F(3, 4), 8, 2, 5, F(3)),
    (F(1, 9), 0, 0, 0, F(1, 10)),
    (F(1, 5), 30, 20, 7, F(10)),
]


@pytest.mark.parametrize(("x", "tp", "fp", "fn", "beta"), EXACT_F)
def test_f_is_an_exact_sum_for_uniform_priors(x, tp, fp, fn, beta):
    exact = f_sf_exactly(x, tp, fp, fn, beta)
    x, beta = number(x), number(beta)
    assert agree(ref.f_sf(x, tp, fp, fn, beta, *ONES), number(exact))
    assert agree(ref.f_cdf(x, tp, fp, fn, beta, *ONES), number(1 - exact), "1e-20")


def test_the_digits_that_are_promised():
    """Accuracy with the fifty digits of ordinary use."""
    with workdps(50):
        exact = number(f_sf_exactly(F(2, 3), 8, 2, 5, F(3)))
        assert agree(ref.f_sf(F(2, 3), 8, 2, 5, 3, *ONES), exact, "1e-45")
        low, high = ref.beta_hpd(2, 2, 0.5)  # symmetric: x^2 (3 - 2x) = 1/4
        assert agree(low**2 * (3 - 2 * low), mpf(1) / 4, "1e-33")
        assert agree(low + high, 1, "1e-33")


FEW_RELEVANT = [
    long((F(1, 10**5), 2, 10**6, 10**6, F(1, 2))),
    (F(1, 10**6), 0, 10**6, 3, F(2)),
]


@pytest.mark.parametrize(("x", "tp", "fp", "fn", "beta"), FEW_RELEVANT)
def test_f_of_large_counts_is_the_exact_sum(x, tp, fp, fn, beta):
    """The same sum, few terms of it, in mpmath numbers."""
    exact = f_sf_exactly(number(x), tp, fp, fn, number(beta))
    assert agree(ref.f_sf(number(x), tp, fp, fn, number(beta), *ONES), exact, "1e-17")


TWO_WAYS = [
    (".7", 80, 26, 20, 2),
    (".4", 0, 0, 0, 10),
    (".98", 10**6, 10**6, 0, 10),
    (".5", 10**6, 0, 10**6, ".1"),
]


@pytest.mark.long
@pytest.mark.parametrize(("x", "tp", "fp", "fn", "beta"), TWO_WAYS)
def test_f_cdf_two_ways(x, tp, fp, fn, beta):
    with workdps(20):
        first, second = (way(x, tp, fp, fn, beta) for way in (ref.f_cdf, ref.f_cdf_by_precision))
        assert agree(first, second, "1e-12")


def test_f_cdf_two_ways_with_priors_of_their_own():
    first, second = (
        way(".6", 4, 1, 2, ".5", "1.5", ".25", 2) for way in (ref.f_cdf, ref.f_cdf_by_precision)
    )
    assert agree(first, second)


@pytest.mark.parametrize(("x", "system"), [(".7", (80, 26, 20)), (".01", (0, 0, 0))])
def test_f1_in_closed_form(x, system):
    assert agree(ref.f_cdf(x, *system), ref.f1_cdf(x, *system))


def test_f_at_and_beyond_the_ends():
    assert [ref.f_cdf(x, *A, 2) for x in (-1, 0, 1, 2)] == [0, 0, 1, 1]
    assert [ref.f_sf(x, *A, 2) for x in (-1, 0, 1, 2)] == [1, 1, 0, 0]


SYSTEMS = [((3, 2, 3), 2), long(((0, 0, 4), mpf(1) / 2)), long(((20, 5, 1), 10))]


@pytest.mark.parametrize(("system", "beta"), SYSTEMS)
def test_f_pdf_is_the_derivative_of_f_cdf(system, beta):
    x, h = mpf("0.6"), mpf("1e-6")
    with workdps(20):
        slope = (ref.f_cdf(x + h, *system, beta) - ref.f_cdf(x - h, *system, beta)) / (2 * h)
    assert agree(ref.f_pdf(x, *system, beta), slope, "1e-9")


@pytest.mark.long
def test_moments_of_f1_in_closed_form():
    """E[(2S/(1+S))^k] = 2^k B(A+k, N)/B(A, N) 2F1(k, A+k; A+N+k; -1), N = B+C."""
    system = (1, 0, 4)
    a, b, c = ref.shapes(*system)
    n = b + c
    first, second = (
        2**k * gammaprod([a + k, a + n], [a, a + n + k]) * hyp2f1(k, a + k, a + n + k, -1)
        for k in (1, 2)
    )
    with workdps(10):
        assert agree(ref.f_mean(*system), first, "1e-8")
        assert agree(ref.f_var(*system), second - first**2, "1e-7")


# Two systems
# --------------------------------------------------------------------------------------------

DRAWS = 400_000


def drawn(tp, fp, fn, beta, rng):
    """Draws of precision, recall and F straight from the Gammas (GG eq. 10), priors 1/2."""
    x, y, z = (rng.gamma(n + 0.5, size=DRAWS) for n in (tp, fp, fn))
    b2 = float(beta) ** 2
    return {
        "precision": x / (x + y),
        "recall": x / (x + z),
        "f": (1 + b2) * x / ((1 + b2) * x + b2 * z + y),
    }


def near(draws, value):
    """The mean of the draws is within five of its standard errors of the value."""
    return abs(draws.mean() - float(value)) < 5 * draws.std() / DRAWS**0.5


@pytest.mark.long
def test_by_monte_carlo():
    """GG's own method, for all that is not checked to the last digit."""
    rng, beta = np.random.default_rng(1), 2
    a, b = drawn(*A, beta, rng), drawn(*B, beta, rng)
    with workdps(10):
        mean = ref.f_mean(*B, beta)
        assert near(b["f"], mean)
        assert near((b["f"] - float(mean)) ** 2, ref.f_var(*B, beta))
        assert near(b["f"] <= 0.4, ref.f_cdf(0.4, *B, beta))
        for measure, delta in [("precision", 0.05), ("recall", -0.1), ("f", 0.1)]:
            assert near(
                b[measure] - a[measure] > delta, ref.prob_superior(B, A, measure, beta, delta)
            )


FROM_OUTSIDE = [("precision", "652222372209"), ("recall", "237181563608"), ("f", "426307401693")]


@pytest.mark.parametrize(("measure", "digits"), FROM_OUTSIDE)
def test_prob_superior_of_b(measure, digits):
    """GG section 2.2: "only around 65%"."""
    probability = ref.prob_superior(B, A, measure)
    assert abs(probability - mpf("0." + digits)) < mpf("5.1e-13")
    assert agree(ref.prob_superior(B, A, measure, by_densities=True), probability)
    assert agree(ref.prob_superior(A, B, measure), 1 - probability)


def times(p, q):
    """Product of polynomials, lists of coefficients."""
    return [
        sum(p[i] * q[k - i] for i in range(len(p)) if 0 <= k - i < len(q))
        for k in range(len(p) + len(q) - 1)
    ]


def power(c, d, n):
    """(c + d y)^n."""
    return [comb(n, k) * c ** (n - k) * d**k for k in range(n + 1)]


def superior_exactly(a, b, c, d, delta):
    """P(Beta(a, b) - Beta(c, d) > delta) for whole numbers: a polynomial in y = x - delta,
    integrated to 1 - delta."""
    n = c + d - 1
    below = [0] * (n + 1)
    for k in range(c, n + 1):
        for i, coefficient in enumerate(power(1, -1, n - k)):
            below[k + i] += comb(n, k) * coefficient
    density = times(power(delta, 1, a - 1), power(1 - delta, -1, b - 1))
    integral = sum(
        q * (1 - delta) ** (k + 1) / (k + 1) for k, q in enumerate(times(density, below))
    )
    return integral * (a + b - 1) * comb(a + b - 2, a - 1)


SMALL = [((3, 2, 0), (2, 4, 0)), ((0, 0, 0), (9, 1, 0))]


@pytest.mark.parametrize(
    ("systems", "delta", "by_densities"),
    every(5, product(SMALL, [F(0), F(1, 10), F(-1, 5)], [False, True])),
)
def test_precision_superior_is_exact_for_uniform_priors(systems, delta, by_densities):
    (a, b, _), (c, d, _) = first, second = systems
    if delta >= 0:
        exact = superior_exactly(a + 1, b + 1, c + 1, d + 1, delta)
    else:
        exact = 1 - superior_exactly(c + 1, d + 1, a + 1, b + 1, -delta)
    found = ref.prob_superior(
        first, second, "precision", 1, number(delta), ONES, by_densities=by_densities
    )
    assert agree(found, number(exact))


def odds_transform(z, system, beta):
    """E[(F/(1-F))^z] = (1+b^2)^z Γ(A+z)Γ(B+C-z)/(Γ(A)Γ(B+C)) 2F1(z, C; B+C; 1-b^2)."""
    a, b, c = ref.shapes(*system)
    gammas = gammaprod([a + z, b + c - z], [a, b + c])
    return (1 + beta**2) ** z * gammas * hyp2f1(z, c, b + c, 1 - beta**2)


@pytest.mark.long
@pytest.mark.parametrize("beta", [1, 2])
def test_f_superior_by_mellin_transform(beta):
    """P(D > 0), D = ln of the odds' ratio, is 1/(2 pi i) times the integral of E[e^zD]/z over a
    line right of 0."""

    def integrand(y):
        z = mpc(1, y)
        return (odds_transform(z, B, beta) * odds_transform(-z, A, beta) / z).real

    with workdps(15):
        probability = quad(integrand, [0, 3, 7, 16]) / pi
        assert agree(ref.prob_superior(B, A, "f", beta), probability, "1e-11")


@pytest.mark.long
def test_f_superior_of_large_counts():
    with workdps(20):
        first, second = (10**6, 10**5, 10**5), (10**6 + 1000, 10**5, 10**5)
        direct, by_densities = (
            ref.prob_superior(first, second, by_densities=way) for way in (False, True)
        )
        assert agree(direct, by_densities, "1e-11")


# The paper's and the other oracles' numbers
# --------------------------------------------------------------


def test_means_and_modes_of_gg_section_2():
    """3 TP, 2 FP, prior 1/2: mean 58 %, mode 63 %; nothing returned: the prior, mean 1/2."""
    a, b = ref.rates(3, 2, 0, 0)["precision"]
    assert round(float(a / (a + b)), 2) == 0.58
    assert (a - 1) / (a + b - 2) == 0.625
    a, b = ref.rates(0, 0, 5, 0)["precision"]
    assert a == b == 0.5


def test_f1_interval():
    """The upper end had been given as .8297011246, one digit off (the double-precision quantile
    confirms it)."""
    low, high = (ref.f1_ppf(p, 80, 26, 20, *ONES) for p in ("0.025", "0.975"))
    assert abs(low - mpf("0.7039005937")) < mpf("1e-10")
    assert abs(high - mpf("0.8297010246")) < mpf("1e-10")
    s = special.betaincinv(81, 48, 0.975)
    assert agree(high, 2 * s / (1 + s), "1e-13")


# The first three had been given as .99828, .96280, .93600: right to four digits only.
PAIRED = [
    (17, 4, "0.99830"),
    (43, 28, "0.96285"),
    (8, 3, "0.93597"),
    (2, 7, "0.0450"),
    (1, 0, "0.8183"),
    (23, 22, "0.5591"),
]


@pytest.mark.parametrize(("wins", "losses", "value"), PAIRED)
def test_paired_probabilities(wins, losses, value):
    """Also against SciPy's I_1/2."""
    places, probability = len(value) - 2, ref.paired(wins, losses).probability
    assert abs(probability - mpf(value)) <= mpf(10) ** -places / 2
    assert agree(probability, special.betainc(losses + 0.5, wins + 0.5, 0.5), "1e-13")


# Columns: ltc > nnn, linear kernel; lin > p2, 'nnn' weighting; lin > p2, 'ltc' weighting.
TABLE_2 = """
17 4 99.77  48 12 100.00 1 4 9.76
43 28 96.41 282 14 100.00 6 7 39.68
39 23 97.90 58 43 93.76 11 6 88.70
21 15 84.32 62 21 100.00 4 2 78.66
17 11 87.32 46 10 100.00 9 2 98.48
23 22 55.75 28 28 49.19 2 7 4.36
24 24 49.73 38 21 98.61 5 3 76.29
10 9 59.56 14 13 57.87 0 3 3.39
6 11 11.38 22 4 99.97 3 1 83.71
6 5 61.45 19 2 99.99 1 0 82.31
13 6 94.62 191 2 100.00 5 3 75.81
12 9 74.31 24 10 99.23 3 2 66.66
8 3 93.43 10 11 41.22 0 3 3.49
"""


def test_gg_table_2():
    """Within four standard errors of the paper's 10,000 draws (its column +/-), and half a unit of
    the last digit."""
    numbers = TABLE_2.split()
    for wins, losses, printed in zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True):
        p = ref.paired(int(wins), int(losses)).probability
        assert abs(mpf(printed) / 100 - p) <= 4 * (p * (1 - p) / 10_000) ** 0.5 + mpf("5e-5"), (
            wins,
            losses,
        )


# Paired
# -------------------------------------------------------------------------------------------------


def test_paired_oracle_and_pooling():
    """Updating in turn equals pooling; the number of objects treated alike plays no part in P(pi1 >
    pi2)."""
    pooled = ref.paired(8, 5, 37)
    assert abs(pooled.probability - mpf("0.79667937088556")) < mpf("5.1e-15")
    assert ref.paired(3, 1, 30, 5.5, 4.5, 7.5) == pooled
    assert ref.paired(8, 5, 0).probability == pooled.probability
    assert agree(ref.paired(5, 8, 37).probability, 1 - pooled.probability)


def test_paired_moments():
    """GG eq. 20, 21; variances from the Dirichlet's, and from the density of ln(pi1/pi2)."""
    a1, a2, a3 = F(17, 2), F(11, 2), F(75, 2)
    total = a1 + a2 + a3
    found = ref.paired(8, 5, 37)
    assert agree(found.difference, number((a1 - a2) / total))
    variance = (a1 * (total - a1) + a2 * (total - a2) + 2 * a1 * a2) / (total**2 * (total + 1))
    assert agree(found.difference_var, number(variance))
    mean, square = (
        quad(lambda t, k=k: t**k * ref.density(t, mpf("8.5"), mpf("5.5")), [-40, -3, 0, 3, 40])
        for k in (1, 2)
    )
    assert agree(found.log_odds, mean, "1e-15")
    assert agree(found.log_odds_var, square - mean**2, "1e-15")


@pytest.mark.parametrize("d", only(["0", "-0.6"], ["0", "0.1", "-0.1", "0.9", "-0.6"]))
def test_paired_difference_two_ways(d):
    first = ref.paired_difference_cdf(d, 8, 5, 37)
    assert agree(first, ref.paired_difference_cdf(d, 8, 5, 37, sf=ref.difference_sf_by_pi1))
    assert d != "0" or agree(first, 1 - ref.paired(8, 5, 37).probability)


@pytest.mark.parametrize("d", [F(0), F(1, 3), F(-3, 4)])
def test_paired_difference_of_no_data(d):
    """Uniform on the triangle: P(pi1 - pi2 > d) = (1-d)^2 / 2 for d >= 0."""
    exact = 1 - (1 - d) ** 2 / 2 if d >= 0 else (1 + d) ** 2 / 2
    assert agree(ref.paired_difference_cdf(number(d), 0, 0, 0, *ONES), number(exact))


def test_rates_of_the_four_cells():
    """Each is the Beta of the cells it divides by the cells it is divided by; all means at once
    from drawn Gammas."""
    rng = np.random.default_rng(2)
    tp, fp, fn, tn = (rng.gamma(n + 0.5, size=DRAWS) for n in (7, 2, 3, 12))
    n = tp + fp + fn + tn
    draws = {
        "precision": tp / (tp + fp),
        "recall": tp / (tp + fn),
        "specificity": tn / (tn + fp),
        "npv": tn / (tn + fn),
        "accuracy": (tp + tn) / n,
        "prevalence": (tp + fn) / n,
        "jaccard": tp / (tp + fp + fn),
    }
    betas = ref.rates(7, 2, 3, 12)
    assert draws.keys() == betas.keys()
    for name, (a, b) in betas.items():
        assert near(draws[name], a / (a + b))
        assert near((draws[name] - float(a / (a + b))) ** 2, a * b / ((a + b) ** 2 * (a + b + 1)))
