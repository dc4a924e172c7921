"""Precision carried to a target recall, shown: of points, or of sampled reviews with intervals;
documents and cost."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from irbounds.cli import recall as samples
from irbounds.cli.evaluations import short
from irbounds.cli.output import as_csv, as_json, as_latex, as_table, complain, write
from irbounds.cli.tables import is_of_strata, read_table
from irbounds.extrapolation.curve import ExtrapolationWarning, PrecisionCurve, extrapolate_precision
from irbounds.extrapolation.intervals import (
    cost_interval,
    documents_to_review_interval,
    extrapolated_precision_interval,
)
from irbounds.extrapolation.review import cost, documents_to_review
from irbounds.foundation.arguments import check_level
from irbounds.foundation.errors import InputError, check_choice
from irbounds.foundation.interval import SIDES
from irbounds.samples.intervals import precision_interval, recall_interval
from irbounds.samples.methods import PRIOR_OF
from irbounds.samples.posterior_ends import PosteriorEnds

FORMATS = ("table", "csv", "json", "latex")


@dataclass
class Point:
    """A measured point, and where it comes from."""

    system: str
    recall: float
    precision: float
    prevalence: float
    where: str = ""


@dataclass
class Prices:
    """Documents that the review is about, and unit costs; None is not asked for."""

    population: float | None
    per_document: float | None
    per_relevant: float
    fixed: float

    @property
    def units(self) -> dict[str, Any]:
        """As `cost` takes them."""
        return {
            "per_document": 1.0 if self.per_document is None else self.per_document,
            "per_relevant": self.per_relevant,
            "fixed": self.fixed,
        }

    @property
    def has_cost(self) -> bool:
        """Whether cost was asked for."""
        return self.per_document is not None or self.per_relevant > 0 or self.fixed > 0


def points_from_options(
    recall: Sequence[float], precision: Sequence[float], prevalence: Sequence[float]
) -> list[Point]:
    """--recall and --precision as often as there are systems; --prevalence as often, or once for
    all."""
    given = {"recall": recall, "precision": precision, "prevalence": prevalence}
    for name, values in given.items():
        if not values:
            raise InputError(
                "give --recall, --precision and --prevalence, or --retrieved and --unretrieved, "
                "or a "
                f"table; --{name} is missing"
            )
    n = len(recall)
    if len(precision) != n or len(prevalence) not in (1, n):
        found = ", ".join(f"{len(values)} of --{name}" for name, values in given.items())
        raise InputError(f"every system needs its recall and precision; found {found}")
    rho = list(prevalence) * (n if len(prevalence) == 1 else 1)
    return [
        Point(chr(ord("A") + i) if i < 26 else str(i + 1), *values)
        for i, values in enumerate(zip(recall, precision, rho, strict=True))
    ]


def from_table(path: str) -> list[Point] | samples.Segments:
    """Points, columns recall, precision, prevalence and perhaps system; or strata, as `irbounds
    recall` reads them."""
    if path != "-" and is_of_strata(path):
        return samples.from_table(path)
    columns, rows = read_table(path, ("recall", "precision", "prevalence"))
    system = next((name for name in ("system", "run", "review", "name") if name in columns), None)
    return [
        Point(
            row[system] if system else str(i),
            row.number("recall"),
            row.number("precision"),
            row.number("prevalence"),
            row.where,
        )
        for i, row in enumerate(rows, 1)
    ]


def show_points(
    points: Sequence[Point],
    target: float,
    prices: Prices,
    *,
    format: str,
    output: str | None,
    plot: str | None,
) -> None:
    """A row for each point."""
    check_choice("--format", format, FORMATS)
    records, notes = [], []
    for point in points:
        try:
            record, said = _record(point, target, prices)
        except InputError as error:
            raise InputError(f"{point.where}: {error}" if point.where else str(error)) from None
        records.append(record)
        notes += [f"{point.system}: {note}" if len(points) > 1 else note for note in said]
    complain(notes)
    if plot is not None:
        from irbounds.plot import reference_curves

        recall, precision, prevalence = zip(
            *((p.recall, p.precision, p.prevalence) for p in points), strict=True
        )
        labels = [point.system for point in points] if len(points) > 1 else None
        _save(reference_curves(recall, precision, prevalence, target, labels=labels), plot)
    if format == "json":
        write(
            as_json({"target_recall": target, "population": prices.population, "points": records}),
            output,
        )
        return
    if len(points) == 1:
        for record in records:
            del record["system"]
    header = list(records[0])
    if format == "csv":
        write(as_csv(header, [list(record.values()) for record in records]), output)
        return
    cells = [[_cell(name, value) for name, value in record.items()] for record in records]
    write(
        (as_latex if format == "latex" else as_table)(header, cells, int(header[0] == "system")),
        output,
    )


def _record(point: Point, target: float, prices: Prices) -> tuple[dict[str, Any], list[str]]:
    """Columns of one row, and warnings."""
    place = point.recall, point.precision, point.prevalence
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ExtrapolationWarning)
        extrapolated = extrapolate_precision(*place, target)
    by = PrecisionCurve.through(*place).sensitivity(point.recall, target)
    record = {
        "system": point.system,
        "recall": point.recall,
        "precision": point.precision,
        "prevalence": point.prevalence,
        f"X({target:g})": extrapolated,
        "dX/dP": by.precision,
        "dX/dR": by.recall,
    }
    if prices.population is not None:
        what = prices.population, point.prevalence, target, extrapolated
        record["documents"] = documents_to_review(*what)
        if prices.has_cost:
            record["cost"] = cost(*what, **prices.units)
    elif prices.has_cost:
        raise InputError("cost needs --population")
    return record, [str(warning.message) for warning in caught]


def check_options(
    method: str, level: float, side: str, engine: str, draws: int, seed: int | None
) -> None:
    """Options of samples, which points leave unused."""
    check_choice("--method", method, PRIOR_OF)
    check_level(level, "--confidence-level")
    check_choice("--side", side, SIDES)
    PosteriorEnds(level, side, engine, draws, seed)


def show_samples(
    segments: samples.Segments,
    target: float,
    prices: Prices,
    *,
    method: str,
    level: float,
    side: str,
    engine: str,
    draws: int,
    seed: int | None,
    format: str,
    output: str | None,
    plot: str | None,
) -> None:
    """What was reached, and what the target recall would take, with intervals."""
    check_choice("--format", format, FORMATS)
    options: dict[str, Any] = {
        "confidence_level": level,
        "method": method,
        "side": side,
        "engine": engine,
        "draws": draws,
        "rng": seed,
    }
    one, other = segments
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ExtrapolationWarning)
        rows = {
            "recall": recall_interval(one, other, **options),
            "precision": precision_interval(one, other, **options),
            f"X({target:g})": extrapolated_precision_interval(one, other, target, **options),
            "documents": documents_to_review_interval(
                one, other, target, population=prices.population, **options
            ),
        }
        if prices.has_cost:
            rows["cost"] = cost_interval(
                one, other, target, population=prices.population, **prices.units, **options
            )
    complain(dict.fromkeys(str(warning.message) for warning in caught))
    if plot is not None:
        from irbounds.plot import reference_band

        _save(
            reference_band(
                one,
                other,
                target,
                confidence_level=level,
                prior=PRIOR_OF[method],
                draws=4000,
                rng=seed,
            ),
            plot,
        )
    if format == "json":
        write(
            as_json(
                {
                    "target_recall": target,
                    "retrieved": [list(s) for s in segments[0]],
                    "unretrieved": [list(s) for s in segments[1]],
                    "confidence_level": level,
                    "side": side,
                    "intervals": [{"measure": name, **row.to_dict()} for name, row in rows.items()],
                }
            ),
            output,
        )
        return
    header = ["measure", "estimate", "low", "high"]
    values = [[name, row.estimate, row.low, row.high] for name, row in rows.items()]
    if format == "csv":
        write(as_csv(header, values), output)
        return
    cells = [[name, *(_cell(name, value) for value in ends)] for name, *ends in values]
    if format == "latex":
        write(as_latex(header, cells), output)
        return
    retrieved = sum(stratum[0] for stratum in segments[0])
    write(
        as_table(header, cells)
        + f"  {level:.4g} {side}, {method}, {engine}\n  documents: to review for recall "
        f"{target:g}; {retrieved:.0f} of the sampled collection are retrieved\n",
        output,
    )


def _cell(name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    if value != value:
        return "—"
    return f"{value:,.0f}" if name in ("documents", "cost") else short(value)


def _save(ax: Any, path: str) -> None:
    """A picture in a file, of the kind that its name ends in."""
    kinds = ax.figure.canvas.get_supported_filetypes()
    if Path(path).suffix[1:].lower() not in kinds:
        raise InputError(f"--plot must end in one of .{', .'.join(sorted(kinds))}; found {path!r}")
    ax.figure.savefig(path, dpi=150)
