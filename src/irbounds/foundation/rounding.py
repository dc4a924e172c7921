"""Numbers as texts for people.  Ends of intervals are rounded outward, so that they never claim
more than they are."""

from __future__ import annotations

import math
from collections.abc import Callable

# Digits that quotients and sums keep.  Beyond them 0.1 + 0.2 differs from 0.3, whose own four
# decimals are to stay.
SURE_DIGITS = 15
LARGEST = 1e15  # from here on doubles have at most a decimal
# A difference of shares is this by rounding where it is 0: 0.1 + 0.2 - 0.3 is 5.6e-17.
NO_DIFFERENCE = 1e-15
DIGITS = 4  # as trec_eval prints


def rounded(value: float, digits: int, unit: str, direction: str) -> float:
    """The nearest number of so many decimals below or above a double of 15 significant digits."""
    if not abs(value) < LARGEST:
        return float(value)
    places = digits + (2 if unit == "%" else 0)
    from decimal import Decimal  # here, as few evaluations need it

    step = Decimal(1).scaleb(-places)
    return float(Decimal(f"{value:.{SURE_DIGITS}g}").quantize(step, direction))


def rounded_down(value: float, digits: int, unit: str = "") -> float:
    """A low end."""
    return rounded(value, digits, unit, "ROUND_FLOOR")


def rounded_up(value: float, digits: int, unit: str = "") -> float:
    """A high end."""
    return rounded(value, digits, unit, "ROUND_CEILING")


def as_decimals(value: float, digits: int = DIGITS, sign: str = "") -> str:
    """So many decimals; what rounds to 0 has no minus."""
    text = f"{value:{sign}.{digits}f}"
    return text if float(text) else f"{0.0:{sign}.{digits}f}"


def _settled(value: float) -> float:
    """The value, or 0 where it is that but for rounding."""
    return 0.0 if abs(value) < NO_DIFFERENCE else value


def documents_of(share: float, size: float) -> float:
    """A share in documents; a product that is whole but for rounding is whole."""
    product = size * share
    is_whole = abs(product) < LARGEST and abs(product - round(product)) < size * NO_DIFFERENCE
    return float(round(product)) if is_whole else product


def as_low_end(value: float, sign: str = "") -> str:
    """Four decimals, rounded down; what is 0 but for rounding is 0."""
    return as_decimals(rounded_down(_settled(value), DIGITS), DIGITS, sign)


def as_high_end(value: float, sign: str = "") -> str:
    """Four decimals, rounded up; what is 0 but for rounding is 0."""
    return as_decimals(rounded_up(_settled(value), DIGITS), DIGITS, sign)


def as_estimate(value: float) -> str:
    """Four decimals, more where these have fewer than two significant digits, or are those of 1."""
    return _exponent_or_decimals(value, places_below_one(value, _digits_of(value)))


def places_below_one(value: float, digits: int) -> int:
    """So many decimals, or as many as tell a share from 1."""
    while digits < SURE_DIGITS and value < 1 <= float(f"{value:.{digits}f}"):
        digits += 1
    return digits


def as_ends(low: float, high: float) -> tuple[str, str]:
    """The ends of an interval around such an estimate."""
    return _end(low, rounded_down), _end(high, rounded_up)


def probability(p: float) -> str:
    """ "= 0.9417", or the end that it is beyond."""
    # a certain event can come out as 1 or as 1 less a rounding error, and what is hardly possible
    # as 0: both read alike
    return "> 0.9999" if p >= 0.99995 else "< 0.0001" if p < 0.00005 else f"= {p:.4f}"


def as_share(value: float) -> str:
    """In per cent; all but a few does not read as all."""
    return f"{value:.0%}" if not value < 1 else f"{math.floor(100 * value + 1e-9)}%"


def _end(value: float, rounding: Callable[[float, int], float]) -> str:
    digits = _digits_of(value)
    return _exponent_or_decimals(rounding(value, digits), digits)


def _digits_of(value: float) -> int:
    """Four decimals, or those of two significant digits."""
    if not 0 < abs(value) < 10.0 ** (1 - DIGITS):
        return DIGITS
    return 1 - math.floor(math.log10(abs(value)))


def _exponent_or_decimals(value: float, digits: int) -> str:
    return f"{value:.1e}" if 0 < abs(value) < 10.0**-DIGITS else as_decimals(value, digits)
