"""Evaluations as trec_eval prints them, under its names where these were asked for."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from irbounds.cli.terminal.output import interleaved, short_texts
from irbounds.cli.terminal.render import check_format
from irbounds.foundation.errors import InputError
from irbounds.foundation.paths import can_reread
from irbounds.rankings.measure_table.trec_names import (
    LENGTH,
    TREC_ROWS,
    TrecColumn,
    trec_columns,
    with_parameters_there,
)

if TYPE_CHECKING:
    import numpy as np

    from irbounds.rankings.data.collection import Qrels
    from irbounds.rankings.data.evaluation import Evaluation
    from irbounds.rankings.measure_table.measure import Measure

SUMMARY = "all"
WIDTH = 22


def columns_of(measures: Sequence[str]) -> list[TrecColumn]:
    """What `--measures` names, in its order: labels and measures.  Parameters of a name take the
    place of those that the name has in a set, as in trec_eval."""
    from irbounds.rankings.measure_table.measure import words_of

    words = [word for text in measures for word in words_of(text)]
    given: dict[str, list[str]] = {}
    for name, parameters in filter(None, map(with_parameters_there, words)):
        given.setdefault(name, []).append(parameters)
    return _distinct([column for word in words for column in _columns_of_word(word, given)])


def _distinct(columns: Sequence[TrecColumn]) -> list[TrecColumn]:
    """The columns, each once.  A label that would stand for several measures is kept for the one
    that it means alone, as "map" for AP; the others are labelled with their names here."""
    from irbounds.rankings.measure_table.measure import Measure

    measures: dict[str, set[str]] = {}
    for column in columns:
        measures.setdefault(column.label, set()).add(column.measure)
    found: dict[tuple[str, str], TrecColumn] = {}
    for column in columns:
        if len(measures[column.label]) > 1:
            alone = trec_columns(column.label) or []
            if [column.measure] != [x.measure for x in alone]:
                column = column._replace(label=str(Measure.parse(column.measure)))
        found.setdefault((column.label, column.measure), column)
    return list(found.values())


def _columns_of_word(word: str, given: Mapping[str, Sequence[str]]) -> list[TrecColumn]:
    from irbounds.rankings.measure_table.measure import parse_measures, split_outside_brackets

    named = trec_columns(word, given)
    if named is not None:
        return named
    return [
        column
        for item in split_outside_brackets(word, ",")
        for column in trec_columns(item)
        or [TrecColumn(str(measure), str(measure), "") for measure in parse_measures(item)]
    ]


def measures_of(columns: Sequence[TrecColumn], format: str) -> list[Measure]:
    """Those to evaluate.  Text is printed in one format alone."""
    from irbounds.rankings.measure_table.measure import Measure

    wanted = [Measure.parse(column.measure) for column in columns if column.measure]
    if not columns:
        raise InputError("--measures must name at least one measure")
    if not wanted:
        check_format(f"the text {columns[0].label}", format, ["trec"])
    return list(dict.fromkeys(wanted)) or [Measure.parse("NumQ")]


class RunText:
    """The lines of trec_eval for a run: lines with measure, query and value between tabs.

    Parameters
    ----------
    name, path : str
    columns : list of TrecColumn
    has_summary : bool
        Whether there are lines of all queries.
    retrieved_alone : bool
        Whether queries that the run lacks have no lines of their own, as in version 9.
    """

    def __init__(
        self,
        name: str,
        path: str,
        columns: Sequence[TrecColumn],
        *,
        has_summary: bool = True,
        retrieved_alone: bool = False,
    ) -> None:
        self.has_summary = has_summary
        self.retrieved_alone = retrieved_alone
        self.name = name
        self.path = path
        self.columns = columns
        self.strings: dict[str, dict[str, str]] = {}
        self.has_tag = any(column.base == "runid" for column in columns)

    def read(self, qrels: Qrels, settings: Mapping[str, Any]) -> Any:
        """The run to evaluate: its path, or the run itself if relstrings need it as well."""
        wanted = [column.label for column in self.columns if column.base == "relstring"]
        if not wanted:
            return self.path
        from irbounds.rankings.data.collection import Run
        from irbounds.rankings.data.equal_scores import ScoreRule
        from irbounds.rankings.data.relstring import relevance_strings

        rule = ScoreRule.read(settings["score_precision"], settings["score_tolerance"])
        run = Run.of(self.path, settings["columns"])
        for label in wanted:
            n = int(label.partition("_")[2] or LENGTH)
            self.strings[label] = relevance_strings(
                qrels, run, n, settings["ties"], settings["judged_only"], rule
            )
        return run

    def lines(self, evaluation: Evaluation, per_query: bool) -> Iterator[str]:
        """Those of queries, in the order of their ids' bytes as trec_eval has them, and of all."""
        import numpy as np  # here, as a start of the command line does not need it

        names = list(map(str, evaluation.query_ids))
        order = sorted(range(len(names)), key=_bytes_of(names).__getitem__)
        queries, values = [names[i] for i in order], evaluation.values[order]
        if per_query:
            left_out = {*(evaluation.missing_queries if self.retrieved_alone else ())}
            kept = [place for place, query in enumerate(queries) if query not in left_out]
            rows = [queries[place] for place in kept], values[kept]
            yield from interleaved(*self._of(evaluation, *rows, "of_queries"))
        if not self.has_summary:
            return
        totals = np.array([list(evaluation.summary.values())])
        for place, measure in enumerate(evaluation.measures):
            if measure.spec.aggregate == "mean" and queries:
                # one rounded sum after another, as trec_eval: 0.11625 is printed as it prints it
                totals[0, place] = np.add.accumulate(values[:, place])[-1] / len(queries)
        yield from interleaved(*self._of(evaluation, [SUMMARY], totals, "of_all"))

    def _tag(self) -> str:
        from irbounds.rankings.reading.files import run_tag

        return run_tag(self.path) if can_reread(self.path) else self.name

    def _of(
        self, evaluation: Evaluation, queries: list[str], values: np.ndarray, where: str
    ) -> Iterator[Iterable[str]]:
        """The parts of the lines of each column: three for a line."""
        between = [f"{query}\t" for query in queries]
        for column in self.columns:
            if column.base and not getattr(TREC_ROWS[column.base], where):
                continue
            if column.measure:
                place = evaluation.column(column.measure)
                is_sum = evaluation.measures[place].spec.is_sum
                texts: Iterable[str] = short_texts(values[:, place], is_sum, "\n")
            elif column.base == "runid":
                texts = itertools.repeat(f"{self._tag()}\n", len(queries))
            else:
                own = self.strings[column.label]
                texts = [f"'{own.get(query, '')}'\n" for query in queries]
            yield from (itertools.repeat(f"{column.label:<{WIDTH}}\t"), between, texts)


def _bytes_of(names: list[str]) -> Sequence[Any]:
    """Keys that sort names as their bytes do: the names themselves, unless some are bytes that
    were no text."""
    try:
        "".join(names).encode()
    except UnicodeEncodeError:
        return [name.encode("utf-8", "surrogateescape") for name in names]
    return names
