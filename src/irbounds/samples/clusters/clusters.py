"""Proportions from simple random samples of clusters of documents."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irbounds.foundation.errors import InputError, check_choice, check_count, counted, fail
from irbounds.foundation.interval import Interval, normal_quantile, tail_probability
from irbounds.queries.groups import FEW_GROUPS, freedom_of
from irbounds.queries.student import quantile
from irbounds.samples.model.exact_limits import Tail, clopper_pearson, finite_tails
from irbounds.samples.one_proportion.proportions import check_sample
from irbounds.warnings import SampleWarning

if TYPE_CHECKING:
    from irbounds.typing import ArrayLike

KORN_GRAUBARD, GUARANTEED = METHODS = ("korn-graubard", "guaranteed")
# From 30 clusters two-sided intervals had a least coverage of .94 with 3, and of .95 where the
# cluster is all relevant, and were 0.90 times as wide; one-sided bounds .91, and .94.
WHOLE_CLUSTERS = 3
LEAST_CLUSTERS = 30  # a tenth of all clusters has none in 4 % of such samples, in 12 % of 20


class Share(NamedTuple):
    """The share of relevant documents in a population, its ends, and what was sampled."""

    estimate: float
    low: float
    high: float
    design_effect: float
    n_clusters: int


class Level(NamedTuple):
    """The level of an interval and its side."""

    confidence_level: float
    side: str

    @property
    def tail(self) -> Tail:
        """The error probability of each end."""
        tail = Tail(tail_probability(*self), normal_quantile(*self), self.side)
        if tail.probability > 0.5:
            fail("confidence_level", "must be 0.5 or more for a bound", self.confidence_level)
        return tail


def cluster_proportion_interval(
    relevant: ArrayLike,
    sampled: ArrayLike,
    *,
    size: int | None = None,
    method: str = "korn-graubard",
    clusters: int | None = None,
    largest: int | None = None,
    confidence_level: float = 0.95,
    side: str = "two-sided",
) -> Interval:
    """An interval for a proportion, from a simple random sample of clusters of documents.

    Families, threads and groups of duplicates are clusters.  Documents of one cluster are often
    alike, so that intervals for documents that were drawn one by one are too narrow.

    Parameters
    ----------
    relevant, sampled : array_like of int, shape (clusters,)
        Relevant documents of each cluster that was drawn, and all its documents, 1 or more.  Each
        cluster has the same probability to be drawn, and is assessed whole.
    size : int, optional
        Documents in the finite population, of all clusters.
    method : {"korn-graubard", "guaranteed"}
        "guaranteed" needs `size`, `clusters` and `largest`.  It never covers less than its level,
        and is wide unless clusters are small and few of them have relevant documents.
    clusters, largest : int, optional
        For "guaranteed": the clusters in the population, and the documents of its largest one.
    confidence_level : float
    side : {"two-sided", "lower", "upper"}

    Returns
    -------
    Interval
        The estimate is the ratio of the sums.  ``n_groups`` is the number of clusters, and
        ``design_effect`` Kish's: the variance of the estimate over that of as many documents drawn
        one by one; nan for one cluster, and where none or all documents are relevant.

    Raises
    ------
    InputError
        For counts that are not whole or not possible, clusters without documents, a `size` below
        the documents sampled, one-sided levels below 0.5, and what "guaranteed" lacks.

    Warns
    -----
    SampleWarning
        For fewer than 30 clusters, and where the effective number of clusters, for their sizes, is
        below 8; not by "guaranteed".

    Notes
    -----
    The interval of Korn and Graubard (1998): Clopper and Pearson's for as many documents as a
    simple random sample with the same variance would have.  The variance is CR2's (Bell & McCaffrey
    2002).  The number is divided by the design effect, which counts as 1 or more, and multiplied by
    the squared ratio of the quantiles of Student's t with the documents less 1 and Satterthwaite's
    degrees of freedom.  These are the geometric mean of those with documents of a cluster taken as
    independent, and as copies.

    A rare class may be missing in the clusters that were drawn.  The design effect of the upper end
    is therefore at least that with one more cluster of relevant documents, that of the lower end at
    least that with one more of other documents.  This cluster has the average size of the cluster
    of a document, Σ m²/Σ m.  The share of the class in it is (K q + 3)/(K + 3): K clusters have
    such a document, and q is the mean share in the clusters of these documents.  For one-sided
    bounds it is 1, unless the end of the two-sided interval is the tighter one.

    With `size`, the documents that were sampled are known, and the interval is for the others: the
    variance is divided by their share, and half of the design effect is added for continuity.  If
    each cluster has one document, the interval is "clopper-pearson" of `binomial_interval`.
    Simulated coverage is in :doc:`/promises`.  Where the sample lacks the few large clusters that
    hold many documents, the interval does not cover.

    "guaranteed" has the exact hypergeometric interval for the number of clusters with a relevant
    document.  At the lower end each such cluster that was not drawn has one relevant document.  At
    the upper end these are as large as `largest`, `size` and `clusters` allow, and all relevant.

    References
    ----------
    E. L. Korn, B. I. Graubard (1998), Confidence intervals for proportions with small expected
    number of positive counts estimated from survey data, Survey Methodology 24.

    Examples
    --------
    Forty families; the documents of three families are relevant:

    >>> import irbounds as irb
    >>> sampled = [1, 2, 3, 5, 8] * 8
    >>> relevant = [0, 2, 0, 5, 4] + [0] * 35
    >>> irb.samples.cluster_proportion_interval(relevant, sampled)
    Interval(0.0723684 in [0.0117743, 0.222726], 0.95 two-sided, korn-graubard)
    >>> population = {"size": 9000, "clusters": 4000, "largest": 8, "method": "guaranteed"}
    >>> irb.samples.cluster_proportion_interval([0] * 40, sampled, **population, side="upper")
    Interval(0 in [0, 0.255111], 0.95 upper, guaranteed)
    """
    level = Level(confidence_level, side)
    if check_choice("method", method, METHODS) == GUARANTEED:
        share = _guaranteed(
            *checked_clusters(relevant, sampled, size), size, clusters, largest, level
        )
    elif (clusters, largest) != (None, None):
        raise InputError("`clusters` and `largest` are for method 'guaranteed'")
    else:
        share = share_of(*checked_clusters(relevant, sampled, size), size, level, 2)
    low, high = (0.0 if side == "upper" else share.low), (1.0 if side == "lower" else share.high)
    return Interval(
        share.estimate,
        low,
        high,
        confidence_level,
        side,
        method,
        n_groups=share.n_clusters,
        design_effect=share.design_effect,
    )


def checked_clusters(
    relevant: ArrayLike, sampled: ArrayLike, size: int | None, where: str = ""
) -> tuple[np.ndarray, np.ndarray]:
    """The relevant documents and the documents of each cluster."""
    name = f"{where}sampled"
    x, m = check_sample(relevant, sampled, (f"{where}relevant", name))
    if m.ndim != 1 or m.size == 0:
        fail(name, "must have a number for each cluster, and at least one", sampled)
    if not m.all():
        place = int(m.argmin())
        raise InputError(f"`{name}` must be 1 or more for each cluster; found 0 at index {place}")
    if size is not None:
        check_count(f"{where}size", size, int(m.sum()))
    return x, m


def share_of(
    x: np.ndarray, m: np.ndarray, size: int | None, level: Level, stacklevel: int
) -> Share:
    """The share and both its ends, each with the error probability of the level."""
    n, found, tail = float(m.sum()), float(x.sum()), level.tail
    if (m == 1).all():
        low, high = (
            map(float, clopper_pearson(found, n, tail))
            if size is None
            else (count / size for count in _counts(found, n, size, tail))
        )
        return Share(found / n, low, high, 1.0, m.size)
    rest = math.inf if size is None else size - n
    freedom = math.sqrt(freedom_of(m, 0.0) * freedom_of(m, 1.0))
    if rest and (m.size < LEAST_CLUSTERS or freedom + 1 < FEW_GROUPS):
        warnings.warn(
            f"{counted(m.size, 'cluster', 'clusters')} of these sizes: an effective number of "
            f"{freedom + 1:.2g}; with fewer than {LEAST_CLUSTERS}, or effectively fewer than "
            f"{FEW_GROUPS}, the sample may lack the largest clusters, and the interval may cover "
            "less than its level",
            SampleWarning,
            stacklevel=stacklevel + 1,
        )
    unseen = 1.0 if size is None else rest / size
    low, high = (
        found / n * (1 - unseen) + unseen * _end(x, m, is_upper, freedom, rest, tail)
        for is_upper in (False, True)
    )
    return Share(found / n, low, high, _own_effect(x, m), m.size)


def _guaranteed(
    x: np.ndarray,
    m: np.ndarray,
    size: int | None,
    clusters: int | None,
    largest: int | None,
    level: Level,
) -> Share:
    """The share, with ends by the number of clusters that have a relevant document."""
    if size is None or clusters is None or largest is None:
        raise InputError("method 'guaranteed' needs `size`, `clusters` and `largest`")
    check_count("largest", largest, int(m.max()))
    check_count("clusters", clusters, m.size)
    rest, others = size - float(m.sum()), clusters - m.size
    if not others <= rest <= others * largest:
        raise InputError(
            f"`size` must leave from 1 to {largest} documents for each of the {others} clusters "
            f"that were not drawn; found {rest:.0f} documents"
        )
    found, drawn = float(x.sum()), float((x > 0).sum())
    few, many = (count - drawn for count in _counts(drawn, m.size, clusters, level.tail))
    most = min(many * largest, rest - (others - many))
    low, high = (found + few) / size, (found + most) / size
    return Share(found / float(m.sum()), low, high, _own_effect(x, m), m.size)


def _counts(x: float, n: float, size: int, tail: Tail) -> list[float]:
    """The exact ends of the number in a population, of units that were drawn one by one."""
    counts = finite_tails(np.array([x]), np.array([n]), np.array([float(size)]), tail)
    return [float(np.clip(each, x, size - n + x)[0]) for each in counts]


def _end(
    x: np.ndarray, m: np.ndarray, is_upper: bool, freedom: float, rest: float, tail: Tail
) -> float:
    """The lower or the upper end of the share among the `rest`, which was not sampled."""
    if m.size == 1 or rest == 0:
        return float(is_upper)
    rare = x if is_upper else m - x
    share = _share_in_one_more(rare, m)
    if tail.side == "two-sided":
        return _end_with_one_more(x, m, is_upper, freedom, rest, tail, share)
    two_sided = tail._replace(probability=tail.probability / 2)
    ends = (
        _end_with_one_more(x, m, is_upper, freedom, rest, *each)
        for each in ((tail, 1.0), (two_sided, share))
    )
    return min(ends) if is_upper else max(ends)


def _end_with_one_more(
    x: np.ndarray,
    m: np.ndarray,
    is_upper: bool,
    freedom: float,
    rest: float,
    tail: Tail,
    share: float,
) -> float:
    """The end, with this share of the rarer class in one more cluster."""
    n, typical = float(m.sum()), float(m @ m / m.sum())
    rare = np.append(x if is_upper else m - x, typical * share)
    effect = max(1.0, design_effect(rare, np.append(m, typical)), design_effect(x, m))
    count = n / effect / (1 + n / rest)
    if (p := tail.probability) < 0.5:
        count *= (quantile(n - 1, p) / quantile(freedom, p)) ** 2
    end = float(clopper_pearson(float(x.sum()) / n * count, count, tail)[is_upper])
    # The rest has whole clusters: its relevant documents are steps of about the effect apart.
    step = effect / rest / 2
    return min(1.0, end + step) if is_upper else max(0.0, end - step)


def _share_in_one_more(found: np.ndarray, m: np.ndarray) -> float:
    """The share of documents of a class in one more cluster that has such: as in the clusters of
    these documents, with so many more clusters of this class alone."""
    total, drawn = float(found.sum()), float((found > 0).sum())
    mean = float((found**2 / m).sum()) / total if total else 1.0
    return (drawn * mean + WHOLE_CLUSTERS) / (drawn + WHOLE_CLUSTERS)


def _own_effect(x: np.ndarray, m: np.ndarray) -> float:
    """That of the sample; nan where it has no variance."""
    return design_effect(x, m) if 0 < x.sum() < m.sum() and m.size > 1 else math.nan


def design_effect(x: np.ndarray, m: np.ndarray) -> float:
    """The variance CR2 of the ratio, over that of as many documents drawn one by one; 1 where
    neither varies."""
    n = float(m.sum())
    p = float(x.sum()) / n
    away, share = x - p * m, m / n
    variance, alone = float((away**2 / (1 - share)).sum()) / n**2, p * (1 - p) / (n - 1)
    return variance / alone if alone > 0 else 1.0
