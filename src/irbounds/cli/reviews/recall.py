"""`irbounds recall`: recall from assessed samples, by one or all methods, and the probability of a
target."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import irbounds
from irbounds.cli.input import options
from irbounds.cli.input.read import (
    CLASS_METHOD,
    Segments,
    check_coded_alone,
    coded_method,
    read_samples,
)
from irbounds.cli.reviews.coverage_words import covers_of
from irbounds.cli.reviews.foot_lines import claims, is_drawn, notes_on_methods, of_target
from irbounds.cli.terminal.help import declare
from irbounds.cli.terminal.notes import warnings_as_notes
from irbounds.cli.terminal.render import Report, Table, interval_cells, tell_of_loss, write
from irbounds.foundation.errors import InputError, check_choice

if TYPE_CHECKING:
    from irbounds.foundation.interval import Interval
    from irbounds.samples.model.request import Method

Rows = list[tuple[str, str, "Interval"]]  # measure, method, interval


@declare(
    "recall",
    "irbounds recall --retrieved 12000/150/108 --unretrieved 88000/1300/20 --target 0.8",
    "irbounds recall strata.csv --side lower",
)
@options.strata
@options.retrieved
@options.unretrieved
@options.option(
    "--sample",
    metavar="SAMPLE",
    help="In place of a sample of each segment, one of the whole collection: "
    "SAMPLED/FOUND/MISSED, the relevant documents in it that were retrieved and that were not; or "
    "RETRIEVED/UNRETRIEVED/SAMPLED/FOUND/MISSED, with the documents of both segments.",
)
@options.coded
@options.option("--target", type=float, help="Print the probability that recall is at least this.")
@options.method(
    "betabinom-half (default), guaranteed (default of one-sided bounds), koopman, …; "
    "--all-methods lists them."
)
@options.flag("--all-methods", help="Print intervals on recall by every method.")
@options.flag(
    "--weighted",
    help="The table has a row for each sampled relevant document, with columns segment and "
    "probability; or for each sampled document, with a column relevant of 0 and 1.",
)
@options.option(
    "--largest-weight",
    type=float,
    multiple=True,
    help="For --weighted: the largest 1/probability that a document could have; once for each "
    "segment.",
)
@options.confidence_level
@options.side
@options.engine
@options.draws
@options.seed("Seed of the Monte Carlo engine.")
@options.format
@options.output
def command(
    table: str | None,
    retrieved: Sequence[str],
    unretrieved: Sequence[str],
    sample: str | None,
    coded: str | None,
    target: float | None,
    method: str | None,
    all_methods: bool,
    weighted: bool,
    largest_weight: Sequence[float],
    confidence_level: float,
    side: str,
    engine: str,
    draws: int,
    seed: int | None,
    format: str,
    output: str | None,
) -> None:
    """Estimate recall, precision, F and yield of a review from assessed samples, with intervals.

    Give a random sample of the retrieved documents and one of the unretrieved documents. --sample
    takes one sample of the whole collection instead; if you know how many of its documents were
    retrieved, --retrieved and --unretrieved usually give a narrower interval. --side applies to
    every measure; a claim that elusion is low needs --side upper.
    """
    from irbounds.warnings import SampleWarning

    alone: dict[str, Any] = {"--retrieved": retrieved, "--unretrieved": unretrieved}
    alone |= {"--coded": coded, "--target": target is not None, "--all-methods": all_methods}
    drawn = {"--engine": engine != "exact", "--seed": seed}
    if sample is not None:
        from irbounds.cli.reviews.one_sample import report_of_one_sample

        alone |= {"a table": table, "--weighted": weighted, "--largest-weight": largest_weight}
        _check_alone("--sample", alone | drawn)
        write(report_of_one_sample(sample, method, confidence_level, side), format, output)
        return
    if weighted:
        from irbounds.cli.reviews.weighted import weighted_report

        _check_alone("--weighted", alone | drawn | {"--method": method})
        write(weighted_report(table, largest_weight, confidence_level, side), format, output)
        return
    if largest_weight:
        raise InputError("--largest-weight is for --weighted")
    _check_draws(engine, draws, seed)
    if target is not None:
        tell_of_loss("the probability of the target", format)
    segments, believed = _read(table, retrieved, unretrieved, coded)
    usual = None if believed is None else coded_method(segments, believed)
    method = _method(method, side, usual)
    settings: dict[str, Any] = {"confidence_level": confidence_level, "side": side}
    settings |= {"engine": engine, "draws": draws, "rng": seed}
    names, skipped = _methods_for(segments) if all_methods else ([method], [])
    with warnings_as_notes(SampleWarning):
        rows = [_recall(segments, believed, name, settings) for name in names]
        if not all_methods:
            rows += _beside_recall(segments, believed, method, usual, settings)
        claimed = believed and irbounds.recall_interval(*believed, method=method, **settings)
    model = _model_for(method, usual)
    chance = _chance_of(target, _form(segments, believed, model.name), model.prior)
    used = _used(rows, engine)
    notes = [
        *notes_on_methods(used, confidence_level, side, engine, draws, all_methods, usual),
        *of_target(target, chance, model.prior_words),
        *claims(claimed, segments, believed),
        *(f"{name} does not support strata" for name in skipped),
    ]
    report = Report(
        ["measure", "method", "estimate", "low", "high"],
        [[measure, name, i.estimate, i.low, i.high] for measure, name, i in rows],
        shown=_as_cells(rows, all_methods, usual),
        document={
            **_samples(segments),
            "confidence_level": confidence_level,
            "side": side,
            "target": target,
            "recall_if_calls_were_right": None if claimed is None else claimed.to_dict(),
            "probability_of_target": chance,
            "prior_of_probability": None if chance is None else model.prior_words,
            "intervals": _as_dicts(rows, usual),
        },
        notes=notes,
    )
    write(report, format, output)


def _method(method: str | None, side: str, usual: str | None) -> str:
    """The method that was asked for, or the usual one."""
    from irbounds.foundation.interval import SIDES
    from irbounds.samples.intervals.table import METHODS, usual_method

    check_choice("--side", side, SIDES)
    if method is not None:
        return check_choice("--method", method, METHODS)
    return _unless_coded(usual_method(side), usual)


def _unless_coded(method: str, usual: str | None) -> str:
    """The usual method that nobody asked for: of coded documents, theirs."""
    return usual if usual is not None and method == "betabinom-half" else method


def _chance_of(target: float | None, segments: Segments, prior: Any) -> float | None:
    """The posterior probability that recall is at least the target."""
    from irbounds.foundation.arguments import check_number
    from irbounds.samples.intervals.estimators import recall_posterior

    if target is None:
        return None
    check_number("--target", target, "must be from 0 to 1", lambda x: 0 <= x <= 1)
    return float(recall_posterior(*segments, prior).sf(target))


def _samples(segments: Segments) -> dict[str, Any]:
    return {
        name: [list(stratum) for stratum in segment]
        for name, segment in zip(("retrieved", "unretrieved"), segments, strict=True)
    }


def _as_dicts(rows: Rows, usual: str | None) -> list[dict[str, Any]]:
    """Intervals as JSON has them, with how often their methods cover."""
    return [
        {
            "measure": measure,
            "covers": covers_of(_covers(name, usual), interval.side),
            **interval.to_dict(),
        }
        for measure, name, interval in rows
    ]


def _covers(name: str, usual: str | None) -> str:
    """How often a method covers: the table of methods has the usual one of coded documents for many
    strata."""
    from irbounds.samples.intervals.table import AVERAGE, INTERVAL_METHODS

    return AVERAGE if name == usual == CLASS_METHOD else INTERVAL_METHODS[name].covers


def _model_for(method: str, usual: str | None) -> Method:
    """The method whose prior says how probable a recall is."""
    from irbounds.samples.intervals.table import model_of

    model = model_of(method)
    return model if model.name == method else model_of(_unless_coded(model.name, usual))


def _check_draws(engine: str, draws: int, seed: int | None) -> None:
    """Refuse options of random numbers where there are none."""
    if engine == "exact" and (seed is not None or draws != options.DRAWS):
        name = "--draws" if seed is None else "--seed"
        raise InputError(f"{name} is for --engine monte-carlo")


def _check_alone(option: str, others: dict[str, Any]) -> None:
    """Refuse what an option would leave unused."""
    for name, given in others.items():
        if given or (name == "--seed" and given is not None):
            raise InputError(f"{option} does not take {name}")


def _read(
    table: str | None, retrieved: Sequence[str], unretrieved: Sequence[str], coded: str | None
) -> tuple[Segments, Segments | None]:
    """Samples of both segments; of coded documents also those that there would be if all calls were
    right."""
    from irbounds.cli.input.read import coded_from_table

    if coded is None:
        return read_samples(table, retrieved, unretrieved), None
    check_coded_alone(table, retrieved, unretrieved)
    return coded_from_table(coded)


def _form(segments: Segments, believed: Segments | None, method: str) -> Segments:
    """The samples as a method takes them: of coded documents audited segments, or strata."""
    from irbounds.cli.input.read import audited_of
    from irbounds.samples.intervals.pipeline import CODED_METHODS

    if believed is None or method not in CODED_METHODS:
        return segments
    return audited_of(segments, believed)


def _recall(
    segments: Segments, believed: Segments | None, method: str, settings: dict[str, Any]
) -> tuple[str, str, Interval]:
    """The row of recall by a method."""
    form = _form(segments, believed, method)
    return "recall", method, irbounds.recall_interval(*form, method=method, **settings)


def _beside_recall(
    segments: Segments,
    believed: Segments | None,
    method: str,
    usual: str | None,
    settings: dict[str, Any],
) -> Rows:
    """The other measures of the same samples, by the method if it has them."""
    from irbounds.samples.intervals.table import method_beside

    interval_of: dict[str, Callable[..., Interval]] = {
        "precision": irbounds.precision_interval,
        "F": irbounds.f_interval,
        "yield": irbounds.yield_interval,
        "elusion": irbounds.samples.elusion_interval,
    }
    rows: Rows = []
    for measure, interval in interval_of.items():
        name = method_beside(method, measure, settings["side"])
        if name != method:
            name = _unless_coded(name, usual)
        title = "F1" if measure == "F" else measure
        form = _form(segments, believed, name)
        rows.append((title, name, interval(*form, method=name, **settings)))
    return rows


def _as_cells(rows: Rows, all_methods: bool, usual: str | None) -> Table:
    """Rows for people; several methods with how often they cover."""
    header = ["measure", "method", "estimate", "low", "high", *(["covers"] * all_methods)]
    cells = [
        [
            measure,
            name,
            *interval_cells(i.estimate, i.low, i.high, measure == "yield"),
            *([covers_of(_covers(name, usual), i.side)] * all_methods),
        ]
        for measure, name, i in rows
    ]
    return Table(header, cells, 2)


def _methods_for(segments: Segments) -> tuple[list[str], list[str]]:
    """The methods that the samples allow, and those that do not support strata."""
    from irbounds.samples.intervals.table import offered

    has_strata = max(map(len, segments)) > 1
    methods = offered(has_strata)
    skipped = [method.name for method in methods if has_strata and not method.allows_strata]
    return [method.name for method in methods if method.name not in skipped], skipped


def _used(rows: Rows, engine: str) -> list[str]:
    """The methods of the rows."""
    used = list(dict.fromkeys(name for _, name, _ in rows))
    if not is_drawn(used, engine):
        options.refuse_unused("methods by a posterior, such as betabinom-half", "engine")
    return used
