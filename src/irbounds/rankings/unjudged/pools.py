"""Several runs over one set of documents: which ones nobody has judged, and where each run has
them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from irbounds._core.documents.doc_index import DocTable
from irbounds._core.documents.doc_rows import DocRows, id_as_bytes
from irbounds._core.label_bounds.unjudged_difference import pool_documents
from irbounds.rankings.data.collection import Qrels, Run
from irbounds.rankings.data.equal_scores import EXACT, ScoreRule


@dataclass(frozen=True, eq=False)
class RankedDocuments:
    """One run's documents, best first: their numbers in the pool, and their ranks (tie
    groups).

    before, size: for each of them the documents before its rank and in it.
    """

    documents: np.ndarray
    before: np.ndarray
    size: np.ndarray

    def __len__(self) -> int:
        return len(self.documents)

    def places(self, n_pool: int) -> tuple[np.ndarray, np.ndarray]:
        """The numbers of documents before the rank of each document of the pool and in it; 0 and 0
        for those not retrieved."""
        before, size = np.zeros((2, n_pool), np.int64)
        before[self.documents], size[self.documents] = self.before, self.size
        return before, size

    def weights(self, at_place: np.ndarray, n_pool: int) -> np.ndarray:
        """The weight of each document of the pool: the mean of `at_place` (weights of the places
        from the first on, 0 beyond them) over the places of its rank."""
        through = np.concatenate([[0.0], np.cumsum(at_place)])
        last = len(at_place)
        ends = np.minimum(self.before + self.size, last)
        weights = np.zeros(n_pool)
        sums = through[ends] - through[np.minimum(self.before, last)]
        # A rank of one document has the weight of its place, whose last digits a difference of sums
        # lacks.
        alone = (self.size == 1) & (self.before < last)
        sums[alone] = at_place[self.before[alone]]
        weights[self.documents] = sums / np.maximum(self.size, 1)
        return weights

    @property
    def scores(self) -> np.ndarray:
        """Numbers that fall from rank to rank, equal inside one."""
        return -self.before.astype(float)


@dataclass(frozen=True, eq=False)
class PooledQuery:
    """A judged query: the documents that any of the runs retrieved.

    grade: their grades, below 0 where nobody has judged; level, count: how many documents were
    judged at each grade, highest first, retrieved or not.
    """

    query_id: str
    grade: np.ndarray
    runs: list[RankedDocuments]
    level: np.ndarray
    count: np.ndarray
    _rows: DocRows

    @cached_property
    def open(self) -> np.ndarray:
        """The numbers of the unjudged documents."""
        return np.flatnonzero(self.grade < 0)

    def ranks_alike(self, one: int, other: int) -> bool:
        """Whether two runs have the same documents at the same ranks."""
        first, second = self.runs[one], self.runs[other]
        if not np.array_equal(first.before, second.before):  # best first in both
            return False
        if np.array_equal(first.documents, second.documents):
            return True
        # Without ties, equal ranks in another order are other ranks.
        if len(first) == 0 or first.size.max() == 1:
            return False
        places = [run.places(len(self.grade)) for run in (first, second)]
        return bool(np.array_equal(places[0], places[1]))

    def n_judged(self, lowest_grade: float) -> int:
        """Judged documents of this grade or higher, retrieved or not."""
        return int(self.count[self.level >= lowest_grade].sum())

    @property
    def n_known(self) -> int:
        """Documents that were retrieved or judged."""
        n_retrieved = int(np.count_nonzero(self.grade >= 0))
        return len(self.grade) + int(self.count.sum()) - n_retrieved

    def doc_id(self, number: int) -> str:
        """The id of a document of the pool."""
        (name,) = self._rows.doc_ids(number, number + 1)
        return str(name)


class Pool:
    """Judgments and runs, query by query.  ties: "expected", "doc_id" or "given"."""

    def __init__(
        self, qrels: Qrels, runs: list[Run], ties: str, score_rule: ScoreRule = EXACT
    ) -> None:
        self.qrels = qrels
        self.ties = ties
        self.score_rule = score_rule
        self._tables: list[DocTable] = [run._table for run in runs]
        self._numbers = [
            {id_as_bytes(query): number for number, query in enumerate(table.query_ids)}
            for table in self._tables
        ]
        self._values = [table.values() for table in self._tables]
        self._levels = qrels._index.levels({})

    def queries(self, query_ids: Iterable[str] | None = None) -> Iterator[PooledQuery]:
        """All judged queries, or some."""
        numbers = self.qrels._index.query_number
        for query in self.qrels.query_ids if query_ids is None else query_ids:
            yield self._query(str(query), numbers[id_as_bytes(query)])

    def _query(self, query_id: str, number: int) -> PooledQuery:
        own = [numbers.get(id_as_bytes(query_id), -1) for numbers in self._numbers]
        rows, grade, documents = pool_documents(self.qrels._index, number, self._tables, own)
        ranked = []
        for table, values, place, listed in zip(
            self._tables, self._values, own, documents, strict=True
        ):
            start = table.row_starts()
            scores = values[start[place] : start[place + 1]] if place >= 0 else values[:0]
            ranked.append(_ranked(listed, self.score_rule.merged(scores), self.ties, rows))
        start, level, count = self._levels
        own_levels = slice(start[number], start[number + 1])
        return PooledQuery(query_id, grade, ranked, level[own_levels], count[own_levels], rows)


def _ranked(documents: np.ndarray, scores: np.ndarray, ties: str, rows: DocRows) -> RankedDocuments:
    """Documents best first; equal scores share a rank, or are taken apart by the tie rule."""
    n = len(documents)
    if ties == "doc_id":
        names = [id_as_bytes(name) for name in rows.doc_ids(0, len(rows))]
        # As in trec_eval the greater id, by its bytes, comes first.
        order_of = np.empty(len(names), np.int64)
        order_of[sorted(range(len(names)), key=names.__getitem__, reverse=True)] = np.arange(
            len(names)
        )
        order = np.lexsort((order_of[documents], -scores))
    else:
        # Stable: ties="given" keeps rows of equal score in their order.
        order = np.argsort(-scores, kind="stable")
    place = np.arange(n)
    if ties in ("doc_id", "given"):
        return RankedDocuments(documents[order], place, np.ones(n, np.int64))
    ranked = scores[order]
    starts = np.flatnonzero(np.concatenate([[True], ranked[1:] != ranked[:-1]])) if n else place
    sizes = np.diff(np.append(starts, n))
    return RankedDocuments(documents[order], np.repeat(starts, sizes), np.repeat(sizes, sizes))
