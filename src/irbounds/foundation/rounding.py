"""Rounding of ends of intervals: outward, so that they never claim more than they are."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal


def rounded_down(value: float, digits: int, unit: str = "") -> float:
    """The largest number of so many decimals that is not above the shortest decimal of a double."""
    return _rounded(value, digits, unit, ROUND_FLOOR)


def rounded_up(value: float, digits: int, unit: str = "") -> float:
    """The least number of so many decimals that is not below the shortest decimal of a double."""
    return _rounded(value, digits, unit, ROUND_CEILING)


def _rounded(value: float, digits: int, unit: str, rounding: str) -> float:
    if not math.isfinite(value):
        return float(value)
    places = digits + (2 if unit == "%" else 0)
    step = Decimal(1).scaleb(-places)
    return float(Decimal(repr(float(value))).quantize(step, rounding))
