"""Queries that come in groups: several of one document, say, which are alike."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from irbounds.foundation.errors import InputError, fail

ALONE: Final = None  # the label of a query that is a group of its own, as nan is


def codes_of(labels: Any, n: int) -> np.ndarray | None:
    """Labels of n queries as 0, 1, …, in the order in which they come; None where no two are
    alike."""
    if isinstance(labels, str | bytes | Mapping):
        fail("groups", "must have a group for each value, in their order", labels)
    try:
        of_arrow = getattr(labels, "to_pylist", None)
        listed = of_arrow() if of_arrow else list(getattr(labels, "tolist", lambda: labels)())
        places: dict[Any, int] = {}
        codes = [
            places.setdefault((None, place) if is_alone(label) else (label,), len(places))
            for place, label in enumerate(listed)
        ]
    except TypeError:  # no sequence, or of lists
        fail("groups", "must have a group for each value, in their order", labels)
    if len(codes) != n:
        raise InputError(
            f"`groups` must have a group for each of the {n} values; found {len(codes)}"
        )
    return np.array(codes, np.int64) if len(places) < n else None


def is_alone(label: Any) -> bool:
    """Whether a query has no group."""
    return label is ALONE or (isinstance(label, float) and math.isnan(label))
