"""Which documents to judge next, so that the differences of runs are settled soonest."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irbounds._core.common.exact_sum import column_means
from irbounds.comparison.data.alignment import find_run, name_runs
from irbounds.comparison.label_bounds.differences import LINEAR, Differences
from irbounds.comparison.label_bounds.label_effects import ESTIMATED, label_effects
from irbounds.comparison.label_bounds.pairs import check_pairs
from irbounds.foundation.atomic import write_file
from irbounds.foundation.distributions import Bounds
from irbounds.foundation.errors import InputError, InputFileError, check_count, counted, fail
from irbounds.foundation.writing import InNotebooks
from irbounds.rankings.data.collection import Qrels, Run
from irbounds.rankings.data.equal_scores import ScoreRule
from irbounds.rankings.measure_table.measure import Measure, parse_measures
from irbounds.rankings.unjudged.pools import Pool, PooledQuery
from irbounds.rankings.unjudged.treatment import Hidden, highest_grade, warn_of_relevant_only

if TYPE_CHECKING:
    from irbounds.typing import HiddenLike, MeasureLike, PathLike, QrelsLike, RunLike, RunsLike

WEIGHTED = ("P", "R", "RelP", "F", "SetP", "SetR", "RBP", "DCG", "nDCG", "NumRelRet")


class Judgment(NamedTuple):
    """A document to judge, and by how much it narrows the bounds of all pairs not yet settled."""

    query_id: str
    doc_id: str
    width: float


@dataclass(frozen=True, eq=False)
class NextJudgments(InNotebooks):
    """Documents to judge, those first that narrow the bounds of the differences most.

    Attributes
    ----------
    measure : str
    documents : tuple of (query_id, doc_id, width)
        `width` is by how much a judgment narrows the bounds of all differences that are not
        settled, whatever the label.  It is an estimate for R, RelP, F, SetR and nDCG, whose
        denominator also changes, and for AP and ERR, which multiply labels.  Documents of one width
        are in the order of queries in the qrels, of runs, and of documents.
    bounds : dict
        ``{(run, against): Bounds}``: the least and the greatest mean difference now.
    bounds_after : dict
        The same once `documents` are judged and none of them is relevant.
    n_unjudged : int
        Documents that some run retrieved and nobody has judged.
    n_that_matter : int
        Those of them whose label changes some difference.
    is_exact : bool
        Whether labels reach the ends of the bounds.  False for AP and ERR, where the bounds
        contain all differences but may be too wide.
    """

    measure: str
    documents: tuple[Judgment, ...]
    bounds: dict[tuple[str, str], Bounds]
    bounds_after: dict[tuple[str, str], Bounds]
    n_unjudged: int
    n_that_matter: int
    is_exact: bool = True

    @property
    def is_settled(self) -> bool:
        """Whether no labels can reverse the sign of any difference: then there is nothing to
        judge."""
        return all(map(_is_settled, self.bounds.values()))

    def to_frame(self, backend: str = "pandas") -> Any:
        """A frame with the columns query_id, doc_id and width."""
        from irbounds.foundation.frames import make_frame

        columns = zip(*self.documents, strict=True) if self.documents else ([], [], [])
        return make_frame(
            dict(zip(Judgment._fields, (list(column) for column in columns), strict=True)), backend
        )

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain lists and numbers; a list for each pair of runs."""
        return {
            "measure": self.measure,
            "documents": [one._asdict() for one in self.documents],
            "pairs": [
                {
                    "run": run,
                    "against": against,
                    "bounds": list(bounds),
                    "bounds_after": list(self.bounds_after[run, against]),
                    "is_settled": _is_settled(bounds),
                }
                for (run, against), bounds in self.bounds.items()
            ],
            "n_unjudged": self.n_unjudged,
            "n_that_matter": self.n_that_matter,
            "is_settled": self.is_settled,
            "is_exact": self.is_exact,
        }

    def to_trec(self) -> str:
        """Lines of a qrels file, with -1, which means unjudged, where the assessor puts a grade."""
        return "".join(f"{one.query_id} 0 {one.doc_id} -1\n" for one in self.documents)

    def write(self, path: PathLike) -> None:
        """Write a qrels file for the assessor to fill in; give it back as `judged`."""
        write_file(self.to_trec().encode("utf-8", "surrogateescape"), path, "path")

    def __repr__(self) -> str:
        settled = sum(map(_is_settled, self.bounds.values()))
        lines = [
            f"{counted(len(self.documents), 'document', 'documents')} to judge for {self.measure}; "
            f"{self.n_that_matter} of {self.n_unjudged} unjudged ones matter; "
            f"{settled} of {counted(len(self.bounds), 'difference', 'differences')} settled"
            + ("" if self.is_exact else " (outer bounds)")
        ]
        for (run, against), bounds in self.bounds.items():
            after = self.bounds_after[run, against]
            lines.append(
                f"  {run} − {against}  [{bounds.low:+.4f}, {bounds.high:+.4f}]; if none of these "
                f"is relevant, {after.high - after.low:.4f} wide"
            )
        return "\n".join(lines)


