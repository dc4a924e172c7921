"""What can be wrong with input, and how it is said: the argument, the rule, what was found and
where."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any, NoReturn

LARGEST_COUNT = 2**52
LONGEST_SHOWN = 200


class InputError(ValueError):
    """Input that cannot be used.  Its text is one line."""


class InputFileError(InputError, OSError):
    """A file that cannot be opened or read to its end."""

    def __str__(self) -> str:
        return str(self.args[0])


def fail(argument: str, rule: str, found: Any, where: str = "") -> NoReturn:
    """Raise "`argument` rule; found found where"."""
    raise InputError(f"`{argument}` {rule}; found {shown(found)}{where and ' ' + where}")


def shown(found: Any) -> str:
    """A value in one line that is not too long, whatever the value."""
    try:
        text = " ".join(repr(found).split("\n"))
    except (
        Exception
    ):  # whose own code runs here, and whole numbers of over 4,300 digits have no text
        return f"an object of type {type(found).__name__}"
    return text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "…"


def check_choice(argument: str, value: Any, choices: Iterable[str]) -> str:
    """One of a few words."""
    choices = list(choices)
    if not isinstance(value, str) or value not in choices:
        fail(argument, f"must be one of {', '.join(map(repr, choices))}", value)
    return value


def check_count(argument: str, value: Any, least: int = 1) -> int:
    """A whole number, `least` or more, and no more than arithmetic of doubles counts without a
    gap."""
    try:
        number = int(value)
        is_whole = bool(number == value) and type(value).__name__ not in ("bool", "bool_")
    except (TypeError, ValueError, OverflowError):
        is_whole = False
    if not is_whole or number < least:
        fail(argument, f"must be a whole number, {least} or more", value)
    if number > LARGEST_COUNT:
        fail(argument, "must be at most 2^52", value)
    return number


def counted(number: int, one: str, more: str) -> str:
    """ "1 query", "2 queries"."""
    return f"{number} {one if number == 1 else more}"


def suggest(word: str, known: Iterable[str]) -> str:
    """ ", did you mean 'nDCG'?" where a known word is near, else nothing."""
    folded = {name.lower(): name for name in known}
    near = difflib.get_close_matches(word.lower(), folded, n=1)
    return f", did you mean {folded[near[0]]!r}?" if near else ""
