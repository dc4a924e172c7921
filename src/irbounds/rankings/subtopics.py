"""Judgments of subtopics: qrels whose second column says on which subtopic a document was
judged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from irbounds.foundation.errors import InputError
from irbounds.foundation.paths import is_path, shown_name
from irbounds.rankings.collection import Qrels
from irbounds.rankings.files import text_rows
from irbounds.rankings.frames import find_columns, is_frame

Row = tuple[str, str, str, float]
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
        ``{query_id: {doc_id: {subtopic: grade}}}``
    subtopics : dict
        The subtopics of each query, numbers in their order.
    """

    documents: Mapping[str, Mapping[str, Mapping[str, float]]]
    subtopics: Mapping[str, list[str]]

    @classmethod
    def of(cls, source: Any, columns: Mapping[str, str] | None = None) -> SubtopicQrels:
        """From a path, nested dicts, a frame or named tuples."""
        if isinstance(source, SubtopicQrels):
            return source
        documents: dict[str, dict[str, dict[str, float]]] = {}
        subtopics: dict[str, dict[str, None]] = {}
        for query, subtopic, doc, grade in _rows(source, columns or {}):
            found = documents.setdefault(query, {}).setdefault(doc, {})
            if subtopic in found:
                raise InputError(
                    f"qrels: duplicate document {doc!r} for query {query!r}, subtopic {subtopic!r}"
                )
            found[subtopic] = grade
            subtopics.setdefault(query, {})[subtopic] = None
        if not documents:
            raise InputError("`qrels` has no query")
        return cls(documents, {q: sorted(names, key=_order) for q, names in subtopics.items()})

    @property
    def most_subtopics(self) -> int:
        """Of any query."""
        return max(map(len, self.subtopics.values()))

    def whole(self) -> Qrels:
        """Each document with its highest grade."""
        return self._qrels(lambda grades, _: max(grades.values()))

    def part(self, number: int) -> Qrels:
        """Grades on each query's subtopic of this number; 0 for documents of the others."""

        def grade(grades: Mapping[str, float], subtopics: list[str]) -> float:
            name = subtopics[number] if number < len(subtopics) else None
            return max(0.0, grades.get(name, 0.0)) if name is not None else 0.0

        return self._qrels(grade)

    def _qrels(self, grade: Any) -> Qrels:
        queries, docs, grades = [], [], []
        for query, documents in self.documents.items():
            for doc, own in documents.items():
                queries.append(query)
                docs.append(doc)
                grades.append(grade(own, self.subtopics[query]))
        return Qrels.from_arrays(queries, docs, np.array(grades))

    def relevant(self, query: str, rel: float) -> np.ndarray:
        """Documents by subtopics: who is relevant on what; documents by falling id, as ndeval's
        ideal ranking takes equal ones."""
        names = self.subtopics[query]
        documents = self.documents[query]
        ids = sorted(
            documents, key=lambda doc: doc.encode("utf-8", "surrogateescape"), reverse=True
        )
        return np.array([[documents[d].get(s, -1.0) >= rel for s in names] for d in ids], bool)


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
    for row in rows:
        subtopic = next((getattr(row, key) for key in COLUMNS if hasattr(row, key)), None)
        if subtopic is None or not hasattr(row, "query_id"):
            raise InputError(EXPECTED)
        yield str(row.query_id), str(subtopic), str(row.doc_id), _number(row.relevance)


def _number(grade: Any) -> float:
    try:
        number = float(grade)
    except (TypeError, ValueError):
        number = np.nan
    if not np.isfinite(number):
        raise InputError(f"qrels: relevance must be a number; found {grade!r}")
    return number
