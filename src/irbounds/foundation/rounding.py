"""Rounding of ends of intervals: outward, so that they never claim more than they are."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal


def rounded(value: float, digits: int, unit: str, direction: str) -> float:
    """The nearest number of so many decimals below or above the shortest decimal of a double."""
    if not math.isfinite(value):
        return float(value)
    places = digits + (2 if unit == "%" else 0)
    step = Decimal(1).scaleb(-places)
    return float(Decimal(repr(float(value))).quantize(step, direction))


def rounded_down(value: float, digits: int, unit: str = "") -> float:
    """A low end."""
    return rounded(value, digits, unit, ROUND_FLOOR)


def rounded_up(value: float, digits: int, unit: str = "") -> float:
    """A high end."""
    return rounded(value, digits, unit, ROUND_CEILING)
