"""Rows of data frames: their columns, and how they are read without an object for each row.

The file is longer than 400 lines because the names of columns stand beside those who look for them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds._core.documents.arrow_rows import (
    ArrowBatch,
    ArrowRows,
    UnreadableColumnError,
    array_names,
    open_array,
    open_stream,
    stream_names,
)
from irbounds._core.documents.doc_index import DocTable
from irbounds._core.documents.doc_rows import BadRow
from irbounds._core.reading.text_buffers import object_buffers, text_buffers
from irbounds.foundation.errors import InputError, fail

if TYPE_CHECKING:
    from irbounds.typing import FrameLike

# Names of columns, ours first: trec and ir_measures, PyTerrier, BEIR, ranx; then those of
# recommender libraries, and last names that may be of texts. BEIR calls a relevance score, and so
# does ranx; a frame of judgments is not taken for a run, as it lacks nothing else.
COLUMN_NAMES = {
    "query_id": (
        *("query_id", "qid", "q_id", "query-id", "topic"),
        *("user_id", "userid", "user", "query", "question_id", "question"),
    ),
    "doc_id": (
        *("doc_id", "docno", "docid", "corpus-id", "doc-id", "corpus_id"),
        *("item_id", "itemid", "item", "movie_id", "movieid"),
        *("document_id", "passage_id", "pid", "doc", "document", "passage"),
    ),
    "score": ("score", "prediction"),
    "relevance": ("relevance", "label", "rel", "grade", "score", "rating"),
}
KNOWN = {**COLUMN_NAMES, "rank": ("rank",)}  # of frames that have no scores
TIMES = ("timestamp", "time", "datetime", "date")  # of interactions, beside their ids
RANKS = ("rank", "ranks", "ranking", "position", "place", "distance", "dist")  # lower is better
HIGHER = ("score", "scores", "similarity", "negative", "neg", "minus", "inverse", "reciprocal")
SHARED = ("query_id", "doc_id")  # by judgments and runs
DECIMALS = "d:"  # Arrow's format of decimal numbers begins so
PIECE = 1 << 16  # rows of Python objects that are turned into text at a time


def is_frame(source: object) -> bool:
    """True for data frames and objects with the Arrow stream interface."""
    return any(
        hasattr(type(source), name)
        for name in ("__arrow_c_stream__", "__arrow_c_array__", "columns", "column_names")
    )


class RanksError(InputError):
    """A frame or table of a run that has ranks and no scores."""


class UnratedError(InputError):
    """A frame of judgments that has ids alone, or times beside them."""


class Columns(dict[str, str]):
    """From the names of irbounds to those of frames and tables.

    Names may be for judgments and runs together, whose columns of ids may be called differently:
    then `of_judgments` has those names of ids that the judgments have.  `found` has those that any
    frame or table had.
    """

    def __init__(self, names: Mapping[str, str], is_shared: bool = False) -> None:
        super().__init__(names)
        self.is_shared = is_shared
        self.of_judgments: set[str] = set()
        self.found: set[str] = set()


def check_columns(columns: Mapping[str, str] | None, is_shared: bool = False) -> dict[str, str]:
    """A dict from the names of irbounds to those of the frames."""
    if columns is None or isinstance(columns, Columns):
        return columns or {}
    if not isinstance(columns, Mapping) or not all(
        isinstance(name, str) for name in columns.values()
    ):
        fail(
            "columns",
            f"must be a dict such as {{'query_id': 'qid'}}, of {', '.join(COLUMN_NAMES)}",
            columns,
        )
    unknown = [name for name in columns if name not in COLUMN_NAMES]
    if unknown:
        fail("columns", f"must have the keys {', '.join(COLUMN_NAMES)}", unknown[0])
    words = set(re.findall("[a-z]+", str(columns.get("score", "")).casefold()))
    if words & {*RANKS} and not words & {*HIGHER}:
        raise InputError(
            f"`columns` takes {columns['score']!r} for scores, but lower ranks are better: give a "
            "column of scores, or the ranks times -1"
        )
    return Columns(columns, is_shared)


def frame_rows(
    frame: FrameLike, value_name: str, columns: Mapping[str, str] | None = None
) -> ArrowRows | None:
    """The rows of a frame; None for types that only `frame_lists` can read.

    Raises BadRow for invalid rows and InputError for invalid columns.
    """
    wanted = ["query_id", "doc_id", value_name]
    chosen = check_columns(columns)
    if type(frame).__name__ == "Series":  # of pandas or polars
        raise InputError(
            f"expected a data frame with the columns query_id, doc_id and {value_name}, found a "
            "Series, which is one column"
        )
    if hasattr(frame, "collect") and not hasattr(frame, "__arrow_c_stream__"):  # a lazy frame
        frame = _asked(frame.collect)
    try:
        if _is_pandas(frame):
            frame = _with_index(frame, wanted, chosen)
            names = find_columns(list(frame.columns), wanted, chosen)
            return ArrowRows(_pandas_batches(frame, names), names)
        if hasattr(frame, "__arrow_c_stream__"):
            stream = open_stream(_asked(frame.__arrow_c_stream__))
            names, places = _places(stream_names(stream), wanted, chosen)
            return ArrowRows(stream.batches(places), names)
        if hasattr(frame, "__arrow_c_array__"):
            schema, array = _asked(frame.__arrow_c_array__)
            names, places = _places(array_names(schema), wanted, chosen)
            return ArrowRows([open_array(schema, array, places)], names)
    except UnreadableColumnError:
        pass
    return None


def _asked(give: Callable[[], Any]) -> Any:
    """Ask a frame for its rows.  Its own errors, of a query for example, become an error of this
    input: with `keep_going` they cost one run."""
    try:
        return give()
    except MemoryError:
        raise
    except Exception as error:
        text = " ".join(str(error).split())
        raise BadRow(f"the data frame gives no rows: {type(error).__name__}: {text}") from error


def stream_parts(batches: Iterable[Any], names: list[str]) -> Iterator[ArrowRows]:
    """Record batches of pyarrow, which have these three columns, as parts of a table."""
    rows_before = 0
    for batch in batches:
        schema, array = batch.__arrow_c_array__()
        try:
            opened = open_array(schema, array, [0, 1, 2])
        except UnreadableColumnError as error:
            if not error.type.startswith(DECIMALS):
                raise
            opened = _of_decimals(batch, names)
        yield ArrowRows([opened], names, rows_before)
        rows_before += len(opened)


def _of_decimals(batch: Any, names: list[str]) -> ArrowBatch:
    """A batch of pyarrow in which a column holds decimal numbers."""
    *ids, values = columns = [column.to_pylist() for column in batch.columns]
    for name, column in zip(names, columns, strict=True):
        if None in column:
            raise BadRow(f"column {name!r} has no value in row {column.index(None)}")
    numbers = _buffers(np.array(values, object), names[2], is_id=False)
    return ArrowBatch.from_buffers([*(("T", text_buffers(column)) for column in ids), numbers])


def frame_table(
    frame: FrameLike, value_name: str, columns: Mapping[str, str] | None = None
) -> DocTable:
    """A table of a frame's rows.  Interactions without a rating are relevant, of grade 1."""
    try:
        rows = frame_rows(frame, value_name, columns)
        if rows is not None:
            return DocTable.from_reader(rows)
        queries, documents, values = frame_lists(frame, value_name, columns)
    except UnratedError:
        from irbounds.foundation.frames import column_names, columns_of

        names = known_columns(column_names(frame), [*SHARED], columns or {})
        queries, documents = columns_of(frame, names)
        values = [1] * len(queries)
    return DocTable.from_columns(queries, documents, values, value_name)


