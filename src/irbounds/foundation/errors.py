"""Error messages: the argument, the rule, the value found, and its place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from irbounds.typing import FloatOrArray

LARGEST_COUNT = 2**52
LONGEST_SHOWN = 200


# Names of interval methods in statsmodels, SciPy, DescTools and binom, without signs.
METHODS_ELSEWHERE = {
    **dict.fromkeys(("beta", "exact", "binomtest", "cp", "pearson"), "clopper-pearson"),
    **dict.fromkeys(("normal", "asymptotic", "gaussian"), "wald"),
    **dict.fromkeys(("score", "wilsonscore"), "wilson"),
    **dict.fromkeys(("wilsonc", "wilsonccorrected"), "wilson-cc"),
    **dict.fromkeys(("ac", "agresti"), "agresti-coull"),
    **dict.fromkeys(("student", "ttest"), "t"),
}


class InputError(ValueError):
    """Invalid input.  The message is one line."""

    __module__ = "irbounds"  # where users find it, as a traceback shows it


class InputFileError(InputError, OSError):
    """A file that cannot be opened or read to its end."""

    __module__ = "irbounds"

    def __str__(self) -> str:
        return str(self.args[0])


def fail(argument: str, rule: str, found: FloatOrArray, where: str = "") -> NoReturn:
    """Raise "`argument` rule; found found where"."""
    raise InputError(f"`{argument}` {rule}; found {shown(found)}{where and ' ' + where}")


def shown(found: FloatOrArray) -> str:
    """A value as one short line."""
    try:
        text = " ".join(repr(found).split("\n"))
    except (
        Exception
    ):  # whose own code runs here, and whole numbers of over 4,300 digits have no text
        return f"an object of type {type(found).__name__}"
    return text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "…"


def check_choice(argument: str, value: object, choices: Iterable[str]) -> str:
    """Check that a value is one of a few words."""
    choices = list(choices)
    if not isinstance(value, str) or value not in choices:
        hint = _nearest_choice(value, choices) if isinstance(value, str) else ""
        fail(argument, f"must be one of {', '.join(map(repr, choices))}", value, hint)
    return value


def _nearest_choice(value: str, choices: list[str]) -> str:
    """The choice that a word means elsewhere, or that is written like it."""
    folded = "".join(letter for letter in value[:LONGEST_SHOWN].casefold() if letter.isalnum())
    same = [choice for choice in choices if folded == choice.replace("-", "").casefold()]
    meant = same[0] if same else METHODS_ELSEWHERE.get(folded)
    if meant in choices:
        return f"(did you mean {meant!r}?)"
    near = suggest(value[:LONGEST_SHOWN], choices).removeprefix(", ")
    return near and f"({near})"


def check_count(argument: str, value: Any, least: int = 1) -> int:
    """A whole number from `least` to 2^52; doubles are exact integers up to 2^53."""
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
    """ ", did you mean 'nDCG'?" if a known word is similar, otherwise nothing."""
    import difflib  # here, as a start of the command line needs none of it

    folded = {name.lower(): name for name in known}
    near = difflib.get_close_matches(word.lower(), folded, n=1)
    return f", did you mean {folded[near[0]]!r}?" if near else ""
