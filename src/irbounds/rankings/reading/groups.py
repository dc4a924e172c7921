"""Groups of queries, such as those made from one document, in any of the forms that users have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.foundation.errors import InputError
from irbounds.foundation.frames import column_names, columns_of
from irbounds.foundation.paths import is_path, shown_name
from irbounds.queries.groups import ALONE, Groups, codes_of
from irbounds.rankings.reading.files import text_lines
from irbounds.rankings.reading.frames import is_frame

if TYPE_CHECKING:
    from irbounds.typing import GroupsLike, PathLike

QUERY_COLUMNS = ("query_id", "query", "qid", "query-id", "topic", "unit", "id")
GROUP_COLUMNS = ("group", "group_id", "cluster")


def group_labels(
    groups: GroupsLike | None, query_ids: Sequence[Any], frame: Any = None
) -> np.ndarray | None:
    """The group of each query as 0, 1, …, in the order in which groups come; None without groups,
    and where each query is its own.

    Parameters
    ----------
    groups : mapping, path, data frame, sequence, str or None
        ``{query: group}``; a file or a frame with a column of queries and one of groups; a group
        for each query in their order; or the name of a column of `frame`.  A query that has none
        is a group of its own.
    query_ids : sequence
    frame : data frame, optional
        Judgments that may have the column.
    """
    if groups is None:
        return None
    named = groups_by_query(groups, query_ids, frame)
    return codes_of(_labels(named, query_ids), len(query_ids))


def groups_by_query(
    groups: GroupsLike, query_ids: Sequence[Any], frame: Any = None
) -> Mapping[Any, Any]:
    """The same as ``{query: group}``, which has one of the queries or more."""
    named = _as_mapping(groups, query_ids, frame)
    if len(query_ids) and all(label is ALONE for label in _labels(named, query_ids)):
        raise InputError(
            f"`groups` has none of the queries, such as {query_ids[0]!r}; it has "
            f"{', '.join(map(repr, list(named)[:3])) or 'none at all'}"
        )
    return named


def groups_of(named: Mapping[Any, Any], query_ids: Sequence[Any]) -> Groups | None:
    """The groups of some queries."""
    return Groups.of(_labels(named, query_ids), len(query_ids))


def _labels(named: Mapping[Any, Any], query_ids: Sequence[Any]) -> list[Any]:
    return [named.get(query, named.get(str(query), ALONE)) for query in query_ids]


def _as_mapping(groups: Any, query_ids: Sequence[Any], frame: Any) -> Mapping[Any, Any]:
    if isinstance(groups, Mapping):
        return groups
    if is_path(groups):
        if isinstance(groups, str) and is_frame(frame) and groups in column_names(frame):
            query = _first(QUERY_COLUMNS, column_names(frame), "queries")
            return _paired(zip(*columns_of(frame, [query, groups]), strict=True), "`groups`")
        return read_groups(groups)
    if hasattr(groups, "to_dict") and hasattr(groups, "to_list"):  # a column of pandas
        named: dict[Any, Any] = groups.to_dict()
        if len(named) == len(groups) and any(query in named for query in query_ids):
            return named
    elif hasattr(groups, "columns") or hasattr(groups, "column_names"):
        names = column_names(groups)
        columns = [_first(QUERY_COLUMNS, names, "queries"), _first(GROUP_COLUMNS, names, "groups")]
        return _paired(zip(*columns_of(groups, columns), strict=True), "`groups`")
    codes = codes_of(groups, len(query_ids))
    listed = range(len(query_ids)) if codes is None else codes.tolist()
    return dict(zip(query_ids, listed, strict=True))


def read_groups(path: PathLike) -> dict[str, str]:
    """Groups by query from a file of two columns, query and group: CSV, TSV, or text with spaces.

    A first row that names them is left out; with it, the file may have other columns.
    """
    name = shown_name(path)
    rows = _rows(path)
    first, cells = next(rows, (0, []))
    if not first:
        raise InputError(f"{name}: the file has no rows")
    header = [cell.strip().lower() for cell in cells]
    query, group, n_columns = 0, 1, 2
    if header[0] in QUERY_COLUMNS or {*header} & {*GROUP_COLUMNS}:
        n_columns = len(header)
        if n_columns > 2 or header[0] not in QUERY_COLUMNS:
            query = header.index(_first(QUERY_COLUMNS, header, "queries"))
            group = header.index(_first(GROUP_COLUMNS, header, "groups"))
        kept = []
    else:
        kept = [(first, cells)]
    kept += rows
    for line, cells in kept:
        if len(cells) != n_columns:
            expected = "two columns, query and group" if n_columns == 2 else f"{n_columns} columns"
            raise InputError(f"{name}:{line}: expected {expected}; found {len(cells)}")
    return _paired(((cells[query].strip(), cells[group].strip()) for _, cells in kept), name)


def _rows(path: PathLike) -> Iterator[tuple[int, list[str]]]:
    """Line numbers and cells; the first line says what is between cells."""
    import csv  # here, as an evaluation does not need it

    separator: str | None = ""
    for number, data in text_lines(path):
        line = data.decode("utf-8-sig" if number == 1 else "utf-8", "surrogateescape")
        if not line.strip() or line.startswith("#"):
            continue
        if separator == "":
            separator = "\t" if "\t" in line else "," if "," in line else None
        yield (
            number,
            line.split() if separator is None else next(csv.reader([line], delimiter=separator)),
        )


def _paired(pairs: Iterable[tuple[Any, Any]], where: str) -> dict[Any, Any]:
    found: dict[Any, Any] = {}
    for query, group in pairs:
        if found.setdefault(query, group) != group:
            raise InputError(
                f"{where}: query {query!r} is in two groups, {found[query]!r} and {group!r}"
            )
    return found


def _first(known: Sequence[str], names: Sequence[str], what: str) -> str:
    for name in known:
        if name in names:
            return name
    raise InputError(
        f"`groups` needs a column of {what}, one of {', '.join(known)}; it has {', '.join(names)}"
    )
