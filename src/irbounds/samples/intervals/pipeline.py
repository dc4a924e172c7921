"""Intervals from checked segments, for every measure and method, and for all outcomes of a
design."""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds._core.samples.yield_posterior import YieldLaw, recall_ends
from irbounds.foundation.arguments import plain
from irbounds.foundation.errors import InputError, shown
from irbounds.foundation.interval import Interval, tail_probability
from irbounds.samples.bounds.guaranteed import reaches
from irbounds.samples.intervals.table import (
    INTERVAL_METHODS,
    ONE_SIDED,
    check_method_for,
    usual_method,
)
from irbounds.samples.model.estimands import Recall, SampleMeasure
from irbounds.samples.model.quantiles import PosteriorEnds
from irbounds.samples.model.request import Ends, Method, Request
from irbounds.samples.model.strata import Audited, AuditedCounts, Segment, Stratum
from irbounds.samples.model.warnings import warn_of_estimate, warn_of_prior
from irbounds.samples.posterior.convolution import EXACT_TO

if TYPE_CHECKING:
    from irbounds.typing import BoolArray, FloatOrArray, PriorLike

# Posteriors with a pair of parameters as their prior, which every proportion of an audited segment
# takes; the most conservative prior is of one sample.
CODED_METHODS = ("betabinom-half", "betabinom-uniform", "betabinom-half-per-stratum")
AUDITED_POSTERIORS = CODED_METHODS[:2]  # with ends of their own; see `Audited`


def method_for(side: str, method: str | None, *segments: Any) -> str:
    """The method that was asked for, or the usual one; with audited segments that is the posterior
    for one-sided claims too, as the guaranteed bound has no form for them."""
    is_audited = any(map(holds_audited, segments))
    if method is None and is_audited:
        usual_method(side, method)  # refuses an unknown side
        return "betabinom-half"
    chosen = usual_method(side, method)
    if is_audited and chosen not in CODED_METHODS:
        raise InputError(
            f"method {chosen!r} has no form for Audited segments; it must be one of "
            f"{', '.join(map(repr, CODED_METHODS))}"
        )
    return chosen


def interval_method(side: str, method: str | None, *segments: Any) -> str:
    """The same for an interval, which has more methods where all documents were coded: the classes
    of calls are strata then."""
    items = [
        item
        for segment in segments
        if holds_audited(segment)
        for item in ([segment] if isinstance(segment, Audited) else segment)
        if isinstance(item, Audited)
    ]
    if all(map(_is_whole, items)):
        return usual_method(side, method)
    return method_for(side, method, *segments)


def _is_whole(audited: Audited) -> bool:
    try:
        return bool(np.all(np.asarray(audited.sampled) == np.asarray(audited.size)))
    except ValueError:  # shapes that do not match are refused where all counts are checked
        return False


def as_asked(segment: Segment, method: str) -> Segment:
    """A checked segment as a method takes it: of a segment that was coded as a whole these are the
    classes of calls as strata, but for posteriors that audited segments have too."""
    if method in AUDITED_POSTERIORS or not all(_is_coded_whole(one) for one in segment):
        return segment
    return [
        stratum
        for one in segment
        for stratum in (_classes(one) if isinstance(one, AuditedCounts) else [one])
    ]


def _is_coded_whole(one: Any) -> bool:
    return not isinstance(one, AuditedCounts) or bool(np.all(one.judged == one.size))


def _classes(one: AuditedCounts) -> list[Stratum]:
    return [
        Stratum(one.called, one.m1, one.x1),
        Stratum(one.judged - one.called, one.m0, one.x0),
    ]


def refuse_error_rates(sensitivity: FloatOrArray, specificity: FloatOrArray) -> None:
    """Refuse a correction of recall by error rates."""
    for name, value in (("sensitivity", sensitivity), ("specificity", specificity)):
        if value is not None:
            raise InputError(
                f"`{name}` must not be given: recall has no correction by error rates, because "
                "false alarms among unretrieved documents decide it, and their rate there is not "
                "the rate elsewhere; audit a sample of the calls and give `Audited` segments"
            )


