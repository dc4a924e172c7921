"""The part that runs in Spark's Python workers: Arrow batches of whole queries to the kernel and
back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.foundation.errors import InputError
from irbounds.rankings.evaluating.rank_counts import Tallies, TallyEvaluator
from irbounds.spark.records import RECORD, Columns, Part, State, problem_text

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Worker:
    """A function for ``mapInArrow``, which is sent to the workers as its parameters only."""

    measures: tuple[str, ...]
    ties: str
    bounds: bool
    judged_only: bool
    collection_size: int | None
    columns: Columns

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Outcomes of the queries of a partition, which is sorted by query."""
        evaluator = TallyEvaluator(
            list(self.measures),
            ties=self.ties,
            bounds=self.bounds,
            judged_only=self.judged_only,
            collection_size=self.collection_size,
        )
        for queries in whole_queries(batches):
            yield self._outcomes(evaluator, queries)

    def _outcomes(self, evaluator: TallyEvaluator, queries: Queries) -> pa.RecordBatch:
        names, part = queries.names, queries.part
        judged, ranked = (queries.tallies(part == kind) for kind in (Part.JUDGED, Part.RANKED))
        # as in `evaluate`, what is not judged needs values, but these may be any
        of_unjudged = np.repeat(np.diff(judged.start) == 0, np.diff(queries.start))
        is_problem = (part > Part.RANKED) & ~(of_unjudged & np.isin(part, ONLY_IF_JUDGED))
        problems = {
            int(query): problem_text(
                int(part[row]),
                names[query],
                queries.doc_id.get(row),
                float(queries.grade[row]),
                self.columns,
            )
            for query, row in queries.first_rows(is_problem)
        }
        if self.ties == "given":
            for query in _ambiguous(queries):
                problems.setdefault(
                    query,
                    f"run: column {self.columns.order!r} must tell documents of equal score "
                    f"apart; two have the same (query {names[query]!r})",
                )
        state = np.where(
            np.diff(judged.start) == 0,
            State.UNJUDGED,
            np.where(np.diff(ranked.start) == 0, State.MISSING, State.EVALUATED),
        )
        place = queries.place[part == Part.RANKED].astype(float)
        try:
            values, low, high = evaluator.evaluate(names, place, ranked, judged)
        except InputError as error:
            # The first query stands for all of the batch: any problem ends the evaluation.
            problems.setdefault(0, str(error))
            values = low = high = np.zeros((len(names), len(self.measures)))
        return self._batch(names, state, values, low, high, problems)

    def _batch(
        self,
        names: list[str],
        state: np.ndarray,
        values: np.ndarray,
        low: np.ndarray,
        high: np.ndarray,
        problems: dict[int, str],
    ) -> pa.RecordBatch:
        import pyarrow as pa

        n_queries, n_measures = len(names), len(self.measures)
        query, measure = (axis.ravel() for axis in np.indices((n_queries, n_measures)))
        # one row for what is only named
        # Queries without judgments have no values: their row carries the name.
        row = np.flatnonzero((state[query] != State.UNJUDGED) | (measure == 0))
        query, measure = query[row], measure[row]
        is_named = state[query] == State.UNJUDGED
        numbers = [
            pa.array(array.ravel()[row], mask=is_named)
            if array.size
            else pa.nulls(len(row), pa.float64())
            for array in (values, low, high)
        ]
        texts = [
            pa.array(text, pa.string())
            for text in (names, self.measures, map(problems.get, range(n_queries)))
        ]
        return pa.RecordBatch.from_pydict(
            {
                "query_id": texts[0].take(pa.array(query)),
                "state": pa.array(state[query].astype(np.int32)),
                "measure": texts[1].take(pa.array(measure, mask=is_named)),
                "value": numbers[0],
                "low": numbers[1],
                "high": numbers[2],
                "problem": texts[2].take(pa.array(query)),
            }
        )


