"""`irbounds measures`: all measures."""

from __future__ import annotations

import irbounds
from irbounds.cli import options
from irbounds.cli.help import declare
from irbounds.cli.render import Report, Table, write


@declare("measures")
@options.format
@options.output
def command(format: str, output: str | None) -> None:
    """List all measures with their definitions, sources and tie rules."""
    listed = irbounds.measures()
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
    report = Measures(list(records[0]), [list(record.values()) for record in records], shown=shown)
    write(report, format, output)


class Measures(Report):
    """Long cells, which are wrapped."""

    def text(self, width: int | None) -> str:
        """As wide as the terminal, else 100 columns."""
        from irbounds.foundation.writing import as_wrapped_table

        table = self.shown()
        return as_wrapped_table(table.header, table.rows, width or 100)
