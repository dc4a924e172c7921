"""The function `evaluate` of ranx, with its names of metrics.  ranx need not be installed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irbounds._core.documents.arrow_rows import ArrowBatch, ArrowRows
from irbounds._core.documents.doc_index import DocTable
from irbounds.foundation.arguments import check_flag
from irbounds.foundation.errors import InputError, fail, suggest
from irbounds.rankings.data.collection import Qrels, Run
from irbounds.rankings.evaluating.evaluator import Evaluator
from irbounds.rankings.measure_table.measure import Measure

if TYPE_CHECKING:
    from irbounds.typing import QrelsLike, RunLike

WHOLE = 10**9  # a cut-off below which no ranking ends


class _Form(NamedTuple):
    """The counterpart of a metric: the measure without a cut-off and with one, {at}; whether grades
    are gains."""

    whole: str
    cut: str
    is_graded: bool = False


_FORMS = {
    "hits": _Form("NumRelRet", "P@{at}"),  # P@k times k
    "hit_rate": _Form(f"Success@{WHOLE}", "Success@{at}"),
    "precision": _Form("SetP", "P@{at}"),
    "recall": _Form("SetR", "R@{at}"),
    "f1": _Form("SetF", "F@{at}"),
    "r-precision": _Form("Rprec", ""),
    "bpref": _Form("Bpref", ""),
    "mrr": _Form("RR", "RR@{at}"),
    "map": _Form("AP", "AP@{at}"),
    "dcg": _Form("DCG", "DCG@{at}", True),
    "dcg_burges": _Form("DCG(dcg=exp-log2)", "DCG(dcg=exp-log2)@{at}", True),
    "ndcg": _Form("nDCG", "nDCG@{at}", True),
    "ndcg_burges": _Form("nDCG(dcg=exp-log2)", "nDCG(dcg=exp-log2)@{at}", True),
}


class _Column(NamedTuple):
    """A metric: a measure, and the factor to multiply it by."""

    measure: Measure
    factor: float


def evaluate(
    qrels: QrelsLike,
    run: RunLike,
    metrics: str | Iterable[str],
    return_mean: bool = True,
    return_std: bool = False,
    threads: int = 0,
    save_results_in_run: bool = True,
    make_comparable: bool = False,
    *,
    ties: str = "expected",
) -> Any:
    """Evaluate a run, as `ranx.evaluate` does.

    Parameters
    ----------
    qrels, run
        Qrels and Run of ranx, dicts of dicts, or what `irbounds.evaluate` takes; or, both of them,
        lists of arrays, as ranx makes them: a row of each has the number of a document and its
        grade or score, those of the run by falling score.
    metrics : str or list of str
        Names of ranx, such as "ndcg@10", "map@100-l2", "rbp.95", "rbp.95-l2".  With "-l0" documents
        that were judged with grade 0 are relevant.
    return_mean : bool
        The mean over the queries; otherwise an array of values, in the order of the judgments.
    return_std : bool
        The mean and the standard deviation, as a dict.
    threads : int
        Ignored: one thread is used.
    save_results_in_run : bool
        Write the values to a Run of ranx, as ranx does.
    make_comparable : bool
        Queries that the run lacks count as empty rankings, and those that are not judged are left
        out; otherwise both are errors.
    ties : {"expected", "best", "worst", "doc_id", "given"}
        As in `irbounds.evaluate`.  ranx leaves tied documents as its sort happens to order them.

    Returns
    -------
    float, ndarray or dict
        The result for one metric; for a list of metrics a dict by name.

    Raises
    ------
    InputError
        A ValueError, also where queries differ.

    Notes
    -----
    Grades are gains without rounding, while `ranx.Qrels` truncates them to whole numbers.  For a
    query without judged non-relevant documents Bpref is that of trec_eval, while ranx gives nan.

    Examples
    --------
    >>> from irbounds.adapters.ranx import evaluate
    >>> qrels, run = {"q1": {"d1": 1, "d3": 2}}, {"q1": {"d1": 0.9, "d2": 0.8, "d3": 0.7}}
    >>> float(evaluate(qrels, run, "precision@2"))
    0.5
    >>> found = evaluate(qrels, run, ["map", "mrr"])
    >>> {name: round(float(value), 4) for name, value in found.items()}
    {'map': 0.8333, 'mrr': 1.0}
    """
    if not isinstance(metrics, Iterable):
        fail("metrics", "must be a name of ranx or a list of them", metrics)
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    if not names:
        raise InputError("`metrics` must name at least one metric")
    has_all = not check_flag("make_comparable", make_comparable)
    judged, kept, query_ids = _by_arrays(qrels, run, has_all) if ties != "doc_id" else NOTHING
    if judged is None:
        judged, kept = _by_rows(qrels, run, has_all)
    columns = {name: _column(name, judged) for name in names}
    evaluator = Evaluator(judged, [column.measure for column in columns.values()], ties=ties)
    if kept is not None:
        found = evaluator.evaluate(kept)  # type: ignore[arg-type]  # rows are for us alone
    else:  # a run without rows is refused: all is 0 with a document that nobody judged
        found = evaluator._evaluate_silently({judged.query_ids[0]: {"": 0.0}})
    query_ids = query_ids or found.query_ids
    values = {name: found[column.measure] * column.factor for name, column in columns.items()}
    with_deviation = check_flag("return_mean", return_mean) and check_flag("return_std", return_std)
    if save_results_in_run and hasattr(run, "mean_scores"):
        _save(run, query_ids, values, with_deviation)
    results: dict[str, Any] = values
    if with_deviation:
        results = {name: {"mean": x.mean(), "std": x.std()} for name, x in values.items()}
    elif return_mean:
        results = {name: x.mean() for name, x in values.items()}
    return results[names[0]] if len(names) == 1 else results


NOTHING = None, None, ()


def _by_rows(qrels: QrelsLike, run: RunLike, has_all: bool) -> tuple[Qrels, Any]:
    """The judgments, and the run's judged queries; None where these have no documents."""
    judged = Qrels.of(_documents("qrels", qrels))
    ranked = Run.of(_documents("run", run))
    if has_all:
        _check_queries(judged, ranked)
    kept = {query: ranked[query] for query in ranked if query in judged}
    return judged, kept if any(kept.values()) else None


