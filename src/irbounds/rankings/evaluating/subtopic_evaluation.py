"""Evaluation of measures of subtopics: the judgments are seen once for each subtopic, or for each
number of subtopics, by all rules for ties, and the values are added up."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds._core.evaluating.subtopic_rows import ideal_gains
from irbounds.foundation.errors import InputError
from irbounds.rankings.data.collection import Qrels
from irbounds.rankings.data.equal_scores import ScoreRule
from irbounds.rankings.data.evaluation import Evaluation
from irbounds.rankings.data.run_source import RunSource
from irbounds.rankings.evaluating.label_rules import (
    AsJudged,
    Options,
    barren_queries,
    label_rule,
)
from irbounds.rankings.evaluating.measure_plan import caution_of_unreached, check_orders
from irbounds.rankings.evaluating.subtopics import SubtopicQrels
from irbounds.rankings.measure_table.measure import Measure, parse_measures
from irbounds.rankings.measure_table.table_subtopics import is_linear, novelty
from irbounds.rankings.reading.frames import check_columns

if TYPE_CHECKING:
    from irbounds.typing import QrelsLike

MOST_GRADE = 2**31  # in Qrels
ONE_SUBTOPIC = (
    "no query of the judgments has a second subtopic: are the subtopics in column 2 (iteration)?"
)


class Subtopics:
    """The evaluation of measures of subtopics, and of others beside them."""

    def __init__(self, qrels: QrelsLike, measures: list[Measure], options: Options) -> None:
        self.score_rule = ScoreRule.read(options.score_precision, options.score_tolerance)
        if options.unjudged not in ("nonrelevant", "condensed"):
            raise InputError(
                "measures of subtopics take no bounds or means over labels of unjudged documents"
            )
        self.columns = check_columns(options.columns, is_shared=True)
        self.judged = SubtopicQrels.of(qrels, self.columns)
        self.measures = measures
        # Each query lacks some of the parts; queries are left out at the end.
        self.no_relevant = options.no_relevant
        self.options = options = options._replace(no_relevant="zero")
        others = [measure for measure in measures if not measure.spec.scale]
        self.of_parts = [measure for measure in measures if measure.spec.scale]
        for measure in self.of_parts:
            check_orders(measure, options.ties, bool(options.bounds))
        self._others = others or [Measure.parse("NumQ")]
        # The grades of a document on all subtopics are coded as one grade, and the measure on a
        # subtopic sees its own through gains: each document is looked up once.
        coded, grades = self.judged.coded()
        # A document that has no grade but those below 0 was judged by nobody.  Judgments without
        # such ones, and with no other measures, are seldom needed as a whole, and then made late.
        highest = grades.max(axis=1)
        self.needs_whole = bool(others) or bool((highest < 0).any())
        if self.needs_whole or (highest > MOST_GRADE).any():
            self.whole  # noqa: B018  # refuses a grade that is too high
        inner = [_of_marks(measure, grades) for measure in self.of_parts]
        self.parts = label_rule(
            coded, parse_measures([one for several in inner for one in several]), options
        )
        # subtopics with the same marks are one column
        self._columns = [list(map(self.parts.measures.index, several)) for several in inner]
        self.barren = self._barren()

    @cached_property
    def whole(self) -> AsJudged:
        """The evaluation of the other measures; its documents have their highest grades."""
        return label_rule(self.judged.whole(), self._others, self.options)

    @property
    def qrels(self) -> Qrels:
        """Each document with its highest grade."""
        return self.whole.qrels

    def evaluate(self, source: RunSource, rule: ScoreRule | None = None) -> Evaluation:
        """Evaluate one run, without warnings."""
        if self.needs_whole and not isinstance(source.given, dict):
            source = RunSource(source.in_memory(self.columns))
        parts = self.parts.evaluate(source, rule)
        whole = self.whole.evaluate(source, rule) if self.needs_whole else parts
        numbers = [self._numbers[query] for query in whole.query_ids]
        found: dict[str, Any] = {
            name: self._joined(getattr(parts, name), getattr(whole, name), numbers, whole)
            for name in ("values", "low", "high")
        }
        of_run = [each for each in whole.cautions if each not in self.parts.cautions]
        found["cautions"] = tuple(dict.fromkeys([*of_run, *self.cautions]))
        return self._without_barren(replace(whole, measures=tuple(self.measures), **found))

    def _barren(self) -> np.ndarray:
        """Whether each query has no relevant document by some measure."""
        highest = np.array([grades.max(initial=-1.0) for grades in self.judged.grades.values()])
        found: dict[Measure, np.ndarray] = {
            measure: highest < float(measure.get("rel")) for measure in self.of_parts
        }
        if len(self.of_parts) < len(self.measures):
            found |= self.whole.plan.without_relevant(self.whole.levels)
        return barren_queries(found, self.no_relevant, list(self.judged.documents))

    def _without_barren(self, found: Evaluation) -> Evaluation:
        """With `no_relevant_queries`, which are left out with "skip"."""
        if not self.barren.any():
            return replace(found, no_relevant_queries=())
        barren = dict.fromkeys(np.array(list(self.judged.documents), object)[self.barren].tolist())
        rows = [i for i, query in enumerate(found.query_ids) if query not in barren]
        if self.no_relevant == "zero":
            own = tuple(query for query in found.query_ids if query in barren)
            return replace(found, no_relevant_queries=own)
        return replace(
            found,
            query_ids=tuple(found.query_ids[i] for i in rows),
            values=found.values[rows],
            low=None if found.low is None else found.low[rows],
            high=None if found.high is None else found.high[rows],
            missing_queries=tuple(each for each in found.missing_queries if each not in barren),
            no_relevant_queries=tuple(barren),
        )

    @cached_property
    def cautions(self) -> tuple[str, ...]:
        """Cautions about the judgments."""
        own = (ONE_SUBTOPIC,) if self.judged.most_subtopics == 1 else ()
        highest = max(float(grades.max(initial=0.0)) for grades in self.judged.grades.values())
        others = self.whole.cautions if len(self.of_parts) < len(self.measures) else ()
        of_parts = caution_of_unreached((measure, highest) for measure in self.of_parts)
        return of_parts + others + own

    def _joined(
        self, parts: np.ndarray | None, whole: np.ndarray | None, numbers: list[int], of: Evaluation
    ) -> np.ndarray | None:
        """Values, or ends, of all measures from those of subtopics and of other measures."""
        if parts is None or whole is None:
            return None
        joined = np.empty((len(numbers), len(self.measures)))
        for column, measure in enumerate(self.measures):
            if not measure.spec.scale:
                joined[:, column] = whole[:, of.column(measure)]
                continue
            place = self.of_parts.index(measure)
            total = np.add.reduce(parts[:, self._columns[place]].T, axis=0)
            scale = self._scales[numbers, place]
            joined[:, column] = np.divide(total, scale, out=np.zeros(len(scale)), where=scale > 0)
        return joined

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {query: number for number, query in enumerate(self.judged.documents)}

    @cached_property
    def _scales(self) -> np.ndarray:
        """The divisors of the sums: queries by measures."""
        scales = np.zeros((len(self.judged.documents), len(self.of_parts)))
        most = max(map(len, self.judged.documents.values()))
        worths = [_worth(measure, _depth(measure, most)) for measure in self.of_parts]
        for number, grades in enumerate(self.judged.grades.values()):
            for column, measure in enumerate(self.of_parts):
                scales[number, column] = _scale(measure, grades, worths[column])
        return scales


def _of_marks(measure: Measure, grades: np.ndarray) -> list[Measure]:
    """The measures of marks whose sum is this one's, before its divisor: one for each subtopic.

    A linear measure adds up the documents' numbers of subtopics: one for each least number.  The
    best order of all these is the same, by falling number, and so is the worst, so that the sums of
    their ends are its ends.

    grades: by code and subtopic.
    """
    relevant = grades >= float(measure.get("rel"))
    marks = relevant.T
    if is_linear(measure):
        counts = relevant.sum(axis=1)
        marks = counts >= np.arange(1, max(counts.max(), 1) + 1)[:, None]
    spec = measure.spec._replace(scale="")
    return [
        Measure(
            measure.name,
            {**measure.parameters, "rel": 1, "gains": dict(enumerate(of.astype(int).tolist()))},
            measure.cutoff,
            spec,
        )
        for of in marks
    ]


def _scale(measure: Measure, grades: np.ndarray, worth: np.ndarray) -> float:
    """The divisor for one query, of whose documents these are the grades by subtopic; `worth` is
    that of as many places as are needed."""
    rel = float(measure.get("rel"))
    if measure.spec.scale in ("mean", "most"):
        n_subtopics = int((grades >= rel).any(axis=0).sum())
        return n_subtopics * (_most(measure) if measure.spec.scale == "most" else 1)
    gains = ideal_gains(grades, rel, novelty(measure)[0], _depth(measure, len(grades)))
    return float(gains @ worth[: len(gains)])


def _depth(measure: Measure, n_docs: int) -> int:
    return n_docs if measure.cutoff is None else min(n_docs, int(measure.cutoff))


def _worth(measure: Measure, n: int) -> np.ndarray:
    """The worth of places 1 .. n."""
    places = np.arange(1.0, n + 1)
    if measure.spec.kernel == "NovelDCG":
        return 1 / np.log2(places + 1)
    if measure.spec.kernel == "NovelERR":
        return 1 / places
    return novelty(measure)[1] ** (places - 1)


def _most(measure: Measure) -> float:
    """The sum for one subtopic, were all documents relevant on it."""
    alpha, beta = novelty(measure)
    if measure.spec.kernel == "NovelRBP":
        # A geometric series: each further document has (1 - alpha) beta times the worth.
        return 1 / (1 - (1 - alpha) * beta)
    assert isinstance(measure.cutoff, int)
    k = min(measure.cutoff, MOST_PLACES)
    return float((1 - alpha) ** np.arange(k) @ _worth(measure, k))


MOST_PLACES = 1 << 20  # with alpha = 0 a sum of logarithms; deeper cut-offs are refused elsewhere
