"""The formats of files with judgments and rankings: how each is recognised and read.

The file is longer than 400 lines because a row of its table stands beside the reader it names.
"""

from __future__ import annotations

import io
import itertools
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import IO, Any, NamedTuple

import numpy as np

from irbounds._core.documents.arrow_rows import ArrowBatch, ArrowParts, ArrowRows
from irbounds._core.documents.doc_index import DictReader
from irbounds._core.documents.doc_rows import BadRow, RowReader, id_as_bytes
from irbounds._core.reading.json_lines import JsonLinesReader
from irbounds._core.reading.table_text import TableReader
from irbounds._core.reading.text_buffers import text_buffers
from irbounds._core.reading.trec_text import TrecReader
from irbounds.foundation.errors import InputError, InputFileError
from irbounds.foundation.tables import SEPARATOR
from irbounds.rankings.reading.ahead import ahead
from irbounds.rankings.reading.frames import (
    COLUMN_NAMES,
    RanksError,
    find_columns,
    known_columns,
    stream_parts,
)

PIECE = 1 << 14  # rows of JSON that are in memory as Python objects
HEAD = 1 << 16  # bytes by which a format is recognised
LONGEST_HEADER = 1 << 20  # bytes, as of a line of TREC's
RESULTS = "results"  # the member with the documents of a query, of sentence-transformers
RANKED = ("msmarco", "colbert", RESULTS)  # formats that only runs have
DELIMITERS = ("\t", ",", ";")
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Wanted(NamedTuple):
    """The data to read from a file: qrels or a run, and the caller's names of the columns."""

    value_name: str  # "relevance" of qrels, "score" of a run
    columns: Mapping[str, str] = MappingProxyType({})

    @property
    def names(self) -> list[str]:
        """The three columns, as irbounds names them."""
        return ["query_id", "doc_id", self.value_name]


class Format(NamedTuple):
    """A format: its name, its contents, a test of a file's first bytes, and its reader."""

    name: str
    description: str
    recognises: Callable[[bytes, Wanted], bool]
    read: Callable[[IO[bytes], Wanted], RowReader]


def recognise(head: bytes, wanted: Wanted) -> Format:
    """The format of a file that begins with these bytes; TREC if no other one fits."""
    return next(each for each in FORMATS.values() if each.recognises(head, wanted))


def _lines(file: Iterable[bytes]) -> Iterator[str]:
    """The lines of a text file.  Bytes that are not UTF-8 are kept, as in TREC files."""
    lines = iter(file)
    for line in lines:
        yield line.removeprefix(BYTE_ORDER_MARK).decode("utf-8", "surrogateescape")
        break
    for line in lines:
        yield line.decode("utf-8", "surrogateescape")


def _first_line(head: bytes) -> str:
    lines = _lines(io.BytesIO(head))
    return next((line for line in lines if not _is_before(line)), "").rstrip("\r\n")


def _is_before(line: str) -> bool:
    """Whether a line stands before the table: it is empty, or Excel's `sep=;`."""
    return not line.strip() or SEPARATOR.fullmatch(line.strip()) is not None


# Tables of text -----------------------------------------------------------------------------------


def _has_header(head: bytes, wanted: Wanted) -> bool:
    return _delimiter(_first_line(head), wanted) is not None


def _delimiter(line: str, wanted: Wanted) -> str | None:
    """The delimiter of the column names in a first line; None if it has no names of ids."""
    for delimiter in DELIMITERS:
        if delimiter not in line:
            continue
        import csv  # here, as it is no part of a start that reads TREC's files

        try:
            fields = next(csv.reader([line], delimiter=delimiter), [])
            known_columns(fields, ["query_id", "doc_id"], wanted.columns)
        except (csv.Error, InputError):
            continue
        return delimiter
    return None


