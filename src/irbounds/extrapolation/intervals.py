"""Intervals for extrapolated precision, documents to review and cost, from assessed samples.

Dimm (2015) has no such intervals.  The samples give posteriors of R1 and R0, the numbers of
relevant documents in the retrieved and the unretrieved segment.  Each pair is a point with recall
R1/(R1 + R0), precision R1/N1 and prevalence (R1 + R0)/N, and its own reference curve gives the
value at the target recall.
"""

from __future__ import annotations

import warnings
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from irbounds.extrapolation.at_target import AtTarget, CostAt, PrecisionAt
from irbounds.extrapolation.curve import check_target, through, warn_where_little_is_said
from irbounds.extrapolation.posterior import ExtrapolatedPosterior
from irbounds.extrapolation.review import check_prices
from irbounds.foundation.arguments import check_number, plain
from irbounds.foundation.errors import check_choice
from irbounds.foundation.interval import Interval, one_sided, with_known
from irbounds.samples.intervals.table import PRIOR_OF
from irbounds.samples.model.point_estimates import yield_estimate
from irbounds.samples.model.quantiles import PosteriorEnds
from irbounds.samples.model.strata import Segment, check_segments, common_shape, is_census, total
from irbounds.warnings import ExtrapolationWarning

if TYPE_CHECKING:
    from irbounds.typing import ArrayLike, RNGLike, SegmentLike


def extrapolated_precision_interval(
    retrieved: SegmentLike,
    unretrieved: SegmentLike,
    target_recall: float,
    *,
    confidence_level: float = 0.95,
    method: str = "betabinom-half",
    side: str = "two-sided",
    engine: str = "exact",
    draws: int = 40_000,
    rng: RNGLike = None,
) -> Interval:
    """An interval for precision at a target recall, from samples of the retrieved and of the
    unretrieved documents.

    Recall, precision and prevalence are uncertain together, and every triple is extrapolated along
    its own curve.  The interval contains the uncertainty of sampling, but not the error of the
    model.

    Parameters
    ----------
    retrieved, unretrieved : Stratum, (size, sampled, relevant) or a list of such
        As for `recall_interval`.
    target_recall : float, from 0 to 1
    confidence_level : float
    method : {"betabinom-half", "betabinom-uniform", "betabinom-mcp"}
        Prior of the yields' posteriors.
    side : {"two-sided", "lower", "upper"}
        One-sided bounds are posterior ones as well: in some reviews they cover less than the level.
    engine : {"exact", "monte-carlo"}
        Quantiles of the distribution itself, or of draws, with the standard errors of the ends.
    draws : int
    rng : None, int or numpy.random.Generator

    Returns
    -------
    Interval
        ``estimate`` is the extrapolation of the estimated recall, precision and prevalence.  It is
        nan where nothing relevant was found, and where a sample makes recall or precision 1: every
        document sampled in the retrieved segment is relevant, or none in the unretrieved one.  No
        curve goes through such a point.  The interval says what the sample does.

    Warns
    -----
    ExtrapolationWarning
        Where the estimate is a far extrapolation, as for `extrapolate_precision`, or is nan for
        such a sample.

    Notes
    -----
    Pairs of yields without a curve count as the limits of those beside them: where precision is no
    higher than prevalence X is the prevalence; where recall or precision is 1, X is 1. As for
    `recall_interval`, a sample of the retrieved segment without a relevant document makes the low
    end 0; one with nothing else, or a sample of the unretrieved segment without a relevant
    document, makes the high end 1.

    Probabilities of the exact engine's ends are within 1e-9 of nominal where R0 has at most 65,536
    likely values, else within 1.6e-5; for segments of several strata within 1e-5.

    Examples
    --------
    A review stopped at about 60 % recall; what precision would it have at 75 %?

    >>> import irbounds as irb
    >>> retrieved, unretrieved = (5000, 400, 260), (95_000, 1500, 34)
    >>> irb.extrapolation.extrapolated_precision_interval(retrieved, unretrieved, 0.75)
    Interval(0.472254 in [0.377202, 0.581186], 0.95 two-sided, betabinom-half)
    """
    options = PosteriorEnds(confidence_level, side, engine, draws, rng)
    return _interval(PrecisionAt(), retrieved, unretrieved, target_recall, method, options)


def documents_to_review_interval(
    retrieved: SegmentLike,
    unretrieved: SegmentLike,
    target_recall: float,
    *,
    population: float | None = None,
    confidence_level: float = 0.95,
    method: str = "betabinom-half",
    side: str = "two-sided",
    engine: str = "exact",
    draws: int = 40_000,
    rng: RNGLike = None,
) -> Interval:
    """An interval for the number of documents to review to reach a target recall, ρ N R_T/X(R_T).

    It includes the documents already retrieved.  Arguments, limits and accuracy as for
    `extrapolated_precision_interval`, with R1, the yield of the retrieved segment, in the place of
    R0. If precision is no higher than prevalence, the limit is random order, which needs N R_T
    documents, the largest possible number.

    Parameters
    ----------
    population : float, optional
        Documents that the review is about; those of both segments by default.  It may be larger,
        where the segments are a test collection of the same kind.

    Examples
    --------
    >>> import irbounds as irb
    >>> irb.extrapolation.documents_to_review_interval((5000, 400, 260), (95_000, 1500, 34), 0.75)
    Interval(8581.18 in [6341.31, 11861.4], 0.95 two-sided, betabinom-half)
    """
    measure = CostAt(_check_population(population))
    options = PosteriorEnds(confidence_level, side, engine, draws, rng)
    return _interval(measure, retrieved, unretrieved, target_recall, method, options)


