"""`irbounds eval`: runs against relevance judgments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import irbounds
from irbounds.cli import options
from irbounds.cli.help import declare
from irbounds.cli.intervals import Asked, foot_lines, intervals_of, shown_interval
from irbounds.cli.labels import (
    COLUMNS,
    KEYS,
    Labels,
    as_dicts,
    label_rows,
    read_hidden,
    read_treatment,
)
from irbounds.cli.notes import notes_on_queries, warnings_as_notes
from irbounds.cli.read import check_read_once
from irbounds.cli.render import Report, Table, short, write_parts
from irbounds.cli.screen import complain, with_progress

if TYPE_CHECKING:
    from irbounds.foundation.interval import Interval
    from irbounds.rankings.evaluation import Evaluation
    from irbounds.rankings.measure import Measure

SUMMARY = "all"  # stands for the query in the rows of summaries
Cells = dict["Measure", tuple[float, float, float]]


@declare(
    "eval",
    'irbounds eval qrels.txt bm25.run dense.run.gz -m "AP nDCG@10" --bounds',
    "irbounds eval qrels.txt bm25.run --per-query -f csv -o scores.csv",
)
@options.qrels
@options.runs
@options.measures
@options.ties
@options.bounds
@options.flag(
    "--interval", help="Add an interval of each mean over queries like these, by --method."
)
@options.method("Method of --interval: t, hall, bca, guaranteed or bayesian-bootstrap; t.")
@options.confidence_level
@options.side
@options.flag("--per-query", "-q", help="Add a row for each query.")
@options.missing
@options.judged_only
@options.collection_size
@options.unjudged
@options.unjudged_hidden
@options.max_grade
@options.option(
    "--jobs", "-j", type=int, default=1, help="Number of runs that are evaluated at the same time."
)
@options.flag(
    "--keep-going",
    "-k",
    help="Leave out runs that cannot be evaluated; the exit status is then 2.",
)
@options.ranking_format
@options.output
def command(
    qrels: str,
    runs: Sequence[str],
    measures: Sequence[str],
    ties: str,
    bounds: bool,
    interval: bool,
    method: str | None,
    confidence_level: float,
    side: str,
    per_query: bool,
    missing: str,
    judged_only: bool,
    collection_size: int | None,
    unjudged: str,
    unjudged_hidden: str | None,
    max_grade: float | None,
    jobs: int,
    keep_going: bool,
    format: str,
    output: str | None,
) -> int:
    """Evaluate runs against relevance judgments.

    Counts are added up over the queries; other measures are averaged. The row of such a summary
    has the query "all" in CSV and no query_id in JSON lines. Infinite values are inf in CSV and
    null in JSON.
    """
    from irbounds.foundation.errors import InputError
    from irbounds.foundation.paths import short_names
    from irbounds.rankings.cautions import RunWarning
    from irbounds.rankings.many import in_threads

    check_read_once(qrels, *runs)
    evaluator = irbounds.Evaluator(
        qrels,
        " ".join(measures),
        ties=ties,
        bounds=bounds,
        missing=missing,
        judged_only=judged_only,
        collection_size=collection_size,
        unjudged=read_treatment(unjudged),
        unjudged_hidden=read_hidden(unjudged_hidden),
        max_grade=max_grade,
    )
    failed: list[str] = []
    asked = Asked(method, confidence_level, side) if interval else None

    def reports() -> Iterator[Report]:
        named = zip(short_names(list(runs)), runs, strict=True)
        outcomes = in_threads(evaluator.evaluate, named, jobs)
        for run, found in with_progress(outcomes, len(runs)):
            if isinstance(found, InputError):
                if not keep_going:
                    raise found
                complain([str(found)])
                failed.append(run)
                continue
            complain(notes_on_queries(run, found.missing_queries, found.unjudged_queries))
            yield Evaluated([(run, found)], per_query, asked)

    with warnings_as_notes(RunWarning):
        write_parts(reports(), joined, format, output)
    return 2 if failed else 0


class Evaluated(Report):
    """Evaluations of runs: means, and a row for each query where wanted."""

    def __init__(
        self,
        evaluations: Sequence[tuple[str, Evaluation]],
        per_query: bool,
        asked: Asked | None = None,
    ) -> None:
        super().__init__()
        self.asked = asked
        self.intervals: dict[str, dict[str, Interval]] = {
            run: intervals_of(evaluation, asked) if asked else {} for run, evaluation in evaluations
        }
        self.evaluations = evaluations
        self.per_query = per_query
        self.names = evaluations[0][1].measures
        self.has_bounds = evaluations[0][1].low is not None
        self.has_labels = evaluations[0][1].unjudged_low is not None

    def _rows(self) -> Iterator[tuple[str, str | None, Cells]]:
        for run, evaluation in self.evaluations:
            for query, cells in _rows(evaluation, self.per_query):
                yield run, query, cells

    def _labels(self) -> Iterator[list[Labels]]:
        for _, evaluation in self.evaluations:
            yield from label_rows(evaluation, self.per_query)

    def data(self) -> Table:
        """A column for each measure, with bounds also its .low and .high; those over labels
        last."""
        header = ["run", "query_id"]
        for name in self.names:
            header += [name, f"{name}.low", f"{name}.high"] if self.has_bounds else [name]
            header += [f"{name}.interval_low", f"{name}.interval_high"] if self.asked else []
        if self.has_labels:
            header += [f"{name}.{key}" for name in self.names for key in KEYS]
        n = 3 if self.has_bounds else 1
        rows = [
            [
                run,
                query or SUMMARY,
                *(
                    x
                    for name in self.names
                    for x in (*cells[name][:n], *self._ends(run, query, name))
                ),
                *(x for own in labels for x in own),
            ]
            for (run, query, cells), labels in zip(self._rows(), self._labels(), strict=True)
        ]
        return Table(header, rows)

    def _ends(self, run: str, query: str | None, name: str) -> tuple[Any, ...]:
        """Those of the interval of a mean; of a query or a total there is none."""
        interval = None if query is not None else self.intervals[run].get(name)
        empty = ("", "") if self.asked else ()
        return empty if interval is None else (interval.low, interval.high)

    def shown(self) -> Table:
        """A cell for each measure, bounds in it; with those over labels two more."""
        if self.has_labels:
            return self._shown_with_labels()
        query_column = ["query"] if self.per_query else []
        rows = [
            [
                run,
                *([query or SUMMARY] if self.per_query else []),
                *(
                    _cell(name, cell, self.has_bounds)
                    + shown_interval(self.intervals[run].get(name) if query is None else None)
                    for name, cell in cells.items()
                ),
            ]
            for run, query, cells in self._rows()
        ]
        return Table(["run", *query_column, *self.names], rows, 1 + len(query_column))

    def _shown_with_labels(self) -> Table:
        rows = []
        for (run, query, cells), labels in zip(self._rows(), self._labels(), strict=True):
            row = [run, *([query or SUMMARY] if self.per_query else [])]
            for (name, cell), own in zip(cells.items(), labels, strict=True):
                interval = self.intervals[run].get(name) if query is None else None
                row.append(_cell(name, cell, self.has_bounds) + shown_interval(interval))
                row += own.cells(partial(_number, name))
            rows.append(row)
        query_column = ["query"] if self.per_query else []
        header = ["run", *query_column, *(x for name in self.names for x in (name, *COLUMNS))]
        return Table(header, rows, 1 + len(query_column))

    def document(self) -> list[dict[str, Any]]:
        """A record for each run."""
        records = []
        for run, evaluation in self.evaluations:
            record = _as_dict(run, evaluation, self.per_query)
            if self.asked:
                record["intervals"] = {
                    name: interval.to_dict() for name, interval in self.intervals[run].items()
                }
            records.append(record)
        return records

    def notes(self) -> Sequence[str]:
        """The meaning of the brackets."""
        return foot_lines(self.asked, self.has_bounds) if self.asked else ()

    def records(self) -> Iterator[dict[str, Any]]:
        """A record for each run, query and measure."""
        for (run, query, cells), labels in zip(self._rows(), self._labels(), strict=True):
            for place, (name, (value, low, high)) in enumerate(cells.items()):
                record = {
                    "run": run,
                    **({} if query is None else {"query_id": query}),
                    "measure": name,
                    "value": value,
                }
                if self.has_bounds:
                    record.update(low=low, high=high)
                ends = self._ends(run, query, name)
                if ends and ends[0] != "":
                    record.update(interval_low=ends[0], interval_high=ends[1])
                if labels:
                    record.update(zip(KEYS, labels[place], strict=True))
                yield record

    def trec(self) -> str:
        """Measure, query and value between tabs; a line `runid` where there are several runs."""
        lines = []
        for run, evaluation in self.evaluations:
            if len(self.evaluations) > 1:
                lines.append(f"{'runid':<22}\t{SUMMARY}\t{run}\n")
            for query, cells in _rows(evaluation, self.per_query):
                for name, (value, _, _) in cells.items():
                    lines.append(f"{name:<22}\t{query or SUMMARY}\t{_number(name, value)}\n")
        return "".join(lines)


def joined(parts: list[Report]) -> Report:
    """The evaluations of several reports in one."""
    reports = [part for part in parts if isinstance(part, Evaluated)]
    evaluations = [named for report in reports for named in report.evaluations]
    whole = Evaluated(evaluations, reports[0].per_query)
    whole.asked = reports[0].asked
    whole.intervals = {run: found for part in reports for run, found in part.intervals.items()}
    return whole


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
            measure: (value, *bounds.get(measure, (value, value)))
            for measure, value in zip(evaluation.measures, evaluation.summary.values(), strict=True)
        },
    )


def _number(measure: Measure, value: float) -> str:
    return short(value, measure.spec.is_sum)


def _cell(measure: Measure, cell: tuple[float, float, float], has_bounds: bool) -> str:
    value, low, high = (_number(measure, x) for x in cell)
    return f"{value} [{low}, {high}]" if has_bounds and not measure.spec.is_sum else value


def _as_dict(run: str, evaluation: Evaluation, per_query: bool) -> dict[str, Any]:
    record: dict[str, Any] = {
        "run": run,
        "ties": evaluation.ties,
        "n_queries": len(evaluation.query_ids),
        "values": evaluation.summary,
    }
    if evaluation.low is not None:
        record["bounds"] = {name: list(pair) for name, pair in evaluation.summary_bounds.items()}
    record |= as_dicts(evaluation)
    record["missing_queries"] = list(evaluation.missing_queries)
    record["unjudged_queries"] = list(evaluation.unjudged_queries)
    if per_query:
        record["queries"] = evaluation.to_dict()
    return record
