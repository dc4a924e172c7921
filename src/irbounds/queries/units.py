"""The units that a mean is taken over: queries, or units in groups of which one sampled few.

Whatever averages, compares or ranks over units asks here how many are independent, and which mean
is meant.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from irbounds.queries.groups import Groups


class Units(NamedTuple):
    """Values of systems on units, such as queries, that stand for others like them.

    Attributes
    ----------
    values : ndarray, shape (units, systems)
        Higher is better.
    groups : ndarray of int, shape (units,)
        The group (a task, say) that each unit is of, 0, 1, …; each unit its own without groups.
    weights : ndarray, shape (groups,)
        Weights of the groups in the mean; their sum is 1.
    singular, plural : str
        The names of one unit and of several.
    is_whole : bool
        Whether groups are drawn whole, and not units in them as well.
    """

    values: np.ndarray
    groups: np.ndarray
    weights: np.ndarray
    singular: str = "unit"
    plural: str = "units"
    is_whole: bool = False

    @classmethod
    def of_queries(cls, values: np.ndarray, groups: Groups | None = None) -> Units:
        """Queries of equal weights, each a group of its own if there are no groups; values of shape
        (queries, systems)."""
        n = len(values)
        if groups is not None:
            return cls(values, groups.codes, groups.weights, "query", "queries", True)
        return cls(values, np.arange(n), np.full(n, 1 / n), "query", "queries")

    @property
    def is_nested(self) -> bool:
        """Whether a group has several units, which are then drawn as well unless it is whole."""
        return len(self.weights) < len(self.groups)

    def group_means(self) -> np.ndarray:
        """Shape (groups, systems)."""
        if not self.is_nested:
            return self.values
        sums = np.zeros((len(self.weights), self.values.shape[1]))
        np.add.at(sums, self.groups, self.values)
        return sums / np.bincount(self.groups)[:, None]

    def means(self) -> np.ndarray:
        """The weighted mean of the group means, by system."""
        return np.array(
            [math.fsum(column) for column in (self.weights[:, None] * self.group_means()).T]
        )
