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
COMMAS = r"[+-]?[0-9]{1,3}(,[0-9]{3})+"
POINTS = r"[+-]?[1-9][0-9]{0,2}(\.[0-9]{3})+"  # 8.000, eight or eight thousand
# with marks between thousands, and perhaps decimals
GROUPED = (
    r"[+-]?[0-9]{1,3}((?P<mark>[,. '’_\u00a0\u2009\u202f])[0-9]{2,3})((?P=mark)[0-9]{2,3})*"
    r"(?P<rest>[.,][0-9]*)?"
)
DECIMAL_COMMA = r"[+-]?[0-9]+,[0-9]+"
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
    raise ValueError(_advice(text))


def whole_of(text: str) -> int:
    """The whole number that a text is, also with commas between thousands: 12,000."""
    text = text.strip()
    digits = text.replace(",", "") if re.fullmatch(COMMAS, text) else text
    if re.fullmatch(r"[+-]?[0-9]+", digits) and len(digits) <= MOST_DIGITS:
        return int(digits)
    raise ValueError(_advice(text))


def _advice(text: str) -> str:
    """The end of a message: how to write a text as a number."""
    grouped = re.fullmatch(GROUPED, text)
    if grouped:
        rest = grouped["rest"] or ""
        digits = re.sub(r"[^0-9+-]", "", text[: len(text) - len(rest)])
        meant = digits + rest.replace(",", ".")
        if re.fullmatch(POINTS, text) and text.count(".") == 1:
            whole = text.partition(".")[0]
            other = whole if set(text.partition(".")[2]) == {"0"} else text + "0"
            return f": write {meant} or {other}, as this may be either"
        return f": write {meant}"
    if re.fullmatch(DECIMAL_COMMA, text):
        return f": write {text.replace(',', '.')}"
    if text.startswith("="):
        return ": a formula that was never computed: open the file in Excel, and save it"
    if re.fullmatch(DATE, text):
        return ": a date: give the cell the format of a number"
    if any(letter.isdigit() and not letter.isascii() for letter in text):
        return ": write it with the digits 0 to 9"
    if text.endswith("%"):
        return ": write a number without %"
    return ": write the number alone" if re.match(r"[0-9]", text) else ""


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
