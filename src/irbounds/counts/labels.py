"""Validation of labels: the same objects, one type, no missing labels."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.foundation.arguments import check_counts, check_same_index, is_masked
from irbounds.foundation.errors import InputError, fail

if TYPE_CHECKING:
    from irbounds.typing import ArrayLike, FloatOrArray, LabelsLike


def label_arrays(**vectors: Any) -> dict[str, np.ndarray]:
    """Vectors of labels, or indicator arrays, of the same objects."""
    check_same_index(**vectors)
    for name, vector in vectors.items():
        if is_masked(vector):
            fail(name, "must have a label for every object", vector, "with masked elements")
    try:
        arrays = {name: np.asarray(vector) for name, vector in vectors.items()}
    except ValueError:
        raise InputError(
            f"{' and '.join(f'`{name}`' for name in vectors)} must have rows of one length"
        ) from None
    first, *others = arrays.values()
    if first.ndim not in (1, 2) or any(array.shape != first.shape for array in others):
        found = ", ".join(f"`{name}` {array.shape}" for name, array in arrays.items())
        raise InputError(
            f"labels must be of the same objects, in one shape of one or two axes; found {found}"
        )
    for name, array in arrays.items():
        missing = _missing(array)
        if missing.any():
            i = int(np.argmax(missing))
            fail(name, "must have a label for every object", array.item(i), f"at index {i}")
    # NumPy finds strings and numbers unequal: every object would count as an error.
    words = {
        name: array.dtype.kind in "US"
        for name, array in arrays.items()
        if array.dtype.kind in "USbuif"
    }
    if len(set(words.values())) > 1 and first.size:
        found = ", ".join(
            f"`{name}` {'strings' if is_word else 'numbers'}" for name, is_word in words.items()
        )
        raise InputError(f"labels must be all strings or all numbers; found {found}")
    return arrays


def _missing(array: np.ndarray) -> np.ndarray:
    """Marks of the labels that are nan or pandas' NA: neither equals itself."""
    if array.dtype.kind == "f":
        return np.isnan(array)
    if array.dtype.kind != "O":
        return np.zeros(array.shape, bool)
    try:
        # one pass without a Python object each; pandas' NA raises here
        return np.asarray(array != array, bool)
    except (TypeError, ValueError):
        return np.array([(label == label) is not True for label in array.flat], bool).reshape(
            array.shape
        )


def label_marks(
    vectors: dict[str, Any], positive: FloatOrArray, labels: Sequence[Any] | None
) -> list[np.ndarray]:
    """Marks of the relevant objects: one axis for objects, and a second one for several
    categories."""
    arrays = label_arrays(**vectors)
    if labels is not None:
        return [marks_of(array, labels) for array in arrays.values()]
    if arrays["truth"].ndim == 2:
        for name, array in arrays.items():
            if array.dtype.kind not in "b" and not np.isin(array, (0, 1)).all():
                fail(
                    name,
                    "must have marks 0 or 1 if it has two axes",
                    array[~np.isin(array, (0, 1))][0].item(),
                )
        return [array.astype(bool) for array in arrays.values()]
    if isinstance(positive, int | float) and all(
        array.dtype.kind in "US" for array in arrays.values()
    ):
        raise InputError(
            "labels are strings: pass `positive`, for example "
            f"positive={arrays['truth'].flat[0].item()!r}"
        )
    return [marks_where(array, "positive", positive) for array in arrays.values()]


def label_weights(weights: ArrayLike | None, truth: LabelsLike, n: int) -> np.ndarray:
    """The weight of each object; 1 by default."""
    check_same_index(truth=truth, weights=weights)
    weight = np.ones(n) if weights is None else check_counts("weights", weights)
    if weight.shape != (n,):
        raise InputError(
            f"`weights` must have one number for each of {n} objects; found shape {weight.shape}"
        )
    return weight


def marks_of(array: np.ndarray, labels: Sequence[Any]) -> np.ndarray:
    """Marks with a last axis, one entry for each label."""
    if (
        isinstance(labels, str | bytes)
        or not hasattr(labels, "__len__")
        or not np.ndim(_objects(labels))
    ):
        fail("labels", "must be a list of labels", labels)
    if not len(labels):
        raise InputError("`labels` must have one label at least")
    return np.stack([marks_where(array, "labels", label) for label in labels], axis=-1)


def marks_where(array: np.ndarray, argument: str, label: Any) -> np.ndarray:
    """Marks of the objects with this label."""
    marks = np.empty(0)
    with contextlib.suppress(ArithmeticError, TypeError, ValueError):  # whose comparison fails
        if np.ndim(_objects(label)) == 0:
            marks = np.asarray(array == label)
    if marks.shape != array.shape or marks.dtype.kind != "b":
        fail(argument, "must hold labels" if argument == "labels" else "must be one label", label)
    return marks


def _objects(value: object) -> np.ndarray:
    try:
        return np.asarray(value, dtype=object)
    except ValueError:  # rows of several lengths
        return np.empty(1, object)
