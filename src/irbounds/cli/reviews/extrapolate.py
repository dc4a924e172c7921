"""`irbounds extrapolate`: precision at a target recall, of points or of sampled reviews with
intervals; documents and cost."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import irbounds
from irbounds.cli.input import options
from irbounds.cli.input.numbers import SIZE
from irbounds.cli.input.read import first_of, is_of_strata, letter_of, read_table
from irbounds.cli.input.samples import Segments, as_lists, samples_from_options, samples_from_table
from irbounds.cli.reviews.foot_lines import level_of, percent_of, said_of
from irbounds.cli.terminal.help import declare
from irbounds.cli.terminal.notes import warnings_as_notes
from irbounds.cli.terminal.output import save_plot
from irbounds.cli.terminal.render import Report, Table, interval_cells, is_whole, short
from irbounds.cli.terminal.screen import complain
from irbounds.foundation.errors import InputError, check_choice

# Options of samples, in the order in which functions take them.
SAMPLING = ("method", "confidence_level", "side", "engine", "draws", "rng")
MEASURED = ("recall", "precision", "prevalence")  # of a point


@declare(
    "extrapolate",
    {
        "Input": (
            options.table(
                "Table of points with columns recall, precision, prevalence and optionally "
                "system, or of strata as for `irbounds recall`"
            ),
            options.table_columns,
            options.number("--recall", "Measured recall; once for each system.", multiple=True),
            options.number("--precision", "Precision at that recall.", multiple=True),
            options.number(
                "--prevalence", "Share of relevant documents in the collection.", multiple=True
            ),
            *options.SEGMENTS,
        ),
        "Extrapolation": (
            options.number("--target-recall", "Recall to extrapolate to.", 0.75),
            options.population(
                "Documents in the collection, to compute the number to review; samples have it "
                "already.",
                SIZE,
            ),
            options.number("--per-document", "Cost of the review of one document."),
            options.number("--per-relevant", "Additional cost of each relevant document.", 0.0),
            options.number("--fixed", "Cost that does not depend on recall.", 0.0),
        ),
        "Intervals": (
            options.method(
                "betabinom-half, betabinom-uniform or betabinom-mcp.", default="betabinom-half"
            ),
            options.confidence_level,
            options.side,
            *options.drawing("Seed of the Monte Carlo engine and of the plot."),
        ),
        "Output": (
            options.plot("reference curves"),
            *options.OUTPUT,
        ),
    },
    "irbounds extrapolate --recall 0.7 --precision 0.5 --prevalence 0.03",
    "irbounds extrapolate --retrieved 5000/400/260 --unretrieved 95000/1500/34",
)
def command(
    table: str | None,
    columns: dict[str, str] | None,
    recall: Sequence[float],
    precision: Sequence[float],
    prevalence: Sequence[float],
    retrieved: Sequence[str],
    unretrieved: Sequence[str],
    target_recall: float,
    population: float | None,
    per_document: float | None,
    per_relevant: float,
    fixed: float,
    plot: str | None,
    **sampling: Any,
) -> Report:
    """Extrapolate precision to another recall, and count the documents to review there.

    Uses the model of Dimm (2015). Give measured points or assessed samples; results from samples
    have intervals.
    """
    prices = Prices(population, per_document, per_relevant, fixed)
    check_asked(target_recall, prices)
    given = {"recall": recall, "precision": precision, "prevalence": prevalence}
    has_points, has_samples = any(given.values()), bool(retrieved or unretrieved)
    if (table is not None) + has_points + has_samples > 1:
        raise InputError("give points, samples or a table, not several of them")
    found: list[Point] | Segments
    if columns and table is None:
        raise InputError("--columns is for tables")
    if table is not None:
        found = from_table(table, columns)
    elif has_samples:
        found = samples_from_options(retrieved, unretrieved)
    else:
        found = points_from_options(given)
    if isinstance(found, list):
        options.refuse_unused("samples", *SAMPLING)
        return report_of_points(found, target_recall, prices, plot)
    return report_of_samples(found, target_recall, prices, sampling, plot)


def check_asked(target: float, prices: Prices) -> None:
    """Check the options of all points, so that errors name no row of a table."""
    from irbounds.extrapolation.review import check_prices
    from irbounds.foundation.arguments import check_number

    check_number("--target-recall", target, "must be from 0 to 1", lambda x: 0 <= x <= 1)
    if prices.population is not None:
        rule = "must be 0 or more and finite"
        check_number("--population", prices.population, rule, lambda x: 0 <= x < math.inf)
    check_prices(**prices.units)


@dataclass
class Point:
    """A measured point, and where it comes from."""

    system: str
    where: str
    recall: float
    precision: float
    prevalence: float

    @property
    def place(self) -> tuple[float, float, float]:
        """Recall, precision and prevalence."""
        return self.recall, self.precision, self.prevalence


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


def points_from_options(given: dict[str, Sequence[float]]) -> list[Point]:
    """--recall and --precision as often as there are systems; --prevalence as often, or once for
    all."""
    for name, values in given.items():
        if not values:
            raise InputError(
                "give --recall, --precision and --prevalence, or --retrieved and --unretrieved, "
                f"or a table; --{name} is missing"
            )
    recall, precision, prevalence = given.values()
    n = len(recall)
    if len(precision) != n or len(prevalence) not in (1, n):
        found = ", ".join(f"{len(values)} of --{name}" for name, values in given.items())
        raise InputError(f"every system needs its recall and precision; found {found}")
    rho = list(prevalence) * (n if len(prevalence) == 1 else 1)
    return [
        Point(letter_of(i), "", *values)
        for i, values in enumerate(zip(recall, precision, rho, strict=True))
    ]


def from_table(path: str, names: dict[str, str] | None) -> list[Point] | Segments:
    """Points, columns recall, precision, prevalence and perhaps system; or strata, as `irbounds
    recall` reads them."""
    if path != "-" and is_of_strata(path):
        return samples_from_table(path, names)
    columns, rows = read_table(path, MEASURED, given=names)
    system = first_of(("system", "run", "review", "name"), columns)
    return [
        Point(row[system] if system else str(i), row.where, *row.numbers(*MEASURED))
        for i, row in enumerate(rows, 1)
    ]


def report_of_points(
    points: Sequence[Point], target: float, prices: Prices, plot: str | None
) -> Report:
    """A row for each point."""
    if prices.has_cost and prices.population is None:
        raise InputError("cost needs --population")
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

        recall, precision, prevalence = zip(*(point.place for point in points), strict=True)
        labels = [point.system for point in points] if len(points) > 1 else None
        save_plot(reference_curves(recall, precision, prevalence, target, labels=labels), plot)
    header = [name for name in records[0] if name != "system" or len(points) > 1]
    rows = [[record[name] for name in header] for record in records]
    cells = [[_cell(name, record[name]) for name in header] for record in records]
    return Report(
        header,
        rows,
        shown=Table(header, cells, int(header[0] == "system")),
        document={"target_recall": target, "population": prices.population, "points": records},
        notes=[
            f"X({target:g}): precision at recall {target:g}, by the model",
            f"dX/dP, dX/dR: change of X({target:g}) for a small change of the measured precision "
            "or recall, for each unit of it",
        ],
    )


def _record(point: Point, target: float, prices: Prices) -> tuple[dict[str, Any], list[str]]:
    """Columns of one row, and warnings."""
    from irbounds.warnings import ExtrapolationWarning

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ExtrapolationWarning)
        extrapolated = irbounds.extrapolation.extrapolate_precision(*point.place, target)
    curve = irbounds.extrapolation.PrecisionCurve.through(*point.place)
    by = curve.sensitivity(point.recall, target)
    record = {
        "system": point.system,
        **dict(zip(MEASURED, point.place, strict=True)),
        f"X({target:g})": extrapolated,
        "dX/dP": by.precision,
        "dX/dR": by.recall,
    }
    if prices.population is not None:
        what = prices.population, point.prevalence, target, extrapolated
        record["documents"] = irbounds.extrapolation.documents_to_review(*what)
        if prices.has_cost:
            record["cost"] = irbounds.extrapolation.cost(*what, **prices.units)
    return record, [str(warning.message) for warning in caught]


def report_of_samples(
    segments: Segments, target: float, prices: Prices, sampling: dict[str, Any], plot: str | None
) -> Report:
    """Recall and precision reached, and documents and cost of the target, with intervals."""
    from irbounds.samples.intervals.table import INTERVAL_METHODS, PRIOR_OF
    from irbounds.warnings import ExtrapolationWarning

    check_choice("--method", sampling["method"], PRIOR_OF)
    of_target: Any = {"population": prices.population, **sampling}
    with warnings_as_notes(ExtrapolationWarning):
        found = {
            "recall": irbounds.recall_interval(*segments, **sampling),
            "precision": irbounds.precision_interval(*segments, **sampling),
            f"X({target:g})": irbounds.extrapolation.extrapolated_precision_interval(
                *segments, target, **sampling
            ),
            "documents": irbounds.extrapolation.documents_to_review_interval(
                *segments, target, **of_target
            ),
        }
        if prices.has_cost:
            found["cost"] = irbounds.extrapolation.cost_interval(
                *segments, target, **(prices.units | of_target)
            )
    if plot is not None:
        from irbounds.plot import reference_band

        prior = PRIOR_OF[sampling["method"]]
        shared = {name: sampling[name] for name in ("confidence_level", "rng")}
        save_plot(reference_band(*segments, target, prior=prior, **shared), plot)
    header = ["measure", "estimate", "low", "high"]
    rows = [[name, i.estimate, i.low, i.high] for name, i in found.items()]
    level, side = sampling["confidence_level"], sampling["side"]
    is_drawn = sampling["engine"] == "monte-carlo"
    how = f"from {sampling['draws']:,} draws" if is_drawn else "computed without simulation"
    covers = INTERVAL_METHODS[sampling["method"]].covers
    n_retrieved = sum(stratum[0] for stratum in segments[0])
    return Report(
        header,
        rows,
        shown=Table(
            header,
            [
                [name, *interval_cells(*ends, is_whole(name, ends[2]), commas=True)]
                for name, i in found.items()
                for ends in [(i.estimate, i.low, i.high)]
            ],
        ),
        document={
            "target_recall": target,
            **as_lists(segments),
            "confidence_level": level,
            "side": side,
            "intervals": [{"measure": name, **i.to_dict()} for name, i in found.items()],
        },
        notes=[
            f"{level_of(level, side)}, by {sampling['method']}, {how}",
            f"{sampling['method']} {said_of(covers, percent_of(level), side)}",
            f"X({target:g}): precision at recall {target:g}; it and documents assume that the "
            "model is true",
            f"documents: to review for recall {target:g}; {n_retrieved:.0f} of the sampled "
            "collection are retrieved",
        ],
    )


def _cell(name: str, value: str | float) -> str:
    if isinstance(value, str):
        return value
    if value != value:
        return "—"
    return f"{value:,.0f}" if is_whole(name, value) else short(value)
