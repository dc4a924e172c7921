"""`irbounds measures`: all measures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import irbounds
from irbounds.cli.input import options
from irbounds.cli.terminal.help import declare
from irbounds.cli.terminal.render import Report, Table
from irbounds.foundation.errors import InputError
from irbounds.foundation.writing import as_csv, as_json_text


@declare(
    "measures",
    {
        "Input": (
            options.argument("names", "Measures to list; all by default.", nargs=-1, type=str),
        ),
        "Output": options.OUTPUT,
    },
    "irbounds measures AP nDCG@10",
)
def command(names: Sequence[str]) -> Report:
    """List measures with their definitions, sources and tie rules."""
    listed = _chosen(names) if names else irbounds.measures()
    records = [
        {
            "name": info.name,
            "form": info.form,
            "definition": info.definition,
            "ties": info.tie_rule,
            "source": info.source,
            "parameters": info.parameters,
        }
        for info in listed
    ]
    shown = Table(
        ["measure", "definition", "parameters", "source"],
        [
            [
                info.form,
                f"{info.definition} Ties: {info.tie_rule}",
                ", ".join(info.parameters),
                info.source,
            ]
            for info in listed
        ],
        numbers_from=4,
    )
    return Measures(list(records[0]), [list(record.values()) for record in records], shown=shown)


def _chosen(names: Sequence[str]) -> list[Any]:
    """The measures of these names, which may have parameters or be those of other tools."""
    from irbounds.rankings.measure_table.measure import Measure

    listed = {info.name: info for info in irbounds.measures()}
    words = [word for name in names for word in name.split()]
    if not words:
        raise InputError("NAMES must name at least one measure")
    return [
        listed[name]
        for name in dict.fromkeys(
            word if word in listed else Measure.parse(word).name for word in words
        )
    ]


class Measures(Report):
    """Long cells, which are wrapped; in CSV the parameters are JSON."""

    def csv(self, has_header: bool = True) -> str:
        """As of other reports."""
        table = self.data()
        rows = [[*row[:-1], as_json_text(row[-1])] for row in table.rows]
        return as_csv(table.header if has_header else None, rows)

    def text(self, width: int | None) -> str:
        """As wide as the terminal, else 100 columns."""
        from irbounds.foundation.writing import as_wrapped_table

        table = self.shown()
        return as_wrapped_table(table.header, table.rows, width or 100)
