"""The intervals from samples against published numbers, against brute force, and at the edges."""

import csv
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from data import shared
from mpmath import betainc, inf, mp, mpf, workdps
from scipy import signal, stats
from sizes import long

from . import sample_intervals as si
from . import samples
from .beta_laws import beta_ppf

pytestmark = pytest.mark.long  # these test the twins, which change rarely

F = Fraction
HALF = mpf(1) / 2
METHODS = [si.wald, si.wilson, si.agresti_coull, si.clopper_pearson, si.jeffreys]
SMALL = ((500, 50, 40), (2000, 100, 3))
LARGE = ((10_000, 500, 350), (90_000, 1000, 12))


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


# One proportion
# -----------------------------------------------------------------------------------------

PROPORTIONS = [
    (15, 148, si.clopper_pearson, ".0578", ".1617", "5e-5"),
    (15, 148, si.wilson, ".0624", ".1605", "5e-5"),
    (15, 148, si.agresti_coull, ".06138597", ".16148767", "5e-9"),
    (15, 148, si.jeffreys, ".06044852", ".15764314", "5e-9"),
    (81, 263, si.clopper_pearson, ".2527", ".3676", "5e-5"),
    (81, 263, si.wilson, ".2553", ".3662", "5e-5"),
    (81, 263, si.agresti_coull, ".25522067", ".36627743", "5e-9"),
    (81, 263, si.jeffreys, ".25452193", ".3656475", "5e-9"),
    (20, 100, si.clopper_pearson, ".1266555521019559", ".2918426890886281", "1e-15"),
    (0, 10, si.clopper_pearson, 0, ".3084971", "5e-8"),
    (541, 596, si.jeffreys, ".882505817635", ".928983677706", "1e-12"),
]


@pytest.mark.parametrize(("x", "n", "method", "low", "high", "tolerance"), PROPORTIONS)
def test_published_intervals_of_one_proportion(x, n, method, low, high, tolerance):
    assert near(si.binomial_interval(x, n, method), (low, high), tolerance)


def test_one_sided_clopper_pearson():
    assert near(
        si.binomial_interval(20, 100, si.clopper_pearson, side="upper"),
        (0, ".2772002496709138"),
        "1e-15",
    )
    assert near(
        si.binomial_interval(20, 100, si.clopper_pearson, side="lower"),
        (".1366613252458672", 1),
        "1e-15",
    )


@pytest.mark.parametrize(("x", "n"), [(0, 7), (3, 7), (7, 7), (1, 40)])
def test_clopper_pearson_is_a_pair_of_beta_quantiles(x, n):
    low = beta_ppf("0.05", x, n - x + 1) if x else 0
    high = beta_ppf("0.95", x + 1, n - x) if x < n else 1
    assert near(si.clopper_pearson(x, n, 0.9), (low, high), "1e-20")


@pytest.mark.parametrize("method", METHODS)
def test_ends_mirror_images_and_sides(method):
    for x, n in [(0, 5), (2, 5), (5, 5)]:
        low, high = si.binomial_interval(x, n, method)
        assert 0 <= low <= mpf(x) / n <= high <= 1
        if method not in (si.wald, si.agresti_coull):  # those reach 0 sooner
            assert (low > 0) == (x > 0)
        assert near(si.binomial_interval(n - x, n, method), (1 - high, 1 - low), "1e-20")
        one_sided = si.binomial_interval(x, n, method, "0.975", "lower")
        assert near(one_sided, (low, 1), "1e-20")
        assert near(si.binomial_interval(x, n, method, "0.975", "upper"), (0, high), "1e-20")
    assert si.binomial_interval(0, 0, method) == (0, 1)


@pytest.mark.parametrize(
    ("method", "percent"),
    [(si.clopper_pearson, 97.7), (si.wald, 84.6), (si.wilson, 95.3), (si.jeffreys, 95.1)],
)
def test_mean_coverage_at_20(method, percent):
    """Figures 4 to 7 of Webber: the integral over p of P(x | p), between the ends that x gives.

    Webber has 85.1 for Wald: the mean over p = .005, .010, ..., .995 is 85.06, as its coverage
    breaks down at the ends.
    """
    ends = [si.binomial_interval(x, 20, method) for x in range(21)]
    mean = sum(betainc(x + 1, 21 - x, *end, regularized=True) / 21 for x, end in enumerate(ends))
    assert abs(100 * mean - percent) <= 0.05


# A finite population
# ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "n", "size", "expected"),
    [(3, 10, 100, (8, 63)), (5, 20, 200, (19, 95)), long((0, 122, 2000, (0, 57)))],
)
def test_published_hypergeometric_bounds(x, n, size, expected):
    assert si.hypergeometric_bounds(x, n, size) == expected


