"""Commands and their options."""

from __future__ import annotations

from typing import Annotated

import typer

import irbounds
from irbounds.cli.options import DEFAULT_MEASURES, MeasureOption, OutputOption
from irbounds.cli.report import app as report_app
from irbounds.rankings.measure import TIE_RULES

app: typer.Typer = typer.Typer(
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Information-retrieval evaluation whose every number comes with its bounds.",
)
app.add_typer(report_app, name="report")
FormatOption = Annotated[
    str,
    typer.Option(
        "--format",
        "-f",
        help="table, csv, json, jsonl or latex.  csv has inf for infinite values and `all` as "
        "query of "
        "summaries; json and jsonl have null for inf, jsonl no query_id in summaries.",
    ),
]


@app.callback(invoke_without_command=True)
def _version(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    from irbounds.cli.output import write

    if version:
        write(f"irbounds {irbounds.__version__}\n")
        raise typer.Exit


@app.command("eval")
def evaluate(
    qrels: Annotated[
        str, typer.Argument(help="TREC qrels file (plain, .gz, .xz, .bz2; - is standard input).")
    ],
    runs: Annotated[list[str], typer.Argument(help="TREC run files.")],
    measures: MeasureOption = None,
    ties: Annotated[
        str, typer.Option(help=f"What counts for tied scores: {', '.join(TIE_RULES)}.")
    ] = "expected",
    bounds: Annotated[
        bool,
        typer.Option("--bounds", help="Add the least and the greatest value over tied orders."),
    ] = False,
    per_query: Annotated[
        bool, typer.Option("--per-query", "-q", help="One row for each query as well.")
    ] = False,
    missing: Annotated[
        str, typer.Option(help="Judged queries that a run lacks: zero, skip or error.")
    ] = "zero",
    judged_only: Annotated[
        bool, typer.Option("--judged-only", help="Drop unjudged documents first.")
    ] = False,
    collection_size: Annotated[
        int | None,
        typer.Option(
            help="Documents in the collection.  Fallout and HT need it; with it ESL, PRR, EP and "
            "PRECALL find among the "
            "rest what the run lacks."
        ),
    ] = None,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", help="Runs that are evaluated at the same time.")
    ] = 1,
    keep_going: Annotated[
        bool,
        typer.Option(
            "--keep-going",
            "-k",
            help="Leave out runs that cannot be evaluated; the status is then 2.",
        ),
    ] = False,
    format: FormatOption = "table",
    output: OutputOption = None,
) -> None:
    """Evaluate runs against relevance judgments."""
    from irbounds.cli.evaluations import FORMATS, evaluate_runs
    from irbounds.cli.tables import check_read_once
    from irbounds.foundation.errors import check_choice

    check_choice("--format", format, FORMATS)
    check_read_once(qrels, *runs)
    evaluator = irbounds.Evaluator(
        qrels,
        " ".join(measures or [DEFAULT_MEASURES]),
        ties=ties,
        bounds=bounds,
        missing=missing,
        judged_only=judged_only,
        collection_size=collection_size,
    )
    if not evaluate_runs(evaluator, runs, jobs, keep_going, format, per_query, output):
        raise typer.Exit(2)


