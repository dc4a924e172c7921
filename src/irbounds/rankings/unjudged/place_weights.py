"""Measures that are sums of weights of places: what a document of gain 1 adds at each."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from irbounds._core.label_bounds.unjudged_difference import DISCOUNT
from irbounds.rankings.measure_table.measure import Measure


def discounts(n: int) -> np.ndarray:
    """1/log2(place + 1) of the first n places."""
    return DISCOUNT[:n] if n <= len(DISCOUNT) else 1 / np.log2(np.arange(2, n + 2))


def place_weights(measure: Measure, n_docs: int) -> np.ndarray | None:
    """The weight of each place: a document of gain 1 adds it to the measure's numerator. None if it
    depends on the other documents."""
    n = n_docs if measure.cutoff is None else int(min(measure.cutoff, n_docs))
    if measure.name in ("P", "R", "ER", "RelP", "F", "SetR", "NumRelRet", "NumRet"):
        return np.ones(n)
    if measure.name == "SetP" and not measure.get("relative"):
        return np.full(n, 1 / max(n, 1))
    if measure.name in ("DCG", "nDCG"):
        return discounts(n)
    if measure.name == "RBP":
        return np.asarray((1 - measure.get("p")) * measure.get("p") ** np.arange(n))
    return None


def gain_function(measure: Measure) -> Callable[[np.ndarray], np.ndarray]:
    """Grades to gains; a negative grade has none."""
    if measure.name in ("DCG", "nDCG"):
        if measure.get("dcg") == "exp-log2":
            return lambda grade: np.exp2(np.maximum(grade, 0)) - 1
        return lambda grade: np.maximum(grade, 0)
    if measure.parameters.get("max_rel") is not None:
        return lambda grade: np.maximum(grade, 0) / measure.get("max_rel")
    return lambda grade: (grade >= measure.get("rel")).astype(float)
