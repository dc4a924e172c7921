"""The hypergeometric distribution against exact integers and 50 digits, and its tail along
rankings."""

import math
import random
from fractions import Fraction
from itertools import accumulate, product
from math import comb

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sizes import long, only

import irbounds as irb
from irbounds.chance import (
    hypergeometric_cdf,
    hypergeometric_curve,
    hypergeometric_logcdf,
    hypergeometric_logpmf,
    hypergeometric_logsf,
    hypergeometric_pmf,
    hypergeometric_sf,
    hypergeometric_tail,
)

mpmath.mp.dps = 50
TABLE_1 = {
    1: 0.94000,
    2: 0.99668,
    3: 0.99983,
    4: 0.99935,
    5: 0.99844,
    6: 0.99698,
    7: 0.99490,
    8: 0.99212,
    9: 0.98859,
    10: 0.99868,
    11: 0.99988,
    12: 0.99980,
    13: 0.99968,
}
RANKS = [1, 2, 3, 10, 11, 14, 15, 20, 40, 50, 69, 78]


def exact(population, relevant, drawn):
    """All P(X = x), x = 0 .. drawn."""
    ways = comb(population, drawn)
    return [
        Fraction(comb(relevant, x) * comb(population - relevant, drawn - x), ways)
        for x in range(drawn + 1)
    ]


def log_probability(x, population, relevant, drawn):
    def log_choose(n, k):
        return mpmath.loggamma(n + 1) - mpmath.loggamma(k + 1) - mpmath.loggamma(n - k + 1)

    return (
        log_choose(relevant, x)
        + log_choose(population - relevant, drawn - x)
        - log_choose(population, drawn)
    )


def test_numbers_of_other_tools():
    assert hypergeometric_sf(107, 10000, 1000, 215) == pytest.approx(
        5.3908059082007468512e-52, rel=1e-14
    )
    assert hypergeometric_sf(40, 1600, 50, 300) == pytest.approx(7.5651488792284464e-23, rel=1e-14)
    assert hypergeometric_logsf(10**4, 10**7, 10**6, 5 * 10**4) == pytest.approx(
        -2239.7712499204, abs=5e-11
    )
    assert hypergeometric_sf(9, 10**9, 10**5, 10) == pytest.approx(9.995501319703057e-41, rel=1e-14)


@pytest.mark.long
@pytest.mark.quick_examples(150)
@settings(max_examples=400, deadline=None)
@given(st.data())
def test_small_populations_exactly(data):
    population = data.draw(st.integers(0, 120))
    relevant, drawn = data.draw(st.integers(0, population)), data.draw(st.integers(0, population))
    p = exact(population, relevant, drawn)
    x = np.arange(drawn + 1)
    below = [sum(p[:i], Fraction(0)) for i in range(drawn + 2)]
    for function, expected in (
        (hypergeometric_pmf, p),
        (hypergeometric_cdf, below[1:]),
        (hypergeometric_sf, [1 - value for value in below[1:]]),
        (hypergeometric_tail, below[:-1]),
    ):
        assert function(x, population, relevant, drawn) == pytest.approx(
            list(map(float, expected)), rel=1e-13, abs=0
        )
    assert hypergeometric_logcdf(x, population, relevant, drawn) == pytest.approx(
        [math.log(value) if value else -math.inf for value in map(float, below[1:])],
        rel=1e-12,
        abs=1e-15,
    )


@pytest.mark.long
@pytest.mark.parametrize(
    ("found", "population", "relevant", "drawn"),
    [
        (475269717, 1555371125, 521929877, 1416310297),
        long((1266609600, 31497274859, 1459422062, 27334433693)),
    ],
)
def test_rounding_does_not_add_up_in_tails_of_ten_thousand_terms(
    found, population, relevant, drawn
):
    """One term after the other, all from the first, missed the promise of 1e-13: all round one
    way."""
    term = tail = mpmath.exp(log_probability(found + 1, population, relevant, drawn))
    x, rest = found + 1, population - relevant - drawn
    while term > tail * mpmath.mpf("1e-22"):
        term *= mpmath.mpf((relevant - x) * (drawn - x)) / ((x + 1) * (rest + x + 1))
        tail, x = tail + term, x + 1
    got = hypergeometric_sf(found, population, relevant, drawn)
    assert abs(got / tail - 1) < 5e-14


@pytest.mark.parametrize("least", [15_000, pytest.param(100_000, marks=pytest.mark.long)])
def test_many_cases_exactly(least):
    rng, cases = random.Random(3), 0
    while cases < least:
        population = int(10 ** rng.uniform(0.3, 3.6))
        relevant, drawn = rng.randint(0, population), rng.randint(0, min(population, 400))
        ways = comb(population, drawn)
        counts = [
            comb(relevant, x) * comb(population - relevant, drawn - x) for x in range(drawn + 1)
        ]
        below = list(accumulate(counts))
        x = np.arange(drawn + 1)
        for function, numerators in (
            (hypergeometric_pmf, counts),
            (hypergeometric_cdf, below),
            (hypergeometric_sf, [ways - count for count in below]),
        ):
            exactly = np.array([count / ways for count in numerators])
            assert (
                np.abs(function(x, population, relevant, drawn) - exactly)
                <= 1e-13 * exactly + 1e-300
            ).all()
        cases += drawn + 1