@app.command()
def compare(
    qrels: Annotated[
        str, typer.Argument(help="TREC qrels file (plain, .gz, .xz, .bz2; - is standard input).")
    ],
    runs: Annotated[list[str], typer.Argument(help="Two or more TREC run files.")],
    measures: MeasureOption = None,
    test: Annotated[
        str, typer.Option(help="permutation, t, wilcoxon, sign or bootstrap.")
    ] = "permutation",
    correction: Annotated[
        str,
        typer.Option(
            help="holm, bonferroni, tukey (all pairs) or dunnett (with --baseline), both with "
            "permutation or t, or none."
        ),
    ] = "holm",
    family: Annotated[
        str | None,
        typer.Option(
            help="Differences that are corrected together: all (default), or those by each measure."
        ),
    ] = None,
    baseline: Annotated[
        str | None, typer.Option(help="Compare the others with this run only.")
    ] = None,
    confidence_level: Annotated[
        float, typer.Option(help="Confidence level of the intervals.")
    ] = 0.95,
    resamples: Annotated[
        int, typer.Option(help="Resamples of the permutation test and the bootstrap.")
    ] = 9999,
    seed: Annotated[int, typer.Option(help="Seed of the permutation test and the bootstrap.")] = 0,
    ties: Annotated[
        str, typer.Option(help=f"What counts for tied scores: {', '.join(TIE_RULES)}.")
    ] = "expected",
    missing: Annotated[
        str, typer.Option(help="Judged queries that a run lacks: zero, skip or error.")
    ] = "zero",
    judged_only: Annotated[
        bool, typer.Option("--judged-only", help="Drop unjudged documents first.")
    ] = False,
    collection_size: Annotated[
        int | None, typer.Option(help="Documents in the collection.")
    ] = None,
    rows: Annotated[
        str | None,
        typer.Option(
            help="differences or runs: what csv (differences) and latex (runs) have rows for."
        ),
    ] = None,
    format: Annotated[
        str, typer.Option("--format", "-f", help="table, csv, json, jsonl or latex.")
    ] = "table",
    output: OutputOption = None,
) -> None:
    """Compare runs query by query: tests, intervals, effects, and what tie-breaking could
    change."""
    from irbounds.cli import compare as work
    from irbounds.cli.evaluations import notes_on_queries
    from irbounds.cli.output import complain
    from irbounds.cli.tables import check_read_once

    work.check_output(format, rows)
    check_read_once(qrels, *runs)
    with work.warnings_as_notes():
        comparison = irbounds.compare(
            qrels,
            runs,
            " ".join(measures or [DEFAULT_MEASURES]),
            test=test,
            family=family,
            baseline=baseline,
            correction=None if correction == "none" else correction,
            confidence_level=confidence_level,
            resamples=resamples,
            rng=seed,
            ties=ties,
            missing=missing,
            judged_only=judged_only,
            collection_size=collection_size,
        )
    for run in comparison.runs:
        complain(
            notes_on_queries(run, comparison.missing_queries[run], comparison.unjudged_queries[run])
        )
    work.write_comparison(comparison, format, rows, output)


@app.command()
def counts(
    table: Annotated[
        str | None,
        typer.Argument(
            help="CSV with columns tp, fp, fn, and tn, system, category where there are (- is "
            "standard input)."
        ),
    ] = None,
    tp: Annotated[
        list[float] | None, typer.Option(help="True positives; once for each system.")
    ] = None,
    fp: Annotated[list[float] | None, typer.Option(help="False positives.")] = None,
    fn: Annotated[list[float] | None, typer.Option(help="False negatives.")] = None,
    tn: Annotated[list[float] | None, typer.Option(help="True negatives.")] = None,
    truth: Annotated[str | None, typer.Option(help="File of true labels, one a line.")] = None,
    prediction: Annotated[
        list[str] | None, typer.Option(help="File of predicted labels; one for each system.")
    ] = None,
    positive: Annotated[str, typer.Option(help="The relevant label in the files.")] = "1",
    beta: Annotated[float, typer.Option(help="Weight of recall in F.")] = 1.0,
    measure: Annotated[
        str, typer.Option(help="Measure by which systems are compared: f, precision, recall, …")
    ] = "f",
    margin: Annotated[float, typer.Option(help="How much better matters.")] = 0.0,
    prior: Annotated[
        float, typer.Option(help="λ of the prior: 0.5 (Jeffreys), 1 (uniform), ….")
    ] = 0.5,
    confidence_level: Annotated[
        float, typer.Option(help="Confidence level of the intervals.")
    ] = 0.95,
    kind: Annotated[str, typer.Option(help="equal-tailed or hpd (shortest).")] = "equal-tailed",
    format: Annotated[
        str, typer.Option("--format", "-f", help="table, csv, json or latex.")
    ] = "table",
    output: OutputOption = None,
) -> None:
    """Precision, recall and F from confusion counts, with intervals, and the probability that one
    system is better."""
    from irbounds.cli import counts as work
    from irbounds.cli.tables import check_read_once
    from irbounds.foundation.errors import InputError

    check_read_once(truth, *(prediction or []))
    cells = {"tp": tp, "fp": fp, "fn": fn, "tn": tn}
    given = [table is not None, any(cells.values()), bool(truth or prediction)]
    if sum(given) > 1:
        raise InputError("give counts, or a table, or label files: not several of them")
    pairs: dict[str, irbounds.PairedCounts] = {}
    if truth or prediction:
        if not (truth and prediction):
            raise InputError("label files go together: --truth and one or more --prediction")
        entries, pairs = work.from_labels(truth, prediction, positive, prior)
    elif table is not None:
        entries = work.from_table(table, prior)
    else:
        entries = work.from_options({name: values or [] for name, values in cells.items()}, prior)
    work.show(
        entries,
        pairs,
        beta=beta,
        level=confidence_level,
        kind=kind,
        measure=measure,
        margin=margin,
        format=format,
        output=output,
    )


