"""The part of the path in memory that runs in Spark's Python workers: Arrow batches of the run to
the kernel, a chunk at a time, and a row for each query back.

A worker sees one partition and does not know whether a query goes on in another.  It evaluates what
each chunk holds of a query as if that were all, and says how many rows that were; the driver uses
the numbers of queries that came in one chunk only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds._core.documents.arrow_rows import ArrowRows, open_array
from irbounds._core.documents.doc_index import DocTable
from irbounds._core.documents.doc_rows import BadRow, id_as_bytes
from irbounds.rankings.data.collection import Run
from irbounds.rankings.evaluating.evaluator import Evaluator
from irbounds.rankings.evaluating.label_rules import AsJudged, LabelMeans
from irbounds.spark.records import Columns, Part, problem_text

if TYPE_CHECKING:
    import pyarrow as pa

# Rows that are evaluated together.  A chunk costs an array of a byte for each judged query and some
# 30 microseconds; its rows stay in memory, 50 to 100 bytes each.
CHUNK = 1 << 18
NAMES = ["query_id", "doc_id", "score"]


class Found(IntEnum):
    """The outcome of a query in a chunk."""

    EVALUATED = 0
    UNJUDGED = 1
    LARGE = 2  # more rows than may be held
    FAULTY = 3  # a row that cannot be used
    SCATTERED = 4  # not evaluated: this partition has queries in several chunks


CHUNK_OUTCOMES = "query_id binary, found int, rows long, numbers binary, problem string"


class Numbers:
    """The numbers of all judged queries, and the job that fills them."""

    def __init__(self, evaluator: Evaluator) -> None:
        rule = evaluator._rule
        assert isinstance(rule, AsJudged)  # measures of subtopics were refused
        self.rule = rule
        self.filled = rule.begin()
        self.job = self.filled.job
        self.is_mean = isinstance(rule, LabelMeans)
        self.index = rule.qrels._index

    @cached_property
    def arrays(self) -> list[np.ndarray]:
        """The arrays that are there, each with a row for each judged query."""
        f = self.filled
        arrays = f.values, f.low, f.high, f.label_low, f.label_high
        return [array for array in arrays if array.size]

    def number(self, query_id: bytes) -> int:
        """The number of a judged query, or -1."""
        return int(self.index.query_number.get(query_id, -1))

    def rows(self, numbers: np.ndarray) -> np.ndarray:
        """All numbers of these queries, a row each."""
        return np.concatenate([array[numbers] for array in self.arrays], axis=1)

    def put_means(self, rows: ArrowRows, numbers: np.ndarray) -> None:
        """Means over labels for the values of these queries; the rows hold all that was retrieved
        for them."""
        self._put_means(Run(DocTable.from_reader(rows)), numbers)

    def put_means_of_nothing(self, numbers: np.ndarray) -> None:
        """The same for queries without documents, where means are asked for."""
        if self.is_mean and len(numbers):
            queries = self.rule.qrels.query_ids
            self._put_means(Run.from_dict({queries[numbers[0]]: {}}), numbers)

    def _put_means(self, run: Run, numbers: np.ndarray) -> None:
        from irbounds.rankings.unjudged.expected_labels import fill_means
        from irbounds.rankings.unjudged.pools import Pool

        rule, qrels = self.rule, self.rule.qrels
        pool = Pool(qrels, [run], rule.plan.ties, rule.plan.score_rule)
        values = self.filled.values[numbers]
        query_ids = [qrels.query_ids[number] for number in numbers.tolist()]
        fill_means(pool, query_ids, rule.measures, self._probability, values)
        self.filled.values[numbers] = values

    @cached_property
    def _probability(self) -> float | Mapping[str, Mapping[str, float]] | None:
        assert isinstance(self.rule, LabelMeans)
        probability = self.rule.probability
        return probability.to_dict() if isinstance(probability, Run) else probability

    def put(self, numbers: np.ndarray, rows: np.ndarray) -> None:
        """The inverse of `rows`."""
        column = 0
        for array in self.arrays:
            array[numbers] = rows[:, column : column + array.shape[1]]
            column += array.shape[1]


@dataclass(frozen=True)
class ChunkWorker:
    """A function for ``mapInArrow``, which is sent to the workers as its parameters only.

    judgments: an Arrow stream; options: of `Evaluator`; most_rows:
    that may be held of one query; tied_by: columns by which documents are equal that only `order`
    can tell apart.
    """

    judgments: bytes
    measures: tuple[Any, ...]
    options: dict[str, Any]
    most_rows: int
    columns: Columns
    tied_by: tuple[str, ...] = ()

    def evaluator(self) -> Evaluator:
        """With the judgments."""
        import pyarrow as pa

        with pa.ipc.open_stream(self.judgments) as stream:
            table = stream.read_all()
        return Evaluator(table, list(self.measures), **self.options)

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The outcomes of a partition."""
        task = None
        for chunk, is_large in chunks(batches, self.most_rows):
            if task is None:  # not for partitions without rows
                task = Task(self)
            yield task.large(chunk) if is_large else task.outcomes(chunk)


