"""`irbounds trec-eval`: the options and the output of trec_eval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import irbounds
from irbounds.cli.input import options
from irbounds.cli.input.read import check_read_once
from irbounds.cli.rankings.trec_output import RunText, columns_of, measures_of
from irbounds.cli.terminal import screen
from irbounds.cli.terminal.help import declare
from irbounds.cli.terminal.notes import notes_on_queries, warnings_as_notes
from irbounds.rankings.measure_table.trec_names import TREC_ROWS, TrecColumn, with_parameters

if TYPE_CHECKING:
    from irbounds.rankings.data.collection import Run

ORDER = {base: place for place, base in enumerate(TREC_ROWS)}


@declare(
    "trec-eval",
    {
        "Input": (
            options.argument("qrels", "Relevance judgments."),
            options.argument("run", "Run; - is standard input."),
        ),
        "Options": (
            options.flag("--query-eval-wanted -q", "Print a line for each query too."),
            options.option(
                "--measure -m",
                "Measure or set of measures, such as map, P.5,10 or all_trec; repeat it for more.",
                multiple=True,
                default=("official",),
                metavar="MEASURE",
            ),
            options.flag(
                "--complete-rel-info-wanted -c",
                "Average over all judged queries: those that the run lacks count 0.",
            ),
            options.flag("--nosummary -n", "Leave out the lines of all queries."),
            options.count("--level-for-rel -l", "The lowest grade that is relevant.", default=1),
            options.count("--max-retrieved-per-topic -M", "Documents of each query to use."),
            options.flag("--judged-docs-only -J", "Drop unjudged documents first."),
            options.count("--number-docs-in-coll -N", "Number of documents in the collection."),
        ),
    },
    "irbounds trec-eval -q -c -m ndcg_cut.10 -m recall.100 qrels.txt bm25.run",
)
def command(
    qrels: str,
    run: str,
    query_eval_wanted: bool,
    measure: Sequence[str],
    complete_rel_info_wanted: bool,
    nosummary: bool,
    level_for_rel: int,
    max_retrieved_per_topic: int | None,
    judged_docs_only: bool,
    number_docs_in_coll: int | None,
) -> None:
    """Evaluate a run as trec_eval 9.0.7 does, with its options and its output.

    Scores are 32-bit floats, and equal ones are ordered by descending document id. Lines come in
    the order of trec_eval. irbounds eval has bounds and tables.
    """
    from irbounds.warnings import RunWarning

    check_read_once(qrels, run)
    columns = sorted(columns_of(measure), key=_place_of)
    if level_for_rel != 1:
        columns = [_with_level(column, level_for_rel) for column in columns]
    settings: dict[str, Any] = {
        "ties": "doc_id",
        "missing": "zero" if complete_rel_info_wanted else "skip",
        "judged_only": judged_docs_only,
        "collection_size": number_docs_in_coll,
        "score_precision": "float32",
        "score_tolerance": 0.0,
        "columns": None,
    }
    evaluator = irbounds.Evaluator(qrels, measures_of(columns, "trec"), **settings)
    text = RunText(run, run, columns, has_summary=not nosummary, retrieved_alone=True)
    source = text.read(evaluator.qrels, settings)
    if max_retrieved_per_topic is not None:
        source = _first(source, max_retrieved_per_topic)
        for label, strings in text.strings.items():
            text.strings[label] = {q: own[:max_retrieved_per_topic] for q, own in strings.items()}
    with warnings_as_notes(RunWarning):
        found = evaluator._evaluate_silently(source)
        evaluator._warn(run, found)
    screen.complain(
        notes_on_queries(run, found.missing_queries, found.unjudged_queries, settings["missing"])
    )
    screen.write("".join(text.lines(found, query_eval_wanted)))


def _place_of(column: TrecColumn) -> tuple[int, float]:
    """Sorts columns as trec_eval prints them; measures that it lacks come last."""
    if column.base not in ORDER:
        return len(ORDER), 0.0
    cutoff = column.label.removeprefix(column.base).strip("_")
    return ORDER[column.base], float(cutoff) if cutoff.replace(".", "", 1).isdigit() else 0.0


def _with_level(column: TrecColumn, level: int) -> TrecColumn:
    """The same with this lowest relevant grade, where trec_eval's measure has one."""
    if column.base not in TREC_ROWS or not column.measure or not TREC_ROWS[column.base].takes_rel:
        return column
    return column._replace(measure=with_parameters(column.measure, [f"rel={level}"]))


def _first(source: Any, k: int) -> Run:
    """The documents that rank first by 32-bit scores."""
    import numpy as np

    from irbounds.rankings.data.collection import Run

    run = {
        query: {document: float(np.float32(score)) for document, score in documents.items()}
        for query, documents in Run.of(source).items()
    }
    return Run(run).head(k, ties="doc_id")
