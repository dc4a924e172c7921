"""The numbers of a comparison."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds._core.common.exact_sum import column_means
from irbounds.comparison.data.difference import Difference
from irbounds.foundation.distributions import Bounds
from irbounds.foundation.errors import InputError
from irbounds.foundation.read_only import ReadOnlyArrays
from irbounds.rankings.measure_table.measure import Measure, find_measure

if TYPE_CHECKING:
    from irbounds.typing import MeasureLike


@dataclass(frozen=True, eq=False)
class ComparisonData(ReadOnlyArrays):
    """The numbers of a `Comparison`, whose docstring describes them."""

    runs: tuple[str, ...]
    measures: tuple[Measure, ...]
    query_ids: tuple[Any, ...]
    values: np.ndarray
    low: np.ndarray | None
    high: np.ndarray | None
    differences: tuple[Difference, ...]
    test: str
    correction: str | None
    family: str
    baseline: str | None
    confidence_level: float
    resamples: int | None
    seed: int | None
    ties: str
    missing_queries: dict[str, tuple[Any, ...]]
    unjudged_queries: dict[str, tuple[Any, ...]]
    no_relevant_queries: tuple[Any, ...] = ()
    slices: Any = None
    groups: np.ndarray | None = None

    @property
    def n_groups(self) -> int | None:
        """How many groups the queries are of; None where each is its own."""
        return None if self.groups is None else int(self.groups.max()) + 1

    @cached_property
    def means(self) -> dict[str, dict[str, float]]:
        """``{run: {measure: mean}}``."""
        return self._by_run(self.values)

    @cached_property
    def mean_bounds(self) -> dict[str, dict[str, Bounds]] | None:
        """``{run: {measure: (smallest, largest mean over all orders of tied documents)}}``; None
        without bounds."""
        if self.low is None or self.high is None:
            return None
        low, high = self._by_run(self.low), self._by_run(self.high)
        return {
            run: {name: Bounds(low[run][name], high[run][name]) for name in map(str, self.measures)}
            for run in self.runs
        }

    def _by_run(self, values: np.ndarray) -> dict[str, dict[str, float]]:
        return {
            run: dict(zip(map(str, self.measures), column_means(own).tolist(), strict=True))
            for run, own in zip(self.runs, values, strict=True)
        }

    def __getitem__(self, measure: MeasureLike) -> tuple[Difference, ...]:
        """The differences by one measure, in any spelling of its name."""
        name = self.measures[find_measure(measure, self.measures, "compared")]
        return tuple(difference for difference in self.differences if difference.measure == name)

    def between(self, run: str, against: str, measure: MeasureLike | None = None) -> Difference:
        """`run` minus `against` by a measure (which may be omitted if there is only one).

        Difference, estimate, interval, statistic, effect, wins, losses and ranges of ties have the
        direction `run` minus `against`; p-values have none.
        """
        if measure is None and len(self.measures) > 1:
            raise InputError(f"pass `measure`, one of {', '.join(self.measures)}")
        for difference in self[self.measures[0] if measure is None else measure]:
            if (difference.run, difference.against) == (run, against):
                return difference
            if (difference.run, difference.against) == (against, run):
                return difference.turned_round(self._turned_statistic(difference))
        raise KeyError(
            f"{run!r} and {against!r} were not compared; there are "
            f"{', '.join(map(repr, self.runs))}"
        )

    def _turned_statistic(self, difference: Difference) -> float:
        if self.correction == "tukey" or self.test == "wilcoxon":  # sizes
            return difference.statistic
        if self.test == "sign":  # a count
            return difference.wins + difference.losses - difference.statistic
        return 0.0 - difference.statistic
