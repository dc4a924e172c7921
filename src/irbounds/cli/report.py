"""Commands that write pages: ``irbounds report``."""

from __future__ import annotations

from typing import Annotated

import typer

import irbounds
from irbounds.cli.options import DEFAULT_MEASURES, MeasureOption, OutputOption
from irbounds.rankings.measure import TIE_RULES

app: typer.Typer = typer.Typer(
    help="Pages for people: one HTML file each, which needs nothing else."
)

DateOption = Annotated[
    str | None, typer.Option(help="On the page, as 2026-01-31; today without it.")
]
TitleOption = Annotated[str | None, typer.Option(help="Title of the page.")]


@app.command()
def runs(
    qrels: Annotated[
        str, typer.Argument(help="TREC qrels file (plain, .gz, .xz, .bz2; - is standard input).")
    ],
    runs: Annotated[list[str], typer.Argument(help="TREC run files.")],
    measures: MeasureOption = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            help="File name of the run that others are compared with; the first without it."
        ),
    ] = None,
    test: Annotated[
        str, typer.Option(help="permutation, t, wilcoxon, sign or bootstrap.")
    ] = "permutation",
    correction: Annotated[str, typer.Option(help="holm, bonferroni, dunnett or none.")] = "holm",
    family: Annotated[
        str | None,
        typer.Option(
            help="Differences that are corrected together: all (default), or those by each measure."
        ),
    ] = None,
    confidence_level: Annotated[
        float, typer.Option(help="Confidence level of the intervals.")
    ] = 0.95,
    seed: Annotated[int, typer.Option(help="Seed of the tests that resample.")] = 0,
    ties: Annotated[
        str, typer.Option(help=f"What counts for tied scores: {', '.join(TIE_RULES)}.")
    ] = "expected",
    missing: Annotated[
        str, typer.Option(help="Judged queries that a run lacks: zero or error.")
    ] = "zero",
    judged_only: Annotated[
        bool, typer.Option("--judged-only", help="Drop unjudged documents first.")
    ] = False,
    collection_size: Annotated[
        int | None, typer.Option(help="Documents in the collection.")
    ] = None,
    title: TitleOption = None,
    date: DateOption = None,
    output: OutputOption = None,
) -> None:
    """Compare runs: measures and differences with what ties make of them, pictures, queries."""
    from irbounds.cli.compare import warnings_as_notes
    from irbounds.cli.tables import check_read_once
    from irbounds.report.runs import TITLE

    check_read_once(qrels, *runs)
    with warnings_as_notes():
        page = irbounds.report_runs(
            qrels,
            runs,
            " ".join(measures or [DEFAULT_MEASURES]),
            baseline=baseline,
            test=test,
            family=family,
            correction=None if correction == "none" else correction,
            confidence_level=confidence_level,
            seed=seed,
            ties=ties,
            missing=missing,
            judged_only=judged_only,
            collection_size=collection_size,
            title=title or TITLE,
            date=date,
        )
    _write_page(page, output)


@app.command()
def recall(
    table: Annotated[
        str | None,
        typer.Argument(help="CSV of strata with columns segment, size, sampled, relevant."),
    ] = None,
    retrieved: Annotated[
        list[str] | None,
        typer.Option(
            help="SIZE/SAMPLED/RELEVANT of the retrieved documents; once for each stratum."
        ),
    ] = None,
    unretrieved: Annotated[
        list[str] | None, typer.Option(help="The same of the unretrieved documents.")
    ] = None,
    target: Annotated[float, typer.Option(help="The recall to be reached.")] = 0.75,
    method: Annotated[
        str, typer.Option(help="betabinom-half, koopman, guaranteed, ….")
    ] = "betabinom-half",
    confidence_level: Annotated[
        float, typer.Option(help="Confidence level of the intervals.")
    ] = 0.95,
    subject: Annotated[str, typer.Option(help="The matter, or the review.")] = "",
    title: TitleOption = None,
    date: DateOption = None,
    output: OutputOption = None,
) -> None:
    """A memo on the recall of a review, for a court or a systematic review; it prints on two
    sheets."""
    from irbounds.cli.recall import from_options, from_table
    from irbounds.foundation.errors import InputError
    from irbounds.report.recall import TITLE

    if table is not None and (retrieved or unretrieved):
        raise InputError("give strata as options or as a table, not both")
    segments = (
        from_table(table) if table is not None else from_options(retrieved or [], unretrieved or [])
    )
    page = irbounds.report_recall(
        *segments,
        target=target,
        method=method,
        confidence_level=confidence_level,
        subject=subject,
        title=title or TITLE,
        source=table if table != "-" else None,
        date=date,
    )
    _write_page(page, output)


def _write_page(page: str, output: str | None) -> None:
    """To a file as UTF-8; to the screen in letters that every encoding has."""
    from irbounds.cli.output import write

    write(
        page if output not in (None, "-") else page.encode("ascii", "xmlcharrefreplace").decode(),
        output,
    )
