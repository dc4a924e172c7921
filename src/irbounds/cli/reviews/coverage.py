"""`irbounds coverage`: how often intervals on recall contain it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import irbounds
from irbounds.cli.input import options
from irbounds.cli.terminal.help import declare
from irbounds.cli.terminal.render import Report, Table, check_format, short, write
from irbounds.cli.terminal.screen import complain
from irbounds.foundation.writing import as_fitting_table, wrapped

if TYPE_CHECKING:
    from irbounds.planning.coverage_studies.report import CoverageReport

# Columns of the two tables that a narrow terminal has in place of one.
COVERAGES = {
    "mean": "mean_coverage",
    "median": "median",
    "min": "min",
    "RMSE": "rmse",
    "width": "mean_width",
}
GAPS = {"gap below": "gap_below", "gap above": "gap_above", "closest": "closest"}


@declare(
    "coverage",
    {
        "Simulation": (
            options.argument(
                "scenarios",
                "Simulated populations of reviews: neutral, legal or small.",
                nargs=-1,
                required=True,
            ),
            options.count("--realisations", "Reviews drawn from each scenario.", default=1000),
            options.count("--samples", "Samples drawn from each review.", default=1000),
            options.flag("--exact", "Sum over all possible samples instead of drawing them."),
            options.seed("Seed: the same seed gives the same report."),
            options.count("--workers", "Threads; one for each core by default."),
        ),
        "Intervals": (
            options.option(
                "--methods",
                'Methods for intervals, such as "koopman betabinom-half"; those of Webber '
                "(2013) by default.",
                metavar="METHODS",
            ),
            options.confidence_level,
            options.side,
        ),
        "Output": (
            options.flag(
                "--per-realisation", "Write a row for each review and method, in csv or json."
            ),
            *options.OUTPUT,
        ),
    },
    "irbounds coverage small legal --methods 'koopman betabinom-half'",
)
def command(
    scenarios: Sequence[str],
    methods: str | None,
    per_realisation: bool,
    format: str,
    output: str | None,
    **settings: Any,
) -> int:
    """Measure how often intervals on recall contain the true recall.

    RMSE is the root mean square difference between the coverage of a review and the level. Gap
    below and gap above are the shares of intervals wholly above and wholly below the true recall.
    Ctrl-C stops the simulation and prints the results so far.
    """
    from irbounds.planning.coverage_studies.coverage import PAPER_METHODS

    if per_realisation:
        check_format("--per-realisation", format, ("csv", "json"))
    chosen = PAPER_METHODS if methods is None else tuple(methods.replace(",", " ").split())
    reports: list[CoverageReport] = []
    for scenario in scenarios:
        found = irbounds.coverage(scenario, chosen, **settings)
        reports.append(found)
        if found.interrupted:
            done = f"{len(found.coverage)} of {settings['realisations']} realisations"
            complain([f"interrupted: {scenario} has {done}"])
            break
    write(_per_realisation(reports) if per_realisation else Covered(reports), format, output)
    return 0


class Covered(Report):
    """Coverage by scenario and method."""

    def __init__(self, reports: Sequence[CoverageReport]) -> None:
        rows: list[list[Any]] = [
            [report.scenario, method, *row.values()]
            for report in reports
            for method, row in report.to_dict().items()
        ]
        header = ["scenario", "method", *next(iter(reports[0].to_dict().values()))]
        super().__init__(
            header,
            rows,
            shown=Table(header, [[*row[:2], *map(short, row[2:])] for row in rows], 2),
            document={report.scenario: report.to_dict() for report in reports},
        )
        self.reports = reports

    def text(self, width: int | None) -> str:
        """A table for each scenario."""
        return "\n\n".join(_text(report, width) for report in self.reports) + "\n"


def _text(report: CoverageReport, width: int | None) -> str:
    """The report's own text; its columns in two tables where the terminal is narrower."""
    text = repr(report)
    if width is None or max(map(len, text.splitlines())) <= width:
        return text
    found = report.to_dict().items()
    parts = [wrapped(text.partition("\n")[0], width)]
    for titles in (COVERAGES, GAPS):
        rows = [[method, *(short(row[name]) for name in titles.values())] for method, row in found]
        parts.append(as_fitting_table(["method", *titles], rows, 1, width))
    return "".join(parts).rstrip("\n")


def _per_realisation(reports: Sequence[CoverageReport]) -> Report:
    import numpy as np

    tables = [(report.scenario, report.columns("realisations")) for report in reports]
    header = ["scenario", *tables[0][1]]
    rows = [
        # plain numbers, which JSON takes
        [name, *(np.asarray(value).item() for value in row)]
        for name, columns in tables
        for row in zip(*columns.values(), strict=True)
    ]
    return Report(header, rows)
