"""Recall from samples, shown: the estimate, its interval by one or all methods, and the probability
of a target."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

from irbounds.cli.evaluations import short
from irbounds.cli.output import as_csv, as_json, as_latex, as_table, complain, write
from irbounds.cli.tables import Row, read_segments
from irbounds.foundation.arguments import check_number
from irbounds.foundation.errors import InputError, check_choice
from irbounds.foundation.interval import SIDES, Interval
from irbounds.samples.cautions import SampleWarning
from irbounds.samples.estimators import recall_posterior
from irbounds.samples.intervals import (
    elusion_interval,
    f_interval,
    precision_interval,
    recall_interval,
    yield_interval,
)
from irbounds.samples.methods import AVERAGE, BELOW, EVERY, INTERVAL_METHODS, METHODS, usual_method
from irbounds.samples.priors import PerStratum
from irbounds.samples.strata import Stratum, check_segment

FORMATS = ("table", "csv", "json", "latex")
Segments = tuple[list[Any], list[Any]]
BESIDE: dict[str, Callable[..., Interval]] = {
    "precision": precision_interval,
    "F": f_interval,
    "yield": yield_interval,
    "elusion": elusion_interval,
}
LABELS = {"F": "F1"}


def from_options(retrieved: Sequence[str], unretrieved: Sequence[str]) -> Segments:
    """SIZE/SAMPLED/RELEVANT, once for each stratum."""
    if not (retrieved and unretrieved):
        missing = "unretrieved" if retrieved else "retrieved"
        raise InputError(
            "give --retrieved and --unretrieved as SIZE/SAMPLED/RELEVANT, or a table; "
            f"--{missing} is missing"
        )
    return tuple(
        [_stratum(f"--{name}", text) for text in texts]  # type: ignore[return-value]
        for name, texts in (("retrieved", retrieved), ("unretrieved", unretrieved))
    )


def _stratum(option: str, text: str) -> Stratum:
    parts = text.replace(",", "").replace("_", "").split("/")
    try:
        return Stratum(*map(int, parts))
    except (TypeError, ValueError):
        raise InputError(
            f"{option} must be SIZE/SAMPLED/RELEVANT, as 2000/100/50; found {text!r}"
        ) from None


def from_table(path: str) -> Segments:
    """Columns segment, size, sampled, relevant; a row for each stratum."""

    def stratum_of(name: str, row: Row) -> Stratum:
        stratum = Stratum(*(row.number(column) for column in Stratum._fields))
        check_segment(name, stratum)
        return stratum

    return read_segments(path, Stratum._fields, stratum_of)


def show(
    segments: Segments,
    *,
    method: str | None,
    all_methods: bool,
    target: float | None,
    level: float,
    side: str,
    engine: str,
    draws: int,
    seed: int | None,
    format: str,
    output: str | None,
) -> None:
    """Recall by the chosen or all methods; with the chosen one also the other measures of the
    sample."""
    check_choice("--format", format, FORMATS)
    check_choice("--side", side, SIDES)
    method = usual_method(side) if method is None else check_choice("--method", method, METHODS)
    options: dict[str, Any] = {
        "confidence_level": level,
        "side": side,
        "engine": engine,
        "draws": draws,
        "rng": seed,
    }
    chosen = INTERVAL_METHODS[method]
    names, skipped = _methods_for(segments) if all_methods else ([method], [])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", SampleWarning)
        rows = [
            ("recall", name, recall_interval(*segments, method=name, **options)) for name in names
        ]
        for measure, interval_of in {} if all_methods else BESIDE.items():
            name = method if measure in chosen.measures else "betabinom-half"
            rows.append(
                (LABELS.get(measure, measure), name, interval_of(*segments, method=name, **options))
            )
    complain(dict.fromkeys(str(warning.message) for warning in caught))
    model = method if chosen.prior is not None else "betabinom-half"
    chance = None
    if target is not None:
        check_number("--target", target, "must be from 0 to 1", lambda x: 0 <= x <= 1)
        chance = recall_posterior(*segments, INTERVAL_METHODS[model].prior).sf(target)
    if format == "json":
        write(
            as_json(
                {
                    "retrieved": [list(s) for s in segments[0]],
                    "unretrieved": [list(s) for s in segments[1]],
                    "confidence_level": level,
                    "side": side,
                    "target": target,
                    "probability_of_target": chance,
                    "prior_of_probability": None
                    if chance is None
                    else INTERVAL_METHODS[model].prior_words,
                    "intervals": [
                        {"measure": measure, "covers": INTERVAL_METHODS[name].covers, **i.to_dict()}
                        for measure, name, i in rows
                    ],
                }
            ),
            output,
        )
        return
    header = ["measure", "method", "estimate", "low", "high"]
    if format == "csv":
        write(
            as_csv(
                header, [[measure, name, i.estimate, i.low, i.high] for measure, name, i in rows]
            ),
            output,
        )
        return
    cells = [
        [measure, name, *(_number(measure, value) for value in (i.estimate, i.low, i.high))]
        for measure, name, i in rows
    ]
    if all_methods:
        header.append("covers")
        cells = [[*row, INTERVAL_METHODS[row[1]].covers] for row in cells]
    if format == "latex":
        write(as_latex(header, cells), output)
        return
    used = list(dict.fromkeys(name for _, name, _ in rows))
    notes = [f"  {line}" for line in _notes(used, level, side, engine, draws, all_methods)]
    if chance is not None:
        notes.append(
            f"  P(recall >= {target:g}) = {short(chance)}, posterior probability under "
            f"{INTERVAL_METHODS[model].prior_words}"
        )
    notes += [f"  {name} has no form for strata" for name in skipped]
    write(as_table(header, cells, numbers_from=2) + "\n".join(notes) + "\n", output)


def _methods_for(segments: Segments) -> tuple[list[str], list[str]]:
    """The methods that the samples allow, and those that have no form for strata."""
    has_strata = max(map(len, segments)) > 1
    names = [
        name
        for name, method in INTERVAL_METHODS.items()
        if has_strata or not isinstance(method.prior, PerStratum)
    ]
    skipped = [name for name in names if has_strata and not INTERVAL_METHODS[name].allows_strata]
    return [name for name in names if name not in skipped], skipped


def _notes(
    names: list[str], level: float, side: str, engine: str, draws: int, all_methods: bool
) -> list[str]:
    """Level, side and engine, and how often each method covers."""
    percent = f"{100 * level:.4g} %"
    first = f"{percent} intervals, {side}" if side == "two-sided" else f"{percent} {side} bounds"
    is_drawn = engine == "monte-carlo" and any(
        INTERVAL_METHODS[name].prior is not None or name == "beta-jeffreys" for name in names
    )
    first += f", posteriors from {draws:,} draws" if is_drawn else ", computed without simulation"
    if all_methods:
        return [
            first,
            'covers: how often an interval holds the true recall; "every review" is a guarantee',
        ]
    words = {
        EVERY: f"covers at least {percent} in every review",
        AVERAGE: f"covers about {percent} on average over reviews, in some reviews less",
        BELOW: f"covers less than {percent} on average",
    }
    return [first, *(f"{name} {words[INTERVAL_METHODS[name].covers]}" for name in names)]


def _number(measure: str, value: float) -> str:
    return "—" if value != value else f"{value:.0f}" if measure == "yield" else short(value)
