"""irbounds as a provider of ir_measures, which must be installed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import TYPE_CHECKING, Any

import ir_measures
from ir_measures import Metric, providers, util

from irbounds._core.documents.doc_rows import BadRow, id_as_text
from irbounds.adapters.ir_measures_names import measure_here, needs_found, order_there
from irbounds.foundation.errors import InputError, check_choice
from irbounds.rankings.data.evaluation import Evaluation
from irbounds.rankings.evaluating.evaluator import Evaluator
from irbounds.rankings.measure_table.measure import TIE_RULES, Measure

if TYPE_CHECKING:
    from irbounds.typing import QrelsLike, RunLike

NAME = "irbounds"
# without annotations there
ReadQrels: Any = util.QrelsConverter
ReadRun: Any = util.RunConverter
register: Any = providers.register


class IrboundsProvider(providers.Provider):
    """The measures of irbounds, with the tie rule and the scores of trec_eval unless another rule
    is given."""

    NAME = NAME

    def __init__(self, ties: str = "doc_id") -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.ties = check_choice("ties", ties, TIE_RULES)

    def supports(self, measure: Any) -> bool:
        """Whether the table of measures has it, with its parameters."""
        measure.validate_params()
        return measure_here(measure) is not None

    def _evaluator(self, measures: Iterable[Any], qrels: QrelsLike) -> _ProvidedEvaluator:
        # ir_measures hands over a set, whose order differs from process to process.
        return _ProvidedEvaluator(sorted(measures, key=order_there), qrels, self.ties)


class _ProvidedEvaluator(providers.Evaluator):
    def __init__(self, measures: list[Any], qrels: QrelsLike, ties: str) -> None:
        here = {measure: measure_here(measure) for measure in measures}
        groups: tuple[dict[Any, Measure], dict[Any, Measure]] = {}, {}
        for measure, found in here.items():
            if found is None:
                raise ValueError(f"unsupported measure {measure}")
            groups[bool(found.spec.scale)][measure] = found
        plain, of_subtopics = groups
        readers = ReadQrels(qrels).tee(2 if plain and of_subtopics else 1)
        # Apart, as a document that was judged on several subtopics has several rows.
        rows = list(readers[-1].as_namedtuple_iter()) if of_subtopics else []
        documents = _documents(readers[0], "qrels", 2) if plain or not of_subtopics else {}
        super().__init__(measures, set(documents) or {id_as_text(row.query_id) for row in rows})
        self._evaluators = []
        for columns in groups:
            judged = documents if columns is plain else rows
            if columns and judged:
                needed = filter(None, map(needs_found, columns.values()))
                evaluator = Evaluator(
                    judged,
                    list(dict.fromkeys([*columns.values(), *needed])),
                    ties=ties,
                    missing="skip",
                    score_precision="float32",
                )
                self._evaluators.append((evaluator, columns))

    def iter_calc(self, run: RunLike) -> Iterator[Any]:
        """The metrics of a run, and for queries that it lacks the default of each measure."""
        # A dict and not a set, so that what is left comes in one order.
        missing = dict.fromkeys(product(self.measures, sorted(self.qrel_qids)))
        for metric in self._iter_calc(run):
            missing.pop((metric.measure, metric.query_id), None)
            if metric.value is not None:
                yield metric
        for measure, query in missing:
            found = measure_here(measure)
            if found is None or needs_found(found) is None:
                yield Metric(query_id=query, measure=measure, value=measure.DEFAULT)

    def _iter_calc(self, run: RunLike) -> Iterator[Any]:
        """The value is None where ir_measures has none."""
        rows = _documents(ReadRun(run), "run", 2)
        judged = {query: rows[query] for query in rows if rows[query] and query in self.qrel_qids}
        if not judged:
            return
        for evaluator, columns in self._evaluators:
            # Without warnings: ir_measures is often asked for one query at a time, of which it is
            # nothing special that all documents tie or none is judged.
            evaluation = evaluator._evaluate_silently(judged)
            table = [_values(evaluation, column) for column in columns.values()]
            for query, values in zip(evaluation.query_ids, zip(*table, strict=True), strict=True):
                for measure, value in zip(columns, values, strict=True):
                    yield Metric(query_id=query, measure=measure, value=value)


def _documents(reader: Any, argument: str, place: int) -> dict[str, dict[Any, Any]]:
    """{query: {document: value}} of the rows that ir_measures reads, queries as text."""
    found: dict[str, dict[Any, Any]] = {}
    try:
        if reader.predict_type()[0] == "dict_of_dict":
            for query, documents in reader.as_dict_of_dict().items():
                name = id_as_text(query)
                if name in found:
                    raise BadRow(f"duplicate query {name!r}")
                found[name] = documents
            return found
        for row in reader.as_namedtuple_iter():
            documents = found.setdefault(id_as_text(row.query_id), {})
            documents[id_as_text(row.doc_id)] = row[place]
    except BadRow as error:
        raise InputError(f"{argument}: {error.problem}") from None
    return found


def _values(evaluation: Evaluation, measure: Measure) -> list[Any]:
    """Those of a column; None for the queries that ir_measures leaves out."""
    values: list[Any] = evaluation[measure].tolist()
    needed = needs_found(measure)
    if needed is None:
        return values
    found = evaluation[needed].tolist()
    return [value if found[i] > 0 else None for i, value in enumerate(values)]


def enter(provider: IrboundsProvider) -> IrboundsProvider:
    """Register a provider, in the place of an earlier one, and let ir_measures ask it first."""
    leave()
    register(provider)
    ir_measures.DefaultPipeline.providers.insert(0, provider)
    setattr(ir_measures, NAME, provider)  # where ir_measures has its own
    return provider


def leave() -> None:
    """Undo `enter`."""
    providers.registry.pop(NAME, None)
    vars(ir_measures).pop(NAME, None)
    asked = ir_measures.DefaultPipeline.providers
    asked[:] = [provider for provider in asked if provider.NAME != NAME]
