"""Samples of clusters of documents that are divided into retrieved and unretrieved documents."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.foundation.arguments import check_level, check_numbers
from irbounds.foundation.errors import InputError, check_choice, check_count, fail
from irbounds.foundation.interval import SIDES, Interval
from irbounds.samples.clusters.clusters import (
    KORN_GRAUBARD,
    cluster_proportion_interval,
    design_effect,
)
from irbounds.samples.clusters.recall import cluster_recall_interval
from irbounds.warnings import SampleWarning

if TYPE_CHECKING:
    from irbounds.typing import ArrayLike

OF_EACH_SEGMENT = ("recall", "precision", "elusion")
MEASURES = ("recall", "precision", "F", "yield", "elusion", "richness")
FAR = 5  # standard errors by which a sample contradicts the sizes
COUNTS = ("relevant_retrieved", "other_retrieved", "relevant_unretrieved", "other_unretrieved")


@dataclass(frozen=True, eq=False)
class ClusterSample:
    """A simple random sample of clusters, such as families, assessed whole and divided into
    retrieved and unretrieved documents.

    Parameters
    ----------
    retrieved_size, unretrieved_size : int
        Documents of the collection that were retrieved and that were not.
    relevant_retrieved, other_retrieved, relevant_unretrieved, other_unretrieved : array_like of int
        Shape (clusters,): documents of each cluster that was drawn, by their answers.
    is_of_each_segment : bool
        Whether clusters were drawn from each segment by itself.  A cluster then has documents of
        one segment alone.  By default one sample was drawn from the whole collection.

    Attributes
    ----------
    measures : tuple of str
        Measures of `interval`: "recall", "precision", "F", "yield", "elusion" and "richness" of one
        sample of the collection; the first two and "elusion" of samples of each segment.

    Raises
    ------
    InputError
        For counts that are not whole or of other shapes, for clusters without documents, and for
        more documents than the segment has.

    Warns
    -----
    SampleWarning
        Where the share of retrieved documents in one sample of the collection is more than five
        standard errors from that of the collection.

    Examples
    --------
    >>> import irbounds as irb
    >>> families = irb.samples.ClusterSample(
    ...     12_000, 88_000, [3, 1, 0, 0, 0] * 40, [0, 0, 1, 0, 0] * 40, [0, 1, 0, 0, 0] * 40,
    ...     [0, 3, 5, 8, 20] * 40)
    >>> families.interval("recall", side="lower")
    Interval(0.8 in [0.747468, 1], 0.95 lower, korn-graubard)
    """

    retrieved_size: int
    unretrieved_size: int
    relevant_retrieved: ArrayLike
    other_retrieved: ArrayLike
    relevant_unretrieved: ArrayLike
    other_unretrieved: ArrayLike
    is_of_each_segment: bool = False

    def __post_init__(self) -> None:
        columns = [_counts(name, getattr(self, name)) for name in COUNTS]
        if len({each.shape for each in columns}) > 1:
            raise InputError(f"{', '.join(COUNTS)} must have one number for each cluster")
        for name, column in zip(COUNTS, columns, strict=True):
            object.__setattr__(self, name, column)
        tp, fp, fn, tn = columns
        for name, sampled in (("retrieved_size", tp + fp), ("unretrieved_size", fn + tn)):
            check_count(name, getattr(self, name), int(sampled.sum()))
        if not (tp + fp + fn + tn).all():
            place = int((tp + fp + fn + tn).argmin())
            raise InputError(f"each cluster must have a document; found none at index {place}")
        is_of_both = ((tp + fp) > 0) & ((fn + tn) > 0)
        if self.is_of_each_segment and is_of_both.any():
            place = int(is_of_both.argmax())
            raise InputError(
                "clusters that were drawn from each segment must have documents of one segment; "
                f"found both at index {place}"
            )

        if not self.is_of_each_segment:
            self._warn_of_contradiction(tp + fp, tp + fp + fn + tn)

    def _warn_of_contradiction(self, retrieved: np.ndarray, drawn: np.ndarray) -> None:
        """Say that a random sample would hardly have such a share of retrieved documents."""
        size, sampled = self.retrieved_size + self.unretrieved_size, float(drawn.sum())
        share, found = self.retrieved_size / size, float(retrieved.sum()) / sampled
        effect = max(1.0, design_effect(retrieved, drawn))
        square = effect * share * (1 - share) / sampled * (1 - sampled / size)
        if drawn.size > 1 and (found - share) ** 2 > FAR**2 * square:
            warnings.warn(
                f"{100 * found:.3g} % of the sample were retrieved, and {100 * share:.3g} % of the "
                "collection: a simple random sample of clusters is hardly so far off",
                SampleWarning,
                stacklevel=4,
            )

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures of `interval`."""
        return OF_EACH_SEGMENT if self.is_of_each_segment else MEASURES

    def interval(
        self, measure: str = "recall", *, confidence_level: float = 0.95, side: str = "two-sided"
    ) -> Interval:
        """The interval of a measure, by `cluster_proportion_interval` or `cluster_recall_interval`.

        Parameters
        ----------
        measure : {"recall", "precision", "F", "yield", "elusion", "richness"}
            See `measures`.
        confidence_level : float
        side : {"two-sided", "lower", "upper"}

        Returns
        -------
        Interval
            ``n_groups`` counts the clusters with documents that the measure is about.

        Raises
        ------
        InputError
            For other measures, and as the functions.

        Warns
        -----
        SampleWarning
            As the functions.

        Notes
        -----
        From one sample of the collection recall is the share of retrieved documents among the
        relevant ones, with clusters that have a relevant document as the sample.  The number of
        relevant documents in the collection is taken as estimated.  F₁ is 2J/(1 + J), where J is
        the share of relevant retrieved documents among those that are either.
        """
        check_choice("measure", measure, self.measures)
        tp, fp, fn, tn = (np.asarray(getattr(self, name)) for name in COUNTS)
        asked: dict[str, Any] = {
            "confidence_level": check_level(confidence_level),
            "side": check_choice("side", side, SIDES),
        }
        one, other = self.retrieved_size, self.unretrieved_size
        if measure == "recall" and self.is_of_each_segment:
            segments = (one, tp, fp), (other, fn, tn)
            samples = [(n, (x + y)[x + y > 0], x[x + y > 0]) for n, x, y in segments]
            return cluster_recall_interval(*samples, **asked)
        part = sum(map(float, (tp.sum(), fp.sum(), fn.sum(), tn.sum()))) / (one + other)
        found, among, size = {
            "recall": (tp, tp + fn, None),
            "F": (tp, tp + fp + fn, None),
            "precision": (tp, tp + fp, one),
            "elusion": (fn, fn + tn, other),
        }.get(measure, (tp + fn, tp + fp + fn + tn, one + other))
        if size is None:
            size = math.ceil(int(among.sum()) / part)
        interval = _share(found, among, size, asked)
        if measure == "F":
            return _changed(interval, lambda share: 2 * share / (1 + share))
        return _changed(interval, lambda x: (one + other) * x) if measure == "yield" else interval


def _share(found: np.ndarray, among: np.ndarray, size: int, asked: dict[str, Any]) -> Interval:
    """The share in clusters that have such documents; nothing is known where none was drawn."""
    has = among > 0
    if has.any():
        return cluster_proportion_interval(found[has], among[has], size=size, **asked)
    known: dict[str, Any] = {"method": KORN_GRAUBARD, "n_groups": 0, "design_effect": math.nan}
    return Interval(math.nan, 0.0, 1.0, **asked, **known)


def _changed(interval: Interval, change: Callable[[Any], Any]) -> Interval:
    """The interval of a function that rises."""
    estimate, low, high = map(change, (interval.estimate, interval.low, interval.high))
    return replace(interval, estimate=estimate, low=low, high=high)


def _counts(name: str, given: Any) -> np.ndarray:
    """Whole numbers, one for each cluster."""
    rule = "must be whole numbers of 0 or more, one for each cluster"
    counts = check_numbers(name, given, rule, lambda x: (x >= 0) & (x == np.floor(x)))
    if counts.ndim != 1 or counts.size == 0:
        fail(name, rule, given)
    return counts