@app.command()
def recall(
    table: Annotated[
        str | None,
        typer.Argument(
            help="CSV of strata with columns segment, size, sampled, relevant (- is standard "
            "input)."
        ),
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
    target: Annotated[
        float | None, typer.Option(help="Print the probability that recall reaches this.")
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            help="betabinom-half (default), guaranteed (default of one-sided bounds), koopman, …."
        ),
    ] = None,
    all_methods: Annotated[
        bool, typer.Option("--all-methods", help="Intervals by every method.")
    ] = False,
    confidence_level: Annotated[
        float, typer.Option(help="Confidence level of the intervals.")
    ] = 0.95,
    side: Annotated[str, typer.Option(help="two-sided, lower or upper.")] = "two-sided",
    engine: Annotated[str, typer.Option(help="exact or monte-carlo.")] = "exact",
    draws: Annotated[int, typer.Option(help="Draws of the Monte Carlo engine.")] = 40_000,
    seed: Annotated[int | None, typer.Option(help="Seed of the Monte Carlo engine.")] = None,
    format: Annotated[
        str, typer.Option("--format", "-f", help="table, csv, json or latex.")
    ] = "table",
    output: OutputOption = None,
) -> None:
    """Recall, precision, F and yield of a review, from assessed samples, with intervals."""
    from irbounds.cli import recall as work
    from irbounds.foundation.errors import InputError

    if table is not None and (retrieved or unretrieved):
        raise InputError("give strata as options or as a table, not both")
    segments = (
        work.from_table(table)
        if table is not None
        else work.from_options(retrieved or [], unretrieved or [])
    )
    work.show(
        segments,
        method=method,
        all_methods=all_methods,
        target=target,
        level=confidence_level,
        side=side,
        engine=engine,
        draws=draws,
        seed=seed,
        format=format,
        output=output,
    )


