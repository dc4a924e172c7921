"""Rankings in which documents that no measure depends on are counted, not listed: for runs
larger than one machine."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irbounds._core.documents.doc_rows import BadRow
from irbounds.foundation.errors import InputError
from irbounds.rankings.evaluating.measure_plan import Levels, Plan
from irbounds.rankings.measure_table.measure import Measure, parse_measures
from irbounds.rankings.measure_table.spec import FromLevel

if TYPE_CHECKING:
    from irbounds.typing import MeasuresLike

MOST_PLACES = 1 << 24  # that Compat keeps sums for: half a gigabyte, seconds


class Tallies(NamedTuple):
    """Documents of several queries, one row for all that share a grade and a rank: query q is
    start[q]:start[q + 1]."""

    start: np.ndarray
    grade: np.ndarray
    times: np.ndarray

    @property
    def sums(self) -> np.ndarray:
        """The number of documents of each query."""
        return np.diff(np.append(0, np.cumsum(self.times))[self.start])


def reason_against_tallies(measure: Measure) -> str:
    """Why a measure needs the documents one by one; empty if it does not."""
    if measure.spec.function is not None:
        return "is a Python function"
    if isinstance(measure.gain_of, FromLevel):
        return "has gains by rel="
    # tallies do not tell pooled documents, whose grades are below 0, from others without judgments
    return "counts pooled documents without a judgment" if measure.name == "infAP" else ""


class TallyEvaluator:
    """Evaluates tallied rankings; the numbers equal those of `evaluate` for single documents.

    Takes the options of `evaluate`.  With ``ties="doc_id"`` or ``"given"`` the rows must be in that
    order.

    A *mark* is a document whose grade is `mark_level` or more: some measure distinguishes it from
    an unjudged one.  Others are counted only, between marks and tied with each.  So a ranking with
    m distinct scores of marks has at most 4 m + 2 rows of others, however long it is.

    Examples
    --------
    One relevant document, tied with two of a million others, below three of them:

    >>> evaluator = TallyEvaluator("RR NumRet", bounds=True)
    >>> grades, times = np.array([-1.0, 1, -1, -1]), np.array([3, 1, 2, 999_995])
    >>> ranked = Tallies(np.array([0, 4]), grades, times)
    >>> judged = Tallies(np.array([0, 1]), np.array([1.0]), np.array([1]))
    >>> value, low, high = evaluator.evaluate(["q"], np.array([2.0, 1, 1, 0]), ranked, judged)
    >>> print(value, low, high)
    [[2.05555556e-01 1.00000100e+06]] [[1.66666667e-01 1.00000100e+06]] [[2.500000e-01
    1.000001e+06]]
    """

    def __init__(
        self,
        measures: MeasuresLike,
        *,
        ties: str = "expected",
        bounds: bool = False,
        judged_only: bool = False,
        collection_size: int | None = None,
    ) -> None:
        self.measures: list[Measure] = parse_measures(measures)
        for measure in self.measures:
            if reason := reason_against_tallies(measure):
                raise InputError(
                    f"{measure} {reason}, which tallied rankings cannot be given: use `evaluate`"
                )
        self.ties = ties
        self.plan: Plan = Plan(self.measures, ties, bounds, judged_only, collection_size)
        if ties == "doc_id":  # the rows come in that order, and their documents have no ids
            self.plan = Plan(self.measures, "given", bounds, judged_only, collection_size)

    @property
    def mark_level(self) -> float:
        """The lowest grade of a mark."""
        if any(view.gain_of for view in self.plan.views):
            return 0.0
        return min(measure.spec.mark_level(measure) for measure in self.measures)

    def evaluate(
        self, query_ids: Sequence[str], score: np.ndarray, ranked: Tallies, judged: Tallies
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Values, and smallest and largest values, each of shape (queries, measures).

        Parameters
        ----------
        query_ids : sequence of str
            For messages.
        score : ndarray, shape (rows of `ranked`,)
            By which the documents of each query are ranked, falling; equal where they tie.
        ranked : Tallies
            The retrieved documents; a grade below 0 means unjudged.
        judged : Tallies
            The judged documents, retrieved or not.

        Raises
        ------
        InputError
            For grades, numbers of documents or ties that a measure cannot take.
        """
        levels = [_levels(judged, view.gain_of) for view in self.plan.views]
        self.plan.check_gains([float(level.max()) for _, level, _ in levels])
        self._check_collection(query_ids, ranked, judged)
        self._check_places(query_ids, ranked)
        values, low, high = self.plan.make_arrays(len(judged.start) - 1)
        # Documents that measures mark are listed one by one, all others of a grade and rank as one
        # row with their number.
        repeats = np.where(ranked.grade >= self.mark_level, ranked.times, 1)
        times = np.where(ranked.grade >= self.mark_level, 1, ranked.times)
        job = self.plan.make_job(levels, values, low, high)
        try:
            job.run_counted(
                np.repeat(score, repeats),
                np.repeat(ranked.grade, repeats),
                np.repeat(times, repeats),
                np.append(0, np.cumsum(repeats))[ranked.start],
            )
        except BadRow as error:
            query_id = query_ids[job.failed_query]
            raise InputError(f"run: {error.problem} (query {query_id!r})") from None
        return values, low, high

    def _check_collection(self, query_ids: Sequence[str], ranked: Tallies, judged: Tallies) -> None:
        """Refuse queries with more documents, retrieved or judged, than the collection has.  A
        grade below 0 is no judgment."""
        if not self.plan.collection_size:
            return
        documents = ranked.sums - _only_judged(ranked).sums + _only_judged(judged).sums
        for query in np.flatnonzero(documents > self.plan.collection_size)[:1]:
            raise InputError(
                f"run: `collection_size` {self.plan.collection_size} is less than the "
                f"{documents[query]} "
                f"documents of query {query_ids[query]!r}"
            )

    def _check_places(self, query_ids: Sequence[str], ranked: Tallies) -> None:
        """Refuse Compat of more places than it can keep; places behind some -650/log(p) count
        nothing (overlap.c)."""
        for measure in self.measures:
            if measure.name != "Compat" or -650 / math.log(measure.get("p")) <= MOST_PLACES:
                continue
            for query in np.flatnonzero(ranked.sums > MOST_PLACES)[:1]:
                raise InputError(
                    f"{measure}: tallied rankings of more than {MOST_PLACES} documents need p at "
                    f"most 0.99996; query {query_ids[query]!r} has {ranked.sums[query]}"
                )


def _only_judged(documents: Tallies) -> Tallies:
    """The same rows, those of unjudged documents without any."""
    return documents._replace(times=np.where(documents.grade >= 0, documents.times, 0))


def _levels(judged: Tallies, gain_of: dict[float, float]) -> Levels:
    """The judgments of each query, as `View` takes them: grades (or gains) of at least 0,
    descending."""
    query = np.repeat(np.arange(len(judged.start) - 1), np.diff(judged.start))
    gain = judged.grade.copy()
    for grade, its_gain in gain_of.items():
        gain[judged.grade == grade] = its_gain
    keep = judged.grade >= 0
    query, gain, times = query[keep], gain[keep], judged.times[keep]
    order = np.lexsort((-gain, query))
    query, gain, times = query[order], gain[order], times[order]
    first = np.flatnonzero(
        np.append(True, (query[1:] != query[:-1]) | (gain[1:] != gain[:-1]))[: len(gain)]
    )
    count = np.add.reduceat(times, first) if len(first) else times
    start = np.searchsorted(query[first], np.arange(len(judged.start)))
    return start.astype(np.int64), np.append(gain[first], 0.0), np.append(count, 0).astype(np.int64)
