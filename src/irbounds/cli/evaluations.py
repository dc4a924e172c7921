"""How evaluations are shown."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from irbounds.cli.output import (
    as_csv,
    as_json,
    as_json_lines,
    as_latex,
    as_table,
    as_wrapped_table,
    complain,
    with_progress,
    write,
)
from irbounds.foundation.errors import InputError, counted
from irbounds.rankings.evaluation import Evaluation
from irbounds.rankings.evaluator import Evaluator
from irbounds.rankings.many import in_threads
from irbounds.rankings.measure import measures
from irbounds.rankings.measure_table import SPECS

FORMATS = ("table", "csv", "json", "jsonl", "latex")
SUMMARY = "all"  # stands for the query in the rows of summaries
Named = tuple[str, Evaluation]
Cells = dict[str, tuple[float, float, float]]


def notes(run: str, evaluation: Evaluation) -> Iterator[str]:
    """What a user should know beside the numbers."""
    return notes_on_queries(run, evaluation.missing_queries, evaluation.unjudged_queries)


def notes_on_queries(run: str, missing: Sequence[Any], unjudged: Sequence[Any]) -> Iterator[str]:
    """Of the queries in which a run and the judgments differ."""
    for queries, what in (
        (missing, "judged but missing from the run"),
        (unjudged, "in the run but not judged, left out"),
    ):
        if queries:
            more = ", …" if len(queries) > 3 else ""
            yield (
                f"{run}: {counted(len(queries), 'query', 'queries')} {what}: "
                f"{', '.join(map(str, queries[:3]))}{more}"
            )


def evaluate_runs(
    evaluator: Evaluator,
    runs: Sequence[str],
    jobs: int,
    keep_going: bool,
    format: str,
    per_query: bool,
    path: str | None,
) -> bool:
    """Evaluate runs and write the results, rows of csv and jsonl as they come.  Whether all could
    be evaluated."""
    streams = format in ("csv", "jsonl") and path in (None, "-")
    evaluations: list[Named] = []
    n_failed = n_written = 0
    for run, found in with_progress(
        in_threads(evaluator.evaluate, [(run, run) for run in runs], jobs), len(runs)
    ):
        if isinstance(found, InputError):
            if not keep_going:
                raise found
            complain([str(found)])
            n_failed += 1
            continue
        complain(notes(run, found))
        evaluations.append((run, found))
        if streams:
            write_evaluations(evaluations, format, per_query, path, is_first=n_written == 0)
            n_written += 1
            evaluations.clear()
    if evaluations:
        write_evaluations(evaluations, format, per_query, path)
    return n_failed == 0


def write_evaluations(
    evaluations: list[Named],
    format: str,
    per_query: bool,
    path: str | None = None,
    *,
    is_first: bool = True,
) -> None:
    """Means of every run, and a row for each query where wanted.  Only the first rows of csv have a
    header."""
    if format == "json":
        text = as_json([_as_dict(run, evaluation, per_query) for run, evaluation in evaluations])
    elif format == "jsonl":
        text = as_json_lines(
            record
            for run, evaluation in evaluations
            for record in _records(run, evaluation, per_query)
        )
    elif format == "csv":
        header, rows = _wide(evaluations, per_query)
        text = as_csv(header if is_first else None, rows)
    else:
        header, rows = _for_people(evaluations, per_query)
        text = (as_latex if format == "latex" else as_table)(
            header, rows, numbers_from=2 if per_query else 1
        )
    write(text, path)


def write_measures(format: str) -> None:
    """The list of measures."""
    if format == "json":
        write(
            as_json(
                [
                    {
                        "name": info.name,
                        "form": info.form,
                        "definition": info.definition,
                        "ties": info.tie_rule,
                        "source": info.source,
                        "parameters": info.parameters,
                    }
                    for info in measures()
                ]
            )
        )
        return
    rows = [
        [
            info.form,
            f"{info.definition} Ties: {info.tie_rule}",
            ", ".join(info.parameters),
            info.source,
        ]
        for info in measures()
    ]
    write(as_wrapped_table(["measure", "what it is", "parameters", "source"], rows))


def _rows(evaluation: Evaluation, per_query: bool) -> Iterator[tuple[str | None, Cells]]:
    """(query, {measure: (value, low, high)}), the queries first, the summary (None) last."""
    if per_query:
        low = evaluation.values if evaluation.low is None else evaluation.low
        high = evaluation.values if evaluation.high is None else evaluation.high
        for i, query in enumerate(evaluation.query_ids):
            yield (
                str(query),
                {
                    name: (float(evaluation.values[i, j]), float(low[i, j]), float(high[i, j]))
                    for j, name in enumerate(evaluation.measures)
                },
            )
    bounds = {} if evaluation.low is None else evaluation.summary_bounds
    yield (
        None,
        {
            name: (value, *bounds.get(name, (value, value)))
            for name, value in evaluation.summary.items()
        },
    )


def is_sum(measure: str) -> bool:
    """Whether a measure's summary is a total."""
    return SPECS[measure.split("(")[0]].is_sum if measure.split("(")[0] in SPECS else False


