"""The twin of the hypergeometric distribution, checked from outside: fractions, and its two ways to
sum."""

from fractions import Fraction
from itertools import product

import pytest
from mpmath import mpf, workdps

from reference import hypergeometric as slow
from reference.rankings import hypergeometric as point

pytestmark = pytest.mark.long  # these test the twins, which change rarely


@pytest.mark.parametrize(
    ("population", "relevant", "drawn"),
    [
        (0, 0, 0),
        (1, 0, 1),
        (1, 1, 1),
        (7, 3, 4),
        (12, 11, 5),
        (12, 5, 12),
        (40, 13, 9),
        (41, 30, 29),
        (60, 2, 55),
    ],
)
def test_fractions(population, relevant, drawn):
    each = [
        point(x, population, relevant, drawn)
        if x <= relevant and drawn - x <= population - relevant
        else 0
        for x in range(drawn + 1)
    ]
    with workdps(slow.DIGITS):
        for x, exact in enumerate(each):
            found = slow.law(x, population, relevant, drawn)
            for value, expected in (
                (found.point, exact),
                (found.below, sum(each[: x + 1])),
                (found.above, sum(each[x + 1 :])),
            ):
                expected = Fraction(expected)
                assert (
                    abs(value * expected.denominator - expected.numerator)
                    <= mpf("1e-25") * expected.numerator
                )


def test_probabilities_of_many_documents_are_quotients_of_binomials():
    for population, x in product((slow.SMALL + 1, 4 * slow.SMALL), (0, 1, 17, 60)):
        exact = point(x, population, 60, population // 7)
        with workdps(slow.DIGITS):
            value = slow.probability(x, population, 60, population // 7)
            assert abs(value * exact.denominator / exact.numerator - 1) < mpf("1e-40")


@pytest.mark.parametrize("away", [-12_000, -1500, -1, 0, 1, 1500, 6000, 12_000, 20_000])
def test_both_ways_to_sum(away):
    """A standard deviation is 2,050 here: sums of 10^4 terms stand against integrals."""
    question = 12 * 10**6 + away, 10**8, 4 * 10**7, 3 * 10**7
    one_by_one, integral = (slow.law(*question, longest=longest) for longest in (10**9, 100))
    with workdps(slow.DIGITS):
        assert abs(one_by_one.below / integral.below - 1) < mpf("1e-22")
        assert abs(one_by_one.above / integral.above - 1) < mpf("1e-22")


def test_logarithms():
    for x in (0, 3, 5, 9, 10, 11):
        found, logs = slow.law(x, 50, 10, 25), slow.logs(x, 50, 10, 25)
        with workdps(slow.DIGITS):
            assert (
                abs(logs.above - (slow.log(found.above) if found.above else -slow.inf)) < 1e-40
                or not found.above
            )
            assert abs(slow.exp(logs.below) - found.below) < 1e-40
