"""The formats of labels: each reader takes the content of a file and returns what it found."""

from __future__ import annotations

import contextlib
import io
import re
import sqlite3
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from irbounds.foundation.errors import InputError, fail
from irbounds.foundation.tables import Line, is_workbook, lines_of, text_of

FILE = "file"
# text of a label, besides 0 and 1
WORDS = {
    "0": 0, "1": 1, "0.0": 0, "1.0": 1, "false": 0, "true": 1, "no": 0, "yes": 1
}  # fmt: skip
LABELS = (
    *("asreview_label", "label", "labels", "included", "relevant", "responsive"),
    *("label_included", "include"),
)
# what a column is, and its names in the order in which they are looked for
COLUMNS = {
    "label": LABELS,
    "time": ("asreview_time",),
    "group": ("asreview_group_id",),
    "record": ("record_id", "doc_id", "document_id", "id"),
}
NO_TIMES = (
    "the export is sorted by label and has no times of reading: read the project file (.asreview), "
    "or give order 'file' (--order file) if the file is in reading order after all"
)
NOTES = {"ASReview_relevant": 1, "ASReview_irrelevant": 0, "ASReview_not_seen": None}
NOTE = re.compile(r"ASReview_(?:relevant|irrelevant|not_seen)")
FIELD = re.compile(r"([A-Z][A-Z0-9])  -(?: (.*))?$")
TIME = re.compile(r"asreview_time: *(\S.*)$")
ISO = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d{1,6})?\d*(Z|[+-]\d\d:?\d\d)?")
SECONDS = re.compile(r"\d{10}(\.\d+)?")  # since 1970
NOT_SHOWN = "NS"


class Source(NamedTuple):
    """A file, and how it is to be read."""

    name: str
    data: bytes
    order: str | None = None
    qrels: bytes = b""
    topic: object | None = None
    columns: Mapping[str, str] = MappingProxyType({})

    def text(self, data: bytes | None = None) -> str:
        """The content as text."""
        return text_of(self.data if data is None else data, self.name)


class Found(NamedTuple):
    """Labels in reading order, and what else a file says."""

    labels: list[int]
    population: int | None = None
    prior: Sequence[int] = ()
    prior_known: bool = False
    unknown: int = 0


class Mark(NamedTuple):
    """The label of a record, None if it was not read, and the time of reading."""

    label: int | None
    time: str | None


def format_of(data: bytes) -> str:
    """The format that a file has by its content."""
    if data[:4] in (b"PK\x03\x04", b"PK\x05\x06"):  # a zip archive, an empty one
        return "csv" if is_workbook(data) else "asreview"
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    start = data[:100_000].decode(encoding, "replace").lstrip()
    if re.match(r"TY  -", start):
        return "ris"
    first = start.split("\n", 1)[0].strip().lower()
    is_label = first in WORDS or not re.search(r"[a-z]", first)
    has_column = any(_folded(cell) in LABELS for cell in re.split(r"[,;\t]", first))
    return (
        "csv"
        if has_column or first.startswith("sep=") or (re.search(r"[,;\t]", first) and not is_label)
        else "text"
    )


def label_of(text: str, where: str) -> int:
    """The label that a text stands for."""
    try:
        return WORDS[text.strip().lower()]
    except KeyError:
        raise InputError(f"{where}: a label must be 0 or 1; found {text!r}") from None


def read_text(source: Source) -> Found:
    """One label a line; the collection may be larger."""
    lines = source.text().splitlines()
    if not lines:
        raise InputError(f"{source.name}: the file has no labels")
    labels = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            raise InputError(f"{source.name}:{number}: expected a label, found an empty line")
        labels.append(label_of(line.strip(), f"{source.name}:{number}"))
    return Found(labels)


def read_csv(source: Source) -> Found:
    """A table with a column of labels."""
    rows = lines_of(source.data, source.name)
    number, cells = next((line for line in rows if any(map(str.strip, line[1]))), (1, []))
    header = list(map(_folded, cells))
    where = f"{source.name}:{number}"
    label, *others = (_place(name, header, source.columns, where) for name in COLUMNS)
    if label is None:
        raise InputError(
            f"{where}: expected a column {', '.join(LABELS[:6])}; found {', '.join(header[:20])}; "
            "`columns` names the one of the labels"
        )
    marks = list(_rows(rows, len(header), label, others, source.name))
    is_export = any(name.startswith("asreview_") for name in header)
    return _in_order(marks, source, is_export or "time" in source.columns)


def _place(name: str, header: list[str], given: Mapping[str, str], where: str) -> int | None:
    """The place of a column in the header; None if there is none."""
    if name not in given:
        column = next((known for known in COLUMNS[name] if known in header), None)
    elif (column := _folded(given[name])) not in header:
        raise InputError(
            f"{where}: there is no column {given[name]!r}, which `columns` names as {name}; "
            f"found {', '.join(header[:20])}"
        )
    if column is not None and header.count(column) > 1:
        raise InputError(f"{where}: expected one column {column}; found two")
    return None if column is None else header.index(column)


def _folded(cell: str) -> str:
    """A name of a column in small letters, with underscores."""
    return re.sub(r"[\s-]+", "_", cell.strip('" ').lower())