def chunks(
    batches: Iterable[pa.RecordBatch], most_rows: int
) -> Iterator[tuple[list[pa.RecordBatch], bool]]:
    """Batches together, cut where a query ends, and whether they are part of a query of more than
    `most_rows` rows."""
    held: list[pa.RecordBatch] = []
    n_rows, is_one_query = 0, False
    for batch in batches:
        if batch.num_rows == 0:
            continue
        # Looked at before the batch is held: what is held is one query, and stays so where the
        # batch has no row of another.  This costs one comparison of a column, and saves to look for
        # cuts in all that is held at each batch of a long query.
        is_one_query = is_one_query and _last_stretch(batch, held[0]) == 0
        held.append(batch)
        n_rows += batch.num_rows
        if n_rows < min(CHUNK, most_rows):
            continue
        # One query cannot be cut: it grows until it is whole, or too large.
        if not is_one_query:
            whole, held = _cut(held)
            if whole:
                yield whole, False
            n_rows, is_one_query = sum(part.num_rows for part in held), bool(held)
        if n_rows > most_rows:
            # Further rows of a query that is too large come as another part of it; the driver adds
            # the rows of the parts.
            yield held, True
            held, n_rows, is_one_query = [], 0, False
    if held:
        yield held, False


def _last_stretch(batch: pa.RecordBatch, like: pa.RecordBatch) -> int:
    """The first row of the last stretch of rows whose query is that of the last row of `like`."""
    import pyarrow as pa
    import pyarrow.compute as pc

    ids, wanted = batch.column(0), like.column(0)[like.num_rows - 1].as_py()
    same = pc.equal(ids, pa.scalar(wanted, ids.type)).fill_null(False)
    others = np.flatnonzero(~same.to_numpy(zero_copy_only=False))
    return int(others[-1]) + 1 if len(others) else 0


def _cut(held: list[pa.RecordBatch]) -> tuple[list[pa.RecordBatch], list[pa.RecordBatch]]:
    """The rows before those of the last query, and these."""
    last = held[-1]
    for place in reversed(range(len(held))):
        batch = held[place]
        start = _last_stretch(batch, last)
        if start > 0:
            rest = [batch.slice(start)] if start < batch.num_rows else []
            return [*held[:place], batch.slice(0, start)], [*rest, *held[place + 1 :]]
    return [], held


