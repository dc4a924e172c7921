"""`irbounds trec-eval`: the options and the output of trec_eval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import irbounds
from irbounds.cli.input import options
from irbounds.cli.input.read import check_read_once
from irbounds.cli.rankings.trec_output import RunText, columns_of, measures_of
from irbounds.cli.terminal import screen
from irbounds.cli.terminal.help import declare
from irbounds.cli.terminal.notes import notes_on_queries, warnings_as_notes
from irbounds.rankings.measure_table.trec_names import TREC_ROWS, TrecColumn, with_parameters


@declare(
    "trec-eval",
    {
        "Input": (
            options.argument("qrels", "Relevance judgments."),
            options.argument("run", "Run; - is standard input."),
        ),
        "Measures": (
            options.option(
                "--trec-measure -m",
                "Measure or set of measures, such as map, P.5,10 or all_trec; repeat it for more.",
                multiple=True,
                default=("official",),
                metavar="MEASURE",
            ),
            options.count("--level-for-rel -l", "The lowest grade that is relevant.", default=1),
            options.count("--max-retrieved-per-topic -M", "Documents of each query to use."),
            options.judged_only,
            options.collection_size,
        ),
        "Output": (
            options.per_query,
            options.flag(
                "--complete-rel-info-wanted -c",
                "Average over all judged queries: those that the run lacks count 0.",
            ),
            options.flag("--nosummary -n", "Leave out the lines of all queries."),
        ),
    },
    "irbounds trec-eval -q -c -m ndcg_cut.10 -m recall.100 qrels.txt bm25.run",
)
def command(
    qrels: str,
    run: str,
    per_query: bool,
    trec_measure: Sequence[str],
    complete_rel_info_wanted: bool,
    nosummary: bool,
    level_for_rel: int,
    max_retrieved_per_topic: int | None,
    judged_only: bool,
    collection_size: int | None,
) -> None:
    """Evaluate a run as trec_eval 9.0.7 does, with its options and its output.

    Scores are 32-bit floats, and equal ones are ordered by descending document id. Lines come in
    the order of trec_eval. irbounds eval has bounds and tables.
    """
    from irbounds.warnings import RunWarning

    check_read_once(qrels, run)
    columns = sorted(columns_of(trec_measure), key=_place_of)
    if level_for_rel != 1:
        columns = [_with_level(column, level_for_rel) for column in columns]
    settings: dict[str, Any] = {
        "ties": "doc_id",
        "missing": "zero" if complete_rel_info_wanted else "skip",
        "judged_only": judged_only,
        "collection_size": collection_size,
        "score_precision": "float32",
        "score_tolerance": 0.0,
        "columns": None,
    }
    evaluator = irbounds.Evaluator(qrels, measures_of(columns, "trec"), **settings)
    text = RunText(run, run, columns, has_summary=not nosummary, retrieved_alone=True)
    source = text.read(evaluator.qrels, settings)
    if (most := max_retrieved_per_topic) is not None:
        source = _first(source, most)
        for strings in text.strings.values():
            strings.update({query: own[:most] for query, own in strings.items()})
    with warnings_as_notes(RunWarning):
        found = evaluator._evaluate_silently(source)
        evaluator._warn(run, found)
    screen.complain(
        notes_on_queries(run, found.missing_queries, found.unjudged_queries, settings["missing"])
    )
    screen.write("".join(text.lines(found, per_query)))


def _place_of(column: TrecColumn) -> tuple[int, float]:
    """Sorts columns as trec_eval prints them; measures that it lacks come last."""
    place = [*TREC_ROWS, ""].index(column.base)
    cutoff = column.label.removeprefix(column.base).strip("_")
    return place, float(cutoff) if cutoff.replace(".", "", 1).isdigit() else 0.0


def _with_level(column: TrecColumn, level: int) -> TrecColumn:
    """The same with this lowest relevant grade, where trec_eval's measure has one."""
    is_changed = column.base and column.measure and TREC_ROWS[column.base].takes_rel
    parameters = [f"rel={level}"] if is_changed else []
    return column._replace(measure=with_parameters(column.measure, parameters))


def _first(source: Any, k: int) -> irbounds.Run:
    """The documents that rank first by 32-bit scores."""
    import numpy as np

    run = {
        query: {document: float(np.float32(score)) for document, score in documents.items()}
        for query, documents in irbounds.Run.of(source).items()
    }
    return irbounds.Run(run).head(k, ties="doc_id")