def next_judgments(
    qrels: QrelsLike,
    runs: RunsLike,
    measure: MeasureLike,
    n: int = 50,
    *,
    judged: RunLike | None = None,
    baseline: Any = None,
    ties: str = "expected",
    unjudged_hidden: HiddenLike | None = None,
    max_grade: float | None = None,
    collection_size: int | None = None,
    score_precision: str = "float64",
    score_tolerance: float = 0.0,
) -> NextJudgments:
    """Say which unjudged documents to judge next, so that the differences of runs are settled.

    Parameters
    ----------
    qrels : Qrels, path, dict or data frame
    runs : list of runs, or dict of name and run
        Two or more of what `evaluate` takes.
    measure : str or ir_measures object
        One of P, R, RelP, F, SetP, SetR, RBP, DCG, nDCG, NumRelRet, AP and ERR.
    n : int
        How many documents to name, at most.
    judged : Qrels, path, dict or data frame, optional
        Further judgments, such as the file of `NextJudgments.write` filled in; negative grades are
        still unjudged.  A grade takes the place of an earlier one.
    baseline : str or int, optional
        The name or place of a run: only the differences of the others from it count.
    ties : {"expected", "doc_id", "given"}
        As in `evaluate`.
    unjudged_hidden, max_grade, collection_size, score_precision, score_tolerance
        As in `evaluate`.  Qrels that list nothing but relevant documents get a RunWarning.

    Returns
    -------
    NextJudgments

    Notes
    -----
    The difference of two runs by P, DCG or RBP is linear in the labels, so judging a document
    narrows its bounds by the gain of the highest grade times the difference of the weights that
    the two rankings give it, whatever the label: the largest first is the fastest way (Carterette,
    Allan and Sitaraman 2006, with bounds in place of their normal approximation).  A difference is
    settled once 0 is outside its bounds, and then counts no more.

    By AP and ERR the bounds are outer ones: a settled difference is settled, but one may be settled
    that they still leave open.  The documents that some run retrieves are listed by an estimate:
    the effect of a label on AP if every other unjudged document is relevant with probability 1/2,
    on ERR if none is.

    Examples
    --------
    >>> import irbounds as irb
    >>> qrels = {"q1": {"d1": 1, "d2": 0}}
    >>> runs = {"a": {"q1": {"d1": 3, "d3": 2, "d4": 1}}, "b": {"q1": {"d2": 3, "d4": 2, "d1": 1}}}
    >>> irb.next_judgments(qrels, runs, "P@2", n=1)
    1 document to judge for P@2; 2 of 2 unjudged ones matter; 0 of 1 difference settled
      a − b  [+0.0000, +1.0000]; if none of these is relevant, 0.5000 wide
    """
    named = name_runs(runs)
    (parsed, *others) = parse_measures(measure)
    if others or parsed.name not in WEIGHTED + ESTIMATED or parsed.get("relative"):
        raise InputError(
            f"`measure` must be one of {', '.join(WEIGHTED + ESTIMATED)}; "
            f"found {' '.join(map(str, [parsed, *others]))}"
        )
    n = check_count("n", n)
    score_rule = ScoreRule.read(score_precision, score_tolerance)
    known = _with_judged(Qrels.of(qrels), judged)
    if len(known) == 0:
        raise InputError("`qrels` has no query")
    highest = highest_grade(known, max_grade)
    check_pairs([parsed], ties, highest)
    warn_of_relevant_only(known, unjudged_hidden)
    size = 0 if collection_size is None else check_count("collection_size", collection_size)
    search = _Search(
        parsed, highest, ties, Hidden.read(unjudged_hidden, size, known), list(named), baseline
    )
    pool = Pool(known, [Run.of(run) for run in named.values()], ties, score_rule)
    return search.run(pool, n)


