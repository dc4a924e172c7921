"""`irbounds recall`: recall from assessed samples, by one or all methods, and the probability of a
target."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import irbounds
from irbounds.cli.input import options
from irbounds.cli.input.clusters import sample_of_clusters
from irbounds.cli.input.control import (
    DIVIDED,
    is_undivided,
    read_samples,
    refuse_beside_sample,
)
from irbounds.cli.input.samples import Samples, Segments, as_lists
from irbounds.cli.input.templates import DOCUMENTS, RECALL, write_template
from irbounds.cli.reviews.foot_lines import (
    claims,
    covers_of,
    is_drawn,
    notes_on_methods,
    of_control,
    of_target,
    of_test,
)
from irbounds.cli.reviews.other_samples import (
    cluster_report,
    report_of_one_sample,
    weighted_report,
)
from irbounds.cli.terminal.help import declare
from irbounds.cli.terminal.notes import warnings_as_notes
from irbounds.cli.terminal.render import Report, Table, interval_cells, tell_of_loss
from irbounds.foundation.errors import InputError, check_choice

if TYPE_CHECKING:
    from irbounds.foundation.interval import Interval

BESIDE = ("precision", "F1", "yield", "elusion")  # measures that are shown below recall


@declare(
    "recall",
    {
        "Input": (
            *options.STRATA,
            options.template("strata (with --sample, of documents)"),
            options.sample(
                "; for recall alone also SAMPLED/FOUND/MISSED (the relevant documents in it that "
                "were retrieved and that were not), or "
                "RETRIEVED/UNRETRIEVED/SAMPLED/FOUND/MISSED"
            ),
            options.flag(
                "--weighted",
                "The table has a row for each sampled relevant document, with columns segment "
                "and probability; or for each sampled document, with a column relevant of 0 and 1.",
            ),
            options.of_families,
            options.number(
                "--largest-weight",
                "For --weighted: the largest 1/probability that a document could have; once "
                "for each segment. With --cluster: the largest number of documents of a cluster "
                "over its probability.",
                multiple=True,
            ),
        ),
        "Intervals": (
            options.number("--target", "Print the probability that recall is at least this."),
            options.method(
                "betabinom-half (default), guaranteed (default of one-sided bounds), koopman, …; "
                "--all-methods lists them."
            ),
            options.flag("--all-methods", "Print intervals on recall by every method."),
            options.confidence_level,
            options.side,
            *options.drawing("Seed of the Monte Carlo engine."),
        ),
        "Output": options.BOOK_OUTPUT,
    },
    "irbounds recall --retrieved 12000/150/108 --unretrieved 88000/1300/20 --target 0.8",
    "irbounds recall strata.csv --side lower",
    "irbounds recall --template strata.xlsx",
)
def command(
    table: str | None,
    retrieved: Sequence[str],
    unretrieved: Sequence[str],
    coded: str | None,
    columns: dict[str, str] | None,
    template: str | None,
    sample: str | None,
    weighted: bool,
    cluster: str | None,
    largest_weight: Sequence[float],
    target: float | None,
    method: str | None,
    all_methods: bool,
    format: str,
    output: str | None,
    **settings: Any,
) -> Report | int:
    """Estimate recall, precision, F and yield of a review from assessed samples, with intervals.

    Give a random sample of the retrieved documents and one of the unretrieved documents. --sample
    takes one sample of the whole collection instead, and --unretrieved beside it an elusion sample
    of the unretrieved documents outside it. --side applies to every measure; to claim that elusion
    is low, use --side upper. Intervals are valid for one look: for a sample that grows, use
    --method anytime.
    """
    level, side = settings["confidence_level"], settings["side"]
    alone: dict[str, Any] = {"--retrieved": retrieved, "--unretrieved": unretrieved}
    if template is not None:
        _check_alone("--template", alone | {"a table": table, "--coded": coded})
        return write_template(RECALL if sample is None else DOCUMENTS, template, output)
    alone |= {"--coded": coded, "--target": target is not None, "--all-methods": all_methods}
    drawn = {"--engine": settings["engine"] != "exact", "--seed": settings["rng"] is not None}
    if cluster is not None and not weighted:
        _check_alone(
            "--cluster",
            {name: alone[name] for name in ("--coded", "--target", "--all-methods")}
            | drawn
            | {"--method": method, "--largest-weight": largest_weight},
        )
        families = sample_of_clusters(cluster, table, sample, retrieved, unretrieved, columns)
        return cluster_report(families, level, side)
    if sample is not None:
        refuse_beside_sample({"--weighted": weighted, "--largest-weight": largest_weight})
        if is_undivided(sample):
            alone |= {"a table": table, "--columns": columns, "--all-methods": False}
            refuse_beside_sample(alone | drawn, f" without {DIVIDED}")
            return report_of_one_sample(sample, method, all_methods, level, side)
    if weighted:
        _check_alone("--weighted", alone | drawn | {"--method": method})
        return weighted_report(table, columns, largest_weight, cluster, level, side)
    if largest_weight:
        raise InputError("--largest-weight is for --weighted")
    _check_draws(**settings)
    if target is not None:
        tell_of_loss("the probability of the target", format)
    samples = read_samples(table, retrieved, unretrieved, coded, columns, sample)
    return _report(samples, target, method, all_methods, settings)


def _check_alone(option: str, others: dict[str, Any]) -> None:
    """Refuse what an option would leave unused."""
    for name, given in others.items():
        if given:
            raise InputError(f"{option} does not take {name}")


def _check_draws(engine: str, draws: int, rng: int | None, **_others: object) -> None:
    """Refuse options of random numbers where there are none."""
    if engine == "exact" and (rng is not None or draws != options.DRAWS):
        name = "--draws" if rng is None else "--seed"
        raise InputError(f"{name} is for --engine monte-carlo")


def _report(
    samples: Samples,
    target: float | None,
    asked: str | None,
    all_methods: bool,
    settings: dict[str, Any],
) -> Report:
    """Recall by one method, with the measures beside it; or by all methods."""
    from irbounds.samples.intervals.table import INTERVAL_METHODS, model_of
    from irbounds.warnings import SampleWarning

    level, side = settings["confidence_level"], settings["side"]
    method = _method(asked, side)
    names, skipped = _methods_for(samples.segments) if all_methods else ([method], [])
    with warnings_as_notes(SampleWarning):
        if all_methods:
            rows, left_out = _possible_rows([("recall", name) for name in names], samples, settings)
        else:
            measures = (*BESIDE, "richness") if samples.control else BESIDE
            beside = [(each, _method_beside(method, each, side)) for each in measures]
            rows, left_out = _possible_rows(beside, samples, settings)
            rows.insert(0, _row("recall", method, samples, settings))
        claimed = samples.believed and irbounds.recall_interval(
            *samples.believed, method=method, **settings
        )
    model = model_of(method)
    chance = _chance_of(target, samples.form(model.name), model.prior)
    used = list(dict.fromkeys(name for _, name, _ in rows))
    if not is_drawn(used, settings["engine"]):
        options.refuse_unused("methods by a posterior, such as betabinom-half", "engine")
    covers = [covers_of(INTERVAL_METHODS[name].covers, one.side) for _, name, one in rows]
    titles = ["measure", "method", "estimate", "low", "high", *(["covers"] * all_methods)]
    ends = [[often] * all_methods for often in covers]
    return Report(
        titles,
        [
            [measure, name, i.estimate, i.low, i.high, *end]
            for (measure, name, i), end in zip(rows, ends, strict=True)
        ],
        shown=Table(
            titles,
            [[*cells, *end] for cells, end in zip(map(_shown_cells, rows), ends, strict=True)],
            2,
        ),
        document={
            **({"sample": vars(samples.control)} if samples.control else {}),
            **as_lists(samples.segments),
            "confidence_level": level,
            "side": side,
            "target": target,
            "recall_if_calls_were_right": None if claimed is None else claimed.to_dict(),
            "probability_of_target": chance,
            "prior_of_probability": None if chance is None else model.prior_words,
            "intervals": [
                {"measure": row[0], "covers": often, **row[2].to_dict()}
                for row, often in zip(rows, covers, strict=True)
            ],
        },
        notes=[
            *notes_on_methods(used, settings, all_methods, samples.is_by_class),
            *of_control(samples.control),
            *([] if all_methods else of_test(method, samples.segments, level, side)),
            *of_target(target, chance, model.prior_words),
            *claims(claimed, samples.segments, samples.believed),
            *(f"{name} does not support strata" for name in skipped),
            *left_out,
        ],
    )


def _shown_cells(row: tuple[str, str, Interval]) -> list[str]:
    measure, name, found = row
    return [
        measure,
        name,
        *interval_cells(found.estimate, found.low, found.high, measure == "yield"),
    ]


def _method(asked: str | None, side: str) -> str:
    """The method that was asked for, or the usual one."""
    from irbounds.samples.intervals.table import METHODS, usual_method

    if asked is not None:
        return check_choice("--method", asked, METHODS)
    return usual_method(side)


def _method_beside(method: str, measure: str, side: str) -> str:
    """The method of another measure: the same, if the measure has it."""
    from irbounds.samples.intervals.table import method_beside

    return method_beside(method, {"F1": "F", "richness": "yield"}.get(measure, measure), side)


def _possible_rows(
    asked: Sequence[tuple[str, str]], samples: Samples, settings: dict[str, Any]
) -> tuple[list[tuple[str, str, Interval]], list[str]]:
    """The rows of measures and methods, and a line for each that cannot be given."""
    rows, left_out = [], []
    for measure, method in asked:
        try:
            rows.append(_row(measure, method, samples, settings))
        except InputError as error:
            left_out.append(f"left out: {measure} by {method}: {error}")
    return rows, left_out


def _row(
    measure: str, method: str, samples: Samples, settings: dict[str, Any]
) -> tuple[str, str, Interval]:
    """The interval of a measure by a method."""
    from irbounds.samples.intervals.intervals import richness_interval

    interval_of: dict[str, Callable[..., Interval]] = {
        "recall": irbounds.recall_interval,
        "precision": irbounds.precision_interval,
        "F1": irbounds.f_interval,
        "yield": irbounds.yield_interval,
        "elusion": irbounds.samples.elusion_interval,
        "richness": richness_interval,
    }
    return measure, method, interval_of[measure](*samples.form(method), method=method, **settings)


def _chance_of(target: float | None, segments: Segments, prior: object) -> float | None:
    """The posterior probability that recall is at least the target."""
    from irbounds.foundation.arguments import check_number
    from irbounds.samples.intervals.estimators import recall_posterior

    if target is None:
        return None
    check_number("--target", target, "must be from 0 to 1", lambda x: 0 <= x <= 1)
    return float(recall_posterior(*segments, prior).sf(target))


def _methods_for(segments: Segments) -> tuple[list[str], list[str]]:
    """The methods that the samples allow, and those that do not support strata."""
    from irbounds.samples.intervals.table import offered

    has_strata = max(map(len, segments)) > 1
    methods = offered(has_strata)
    skipped = [method.name for method in methods if has_strata and not method.allows_strata]
    return [method.name for method in methods if method.name not in skipped], skipped
