"""The pairs of queries and documents that a measure counts, with their weights, the judge's grades
and people's labels."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.assisted.judges import Judges, is_score, pair_scores, same_pairs, score_strata
from irbounds.assisted.labels import Labels, Pair, check_drawn_from, largest
from irbounds.foundation.arguments import check_number
from irbounds.foundation.errors import InputError, check_choice
from irbounds.rankings.data.collection import Run
from irbounds.rankings.measure_table.measure import Measure, parse_measures

if TYPE_CHECKING:
    from irbounds.typing import MeasureLike, RunLike, RunsLike

MOST_GAIN = 1e50  # whose third power is a double
LINEAR = ("P", "DCG", "RBP", "SetP")  # a sum over documents of a weight of the rank times a gain
TIES = ("expected", "doc_id", "given")


@dataclass(frozen=True, eq=False)
class Population:
    """Pairs of weight other than 0, in the order of the judge's file.

    Attributes
    ----------
    pairs : list of (query_id, doc_id)
    weight : ndarray
        Amount that a gain of 1 adds to the measure.
    grade : ndarray
        The judge's, or the names of the strata by several judges.
    judged : ndarray
        The gain of the judge's grade, of several judges their mean.
    label : ndarray
        The gain of people's grade; nan where there is none.
    n_queries : int
    n_unused : int
        Labels of pairs that have no weight.
    most_gain : float
        The largest gain that a document may have: by people's scale, if it is known, or people's
        and judges' grades.
    columns : ndarray or None
        The grades by judge, where strata hold pairs of several scores.
    ungraded : tuple of str
        Queries of the runs that the judge lacks.
    absent : dict of tuple of str
        The judge's queries that a run lacks, by "run" and "against".
    rank : ndarray or None
        The best rank of each pair in the runs.
    """

    pairs: list[Pair]
    weight: np.ndarray
    grade: np.ndarray
    judged: np.ndarray
    label: np.ndarray
    n_queries: int
    n_unused: int
    most_gain: float
    columns: np.ndarray | None = None
    ungraded: tuple[str, ...] = ()
    absent: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rank: np.ndarray | None = None

    @property
    def is_labelled(self) -> np.ndarray:
        """Which pairs people have labelled."""
        return ~np.isnan(self.label)


def measure_or_usual(measure: MeasureLike | None, run: object) -> MeasureLike:
    """The measure that was given, or the usual one of runs or of all pairs."""
    return measure if measure is not None else "SetP" if run is None else "P@10"


def parse_one(measure: MeasureLike) -> Measure:
    """A measure, and not several."""
    measures = parse_measures(measure)
    if len(measures) != 1:
        raise InputError(f"`measure` must be one measure; found {len(measures)}")
    return measures[0]


def parse_linear(
    measure: MeasureLike, others: str = "use unit='query' for other measures"
) -> Measure:
    """A measure that is a sum over documents, with a cut-off if it needs a run; `others` says what
    to do with other measures."""
    found = parse_one(measure)
    if found.name not in LINEAR or found.parameters.get("judged_only"):
        raise InputError(
            f"`measure` must be one of {', '.join(LINEAR)}, which are sums over documents; found "
            f"{found}: {others}"
        )
    return found


def gain_of(measure: Measure) -> Callable[[np.ndarray], np.ndarray]:
    """Gains of grades; grades below 0 count as 0."""
    if measure.name != "DCG":
        rel = float(measure.get("rel"))
        return lambda grades: (np.asarray(grades, float) >= rel).astype(float)
    gains = measure.gain_of
    is_exponential = measure.get("dcg") == "exp-log2"

    def gain(grades: np.ndarray) -> np.ndarray:
        values = np.array([gains.get(grade, grade) for grade in np.ravel(grades).tolist()])
        values = np.maximum(values.reshape(np.shape(grades)), 0.0)
        most = math.log2(MOST_GAIN) if is_exponential else MOST_GAIN
        if values.max(initial=0.0) > most:
            raise InputError(f"`measure` must have gains of at most {MOST_GAIN:g}; found more")
        return np.exp2(values) - 1 if is_exponential else values

    return gain


def largest_gain(
    measure: Measure, people: Labels, judges: Judges, max_grade: float | None
) -> float:
    """That of people's labels and of judges' grades up to the highest one of people's scale, and 1
    at least."""
    known = (people, *judges.grades)
    every = chain.from_iterable(docs.values() for each in known for docs in each.values())
    grades = np.fromiter(every, float)
    if max_grade is not None:
        if measure.name != "DCG":
            raise InputError("`max_grade` is for DCG: other measures have gains of 0 and 1")
        top = largest(people) if people else 0.0
        check_number(
            "max_grade", max_grade, f"must be at least people's largest grade, {top:g}", top.__le__
        )
        grades = np.append(grades[grades <= max_grade], max_grade)
    return float(gain_of(measure)(grades).max(initial=1.0))


def rank_weights(measure: Measure) -> np.ndarray:
    """The weights of ranks 1 to the cut-off."""
    if measure.name == "SetP":
        raise InputError("`measure` SetP goes without a `run`; with one it is P@10 or the like")
    if measure.cutoff is None:
        raise InputError(f"`measure` needs a cut-off, as in {measure.name}@10; found {measure}")
    rank = np.arange(1, int(measure.cutoff) + 1)
    if measure.name == "P":
        return np.full(rank.size, 1 / rank.size)
    if measure.name == "DCG":
        return 1 / np.log2(rank + 1)
    p = float(measure.get("p"))
    return (1 - p) * p ** (rank - 1)


def tied_groups(scores: dict[str, float], most: int, ties: str) -> Iterator[tuple[list[str], int]]:
    """The documents of one query down to a rank, in groups of equal score, and how many are before
    each group.  Rules that give an order have groups of one document."""
    rows = list(scores.items())
    if ties == "doc_id":
        rows.sort(key=lambda row: row[0], reverse=True)
    rows.sort(key=lambda row: -row[1])  # stable: what is tied keeps its order
    if ties != "expected":
        yield from (([doc], place) for place, (doc, _) in enumerate(rows[:most]))
        return
    place = 0
    for _, group in groupby(rows, key=lambda row: row[1]):
        if place >= most:
            return
        tied = [doc for doc, _ in group]
        yield tied, place
        place += len(tied)


def document_weights(scores: dict[str, float], by_rank: np.ndarray, ties: str) -> dict[str, float]:
    """Weights of the documents of one query that have one. Tied documents have the mean weight of
    their ranks, or the weight of their place in the order."""
    found: dict[str, float] = {}
    for tied, place in tied_groups(scores, by_rank.size, ties):
        mean = float(by_rank[place : place + len(tied)].sum()) / len(tied)
        found.update(dict.fromkeys(tied, mean))
    return found


def pair_weights(
    run: RunLike, judges: Judges, measure: Measure, ties: str, name: str = "run"
) -> dict[Pair, float]:
    """{(query, document): weight} of the mean of a measure over the judge's queries."""
    check_choice("ties", ties, TIES)
    by_rank, judge = rank_weights(measure), judges.common
    n_queries = len(judge)
    found: dict[Pair, float] = {}
    for query, scores in Run.of(run).to_dict().items():
        if query not in judge:
            continue
        grades = judge[query]
        for doc, weight in document_weights(scores, by_rank, ties).items():
            if doc not in grades:
                raise InputError(
                    f"`judge` must grade every document that {measure} counts; found none"
                    f"{judges.lacking(query, doc)} for document {doc!r} of query {query!r} in "
                    f"`{name}`"
                )
            found[query, doc] = weight / n_queries
    if not found:
        raise InputError(f"`judge` and `{name}` have no query in common")
    return found


