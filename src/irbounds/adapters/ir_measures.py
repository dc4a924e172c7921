"""The functions of ir_measures, and `register`, which makes irbounds a provider of ir_measures.

ir_measures itself is needed for `register` and for measures that were defined at runtime alone.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from irbounds._core.documents.doc_rows import BadRow, id_as_text
from irbounds.adapters.ir_measures_names import measure_here, named_there, needs_found
from irbounds.foundation.errors import InputError
from irbounds.rankings.data.collection import Qrels, Run
from irbounds.rankings.data.evaluation import Evaluation
from irbounds.rankings.evaluating.evaluator import Evaluator, evaluate
from irbounds.rankings.measure_table.measure import Measure, parse_measures

if TYPE_CHECKING:
    from irbounds.typing import MeasuresLike, QrelsLike, RunLike


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


def iter_calc(
    measures: MeasuresLike, qrels: QrelsLike, run: RunLike, **options: Any
) -> Iterator[Any]:
    """Values of measures for each query.

    Parameters
    ----------
    measures : ir_measures objects, str or list of str
    qrels, run
        As in `irbounds.evaluate`: lists and iterators of ``Qrel`` and ``ScoredDoc`` among them.
    **options
        Options of `irbounds.evaluate`.  With ``ties="doc_id"`` the values are those that
        ir_measures gets from trec_eval.

    Notes
    -----
    Measures of ``ir_measures.define`` and ``define_byquery`` are functions of data frames.  They
    are computed by ir_measures, which puts tied documents in any order.  Options are checked, but
    `missing` alone applies to them, so that all measures are over the same queries.  The beta of
    SetF is what it is in ir_measures, which hands it to trec_eval as its square.

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
    return _Calculation(measures, qrels, run, options).metrics()


def calc_aggregate(
    measures: MeasuresLike, qrels: QrelsLike, run: RunLike, **options: Any
) -> dict[Any, float]:
    """Each measure over all queries: counts are summed, other measures averaged.  Takes the
    arguments of `iter_calc`.

    Examples
    --------
    >>> from irbounds.adapters.ir_measures import calc_aggregate
    >>> calc_aggregate("AP NumRet", {"q1": {"d1": 1}}, {"q1": {"d1": 0.5, "d2": 0.5}})
    {'AP': 0.75, 'NumRet': 2.0}
    """
    return _Calculation(measures, qrels, run, options).aggregated()


def calc(measures: MeasuresLike, qrels: QrelsLike, run: RunLike, **options: Any) -> CalcResults:
    """The values of `calc_aggregate` as ``aggregated``, and those of `iter_calc` as the list
    ``per_query``."""
    calculation = _Calculation(measures, qrels, run, options)
    return CalcResults(calculation.aggregated(), list(calculation.metrics()))


def register(*, ties: str = "doc_id") -> Any:
    """Let ``ir_measures.calc_aggregate``, ``iter_calc``, ``calc`` and ``evaluator`` use irbounds.

    irbounds becomes the provider ``ir_measures.irbounds``, also in
    ``ir_measures.providers.registry``, and the first that ir_measures asks.  Measures that irbounds
    lacks, and those of ``define`` and ``define_byquery``, come from the other providers as before.

    Parameters
    ----------
    ties : {"doc_id", "expected", "best", "worst", "given"}
        The order of documents of equal score: descending document id, as in trec_eval, from
        which ir_measures has most numbers; or another rule of `irbounds.evaluate`.

    Returns
    -------
    ir_measures.providers.Provider
        With ``iter_calc``, ``calc_aggregate``, ``calc`` and ``evaluator`` of its own.

    Notes
    -----
    Scores are rounded to 32-bit floats, as trec_eval stores them.  A judged query that the run
    lacks counts as ir_measures' default of the measure, 0.

    Examples
    --------
    >>> import ir_measures
    >>> from irbounds.adapters.ir_measures import register, unregister
    >>> provider = register()
    >>> qrels, run = {"q1": {"d1": 1}}, {"q1": {"d1": 0.5, "d2": 0.5}}
    >>> ir_measures.calc_aggregate([ir_measures.AP], qrels, run)
    {AP: 0.5}
    >>> register(ties="expected").calc_aggregate([ir_measures.AP], qrels, run)
    {AP: 0.75}
    >>> unregister()
    """
    from irbounds.adapters.ir_measures_provider import IrboundsProvider, enter

    return enter(IrboundsProvider(ties))


def unregister() -> None:
    """Take the provider of `register` out of ir_measures."""
    from irbounds.adapters.ir_measures_provider import leave

    leave()


