"""Bounds of the difference of two runs over all labels of the documents that nobody has judged.

With the number of relevant documents fixed, P, R, RelP, F, DCG, RBP, nDCG and Rprec are sums of
weights of places over one denominator that both runs share: so the difference takes its ends where
the documents of the largest (or smallest) difference of weights are relevant.  RR and Success of
rankings without ties need one relevant document at most.  All other measures have outer bounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from irbounds._core.evaluating.measures import MeasureKernel
from irbounds._core.label_bounds.unjudged import UnjudgedKernel
from irbounds._core.label_bounds.unjudged_difference import gain_differences, rprec_difference
from irbounds.comparison.label_bounds.weight_differences import (
    sort_rows,
    sorted_differences,
    weight_differences,
)
from irbounds.rankings.measure_table.measure import Measure
from irbounds.rankings.measure_table.spec import squared_beta
from irbounds.rankings.unjudged.expected_labels import discounts, gain_function, place_weights
from irbounds.rankings.unjudged.pools import PooledQuery, RankedDocuments

LINEAR = ("P", "DCG", "RBP", "SetP", "NumRelRet", "NumRet")  # in the labels


class DifferenceBounds(NamedTuple):
    """The least and the greatest difference; whether labels reach both ends."""

    low: float
    high: float
    is_exact: bool


class Differences:
    """Bounds of differences by one measure.

    max_grade: the highest grade that an unjudged document may have; ties: the rule of the rankings
    in the pool; hidden: how many documents that neither run retrieved may be relevant.
    """

    def __init__(self, measure: Measure, max_grade: float, ties: str) -> None:
        self.measure = measure
        self.max_grade = max_grade
        self.gain = gain_function(measure) if _has_gain(measure) else None
        rule = "best" if ties in ("doc_id", "given") else ties  # of ranks of one document
        kernel = MeasureKernel([measure.kernel_row], rule, False, measure.spec.mark_level(measure))
        self._kernel = UnjudgedKernel(kernel, max_grade)
        self._query: PooledQuery | None = None
        self._of_runs: dict[tuple[int, ...], np.ndarray] = {}  # of that query

    def _once(
        self, query: PooledQuery, key: tuple[int, ...], compute: Callable[[], np.ndarray]
    ) -> np.ndarray:
        """Numbers of one run of the query, which takes part in several pairs."""
        if self._query is not query:
            self._query, self._of_runs = query, {}
        if key not in self._of_runs:
            self._of_runs[key] = compute()
        return self._of_runs[key]

    def bounds(self, query: PooledQuery, one: int, other: int, hidden: int = 0) -> DifferenceBounds:
        """Bounds on the value of run number `one` less that of run number `other`."""
        measure = self.measure
        first, second = query.runs[one], query.runs[other]
        if measure.name == "NumRel":
            # A query has the same relevant documents for both runs.
            return DifferenceBounds(0.0, 0.0, True)
        if measure.name in ("Judged", "Hole") or (
            measure.name == "NumRet" and measure.get("rel") is None
        ):
            return self._outer(query, first, second, hidden)._replace(is_exact=True)
        if measure.name == "Rprec" and measure.get("mult") == 1:
            return self._rprec(query, first, second, hidden)
        if measure.name in ("RR", "Success") and _is_linear(measure, query, (first, second)):
            return self._one_relevant(query, first, second)
        if measure.name == "AP":
            return self._average_precision(query, first, second, hidden)
        weights = self.weights(query, first), self.weights(query, second)
        if weights[0] is None or weights[1] is None:
            return self._outer(query, first, second, hidden)
        low, high = self.weighted_bounds(query, np.array(weights), [(0, 1)], hidden)[0].tolist()
        return DifferenceBounds(low, high, True)

    def weights(self, query: PooledQuery, run: RankedDocuments) -> np.ndarray | None:
        """The weight of every document of the pool in the run's numerator, with gain 1."""
        at_place = place_weights(self.measure, len(run))
        return None if at_place is None else run.weights(at_place, len(query.grade))

    def open_gain(self) -> float:
        """The gain of an unjudged document of the highest grade."""
        assert self.gain is not None
        return float(self.gain(np.array([self.max_grade]))[0])

    def rough_ideal(self, query: PooledQuery) -> float:
        """The denominator of R, RelP, F or nDCG as the judged documents have it; that of one
        relevant document, if none is."""
        measure = self.measure
        if measure.name != "nDCG":
            n_relevant = max(1, query.n_judged(measure.get("rel")))
            if measure.name == "RelP":
                return float(min(n_relevant, measure.cutoff or n_relevant))
            if measure.name != "F":
                return float(n_relevant)
            (weight,) = squared_beta(measure)
            return (float(measure.cutoff or 1) + weight * n_relevant) / (1 + weight)
        assert self.gain is not None
        gains = np.repeat(self.gain(query.level), query.count)
        if measure.cutoff is not None:
            gains = gains[: int(measure.cutoff)]
        return float(gains @ discounts(len(gains))) or self.open_gain() or 1.0

    def weighted_bounds(
        self,
        query: PooledQuery,
        weights: np.ndarray,
        pairs: Sequence[tuple[int, int]],
        hidden: int,
    ) -> np.ndarray:
        """Low and high for each pair of rows of `weights`, which has a run's weights of the
        documents of the pool in each row."""
        assert self.gain is not None
        judged = np.flatnonzero(query.grade >= 0)
        gains = self.gain(query.grade[judged])
        counts = gains > 0
        # Judged documents add the same at both ends.
        products = weight_differences(weights[:, judged[counts]], pairs) * gains[counts]
        total = np.array([math.fsum(row) for row in products.tolist()])
        gain = self.open_gain()
        if self.measure.name == "nDCG":
            return self._gain_ends(query, weights.take(query.open, axis=1), pairs, total, hidden)
        free = weight_differences(weights.take(query.open, axis=1), pairs)
        # A document at places of equal weight in both runs of every pair cancels.
        matters = free.any(axis=0)
        if gain == 0:
            matters, hidden = np.zeros_like(matters), 0
        else:
            hidden += int(np.count_nonzero(~matters))  # they change the denominator alone
        if not matters.all():
            free = free.compress(matters, axis=1)
        if self.measure.name in LINEAR:
            scale = 1 / float(self.measure.cutoff or 1) if self.measure.name == "P" else 1.0
            low = total + gain * np.minimum(free, 0).sum(axis=1)
            high = total + gain * np.maximum(free, 0).sum(axis=1)
            return scale * np.stack([low, high], axis=1)
        sort_rows(free)
        ends = [self._ratio_ends(query, total, free, hidden, side) for side in (False, True)]
        return np.stack(ends, axis=1)

    def _gain_ends(
        self,
        query: PooledQuery,
        weights: np.ndarray,
        pairs: Sequence[tuple[int, int]],
        judged: np.ndarray,
        hidden: int,
    ) -> np.ndarray:
        """nDCG: open documents of one weight in both runs change the ideal alone, as hidden ones
        do."""
        n_open = weights.shape[1]
        if self.open_gain() == 0:
            weights, n_open, hidden = weights[:, :0], 0, 0
        rising, start = sorted_differences(weights, pairs)
        step, n_judged = self._levels(query)
        cutoff = 0 if self.measure.cutoff is None else int(self.measure.cutoff)
        unmoved = hidden + n_open - np.diff(start)
        return gain_differences(rising, start, judged, unmoved, step, n_judged, cutoff)

    def _ratio_ends(
        self,
        query: PooledQuery,
        judged: np.ndarray,
        rising: np.ndarray,
        hidden: int,
        greatest: bool,
    ) -> np.ndarray:
        """R, RelP, SetR and F by trying all numbers of relevant documents: those of the most
        extreme weights, hidden ones once they are no worse than the next."""
        measure, n = self.measure, rising.shape[1]
        weight = squared_beta(measure)[0] if measure.name == "F" else 1.0
        fixed = float(measure.cutoff or 0) if measure.name == "F" else 0.0
        n_relevant = query.n_judged(measure.get("rel"))
        weights = rising[:, ::-1] if greatest else rising
        helping = np.count_nonzero(weights > 0 if greatest else weights < 0, axis=1)
        sums = np.zeros((len(weights), n + 1))
        np.cumsum(weights, axis=1, out=sums[:, 1:])
        sums += judged[:, None]
        m = np.arange(n + 1)
        ends = np.full(len(weights), -np.inf if greatest else np.inf)
        # With the open documents given, hidden ones are in the denominator alone, so the ratio
        # rises or falls with their number: its ends are at none or all of them.
        for shift in {0, hidden}:
            ideal = fixed + weight * (n_relevant + shift + m)
            if measure.name == "RelP":
                ideal = np.minimum(ideal, float(measure.cutoff or 1))
            values = np.divide(sums, ideal, out=np.zeros_like(sums), where=ideal > 0)
            # Documents that help come first, then the hidden ones, of weight 0, then those that
            # hurt.
            excluded = m > helping[:, None] if shift < hidden else m < helping[:, None]
            if hidden > 0:
                values[excluded] = -np.inf if greatest else np.inf
            end = values.max(axis=1) if greatest else values.min(axis=1)
            ends = np.maximum(ends, end) if greatest else np.minimum(ends, end)
        return (1 + weight) * ends if measure.name == "F" else ends

    def _levels(self, query: PooledQuery) -> tuple[np.ndarray, np.ndarray]:
        """The thresholds of gain from the highest down: steps to the next, and judged documents."""
        assert self.gain is not None
        # A gain is the sum of the steps from 0 up to it.  So an ideal DCG is, summed over
        # thresholds, the step times the discounts of as many places as documents reach the
        # threshold.
        grades = query.level[query.level > 0]  # falling
        if not len(grades) or grades[0] < self.max_grade:
            grades = np.append(self.max_grade, grades)
        gains = self.gain(np.append(grades, 0.0))
        n_judged = [query.n_judged(grade) for grade in grades]
        return -np.diff(gains), np.array(n_judged, np.int64)

    def _rprec(
        self, query: PooledQuery, first: RankedDocuments, second: RankedDocuments, hidden: int
    ) -> DifferenceBounds:
        rel = self.measure.get("rel")
        free = query.open
        if self.max_grade < rel:
            free, hidden = free[:0], 0
        chosen = np.concatenate([free, np.flatnonzero(query.grade >= rel)])
        places = [run.places(len(query.grade)) for run in (first, second)]
        before = np.stack([own[chosen] for own, _ in places])
        size = np.stack([own[chosen] for _, own in places])
        n_relevant = query.n_judged(rel)
        low, high = (
            rprec_difference(before, size, len(free), n_relevant, hidden, greatest)
            for greatest in (False, True)
        )
        return DifferenceBounds(low, high, True)

    def _one_relevant(
        self, query: PooledQuery, first: RankedDocuments, second: RankedDocuments
    ) -> DifferenceBounds:
        """Bounds for rankings without ties. The first relevant document decides alone: at most one
        open document need be relevant, the one that helps most."""
        rel, n = self.measure.get("rel"), len(query.grade)
        limit = math.inf if self.measure.cutoff is None else self.measure.cutoff
        values, judged = [], []
        for run in (first, second):
            before, size = run.places(n)
            places = np.where(size > 0, before + 1.0, math.inf)
            places[places > limit] = math.inf
            value = 1 / places if self.measure.name == "RR" else np.isfinite(places) * 1.0
            relevant = value[query.grade >= rel]
            judged.append(float(relevant.max(initial=0.0)))
            values.append(value[query.open] if self.max_grade >= rel else value[:0])
        differences = np.maximum(values[0], judged[0]) - np.maximum(values[1], judged[1])
        # No open document is relevant.
        differences = np.append(differences, judged[0] - judged[1])
        return DifferenceBounds(float(differences.min()), float(differences.max()), True)

    def _average_precision(
        self, query: PooledQuery, first: RankedDocuments, second: RankedDocuments, hidden: int
    ) -> DifferenceBounds:
        """Outer: for each number of relevant documents the best of one run less the worst of the
        other, as if their labels were free of each other."""
        n_open = len(query.open) if self.max_grade >= self.measure.get("rel") else 0
        hidden = hidden if self.max_grade >= self.measure.get("rel") else 0
        n_relevant = self._once(
            query, (0, hidden), partial(self._relevant_counts, query, n_open, hidden)
        )
        best, worst = (
            [
                # Runs live as long as the query, so that `id` is that of one run.
                self._once(
                    query,
                    (id(run), side, hidden),
                    partial(self._totals, query, run, n_open, hidden, side),
                )
                for run in (first, second)
            ]
            for side in (True, False)
        )
        low = ((worst[0] - best[1]) / n_relevant).min()
        high = ((best[0] - worst[1]) / n_relevant).max()
        return DifferenceBounds(float(low), float(high), False)

    def _relevant_counts(self, query: PooledQuery, n_open: int, hidden: int) -> np.ndarray:
        """Relevant documents, all numbers of open ones; 1 for none, as the totals are 0 then."""
        n_judged = query.n_judged(self.measure.get("rel"))
        return np.maximum(n_judged + _numbers(n_open, hidden), 1)

    def _totals(
        self, query: PooledQuery, run: RankedDocuments, n_open: int, hidden: int, greatest: bool
    ) -> np.ndarray:
        """AP times the number of relevant documents, by the number of relevant documents among the
        open ones of the pool and the hidden: those that the run lacks are the last to help and the
        first to hurt."""
        own = self._kernel.precision_totals(
            run.scores, query.grade[run.documents], query.level, query.count, greatest
        )
        lacking = n_open + 1 - len(own)
        m = _numbers(n_open, hidden)
        if greatest:
            return np.append(own, np.full(lacking, own[-1]))[np.minimum(m, n_open)]
        return np.append(np.full(lacking, own[0]), own)[np.maximum(m - hidden, 0)]

    def _outer(
        self, query: PooledQuery, first: RankedDocuments, second: RankedDocuments, hidden: int
    ) -> DifferenceBounds:
        """The difference of the runs' own bounds."""
        (low, high), (low_of_other, high_of_other) = (
            self._once(query, (id(run), hidden), partial(self._ends, query, run, hidden)).tolist()
            for run in (first, second)
        )
        return DifferenceBounds(low - high_of_other, high - low_of_other, False)

    def _ends(self, query: PooledQuery, run: RankedDocuments, hidden: int) -> np.ndarray:
        """A run's own bounds."""
        grade = query.grade[run.documents]
        unseen = hidden + len(query.open) - int((grade < 0).sum())
        low, high = self._kernel.bounds_of(run.scores, grade, query.level, query.count, unseen)
        return np.array([low[0], high[0]])


def _numbers(n_open: int, hidden: int) -> np.ndarray:
    """Numbers of relevant documents among open and hidden ones that can be extreme for AP."""
    m = np.arange(n_open + min(hidden, n_open) + 1)
    if hidden > n_open:  # between n_open and hidden only the denominator changes
        m = np.concatenate([m[: n_open + 1], hidden + m[: n_open + 1]])
    return m


def _has_gain(measure: Measure) -> bool:
    return measure.name in (*LINEAR, "R", "ER", "RelP", "F", "SetR", "nDCG")


def _is_linear(
    measure: Measure, query: PooledQuery, runs: tuple[RankedDocuments, RankedDocuments]
) -> bool:
    """Whether no tie matters to the first relevant document."""
    for run in runs:
        grade = query.grade[run.documents]
        judged = np.flatnonzero(grade >= measure.get("rel"))
        last = run.before[judged[0]] if len(judged) else len(run)
        if np.any((run.size > 1) & (run.before <= last)):
            return False
    return True
