"""One number over queries."""

from __future__ import annotations

import numpy as np

from irbounds._core.common.exact_sum import column_means, column_sums
from irbounds.foundation.errors import check_choice

LEAST = 1e-5  # what trec_eval (MIN_GEO_MEAN) and the Robust track count for lower values


def _geometric_mean(column: np.ndarray) -> float:
    return float(np.exp(column_means(np.log(np.maximum(column, LEAST)))[0]))


def _mean(column: np.ndarray) -> float:
    return float(column_means(column)[0])


def _sum(column: np.ndarray) -> float:
    return float(column_sums(column)[0])


def _median(column: np.ndarray) -> float:
    return float(np.median(column)) if column.size else float("nan")


def check_aggregate(argument: str, how: str) -> str:
    """A key of `AGGREGATES`, which `mean_interval` spells with a hyphen."""
    return check_choice(argument, "geometric mean" if how == "geometric-mean" else how, AGGREGATES)


AGGREGATES = {"mean": _mean, "sum": _sum, "geometric mean": _geometric_mean, "median": _median}


def aggregate(how: str, values: np.ndarray) -> float:
    """The mean (nan for no queries), the sum, the median, or the geometric mean of values
    raised to 1e-5 at least."""
    return AGGREGATES[how](values.reshape(-1, 1))