def holds_audited(segment: Any) -> bool:
    """Whether a segment is, or has among its strata, an audited one."""
    return isinstance(segment, Audited) or (
        isinstance(segment, list | tuple) and any(isinstance(item, Audited) for item in segment)
    )


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
    target: float | None = None,
    prior: PriorLike | None = None,
) -> Request:
    """The request to a method, after a check that it serves the measure and these segments."""
    check_method_for(measure.name, method)
    row = INTERVAL_METHODS[method]
    row.check_segments(retrieved=one, unretrieved=other)
    if prior is not None and not row.takes_prior:
        raise InputError(f"method {method!r} takes no `prior`; found {shown(prior)}")
    return Request(row, measure, one, other, options, finite_population, tolerance, target, prior)


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
    target: float | None = None,
) -> tuple[Any, Any]:
    """Both ends of recall for segments that are checked, without warnings: for plans, which ask for
    all outcomes.

    With a tolerance the log odds of a slow method's ends may be too far out by as much; with a
    target its low end may be any value on its side of it.
    """
    options = PosteriorEnds(level, side, "exact", 10, None)
    request = request_of(Recall(), method, one, other, options, tolerance=tolerance, target=target)
    found = ends_of(request)
    return found.low, found.high


def recall_reaches(
    one: Segment, other: Segment, method: str, level: float, side: str, target: float
) -> BoolArray:
    """Whether the low end of recall is the target or more, for checked segments and without
    warnings: for plans.  The guaranteed bound says so sooner than it says how high it is."""
    if method == ONE_SIDED.name:
        return reaches(one, other, target, level, side)
    return np.asarray(recall_ends_of(one, other, method, level, side)[0] >= target)


SMALL_TOLERANCE, TOLERANCE = 1e-9, 1e-7  # of the ends; the first where single documents count
Pair = tuple[float, float]


def tolerance_of(population: float) -> float:
    """The tolerance of the ends."""
    return SMALL_TOLERANCE if population <= 2 * EXACT_TO else TOLERANCE


class Outcomes:
    """The intervals for the samples of a design; pairs are of the retrieved and of the unretrieved
    segment.

    Ends differ from those of `recall_interval` by at most `tolerance_of` the collection.
    """

    def __init__(self, size: Pair, sampled: Pair, method: str) -> None:
        self.size: Pair = size
        self.sampled: Pair = sampled
        self.method: Method = INTERVAL_METHODS[method]
        self._laws: tuple[dict[float, YieldLaw], dict[float, YieldLaw]] = ({}, {})

    def ends(
        self,
        relevant: FloatOrArray,
        confidence_level: float = 0.95,
        side: str = "two-sided",
        tolerance: float = 0.0,
        target: float | None = None,
    ) -> tuple[Any, Any]:
        """Low and high ends for these counts of relevant documents (2 × outcomes).

        With a tolerance the log odds of a slow method's ends may be too far out by as much; with a
        target its low end may be any value on its side of it.
        """
        found = np.asarray(relevant, float)
        retrieved, unretrieved = (
            Stratum(*np.broadcast_arrays(float(size), float(sampled), r))
            for size, sampled, r in zip(self.size, self.sampled, found, strict=True)
        )
        # No law of one stratum by itself: each outcome is a question of its own.
        if self.method.stratum_law is None:
            name = self.method.name
            return recall_ends_of(
                [retrieved], [unretrieved], name, confidence_level, side, tolerance, target
            )
        alpha = tail_probability(confidence_level, side)
        low = self._quantiles(found, alpha) if side != "upper" else np.zeros(found.shape[1])
        high = self._quantiles(found, 1 - alpha) if side != "lower" else np.ones(found.shape[1])
        return Recall().finished(
            low, high, [retrieved], [unretrieved], side, self.method.forces_ends
        )

    def _quantiles(self, found: np.ndarray, p: float) -> np.ndarray:
        laws, places = [], []
        for segment in (0, 1):
            distinct, place = np.unique(found[segment], return_inverse=True)
            laws.append([self._law(segment, r) for r in distinct.tolist()])
            places.append(place.astype(np.int64))
        # Sorted by both laws, neighbouring outcomes share a law and have ends near one another,
        # which start the next search.
        order = np.lexsort(places[::-1])
        ends = np.empty(found.shape[1])
        ends[order] = recall_ends(
            laws[0],
            laws[1],
            places[0][order],
            places[1][order],
            p,
            NormalDist().inv_cdf(p),
            tolerance_of(sum(self.size)),
        )
        return ends

    def _law(self, segment: int, relevant: float) -> YieldLaw:
        known = self._laws[segment]
        if relevant not in known:
            stratum = Stratum(self.size[segment], self.sampled[segment], relevant)
            assert self.method.stratum_law is not None
            known[relevant] = self.method.stratum_law(self.method, stratum, max(self.size))
        return known[relevant]
