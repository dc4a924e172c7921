"""Intervals over queries of what an evaluation measured, within the limits of each measure."""

from __future__ import annotations

from typing import Any

import numpy as np

from irbounds.foundation.errors import InputError, check_count
from irbounds.foundation.interval import Interval
from irbounds.queries.ends import MEAN_METHODS
from irbounds.queries.means import LEAST_RESAMPLES, UNIT, interval_of_columns
from irbounds.rankings.measure import Measure
from irbounds.rankings.measure_table import SPECS

STATISTICS = {"geometric mean": "geometric-mean"}  # by what one number over queries is
UNLIMITED = {  # all others are shares or chances
    *("DCG", "IDCG", "alpha_DCG", "ESL", "Utility", "YAAP", "WSS", "Depth", "LastRel", "ATD"),
    *("NumRet", "NumRel", "NumRelRet", "NumNonrelRet", "NumQ", "LossER"),
}
UNREACHED = {"ERR", "ERR_IA"}  # no ranking has 1, and with few grades all are far below


def limits_of(measure: str) -> tuple[float, float] | None:
    """0 and 1 for measures that can take no other values; None for those without an upper limit,
    and for measures and names of one's own."""
    known = Measure.of(measure)
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
    limits, method = options["limits"], options["method"]
    if limits is None:
        limits = limits_of(measure)
        if limits is None and method in MEAN_METHODS and MEAN_METHODS[method].needs_limits:
            raise InputError(
                f"method {method!r} is for measures with limits, and {measure} has none: give "
                "`limits`, the least and the greatest value that it can take"
            )
        if method is None and Measure.of(measure).name in UNREACHED:
            method = "t"
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
    )