def _wide(evaluations: list[Named], per_query: bool) -> tuple[list[str], list[list[Any]]]:
    names = evaluations[0][1].measures
    has_bounds = evaluations[0][1].low is not None
    header = ["run", "query_id"]
    for name in names:
        header += [name, f"{name}.low", f"{name}.high"] if has_bounds else [name]
    rows = [
        [
            run,
            query or SUMMARY,
            *(x for name in names for x in cells[name][: 3 if has_bounds else 1]),
        ]
        for run, evaluation in evaluations
        for query, cells in _rows(evaluation, per_query)
    ]
    return header, rows


def _for_people(evaluations: list[Named], per_query: bool) -> tuple[list[str], list[list[str]]]:
    has_bounds = evaluations[0][1].low is not None
    header = ["run", *(["query"] if per_query else []), *evaluations[0][1].measures]
    rows = [
        [
            run,
            *([query or SUMMARY] if per_query else []),
            *(_cell(name, cell, has_bounds) for name, cell in cells.items()),
        ]
        for run, evaluation in evaluations
        for query, cells in _rows(evaluation, per_query)
    ]
    return header, rows


def _cell(name: str, cell: tuple[float, float, float], has_bounds: bool) -> str:
    value, low, high = (short(x, is_sum(name)) for x in cell)
    return f"{value} [{low}, {high}]" if has_bounds and not is_sum(name) else value


def short(value: float, whole: bool = False) -> str:
    """Four decimals, as trec_eval prints."""
    if math.isinf(value):
        return "∞"
    return f"{value:.0f}" if whole else f"{value:.4f}"


def _as_dict(run: str, evaluation: Evaluation, per_query: bool) -> dict[str, Any]:
    record: dict[str, Any] = {
        "run": run,
        "ties": evaluation.ties,
        "n_queries": len(evaluation.query_ids),
        "values": evaluation.summary,
    }
    if evaluation.low is not None:
        record["bounds"] = {name: list(pair) for name, pair in evaluation.summary_bounds.items()}
    record["missing_queries"] = list(evaluation.missing_queries)
    record["unjudged_queries"] = list(evaluation.unjudged_queries)
    if per_query:
        record["queries"] = evaluation.to_dict()
    return record


def _records(run: str, evaluation: Evaluation, per_query: bool) -> Iterator[dict[str, Any]]:
    for query, cells in _rows(evaluation, per_query):
        for name, (value, low, high) in cells.items():
            record = {
                "run": run,
                **({} if query is None else {"query_id": query}),
                "measure": name,
                "value": value,
            }
            if evaluation.low is not None:
                record.update(low=low, high=high)
            yield record
