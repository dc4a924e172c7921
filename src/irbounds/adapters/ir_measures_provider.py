"""irbounds as a provider of ir_measures, which must be installed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import ir_measures
from ir_measures import Metric, providers, util

from irbounds.adapters.ir_measures_names import measure_here
from irbounds.foundation.errors import check_choice
from irbounds.rankings.evaluator import Evaluator
from irbounds.rankings.measure import TIE_RULES

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

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> _ProvidedEvaluator:
        return _ProvidedEvaluator(list(measures), qrels, self.ties)


class _ProvidedEvaluator(providers.Evaluator):
    def __init__(self, measures: list[Any], qrels: Any, ties: str) -> None:
        rows = ReadQrels(qrels).as_dict_of_dict()
        super().__init__(measures, set(rows))
        here = {measure: measure_here(measure) for measure in measures}
        unknown = [measure for measure, found in here.items() if found is None]
        if unknown:
            raise ValueError(f"unsupported measure {unknown[0]}")
        self._columns = list(here.values())
        self._evaluator = None
        if rows and measures:
            wanted = list(dict.fromkeys(self._columns))
            self._evaluator = Evaluator(
                rows, wanted, ties=ties, missing="skip", score_precision="float32"
            )

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        rows = ReadRun(run).as_dict_of_dict()
        judged = {query: rows[query] for query in rows if query in self.qrel_qids}
        if self._evaluator is None or not judged:
            return
        evaluation = self._evaluator.evaluate(judged)
        columns = [evaluation[column].tolist() for column in self._columns]
        for number, query in enumerate(evaluation.query_ids):
            for measure, values in zip(self.measures, columns, strict=True):
                yield Metric(query_id=query, measure=measure, value=values[number])


def enter(provider: IrboundsProvider) -> IrboundsProvider:
    """Register a provider, in the place of an earlier one, and let ir_measures ask it first."""
    leave()
    register(provider)
    ir_measures.DefaultPipeline.providers.insert(0, provider)
    return provider


def leave() -> None:
    """Undo `enter`."""
    providers.registry.pop(NAME, None)
    asked = ir_measures.DefaultPipeline.providers
    asked[:] = [provider for provider in asked if provider.NAME != NAME]