class _Calculation:
    """The values of measures as they were given: texts, and objects of two libraries."""

    def __init__(
        self, measures: MeasuresLike, qrels: QrelsLike, run: RunLike, options: dict[str, Any]
    ) -> None:
        items = (
            [measures]
            if isinstance(measures, str) or not isinstance(measures, Iterable)
            else list(measures)
        )
        self.given: dict[Any, Measure | None] = {}  # what each is called, and what computes it
        for item in items:
            self._add(item)
        asked = [measure for measure in self.given.values() if measure is not None]
        needed = {measure: needs_found(measure) for measure in asked}
        self.needed = {measure: found for measure, found in needed.items() if found is not None}
        self.columns = list(dict.fromkeys([*asked, *self.needed.values()]))
        self.others: list[Any] = [item for item, here in self.given.items() if here is None]
        if self.others:
            try:
                qrels, run = _rows(qrels), _rows(run)
            except BadRow as error:
                raise InputError(f"qrels or run: {error.problem}") from None
        self.evaluation: Evaluation | None = None
        if self.columns or not self.others:
            self.evaluation = evaluate(qrels, run, self.columns, **options)
        self.found: Any = ([], {})
        if self.others:
            if self.evaluation is None:  # which refuses bad options
                Evaluator({"q": {"d": 1}}, "P@1", **options)
            missing = options.get("missing", "zero")
            self.found = _by_ir_measures(self.others, qrels, run, missing)

    def _add(self, item: Any) -> None:
        if hasattr(item, "runtime_impl"):
            self.given.setdefault(item, None)
            return
        if isinstance(item, Measure):
            self.given.setdefault(item, parse_measures(item)[0])
            return
        if isinstance(item, str):
            for name, measure in named_there(item):
                self.given.setdefault(name, measure)
            return
        if getattr(item, "NAME", "") == "SetF":
            self.given.setdefault(item, measure_here(item) or parse_measures(item)[0])
            return
        for measure in parse_measures(item):
            self.given.setdefault(item, measure)

    def metrics(self) -> Iterator[Any]:
        loaded = sys.modules.get("ir_measures")
        # Whoever has imported ir_measures gets its own class; nobody else pays for importing it.
        metric = Metric if loaded is None else loaded.Metric
        if self.evaluation is not None:
            places = [
                (item, self.columns.index(here), self.columns.index(self.needed.get(here, here)))
                for item, here in self.given.items()
                if here is not None
            ]
            over_some = [here in self.needed for here in self.given.values() if here is not None]
            rows = self.evaluation.values.tolist()
            for query, row in zip(self.evaluation.query_ids, rows, strict=True):
                for (item, place, needed), may_lack in zip(places, over_some, strict=True):
                    # ir_measures has no value of Accuracy for a query without a relevant document
                    # retrieved.
                    if not may_lack or row[needed] > 0:
                        yield metric(query, item, row[place])
        yield from self.found[0]

    def aggregated(self) -> dict[Any, float]:
        summary = {} if self.evaluation is None else dict(self.evaluation.summary)
        for measure, needed in self.needed.items():
            summary[measure] = self._mean_where(measure, needed)
        return {
            item: self.found[1][item] if here is None else summary[here]
            for item, here in self.given.items()
        }

    def _mean_where(self, measure: Measure, needed: Measure) -> float:
        """The mean over the queries of which `needed` is not 0."""
        assert self.evaluation is not None
        values = self.evaluation[measure][self.evaluation[needed] > 0]
        return float(values.mean()) if values.size else float("nan")


def _rows(source: Any) -> Any:
    """An input that ir_measures can read, and more than once, with ids as text."""
    if isinstance(source, Qrels | Run):
        return source.to_dict()
    if isinstance(source, Mapping):
        return {
            id_as_text(query): {id_as_text(doc): value for doc, value in documents.items()}
            for query, documents in source.items()
        }
    names = ("query_id", "doc_id")
    if hasattr(source, "itertuples"):
        here = [name for name in names if name in source.columns]
        return source.assign(**{name: list(map(id_as_text, source[name])) for name in here})
    if not isinstance(source, Iterable) or isinstance(source, str):
        return source
    return [
        row._replace(**{name: id_as_text(getattr(row, name)) for name in names})
        if hasattr(row, "_replace")
        else row
        for row in source
    ]


def _by_ir_measures(
    measures: list[Any], qrels: QrelsLike, run: RunLike, missing: str
) -> tuple[list[Any], dict[Any, Any]]:
    """Metrics and aggregates of measures that were defined at runtime.  `missing` is the rule for
    queries that the run lacks; those of ir_measures have its default of the measure."""
    import ir_measures

    found: Any = ir_measures.runtime.calc(measures, qrels, run)
    metrics = list(found.per_query)
    if missing == "zero":
        return metrics, dict(found.aggregated)
    # without annotations there
    read: Any = ir_measures.util.RunConverter
    retrieved = set(read(run, strict=False).as_pd_dataframe()["query_id"])
    kept = [metric for metric in metrics if metric.query_id in retrieved]
    if missing == "error" and len(kept) < len(metrics):
        lacking = next(metric for metric in metrics if metric.query_id not in retrieved)
        raise InputError(f"run: it lacks the judged query {lacking.query_id!r}")
    totals = {measure: measure.aggregator() for measure in measures}
    for metric in kept:
        totals[metric.measure].add(metric.value)
    return kept, {measure: total.result() for measure, total in totals.items()}