def _read_table(file: IO[bytes], wanted: Wanted) -> RowReader:
    import csv

    number, line = 0, ""
    while _is_before(line):
        number, raw = number + 1, file.readline(LONGEST_HEADER)
        if not raw:
            raise BadRow("the file has no names of columns")
        line = next(_lines([raw]))
    delimiter = _delimiter(line.rstrip("\r\n"), wanted) or ","
    is_ranked = False
    try:
        header = next(csv.reader([line], delimiter=delimiter))
        try:
            names = find_columns(header, wanted.names, wanted.columns)
        except RanksError:
            is_ranked = True
            names = find_columns(header, ["query_id", "doc_id", "rank"], wanted.columns)
    except csv.Error as error:
        raise BadRow(f"the names of the columns cannot be read: {error}", number) from None
    except InputError as error:
        raise BadRow(str(error).replace("the data frame", "the table")) from None
    places = [header.index(name) for name in names]
    return TableReader(
        file,
        wanted.value_name,
        delimiter,
        places,
        len(header),
        first_line=number,
        is_ranked=is_ranked,
    )


def places_of_ranks(head: bytes, wanted: Wanted) -> tuple[list[int], bytes | None] | None:
    """The places of query, rank and score in a table that has them, and its delimiter."""
    line = _first_line(head)
    delimiter = _delimiter(line, wanted)
    if delimiter is None:
        return None
    header = [name.strip('"') for name in line.split(delimiter)]
    try:
        names = known_columns(header, ["query_id", "rank", "score"], wanted.columns)
    except InputError:
        return None
    return [header.index(name) for name in names], delimiter.encode()


def _is_ms_marco(head: bytes, wanted: Wanted) -> bool:
    """True if lines are query id, document id and rank, separated by tabs, without a header.  The
    first rank is 1, or 0 and the next one 1: other whole numbers may be scores, as are 1 and 0."""
    if wanted.value_name != "score" or not head:
        return False
    lines = [line.rstrip() for line in itertools.islice(_lines(io.BytesIO(head)), 2)]
    first, *following = (re.fullmatch(r"([^\t]+)\t[^\t]+\t([01])", line) for line in lines)
    if first is None or first[2] == "1":
        return first is not None and not any(line and line[1] == first[1] for line in following)
    return any(line is not None and line.groups() == (first[1], "1") for line in following)


def _read_ms_marco(file: IO[bytes], wanted: Wanted) -> RowReader:
    return TableReader(file, wanted.value_name, "\t", (0, 1, 2), 3, is_ranked=True)


def _is_colbert(head: bytes, wanted: Wanted) -> bool:
    """The same with a score behind the rank, but for qrels, whose second column is 0."""
    fields = _first_line(head).rstrip().split("\t")
    if wanted.value_name != "score" or len(fields) != 4 or fields[2] != "1":
        return False
    return all(fields[:2]) and fields[1] not in ("0", "Q0") and _is_number(fields[3])


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _read_colbert(file: IO[bytes], wanted: Wanted) -> RowReader:
    return TableReader(file, wanted.value_name, "\t", (0, 1, 3), 4)


def _parts(rows: Iterable[tuple[int, Any, Any, Any]], wanted: Wanted) -> Iterator[ArrowRows]:
    """Rows of Python objects as parts of Arrow rows."""
    rows = iter(rows)
    while piece := list(itertools.islice(rows, PIECE)):
        lines, queries, documents, values = zip(*piece, strict=True)
        yield _part(lines, queries, documents, values, wanted)


def _part(
    lines: Sequence[int],
    queries: Sequence[Any],
    documents: Sequence[Any],
    values: Sequence[Any],
    wanted: Wanted,
) -> ArrowRows:
    for what, ids in (("query", queries), ("document", documents)):
        for missing in ("", None):
            if missing in ids:
                raise BadRow(f"the {what} id is missing", lines[ids.index(missing)])
    numbers = _numbers(values, lines, zip(queries, documents, strict=True), wanted.value_name)
    batch = ArrowBatch.from_buffers(
        [("T", text_buffers(queries)), ("T", text_buffers(documents)), ("f", numbers)]
    )
    return ArrowRows([batch], wanted.names)


