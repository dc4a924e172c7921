"""Evaluations of runs in all output formats."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from irbounds.cli.rankings.intervals import (
    Asked,
    foot_lines,
    intervals_of,
    queries_line,
    shown_interval,
)
from irbounds.cli.rankings.labels import COLUMNS, KEYS, as_dicts, label_cells
from irbounds.cli.terminal.output import (
    csv_texts,
    interleaved,
    json_numbers,
    json_texts,
    number_texts,
    short_texts,
)
from irbounds.cli.terminal.render import Report, Table, short
from irbounds.foundation.writing import Columns, as_csv, as_json, as_json_text, wrapped

if TYPE_CHECKING:
    import numpy as np

    from irbounds.cli.rankings.trec_output import RunText
    from irbounds.foundation.interval import Interval
    from irbounds.rankings.data.evaluation import Evaluation
    from irbounds.rankings.measure_table.measure import Measure

SUMMARY = "all"  # stands for the query in the rows of summaries
QUERIES = "queries"  # the key of the numbers by query, in JSON
Settings = dict[str, Any]


class Evaluated(Report):
    """Evaluations of runs: means, and a row for each query where wanted.

    settings: by run, what tells what its numbers depend on; groups: those of the queries, for the
    line below a table without intervals.
    """

    def __init__(
        self,
        evaluations: Sequence[tuple[str, Evaluation]],
        per_query: bool,
        asked: Asked | None = None,
        settings: Mapping[str, Callable[[], Settings]] | None = None,
        text: RunText | None = None,
        groups: Mapping[Any, str] | None = None,
    ) -> None:
        super().__init__()
        self.texts = {} if text is None else {run: text for run, _ in evaluations}
        self.asked = asked
        self.groups = groups
        self.intervals: dict[str, dict[str, Interval]] = {
            run: intervals_of(evaluation, asked) if asked else {} for run, evaluation in evaluations
        }
        self.evaluations = evaluations
        self.per_query = per_query
        self.settings = dict(settings or {})
        self.remarks: list[str] = []  # last below the table
        self.names = evaluations[0][1].measures
        self.has_bounds = evaluations[0][1].low is not None
        self.has_labels = evaluations[0][1].unjudged_low is not None

    def _settings(self, run: str) -> Settings:
        return self.settings[run]() if run in self.settings else {}

    def _settings_of_rows(self, run: str) -> Settings:
        """The same with what holds for all intervals, which have no records of their own."""
        asked = self.asked
        if asked is None:
            return self._settings(run)
        names = ("method", "confidence_level", "side", "limits")
        return self._settings(run) | {name: getattr(asked, name) for name in names}

    def _columns(
        self, run: str, evaluation: Evaluation
    ) -> dict[str, dict[str, tuple[np.ndarray | None, Any]]]:
        """{measure: {what: (values of the queries, or None, and of the summary)}}."""
        by_query = evaluation.columns()
        columns: dict[str, dict[str, tuple[np.ndarray | None, Any]]] = {}
        for name, value in evaluation.summary.items():
            own: dict[str, tuple[np.ndarray | None, Any]] = {"value": (by_query[name], value)}
            if self.has_bounds:
                ends = evaluation.summary_bounds[name]
                for key, end in zip(("low", "high"), ends, strict=True):
                    own[key] = by_query[f"{name}.{key}"], end
            if self.asked:
                interval = self.intervals[run].get(name)  # a total has none
                for key in ("low", "high"):
                    own[f"interval_{key}"] = (
                        None,
                        "" if interval is None else getattr(interval, key),
                    )
                if self.asked.method is None:  # the default, which depends on the values
                    own["interval_method"] = None, "" if interval is None else interval.method
            if self.has_labels:
                ends = evaluation.summary_unjudged_bounds[name]
                for key, end in zip(KEYS, (*ends, evaluation.judged_means[name]), strict=True):
                    own[key] = by_query[f"{name}.{key}"], end
            columns[name] = own
        return columns

    def csv(self, has_header: bool = True) -> str:
        """A column for each measure, with bounds also its .low and .high; those over labels
        last; settings in the rows of summaries."""
        parts: list[str] = []
        for run, evaluation in self.evaluations:
            flat = {
                name if key == "value" else f"{name}.{key}": column
                for of_labels in (False, True)
                for name, own in self._columns(run, evaluation).items()
                for key, column in own.items()
                if (key in KEYS) == of_labels
            }
            if has_header and not parts:
                parts.append(as_csv(["run", "query_id", *flat, "settings"], []))
            if self.per_query:
                cells: list[Any] = [itertools.repeat(f"{csv_texts([run])[0]},")]
                cells.append(csv_texts(evaluation.query_ids))
                for values, _ in flat.values():
                    cells.append(
                        itertools.repeat(",") if values is None else number_texts(values, ",")
                    )
                parts += interleaved(*cells, itertools.repeat(",\n"))
            totals = (total for _, total in flat.values())
            parts.append(
                as_csv(None, [[run, SUMMARY, *totals, as_json_text(self._settings_of_rows(run))]])
            )
        return "".join(parts)

    def shown(self) -> Table:
        """A cell for each measure, bounds in it; with those over labels two more."""
        names = ["run", "query"] if self.per_query else ["run"]
        header = [x for name in self.names for x in (name, *(COLUMNS * self.has_labels))]
        columns: list[list[str]] = [[] for _ in (*names, *header)]
        for run, evaluation in self.evaluations:
            queries = list(map(str, evaluation.query_ids)) if self.per_query else []
            own = [[run] * (len(queries) + 1)]
            if self.per_query:
                own.append([*queries, SUMMARY])
            for place, name in enumerate(evaluation.measures):
                cell = _summary_cell(evaluation, name)
                cell += shown_interval(self.intervals[run].get(name))
                own.append([*(_cells(evaluation, place) if self.per_query else ()), cell])
                if self.has_labels:
                    number = partial(short, whole=name.spec.is_sum)
                    own += label_cells(evaluation, place, self.per_query, number)
            for column, more in zip(columns, own, strict=True):
                column += more
        return Table([*names, *header], Columns(columns), len(names))

    def document(self) -> list[dict[str, Any]]:
        """A record for each run."""
        records = []
        for run, evaluation in self.evaluations:
            record = {"run": run, **self._settings(run), **_as_dict(evaluation)}
            if self.asked:
                record["intervals"] = {
                    name: interval.to_dict() for name, interval in self.intervals[run].items()
                }
            records.append(record)
        return records

    def json(self) -> str:
        """The records, with a line for each query where wanted."""
        texts = []
        for record, (_, evaluation) in zip(self.document(), self.evaluations, strict=True):
            text = as_json([record]).removeprefix("[\n").removesuffix("\n  }\n]\n")
            if self.per_query:
                text += f',\n    "{QUERIES}": {_by_query(evaluation)}'
            texts.append(text)
        return "[\n" + "\n  },\n".join(texts) + "\n  }\n]\n"

    def notes(self) -> Sequence[str]:
        """The meaning of the brackets."""
        lines: list[str] = []
        if self.asked:
            lines = foot_lines(self.asked, self.has_bounds, self.intervals)
        elif self.has_bounds and not all(name.spec.is_sum for name in self.names):
            lines = ["[ ]: least and greatest over orders of ties"]
        if self.has_labels:
            over = "over labels: least and greatest over labels of unjudged documents"
            lines.append(over + ", and over orders of ties" * self.has_bounds)
        return lines + self.remarks

    def text(self, width: int | None) -> str:
        """The table, its notes, and a line on queries, ties and how sure the means are."""
        line = (
            "" if self.asked else wrapped(queries_line(self.evaluations, self.groups), width, "  ")
        )
        return super().text(width) + line

    def json_lines(self) -> str:
        """A record for each run, query and measure; those of summaries have the settings."""
        lines: list[str] = []
        for run, evaluation in self.evaluations:
            columns, settings = self._columns(run, evaluation), self._settings_of_rows(run)
            if self.per_query:
                lines += _query_lines(run, evaluation, columns)
            for name, own in columns.items():
                record: dict[str, Any] = {"run": run, "measure": name}
                record |= {key: total for key, (_, total) in own.items() if total != ""}
                record["settings"] = settings
                lines.append(as_json_text(record) + "\n")
        return "".join(lines)

    def trec(self) -> str:
        """Measure, query and value between tabs; a line `runid` where there are several runs."""
        lines: list[str] = []
        for run, evaluation in self.evaluations:
            text = self.texts[run]
            if len(self.evaluations) > 1 and not text.has_tag:
                lines.append(f"{'runid':<22}\t{SUMMARY}\t{run}\n")
            lines += text.lines(evaluation, self.per_query)
        return "".join(lines)


def joined(parts: list[Report]) -> Report:
    """The evaluations of several reports in one."""
    reports = [part for part in parts if isinstance(part, Evaluated)]
    evaluations = [named for report in reports for named in report.evaluations]
    settings = {run: own for report in reports for run, own in report.settings.items()}
    whole = Evaluated(evaluations, reports[0].per_query, None, settings, groups=reports[0].groups)
    whole.asked = reports[0].asked
    whole.texts = {run: text for part in reports for run, text in part.texts.items()}
    whole.remarks = [line for part in reports for line in part.remarks]
    whole.intervals = {run: found for part in reports for run, found in part.intervals.items()}
    return whole


def _summary_cell(evaluation: Evaluation, measure: Measure) -> str:
    """The cell of the summary by one measure."""
    is_sum = measure.spec.is_sum
    text = short(evaluation.summary[measure], is_sum)
    if evaluation.low is None or is_sum:
        return text
    low, high = map(short, evaluation.summary_bounds[measure])
    return f"{text} [{low}, {high}]"


def _cells(evaluation: Evaluation, place: int) -> Iterable[str]:
    """The cells of the queries by one measure."""
    is_sum = evaluation.measures[place].spec.is_sum
    texts = short_texts(evaluation.values[:, place], is_sum)
    if evaluation.low is None or evaluation.high is None or is_sum:
        return texts
    ends = (short_texts(side[:, place]) for side in (evaluation.low, evaluation.high))
    return map("{} [{}, {}]".format, texts, *ends)


def _as_dict(evaluation: Evaluation) -> dict[str, Any]:
    record: dict[str, Any] = {"n_queries": len(evaluation.query_ids), "values": evaluation.summary}
    if evaluation.low is not None:
        record["bounds"] = {name: list(pair) for name, pair in evaluation.summary_bounds.items()}
    record |= as_dicts(evaluation)
    record["missing_queries"] = list(evaluation.missing_queries)
    record["unjudged_queries"] = list(evaluation.unjudged_queries)
    record["no_relevant_queries"] = list(evaluation.no_relevant_queries)
    return record


# Values of queries are many, so the lines of their JSON are put together column by column.


def _by_query(evaluation: Evaluation) -> str:
    """A JSON object of all queries, one a line."""
    parts: list[Any] = [json_texts(evaluation.query_ids)]
    mark, end = ": {", "},\n      "
    for name, values in evaluation.columns().items():
        parts.append(json_numbers(values, f"{mark}{as_json_text(name)}: "))
        mark = ", "
    text = "".join(interleaved(*parts, itertools.repeat(end)))
    return "{\n      " + text.removesuffix(end) + "}\n    }" if text else "{}"


def _query_lines(
    run: str, evaluation: Evaluation, columns: dict[str, dict[str, tuple[np.ndarray | None, Any]]]
) -> Iterator[str]:
    """Parts of lines, those of a query together."""
    begin = f'{{"run": {as_json_text(run)}, "query_id": '
    queries = [f'{begin}{query}, "measure": ' for query in json_texts(evaluation.query_ids)]
    parts: list[Iterable[str]] = []
    for name, own in columns.items():
        by_query = {key: values for key, (values, _) in own.items() if values is not None}
        before = as_json_text(name)
        parts.append(queries)
        for key, values in by_query.items():
            after = "}\n" if key == list(by_query)[-1] else ""
            parts.append(json_numbers(values, f'{before}, "{key}": ', after))
            before = ""
    return interleaved(*parts)