@pytest.mark.parametrize("side", ["two-sided", "lower", "upper"])
@pytest.mark.parametrize(("n", "size"), [(7, 30), (1, 9), (12, 13), (8, 8), (0, 4)])
def test_hypergeometric_bounds_cover(n, size, side):
    bounds = [si.hypergeometric_bounds(x, n, size, "0.9", side) for x in range(n + 1)]
    for K in range(size + 1):
        covered = sum(
            p
            for x, p in si.hypergeometric_pmf(size, K, n).items()
            if bounds[x][0] <= K <= bounds[x][1]
        )
        assert covered >= F(9, 10)
    for x, (low, high) in enumerate(bounds):
        assert low == 0 if side == "upper" else low >= x
        assert high == size if side == "lower" else high <= size - n + x


# A ratio of proportions
# ---------------------------------------------------------------------------------

RATIOS = [
    ((36, 40, 16, 80), "2.939569192215", "7.152223434866", "1e-12"),
    ((7, 34, 1, 34), "1.220852853515", "42.575717609760", "1e-12"),
    ((8, 15, 4, 15), "0.815013539383", "5.336316846323", "1e-12"),
    ((13, 19, 16, 41), "1.046215", "2.860102", "5e-7"),
    ((29, 55, 11, 11), "0.397915443552", "0.738923351002", "1e-12"),
]


@pytest.mark.parametrize(("counts", "low", "high", "tolerance"), RATIOS)
def test_published_ratios(counts, low, high, tolerance):
    assert near(si.koopman(*counts), (low, high), tolerance)


def test_ratio_at_the_edges():
    z2 = si.z_of(0.95, "two-sided") ** 2
    assert si.koopman(0, 12, 0, 15) == (0, inf)
    assert si.koopman(3, 9, 0, 0) == si.koopman(0, 0, 3, 9) == (0, inf)
    assert near(si.koopman(12, 12, 15, 15), (1 / (1 + z2 / 12), 1 + z2 / 15), "1e-20")
    assert si.koopman(5, 5, 0, 5)[1] == inf
    assert si.koopman(0, 5, 5, 5)[0] == 0


def test_inverting_the_ratio_inverts_the_interval():
    for x, y in product(range(6), range(4)):
        low, high = si.koopman(x, 5, y, 3)
        assert low < high
        back = si.koopman(y, 3, x, 5)
        assert near([low * back[1]] if low else [back[1] == inf], [1], "1e-20")
        assert near([high * back[0]] if high < inf else [back[0] == 0], [1], "1e-20")


@pytest.mark.parametrize(
    ("x", "m", "y", "k"), [(2, 5, 1, 3), (0, 4, 2, 7), (4, 4, 2, 7), (3, 5, 6, 6), (6, 6, 2, 2)]
)
def test_chi_square_has_one_minimum_and_the_most_likely_proportions(x, m, y, k):
    """The likelihood's slope in p1 is 0 at the root used, unless that is an end; chi-square falls,
    then rises."""
    thetas = [mpf(2) ** (j * HALF) for j in range(-16, 17)]
    values = [si.koopman_chi_square(theta, x, m, y, k) for theta in thetas]
    turns = [b > a for a, b in pairwise(values) if abs(a - b) > mpf("1e-15")]
    assert turns == sorted(turns)
    for theta, value in zip(thetas, values, strict=True):
        p1 = np.linspace(0, float(min(1, theta)), 20_001)
        p2 = p1 / float(theta)
        with np.errstate(divide="ignore", invalid="ignore"):
            powers = ((x, p1), (m - x, 1 - p1), (y, p2), (k - y, 1 - p2))
            likelihood = sum(count * np.log(p) for count, p in powers if count)
            chi = sum((c - s * p) ** 2 / (s * p * (1 - p)) for c, s, p in ((x, m, p1), (y, k, p2)))
        best = np.nanargmax(likelihood)
        if 0 < best < 20_000:
            assert chi[best] == pytest.approx(float(value), rel=0.02, abs=1e-5)


def test_koopman_recall():
    assert near(si.koopman_recall(*LARGE), (".78805651", ".91896375"), "5e-9")
    assert si.koopman_recall((100, 10, 0), (900, 30, 4))[0] == 0
    assert si.koopman_recall((100, 10, 4), (900, 30, 0))[1] == 1
    assert si.koopman_recall((100, 10, 0), (900, 30, 0)) == (0, 1)
    low, high = si.koopman_recall(*SMALL)
    assert near(si.koopman_recall(*SMALL, 0.975, "lower"), (low, 1), "1e-20")
    assert near(si.koopman_recall(*SMALL, 0.975, "upper"), (0, high), "1e-20")


# Recall by the normal distribution
# ----------------------------------------------------------------------

