"""Whether people's labels go with the rank within a judge's grade: means of groups of ranks, and a
permutation test."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from irbounds.assisted.estimators import Ends, by_strata
from irbounds.assisted.judges import read_judges
from irbounds.assisted.labels import Labels, Pair, read_labels
from irbounds.assisted.population import (
    TIES,
    Population,
    parse_linear,
    population_of,
    rank_weights,
)
from irbounds.assisted.weighted_sums import by_draws
from irbounds.foundation.arguments import check_level
from irbounds.foundation.errors import InputError, check_choice, check_count
from irbounds.rankings.data.collection import Run
from irbounds.rankings.measure_table.measure import Measure

if TYPE_CHECKING:
    from irbounds.typing import JudgesLike, MeasureLike, QrelsLike, RunLike

PERMUTATIONS = 1999  # p to 1/2000; its standard error at 0.05 is 0.005
DRAWS = 4000  # of posteriors of gains, whose ends are drawn: seen in a picture, not read off
SEED = 20260131  # the same inputs give the same picture
MOST_AT_ONCE = 2_000_000  # permuted labels in memory


@dataclass(frozen=True)
class RankBin:
    """Pairs with one of the judge's grades at some ranks.

    `rank` is the mean rank of the labelled pairs, `mean` the mean gain of their labels, `low` and
    `high` the ends of an interval on the mean gain of all pairs of the bin.
    """

    grade: float
    first: float
    last: float
    size: int
    sampled: int
    rank: float
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class RankProfile:
    """Labels by rank within the judge's grades.

    Attributes
    ----------
    bins : tuple of RankBin
        Those with labels, by grade and rank.
    means : dict
        The mean gain of the labels of each grade.
    correlation : float
        Correlation of labels and ranks within grades, pooled: 0 where relevance does not go with
        rank, below 0 where it is higher at the top; nan where labels or ranks of each grade are all
        equal.
    p_value : float
        Probability of as large a correlation, on either side, if labels were permuted within
        grades.
    most_gain : float
    last_rank : float
    """

    bins: tuple[RankBin, ...]
    means: dict[float, float]
    correlation: float
    p_value: float
    most_gain: float
    last_rank: float


def rank_profile(
    human: QrelsLike,
    judge: JudgesLike,
    run: RunLike | None,
    measure: MeasureLike,
    *,
    against: RunLike | None = None,
    combine: str = "patterns",
    bins: int = 3,
    ties: str = "expected",
    max_grade: float | None = None,
    confidence_level: float = 0.95,
) -> RankProfile:
    """The labels of pairs that count, by rank within the judge's grades."""
    if run is None:
        raise InputError("`run` must be given: labels are compared with its ranks")
    alpha = (1 - check_level(confidence_level)) / 2
    bins = check_count("bins", bins, 1)
    check_choice("ties", ties, TIES)
    labels, judges = read_labels("human", human), read_judges(judge, combine)
    grades = judges.common
    parsed = parse_linear(measure)
    p = population_of(labels, judges, run, parsed, against, ties, max_grade)
    if not p.is_labelled.any():
        raise InputError(f"`human` has no label of a pair that {parsed} counts")
    rank_of = pair_ranks(run, grades, parsed, ties)
    if against is not None:
        for pair, place in pair_ranks(against, grades, parsed, ties).items():
            rank_of[pair] = min(place, rank_of.get(pair, math.inf))
    rank = np.array([rank_of[pair] for pair in p.pairs])
    return _profile(p, rank, bins, alpha)


def pair_ranks(run: RunLike, judge: Labels, measure: Measure, ties: str) -> dict[Pair, float]:
    """The ranks of the pairs that a measure counts; of tied documents their mean rank."""
    most = rank_weights(measure).size
    found: dict[Pair, float] = {}
    for query, scores in Run.of(run).to_dict().items():
        if query not in judge:
            continue
        rows = list(scores.items())
        if ties == "doc_id":
            rows.sort(key=lambda row: row[0], reverse=True)
        rows.sort(key=lambda row: -row[1])  # stable, as weights have it
        if ties != "expected":
            found.update({(query, doc): float(i) for i, (doc, _) in enumerate(rows[:most], 1)})
            continue
        place = 0
        for _, group in groupby(rows, key=lambda row: row[1]):
            if place >= most:
                break
            tied = [doc for doc, _ in group]
            found.update(dict.fromkeys(((query, doc) for doc in tied), place + (len(tied) + 1) / 2))
            place += len(tied)
    return found


