"""Recall-precision graphs of whole runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irbounds._core.common.exact_sum import column_means
from irbounds.foundation.errors import check_choice
from irbounds.rankings.evaluating.evaluator import evaluate_silently
from irbounds.rankings.evaluating.weak_ordering import MEASURES, RecallPrecisionGraph, check_levels

if TYPE_CHECKING:
    from irbounds.typing import ArrayLike, QrelsLike, RunLike


def recall_precision_graph(
    qrels: QrelsLike,
    run: RunLike,
    measure: str = "prr",
    levels: ArrayLike | None = None,
    interpolation: str = "intuitive",
    *,
    bounds: bool = True,
    missing: str = "zero",
    no_relevant: str = "zero",
    drop_self: bool = False,
    duplicates: str = "error",
    judged_only: bool = False,
    collection_size: int | None = None,
    score_precision: str = "float64",
    score_tolerance: float = 0.0,
) -> RecallPrecisionGraph:
    """The recall-precision graph of a run: the mean precision of its queries at each recall level.

    Parameters
    ----------
    qrels, run : Qrels, Run, path, dict or data frame
    measure : {"prr", "ep", "precall"}
        Probability of relevance, expected precision, or the older practice; see `WeakOrdering`.
    levels : array_like in [0, 1], optional
        0, 0.05, …, 1 by default.
    interpolation : {"intuitive", "ceiling"}
    bounds : bool
        Give the graphs of the worst and of the best order of tied documents as well.
    missing, no_relevant, drop_self, duplicates, judged_only, collection_size
        As in `evaluate`.
    score_precision, score_tolerance
        As in `evaluate`.

    Returns
    -------
    RecallPrecisionGraph

    Raises
    ------
    InputError
        For unknown names, levels outside [0, 1], and all that `evaluate` refuses.

    Examples
    --------
    >>> import irbounds as irb
    >>> qrels = {"q1": {"d1": 1, "d2": 0, "d3": 1}}
    >>> run = {"q1": {"d1": 0.7, "d2": 0.7, "d3": 0.4}}
    >>> graph = irb.rankings.recall_precision_graph(qrels, run, levels=[0.5, 1])
    >>> graph.precision, graph.low, graph.high
    (array([0.66666667, 0.66666667]), array([0.5       , 0.66666667]), array([1.        ,
    0.66666667]))
    """
    check_choice("measure", measure, MEASURES)
    check_choice("interpolation", interpolation, ("intuitive", "ceiling"))
    level = check_levels(levels)
    names = [
        f"{measure.upper()}(recall={x!r},interpolation={interpolation})" for x in level.tolist()
    ]
    evaluation = evaluate_silently(
        qrels,
        run,
        names,
        bounds=bounds,
        missing=missing,
        no_relevant=no_relevant,
        drop_self=drop_self,
        duplicates=duplicates,
        judged_only=judged_only,
        collection_size=collection_size,
        score_precision=score_precision,
        score_tolerance=score_tolerance,
    )
    columns = [evaluation.column(name) for name in names]
    means, low, high = (
        None if values is None else column_means(values[:, columns])
        for values in (evaluation.values, evaluation.low, evaluation.high)
    )
    assert means is not None
    return RecallPrecisionGraph(
        level, means, measure, interpolation, len(evaluation.query_ids), low, high
    )
