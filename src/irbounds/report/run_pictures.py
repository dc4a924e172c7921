"""The pictures of the page that compares runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from irbounds.comparison.runs.comparison import Comparison
from irbounds.plot.canvas import shown
from irbounds.plot.systems import differences, tie_ranges
from irbounds.plot.systems import recall_precision_graph as draw_graph
from irbounds.plot.unjudged import unjudged_differences, unjudged_ranges
from irbounds.report.charts import HALF, WIDE, chart
from irbounds.report.systems import Systems

MOST_FORESTS, MOST_GAINS = 8, 8


def pictures(systems: Systems, graphs: dict[str, Any], has_tie_ranges: bool) -> dict[str, Any]:
    """Figures as SVG, by their names in the template."""
    evaluations, baseline, first = systems.evaluations, systems.baseline, systems.primary
    if not has_tie_ranges:
        evaluations = {
            run: replace(evaluation, low=None, high=None) for run, evaluation in evaluations.items()
        }
    forests = [measure for measure in systems.measures if not measure.spec.is_sum][:MOST_FORESTS]
    others = systems.best(MOST_GAINS + 1)[1:]

    def draw_forest(name: str) -> Callable[[Any], Any]:
        return lambda ax: tie_ranges(evaluations, name, ax, baseline=baseline if others else None)

    def draw_gain(name: str) -> Callable[[Any], Any]:
        return lambda ax: differences(
            evaluations[baseline],
            evaluations[name],
            first,
            ax,
            names=(shown(baseline), shown(name)),
        )

    return {
        "forests": [
            chart(
                f"ties{i}",
                f"{name} of all runs" + ", with tie ranges" * has_tie_ranges,
                "A row for each run, best first: its mean as a point"
                + ", from the worst to the best order of tied documents as a bar" * has_tie_ranges
                + ". The numbers are in the table of measures.",
                draw_forest(name),
                (HALF, max(1.6, 0.95 + 0.27 * len(evaluations))),
            )
            for i, name in enumerate(forests)
        ],
        "graph": graphs
        and chart(
            "graph",
            "Recall-precision graph",
            "Precision at recall 0, 0.05, …, 1, a line for each run, with bands from the worst to "
            "the best order of tied documents.",
            lambda ax: draw_graph(graphs, ax),
            (WIDE, 4.2),
        ),
        "graph_runs": len(graphs),
        "gains": [
            chart(
                f"gain{i}",
                f"{first} of {name} less that of {baseline}",
                "A bar for each query, from the greatest gain to the greatest loss"
                + ", with the range over the orders of ties" * has_tie_ranges
                + ".",
                draw_gain(name),
                (HALF, 2.8),
            )
            for i, name in enumerate(others)
        ],
    }


def label_pictures(systems: Systems, comparison: Comparison | None) -> list[str]:
    """Ranges of the runs, and of their differences from the baseline, over labels of unjudged
    documents."""
    evaluations = systems.evaluations
    names = [measure for measure in systems.measures if not measure.spec.is_sum][:MOST_FORESTS]
    baseline = systems.baseline if len(evaluations) > 1 else None
    size = (HALF, max(1.6, 0.95 + 0.27 * len(evaluations)))

    def draw_ranges(name: str) -> Callable[[Any], Any]:
        return lambda ax: unjudged_ranges(evaluations, name, ax, baseline=baseline)

    def draw_differences(name: str) -> Callable[[Any], Any]:
        assert comparison is not None
        return lambda ax: unjudged_differences(comparison, name, ax)

    compared = {one.measure for one in comparison.differences} if comparison else set()
    found = []
    for i, name in enumerate(names):
        found.append(
            chart(
                f"labels{i}",
                f"{name} of all runs over labels of unjudged documents",
                "A row for each run, best first: its mean as a point, its range over the orders of "
                "ties as a bar, that over all labels of unjudged documents as a pale bar.",
                draw_ranges(name),
                size,
            )
        )
        if name in compared:
            found.append(
                chart(
                    f"undone{i}",
                    f"{name}: differences over labels of unjudged documents",
                    "A row for each run: its difference from the baseline as a point, its range "
                    "over labels as a bar, pale where the bar reaches 0.",
                    draw_differences(name),
                    size,
                )
            )
    return found
