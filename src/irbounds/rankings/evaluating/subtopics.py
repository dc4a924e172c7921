"""Judgments of subtopics: qrels whose second column says on which subtopic a document was
judged."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from irbounds._core.documents.doc_index import DocTable
from irbounds._core.documents.doc_rows import shown
from irbounds._core.evaluating.subtopic_rows import SubtopicRows, numbers_of_rows
from irbounds.foundation.errors import InputError
from irbounds.foundation.paths import is_path, shown_name
from irbounds.rankings.data.collection import Qrels
from irbounds.rankings.reading.files import text_rows
from irbounds.rankings.reading.frames import find_columns, is_frame

if TYPE_CHECKING:
    from irbounds.typing import FrameLike, PathLike

Row = tuple[Any, Any, Any, Any]  # query, subtopic, document, grade
COLUMNS = ("iteration", "subtopic", "subtopic_id")
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

    documents: dict[str, list[str]]
    grades: Mapping[str, np.ndarray]

    @classmethod
    def of(cls, source: object, columns: Mapping[str, str] | None = None) -> SubtopicQrels:
        """From a path, nested dicts, a frame or named tuples."""
        rows = SubtopicRows(_number)
        _read(source, columns or {}, rows)
        try:
            found = rows.matrices(_order)
        except KeyError as error:
            query, doc, subtopic = error.args
            raise InputError(
                f"qrels: duplicate document {doc!r} for query {query!r}, subtopic {subtopic!r}"
            ) from None
        if not found:
            raise InputError("`qrels` has no query")
        documents = {query: docs for query, (docs, _, _) in found.items()}
        return cls(documents, {query: grades for query, (_, _, grades) in found.items()})

    @property
    def most_subtopics(self) -> int:
        """The highest number of any query."""
        return max(matrix.shape[1] for matrix in self.grades.values())

    def whole(self) -> Qrels:
        """Each document with its highest grade."""
        grades = np.concatenate([matrix.max(axis=1) for matrix in self.grades.values()]).tolist()
        return Qrels._make(lambda: DocTable.from_groups(self.documents, grades))

    def coded(self) -> tuple[Qrels, np.ndarray]:
        """Each document with a number for its grades on all subtopics, and these grades: a row for
        each number, minus infinity where a document was not judged."""
        width = self.most_subtopics
        rows = np.full((sum(map(len, self.grades.values())), width), -np.inf)
        start = 0
        for matrix in self.grades.values():
            rows[start : start + len(matrix), : matrix.shape[1]] = matrix
            start += len(matrix)
        # Documents with the same grades on all subtopics share a number.
        numbers, grades = numbers_of_rows(rows)
        return Qrels._make(lambda: DocTable.from_groups(self.documents, numbers)), grades


def _order(subtopic: str) -> tuple[int, int, str]:
    return (0, int(subtopic), "") if subtopic.isascii() and subtopic.isdigit() else (1, 0, subtopic)


def _read(source: object, columns: Mapping[str, str], rows: SubtopicRows) -> None:
    if is_path(source):
        rows.append_rows(_of_file(source))
    elif isinstance(source, Qrels):
        raise InputError(EXPECTED)
    elif isinstance(source, dict):
        rows.append_rows(_of_dict(source))
    elif is_frame(source):
        rows.append_rows(_of_frame(cast("FrameLike", source), columns))
    elif isinstance(source, Iterable):
        _read_tuples(source, rows)
    else:
        raise InputError(EXPECTED)


def _of_file(path: PathLike) -> Iterator[Row]:
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
    has_some = any(
        isinstance(grades, dict)
        for documents in source.values()
        for grades in (documents.values() if isinstance(documents, dict) else ())
    )
    for query, documents in source.items():
        for doc, grades in documents.items() if isinstance(documents, dict) else ((None, None),):
            if not isinstance(grades, dict) and has_some and doc is not None:
                raise InputError(
                    f"qrels: query {query!r}: expected {{subtopic: grade}} for document {doc!r}, "
                    f"found {shown(grades)}"
                )
            if not isinstance(grades, dict):
                raise InputError(EXPECTED)
            for subtopic, grade in grades.items():
                yield query, subtopic, doc, grade


def _of_frame(frame: FrameLike, columns: Mapping[str, str]) -> Iterable[Row]:
    from irbounds.foundation.frames import column_names, columns_of

    available = column_names(frame)
    names = find_columns(available, ["query_id", "doc_id", "relevance"], columns)
    subtopic = next((name for name in COLUMNS if name in available), None)
    if subtopic is None:
        raise InputError(EXPECTED)
    queries, docs, grades, subtopics = columns_of(frame, [*names, subtopic])
    return zip(queries, subtopics, docs, grades, strict=True)


def _read_tuples(rows: Iterable[Any], to: SubtopicRows) -> None:
    rows = iter(rows)
    first = next(rows, None)
    key = next((key for key in COLUMNS if hasattr(first, key)), None)
    if key is None:
        raise InputError(EXPECTED)
    fields = "query_id", key, "doc_id", "relevance"
    try:
        to.append_tuples(chain([first], rows), fields, attrgetter(*fields))
    except AttributeError:
        raise InputError(EXPECTED) from None


def _number(grade: Any) -> float:
    try:
        number = float(grade)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"qrels: relevance must be a number; found {shown(grade)}")
    return number
