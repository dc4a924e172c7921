"""Judgments that show groups of queries which nobody named."""

from __future__ import annotations

import warnings
from collections import Counter

import numpy as np

from irbounds.rankings.data.collection import Qrels
from irbounds.rankings.data.warnings import outside
from irbounds.warnings import RunWarning


def warn_of_shared(qrels: Qrels) -> None:
    """Warn where several queries have one document as their only relevant one, and several
    documents are so: such queries come in groups that nobody named."""
    table = qrels._table
    found = np.flatnonzero(table.values() > 0)
    queries = np.searchsorted(table.row_starts(), found, side="right")
    is_only = np.ones(len(found), bool)
    same = queries[1:] == queries[:-1]
    is_only[1:] &= ~same
    is_only[:-1] &= ~same
    rows = found[is_only].tolist()
    if len(rows) * 4 > table.n_rows:  # one call for each would take four times as long
        ids = table.rows.doc_ids(0, table.n_rows)
        only = Counter(ids[row] for row in rows)
    else:
        only = Counter(table.rows.doc_ids(row, row + 1)[0] for row in rows)
    shared = [count for count in only.values() if count > 1]
    if len(shared) > 1:
        warnings.warn(
            f"{sum(shared):,} queries share their only relevant document with others "
            f"({len(shared):,} documents): if queries of a document are alike, name their groups "
            "(`groups`)",
            RunWarning,
            stacklevel=outside(),
        )
