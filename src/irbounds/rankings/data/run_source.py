"""A run as it was given: its name in messages, and how its rows are read."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from irbounds._core.documents.doc_index import DocTable
from irbounds._core.documents.doc_rows import BadRow, RowReader
from irbounds.foundation.errors import InputError
from irbounds.foundation.paths import can_reread, is_path, is_url, shown_name
from irbounds.rankings.data.collection import Run
from irbounds.rankings.reading.files import row_reader
from irbounds.rankings.reading.formats import Wanted
from irbounds.rankings.reading.frames import frame_rows, is_frame
from irbounds.rankings.reading.several import (
    are_rereadable,
    dataset_rows,
    files_of,
    is_dataset,
    rows_of_files,
)

if TYPE_CHECKING:
    from irbounds.typing import PathLike, RunLike

    Rows = RowReader | DocTable | dict[Any, Any]


@dataclass(eq=False)
class RunSource:
    """A run, and its name among others if it has one."""

    given: Any  # a RunLike, or a reader of rows
    name: str | None = None
    cautions: list[str] = field(default_factory=list)  # about its file, once it was read

    @classmethod
    def of(cls, run: RunLike | RunSource, name: str | None = None) -> RunSource:
        """From a run, or one of these as it is."""
        return run if isinstance(run, cls) else cls(run, name)

    @property
    def path(self) -> str | None:
        """Its file, as messages show it; None where it is no file."""
        return shown_name(self.given) if is_path(self.given) else None

    @property
    def files(self) -> list[PathLike] | None:
        """Its files, if it is a list of paths or a pattern."""
        return files_of(self.given)

    @property
    def can_reread(self) -> bool:
        """Whether it has files that give the same rows again."""
        if (files := self.files) is not None:
            return are_rereadable(files)
        if self.path is None:
            return is_dataset(self.given)
        return is_url(self.given) or can_reread(self.given)

    @property
    def streams(self) -> bool:
        """Whether its rows can be evaluated as they are read, and be read once more if need be."""
        return isinstance(self.given, dict) or self.path is None or self.can_reread

    @property
    def title(self) -> str:
        """The name that warnings give it."""
        return self.name or self.path or "run"

    def named(self, error: BadRow | InputError) -> InputError:
        """The error with the name of the run, which is that of its file if it is one."""
        if isinstance(error, BadRow):
            return InputError(f"{self.path or self.title}: {error.problem}")
        if self.path is not None or self.name is None:
            return error
        return InputError(f"{self.name}: {str(error).removeprefix('run: ')}")

    def rows(self, columns: Mapping[str, str]) -> AbstractContextManager[Rows]:
        """A context manager: the rows, without a copy where there is a reader for them."""
        given, wanted = self.given, Wanted("score", columns)
        if isinstance(given, dict | RowReader):
            return nullcontext(given)
        if (files := self.files) is not None:
            return rows_of_files(files, wanted)
        if self.path is not None:
            return row_reader(given, wanted, None, self.cautions)
        if is_dataset(given):
            return nullcontext(dataset_rows(given, wanted))
        if is_frame(given) and (rows := frame_rows(given, "score", columns)) is not None:
            return nullcontext(rows)
        return nullcontext(Run.of(given, columns)._table)

    def without_self(self, columns: Mapping[str, str] | None = None) -> RunSource:
        """In memory, without documents that are their own query."""
        try:
            return RunSource(self.in_memory(columns).without_self(), self.name or self.path)
        except (BadRow, InputError) as error:
            raise self.named(error) from None

    def in_memory(self, columns: Mapping[str, str] | None = None) -> Run:
        """All rows at once."""
        if isinstance(self.given, RowReader):
            return Run(DocTable.from_reader(self.given))
        return Run.of(self.given, columns)
