"""The exchange by query of rows that Spark's tasks read from files themselves.

Spark takes some two microseconds of processors to exchange a row that goes to Python.  Here a task
sorts its rows by their destination and hands them over as streams of Arrow, some thousand rows
each, which Spark moves as bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.spark.chunks import ChunkWorker, Task
from irbounds.spark.failures import input_errors
from irbounds.spark.file_workers import as_stream
from irbounds.spark.parquet_files import ParquetFiles, Piece

if TYPE_CHECKING:
    import pyarrow as pa

# Rows of a part, unless one query has more: its worker holds them, some 130 bytes each.
PART = 1 << 20
FEW = 1 << 16  # rows that are not worth a second task
PIECE = 1 << 12  # rows of a stream, about: 100 kB and more, beside .2 ms to write and read one,
MOST_HELD = 1 << 20  # as far as not more rows than these are held for that
NAMES = ["query_id", "doc_id", "score"]


def parts_of(n_rows: np.ndarray, n_tasks: int) -> np.ndarray:
    """The part of each query, from its number of rows: parts of about equal size."""
    total = int(n_rows.sum())
    # At least so many parts that each fits, and no fewer than tasks that could work at once.  A
    # query goes where the middle of its rows falls: a part exceeds its share by half a query at
    # either end.
    n_parts = max(-(-total // PART), n_tasks if total > FEW else 1)
    middle = np.cumsum(n_rows) - n_rows / 2
    return np.minimum(middle * n_parts // max(1, total), n_parts - 1).astype(np.int32)


@dataclass(frozen=True)
class FileExchange:
    """The outcomes of queries whose rows lie in several lists of pieces.

    parts: the part of each of `query_ids`, 0 and more.
    """

    worker: ChunkWorker
    files: ParquetFiles
    tasks: list[list[Piece]]
    query_ids: list[str]
    parts: np.ndarray

    @property
    def n_parts(self) -> int:
        """The number of parts."""
        return int(self.parts.max()) + 1

    def outcomes(self, spark: Any) -> pa.Table:
        """All outcomes."""
        import pyarrow as pa

        numbers = spark.sparkContext.parallelize(range(len(self.tasks)), len(self.tasks))
        sent = numbers.mapPartitions(self.send).partitionBy(self.n_parts, int)
        with input_errors():
            streams = sent.mapPartitions(self.receive).collect()
        return pa.concat_tables([pa.ipc.open_stream(stream).read_all() for stream in streams])

    def send(self, numbers: Iterable[int]) -> Iterator[tuple[int, bytes]]:
        """The rows of lists of pieces as (part, stream), queries by their numbers."""
        held: list[pa.RecordBatch] = []
        n_rows = 0
        numbered = Numbering(self.query_ids)
        for number in numbers:
            for batch in self.files.batches(self.tasks[number]):
                held.append(numbered(batch))
                n_rows += held[-1].num_rows
                if n_rows >= min(PIECE * self.n_parts, MOST_HELD):
                    yield from self._by_part(held)
                    held, n_rows = [], 0
        if n_rows:
            yield from self._by_part(held)

    def _by_part(self, held: list[pa.RecordBatch]) -> Iterator[tuple[int, bytes]]:
        import pyarrow as pa

        table = pa.Table.from_batches(held).combine_chunks()
        part = self.parts[table.column(0).to_numpy()]
        if self.n_parts <= 1 << 15:
            part = part.astype(np.int16)  # NumPy sorts these by counting
        order = np.argsort(part, kind="stable")
        ends = np.append(0, np.cumsum(np.bincount(part, minlength=self.n_parts)))
        table = table.take(pa.array(order)).combine_chunks()
        for batch in table.to_batches():
            for number in np.flatnonzero(np.diff(ends)).tolist():
                start = int(ends[number])
                yield number, as_stream(batch.slice(start, int(ends[number + 1]) - start))

    def receive(self, streams: Iterable[tuple[int, bytes]]) -> Iterator[bytes]:
        """The outcomes of a part, a stream of Arrow."""
        import pyarrow as pa

        tables = [pa.ipc.open_stream(stream).read_all() for _, stream in streams]
        if not tables:
            return
        table = pa.concat_tables(tables).combine_chunks()
        del tables  # so that the rows are in memory twice at most
        numbers, place = grouped(table.column(0).to_numpy(), len(self.query_ids))
        # Names come back as a dictionary, so no name is repeated for each row.
        named = pa.DictionaryArray.from_arrays(
            pa.array(place),
            pa.array([self.query_ids[number] for number in numbers.tolist()], pa.string()),
        )
        table = table.set_column(0, NAMES[0], named)
        order = pa.array(np.argsort(place, kind="stable"))  # rows of a query together: a third
        table = table.take(order).combine_chunks()  # of the time of evaluation (measured)
        yield as_stream(Task(self.worker).outcomes(table.to_batches()))


class Numbering:
    """Replaces the ids of some queries by their numbers."""

    def __init__(self, query_ids: list[str]) -> None:
        self.numbers = {query_id: number for number, query_id in enumerate(query_ids)}
        self.known: Any = None  # the last dictionary: a file has one for many batches
        self.number_of = np.zeros(0, np.int32)

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The rows of these queries, with their numbers instead of their ids."""
        import pyarrow as pa
        import pyarrow.compute as pc

        ids = batch.column(0)
        if not pa.types.is_dictionary(ids.type):
            ids = pc.dictionary_encode(ids)
        # Numbers are looked up for the entries of a dictionary, thousands of rows share them.
        if self.known is None or not ids.dictionary.equals(self.known):
            self.known = ids.dictionary
            texts = pc.cast(self.known, pa.string()).to_pylist()
            self.number_of = np.array([self.numbers.get(text, -1) for text in texts], np.int32)
        number = self.number_of[ids.indices.to_numpy()]
        numbered = pa.RecordBatch.from_arrays(
            [pa.array(number), batch.column(1), batch.column(2)], names=NAMES
        )
        is_wanted = number >= 0
        return numbered if is_wanted.all() else numbered.filter(pa.array(is_wanted))


def grouped(numbers: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The numbers below n that occur, and the place of each among these, in a type that NumPy
    sorts by counting where it can."""
    found = np.flatnonzero(np.bincount(numbers, minlength=n))
    place_of = np.zeros(n, np.int16 if found.size <= 1 << 15 else np.int32)
    place_of[found] = np.arange(found.size)
    return found, place_of[numbers]
