"""Rankings in several files: lists of paths, patterns of file names, and datasets of pyarrow.

Their rows are read one query after the other, as if the files were one.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from irbounds._core.documents.arrow_rows import ArrowParts
from irbounds._core.documents.doc_rows import BadRow, ChainedRows, RowReader
from irbounds.foundation.errors import InputError, InputFileError
from irbounds.foundation.paths import can_reread, is_path, is_url, name_of, shown_name
from irbounds.rankings.reading.files import row_reader
from irbounds.rankings.reading.formats import Wanted
from irbounds.rankings.reading.frames import find_columns, stream_parts

if TYPE_CHECKING:
    from irbounds.typing import PathLike

ROWS_OF_BATCH = 1 << 16  # of a dataset, which reads BATCHES_AHEAD of one file at a time
BATCHES_AHEAD = 4


def is_dataset(source: object) -> bool:
    """True for a dataset of pyarrow."""
    return type(source).__module__ == "pyarrow._dataset" and hasattr(source, "to_batches")


def files_of(source: object) -> list[PathLike] | None:
    """The files of a list of paths, or of a pattern that is no file itself; None for others."""
    if isinstance(source, list | tuple) and source and all(map(is_path, source)):
        if any(name_of(path) == "-" for path in source):
            raise InputError("standard input, -, cannot be one of several files of a run")
        return list(source)
    if not isinstance(source, str) or not set("*?[") & set(source) or is_url(source):
        return None
    if os.path.exists(source):  # noqa: PTH110, Path's raises for long names
        return None
    from glob import glob

    if not (found := sorted(glob(source, recursive=True))):  # noqa: PTH207
        raise InputFileError(f"{shown_name(source)}: no file has a name of this pattern")
    return list(found)


def are_rereadable(paths: list[PathLike]) -> bool:
    """Whether all files give the same rows again."""
    return all(can_reread(path) or is_url(path) for path in paths)


@contextlib.contextmanager
def rows_of_files(paths: list[PathLike], wanted: Wanted) -> Iterator[RowReader]:
    """A reader of the rows of all files; their errors name the file."""
    with contextlib.ExitStack() as stack:

        def readers() -> Iterator[RowReader]:
            for path in paths:
                stack.close()
                yield stack.enter_context(row_reader(path, wanted))

        chained = ChainedRows(readers())
        try:
            yield chained
        except BadRow as error:
            if chained.is_reading:
                raise
            stack.close()  # the row may be one of an earlier file
            raise BadRow(error.problem) from None


def dataset_rows(dataset: Any, wanted: Wanted) -> RowReader:
    """A reader of a dataset's rows, in the order of its files."""
    names = find_columns(dataset.schema.names, wanted.names, wanted.columns)
    batches = dataset.to_batches(
        columns=names,
        batch_size=ROWS_OF_BATCH,
        batch_readahead=BATCHES_AHEAD,
        fragment_readahead=1,
    )
    return ArrowParts(stream_parts(batches, names))
