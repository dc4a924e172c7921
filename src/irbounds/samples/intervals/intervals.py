"""Recall, precision, F, yield and elusion from assessed samples (Webber 2013)."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.foundation.arguments import check_flag, check_number, plain
from irbounds.foundation.interval import Interval
from irbounds.samples.intervals.pipeline import (
    as_asked,
    caution,
    interval_method,
    interval_of,
    refuse_error_rates,
    request_of,
)
from irbounds.samples.intervals.table import check_method_for
from irbounds.samples.model.estimands import FScore, Recall, SampleMeasure, Share, Yield
from irbounds.samples.model.quantiles import PosteriorEnds
from irbounds.samples.model.strata import Stratum, check_segments, total

if TYPE_CHECKING:
    from irbounds.typing import FloatOrArray, PriorLike, RNGLike, SegmentLike


def recall_interval(
    retrieved: SegmentLike,
    unretrieved: SegmentLike,
    *,
    confidence_level: float = 0.95,
    method: str | None = None,
    side: str = "two-sided",
    engine: str = "exact",
    draws: int = 40_000,
    rng: RNGLike = None,
    finite_population: bool = True,
    prior: PriorLike | None = None,
    sensitivity: FloatOrArray = None,
    specificity: FloatOrArray = None,
) -> Interval:
    """An interval on recall, from samples of the retrieved and of the unretrieved documents.

    Parameters
    ----------
    retrieved, unretrieved : Stratum, Audited, (size, sampled, relevant) or a list of such
        Segments as one stratum or several.  Counts may be arrays: one interval for each element.
    confidence_level : float
    method : str, optional
        "betabinom-half" (default of two-sided intervals, and with `Audited` segments of which only
        a sample was coded), "betabinom-uniform", "betabinom-mcp", "betabinom-half-per-stratum",
        "beta-jeffreys": posteriors of the segments' yields.  "guaranteed" (default of one-sided
        intervals): inverts a test of recall.  "anytime": holds at all looks at samples that grow;
        at most 200 strata.
        "koopman", "normal-mle", "normal-laplace", "normal-agresti-coull", "naive-binomial":
        formulas, as the paper compares them.
    side : {"two-sided", "lower", "upper"}
    engine : {"exact", "monte-carlo"}
        How the posterior methods compute: quantiles of the distribution itself, or the paper's
        draws.
    draws : int
        Pairs of draws.
    rng : None, int or numpy.random.Generator
    finite_population : bool
        For "beta-jeffreys": False takes R = π N, leaving out that the sample is part of the
        segment.
    prior : float or pair of float, optional
        For "anytime" and one stratum in each segment: the parameters of the beta-binomial
        distribution by which evidence is weighed, 0.5 by default. The interval holds with every
        prior.
    sensitivity, specificity : None
        Refused: recall has no such correction.

    Returns
    -------
    Interval
        ``estimate`` is the ratio of the estimated yields, nan where nothing relevant was found;
        then the interval is [0, 1].  No relevant document in the sample of the retrieved segment
        makes the low end 0, none in that of the unretrieved one the high end 1.

    Raises
    ------
    InputError
        For impossible counts, naming the stratum; for segments that the method has no form for.

    Warns
    -----
    SampleWarning
        Where the estimate lies outside its interval, or the prior weighs more than a quarter of the
        sample of a segment.

    Notes
    -----
    Posterior intervals cover with about the level on average over reviews, in some reviews less: at
    0.95 recall in 0.85 in the least covered design without strata, one-sided bounds in 0.78 there.
    "guaranteed" and "anytime" cover with at least the level in every review: see :doc:`/promises`,
    :doc:`/guaranteed` and :doc:`/stopping_rules`.

    Exact ends are within 1e-9 of full enumeration where both segments have at most 20,000
    documents, and within 1e-6 to 10^9; within 1e-4 there, if an `Audited` segment has audits of a
    few dozen documents.

    Examples
    --------
    >>> import irbounds as irb
    >>> irb.recall_interval((500, 50, 40), (2000, 100, 3))
    Interval(0.869565 in [0.719064, 0.957071], 0.95 two-sided, betabinom-half)
    >>> round(irb.recall_interval((10_000, 500, 350), (90_000, 1000, 12), side="lower").low, 4)
    0.8042
    """
    refuse_error_rates(sensitivity, specificity)
    options = PosteriorEnds(confidence_level, side, engine, draws, rng)
    is_finite = check_flag("finite_population", finite_population)
    segments = {"retrieved": retrieved, "unretrieved": unretrieved}
    return _interval(Recall(), segments, method, options, prior, is_finite)


def precision_interval(
    retrieved: SegmentLike,
    unretrieved: SegmentLike | None = None,
    *,
    confidence_level: float = 0.95,
    method: str | None = None,
    side: str = "two-sided",
    engine: str = "exact",
    draws: int = 40_000,
    rng: RNGLike = None,
    prior: PriorLike | None = None,
) -> Interval:
    """An interval on precision, R1/N1: the retrieved segment's share of relevant documents.

    Arguments and warnings as for `recall_interval`; the unretrieved segment plays no part.
    Methods: the beta-binomial ones, "beta-jeffreys", "guaranteed" and "anytime".  A sample without
    relevant documents makes the low end 0, one of nothing else the high end 1.

    Examples
    --------
    >>> import irbounds as irb
    >>> irb.precision_interval((500, 50, 40))
    Interval(0.8 in [0.68, 0.888], 0.95 two-sided, betabinom-half)
    """
    options = PosteriorEnds(confidence_level, side, engine, draws, rng)
    return _interval(Share("precision"), {"retrieved": retrieved}, method, options, prior)


def elusion_interval(
    retrieved: SegmentLike,
    unretrieved: SegmentLike | None = None,
    *,
    confidence_level: float = 0.95,
    method: str | None = None,
    side: str = "two-sided",
    engine: str = "exact",
    draws: int = 40_000,
    rng: RNGLike = None,
    prior: PriorLike | None = None,
) -> Interval:
    """An interval on elusion, R0/N0: the unretrieved segment's share of relevant documents.

    Arguments, methods and warnings as for `precision_interval`; given one segment only, it is the
    unretrieved one.

    Examples
    --------
    >>> import irbounds as irb
    >>> irb.samples.elusion_interval((500, 50, 40), (2000, 100, 3))
    Interval(0.03 in [0.009, 0.0765], 0.95 two-sided, betabinom-half)
    """
    segment = retrieved if unretrieved is None else unretrieved
    options = PosteriorEnds(confidence_level, side, engine, draws, rng)
    return _interval(Share("elusion"), {"unretrieved": segment}, method, options, prior)


def f_interval(
    retrieved: SegmentLike,
    unretrieved: SegmentLike,
    *,
    beta: float = 1.0,
    confidence_level: float = 0.95,
    method: str | None = None,
    side: str = "two-sided",
    engine: str = "exact",
    draws: int = 40_000,
    rng: RNGLike = None,
) -> Interval:
    """An interval on F_β, (1 + β²) R1/(β² (R1 + R0) + N1).

    Arguments and warnings as for `recall_interval`; methods: the beta-binomial ones and
    "guaranteed".

    "anytime" has no interval on F.  For looks at samples that grow, take F at the low end of
    precision and the high end of elusion, and the reverse, by "anytime" at ``1 - (1 -
    confidence_level) / 2`` each.

    With β = 0 it is the interval on precision, with β = inf that on recall.

    Examples
    --------
    >>> import irbounds as irb
    >>> irb.f_interval((500, 50, 40), (2000, 100, 3))
    Interval(0.833333 in [0.727921, 0.898947], 0.95 two-sided, betabinom-half)
    """
    beta = check_number("beta", beta, "must be 0 or more", lambda x: x >= 0)
    segments = {"retrieved": retrieved, "unretrieved": unretrieved}
    options = PosteriorEnds(confidence_level, side, engine, draws, rng)
    # F of weight 0 is precision and F of infinite weight recall: the formula itself is 0/0 or ∞/∞
    # there.
    if beta in (0, math.inf):
        method = interval_method(side, method, retrieved, unretrieved)
        check_method_for("F", method)
        check_segments(True, **segments)
        if beta:
            return _interval(Recall(), segments, method, options)
        return _interval(Share("precision"), {"retrieved": retrieved}, method, options)
    beta = min(max(beta, 1e-100), 1e100)  # its square is a number there
    return _interval(FScore(beta), segments, method, options)


def yield_interval(
    retrieved: SegmentLike,
    unretrieved: SegmentLike,
    *,
    confidence_level: float = 0.95,
    method: str | None = None,
    side: str = "two-sided",
    engine: str = "exact",
    draws: int = 40_000,
    rng: RNGLike = None,
    prior: PriorLike | None = None,
) -> Interval:
    """An interval on the yield R1 + R0, in documents.

    Arguments and warnings as for `recall_interval`; methods: the beta-binomial ones, "guaranteed"
    and "anytime".

    Samples without relevant documents make the low end 0, samples of nothing else the high end all
    documents.

    Examples
    --------
    >>> import irbounds as irb
    >>> irb.yield_interval((500, 50, 40), (2000, 100, 3))
    Interval(460 in [387, 562], 0.95 two-sided, betabinom-half)
    """
    options = PosteriorEnds(confidence_level, side, engine, draws, rng)
    segments = {"retrieved": retrieved, "unretrieved": unretrieved}
    return _interval(Yield(), segments, method, options, prior)


def richness_interval(retrieved: SegmentLike, unretrieved: SegmentLike, **options: Any) -> Interval:
    """An interval on the share of the collection that is relevant: `yield_interval` over its size;
    nan where there is no document."""
    found = yield_interval(retrieved, unretrieved, **options)
    parts = check_segments(True, retrieved=retrieved, unretrieved=unretrieved)
    size = sum(total(part, "size") for part in parts)

    def share(documents: FloatOrArray) -> Any:
        with np.errstate(invalid="ignore"):
            return plain(np.divide(documents, size))

    errors = found.standard_error
    return replace(
        found,
        **{name: share(getattr(found, name)) for name in ("estimate", "low", "high")},
        standard_error=None if errors is None else tuple(map(share, errors)),
    )


def _interval(
    measure: SampleMeasure,
    segments: dict[str, Any],
    method: str | None,
    options: PosteriorEnds,
    prior: PriorLike | None = None,
    finite_population: bool = True,
) -> Interval:
    """The interval of a measure of one segment or of two, with warnings for the caller's caller."""
    method = interval_method(options.side, method, *segments.values())
    check_method_for(measure.name, method)
    nothing = [Stratum(np.zeros(()), np.zeros(()), np.zeros(()))]
    one, other, *_ = [*check_segments(True, **segments), nothing]
    one, other = (as_asked(segment, method) for segment in (one, other))
    request = request_of(
        measure, method, one, other, options, finite_population=finite_population, prior=prior
    )
    interval = interval_of(request)
    caution(request, interval, 3)
    return interval
