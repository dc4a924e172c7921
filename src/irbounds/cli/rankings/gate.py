"""`irbounds gate`: may a new run take the place of a baseline?"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import irbounds
from irbounds.cli.input import options
from irbounds.cli.input import scores as tables
from irbounds.cli.input.read import check_read_once
from irbounds.cli.terminal import screen
from irbounds.cli.terminal.help import declare
from irbounds.cli.terminal.notes import warnings_as_notes
from irbounds.cli.terminal.output import groups_record
from irbounds.cli.terminal.render import Report, Table, rounded_rows, write
from irbounds.foundation.errors import InputError

if TYPE_CHECKING:
    from irbounds.comparison.gates.result import Gate
    from irbounds.rankings.data.scores import Scores

SUMMARY = "GITHUB_STEP_SUMMARY"  # where GitHub Actions says which file it shows
COLUMNS = (
    *("measure", "verdict", "baseline", "new", "difference", "low", "high", "margin"),
    *("p_value", "sd", "n_queries", "detectable", "remark"),
    *("tie_low", "tie_high", "unjudged_low", "unjudged_high", "deciding_p"),
)


@declare(
    "gate",
    {
        "Input": (
            options.qrels_or_scores,
            options.argument("baseline", "Run file of the baseline.", required=False),
            options.argument("new", "Run file of the new run.", required=False),
            *tables.SCORES,
            *tables.PAIR,
            options.file(
                "--previous",
                "An earlier run. The output has the changes since then; they do not affect "
                "the verdict.",
            ),
            options.columns,
        ),
        "Measures": options.EVALUATING,
        "Verdict": (
            options.number("--margin", "Greatest loss of the mean that passes, 0 or more.", 0.01),
            options.alpha,
            options.groups,
            options.flag("--strict", "Also fail on a significant loss that is within the margin."),
            options.number(
                "--min-judged",
                "Least share of judged documents at the top of the new run. With a smaller "
                'share the verdict is never "pass".',
            ),
        ),
        "Unjudged documents": options.UNJUDGED_BOUNDS,
        "Output": (
            *options.OUTPUT,
            options.flag("--json", "The same as --format json."),
            options.file("--junit", "Also write the checks to this file, as JUnit XML."),
            options.flag("--github", "Also write a summary and annotations for GitHub Actions."),
        ),
    },
    'irbounds gate qrels.txt pinned.run new.run -m "nDCG@10" --margin 0.01',
    "irbounds gate qrels.txt pinned.run new.run --junit gate.xml --github",
    "irbounds gate --scores scores.csv --baseline A --new B",
)
def command(
    qrels: str | None,
    baseline: str | None,
    new: str | None,
    scores: tuple[str, ...],
    lower_is_better: bool,
    old_system: str | None,
    new_system: str | None,
    previous: str | None,
    junit: str | None,
    github: bool,
    json: bool,
    format: str,
    output: str | None,
    **settings: Any,
) -> int:
    """Check that a new run is not worse than a baseline.

    The run passes if a drop of its mean by more than the margin can be ruled out. The exit status
    is 0 if it passes, 1 if it fails, and 2 for bad input. It is 3 if the verdict is unclear: the
    queries are too few, or the verdict depends on the order of tied documents or, with --unjudged
    bounds, on the labels of unjudged documents.
    """
    from irbounds.warnings import RunWarning

    groups = settings["groups"]
    table = tables.read(scores)
    if table is not None:
        old = tables.system_of(table, old_system, "--baseline")
        own = tables.system_of(table, new_system, "--new")
        margins = {name: settings[name] for name in ("margin", "alpha", "strict")}
        gate = irbounds.comparison.gate_evaluations(
            table[old], table[own], groups=tables.groups_of(table, groups), **margins
        )
        gate = _over_repeats(gate, table, own, old)
    else:
        if old_system or new_system:
            raise InputError("--baseline and --new need --scores")
        assert qrels is not None  # without --scores
        assert new is not None
        check_read_once(qrels, baseline, new, previous, groups)
        with warnings_as_notes(RunWarning):
            gate = irbounds.gate(qrels, baseline, new, previous=previous, **settings)
    if json:
        options.check_json(format)
    if junit is not None:
        screen.write(gate.to_junit(), junit)
    write(Checked(gate, groups), "json" if json else format, output)
    if github:
        _tell_github(gate)
    return gate.exit_status


def _over_repeats(gate: Gate, table: Scores, new: str, old: str) -> Gate:
    """The gate; unclear where a repeat moves the differences of all units, which it takes for
    independent."""
    from irbounds.rankings.data.scores import moved_measures

    moved = moved_measures(table, new, old)
    if not moved:
        return gate
    reason = (
        f"the differences of a repeat move together over units by {', '.join(moved)}: the checks "
        f"are too sure; in Python, `repeated({new!r}, against={old!r}, design='crossed')` of the "
        "scores has an interval over both"
    )
    return replace(gate, verdict="unclear", reason=reason)


class Checked(Report):
    """A gate, which has text and Markdown of its own."""

    def __init__(self, gate: Gate, groups: str | None) -> None:
        super().__init__()
        self.gate, self.groups = gate, groups

    def text(self, width: int | None) -> str:
        """The verdict and a table."""
        return self.gate.to_text(width)

    def markdown(self) -> str:
        """The same."""
        return self.gate.to_markdown()

    def document(self) -> dict[str, object]:
        """The verdict and the checks."""
        return {**self.gate.to_dict(), **groups_record(self.groups)}

    def data(self) -> Table:
        """A row for each measure."""
        rows = []
        for check in self.gate.checks:
            cells = check.to_dict()
            for name in ("tie", "unjudged"):
                ends = cells[f"{name}_bounds"] or (None, None)
                cells[f"{name}_low"], cells[f"{name}_high"] = ends
            rows.append([cells[name] for name in COLUMNS])
        return Table(COLUMNS, rows, 2)

    def shown(self) -> Table:
        """The same, with four decimals."""
        return Table(COLUMNS[:8], rounded_rows(COLUMNS, self.data().rows, COLUMNS[:8]), 2)


def _tell_github(gate: Gate) -> None:
    """Add to the summary of the step, and print workflow commands to standard error, which GitHub
    reads as well: standard output may be JSON."""
    path = os.environ.get(SUMMARY)
    if path:
        with open(path, "a", encoding="utf-8") as file:  # noqa: PTH123, a faster start
            file.write(gate.to_markdown())
    for line in gate.annotations():
        print(line, file=sys.stderr)
