"""Recall from samples of clusters of documents, one of each segment."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from irbounds.foundation.errors import check_count, fail
from irbounds.foundation.interval import Interval
from irbounds.samples.clusters.clusters import Level, Share, checked_clusters, share_of

if TYPE_CHECKING:
    from irbounds.typing import ArrayLike

SEGMENT = "must be (size, sampled, relevant), the last two with a number for each cluster"


def cluster_recall_interval(
    retrieved: tuple[int, ArrayLike, ArrayLike],
    unretrieved: tuple[int, ArrayLike, ArrayLike],
    *,
    confidence_level: float = 0.95,
    side: str = "two-sided",
) -> Interval:
    """An interval for recall, from a sample of clusters of each segment.

    Parameters
    ----------
    retrieved, unretrieved : (size, sampled, relevant)
        The documents of the segment, and for each cluster that was drawn its documents and its
        relevant documents, as `cluster_proportion_interval` takes them.  The samples of both
        segments are independent.  A segment without documents is ``(0, [], [])``.
    confidence_level : float
    side : {"two-sided", "lower", "upper"}

    Returns
    -------
    Interval
        ``n_groups`` is the number of clusters of both samples, ``design_effect`` has that of each
        segment.

    Raises
    ------
    InputError
        As `cluster_proportion_interval`, and for a segment without a sample.

    Warns
    -----
    SampleWarning
        As `cluster_proportion_interval`.

    Notes
    -----
    The ends come from those of both segments by the method of variance estimates recovery: recall
    is at least r where (1 - r) times the yield of the retrieved segment less r times that of the
    other one is 0 or more, and squares of the distances between yields and their ends add up (Zou &
    Donner 2008).  Simulated coverage is in :doc:`/promises`.

    References
    ----------
    G. Y. Zou, A. Donner (2008), Construction of confidence limits about effect measures: a general
    approach, Statistics in Medicine 27.

    Examples
    --------
    >>> import irbounds as irb
    >>> families = [1, 2, 3, 5, 8] * 8
    >>> relevant = [1, 2, 0, 5, 6] * 8
    >>> missed = [0, 0, 3] + [0] * 37
    >>> irb.samples.cluster_recall_interval((2000, families, relevant), (9000, families, missed))
    Interval(0.89243 in [0.512094, 0.997213], 0.95 two-sided, mover)
    """
    level = Level(confidence_level, side)
    yields = [
        _yield_of(name, segment, level)
        for name, segment in (("retrieved", retrieved), ("unretrieved", unretrieved))
    ]
    one, other = yields
    (found, least, most), (missed, few, many) = one[:3], other[:3]
    total = found + missed
    low = 0.0 if side == "upper" else _least_recall(found, least, missed, many)
    high = 1.0 if side == "lower" else 1 - _least_recall(missed, few, found, most)
    return Interval(
        found / total if total else math.nan,
        low,
        high,
        confidence_level,
        side,
        "mover",
        n_groups=one.n_clusters + other.n_clusters,
        design_effect=(one.design_effect, other.design_effect),
    )


def _least_recall(found: float, least: float, missed: float, most: float) -> float:
    """The recall r at which (1 - r) found - r missed is as far above 0 as the ends say.

    Its odds o have found - o missed = √((found - least)² + o² (most - missed)²), a quadratic
    equation, solved without differences of close numbers.
    """
    middle, end = found * missed, least * (2 * found - least)
    if end <= 0:
        return 0.0
    root = math.sqrt(max(middle * middle - most * (2 * missed - most) * end, 0.0))
    return end / (end + middle + root)


def _yield_of(name: str, segment: tuple[int, ArrayLike, ArrayLike], level: Level) -> Share:
    """The relevant documents of a segment."""
    try:
        size, sampled, relevant = segment
    except (TypeError, ValueError):
        fail(name, SEGMENT, segment)
    size = check_count(f"{name}: size", size, 0)
    if size == 0 and np.size(sampled) == 0 == np.size(relevant):
        return Share(0.0, 0.0, 0.0, math.nan, 0)
    share = share_of(*checked_clusters(relevant, sampled, size, f"{name}: "), size, level, 3)
    return share._replace(
        estimate=size * share.estimate, low=size * share.low, high=size * share.high
    )