def _by_arrays(
    qrels: Any, run: Any, has_all: bool
) -> tuple[Qrels | None, ArrowRows | None, tuple[str, ...]]:
    """The same of ranx' own objects, and the names of the queries, which are numbered; documents
    have the 64-bit hashes of their ids, as in ranx: to read all ids takes ten times as long."""
    if not (_is_own(qrels, "qrels") and _is_own(run, "run")):
        return NOTHING
    from irbounds.adapters.ranx_arrays import rows_of

    judged, ranked = (dict.fromkeys(each.keys()) for each in (qrels.qrels, run.run))
    if has_all:
        _check_queries(judged, ranked)
    numbers = {query: number for number, query in enumerate(judged)}
    sizes, *rows = rows_of(qrels.qrels)
    found_sizes, *found = rows_of(run.run)
    places = np.array([numbers.get(query, -1) for query in ranked])
    if not sizes.all() or not found_sizes[places >= 0].any():
        return NOTHING
    is_judged = np.repeat(places >= 0, found_sizes)
    found = [column[is_judged] for column in found]
    try:
        table = DocTable.from_reader(_numbered(np.arange(len(sizes)), sizes, rows, "relevance"))
        kept = places >= 0
        return (
            Qrels(table),
            _numbered(places[kept], found_sizes[kept], found, "score"),
            tuple(judged),
        )
    except ValueError:  # of two ids with one hash
        return NOTHING


def _is_own(given: Any, kind: str) -> bool:
    """Whether this is an object of ranx with its dict of numba."""
    is_of_ranx = type(given).__module__.partition(".")[0] == "ranx"
    documents: Any = getattr(given, kind, None) if is_of_ranx else None
    return type(documents).__module__.startswith("numba.") and len(documents) > 0


