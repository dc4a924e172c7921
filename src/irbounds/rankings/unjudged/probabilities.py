"""Tables and files of probabilities that unjudged documents are relevant."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from irbounds._core.documents.doc_index import DocTable
from irbounds._core.documents.doc_rows import BadRow
from irbounds.foundation.errors import InputError
from irbounds.foundation.paths import is_path, shown_name
from irbounds.rankings.data.collection import Qrels, Run
from irbounds.rankings.reading.files import text_rows
from irbounds.rankings.reading.frames import is_frame

if TYPE_CHECKING:
    from irbounds.typing import PathLike

COLUMNS = ("score", "probability", "p", "relevance")
RULE = "probabilities must be in [0, 1]"


class Probabilities(Run):
    """A run whose scores are probabilities."""

    @classmethod
    def _checked(cls, table: DocTable) -> DocTable:
        values = table.values()
        bad = np.flatnonzero(~((values >= 0) & (values <= 1)))
        if bad.size:
            row = int(bad[0])
            (doc,) = table.rows.doc_ids(row, row + 1)
            raise BadRow(
                f"{RULE}; found {values[row]:.15g} (document {str(doc)!r}, "
                f"query {table.query_of(row)!r})",
                table.line(row),
            )
        return super()._checked(table)


def read_probabilities(source: object) -> Run:
    """A table of probabilities: anything that is read as a run, with a column of another name too,
    or a file of TREC's that has the form of qrels."""
    try:
        if is_path(source) or is_frame(source):
            return _of_file(source) if is_path(source) else _of_columns(source)
        if isinstance(source, Run):
            source = source.to_dict()
        return Probabilities.of(source)
    except InputError as error:
        text = str(error).removeprefix("probabilities: ")
        raise InputError(f"unjudged: {text}") from None


def check_probabilities(table: Run, qrels: Qrels) -> None:
    """Refuse probabilities of judged documents or unknown queries."""
    judged = qrels.to_dict()
    if not table.query_ids:
        raise InputError("unjudged: the table of probabilities is empty")
    for query, documents in table.items():
        if query not in judged:
            raise InputError(
                f"unjudged: query {query!r} is not in the qrels: probabilities must be those of "
                "judged queries"
            )
        for doc in documents:
            if judged[query].get(doc, -1) >= 0:
                raise InputError(
                    f"unjudged: document {doc!r} of query {query!r} is judged: probabilities must "
                    "be those of unjudged documents"
                )


def _of_columns(source: object) -> Run:
    """With the first of the known columns that the table has."""
    first = ""
    for name in COLUMNS:
        try:
            return Probabilities.of(source, None if name == "score" else {"score": name})
        except InputError as error:
            # Any other error means that the column is there and holds what cannot be used.
            if f"needs the column {name!r}" not in str(error):
                text = str(error).replace("column 'score'", f"column {name!r}")
                text = text.replace("a number as score", "a number as probability")
                raise InputError(text) from None
            first = first or str(error)
    names = ", ".join(map(repr, COLUMNS[:-1]))
    wanted = f"needs a column of probabilities, {names} or {COLUMNS[-1]!r}"
    raise InputError(first.replace(f"needs the column {COLUMNS[0]!r}", wanted))


def _of_file(path: PathLike) -> Run:
    try:
        return _of_columns(path)
    except InputError as error:
        reason = error
    if "needs a column" in str(reason):
        raise reason
    fields: list[str] = []
    with suppress(InputError):
        fields = next((found for _, found in text_rows(path)), [])
    # TREC's two forms of text have no names of columns: six fields are a run, four are qrels.
    if len(fields) == 4:
        return _of_qrels_form(path)
    raise reason


def _of_qrels_form(path: PathLike) -> Run:
    """A file in the form of TREC's qrels: query id, a field that is not read, document id and
    probability."""
    found: dict[str, dict[str, float]] = {}
    for line, fields in text_rows(path):
        where = f"{shown_name(path)}:{line}: "
        if len(fields) != 4:
            raise InputError(
                f"{where}expected 4 columns (query_id 0 doc_id probability), found {len(fields)}"
            )
        query, _, doc, text = fields
        try:
            value = float(text)
        except ValueError:
            value = np.nan
        named = f"(document {doc!r}, query {query!r})"
        if not 0 <= value <= 1:
            raise InputError(f"{where}{RULE}; found {text!r} {named}")
        documents = found.setdefault(query, {})
        if doc in documents:
            raise InputError(f"{where}duplicate document {doc!r} for query {query!r}")
        documents[doc] = value
    return Probabilities.from_dict(found)
