"""Strata and segments, and their validation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from irbounds.foundation.arguments import check_numbers, check_same_index, is_masked, refuse_flags
from irbounds.foundation.errors import InputError, fail

if TYPE_CHECKING:
    from irbounds.typing import FloatOrArray

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
      they are in a `Stratum`.
    - Nothing may be masked.
    """

    size: FloatOrArray
    sampled: FloatOrArray
    relevant: FloatOrArray


class _AuditedFields(NamedTuple):
    """The fields of `Audited`, which checks them."""

    size: FloatOrArray
    sampled: FloatOrArray
    called: FloatOrArray
    called_audit: FloatOrArray
    other_audit: FloatOrArray


class Audited(_AuditedFields):
    """A segment of which fallible assessors coded a random sample, and people audited some calls.

    Functions that say so take an `Audited` in the place of a `Stratum`.  The assessors may be
    first-pass reviewers, a classifier or a language model.

    Attributes
    ----------
    size : int or array_like
        Documents in the segment.
    sampled : int or array_like
        Documents that were coded: a simple random sample of the segment, or all of it.
    called : int or array_like
        How many of these the assessors called relevant.
    called_audit, other_audit : (audited, relevant)
        Simple random samples of the documents called relevant and of the other coded documents,
        judged again by people who do not see the call, and how many of these are relevant.  People
        are taken to be right.

    Raises
    ------
    InputError
        If counts are impossible, such as more coded documents than there are.

    Notes
    -----
    The posterior has three shares, each with its own beta prior: that of documents called relevant,
    and those of relevant documents among the called and the other ones.  The yield's distribution
    is exact for the finite segment, so that no model of the assessors' errors is needed.

    If all documents were coded, the two classes are strata: ``Audited(1000, 1000, 300, (50, 45),
    (100, 3))`` is ``[(300, 50, 45), (700, 100, 3)]`` for all methods but "betabinom-half" and
    "betabinom-uniform", and one-sided bounds are guaranteed by default.  If only a sample was
    coded, there is no guaranteed bound: by default one-sided bounds are the posterior's, which hold
    on average over reviews, and in some reviews less.

    The prior of half a document in the audit of a class can stand for as many documents as are
    relevant.  So the low end of an interval takes a class as empty if its audit found nothing
    relevant, that of the other class did, and the prior adds more than a fifth of the other class's
    yield, half a standard deviation of it, or its low end.  The high end does the same with
    documents that are not relevant.  `recall_posterior` has the posterior itself.

    If no relevant document is found in the audit of the other class, the yield's upper end is
    roughly the size of that class times 3/audited: audit that class well.

    In `benchmarks/studies/coded.py` 95 % intervals on yields cover 89 % or more of the
    simulated reviews of each of 2,600 random designs.

    Examples
    --------
    >>> import irbounds as irb
    >>> coded = irb.Audited(10_000, 1000, 300, called_audit=(60, 51), other_audit=(120, 4))
    >>> irb.recall_interval(coded, (90_000, 1000, 3))
    Interval(0.911572 in [0.793434, 0.973329], 0.95 two-sided, betabinom-half)
    """

    __slots__ = ()

    def __new__(
        cls,
        size: FloatOrArray,
        sampled: FloatOrArray,
        called: FloatOrArray,
        called_audit: FloatOrArray,
        other_audit: FloatOrArray,
    ) -> Self:
        """Check the counts."""
        found = super().__new__(cls, size, sampled, called, called_audit, other_audit)
        _check_audited("Audited", found)
        return found


class AuditedCounts(NamedTuple):
    """An `Audited` segment, checked.  `sampled` and `relevant` are those that people judged, as in
    a `Stratum`."""

    size: FloatOrArray
    sampled: FloatOrArray
    relevant: FloatOrArray
    judged: FloatOrArray
    called: FloatOrArray
    m1: FloatOrArray
    x1: FloatOrArray
    m0: FloatOrArray
    x0: FloatOrArray


Segment = list[Any]  # of Stratum, or of AuditedCounts where a function takes them


def check_segment(name: str, value: object, audited: bool = False) -> Segment:
    """A list of strata whose counts are whole and possible, in one shape of floats; one stratum is
    a list of one.  Audited segments are refused unless `audited`."""
    strata = _strata_of(name, value)
    if not audited and any(isinstance(stratum, Audited) for stratum in strata):
        raise InputError(f"`{name}`: this function or method has no form for Audited segments")
    if not strata:
        raise InputError(f"`{name}` has no strata: it needs one (size, sampled, relevant) at least")
    return [
        _check_stratum(f"{name}[{i}]" if len(strata) > 1 else name, stratum)
        for i, stratum in enumerate(strata)
    ]


def check_segments(audited: bool = False, **segments: Any) -> list[Segment]:
    """The segments of one question, checked; pandas fields must have one index."""
    check_same_index(**{k: v for name in segments for k, v in _fields(name, segments[name])})
    return [check_segment(name, value, audited) for name, value in segments.items()]


