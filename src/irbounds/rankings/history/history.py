"""The history of runs that are evaluated again and again: one file, a line for each evaluation."""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds._version import __version__
from irbounds.foundation.appending import append_lines, replace_content
from irbounds.foundation.errors import InputError, InputFileError, counted, fail
from irbounds.foundation.frames import make_frame
from irbounds.foundation.paths import can_reread, file_hash, is_path, name_of, shown_name
from irbounds.foundation.writing import InNotebooks
from irbounds.rankings.data.collection import Qrels
from irbounds.rankings.data.content_hash import content_hash
from irbounds.rankings.data.evaluation import Evaluation
from irbounds.rankings.history import history_parquet as parquet

if TYPE_CHECKING:
    from irbounds.typing import PathLike, QrelsLike

    Moment = datetime.datetime | datetime.date | str

MARK = "irbounds-history"  # the first key of each line
FORMAT = 1  # its value: the version of the format
NUMBERS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}  # which JSON lacks
RULE = "must be a time, for example 2026-01-31 or 2026-01-31T02:00:00+00:00"


@dataclass(frozen=True, eq=False)
class HistoryEntry:
    """One evaluation of one run; see `History`.

    Attributes
    ----------
    time : datetime.datetime
        In UTC; a time without a zone is taken for one in UTC.
    run : str
    evaluation : Evaluation
        Values of each query, with bounds where it was evaluated with them.
    version : str
        Version of irbounds.
    qrels, qrels_sha256 : str or None
        The name of the judgments, and the SHA-256 of their file, or of their content as JSON where
        they were no file.
    run_sha256 : str or None
    settings : dict
        Options of the evaluation that change values, besides the tie rule.
    """

    time: datetime.datetime
    run: str
    evaluation: Evaluation
    version: str = __version__
    qrels: str | None = None
    qrels_sha256: str | None = None
    run_sha256: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "time", _time(self.time))

    def is_comparable(self, other: HistoryEntry) -> bool:
        """Whether both were evaluated with the same judgments, tie rule and settings."""
        return (
            self.qrels_sha256 == other.qrels_sha256
            and self.evaluation.ties == other.evaluation.ties
            and self.settings == other.settings
        )

    def to_dict(self) -> dict[str, Any]:
        """The content of its line."""
        evaluation = self.evaluation
        tables = {"values": evaluation.values, "low": evaluation.low, "high": evaluation.high}
        return {
            MARK: FORMAT,
            "irbounds": self.version,
            "time": self.time.isoformat(timespec="seconds"),
            "run": self.run,
            "run_sha256": self.run_sha256,
            "qrels": self.qrels,
            "qrels_sha256": self.qrels_sha256,
            "ties": evaluation.ties,
            "settings": self.settings,
            "measures": list(map(str, evaluation.measures)),
            "mean": [_written(mean) for mean in evaluation.mean.values()],
            "missing_queries": list(map(str, evaluation.missing_queries)),
            "query_ids": list(map(str, evaluation.query_ids)),
            **{
                name: [[_written(x) for x in column] for column in table.T.tolist()]
                for name, table in tables.items()
                if table is not None
            },
        }

    @classmethod
    def from_dict(cls, line: Mapping[str, Any]) -> HistoryEntry:
        """The entry of a line."""
        measures = tuple(map(str, line["measures"]))
        query_ids = tuple(map(str, line["query_ids"]))
        if len(set(query_ids)) < len(query_ids):
            raise ValueError("query_ids has a query twice")

        def table(name: str) -> np.ndarray | None:
            if name not in line:
                return None
            columns = [
                [NUMBERS[x] if isinstance(x, str) else float(x) for x in column]
                for column in line[name]
            ]
            shape = len(measures), len(query_ids)
            if [len(column) for column in columns] != [shape[1]] * shape[0]:
                raise ValueError(
                    f"{name} must have a list for each measure, with a number for each query"
                )
            return np.array(columns, float).reshape(shape).T.copy()

        values = table("values")
        if values is None:
            raise KeyError("values")
        evaluation = Evaluation(
            measures,
            query_ids,
            values,
            table("low"),
            table("high"),
            str(line["ties"]),
            tuple(line.get("missing_queries", ())),
        )
        return cls(
            line["time"],
            str(line["run"]),
            evaluation,
            str(line["irbounds"]),
            line.get("qrels"),
            line.get("qrels_sha256"),
            line.get("run_sha256"),
            dict(line.get("settings", {})),
        )


