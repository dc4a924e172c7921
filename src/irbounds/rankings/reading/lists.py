"""Lists of ids: those that a system retrieved, best first, and those that are relevant."""

from __future__ import annotations

from collections.abc import Mapping, Set
from numbers import Number
from typing import Any, NamedTuple

import numpy as np

from irbounds.foundation.errors import InputError, shown
from irbounds.rankings.reading.frames import COLUMN_NAMES, known_columns

MOST = 100  # columns of a table, which queries may be more than


class Grouped(NamedTuple):
    """Documents of each query in turn, and the values of all."""

    documents: dict[Any, list[Any]]
    values: list[Any]
    by_position: bool  # whether the queries have no ids but their places


def are_lists(source: object) -> bool:
    """True for a dict of lists, sets or arrays of ids, and for a list of those or of dicts."""
    if isinstance(source, dict):
        return bool(source) and _is_ordered(next(iter(source.values())))
    if not isinstance(source, list) or not source:
        return False
    return _is_list(source[0]) or (isinstance(source[0], dict) and not are_rows(source[0]))


def are_rows(row: object) -> bool:
    """True for a dict that is a row of a table: it has a query id or text among its values."""
    if not isinstance(row, dict):
        return False
    is_named = any(name in row for name in COLUMN_NAMES["query_id"])
    return is_named or any(isinstance(value, str) for value in row.values())


def are_columns(source: Mapping[Any, Any]) -> bool:
    """True for the columns of a table, by name: those of ids are among them."""
    names = {str(name).strip().casefold() for name in source} if len(source) < MOST else set()
    return all(names.intersection(COLUMN_NAMES[name]) for name in ("query_id", "doc_id"))


def _by_query(source: Any, value_name: str) -> dict[Any, list[Any]]:
    """Columns of a table as pairs of each query."""
    wanted = ["query_id", "doc_id", value_name]
    columns = [list(source[name]) for name in known_columns(list(source), wanted, {})]
    if len(set(map(len, columns))) > 1:
        raise InputError(f"columns must have one length; found {list(map(len, columns))}")
    found: dict[Any, list[Any]] = {}
    for query, document, value in zip(*columns, strict=True):
        found.setdefault(query, []).append((document, value))
    return found


def grouped(source: Any, value_name: str) -> Grouped:
    """The lists as documents with values: -1, -2, … in the order of a run without scores, grade 1
    of judgments; the second member of pairs is the value."""
    if isinstance(source, Mapping) and are_columns(source):
        source = _by_query(source, value_name)
    by_position = not isinstance(source, Mapping)
    items = enumerate(source) if by_position else source.items()
    documents: dict[Any, list[Any]] = {}
    values: list[Any] = []
    for query, own in items:
        where = f"list {query}" if by_position else f"query {query!r}"
        ids, numbers = _documents(own, value_name, where)
        documents[str(query) if by_position else query] = ids
        values += numbers
    return Grouped(documents, values, by_position)


def _documents(own: Any, value_name: str, where: str) -> tuple[list[Any], list[Any]]:
    if isinstance(own, dict):
        return list(own), list(own.values())
    if not _is_ordered(own):
        raise InputError(f"{where}: expected a list of ids, found {shown(own)}")
    if isinstance(own, Set) and value_name == "score":
        raise InputError(f"{where}: a set has no order: give the ids in a list, best first")
    ids = own.tolist() if isinstance(own, np.ndarray) else list(own)
    if isinstance(own, Set):
        ids.sort(key=str)  # that of a set is another one in each process
    pairs = [isinstance(each, tuple | list) for each in ids]
    if not any(pairs):
        if len({isinstance(each, str | bytes) for each in ids}) > 1:
            raise InputError(
                f"{where}: expected ids that are all text or all numbers, found {shown(ids)}; rows "
                f"need names, as in a data frame with query_id, doc_id and {value_name}"
            )
        if value_name == "score":
            return ids, [-float(place) for place in range(1, len(ids) + 1)]
        return ids, [1] * len(ids)
    for each, is_pair in zip(ids, pairs, strict=True):
        if not is_pair or len(each) != 2 or not _is_number(each[1]):
            raise InputError(
                f"{where}: expected ids, or pairs of an id and a {value_name}, in all places; "
                f"found {shown(each)}"
            )
    return [each[0] for each in ids], [each[1] for each in ids]


def _is_number(value: object) -> bool:
    return isinstance(value, Number | np.number) and not isinstance(value, bool)


def _is_ordered(value: object) -> bool:
    """The same or a tuple, which alone in a list may be a row."""
    return _is_list(value) or type(value) is tuple


def _is_list(value: object) -> bool:
    return isinstance(value, list | Set) or (isinstance(value, np.ndarray) and value.ndim == 1)