def _fields(name: str, value: object, depth: int = 2) -> Iterator[tuple[str, Any]]:
    """The fields of strata, with names: a segment has strata, and these have fields."""
    if isinstance(value, Stratum | Audited):
        for field, number in zip(value._fields, value, strict=True):
            yield f"{name}.{field}", number
    elif depth and isinstance(value, list | tuple):
        for i, item in enumerate(value):
            yield from _fields(f"{name}[{i}]", item, depth - 1)
    else:
        yield name, value


def _strata_of(name: str, value: object) -> list[Any]:
    """Tuples of fields; `Stratum` says what is one stratum and what several."""
    if isinstance(value, Stratum | Audited):
        return [value]
    if isinstance(value, list | np.ndarray) and is_masked(value):
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


def _check_counts(name: str, **counts: FloatOrArray) -> list[np.ndarray]:
    """Whole numbers of documents, in one shape of floats; no segment is larger than 2^49."""
    if all(type(number) is int and 0 <= number <= LARGEST for number in counts.values()):
        return [np.array(float(number)) for number in counts.values()]  # a tenth of the time
    for field, number in counts.items():
        refuse_flags(f"{name}.{field}", number)
    fields = [
        check_numbers(
            f"{name}.{field}",
            number,
            "must be a whole number, 0 or more",
            lambda x: (x >= 0) & (x < np.inf) & (x == np.floor(x)),
        )
        for field, number in counts.items()
    ]
    check_numbers(f"{name}.size", fields[0], "must be at most 2^49", lambda x: x <= LARGEST)
    try:
        return list(np.broadcast_arrays(*fields))
    except ValueError:
        shapes = ", ".join(str(field.shape) for field in fields)
        raise InputError(
            f"`{name}`: {', '.join([*counts][:-1])} and {[*counts][-1]} must broadcast; found "
            f"shapes {shapes}"
        ) from None


def _check_at_most(
    name: str, small: np.ndarray, large: np.ndarray, smaller: str, larger: str
) -> None:
    wrong = small > large
    if wrong.any():
        i = tuple(np.argwhere(wrong)[0])
        where = f" at index {', '.join(map(str, i))}" if i else ""
        raise InputError(
            f"`{name}`: {smaller} must be at most {larger}; found {small[i]:.0f} of "
            f"{large[i]:.0f}{where}"
        )


def _check_audited(name: str, value: Audited) -> AuditedCounts:
    pairs = []
    for field in ("called_audit", "other_audit"):
        pair = getattr(value, field)
        if not isinstance(pair, list | tuple | np.ndarray) or len(pair) != 2:
            fail(f"{name}.{field}", "must be (audited, relevant)", pair)
        pairs += list(pair)
    size, judged, called, m1, x1, m0, x0 = _check_counts(
        name,
        size=value.size,
        sampled=value.sampled,
        called=value.called,
        **{
            f"{field}.{part}": pairs.pop(0)
            for field in ("called_audit", "other_audit")
            for part in ("audited", "relevant")
        },
    )
    for small, large, smaller, larger in (
        (judged, size, "sampled", "size"),
        (called, judged, "called", "sampled"),
        (m1, called, "documents audited in called_audit", "called"),
        (x1, m1, "relevant documents in called_audit", "audited"),
        (m0, judged - called, "documents audited in other_audit", "sampled - called"),
        (x0, m0, "relevant documents in other_audit", "audited"),
    ):
        _check_at_most(name, small, large, smaller, larger)
    return AuditedCounts(size, m1 + m0, x1 + x0, judged, called, m1, x1, m0, x0)


def _check_stratum(name: str, value: object) -> Any:
    if isinstance(value, Audited):
        return _check_audited(name, value)
    if not isinstance(value, tuple) or len(value) != 3:
        fail(name, "must be (size, sampled, relevant)", value)
    size, sampled, relevant = _check_counts(name, **dict(zip(Stratum._fields, value, strict=True)))
    _check_at_most(name, relevant, sampled, "relevant", "sampled")
    _check_at_most(name, sampled, size, "sampled", "size")
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
    if shape == ():
        yield (
            (),
            [
                [type(stratum)(*(float(field) for field in stratum)) for stratum in segment]
                for segment in segments
            ],
        )
        return
    pairs = [
        [(stratum, [np.broadcast_to(field, shape) for field in stratum]) for stratum in segment]
        for segment in segments
    ]
    for index in np.ndindex(shape):
        yield (
            index,
            [
                [
                    type(stratum)(*(float(field[index]) for field in wide))
                    for stratum, wide in segment
                ]
                for segment in pairs
            ],
        )


def total(segment: Segment, field: str) -> Any:
    """The sum of a field over the strata."""
    return sum(getattr(stratum, field) for stratum in segment)


def is_census(*segments: Segment) -> Any:
    """Whether all documents were sampled, so that there is nothing to infer."""
    return sum(total(segment, "size") - total(segment, "sampled") for segment in segments) == 0
