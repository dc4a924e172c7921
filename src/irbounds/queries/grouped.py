"""Intervals of means over queries in groups whose sizes differ."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from irbounds.foundation.errors import InputError
from irbounds.foundation.interval import Interval
from irbounds.queries.cautions import caution_of_equal_values
from irbounds.queries.ends import WIDENED, Question
from irbounds.queries.groups import GroupedMeans, Groups
from irbounds.queries.widened import widened_grouped


def ends_of_groups(
    columns: np.ndarray,
    asked: Question,
    groups: Groups,
    method: str | None,
    is_geometric: bool,
    stacklevel: int,
) -> tuple[list[str], tuple[np.ndarray, ...]]:
    """The same of groups whose sizes differ."""
    if method not in (None, "t", WIDENED):
        raise InputError(
            f"method {method!r} takes groups of one size; 't' and {WIDENED!r} take others"
        )
    means = GroupedMeans.of(columns, groups)
    names = ["t"] * columns.shape[1]
    if method == "t" or asked.limits is None:
        below, above = means.margins(asked.tail) if len(groups) > 1 else (means.error, means.error)
        nothing = ~(means.error > 0)
        if nothing.any():
            caution_of_equal_values(len(groups), "t", stacklevel + 1, "group")
        below, above = (np.where(nothing, math.nan, margin) for margin in (below, above))
        low, high = means.mean - below, means.mean + above
        found = low, high, low, high
    else:
        ends = widened_grouped(means, groups.means(columns), asked.limits, asked.tail, asked.sides)
        found, are_students = ends[:4], ends.are_students
        names = ["t" if is_t and method is None else WIDENED for is_t in are_students]
    results = (means.mean, *found)
    return names, tuple(np.exp(result) for result in results) if is_geometric else results


def with_inflation(found: Interval, n_groups: int, compute: Callable[[], Interval]) -> Interval:
    """The interval with its width over that without groups, which `compute` gives; of one side, the
    distance of its end."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the queries alone
        alone = compute()
    first = found.estimate if found.side == "lower" else found.high
    second = found.estimate if found.side == "upper" else found.low
    own = alone.estimate if alone.side == "lower" else alone.high
    other = alone.estimate if alone.side == "upper" else alone.low
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.divide(np.subtract(first, second), np.subtract(own, other))
    inflation: Any = ratio if ratio.ndim else float(ratio)
    return replace(found, n_groups=n_groups, inflation=inflation)
