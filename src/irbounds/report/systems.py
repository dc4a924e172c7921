"""The runs of a page, their means with tie ranges, and what is said of each pair and query."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.comparison.data.alignment import seed_of
from irbounds.comparison.data.difference import Difference
from irbounds.comparison.data.subtraction import difference_of_means, subtract
from irbounds.comparison.runs.compare import compare_evaluations
from irbounds.comparison.runs.comparison import Comparison
from irbounds.comparison.runs.pairwise import check_options
from irbounds.foundation.arguments import check_level
from irbounds.foundation.errors import counted, fail
from irbounds.foundation.rounding import as_share
from irbounds.rankings.data.evaluation import Evaluation, words_of_barren
from irbounds.rankings.measure_table.listing import describe
from irbounds.rankings.measure_table.listing import measures as all_measures
from irbounds.rankings.measure_table.measure import Measure

if TYPE_CHECKING:
    from irbounds.typing import FloatOrArray

MOST_QUERIES, MOST_COLUMNS = 50, 8


@dataclass(frozen=True)
class Cell:
    """A number with its range over the orders of ties."""

    value: float
    low: float
    high: float
    digits: int = 4
    top: bool = False


def gain_by(measure: Measure, values: FloatOrArray) -> FloatOrArray:
    """The values, or their negatives, so that higher is better."""
    return -values if measure.spec.lower_is_better else values


class Systems:
    """Evaluations of all runs, and the contents of the page."""

    def __init__(self, evaluations: dict[str, Evaluation], baseline: str | None) -> None:
        self.evaluations = evaluations
        self.baseline = next(iter(evaluations)) if baseline is None else baseline
        if not isinstance(self.baseline, str) or self.baseline not in evaluations:
            fail(
                "baseline", f"must be one of the runs, {', '.join(list(evaluations)[:5])}", baseline
            )
        first = evaluations[self.baseline]
        self.measures = list(first.measures)
        order = {info.name: place for place, info in enumerate(all_measures())}
        specs = {measure.spec.name: measure.spec for measure in first.measures}
        self.definitions = [
            describe(specs[name])
            for name in sorted(specs, key=lambda name: order.get(name, len(order)))
        ]
        self.primary = next(
            (measure for measure in self.measures if not measure.spec.is_sum), self.measures[0]
        )
        self.query_ids = first.query_ids

    def best(self, n: int) -> list[str]:
        """The baseline and the best other runs, n in all."""
        measure = self.primary
        gains = {
            name: gain_by(measure, evaluation.mean[measure])
            for name, evaluation in self.evaluations.items()
        }
        others = sorted(
            (name for name in gains if name != self.baseline),
            # Runs without a mean come last.
            key=lambda name: -gains[name] if not math.isnan(gains[name]) else math.inf,
        )
        return [self.baseline, *others[: n - 1]]

    def compare(self, **options: Any) -> Comparison | None:
        """Tests of the differences from the baseline, by measures that have means; None if there
        are none."""
        names = [
            measure
            for measure in self.measures
            if not measure.spec.is_sum
            and all(
                math.isfinite(evaluation.mean[measure]) for evaluation in self.evaluations.values()
            )
        ]
        # Nothing to test; options are refused all the same.
        if len(self.evaluations) == 1 or not names:
            check_options(options["test"], options["correction"], options["family"], self.baseline)
            check_level(options["confidence_level"])
            seed_of(options["rng"])
            return None
        columns = [self.measures.index(name) for name in names]

        def chosen(values: Any) -> Any:
            return values[:, columns]

        return compare_evaluations(
            {
                run: replace(
                    evaluation,
                    measures=tuple(names),
                    values=chosen(evaluation.values),
                    low=chosen(evaluation.low),
                    high=chosen(evaluation.high),
                    unjudged_low=None,
                    unjudged_high=None,
                    judged=None,
                )
                for run, evaluation in self.evaluations.items()
            },
            baseline=self.baseline,
            **options,
        )

    def contents(self, comparison: Comparison | None) -> dict[str, Any]:
        """Tables by their names in the template."""
        tested = {
            (difference.run, difference.measure): difference
            for difference in (comparison.differences if comparison else ())
        }
        tops = {measure: self._top(measure) for measure in self.measures}
        runs = [
            {
                "name": name,
                "is_baseline": name == self.baseline,
                "cells": [
                    self._summary(evaluation, measure, tops[measure]) for measure in self.measures
                ],
            }
            for name, evaluation in self.evaluations.items()
        ]
        columns = self.best(MOST_COLUMNS)
        return {
            "runs": runs,
            "measures": self.measures,
            "primary": self.primary,
            "baseline": self.baseline,
            "definitions": self.definitions,
            "n_queries": len(self.query_ids),
            "comparisons": [
                self._comparison(name, evaluation, measure, tested.get((name, measure)))
                for measure in self.measures
                if not measure.spec.is_sum
                for name, evaluation in self.evaluations.items()
                if name != self.baseline
            ],
            "several": len(self.evaluations) > 1,
            "queries": self._queries(columns),
            "query_runs": columns,
            "all_queries": len(self.query_ids) <= MOST_QUERIES,
        }

    def _top(self, measure: Measure) -> float:
        """The best mean; nan if none is to be marked."""
        gains = [
            gain_by(measure, evaluation.mean[measure]) for evaluation in self.evaluations.values()
        ]
        return math.nan if measure.spec.is_sum or len(set(gains)) == 1 else max(gains)

    def _summary(self, evaluation: Evaluation, measure: Measure, top: float) -> Cell:
        value, (low, high) = (
            evaluation.summary[measure],
            evaluation.summary_bounds[measure],
        )
        return Cell(
            value, low, high, 0 if measure.spec.is_sum else 4, gain_by(measure, value) == top
        )

    def _comparison(
        self, name: str, evaluation: Evaluation, measure: Measure, tested: Difference | None
    ) -> dict[str, Any]:
        """The comparison of one run with the baseline by one measure."""
        base = self.evaluations[self.baseline]
        mean, base_mean = evaluation.mean[measure], base.mean[measure]
        bounds, base_bounds = evaluation.mean_bounds[measure], base.mean_bounds[measure]
        gain = gain_by(measure, subtract(evaluation[measure], base[measure]))
        cell = Cell(
            difference_of_means(mean, base_mean),
            # Ties of the two runs are broken independently.
            difference_of_means(bounds[0], base_bounds[1]),
            difference_of_means(bounds[1], base_bounds[0]),
        )
        return {
            "run": name,
            "measure": measure,
            "cell": cell,
            "better": int((gain > 0).sum()),
            "worse": int((gain < 0).sum()),
            # nan, of two infinite values, is neither better nor worse.
            "same": int((~(gain > 0) & ~(gain < 0)).sum()),
            "tested": tested,
            "said_of_ties": "ties decide"
            if cell.low <= 0 <= cell.high and cell.low < cell.high
            else "ties make as much"
            if tested and tested.is_made_by_ties
            else "",
        }

    def _queries(self, columns: list[str]) -> list[dict[str, Any]]:
        """The queries with the largest differences; for a single run, those with the widest ranges
        over ties."""
        name = self.primary
        values = np.array([evaluation[name] for evaluation in self.evaluations.values()])
        bounds = [evaluation.bounds(name) for evaluation in self.evaluations.values()]
        with np.errstate(invalid="ignore"):
            spread = (
                values.max(axis=0) - values.min(axis=0)
                if len(values) > 1
                else bounds[0][1] - bounds[0][0]
            )
        # nan, of two infinite values, counts as no difference.
        order = np.argsort(-np.nan_to_num(spread, nan=0.0), kind="stable")[:MOST_QUERIES]
        chosen = [self.evaluations[run] for run in columns]
        return [
            {
                "query": self.query_ids[i],
                "cells": [
                    Cell(float(evaluation[name][i]), float(low[i]), float(high[i]))
                    for evaluation in chosen
                    for low, high in [evaluation.bounds(name)]
                ],
            }
            for i in order.tolist()
        ]

    def labels(self) -> list[dict[str, Any]]:
        """Ranges of each run's measures over labels of unjudged documents; empty if they were not
        asked for."""
        return [
            {
                "name": name,
                "cells": [
                    {
                        "low": evaluation.summary_unjudged_bounds[measure][0],
                        "high": evaluation.summary_unjudged_bounds[measure][1],
                        "digits": 0 if measure.spec.is_sum else 4,
                        "judged": as_share(evaluation.judged_means[measure]),
                    }
                    for measure in self.measures
                ],
            }
            for name, evaluation in self.evaluations.items()
            if evaluation.unjudged_low is not None
        ]

    def notes(self) -> list[str]:
        """Cautions about runs, queries that they lack, and their queries without judgments."""
        first = next(iter(self.evaluations.values()))
        return (
            [
                f"{run}: {caution}"
                for run, evaluation in self.evaluations.items()
                for caution in evaluation.cautions
            ]
            + [
                f"{run}: {counted(len(queries), 'query', 'queries')} {what}: "
                f"{', '.join(map(str, queries[:5]))}" + (", …" if len(queries) > 5 else "")
                for run, evaluation in self.evaluations.items()
                for queries, what in (
                    (evaluation.missing_queries, "judged but missing from the run"),
                    (evaluation.unjudged_queries, "in the run but not judged, left out"),
                )
                if queries
            ]
            + words_of_barren(first.no_relevant_queries, first.query_ids)
        )
