"""Files of reviews, as several commands take them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import irbounds
from irbounds.cli.input import options
from irbounds.foundation.errors import InputError, fail

if TYPE_CHECKING:
    from irbounds.stopping.labels import ReviewLabels


READING = ("order", "n_prior", "qrels", "topic", "columns")  # options of `read_labels`
INPUT = (
    options.argument(
        "labels",
        "Labels in the order of reading: 0 or 1 on a line, a project or an export of "
        "ASReview (.asreview, CSV, RIS), a table, or a run of tar_eval; - is standard input.",
    ),
    options.population(
        "Documents in the collection, read or unread; needed unless the file has the number."
    ),
    options.one_of(
        "--order",
        ("time", "file"),
        'Use "file" if an ASReview export without times is in reading order',
    ),
    options.count(
        "--n-prior",
        "Number of documents, at the beginning of the file, that were labelled before the "
        "review began; ASReview projects record it.",
    ),
    options.file("--qrels", "Judgments of a tar_eval run, in TREC format."),
    options.option("--topic", "Topic to read from a tar_eval run of several topics."),
    options.columns_such_as("label=Coded,time=Reviewed"),
)
TARGET = options.number("--target", "Target of recall.", 0.95)


def read_review(path: str, population: int | None, **settings: Any) -> ReviewLabels:
    """The labels of a file, with the size of the collection as it is given or as the file has
    it."""
    read = irbounds.read_labels(path, **settings)
    if population is None:
        return read
    if read.population is not None and population < read.population:
        fail(
            "--population", f"must be at least the {read.population} records of {path}", population
        )
    return replace(read, population=population)


def size_of(read: ReviewLabels) -> int:
    """Documents in the collection."""
    if read.population is None:
        raise InputError("--population is needed: the number of documents in the collection")
    return read.population


def notes_on_review(read: ReviewLabels) -> Iterator[str]:
    """Lines on the content of a file besides labels in reading order."""
    if read.prior:
        yield (
            f"left out: {read.prior} of prior knowledge, {read.prior_relevant} of them relevant; "
            "with them recall is at least as large"
        )
    if read.unknown:
        yield f"left out: {read.unknown} without a judgment"
