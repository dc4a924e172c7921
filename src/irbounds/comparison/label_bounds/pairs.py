"""Bounds on differences over the labels of unjudged documents."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irbounds._core.common.exact_sum import column_means
from irbounds.comparison.data.data import ComparisonData
from irbounds.comparison.data.difference import Difference
from irbounds.comparison.label_bounds.differences import DifferenceBounds, Differences
from irbounds.foundation.distributions import Bounds
from irbounds.foundation.errors import InputError
from irbounds.rankings.data.collection import Qrels, Run
from irbounds.rankings.data.equal_scores import EXACT, ScoreRule
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


def check_labels(
    qrels: Qrels,
    measures: list[Measure],
    ties: str,
    max_grade: float | None,
    unjudged_hidden: HiddenLike | None,
    *,
    judged_only: bool,
) -> None:
    """Refuse what has no bounds over labels."""
    if judged_only:
        raise InputError("`judged_only` drops unjudged documents: it does not go with their bounds")
    refuse_relevant_only(qrels, unjudged_hidden)
    check_pairs(measures, ties, highest_grade(qrels, max_grade))


def over_labels(
    comparison: ComparisonData,
    qrels: Qrels,
    runs: dict[str, Run],
    measures: list[Measure],
    *,
    hidden: Hidden,
    max_grade: float | None,
    score_rule: ScoreRule,
) -> tuple[Difference, ...]:
    """The same differences, with their bounds."""
    place = {name: number for number, name in enumerate(comparison.runs)}
    names = [str(measure) for measure in measures]
    pairs = {(place[one.run], place[one.against]) for one in comparison.differences}
    found = mean_bounds(
        qrels,
        list(runs.values()),
        measures,
        sorted(pairs),
        ties=comparison.ties,
        query_ids=comparison.query_ids,
        hidden=hidden,
        max_grade=max_grade,
        score_rule=score_rule,
    )
    differences = []
    for one in comparison.differences:
        own = found[place[one.run], place[one.against]][names.index(one.measure)]
        differences.append(replace(one, unjudged_bounds=own.bounds, unjudged_is_exact=own.is_exact))
    return tuple(differences)


TIE_RULES = ("expected", "doc_id", "given")


class MeanBounds(NamedTuple):
    """Bounds on a mean difference, and whether labels reach both ends."""

    bounds: Bounds
    is_exact: bool


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


def mean_bounds(
    qrels: Qrels,
    runs: list[Run],
    measures: list[Measure],
    pairs: list[tuple[int, int]],
    **options: Any,
) -> dict[tuple[int, int], list[MeanBounds]]:
    """{(run, against): one for each measure}; options: of `query_bounds`."""
    found = query_bounds(qrels, runs, measures, pairs, **options)
    means = [
        column_means(np.ascontiguousarray(column.reshape(len(found), -1)))
        for column in np.moveaxis(found, -1, 0)
    ]
    low, high, exact = (column.reshape(len(pairs), len(measures)) for column in means)
    return {
        pair: [
            MeanBounds(Bounds(float(low[i, m]), float(high[i, m])), bool(exact[i, m] == 1))
            for m in range(len(measures))
        ]
        for i, pair in enumerate(pairs)
    }


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