def equal_weights(judges: Judges, measure: Measure, name: str = "run") -> dict[Pair, float]:
    """{(query, document): weight} of the share of all pairs of the judge."""
    if measure.name != "SetP":
        raise InputError(f"`{name}` may be left out only if the measure is SetP; found {measure}")
    same_pairs(judges)
    n_pairs = sum(map(len, judges.common.values()))
    return {(q, doc): 1 / n_pairs for q, grades in judges.common.items() for doc in grades}


def counted_pairs(
    runs: RunLike | RunsLike | None, judges: Judges, measure: Measure, ties: str
) -> tuple[list[Pair], list[dict[Pair, float]], list[Run]]:
    """The pairs that count in any of some runs, without runs all of the judge; their weights in
    each; and the runs."""
    named = [] if runs is None else [(name, Run.of(run)) for name, run in _each(runs)]
    weights = [pair_weights(run, judges, measure, ties, name) for name, run in named]
    if runs is None:
        weights = [equal_weights(judges, measure, "runs")]
    pairs = [
        (query, doc)
        for query, graded in judges.common.items()
        for doc in graded
        if any((query, doc) in weight for weight in weights)
    ]
    return pairs, weights, [run for _, run in named]


def _each(runs: RunLike | RunsLike | None) -> list[tuple[str, Any]]:
    """Runs with names: a list of runs, {name: run}, or one run; in a dict of dicts the second
    level tells documents' scores from queries."""
    if isinstance(runs, list | tuple) and not hasattr(runs, "_fields"):
        if not runs:
            raise InputError("`runs` must have at least one run")
        if not all(hasattr(run, "query_id") for run in runs):
            return [(f"runs[{i}]", run) for i, run in enumerate(runs)]
    if isinstance(runs, dict) and runs:
        inner = next(iter(runs.values()))
        deeper = next(iter(inner.values()), None) if isinstance(inner, dict) else inner
        if not isinstance(inner, dict) or isinstance(deeper, dict):
            return [(str(name), run) for name, run in runs.items()]
    return [("runs", runs)]


