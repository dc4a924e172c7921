"""Labels of people and of judges: grades of documents by query."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

from irbounds.foundation.errors import InputError, counted
from irbounds.foundation.paths import is_path, name_of, shown_name
from irbounds.rankings.collection import Qrels
from irbounds.rankings.files import text_rows

Pair = tuple[str, str]
Labels = dict[str, dict[str, float]]
# of the reader of tables
EMPTY, HEADER = (f"expected a number as relevance, found {text!r}" for text in ("", "relevance"))
WHOLE = "expected an integer from"  # of the reader of TREC's qrels


def read_labels(name: str, source: Any) -> Labels:
    """{query: {document: grade}}; negative grades, which mean unjudged, are left out."""
    return read_people(name, source)[0]


def read_people(name: str, source: Any) -> tuple[Labels, int]:
    """The same, and how many were left out."""
    try:
        found = qrels_of(source).to_dict()
    except InputError as error:  # the reader knows no other name than `qrels`
        said = str(error)
        if said.startswith(("`qrels`", "qrels: ")):
            said = f"`{name}`" + said.removeprefix("`qrels`").removeprefix("qrels")
        raise InputError(said) from None
    labels = {
        query: {doc: grade for doc, grade in grades.items() if grade >= 0}
        for query, grades in found.items()
    }
    n_left_out = sum(map(len, found.values())) - sum(map(len, labels.values()))
    labels = {query: grades for query, grades in labels.items() if grades}
    if not labels:
        raise InputError(f"`{name}` has no labels")
    return labels, n_left_out


def qrels_of(source: Any) -> Qrels:
    """Labels as they are, in the form of TREC's qrels also fractions; a table that is not filled in
    to its end is refused with what to do."""
    try:
        return Qrels.of(source)
    except InputError as error:
        said = str(error)
        if WHOLE in said and is_path(source) and name_of(source) != "-":  # not to be read again
            return Qrels.of(_fractions(source))
        if said.endswith(HEADER):
            raise InputError(f"{said}: the header of a file that was appended?") from None
        unfilled = _partly_filled(source) if said.endswith(EMPTY) else ""
        if not unfilled:
            raise
        raise InputError(said.replace(EMPTY, unfilled)) from None


def _fractions(path: Any) -> Labels:
    """Scores in the form of TREC's qrels, whose own grades are whole numbers."""
    found: Labels = {}
    for line, fields in text_rows(path):
        where = f"{shown_name(path)}:{line}: "
        if len(fields) != 4:
            raise InputError(
                f"{where}expected 4 columns (query_id 0 doc_id relevance), found {len(fields)}"
            )
        query, _, doc, text = fields
        try:
            grade = float(text)
        except ValueError:
            grade = math.nan
        if not math.isfinite(grade):
            raise InputError(f"{where}expected a number as relevance, found {text!r}")
        grades = found.setdefault(query, {})
        if doc in grades:
            raise InputError(f"{where}duplicate document {doc!r} for query {query!r}")
        grades[doc] = grade
    return found


def _partly_filled(path: Any) -> str:
    """The message on a table of labels that people have not filled in to its end; empty where
    the file cannot be read again.

    `LabelPlan` writes pairs in random order, so the labels before the first empty row are a random
    sample within each grade.  Labels with gaps are not: people skip what is hard to judge.
    """
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            head = file.readline()
            # As `irbounds` reads tables: the delimiter that the header has most often.
            delimiter = max(",;\t", key=head.count)
            names = [name.strip() for name in next(csv.reader([head], delimiter=delimiter))]
            column = names.index("relevance")
            rows = [row for row in csv.reader(file, delimiter=delimiter) if row]
            has_label = [bool(row[column].strip()) for row in rows]
        first = has_label.index(False)
    except (OSError, TypeError, ValueError, IndexError, csv.Error):
        return ""
    found = f"{has_label.count(False):,} of {counted(len(rows), 'row', 'rows')} without a relevance"
    if not any(has_label):
        return f"{found}: fill them in"
    if any(has_label[first:]):
        return (
            f"{found}, between labelled rows: label them too, because what people skip is not a "
            "random sample"
        )
    return (
        f"{found}, all after the first {first:,}: label them; or delete them and go on, if the "
        "rows are in the random order in which `allocate_labels` wrote them"
    )


def check_drawn_from(human: Labels, judge: Labels, name: str = "human") -> None:
    """People label pairs that the judge has graded: others cannot be of the sample."""
    foreign = [
        (query, doc)
        for query, labels in human.items()
        for doc in labels
        if doc not in judge.get(query, {})
    ]
    if foreign:
        query, doc = foreign[0]
        raise InputError(
            f"`{name}` must label pairs that the judge graded; found "
            f"{counted(len(foreign), 'other pair', 'other pairs')}, first document {doc!r} of "
            f"query {query!r}"
        )


def largest(labels: Labels) -> float:
    """The largest grade."""
    return max(grade for docs in labels.values() for grade in docs.values())
