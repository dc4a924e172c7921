"""Rounding on pages: bounds never claim more than they are."""

import math
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction

import pytest

from irbounds.foundation.rounding import rounded
from irbounds.report.page import written


@pytest.mark.parametrize("digits", [0, 1, 2])
@pytest.mark.parametrize(
    ("direction", "whole"), [(ROUND_FLOOR, math.floor), (ROUND_CEILING, math.ceil)]
)
def test_ends_are_rounded_outward(digits, direction, whole):
    for value in (0.29, 0.95, 0.94996, 0.99999999, 1.0, 0.0, 1e-7, 7 / 9, 20 / 39):
        shown = float(
            written(rounded(value, digits, "%", direction), digits, "%").removesuffix("\xa0%")
        )
        exact = Fraction(repr(value)) * 100 * 10**digits
        assert shown == pytest.approx(whole(exact) / 10**digits, rel=1e-12)
    assert written(rounded(12345.9, 0, "", ROUND_FLOOR), 0) == "12,345"
    assert written(rounded(12345.1, 0, "", ROUND_CEILING), 0) == "12,346"
    assert written(rounded(math.nan, 1, "%", direction), 1, "%") == "—"
