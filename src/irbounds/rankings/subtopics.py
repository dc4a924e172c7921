"""Judgments of subtopics: qrels whose second column says on which subtopic a document was
judged."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from operator import attrgetter
from typing import Any

import numpy as np

from irbounds.foundation.errors import InputError
from irbounds.foundation.paths import is_path, shown_name
from irbounds.rankings.collection import Qrels
from irbounds.rankings.files import text_rows
from irbounds.rankings.frames import find_columns, is_frame

Row = tuple[str, str, str, float]
COLUMNS = ("iteration", "subtopic", "subtopic_id")
MOST = 1 << 52  # whole numbers to here are floats
EXPECTED = (
    "measures of subtopics need qrels with subtopics: a TREC file that has them in column 2, a "
    "frame or named tuples with iteration (or subtopic_id), or {query: {doc: {subtopic: grade}}}"
)


@dataclass(frozen=True, eq=False)
class SubtopicQrels:
    """Grades by document and subtopic.

    Attributes
    ----------
    documents : dict
        The documents of each query by falling id, as ndeval's ideal ranking takes equal ones.
    grades : dict
        For each query a matrix, documents by subtopics; minus infinity where a document was not
        judged.  Subtopics that are numbers are in their order.
    """

    documents: Mapping[str, list[str]]
    grades: Mapping[str, np.ndarray]

    @classmethod
    def of(cls, source: Any, columns: Mapping[str, str] | None = None) -> SubtopicQrels:
        """From a path, nested dicts, a frame or named tuples."""
        queries: dict[str, tuple[list[str], list[str], list[float]]] = {}
        for query, subtopic, doc, grade in _rows(source, columns or {}):
            judged = queries.get(query)
            if judged is None:
                judged = queries[query] = [], [], []
            judged[0].append(doc)
            judged[1].append(subtopic)
            judged[2].append(grade)
        if not queries:
            raise InputError("`qrels` has no query")
        documents, grades = {}, {}
        for query, (docs, subtopics, values) in queries.items():
            documents[query] = _by_falling_id(set(docs))
            row = {doc: place for place, doc in enumerate(documents[query])}
            names = sorted(set(subtopics), key=_order)
            column = {name: place for place, name in enumerate(names)}
            # -inf: not judged on this subtopic.  A cell that is written twice leaves fewer cells
            # than judgments.
            matrix = np.full((len(row), len(names)), -np.inf)
            matrix[[row[doc] for doc in docs], [column[name] for name in subtopics]] = values
            if np.count_nonzero(matrix > -np.inf) < len(docs):
                _refuse_duplicate(query, docs, subtopics)
            grades[query] = matrix
        return cls(documents, grades)

    @property
    def most_subtopics(self) -> int:
        """The highest number of any query."""
        return max(matrix.shape[1] for matrix in self.grades.values())

    def whole(self) -> Qrels:
        """Each document with its highest grade."""
        return self._qrels([matrix.max(axis=1) for matrix in self.grades.values()])

    def coded(self) -> tuple[Qrels, np.ndarray]:
        """Each document with a number for its grades on all subtopics, and these grades: a row for
        each number, minus infinity where a document was not judged."""
        width = self.most_subtopics
        rows = np.full((sum(map(len, self.grades.values())), width), -np.inf)
        start = 0
        for matrix in self.grades.values():
            rows[start : start + len(matrix), : matrix.shape[1]] = matrix
            start += len(matrix)
        # Documents with the same grades on all subtopics share a number: the bytes of a row are its
        # key.
        number: dict[bytes, int] = {}
        numbers = [number.setdefault(row, len(number)) for row in map(np.ndarray.tobytes, rows)]
        queries, docs = self._columns
        grades = np.frombuffer(b"".join(number)).reshape(-1, width)
        return Qrels.from_arrays(queries, docs, numbers), grades

    @property
    def has_unjudged(self) -> bool:
        """Whether a document has no grade but those below 0, which say that nobody judged it."""
        return any(bool((matrix.max(axis=1) < 0).any()) for matrix in self.grades.values())

    def _qrels(self, grades: list[np.ndarray]) -> Qrels:
        queries, docs = self._columns
        return Qrels.from_arrays(queries, docs, np.concatenate(grades))

    @cached_property
    def _columns(self) -> tuple[list[str], list[str]]:
        queries = [query for query, docs in self.documents.items() for _ in docs]
        return queries, [doc for docs in self.documents.values() for doc in docs]


def _refuse_duplicate(query: str, docs: list[str], subtopics: list[str]) -> None:
    seen = set()
    for doc, subtopic in zip(docs, subtopics, strict=True):
        if (doc, subtopic) in seen:
            raise InputError(
                f"qrels: duplicate document {doc!r} for query {query!r}, subtopic {subtopic!r}"
            )
        seen.add((doc, subtopic))


def _by_falling_id(documents: set[str]) -> list[str]:
    """By their bytes."""
    if all(map(str.isascii, documents)):
        return sorted(documents, reverse=True)
    return sorted(documents, key=_bytes, reverse=True)


def _bytes(doc: str) -> bytes:
    return doc.encode("utf-8", "surrogateescape")


def _order(subtopic: str) -> tuple[int, int, str]:
    return (0, int(subtopic), "") if subtopic.isascii() and subtopic.isdigit() else (1, 0, subtopic)


def _rows(source: Any, columns: Mapping[str, str]) -> Iterator[Row]:
    if is_path(source):
        return _of_file(source)
    if isinstance(source, Qrels):
        raise InputError(EXPECTED)
    if isinstance(source, dict):
        return _of_dict(source)
    if is_frame(source):
        return _of_frame(source, columns)
    if isinstance(source, Iterable):
        return _of_tuples(source)
    raise InputError(EXPECTED)


def _of_file(path: Any) -> Iterator[Row]:
    for line, fields in text_rows(path):
        where = f"{shown_name(path)}:{line}"
        if len(fields) != 4:
            raise InputError(f"{where}: expected 4 columns, found {len(fields)}")
        try:
            grade = float(fields[3])
        except ValueError:
            grade = np.nan
        if not np.isfinite(grade):
            raise InputError(f"{where}: expected a relevance, found {fields[3]!r}")
        yield fields[0], fields[1], fields[2], grade


def _of_dict(source: dict[Any, Any]) -> Iterator[Row]:
    for query, documents in source.items():
        for doc, grades in documents.items() if isinstance(documents, dict) else ((None, None),):
            if not isinstance(grades, dict):
                raise InputError(EXPECTED)
            for subtopic, grade in grades.items():
                yield str(query), str(subtopic), str(doc), _number(grade)


def _of_frame(frame: Any, columns: Mapping[str, str]) -> Iterator[Row]:
    from irbounds.foundation.frames import column_names, columns_of

    available = column_names(frame)
    names = find_columns(available, ["query_id", "doc_id", "relevance"], columns)
    subtopic = next((name for name in COLUMNS if name in available), None)
    if subtopic is None:
        raise InputError(EXPECTED)
    rows = zip(*columns_of(frame, [*names, subtopic]), strict=True)
    for query, doc, grade, name in rows:
        yield str(query), str(name), str(doc), _number(grade)


def _of_tuples(rows: Iterable[Any]) -> Iterator[Row]:
    rows = iter(rows)
    first = next(rows, None)
    key = next((key for key in COLUMNS if hasattr(first, key)), None)
    if key is None:
        raise InputError(EXPECTED)
    fields = attrgetter("query_id", key, "doc_id", "relevance")
    try:
        for query, subtopic, doc, grade in map(fields, chain([first], rows)):
            yield str(query), str(subtopic), str(doc), _number(grade)
    except AttributeError:
        raise InputError(EXPECTED) from None


def _number(grade: Any) -> float:
    if type(grade) is int and -MOST < grade < MOST:
        return grade
    try:
        number = float(grade)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"qrels: relevance must be a number; found {grade!r}")
    return number
