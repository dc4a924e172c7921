"""Ends of intervals as tables show them: four decimals, rounded outward."""

import math
from fractions import Fraction


def low_end(value):
    return f"{math.floor(Fraction(repr(float(value))) * 10**4) / 10**4:.4f}"


def high_end(value):
    return f"{math.ceil(Fraction(repr(float(value))) * 10**4) / 10**4:.4f}"
