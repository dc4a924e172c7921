"""Bounds over the labels of unjudged documents, in rows beside those of the values."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from irbounds.foundation.rounding import as_share

if TYPE_CHECKING:
    from irbounds.rankings.data.evaluation import Evaluation


KEYS = ("unjudged_low", "unjudged_high", "judged")
COLUMNS = ["over labels", "judged"]


def label_cells(
    evaluation: Evaluation, place: int, per_query: bool, number: Callable[[float], str]
) -> list[list[str]]:
    """For people: bounds of a measure over labels, and the share of judged documents above its
    cut-off; the queries first and the summary last."""
    measure = evaluation.measures[place]
    ends, share = evaluation.summary_unjudged_bounds[measure], evaluation.judged_means[measure]
    columns: list[list[float]] = [[] for _ in KEYS]
    if per_query:
        found = (evaluation.unjudged_low, evaluation.unjudged_high, evaluation.judged)
        columns = [values[:, place].tolist() for values in found if values is not None]
    low, high, judged = (
        [*column, total] for column, total in zip(columns, (*ends, share), strict=True)
    )
    bounds = [f"[{number(a)}, {number(b)}]" for a, b in zip(low, high, strict=True)]
    return [bounds, [as_share(one) for one in judged]]


def as_dicts(evaluation: Evaluation) -> dict[str, Any]:
    """The summary's, as JSON has it; nothing without bounds over labels."""
    if evaluation.unjudged_low is None:
        return {}
    bounds = evaluation.summary_unjudged_bounds
    return {
        "unjudged_bounds": {name: list(pair) for name, pair in bounds.items()},
        "judged": evaluation.judged_means,
    }
