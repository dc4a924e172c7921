"""One check of a gate: is the new run worse by more than a margin, by one measure?

Differences are oriented here: above 0 the new run is better.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from irbounds.queries.moments import mean_and_spread
from irbounds.queries.student import quantile, upper_tail


class Question(NamedTuple):
    """The allowed loss and error rate of a check."""

    margin: float
    alpha: float
    strict: bool


class Finding(NamedTuple):
    """The test of one measure, in one order of ties.

    Attributes
    ----------
    mean, spread : float
    low, high : float
        One-sided bounds of the mean, each at 1 - alpha; nan where there is no variance.
    p_value : float
        p-value of the hypothesis that the new run is not worse (by more than the margin, or at all
        with strict); small ones say that it is.
    passes : bool
        Whether `low` is above -margin.
    reason : str or None
        Why there are no bounds.
    """

    mean: float
    spread: float
    low: float
    high: float
    p_value: float
    passes: bool
    reason: str | None = None


def judge(differences: np.ndarray, asked: Question) -> Finding:
    """By Student's t; where the differences have no variance, by their signs.

    n equal differences have one sign, which by chance they would with 2^-n: as few as that is below
    alpha, they are taken as they are.
    """
    n = len(differences)
    mean, spread = mean_and_spread(differences)
    allowed = 0.0 if asked.strict else asked.margin
    if spread > 0:
        error = spread / math.sqrt(n)
        reach = quantile(n - 1, asked.alpha) * error
        p_value = upper_tail(n - 1, -(mean + allowed) / error)
        return Finding(
            mean, spread, mean - reach, mean + reach, p_value, mean - reach > -asked.margin
        )
    if not differences.any():
        return Finding(0.0, 0.0, 0.0, 0.0, 1.0, True, "no query changed")
    chance = 0.5**n
    is_firm = chance < asked.alpha
    p_value = chance if is_firm and mean < -allowed else 1.0
    reason = (
        "one query has no variance"
        if n == 1
        else "all queries changed by the same, without variance"
    )
    return Finding(mean, 0.0, math.nan, math.nan, p_value, is_firm and mean > -asked.margin, reason)


def verdicts(findings: list[Finding], alpha: float) -> list[str]:
    """Fail where Holm's adjusted p-value, over the measures, is below alpha; else pass or unclear.

    A gate passes if every measure does, which needs no correction: a loss passes only if its own
    check errs.
    """
    p_values = np.array([finding.p_value for finding in findings])
    order = np.argsort(p_values, kind="stable")
    is_small = p_values[order] * np.arange(len(p_values), 0, -1) < alpha
    n_failed = len(p_values) if is_small.all() else int(np.argmin(is_small))
    failed = set(order[:n_failed].tolist())
    return [
        "fail" if i in failed else "pass" if finding.passes else "unclear"
        for i, finding in enumerate(findings)
    ]
