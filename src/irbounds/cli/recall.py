"""Recall from samples, shown: the estimate, its interval by one or all methods, and the probability of a target."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from irbounds.cli.evaluations import short
from irbounds.cli.output import as_csv, as_json, as_latex, as_table, write
from irbounds.cli.tables import Row, read_segments
from irbounds.foundation.arguments import check_number
from irbounds.foundation.errors import InputError, check_choice
from irbounds.samples.estimators import recall_posterior
from irbounds.samples.intervals import (
    METHODS,
    PRIOR_OF,
    elusion_interval,
    f_interval,
    precision_interval,
    recall_interval,
    yield_interval,
)
from irbounds.samples.proportions import Interval
from irbounds.samples.strata import Stratum, check_segment

FORMATS = ("table", "csv", "json", "latex")
Segments = tuple[list[Any], list[Any]]


def from_options(retrieved: Sequence[str], unretrieved: Sequence[str]) -> Segments:
    """SIZE/SAMPLED/RELEVANT, once for each stratum."""
    if not (retrieved and unretrieved):
        missing = "unretrieved" if retrieved else "retrieved"
        raise InputError("give --retrieved and --unretrieved as SIZE/SAMPLED/RELEVANT, or a table; "
                         f"--{missing} is missing")
    return tuple([_stratum(f"--{name}", text) for text in texts]  # type: ignore[return-value]
                 for name, texts in (("retrieved", retrieved), ("unretrieved", unretrieved)))


def _stratum(option: str, text: str) -> Stratum:
    parts = text.replace(",", "").replace("_", "").split("/")
    try:
        return Stratum(*map(int, parts))
    except (TypeError, ValueError):
        raise InputError(f"{option} must be SIZE/SAMPLED/RELEVANT, as 2000/100/50; found {text!r}") from None


def from_table(path: str) -> Segments:
    """Columns segment, size, sampled, relevant; a row for each stratum."""
    def stratum_of(name: str, row: Row) -> Stratum:
        stratum = Stratum(*(row.number(column) for column in Stratum._fields))
        check_segment(name, stratum)
        return stratum

    return read_segments(path, Stratum._fields, stratum_of)


def show(segments: Segments, *, method: str, all_methods: bool, target: float | None, level: float, side: str,
         engine: str, draws: int, seed: int | None, format: str, output: str | None) -> None:
    """Recall by the chosen or all methods; with the chosen one also the other measures of the sample."""
    check_choice("--format", format, FORMATS)
    check_choice("--method", method, METHODS)
    options: dict[str, Any] = {"confidence_level": level, "side": side, "engine": engine, "draws": draws, "rng": seed}
    intervals: dict[str, Interval] = {}
    skipped = []
    for name in METHODS if all_methods else [method]:
        if all_methods and name == "koopman" and max(map(len, segments)) > 1:
            skipped.append(name)
            continue
        intervals[name] = recall_interval(*segments, method=name, **options)
    chance = None
    if target is not None:
        check_number("--target", target, "must be from 0 to 1", lambda x: 0 <= x <= 1)
        chance = recall_posterior(*segments, PRIOR_OF.get(method, 0.5)).sf(target)
    posterior = method if method.startswith("betabinom") else "betabinom-half"
    beside = {} if all_methods else {
        "precision": precision_interval(*segments, method=posterior, **options),
        "F1": f_interval(*segments, method=posterior, **options),
        "yield": yield_interval(*segments, method=posterior, **options),
        "elusion": elusion_interval(*segments, method=posterior, **options),
    }
    rows = [("recall", name, interval) for name, interval in intervals.items()]
    rows += [(measure, posterior, interval) for measure, interval in beside.items()]
    if format == "json":
        write(as_json({"retrieved": [list(s) for s in segments[0]], "unretrieved": [list(s) for s in segments[1]],
                       "confidence_level": level, "side": side, "target": target, "probability_of_target": chance,
                       "intervals": [{"measure": measure, **interval.to_dict()} for measure, _, interval in rows]}),
              output)
        return
    header = ["measure", "method", "estimate", "low", "high"]
    if format == "csv":
        write(as_csv(header, [[measure, name, i.estimate, i.low, i.high] for measure, name, i in rows]), output)
        return
    cells = [[measure, name, *(_number(measure, value) for value in (i.estimate, i.low, i.high))]
             for measure, name, i in rows]
    if format == "latex":
        write(as_latex(header, cells), output)
        return
    notes = [f"  {level:.4g} {side}, {engine}"]
    if chance is not None:
        notes.append(f"  P(recall >= {target:g}) = {short(chance)}")
    notes += [f"  {name} has no form for strata" for name in skipped]
    write(as_table(header, cells, numbers_from=2) + "\n".join(notes) + "\n", output)


def _number(measure: str, value: float) -> str:
    return "—" if value != value else f"{value:.0f}" if measure == "yield" else short(value)
