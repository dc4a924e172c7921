"""Reading: CSV tables with a header, lists of labels; `-` is standard input."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from irbounds.foundation.errors import InputError, InputFileError, suggest
from irbounds.foundation.paths import numbered, short_names, shown_name, standard_input

Segments = tuple[list[Any], list[Any]]  # strata of the retrieved, and of the unretrieved
MOST_BYTES = 2**28  # of a table or a list of labels, which is held whole


SEGMENTS = {
    "retrieved": "retrieved",
    "1": "retrieved",
    "r": "retrieved",
    "yes": "retrieved",
    "unretrieved": "unretrieved",
    "0": "unretrieved",
    "n": "unretrieved",
    "no": "unretrieved",
}
# the literature's, which differ by their case alone
LETTERS = {"N": "size", "n": "sampled", "r": "relevant"}


class Row(dict[str, str]):
    """A row of a table by column, and its place in the file."""

    def __init__(self, cells: dict[str, str], where: str) -> None:
        super().__init__(cells)
        self.where = where

    def numbers(self, *columns: str) -> Any:
        """The numbers in some columns."""
        return map(self.number, columns)

    def number(self, column: str) -> float:
        """The number in a column."""
        text = self[column].strip().replace("_", "")
        try:
            return float(text)
        except ValueError:
            import re

            has_commas = re.fullmatch(r"\d{1,3}(,\d{3})+(\.\d*)?", text)
            hint = f": write {text.replace(',', '')}" if has_commas else ""
            raise InputError(
                f"{self.where}: expected a number as {column}, found {self[column]!r}{hint}"
            ) from None


def check_read_once(*paths: str | None) -> None:
    """Refuse `-` given for several files."""
    if paths.count("-") > 1:
        raise InputError("standard input can be read once only: `-` was given twice")


def names_of_runs(runs: Sequence[str], name: str | None) -> list[str]:
    """Short names of the run files, each different; `name` is that of standard input."""
    for run in runs:
        _refuse_measure(run)
    names = numbered(short_names(list(runs)))
    if name is None:
        return names
    if "-" not in runs:
        raise InputError("--name is the name of a run in standard input; no run is `-`")
    if name in names:
        raise InputError(f"--name must differ from the names of the files; found {name!r}")
    return [name if run == "-" else own for run, own in zip(runs, names, strict=True)]


def _refuse_measure(run: str) -> None:
    """Refuse the name of a measure, which is no file: the shell took a list of measures apart."""
    import os
    import re

    if re.fullmatch(r"[A-Za-z][\w@.()=]*", run) and not os.path.exists(run):  # noqa: PTH110, a faster start
        from irbounds.rankings.measure_table.measure import parse_measures

        try:
            parse_measures(run)
        except InputError:
            return
        raise InputFileError(
            f'{run}: No such file; a list of measures needs quotes, as in -m "AP {run}"'
        )


def _lines(path: str) -> list[str]:
    try:
        if path == "-":
            # One byte more than may be: that it is there says that the file is too long.
            data = standard_input().read(MOST_BYTES + 1)
        else:
            with open(path, "rb") as file:  # noqa: PTH123, a faster start
                data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise InputError(
                f"{shown_name(path)}: a table or list of labels must be at most "
                f"{MOST_BYTES >> 20} MiB"
            )
        return data.decode("utf-8-sig").splitlines()
    except InputError:
        raise
    except OSError as error:
        raise InputFileError(f"{shown_name(path)}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{shown_name(path)}: expected text in UTF-8") from None


def _cells(path: str) -> list[list[str]]:
    """The cells of each line; the first line that is not empty shows the delimiter."""
    import csv

    name, lines = shown_name(path), _lines(path)
    if not any(line.strip() for line in lines):
        raise InputError(f"{name}: the file has no rows")
    first = next(line for line in lines if line.strip())
    try:
        # The delimiter that the header has most often.
        return list(csv.reader(lines, delimiter=max(",;\t", key=first.count)))
    except csv.Error as error:
        raise InputError(f"{name}: {error}") from None


def is_of_strata(path: str) -> bool:
    """Whether a table's header has a column `segment`."""
    header = next(cells for cells in _cells(path) if any(cell.strip() for cell in cells))
    return "segment" in (cell.strip().lower() for cell in header)


def read_table(
    path: str, needed: Sequence[str], letters: Mapping[str, str] = MappingProxyType({})
) -> tuple[list[str], list[Row]]:
    """Column names and rows of a file with comma, semicolon or tab between cells; names in any
    case.

    A header that has all of the `letters`, in their case, has the columns that these stand for.
    """
    name = shown_name(path)
    table = _cells(path)
    columns: list[str] = []
    rows = []
    for number, cells in enumerate(table, 1):
        if not any(cell.strip() for cell in cells):
            continue
        if not columns:
            columns = _column_names(
                [cell.strip() for cell in cells], needed, letters, f"{name}:{number}"
            )
            continue
        if len(cells) != len(columns):
            raise InputError(
                f"{name}:{number}: expected {len(columns)} columns, found {len(cells)}"
            )
        rows.append(Row(dict(zip(columns, cells, strict=True)), f"{name}:{number}"))
    if not rows:
        raise InputError(f"{name}: the file has a header and no rows")
    return columns, rows


