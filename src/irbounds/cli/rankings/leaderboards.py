"""Leaderboards against another one, for `irbounds overlap --leaderboards`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from irbounds.cli.input import options
from irbounds.cli.input.read import check_read_once, names_of_runs
from irbounds.cli.input.scores import provenance, roles_of
from irbounds.cli.rankings.intervals import shown_interval
from irbounds.cli.terminal.notes import notes_on_tests
from irbounds.cli.terminal.output import hash_of
from irbounds.cli.terminal.render import Report, Table
from irbounds.foundation.errors import InputError
from irbounds.foundation.rounding import as_decimals

if TYPE_CHECKING:
    from irbounds.rankings.data.scores import Scores

HEADER = ("leaderboard", "measure", "correlation", "estimate", "low", "high", "confidence_level")
OF_RUNS = (
    *("ties", "missing", "duplicates", "drop_self", "score_precision", "score_tolerance"),
    *("bounds", "interval", "side", "per_query"),
)


def correlations(
    reference: str,
    others: Sequence[str],
    names: str,
    columns: dict[str, str] | None,
    lower_is_better: bool,
    level: float,
    groups: str | None,
) -> Report:
    """A row for each leaderboard, measure and correlation."""
    from irbounds.comparison.ranks.correlation import BOUNDS, leaderboard_correlation
    from irbounds.rankings import read_scores
    from irbounds.rankings.reading.groups import read_groups

    for option in OF_RUNS:
        if options.is_asked(option):
            raise InputError(f"--{option.replace('_', '-')} is for runs, not for --leaderboards")
    check_read_once(reference, *others, groups)
    wanted = names.replace(",", " ").split() if options.is_asked("measures") else ["Tau"]
    unknown = [each for each in wanted if each not in BOUNDS]
    if unknown:
        raise InputError(
            f"with --leaderboards, --measures must be of {', '.join(BOUNDS)}; found {unknown[0]!r}"
        )
    roles = roles_of(columns) | {"lower_is_better": lower_is_better}
    named = None if groups is None else read_groups(groups)
    rows, cells = [], []
    with notes_on_tests():
        first = read_scores(reference, **roles)
        for name, path in zip(names_of_runs(others, None), others, strict=True):
            second = read_scores(path, **roles)
            for measure, choice in _measures_of(first, second, name):
                found = {
                    each: leaderboard_correlation(
                        first,
                        second,
                        each,
                        measure=choice,
                        confidence_level=level,
                        groups=named,
                    )
                    for each in wanted
                }
                rows += [
                    [name, measure, each, one.estimate, one.low, one.high, level]
                    for each, one in found.items()
                ]
                texts = (as_decimals(one.estimate) + shown_interval(one) for one in found.values())
                cells.append([name, measure, *texts])
    described = {
        **provenance([reference, *others], first),
        "groups": None if groups is None else hash_of(groups),
        "leaderboards": [dict(zip(HEADER, row, strict=True)) for row in rows],
    }
    note = f"( ): over queries like these, {level:g} two-sided"
    shown = Table(["leaderboard", "measure", *wanted], cells, 2)
    return Report(
        HEADER,
        rows,
        shown=shown,
        document=described,
        notes=[f"{note}, by pairs of the {len(first)} systems"],
    )


def _measures_of(first: Scores, second: Scores, name: str) -> list[tuple[str, str | None]]:
    """The measures of both, or the only one of each; and the choice of it, if there is one."""
    own, other = (next(iter(scores.values())).measures for scores in (first, second))
    if len(own) == len(other) == 1:
        return [(str(other[0]), None)]
    shared = [str(measure) for measure in own if measure in other]
    if not shared:
        raise InputError(
            f"{name} has no measure of the reference, {', '.join(own)}; it has {', '.join(other)}"
        )
    return [(measure, measure) for measure in shared]
