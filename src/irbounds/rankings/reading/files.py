"""Opens files, plain or compressed, by path or standard input, and reports their errors."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from irbounds._core.documents.arrow_rows import UnreadableColumnError
from irbounds._core.documents.doc_rows import BadRow, RowReader
from irbounds.foundation.errors import InputError, InputFileError
from irbounds.foundation.paths import is_url, name_of, shown_name, standard_input
from irbounds.rankings.reading.compressed import Filled, damage_of, decompressed, said_by_name
from irbounds.rankings.reading.formats import (
    FORMATS,
    HEAD,
    Format,
    Wanted,
    places_of_ranks,
    recognise,
)
from irbounds.rankings.reading.rank_column import TREC_PLACES, caution_of_ranks

if TYPE_CHECKING:
    from irbounds.typing import PathLike

NOT_TEXT = "found a NUL byte"  # of the readers of text


@contextlib.contextmanager
def row_reader(
    path: PathLike, wanted: Wanted, format: str | None = None, cautions: list[str] | None = None
) -> Iterator[RowReader]:
    """A reader of the file's rows, in the format that is named or that its first bytes show.

    A context manager: errors of the rows and of the file are raised as InputError.  Cautions about
    the file are added to the list.
    """
    name = shown_name(path)
    chosen: Format | None = None
    try:
        with open_bytes(name_of(path)) as file:
            head = file.peek(HEAD)[:HEAD]
            if not head:
                raise InputError(f"{name}: the file is empty")
            chosen = recognise(head, wanted) if format is None else FORMATS[format]
            if cautions is not None and chosen.name in ("trec", "table"):
                places = TREC_PLACES if chosen.name == "trec" else places_of_ranks(head, wanted)
                found = caution_of_ranks(head, HEAD, *places) if places else ""
                cautions += [found] if found and found not in cautions else []
            try:
                reader: Any = chosen.read(file, wanted)
                yield reader
            except BadRow as error:
                if damage := damage_of(file):
                    raise InputFileError(damage) from None
                if NOT_TEXT in error.problem:
                    error.problem += said_by_name(name_of(path))
                raise
            if not reader.has_rows:
                raise InputError(f"{name}: the file has no rows")
    except BadRow as error:
        where = f"{name}:{error.line}" if error.line else name
        tried = _tried(chosen, error) if format is None and chosen is not None else ""
        raise InputError(f"{where}: {error.problem}{tried}") from None
    except UnreadableColumnError as error:
        column = wanted.names[error.column]
        raise InputError(
            f"{name}: the column of {column} has a type that is not read"
            f"{f' (Arrow format {error.type!r})' if error.type else ''}: cast it to "
            f"{'text or whole' if column != wanted.value_name else ''} numbers".replace("  ", " ")
        ) from None
    except InputError as error:
        problem = str(error)
        raise (error if problem.startswith(name) else type(error)(f"{name}: {problem}")) from None
    except OSError as error:
        problem = " ".join(str(error.strerror or error).split())
        raise InputFileError(f"{name}: {problem}") from None
    except UnicodeDecodeError:  # of pyarrow
        raise InputFileError(f"{name}: the name of a column is not UTF-8") from None
    except Exception as error:
        if type(error).__module__.partition(".")[0] != "pyarrow":
            raise
        problem = " ".join(str(error).split())
        raise InputFileError(f"{name}: the file is damaged: {problem}") from None


SWAPPED = "are qrels and run swapped?"  # in a message of the readers of text


def _tried(chosen: Format, error: BadRow) -> str:
    """The end of a message: how a first line was read, where no format was recognised."""
    others = [each for each in FORMATS if each != chosen.name]
    is_guess = chosen.name == "trec" and error.line == 1 and error.problem.startswith("expected")
    if re.search(r"found '[+-]?\d+,\d+'$", error.problem):
        return ": write a decimal point"
    if not is_guess or SWAPPED in error.problem:
        return ""
    return f" (read as TREC, as it is none of {', '.join(others)})"


def _is_row(fields: list[bytes]) -> bool:
    """Whether a line that begins with # is a row: of qrels or a run, with numbers in their places,
    or of query, document and number."""
    places = {3: [2], 4: [3]}.get(len(fields), [3, 4] if len(fields) >= 6 else [0])
    try:
        return bool([float(fields[place]) for place in places])
    except ValueError:
        return False


def text_rows(path: PathLike) -> Iterator[tuple[int, list[str]]]:
    """Line numbers and fields of a text file, without empty lines and comments: lines that begin
    with # and lack the fields of a row."""
    for number, line in text_lines(path):
        fields = line.split()
        if fields and not (line.startswith(b"#") and not _is_row(fields)):
            yield number, [field.decode("utf-8", "surrogateescape") for field in fields]


def text_lines(path: PathLike) -> Iterator[tuple[int, bytes]]:
    """Lines of a text file and their numbers."""
    try:
        with open_bytes(name_of(path)) as file:
            yield from enumerate(file, 1)
    except InputFileError as error:
        raise InputFileError(f"{shown_name(path)}: {error}") from None
    except OSError as error:
        raise InputFileError(f"{shown_name(path)}: {error.strerror or error}") from None


def run_tag(path: PathLike) -> str:
    """The name that a TREC run gives itself in its first line's sixth column; that of the file
    where it has none."""
    try:
        with open_bytes(name_of(path)) as file:
            for line in file:
                fields = line.split()
                if fields and not (line.startswith(b"#") and not _is_row(fields)):
                    text = fields[5].decode("utf-8", "replace") if len(fields) > 5 else ""
                    return text or shown_name(path)
    except (OSError, InputError):
        pass  # evaluation says what is wrong with the file
    return shown_name(path)


def _of_address(name: str) -> Any:
    """A file by its address, such as s3://bucket/a.run, opened by fsspec, or else by pyarrow."""
    try:
        import fsspec

        return fsspec.open(name, "rb").open()
    except ImportError:
        pass  # there is no fsspec, or no package for such addresses
    except Exception as error:
        raise InputFileError(f"{type(error).__name__}: {' '.join(str(error).split())}") from None
    try:
        from pyarrow import fs
    except ImportError:
        raise InputFileError("addresses need fsspec or pyarrow: pip install fsspec") from None
    try:
        system, path = fs.FileSystem.from_uri(name)
        return system.open_input_file(path)
    except (OSError, ValueError) as error:  # of pyarrow's too
        raise InputFileError(" ".join(str(error).split())) from None


@contextlib.contextmanager
def open_bytes(name: str) -> Iterator[io.BufferedReader]:
    """The bytes of a file, decompressed if its first bytes show that it is compressed."""
    with contextlib.ExitStack() as stack:
        file: Any
        if name == "-":
            given = standard_input()  # with its own buffer, which may hold bytes already
            file = io.BufferedReader(given if given.seekable() else Filled(given), HEAD)
            stack.callback(file.detach)
        else:
            if is_url(name):
                file = io.BufferedReader(stack.enter_context(_of_address(name)), HEAD)
            else:
                file = stack.enter_context(open(name, "rb", buffering=HEAD))  # noqa: PTH123, a faster start
            if not file.seekable():
                file = io.BufferedReader(Filled(file.raw), HEAD)
        opened = decompressed(file, file.peek(8)[:8])
        if opened is not file:
            stack.enter_context(opened)
        yield opened
