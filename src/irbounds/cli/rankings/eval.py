"""`irbounds eval`: runs against relevance judgments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import irbounds
from irbounds.cli.input import options
from irbounds.cli.input.read import check_read_once, names_of_runs
from irbounds.cli.rankings.evaluated import Evaluated, joined
from irbounds.cli.rankings.history import Appended, appending
from irbounds.cli.rankings.intervals import Asked, read_limits
from irbounds.cli.rankings.labels import read_hidden, read_treatment
from irbounds.cli.rankings.trec_output import RunText, columns_of, measures_of
from irbounds.cli.terminal.help import declare
from irbounds.cli.terminal.notes import notes_on_queries, warnings_as_notes
from irbounds.cli.terminal.provenance import Provenance
from irbounds.cli.terminal.render import FORMATS, Report, check_format, write_parts
from irbounds.cli.terminal.screen import complain, with_progress

if TYPE_CHECKING:
    from irbounds.rankings.data.evaluation import Evaluation


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
@options.flag("--interval", help="Add a confidence interval of each mean, for queries like these.")
@options.method(
    "Method of --interval: t, hall, wilson, jeffreys, bca, guaranteed (its coverage is "
    "conjectured) or bayesian-bootstrap. The default is t; wilson if values repeat or are skewed; "
    "jeffreys if they are very skewed, and of geometric means."
)
@options.option(
    "--limits",
    metavar="LOW,HIGH",
    help="Least and greatest possible value of a query, such as 0,5, for measures without limits "
    "of their own, such as DCG; --method guaranteed needs them.",
)
@options.confidence_level
@options.side
@options.flag("--per-query", "-q", help="Add a row for each query.")
@options.missing
@options.judged_only
@options.collection_size
@options.unjudged
@options.labels_of_unjudged
@options.columns
@options.run_name
@options.score_precision
@options.score_tolerance
@options.option(
    "--jobs", "-j", type=int, default=1, help="Number of runs to evaluate at the same time."
)
@options.flag(
    "--keep-going",
    "-k",
    help="Leave out runs that cannot be evaluated; the exit status is then 2.",
)
@appending
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
    limits: str | None,
    confidence_level: float,
    side: str,
    per_query: bool,
    missing: str,
    judged_only: bool,
    collection_size: int | None,
    unjudged: str,
    unjudged_hidden: str | None,
    max_grade: float | None,
    columns: dict[str, str] | None,
    name: str | None,
    score_precision: str,
    score_tolerance: float,
    jobs: int,
    keep_going: bool,
    append: str | None,
    as_names: Sequence[str],
    time: str | None,
    format: str,
    output: str | None,
) -> int:
    """Evaluate runs against relevance judgments.

    Counts are summed over the queries; other measures are averaged. The row of this summary has
    the query "all" in CSV and no query_id in JSON lines. Infinite values are inf in CSV and null in
    JSON. Both formats record the version, the settings and the files: CSV as JSON in the column
    "settings" of the summary.
    """
    from irbounds.foundation.errors import InputError
    from irbounds.foundation.paths import shown_name
    from irbounds.rankings.data.warnings import warn_of_run
    from irbounds.rankings.evaluating.threads import in_threads
    from irbounds.warnings import RunWarning

    check_read_once(qrels, *runs)
    if not interval and (
        method is not None or limits is not None or (confidence_level, side) != (0.95, "two-sided")
    ):
        raise InputError("--method, --limits, --confidence-level and --side need --interval")
    _check_room(format, bounds=bounds, interval=interval, unjudged=unjudged)
    from irbounds.rankings.reading.frames import check_columns, check_found

    paths = dict(zip(names_of_runs(runs, name), runs, strict=True))
    settings: dict[str, Any] = {
        "ties": ties,
        "missing": missing,
        "judged_only": judged_only,
        "collection_size": collection_size,
        "unjudged": read_treatment(unjudged),
        "unjudged_hidden": read_hidden(unjudged_hidden),
        "max_grade": max_grade,
        "score_precision": score_precision,
        "score_tolerance": score_tolerance,
        "columns": columns and check_columns(columns, is_shared=True),
    }
    printed = columns_of(measures)
    evaluator = irbounds.Evaluator(qrels, measures_of(printed, format), bounds=bounds, **settings)
    texts = {run: RunText(run, path, printed) for run, path in paths.items()}
    provenance = Provenance(qrels, evaluator.measures, settings)
    history = Appended(append, as_names, time, paths, {**settings, "unjudged": unjudged})
    failed: list[str] = []
    asked = Asked(method, confidence_level, side, read_limits(limits)) if interval else None

    def evaluate(run: str) -> Evaluation:
        found = evaluator._evaluate_silently(texts[run].read(evaluator.qrels, settings))
        warn_of_run(shown_name(paths[run]), found.cautions)
        return found

    def reports() -> Iterator[Report]:
        last = list(paths)[-1]
        outcomes = in_threads(evaluate, ((run, run) for run in paths), jobs)
        for run, found in with_progress(outcomes, len(paths)):
            if isinstance(found, InputError) and not keep_going:
                raise found
            if run == last:
                check_found(settings["columns"] or {})
            if isinstance(found, InputError):
                complain([str(found)])
                failed.append(run)
                continue
            complain(notes_on_queries(run, found.missing_queries, found.unjudged_queries, missing))
            settings_of = {run: partial(provenance.of_run, paths[run])}
            history.add(run, found)
            yield Evaluated([(run, found)], per_query, asked, settings_of, texts[run])
        history.write(evaluator.qrels, qrels)

    with warnings_as_notes(RunWarning):
        write_parts(reports(), joined, format, output)
    return 2 if failed else 0


def _check_room(format: str, *, bounds: bool, interval: bool, unjudged: str) -> None:
    """Refuse options whose numbers a line of trec_eval has no room for."""
    has_label_bounds = unjudged == "bounds"
    for option, is_given in (
        ("--bounds", bounds),
        ("--interval", interval),
        ("--unjudged bounds", has_label_bounds),
    ):
        if is_given:
            check_format(option, format, FORMATS)