def _rows(
    rows: Iterator[Line], width: int, label: int, others: list[int | None], name: str
) -> Iterator[Mark]:
    """The mark of each row; of a group of duplicates that of the first."""
    time, group, record = others
    groups: set[str] = set()
    lines: dict[str, int] = {}
    for number, cells in rows:
        if not any(cell.strip() for cell in cells):
            continue
        where = f"{name}:{number}"
        if len(cells) != width:
            raise InputError(f"{where}: expected {width} columns, found {len(cells)}")
        if group is not None and cells[group].strip():
            if cells[group] in groups:
                continue
            groups.add(cells[group])
        if record is not None and (key := cells[record].strip()):
            if key in lines:
                raise InputError(
                    f"{where}: record {key!r} is on line {lines[key]} already; it counts once"
                )
            lines[key] = number
        text = cells[label].strip()
        is_unread = text.lower() in ("", "nan", "none", "<na>", "-1")
        when = cells[time].strip() or None if time is not None else None
        yield Mark(None if is_unread else label_of(text, where), when)


def read_ris(source: Source) -> Found:
    """A bibliography whose records have notes of ASReview."""
    marks: list[Mark] = []
    label: Any = None
    time, has_note, is_open = None, False, False
    for number, line in enumerate(source.text().splitlines(), 1):
        found = FIELD.match(line.strip("\ufeff"))
        tag = found[1] if found else ""
        if tag == "TY":
            if is_open:
                raise InputError(f"{source.name}:{number}: the record before has no end (ER)")
            label, time, is_open = None, None, True
        elif tag == "ER":
            marks.append(Mark(label, time))
            is_open = False
        else:
            note = NOTE.search(line)
            if note is not None:
                now, has_note = NOTES[note[0]], True
                if None not in (label, now) and label != now:
                    raise InputError(f"{source.name}:{number}: the record has two labels")
                label = label if now is None else now
            if (when := TIME.search(line)) is not None:
                time = re.sub(r"</p>$", "", when[1].strip()).strip('"')
    if is_open:
        raise InputError(f"{source.name}: the last record has no end (ER)")
    if not has_note:
        raise InputError(f"{source.name}: no record has a note ASReview_relevant or the like")
    return _in_order(marks, source, is_export=True)


def _in_order(marks: list[Mark], source: Source, is_export: bool) -> Found:
    """The labels of the records that were read, by time where the file is sorted otherwise."""
    read = [mark for mark in marks if mark.label is not None]
    if not marks:
        raise InputError(f"{source.name}: the file has no records")
    # Exports of ASReview are sorted by label: the order of their lines says nothing.
    order = source.order or ("time" if is_export else FILE)
    if order == "time":
        if any(mark.time is None for mark in read):
            raise InputError(f"{source.name}: {NO_TIMES}")
        times = [_time_of(str(mark.time), source.name) for mark in read]
        first = next((i for i, time in enumerate(times) if time[0] != times[0][0]), None)
        if first is not None:
            raise InputError(
                f"{source.name}: expected times of one kind, found {read[0].time!r} and "
                f"{read[first].time!r}: they cannot be put in order"
            )
        by_time = sorted(range(len(read)), key=lambda i: times[i][1])
        read = [read[i] for i in by_time]
    return Found([int(mark.label) for mark in read if mark.label is not None], len(marks))


def _time_of(text: str, name: str) -> tuple[str, Any]:
    """The kind of a time (seconds, local, or with a time zone) and a number or time to sort by."""
    if SECONDS.fullmatch(text):
        return "seconds", Decimal(text)
    try:
        if ISO.fullmatch(text):
            time = datetime.fromisoformat(text)
            return "local" if time.tzinfo is None else "zone", time
    except ValueError:  # as the 31st of February
        pass
    # as a spreadsheet writes it: not in the order of its text
    raise InputError(
        f"{name}: expected times as 2026-01-31 10:00:09; found {text!r}: read the project file "
        "(.asreview)"
    )


def _cells_of(text: str) -> Iterator[Line]:
    """The lines with cells between blanks."""
    lines = ((number, line.split()) for number, line in enumerate(text.splitlines(), 1))
    return ((number, cells) for number, cells in lines if cells)


def read_tar(source: Source) -> Found:
    """A run of tar_eval: documents of one topic in the order of the lines."""
    judged: dict[str, dict[str, int]] = {}
    for number, cells in _cells_of(source.text(source.qrels)):
        if len(cells) != 4 or not re.fullmatch(r"-?\d+", cells[3]):
            raise InputError(f"qrels:{number}: expected topic, 0, document and a grade")
        judged.setdefault(cells[0], {})[cells[2]] = int(cells[3])
    shown: dict[str, dict[str, bool]] = {}
    for number, cells in _cells_of(source.text()):
        if len(cells) != 6:
            raise InputError(
                f"{source.name}:{number}: expected topic, interaction, document, rank, score and "
                f"run; found {len(cells)} columns"
            )
        shown.setdefault(cells[0], {}).setdefault(cells[2], cells[1].upper() != NOT_SHOWN)
    topics = list(shown)
    if not topics:
        raise InputError(f"{source.name}: the run has no documents")
    topic = str(source.topic) if source.topic is not None else "".join(topics[:1])
    if source.topic is None and len(topics) != 1:
        raise InputError(
            f"{source.name}: the run has {len(topics)} topics; give `topic`, one of "
            f"{', '.join(topics[:5])}"
        )
    if topic not in shown or topic not in judged:
        fail("topic", "must be in the run and in the qrels", topic)
    grades = judged[topic]
    read = [document for document, is_shown in shown[topic].items() if is_shown]
    labels = [int(grades[document] > 0) for document in read if document in grades]
    return Found(labels, len(grades), unknown=len(read) - len(labels))


