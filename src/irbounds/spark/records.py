"""Records that the cluster passes to the Python workers: rows of numbers, grouped by query, and
problems."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple


class Part(IntEnum):
    """The kind of a record.  Kinds after RANKED are problems; the first problem of a query is
    reported."""

    JUDGED = 0
    RANKED = 1
    RUN_NO_QUERY = 2
    RUN_NO_DOC = 3
    RUN_NO_SCORE = 4
    RUN_NAN = 5
    RUN_NO_ORDER = 6
    RUN_TWICE = 7
    QRELS_NO_QUERY = 8
    QRELS_NO_DOC = 9
    QRELS_NO_RELEVANCE = 10
    QRELS_NAN = 11
    QRELS_RANGE = 12
    QRELS_TWICE = 13


# Judged and ranked documents of a query that share grade, place and key are one record.  `place` is
# the place of a score among those of the marks, `key` that of the document among the marks once
# ties are broken. Only a problem names its document.
RECORD = ("query_id", "part", "place", "key", "grade", "times", "doc_id")

OUTCOMES = (
    "query_id string, state int, measure string, value double, low double, high double, "
    "problem string"
)


class State(IntEnum):
    """The outcome of a query."""

    EVALUATED = 0
    MISSING = 1  # judged, not in the run
    UNJUDGED = 2  # in the run, not judged: it has no measures


class Columns(NamedTuple):
    """The names of the user's columns: those of the run, then those of the judgments."""

    query: str
    doc: str
    score: str
    order: str | None
    judged_query: str
    judged_doc: str
    relevance: str


def problem_text(
    part: int, query_id: str, doc_id: str | None, grade: float, columns: Columns
) -> str:
    """The message about a problem, in one line."""
    where = f"(query {query_id!r})"
    no_value = {
        Part.RUN_NO_QUERY: columns.query,
        Part.RUN_NO_DOC: columns.doc,
        Part.RUN_NO_SCORE: columns.score,
        Part.RUN_NO_ORDER: columns.order,
        Part.QRELS_NO_QUERY: columns.judged_query,
        Part.QRELS_NO_DOC: columns.judged_doc,
        Part.QRELS_NO_RELEVANCE: columns.relevance,
    }
    source = "run" if part < Part.QRELS_NO_QUERY else "qrels"
    if part in no_value:
        is_anywhere = part in (Part.RUN_NO_QUERY, Part.QRELS_NO_QUERY)
        return f"{source}: column {no_value[Part(part)]!r} has no value in a row" + (
            "" if is_anywhere else f" {where}"
        )
    if part in (Part.RUN_NAN, Part.QRELS_NAN):
        name = columns.score if part == Part.RUN_NAN else columns.relevance
        return f"{source}: `{name}` must be a number; found nan {where}"
    if part == Part.QRELS_RANGE:
        return (
            f"{source}: expected a number from -2^31 to 2^31 as relevance, found {grade:.15g} "
            f"{where}"
        )
    return f"{source}: duplicate document {doc_id!r} for query {query_id!r}"
