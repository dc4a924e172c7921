"""How well a judge agrees with people: κ and its relatives over all pairs of the judge, from
people's labels for a sample."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irbounds.assisted.estimators import Ends
from irbounds.assisted.judges import (
    is_score,
    join_neighbours,
    pair_scores,
    read_judges,
    score_strata,
)
from irbounds.assisted.labels import Pair, check_drawn_from, read_people
from irbounds.assisted.population import (
    Population,
    counted_pairs,
    measure_or_usual,
    parse_linear,
)
from irbounds.assisted.warnings import rate_probability
from irbounds.assisted.weighted_sums import sum_moments
from irbounds.foundation.arguments import check_level, check_number
from irbounds.foundation.errors import InputError, check_choice
from irbounds.foundation.interval import Interval
from irbounds.foundation.quadrature import find_roots
from irbounds.queries.student import quantile

if TYPE_CHECKING:
    from irbounds.typing import JudgesLike, MeasureLike, QrelsLike, RunLike, RunsLike

KINDS = ("kappa", "alpha", "accuracy", "sensitivity", "specificity")
SHARES = KINDS[2:]
WEIGHTS = ("linear", "quadratic")
MOST_CLASSES = 100
# Strata are joined if a simple random sample is as unevenly spread over them with this probability.
# With 0.001 some samples with four times the rate in one stratum were joined: 0.82 covered.
EVEN = 0.2
TOLERANCE = 1e-10  # of ends of the posterior


def agreement(
    human: QrelsLike,
    judge: JudgesLike,
    kind: str = "kappa",
    *,
    weights: str | None = None,
    rel: float | None = None,
    judge_rel: float | None = None,
    runs: RunLike | RunsLike | None = None,
    measure: MeasureLike | None = None,
    drawn_by: JudgesLike | None = None,
    confidence_level: float = 0.95,
) -> Interval:
    """How well a judge agrees with people over all pairs, from people's labels for a sample.

    The sample is simple, or stratified by the judge's grades as `allocate_labels` draws it.  Plain
    κ of a stratified sample is biased: rare grades have too many labels.

    Parameters
    ----------
    human, judge : Qrels, path, dict, data frame or named tuples
        As in `assisted_interval`; one judge.
    kind : {"kappa", "alpha", "accuracy", "sensitivity", "specificity"}
        Cohen's κ, Krippendorff's α, the share of pairs on which both agree, and the shares of the
        relevant and of the other pairs (by people) that the judge calls so.
    weights : {"linear", "quadratic"}, optional
        For κ and α: disagreements count by the distance of the two grades, by default all alike.
        "quadratic" makes α that for interval data.
    rel, judge_rel : float, optional
        The least grade by people, and by the judge, that counts as relevant; grades are then two
        classes.  `judge_rel` is `rel`, if not given.  Without both, κ, α and accuracy compare the
        grades; "sensitivity" and "specificity" take 1.
    runs, measure : optional
        As in `allocate_labels`, if the labels were drawn from the pairs that count in runs: it is
        agreement on these.
    drawn_by : judge or judges, optional
        Whose grades divided the pairs when labels were drawn, if another one's.
    confidence_level : float

    Returns
    -------
    Interval
        The estimate is by strata, without a prior.

    Raises
    ------
    InputError
        For labels of pairs that the judge has not graded, and fewer than two labels.

    Notes
    -----
    Each measure is 1 - D/E, where D and E are sums over all pairs.  An end is the farther one of
    two: of the posterior by strata (as method "posterior" of `assisted_interval`), and of Student's
    t for a ratio of stratified sums (Cochran 1977, 6.11).  See Cohen (1960, 1968) and Krippendorff
    (2011, "Computing Krippendorff's alpha-reliability").

    Examples
    --------
    >>> import irbounds as irb
    >>> judge = {"q": {f"d{i}": int(i < 20) for i in range(200)}}
    >>> human = {"q": {f"d{i}": int(i < 16) for i in (*range(0, 20, 2), *range(20, 200, 6))}}
    >>> print(irb.assisted.agreement(human, judge))
    Interval(0.878049 in [0.566432, 0.988889], 0.95 two-sided, strata)
    """
    check_choice("kind", kind, KINDS)
    if weights is not None:
        check_choice("weights", weights, WEIGHTS)
        if kind in SHARES:
            raise InputError("`weights` is for kind 'kappa' and 'alpha'")
    level = float(check_level(confidence_level))
    (labels, _), judges = read_people("human", human), read_judges(judge)
    if not judges.is_one:
        raise InputError(f"`judge` must be one judge; found {len(judges.names)}: call it for each")
    check_drawn_from(labels, judges.common)
    if runs is None and measure is None:
        pairs = [(query, doc) for query, docs in judges.common.items() for doc in docs]
    else:
        parsed = parse_linear(measure_or_usual(measure, runs))
        pairs, _, _ = counted_pairs(runs, judges, parsed, "expected")
    by_people = np.array([labels.get(q, {}).get(doc, math.nan) for q, doc in pairs])
    (by_judge,) = judges.columns(pairs)
    is_labelled = ~np.isnan(by_people)
    stratum = by_judge
    if drawn_by is not None:
        stratum = _strata_by(drawn_by, pairs, is_labelled)
    elif is_score(by_judge[None], int(is_labelled.sum())):
        stratum = score_strata(by_judge, is_labelled)
    if rel is None and (judge_rel is not None or kind in SHARES[1:]):
        rel = 1.0
    if rel is not None:
        check_number("rel", rel, "must be finite", math.isfinite)
        bar = rel if judge_rel is None else judge_rel
        check_number("judge_rel", bar, "must be finite", math.isfinite)
        by_people = np.where(is_labelled, by_people >= rel, math.nan)
        by_judge = (by_judge >= bar).astype(float)
    elif weights is None and (by_judge % 1).any():
        shared = np.isin(by_people[is_labelled], by_judge)
        if shared.size and not shared.any():
            raise InputError(
                "`judge` has scores, and no grade that `human` has: give the bars of relevance "
                "with rel= and judge_rel="
            )
    table = JudgeTable.of(by_people, by_judge, stratum, rel is not None)
    ((estimate, low, high),) = table.intervals([kind], weights, (1 - level) / 2)
    return Interval(estimate, low, high, level, "two-sided", "strata")


def _strata_by(drawn_by: JudgesLike, pairs: list[Pair], is_labelled: np.ndarray) -> np.ndarray:
    """Strata of pairs by other judges than the one in question."""
    judges = read_judges(drawn_by)
    for query, doc in pairs:
        if doc not in judges.common.get(query, {}):
            raise InputError(
                f"`drawn_by` must grade all pairs; found no grade of document {doc!r} of query "
                f"{query!r}"
            )
    columns = judges.columns(pairs)
    score = pair_scores(columns)
    return score_strata(score, is_labelled) if is_score(columns, int(is_labelled.sum())) else score


def agreement_on_relevance(p: Population, alpha: float) -> dict[str, Ends]:
    """All kinds of agreement on which pairs are relevant, or have a gain above 0, over the pairs of
    a population that one judge graded; without those that do not exist."""
    by_people = np.where(p.is_labelled, p.label > 0, math.nan)
    stratum = 2 * np.unique(p.grade, return_inverse=True)[1] + (p.weight > 0)
    if p.is_labelled.sum() < 2:
        return {}
    table = JudgeTable.of(by_people, (p.judged > 0).astype(float), stratum, True)
    return dict(zip(KINDS, table.intervals(KINDS, None, alpha), strict=True))


class JudgeTable(NamedTuple):
    """Pairs by stratum, the judge's class and people's.

    Attributes
    ----------
    classes : ndarray, shape (classes,)
        Grades, ascending.
    judged : ndarray of int, shape (strata,)
        The judge's class in each stratum: it is the same for all of its pairs.
    size : ndarray, shape (strata,)
        Pairs.
    seen : ndarray, shape (strata, classes)
        Labels by people.
    """

    classes: np.ndarray
    judged: np.ndarray
    size: np.ndarray
    seen: np.ndarray

    @classmethod
    def of(
        cls, people: np.ndarray, judge: np.ndarray, stratum: np.ndarray, is_binary: bool
    ) -> JudgeTable:
        """From people's grades, nan where there are none, the judge's grades, and strata."""
        is_labelled = ~np.isnan(people)
        if is_labelled.sum() < 2:
            raise InputError(
                "`human` must have at least 2 labels of pairs that count; found "
                f"{is_labelled.sum()}"
            )
        known = [0.0, 1.0] if is_binary else np.concatenate([judge, people[is_labelled]])
        classes = np.unique(known)
        if classes.size > MOST_CLASSES:
            raise InputError(
                f"`human` and `judge` must have at most {MOST_CLASSES} different grades; found "
                f"{classes.size}: say from which on pairs are relevant, with `rel` and `judge_rel`"
            )
        of_judge = np.searchsorted(classes, judge)
        cell, first = _cells(of_judge, stratum, is_labelled)
        shape = (first.size, classes.size)
        place = cell[is_labelled] * shape[1] + np.searchsorted(classes, people[is_labelled])
        seen = np.bincount(place, minlength=shape[0] * shape[1]).reshape(shape)
        return cls(classes, of_judge[first], np.bincount(cell).astype(float), seen.astype(float))

    @property
    def sampled(self) -> np.ndarray:
        """Labels of each stratum."""
        return np.asarray(self.seen.sum(axis=1))

    @property
    def shares(self) -> np.ndarray:
        """People's classes in each stratum, as shares; without labels all alike."""
        n = self.sampled[:, None]
        return np.where(n > 0, self.seen / np.maximum(n, 1), 1 / self.classes.size)

    def intervals(self, kinds: Sequence[str], weights: str | None, alpha: float) -> list[Ends]:
        """An estimate and its ends for each kind."""
        losses = [self._losses(kind, weights) for kind in kinds]
        d, e = (np.stack(each) for each in zip(*losses, strict=True))
        least = np.array([0.0 if kind in SHARES else -1.0 for kind in kinds])
        sides = np.array([[1 - alpha], [alpha], [0.5]])
        ends = self._posterior(d, e, sides, least).T.tolist()
        rows = zip(d, e, least.tolist(), ends, strict=True)
        return [self._widened(*row, alpha) for row in rows]

    def _widened(
        self, d: np.ndarray, e: np.ndarray, least: float, posterior: list[float], alpha: float
    ) -> Ends:
        """The estimate by strata, and ends of the posterior or of Student's interval."""
        low, high, middle = posterior
        total = float((self.shares * e).sum(axis=1) @ self.size)
        if total <= 0:  # no pair, as far as labels tell, for which the measure exists
            return Ends(middle, low, high)
        ratio = float((self.shares * d).sum(axis=1) @ self.size) / total
        half = self._half_width(d - ratio * e, alpha) / total
        low, high = min(low, 1 - ratio - half), max(high, 1 - ratio + half)
        lost = float((self.seen * d).sum())
        # Labels without a difference do not exclude that all pairs agree; the others do.
        most = 1 - lost / float(self.size @ e.max(axis=1))
        if not lost:
            high = 1.0
        elif least == 0 and not (self.seen * (e - d)).sum():
            low = 0.0
        return Ends(1 - ratio, max(low, least), min(high, most))

    def _losses(self, kind: str, weights: str | None) -> tuple[np.ndarray, np.ndarray]:
        """The parts of D and E that a pair of a stratum adds, by people's class: the measure is
        1 - D/E.

        With judge's shares q, which are known, κ has E = Σ w(i, j) q_j summed over people's
        classes i.  α has m'Wm with the mean m of both raters' shares, which is taken as linear near
        its estimate: what is left out is (δm)'W δm.
        """
        n = self.classes.size
        apart = np.abs(np.subtract.outer(self.classes, self.classes))
        w = apart if weights == "linear" else apart**2 if weights else 1.0 - np.eye(n)
        d = w[self.judged]
        if kind == "accuracy":
            return d, np.ones_like(d)
        if kind in SHARES:
            e = np.zeros_like(d)
            e[:, int(kind == "sensitivity")] = 1.0
            return d * e, e
        total = float(self.size.sum())
        of_judge = np.bincount(self.judged, self.size, n) / total
        if kind == "kappa":
            return d, np.broadcast_to(w @ of_judge, d.shape)
        mean = (of_judge + self.size @ self.shares / total) / 2
        # Krippendorff pairs 2N values without replacement: 2N/(2N - 1) times as much.
        more = 2 * total / (2 * total - 1)
        e = more * (w @ mean + of_judge @ w @ mean - mean @ w @ mean)
        return d, np.broadcast_to(e, d.shape)

    def _posterior(
        self, d: np.ndarray, e: np.ndarray, sides: np.ndarray, least: np.ndarray
    ) -> np.ndarray:
        """The quantiles 1 - `sides` of 1 - D/E, which is at most c where D - (1 - c) E is at least
        0: so the low end is where the high quantile of this is 0."""
        alphas = 1 / self.classes.size + self.seen  # one document of the prior, divided
        unseen = self.size - self.sampled
        powers = unseen, unseen, unseen  # each pair weighs 1

        def excess(c: np.ndarray) -> np.ndarray:
            u = d - (1 - c[..., None, None]) * e
            return sum_moments(powers, u, alphas, (self.seen * u).sum(axis=(-2, -1))).quantile(
                sides
            )

        low, high = np.broadcast_arrays(least, np.ones(sides.shape))
        return find_roots(excess, low, high, TOLERANCE)

    def _half_width(self, z: np.ndarray, alpha: float) -> float:
        """Half the width of Student's interval on a sum of z, by stratified sampling without
        replacement (Cochran 1977, chapter 5)."""
        n = self.sampled
        center = (self.shares * z).sum(axis=1)
        spread = (self.shares * (z - center[:, None]) ** 2).sum(axis=1) * n / np.maximum(n - 1, 1)
        variance = float((self.size * (self.size - n) * spread / np.maximum(n, 1)).sum())
        return quantile(max(1.0, n.sum() - n.size), alpha) * math.sqrt(variance)


def _cells(
    judge: np.ndarray, stratum: np.ndarray, is_labelled: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The cell of each pair, within which labels are taken as random, and a pair of each cell.

    A cell is a class of the judge, if labels are spread over its strata as in a random sample; else
    each stratum of it, those with fewer than two labels joined to a neighbour.  Every stratum has a
    prior of one document, so fewer of them pull less.
    """
    cell = np.zeros(judge.size, int)
    first: list[int] = []
    for each in np.unique(judge).tolist():
        is_here = judge == each
        lowest, group = np.unique(stratum[is_here], return_inverse=True)
        sampled = np.bincount(group[is_labelled[is_here]], minlength=lowest.size)
        if rate_probability(np.bincount(group), sampled) >= EVEN:
            joined = np.zeros(lowest.size, int)
        else:
            joined = join_neighbours(sampled, 2)
        cell[is_here] = joined[group] + len(first)
        firsts = np.unique(joined[group], return_index=True)[1]
        first += np.flatnonzero(is_here)[firsts].tolist()
    return cell, np.array(first)
