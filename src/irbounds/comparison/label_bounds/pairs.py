"""Bounds on differences over the labels of unjudged documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds._core.common.exact_sum import column_means
from irbounds.comparison.data.data import ComparisonData
from irbounds.comparison.data.difference import Difference
from irbounds.comparison.label_bounds.differences import DifferenceBounds, Differences
from irbounds.foundation.distributions import Bounds
from irbounds.foundation.errors import InputError
from irbounds.rankings.data.collection import Qrels, Run
from irbounds.rankings.data.equal_scores import EXACT, ScoreRule
from irbounds.rankings.evaluating.evaluator import Evaluator
from irbounds.rankings.measure_table.measure import Measure
from irbounds.rankings.unjudged.pools import Pool, PooledQuery
from irbounds.rankings.unjudged.treatment import (
    Hidden,
    check_has_bounds,
    highest_grade,
    refuse_relevant_only,
)

if TYPE_CHECKING:
    from irbounds.typing import HiddenLike


TIE_RULES = ("expected", "doc_id", "given")


class LabelBounds:
    """Bounds of differences over the labels of documents that an evaluator's judgments lack.

    Refused before runs are read, and computed afterwards.
    """

    def __init__(
        self, evaluator: Evaluator, unjudged_hidden: HiddenLike | None, max_grade: float | None
    ) -> None:
        ties, judged_only, collection_size = evaluator._asked
        if judged_only:
            raise InputError(
                "`judged_only` drops unjudged documents: it does not go with their bounds"
            )
        self.qrels, self.measures = evaluator.qrels, list(evaluator.measures)
        refuse_relevant_only(self.qrels, unjudged_hidden)
        check_pairs(self.measures, ties, highest_grade(self.qrels, max_grade))
        self.options: dict[str, Any] = {
            "ties": ties,
            "hidden": Hidden.read(unjudged_hidden, collection_size or 0, self.qrels),
            "max_grade": max_grade,
            "score_rule": evaluator.score_rule,
        }

    def of_pair(self, run: Run, against: Run, query_ids: Sequence[Any]) -> np.ndarray:
        """Low, high and whether labels reach both, of shape (queries, measures, 3)."""
        runs = [run, against]
        asked = {"query_ids": query_ids, **self.options}
        return query_bounds(self.qrels, runs, self.measures, [(0, 1)], **asked)[:, 0]

    def of_comparison(
        self, comparison: ComparisonData, runs: Mapping[str, Run]
    ) -> tuple[Difference, ...]:
        """The differences of a comparison of these runs, with their bounds."""
        place = {name: number for number, name in enumerate(comparison.runs)}
        names = list(dict.fromkeys(one.measure for one in comparison.differences))
        measures = [measure for measure in self.measures if str(measure) in names]
        order = {str(measure): number for number, measure in enumerate(measures)}
        pairs = sorted({(place[one.run], place[one.against]) for one in comparison.differences})
        asked = {"query_ids": comparison.query_ids, **self.options}
        found = query_bounds(self.qrels, list(runs.values()), measures, pairs, **asked)
        low, high, exact = (
            column_means(np.ascontiguousarray(column.reshape(len(found), -1))).reshape(
                len(pairs), len(measures)
            )
            for column in np.moveaxis(found, -1, 0)
        )
        differences = []
        for one in comparison.differences:
            at = pairs.index((place[one.run], place[one.against])), order[one.measure]
            bounds = Bounds(float(low[at]), float(high[at]))
            is_exact = bool(exact[at] == 1)
            differences.append(replace(one, unjudged_bounds=bounds, unjudged_is_exact=is_exact))
        return tuple(differences)


def check_pairs(measures: list[Measure], ties: str, max_grade: float) -> None:
    """Refuse what differences have no bounds of."""
    if ties not in TIE_RULES:
        raise InputError(
            f"differences have bounds over unjudged documents with ties='expected', 'doc_id' or "
            f"'given'; found {ties!r}"
        )
    check_has_bounds(measures, max_grade, ties)
    for measure in measures:
        if measure.gain_of:
            raise InputError(
                f"{measure}: differences with gains= or rel= have no bounds over labels"
            )


def query_bounds(
    qrels: Qrels,
    runs: list[Run],
    measures: list[Measure],
    pairs: list[tuple[int, int]],
    *,
    ties: str = "expected",
    query_ids: Any = None,
    hidden: Hidden | None = None,
    max_grade: float | None = None,
    score_rule: ScoreRule = EXACT,
) -> np.ndarray:
    """Low, high and whether labels reach both, of shape (queries, pairs, measures, 3), of the
    queries given or all judged ones."""
    highest = highest_grade(qrels, max_grade)
    check_pairs(measures, ties, highest)
    hidden = hidden or Hidden()
    kernels = [Differences(measure, highest, ties) for measure in measures]
    found = []
    for query in Pool(qrels, runs, ties, score_rule).queries(query_ids):
        unseen = hidden.of(query.query_id, query.n_known)
        found.append([_of_pair(kernels, query, pair, unseen) for pair in pairs])
    return np.array(found, float)


def _of_pair(
    kernels: list[Differences], query: PooledQuery, pair: tuple[int, int], unseen: int
) -> list[DifferenceBounds]:
    """Bounds by each measure; 0 where both rank alike, though outer bounds are wider."""
    found = [kernel.bounds(query, *pair, unseen) for kernel in kernels]
    if query.ranks_alike(*pair):
        found = [own._replace(low=0.0, high=0.0) for own in found]
    return found