def rank_table(frame: FrameLike, columns: Mapping[str, str] | None = None) -> DocTable:
    """A table of a frame that has ranks and no scores: minus the rank is the score."""
    return frame_table(frame, "rank", columns).negate()


def frame_lists(
    frame: FrameLike, value_name: str, columns: Mapping[str, str] | None = None
) -> list[list[Any]]:
    """The three columns as lists, for types that nothing else reads."""
    from irbounds.foundation.frames import column_names, columns_of

    names = find_columns(
        column_names(frame), ["query_id", "doc_id", value_name], check_columns(columns)
    )
    return columns_of(frame, names)


def _places(
    available: list[str] | None, wanted: list[str], chosen: dict[str, str]
) -> tuple[list[str], list[int]]:
    """The names of the three columns, and their indices."""
    if available is None:
        raise InputError("expected a data frame, found an Arrow array that is not a table")
    names = find_columns(available, wanted, chosen)
    return names, [available.index(name) for name in names]


def find_columns(available: list[Any], wanted: list[str], chosen: Mapping[str, str]) -> list[str]:
    """The frame's names of the wanted columns, no two of them the same; see `known_columns`.  A
    chosen name of ids must be in the frame, or in the judgments that go with it."""
    found = known_columns(available, wanted, chosen)
    check_apart(dict(zip(wanted, found, strict=True)))
    others = chosen if isinstance(chosen, Columns) and chosen.is_shared else Columns({})
    is_run = "relevance" not in wanted
    if isinstance(chosen, Columns):
        chosen.found |= {name for name in wanted if name in chosen and chosen[name] in available}
    for name in SHARED:
        if name in chosen and chosen[name] in available:
            if not is_run:
                others.of_judgments.add(name)
        elif name in chosen and (name not in others.of_judgments if is_run else not others):
            raise _lacks(chosen[name], available)
    return found


