"""Adjusted p-values of a family of tests: the probability of any false rejection is at most the
level."""

from __future__ import annotations

from decimal import Decimal

import numpy as np

CORRECTIONS = ("holm", "bonferroni", "tukey", "dunnett")
JOINT = ("tukey", "dunnett")  # one test for all runs by a measure, in place of a test for each pair


def alpha_of(confidence_level: float) -> float:
    """1 - confidence_level as the double nearest to the decimal number: 0.05 for 0.95.

    In doubles 1 - 0.95 is 0.050000000000000044, and p = 0.05 would be below it.
    """
    return float(1 - Decimal(repr(float(confidence_level))))


def adjust(p_values: np.ndarray, correction: str | None) -> np.ndarray:
    """Adjusted p-values, shape (tests,); nan stays nan and does not count as a test.

    Holm (1979): the i-th smallest of m is multiplied by m - i + 1, and is at least the one before
    it.  Bonferroni: all are multiplied by m.
    """
    adjusted = np.array(p_values, float)
    known = np.flatnonzero(~np.isnan(adjusted))
    if correction == "bonferroni":
        adjusted[known] = np.minimum(adjusted[known] * known.size, 1)
    elif correction == "holm":
        order = known[np.argsort(adjusted[known], kind="stable")]
        steps = adjusted[order] * np.arange(known.size, 0, -1)
        adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return adjusted


def adjust_with_unknown(p_values: np.ndarray, correction: str | None) -> np.ndarray:
    """As `adjust`, but a test that gave nan counts, with p = 1.

    Otherwise the number of tests would depend on the data.
    """
    is_unknown = np.isnan(p_values)
    adjusted = adjust(np.where(is_unknown, 1.0, p_values), correction)
    adjusted[is_unknown] = np.nan
    return adjusted
