"""Intervals from checked segments, for every measure and method."""

from __future__ import annotations

from typing import Any

import numpy as np

from irbounds.foundation.arguments import plain
from irbounds.foundation.errors import InputError, shown
from irbounds.foundation.interval import Interval
from irbounds.samples.intervals.table import INTERVAL_METHODS, check_method_for
from irbounds.samples.model.estimands import Recall, SampleMeasure
from irbounds.samples.model.quantiles import PosteriorEnds
from irbounds.samples.model.request import Ends, Request
from irbounds.samples.model.strata import Segment
from irbounds.samples.model.warnings import warn_of_estimate, warn_of_prior

# narrower intervals need not hold their estimate: it is a ratio, they are about a median
LEAST_LEVEL_TO_HOLD = 0.8
SEGMENTS = {"precision": ("retrieved",), "elusion": ("unretrieved",)}  # the others have both


def request_of(
    measure: SampleMeasure,
    method: str,
    one: Segment,
    other: Segment,
    options: PosteriorEnds,
    *,
    finite_population: bool = True,
    tolerance: float = 0.0,
    prior: Any = None,
) -> Request:
    """The request to a method, after a check that it serves the measure and these segments."""
    check_method_for(measure.name, method)
    row = INTERVAL_METHODS[method]
    row.check_segments(retrieved=one, unretrieved=other)
    if prior is not None and not row.takes_prior:
        raise InputError(f"method {method!r} takes no `prior`; found {shown(prior)}")
    return Request(row, measure, one, other, options, finite_population, tolerance, prior)


def ends_of(request: Request) -> Ends:
    """Both ends as intervals have them, their standard errors where they are drawn, and the ends of
    formulas as these give them."""
    measure, method, one = request.measure, request.method, request.one
    found = method.ends[measure.name](request)
    low, high = measure.finished(
        found.low, found.high, one, request.other, request.options.side, method.forces_ends
    )
    return Ends(low, high, measure.scaled_errors(found.errors, one), found.raw)


def interval_of(request: Request) -> Interval:
    """The interval."""
    low, high, errors, raw = ends_of(request)
    shape, options = request.shape, request.options
    raw_low, raw_high = (None if end is None else plain(np.broadcast_to(end, shape)) for end in raw)
    return Interval(
        estimate=plain(
            np.broadcast_to(request.measure.estimate(request.one, request.other), shape)
        ),
        low=plain(low),
        high=plain(high),
        confidence_level=options.level,
        side=options.side,
        method=request.method.name,
        engine=request.method.engine_used(options.engine),
        standard_error=errors,
        raw_low=raw_low,
        raw_high=raw_high,
    )


def caution(request: Request, interval: Interval, stacklevel: int) -> None:
    """Warn where the prior weighs much, or the estimate lies outside the interval.

    `stacklevel` is that of the user's call, seen from here.
    """
    names = SEGMENTS.get(request.measure.name, ("retrieved", "unretrieved"))
    segments = dict(zip(names, (request.one, request.other), strict=False))
    if request.method.prior is not None:
        warn_of_prior(request.method.prior, stacklevel + 1, **segments)
    if interval.confidence_level >= LEAST_LEVEL_TO_HOLD:
        warn_of_estimate(interval.estimate, interval.low, interval.high, stacklevel + 1)


def recall_ends_of(
    one: Segment,
    other: Segment,
    method: str,
    level: float,
    side: str,
    tolerance: float = 0.0,
) -> tuple[Any, Any]:
    """Both ends of recall for segments that are checked, without warnings: for plans, which ask for
    all outcomes.

    With a tolerance the log odds of a slow method's ends may be too far out by as much.
    """
    options = PosteriorEnds(level, side, "exact", 10, None)
    request = request_of(Recall(), method, one, other, options, tolerance=tolerance)
    found = ends_of(request)
    return found.low, found.high