@app.command()
def plan(
    table: Annotated[
        str | None,
        typer.Argument(
            help="CSV of strata with columns segment, size, prevalence (- is standard input)."
        ),
    ] = None,
    population: Annotated[int | None, typer.Option(help="Documents in the collection.")] = None,
    retrieved: Annotated[int | None, typer.Option(help="Retrieved documents.")] = None,
    recall: Annotated[
        str | None, typer.Option(help="Assumed recall: 0.8, or a range 0.6-0.9.")
    ] = None,
    precision: Annotated[str | None, typer.Option(help="Assumed precision, or a range.")] = None,
    prevalence: Annotated[
        str | None, typer.Option(help="Assumed prevalence instead of precision.")
    ] = None,
    sample: Annotated[
        int | None, typer.Option(help="Split so many documents between the segments.")
    ] = None,
    width: Annotated[
        float | None, typer.Option(help="Find the least sample for an interval so narrow.")
    ] = None,
    target: Annotated[
        float | None,
        typer.Option(
            help="Find the least sample whose lower bound on recall is likely to reach this."
        ),
    ] = None,
    probability: Annotated[float, typer.Option(help="How likely that should be.")] = 0.8,
    at_most: Annotated[
        int | None, typer.Option(help="Documents that can be assessed at most.")
    ] = None,
    design: Annotated[
        str,
        typer.Option(
            help="stratified: a sample of each segment; single-sample: one of the whole collection."
        ),
    ] = "stratified",
    method: Annotated[
        str | None,
        typer.Option(
            help="guaranteed, betabinom-half, koopman, …; guaranteed with --target, else "
            "betabinom-half."
        ),
    ] = None,
    confidence_level: Annotated[
        float, typer.Option(help="Confidence level of the intervals.")
    ] = 0.95,
    side: Annotated[
        str | None,
        typer.Option(help="two-sided, lower or upper; lower with --target, else two-sided."),
    ] = None,
    format: Annotated[
        str, typer.Option("--format", "-f", help="table, csv, json or latex.")
    ] = "table",
    output: OutputOption = None,
) -> None:
    """How many documents to assess, and from which segment.  Exit status 1: no sample reaches the
    goal."""
    from irbounds.cli import planning as work

    review = work.assumed(table, population, retrieved, recall, precision, prevalence)
    status = work.show_plan(
        review,
        sample=sample,
        width=width,
        target=target,
        probability=probability,
        at_most=at_most,
        design=design,
        method=method,
        level=confidence_level,
        side=side,
        format=format,
        output=output,
    )
    raise typer.Exit(status)


@app.command()
def coverage(
    scenarios: Annotated[list[str], typer.Argument(help="neutral, legal or small.")],
    methods: Annotated[
        str | None,
        typer.Option(
            help='Of recall intervals, such as "koopman betabinom-half"; without it the nine of '
            "the paper."
        ),
    ] = None,
    realisations: Annotated[int, typer.Option(help="Reviews drawn from a scenario.")] = 1000,
    samples: Annotated[int, typer.Option(help="Samples drawn from each review.")] = 1000,
    exact: Annotated[
        bool, typer.Option("--exact", help="Sum over all outcomes instead of drawing samples.")
    ] = False,
    confidence_level: Annotated[
        float, typer.Option(help="Confidence level of the intervals.")
    ] = 0.95,
    side: Annotated[str, typer.Option(help="two-sided, lower or upper.")] = "two-sided",
    seed: Annotated[int | None, typer.Option(help="The same seed gives the same report.")] = None,
    workers: Annotated[
        int | None, typer.Option(help="Threads; as many as there are cores without it.")
    ] = None,
    per_realisation: Annotated[
        bool,
        typer.Option("--per-realisation", help="A row for each review and method; csv or json."),
    ] = False,
    format: Annotated[
        str, typer.Option("--format", "-f", help="table, csv, json or latex.")
    ] = "table",
    output: OutputOption = None,
) -> None:
    """How often recall intervals hold the true recall.  Ctrl-C reports what is done."""
    from irbounds.cli import planning as work

    work.show_coverage(
        scenarios,
        methods=methods,
        realisations=realisations,
        samples=samples,
        exact=exact,
        level=confidence_level,
        side=side,
        seed=seed,
        workers=workers,
        per_realisation=per_realisation,
        format=format,
        output=output,
    )


