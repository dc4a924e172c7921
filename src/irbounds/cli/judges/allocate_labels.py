"""`irbounds allocate-labels`: which pairs people should label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import irbounds
from irbounds.cli.input import options
from irbounds.cli.input.read import check_read_once
from irbounds.cli.judges.assist import JUDGES, MEASURE, all_judges
from irbounds.cli.terminal.help import declare
from irbounds.cli.terminal.notes import warnings_as_notes
from irbounds.cli.terminal.render import FORMATS, Report, Table, check_format, short, write
from irbounds.foundation.errors import counted


@declare(
    "allocate-labels",
    {
        "Input": (
            JUDGES[0],
            options.argument(
                "runs",
                "Run files: TREC, CSV, TSV, JSON, Parquet or Arrow; without any the measure "
                "is SetP, of all pairs.",
                nargs=-1,
            ),
            *JUDGES[1:],
            options.file("--labelled", "Labels of earlier batches."),
        ),
        "Measure": MEASURE,
        "Labels": (
            options.count("--labels -n", "Pairs to label; 60 by default."),
            options.number("--half-width", "In place of --labels: half the width of the interval."),
            options.number(
                "--difference",
                "In place of --labels: a difference of two runs to detect.",
            ),
            options.number("--power", "Probability of detecting --difference.", 0.8),
            options.seed("Seed of the draw: the same seed draws the same pairs."),
        ),
        "Output": (
            options.formats(FORMATS, has_file=False),
            options.output_of("Write the table of pairs to fill in, as CSV."),
        ),
    },
    "irbounds allocate-labels model.qrels new.run old.run -n 60 --seed 1 -o people.csv",
)
def command(
    judge: str,
    judges: Sequence[str],
    runs: Sequence[str],
    measures: str | None,
    labels: int | None,
    format: str,
    output: str | None,
    **settings: Any,
) -> None:
    """Draw the pairs that people should label, for `irbounds assist`.

    With --output, writes a table of the pairs to fill in, without the judge's grades; --format csv
    prints it.
    """
    if output is not None:
        check_format("--output", format, ("table", "csv"))
    if settings["difference"] is None:
        options.refuse_unused("--difference", "power")
    both = all_judges(judge, judges, settings["combine"])
    check_read_once(judge, *judges, *runs, settings["labelled"])
    with warnings_as_notes(irbounds.warnings.AssistedWarning, with_errors=True):
        plan = irbounds.allocate_labels(
            both, list(runs) or None, measures or None, labels, **settings
        )
    if output == "-":
        output, format = None, "csv"
    if output is not None:
        plan.write(output)
    rows = [[s.grade, s.size, s.labelled, s.drawn] for s in plan.strata]
    report = Report(
        ["query_id", "doc_id", "relevance"],
        [[*pair, ""] for pair in plan.pairs],
        shown=Table(["grade", "pairs", "labelled", "drawn"], rows),
        document=plan.to_dict(),
        notes=[
            f"{counted(len(plan.pairs), 'pair', 'pairs')} to label; "
            f"expected interval: ± {short(plan.half_width)}"
        ],
    )
    write(report, format if output is None else "table", None)
