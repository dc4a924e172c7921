"""Queries that come in groups: several of one document, say, which are alike.

Groups are the sample; the mean is over queries, E Σx / E m with m the size of a group.  With groups
of one size everything is as for their means.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np

from irbounds._core.common.exact_sum import column_means
from irbounds.foundation.errors import InputError, fail
from irbounds.queries.moments import moments_of, unbiased
from irbounds.queries.student import quantile, upper_tail

ALONE: Final = None  # the label of a query that is a group of its own, as nan is
FEW_GROUPS = 8
# Fewer groups that count as less than 1/UNEQUAL as many equal ones held the mean in less than .93
# where groups of 20 and more score apart from small ones (benchmarks/results/groups.md).
ENOUGH_GROUPS, UNEQUAL = 60, 2.0
# An end is at most so many times as far from the mean as Student's: the skewness of few groups is
# little known.  With 2 intervals of 8 to 20 groups were 9 % wider; with 1.25 8 % narrower, and of
# zeros and ones without limits a seventh of designs, not a tenth, held less than .93.
MOST_SKEWED = 1.5


def codes_of(labels: Any, n: int) -> np.ndarray | None:
    """Labels of n queries as 0, 1, …, in the order in which they come; None where no two are
    alike."""
    if isinstance(labels, str | bytes | Mapping):
        fail("groups", "must have a group for each value, in their order", labels)
    try:
        of_arrow = getattr(labels, "to_pylist", None)
        listed = of_arrow() if of_arrow else list(getattr(labels, "tolist", lambda: labels)())
        places: dict[Any, int] = {}
        codes = [
            places.setdefault((None, place) if is_alone(label) else (label,), len(places))
            for place, label in enumerate(listed)
        ]
    except TypeError:  # no sequence, or of lists
        fail("groups", "must have a group for each value, in their order", labels)
    if len(codes) != n:
        raise InputError(
            f"`groups` must have a group for each of the {n} values; found {len(codes)}"
        )
    return np.array(codes, np.int64) if len(places) < n else None


def is_alone(label: Hashable) -> bool:
    """Whether a query has no group."""
    return label is ALONE or (isinstance(label, float) and math.isnan(label))


class Groups:
    """The groups of queries.

    Attributes
    ----------
    codes : ndarray of int, shape (queries,)
        From `codes_of`.
    sizes : ndarray of float, shape (groups,)
    """

    def __init__(self, codes: np.ndarray) -> None:
        self.codes = codes
        self.sizes = np.bincount(codes).astype(float)
        self._order = np.argsort(codes, kind="stable")
        self._starts = np.concatenate([[0], np.cumsum(self.sizes[:-1])]).astype(np.int64)

    @classmethod
    def of(cls, labels: Any, n: int) -> Groups | None:
        """From labels of n queries; None where each is its own."""
        codes = None if labels is None else codes_of(labels, n)
        return None if codes is None else cls(codes)

    def __len__(self) -> int:
        return len(self.sizes)

    @cached_property
    def are_equal(self) -> bool:
        """Whether all have one size."""
        return bool((self.sizes == self.sizes[0]).all())

    @property
    def weights(self) -> np.ndarray:
        """Shares of the queries."""
        return np.asarray(self.sizes / len(self.codes))

    def sums(self, values: np.ndarray) -> np.ndarray:
        """Sums over the queries of each group; queries are the first axis."""
        return np.asarray(np.add.reduceat(values[self._order], self._starts, axis=0))

    def means(self, values: np.ndarray) -> np.ndarray:
        """Means of each group."""
        sums = self.sums(values)
        return np.asarray(sums / self.sizes.reshape(-1, *[1] * (sums.ndim - 1)))

    @cached_property
    def freedom(self) -> float:
        """Degrees of freedom of the error, with the queries of a group taken as copies."""
        return freedom_of(self.sizes, 1.0)

    def correlation(self, values: np.ndarray) -> float:
        """The intra-class correlation of one column, by the analysis of variance (Donner 1986);
        0 or more."""
        n, count = len(self.codes), len(self)
        if not 1 < count < n:
            return 0.0
        means = self.means(values)
        within = float(((values - means[self.codes]) ** 2).sum()) / (n - count)
        center = float(values.mean())
        between = float((self.sizes * (means - center) ** 2).sum()) / (count - 1)
        size = (n - float((self.sizes**2).sum()) / n) / (count - 1)
        total = between + (size - 1) * within
        return min(max((between - within) / total, 0.0), 1.0) if total > 0 else 0.0


class Units(NamedTuple):
    """Values of systems on units, such as queries, that stand for others like them.

    Attributes
    ----------
    values : ndarray, shape (units, systems)
        Higher is better.
    weights : ndarray, shape (groups,)
        Weights of the groups in the mean; their sum is 1.  Each unit is a group without groups.
    groups : Groups or None
    singular, plural : str
        The names of one unit and of several.
    is_whole : bool
        Whether groups are drawn whole, and not units in them as well.
    """

    values: np.ndarray
    weights: np.ndarray
    groups: Groups | None = None
    singular: str = "unit"
    plural: str = "units"
    is_whole: bool = False

    @classmethod
    def of_queries(cls, values: np.ndarray, groups: Groups | None = None) -> Units:
        """Queries of equal weights; values of shape (queries, systems)."""
        n = len(values)
        weights = np.full(n, 1 / n) if groups is None else groups.weights
        return cls(values, weights, groups, "query", "queries", True)

    def group_means(self) -> np.ndarray:
        """Shape (groups, systems)."""
        return self.values if self.groups is None else self.groups.means(self.values)

    def means(self) -> np.ndarray:
        """The weighted mean of the group means, by system."""
        return np.array(
            [math.fsum(column) for column in (self.weights[:, None] * self.group_means()).T]
        )


def freedom_of(sizes: np.ndarray, correlation: float) -> float:
    """Satterthwaite's degrees of freedom of the CR2 variance of a mean (Bell & McCaffrey 2002),
    (tr Ω)²/tr Ω², where the queries of a group have this correlation (Imbens & Kolesár 2016).

    With h = m/N, v the variances of the group's sums and a² = 1/(1 - h),
    Ω = A (diag v - h v' - v h' + h h' Σv) A.  With 0 this is the usual one, but too large where
    queries are alike and sizes unequal: of 20 groups with lognormal sizes it covered .93 of normal
    values, with 1 .96.
    """
    h = sizes / sizes.sum()
    if len(sizes) < 2:
        return 0.0
    v = sizes * (1 + (sizes - 1) * correlation)
    total, square = v.sum(), 1 / (1 - h)
    diagonal, u, w = square * v, np.sqrt(square) * h, np.sqrt(square) * v
    trace = (square * (v - 2 * h * v + h * h * total)).sum()
    uu, uw, ww = u @ u, u @ w, w @ w
    of_squares = diagonal @ diagonal + 2 * (total * (u * u) @ diagonal - 2 * (u * w) @ diagonal)
    of_squares += 2 * uw**2 + 2 * uu * ww - 4 * total * uu * uw + total**2 * uu**2
    return float(trace**2 / of_squares)


class GroupedMeans(NamedTuple):
    """Means of columns over queries in groups, and what their ends are made of.

    Attributes
    ----------
    mean, error : ndarray, shape (columns,)
        `error` is CR2's, V = Σ e²/(1 - m/N)/N² with e = Σ (x - mean) over a group; 0 where the
        values are all equal but for rounding, nan of one group.
    away : ndarray, shape (groups, columns)
        e.
    sizes : ndarray
    freedom : float
    """

    mean: np.ndarray
    error: np.ndarray
    away: np.ndarray
    sizes: np.ndarray
    freedom: float

    @classmethod
    def of(cls, values: np.ndarray, groups: Groups) -> GroupedMeans:
        """Those of columns."""
        mean, n = np.asarray(column_means(values)), len(values)
        away = groups.sums(values - mean)
        away[:, moments_of(values).spread == 0] = 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            left = 1 - groups.sizes / n
            error = np.sqrt((away * away / left[:, None]).sum(axis=0)) / n
        return cls(mean, error, away, groups.sizes, groups.freedom)

    @property
    def n(self) -> float:
        """How many equal groups would have these degrees of freedom."""
        return self.freedom + 1

    @property
    def spread(self) -> np.ndarray:
        """The standard deviation of n equal groups with this error."""
        return self.error * math.sqrt(self.n)

    @property
    def skewness(self) -> np.ndarray:
        """That of n equal groups whose mean has the skewness of this one; biased."""
        third = ((self.away / self.sizes.sum()) ** 3).sum(axis=0) * math.sqrt(self.n)
        cube = self.error**3
        return np.divide(third, cube, out=np.zeros_like(cube), where=cube > 0)

    @property
    def _skewed(self) -> np.ndarray:
        """γ/(3√n), with the bias taken off."""
        return self.skewness * (unbiased(max(self.n, 3.0)) / (3 * math.sqrt(self.n)))

    def margins(self, tail: float) -> tuple[np.ndarray, np.ndarray]:
        """How far the ends are from the mean: as far as Student's, or further where the sums of
        groups are skewed, up to `MOST_SKEWED` times.

        These are the means μ for which δ² = t² (error² + 2 k error δ) with δ = μ - mean and
        k = γ/(3√n): a score test whose variance changes with the mean.  To the first order in γ an
        end moves as by Hall's (1992) correction.
        """
        t = quantile(self.freedom, tail)
        own, half = t * self.error, t * self._skewed
        if t <= 0:
            return own, own
        root = np.sqrt(half * half + 1)
        below, above = (own * np.clip(root + s * half, 1.0, MOST_SKEWED) for s in (-1, 1))
        return below, above

    def tails(self, claimed: float = 0.0) -> list[tuple[float, float]]:
        """By column the p-values of the hypotheses that the mean is at most `claimed`, and at
        least; they are the tails of the intervals that end there."""
        found = []
        for place, d in enumerate((self.mean - claimed).tolist()):
            error, k = float(self.error[place]), float(self._skewed[place])
            size = abs(d) / error if error > 0 else math.inf
            slack = -k if d > 0 else k
            if slack > 0:
                size = max(size / math.sqrt(1 + 2 * size * slack), size / MOST_SKEWED)
            p = upper_tail(self.freedom, size)
            found.append((p, 1 - p) if d > 0 else (1 - p, p))
        return found
