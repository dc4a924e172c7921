"""Numbers as texts: ends rounded outward, estimates that claim neither 0 nor 1."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from irbounds.foundation.rounding import (
    as_decimals,
    as_ends,
    as_estimate,
    as_high_end,
    as_low_end,
    as_share,
)


@given(st.integers(-20_000, 20_000))
def test_four_decimals_stay(n):
    value = n / 10_000
    for text in (as_low_end(value), as_high_end(value), as_decimals(value)):
        assert Fraction(text) == Fraction(n, 10_000)
    # as rounding leaves them after a sum
    for near in (math.nextafter(value, -9), math.nextafter(value, 9)) if n else ():
        assert as_low_end(near) == as_high_end(near) == as_decimals(value)


@given(st.floats(-1e6, 1e6, allow_subnormal=False))
def test_ends_are_outward(value):
    exact = Fraction(value)
    # 15 digits, and what is 0 but for rounding
    room = max(abs(exact) / 10**14, Fraction(1, 10**15))
    low, high = Fraction(as_low_end(value)), Fraction(as_high_end(value))
    assert exact - Fraction(1, 10**4) - room <= low <= exact + room
    assert exact - room <= high <= exact + Fraction(1, 10**4) + room
    fine_low, fine_high = map(Fraction, as_ends(value, value))
    assert low - room <= fine_low <= exact + room
    assert exact - room <= fine_high <= high + room


@given(st.floats(-1e-3, 1e-3, allow_subnormal=False))
def test_small_numbers_have_two_significant_digits(value):
    assert float(as_estimate(value)) == pytest.approx(value, rel=0.051)
    for text in as_ends(value, value):
        assert float(text) == pytest.approx(value, rel=0.101)


def test_texts():
    assert as_ends(0.0, 5.989e-06) == ("0.0000", "6.0e-06")
    assert as_ends(0.00045, 0.8999799) == ("0.00045", "0.9000")
    assert (as_low_end(0.8999799), as_low_end(0.7), as_low_end(0.1 + 0.2)) == (
        "0.8999",
        "0.7000",
        "0.3000",
    )
    assert [as_estimate(x) for x in (0.99999, 0.999996, 0.9434, 1.0, 0.0)] == [
        *("0.99999", "0.999996", "0.9434", "1.0000", "0.0000"),
    ]
    assert [as_share(x) for x in (1.0, 0.999, 0.995, 0.57, 0.0)] == [
        *("100%", "99%", "99%", "57%", "0%"),
    ]
    assert as_low_end(math.inf) == "inf"


@pytest.mark.parametrize("value", [-0.0, -1e-9, -4e-5])
def test_zero_has_no_minus(value):
    assert as_decimals(value) == as_high_end(value) == "0.0000"
    assert as_decimals(value, 4, "+") == as_high_end(value, "+") == "+0.0000"
    assert as_low_end(value, "+") == ("-0.0001" if value else "+0.0000")
