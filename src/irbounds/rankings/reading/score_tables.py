"""Tables of scores, each as columns by name: CSV, TSV, JSON, JSON lines, Parquet, Arrow, frames."""

from __future__ import annotations

import codecs
import io
import itertools
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from irbounds.foundation.errors import InputError, InputFileError
from irbounds.foundation.paths import can_reread, is_path, name_of, shown_name
from irbounds.foundation.tables import ZIP, is_workbook, lines_of, rows_in_pieces, text_of
from irbounds.rankings.reading.files import open_bytes
from irbounds.rankings.reading.frames import is_frame

if TYPE_CHECKING:
    from irbounds.typing import PathLike

ARROW = {b"PAR1": "read_table", b"ARRO": "open_file", b"\xff\xff\xff\xff": "open_stream"}


class ScoreTable(NamedTuple):
    """Columns of one length by name, the name of the source, and where a row stands in it."""

    columns: Mapping[str, Sequence[Any]]
    name: str
    where: Callable[[int], str]

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(next(iter(self.columns.values()), ()))


def read_table(source: Any, name: str) -> ScoreTable:
    """The table of a file, a frame, rows as dicts, or a dict of columns."""
    if is_path(source):
        return _from_file(source)
    if is_frame(source):
        from irbounds.foundation.frames import nullable_columns

        index = getattr(getattr(source, "index", None), "names", [None])
        if any(level is not None for level in index):  # of pandas, as of a pivot
            source = source.reset_index()
        return ScoreTable(nullable_columns(source), name, lambda row: f"{name}: row {row}")
    if isinstance(source, list) and all(isinstance(row, dict) for row in source):
        return of_rows(source, name)
    raise InputError(
        f"{name}: expected the path of a table, a data frame or a list of dicts; found "
        f"{type(source).__name__}"
    )


def _from_file(path: PathLike) -> ScoreTable:
    name = shown_name(path)
    try:
        if can_reread(path) and (archive := _archive(name_of(path))):
            if is_workbook(archive):
                return _of_text(archive, name)
            from irbounds.rankings.reading.tool_outputs import inspect_rows

            return of_rows(inspect_rows(name_of(path), name), name)
        with open_bytes(name_of(path)) as file:
            data = file.read()
    except InputError as error:
        problem = str(error)
        raise (error if problem.startswith(name) else type(error)(f"{name}: {problem}")) from None
    except OSError as error:
        raise InputFileError(f"{name}: {error.strerror or error}") from None
    if not data.strip():
        raise InputError(f"{name}: the file is empty")
    if data[:4] in ARROW:
        return _of_arrow(data, name)
    if data.removeprefix(codecs.BOM_UTF8).lstrip()[:1] in (b"{", b"["):
        return _of_json(text_of(data, name), name)
    return _of_text(data, name)


def _archive(name: str) -> bytes:
    """The bytes of a zip archive, such as a workbook and a log of Inspect; else none."""
    with open(name, "rb") as file:  # noqa: PTH123, a faster start
        head = file.read(len(ZIP))
        return head + file.read() if head == ZIP else b""


def _of_arrow(data: bytes, name: str) -> ScoreTable:
    try:
        import pyarrow
        from pyarrow import ipc, parquet
    except ImportError:
        raise InputFileError(
            f'{name}: Parquet and Arrow files need pyarrow: pip install "irbounds[parquet]"'
        ) from None
    file = io.BytesIO(data)
    try:
        if data[:4] == b"PAR1":
            table = parquet.read_table(file)
        else:
            table = getattr(ipc, ARROW[data[:4]])(file).read_all()
    except (pyarrow.ArrowException, OSError) as error:
        problem = " ".join(str(error).split())
        raise InputFileError(f"{name}: the file is damaged: {problem}") from None
    columns = {column: table[column].to_pylist() for column in table.column_names}
    return ScoreTable(columns, name, lambda row: f"{name}: row {row}")


# Text -------------------------------------------------------------------------------------------


def _of_text(data: bytes, name: str) -> ScoreTable:
    """The columns of CSV, TSV or a workbook; the first line has their names."""

    def where(row: int) -> str:
        numbers = (number for number, cells in lines_of(data, name) if any(cells))
        return f"{name}:{next(itertools.islice(numbers, row + 1, None))}"

    header: list[str] = []
    columns: list[list[str]] = []
    for piece in rows_in_pieces(data, name):
        rows = piece
        if not header and rows:
            header = [cell.strip() for cell in rows[0]]
            twice = next((one for one in header if one and header.count(one) > 1), None)
            if twice is not None:
                raise InputError(f"{where(-1)}: duplicate column {twice!r}")
            columns, rows = [[] for _ in header], rows[1:]
        if rows and set(map(len, rows)) != {len(header)}:
            row = next(i for i, cells in enumerate(rows) if len(cells) != len(header))
            raise InputError(
                f"{where(len(columns[0]) + row)}: expected {len(header)} columns, found "
                f"{len(rows[row])}"
            )
        for column, cells in zip(columns, zip(*rows, strict=True), strict=False):
            column += cells
    if not columns or not columns[0]:
        raise InputError(f"{name}: the file has a header and no rows")
    return ScoreTable(dict(zip(header, columns, strict=True)), name, where)


# JSON -------------------------------------------------------------------------------------------


def _of_json(text: str, name: str) -> ScoreTable:
    from irbounds.rankings.reading.tool_outputs import tool_rows

    lines = [line for line in text.splitlines() if line.strip()]
    is_lines = lines[0].lstrip().startswith("{") and _is_json(lines[0])
    if is_lines and (len(lines) > 1 or not _is_nested(json.loads(lines[0]))):
        found: Any = _json_lines(text, lines, name)
    else:
        try:
            found = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{name}: the file is not JSON: {error}") from None
    rows = tool_rows(found, name)
    if rows is not None:
        found = rows
    elif isinstance(found, dict):
        found = _of_systems(found, name)
    if not all(isinstance(row, dict) for row in found):
        raise InputError(f"{name}: expected an array of JSON objects")
    return of_rows(found, name)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _is_nested(found: dict[str, Any]) -> bool:
    return any(isinstance(value, dict | list) for value in found.values())


def _json_lines(text: str, lines: list[str], name: str) -> list[Any]:
    try:
        return list(json.loads(f"[{','.join(lines)}]"))  # all at once takes a third of the time
    except (ValueError, RecursionError):
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip() and not _is_json(line):
                raise InputError(f"{name}:{number}: the line is not JSON") from None
        raise InputError(f"{name}: the file is not JSON lines") from None


def _of_systems(found: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """The rows of {system: {unit: score}}."""
    if not found or not all(isinstance(own, dict) for own in found.values()):
        raise InputError(
            f"{name}: expected an array of rows, {{system: {{unit: score}}}}, or the results of "
            "Inspect, lm-eval, promptfoo or ragas"
        )
    return [
        {"system": system, "unit": unit, "score": score}
        for system, own in found.items()
        for unit, score in own.items()
    ]


def of_rows(rows: Sequence[dict[str, Any]], name: str) -> ScoreTable:
    """A table of dicts; None stands where one lacks a name."""
    if not rows:
        raise InputError(f"{name}: there are no rows")
    names: Iterable[str] = dict.fromkeys(key for row in rows for key in row)
    columns = {key: [row.get(key) for row in rows] for key in names}
    return ScoreTable(columns, name, lambda row: f"{name}: row {row + 1}")