def check_found(columns: Mapping[str, str], wanted: Iterable[str] = tuple(COLUMN_NAMES)) -> None:
    """Refuse names of columns where no table or frame was read that has such columns; `wanted` are
    those that could be read."""
    found = columns.found if isinstance(columns, Columns) else columns
    for name in wanted:
        if name in columns and name not in found:
            raise InputError(
                f"`columns` says that {name} is {columns[name]!r}, but no table or data frame was "
                "read that could have this column"
            )


def check_apart(columns: Mapping[str, str]) -> None:
    """Refuse one column of the frame for two of ours."""
    for name, column in columns.items():
        other = next(other for other in columns if columns[other] == column)
        if other != name:
            raise InputError(
                f"`columns` must name different columns; {other} and {name} are both {column!r}"
            )


def _spelt_otherwise(available: list[Any], known: Iterable[str]) -> list[str]:
    """The columns with the first known name that there is in capital letters or with blanks around
    it."""
    spelt: dict[str, list[str]] = {}
    for column in available:
        if isinstance(column, str):
            spelt.setdefault(column.strip().casefold(), []).append(column)
    here = next((spelt[name] for name in known if name in spelt), [])
    if len(here) > 1:
        raise InputError(f"the data frame: expected one of the columns {', '.join(here)}")
    return here


def _kind_of_lack(name: str, available: list[Any], found: list[Any]) -> type[InputError]:
    """The error of a frame that has ids, but no values."""
    if name == "score" and _spelt_otherwise(available, KNOWN["rank"]):
        return RanksError
    others = {str(column).strip().casefold() for column in available if column not in found}
    return UnratedError if name == "relevance" and others <= {*TIMES} else InputError


def _lacks(column: str, available: list[Any], kind: type[InputError] = InputError) -> InputError:
    names = ", ".join(map(str, available)) or "none"
    return kind(f"the data frame needs the column {column!r}; it has {names}")


def known_columns(available: list[Any], wanted: list[str], chosen: Mapping[str, str]) -> list[str]:
    """The frame's names of the wanted columns: the chosen ones, or the first known name that it
    has; if it has none, the first one in capital letters or with blanks around it.

    Run and judgments may name their ids differently: if a frame lacks the chosen name of an id
    column, a known name is used.  Columns of scores and relevances must have the chosen name.
    """
    found: list[Any] = []
    for name in wanted:
        is_shared = name in SHARED
        known = (
            KNOWN[name]
            if name not in chosen
            else (chosen[name], *(KNOWN[name] if is_shared else ()))
        )
        here = [other for other in known if other in available]
        if not here and name not in chosen:
            here = _spelt_otherwise(available, known)
        if not here:
            kind = InputError if name in chosen else _kind_of_lack(name, available, found)
            raise _lacks(chosen.get(name, name), available, kind)
        if available.count(here[0]) > 1:
            raise InputError(
                f"the data frame: expected one column {here[0]!r}, found {available.count(here[0])}"
            )
        found.append(here[0])
    return found


