"""Rounding on pages: ends never claim more than they are."""

import math
from fractions import Fraction

import pytest

from irbounds.report.page import rounded_down, rounded_up, written


@pytest.mark.parametrize("digits", [0, 1, 2])
def test_lower_bounds_are_rounded_down(digits):
    for value in (0.29, 0.95, 0.94996, 0.99999999, 1.0, 0.0, 1e-7, 7 / 9, 20 / 39):
        shown = float(written(rounded_down(value, digits, "%"), digits, "%").removesuffix("\xa0%"))
        exact = Fraction(repr(value)) * 100 * 10**digits
        assert shown == pytest.approx(math.floor(exact) / 10**digits, rel=1e-12)
    assert written(rounded_down(12345.9, 0, ""), 0) == "12,345"
    assert written(rounded_down(math.nan, 1, "%"), 1, "%") == "—"


@pytest.mark.parametrize("digits", [0, 1, 4])
def test_high_ends_are_rounded_up(digits):
    for value in (0.29, 0.95, 0.95001, 1e-7, 1.0, 0.0, 7 / 9, -1 / 3):
        shown = float(written(rounded_up(value, digits), digits).replace("−", "-"))
        exact = Fraction(repr(value)) * 10**digits
        assert shown == pytest.approx(math.ceil(exact) / 10**digits, rel=1e-12)
        assert rounded_up(value, digits) == -rounded_down(-value, digits)
    assert rounded_up(math.inf, 1) == math.inf
