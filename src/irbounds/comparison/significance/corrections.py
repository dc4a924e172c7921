"""Adjusted p-values of a family of tests: the probability of any false rejection is at most the
level."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal

import numpy as np


def holm(p_values: np.ndarray) -> np.ndarray:
    """Holm (1979): the i-th smallest of m is multiplied by m - i + 1, and none falls below one
    before it."""
    order = np.argsort(p_values, kind="stable")
    steps = p_values[order] * np.arange(p_values.size, 0, -1)
    adjusted = np.empty(p_values.size)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return adjusted


def bonferroni(p_values: np.ndarray) -> np.ndarray:
    """All are multiplied by their number."""
    return np.minimum(p_values * p_values.size, 1)


@dataclass(frozen=True, kw_only=True)
class Correction:
    """A correction for several tests.

    Attributes
    ----------
    name, title : str
    adjusts : function, optional
        p-values, none of them nan, to adjusted ones.  Without it one test takes all runs by a
        measure, in place of a test for each pair.
    shares_alpha : bool
        Whether each interval gets its part of alpha, so that all are simultaneous.
    needs_baseline : bool
    with_baseline : str, optional
        The correction that takes its place where runs are compared with a baseline.
    joint_over : str
        The pairs that one test takes at once.
    remark : str
    """

    name: str
    title: str
    adjusts: Callable[[np.ndarray], np.ndarray] | None = field(default=None, repr=False)
    shares_alpha: bool = False
    needs_baseline: bool = False
    with_baseline: str | None = None
    joint_over: str = ""
    remark: str = ""

    @property
    def is_joint(self) -> bool:
        """Whether one test takes all runs."""
        return self.adjusts is None

    @property
    def holds_together(self) -> bool:
        """Whether the intervals are simultaneous."""
        return self.is_joint or self.shares_alpha


CORRECTIONS = {
    correction.name: correction
    for correction in (
        Correction(name="holm", title="Holm's method", adjusts=holm),
        Correction(
            name="bonferroni", title="Bonferroni's method", adjusts=bonferroni, shares_alpha=True
        ),
        Correction(
            name="tukey",
            title="Tukey's HSD",
            with_baseline="dunnett",
            joint_over="all pairs of runs",
        ),
        Correction(
            name="dunnett",
            title="Dunnett's test",
            needs_baseline=True,
            joint_over="all runs against the baseline",
            remark="Tukey's HSD is for all pairs",
        ),
    )
}


def is_joint(correction: str | None) -> bool:
    """Whether one test takes all runs by a measure."""
    return correction is not None and CORRECTIONS[correction].is_joint


def alpha_of(confidence_level: float) -> float:
    """1 - confidence_level as the double nearest to the decimal number: 0.05 for 0.95.

    In doubles 1 - 0.95 is 0.050000000000000044, and p = 0.05 would be below it.
    """
    return float(1 - Decimal(repr(float(confidence_level))))


def adjust(p_values: np.ndarray, correction: str | None) -> np.ndarray:
    """Adjusted p-values, shape (tests,); nan stays nan and is no member of the family."""
    adjusted = np.array(p_values, float)
    known = np.flatnonzero(~np.isnan(adjusted))
    adjusts = None if correction is None else CORRECTIONS[correction].adjusts
    if adjusts is not None:
        adjusted[known] = adjusts(adjusted[known])
    return adjusted


def adjust_with_unknown(p_values: np.ndarray, correction: str | None) -> np.ndarray:
    """As `adjust`, but a test that gave nan counts, with p = 1.

    Otherwise the number of tests would depend on the data.
    """
    is_unknown = np.isnan(p_values)
    adjusted = adjust(np.where(is_unknown, 1.0, p_values), correction)
    adjusted[is_unknown] = np.nan
    return adjusted