# pandas ------------------------------------------------------------------------------------------


def _is_pandas(frame: object) -> bool:
    return type(frame).__module__.partition(".")[0] == "pandas" and hasattr(frame, "iloc")


def _pandas_batches(frame: Any, names: list[str]) -> Iterator[ArrowBatch]:
    """Batches of a pandas frame: Arrow columns as they are, others from their arrays."""
    columns = [frame[name] for name in names]
    if any(_has_arrow(column) for column in columns) and not any(
        column.dtype == object or hasattr(column.dtype, "freq")  # periods would be numbers
        for column in columns
    ):
        try:
            stream = open_stream(frame[names].__arrow_c_stream__())
        except (ImportError, NotImplementedError, TypeError, ValueError):
            pass  # there is no pyarrow, or it knows a type less than NumPy
        else:
            yield from stream.batches([0, 1, 2])
            return
    arrays = [_plain_numbers(column) for column in columns]
    has_objects = any(array.dtype == object for array in arrays)
    if columns[2].dtype.kind != "f":
        _check_values(columns[2:], names[2:])
    step = PIECE if has_objects else max(1, len(frame))
    for start in range(0, len(frame), step):
        try:
            batch = ArrowBatch.from_buffers(
                [
                    _buffers(array[start : start + step], name, is_id=name != names[2])
                    for name, array in zip(names, arrays, strict=True)
                ]
            )
        except BadRow:
            # only now: to ask pandas takes four times as long as all the rest
            _check_values(columns[:2], names[:2])
            raise
        yield batch


def _check_values(columns: list[Any], names: list[str]) -> None:
    """Refuse columns of pandas that lack a value."""
    for name, column in zip(names, columns, strict=True):
        missing = np.flatnonzero(column.isna().to_numpy())
        if missing.size:
            raise BadRow(f"column {name!r} has no value in row {missing[0]}")


def _with_index(frame: Any, wanted: list[str], chosen: Mapping[str, str]) -> Any:
    """The frame with its index among its columns, where the index has names that are wanted."""
    levels = [name for name in frame.index.names if name is not None and name not in frame.columns]
    known = {*chosen.values(), *(name for each in wanted for name in KNOWN[each])}
    return frame.reset_index() if known.intersection(levels) else frame


def _has_arrow(column: Any) -> bool:
    return hasattr(column.array, "__arrow_array__")


def _plain_numbers(column: Any) -> np.ndarray:
    """A column as NumPy numbers in native byte order, or as objects."""
    array = column.to_numpy() if isinstance(column.dtype, np.dtype) else np.empty(0, object)
    if array.dtype.kind in "iufb" and array.dtype.itemsize <= 8:
        return np.ascontiguousarray(array, array.dtype.newbyteorder("="))
    return np.asarray(column.to_numpy(dtype=object))


def _buffers(values: np.ndarray, name: str, *, is_id: bool) -> tuple[str, Any]:
    """The arguments of `ArrowBatch.from_buffers`: numbers unchanged, ids as text, other values
    as doubles."""
    is_refused = is_id and values.dtype.kind == "b"  # by its values: no bool is an id
    if values.dtype != object and not is_refused:
        return values.dtype.kind, values
    if is_id:
        return "T", (
            object_buffers(values) if values.dtype == object else text_buffers(values.tolist())
        )
    try:
        if any(issubclass(kind, str | bytes) for kind in set(map(type, values.tolist()))):
            raise TypeError  # text is no number, whatever it holds
        return "f", np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        bad = next(value for value in values if not _is_number(value))
        raise BadRow(f"column {name!r} must hold numbers; found {bad!r}") from None


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return not isinstance(value, str | bytes)
