"""Judgments and rankings in memory: `Qrels` and `Run`.

The file is longer than 400 lines because a third of it is docstrings.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeGuard, cast

import numpy as np

from irbounds._core.documents.doc_index import DocIndex, DocTable
from irbounds._core.documents.doc_rows import BadRow
from irbounds.foundation.arguments import is_masked
from irbounds.foundation.errors import InputError, check_choice, check_count, counted, fail
from irbounds.foundation.paths import is_path, shown_name
from irbounds.rankings.data.export import check_word, columns_of, ranked, top, write_rows
from irbounds.rankings.data.warnings import warn_of_run
from irbounds.rankings.reading.files import row_reader
from irbounds.rankings.reading.formats import FORMATS, RANKED, Wanted
from irbounds.rankings.reading.frames import (
    RanksError,
    check_columns,
    check_found,
    find_columns,
    frame_table,
    is_frame,
    rank_table,
)
from irbounds.rankings.reading.lists import are_lists, are_rows, grouped
from irbounds.rankings.reading.several import dataset_rows, files_of, is_dataset, rows_of_files

if TYPE_CHECKING:
    from irbounds.typing import ArrayLike, FrameLike, PathLike, RunsLike


DUPLICATES = ("error", "best", "first")
MOST_GRADE = 2**31  # in size
RANKED_FRAME = "the data frame has ranks and no scores: rank 1 comes before rank 2"


def with_choices(problem: str) -> str:
    """The problem of a row, and what to do about a document that comes twice."""
    if "duplicate document" not in problem or "duplicates=" in problem:
        return problem
    return f"{problem}: duplicates='best' keeps the best of its rows, duplicates='first' the first"


class _Collection(Mapping[str, dict[str, float]]):
    """Rows (query_id, doc_id, value), grouped by query: a mapping of queries to documents.

    The constructor takes any input, as `of` does.
    """

    _value_name: ClassVar[str]
    by_position: bool = False  # whether the queries have no ids but their places in a list

    def __init__(
        self,
        source: object,
        columns: Mapping[str, str] | None = None,
        *,
        duplicates: str = "error",
    ) -> None:
        if isinstance(source, DocTable):
            self._table: DocTable = source
        else:
            found = type(self).of(source, columns, duplicates=duplicates)
            self._table, self.by_position = found._table, found.by_position

    @classmethod
    def from_trec(cls, path: PathLike, *, duplicates: str = "error") -> Self:
        """Read a TREC file, whose rows need not be grouped by query; see `from_file`.  A line that
        begins with ``#`` and lacks the fields of a row is a comment.
        """
        return cls.from_file(path, "trec", duplicates=duplicates)

    @classmethod
    def from_file(
        cls,
        path: PathLike,
        format: str | None = None,
        *,
        columns: Mapping[str, str] | None = None,
        duplicates: str = "error",
    ) -> Self:
        """Read a file of any format: plain, .gz, .xz, .bz2 or .zst; ``-`` is standard input.

        Parameters
        ----------
        path : path
        format : str, optional
            "trec", "table" (CSV or TSV with names of columns), "msmarco", "colbert", "json",
            "jsonl", "parquet", "arrow" or "arrow-stream".  Recognised by the first bytes unless
            given.
        columns : dict, optional
            Names of columns, as for `from_frame`.
        duplicates : {"error", "best", "first"}
            A document that a query has twice, as where rows are chunks of documents, is refused, or
            the row with the highest value or the first one is kept.

        Raises
        ------
        InputError
            With file and line, for a row that cannot be read or a document that a query has twice.
        """
        if format is not None:
            check_choice("format", format, tuple(FORMATS))
            if format in RANKED and cls._value_name != "score":
                raise InputError(f"`format` {format!r} is one of runs: its third column is a rank")
        wanted = Wanted(cls._value_name, check_columns(columns))
        try:
            with row_reader(path, wanted, format) as reader:
                found = cls.of_table(DocTable.from_reader(reader), duplicates)
        except InputError as error:
            if (text := with_choices(str(error))) == str(error):
                raise
            raise InputError(text) from None
        if not getattr(wanted.columns, "is_shared", False):
            check_found(wanted.columns, wanted.names)
        return found

    @classmethod
    def from_dict(cls, queries: dict[Any, dict[Any, Any]], *, duplicates: str = "error") -> Self:
        """From ``{query_id: {doc_id: value}}``; values may be NumPy scalars."""
        if not isinstance(queries, dict):
            fail(cls.__name__.lower(), "must be a dict of dicts", queries)
        return cls._make(lambda: DocTable.from_dict(queries), duplicates)

    @classmethod
    def from_lists(cls, lists: object, *, duplicates: str = "error") -> Self:
        """From ids alone, as retrievers return them.

        Parameters
        ----------
        lists : dict or list
            ``{query_id: ids}``, or the ids of each query in turn: then judgments and run must both
            be such lists, of one length.  Ids of a run are in a list, best first; those of
            judgments, in a list or a set, have grade 1.  Pairs ``(id, value)`` have scores or
            grades of their own.
        duplicates : {"error", "best", "first"}
            As for `from_file`.

        Examples
        --------
        >>> import irbounds as irb
        >>> qrels, run = irb.Qrels.from_lists({"q": ["b"]}), irb.Run.from_lists({"q": ["a", "b"]})
        >>> irb.evaluate(qrels, run, "RR").mean
        {'RR': 0.5}
        """
        if not are_lists(lists):
            fail("lists", "must be {query_id: ids}, or a list of lists of ids", lists)
        try:
            found = grouped(lists, cls._value_name)
        except InputError as error:
            raise InputError(f"{cls.__name__.lower()}: {error}") from None
        collection = cls._make(
            lambda: DocTable.from_groups(found.documents, found.values), duplicates
        )
        collection.by_position = found.by_position
        return collection

    @classmethod
    def from_arrays(
        cls,
        query_ids: Iterable[Any],
        doc_ids: Iterable[Any],
        values: Iterable[Any],
        *,
        duplicates: str = "error",
    ) -> Self:
        """From three sequences of the same length, with one element for each row."""
        columns = queries, documents, numbers = [
            _column(name, column)
            for name, column in (("query_ids", query_ids), ("doc_ids", doc_ids), ("values", values))
        ]
        if len({len(column) for column in columns}) > 1:
            raise InputError(
                f"query_ids, doc_ids and {cls._value_name}s must have one length; found "
                f"{', '.join(str(len(column)) for column in columns)}"
            )
        try:
            return cls._make(
                lambda: DocTable.from_columns(queries, documents, numbers, cls._value_name),
                duplicates,
            )
        except TypeError:  # of pandas' NA, which compares with nothing
            raise InputError(
                f"{cls.__name__.lower()}: ids must be text or whole numbers, none missing"
            ) from None

    @classmethod
    def from_tuples(cls, rows: Iterable[Any], *, duplicates: str = "error") -> Self:
        """From named tuples with query_id, doc_id and relevance (Qrels) or score (Run), as in
        ir_measures and ir_datasets.  An iterator works too; its rows are read one at a time and
        not kept."""
        wanted = ("query_id", "doc_id", cls._value_name)
        if not _is_iterable(rows):
            fail("rows", f"must be named tuples with {', '.join(wanted)}", rows)
        try:
            return cls._make(
                lambda: DocTable.from_rows(map(attrgetter(*wanted), rows), cls._value_name),
                duplicates,
            )
        except AttributeError as error:
            if error.name not in wanted:
                raise
            found = f"found a {type(error.obj).__name__} without {error.name}"
            if isinstance(error.obj, tuple):
                found += f": {cls.__name__}.from_arrays(*zip(*rows)) takes tuples without names"
            elif isinstance(error.obj, dict):
                found += ": give rows that are dicts in a list"
            elif isinstance(error.obj, np.ndarray | np.generic):
                found = "found an array: matrices of ids and scores are for Evaluator.evaluate_topk"
        raise InputError(
            f"{cls.__name__.lower()}: expected rows with {', '.join(wanted[:2])} and {wanted[2]}, "
            f"{found}"
        )

    @classmethod
    def from_frame(
        cls,
        frame: FrameLike,
        columns: Mapping[str, str] | None = None,
        *,
        duplicates: str = "error",
    ) -> Self:
        """From a data frame, of which query ids, document ids and scores (Run) or relevances
        (Qrels) are read.

        Parameters
        ----------
        frame : data frame
            A frame of pandas, or anything that gives Arrow's tables: polars, pyarrow, DuckDB and
            others. Ids are text or whole numbers; 7 and "7" are one id.  Judgments without grades,
            as of purchases, have grade 1; ranks do without scores, with a RunWarning.
        columns : dict, optional
            Your names of the columns, as in ``{"query_id": "q", "doc_id": "d", "score": "s"}``.
            Those of PyTerrier, BEIR, ranx and recommender libraries are known.
        duplicates : {"error", "best", "first"}
            As for `from_file`.
        """
        try:
            return cls._make(lambda: frame_table(frame, cls._value_name, columns), duplicates)
        except RanksError:
            warn_of_run("run", [RANKED_FRAME])
            return cls._make(lambda: rank_table(frame, columns), duplicates)

    @classmethod
    def from_dicts(
        cls,
        rows: list[dict[str, Any]],
        columns: Mapping[str, str] | None = None,
        *,
        duplicates: str = "error",
    ) -> Self:
        """From a list of dicts, the rows of a table with the columns of `from_frame`."""
        names = find_columns(
            list(rows[0]), ["query_id", "doc_id", cls._value_name], check_columns(columns)
        )

        def values() -> Iterator[tuple[Any, ...]]:
            for number, row in enumerate(rows):
                if not isinstance(row, dict) or any(name not in row for name in names):
                    raise BadRow(f"row {number}: expected a dict with {', '.join(names)}")
                yield tuple(row[name] for name in names)

        return cls._make(lambda: DocTable.from_rows(values(), cls._value_name), duplicates)

    @classmethod
    def of(
        cls,
        source: object,
        columns: Mapping[str, str] | None = None,
        *,
        duplicates: str = "error",
    ) -> Self:
        """From any input: one of these, a path, a dict of dicts, lists of ids, a data frame, named
        tuples, or the object of ranx."""
        if isinstance(source, cls):
            return source
        if (files := files_of(source)) is not None:
            with rows_of_files(files, Wanted(cls._value_name, check_columns(columns))) as reader:
                return cls.of_table(DocTable.from_reader(reader), duplicates)
        if is_path(source):
            return cls.from_file(source, columns=columns, duplicates=duplicates)
        if are_lists(source):
            return cls.from_lists(source, duplicates=duplicates)
        if isinstance(source, Mapping) and not isinstance(source, _Collection):
            return cls.from_dict(dict(source), duplicates=duplicates)
        if isinstance(source, list | tuple) and source and are_rows(source[0]):
            return cls.from_dicts(list(source), columns, duplicates=duplicates)
        if is_dataset(source):
            wanted = Wanted(cls._value_name, check_columns(columns))
            return cls._make(lambda: DocTable.from_reader(dataset_rows(source, wanted)), duplicates)
        if is_frame(source):
            return cls.from_frame(cast("FrameLike", source), columns, duplicates=duplicates)
        if _is_of_ranx(source) and hasattr(source, cls.__name__.lower()):
            return cls.from_dict(source.to_dict())
        if isinstance(source, _Collection) and source._value_name == cls._value_name:
            return cls(source._table)
        if hasattr(source, "read") and hasattr(source, "close"):
            raise InputError(
                f"`{cls.__name__.lower()}` must be the path of a file, not an open one"
            )
        if _is_iterable(source) and not isinstance(source, _Collection) and not _is_of_ranx(source):
            return cls.from_tuples(source, duplicates=duplicates)
        expected = f"a {cls.__name__}, a path, a dict of dicts, a data frame or named tuples"
        raise InputError(
            f"`{cls.__name__.lower()}` must be {expected}; found {type(source).__name__}"
        )

    @classmethod
    def _make(cls, build: Callable[[], DocTable], duplicates: str = "error") -> Self:
        try:
            return cls.of_table(build(), duplicates)
        except BadRow as error:
            raise InputError(f"{cls.__name__.lower()}: {with_choices(error.problem)}") from None

    @classmethod
    def of_table(cls, table: DocTable, duplicates: str) -> Self:
        """With one row of each document; raises BadRow for invalid rows."""
        if check_choice("duplicates", duplicates, DUPLICATES) != "error":
            _Collection._checked.__func__(cls, table)  # type: ignore[attr-defined]
            table = table.without_duplicates(duplicates == "best")
        return cls(cls._checked(table))

    @classmethod
    def _checked(cls, table: DocTable) -> DocTable:
        """The table.  Raises BadRow for invalid rows."""
        if (row := table.first_beyond(math.inf)) >= 0:
            raise BadRow(
                f"`{cls._value_name}` must be a number; found nan (query {table.query_of(row)!r})",
                table.line(row),
            )
        return table

    @property
    def query_ids(self) -> list[str]:
        """The queries, in the order of their first rows."""
        return list(self._table.query_ids)

    def __getitem__(self, query_id: str) -> dict[str, float]:
        """``{doc_id: value}`` of one query."""
        return self._table.documents(self._numbers[query_id])

    def __iter__(self) -> Iterator[str]:
        return iter(self._table.query_ids)

    def __contains__(self, query_id: object) -> bool:
        return query_id in self._numbers

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {query: number for number, query in enumerate(self._table.query_ids)}

    def to_dict(self) -> dict[str, dict[str, float]]:
        """``{query_id: {doc_id: value}}``."""
        return dict(self.items())

    def to_frame(self, backend: str = "pandas") -> Any:
        """A data frame with the columns query_id, doc_id and score (Run) or relevance (Qrels).

        `backend` is "pandas", "polars" or "pyarrow".  Needs narwhals (``pip install
        "irbounds[frames]"``).  A query without documents has no row, with a RunWarning.
        """
        from irbounds.foundation.frames import make_frame

        self._warn_of_empty("the frame")
        return make_frame(columns_of(self, self._value_name), backend)

    def to_arrow(self) -> Any:
        """A table of pyarrow, as `to_frame` has it."""
        return self.to_frame("pyarrow")

    def _warn_of_empty(self, where: str) -> None:
        """Warn of queries that are lost where there is a row for each document."""
        empty = np.flatnonzero(np.diff(self._table.row_starts()) == 0)
        if empty.size:
            first = self._table.query_ids[int(empty[0])]
            count = counted(empty.size, "query", "queries")
            warn_of_run(where, [f"lacks {count} without documents, first {first!r}"])

    def __reduce__(self) -> tuple[Any, ...]:
        state = {"by_position": True} if self.by_position else None
        return type(self).from_dict, (self.to_dict(),), state

    def __len__(self) -> int:
        """The number of queries."""
        return len(self._table)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({counted(len(self), 'query', 'queries')}, "
            f"{counted(self._table.n_rows, 'document', 'documents')})"
        )


def _is_iterable(source: object) -> TypeGuard[Iterable[Any]]:
    """True if it has elements; an array without axes only seems to."""
    return isinstance(source, Iterable) and not (
        isinstance(source, np.ndarray) and source.ndim == 0
    )


def _column(name: str, values: object) -> list[Any]:
    if is_masked(values):
        fail(name, "must have no masked elements", values)
    if not _is_iterable(values) or isinstance(values, str | bytes):
        fail(name, "must be a sequence", values)
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def _is_of_ranx(source: object) -> TypeGuard[Any]:
    return any(base.__module__.partition(".")[0] == "ranx" for base in type(source).__mro__)


class Run(_Collection):
    """The documents that a system retrieved, with scores; higher scores first.

    Examples
    --------
    >>> import irbounds as irb
    >>> irb.Run({"q1": {"d1": 2.0, "d2": 1.0}})
    Run(1 query, 2 documents)
    """

    _value_name = "score"

    @classmethod
    def _checked(cls, table: DocTable) -> DocTable:
        super()._checked(table).check_distinct()
        return table

    @classmethod
    def from_topk(
        cls,
        doc_ids: ArrayLike,
        scores: ArrayLike | None = None,
        *,
        query_ids: ArrayLike | None = None,
        padding: int | str | None = -1,
        ascending: bool = False,
    ) -> Run:
        """From matrices as a vector index returns them, one row for each query.

        Parameters
        ----------
        doc_ids, scores, padding, ascending
            As in `Evaluator.evaluate_topk`.
        query_ids : array_like, shape (queries,), optional
            "0", "1", … by default.

        Examples
        --------
        >>> import irbounds as irb
        >>> irb.Run.from_topk([[3, 7, -1]], [[0.1, 0.4, 9.9]], ascending=True).to_dict()
        {'0': {'3': -0.1, '7': -0.4}}
        """
        from irbounds.rankings.reading.topk import top_rows  # few runs are matrices

        queries = range(len(np.atleast_1d(doc_ids))) if query_ids is None else query_ids
        rows = top_rows(queries, doc_ids, scores, padding, ascending=ascending)
        return cls._make(lambda: DocTable.from_reader(rows))

    def without_self(self) -> Run:
        """The same without documents whose id is that of their query, as where queries are
        documents of the collection (ArguAna, Quora).

        Examples
        --------
        >>> import irbounds as irb
        >>> irb.Run({"q": {"q": 2.0, "d": 1.0}}).without_self().to_dict()
        {'q': {'d': 1.0}}
        """
        run = Run(self._table.without_self())
        run.by_position = self.by_position
        return run

    def collapse(self, chunk_to_document: Mapping[str, str] | Callable[[str], str]) -> Run:
        """The run of documents of a run of chunks: each document has the score of its best chunk.

        Parameters
        ----------
        chunk_to_document : dict or callable
            The document of each chunk, by id.

        Examples
        --------
        >>> import irbounds as irb
        >>> run = irb.Run({"q": {"a#1": 3.0, "b#1": 2.0, "a#2": 1.0}})
        >>> run.collapse(lambda chunk: chunk.partition("#")[0]).to_dict()
        {'q': {'a': 3.0, 'b': 2.0}}
        """
        if not isinstance(chunk_to_document, Mapping) and not callable(chunk_to_document):
            fail("chunk_to_document", "must be a dict or a function of ids", chunk_to_document)
        find = (
            chunk_to_document.get if isinstance(chunk_to_document, Mapping) else chunk_to_document
        )
        documents: dict[str, list[Any]] = {}
        values: list[float] = []
        for query, scores in self.items():
            documents[query] = [find(chunk) for chunk in scores]
            for chunk, document in zip(scores, documents[query], strict=True):
                if document is None:
                    raise InputError(
                        f"`chunk_to_document` has no document for chunk {chunk!r} (query {query!r})"
                    )
            values += scores.values()
        return Run._make(lambda: DocTable.from_groups(documents, values), "best")

    def to_trec(self, path: PathLike, tag: str = "irbounds") -> None:
        """Write a TREC run, ranked by score, equal scores by descending document id, as trec_eval
        orders them.

        Scores are written so that reading gives the same numbers.  A query without documents has no
        line, with a RunWarning.

        Parameters
        ----------
        path : path
            Compressed if it ends in .gz, .xz or .bz2.
        tag : str
            The name of the run, its sixth column.

        Raises
        ------
        InputError
            Where an id or the tag contains white space, or a query's id begins with ``#``: a TREC
            file cannot contain them.
        """
        check_word("tag", tag)
        self._warn_of_empty(shown_name(path))
        write_rows(
            path,
            (
                f"{check_word('query_id', query)} Q0 {check_word('doc_id', document)} {rank} "
                f"{score!r} {tag}\n"
                for query, documents in self.items()
                for rank, (document, score) in enumerate(ranked(documents), 1)
            ),
        )

    def head(self, k: int, ties: str = "keep") -> Run:
        """The documents that rank first, of each query.

        Parameters
        ----------
        k : int
        ties : {"keep", "doc_id"}
            Documents whose score equals that at rank k: all are kept, or as many as reach rank k by
            descending document id.

        Examples
        --------
        >>> import irbounds as irb
        >>> irb.Run.from_dict({"q": {"a": 2, "b": 1, "c": 1}}).head(2).to_dict()
        {'q': {'a': 2.0, 'b': 1.0, 'c': 1.0}}
        """
        k = check_count("k", k, 1)
        check_choice("ties", ties, ("keep", "doc_id"))
        return Run.from_dict(
            {query: dict(top(documents, k, ties)) for query, documents in self.items()}
        )


class Qrels(_Collection):
    """Relevance judgments: 0 is not relevant, higher grades are more relevant, negative ones mean
    unjudged.

    Examples
    --------
    >>> import irbounds as irb
    >>> irb.Qrels({"q1": {"d1": 1, "d2": 0}})
    Qrels(1 query, 2 documents)
    >>> irb.Qrels.from_arrays(["q1", "q1"], ["d1", "d2"], [1, 0]).to_dict()
    {'q1': {'d1': 1.0, 'd2': 0.0}}
    """

    _value_name = "relevance"

    def __init__(
        self,
        source: object,
        columns: Mapping[str, str] | None = None,
        *,
        duplicates: str = "error",
    ) -> None:
        super().__init__(source, columns, duplicates=duplicates)
        self._index = DocIndex(self._table)

    @classmethod
    def _checked(cls, table: DocTable) -> DocTable:
        is_whole = super()._checked(table).whole_values
        if (row := table.first_beyond(MOST_GRADE, is_whole)) >= 0:
            raise BadRow(
                f"expected {'an integer' if is_whole else 'a number'} from -2^31 to 2^31 as "
                "relevance, found "
                f"{table.rows.values(row, row + 1)[0]:.15g} (query {table.query_of(row)!r})",
                table.line(row),
            )
        return table

    def to_trec(self, path: PathLike) -> None:
        """Write TREC's qrels.  A path that ends in .gz, .xz or .bz2 is compressed.  A query without
        documents has no line, with a RunWarning.

        Raises
        ------
        InputError
            Where an id contains white space, a query's id begins with ``#`` or a relevance is no
            integer: a TREC file cannot contain them.
        """
        for query, documents in self.items():
            for document, value in documents.items():
                if value != int(value):
                    raise InputError(
                        f"a TREC file needs whole numbers as relevance; found {value:g} (query "
                        f"{query!r}, document {document!r})"
                    )
        self._warn_of_empty(shown_name(path))
        write_rows(
            path,
            (
                f"{check_word('query_id', query)} 0 {check_word('doc_id', document)} {int(value)}\n"
                for query, documents in self.items()
                for document, value in documents.items()
            ),
        )


def pool(runs: RunsLike, depth: int) -> dict[str, list[str]]:
    """The documents that an assessor would judge: those that rank first in any of the runs.

    Parameters
    ----------
    runs : dict of runs, or a sequence of them
        Each of what `evaluate` takes.
    depth : int
        Documents of each run and query; all that tie with the last of them belong to the pool.

    Returns
    -------
    dict
        ``{query_id: [doc_id, ...]}``, ids in ascending order, queries as they first come.

    Examples
    --------
    >>> import irbounds as irb
    >>> irb.rankings.pool([{"q": {"a": 2, "b": 1}}, {"q": {"c": 9, "a": 1}}], depth=1)
    {'q': ['a', 'c']}
    """
    depth = check_count("depth", depth, 1)
    is_one = isinstance(runs, Run) or not isinstance(runs, Iterable) or is_path(runs)
    if is_one or not (sources := list(runs.values() if isinstance(runs, Mapping) else runs)):
        fail("runs", "must be one or more runs in a dict or a list", runs)
    documents: dict[str, set[str]] = {}
    for source in sources:
        for query, scores in Run.of(source).items():
            documents.setdefault(query, set()).update(name for name, _ in top(scores, depth))
    return {query: sorted(names) for query, names in documents.items()}