def pair_ranks(run: Run, weights: dict[Pair, float]) -> dict[Pair, int]:
    """The ranks of pairs in a run, in whose order `pair_weights` gives them; tied documents share
    the first of theirs."""
    scores, found = run.to_dict(), {}
    before, place, rank, last = "", 0, 0, 0.0
    for query, doc in weights:
        score = scores[query][doc]
        place = place + 1 if query == before else 1
        rank = rank if place > 1 and score == last else place
        before, last = query, score
        found[query, doc] = rank
    return found


def unequal_queries(
    judges: Judges, run: RunLike, against: RunLike | None
) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    """Queries of the runs that the judges lack, and by run those that it lacks itself."""
    ungraded: dict[str, None] = {}
    absent: dict[str, tuple[str, ...]] = {}
    for name, each in (("run", run), ("against", against)):
        if each is not None:
            found = dict.fromkeys(Run.of(each).query_ids)
            ungraded |= {query: None for query in found if query not in judges.common}
            absent[name] = tuple(query for query in judges.common if query not in found)
    return tuple(ungraded), absent


def population_of(
    human: Labels,
    judges: Judges,
    run: RunLike | None,
    measure: Measure,
    against: RunLike | None,
    ties: str,
    max_grade: float | None = None,
) -> Population:
    """The pairs that count in a measure of a run, or in the difference from another run; without a
    run all pairs of the judge count alike."""
    judge = judges.common
    check_choice("ties", ties, TIES)
    check_drawn_from(human, judge)
    ungraded: tuple[str, ...] = ()
    absent: dict[str, tuple[str, ...]] = {}
    ranks: dict[Pair, int] = {}
    if run is None:
        if against is not None:
            raise InputError("`against` is for a `run`, which is not given")
        weights = equal_weights(judges, measure)
    else:
        run, against = Run.of(run), None if against is None else Run.of(against)
        ungraded, absent = unequal_queries(judges, run, against)
        weights = pair_weights(run, judges, measure, ties)
        ranks = pair_ranks(run, weights)
        if against is not None:
            others = pair_weights(against, judges, measure, ties, "against")
            for pair, rank in pair_ranks(against, others).items():
                weights[pair] = weights.get(pair, 0.0) - others[pair]
                ranks[pair] = min(rank, ranks.get(pair, rank))
    if not any(weights.values()):
        raise InputError(
            f"`run` and `against` must differ in the documents that {measure} counts; found none "
            "that counts more in one of them: their difference is 0"
        )
    pairs = list(weights)
    if run is not None:
        # differences of equal weights within rounding are 0
        least = 1e-12 * max(map(abs, weights.values()))
        counted = {pair for pair, weight in weights.items() if abs(weight) > least}
        pairs = [(q, doc) for q, grades in judge.items() for doc in grades if (q, doc) in counted]
    return replace(
        _filled(pairs, weights, human, judges, measure, max_grade),
        ungraded=ungraded,
        absent=absent,
        rank=np.array([ranks[pair] for pair in pairs], float) if ranks else None,
    )


def _filled(
    pairs: list[Pair],
    weights: dict[Pair, float],
    human: Labels,
    judges: Judges,
    measure: Measure,
    max_grade: float | None,
) -> Population:
    columns, gain = judges.columns(pairs), gain_of(measure)
    place, raw = dict(zip(pairs, range(len(pairs)), strict=True)), np.full(len(pairs), math.nan)
    for query, labels in human.items():
        for doc, value in labels.items():
            if (query, doc) in place:
                raw[place[query, doc]] = value
    is_labelled = ~np.isnan(raw)
    label = np.full(raw.shape, np.nan)
    label[is_labelled] = gain(raw[is_labelled])
    weight = np.fromiter(map(weights.__getitem__, pairs), float, len(pairs))
    grade = pair_scores(columns)
    is_grouped = is_score(columns, int(is_labelled.sum()))
    if is_grouped:
        grade = score_strata(grade, is_labelled, np.unique(np.sign(weight)).size)
    return Population(
        pairs=pairs,
        weight=weight,
        grade=grade,
        judged=np.mean([gain(row) for row in columns], axis=0),
        label=label,
        n_queries=len(judges.common),
        n_unused=sum(map(len, human.values())) - int(is_labelled.sum()),
        most_gain=largest_gain(measure, human, judges, max_grade),
        columns=columns if is_grouped else None,
    )
