"""Arrays of results that nobody can change."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal, arrays and dicts of them element by element; nan equals nan."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, tuple | list) and isinstance(other, tuple | list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        first, second = np.asarray(one), np.asarray(other)
        if first.shape != second.shape:
            return False
        return bool(((first == second) | ((first != first) & (second != second))).all())
    return bool(one == other or (one != one and other != other))


class EqualFields:
    """Base of dataclasses with eq=False, as arrays compare element by element: equal if all fields
    are."""

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        names = [field.name for field in fields(self)]  # type: ignore[arg-type]
        return all(same(getattr(self, name), getattr(other, name)) for name in names)

    def __hash__(self) -> int:
        texts = [getattr(self, field.name) for field in fields(self)]  # type: ignore[arg-type]
        return hash((type(self), *(value for value in texts if isinstance(value, str))))


class ReadOnlyArrays:
    """Base of frozen dataclasses: the arrays in their fields are read-only too."""

    def __post_init__(self) -> None:
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Make the arrays read-only again: pickle restores them as writable."""
        self.__dict__.update(state)
        self.__post_init__()