TABLE_XII = """
201 UW .485 1.070 .351 .916
201 CS .304 .673 .226 .593
201 CB .126 .282 .093 .247
201 UP .102 .231 .076 .205
202 UW .542 .803 .501 .771
202 CS .467 .692 .432 .664
203 UW .832 .897 .552 .940
203 UB .552 .631 .378 .652
203 ZL-NoCull .157 .192 .105 .185
203 ZL-Cull .023 .035 .016 .033
204 H5 .595 .930 .538 .874
204 AD .235 .374 .216 .358
204 CB .151 .246 .140 .238
205 CS .599 .747 .587 .737
205 EQ .409 .516 .399 .505
205 IN .254 .329 .250 .325
206 CB-High .046 .106 .049 .109
206 LO .020 .063 .023 .067
206 CB-Mid .007 .015 .007 .014
206 CB-Low .006 .013 .005 .012
207 CB .723 .813 .689 .802
207 UW .714 .807 .677 .791
207 LO .503 .573 .484 .569
207 EQ .451 .515 .430 .507
"""


def legal_strata(topic, team):
    """A team's retrieved and unretrieved strata at TREC 2009; "AD" is table XII's "UD"."""
    segments = {"R": [], "N": []}
    with shared("trec_legal_2009_interactive", "strata.csv").open() as file:
        for row in csv.DictReader(file):
            if row["topic"] == topic:
                side = row["pattern"][row["teams"].split().index(team)]
                segments[side].append((int(row["N"]), int(row["n"]), int(row["r2"])))
    return segments["R"], segments["N"]


@pytest.mark.parametrize("row", TABLE_XII.strip().splitlines())
def test_normal_intervals_of_table_xii(row):
    topic, team, *ends = row.split()
    retrieved, unretrieved = legal_strata(topic, team)
    assert near(si.normal_recall(retrieved, unretrieved)[1:], ends[:2], "0.0014")
    laplace = si.normal_recall(retrieved, unretrieved, 1)
    assert near(si.reported(laplace, retrieved, unretrieved, more=1), ends[2:], "0.001")


@pytest.mark.parametrize(
    ("topic", "team", "low", "high"),
    [
        long(("201", "UW", 0.451, 0.928)),
        long(("203", "UW", 0.623, 0.881)),
        long(("206", "LO", 0.025, 0.069)),
        ("207", "EQ", 0.437, 0.507),
    ],
)
def test_half_prior_intervals_of_table_xii(topic, team, low, high):
    """The table was drawn at random. Convolutions over all strata are in double precision."""

    def segment(strata):
        total = np.ones(1)
        for N, n, r in strata:
            rest = (
                stats.betabinom.pmf(np.arange(N - n + 1), N - n, r + 0.5, n - r + 0.5)
                if n < N
                else np.ones(1)
            )
            total = signal.fftconvolve(total, np.concatenate([np.zeros(r), rest]))
        return dict(enumerate(total.tolist()))

    pmfs = [segment(strata) for strata in legal_strata(topic, team)]
    below_low, above_low, below_high, above_high = (
        samples.recall_cdf(round(q + d, 4), *pmfs) for q in (low, high) for d in (-0.003, 0.003)
    )
    assert below_low < 0.025 < above_low
    assert below_high < 0.975 < above_high


def test_normal_recall_by_hand():
    """R1 = 60, R0 = 100; variances 100^2 (.6 .4/10) .9 = 216 and 200^2 (.25/4) .98 = 2450."""
    estimate, low, high = si.normal_recall([(100, 10, 6)], [(200, 4, 2)])
    variance = F(216 * 100**2 + 2450 * 60**2, 160**4)
    assert near(
        [estimate, ((high - low) / 2 / si.z_of(0.95, "two-sided")) ** 2],
        [F(3, 8), variance],
        "1e-20",
    )
    assert near(
        si.normal_recall([(100, 10, 6)], [(200, 4, 2)], 1)[:1],
        [F(700, 12) / (F(700, 12) + 100)],
        "1e-20",
    )
    split = si.normal_recall([(100, 10, 6), (0, 0, 0)], [(200, 4, 2)], 2)
    assert split == si.normal_recall([(100, 10, 6)], [(200, 4, 2)], 2)


def test_normal_and_naive_at_the_edges():
    some, none = [(100, 10, 6)], [(200, 20, 0)]
    assert si.reported(si.normal_recall(some, none), some, none) == (1, 1)
    assert si.reported(si.normal_recall(none, some), none, some) == (0, 0)
    assert si.reported(si.normal_recall(none, none), none, none) == (0, 1)
    assert si.reported(si.naive_recall(none, none), none, none) == (0, 1)
    for more in (1, 2):
        assert si.reported(si.normal_recall(some, none, more), some, none, more=more)[1] == 1
        assert si.reported(si.normal_recall(none, some, more), none, some, more=more)[0] == 0
    assert si.reported(si.naive_recall(some, none), some, none) == (1, 1)
    estimate, low, high = si.naive_recall(some, [(200, 20, 4)])
    assert near(
        [estimate, (high - low) ** 2],
        [F(3, 5), 4 * si.z_of(0.95, "two-sided") ** 2 * F(24, 1000)],
        "1e-20",
    )
