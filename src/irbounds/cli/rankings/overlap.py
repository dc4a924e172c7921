"""`irbounds overlap`: runs against another run, query by query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from irbounds.cli.input import options
from irbounds.cli.input.read import check_read_once, names_of_runs
from irbounds.cli.input.scores import LOWER
from irbounds.cli.rankings.evaluated import Evaluated, joined
from irbounds.cli.rankings.intervals import Asked
from irbounds.cli.terminal.help import declare
from irbounds.cli.terminal.notes import COUNTS, warnings_as_notes
from irbounds.cli.terminal.output import groups_record, hash_of
from irbounds.cli.terminal.render import Report, write, write_parts
from irbounds.cli.terminal.screen import complain
from irbounds.foundation.errors import InputError

if TYPE_CHECKING:
    from irbounds.rankings.data.evaluation import Evaluation


@declare(
    "overlap",
    {
        "Input": (
            options.argument("reference", "Run file that the others are compared with."),
            options.runs,
            options.flag(
                "--leaderboards",
                "The files are tables of scores, as compare --scores takes them: give the rank "
                "correlation of their systems, with bounds over queries.",
            ),
            LOWER,
            options.columns,
        ),
        "Measures": (
            options.measures_as(
                "Overlap@10 RBO(p=0.9) Tau",
                "Some of Overlap@k, RBO(p=0.9), RBO(p=0.9)@k, Tau, TauAP and Spearman; "
                "Tau(ties=b), for example, has another rule for ties.",
            ),
            options.ties_of("expected", "best", "worst"),
            options.missing_as("zero", "skip", "error"),
            options.drop_self,
            options.duplicates,
            *options.SCORES,
        ),
        "Bounds and intervals": (
            options.flag(
                "--bounds", "Add the least and the greatest value over orders of ties in both."
            ),
            options.flag("--interval", "Add a confidence interval for each mean over queries."),
            options.groups,
            options.confidence_level,
            options.side,
        ),
        "Output": (
            options.per_query,
            *options.OUTPUT,
        ),
    },
    'irbounds overlap exact.run approximate.run -m "Overlap@10" --bounds',
    "irbounds overlap --leaderboards people.csv model.csv",
)
def command(
    reference: str,
    runs: Sequence[str],
    measures: str,
    bounds: bool,
    interval: bool,
    groups: str | None,
    confidence_level: float,
    side: str,
    per_query: bool,
    leaderboards: bool,
    lower_is_better: bool,
    format: str,
    output: str | None,
    **settings: Any,
) -> int:
    """Compare rankings with a reference, such as an approximate index with exact search.

    Tau is tau_a. In rank correlations, documents that a run lacks tie at its end.
    """
    from irbounds._version import __version__
    from irbounds.foundation.paths import shown_name
    from irbounds.rankings import Run, compare_rankings
    from irbounds.warnings import RunWarning

    if leaderboards:
        from irbounds.cli.rankings import leaderboards as boards

        columns = settings["columns"]
        found = boards.correlations(
            reference, runs, measures, columns, lower_is_better, confidence_level, groups
        )
        write(found, format, output)
        return 0
    if lower_is_better:
        raise InputError("--lower-is-better needs --leaderboards")
    asked = Asked.read(interval, None, confidence_level, side, None, groups)
    check_read_once(reference, *runs, groups)
    paths = dict(zip(names_of_runs(runs, None), runs, strict=True))

    def provenance(path: str) -> dict[str, Any]:
        return {
            "version": __version__,
            "reference": {"name": shown_name(reference), "sha256": hash_of(reference)},
            "bounds": bounds,
            **settings,
            **groups_record(groups),
            "sha256": hash_of(path),
        }

    def reports() -> Iterator[Report]:
        given = {name: settings[name] for name in ("columns", "duplicates")}
        exact = Run.of(reference, **given)
        for name, path in paths.items():
            found = compare_rankings(exact, path, measures, bounds=bounds, **settings)
            complain(_notes(name, found, settings["missing"]))
            yield Evaluated([(name, found)], per_query, asked, {name: partial(provenance, path)})

    with warnings_as_notes(RunWarning):
        write_parts(reports(), joined, format, output)
    return 0


def _notes(run: str, found: Evaluation, missing: str) -> Iterator[str]:
    """Queries that one of the two runs lacks."""
    if found.missing_queries:
        n, first = len(found.missing_queries), found.missing_queries[0]
        yield f"{run}: lacks {n:,} queries of the reference{COUNTS.get(missing, '')}, first {first}"
    if found.unjudged_queries:
        n, first = len(found.unjudged_queries), found.unjudged_queries[0]
        yield f"{run}: {n:,} queries that the reference lacks are left out, first {first}"
