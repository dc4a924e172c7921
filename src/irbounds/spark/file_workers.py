"""Functions for ``mapInArrow`` that take the numbers of lists of pieces and read their rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from irbounds.spark.chunks import ChunkWorker, Found
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

    def frame(self, spark: Any, outcomes: str) -> DataFrame:
        """All outcomes, a task for each list."""
        return numbers(spark, len(self.tasks)).mapInArrow(self, outcomes)

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The outcomes of the lists with these numbers."""
        import pyarrow as pa

        for number in numbers_in(batches):
            try:
                yield from self.worker(self.files.batches(self.tasks[number]))
            except UnreadableFilesError as error:
                yield pa.RecordBatch.from_arrays(
                    [
                        pa.array([b""], pa.binary()),
                        pa.array([int(Found.UNREADABLE)], pa.int32()),
                        pa.array([0], pa.int64()),
                        pa.array([b""], pa.binary()),
                        pa.array([str(error)], pa.string()),
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
