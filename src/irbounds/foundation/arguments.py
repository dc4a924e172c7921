"""Validation of numbers: arrays of floats that obey a rule, with the index of the first element
that does not."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.foundation.errors import InputError, fail, shown

if TYPE_CHECKING:
    from irbounds.typing import DateLike, FloatOrArray

MOST_NUMBERS, MOST_AXES = 2**48, 32  # beyond what machines hold; NumPy has some such limits

Rule = Callable[[np.ndarray], Any]


def is_masked(value: object) -> bool:
    """True for masked arrays with masked elements, as `numpy.ma.is_masked`.  There are none where
    nobody has imported numpy.ma, which takes 10 ms."""
    return "numpy.ma" in sys.modules and bool(np.ma.is_masked(value))


def as_array(argument: str, value: object, rule: str, where: str = "") -> np.ndarray:
    """The value as an array of any type.  Masked arrays are refused, because `asarray` would drop
    the mask."""
    if is_masked(value):
        fail(argument, rule, value, "with masked elements")
    try:
        return np.asarray(value)
    except (
        TypeError,
        ValueError,
        OverflowError,
    ):  # rows of several lengths, a list that holds itself
        fail(argument, rule, value, where)


def as_floats(argument: str, value: object, rule: str, where: str = "") -> np.ndarray:
    """A new array of floats; text, dates and complex numbers are refused."""
    if type(value) is np.ndarray and value.dtype == float:
        return value.astype(float)
    array = as_array(argument, value, rule, where)
    if array.size and array.dtype.kind not in "buifO":
        fail(argument, rule, value, where)
    try:
        with np.errstate(over="ignore"):  # long doubles may become infinite
            return array.astype(float)
    except (TypeError, ValueError, OverflowError):
        fail(argument, rule, value, where)


def check_numbers(argument: str, value: object, rule: str, keeps: Rule) -> np.ndarray:
    """An array of floats that all obey the rule (for example "must be above 0"); nan obeys none."""
    array = as_floats(argument, value, rule)
    wrong = ~np.asarray(keeps(array), bool)
    if wrong.any():
        i = tuple(map(int, np.argwhere(wrong)[0])) if array.ndim else ()
        found = array[i].item()
        place = i[0] if len(i) == 1 else i
        fail(
            argument,
            rule,
            int(found) if found.is_integer() else found,
            f"at index {place}" if i else "",
        )
    return array


def check_number(argument: str, value: object, rule: str, keeps: Callable[[float], bool]) -> float:
    """One float that obeys the rule."""
    array = as_array(argument, value, rule)
    if array.ndim or array.dtype.kind not in "uif":
        fail(argument, rule, value)
    with np.errstate(over="ignore"):
        number = float(array)
    if not keeps(number):
        fail(argument, rule, value)
    return number


def check_flag(argument: str, value: object) -> bool:
    """True or False; other values, such as "no", are refused."""
    if not isinstance(value, bool | int | np.bool_) or value not in (0, 1):
        fail(argument, "must be True or False", value)
    return bool(value)


def check_text(argument: str, value: object) -> str:
    """Text, of any length."""
    if not isinstance(value, str):
        fail(argument, "must be text", value)
    return value


def check_date(date: DateLike) -> str:
    """A date in ISO 8601; today by default."""
    import datetime  # here, for a start of the command line

    if date is None:
        return datetime.date.today().isoformat()
    try:
        return (
            date if isinstance(date, datetime.date) else datetime.date.fromisoformat(date)
        ).isoformat()[:10]
    except (TypeError, ValueError):
        fail("date", "must be a date, for example 2026-01-31", date)


def check_counts(argument: str, value: object) -> np.ndarray:
    """Counts, also weighted ones: finite and at least 0."""
    return check_numbers(
        argument, value, "must be 0 or more and finite", lambda x: (x >= 0) & (x < math.inf)
    )


def refuse_flags(argument: str, value: object) -> None:
    """Refuse True and False as numbers: they are labels, given in the place of counts."""
    items = value if isinstance(value, list | tuple) else [value]
    if any(type(item).__name__ in ("bool", "bool_") for item in items) or (
        getattr(value, "dtype", None) == "bool"
    ):
        fail(argument, "must be a number, not True or False", value)


def check_level(value: object, argument: str = "confidence_level") -> float:
    """A level between 0 and 1, exclusive."""
    # A level below 1e-16 leaves 1 - level = 1, and no tail that could be computed with.
    if type(value) is float and 0 < value < 1 and 1 - value < 1:
        return value
    return check_number(
        argument,
        value,
        "must be between 0 and 1, for example 0.95",
        lambda x: 0 < x < 1 and 1 - x < 1,
    )


def broadcast(**arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    """The arrays, broadcast to one shape."""
    try:
        return np.broadcast_arrays(*arrays.values())
    except ValueError:
        names = ", ".join(f"`{name}` {array.shape}" for name, array in arrays.items())
        raise InputError(f"shapes must broadcast; found {names}") from None


def check_same_index(**values: FloatOrArray) -> None:
    """Refuse pandas objects with different indexes or columns: NumPy would join them by
    position."""
    labelled = [
        (name, value)
        for name, value in values.items()
        if hasattr(getattr(value, "index", None), "equals")
    ]
    for name, value in labelled[1:]:
        first, reference = labelled[0]
        for axis in ("index", "columns"):
            expected, found = getattr(reference, axis, None), getattr(value, axis, None)
            if expected is not None and found is not None and not expected.equals(found):
                raise InputError(
                    f"`{first}` and `{name}` must have the same {axis}, in the same order; "
                    f"found {_difference(list(expected), list(found))}: align them, or pass "
                    ".to_numpy()"
                )


def _difference(expected: list[Any], found: list[Any]) -> str:
    if len(expected) != len(found):
        return f"{len(expected)} and {len(found)} labels"
    i = next(
        (i for i, (one, other) in enumerate(zip(expected, found, strict=True)) if one != other), 0
    )
    return f"{shown(expected[i])} and {shown(found[i])} at position {i}"


def check_rng(value: object) -> np.random.Generator:
    """The generator itself, or a new one from a seed; takes all arguments of NumPy's
    `default_rng`."""
    rule = "must be None, a whole number, 0 or more, or a numpy Generator"
    known = (
        int,
        np.integer,
        np.random.Generator,
        np.random.BitGenerator,
        np.random.SeedSequence,
        np.random.RandomState,
    )
    if value is not None and not isinstance(value, known):
        # NumPy follows a list that holds itself to the end of the stack
        array = as_array("rng", value, rule)
        if array.dtype.kind not in "iu" or not array.ndim:
            fail("rng", rule, value)
        value = array
    try:
        return np.random.default_rng(value)
    except (TypeError, ValueError):
        fail("rng", rule, value)


def check_size(size: FloatOrArray) -> tuple[int, ...]:
    """A shape: None is a single number, an integer is one axis."""
    lengths = () if size is None else tuple(size) if isinstance(size, tuple | list) else (size,)
    if any(not isinstance(length, int | np.integer) or length < 0 for length in lengths):
        fail("size", "must be a whole number, 0 or more, or a tuple of such", size)
    if math.prod(map(int, lengths)) > MOST_NUMBERS or len(lengths) > MOST_AXES:
        fail("size", "must be of at most 2^48 numbers and 32 axes", size)
    return tuple(map(int, lengths))


def plain(value: FloatOrArray) -> Any:
    """A float for an array without axes; other arrays are returned unchanged."""
    return float(value) if np.ndim(value) == 0 else value