@pytest.mark.parametrize("population", [10**3, 10**6, 10**9, 10**12])
@pytest.mark.parametrize("questions", [40, pytest.param(150, marks=pytest.mark.long)])
def test_large_populations_to_full_precision(population, questions):
    rng = random.Random(population)
    for _ in range(questions):
        relevant, drawn = (
            min(population, int(10 ** rng.uniform(0, math.log10(population)))) for _ in range(2)
        )
        mean = relevant * drawn / population
        spread = math.sqrt(mean * (1 - relevant / population) * (1 - drawn / population)) + 1
        least, most = max(0, drawn - population + relevant), min(relevant, drawn)
        x = min(most, max(least, round(mean + rng.uniform(-30, 30) * spread)))
        expected = log_probability(x, population, relevant, drawn)
        assert hypergeometric_logpmf(x, population, relevant, drawn) == pytest.approx(
            float(expected), rel=1e-15, abs=1e-15
        )
        if expected > -690:
            assert hypergeometric_pmf(x, population, relevant, drawn) == pytest.approx(
                float(mpmath.exp(expected)), rel=2e-15
            )


@pytest.mark.parametrize(
    ("x", "population", "relevant", "drawn"),
    [
        (60, 10**4, 10**3, 400),
        (300, 10**6, 10**4, 20000),
        (1500, 10**9, 10**8, 10**4),
        (0, 10**6, 500, 10**4),
        (26000, 10**12, 5 * 10**11, 50000),
        (49, 10**5, 50, 99000),
    ],
)
def test_tails_are_sums(x, population, relevant, drawn):
    least, most = max(0, drawn - population + relevant), min(relevant, drawn)

    def add(values):
        total = mpmath.mpf(0)
        for value in values:
            term = mpmath.exp(log_probability(value, population, relevant, drawn))
            total += term
            if term < total * mpmath.mpf(10) ** -25 and total > 0:
                break
        return total

    lower, upper = add(range(x, least - 1, -1)), add(range(x + 1, most + 1))
    lower, upper = (1 - upper, upper) if upper < lower else (lower, 1 - lower)
    assert hypergeometric_cdf(x, population, relevant, drawn) == pytest.approx(
        float(lower), rel=1e-13
    )
    assert hypergeometric_sf(x, population, relevant, drawn) == pytest.approx(
        float(upper), rel=1e-13
    )
    assert hypergeometric_logsf(x, population, relevant, drawn) == pytest.approx(
        float(mpmath.log(upper)), rel=1e-13
    )


@pytest.mark.quick_examples(60)
@settings(max_examples=200, deadline=None)
@given(st.integers(1, 10**9), st.data())
def test_symmetries(population, data):
    relevant = data.draw(st.integers(0, population))
    drawn = data.draw(st.integers(0, min(population, 10**6)))
    mean = relevant * drawn / population
    x = data.draw(st.integers(max(0, int(mean) - 300), int(mean) + 300))
    if x > min(relevant, drawn):
        return
    pmf = hypergeometric_pmf(x, population, relevant, drawn)
    assert hypergeometric_pmf(x, population, drawn, relevant) == pytest.approx(
        pmf, rel=1e-13, abs=1e-300
    )
    assert hypergeometric_pmf(drawn - x, population, population - relevant, drawn) == pytest.approx(
        pmf, rel=1e-13, abs=1e-300
    )
    assert hypergeometric_cdf(x, population, relevant, drawn) + hypergeometric_sf(
        x, population, relevant, drawn
    ) == pytest.approx(1, rel=1e-13)


def test_joiner_and_werners_table():
    relevance = np.isin(np.arange(1, 79), RANKS)
    curve = hypergeometric_curve(relevance, 200, 12)
    for cut, value in TABLE_1.items():
        assert curve[cut - 1] == pytest.approx(value, abs=1e-5)
    for cut in range(1, 79):
        below = sum(exact(200, 12, cut)[: sum(rank <= cut for rank in RANKS)], Fraction(0))
        assert curve[cut - 1] == pytest.approx(float(below), rel=1e-13)


def test_residual_curve_after_feedback():
    rest = hypergeometric_curve([0, 1, 1], 200, 12, shown=10, shown_relevant=4)
    assert rest == pytest.approx(hypergeometric_curve([0, 1, 1], 190, 8))


@pytest.mark.parametrize("population", only(range(9), range(11)))
def test_curve_of_every_small_ranking_exactly(population):
    tails = {
        (relevant, drawn): [
            sum(exact(population, relevant, drawn)[:found]) for found in range(drawn + 1)
        ]
        for relevant in range(population + 1)
        for drawn in range(population + 1)
    }
    for relevance in product([0, 1], repeat=population):
        relevant, found = sum(relevance), accumulate(relevance)
        expected = [float(tails[relevant, drawn][x]) for drawn, x in enumerate(found, 1)]
        assert hypergeometric_curve(relevance, population, relevant) == pytest.approx(
            expected, rel=1e-13, abs=0
        )


