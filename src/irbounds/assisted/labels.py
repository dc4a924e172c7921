"""Labels of people and of judges: grades of documents by query."""

from __future__ import annotations

from typing import Any

from irbounds.foundation.errors import InputError, counted
from irbounds.rankings.collection import Qrels

Pair = tuple[str, str]
Labels = dict[str, dict[str, float]]


def read_labels(name: str, source: Any) -> Labels:
    """{query: {document: grade}}; negative grades, which mean unjudged, are left out."""
    try:
        found = Qrels.of(source).to_dict()
    except InputError as error:  # the reader knows no other name than `qrels`
        said = str(error)
        if said.startswith(("`qrels`", "qrels: ")):
            said = f"`{name}`" + said.removeprefix("`qrels`").removeprefix("qrels")
        raise InputError(said) from None
    labels = {
        query: {doc: grade for doc, grade in grades.items() if grade >= 0}
        for query, grades in found.items()
    }
    labels = {query: grades for query, grades in labels.items() if grades}
    if not labels:
        raise InputError(f"`{name}` has no labels")
    return labels


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
