"""Strata and segments, and their validation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from irbounds.foundation.arguments import check_numbers
from irbounds.foundation.errors import InputError, fail

LARGEST = 2.0**49


class Stratum(NamedTuple):
    """A simple random sample: `relevant` of the `sampled` documents of a stratum of `size`
    documents are relevant.

    Notes
    -----
    Functions of samples take a segment as one stratum or as several, and one question or many:

    - A stratum is a `Stratum`, or three fields in a tuple, list or one-dimensional array.
    - Several strata are a list or a tuple of such tuples, lists or `Stratum`, or a
      two-dimensional array with a row for each stratum.  Lists and tuples mean the same.  So does
      a data frame with the columns size, sampled and relevant.
    - Many questions are arrays in the place of fields, which broadcast:
      `Stratum(500, 50, [35, 40])`, or `(sizes, sampled, relevant)` with NumPy arrays or numbers.
      Three fields that are all plain lists would read as three strata; they are refused unless
      they stand in a `Stratum`.
    - Nothing may be masked.
    """

    size: Any
    sampled: Any
    relevant: Any


Segment = list[Stratum]


def check_segment(name: str, value: Any) -> Segment:
    """A list of strata with whole and possible counts, in one shape of floats; one stratum is a
    list of one."""
    strata = _strata_of(name, value)
    if not strata:
        raise InputError(f"`{name}` has no strata: it needs one (size, sampled, relevant) at least")
    return [
        _check_stratum(f"{name}[{i}]" if len(strata) > 1 else name, stratum)
        for i, stratum in enumerate(strata)
    ]


def _strata_of(name: str, value: Any) -> list[Any]:
    """Tuples of fields; the docstring of `Stratum` defines one stratum and several."""
    if isinstance(value, Stratum):
        return [value]
    if isinstance(value, list | np.ndarray) and np.ma.is_masked(value):
        fail(name, "must have no masked elements", value)
    if isinstance(value, np.ndarray) and 1 <= value.ndim <= 2:
        return (
            [tuple(value.tolist())] if value.ndim == 1 else [tuple(row) for row in value.tolist()]
        )
    if hasattr(type(value), "columns"):  # of the type: a lazy frame's own would be computed
        return _rows_of(name, value)
    if not isinstance(value, list | tuple):
        fail(name, "must be a stratum (size, sampled, relevant) or a list of strata", value)
    is_row = [isinstance(item, list | tuple) for item in value]
    # numbers and arrays among them are fields; in a list, several arrays could be rows
    if not all(is_row):
        if (
            isinstance(value, list)
            and sum(isinstance(item, np.ndarray) and item.ndim > 0 for item in value) > 1
        ):
            fail(
                name,
                "must be Stratum(size, sampled, relevant) where fields are arrays, or a "
                "two-dimensional array "
                "with a row for each stratum",
                value,
            )
        if isinstance(value, list) and len(value) != 3:
            i = is_row.index(False)
            fail(f"{name}[{i}]", "must be (size, sampled, relevant)", value[i])
        return [tuple(value)]
    if isinstance(value, tuple) and value and all(type(item) is list for item in value):
        fail(
            name,
            "must be Stratum(size, sampled, relevant) where fields are lists, or a list of (size, "
            "sampled, "
            "relevant) where they are strata",
            value,
        )
    return [tuple(item) if type(item) is list else item for item in value]


def _rows_of(name: str, frame: Any) -> list[Any]:
    """The rows of a data frame, one stratum each."""
    from irbounds.foundation.frames import columns_of

    try:
        return list(zip(*columns_of(frame, list(Stratum._fields)), strict=True))
    except InputError as error:
        raise InputError(f"`{name}`: {error}") from None


def _check_stratum(name: str, value: Any) -> Stratum:
    if not isinstance(value, tuple) or len(value) != 3:
        fail(name, "must be (size, sampled, relevant)", value)
    fields = [
        check_numbers(
            f"{name}.{field}",
            number,
            "must be a whole number, 0 or more",
            lambda x: (x >= 0) & (x < np.inf) & (x == np.floor(x)),
        )
        for field, number in zip(Stratum._fields, value, strict=True)
    ]
    check_numbers(f"{name}.size", fields[0], "must be at most 2^49", lambda x: x <= LARGEST)
    try:
        size, sampled, relevant = np.broadcast_arrays(*fields)
    except ValueError:
        shapes = ", ".join(str(field.shape) for field in fields)
        raise InputError(
            f"`{name}`: size, sampled and relevant must broadcast; found shapes {shapes}"
        ) from None
    for small, large, smaller, larger in (
        (relevant, sampled, "relevant", "sampled"),
        (sampled, size, "sampled", "size"),
    ):
        wrong = small > large
        if wrong.any():
            i = tuple(np.argwhere(wrong)[0])
            where = f" at index {', '.join(map(str, i))}" if i else ""
            raise InputError(
                f"`{name}`: {smaller} must be at most {larger}; found {small[i]:.0f} of "
                f"{large[i]:.0f}"
                f"{where}"
            )
    return Stratum(size, sampled, relevant)


def common_shape(*segments: Segment) -> tuple[int, ...]:
    """The shape of all questions together."""
    shapes = [stratum.size.shape for segment in segments for stratum in segment]
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        raise InputError(
            f"strata must broadcast; found shapes {', '.join(map(str, dict.fromkeys(shapes)))}"
        ) from None


def questions(
    shape: tuple[int, ...], *segments: Segment
) -> Iterator[tuple[tuple[int, ...], list[list[Stratum]]]]:
    """Index and segments with plain numbers, one question after the other."""
    wide = [
        [[np.broadcast_to(field, shape) for field in stratum] for stratum in segment]
        for segment in segments
    ]
    for index in np.ndindex(shape):
        yield (
            index,
            [
                [Stratum(*(float(field[index]) for field in stratum)) for stratum in segment]
                for segment in wide
            ],
        )


def total(segment: Segment, field: str) -> Any:
    """The sum of a field over the strata."""
    return sum(getattr(stratum, field) for stratum in segment)


def is_census(*segments: Segment) -> Any:
    """Whether all documents were sampled, so that there is nothing to infer."""
    return sum(total(segment, "size") - total(segment, "sampled") for segment in segments) == 0