def _numbered(
    queries: np.ndarray, sizes: np.ndarray, columns: list[np.ndarray], value_name: str
) -> ArrowRows:
    """Rows of so many documents of each query: the hashes of their ids, and values."""
    query, doc = np.repeat(queries.astype(np.int32), sizes), columns[0]
    batch = ArrowBatch.from_buffers([("i", query), ("i", doc), ("f", columns[1])])
    return ArrowRows([batch], ["query_id", "doc_id", value_name])


def _documents(argument: str, given: Any) -> Any:
    """{number of the query: {document: value}} of a list of arrays; anything else as it is."""
    is_list = isinstance(given, Sequence) and not isinstance(given, str)  # numba's among them
    if not (isinstance(given, np.ndarray) or is_list) or not len(given):
        return given
    if not isinstance(given[0], np.ndarray):
        return given
    found = {}
    for query, rows in enumerate(given):
        if getattr(rows, "ndim", 0) != 2 or rows.shape[1] != 2:
            fail(argument, "must be arrays with two columns, document and value", rows)
        numbers, values = rows[:, 0], rows[:, 1]
        if argument == "run" and (values[1:] > values[:-1]).any():
            fail(argument, "must rank the rows of an array by falling score", values.tolist())
        found[str(query)] = dict(zip(map(_whole, numbers.tolist()), values.tolist(), strict=True))
        if len(found[str(query)]) < len(rows):
            raise InputError(f"`{argument}`: the array of query {query} has a document twice")
    return found


def _whole(number: float) -> float:
    """Scores make an array of floats: its documents, however large, are whole numbers again."""
    return int(number) if number - number == 0 and number == number // 1 else number


def _check_queries(qrels: Mapping[str, Any], run: Mapping[str, Any]) -> None:
    for one, other, what in ((qrels, run, "run lacks"), (run, qrels, "qrels lack")):
        lacking = [query for query in one if query not in other]
        if lacking:
            raise InputError(
                f"`qrels` and `run` must have the same queries; the {what} {lacking[0]!r}; "
                "make_comparable=True counts missing queries as 0 and leaves out unjudged ones"
            )


def _column(metric: str, qrels: Qrels) -> _Column:
    """The counterpart of a metric of ranx."""
    if not isinstance(metric, str):
        fail("metrics", "must be names of metrics", metric)
    match = re.fullmatch(r"rbp[.@](\d+)(?:-l(\d+))?", metric)
    if match is not None:
        # ranx takes grades for gains as they are: our gain is the grade over max_rel, so the value
        # is multiplied by that.
        highest = float(qrels._table.values().max(initial=1.0))
        measure = Measure.parse(f"RBP(p=0.{match[1]},max_rel={highest!r})")
        return _Column(_from_level(measure, int(match[2] or 1)), highest)
    match = re.fullmatch(r"([a-z1_-]+?)(?:@(\d+))?(?:-l(\d+))?", metric)
    if match is None or match[1] not in _FORMS:
        name = metric.partition("@")[0]
        raise InputError(f"unknown metric {metric!r}{suggest(name, [*_FORMS, 'rbp.95'])}")
    name, at, level = match[1], int(match[2] or 0), int(match[3] or 1)
    form = _FORMS[name]
    text = form.cut.format(at=at) if at and form.cut else form.whole
    measure = Measure.parse(text)
    if form.is_graded:
        measure = _from_level(measure, level)
    elif level != 1:
        measure = Measure(measure.name, {"rel": level, **measure.parameters}, measure.cutoff)
    return _Column(measure, float(at) if name == "hits" and at else 1.0)


def _from_level(measure: Measure, level: int) -> Measure:
    """The measure whose grades below a level are no gains."""
    if level <= 1:  # grade 0 has the gain 0
        return measure
    gains = dict.fromkeys(map(float, range(1, level)), 0.0)
    return Measure(measure.name, {**measure.parameters, "gains": gains}, measure.cutoff)


def _save(
    run: Any, query_ids: tuple[str, ...], values: dict[str, np.ndarray], with_deviation: bool
) -> None:
    """Write values where a Run of ranx keeps them."""
    for name, column in values.items():
        run.mean_scores[name] = column.mean()
        if with_deviation:
            run.std_scores[name] = column.std()
        for query, value in zip(query_ids, column, strict=True):
            run.scores[name][query] = value