@dataclass(frozen=True, eq=False)
class History(Sequence[HistoryEntry], InNotebooks):
    """Evaluations of runs over time, with the values of each query, from one file.

    The file has a line of JSON for each evaluation, or is Parquet with a row for each, where its
    name ends in .parquet (``pip install "irbounds[parquet]"``): the version of irbounds, the time,
    the run, the measures, the values, and hashes of the judgments and of the run.
    ``irbounds eval --append`` writes it, and ``irbounds report history`` draws it.

    Attributes
    ----------
    entries : tuple of HistoryEntry
        By time; those of one time in the order of the file.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import irbounds as irb
    >>> qrels = {"q1": {"d1": 1}, "q2": {"d1": 1}}
    >>> evaluation = irb.evaluate(qrels, {"q1": {"d1": 1}, "q2": {"d2": 1}}, "RR")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "history.jsonl")
    ...     irb.History.append(path, {"bm25": evaluation}, qrels=qrels, time="2026-01-31")
    ...     irb.History.append(path, {"bm25": evaluation}, qrels=qrels, time="2026-02-01")
    ...     history = irb.History.read(path)
    >>> history
    History(2 evaluations of 1 run, 2026-01-31 to 2026-02-01)
    >>> history[-1].evaluation.mean
    {'RR': 0.5}
    """

    entries: tuple[HistoryEntry, ...]

    def __post_init__(self) -> None:
        ordered = sorted(self.entries, key=lambda entry: entry.time)
        object.__setattr__(self, "entries", tuple(ordered))

    @classmethod
    def read(cls, path: PathLike) -> History:
        """The entries of a file.

        Raises
        ------
        InputError
            Where a line is not of a history, or was made by a later version of the format.
        """
        name = name_of(path)
        entries = []
        try:
            with open(name, "rb") as file:  # noqa: PTH123, the name is text
                if parquet.is_parquet(name):
                    where = shown_name(name)
                    lines = parquet.read_lines(file.read(), FORMAT, where)
                    entries = [
                        _of_line(line, f"{where}, row {i}") for i, line in enumerate(lines, 1)
                    ]
                    file.seek(0, 2)
                for number, line in enumerate(file, 1):
                    entries.append(_entry(line, f"{shown_name(name)}:{number}"))
        except OSError as error:
            raise InputFileError(f"{shown_name(name)}: {error.strerror or error}") from None
        if not entries:
            raise InputError(f"{shown_name(name)}: the history is empty")
        return cls(tuple(entries))

    @staticmethod
    def append(
        path: PathLike,
        evaluations: Mapping[str, Evaluation],
        *,
        qrels: QrelsLike | None = None,
        runs: Mapping[str, Any] | None = None,
        settings: Mapping[str, Any] | None = None,
        time: Moment | None = None,
    ) -> None:
        """Add evaluations to the end of a file, all or none; a missing file is created.

        Processes may append to the same file at the same time.

        Parameters
        ----------
        path : path
        evaluations : dict of Evaluation by the name of the run
            Use the same name each time: it says which evaluations belong together.
        qrels : path, Qrels, dict or data frame, optional
            The judgments; their hash is kept. Evaluations with different judgments are never
            compared.
        runs : dict of paths by the name of the run, optional
            Files whose hashes are kept.
        settings : dict, optional
            Options of the evaluation that change values, besides the tie rule, as text and numbers.
        time : datetime.datetime, datetime.date or str, optional
            Now by default. A time without a zone is in UTC.

        Raises
        ------
        InputError
            For a file that is no history, or whose last line is not complete.
        """
        when = _time(time) if time is not None else datetime.datetime.now(datetime.UTC)
        judged: tuple[str | None, str | None] = (None, None)
        if qrels is not None:
            judged = _named_hash(qrels)
        known = {} if runs is None else runs
        lines, rows = [], []
        for name, evaluation in evaluations.items():
            if not isinstance(evaluation, Evaluation):
                fail("evaluations", "must hold Evaluations", evaluation, f"as {name!r}")
            entry = HistoryEntry(
                when,
                str(name),
                evaluation,
                qrels=judged[0],
                qrels_sha256=judged[1],
                run_sha256=file_hash(known[name]) if name in known else None,
                settings=dict(settings or {}),
            )
            rows.append(entry.to_dict())
            try:
                text = json.dumps(rows[-1], ensure_ascii=False)
            except (TypeError, ValueError):  # all else is text and numbers
                fail("settings", "must hold text and numbers", settings)
            lines.append(text.encode("utf-8", "backslashreplace") + b"\n")
        if parquet.is_parquet(name_of(path)):
            where = shown_name(name_of(path))
            replace_content(
                path, lambda content: parquet.appended(content, rows, FORMAT, where), "path"
            )
            return
        append_lines(b"".join(lines), path, lambda start: _check_start(start, path), "path")

    @property
    def runs(self) -> tuple[str, ...]:
        """Names of the runs, in the order of their first entries."""
        return tuple(dict.fromkeys(entry.run for entry in self.entries))

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of all measures, in the order of their first entries."""
        return tuple(
            dict.fromkeys(str(name) for entry in self.entries for name in entry.evaluation.measures)
        )

    def of_run(self, run: str) -> tuple[HistoryEntry, ...]:
        """The entries of one run, by time."""
        return tuple(entry for entry in self.entries if entry.run == run)

    def since(self, time: Moment) -> History:
        """The entries of this time and later ones."""
        start = _time(time)
        return History(tuple(entry for entry in self.entries if entry.time >= start))

    def to_frame(self, backend: str = "pandas") -> Any:
        """A row for each entry and measure: time, run, measure, queries, mean, and the hash of the
        judgments; `backend` is "pandas", "polars" or "pyarrow"."""
        header, rows = self._table()
        columns = zip(*rows, strict=True) if rows else ([] for _ in header)
        return make_frame(
            {name: list(column) for name, column in zip(header, columns, strict=True)}, backend
        )

    def _table(self) -> tuple[list[str], list[tuple[Any, ...]]]:
        rows = [
            (entry.time, entry.run, name, len(entry.evaluation.query_ids), mean, entry.qrels_sha256)
            for entry in self.entries
            for name, mean in entry.evaluation.mean.items()
        ]
        return ["time", "run", "measure", "queries", "mean", "qrels_sha256"], rows

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[HistoryEntry]:
        return iter(self.entries)

    def __getitem__(self, item: Any) -> Any:
        return self.entries[item]

    def __repr__(self) -> str:
        if not self.entries:
            return "History(no evaluations)"
        first, last = (entry.time.date().isoformat() for entry in (self[0], self[-1]))
        return (
            f"History({counted(len(self), 'evaluation', 'evaluations')} of "
            f"{counted(len(self.runs), 'run', 'runs')}, {first} to {last})"
        )


def _entry(line: bytes, where: str) -> HistoryEntry:
    """The entry of a line; an error says where it is."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        end = "" if line.endswith(b"\n") else "; the line is not complete, remove it"
        raise InputError(f"{where}: expected a line of JSON{end}") from None
    if not isinstance(found, dict) or MARK not in found:
        raise InputError(f"{where}: expected a line of a history, as `eval --append` writes it")
    if found[MARK] != FORMAT:
        raise InputError(
            f"{where}: this irbounds reads format {FORMAT} of histories; found {found[MARK]!r}"
        )
    return _of_line(found, where)


