"""Numbers at the door: arrays of floats that keep a rule, with the place of the first one that does not."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from irbounds.foundation.errors import InputError, fail

Rule = Callable[[np.ndarray], Any]


def check_numbers(argument: str, value: Any, rule: str, keeps: Rule) -> np.ndarray:
    """An array of floats, all of which keep the rule ("must be above 0", say); nan keeps none."""
    if np.ma.is_masked(value):
        fail(argument, rule, value, "with masked elements")
    try:
        array = np.asarray(value)
        if array.size and array.dtype.kind not in "buifO":
            fail(argument, rule, value)
        array = array.astype(float)
    except InputError:
        raise
    except (TypeError, ValueError, OverflowError):
        fail(argument, rule, value)
    wrong = ~np.asarray(keeps(array), bool)
    if wrong.any():
        i = tuple(map(int, np.argwhere(wrong)[0])) if array.ndim else ()
        found = array[i].item()
        place = i[0] if len(i) == 1 else i
        fail(argument, rule, int(found) if found.is_integer() else found, f"at index {place}" if i else "")
    return array


def check_number(argument: str, value: Any, rule: str, keeps: Callable[[float], bool]) -> float:
    """One float that keeps the rule."""
    array = np.asarray(value)
    if array.ndim or array.dtype.kind not in "uif" or not keeps(float(array)):
        fail(argument, rule, value)
    return float(array)


def check_counts(argument: str, value: Any) -> np.ndarray:
    """Counts, also weighted ones: finite, 0 or more."""
    return check_numbers(argument, value, "must be 0 or more and finite", lambda x: (x >= 0) & (x < math.inf))


def check_level(value: Any, argument: str = "confidence_level") -> float:
    """A level between 0 and 1, not either of them."""
    return check_number(argument, value, "must be between 0 and 1, as 0.95 is", lambda x: 0 < x < 1)


def broadcast(**arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    """The arrays in one shape."""
    try:
        return np.broadcast_arrays(*arrays.values())
    except ValueError:
        names = ", ".join(f"`{name}` {array.shape}" for name, array in arrays.items())
        raise InputError(f"shapes must broadcast; found {names}") from None


def check_rng(value: Any) -> np.random.Generator:
    """The generator itself, or one that starts from a seed: all that NumPy's `default_rng` takes."""
    try:
        return np.random.default_rng(value)
    except (TypeError, ValueError):
        fail("rng", "must be None, a whole number, 0 or more, or a numpy Generator", value)


def check_size(size: Any) -> tuple[int, ...]:
    """A shape: None is one number, a whole number one axis."""
    lengths = () if size is None else tuple(size) if isinstance(size, tuple | list) else (size,)
    if any(not isinstance(length, int | np.integer) or length < 0 for length in lengths):
        fail("size", "must be a whole number, 0 or more, or a tuple of such", size)
    return tuple(map(int, lengths))


def plain(value: Any) -> Any:
    """A float in place of an array without axes."""
    return float(value) if np.ndim(value) == 0 else value
