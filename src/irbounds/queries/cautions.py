"""Warnings where values leave little to infer from."""

from __future__ import annotations

import math
import warnings

import numpy as np

from irbounds.foundation.interval import Interval
from irbounds.queries.groups import ENOUGH_GROUPS, FEW_GROUPS, UNEQUAL, Groups
from irbounds.queries.student import quantile
from irbounds.warnings import FewQueriesWarning, NoVarianceWarning

# Times as far from the mean as Student's end.  Skewness alone moves an end 1.8 times as far.
FAR = 3.0


def caution_of_equal_values(n: int, method: str, stacklevel: int, unit: str = "query") -> None:
    """Warn that an interval of a mean has no ends."""
    reason = (
        f"one {unit} has no variance" if n == 1 else "values that are all equal have no variance"
    )
    warnings.warn(
        f"{reason}, so that method={method!r} gives no interval; method='jeffreys' and "
        "method='gaffke' do for measures in [0, 1]",
        NoVarianceWarning,
        stacklevel=stacklevel + 1,
    )


def ends_of_limits(interval: Interval, equal: bool = True) -> list[str]:
    """Which ends of a default interval are what the limits allow, rather than what the values say:
    "lower", "upper".  One column is enough; columns of equal values count only if wanted."""
    if interval.raw_low is None:
        return []
    mean = interval.estimate
    ends = (
        ("lower", "upper", interval.low, interval.raw_low),
        ("upper", "lower", interval.high, interval.raw_high),
    )
    found = []
    for name, other, end, of_t in ends:
        is_far = abs(end - mean) > FAR * abs(of_t - mean)
        if not equal:
            is_far &= of_t != mean
        is_any = is_far if isinstance(is_far, bool) else np.any(is_far)
        if is_any and interval.side != other:
            found.append(name)
    return found


def caution_of_limits(
    interval: Interval,
    n: int,
    limits: tuple[float, float],
    stacklevel: int,
    groups: Groups | None = None,
) -> None:
    """Warn of such ends, but where all values are equal, which says it already."""
    units = f"{n} queries" if groups is None else f"{len(groups)} groups"
    for name in ends_of_limits(interval, equal=False):
        warnings.warn(
            f"the {name} end of the interval is set by the limit {limits[name == 'upper']:g}: "
            f"{units} with nearly equal values may lack rare values near it (method='t' ignores "
            "the limits)",
            FewQueriesWarning,
            stacklevel=stacklevel + 1,
        )


def caution_of_few_groups(groups: Groups, tail: float, stacklevel: int) -> None:
    """Warn of so few groups that they say little of how much groups differ, or that a sample may
    lack large ones."""
    count, as_many = len(groups), groups.freedom + 1
    if 1 < count < FEW_GROUPS:
        ratio = quantile(groups.freedom, tail) / quantile(math.inf, tail) if tail != 0.5 else 1.0
        line = (
            f"{count} groups, fewer than {FEW_GROUPS}: with {groups.freedom:.3g} degrees of "
            f"freedom an interval is {ratio:.3g} times as wide as with many groups of the same "
            "spread"
        )
    elif 1 < count < ENOUGH_GROUPS and count > UNEQUAL * as_many:
        line = (
            f"{count} groups, fewer than {ENOUGH_GROUPS}, of sizes so unequal that they count as "
            f"{as_many:.0f} equal ones: coverage is below the level where few large groups score "
            "apart from small ones"
        )
    else:
        return
    warnings.warn(line, FewQueriesWarning, stacklevel=stacklevel + 1)
