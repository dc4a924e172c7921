"""`irbounds allocate-labels`: which pairs people should label."""

from __future__ import annotations

from collections.abc import Sequence

import irbounds
from irbounds.cli.input import options
from irbounds.cli.input.read import check_read_once
from irbounds.cli.judges.assist import (
    all_judges,
    check_combine,
    combine,
    further_judges,
    highest_grade,
)
from irbounds.cli.terminal.help import declare
from irbounds.cli.terminal.notes import warnings_as_notes
from irbounds.cli.terminal.render import Report, Table, check_format, short, write
from irbounds.foundation.errors import counted


@declare(
    "allocate-labels",
    "irbounds allocate-labels model.qrels new.run old.run -n 60 --seed 1 -o people.csv",
)
@options.argument("judge", help="Grades of the judge, such as a language model, for all pairs.")
@options.runs_alone
@options.judged_measure
@options.option("--labels", "-n", type=int, help="Pairs to label; 60 by default.")
@options.option(
    "--half-width", type=float, help="In place of --labels: half the width of the interval."
)
@options.option(
    "--difference",
    type=float,
    help="In place of --labels: a difference of two runs that the interval is to tell from 0.",
)
@options.option(
    "--power", type=float, default=0.8, help="Probability with which --difference is told from 0."
)
@further_judges
@combine
@options.option("--labelled", type=options.File(), help="Labels of earlier batches.")
@options.judge_ties
@highest_grade
@options.seed("Seed of the draw: the same seed draws the same pairs.")
@options.format_of_screen
@options.output_of("Write the table of pairs to fill in, as CSV.")
def command(
    judge: str,
    judges: Sequence[str],
    combine: str,
    runs: Sequence[str],
    measures: Sequence[str],
    labels: int | None,
    half_width: float | None,
    difference: float | None,
    power: float,
    labelled: str | None,
    ties: str,
    max_grade: float | None,
    seed: int | None,
    format: str,
    output: str | None,
) -> None:
    """Draw the pairs that people should label, for `irbounds assist`.

    With --output, writes a table of the pairs to fill in, without the judge's grades; --format csv
    prints it.
    """
    if output is not None:
        check_format("--output", format, ("table", "csv"))
    if difference is None:
        options.refuse_unused("--difference", "power")
    check_combine(combine, judges)
    check_read_once(judge, *judges, *runs, labelled)
    with warnings_as_notes(irbounds.warnings.AssistedWarning, with_errors=True):
        plan = irbounds.allocate_labels(
            all_judges(judge, judges),
            list(runs) or None,
            " ".join(measures) or None,
            labels,
            seed,
            half_width=half_width,
            difference=difference,
            power=power,
            labelled=labelled,
            combine=combine,
            ties=ties,
            max_grade=max_grade,
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
            f"{counted(len(plan.pairs), 'pair', 'pairs')} to label; the interval of the measure "
            f"would have a half width of about {short(plan.half_width)}"
        ],
    )
    write(report, format if output is None else "table", None)
