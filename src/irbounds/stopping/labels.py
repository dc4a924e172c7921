"""Labels of a review in reading order, from the files of review tools."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike

from irbounds.foundation.errors import InputError, InputFileError, check_choice, check_count, fail
from irbounds.foundation.paths import name_of, shown_name, standard_input
from irbounds.stopping.label_formats import (
    COLUMNS,
    FILE,
    FORMATS,
    ORDER_OF,
    Found,
    Source,
    format_of,
)

if TYPE_CHECKING:
    from irbounds.typing import PathLike

MOST_BYTES = 2**30  # of a file, which is held whole
ORDERS = (FILE, "time")


@dataclass(frozen=True, eq=False)
class ReviewLabels:
    """Labels of a review in the order of reading; see `read_labels`.

    Attributes
    ----------
    labels : ndarray of 0 and 1
        Labels of the documents that were read, without prior knowledge.
    population : int or None
        Documents in the collection, read or not, without prior knowledge; None where the file does
        not say.
    prior, prior_relevant : int
        Documents that were labelled before the review began, and the relevant ones of these.
    format : str
    unknown : int
        Documents of a run that have no judgment, which are left out.
    """

    labels: np.ndarray = field(repr=False)
    population: int | None
    prior: int
    prior_relevant: int
    format: str
    unknown: int = 0

    def __len__(self) -> int:
        return len(self.labels)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.labels, dtype=dtype) if copy is not False else self.labels

    def __repr__(self) -> str:
        of = "" if self.population is None else f" of {self.population}"
        prior = f", without {self.prior} of prior knowledge" if self.prior else ""
        return (
            f"ReviewLabels({int(self.labels.sum())} relevant in {len(self)}{of} documents{prior})"
        )

    def to_dict(self) -> dict[str, Any]:
        """All attributes, labels as a list."""
        return {**vars(self), "labels": self.labels.tolist()}


def read_labels(
    path: PathLike,
    *,
    format: str | None = None,
    order: str | None = None,
    n_prior: int | None = None,
    qrels: PathLike | None = None,
    topic: object | None = None,
    columns: Mapping[str, str] | None = None,
) -> ReviewLabels:
    """Read the labels of a review in the order in which its documents were read.

    Parameters
    ----------
    path : path, or "-" for standard input
    format : {"asreview", "csv", "ris", "tar", "text"}, optional
        Found out by the content, if not given.

        "asreview", a project file of ASReview 1 to 3 (.asreview), which tells the order, the size
        of the collection and the prior knowledge. Duplicates that ASReview 3 groups count once.

        "csv" and "ris", a table or a bibliography with labels. Exports of ASReview are put in the
        order of `asreview_time`; those of version 1 have no times. Other tables need a column
        label, included or relevant, and are taken in the order of the file. Records without a label
        are unread.

        "tar", a run of CLEF's tar_eval, with `qrels`. Documents with the interaction NS were not
        shown.

        "text", one label a line: 0 or 1.
    order : {"time", "file"}, optional
        For "csv" and "ris": "file" says that an export without times is in reading order after all,
        "time" that a table is not. The other formats have one order: "time" for project files,
        "file" for runs and text.
    n_prior : int, optional
        How many of the first documents were labelled before the review began, where the file does
        not say (csv, ris, text).
    qrels : path, optional
        Judgments of a "tar" run, in the TREC format. The collection of a topic is what is judged.
    topic : str, optional
        The topic of a run that has several.
    columns : mapping, optional
        For "csv": the table's own names of the columns "label", "time" (by which its rows are put
        in order), "group" (of duplicates) and "record" (a name that may stand once).

    Returns
    -------
    ReviewLabels
        Prior knowledge is left out of labels and population: how it was chosen says nothing about
        the ranking, and prior irrelevant documents often were chosen for that. A bound of recall
        for the rest holds for the whole collection as well, because (r + p) / (U + p) is at least
        r / U.

    Raises
    ------
    InputError
        For files without labels, labels other than 0 and 1, and exports whose order is lost.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import irbounds as irb
    >>> text = '''title,asreview_label,asreview_time
    ... a,1,2026-01-31 10:00:09
    ... b,1,2026-01-31 10:00:01
    ... c,,
    ... d,0,2026-01-31 10:00:05
    ... '''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "export.csv")
    ...     _ = path.write_text(text)
    ...     read = irb.read_labels(path)
    >>> read, read.labels.tolist()
    (ReviewLabels(2 relevant in 3 of 4 documents), [1, 0, 1])
    """
    name = shown_name(path)
    data = _bytes(path)
    if order is not None:
        check_choice("order", order, ORDERS)
    if format is not None:
        check_choice("format", format, FORMATS)
    if columns is not None:
        for column in columns:
            check_choice("columns", column, COLUMNS)
        if (format or format_of(data)) not in ("csv", "text"):
            raise InputError("`columns` is for tables, format 'csv'")
        format = "csv"  # a header whose names are unknown may look like text
    if format is None:
        format = "tar" if qrels is not None else format_of(data)
    if (format == "tar") != (qrels is not None):
        raise InputError("`qrels` is for runs of tar_eval, format 'tar', and these need it")
    if format != "tar" and topic is not None:
        raise InputError("`topic` is for runs of tar_eval, format 'tar'")
    if order is not None and order != ORDER_OF.get(format, order):
        fail("order", f"must be {ORDER_OF[format]!r} for a file of format {format!r}", order)
    judged = b"" if qrels is None else _bytes(qrels)
    found = FORMATS[format](Source(name, data, order, judged, topic, columns or {}))
    if found.prior_known:
        if n_prior is not None:
            fail("n_prior", "is not for this format: the file says which these are", n_prior)
        return _made(found, format)
    first = 0 if n_prior is None else check_count("n_prior", n_prior, 0)
    if first > len(found.labels):
        fail("n_prior", f"must be at most the {len(found.labels)} labels", first)
    known = found._replace(
        labels=found.labels[first:],
        population=None if found.population is None else found.population - first,
        prior=found.labels[:first],
    )
    return _made(known, format)


def _made(found: Found, format: str) -> ReviewLabels:
    labels = np.array(found.labels, np.uint8)
    labels.setflags(write=False)
    return ReviewLabels(
        labels, found.population, len(found.prior), sum(found.prior), format, found.unknown
    )


def _bytes(path: PathLike) -> bytes:
    name = shown_name(path)
    try:
        if name_of(path) == "-":
            data = standard_input().read(MOST_BYTES + 1)
        else:
            with open(name_of(path), "rb") as file:  # noqa: PTH123, the name is text
                data = file.read(MOST_BYTES + 1)
    except OSError as error:
        if isinstance(error, InputFileError):
            raise
        raise InputFileError(f"{name}: {error.strerror or error}") from None
    if len(data) > MOST_BYTES:
        raise InputError(f"{name}: must be at most {MOST_BYTES >> 20} MiB")
    return data
