"""JSON of ``{query_id: {doc_id: value}}``, as pytrec_eval and BEIR write runs and judgments, or of
an array of rows, as tools of tables write them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from itertools import chain, islice, repeat
from json.decoder import scanstring  # type: ignore[attr-defined]  # ten times as fast as loads
from json.scanner import py_make_scanner  # type: ignore[attr-defined]
from typing import IO, Any

from irbounds._core.documents.doc_rows import BadRow
from irbounds.foundation.errors import InputError

# The members of plain files: names, text and numbers as JSON has them.
SPACE = r"[ \t\n\r]*"
PLAIN = r'[^"\\\x00-\x1f]*'
NAME = rf'"({PLAIN}(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{{4}}){PLAIN})*)"'
NUMBER = r"(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)"
OPEN = re.compile(rf"{SPACE}\{{")
END = re.compile(rf"{SPACE}\Z")
QUERY = re.compile(rf"{SPACE}{NAME}{SPACE}:{SPACE}\{{")
DOCUMENT = re.compile(rf"{SPACE}{NAME}{SPACE}:{SPACE}(?:{NUMBER}|{NAME}){SPACE}([,}}])")
NOTHING = re.compile(rf"{SPACE}\}}")
NEXT = re.compile(rf"{SPACE}([,}}])")

Rows = Iterator[tuple[int, Any, Any, Any]]
Find = Callable[[list[str]], list[str]]


def json_rows(file: IO[bytes], find: Find) -> Rows | dict[str, dict[str, Any]]:
    """Tuples (0, query_id, doc_id, value); or the dict itself, where a query has no documents.

    `find` chooses the three names of an object of an array.
    """
    raw = file.read()
    try:
        text = raw.decode(json.detect_encoding(raw), "surrogatepass")
        rows = _plain_rows(text)
        return _all_rows(text, find) if rows is None else rows
    except BadRow:
        raise
    except (RecursionError, ValueError) as error:
        raise BadRow(f"the file is not JSON: {error}") from None


def _plain_rows(text: str) -> Rows | dict[str, dict[str, Any]] | None:
    """The rows of a usual file, or its dict as `json_rows`; None for others, wrong ones among them.

    Python's own reader looks for no signals in an object, however large: this one hears them after
    each document; parsing takes a third longer.
    """
    start = OPEN.match(text)
    if start is None:
        return None
    at = start.end()
    queries: dict[str, int] = {}
    doc_ids: list[str] = []
    values: list[Any] = []
    while True:
        query = QUERY.match(text, at)
        if query is None or (query_id := _unescaped(query[1])) in queries:
            return None
        first, at, ending = len(doc_ids), query.end(), ","
        nothing = NOTHING.match(text, at)
        if nothing is not None:
            at, ending = nothing.end(), "}"
        while ending == ",":
            document = DOCUMENT.match(text, at)
            if document is None:
                return None
            doc_id, number, other, ending = document.groups()
            doc_ids.append(_unescaped(doc_id))
            values.append(_unescaped(other) if number is None else float(number))
            at = document.end()
        n_rows = len(doc_ids) - first
        if len(set(doc_ids[first:])) < n_rows:
            return None
        if math.inf in values[first:] or -math.inf in values[first:]:
            return None  # a whole number that is too long, perhaps
        queries[query_id] = n_rows
        following = NEXT.match(text, at)
        if following is None:
            return None
        at = following.end()
        if following[1] == "}":
            break
    if END.match(text, at) is None:
        return None
    if 0 in queries.values():
        rows = zip(doc_ids, values, strict=True)
        return _checked({name: dict(islice(rows, n)) for name, n in queries.items()})
    names = chain.from_iterable(map(repeat, queries, queries.values()))
    return zip(repeat(0), names, doc_ids, values)


def _unescaped(text: str) -> str:
    """The text that a member of a file stands for."""
    return str(scanstring(f'{text}"', 0)[0]) if "\\" in text else text


def _all_rows(text: str, find: Find) -> Rows | dict[str, dict[str, Any]]:
    """The rows of any file, or what is wrong with it."""
    decoder: Any = json.JSONDecoder(object_pairs_hook=_distinct)
    # the one in C looks for no signals; this one takes three times as long
    decoder.scan_once = py_make_scanner(decoder)
    found = decoder.decode(text)
    if isinstance(found, list):
        return _listed_rows(found, find)
    if not isinstance(found, dict):
        raise BadRow(f"expected a JSON object of queries, found a {type(found).__name__}")
    has_empty = {} in found.values() and all(isinstance(own, dict) for own in found.values())
    return _checked(found) if has_empty else _dict_rows(found)


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object, in which no name comes twice: json itself keeps the last one."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise BadRow(f"duplicate name {name!r}")
        found[name] = value
    return found


def _dict_rows(queries: dict[str, Any]) -> Rows:
    for query, documents in queries.items():
        if not isinstance(documents, dict):
            raise BadRow(f"query {query!r}: expected an object of documents")
        for document, value in documents.items():
            yield 0, query, document, value


def _checked(queries: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The same; refuses ids without a character."""
    for what, is_missing in (
        ("query", "" in queries),
        ("document", any("" in documents for documents in queries.values())),
    ):
        if is_missing:
            raise BadRow(f"the {what} id is missing")
    return queries


def _listed_rows(rows: list[Any], find: Find) -> Rows:
    """The rows of an array; the first one says what its members are called."""
    names: list[str] = []
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            raise BadRow(f"row {number}: expected a JSON object, found {repr(row)[:80]}")
        if not names or any(name not in row for name in names):
            try:
                names = find(list(row))
            except InputError as error:
                problem = str(error).replace("the data frame", "the object")
                raise BadRow(f"row {number}: {problem}") from None
        query, document, value = (row[name] for name in names)
        for what, name in (("query", query), ("document", document)):
            if name is None or name == "":
                raise BadRow(f"row {number}: the {what} id is missing")
        if not isinstance(value, int | float):
            raise BadRow(f"row {number}: expected a number as {names[2]}, found {repr(value)[:80]}")
        yield 0, query, document, value
