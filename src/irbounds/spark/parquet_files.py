"""Parquet files that a data frame has as they are, read by the Python workers themselves.

Spark takes about a microsecond of processors to hand a row to Python, ten times what the kernel
needs for it.  A frame that `spark.read.parquet` made, from which at most columns were selected or
renamed, is the same rows as its files.  Where these have a path (``file:``), as on one machine or
on a mounted store, each task opens its part of them with pyarrow.  Everything else goes through
Spark: other frames, other stores, and files that turn out to be unreadable or of other types.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

SPARK = "org.apache.spark.sql"
RELATION = f"{SPARK}.execution.datasources.LogicalRelation"
PROJECT = f"{SPARK}.catalyst.plans.logical.Project"
ATTRIBUTE = f"{SPARK}.catalyst.expressions.AttributeReference"
ALIAS = f"{SPARK}.catalyst.expressions.Alias"
FORMAT = f"{SPARK}.execution.datasources.parquet.ParquetFileFormat"
LOCATION = f"{SPARK}.execution.datasources.InMemoryFileIndex"

# Types of columns by the names of Spark's types: other files are left to Spark, which knows what
# to make of them.
TYPES = {
    "string": ("string", "large_string"),
    "byte": ("int8",),
    "short": ("int16",),
    "integer": ("int32",),
    "long": ("int64",),
    "float": ("float",),
    "double": ("double",),
}
MOST_FOOTERS = 64  # that the driver reads, at a millisecond each, to divide the files
MOST_ROWS = 20_000_000  # of a task, two seconds: Spark repeats tasks that fail
BATCH = 1 << 16  # rows, as pyarrow has it unless told otherwise


class UnreadableFilesError(Exception):
    """The files cannot be read here."""


class Piece(NamedTuple):
    """Row groups first .. stop of a file; all of them without `stop`."""

    path: str
    first: int = 0
    stop: int | None = None


@dataclass(frozen=True)
class ParquetFiles:
    """The files of a frame, and columns of it with the names of their types in Spark."""

    paths: tuple[str, ...]
    columns: tuple[tuple[str, str], ...]

    @cached_property
    def groups(self) -> list[tuple[Piece, int]]:
        """All row groups and their numbers of rows, by the footers of the files; whole files, one
        for another, where they are more than MOST_FOOTERS."""
        # One for each file: as if all had the same number of rows.
        if len(self.paths) > MOST_FOOTERS:
            return [(Piece(path), 1) for path in self.paths]
        return [
            (Piece(path, number, number + 1), n_rows)
            for path in self.paths
            for number, n_rows in enumerate(_rows_of_groups(path))
        ]

    @property
    def n_rows(self) -> float:
        """The number of rows; infinite where the files are too many to look."""
        if len(self.paths) > MOST_FOOTERS:
            return math.inf
        return sum(n_rows for _, n_rows in self.groups)

    def tasks(self, n_least: int) -> list[list[Piece]]:
        """At least `n_least` lists of pieces, as far as there are row groups, with about equal
        numbers of rows, in the order of the files."""
        n_rows = sum(n_rows for _, n_rows in self.groups)
        n_tasks = max(n_least, -(-n_rows // MOST_ROWS))
        found: list[list[Piece]] = [[] for _ in range(n_tasks)]
        before = 0
        for piece, n in self.groups:
            middle = before + n / 2
            # A row group goes where its middle falls, so the rows of a task differ from the mean by
            # half a row group at most at either end.
            found[min(n_tasks - 1, int(middle * n_tasks / max(1, n_rows)))].append(piece)
            before += n
        return [_joined(pieces) for pieces in found if pieces]

    def batches(self, pieces: list[Piece]) -> Iterator[pa.RecordBatch]:
        """The columns of these pieces; UnreadableFilesError where that does not work."""
        for piece in pieces:
            yield from self._batches_of(piece)

    def _batches_of(self, piece: Piece) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa
        import pyarrow.parquet as pq

        names = [name for name, _ in self.columns]
        try:
            # Query ids repeat: as a dictionary they take a third of the time (measured).
            with pq.ParquetFile(piece.path, read_dictionary=names[:1]) as source:
                self._check(source.schema_arrow)
                stop = source.num_row_groups if piece.stop is None else piece.stop
                for batch in source.iter_batches(
                    BATCH, list(range(piece.first, stop)), names, use_threads=False
                ):
                    yield batch.select(names)
        except (OSError, pa.ArrowException, ValueError, KeyError) as error:
            raise UnreadableFilesError(str(error)) from None

    def _check(self, schema: pa.Schema) -> None:
        import pyarrow as pa

        for name, kind in self.columns:
            if schema.names.count(name) != 1:
                raise UnreadableFilesError(f"no column {name!r}")
            found = schema.field(name).type
            if pa.types.is_dictionary(found):
                found = found.value_type
            if str(found) not in TYPES[kind]:
                raise UnreadableFilesError(f"column {name!r} is {found}")


def judgments_of(files: ParquetFiles) -> pa.Table | None:
    """The rows of files with query ids, document ids and relevance as `Evaluator` takes them; None
    where Spark must read them, or say what is wrong with a row."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        batches = list(files.batches([Piece(path) for path in files.paths]))
    except UnreadableFilesError:
        return None
    if not batches:
        return None
    table = pa.Table.from_batches(batches)
    query_ids, doc_ids, relevance = table.columns
    if pa.types.is_dictionary(query_ids.type):
        query_ids = query_ids.cast(query_ids.type.value_type)
    grades = relevance.cast(pa.float64())
    is_fine = pc.less_equal(pc.abs(grades), 2.0**31)  # false for nan
    if any(column.null_count for column in table.columns) or not pc.all(is_fine).as_py():
        return None
    return pa.table({"query_id": query_ids, "doc_id": doc_ids, "relevance": grades})


