"""Numbers as people type them: digits 0 to 9, a decimal point, a percent sign; what could be read
in two ways is refused with what to write."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import click

from irbounds.cli.terminal.wording import name_of
from irbounds.foundation.errors import InputError

# Patterns are compiled where they are used: a start of the command line needs none of them.
PLAIN = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"
LIMITS = r"(?i:[+-]?(inf|infinity|nan))"
PERCENT = r"([+-]?[0-9]*\.?[0-9]+)\s*%"
COMMAS = r"[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+"
POINTS = r"[+-]?[1-9][0-9]{0,2}(\.[0-9]{3})+"  # 8.000, eight or eight thousand
# With marks between thousands, also as in India, and perhaps decimals; 0,750 has no thousands.
GROUPED = (
    r"(?P<whole>[+-]?[1-9][0-9]{0,2}(?P<mark>[,. '’_\u00a0\u2009\u202f])"
    r"([0-9]{2}(?P=mark))*([0-9]{3}(?P=mark))*[0-9]{3})(?P<rest>(?!(?P=mark))[.,][0-9]*)?"
)
DECIMALS = r"[+-]?[0-9]*[.,][0-9]+"
WITHOUT_PERCENT = ": write a number without %"
DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}( [0-9:.]+)?"
MOST_DIGITS = 4000  # Python reads whole numbers of 4,300


def number_of(text: str, is_count: bool = False) -> float:
    """The number that a text is; a count is of objects, so that 8.000 may be eight thousand.

    Raises ValueError, with what to write if that is known.
    """
    text = text.strip()
    if re.fullmatch(PLAIN, text) and not (is_count and re.fullmatch(POINTS, text)):
        return float(text)
    if re.fullmatch(LIMITS, text):
        return float(text)  # whoever takes numbers refuses these with the rule
    percent = re.fullmatch(PERCENT, text)
    if percent and not is_count:
        return float(percent[1] + "e-2")
    raise ValueError(_advice(text, is_count))


def whole_of(text: str) -> int:
    """The whole number that a text is, also with commas between thousands: 12,000."""
    text = text.strip()
    digits = text.replace(",", "") if re.fullmatch(COMMAS, text) else text
    if re.fullmatch(r"[+-]?[0-9]+", digits) and len(digits) <= MOST_DIGITS:
        return int(digits)
    raise ValueError(_advice(text, is_count=True, is_whole=True))


def range_of(text: str) -> list[float]:
    """The numbers of 0.7, or of 0.6-0.9, also with a dash as word processors set it."""
    parts = re.split("(?<![eE])[-–]", text)  # 1e-3 is one number
    if len(parts) == 2 and parts[0].strip().endswith("%") != parts[1].strip().endswith("%"):
        raise ValueError(": write % at both ends or at none")
    return [number_of(part) for part in parts]


def _advice(text: str, is_count: bool, is_whole: bool = False) -> str:
    """The end of a message: how to write a text as a number, in each way that may be meant."""
    if is_count and text.endswith("%"):
        return WITHOUT_PERCENT
    number = text.rstrip("%").rstrip()
    end = text[len(number) :]
    meant = []
    grouped = re.fullmatch(GROUPED, number)
    if grouped and not (is_whole and grouped["rest"]):
        rest = (grouped["rest"] or "").replace(",", ".")
        meant.append(re.sub(r"[^0-9+-]", "", grouped["whole"]) + rest)
    # Where documents are counted, a comma before three digits stands between thousands.
    if re.fullmatch(DECIMALS, number) and not (grouped and is_count and "," in number):
        whole, _, decimals = number.replace(",", ".").partition(".")
        if grouped and not decimals.strip("0"):
            meant.append(whole)
        elif not is_whole:  # one more digit, so that nobody takes three for thousands
            meant.append(f"{whole or 0}.{decimals}{'0' * bool(grouped and is_count)}")
    if meant:
        either = ", as this may be either" if len(meant) > 1 else ""
        return f": write {' or '.join(each + end for each in meant)}{either}"
    if text.startswith("="):
        return ": a formula that was never computed: open the file in Excel, and save it"
    if re.fullmatch(DATE, text):
        return ": a date: give the cell the format of a number"
    if any(letter.isdigit() and not letter.isascii() for letter in text):
        return ": write it with the digits 0 to 9"
    return ": write the number alone" if re.match(r"[0-9].*[^\W\d]", text) else ""


class Typed(click.ParamType):  # type: ignore[type-arg]
    """A type of options whose text a function reads."""

    def __init__(self, kind: str, read: Callable[[str], Any]) -> None:
        self.name, self.read = kind, read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number; defaults are numbers already."""
        if not isinstance(value, str):
            return value
        try:
            return self.read(value)
        except ValueError as error:
            name = name_of(param) if param is not None else "the value"
            raise InputError(f"{name} must be {self.name}; found {value!r}{error}") from None


def _size_of(text: str) -> float:
    try:
        return whole_of(text)
    except ValueError:
        return number_of(text, is_count=True)


NUMBER = Typed("a number", number_of)
COUNTED = Typed("a number", lambda text: number_of(text, is_count=True))
WHOLE = Typed("a whole number", whole_of)
SIZE = Typed("a number", _size_of)  # also 1e6
