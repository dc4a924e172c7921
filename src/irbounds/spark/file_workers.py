"""Functions for Spark's tasks that take the numbers of lists of pieces and read their rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from irbounds.spark.chunks import ChunkWorker, Found
from irbounds.spark.failures import input_errors
from irbounds.spark.parquet_files import ParquetFiles, Piece, UnreadableFilesError

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

ROWS = "query_id string, doc_id string, score double"


@dataclass(frozen=True)
class FileEvaluation:
    """The outcomes of the queries in lists of pieces."""

    worker: ChunkWorker
    files: ParquetFiles
    tasks: list[list[Piece]]

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
                for batch in self.worker(self.files.batches(self.tasks[number])):
                    yield as_stream(batch)
            except UnreadableFilesError as error:
                yield as_stream(unreadable(str(error)))


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


@dataclass(frozen=True)
class FileRows:
    """The rows of some queries, for Spark to exchange."""

    query_ids: frozenset[str]
    files: ParquetFiles
    tasks: list[list[Piece]]

    def frame(self, spark: Any) -> DataFrame:
        """All these rows."""
        return numbers(spark, len(self.tasks)).mapInArrow(self, ROWS)

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The rows in the lists with these numbers."""
        import pyarrow as pa
        import pyarrow.compute as pc

        wanted = pa.array(sorted(self.query_ids), pa.string())
        types = pa.string(), pa.string(), pa.float64()
        for number in numbers_in(batches):
            for batch in self.files.batches(self.tasks[number]):
                queries = pc.cast(batch.column(0), pa.string())
                chosen = batch.filter(pc.is_in(queries, wanted))
                if chosen.num_rows:
                    yield pa.RecordBatch.from_arrays(
                        [pc.cast(*pair) for pair in zip(chosen.columns, types, strict=True)],
                        names=["query_id", "doc_id", "score"],
                    )


def numbers(spark: Any, n: int) -> DataFrame:
    """0 .. n, one in each partition."""
    return spark.range(0, n, 1, n)


def numbers_in(batches: Iterable[pa.RecordBatch]) -> Iterator[int]:
    """The numbers of a partition."""
    for batch in batches:
        yield from batch.column(0).to_pylist()