def _column_names(
    cells: list[str], needed: Sequence[str], letters: Mapping[str, str], where: str
) -> list[str]:
    """The names in a header, which are distinct and include all that are needed."""
    # Before case is dropped: N and n are different columns.
    if letters and set(letters) <= set(cells):
        cells = [letters.get(cell, cell) for cell in cells]
    columns = [cell.lower() for cell in cells]
    wanted = ", ".join(needed) + (
        f" (or {', '.join(letters)} for the last {len(letters)})" if letters else ""
    )
    missing = next((column for column in needed if column not in columns), None)
    if missing and letters and all(cell not in columns for cell in needed[1:]):
        raise InputError(
            f"{where}: expected a header with the columns {wanted}; found {', '.join(cells)}"
        )
    twice = next((column for column in columns if column and columns.count(column) > 1), None)
    if twice:
        raise InputError(
            f"{where}: duplicate column {twice!r}"
            + (f"; a table of strata has {wanted}" if letters else "")
        )
    if missing:
        raise InputError(
            f"{where}: expected a column {missing!r}; found {', '.join(columns)}"
            f"{suggest(missing, columns)}"
            + (f"; a table of strata has {wanted}" if letters else "")
        )
    return columns


def first_of(names: Sequence[str], columns: Sequence[str]) -> str | None:
    """The first of these names that a table has as a column."""
    return next((name for name in names if name in columns), None)


def letter_of(place: int) -> str:
    """The name of a system that has none: A to Z, then numbers."""
    return chr(ord("A") + place) if place < 26 else str(place + 1)


def read_segments(
    path: str, columns: Sequence[str], stratum_of: Callable[[str, Row], Any]
) -> tuple[list[Any], list[Any]]:
    """The strata of the retrieved and of the unretrieved segment, from a table with a column
    `segment` and these."""
    segments: dict[str, list[Any]] = {"retrieved": [], "unretrieved": []}
    letters = LETTERS if set(columns) == set(LETTERS.values()) else {}
    for row in read_table(path, ("segment", *columns), letters)[1]:
        name = SEGMENTS.get(row["segment"].strip().lower())
        if name is None:
            raise InputError(
                f"{row.where}: segment must be retrieved or unretrieved; found {row['segment']!r}"
            )
        try:
            segments[name].append(stratum_of(name, row))
        except InputError as error:
            text = str(error)
            raise InputError(
                text if text.startswith(row.where) else f"{row.where}: {text}"
            ) from None
    for name, strata in segments.items():
        if not strata:
            raise InputError(f"{path}: there is no stratum of the {name} segment")
    return segments["retrieved"], segments["unretrieved"]


def read_labels(path: str) -> list[Any]:
    """One label a line, as text."""
    name = shown_name(path)
    labels = [line.strip() for line in _lines(path)]
    if not labels:
        raise InputError(f"{name}: the file has no labels")
    if "" in labels:
        raise InputError(f"{name}:{labels.index('') + 1}: expected a label, found an empty line")
    return labels


def stratum_from_text(option: str, text: str) -> Any:
    """The Stratum that SIZE/SAMPLED/RELEVANT says."""
    from irbounds.samples.model.strata import Stratum

    # 12,000/150/108 and 12_000/150/108 are read as well.
    parts = text.replace(",", "").replace("_", "").split("/")
    try:
        return Stratum(*map(int, parts))
    except (TypeError, ValueError):
        raise InputError(
            f"{option} must be SIZE/SAMPLED/RELEVANT, as 2000/100/50; found {text!r}"
        ) from None


def samples_from_options(retrieved: Sequence[str], unretrieved: Sequence[str]) -> Segments:
    """SIZE/SAMPLED/RELEVANT, once for each stratum."""
    if not (retrieved and unretrieved):
        missing = "unretrieved" if retrieved else "retrieved"
        raise InputError(
            "give --retrieved and --unretrieved as SIZE/SAMPLED/RELEVANT, or a table; "
            f"--{missing} is missing"
        )
    return (
        [stratum_from_text("--retrieved", text) for text in retrieved],
        [stratum_from_text("--unretrieved", text) for text in unretrieved],
    )


def samples_from_table(path: str) -> Segments:
    """Columns segment, size, sampled, relevant; a row for each stratum."""
    from irbounds.samples.model.strata import Stratum, check_segment

    def stratum_of(name: str, row: Row) -> Stratum:
        stratum = Stratum(*row.numbers(*Stratum._fields))
        check_segment(name, stratum)
        return stratum

    return read_segments(path, Stratum._fields, stratum_of)


