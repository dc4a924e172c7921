"""Exact means of measures where unjudged documents are relevant with given probabilities,
independently."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from irbounds._core.label_bounds.unjudged_difference import DISCOUNT
from irbounds._core.label_bounds.unjudged_mean import LabelMeans
from irbounds.foundation.errors import InputError
from irbounds.rankings.data.collection import Qrels, Run
from irbounds.rankings.data.equal_scores import EXACT, ScoreRule
from irbounds.rankings.data.evaluation import Evaluation
from irbounds.rankings.measure_table.measure import Measure
from irbounds.rankings.measure_table.spec import squared_beta
from irbounds.rankings.unjudged.pools import Pool, RankedDocuments

LABEL_FREE = ("Judged", "Hole", "NumQ")  # no label changes them
GRADED = ("DCG", "nDCG", "ERR")
SETS = ("SetP", "SetR", "SetF", "NumRet", "NumRel", "NumRelRet")
HAVE_MEANS = (*GRADED, *SETS, *LABEL_FREE, "AP", "P", "R", "F", "RR", "Success", "RBP")


def check_has_mean(
    measures: list[Measure], ties: str, qrels: Qrels, *, bounds: bool = False
) -> None:
    """Refuse what has no exact mean over labels."""
    highest_grade = float(qrels._table.values().max(initial=0.0))
    if bounds:
        raise InputError("bounds over orders of ties do not go with probabilities of relevance")
    if ties not in ("expected", "doc_id", "given"):
        raise InputError(
            "probabilities of unjudged documents go with ties='expected', 'doc_id' or 'given'; "
            f"found {ties!r}"
        )
    for measure in measures:
        if (
            measure.name not in HAVE_MEANS
            or measure.spec.function is not None
            or measure.parameters.get("relative")
        ):
            raise InputError(f"{measure} has no exact mean over probabilities of relevance here")
        if measure.parameters.get("judged_only") or measure.gain_of:
            raise InputError(
                f"{measure}: probabilities of relevance go with neither judged_only nor gains"
            )
        is_graded = measure.name in GRADED or measure.parameters.get("max_rel") is not None
        if is_graded and highest_grade > 1:
            raise InputError(
                f"{measure}: probabilities of relevance need judgments of 0 and 1; the judgments "
                f"have grades up to {highest_grade:g}"
            )


def discounts(n: int) -> np.ndarray:
    """1/log2(place + 1) of the first n places."""
    return DISCOUNT[:n] if n <= len(DISCOUNT) else 1 / np.log2(np.arange(2, n + 2))


def place_weights(measure: Measure, n_docs: int) -> np.ndarray | None:
    """The weight of each place: a document of gain 1 adds it to the measure's numerator. None if it
    depends on the other documents."""
    n = n_docs if measure.cutoff is None else int(min(measure.cutoff, n_docs))
    if measure.name in ("P", "R", "ER", "RelP", "F", "SetR", "NumRelRet", "NumRet"):
        return np.ones(n)
    if measure.name == "SetP" and not measure.get("relative"):
        return np.full(n, 1 / max(n, 1))
    if measure.name in ("DCG", "nDCG"):
        return discounts(n)
    if measure.name == "RBP":
        return np.asarray((1 - measure.get("p")) * measure.get("p") ** np.arange(n))
    return None


def gain_function(measure: Measure) -> Callable[[np.ndarray], np.ndarray]:
    """Grades to gains; a negative grade has none."""
    if measure.name in ("DCG", "nDCG"):
        if measure.get("dcg") == "exp-log2":
            return lambda grade: np.exp2(np.maximum(grade, 0)) - 1
        return lambda grade: np.maximum(grade, 0)
    if measure.parameters.get("max_rel") is not None:
        return lambda grade: np.maximum(grade, 0) / measure.get("max_rel")
    return lambda grade: (grade >= measure.get("rel")).astype(float)


class Expectation:
    """The mean of one query's measures; `p` of the ranked documents, `unseen` of those that the
    run lacks, judged ones with 0 or 1."""

    def __init__(self, ranked: RankedDocuments, p: np.ndarray, unseen: np.ndarray) -> None:
        self.n_docs = len(ranked)
        # A rank begins where the number of documents above it changes.
        starts = np.flatnonzero(np.diff(ranked.before, prepend=-1))
        self.before = np.ascontiguousarray(ranked.before[starts])
        self.size = np.ascontiguousarray(ranked.size[starts])
        self.p = p
        self.unseen = unseen
        self.labels = LabelMeans(
            np.ascontiguousarray(p), self.before, self.size, np.ascontiguousarray(unseen)
        )

    def mean(self, measure: Measure) -> float:
        """The expectation of one measure."""
        cutoff = 0 if measure.cutoff is None else int(measure.cutoff)
        name = measure.name
        # Both have a reader who stops: RR's at the first relevant document for sure, ERR's at one
        # of grade g with the chance (2**g - 1) / 2**max_rel, and grades are 0 and 1 here.
        if name == "RR":
            return self.labels.stop_rank(1.0, cutoff)
        if name == "ERR":
            return self.labels.stop_rank(float(np.exp2(-float(measure.get("max_rel")))), cutoff)
        if name == "Success":
            return self.labels.success(cutoff or self.n_docs)
        if name == "NumRel":
            return float(self.p.sum() + self.unseen.sum())
        if name == "AP":
            first, inside = self.labels.precision_terms(cutoff)
            return self._over_counts(measure, first, first, inside)
        # All others are sums of weights of places.  Such a sum is linear in the labels, so its mean
        # takes their probabilities in the place of labels; only the denominators of these are not.
        weights = self._weights(measure)
        if name in ("R", "F", "SetR", "SetF", "nDCG"):
            nothing = np.zeros(len(weights) + 1)
            return self._over_counts(measure, np.append(weights, 0), nothing, nothing)
        scale = 1 / cutoff if name == "P" else 1.0
        if name == "RBP" and measure.parameters.get("max_rel") is not None:
            scale = 1 / measure.get("max_rel")
        return scale * float(weights @ self._relevant())

    def _relevant(self) -> np.ndarray:
        """The mean number of relevant documents in each rank."""
        if self.n_docs == 0:
            return np.zeros(0)
        return np.asarray(np.add.reduceat(self.p, self.before))

    def _weights(self, measure: Measure) -> np.ndarray:
        """The weight of a relevant document of each rank: the mean over the places of the rank."""
        if self.n_docs == 0:
            return np.zeros(0)
        at_place = place_weights(measure, self.n_docs)
        if at_place is None:  # SetF
            at_place = np.ones(self.n_docs)
        at_place = np.append(at_place, np.zeros(self.n_docs - len(at_place)))
        return np.asarray(np.add.reduceat(at_place, self.before) / self.size)

    def _over_counts(
        self, measure: Measure, first: np.ndarray, above: np.ndarray, inside: np.ndarray
    ) -> float:
        """The sum over r of E[T; R = r] / g(r)."""
        sure, _, part = self.labels.counts(first, above, inside)
        n_relevant = sure + np.arange(len(part), dtype=float)
        ideal = n_relevant
        if measure.name in ("F", "SetF"):
            # F = (1 + w) T / (size + w R), w the square of beta.
            (weight,) = squared_beta(measure)
            size = float(measure.cutoff or self.n_docs)
            ideal = (size + weight * n_relevant) / (1 + weight)
        elif measure.name == "nDCG":  # its other places: see csrc/measures/graded.c
            most = int(n_relevant[-1])
            limit = most if measure.cutoff is None else min(most, int(measure.cutoff))
            # The ideal ranking of r relevant documents has them at places 1 .. r, or down to the
            # cut-off.
            through = np.concatenate([[0.0], np.cumsum(discounts(limit))])
            ideal = through[np.minimum(n_relevant.astype(int), limit)]
        return float(np.divide(part, ideal, out=np.zeros(len(part)), where=ideal > 0).sum())


def expected_values(
    qrels: Qrels,
    run: Run,
    found: Evaluation,
    probability: float | Run | None,
    score_rule: ScoreRule = EXACT,
) -> np.ndarray:
    """The values of an evaluation, taken as means over the labels of unjudged documents."""
    values = found.values.copy()
    table = probability.to_dict() if isinstance(probability, Run) else probability
    pool = Pool(qrels, [run], found.ties, score_rule)
    fill_means(pool, found.query_ids, found.measures, table, values)
    return values


def fill_means(
    pool: Pool,
    query_ids: Sequence[str],
    measures: Sequence[Measure],
    probability: float | Mapping[str, Mapping[str, float]] | None,
    values: np.ndarray,
) -> None:
    """Replace the values of these queries of the pool's only run, a row each, by means over the
    labels of unjudged documents."""
    table = probability if isinstance(probability, Mapping) else None
    for row, query in enumerate(pool.queries(query_ids)):
        ranked = query.runs[0]
        own = np.full(len(query.open), probability if table is None else 0.0)
        unseen = np.zeros(0)
        if table is not None:
            named = dict(table.get(query.query_id, {}))
            # Documents that are left in the table were not retrieved.
            own = np.array([named.pop(query.doc_id(doc), 0.0) for doc in query.open.tolist()])
            unseen = np.array(list(named.values()), float)
        has_ties = bool((ranked.size > 1).any())
        for column, measure in enumerate(measures):
            if measure.name in LABEL_FREE or (
                measure.name == "NumRet" and measure.get("rel") is None
            ):
                continue
            rel = 1.0 if measure.get("rel") is None else float(measure.get("rel"))
            p = (query.grade >= rel).astype(float)
            p[query.open] = own
            here = p[ranked.documents]
            if has_ties:  # in an order of their own, so that the order of rows moves no bit
                here = here[np.lexsort((here, ranked.before))]
            # Relevant documents that the run lacks are relevant for sure.
            absent = query.n_judged(rel) - int(np.count_nonzero(query.grade >= rel))
            lacking = np.append(np.ones(absent), unseen)
            values[row, column] = Expectation(ranked, here, lacking).mean(measure)
