"""The plan of an evaluation: the kernel of each measure, and the limits to check."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from irbounds._core.rankings import RankingJob, View
from irbounds._core.ties import TiesKernel
from irbounds.foundation.arguments import check_flag
from irbounds.foundation.errors import InputError, check_choice, check_count, fail
from irbounds.rankings.measure import TIE_RULES, Measure

Levels = tuple[np.ndarray, np.ndarray, np.ndarray]


class Plan:
    """The kernels of all columns, and the view of the relevances that each uses."""

    def __init__(
        self,
        measures: list[Measure],
        ties: str,
        bounds: bool,
        judged_only: bool,
        collection_size: int | None,
    ) -> None:
        self.measures = measures
        self.ties: str = check_choice("ties", ties, TIE_RULES)
        self.bounds: bool = check_flag("bounds", bounds)
        judged_only = check_flag("judged_only", judged_only)
        self.collection_size: int = (
            0 if collection_size is None else check_count("collection_size", collection_size)
        )
        for measure in measures:
            if measure.name == "IPrec" and ties == "expected":
                raise InputError(
                    f"{measure} has no exact expectation over tied orders: choose ties='best', "
                    "'worst', "
                    "'doc_id' or 'given'"
                )
            if measure.spec.needs_collection_size and collection_size is None:
                raise InputError(f"{measure} needs `collection_size`")
            if measure.name == "HT" and (measure.cutoff or 0) > self.collection_size:
                raise InputError(
                    f"{measure}: the cut-off is above the collection_size, {self.collection_size}"
                )
        positions: dict[Any, list[int]] = {}
        for i, measure in enumerate(measures):
            judged, gains = measure.view
            positions.setdefault((judged or judged_only, gains), []).append(i)
        self.views: list[tuple[Any, dict[Any, Any], list[int]]] = [
            (judged, dict(gains), columns) for (judged, gains), columns in positions.items()
        ]

    def check_gains(self, highest: list[float]) -> None:
        """Refuse grades (or gains), given by the highest of each view, that are too high for a
        measure."""
        for (_, _, columns), gain in zip(self.views, highest, strict=True):
            for measure in (self.measures[column] for column in columns):
                if measure.highest_gain < gain:
                    raise InputError(
                        f"{measure}: grades or gains go up to {gain:g}, above the "
                        f"{measure.highest_gain:g} to which its sums are finite"
                    )
                if "max_rel" in measure.spec.parameters and gain > (measure["max_rel"] or math.inf):
                    wider = replace(measure, parameters={**measure.parameters, "max_rel": gain})
                    raise InputError(
                        f"{measure}: grades go up to {gain:g}, above "
                        f"max_rel={measure['max_rel']:g}; "
                        f"write {wider}"
                    )

    def check_size(self, n_judged: int) -> None:
        """Refuse queries with more documents, retrieved or judged, than the collection has."""
        if 0 < self.collection_size < n_judged:
            fail(
                "collection_size",
                f"must be at least the {n_judged} documents of a query",
                self.collection_size,
            )

    def make_arrays(self, n_queries: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Arrays for values, low and high."""
        shape = (n_queries, len(self.measures))
        bounds_shape = shape if self.bounds else (0, 0)
        return np.zeros(shape), np.zeros(bounds_shape), np.zeros(bounds_shape)

    def make_job(
        self, levels: list[Levels] | None, values: np.ndarray, low: np.ndarray, high: np.ndarray
    ) -> RankingJob:
        """A job with its own kernels, so that jobs can run in parallel."""
        views = []
        for i, (judged_only, gain_of, columns) in enumerate(self.views):
            chosen = [self.measures[column] for column in columns]
            kernel = TiesKernel(
                [measure.kernel_fields() for measure in chosen],
                self.ties,
                self.bounds,
                min(measure.mark_level for measure in chosen),
            )
            views.append(
                View(kernel, columns, judged_only, gain_of, None if levels is None else levels[i])
            )
        return RankingJob(views, values, low, high, self.collection_size)
