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
from dataclasses import dataclass, replace
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


class Group(NamedTuple):
    """A row group, or a whole file; the least and the greatest value of the first column, None
    where they are not known."""

    piece: Piece
    n_rows: int
    least: Any = None
    greatest: Any = None


@dataclass(frozen=True)
class ParquetFiles:
    """The files of a frame, and columns of it with the names of their types in Spark; `pieces` of
    the files, if not all of them."""

    paths: tuple[str, ...]
    columns: tuple[tuple[str, str], ...]
    pieces: tuple[Piece, ...] | None = None

    @cached_property
    def groups(self) -> list[Group]:
        """All row groups and their numbers of rows, by the footers of the files; whole files, one
        for another, where they are more than MOST_FOOTERS."""
        # One for each file: as if all had the same number of rows.
        if len(self.paths) > MOST_FOOTERS:
            return [Group(Piece(path), 1) for path in self.paths]
        return [group for path in self.paths for group in _groups_of(path, self.columns[0][0])]

    @property
    def n_rows(self) -> float:
        """The number of rows; infinite where the files are too many to look."""
        if len(self.paths) > MOST_FOOTERS:
            return math.inf
        return sum(group.n_rows for group in self.groups)

    def beside(self, tasks: list[list[Piece]], others: ParquetFiles) -> list[ParquetFiles]:
        """For each list of pieces of other files, these files without the row groups that can have
        none of its ids in their first column."""
        is_number = [files.columns[0][1] != "string" for files in (self, others)]
        if is_number[0] != is_number[1]:
            return [self for _ in tasks]
        return [replace(self, pieces=self._pieces_beside(others._within(task))) for task in tasks]

    def _pieces_beside(self, others: list[Group]) -> tuple[Piece, ...]:
        is_known = all(other.least is not None for other in others)
        found = [
            group.piece
            for group in self.groups
            if not is_known
            or group.least is None
            or any(
                group.least <= other.greatest and other.least <= group.greatest for other in others
            )
        ]
        return tuple(_joined(found or [group.piece for group in self.groups[:1]]))

    def _within(self, pieces: list[Piece]) -> list[Group]:
        """The row groups of these pieces."""
        return [
            group
            for group in self.groups
            if any(
                piece.path == group.piece.path
                and piece.first <= group.piece.first
                and (piece.stop is None or group.piece.first < piece.stop)
                for piece in pieces
            )
        ]

    def tasks(self, n_least: int) -> list[list[Piece]]:
        """At least `n_least` lists of pieces, as far as there are row groups, with about equal
        numbers of rows, in the order of the files."""
        n_rows = sum(group.n_rows for group in self.groups)
        n_tasks = max(n_least, -(-n_rows // MOST_ROWS))
        found: list[list[Piece]] = [[] for _ in range(n_tasks)]
        before = 0
        for group in self.groups:
            middle = before + group.n_rows / 2
            # A row group goes where its middle falls, so the rows of a task differ from the mean by
            # half a row group at most at either end.
            found[min(n_tasks - 1, int(middle * n_tasks / max(1, n_rows)))].append(group.piece)
            before += group.n_rows
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
        pieces = files.pieces or [Piece(path) for path in files.paths]
        batches = list(files.batches(list(pieces)))
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


def _groups_of(path: str, column: str) -> Iterator[Group]:
    """The row groups of a file, with the least and the greatest value of a column."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        footer = pq.read_metadata(path)
    except (OSError, pa.ArrowException) as error:
        raise UnreadableFilesError(str(error)) from None
    names = [footer.schema.column(place).path for place in range(footer.num_columns)]
    for number in range(footer.num_row_groups):
        group = footer.row_group(number)
        piece = Piece(path, number, number + 1)
        found = group.column(names.index(column)).statistics if column in names else None
        if found is not None and found.has_min_max:
            ends = (end.encode() if isinstance(end, str) else end for end in (found.min, found.max))
            yield Group(piece, group.num_rows, *ends)  # text that no one calls UTF-8 is bytes
        else:
            yield Group(piece, group.num_rows)


def _joined(pieces: list[Piece]) -> list[Piece]:
    """Adjacent row groups of a file as one piece."""
    found: list[Piece] = []
    for piece in pieces:
        if found and found[-1].path == piece.path and found[-1].stop == piece.first:
            found[-1] = found[-1]._replace(stop=piece.stop)
        else:
            found.append(piece)
    return found