# Hyphens and underscores count as blanks.
KINDS_OF_RELEVANT = ("relevant", "responsive")
CALLS = {
    **dict.fromkeys((*KINDS_OF_RELEVANT, "r", "yes", "y", "true", "1"), True),
    **{f"{no}{kind}": False for no in ("not ", "non ", "non") for kind in KINDS_OF_RELEVANT},
    **dict.fromkeys(("irrelevant", "unresponsive", "not", "nr", "no", "n", "false", "0"), False),
    "": None,
}
CODED = ("call", "size", "audited", "relevant")
# Coded documents: a whole prior for each class of calls, as `Audited` has it.
CLASS_METHOD = "betabinom-half-per-stratum"


def coded_from_table(path: str) -> tuple[Segments, Segments]:
    """Columns segment, call, size, audited, relevant; a row for each class of calls, whose call is
    relevant, not, or empty for documents that nobody coded.  The strata, and the strata that there
    would be if every call were right."""
    from irbounds.samples.model.strata import Stratum, check_segment

    believed: dict[str, list[Stratum]] = {"retrieved": [], "unretrieved": []}

    def stratum_of(name: str, row: Row) -> Stratum:
        text = " ".join(row["call"].lower().replace("-", " ").replace("_", " ").split())
        if text not in CALLS:
            raise InputError(
                f"{row.where}: call must be relevant, not relevant, or empty (not coded); found "
                f"{row['call']!r}"
            )
        call = CALLS[text]
        stratum = Stratum(*row.numbers(*CODED[1:]))
        try:
            check_segment(name, stratum)
        except InputError as error:
            raise InputError(str(error).replace("sampled", "audited")) from None
        size = stratum.size
        known = stratum if call is None else Stratum(size, size, size if call else 0)
        believed[name].append(known)
        return stratum

    segments = read_segments(path, CODED, stratum_of)
    pairs = [
        _without_empty(list(zip(audits, believed[name], strict=True)))
        for name, audits in zip(believed, segments, strict=True)
    ]
    samples, known = ([[each[i] for each in pair] for pair in pairs] for i in (0, 1))
    return (samples[0], samples[1]), (known[0], known[1])


def _without_empty(pairs: list[Any]) -> list[Any]:
    """Without classes of calls that have no documents, but never nothing."""
    return [pair for pair in pairs if pair[0].size] or pairs[:1]


def coded_method(samples: Segments, believed: Segments) -> str:
    """The usual method for coded documents.  Where several rows have one call, as with a row for
    each custodian, they share a prior: whole ones add up, and with 40 such rows 95 % intervals held
    the recall of 3 % of 60 simulated reviews."""
    for audits, known in zip(samples, believed, strict=True):
        calls = [
            None if one is audit else one.relevant > 0
            for audit, one in zip(audits, known, strict=True)
        ]
        if len({*calls}) < len(calls):
            return "betabinom-half"
    return CLASS_METHOD


def check_coded_alone(
    table: str | None, retrieved: Sequence[str], unretrieved: Sequence[str]
) -> None:
    """Refuse samples beside --coded."""
    if table is not None or retrieved or unretrieved:
        raise InputError("give --coded or samples, not both")


def audited_of(samples: Segments, believed: Segments) -> Segments:
    """What `coded_from_table` returns, as audited segments: a class that was called relevant and
    one that was not, in the order of the rows, are the classes of one."""
    retrieved, unretrieved = map(_audited, samples, believed)
    return retrieved, unretrieved


def _audited(samples: Sequence[Any], believed: Sequence[Any]) -> list[Any]:
    from itertools import zip_longest

    from irbounds.samples.model.strata import Audited

    pairs = list(zip(samples, believed, strict=True))
    coded = [audit for audit, known in pairs if known is not audit]
    calls = [known.relevant > 0 for audit, known in pairs if known is not audit]
    called, other = (
        [audit for audit, call in zip(coded, calls, strict=True) if call is wanted]
        for wanted in (True, False)
    )
    nothing = type(samples[0])(0, 0, 0)
    found = []
    for one, two in zip_longest(called, other, fillvalue=nothing):
        size = one.size + two.size
        audits = ((each.sampled, each.relevant) for each in (one, two))
        found.append(Audited(size, size, one.size, *audits))
    return found + [audit for audit, known in pairs if known is audit]  # nobody coded these


def read_samples(
    table: str | None, retrieved: Sequence[str], unretrieved: Sequence[str]
) -> Segments:
    """Assessed samples of both segments, from a table or from options."""
    if table is None:
        return samples_from_options(retrieved, unretrieved)
    if retrieved or unretrieved:
        raise InputError("give strata as options or as a table, not both")
    return samples_from_table(table)