def _numbers(
    values: Sequence[Any], lines: Sequence[int], ids: Iterable[tuple[Any, Any]], name: str
) -> np.ndarray:
    """Values of JSON as doubles.  Text is none, as in dicts and frames, even if it holds a
    number."""
    try:
        if str not in set(map(type, values)):
            return np.array(list(map(float, values)))
    except (TypeError, ValueError, OverflowError):
        pass
    for value, line, (query, document) in zip(values, lines, ids, strict=True):
        try:
            if isinstance(value, str):
                raise TypeError
            float(value)
        except (TypeError, ValueError, OverflowError):
            # a document is told where there is no line to look at
            of = f" of document {document!r} (query {query!r})"
            of = "" if line or document is None else of
            found = repr(value)[:80]
            raise BadRow(f"expected a number as {name}{of}, found {found}", line) from None
    raise AssertionError("one of the values is no number")


# JSON ---------------------------------------------------------------------------------------------


def _is_json_lines(head: bytes, wanted: Wanted) -> bool:
    """True if the first line is a JSON object of single values, or has query id, document id and
    value among its members."""
    line = _first_line(head)
    if "{" not in line:
        return False
    import json

    try:
        first = json.loads(line)
    except (ValueError, RecursionError):
        return False
    if not isinstance(first, dict) or not first:
        return False
    if all(isinstance(value, list) for value in first.values()):
        return False
    if not any(isinstance(value, dict) for value in first.values()):
        return True
    try:
        names = find_columns(list(first), wanted.names, wanted.columns)
    except InputError:
        return False
    return not any(isinstance(first[name], dict) for name in names)


def _read_json_lines(file: IO[bytes], wanted: Wanted) -> RowReader:
    def parse(line: bytes, names: list[str]) -> tuple[bytes, bytes, float, list[str]]:
        return _json_row(line, names, wanted)

    return JsonLinesReader(file, wanted.value_name, parse)


def _json_row(
    line: bytes, names: list[str], wanted: Wanted
) -> tuple[bytes, bytes, float, list[str]]:
    """Query id, document id and value of a line, and the names of its members that have them."""
    from irbounds.rankings.reading.json_runs import check_ids, loaded, names_in

    text = line.decode("utf-8", "surrogateescape")
    row = loaded(text, "line")
    if not isinstance(row, dict):
        raise BadRow(f"expected a JSON object, found {text.strip()[:80]}")
    names = names_in(row, names, lambda found: find_columns(found, wanted.names, wanted.columns))
    query, document, value = (row[name] for name in names)
    check_ids(query, document)
    number = _numbers([value], [0], [(None, None)], wanted.value_name)[0]
    return id_as_bytes(query), id_as_bytes(document), number, names


def _is_results(head: bytes, wanted: Wanted) -> bool:
    """True if the first line is a query with a list of results."""
    line = _first_line(head)
    if wanted.value_name != "score" or not re.match(r"\s*\{.*:\s*\[\s*[{\]]", line):
        return False
    names = re.findall(r'"([^"\\]*)"\s*:', line)
    return RESULTS in names and any(name in names for name in COLUMN_NAMES["query_id"])


def _read_results(file: IO[bytes], wanted: Wanted) -> RowReader:
    from irbounds.rankings.reading.json_runs import result_rows

    def find(names: list[str], columns: list[str]) -> list[str]:
        return find_columns(names, columns, wanted.columns)

    return ArrowParts(_parts(result_rows(file, find, RESULTS), wanted))


def _is_json(head: bytes, wanted: Wanted) -> bool:
    return re.match(rb"(\xef\xbb\xbf)?\s*(\{|\[\s*[\{\]])", head) is not None


def _read_json(file: IO[bytes], wanted: Wanted) -> RowReader:
    from irbounds.rankings.reading.json_runs import json_rows

    def find(names: list[str]) -> list[str]:
        return find_columns(names, wanted.names, wanted.columns)

    rows = json_rows(file, find, wanted.value_name)
    return DictReader(rows) if isinstance(rows, dict) else ArrowParts(_parts(rows, wanted))


# Arrow --------------------------------------------------------------------------------------------


def _begins_with(*magic: bytes) -> Callable[[bytes, Wanted], bool]:
    return lambda head, wanted: head.startswith(magic)


def _pyarrow(module: str) -> Any:
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError:
        raise InputFileError(
            'Parquet and Arrow files need pyarrow: pip install "irbounds[parquet]"'
        ) from None


