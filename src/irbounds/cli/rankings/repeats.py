"""Repeats of units in what `irbounds eval --scores` writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irbounds.foundation.errors import InputError

if TYPE_CHECKING:
    from irbounds.cli.rankings.evaluated import Evaluated
    from irbounds.cli.rankings.intervals import Asked
    from irbounds.rankings.data.scores import Scores


class RepeatedScores:
    """The repeats of a table: a line for each system and measure, and intervals over repeats."""

    def __init__(self, table: Scores, asked: Asked | None, design: str) -> None:
        if design == "crossed" and (asked is None or (asked.method, asked.side) != NO_METHOD):
            raise InputError("--repeats crossed needs --interval, two-sided and without --method")
        self.table, self.asked, self.design = table, asked, design

    def told_by(self, report: Evaluated) -> Evaluated:
        """The same report with the lines, and with intervals over crossed repeats."""
        from irbounds.foundation.interval import Interval

        level = 0.95 if self.asked is None else self.asked.confidence_level
        for system, evaluation in report.evaluations:
            for name in evaluation.measures:
                found = self.table.repeated(
                    system, name, design=self.design, confidence_level=level
                )
                report.remarks.append(f"{system}, {name}: {found.to_text()}")
                if self.design == "crossed":
                    report.intervals[system][str(name)] = Interval(
                        found.estimate, found.low, found.high, level, "two-sided", "crossed", "t"
                    )
        return report


NO_METHOD = (None, "two-sided")
