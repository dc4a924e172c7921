"""JSON of ``{query_id: {doc_id: value}}``, as pytrec_eval and BEIR write runs and judgments, or of
an array of rows, as tools of tables write them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import IO, Any

from irbounds._core.documents.doc_rows import BadRow
from irbounds.foundation.errors import InputError
from irbounds.rankings.reading.lists import are_lists, grouped

Rows = Iterator[tuple[int, Any, Any, Any]]
Find = Callable[[list[str]], list[str]]


def json_rows(
    file: IO[bytes], find: Find, value_name: str = "score"
) -> Rows | dict[str, dict[str, Any]]:
    """Tuples (0, query_id, doc_id, value); or the dict itself, where a query has no documents.

    `find` chooses the three names of an object of an array.
    """
    found = loaded(file.read(), "file")
    if isinstance(found, list):
        return _listed_rows(found, find)
    if not isinstance(found, dict):
        raise BadRow(f"expected a JSON object of queries, found a {type(found).__name__}")
    has_empty = {} in found.values() and all(isinstance(own, dict) for own in found.values())
    if not has_empty:
        return _dict_rows(found, value_name)
    for query, documents in found.items():
        for document in documents or [None] * (query == ""):
            check_ids(query, document)
    return found


def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object, in which no name comes twice: json itself keeps the last one."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise BadRow(f"duplicate name {name!r}")
        found[name] = value
    return found


def loaded(text: str | bytes, what: str) -> Any:
    """The value of a JSON text, which `what` says it is in messages."""
    try:
        # Python's reader in C sees no signals inside an object; it does at the end of each, where
        # it calls `distinct`.
        return json.loads(text, object_pairs_hook=distinct)
    except BadRow:
        raise
    except (RecursionError, ValueError) as error:
        raise BadRow(f"the {what} is not JSON: {error}") from None


def names_in(row: dict[str, Any], names: list[str], find: Find) -> list[str]:
    """The names of the wanted members: those of the row before, where this one has them too."""
    if names and all(name in row for name in names):
        return names
    try:
        return find(list(row))
    except InputError as error:
        raise BadRow(str(error).replace("the data frame", "the object")) from None


def check_ids(query: object, document: object) -> None:
    """Refuse ids without a character."""
    for what, name in (("query", query), ("document", document)):
        if name is None or name == "":
            raise BadRow(f"the {what} id is missing")


def _dict_rows(queries: dict[str, Any], value_name: str) -> Rows:
    if are_lists(queries):
        found = grouped(queries, value_name)
        values = iter(found.values)
        for query, ids in found.documents.items():
            yield from ((0, query, document, next(values)) for document in ids)
        return
    for query, documents in queries.items():
        if not isinstance(documents, dict):
            raise BadRow(f"query {query!r}: expected an object of documents")
        for document, value in documents.items():
            yield 0, query, document, value


def _listed_rows(rows: list[Any], find: Find) -> Rows:
    """The rows of an array; the first one says what its members are called."""
    names: list[str] = []
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            raise BadRow(f"row {number}: expected a JSON object, found {repr(row)[:80]}")
        try:
            names = names_in(row, names, find)
            query, document, value = (row[name] for name in names)
            check_ids(query, document)
        except BadRow as error:
            raise BadRow(f"row {number}: {error.problem}") from None
        if not isinstance(value, int | float):
            raise BadRow(f"row {number}: expected a number as {names[2]}, found {repr(value)[:80]}")
        yield 0, query, document, value


def result_rows(
    file: IO[bytes], find: Callable[[list[str], list[str]], list[str]], member: str
) -> Rows:
    """The rows of lines that have a query and, in a member, a list of its documents with scores."""
    for number, line in enumerate(file, 1):
        if not line.strip():
            continue
        try:
            found = loaded(line, "line")
        except BadRow as error:
            raise BadRow(error.problem, number) from None
        if not isinstance(found, dict) or not isinstance(found.get(member), list):
            raise BadRow(f"expected a JSON object with a list {member!r}", number)
        try:
            query = found[find(list(found), ["query_id"])[0]]
            for result in found[member]:
                if not isinstance(result, dict):
                    raise BadRow(f"expected an object in {member!r}, found {result!r}", number)
                document, score = find(list(result), ["doc_id", "score"])
                yield number, query, result[document], result[score]
        except InputError as error:
            raise BadRow(str(error).replace("the data frame", "the object"), number) from None