def _read_parquet(file: IO[bytes], wanted: Wanted) -> RowReader:
    parquet, bytes_of = _pyarrow("pyarrow.parquet"), _seekable(file)
    available = parquet.read_schema(bytes_of).names
    names = find_columns(available, wanted.names, wanted.columns)
    bytes_of.seek(0)
    # Query ids repeat: as a dictionary they take a third of the time (measured). Without a buffer
    # pyarrow keeps the bytes of all row groups until the last one is read.
    options = {"pre_buffer": False, "buffer_size": 1 << 20}
    source = parquet.ParquetFile(bytes_of, read_dictionary=names[:1], **options)
    return _arrow_parts(names, ahead(_batches(source, names)), wanted)


def _batches(source: Any, names: list[str]) -> Iterator[Any]:
    """Batches of 65,536 rows.  Now and then pyarrow's pool gives back what it keeps: with 10^8 rows
    and 2 million judgments the peak is 282 MB, else 317 (measured)."""
    pool = _pyarrow("pyarrow").default_memory_pool()
    for i, batch in enumerate(source.iter_batches(columns=names)):
        if i % 16 == 0:
            pool.release_unused()
        yield batch


def _read_arrow_file(file: IO[bytes], wanted: Wanted) -> RowReader:
    source = _pyarrow("pyarrow.ipc").open_file(_seekable(file))
    batches = (source.get_batch(i) for i in range(source.num_record_batches))
    return _arrow_parts(source.schema.names, batches, wanted)


def _read_arrow_stream(file: IO[bytes], wanted: Wanted) -> RowReader:
    source = _pyarrow("pyarrow.ipc").open_stream(file)
    return _arrow_parts(source.schema.names, source, wanted)


def _arrow_parts(available: list[str], batches: Iterable[Any], wanted: Wanted) -> RowReader:
    names = find_columns(available, wanted.names, wanted.columns)
    return ArrowParts(stream_parts((batch.select(names) for batch in batches), names))


def _seekable(file: IO[bytes]) -> IO[bytes]:
    """The file, or all its bytes if it is not seekable."""
    return file if file.seekable() else io.BytesIO(file.read())


def _read_trec(file: IO[bytes], wanted: Wanted) -> RowReader:
    return TrecReader(file, wanted.value_name == "score")


FORMATS: dict[str, Format] = {
    each.name: each
    for each in (
        Format(
            "parquet",
            "Parquet, read row group by row group (needs pyarrow)",
            _begins_with(b"PAR1"),
            _read_parquet,
        ),
        Format(
            "arrow",
            "Arrow IPC file, also called Feather 2 (needs pyarrow)",
            _begins_with(b"ARROW1"),
            _read_arrow_file,
        ),
        Format(
            "arrow-stream",
            "Arrow IPC stream (needs pyarrow)",
            _begins_with(b"\xff\xff\xff\xff"),
            _read_arrow_stream,
        ),
        Format(
            "results",
            "JSON lines: a query and a list of its results, as sentence-transformers writes them",
            _is_results,
            _read_results,
        ),
        Format(
            "jsonl",
            "JSON lines: an object with query id, document id and value in each line",
            _is_json_lines,
            _read_json_lines,
        ),
        Format(
            "json",
            "JSON: {query_id: {doc_id: value}}, as of pytrec_eval and BEIR, or an array of rows",
            _is_json,
            _read_json,
        ),
        Format(
            "table",
            "CSV or TSV whose first line names the columns, such as BEIR's judgments",
            _has_header,
            _read_table,
        ),
        Format(
            "msmarco",
            "MS MARCO's run: query id, document id and rank, divided by tabs",
            _is_ms_marco,
            _read_ms_marco,
        ),
        Format(
            "colbert",
            "ColBERT's run: query id, document id, rank and score, divided by tabs",
            _is_colbert,
            _read_colbert,
        ),
        Format(
            "trec",
            "TREC's qrels (4 columns) or run (6 columns)",
            lambda head, wanted: True,
            _read_trec,
        ),
    )
}