def _with_judged(qrels: Qrels, judged: RunLike | None) -> Qrels:
    """The judgments and further ones, which may name new documents of known queries."""
    if judged is None:
        return qrels
    together = qrels.to_dict()
    try:
        further = Qrels.of(judged)
    except InputFileError:
        raise
    except InputError as error:  # which calls all judgments qrels
        raise InputError(re.sub("^(`?)qrels", r"\1judged", str(error))) from None
    for query, documents in further.to_dict().items():
        if query not in together:
            fail("judged", "must name queries of the qrels", query)
        together[query].update({doc: grade for doc, grade in documents.items() if grade >= 0})
    return Qrels.from_dict(together)


def _is_settled(bounds: Bounds) -> bool:
    return bounds.low > 0 or bounds.high < 0 or bounds.low == bounds.high


def _coarse(width: np.ndarray) -> np.ndarray:
    """To 40 bits, so that widths which differ by rounding alone come in the order of the input."""
    mantissa, exponent = np.frexp(width)
    return np.asarray(np.ldexp(np.round(np.ldexp(mantissa, 40)), exponent - 40))


class _Search:
    """One question: the bounds of all pairs, then the documents that narrow the open ones."""

    def __init__(
        self,
        measure: Measure,
        max_grade: float,
        ties: str,
        hidden: Hidden,
        names: list[str],
        baseline: Any,
    ) -> None:
        self.measure = measure
        self.is_exact = measure.name not in ESTIMATED
        # Labels of documents of weight 0 change the denominator, by which queries weigh.
        self.has_ideal = measure.name not in (*LINEAR, "ERR")
        self.lists_all = self.has_ideal or not self.is_exact
        self.kernel = Differences(measure, max_grade, ties)
        self.hidden = hidden
        self.names = names
        against = find_run(baseline, names)
        self.hub = 0 if against is None else names.index(against)  # every run has a pair with it
        if against is None:
            self.pairs = [
                (run, other) for run, other in itertools.combinations(range(len(names)), 2)
            ]
        else:
            self.pairs = [(run, self.hub) for run in range(len(names)) if run != self.hub]

    def run(self, pool: Pool, n: int) -> NextJudgments:
        """The answer, with the queries' documents in memory."""
        queries = list(pool.queries())
        weights = [self._weights(query) for query in queries]
        unseen = [self.hidden.of(query.query_id, query.n_known) for query in queries]
        ends = np.array(list(map(self._ends, queries, weights, unseen)))
        bounds = self._mean(ends)
        unsettled = [
            i for i, pair in enumerate(self.pairs) if not _is_settled(bounds[self._names_of(pair)])
        ]
        chosen, n_that_matter = self._widest(queries, weights, unsettled, n)
        return NextJudgments(
            str(self.measure),
            tuple(
                Judgment(queries[q].query_id, queries[q].doc_id(doc), width)
                for q, doc, width in chosen
            ),
            bounds,
            self._mean(self._ends_after(queries, weights, unseen, ends, chosen)),
            sum(len(query.open) for query in queries),
            n_that_matter,
            self.is_exact,
        )

    def _names_of(self, pair: tuple[int, int]) -> tuple[str, str]:
        return self.names[pair[0]], self.names[pair[1]]

    def _weights(self, query: PooledQuery) -> np.ndarray:
        """The weight of each document of the pool (column) in each run (row), or an estimate."""
        if not self.is_exact:
            highest = self.kernel.max_grade
            return np.array(
                [label_effects(self.measure, query, run, highest) for run in query.runs]
            )
        rows = [self.kernel.weights(query, run) for run in query.runs]
        return np.array([row for row in rows if row is not None])

    def _scale(self, query: PooledQuery) -> float:
        """1 over the denominator; with the judged documents alone, or one, where it may change."""
        measure = self.measure
        if measure.name == "P":
            return 1 / float(measure.cutoff or 1)
        if measure.name in LINEAR or not self.is_exact:
            return 1.0
        return 1 / self.kernel.rough_ideal(query)

    def _ends(self, query: PooledQuery, weights: np.ndarray, unseen: int) -> np.ndarray:
        """Low and high for each pair, with this many hidden documents."""
        if not self.is_exact:
            return np.array([self._outer_ends(query, pair, unseen) for pair in self.pairs])
        return self.kernel.weighted_bounds(query, weights, self.pairs, unseen)

    def _outer_ends(
        self, query: PooledQuery, pair: tuple[int, int], unseen: int
    ) -> tuple[float, float]:
        if query.ranks_alike(*pair):
            return 0.0, 0.0
        low, high, _ = self.kernel.bounds(query, *pair, unseen)
        return low, high

    def _mean(self, ends: np.ndarray) -> dict[tuple[str, str], Bounds]:
        low, high = (
            column_means(np.ascontiguousarray(ends[:, :, side])).tolist() for side in (0, 1)
        )
        return {self._names_of(pair): Bounds(low[i], high[i]) for i, pair in enumerate(self.pairs)}

    def _widest(
        self,
        queries: list[PooledQuery],
        weights: list[np.ndarray],
        unsettled: list[int],
        n: int,
    ) -> tuple[list[tuple[int, int, float]], int]:
        """(query, document, width) of the n open documents of the largest width, and how many have
        any."""
        found: list[tuple[float, int, int, float]] = []
        # A width is how much the mean over queries moves when a label goes from 0 to the highest
        # gain.
        gain = (self.kernel.open_gain() if self.is_exact else 1.0) / len(queries)
        n_that_matter = 0
        for q, (query, own) in enumerate(zip(queries, weights, strict=True)):
            matters = query.open if self.has_ideal else query.open[own[:, query.open].any(axis=0)]
            scaled = own[:, matters] * self._scale(query)
            if gain > 0:
                n_that_matter += self._count_apart(scaled)
            width = np.zeros(len(matters))  # pair by pair: all at once leave the caches
            for i in unsettled:
                one, other = self.pairs[i]
                width += np.abs(scaled[one] - scaled[other])
            width *= gain
            rank = -_coarse(width)
            best = np.argsort(rank, kind="stable")[:n]
            found += [
                (float(rank[i]), q, int(matters[i]), float(width[i]))
                for i in best
                if width[i] > 0 or (unsettled and self.lists_all)
            ]
        found.sort()
        return [(q, doc, width) for _, q, doc, width in found[:n]], n_that_matter

    def _count_apart(self, weights: np.ndarray) -> int:
        """How many documents (columns) have different weights in the runs of any pair."""
        is_apart = np.zeros(weights.shape[1], bool)
        hub = self.hub  # weights that differ in some pair differ from those of this run in one
        for one, other in self.pairs:
            if hub in (one, other):
                is_apart |= weights[one] != weights[other]
        return int(np.count_nonzero(is_apart))

    def _ends_after(
        self,
        queries: list[PooledQuery],
        weights: list[np.ndarray],
        unseen: list[int],
        ends: np.ndarray,
        chosen: list[tuple[int, int, float]],
    ) -> np.ndarray:
        """The ends once the chosen documents have grade 0."""
        after = ends.copy()
        for q in {q for q, _, _ in chosen}:
            grade = queries[q].grade.copy()
            grade[[doc for own, doc, _ in chosen if own == q]] = 0
            after[q] = self._ends(replace(queries[q], grade=grade), weights[q], unseen[q])
        return after
