"""`irbounds eval`: runs against relevance judgments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import irbounds
from irbounds.cli.input import options
from irbounds.cli.input import scores as tables
from irbounds.cli.input.read import check_read_once, names_of_runs
from irbounds.cli.rankings.evaluated import Evaluated, joined
from irbounds.cli.rankings.history import APPENDING, Appended
from irbounds.cli.rankings.intervals import Asked
from irbounds.cli.rankings.trec_output import RunText, columns_of, measures_of
from irbounds.cli.terminal.help import declare
from irbounds.cli.terminal.notes import notes_on_queries, warnings_as_notes
from irbounds.cli.terminal.output import Provenance, plot_measures
from irbounds.cli.terminal.render import FORMATS, Report, check_format, write_parts
from irbounds.cli.terminal.screen import complain, with_progress

if TYPE_CHECKING:
    from irbounds.rankings.data.evaluation import Evaluation
    from irbounds.rankings.data.scores import Scores
    from irbounds.rankings.evaluating.evaluator import Evaluator
    from irbounds.typing import GroupsLike


@declare(
    "eval",
    {
        "Input": (
            options.qrels_or_scores,
            options.runs_or_scores,
            *tables.SCORES,
            options.columns,
            options.run_name,
        ),
        "Measures": options.EVALUATING,
        "Bounds and intervals": (
            options.flag(
                "--bounds", "Add the least and the greatest value over orders of tied scores."
            ),
            options.flag(
                "--interval",
                "Add a confidence interval for each mean (queries as a random sample).",
            ),
            options.method(
                "Method of --interval: t, widened-t, hall, wilson, jeffreys, bca, gaffke "
                "(conservative; its coverage is conjectured) or bayesian-bootstrap. The default is "
                "t, widened where few values decide the mean; jeffreys for geometric means."
            ),
            options.option(
                "--limits",
                "Least and greatest possible value of a query, such as 0,5, for measures "
                "without limits of their own, such as DCG; --method gaffke needs them.",
                metavar="LOW,HIGH",
            ),
            options.groups,
            options.confidence_level,
            options.side,
            tables.REPEATS,
        ),
        "Unjudged documents": options.UNJUDGED,
        "History": APPENDING,
        "Output": (
            options.per_query,
            options.without_effect("-c", "trec_eval's, the default here: missing queries count 0."),
            *options.RANKING_OUTPUT,
            options.plot("the means with their intervals"),
            options.flag(
                "--keep-going -k",
                "Leave out runs that cannot be evaluated; the exit status is then 2.",
            ),
            options.count("--jobs -j", "Number of runs to evaluate at the same time.", default=1),
        ),
    },
    'irbounds eval qrels.txt bm25.run dense.run.gz -m "AP nDCG@10" --bounds',
    "irbounds eval qrels.txt bm25.run --per-query -f csv -o scores.csv",
    "irbounds eval --scores scores.csv --interval",
)
def command(
    qrels: str | None,
    runs: Sequence[str],
    scores: tuple[str, ...],
    lower_is_better: bool,
    name: str | None,
    measures: str,
    bounds: bool,
    interval: bool,
    method: str | None,
    limits: str | None,
    groups: str | None,
    confidence_level: float,
    side: str,
    repeats: str,
    missing: str,
    per_query: bool,
    jobs: int,
    keep_going: bool,
    append: str | None,
    as_names: Sequence[str],
    time: str | None,
    format: str,
    output: str | None,
    plot: str | None,
    **settings: Any,
) -> int:
    """Evaluate runs against relevance judgments, or summarise a table of scores.

    Counts are summed over the queries; other measures are averaged. In CSV the row of this summary
    has the query "all"; in JSON lines it has no query_id. Infinite values are inf in CSV and null
    in JSON. Both formats record the version, the settings and the files: CSV as JSON in the column
    "settings" of the summary.
    """
    from irbounds.foundation.errors import InputError
    from irbounds.foundation.paths import shown_name
    from irbounds.rankings.data.evaluation import words_of_barren
    from irbounds.rankings.evaluating.threads import in_threads
    from irbounds.warnings import RunWarning

    asked = Asked.read(interval, method, confidence_level, side, limits, groups)
    if (table := tables.read(scores)) is not None:
        how = per_query, asked, repeats, confidence_level, plot
        return _write_table(table, scores, how, format, output)
    assert qrels is not None  # without --scores
    check_read_once(qrels, *runs, groups)
    _check_format(format, bounds, interval, (unjudged := settings["unjudged"]) == "bounds")
    from irbounds.rankings.reading.frames import check_columns, check_found

    paths = dict(zip(names_of_runs(runs, name), runs, strict=True))
    settings |= {"missing": missing, "unjudged": options.as_treatment(unjudged)}
    if settings["columns"]:
        settings["columns"] = check_columns(settings["columns"], is_shared=True)
    printed = columns_of([measures])
    evaluator = irbounds.Evaluator(qrels, measures_of(printed, format), bounds=bounds, **settings)
    texts = {run: RunText(run, path, printed) for run, path in paths.items()}
    provenance = Provenance(qrels, evaluator.measures, settings | {"groups": groups})
    history = Appended(append, as_names, time, paths, {**settings, "unjudged": unjudged})
    failed: list[str] = []
    drawn: dict[str, Evaluation] = {}  # for --plot

    def evaluate(run: str) -> Evaluation:
        found = evaluator._evaluate_silently(texts[run].read(evaluator.qrels, settings))
        evaluator._warn(shown_name(paths[run]), found)
        return found

    def reports() -> Iterator[Report]:
        first, *_, last = [*paths, *paths]
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
            complain(words_of_barren(found.no_relevant_queries * (run == first), found.query_ids))
            settings_of = {run: partial(provenance.of_run, paths[run])}
            history.add(run, found)
            if plot:
                drawn[run] = found
            yield Evaluated([(run, found)], per_query, asked, settings_of, texts[run])
        history.write(evaluator.qrels, qrels)

    with warnings_as_notes(RunWarning):
        _caution(evaluator, asked)
        write_parts(reports(), joined, format, output)
    if plot and drawn:
        _draw(drawn, confidence_level, plot, groups)
    return 2 if failed else 0


def _check_format(format: str, bounds: bool, interval: bool, labels: bool) -> None:
    """Refuse options for whose numbers a line of trec_eval has no room."""
    ranges = {"--bounds": bounds, "--interval": interval, "--unjudged bounds": labels}
    for option in (name for name, is_given in ranges.items() if is_given):
        check_format(option, format, FORMATS)


def _write_table(
    table: Scores,
    paths: Sequence[str],
    how: tuple[bool, Asked | None, str, float, str | None],
    format: str,
    output: str | None,
) -> int:
    """Write the means of systems whose scores were computed elsewhere."""
    from irbounds.cli.rankings.repeats import RepeatedScores

    per_query, asked, design, level, plot = how
    check_format("--scores", format, FORMATS)
    if asked is not None and asked.groups is None:
        asked = asked._replace(groups=table.groups)
    elif asked is not None:
        table.groups = asked.groups
    for system, found in table.items():
        complain(notes_on_queries(system, found.missing_queries, (), "skip"))
    of_table = partial(tables.provenance, paths, table)
    parts: Iterator[Evaluated] = (
        Evaluated([(system, found)], per_query, asked, {system: of_table}, groups=table.groups)
        for system, found in table.items()
    )
    if table.repeats:
        repeats = RepeatedScores(table, asked, design)
        parts = map(repeats.told_by, parts)
    write_parts(parts, joined, format, output)
    if plot:
        _draw(table, level, plot, None if asked is None else asked.groups)
    return 0


def _caution(evaluator: Evaluator, asked: Asked | None) -> None:
    """Say where the judgments of intervals show groups that nobody named."""
    from irbounds.rankings.data.shared_documents import warn_of_shared

    if asked is not None and asked.groups is None:
        warn_of_shared(evaluator.qrels)


def _draw(
    evaluations: dict[str, Evaluation], level: float, path: str, groups: GroupsLike | None
) -> None:
    from irbounds.plot import mean_intervals

    measures = next(iter(evaluations.values())).measures
    draw = partial(mean_intervals, evaluations, confidence_level=level, groups=groups)
    plot_measures(draw, measures, len(evaluations), path)
