"""Tables of a judge's and people's classes: κ and its relatives over all pairs of the judge, from
people's labels for a sample."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irbounds.assisted.estimators import Ends
from irbounds.assisted.judges import (
    join_neighbours,
)
from irbounds.assisted.population import (
    Population,
)
from irbounds.assisted.warnings import rate_probability
from irbounds.assisted.weighted_sums import sum_moments
from irbounds.foundation.errors import InputError
from irbounds.foundation.quadrature import find_roots
from irbounds.queries.student import quantile

if TYPE_CHECKING:
    pass

KINDS = ("kappa", "alpha", "accuracy", "sensitivity", "specificity")
SHARES = KINDS[2:]
MOST_CLASSES = 100
# Strata are joined if a simple random sample is as unevenly spread over them with this probability.
# With 0.001 some samples with four times the rate in one stratum were joined: 0.82 covered.
EVEN = 0.2
TOLERANCE = 1e-10  # of ends of the posterior


def agreement_on_relevance(p: Population, alpha: float) -> dict[str, Ends]:
    """All kinds of agreement on which pairs are relevant, or have a gain above 0, over the pairs of
    a population that one judge graded; without those that do not exist."""
    by_people = np.where(p.is_labelled, p.label > 0, math.nan)
    stratum = 2 * np.unique(p.grade, return_inverse=True)[1] + (p.weight > 0)
    if p.is_labelled.sum() < 2:
        return {}
    table = JudgeTable.of(by_people, (p.judged > 0).astype(float), stratum, True)
    return dict(zip(KINDS, table.intervals(KINDS, None, alpha), strict=True))


def distances(classes: np.ndarray, weights: str | None) -> np.ndarray:
    """How much each pair of classes disagrees."""
    apart = np.abs(np.subtract.outer(classes, classes))
    return apart if weights == "linear" else apart**2 if weights else (apart > 0).astype(float)


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
        return self.ends(kinds, d, e, alpha)

    def ends(self, kinds: Sequence[str], d: np.ndarray, e: np.ndarray, alpha: float) -> list[Ends]:
        """The same, from the parts of D and E, shape (kinds, strata, classes)."""
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
        w = distances(self.classes, weights)
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
