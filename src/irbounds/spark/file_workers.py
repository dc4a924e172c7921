"""Functions for Spark's tasks that take the numbers of lists of pieces and read their rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from irbounds.spark.chunks import ChunkWorker, Found
from irbounds.spark.failures import input_errors
from irbounds.spark.parquet_files import ParquetFiles, Piece, UnreadableFilesError

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class FileEvaluation:
    """The outcomes of the queries in lists of pieces; `judgments` of the queries of each list,
    unless all have those of the worker."""

    worker: ChunkWorker
    files: ParquetFiles
    tasks: list[list[Piece]]
    judgments: list[ParquetFiles] | None = None

    def outcomes(self, spark: Any) -> pa.Table | None:
        """All outcomes, a task for each list; None where tasks cannot read the files.

        A job of RDDs: the first job of data frames in a session takes three times the processor
        time, for the compilation in Spark's JVM, and each later one twice (measured).
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        try:
            rows = spark.sparkContext.parallelize(range(len(self.tasks)), len(self.tasks))
        except Exception:  # a service that allows data frames alone
            return None
        with input_errors():
            streams = rows.mapPartitions(self).collect()
        tables = [pa.ipc.open_stream(stream).read_all() for stream in streams]
        if not tables:
            return None
        table = pa.concat_tables(tables)
        is_read = not pc.any(pc.equal(table.column("found"), Found.UNREADABLE.value)).as_py()
        return table if is_read else None

    def __call__(self, numbers: Iterable[int]) -> Iterator[bytes]:
        """The outcomes of the lists with these numbers, a stream of Arrow for each chunk."""
        for number in numbers:
            try:
                for batch in self._worker(number)(self.files.batches(self.tasks[number])):
                    yield as_stream(batch)
            except UnreadableFilesError as error:
                yield as_stream(unreadable(str(error)))

    def _worker(self, number: int) -> ChunkWorker:
        if self.judgments is None:
            return self.worker
        return replace(self.worker, judgments=self.judgments[number])


def as_stream(batch: pa.RecordBatch) -> bytes:
    """A batch as a stream of Arrow."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as stream:
        stream.write_batch(batch)
    return bytes(sink.getvalue())


def unreadable(problem: str) -> pa.RecordBatch:
    """The outcome of files that a worker cannot read."""
    import pyarrow as pa

    return pa.RecordBatch.from_arrays(
        [
            pa.array([b""], pa.binary()),
            pa.array([int(Found.UNREADABLE)], pa.int32()),
            pa.array([0], pa.int64()),
            pa.array([b""], pa.binary()),
            pa.array([problem], pa.string()),
        ],
        names=["query_id", "found", "rows", "numbers", "problem"],
    )