def _profile(p: Population, rank: np.ndarray, n_bins: int, alpha: float) -> RankProfile:
    shares = np.arange(1, n_bins) / n_bins
    # Quantiles that are ranks themselves; equal ones, of few ranks, are one edge.
    edges = np.unique(np.quantile(rank, shares, method="inverted_cdf"))
    bin_of = np.searchsorted(edges, rank)  # the same ranks for every grade
    found, means = [], {}
    for grade in np.unique(p.grade).tolist():
        is_grade = p.grade == grade
        labels = p.label[is_grade & p.is_labelled]
        if not labels.size:
            continue
        means[grade] = float(labels.mean())
        for i in range(edges.size + 1):
            is_here = is_grade & (bin_of == i)
            labelled = is_here & p.is_labelled
            if labelled.any():
                low, high = _ends(p, is_here, alpha)
                found.append(
                    RankBin(
                        grade,
                        float(rank[bin_of == i].min()),
                        float(rank[bin_of == i].max()),
                        int(is_here.sum()),
                        int(labelled.sum()),
                        float(rank[labelled].mean()),
                        float(p.label[labelled].mean()),
                        low,
                        high,
                    )
                )
    correlation, p_value = _trend(
        p.grade[p.is_labelled], rank[p.is_labelled], p.label[p.is_labelled]
    )
    return RankProfile(
        tuple(found), means, correlation, p_value, p.most_gain, float(rank.max(initial=1.0))
    )


def _ends(p: Population, is_here: np.ndarray, alpha: float) -> tuple[float, float]:
    """An interval on the mean gain of some pairs of one grade, of which those with labels are a
    random sample: the posterior, exact where gains are 0 or 1."""
    size = int(is_here.sum())
    part = replace(
        p,
        pairs=[],
        weight=np.full(size, 1 / size),
        grade=np.zeros(size),
        judged=p.judged[is_here],
        label=p.label[is_here],
    )
    labels = part.label[part.is_labelled]
    if p.most_gain == 1.0 and np.isin(p.label[p.is_labelled], (0.0, 1.0)).all():
        ends = by_strata(part, alpha)
    else:
        ends, _ = by_draws(part, alpha, DRAWS, np.random.default_rng(SEED))
        ends = _forced(ends, labels, size, p.most_gain)
    mean = float(labels.mean())
    return max(0.0, min(ends.low, mean)), min(p.most_gain, max(ends.high, mean))


def _forced(ends: Ends, labels: np.ndarray, size: int, most: float) -> Ends:
    """An end is that of all possible means where every label is as small, or as large, as can be:
    the prior alone would set it otherwise."""
    if labels.size == size:
        return ends
    low = 0.0 if labels.max() == 0 else ends.low
    high = most if labels.min() == most else ends.high
    return Ends(ends.estimate, low, high)


def _centred(values: np.ndarray) -> np.ndarray:
    """Deviations from the mean: zeros where all are equal, whatever the rounding of the mean."""
    return values - (values.mean() if np.ptp(values) else values[0])


def _trend(grade: np.ndarray, rank: np.ndarray, label: np.ndarray) -> tuple[float, float]:
    """The correlation of label and rank within grades, and its p-value by permutations of the
    labels within grades, which are equally probable if documents of a grade are exchangeable."""
    rng = np.random.default_rng(SEED)
    product, squares_x, squares_y = 0.0, 0.0, 0.0
    permuted = np.zeros(PERMUTATIONS)
    for each in np.unique(grade):
        x, y = rank[grade == each], label[grade == each]
        x, y = _centred(x), _centred(y)
        product += float(x @ y)
        squares_x += float(x @ x)
        squares_y += float(y @ y)
        step = max(1, MOST_AT_ONCE // y.size)
        for begin in range(0, PERMUTATIONS, step):
            count = min(step, PERMUTATIONS - begin)
            permuted[begin : begin + count] += (
                rng.permuted(np.broadcast_to(y, (count, y.size)), axis=1) @ x
            )
    scale = math.sqrt(squares_x * squares_y)
    if scale == 0:
        return math.nan, math.nan
    # The labels as they are count as one permutation, so that p is never 0.
    is_as_far = np.abs(permuted) >= abs(product) - 1e-9 * scale
    return product / scale, (1 + int(is_as_far.sum())) / (1 + PERMUTATIONS)
