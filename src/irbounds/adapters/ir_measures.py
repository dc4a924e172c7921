"""The functions of ir_measures: `iter_calc`, `calc_aggregate` and `calc`.  ir_measures itself need
not be installed."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from irbounds.rankings.evaluation import Evaluation
from irbounds.rankings.evaluator import evaluate
from irbounds.rankings.measure import Measure, parse_measures


class Metric(NamedTuple):
    """The value of a measure for one query; equal to an `ir_measures.Metric` with the same
    fields."""

    query_id: str
    measure: Any
    value: float


class CalcResults(NamedTuple):
    """The result of `calc`."""

    aggregated: dict[Any, float]
    per_query: list[Any]


def iter_calc(measures: Any, qrels: Any, run: Any, **options: Any) -> Iterator[Any]:
    """Values of measures for each query.

    Parameters
    ----------
    measures : ir_measures objects, str or list of str
    qrels, run
        As in `irbounds.evaluate`: lists and iterators of ``Qrel`` and ``ScoredDoc`` among them.
    **options
        Of `irbounds.evaluate`.  With ``ties="doc_id"`` the values are those that ir_measures gets
        from trec_eval.

    Yields
    ------
    Metric
        ``ir_measures.Metric`` where that is imported; `measure` is the object that was given, or a
        name as text.

    Examples
    --------
    >>> from irbounds.adapters.ir_measures import iter_calc
    >>> qrels, run = {"q1": {"d1": 1}}, {"q1": {"d1": 0.5, "d2": 0.5}}
    >>> list(iter_calc("AP P@1", qrels, run))
    [Metric(query_id='q1', measure='AP', value=0.75), Metric(query_id='q1', measure='P@1',
    value=0.5)]
    """
    given = _given(measures)
    return _metrics(given, evaluate(qrels, run, list(given), **options))


def calc_aggregate(measures: Any, qrels: Any, run: Any, **options: Any) -> dict[Any, float]:
    """Each measure over all queries: counts are summed, other measures averaged.  Takes the
    arguments of `iter_calc`.

    Examples
    --------
    >>> from irbounds.adapters.ir_measures import calc_aggregate
    >>> calc_aggregate("AP NumRet", {"q1": {"d1": 1}}, {"q1": {"d1": 0.5, "d2": 0.5}})
    {'AP': 0.75, 'NumRet': 2.0}
    """
    given = _given(measures)
    return _aggregated(given, evaluate(qrels, run, list(given), **options))


def calc(measures: Any, qrels: Any, run: Any, **options: Any) -> CalcResults:
    """The values of `calc_aggregate` as ``aggregated``, and those of `iter_calc` as the list
    ``per_query``."""
    given = _given(measures)
    evaluation = evaluate(qrels, run, list(given), **options)
    return CalcResults(_aggregated(given, evaluation), list(_metrics(given, evaluation)))


def _given(measures: Any) -> dict[Measure, Any]:
    """Each measure as it was given: an object, or text."""
    items = (
        [measures]
        if isinstance(measures, str) or not isinstance(measures, Iterable)
        else list(measures)
    )
    given: dict[Measure, Any] = {}
    for item in items:
        for measure in parse_measures(item):
            is_object = isinstance(item, Measure) or not isinstance(item, str)
            given.setdefault(measure, item if is_object else str(measure))
    return given or {measure: measure for measure in parse_measures(items)}


def _metrics(given: dict[Measure, Any], evaluation: Evaluation) -> Iterator[Any]:
    loaded = sys.modules.get("ir_measures")
    metric = Metric if loaded is None else loaded.Metric
    for query, row in zip(evaluation.query_ids, evaluation.values.tolist(), strict=True):
        for measure, value in zip(given.values(), row, strict=True):
            yield metric(query, measure, value)


def _aggregated(given: dict[Measure, Any], evaluation: Evaluation) -> dict[Any, float]:
    return dict(zip(given.values(), evaluation.summary.values(), strict=True))