# name of the database, then the column that says which model asked for a record
DATABASES = {"results.db": "querier", "results.sql": "query_strategy"}
PRIOR = "prior"  # of version 1; later ones have NULL
MOST_BYTES = 2**32  # of a database, against archives that grow without end
RECORDS = {"record": "data_store.db", "record_table": None}  # tables of all records, other files


def read_asreview(source: Source) -> Found:
    """A project file of ASReview.

    A row of the table `results` is added when a record is shown, so its rowid is the order of
    reading; the time is that of the last decision, which may be a later correction. In version 3
    all records of a group of duplicates have a row, and the group has the identifier of one.
    """
    name = source.name
    try:
        with zipfile.ZipFile(io.BytesIO(source.data)) as archive:
            member = _database(archive, name)
            asked = DATABASES[member.rpartition("/")[2]]
            with _opened(archive, member, name) as database:
                rows = _results(database, asked, name)
                groups = _groups(database)
                if groups is None:
                    groups = _beside(archive, member, name)
    except (zipfile.BadZipFile, zipfile.LargeZipFile, EOFError, OSError) as error:
        raise InputError(f"{name}: is not a project of ASReview: {error}") from None
    labels: list[int] = []
    prior: list[int] = []
    seen = set()
    for record, label, query in rows:
        group = (groups or {}).get(record, record)
        if label is None or group in seen:
            continue
        seen.add(group)
        if label not in (0, 1):
            raise InputError(f"{name}: a label must be 0 or 1; found {label!r}")
        (prior if query in (None, PRIOR) else labels).append(int(label))
    population = None if groups is None else len(set(groups.values())) - len(prior)
    return Found(labels, population, prior, prior_known=True)


def _database(archive: zipfile.ZipFile, name: str) -> str:
    """The path of the database in the archive."""
    found = [path for path in archive.namelist() if path.rpartition("/")[2] in DATABASES]
    if not found:
        raise InputError(f"{name}: is not a project of ASReview 1 to 3: it has no results.db")
    if len(found) > 1:
        raise InputError(f"{name}: the project has {len(found)} reviews; export one of them")
    return found[0]


@contextlib.contextmanager
def _opened(archive: zipfile.ZipFile, member: str, name: str) -> Iterator[sqlite3.Connection]:
    """A database of the archive, which SQLite reads from a file."""
    if archive.getinfo(member).file_size > MOST_BYTES:
        raise InputError(f"{name}: {member} must be at most {MOST_BYTES >> 30} GiB")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "results.db")
        path.write_bytes(archive.read(member))
        connection = sqlite3.connect(path)
        try:
            yield connection
        except sqlite3.Error as error:
            raise InputError(f"{name}: {member}: {error}") from None
        finally:
            connection.close()


def _results(database: sqlite3.Connection, asked: str, name: str) -> list[tuple[int, int, str]]:
    """Record, label and model, in the order in which records were shown."""
    columns = {row[1] for row in database.execute("PRAGMA table_info(results)")}
    if not {"record_id", "label", asked} <= columns:
        raise InputError(f"{name}: the table of results has no record_id, label or {asked}")
    query = f"SELECT record_id, label, {asked} FROM results ORDER BY rowid"
    return database.execute(query).fetchall()


def _groups(database: sqlite3.Connection) -> dict[int, int] | None:
    """The group of each record of the collection; None if the database has no table of them."""
    for table in RECORDS:
        columns = {row[1] for row in database.execute(f"PRAGMA table_info({table})")}
        if "record_id" in columns:
            group = (
                "COALESCE(duplicate_of, record_id)" if "duplicate_of" in columns else "record_id"
            )
            return dict(database.execute(f"SELECT record_id, {group} FROM {table}").fetchall())
    return None


def _beside(archive: zipfile.ZipFile, member: str, name: str) -> dict[int, int] | None:
    """The same from the file that version 2 keeps for the collection."""
    found = [path for path in archive.namelist() if path.rpartition("/")[2] == RECORDS["record"]]
    if len(found) != 1:
        return None
    with _opened(archive, found[0], name) as database:
        return _groups(database)


# Formats whose order is not asked for: the one that they have.
ORDER_OF = {"asreview": "time", "tar": FILE, "text": FILE}
FORMATS: dict[str, Callable[[Source], Found]] = {
    "asreview": read_asreview,
    "csv": read_csv,
    "ris": read_ris,
    "tar": read_tar,
    "text": read_text,
}
