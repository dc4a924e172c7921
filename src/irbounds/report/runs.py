"""The page that compares runs: measures with their tie ranges, differences from a baseline, and the
queries behind them."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from irbounds.comparison.alignment import seed_of
from irbounds.comparison.compare import compare_evaluations
from irbounds.comparison.comparison import Comparison
from irbounds.comparison.corrections import alpha_of
from irbounds.comparison.difference import difference_of_means, subtract
from irbounds.comparison.pairwise import check_options
from irbounds.foundation.arguments import check_level, check_text
from irbounds.foundation.errors import InputError, check_choice, counted, fail
from irbounds.foundation.paths import can_reread, is_path, name_of
from irbounds.plot.canvas import shown
from irbounds.plot.systems import differences, tie_ranges
from irbounds.plot.systems import recall_precision_graph as draw_graph
from irbounds.rankings.collection import Qrels, Run
from irbounds.rankings.evaluation import Evaluation
from irbounds.rankings.evaluator import Evaluator
from irbounds.rankings.graphs import recall_precision_graph
from irbounds.rankings.measure import Measure
from irbounds.rankings.measure import measures as all_measures
from irbounds.report.charts import chart
from irbounds.report.page import (
    by_name,
    canonical,
    check_date,
    check_extra,
    file_hash,
    render,
    text_hash,
)

TITLE = "Comparison of runs"
MEASURES = "AP nDCG@10 P@10 RR"
MOST_FORESTS, MOST_GRAPHS, MOST_GAINS, MOST_QUERIES, MOST_COLUMNS = 8, 6, 8, 50, 8
TIES = {
    "expected": "Tied documents count by the mean over all their orders.",
    "best": "Tied documents count in the best order.",
    "worst": "Tied documents count in the worst order.",
    "doc_id": "Ties are broken by document id, as in trec_eval.",
    "given": "Tied documents count in the order of the input.",
}
TESTS = {
    "permutation": "Fisher’s paired randomisation test",
    "t": "Student’s paired t-test",
    "wilcoxon": "Wilcoxon’s signed-rank test",
    "sign": "Sign test",
    "bootstrap": "Paired studentised bootstrap",
}
CORRECTIONS: dict[str | None, str] = {
    None: "not corrected for the number of differences",
    "holm": "corrected for {family} by Holm’s method",
    "bonferroni": "corrected for {family} by Bonferroni’s method",
    "dunnett": "corrected for {family} by Dunnett’s test (Tukey’s HSD is for all pairs)",
}
COMMAND_OPTIONS = (
    "test",
    "correction",
    "family",
    "confidence_level",
    "seed",
    "ties",
    "missing",
    "collection_size",
    "title",
    "date",
)
MISSING = {
    "zero": "A judged query that a run lacks counts as an empty ranking.",
    "error": "Every run has every judged query.",
}


def report_runs(
    qrels: Any,
    runs: Any,
    measures: Any = MEASURES,
    *,
    baseline: str | None = None,
    test: str = "permutation",
    correction: str | None = "holm",
    family: str | None = None,
    confidence_level: float = 0.95,
    seed: int = 0,
    ties: str = "expected",
    missing: str = "zero",
    judged_only: bool = False,
    collection_size: int | None = None,
    title: str = TITLE,
    date: Any = None,
    output: Any = None,
) -> str:
    """A page that compares runs: one self-contained HTML file.

    It has the measures with their ranges over the orders of ties, differences from a baseline with
    intervals and paired tests, whether ties decide them, figures of both, the recall-precision
    graph, the queries with the largest differences, definitions, versions, and hashes of the
    inputs.

    Parameters
    ----------
    qrels : Qrels, path, dict or data frame
    runs : dict of runs by name, or list of runs
        As `evaluate` takes them.  Listed files are called by their names.
    measures : str, list of str, or ir_measures objects
        The first one that is no count is looked at query by query.
    baseline : str, optional
        The name of the run that others are compared with; the first by default.
    test, correction, family, confidence_level
        Of the differences from the baseline; as in `compare`, where "tukey" with a baseline means
        "dunnett".
    seed : int
        Of the tests that resample.
    ties, judged_only, collection_size
        As in `evaluate`.
    missing : {"zero", "error"}
        As in `evaluate`, without "skip": runs are compared on the same queries.
    title : str
    date : datetime.date or str, optional
        As 2026-01-31; today by default.  The same inputs and date give the same bytes.
    output : path, optional
        A file to write the page to as well; it appears whole or not at all.

    Returns
    -------
    str
        The page.

    Raises
    ------
    InputError
        For what `evaluate` and `compare` refuse, and for a baseline that is none of the runs.
    ImportError
        Without Jinja2 or Matplotlib (``pip install "irbounds[report]"``).

    Examples
    --------
    >>> import irbounds as irb
    >>> qrels = {"q1": {"d1": 1, "d2": 0, "d3": 1}}
    >>> runs = {"a": {"q1": {"d1": 0.7, "d2": 0.7}}, "b": {"q1": {"d3": 2.0, "d1": 1.0}}}
    >>> page = irb.report_runs(qrels, runs, "AP P@1", date="2026-01-31")
    >>> "Differences from the baseline, a" in page, "<script" in page
    (True, False)
    """
    check_extra()
    check_choice("missing", missing, MISSING)
    title, date = check_text("title", title), check_date(date)
    judged, *ranked = [
        _Input.of(name, source, kind)
        for name, source, kind in (
            ("qrels" if not is_path(qrels) else next(iter(by_name(qrels, "qrels"))), qrels, Qrels),
            *((name, run, Run) for name, run in by_name(runs, "run").items()),
        )
    ]
    options: dict[str, Any] = {
        "missing": missing,
        "judged_only": judged_only,
        "collection_size": collection_size,
    }
    evaluator = Evaluator(judged.source, measures, ties=ties, bounds=True, **options)
    systems = _Systems({run.name: _evaluate(evaluator, run) for run in ranked}, baseline)
    tests: dict[str, Any] = {
        "test": test,
        "correction": correction,
        "family": family,
        "confidence_level": confidence_level,
    }
    comparison = systems.compare(**tests, rng=seed)
    graphs = {
        run.name: recall_precision_graph(evaluator.qrels, run.source, **options)
        for run in ranked
        if run.name in systems.best(MOST_GRAPHS)
    }
    inputs = [
        {
            "name": judged.name,
            "queries": len(evaluator.qrels),
            "hash": judged.hash,
            "is_file": judged.is_file,
        }
    ]
    for run in ranked:
        evaluation = systems.evaluations[run.name]
        n_queries = (
            len(evaluation.query_ids)
            - len(evaluation.missing_queries)
            + len(evaluation.unjudged_queries)
        )
        inputs.append(
            {"name": run.name, "queries": n_queries, "hash": run.hash, "is_file": run.is_file}
        )
    return render(
        "runs.html.j2",
        output,
        **systems.contents(comparison),
        **_pictures(systems, graphs),
        title=title,
        date=date,
        ties=ties,
        test_words=_said(comparison),
        tie_words=TIES[ties],
        missing_words=MISSING[missing],
        judged_only=judged_only,
        collection_size=collection_size,
        inputs=inputs,
        notes=systems.notes(),
        command=_command(
            judged,
            ranked,
            systems,
            options | tests | {"seed": seed, "ties": ties, "title": title, "date": date},
        ),
    )


@dataclass(frozen=True)
class _Input:
    """Judgments or a run, and the hash of its file."""

    name: str
    source: Any
    hash: str
    is_file: bool

    @classmethod
    def of(cls, name: str, source: Any, kind: Any) -> _Input:
        if is_path(source) and can_reread(source):
            return cls(name, source, file_hash(source), True)
        whole = kind.of(source)
        return cls(
            "standard input" if name == "-" else name,
            whole,
            text_hash(canonical(whole.to_dict())),
            False,
        )


def _evaluate(evaluator: Evaluator, run: _Input) -> Evaluation:
    """An evaluation; an error names the run."""
    try:
        return evaluator.evaluate(run.source)
    except InputError as error:
        raise (
            error if run.is_file else InputError(f"{run.name}: {str(error).removeprefix('run: ')}")
        ) from None


@dataclass(frozen=True)
class Cell:
    """A number with its range over the orders of ties."""

    value: float
    low: float
    high: float
    digits: int = 4
    top: bool = False


@dataclass(frozen=True)
class Measured:
    """The column of a measure."""

    name: str
    is_sum: bool
    lower_is_better: bool

    def gain(self, values: Any) -> Any:
        """Values of which higher is better."""
        return -values if self.lower_is_better else values


class _Systems:
    """Evaluations of all runs, and the contents of the page."""

    def __init__(self, evaluations: dict[str, Evaluation], baseline: str | None) -> None:
        self.evaluations = evaluations
        self.baseline = next(iter(evaluations)) if baseline is None else baseline
        if not isinstance(self.baseline, str) or self.baseline not in evaluations:
            fail(
                "baseline", f"must be one of the runs, {', '.join(list(evaluations)[:5])}", baseline
            )
        first = evaluations[self.baseline]
        specs = [Measure.parse(name).spec for name in first.measures]
        self.measures = [
            Measured(name, spec.is_sum, spec.lower_is_better)
            for name, spec in zip(first.measures, specs, strict=True)
        ]
        self.definitions = [
            info for info in all_measures() if info.name in {spec.name for spec in specs}
        ]
        self.primary = next(
            (measure for measure in self.measures if not measure.is_sum), self.measures[0]
        )
        self.query_ids = first.query_ids

    def best(self, n: int) -> list[str]:
        """The baseline and the best other runs, n in all."""
        measure = self.primary
        gains = {
            name: measure.gain(evaluation.mean[measure.name])
            for name, evaluation in self.evaluations.items()
        }
        others = sorted(
            (name for name in gains if name != self.baseline),
            key=lambda name: -gains[name] if not math.isnan(gains[name]) else math.inf,
        )
        return [self.baseline, *others[: n - 1]]

    def compare(self, **options: Any) -> Comparison | None:
        """Tests of the differences from the baseline, by measures that have means; None if there
        are none."""
        names = [
            measure.name
            for measure in self.measures
            if not measure.is_sum
            and all(
                math.isfinite(evaluation.mean[measure.name])
                for evaluation in self.evaluations.values()
            )
        ]
        if len(self.evaluations) == 1 or not names:
            check_options(options["test"], options["correction"], options["family"], self.baseline)
            check_level(options["confidence_level"])
            seed_of(options["rng"])
            return None
        columns = [[measure.name for measure in self.measures].index(name) for name in names]

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
        tops = {measure.name: self._top(measure) for measure in self.measures}
        runs = [
            {
                "name": name,
                "is_baseline": name == self.baseline,
                "cells": [
                    self._summary(evaluation, measure, tops[measure.name])
                    for measure in self.measures
                ],
            }
            for name, evaluation in self.evaluations.items()
        ]
        columns = self.best(MOST_COLUMNS)
        return {
            "runs": runs,
            "measures": [measure.name for measure in self.measures],
            "primary": self.primary.name,
            "baseline": self.baseline,
            "definitions": self.definitions,
            "n_queries": counted(len(self.query_ids), "query", "queries"),
            "comparisons": [
                self._comparison(name, evaluation, measure)
                | {"tested": tested.get((name, measure.name))}
                for measure in self.measures
                if not measure.is_sum
                for name, evaluation in self.evaluations.items()
                if name != self.baseline
            ],
            "several": len(self.evaluations) > 1,
            "queries": self._queries(columns),
            "query_runs": columns,
            "all_queries": len(self.query_ids) <= MOST_QUERIES,
        }

    def _top(self, measure: Measured) -> float:
        """The best mean; nan if none is to be marked."""
        gains = [
            measure.gain(evaluation.mean[measure.name]) for evaluation in self.evaluations.values()
        ]
        return math.nan if measure.is_sum or len(set(gains)) == 1 else max(gains)

    def _summary(self, evaluation: Evaluation, measure: Measured, top: float) -> Cell:
        value, (low, high) = (
            evaluation.summary[measure.name],
            evaluation.summary_bounds[measure.name],
        )
        return Cell(value, low, high, 0 if measure.is_sum else 4, measure.gain(value) == top)

    def _comparison(self, name: str, evaluation: Evaluation, measure: Measured) -> dict[str, Any]:
        """The comparison of one run with the baseline by one measure."""
        base = self.evaluations[self.baseline]
        mean, base_mean = evaluation.mean[measure.name], base.mean[measure.name]
        bounds, base_bounds = evaluation.mean_bounds[measure.name], base.mean_bounds[measure.name]
        gain = measure.gain(subtract(evaluation[measure.name], base[measure.name]))
        cell = Cell(
            difference_of_means(mean, base_mean),
            difference_of_means(bounds[0], base_bounds[1]),
            difference_of_means(bounds[1], base_bounds[0]),
        )
        return {
            "run": name,
            "measure": measure.name,
            "cell": cell,
            "better": int((gain > 0).sum()),
            "worse": int((gain < 0).sum()),
            "same": int((~(gain > 0) & ~(gain < 0)).sum()),
            "ties_decide": cell.low <= 0 <= cell.high and cell.low < cell.high,
        }

    def _queries(self, columns: list[str]) -> list[dict[str, Any]]:
        """The queries with the largest differences; for a single run, those with the widest ranges
        over ties."""
        name = self.primary.name
        values = np.array([evaluation[name] for evaluation in self.evaluations.values()])
        bounds = [evaluation.bounds(name) for evaluation in self.evaluations.values()]
        with np.errstate(invalid="ignore"):
            spread = (
                values.max(axis=0) - values.min(axis=0)
                if len(values) > 1
                else bounds[0][1] - bounds[0][0]
            )
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

    def notes(self) -> list[str]:
        """Queries missing from runs, and queries of runs without judgments."""
        return [
            f"{run}: {counted(len(queries), 'query', 'queries')} {what}: "
            f"{', '.join(map(str, queries[:5]))}" + (", …" if len(queries) > 5 else "")
            for run, evaluation in self.evaluations.items()
            for queries, what in (
                (evaluation.missing_queries, "judged but missing from the run"),
                (evaluation.unjudged_queries, "in the run but not judged, left out"),
            )
            if queries
        ]


def _pictures(systems: _Systems, graphs: dict[str, Any]) -> dict[str, Any]:
    """Figures as SVG, by their names in the template."""
    evaluations, baseline, first = systems.evaluations, systems.baseline, systems.primary.name
    forests = [measure.name for measure in systems.measures if not measure.is_sum][:MOST_FORESTS]
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
                f"{name} of all runs, with tie ranges",
                "A row for each run, best first: its mean as a point, from the worst to the best "
                "order of "
                "tied documents as a bar. The numbers are in the table of measures.",
                draw_forest(name),
                (5.2, max(1.6, 0.95 + 0.27 * len(evaluations))),
            )
            for i, name in enumerate(forests)
        ],
        "graph": chart(
            "graph",
            "Recall-precision graph",
            "Precision at recall 0, 0.05, …, 1, a line for each run, with bands from the worst to "
            "the best "
            "order of tied documents.",
            lambda ax: draw_graph(graphs, ax),
            (7.2, 4.2),
        ),
        "graph_runs": len(graphs),
        "gains": [
            chart(
                f"gain{i}",
                f"{first} of {name} less that of {baseline}",
                "A bar for each query, from the greatest gain to the greatest loss, with the "
                "range over the "
                "orders of ties.",
                draw_gain(name),
                (5.2, 2.8),
            )
            for i, name in enumerate(others)
        ],
    }


def _said(comparison: Comparison | None) -> str:
    """The explanation of the tests' columns."""
    if comparison is None:
        return ""
    resampled = (
        ""
        if comparison.seed is None
        else f", {comparison.resamples} resamples, seed {comparison.seed}"
    )
    level = comparison.confidence_level
    family = "all differences" if comparison.family == "all" else "the differences by each measure"
    correction = CORRECTIONS[comparison.correction].format(family=family)
    estimand = comparison.differences[0].estimand
    others = "" if estimand == "mean" else " other than 0"
    reasons = dict.fromkeys(one.reason for one in comparison.differences if one.reason is not None)
    missing = "".join(f" No interval: {reason}." for reason in reasons)
    return (
        f"{TESTS[comparison.test]}{resampled}; p {correction}, bold where below "
        f"{alpha_of(level):.10g}. Interval: "
        f"{100 * level:.10g}\N{NO-BREAK SPACE}%, of the {estimand} of the "
        f"differences{others}.{missing} Effect: "
        "the mean difference over the standard deviation of the differences."
    )


def _command(
    judged: _Input, ranked: list[_Input], systems: _Systems, options: dict[str, Any]
) -> str | None:
    """The command that makes this page, if all inputs are files."""
    if not all(item.is_file for item in (judged, *ranked)):
        return None
    parts = [
        "irbounds",
        "report",
        "runs",
        *(name_of(item.source) for item in (judged, *ranked)),
        "-m",
        " ".join(measure.name for measure in systems.measures),
        "--baseline",
        systems.baseline,
    ]
    options = options | {"correction": options["correction"] or "none"}
    for name in COMMAND_OPTIONS:
        if options[name] is not None and (name, options[name]) != ("title", TITLE):
            parts += [f"--{name.replace('_', '-')}", str(options[name])]
    return shlex.join(
        [*parts, *(["--judged-only"] if options["judged_only"] else []), "-o", "runs.html"]
    )
