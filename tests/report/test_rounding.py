"""Rounding on pages: lower bounds never claim more than they are."""

import math
from fractions import Fraction

import pytest

from irbounds.report.page import rounded_down, written


@pytest.mark.parametrize("digits", [0, 1, 2])
def test_lower_bounds_are_rounded_down(digits):
    for value in (0.29, 0.95, 0.94996, 0.99999999, 1.0, 0.0, 1e-7, 7 / 9, 20 / 39):
        shown = float(written(rounded_down(value, digits, "%"), digits, "%").removesuffix("\xa0%"))
        exact = Fraction(repr(value)) * 100 * 10**digits
        assert shown == pytest.approx(math.floor(exact) / 10**digits, rel=1e-12)
    assert written(rounded_down(12345.9, 0, ""), 0) == "12,345"
    assert written(rounded_down(math.nan, 1, "%"), 1, "%") == "—"
