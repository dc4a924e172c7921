"""p-values of a family of tests, adjusted so that the chance of any false rejection keeps to the level."""
from __future__ import annotations

import numpy as np

CORRECTIONS = ("holm", "bonferroni", "tukey")


def adjust(p_values: np.ndarray, correction: str | None) -> np.ndarray:
    """Adjusted p-values, shape (tests,); nan stays nan and is no member of the family.

    Holm (1979): the i-th smallest of m is multiplied by m - i + 1, and none falls below one before it.  Bonferroni: all
    are multiplied by m.
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