def cost_interval(
    retrieved: SegmentLike,
    unretrieved: SegmentLike,
    target_recall: float,
    *,
    per_document: float = 1.0,
    per_relevant: float = 0.0,
    fixed: float = 0.0,
    population: float | None = None,
    confidence_level: float = 0.95,
    method: str = "betabinom-half",
    side: str = "two-sided",
    engine: str = "exact",
    draws: int = 40_000,
    rng: RNGLike = None,
) -> Interval:
    """An interval for the cost of a review up to a target recall; unit costs as for `cost`.

    All other arguments as for `documents_to_review_interval`.

    Examples
    --------
    >>> import irbounds as irb
    >>> segments = (5000, 400, 260), (95_000, 1500, 34)
    >>> irb.extrapolation.cost_interval(*segments, 0.75, per_document=1.5, per_relevant=4)
    Interval(29081.8 in [23941, 36157.8], 0.95 two-sided, betabinom-half)
    """
    prices = check_prices(per_document=per_document, per_relevant=per_relevant, fixed=fixed)
    measure = CostAt(_check_population(population), **prices)
    options = PosteriorEnds(confidence_level, side, engine, draws, rng)
    return _interval(measure, retrieved, unretrieved, target_recall, method, options)


def _check_population(population: float | None) -> float | None:
    return (
        None
        if population is None
        else check_number(
            "population", population, "must be 0 or more and finite", lambda x: 0 <= x < 1e300
        )
    )


def _interval(
    measure: AtTarget,
    retrieved: SegmentLike,
    unretrieved: SegmentLike,
    target_recall: ArrayLike,
    method: str,
    options: PosteriorEnds,
) -> Interval:
    check_choice("method", method, PRIOR_OF)
    target = check_target(target_recall)
    retrieved, unretrieved = check_segments(retrieved=retrieved, unretrieved=unretrieved)
    shape, prior = common_shape(retrieved, unretrieved), PRIOR_OF[method]

    make = partial(ExtrapolatedPosterior, measure, prior, target)
    low, high, errors = options.ends(make, shape, retrieved, unretrieved)
    sizes = total(retrieved, "size"), total(unretrieved, "size")
    most = measure.most(np.broadcast_to(sizes[0] + sizes[1], shape), target)
    r1, r0 = (total(segment, "relevant") for segment in (retrieved, unretrieved))
    # Samples that lack documents of a kind do not exclude that there are none: the end is at the
    # limit, as for recall.
    sampled = total(retrieved, "sampled")
    is_perfect = (((r1 == sampled) & (sampled > 0)) | (r0 == 0)) & (target < 1)
    low, high = measure.forced(
        np.minimum(low, most), np.minimum(high, most), most, r1 == 0, is_perfect
    )
    # the value itself if everything was sampled and something was found; otherwise nan
    found, missed, n1, n0 = np.broadcast_arrays(r1, r0, *sizes)
    is_known = is_census(retrieved, unretrieved) & (found + missed > 0)
    value = np.where(is_known, measure(found, missed, n1, n0, target), np.nan)
    known = np.broadcast_to(value, shape)
    low, high = with_known(*one_sided(low, high, options.side, 0.0, most), known, ~np.isnan(known))
    estimate = _estimate(measure, retrieved, unretrieved, shape, target)
    return Interval(
        estimate=plain(estimate),
        low=plain(low),
        high=plain(high),
        confidence_level=options.level,
        side=options.side,
        method=method,
        engine=options.engine,
        standard_error=errors,
    )


def _estimate(
    measure: AtTarget,
    retrieved: Segment,
    unretrieved: Segment,
    shape: tuple[int, ...],
    target: float,
) -> np.ndarray:
    """The estimate from the estimated yields.  Warns if the point is unreliable or has no curve."""
    (first, _), (second, _) = yield_estimate(retrieved), yield_estimate(unretrieved)
    first, second, n1, n0 = np.broadcast_arrays(
        first, second, total(retrieved, "size"), total(unretrieved, "size")
    )
    result = measure(first, second, n1, n0, target)
    found = first + second
    with np.errstate(divide="ignore", invalid="ignore"):
        recall, precision, rho = first / found, first / n1, found / (n1 + n0)
    # Where a sample has no relevant document, or no other, the point is at an end of the recalls or
    # precisions, through which no curve goes.
    inferred = (
        (second == 0) & ~is_census(unretrieved),
        (first == n1) & (n1 > 0) & ~is_census(retrieved),
    )
    has_none = (inferred[0] | inferred[1]) & (found > 0) & (target < 1)
    if has_none.any():
        _warn_of_no_estimate(np.broadcast_to(inferred[0], has_none.shape)[has_none][0])
    beta = through(recall, precision, rho)
    recall, precision, rho = (
        np.where(has_none, np.nan, value) for value in (recall, precision, rho)
    )
    warn_where_little_is_said(
        recall, precision, rho, beta, np.full(first.shape, target), stacklevel=5
    )
    return np.broadcast_to(np.where((found > 0) & ~has_none, result, np.nan), shape)


def _warn_of_no_estimate(is_recall: bool) -> None:
    reason = (
        "the sample of the unretrieved segment has no relevant document, which makes recall 1"
        if is_recall
        else "all documents in the sample of the retrieved segment are relevant, which makes "
        "precision 1"
    )
    warnings.warn(
        f"extrapolated precision has no estimate, only an interval: {reason}",
        ExtrapolationWarning,
        stacklevel=5,
    )
