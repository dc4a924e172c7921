"""Project files of ASReview 1 to 3: an archive that holds a database of SQLite."""

from __future__ import annotations

import contextlib
import io
import sqlite3
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from irbounds.foundation.errors import InputError

# name of the database, then the column that says which model asked for a record
DATABASES = {"results.db": "querier", "results.sql": "query_strategy"}
PRIOR = "prior"  # of version 1; later ones have NULL
MOST_BYTES = 2**32  # of a database, against archives that grow without end
RECORDS = {"record": "data_store.db", "record_table": None}  # tables of all records, other files


def read_project(data: bytes, name: str) -> tuple[list[int], int | None, list[int]]:
    """Labels in the order in which records were shown, the size of the collection, and the labels
    of prior knowledge; the last two without and with prior knowledge.

    A row of the table `results` is added when a record is shown, so its rowid is the order of
    reading; the time is that of the last decision, which may be a later correction. In version 3
    all records of a group of duplicates have a row, and the group has the identifier of one.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            member = _database(archive, name)
            asked = DATABASES[member.rpartition("/")[2]]
            with _opened(archive, member, name) as database:
                rows = _results(database, asked, name)
                groups = _groups(database)
                if groups is None:
                    groups = _beside(archive, member, name)
    except (zipfile.BadZipFile, zipfile.LargeZipFile, EOFError, OSError) as error:
        raise InputError(f"{name}: is not a project of ASReview: {error}") from None
    known = {} if groups is None else groups
    labels: list[int] = []
    prior: list[int] = []
    seen = set()
    for record, label, query in rows:
        group = known.get(record, record)
        if label is None or group in seen:
            continue
        seen.add(group)
        if label not in (0, 1):
            raise InputError(f"{name}: a label must be 0 or 1; found {label!r}")
        (prior if query in (None, PRIOR) else labels).append(int(label))
    population = None if groups is None else len(set(groups.values())) - len(prior)
    return labels, population, prior


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