@pytest.mark.parametrize(
    ("population", "relevant", "share", "length"),
    [
        (300, 20, 0.3, 300),
        (2 * 10**5, 10**5, 0.5, 10**5),
        (10**6, 1000, 0.05, 10**5),
        (10**6, 5 * 10**5, 0.1, 10**5),
        (10**5, 3 * 10**4, 0.95, 99_990),
        (10**9, 10**6, 0.01, 10**5),
        (5000, 2500, 0.999, 5000),
    ],
)
def test_curve_equals_single_tails(population, relevant, share, length):
    rng = np.random.default_rng(length)
    relevance = rng.random(length) < share
    relevance &= np.cumsum(relevance) <= relevant
    relevance |= np.cumsum(~relevance) > population - relevant
    found, cuts = np.cumsum(relevance), np.arange(1, length + 1)
    curve = hypergeometric_curve(relevance, population, relevant)
    some = (
        np.unique(np.concatenate([cuts[:500], rng.choice(cuts, min(length, 500)), cuts[-50:]])) - 1
    )
    tails = hypergeometric_tail(found[some], population, relevant, cuts[some])
    assert (np.abs(curve[some] - tails) <= 1e-13 * tails + 1e-300).all()


def test_a_curve_returns_from_where_its_unit_is_no_number():
    """The unit of a stretch was 2^-1090, which is 0 as a number; its tails, of 2^150 units, were 0
    too."""
    stretches = [(12_795, 1), (7822, 0), (1, 1), (77, 0), (141, 1), (67_599, 0), (111_564, 1)]
    relevance = np.concatenate([np.full(n, mark) for n, mark in stretches])
    found, cuts = np.cumsum(relevance), np.arange(1, relevance.size + 1)
    population, relevant = 4503599627370495, 2799899665151806
    some = np.arange(179_000, 181_000)
    curve = hypergeometric_curve(relevance, population, relevant)[some]
    tails = hypergeometric_tail(found[some], population, relevant, cuts[some])
    assert ((tails > 0) & (tails < 1e-280)).any()
    assert (np.abs(curve - tails) <= 1e-12 * tails + 1e-300).all()


@pytest.mark.parametrize("seed", range(30))
def test_curves_return_from_tails_that_do_not_matter(seed):
    """Upper tails that 1 rounds away, and lower ones below every number, are not followed."""
    rng = np.random.default_rng(seed)
    population, share = int(10 ** rng.uniform(5, 12)), 10 ** rng.uniform(-3, -0.05)
    lengths = 10 ** rng.uniform(0.5, 3.7, 6)
    chances = rng.choice([0, 1, share, rng.random()], 6)
    marks = np.concatenate([rng.random(int(n)) < p for n, p in zip(lengths, chances, strict=True)])
    relevant = max(int(population * share), np.count_nonzero(marks))
    found, cuts = np.cumsum(marks), np.arange(1, marks.size + 1)
    some = rng.choice(marks.size, 200)
    curve = hypergeometric_curve(marks, population, relevant)[some]
    tails = hypergeometric_tail(found[some], population, relevant, cuts[some])
    assert (np.abs(curve - tails) <= 1e-12 * tails + 1e-305).all()


def test_curve_of_nothing():
    assert hypergeometric_curve([], 5, 2).size == 0
    assert hypergeometric_curve([0, 0], 5, 0).tolist() == [0, 0]
    assert hypergeometric_curve([1, 1], 2, 2).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3, 10, 4, 2), "`found` must be at most drawn, 2; found 3"),
        ((1, 3, 1, 5), "`drawn` must be at most population, 3; found 5"),
        ((1, 10, 20, 3), "`relevant` must be at most population, 10; found 20"),
        (
            ([0, 1.5], 10, 4, 3),
            r"`found` must be a whole number from 0 to 2\^52; found 1.5 at index 1",
        ),
        (([1, 2], [10, 11, 12], 4, 3), "must broadcast"),
    ],
)
def test_impossible_arguments(arguments, message):
    with pytest.raises(irb.InputError, match=message):
        hypergeometric_sf(*arguments)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([1, 1], 5, 1), {}, "must have at most 1 relevant and 4 other documents, which are left"),
        (([0, 0], 5, 4), {}, "found 0 and 2"),
        (([1], 5, 9), {}, "`relevant` must be at most 5, the relevant documents shown and all 5"),
        (
            ([1], 5, 2),
            {"shown": 1, "shown_relevant": 2},
            "`shown_relevant` must be at most `shown`, 1",
        ),
        (([math.nan], 5, 2), {}, "`relevance` must be finite; found nan at index 0"),
        (([[1]], 5, 2), {}, "`relevance` must be a list"),
        (
            ([1, 0, 1], 2**52 + 1, 5),
            {},
            r"`population` must be at most 2\^52; found 4503599627370497",
        ),
    ],
)
def test_impossible_rankings(arguments, options, message):
    with pytest.raises(irb.InputError, match=message):
        hypergeometric_curve(*arguments, **options)