@app.command()
def extrapolate(
    table: Annotated[
        str | None,
        typer.Argument(
            help="CSV of points with columns recall, precision, prevalence (and system), or of "
            "strata as for `recall` "
            "(- is standard input: points)."
        ),
    ] = None,
    recall: Annotated[
        list[float] | None, typer.Option(help="Measured recall; once for each system.")
    ] = None,
    precision: Annotated[list[float] | None, typer.Option(help="Precision at that recall.")] = None,
    prevalence: Annotated[
        list[float] | None, typer.Option(help="Share of relevant documents in the collection.")
    ] = None,
    retrieved: Annotated[
        list[str] | None,
        typer.Option(
            help="Instead of a point: SIZE/SAMPLED/RELEVANT of the retrieved documents; once for "
            "each stratum."
        ),
    ] = None,
    unretrieved: Annotated[
        list[str] | None, typer.Option(help="The same of the unretrieved documents.")
    ] = None,
    target_recall: Annotated[float, typer.Option(help="The recall to compare at.")] = 0.75,
    population: Annotated[
        float | None,
        typer.Option(
            help="Documents there are, for the number to review; with samples theirs by default."
        ),
    ] = None,
    per_document: Annotated[
        float | None, typer.Option(help="Cost of reviewing one document.")
    ] = None,
    per_relevant: Annotated[
        float, typer.Option(help="Cost of each relevant document in addition.")
    ] = 0.0,
    fixed: Annotated[float, typer.Option(help="Cost whatever the recall.")] = 0.0,
    method: Annotated[
        str, typer.Option(help="betabinom-half, betabinom-uniform or betabinom-mcp.")
    ] = "betabinom-half",
    confidence_level: Annotated[
        float, typer.Option(help="Confidence level of the intervals.")
    ] = 0.95,
    side: Annotated[str, typer.Option(help="two-sided, lower or upper.")] = "two-sided",
    engine: Annotated[str, typer.Option(help="exact or monte-carlo.")] = "exact",
    draws: Annotated[int, typer.Option(help="Draws of the Monte Carlo engine.")] = 40_000,
    seed: Annotated[
        int | None, typer.Option(help="Seed of the Monte Carlo engine and of the plot.")
    ] = None,
    plot: Annotated[
        str | None, typer.Option(help="Draw reference curves into this file (.png, .svg, .pdf).")
    ] = None,
    format: Annotated[
        str, typer.Option("--format", "-f", help="table, csv, json or latex.")
    ] = "table",
    output: OutputOption = None,
) -> None:
    """Precision at another recall (Dimm 2015), and the documents to review there, of points or of
    sampled reviews."""
    from irbounds.cli import extrapolate as work
    from irbounds.cli import recall as samples
    from irbounds.foundation.errors import InputError

    work.check_options(method, confidence_level, side, engine, draws, seed)
    options = bool(recall or precision or prevalence), bool(retrieved or unretrieved)
    if (table is not None) + sum(options) > 1:
        raise InputError("give points, or samples, or a table: not several of them")
    found = (
        work.from_table(table)
        if table is not None
        else samples.from_options(retrieved or [], unretrieved or [])
        if options[1]
        else work.points_from_options(recall or [], precision or [], prevalence or [])
    )
    prices = work.Prices(population, per_document, per_relevant, fixed)
    if isinstance(found, list):
        work.show_points(found, target_recall, prices, format=format, output=output, plot=plot)
    else:
        work.show_samples(
            found,
            target_recall,
            prices,
            method=method,
            level=confidence_level,
            side=side,
            engine=engine,
            draws=draws,
            seed=seed,
            format=format,
            output=output,
            plot=plot,
        )


@app.command("measures")
def list_measures(
    format: Annotated[str, typer.Option("--format", "-f", help="table or json.")] = "table",
) -> None:
    """List all measures with their definitions, sources and tie rules."""
    from irbounds.cli.evaluations import write_measures
    from irbounds.foundation.errors import check_choice

    write_measures(check_choice("--format", format, ("table", "json")))


@app.command()
def demo() -> None:
    """Show on a small real example what tied scores do to measures."""
    from irbounds.cli.demo import show_demo

    show_demo()
