"""Intervals over queries of what an evaluation measured, within the limits of each measure."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from irbounds.foundation.errors import InputError, check_count
from irbounds.foundation.interval import Interval
from irbounds.queries.ends import MEAN_METHODS
from irbounds.queries.means import LEAST_RESAMPLES, UNIT, current_name, interval_of_columns
from irbounds.rankings.measure_table.measure import Measure
from irbounds.rankings.measure_table.table import SPECS

STATISTICS = {"geometric mean": "geometric-mean"}  # by what one number over queries is
UNLIMITED = {  # all others are shares or chances
    *("DCG", "IDCG", "alpha_DCG", "ESL", "Utility", "YAAP", "WSS", "Depth", "LastRel", "ATD"),
    *("NumRet", "NumRel", "NumRelRet", "NumNonrelRet", "NumQ", "LossER"),
}


def limits_of(measure: str) -> tuple[float, float] | None:
    """0 and 1 for measures that can take no other values; None for those without an upper limit,
    and for measures and names of one's own, unless their scores were read with limits."""
    known = Measure.of(measure)
    if known.is_elsewhere:
        return known.spec.limits
    is_of_table = known.name in SPECS and known.spec.function is None
    return UNIT if is_of_table and known.name not in UNLIMITED else None


def interval_of(
    measure: str,
    values: np.ndarray,
    query_ids: tuple[Any, ...],
    options: dict[str, Any],
    stacklevel: int,
) -> Interval:
    """That of one measure.

    `options` are those of `mean_interval`; its limits, if they are None, are the measure's.
    """
    if not len(values):
        raise InputError("there is no query, so that there is no mean")
    is_finite = np.isfinite(values)
    if not is_finite.all():
        query = query_ids[int(np.argmin(is_finite))]
        found = values[~is_finite][0]
        raise InputError(
            f"{measure} is {found:g} for query {query!r}, so that there is no interval of its mean"
        )
    limits, method = options["limits"], current_name(options["method"])
    if limits is None:
        limits = limits_of(measure)
        if limits is None and method in MEAN_METHODS and MEAN_METHODS[method].needs_limits:
            raise InputError(
                f"method {method!r} is for measures with limits, and {measure} has none: give "
                "`limits`, the least and the greatest value that it can take"
            )
    if limits == UNIT and values.max() > 1:  # sums that round up
        values = np.where((values > 1) & (values <= 1 + 1e-12), 1.0, values)
    return interval_of_columns(
        values,
        method,
        options["confidence_level"],
        options["side"],
        options["statistic"] or STATISTICS.get(Measure.of(measure).spec.aggregate, "mean"),
        limits,
        check_count("resamples", options["resamples"], LEAST_RESAMPLES),
        options["rng"],
        stacklevel=stacklevel + 1,
        groups=options["groups"],
    )


def columns_of_measures(evaluation: Any, confidence_level: float | None) -> dict[str, list[Any]]:
    """A row for each measure of an `Evaluation`: its value over all queries, with bounds also the
    least and the greatest over orders of ties, and over labels of unjudged documents with the share
    that is judged, and its interval over queries like these, if a level is given.

    Totals, and measures that are infinite for some query, have no interval: nan.
    """
    names = [str(name) for name in evaluation.measures]
    columns: dict[str, list[Any]] = {
        "measure": names,
        "value": [evaluation.summary[name] for name in names],
    }
    if evaluation.low is not None:
        bounds = [evaluation.summary_bounds[name] for name in names]
        columns["low"], columns["high"] = ([pair[end] for pair in bounds] for end in (0, 1))
    if evaluation.unjudged_low is not None:
        bounds = [evaluation.summary_unjudged_bounds[name] for name in names]
        for end, column in enumerate(("unjudged_low", "unjudged_high")):
            columns[column] = [pair[end] for pair in bounds]
        columns["judged"] = [evaluation.judged_means[name] for name in names]
    if confidence_level is None:
        return columns
    ends: list[tuple[float, float, str]] = []
    for name in evaluation.measures:
        values = evaluation[name]
        if Measure.of(name).spec.is_sum or not len(values) or not np.isfinite(values).all():
            ends.append((math.nan, math.nan, ""))
            continue
        found = evaluation.interval(name, confidence_level=confidence_level)
        ends.append((float(found.low), float(found.high), found.method))
    for place, column in enumerate(("interval_low", "interval_high", "interval_method")):
        columns[column] = [one[place] for one in ends]
    return columns


def metrics_of(evaluation: Any, confidence_level: float | None) -> dict[str, float]:
    """The numbers of `Evaluation.to_metrics`."""
    table = columns_of_measures(evaluation, confidence_level)
    wanted = {"value": "", "low": "_ties_low", "high": "_ties_high"}
    wanted |= {f"interval_{end}": f"_interval_{end}" for end in ("low", "high")}
    metrics: dict[str, float] = {}
    for place, measure in enumerate(table["measure"]):
        name = re.sub(r"[^A-Za-z0-9]+", "_", measure.replace("@", "_at_")).strip("_")
        while name in metrics:  # as of P(rel=1.5) and P(rel=1_5)
            name += "_"
        for column, ending in wanted.items():
            number = table[column][place] if column in table else math.nan
            if not math.isnan(number):
                metrics[name + ending] = float(number)
    return metrics