def _of_line(found: Mapping[str, Any], where: str) -> HistoryEntry:
    try:
        return HistoryEntry.from_dict(found)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    except KeyError as error:
        raise InputError(f"{where}: {error.args[0]!r} is missing, or no number") from None
    except (TypeError, ValueError, AttributeError) as error:
        raise InputError(f"{where}: {error}") from None


def _check_start(start: bytes, path: PathLike) -> None:
    if not start.replace(b" ", b"").startswith(f'{{"{MARK}":'.encode()):
        raise InputError(f"{shown_name(path)}: is not a history; nothing was appended to it")


def _named_hash(qrels: QrelsLike) -> tuple[str | None, str]:
    """The name and the hash of judgments."""
    if is_path(qrels) and can_reread(qrels):
        return name_of(qrels), file_hash(qrels)
    return "-" if is_path(qrels) else None, content_hash(Qrels.of(qrels))


def _written(value: float) -> float | str:
    """A number as JSON has it; others as text."""
    if math.isfinite(value):
        return value
    return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"


def _time(value: Moment) -> datetime.datetime:
    """A time in UTC."""
    if isinstance(value, str):
        try:
            value = datetime.datetime.fromisoformat(value)
        except ValueError:
            fail("time", RULE, value)
    elif isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        value = datetime.datetime.combine(value, datetime.time())
    if not isinstance(value, datetime.datetime):
        fail("time", RULE, value)
    if value.tzinfo is None:
        return value.replace(tzinfo=datetime.UTC)
    try:
        return value.astimezone(datetime.UTC)
    except OverflowError:  # in UTC before year 1, or after 9999
        fail("time", RULE, value)
