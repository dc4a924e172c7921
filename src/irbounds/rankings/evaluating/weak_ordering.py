"""Weak orderings as Raghavan, Bollmann & Jung (1989) evaluate them: `WeakOrdering` and
recall-precision graphs.

The file is longer than 400 lines because `WeakOrdering` is one class.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from irbounds._core.common.exact_sum import column_means
from irbounds._core.evaluating.search_length import StoppingRanks, probabilities
from irbounds.foundation.arguments import (
    as_floats,
    broadcast,
    check_flag,
    check_number,
    check_numbers,
    plain,
)
from irbounds.foundation.errors import LARGEST_COUNT, InputError, check_choice, check_count, fail
from irbounds.foundation.read_only import ReadOnlyArrays

if TYPE_CHECKING:
    from irbounds.typing import ArrayLike, FloatOrArray

MEASURES = ("prr", "ep", "precall")
STANDARD_LEVELS = tuple(level / 20 for level in range(21))


@dataclass(frozen=True, eq=False, init=False, repr=False)
class WeakOrdering:
    """Ranks of tied documents, best first.  A searcher reads each rank in random order and stops
    somewhere.

    Parameters
    ----------
    relevant, nonrelevant : array_like of int, shape (ranks,)
        Documents of each kind in each rank.
    n_relevant : int, optional
        Relevant documents of the query, retrieved or not; the sum of `relevant` by default.
    collection_size : int, optional
        Documents of the collection.  With it, those not in the ranks form one last rank.  Without
        it the ranks are the collection; where relevant documents are missing from them, fallout and
        generality need it.

    Notes
    -----
    Stops are given as ``nr``, the number of relevant documents wanted (real, above 0), as
    ``recall`` in [0, 1], or as ``nd``, the number of documents read.  They may be arrays; results
    have their shape.  Where fewer than nr relevant documents are in the ranks, the stop is never
    reached: precision is 0, the search length infinite.  A number ``nr``, or ``recall`` times
    `n_relevant`, within 8 units of rounding (1.8e-15 of itself) of a whole number is that number,
    so that a recall of 0.8 of 5 documents stops at the fourth.

    Examples
    --------
    Example 2.4 of the paper, (+−− | +++−−−−−−−), one relevant document wanted:

    >>> import irbounds as irb
    >>> w = irb.rankings.WeakOrdering(relevant=[1, 3], nonrelevant=[2, 7])
    >>> w.esl(1), w.prr(nr=1), w.ep(recall=0.25), w.precall(nr=1)
    (1.0, 0.5, 0.611111111111111, 0.3333333333333333)
    >>> w.search_length_distribution(1)
    array([0.33333333, 0.33333333, 0.33333333])
    """

    relevant: np.ndarray
    nonrelevant: np.ndarray
    n_relevant: int
    n_documents: int
    _ranks: StoppingRanks

    def __init__(
        self,
        relevant: ArrayLike,
        nonrelevant: ArrayLike,
        n_relevant: int | None = None,
        collection_size: int | None = None,
    ) -> None:
        r, i = _counts("relevant", relevant), _counts("nonrelevant", nonrelevant)
        if r.shape != i.shape:
            raise InputError(
                "`relevant` and `nonrelevant` must have one entry for each rank; "
                f"found {r.size} and {i.size}"
            )
        if r.sum(dtype=float) + i.sum(dtype=float) > LARGEST_COUNT:
            raise InputError("the ranks must hold at most 2^52 documents")
        found, read = int(r.sum()), int(r.sum() + i.sum())
        n = found if n_relevant is None else check_count("n_relevant", n_relevant, 0)
        if n < found:
            fail(
                "n_relevant",
                f"must be at least the {found} relevant documents in the ranks",
                n_relevant,
            )
        if collection_size is not None:
            size = check_count("collection_size", collection_size, 0)
            least = read + n - found
            if size < least:
                fail(
                    "collection_size",
                    f"must be at least the {least} documents known",
                    collection_size,
                )
            # Documents that were not retrieved are one last rank: nothing is known of their order.
            r, i = np.append(r, n - found), np.append(i, size - least)
        r.flags.writeable = i.flags.writeable = False
        # Searches stop in ranks with relevant documents: others count through what was read before.
        has_relevant = r > 0
        ranks = StoppingRanks(
            (np.cumsum(r) - r)[has_relevant],
            (np.cumsum(i) - i)[has_relevant],
            r[has_relevant],
            i[has_relevant],
            n,
        )
        fields = {
            "relevant": r,
            "nonrelevant": i,
            "n_relevant": n,
            "n_documents": int(r.sum() + i.sum()),
            "_ranks": ranks,
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.relevant, self.nonrelevant, self.n_relevant)

    @classmethod
    def from_scores(
        cls,
        scores: ArrayLike,
        relevance: ArrayLike,
        n_relevant: int | None = None,
        collection_size: int | None = None,
        *,
        rel: float = 1,
    ) -> Self:
        """Ranks of equal scores, highest first; documents of grade `rel` or more are relevant."""
        score, grade = (
            check_numbers(name, values, "must be numbers, not nan", lambda x: ~np.isnan(x))
            for name, values in (("scores", scores), ("relevance", relevance))
        )
        if score.ndim != 1 or score.shape != grade.shape:
            raise InputError(
                f"`scores` and `relevance` must have one length; found {score.shape} and "
                f"{grade.shape}"
            )
        # The negative, so that the highest score is rank 0.
        _, rank = np.unique(-score, return_inverse=True)
        n_ranks = int(rank.max(initial=-1)) + 1
        is_relevant = grade >= check_number("rel", rel, "must be a number", lambda x: x == x)
        relevant = np.bincount(rank[is_relevant], minlength=n_ranks)
        return cls(
            relevant, np.bincount(rank, minlength=n_ranks) - relevant, n_relevant, collection_size
        )

    @property
    def generality(self) -> float:
        """Share of relevant documents, n/N."""
        size = self._collection_size()
        return self.n_relevant / size if size else 0.0

    def _collection_size(self) -> int:
        found = int(self.relevant.sum())
        if found < self.n_relevant:
            raise InputError(
                f"`collection_size` is needed: the ranks hold {found} of {self.n_relevant} "
                "relevant "
                "documents"
            )
        return self.n_documents

    def esl(self, nr: ArrayLike | None = None, *, recall: ArrayLike | None = None) -> FloatOrArray:
        """Expected search length: non-relevant documents read before the nr-th relevant one
        (Cooper; Lemma 3.1)."""
        name, stop, shape = _stop(nr=nr, recall=recall)
        wanted = stop if name == "nr" else _snapped(stop * self.n_relevant)
        return _shaped(self._ranks.search_length(wanted), shape)

    def prr(
        self,
        *,
        nr: ArrayLike | None = None,
        recall: ArrayLike | None = None,
        nd: ArrayLike | None = None,
        interpolation: str = "intuitive",
    ) -> FloatOrArray:
        """Probability that a retrieved document is relevant: NR/(NR + ESL) (eq. 3.3, 3.4; for nd
        theorem 3.3)."""
        return self._precision("prr", interpolation, nr=nr, recall=recall, nd=nd)

    def ep(
        self,
        *,
        nr: ArrayLike | None = None,
        recall: ArrayLike | None = None,
        nd: ArrayLike | None = None,
        interpolation: str = "intuitive",
    ) -> FloatOrArray:
        """Expected precision when the searcher stops (example 2.3; for nd theorem 3.4)."""
        return self._precision("ep", interpolation, nr=nr, recall=recall, nd=nd)

    def precall(
        self,
        *,
        nr: ArrayLike | None = None,
        recall: ArrayLike | None = None,
        nd: ArrayLike | None = None,
        interpolation: str = "intuitive",
    ) -> FloatOrArray:
        """NR/(NR + j + i s/r), the older definition (eq. 2.2); never above PRR."""
        return self._precision("precall", interpolation, nr=nr, recall=recall, nd=nd)

    def _precision(
        self, measure: str, interpolation: str, **stops: ArrayLike | None
    ) -> FloatOrArray:
        name, stop, shape = _stop(**stops)
        ceiling = (
            check_choice("interpolation", interpolation, ("intuitive", "ceiling")) == "ceiling"
        )
        if ceiling and name != "recall":
            raise InputError("interpolation requires recall=")
        if name == "nr":
            return _shaped(self._ranks.precision_at_stop(measure, stop), shape)
        if name == "recall":
            return _shaped(self._ranks.precision_at_recall(measure, stop, ceiling), shape)
        return _shaped(self._ranks.relevant_at(stop) / stop, shape)

    def expected_recall(self, nd: ArrayLike) -> FloatOrArray:
        """Expected share of the relevant documents among the first nd documents (section 3.4)."""
        _, stop, shape = _stop(nd=nd)
        found = self._ranks.relevant_at(stop)
        return _shaped(found / self.n_relevant if self.n_relevant else np.zeros_like(found), shape)

    def fallout(self, nd: ArrayLike) -> FloatOrArray:
        """Expected share of the non-relevant documents among the first nd documents (section
        3.5)."""
        _, stop, shape = _stop(nd=nd)
        size = self._collection_size()
        others = size - self.n_relevant
        # A stop beyond the collection reads all of it.
        read = np.minimum(stop, float(size))
        nonrelevant = self._ranks.nonrelevant_at(read)
        return _shaped(nonrelevant / others if others > 0 else np.zeros_like(nonrelevant), shape)

    def precision_from(self, recall: ArrayLike, fallout: ArrayLike) -> FloatOrArray:
        """Precision as a function of recall, fallout and generality, GR/(GR + (1-G)F) (eq. 3.5)."""
        g = self.generality
        R, F = broadcast(
            **{
                name: check_numbers(name, value, "must be in [0, 1]", lambda x: (x >= 0) & (x <= 1))
                for name, value in (("recall", recall), ("fallout", fallout))
            }
        )
        relevant = np.asarray(g * R)
        read = relevant + (1 - g) * F
        return plain(np.divide(relevant, read, out=np.zeros_like(read), where=read != 0))

    def search_length_distribution(self, nr: float) -> np.ndarray:
        """P_v, v = 0, 1, …, i: the probability of reading v non-relevant documents in the rank with
        the nr-th relevant one (3.1).

        `nr` may be real; it is the double that is given, or the whole number within 8 units of
        rounding of it.  Values are within 1e-12 of themselves.  The search length is v plus the
        non-relevant documents of the earlier ranks.
        """
        _, stop, _ = _stop(nr=nr)
        if stop.size != 1:
            fail("nr", "must be one number", nr)
        through = np.cumsum(self.relevant)
        rank = int(np.searchsorted(through, stop[0]))
        if rank == through.size:
            fail(
                "nr",
                f"must be at most the {int(self.relevant.sum())} relevant documents in the ranks",
                nr,
            )
        relevant = int(self.relevant[rank])
        return probabilities(
            float(stop[0] - (through[rank] - relevant)), relevant, int(self.nonrelevant[rank])
        )

    def recall_precision_graph(
        self,
        measure: str = "prr",
        levels: ArrayLike | None = None,
        interpolation: str = "intuitive",
        bounds: bool = False,
    ) -> RecallPrecisionGraph:
        """Precision at each recall level; the default levels are those of the paper, 0, 0.05, …,
        1."""
        return mean_graph([self], measure, levels, interpolation, bounds)

    def in_order(self, order: str) -> WeakOrdering:
        """One order of the tied documents: in every rank relevant ones first ("best") or last
        ("worst").

        Examples
        --------
        >>> import irbounds as irb
        >>> irb.rankings.WeakOrdering(relevant=[1, 3], nonrelevant=[2, 7]).in_order("worst")
        WeakOrdering(0+ 2- | 1+ 0- | 0+ 7- | 3+ 0-; n_relevant=4)
        """
        # Each rank becomes two: the relevant documents are the first of them, or the second.
        first = check_choice("order", order, ("best", "worst")) == "worst"
        relevant, nonrelevant = np.zeros((2, 2 * self.relevant.size), np.int64)
        relevant[int(first) :: 2], nonrelevant[int(not first) :: 2] = (
            self.relevant,
            self.nonrelevant,
        )
        full = (relevant > 0) | (nonrelevant > 0)
        return WeakOrdering(relevant[full], nonrelevant[full], self.n_relevant)

    def __repr__(self) -> str:
        shown = " | ".join(
            f"{r}+ {i}-" for r, i in zip(self.relevant[:6], self.nonrelevant[:6], strict=True)
        )
        return (
            f"WeakOrdering({shown}{' | …' if len(self.relevant) > 6 else ''}; "
            f"n_relevant={self.n_relevant})"
        )


@dataclass(frozen=True, eq=False)
class RecallPrecisionGraph(ReadOnlyArrays):
    """Precision by recall level, averaged over queries.

    Attributes
    ----------
    levels, precision : ndarray, shape (levels,)
    measure, interpolation : str
    n_queries : int
    low, high : ndarray, shape (levels,), or None
        The precision in the worst and in the best order of tied documents (with ``bounds=True``).
    """

    levels: np.ndarray
    precision: np.ndarray
    measure: str
    interpolation: str
    n_queries: int
    low: np.ndarray | None = None
    high: np.ndarray | None = None

    def to_dict(self) -> dict[float, float]:
        """{recall level: precision}."""
        return dict(zip(self.levels.tolist(), self.precision.tolist(), strict=True))

    def to_frame(self, backend: str = "pandas") -> FloatOrArray:
        """A frame with the columns recall and precision, with bounds also precision.low and
        precision.high."""
        from irbounds.foundation.frames import make_frame

        columns = {"recall": self.levels, "precision": self.precision}
        if self.low is not None and self.high is not None:
            columns |= {"precision.low": self.low, "precision.high": self.high}
        return make_frame(columns, backend)


def check_levels(levels: ArrayLike | None) -> np.ndarray:
    """Recall levels, at least one; None is the standard ones."""
    found = check_numbers(
        "levels",
        STANDARD_LEVELS if levels is None else levels,
        "must be in [0, 1]",
        lambda x: (x >= 0) & (x <= 1),
    ).ravel()
    if not found.size:
        raise InputError("`levels` must have at least one recall level")
    return found


def mean_graph(
    orderings: WeakOrdering | Iterable[WeakOrdering],
    measure: str = "prr",
    levels: ArrayLike | None = None,
    interpolation: str = "intuitive",
    bounds: bool = False,
) -> RecallPrecisionGraph:
    """The recall-precision graph of several queries: the mean precision at each recall level.

    Parameters
    ----------
    orderings : WeakOrdering or iterable of them
    measure : {"prr", "ep", "precall"}
    levels : array_like in [0, 1], optional
        0, 0.05, …, 1 by default.
    interpolation : {"intuitive", "ceiling"}
    bounds : bool
        Give the graphs of the worst and of the best order of tied documents as well.

    Examples
    --------
    >>> import irbounds as irb
    >>> a, b = irb.rankings.WeakOrdering([1, 3], [2, 7]), irb.rankings.WeakOrdering([3, 1], [5, 3])
    >>> irb.rankings.mean_graph([a, b], levels=[0.25, 1.0]).to_dict()
    {0.25: 0.4722222222222222, 1.0: 0.3682539682539683}
    """
    check_choice("measure", measure, MEASURES)
    queries = list(orderings) if isinstance(orderings, Iterable) else [orderings]
    if not queries:
        raise InputError("`orderings` is empty")
    for query in queries:
        if not isinstance(query, WeakOrdering):
            fail("orderings", "must hold WeakOrderings", query)
    bounds = check_flag("bounds", bounds)
    level = check_levels(levels)

    def mean(orderings: Iterable[WeakOrdering]) -> np.ndarray:
        return column_means(
            [
                getattr(query, measure)(recall=level, interpolation=interpolation)
                for query in orderings
            ]
        )

    low, high = (
        mean(query.in_order(order) for query in queries) if bounds else None
        for order in ("worst", "best")
    )
    return RecallPrecisionGraph(
        level, mean(queries), measure, interpolation, len(queries), low, high
    )


def _counts(argument: str, counts: ArrayLike) -> np.ndarray:
    array = np.atleast_1d(as_floats(argument, counts, "must be a list of counts"))
    if array.ndim != 1 or np.asarray(counts).dtype.kind == "b":
        fail(argument, "must be a list of counts", counts)
    wrong = ~((array >= 0) & (array == np.floor(array)) & (array <= 2.0**53))
    if wrong.any():
        found = array[wrong][0].item()
        fail(
            argument,
            "must be whole numbers, 0 or more",
            int(found) if found.is_integer() else found,
            f"in rank {int(wrong.argmax())}",
        )
    return array.astype(np.int64)


def _stop(**stops: ArrayLike | None) -> tuple[str, np.ndarray, tuple[int, ...]]:
    """The stop that was given: its name, its values as a flat array, and their shape."""
    given = [(name, value) for name, value in stops.items() if value is not None]
    if len(given) != 1:
        raise InputError(f"give one of {', '.join(f'{name}=' for name in stops)}")
    name, value = given[0]
    if name == "recall":
        array = check_numbers(name, value, "must be in [0, 1]", lambda x: (x >= 0) & (x <= 1))
    else:
        array = check_numbers(
            name, value, "must be above 0 and finite", lambda x: (x > 0) & np.isfinite(x)
        )
    flat = np.ascontiguousarray(array.ravel())
    return name, _snapped(flat) if name == "nr" else flat, array.shape


def _snapped(stop: np.ndarray) -> np.ndarray:
    """Stops within rounding error of an integer become that integer: a rank ends exactly at its
    last document."""
    nearest = np.rint(stop)
    return np.where(np.abs(stop - nearest) <= 8 * np.finfo(float).eps * stop, nearest, stop)


def _shaped(result: np.ndarray, shape: tuple[int, ...]) -> FloatOrArray:
    return result.reshape(shape) if shape else float(result[0])
