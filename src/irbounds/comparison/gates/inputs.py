"""Facts that a gate takes from judgments and runs beside their evaluations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.comparison.data.alignment import Aligned
from irbounds.comparison.data.subtraction import subtract
from irbounds.comparison.label_bounds.pairs import LabelBounds
from irbounds.foundation.arguments import check_number
from irbounds.foundation.errors import InputError, fail
from irbounds.rankings.data.collection import Run
from irbounds.rankings.data.evaluation import Evaluation
from irbounds.rankings.evaluating.evaluator import Evaluator
from irbounds.rankings.measure_table.measure import Measure

if TYPE_CHECKING:
    from irbounds.typing import QrelsLike, RunLike

BASELINE, NEW = "baseline", "new"
# Values reached in two ways, by the measure and by its weights, differ by less than this.
ROUNDING = 1e-12
LabelRange = dict[Any, tuple[np.ndarray, np.ndarray]]  # by query: low and high for each measure


def judged_share(
    qrels: QrelsLike,
    new: RunLike,
    measures: tuple[str, ...],
    least: float | None,
    columns: dict[str, str],
) -> tuple[float, float] | None:
    """The mean share of judged documents among the first of the new run, and the least allowed."""
    if least is None:
        return None
    least = check_number(
        "min_judged", least, "must be between 0 and 1, for example 0.9", lambda x: 0 <= x <= 1
    )
    cutoffs = [Measure.of(name).cutoff for name in measures]
    deepest = max([int(k) for k in cutoffs if isinstance(k, int)], default=10)
    name = f"Judged@{deepest}"
    return Evaluator(qrels, name, columns=columns)._evaluate_silently(new).mean[name], least


def unchanged_queries(
    runs: dict[str, Any], evaluations: dict[str, Evaluation], columns: dict[str, str]
) -> set[Any]:
    """Queries with ties whose documents and scores are the same in the baseline and the new run:
    whatever breaks their ties breaks them alike."""
    old, own = evaluations[BASELINE], evaluations[NEW]
    if old.query_ids != own.query_ids or own.low is None or own.high is None:
        return set()
    assert old.low is not None
    assert old.high is not None
    has_ties = (own.low != own.high).any(axis=1)
    is_alike = ((old.values == own.values) & (old.low == own.low) & (old.high == own.high)).all(
        axis=1
    )
    rows = np.flatnonzero(has_ties & is_alike)
    if not len(rows):
        return set()
    first, second = (Run.of(runs[name], columns) for name in (BASELINE, NEW))
    queries = [own.query_ids[i] for i in rows.tolist()]
    return {
        query
        for query in queries
        if str(query) in first and str(query) in second and first[str(query)] == second[str(query)]
    }


def ranges_of_runs(
    labels: LabelBounds, runs: dict[str, Any], evaluations: dict[str, Evaluation]
) -> LabelRange:
    """The least and the greatest difference, new less baseline, of each query."""
    shared = set(evaluations[NEW].query_ids)
    query_ids = [query for query in evaluations[BASELINE].query_ids if query in shared]
    if not query_ids:
        return {}
    found = labels.of_pair(runs[NEW], runs[BASELINE], query_ids)
    return {query: (own[:, 0], own[:, 1]) for query, own in zip(query_ids, found, strict=True)}


def ranges_of_evaluations(evaluations: dict[str, Evaluation]) -> LabelRange:
    """Outer ranges: each run's labels as if they were free of the other's."""
    ends = {}
    for name in (BASELINE, NEW):
        own = evaluations[name]
        if own.unjudged_low is None or own.unjudged_high is None:
            fail(name, "must be evaluated with unjudged='bounds'", "none over labels")
        ends[name] = dict(
            zip(own.query_ids, zip(own.unjudged_low, own.unjudged_high, strict=True), strict=True)
        )
    old, new = ends[BASELINE], ends[NEW]
    return {
        query: (subtract(new[query][0], old[query][1]), subtract(new[query][1], old[query][0]))
        for query in new
        if query in old
    }


def worst_and_best(
    ranges: LabelRange,
    apart: np.ndarray,
    query_ids: tuple[Any, ...],
    measures: tuple[Measure, ...],
    signs: list[int],
) -> list[np.ndarray]:
    """Differences with the labels that are worst and best for the new run, above 0 where it is
    better.

    apart: the differences with the labels as they are, which are among those possible.  Ends that
    differ from them or from 0 by rounding alone are taken as equal.
    """
    low, high = (
        np.stack([ranges[query][side] for query in query_ids]).astype(float) for side in (0, 1)
    )
    flip = np.array(signs) < 0
    ends = []
    for end, pick in (
        (np.where(flip, -high, low), np.minimum),
        (np.where(flip, -low, high), np.maximum),
    ):
        if not np.isfinite(end).all():
            query, measure = np.argwhere(~np.isfinite(end))[0]
            raise InputError(
                f"{measures[measure]} has infinite bounds over labels for query "
                f"{query_ids[query]!r}, so it has no mean to compare"
            )
        end = np.where(np.abs(end) <= ROUNDING, 0.0, end)
        end = np.where(np.abs(end - apart) <= ROUNDING * np.maximum(1.0, np.abs(apart)), apart, end)
        ends.append(pick(end, apart))
    return ends


def gained_queries(evaluations: dict[str, Evaluation]) -> frozenset[Any]:
    """Queries that count 0 for the baseline, as it lacks them, and that the new run has."""
    old, new = evaluations[BASELINE], evaluations[NEW]
    gained = set(old.missing_queries).difference(new.missing_queries)
    return frozenset(gained.intersection(old.query_ids, new.query_ids))


def without(aligned: Aligned, queries: frozenset[Any]) -> Aligned:
    """The values of all other queries."""
    if not queries:
        return aligned
    kept = [i for i, query in enumerate(aligned.query_ids) if query not in queries]
    return aligned._replace(
        query_ids=tuple(aligned.query_ids[i] for i in kept),
        chosen=aligned.chosen[:, kept],
        low=None if aligned.low is None else aligned.low[:, kept],
        high=None if aligned.high is None else aligned.high[:, kept],
    )
