"""Strata and segments: what was sampled, checked at the door."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from irbounds.foundation.arguments import check_numbers
from irbounds.foundation.errors import InputError, fail

LARGEST = 2.0**49


class Stratum(NamedTuple):
    """A simple random sample: `relevant` of `sampled` documents are, of `size` there are.

    Fields may be arrays that broadcast: one question each.  A plain (size, sampled, relevant) does as well.
    """

    size: Any
    sampled: Any
    relevant: Any


Segment = list[Stratum]


def check_segment(name: str, value: Any) -> Segment:
    """A list of strata whose counts are whole and possible, in one shape of floats; one stratum is a list of one, and a
    tuple of tuples is a list of strata."""
    if isinstance(value, tuple) and value and all(isinstance(stratum, tuple) for stratum in value):
        strata = list(value)
    elif isinstance(value, tuple):
        strata = [value]
    elif isinstance(value, list | np.ndarray) and np.ma.is_masked(value):
        fail(name, "must have no masked elements", value)
    elif isinstance(value, list) or (isinstance(value, np.ndarray) and value.ndim):
        is_one = len(value) == 3 and all(isinstance(field, int | float | np.number) for field in value)
        strata = [tuple(value)] if is_one else [
            tuple(stratum) if isinstance(stratum, list | np.ndarray) else stratum for stratum in value]
    else:
        fail(name, "must be a stratum (size, sampled, relevant) or a list of strata", value)
    if not strata:
        raise InputError(f"`{name}` has no strata: it needs one (size, sampled, relevant) at least")
    return [_check_stratum(f"{name}[{i}]" if len(strata) > 1 else name, stratum) for i, stratum in enumerate(strata)]


def _check_stratum(name: str, value: Any) -> Stratum:
    if not isinstance(value, tuple) or len(value) != 3:
        fail(name, "must be (size, sampled, relevant)", value)
    fields = [check_numbers(f"{name}.{field}", number, "must be a whole number, 0 or more",
                            lambda x: (x >= 0) & (x < np.inf) & (x == np.floor(x)))
              for field, number in zip(Stratum._fields, value, strict=True)]
    check_numbers(f"{name}.size", fields[0], "must be at most 2^49", lambda x: x <= LARGEST)
    try:
        size, sampled, relevant = np.broadcast_arrays(*fields)
    except ValueError:
        shapes = ", ".join(str(field.shape) for field in fields)
        raise InputError(f"`{name}`: size, sampled and relevant must broadcast; found shapes {shapes}") from None
    for small, large, smaller, larger in ((relevant, sampled, "relevant", "sampled"),
                                          (sampled, size, "sampled", "size")):
        wrong = small > large
        if wrong.any():
            i = tuple(np.argwhere(wrong)[0])
            where = f" at index {', '.join(map(str, i))}" if i else ""
            raise InputError(f"`{name}`: {smaller} must be at most {larger}; found {small[i]:.0f} of {large[i]:.0f}"
                             f"{where}")
    return Stratum(size, sampled, relevant)


def common_shape(*segments: Segment) -> tuple[int, ...]:
    """The shape of all questions together."""
    shapes = [stratum.size.shape for segment in segments for stratum in segment]
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        raise InputError(f"strata must broadcast; found shapes {', '.join(map(str, dict.fromkeys(shapes)))}") from None


def questions(shape: tuple[int, ...], *segments: Segment) -> Iterator[tuple[tuple[int, ...], list[list[Stratum]]]]:
    """Index and segments with plain numbers, one question after the other."""
    wide = [[[np.broadcast_to(field, shape) for field in stratum] for stratum in segment] for segment in segments]
    for index in np.ndindex(shape):
        yield index, [[Stratum(*(float(field[index]) for field in stratum)) for stratum in segment] for segment in wide]


def total(segment: Segment, field: str) -> Any:
    """A field added up over the strata."""
    return sum(getattr(stratum, field) for stratum in segment)
