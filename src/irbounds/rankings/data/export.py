"""Rows of judgments and rankings on their way out: columns, TREC files, first ranks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from irbounds.foundation.atomic import write_file
from irbounds.foundation.errors import InputError
from irbounds.foundation.paths import name_of

if TYPE_CHECKING:
    from irbounds.typing import PathLike

COMPRESSED = {".gz": "gzip", ".xz": "lzma", ".bz2": "bz2"}  # modules


def _compress(data: bytes, module: str) -> bytes:
    import importlib  # here, as a start of the command line needs none of these modules

    options: dict[str, Any] = (
        {"mtime": 0} if module == "gzip" else {}
    )  # the same rows give the same bytes
    compressed: bytes = importlib.import_module(module).compress(data, **options)
    return compressed


def columns_of(queries: Mapping[str, dict[str, float]], value_name: str) -> dict[str, list[Any]]:
    """Columns query_id, doc_id and the value's, a row for each document."""
    rows: dict[str, list[Any]] = {"query_id": [], "doc_id": [], value_name: []}
    for query, documents in queries.items():
        rows["query_id"] += [query] * len(documents)
        rows["doc_id"] += documents.keys()
        rows[value_name] += documents.values()
    return rows


def ranked(documents: dict[str, float]) -> list[tuple[str, float]]:
    """(document, score), higher scores first, equal ones by descending document id."""
    return sorted(documents.items(), key=lambda row: (row[1], row[0]), reverse=True)


def top(documents: dict[str, float], k: int, ties: str = "keep") -> list[tuple[str, float]]:
    """The first k of a ranking; with ties="keep" also all whose score is that of the kth."""
    if len(documents) <= k:
        return list(documents.items())
    if ties == "doc_id":
        return ranked(documents)[:k]
    import heapq  # here, as evaluation needs it not

    least = heapq.nlargest(k, documents.values())[-1]
    return [row for row in documents.items() if row[1] >= least]


def check_word(what: str, text: str) -> str:
    """The text, which a column of a TREC file can hold.  Raises InputError otherwise."""
    if not isinstance(text, str) or text.split() != [text]:
        raise InputError(f"a TREC file needs a {what} without white space; found {text!r}")
    if "\0" in text:
        raise InputError(f"a TREC file needs a {what} without NULs; found {text!r}")
    if what == "query_id" and text.startswith("\ufeff"):
        raise InputError(f"a TREC file cannot begin with a byte order mark; found {text!r}")
    if what == "query_id" and text.startswith("#"):
        raise InputError(f"trec_eval takes lines that begin with # as comments; found {text!r}")
    return text


def write_rows(path: PathLike, lines: Iterable[str]) -> None:
    """Write lines to a file, which appears whole or not at all."""
    name = name_of(path)
    data = "".join(lines).encode("utf-8", "surrogateescape")
    if name.endswith((".zst", ".zstd")):
        raise InputError(f"{name}: zstd is read, not written: write .gz, .xz or .bz2")
    for suffix, module in COMPRESSED.items():
        if name.endswith(suffix):
            data = _compress(data, module)
    write_file(data, name, "path")
