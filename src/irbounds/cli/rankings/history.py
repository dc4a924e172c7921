"""`irbounds eval --append`: results added to a history, which `irbounds report history` draws."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from irbounds.cli.input import options
from irbounds.cli.terminal.screen import complain
from irbounds.foundation.errors import InputError
from irbounds.foundation.paths import can_reread

if TYPE_CHECKING:
    from irbounds.rankings.data.collection import Qrels
    from irbounds.rankings.data.evaluation import Evaluation

DEFAULTS = {
    "missing": "zero",
    "no_relevant": "zero",
    "drop_self": False,
    "duplicates": "error",
    "judged_only": False,
    "collection_size": None,
    "unjudged": "nonrelevant",
    "score_precision": "float64",
    "score_tolerance": 0.0,
}

# formats of tables, and compressed files, to which no line can be added
NO_HISTORY = (
    ".csv",
    ".xlsx",
    ".pdf",
    ".html",
    ".docx",
    ".arrow",
    ".feather",
    ".gz",
    ".xz",
    ".bz2",
    ".zst",
    ".zstd",
)


APPENDING = (
    options.file(
        "--append",
        "Append the results to this file, for `irbounds report history`: JSON lines, or "
        "Parquet if its name ends in .parquet.",
    ),
    options.option(
        "--as as_names",
        "With --append: the name of the run in the history, one for each run; by default "
        "its file name.",
        multiple=True,
        metavar="NAME",
    ),
    options.option(
        "--time", "With --append: the time of the results, such as 2026-01-31; now by default."
    ),
)


class Appended:
    """The evaluations of a command, appended to a history when all are done."""

    def __init__(
        self,
        path: str | None,
        names: Sequence[str],
        time: str | None,
        runs: Mapping[str, str],
        settings: Mapping[str, Any],
    ) -> None:
        if path is None and (names or time is not None):
            raise InputError(f"{'--as' if names else '--time'} is for --append")
        if path is not None and path.lower().endswith(NO_HISTORY):
            raise InputError(
                f"--append writes JSON lines or Parquet: name a file such as history.jsonl or "
                f"history.parquet; found {path!r}"
            )
        if names and len(names) != len(runs):
            raise InputError(
                f"--as must be given once for each of the {len(runs)} runs; found {len(names)}"
            )
        if len(set(names)) < len(names):
            raise InputError("--as must give different names")
        self.path = path
        self.time = time
        self.names = dict(zip(runs, names or runs, strict=True))
        self.paths = runs
        given = dict(settings)
        if given["unjudged"] == "bounds":  # which leave the values as they are
            given["unjudged"] = DEFAULTS["unjudged"]
        # Only what differs from the defaults: a history does not change its settings when an option
        # is added.
        self.settings = {
            name: given[name] for name, usual in DEFAULTS.items() if given[name] != usual
        }
        self.evaluations: dict[str, Evaluation] = {}
        self.files: dict[str, str] = {}

    def add(self, run: str, evaluation: Evaluation) -> None:
        """Keep the evaluation of a run."""
        if self.path is not None:
            self.evaluations[self.names[run]] = evaluation
            if can_reread(self.paths[run]):
                self.files[self.names[run]] = self.paths[run]

    def write(self, qrels: Qrels, path: str) -> None:
        """Append what was kept; `qrels` is what was read from `path`."""
        if self.path is None or not self.evaluations:
            return
        from irbounds.rankings.history.history import History

        twice = self._twice()
        try:
            History.append(
                self.path,
                self.evaluations,
                qrels=path if can_reread(path) else qrels,
                runs=self.files,
                settings=self.settings,
                time=self.time,
            )
        except OSError as error:
            if error.filename is not None:  # the whole path: name the file as it was given
                error.filename = self.path
            raise
        complain(
            f"{self.path}: {run!r} was there already at the time {self.time}, and is now twice"
            for run in twice
        )

    def _twice(self) -> list[str]:
        """The runs that the history has at the time that --time says.  A time of now is another."""
        from irbounds.rankings.history.history import History, _time

        assert self.path is not None
        if self.time is None or not can_reread(self.path) or not os.stat(self.path).st_size:  # noqa: PTH116, a faster start
            return []
        when = _time(self.time)
        there = {entry.run for entry in History.read(self.path).entries if entry.time == when}
        return [run for run in self.evaluations if run in there]
