"""Bounds over the labels of unjudged documents, in rows beside those of the values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from irbounds.foundation.rounding import as_share

if TYPE_CHECKING:
    from irbounds.rankings.data.evaluation import Evaluation


class Labels(NamedTuple):
    """Bounds over the labels of unjudged documents, and the share of judged ones above the cut-off
    of a measure."""

    low: float
    high: float
    judged: float

    def cells(self, number: Callable[[float], str]) -> list[str]:
        """Text for people."""
        return [f"[{number(self.low)}, {number(self.high)}]", as_share(self.judged)]


KEYS = ("unjudged_low", "unjudged_high", "judged")
COLUMNS = ["over labels", "judged"]


def label_rows(evaluation: Evaluation, per_query: bool) -> Iterator[list[Labels]]:
    """For each row of values, the queries first and the summary last, one for each measure; empty
    without bounds over labels."""
    low, high, judged = evaluation.unjudged_low, evaluation.unjudged_high, evaluation.judged
    n_queries = len(evaluation.query_ids) if per_query else 0
    if low is None or high is None or judged is None:
        for _ in range(n_queries + 1):
            yield []
        return
    for query in range(n_queries):
        rows = zip(low[query].tolist(), high[query].tolist(), judged[query].tolist(), strict=True)
        yield [Labels(*row) for row in rows]
    shares = evaluation.judged_means
    yield [
        Labels(*bounds, shares[name]) for name, bounds in evaluation.summary_unjudged_bounds.items()
    ]


def as_dicts(evaluation: Evaluation) -> dict[str, Any]:
    """The summary's, as JSON has it; nothing without bounds over labels."""
    if evaluation.unjudged_low is None:
        return {}
    bounds = evaluation.summary_unjudged_bounds
    return {
        "unjudged_bounds": {name: list(pair) for name, pair in bounds.items()},
        "judged": evaluation.judged_means,
    }
