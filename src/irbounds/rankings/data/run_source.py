"""A run as it was given: its name in messages, and how its rows are read."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from irbounds._core.documents.doc_index import DocTable
from irbounds._core.documents.doc_rows import BadRow, RowReader
from irbounds.foundation.arguments import check_flag
from irbounds.foundation.errors import InputError, check_choice
from irbounds.foundation.paths import can_reread, is_path, is_url, shown_name
from irbounds.rankings.data.collection import DUPLICATES, RANKED_FRAME, Qrels, Run, with_choices
from irbounds.rankings.reading.files import row_reader
from irbounds.rankings.reading.formats import Wanted
from irbounds.rankings.reading.frames import RanksError, frame_rows, is_frame, rank_table
from irbounds.rankings.reading.lists import are_lists
from irbounds.rankings.reading.rank_column import caution_of_frame
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
            return InputError(f"{self.path or self.title}: {with_choices(error.problem)}")
        if self.path is not None or self.name is None:
            text = with_choices(str(error))
            return error if text == str(error) else InputError(text)
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
        if is_frame(given):
            try:
                rows = frame_rows(given, "score", columns)
            except RanksError:
                self.cautions.append(RANKED_FRAME)
                return nullcontext(rank_table(given, columns))
            if rows is not None:
                found = caution_of_frame(given, columns)
                self.cautions += [found] if found and found not in self.cautions else []
                return nullcontext(rows)
        return nullcontext(Run.of(given, columns)._table)

    def among(self, qrels: Qrels) -> RunSource:
        """For these judgments: lists as a run, checked where queries are known by their places."""
        source = self
        if are_lists(self.given):
            try:
                source = RunSource(Run.from_lists(self.given), self.name, self.cautions)
            except InputError as error:
                raise self.named(error) from None
        by_position = isinstance(source.given, Run) and source.given.by_position
        if by_position != qrels.by_position:
            other = "qrels" if by_position else "run"
            raise InputError(
                f"{self.title}: lists without query ids need such lists as {other} too, or a dict "
                "{query_id: ids} on both sides"
            )
        if by_position and len(source.given) != len(qrels):
            raise InputError(
                f"{self.title}: has {len(source.given):,} lists, and the qrels {len(qrels):,}: "
                "lists without query ids must have one length"
            )
        return source

    def mended(
        self,
        columns: Mapping[str, str] | None = None,
        *,
        drop_self: bool = False,
        duplicates: str = "error",
    ) -> RunSource:
        """In memory, without documents that are their own query and with one row of each document,
        where that is asked for."""
        check_choice("duplicates", duplicates, DUPLICATES)
        if not check_flag("drop_self", drop_self) and duplicates == "error":
            return self
        run = self.whole(columns, duplicates)
        run = run.without_self() if drop_self else run
        return RunSource(run, self.name or self.path, self.cautions)

    def whole(self, columns: Mapping[str, str] | None = None, duplicates: str = "error") -> Run:
        """All rows at once; an error has the name of the run."""
        try:
            return self.in_memory(columns, duplicates)
        except (BadRow, InputError) as error:
            raise self.named(error) from error.__cause__

    def in_memory(self, columns: Mapping[str, str] | None = None, duplicates: str = "error") -> Run:
        """All rows at once."""
        if isinstance(self.given, RowReader):
            return Run.of_table(DocTable.from_reader(self.given), duplicates)
        return Run.of(self.given, columns, duplicates=duplicates)
