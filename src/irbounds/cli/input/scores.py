"""`--scores`: a table of scores in place of judgments and runs."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from irbounds.cli.input import options
from irbounds.cli.terminal.screen import complain
from irbounds.foundation.errors import InputError, suggest

if TYPE_CHECKING:
    from irbounds.rankings.data.scores import Scores

TABLE = options.option(
    "--scores",
    "Table of scores in place of QRELS and runs: columns system, unit, score, or a column for each "
    "system; --columns names others (system=model+prompt: two). CSV, TSV, JSON, Parquet, or "
    "results of Inspect, lm-eval, promptfoo or ragas. Once for each table.",
    type=options.File(),
    multiple=True,
)
LOWER = options.flag("--lower-is-better", "In the table of scores, lower is better.")
REPEATS = options.one_of(
    "--repeats",
    ("nested", "crossed"),
    "With --scores and --interval: repeats of each unit on its own, or of all units at once",
    default="nested",
)
SCORES = (TABLE, LOWER)
PAIR = (
    options.option("--baseline old_system", "With --scores: the system to compare with."),
    options.option("--new new_system", "With --scores: the system to check."),
)
ROLES = ("system", "unit", "score", "measure", "group", "repeat")
# Options on rankings, of which a table of scores has none.
OF_RUNS = {
    *("ties", "judged_only", "collection_size", "score_precision", "score_tolerance"),
    *("unjudged", "unjudged_hidden", "max_grade", "bounds", "name", "previous", "min_judged"),
    *("append", "as_names", "time", "sd", "jobs", "keep_going"),
}


def read(scores: tuple[str, ...], by: str | None = None) -> Scores | None:
    """The evaluations of `--scores` by the measures that were asked for; None without it."""
    context = click.get_current_context()
    given = context.params
    if not scores:
        for name in ("lower_is_better", "by", "repeats"):
            if name in given and options.is_asked(name):
                raise InputError(f"--{name.replace('_', '-')} needs --scores")
        needed = [
            str(one.name) for one in context.command.params if isinstance(one, click.Argument)
        ]
        absent = [name.upper() for name in needed if not given[name]]
        if absent:
            raise InputError(f"{absent[0]} is missing; --help shows the usage")
        return None
    if given.get("qrels") or given.get("runs"):
        raise InputError("--scores takes the place of QRELS and runs: leave these out")
    for option in context.command.params:
        if option.name in OF_RUNS and options.is_asked(option.name):
            raise InputError(f"{option.opts[0]} is for runs, not for --scores")
    missing = given.get("missing", "error")
    if "missing" in given and not options.is_asked("missing"):
        missing = "error"
    if missing == "zero":
        raise InputError(
            "with --scores, --missing must be error or skip: a missing score never counts as 0"
        )
    columns = roles_of(given.get("columns"))
    from irbounds.rankings.data.scores import read_scores
    from irbounds.warnings import RunWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)  # told below
        found = read_scores(
            scores[0] if len(scores) == 1 else list(scores),
            **columns,
            by=() if by is None else by,
            missing=missing,
            lower_is_better=given.get("lower_is_better", False),
        )
    if options.is_asked("measures"):
        found = _by_measures(found, given["measures"])
    is_crossed = given.get("repeats") == "crossed"
    if is_crossed and not found.repeats:
        raise InputError("--repeats crossed needs a table with repeats; no column has them")
    if not is_crossed:
        complain(
            f"{system}: {line} (eval --interval --repeats crossed)"
            for system, one in found.items()
            for line in one.cautions
        )
    return found


def roles_of(named: dict[str, str] | None) -> dict[str, Any]:
    """The columns of a table of scores that --columns names, for `read_scores`."""
    columns: dict[str, Any] = dict(named or {})
    unknown = [name for name in columns if name not in ROLES]
    if unknown:
        raise InputError(
            f"for scores, --columns must name {', '.join(ROLES)}; found {unknown[0]!r}"
        )
    for name, column in columns.items():
        if name in ("system", "unit", "score") and "+" in column:
            columns[name] = column.split("+")
    return columns


def _by_measures(scores: Scores, text: str) -> Scores:
    """The evaluations by some of the measures."""
    known = next(iter(scores.values())).measures
    names = [text] if text in known else text.replace(",", " ").split()
    unknown = [name for name in names if name not in known]
    if unknown:
        raise InputError(
            f"the table has no measure {unknown[0]!r}; it has {', '.join(known)}"
            f"{suggest(unknown[0], known)}"
        )
    places = [known.index(name) for name in dict.fromkeys(names)]
    for name, found in scores.items():
        scores[name] = replace(
            found, measures=tuple(known[i] for i in places), values=found.values[:, places]
        )
    scores.repeats = {name: each[:, :, places] for name, each in scores.repeats.items()}
    return scores


def groups_of(scores: Scores, path: str | None) -> Any:
    """The groups of the units: those of the file that --groups names, or of the table's column."""
    return scores.groups if path is None else path


def system_of(scores: Scores, name: str | None, option: str) -> str:
    """The system that an option names."""
    if name is None or name not in scores:
        found = "" if name is None else f"; found {name!r}{suggest(name, scores)}"
        raise InputError(f"{option} must be one of the systems, {', '.join(scores)}{found}")
    return name


def provenance(scores: Sequence[str], found: Scores) -> dict[str, Any]:
    """The origin of machine-readable output."""
    from irbounds._version import __version__
    from irbounds.cli.terminal.output import hash_of
    from irbounds.foundation.paths import shown_name

    return {
        "version": __version__,
        "scores": [{"name": shown_name(path), "sha256": hash_of(path)} for path in scores],
        "measures": list(map(str, next(iter(found.values())).measures)),
    }
