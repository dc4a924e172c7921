"""Extrapolation along whole runs: X(R_T) from the precision at every recall (Dimm 2015, figure
6)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds._core.documents.doc_rows import id_as_text
from irbounds.extrapolation.curve import (
    RULES,
    Sensitivity,
    check_points,
    check_target,
    sensitivity_at,
    through,
    values,
    warn_where_little_is_said,
)
from irbounds.foundation.arguments import check_number, check_numbers
from irbounds.foundation.errors import InputError, check_count
from irbounds.rankings.data.collection import Qrels, Run
from irbounds.rankings.evaluating.evaluator import evaluate, evaluate_silently

if TYPE_CHECKING:
    from irbounds.typing import ArrayLike, QrelsLike, RunLike

LEVELS = tuple(level / 20 for level in range(1, 20))
NO_QUERY = "\0"  # no id of a file has this letter


@dataclass(frozen=True, eq=False)
class ExtrapolatedRun:
    """Precision at recall levels, and its extrapolation to the target recall.

    Attributes
    ----------
    query_ids : tuple
    levels : ndarray, shape (levels,)
        Recall levels.
    target_recall : float
    prevalence : ndarray, shape (queries,)
        Relevant documents among those of the collection.
    precision : ndarray, shape (queries, levels)
        Expected precision there, exact over the orders of tied documents.
    extrapolated : ndarray of that shape
        X(target_recall) from each point; nan where precision is no higher than prevalence, or is 1.
        The flatter a row is, the better the model's shape fits the query's curve.
    sensitivity : Sensitivity
        Derivatives of `extrapolated`, arrays of that shape.
    """

    query_ids: tuple[Any, ...]
    levels: np.ndarray
    target_recall: float
    prevalence: np.ndarray
    precision: np.ndarray
    extrapolated: np.ndarray
    sensitivity: Sensitivity

    def to_frame(self, backend: str = "pandas") -> Any:
        """A data frame with one row for each query and level: query_id, recall, precision,
        extrapolated."""
        from irbounds.foundation.frames import make_frame

        n_levels = self.levels.size
        return make_frame(
            {
                "query_id": [query for query in self.query_ids for _ in range(n_levels)],
                "recall": np.tile(self.levels, len(self.query_ids)),
                "precision": self.precision.ravel(),
                "extrapolated": self.extrapolated.ravel(),
            },
            backend,
        )

    def __repr__(self) -> str:
        return (
            f"ExtrapolatedRun({len(self.query_ids)} queries, {self.levels.size} recall levels, "
            f"target_recall={self.target_recall:g})"
        )


def extrapolate_run(
    qrels: QrelsLike,
    run: RunLike,
    target_recall: float = 0.75,
    *,
    collection_size: int | dict[str, int],
    levels: ArrayLike | None = None,
    ties: str = "expected",
    missing: str = "zero",
    rel: float = 1,
) -> ExtrapolatedRun:
    """X(R_T) of every query of a run, for each recall at which precision is measured (figure 6).

    Parameters
    ----------
    qrels, run
        As for `evaluate`.
    target_recall : float, from 0 to 1
    collection_size : int, or {query_id: int}
        Documents in the collection, or in that of each query, for the prevalence.  Those that the
        run lacks come last, in random order.
    levels : array_like, between 0 and 1, optional
        Recall levels; 0.05, 0.10, …, 0.95 by default.
    ties, missing : str
        As for `evaluate`.
    rel : float
        The least relevant grade.

    Returns
    -------
    ExtrapolatedRun

    Warns
    -----
    ExtrapolationWarning
        Where a level is more than 0.3 from the target, or recall or precision above 0.99, as for
        `extrapolate_precision`: one warning, about the worst of the points.

    Examples
    --------
    >>> import irbounds as irb
    >>> qrels = {"q1": {"d1": 1, "d2": 0, "d3": 1, "d4": 0}}
    >>> run = {"q1": {"d1": 0.7, "d2": 0.7, "d3": 0.4, "d4": 0.1}}
    >>> extrapolate_run = irb.extrapolation.extrapolate_run
    >>> found = extrapolate_run(qrels, run, 0.75, collection_size=1000, levels=[0.5, 0.75])
    >>> found.precision.round(4), found.extrapolated.round(4)
    (array([[0.75, 0.6 ]]), array([[0.4635, 0.6   ]]))
    >>> found = extrapolate_run(qrels, run, 0.75, collection_size={"q1": 40}, levels=[0.5])
    >>> found.extrapolated.round(4)
    array([[0.4852]])
    """
    target = check_target(target_recall)
    rel = check_number("rel", rel, "must be a grade above 0", lambda x: 0 < x < math.inf)
    level = check_numbers("levels", LEVELS if levels is None else levels, *RULES["recall"]).ravel()
    measures = [f"NumRel(rel={rel:g})", *(f"EP(recall={x!r},rel={rel:g})" for x in level.tolist())]
    options = {"ties": ties, "missing": missing}
    query_ids, found, sizes = _evaluated(qrels, run, measures, collection_size, **options)
    prevalence, precision = found[:, 0] / sizes, found[:, 1:]
    point = check_points(
        "nan",
        recall=level,
        precision=precision,
        prevalence=prevalence[:, None],
        target_recall=target,
    )
    R, P, rho, goal = point.values()
    beta = through(R, P, rho)
    extrapolated = np.where(goal == R, P, values("precision", goal, rho, beta))
    warn_where_little_is_said(R, P, rho, beta, goal, 3, lambda i: f"for query {query_ids[i[0]]!r}")
    return ExtrapolatedRun(
        query_ids,
        level,
        target,
        prevalence,
        precision,
        extrapolated,
        sensitivity_at(R, rho, beta, goal),
    )


def _evaluated(
    qrels: QrelsLike,
    run: RunLike,
    measures: list[str],
    collection_size: int | dict[str, int],
    **options: Any,
) -> tuple[tuple[Any, ...], np.ndarray, np.ndarray]:
    """The queries, their values, and the size of each query's collection."""
    if not isinstance(collection_size, dict):
        check_count("collection_size", collection_size)
        found = evaluate(qrels, run, measures, collection_size=collection_size, **options)
        return found.query_ids, found.values, np.full(len(found.query_ids), float(collection_size))
    judged, ranked = Qrels.of(qrels).to_dict(), Run.of(run).to_dict()
    size_of = {
        id_as_text(query): check_count(f"collection_size[{query!r}]", size)
        for query, size in collection_size.items()
    }
    by_size: dict[int, list[str]] = {}
    for query in judged:
        if query not in size_of:
            raise InputError(f"`collection_size` has no size for the query {query!r}")
        by_size.setdefault(size_of[query], []).append(query)
    missing = options["missing"]
    if missing == "error" or not ranked.keys() & judged.keys():  # refused with all queries in view
        evaluate(judged, ranked, measures[:1], missing=missing)
    values_of: dict[str, np.ndarray] = {}
    for size, queries in by_size.items():  # a collection of another size is another evaluation
        own = {query: ranked[query] for query in queries if query in ranked}
        if not own and missing == "skip":
            continue
        # A run without rows is refused, so all have one query that is no other's, and is left out.
        found = evaluate_silently(
            {**{query: judged[query] for query in queries}, NO_QUERY: {"d": 1}},
            {**own, NO_QUERY: {"d": 1.0}},
            measures,
            collection_size=size,
            **options,
        )
        values_of.update(zip(found.query_ids, found.values, strict=True))
    kept = tuple(query for query in judged if query in values_of)
    return (
        kept,
        np.array([values_of[query] for query in kept]).reshape(len(kept), len(measures)),
        np.array([float(size_of[query]) for query in kept]),
    )
