"""The pairs that several studies of judges share: the ten first documents of each query of the
first system."""

from __future__ import annotations

import math

import numpy as np
from assisted_coverage import Grades, first_system, read_rows

from irbounds.assisted.label_strata import LabelGroups

Pairs = list[tuple[str, str]]


def first_pairs(judges: dict[str, Grades]) -> Pairs:
    """Query and document of each."""
    return top_pairs(first_system(judges))


def top_pairs(ranking: dict[str, list[str]]) -> Pairs:
    """Those of any system."""
    return [(query, doc) for query, docs in ranking.items() for doc in docs[:10]]


def grades_of(judge: Grades, pairs: Pairs) -> np.ndarray:
    """Those of one judge."""
    return np.array([float(judge[pair]) for pair in pairs])


def groups_of(grade: np.ndarray) -> LabelGroups:
    """The strata of a judge's grades, in which all pairs count alike."""
    weight = np.full((1, grade.size), 1 / grade.size)
    nobody = np.full(grade.size, math.nan)
    return LabelGroups(grade, nobody, weight, lambda g: g > 0, is_count=True)


def column_of_ppi(field: str) -> dict[tuple[str, int, int], float]:
    """A measured column of PPI++, such as its mean widths, by judge, threshold and number of
    labels."""
    return {
        (row["judge"], int(row["rel"]), int(row["n"])): float(row[field])
        for row in read_rows()
        if (row["part"], row["method"]) == ("pairs", "PPI++")
    }


def widths_of_ppi() -> dict[tuple[str, int, int], float]:
    """Mean widths of PPI++."""
    return column_of_ppi("width")
