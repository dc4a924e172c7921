"""Evaluation of measures of subtopics: the judgments are seen once for each subtopic, by all rules
for ties, and its values are added up."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from irbounds.foundation.errors import InputError
from irbounds.rankings.collection import Run
from irbounds.rankings.evaluation import Evaluation
from irbounds.rankings.measure import Measure
from irbounds.rankings.measure_table_subtopics import novelty
from irbounds.rankings.subtopics import SubtopicQrels


class SubtopicEvaluator:
    """An evaluator of measures of subtopics, and of others beside them.

    Parameters
    ----------
    make : callable
        `Evaluator`, of qrels without subtopics.
    qrels
        Judgments as `SubtopicQrels` takes them.
    measures : list of Measure
    options : dict
        Options of `Evaluator`.
    """

    def __init__(self, make: Any, qrels: Any, measures: list[Measure], options: dict[str, Any]):
        if options.get("unjudged", "nonrelevant") not in ("nonrelevant", "condensed"):
            raise InputError(
                "measures of subtopics take no bounds or means over labels of unjudged documents"
            )
        self.columns = options.get("columns") or {}
        self.qrels = SubtopicQrels.of(qrels, self.columns)
        self.measures = measures
        others = [measure for measure in measures if not measure.spec.scale]
        self.of_parts = [measure for measure in measures if measure.spec.scale]
        self.whole = make(self.qrels.whole(), others or [Measure.parse("NumQ")], **options)
        self.needs_whole = bool(others) or self.qrels.has_unjudged
        # The grades of a document on all subtopics are coded as one grade, and the measure on a
        # subtopic sees its own through gains: each document is looked up once.
        coded, gains = self.qrels.coded()
        inner = [
            Measure(m.name, {**m.parameters, "gains": gain}, m.cutoff, m.spec._replace(scale=""))
            for gain in gains
            for m in self.of_parts
        ]
        self.parts = make(coded, inner, **options)
        # subtopics with the same grades are one column
        self._columns = np.array([self.parts.measures.index(measure) for measure in inner])

    def evaluate(self, run: Any) -> Evaluation:
        """Evaluate one run, without warnings."""
        if self.needs_whole and not isinstance(run, dict):
            run = Run.of(run, self.columns)
        parts: Evaluation = self.parts._evaluate_silently(run)
        whole: Evaluation = self.whole._evaluate_silently(run) if self.needs_whole else parts
        shape = len(parts.values), -1, len(self.of_parts)
        # `inner` has all measures on the first subtopic, then all on the second: the axis in the
        # middle is that of the subtopics.
        sums = parts.values[:, self._columns].reshape(shape).sum(axis=1)
        numbers = [self._numbers[query] for query in whole.query_ids]
        values = np.empty((len(whole.query_ids), len(self.measures)))
        low = None if whole.low is None else values.copy()
        high = None if whole.high is None else values.copy()
        for column, measure in enumerate(self.measures):
            if measure.spec.scale:
                place = self.of_parts.index(measure)
                scale = self._scales[numbers, place]
                found = np.divide(sums[:, place], scale, out=np.zeros(len(scale)), where=scale > 0)
                values[:, column] = found
                continue
            place = whole.column(measure)
            values[:, column] = whole.values[:, place]
            if low is not None and high is not None and whole.low is not None:
                low[:, column], high[:, column] = whole.bounds(measure)
        return replace(whole, measures=tuple(self.measures), values=values, low=low, high=high)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {query: number for number, query in enumerate(self.qrels.documents)}

    @cached_property
    def _scales(self) -> np.ndarray:
        """The divisors of the sums: queries by measures."""
        scales = np.zeros((len(self.qrels.documents), len(self.of_parts)))
        for number, grades in enumerate(self.qrels.grades.values()):
            for column, measure in enumerate(self.of_parts):
                scales[number, column] = _scale(measure, grades >= float(measure.get("rel")))
        return scales


def _scale(measure: Measure, relevant: np.ndarray) -> float:
    """The divisor for one query, whose documents are relevant on these subtopics."""
    n_subtopics = int(relevant.any(axis=0).sum())
    if measure.spec.scale == "mean":
        return n_subtopics
    if measure.spec.scale == "most":
        return n_subtopics * _most(measure)
    gains = ideal_gains(relevant, novelty(measure)[0], measure.cutoff)
    return float(gains @ _worth(measure, len(gains)))


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


def ideal_gains(relevant: np.ndarray, alpha: float, depth: float | None = None) -> np.ndarray:
    """Gains of the documents of a ranking that takes the best next one each time, as ndeval does:
    of equal ones the first row.  Cost: places x documents x subtopics."""
    left = np.ones((relevant.shape[1], 1))
    free = relevant.T.astype(float, order="C")
    gains = []
    for _ in range(len(relevant) if depth is None else min(len(relevant), int(depth))):
        # sums go from subtopic to subtopic, as ndeval's, so that equal ones stay equal
        now = np.add.reduce(free * left, axis=0)
        best = now.argmax()
        gain = now[best]
        if gain == 0:  # so do all others
            break
        gains.append(gain)
        # Each further document on a subtopic is worth 1 - alpha of the one before.
        left[relevant[best]] *= 1 - alpha
        free[:, best] = 0
    return np.array(gains)