class Task:
    """The evaluation of one partition."""

    def __init__(self, worker: ChunkWorker) -> None:
        self.worker = worker
        self.numbers = Numbers(worker.evaluator())
        self.seen = np.zeros(len(self.numbers.index.query_number), bool)
        self.is_scattered = False

    def large(self, batches: list[pa.RecordBatch]) -> pa.RecordBatch:
        """The outcome of rows of one query, which is too large."""
        if any(column.null_count for batch in batches for column in batch.columns):
            return self._without_values(batches)
        query = id_as_bytes(batches[0].column(0)[0].as_py())
        rows = sum(batch.num_rows for batch in batches)
        found = Found.LARGE if self.numbers.number(query) >= 0 else Found.UNJUDGED
        return self._batch([query], np.array([rows]), np.array([found]), np.array([-1]))

    def outcomes(self, batches: list[pa.RecordBatch]) -> pa.RecordBatch:
        """The outcomes of a chunk."""
        if any(column.null_count for batch in batches for column in batch.columns):
            return self._without_values(batches)
        ambiguous: set[bytes] = set()
        if self.worker.tied_by:
            batches, ambiguous = in_order(batches, self.worker.tied_by)
        rows = rows_of(batches)
        queries, counts = rows.query_counts()
        number = np.array([self.numbers.number(query) for query in queries], np.int64)
        is_judged = number >= 0
        self.is_scattered |= bool(self.seen[number[is_judged]].any())
        self.seen[number[is_judged]] = True
        found = np.where(is_judged, Found.EVALUATED, Found.UNJUDGED)
        problems: dict[int, str] = {}
        # A query that came again means that the partition is not sorted by query: the next chunks
        # would hold parts of queries as well, whose values the driver throws away.  Only their rows
        # are counted from here on; the exchange evaluates these queries.
        if self.is_scattered:
            found[is_judged] = Found.SCATTERED
        else:
            try:
                self.numbers.job.run_reader(self.numbers.index, rows)
                if self.numbers.is_mean and is_judged.any():
                    self.numbers.put_means(rows_of(batches), np.unique(number[is_judged]))
            except BadRow as error:
                # one of them is faulty; the driver finds out by distributed counts
                found[is_judged] = Found.FAULTY
                problems[int(np.argmax(is_judged))] = f"run: {error.problem}"
        for place, query in enumerate(queries):
            if query in ambiguous and is_judged[place]:
                found[place] = Found.FAULTY
                problems[place] = (
                    f"run: column {self.worker.columns.order!r} must tell documents of equal score "
                    f"apart; two have the same (query {query.decode(errors='replace')!r})"
                )
        return self._batch(queries, counts, found, number, problems)

    def _without_values(self, batches: list[pa.RecordBatch]) -> pa.RecordBatch:
        """The outcomes of a chunk in which a row has no value in some column."""
        import pyarrow as pa
        import pyarrow.compute as pc

        table = pa.Table.from_batches(batches)
        parts = [Part.RUN_NO_QUERY, Part.RUN_NO_DOC, Part.RUN_NO_SCORE, Part.RUN_NO_ORDER]
        problems: dict[str, str] = {}
        for part, column in zip(parts, table.columns, strict=False):
            for query in pc.unique(table.column(0).filter(column.is_null())).to_pylist():
                query_id = "" if query is None else str(query)
                problems.setdefault(
                    query_id, problem_text(part, query_id, None, 0.0, self.worker.columns)
                )
        queries = [query_id.encode() for query_id in problems]
        nothing = np.zeros(len(queries), np.int64)
        texts = dict(enumerate(problems.values()))
        return self._batch(queries, nothing, nothing + Found.FAULTY, nothing - 1, texts)

    def _batch(
        self,
        queries: list[bytes],
        counts: np.ndarray,
        found: np.ndarray,
        number: np.ndarray,
        problems: dict[int, str] | None = None,
    ) -> pa.RecordBatch:
        import pyarrow as pa

        is_evaluated = found == Found.EVALUATED
        rows = self.numbers.rows(number[is_evaluated])
        # The column is built from its two buffers: rows of doubles are bytes as they are, and what
        # was not evaluated is an entry of length 0.
        ends = np.append(0, np.cumsum(is_evaluated * rows.shape[1] * rows.itemsize))
        numbers = pa.Array.from_buffers(
            pa.binary(),
            len(queries),
            [None, pa.py_buffer(ends.astype(np.int32)), pa.py_buffer(rows.tobytes())],
        )
        texts = [(problems or {}).get(place) for place in range(len(queries))]
        return pa.RecordBatch.from_arrays(
            [
                pa.array(queries, pa.binary()),
                pa.array(found.astype(np.int32)),
                pa.array(counts.astype(np.int64)),
                numbers,
                pa.array(texts, pa.string()),
            ],
            names=["query_id", "found", "rows", "numbers", "problem"],
        )


def rows_of(batches: list[pa.RecordBatch]) -> ArrowRows:
    """The rows of batches, where they lie."""
    capsules = [batch.__arrow_c_array__() for batch in batches]
    return ArrowRows([open_array(schema, array, [0, 1, 2]) for schema, array in capsules], NAMES)


def in_order(
    batches: list[pa.RecordBatch], tied_by: tuple[str, ...]
) -> tuple[list[pa.RecordBatch], set[bytes]]:
    """The rows by rising order, and the queries in which two documents are equal by these
    columns."""
    import pyarrow as pa
    import pyarrow.compute as pc

    table = pa.Table.from_batches(batches).sort_by([("order", "ascending")])
    # A query is ambiguous by its rows, not by its ranking: Spark hands over rows in no order, so
    # two documents with one score and one order number could come either way.
    times = table.group_by(list(tied_by)).aggregate([([], "count_all")])
    twice = times.filter(pc.greater(times.column("count_all"), 1))
    ids = {query.encode() for query in twice.column("query_id").to_pylist()}
    return table.select(NAMES).combine_chunks().to_batches(), ids
