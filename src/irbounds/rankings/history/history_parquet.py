"""Histories as Parquet: a row for each evaluation, in the columns of `HistoryEntry.to_dict`."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from typing import Any

from irbounds.foundation.errors import InputError

MARK = b"irbounds-history"  # in the metadata of the schema: the version of the format
TABLES = ("values", "low", "high")
OPTIONAL = ("run_sha256", "qrels", "qrels_sha256", "settings", "low", "high")  # may be null


def is_parquet(name: str) -> bool:
    """Whether a history of this name is Parquet."""
    return name.lower().endswith(".parquet")


def _pyarrow() -> Any:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise InputError(
            "a Parquet history needs pyarrow: pip install 'irbounds[parquet]'"
        ) from None
    return pa, pq


def _schema(pa: Any, version: int) -> Any:
    text, numbers = pa.string(), pa.list_(pa.float64())
    texts = ("irbounds", "time", "run", "run_sha256", "qrels", "qrels_sha256", "ties", "settings")
    return pa.schema(
        [
            *((name, text) for name in texts),
            *((name, pa.list_(text)) for name in ("measures", "missing_queries", "query_ids")),
            ("mean", numbers),
            *((name, pa.list_(numbers)) for name in TABLES),
        ],
        metadata={MARK: str(version).encode()},
    )


def _numbers(cell: Any) -> Any:
    """Numbers of lists, those that JSON has as text among them."""
    return [_numbers(x) for x in cell] if isinstance(cell, list) else float(cell)


def appended(content: bytes, lines: Sequence[dict[str, Any]], version: int, where: str) -> bytes:
    """The content of the file with these evaluations after those that it has."""
    pa, pq = _pyarrow()
    schema = _schema(pa, version)
    rows = []
    for line in lines:
        row = {name: line.get(name) for name in schema.names}
        row["settings"] = json.dumps(line["settings"], ensure_ascii=False)
        row["mean"] = _numbers(line["mean"])
        for name in TABLES:
            row[name] = None if line.get(name) is None else _numbers(line[name])
        rows.append(row)
    try:
        tables = [pa.Table.from_pylist(rows, schema=schema)]
    except UnicodeEncodeError as error:
        text = ascii(error.object)
        raise InputError(f"{where}: Parquet cannot store lone surrogates; found {text}") from None
    if content:
        tables.insert(0, _table(content, version, where))
    to = io.BytesIO()
    pq.write_table(pa.concat_tables(tables), to, compression="zstd")
    return to.getvalue()


def _table(content: bytes, version: int, where: str) -> Any:
    pa, pq = _pyarrow()
    try:
        table = pq.read_table(io.BytesIO(content))
    except (pa.ArrowException, OSError, ValueError):
        raise InputError(f"{where}: expected a Parquet file") from None
    found = (table.schema.metadata or {}).get(MARK)
    if found is None:
        raise InputError(f"{where}: expected a history, as `eval --append` writes it")
    if found != str(version).encode():
        other = found.decode(errors="backslashreplace")
        raise InputError(
            f"{where}: this irbounds reads format {version} of histories; found {other}"
        )
    schema = _schema(pa, version)
    for name in schema.names:
        if table.column_names.count(name) != 1:
            raise InputError(f"{where}: expected one column {name!r}")
    try:
        table = table.select(schema.names).cast(schema)
    except (pa.ArrowException, ValueError) as error:
        raise InputError(f"{where}: {str(error).splitlines()[0]}") from None
    for name in schema.names:
        if _has_null(pa, table.column(name), name in OPTIONAL):
            raise InputError(f"{where}: column {name!r} has no value in a row")
    return table


def _has_null(pa: Any, cells: Any, may_be_null: bool) -> bool:
    """Whether a cell is null, or has a null in its lists."""
    import pyarrow.compute as pc

    if cells.null_count and not may_be_null:
        return True
    return pa.types.is_list(cells.type) and _has_null(pa, pc.list_flatten(cells), False)


def read_lines(content: bytes, version: int, where: str) -> list[dict[str, Any]]:
    """The evaluations of a file, as the lines of JSON would have them."""
    lines = []
    for row in _table(content, version, where).to_pylist():
        line = {name: cell for name, cell in row.items() if name not in TABLES or cell is not None}
        try:
            line["settings"] = json.loads(row["settings"] or "{}")
        except ValueError:
            line["settings"] = None
        if not isinstance(line["settings"], dict):
            raise InputError(f"{where}: expected a JSON object in the column 'settings'")
        lines.append(line)
    return lines