def parquet_files(frame: DataFrame, columns: list[str]) -> ParquetFiles | None:
    """The files of a frame that has all rows of them and these columns unchanged, else None."""
    types = [frame.schema[name].dataType.typeName() for name in columns]
    if any(kind not in TYPES for kind in types):
        return None
    try:
        found = _scan(frame._jdf.queryExecution().optimizedPlan(), columns)
    except Exception:  # these are no names of the public interface: any release may take them away
        return None
    if found is None:
        return None
    paths, names = found
    return ParquetFiles(tuple(sorted(paths)), tuple(zip(names, types, strict=True)))


def _scan(plan: Any, columns: list[str]) -> tuple[list[str], list[str]] | None:
    """The paths of a scan without filters, and the names that the files have for the columns; None
    where the plan is something else."""
    names: list[str] | None = columns
    while names is not None and _is(plan, PROJECT):
        # Optimised plans keep a selection or renaming as a projection over the scan; each is a name
        # for a name.
        names, plan = _names_below(plan, names), plan.child()
    if names is None or not _is(plan, RELATION):
        return None
    relation = plan.relation()
    own = list(relation.dataSchema().fieldNames())
    if (
        not _is(relation.fileFormat(), FORMAT)
        or not _is(relation.location(), LOCATION)
        or any(name not in own for name in names)
        # Values of partition columns are in the paths, not in the files.
        or any(name in list(relation.partitionSchema().fieldNames()) for name in names)
    ):
        return None
    locations = [urlsplit(uri) for uri in relation.location().inputFiles()]
    # Other schemes (s3, hdfs) need credentials that Spark has and pyarrow may not.
    if not locations or any(place.scheme != "file" or place.netloc for place in locations):
        return None
    return [unquote(place.path) for place in locations], names


def _names_below(project: Any, names: list[str]) -> list[str] | None:
    """The names of these columns before a selection; None where one of them is computed."""
    chosen = project.projectList()
    expressions = [chosen.apply(place) for place in range(chosen.size())]
    found = []
    for name in names:
        same = [each for each in expressions if str(each.name()) == name]
        if len(same) != 1:
            return None
        source = same[0].child() if _is(same[0], ALIAS) else same[0]
        if not _is(source, ATTRIBUTE):
            return None
        found.append(str(source.name()))
    return found


def _is(thing: Any, class_name: str) -> bool:
    return str(thing.getClass().getName()) == class_name


def _rows_of_groups(path: str) -> list[int]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        footer = pq.read_metadata(path)
    except (OSError, pa.ArrowException) as error:
        raise UnreadableFilesError(str(error)) from None
    return [footer.row_group(number).num_rows for number in range(footer.num_row_groups)]


def _joined(pieces: list[Piece]) -> list[Piece]:
    """Adjacent row groups of a file as one piece."""
    found: list[Piece] = []
    for piece in pieces:
        if found and found[-1].path == piece.path and found[-1].stop == piece.first:
            found[-1] = found[-1]._replace(stop=piece.stop)
        else:
            found.append(piece)
    return found
