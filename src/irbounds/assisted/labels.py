"""Labels of people and of judges: grades of documents by query."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from irbounds.foundation.errors import InputError, counted
from irbounds.foundation.paths import is_path, name_of, shown_name
from irbounds.rankings.data.collection import Qrels, Run
from irbounds.rankings.reading.files import text_rows

if TYPE_CHECKING:
    from irbounds.typing import PathLike, QrelsLike

Pair = tuple[str, str]
Labels = dict[str, dict[str, float]]
# of the reader of tables
EMPTY, HEADER = (f"expected a number as relevance, found {text!r}" for text in ("", "relevance"))
# A judge's grades are likely on people's scale if they go up to the end of a usual scale, or to at
# most so many times people's largest label: 0 to 5 beside labels to 3, but not 0 to 10.
USUAL_SCALE, SAME_SCALE = 4.0, 2.0
# of the reader of TREC's qrels
WHOLE, LIKE_A_RUN = "expected an integer from", "this looks like a run"


def read_labels(name: str, source: QrelsLike) -> Labels:
    """{query: {document: grade}}; negative grades, which mean unjudged, are left out."""
    return read_people(name, source)[0]


def read_judge(source: QrelsLike) -> tuple[Labels, int]:
    """A judge's grades or scores, and how many are below 0 and left out."""
    return read_people("judge", source, judge_of)


def read_people(
    name: str, source: QrelsLike, as_qrels: Callable[[Any], Qrels] | None = None
) -> tuple[Labels, int]:
    """{query: {document: grade}}, and how many grades below 0 were left out; `as_qrels` reads other
    labels than people's."""
    try:
        found = (as_qrels or qrels_of)(source).to_dict()
    except InputError as error:  # the reader knows no other name than `qrels`
        said = str(error)
        if said.startswith(("`qrels`", "qrels: ")):
            said = f"`{name}`" + said.removeprefix("`qrels`").removeprefix("qrels")
        raise InputError(said) from None
    labels = {
        query: grades
        if min(grades.values(), default=0.0) >= 0
        else {doc: grade for doc, grade in grades.items() if grade >= 0}
        for query, grades in found.items()
    }
    n_left_out = sum(map(len, found.values())) - sum(map(len, labels.values()))
    labels = {query: grades for query, grades in labels.items() if grades}
    if not labels:
        raise InputError(f"`{name}` has no labels")
    return labels, n_left_out


def qrels_of(source: QrelsLike) -> Qrels:
    """Labels by people as they are, in the form of TREC's qrels also fractions; a table that is not
    filled in to its end is refused with what to do."""
    try:
        return _with_fractions(source)
    except InputError as error:
        said = str(error)
        if said.endswith(HEADER):
            raise InputError(f"{said}: the header of a file that was appended?") from None
        unfilled = _partly_filled(source) if said.endswith(EMPTY) else ""
        if not unfilled:
            raise
        raise InputError(said.replace(EMPTY, unfilled)) from None


def judge_of(source: QrelsLike) -> Qrels:
    """A judge's grades, or the scores of a run."""
    try:
        return _with_fractions(source)
    except InputError as error:
        if LIKE_A_RUN not in str(error) or not _is_file(source):
            raise
    scores = Run.of(source).to_dict()
    below = min(score for docs in scores.values() for score in docs.values())
    if below < 0:
        raise InputError(
            f"{shown_name(source)}: a judge's scores must be 0 or more; found {below:g}: add a "
            "constant to all of them"
        )
    return Qrels.of(scores)


def _with_fractions(source: QrelsLike) -> Qrels:
    try:
        return Qrels.of(source)
    except InputError as error:
        if WHOLE not in str(error) or not _is_file(source):
            raise
        return Qrels.of(_fractions(source))


def _is_file(source: QrelsLike) -> bool:
    """Whether it can be read again."""
    return is_path(source) and name_of(source) != "-"


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
    has_label = filled_rows(path)
    if all(has_label):
        return ""
    first, rows = has_label.index(False), counted(len(has_label), "row", "rows")
    found = f"{has_label.count(False):,} of {rows} without a relevance"
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


def filled_rows(path: Any) -> list[bool]:
    """Whether each row of a table of labels has one; nothing where the file is no such table."""
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            head = file.readline()
            # As `irbounds` reads tables: the delimiter that the header has most often.
            delimiter = max(",;\t", key=head.count)
            names = [name.strip() for name in next(csv.reader([head], delimiter=delimiter))]
            column = names.index("relevance")
            rows = [row for row in csv.reader(file, delimiter=delimiter) if row]
            return [bool(row[column].strip()) for row in rows]
    except (OSError, TypeError, ValueError, IndexError, csv.Error, StopIteration):
        return []


def is_unfilled(path: PathLike) -> bool:
    """Whether a file is a table of pairs that nobody has labelled, or empty."""
    try:
        if not Path(path).stat().st_size:
            return True
    except OSError:
        return False
    has_label = filled_rows(path)
    return bool(has_label) and not any(has_label)


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
        is_swapped = all(
            doc in human.get(query, {}) for query, docs in judge.items() for doc in docs
        )
        raise InputError(
            f"`{name}` must label pairs that the judge graded; found "
            f"{counted(len(foreign), 'other pair', 'other pairs')}, first document {doc!r} of "
            f"query {query!r}" + (": are the two swapped?" if is_swapped else "")
        )


def largest(labels: Labels) -> float:
    """The largest grade."""
    return max(max(docs.values()) for docs in labels.values())


def is_on_scale(people: float, judge: float) -> bool:
    """Whether a judge's largest grade is likely on the scale of people's largest label."""
    return judge <= max(USUAL_SCALE, SAME_SCALE * people)