@dataclass
class Queries:
    """Records of queries: query q has the rows start[q]:start[q + 1] of the other arrays.

    Ids are stored once for each query: repeated in every record they could exceed Arrow's 2 GB of
    text.
    """

    names: list[str]
    start: np.ndarray
    part: np.ndarray
    place: np.ndarray
    key: np.ndarray
    grade: np.ndarray
    times: np.ndarray
    doc_id: dict[int, str]  # of some rows

    @classmethod
    def of(cls, batch: pa.RecordBatch) -> Queries:
        """The records of a batch that is not empty."""
        import pyarrow as pa
        import pyarrow.compute as pc

        columns = dict(zip(RECORD, batch.columns, strict=True))
        ids, docs, n = columns.pop("query_id"), columns.pop("doc_id"), batch.num_rows
        # Rows are sorted by query: one begins where the id differs from the row before.
        changes = pc.not_equal(ids.slice(1), ids.slice(0, n - 1)).to_numpy(zero_copy_only=False)
        start = np.concatenate(([0], np.flatnonzero(changes) + 1, [n]))
        named = np.flatnonzero(docs.is_valid().to_numpy(zero_copy_only=False))
        return cls(
            ids.take(pa.array(start[:-1])).to_pylist(),
            start,
            doc_id=dict(zip(named.tolist(), docs.take(pa.array(named)).to_pylist(), strict=True)),
            **{name: column.to_numpy() for name, column in columns.items()},
        )

    def slice(self, first: int, last: int) -> Queries:
        """A range of queries."""
        begin, end = int(self.start[first]), int(self.start[last])
        return Queries(
            self.names[first:last],
            self.start[first : last + 1] - begin,
            doc_id={row - begin: name for row, name in self.doc_id.items() if begin <= row < end},
            **{name: getattr(self, name)[begin:end] for name in NUMBERS},
        )

    @classmethod
    def join(cls, pieces: list[Queries]) -> Queries:
        """Consecutive pieces as one; a query that one piece breaks off continues in the next."""
        if len(pieces) == 1:
            return pieces[0]
        names: list[str] = []
        starts: list[Any] = []
        doc_id: dict[int, str] = {}
        n_rows = 0
        for piece in pieces:
            # Its first query is the last of the piece before: its rows are appended, its name and
            # start are not.
            goes_on = bool(names) and names[-1] == piece.names[0]
            names += piece.names[goes_on:]
            starts.append(piece.start[goes_on:-1] + n_rows)
            doc_id.update({row + n_rows: name for row, name in piece.doc_id.items()})
            n_rows += int(piece.start[-1])
        return cls(
            names,
            np.concatenate([*starts, [n_rows]]),
            doc_id=doc_id,
            **{
                name: np.concatenate([getattr(piece, name) for piece in pieces]) for name in NUMBERS
            },
        )

    def tallies(self, keep: np.ndarray) -> Tallies:
        """Grades and counts of the rows to keep."""
        return Tallies(
            # How many rows are kept before each query begins: the starts among the rows kept.
            np.append(0, np.cumsum(keep))[self.start],
            self.grade[keep],
            self.times[keep],
        )

    def first_rows(self, wanted: np.ndarray) -> list[tuple[int, int]]:
        """(query, row) of the first row with a mark, for each query that has one."""
        rows = np.flatnonzero(wanted)
        queries, first = np.unique(
            np.searchsorted(self.start, rows, side="right") - 1, return_index=True
        )
        return list(zip(queries.tolist(), rows[first].tolist(), strict=True))


ONLY_IF_JUDGED = (Part.RUN_NAN, Part.RUN_TWICE)
NUMBERS = ("part", "place", "key", "grade", "times")


def whole_queries(batches: Iterator[pa.RecordBatch]) -> Iterator[Queries]:
    """The records of sorted batches, divided at the ends of queries only."""
    held: list[Queries] = []
    for queries in (Queries.of(batch) for batch in batches if batch.num_rows):
        # The query that is held ended with the batch before.
        if held and held[-1].names[-1] != queries.names[0]:
            yield Queries.join(held)
            held = []
        # The last query of a batch may go on in the next one: it is held back, and no other is.
        n = len(queries.names)
        if n > 1:
            yield Queries.join([*held, queries.slice(0, n - 1)])
            held = []
        held.append(queries.slice(n - 1, n))
    if held:
        yield Queries.join(held)


def _ambiguous(queries: Queries) -> list[int]:
    """Queries with documents of the same score and order next to a mark, where their order
    matters."""
    # An odd key is that of a document equal to a mark by score and order (`_place`).  Two of them,
    # as one record counted twice or as records of different grade, leave open which comes first.
    rows = np.flatnonzero((queries.part == Part.RANKED) & (queries.key % 2 == 1))
    query = np.searchsorted(queries.start, rows, side="right") - 1
    key, twice = queries.key[rows], queries.times[rows] > 1
    twice[1:] |= (query[1:] == query[:-1]) & (key[1:] == key[:-1])
    return np.unique(query[twice]).tolist()
