"""Recall, precision, F, yield and elusion from assessed samples (Webber 2013)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from irbounds.foundation.arguments import check_flag, check_number, plain
from irbounds.foundation.errors import InputError, check_choice
from irbounds.foundation.interval import Interval, one_sided, tail_probability, with_known
from irbounds.samples.approximations import koopman, naive, normal, recall_ratio, yield_estimate
from irbounds.samples.cautions import warn_of_estimate, warn_of_prior
from irbounds.samples.continuous_yields import beta_parts, recall_quantile, yield_quantile
from irbounds.samples.estimators import recall_of
from irbounds.samples.guaranteed import around, f_ends, recall_ends, share_ends, yield_ends
from irbounds.samples.methods import INTERVAL_METHODS, PRIOR_OF, usual_method
from irbounds.samples.posterior_ends import (
    PosteriorEnds,
    exact_quantiles,
    jeffreys_sampler,
    yield_sampler,
)
from irbounds.samples.proportions import population_bounds
from irbounds.samples.strata import Segment, Stratum, check_segment, common_shape, total

# narrower intervals need not hold their estimate: it is a ratio, they are about a median
LEAST_LEVEL_TO_HOLD = 0.8


def recall_interval(
    retrieved: Any,
    unretrieved: Any,
    *,
    confidence_level: float = 0.95,
    method: str | None = None,
    side: str = "two-sided",
    engine: str = "exact",
    draws: int = 40_000,
    rng: Any = None,
    finite_population: bool = True,
) -> Interval:
    """An interval on recall, from samples of the retrieved and of the unretrieved documents.

    Parameters
    ----------
    retrieved, unretrieved : Stratum, (size, sampled, relevant) or a list of such
        Segments as one stratum or several.  Fields may be arrays that broadcast: one question each.
    confidence_level : float
    method : str, optional
        Default: "betabinom-half" for two-sided intervals, "guaranteed" for one-sided ones.
        "betabinom-half" (the paper's recommendation), "betabinom-uniform", "betabinom-mcp":
        beta-binomial posteriors of the segments' yields.  Strata share one prior;
        "betabinom-half-per-stratum" gives each a whole one, as the paper does, and covers less the
        more strata there are. "beta-jeffreys": beta posteriors.  "koopman": ratio of two
        proportions, one stratum each. "normal-mle", "normal-laplace", "normal-agresti-coull",
        "naive-binomial": formulas, as the paper compares them. "guaranteed": inverts a test of
        recall, so that coverage is at least the level in every review.
    side : {"two-sided", "lower", "upper"}
    engine : {"exact", "monte-carlo"}
        Of the posterior methods: quantiles of the distribution itself, or the paper's draws.
    draws : int
        Pairs of draws.
    rng : None, int or numpy.random.Generator
    finite_population : bool
        For "beta-jeffreys": False takes R = π N, leaving out that the sample is part of the
        segment.

    Returns
    -------
    Interval
        ``estimate`` is the ratio of the estimated yields, nan where nothing relevant was found;
        then the interval is [0, 1].  No relevant document in the sample of the retrieved segment
        makes the low end 0, none in that of the unretrieved one the high end 1.

    Raises
    ------
    InputError
        For impossible counts, naming the stratum; for strata with a method that has none
        ("koopman").

    Warns
    -----
    SampleWarning
        Where the estimate lies outside its interval, or the prior weighs more than a tenth of the
        sample.

    Notes
    -----
    Posterior intervals cover with about the level on average over reviews, in some reviews less;
    only "guaranteed" covers at least with the level in every one.  `benchmarks/studies` measures
    it.

    Exact ends are within 1e-9 of full enumeration where both segments hold at most 20,000
    documents, in one stratum or many, and within 1e-6 to 10^9 documents.  An end that is a step of
    the distribution stands for the probability within 1e-12, beyond 20,000 documents within 1e-6.

    "guaranteed" covers recall with at least `confidence_level` in every review, whatever its
    yields: a one-sided bound as it is, each end of a two-sided interval with half of what may be
    missed. It needs simple random samples of the strata and nothing else. One stratum in each
    segment, or strata that were sampled at about the same rate (the expected counts of relevant
    documents differ by 15 % at most): Buehler's bound, nearly as narrow as the posterior's. Strata
    of very different rates: an exponential bound, about one and a half times as wide. Strata are
    not mixed with one another by assumption: the guarantee holds for every division of the relevant
    documents among them.

    Examples
    --------
    >>> import irbounds as irb
    >>> irb.recall_interval((500, 50, 40), (2000, 100, 3))
    Interval(0.869565 in [0.719064, 0.957071], 0.95 two-sided, betabinom-half)
    >>> round(irb.recall_interval((10_000, 500, 350), (90_000, 1000, 12), side="lower").low, 4)
    0.8042
    """
    method = usual_method(side, method)
    one, other = check_segment("retrieved", retrieved), check_segment("unretrieved", unretrieved)
    shape = common_shape(one, other)
    estimate = np.broadcast_to(recall_ratio(one, other), shape)
    options = PosteriorEnds(confidence_level, side, engine, draws, rng)
    finite_population = check_flag("finite_population", finite_population)
    low, high, errors, raw = _recall_ends(one, other, method, options, finite_population)
    used = (
        engine
        if errors is not None or method in PRIOR_OF or method == "beta-jeffreys"
        else "formula"
    )
    if method in PRIOR_OF:
        warn_of_prior(PRIOR_OF[method], retrieved=one, unretrieved=other)
        if confidence_level >= LEAST_LEVEL_TO_HOLD:
            warn_of_estimate(estimate, low, high)
    raw_low, raw_high = (None if end is None else plain(np.broadcast_to(end, shape)) for end in raw)
    return Interval(
        plain(estimate),
        plain(low),
        plain(high),
        confidence_level,
        side,
        method,
        used,
        errors,
        raw_low,
        raw_high,
    )


def recall_ends_of(
    one: Segment, other: Segment, method: str, level: float, side: str
) -> tuple[Any, Any]:
    """Both ends for segments that are checked, without warnings: for plans, which ask for all
    outcomes."""
    low, high, _, _ = _recall_ends(
        one, other, method, PosteriorEnds(level, side, "exact", 10, None), True
    )
    return low, high


def _recall_ends(
    one: Segment, other: Segment, method: str, options: PosteriorEnds, finite_population: bool
) -> tuple[Any, Any, Any, tuple[Any, Any]]:
    """Both ends, their standard errors where they are drawn, and the ends of formulas as these give
    them."""
    shape, level, side, errors = common_shape(one, other), options.level, options.side, None
    raw: tuple[Any, Any] = (None, None)
    if method == "beta-jeffreys":
        low, high, errors = options.ends(
            jeffreys_sampler(one, other, finite_population),
            recall_of,
            lambda i, q, p: recall_quantile(
                beta_parts(q[0], finite_population), beta_parts(q[1], finite_population), p
            ),
            shape,
            one,
            other,
        )
    elif method in PRIOR_OF:
        prior = PRIOR_OF[method]
        low, high, errors = options.ends(
            yield_sampler(prior), recall_of, exact_quantiles("recall", prior), shape, one, other
        )
    elif method == "koopman":
        _only_one_stratum(method, one, other)
        low, high = koopman(one, other, level, side)
    elif method == "guaranteed":
        low, high = around(
            np.broadcast_to(recall_ratio(one, other), shape), recall_ends(one, other, level, side)
        )
    else:
        raw = low, high = (
            naive(one, other, level, side)
            if method == "naive-binomial"
            else normal(one, other, level, side, INTERVAL_METHODS[method].added or 0.0)
        )
    return *finished(low, high, one, other, method, side), errors, raw


def finished(
    low: Any, high: Any, one: Segment, other: Segment, method: str, side: str
) -> tuple[Any, Any]:
    """Ends within [0, 1], forced where samples without relevant documents force them; one only, if
    one is asked for."""
    shape = common_shape(one, other)
    low, high = (np.clip(np.broadcast_to(end, shape), 0, 1) for end in (low, high))
    r1, r0 = total(one, "relevant"), total(other, "relevant")
    if method not in ("normal-mle", "naive-binomial", "guaranteed"):
        low = np.where(r1 == 0, 0.0, low)
        high = np.where(_may_be_all(r0, one, other), 1.0, high)
    nothing = np.isnan(low) | np.isnan(high) | (r1 + r0 == 0)
    low, high = one_sided(np.where(nothing, 0.0, low), np.where(nothing, 1.0, high), side)
    return with_known(low, high, recall_ratio(one, other), is_census(one, other) & (r1 + r0 > 0))


def is_census(*segments: Segment) -> Any:
    """Whether all documents were sampled, so that there is nothing to infer."""
    return sum(total(segment, "size") - total(segment, "sampled") for segment in segments) == 0


def _may_be_all(r0: Any, one: Segment, other: Segment) -> Any:
    """Nothing found in the unretrieved sample forces the high end, unless nothing can be found in
    the retrieved segment and something can in the other."""
    none_retrieved = (total(one, "relevant") == 0) & (total(one, "size") == total(one, "sampled"))
    return (r0 == 0) & ~none_retrieved


def precision_interval(
    retrieved: Any,
    unretrieved: Any = None,
    *,
    confidence_level: float = 0.95,
    method: str | None = None,
    side: str = "two-sided",
    engine: str = "exact",
    draws: int = 40_000,
    rng: Any = None,
) -> Interval:
    """An interval on precision, R1/N1: the retrieved segment's share of relevant documents.

    Arguments as for `recall_interval`; the unretrieved segment plays no part.  Methods: the
    beta-binomial ones, "beta-jeffreys" and "guaranteed".  A sample without relevant documents makes
    the low end 0, one of nothing else the high end 1.

    Examples
    --------
    >>> import irbounds as irb
    >>> irb.precision_interval((500, 50, 40))
    Interval(0.8 in [0.68, 0.888], 0.95 two-sided, betabinom-half)
    """
    method = usual_method(side, method)
    return _share_interval(
        "retrieved", retrieved, confidence_level, method, side, engine, draws, rng
    )


def elusion_interval(
    retrieved: Any,
    unretrieved: Any = None,
    *,
    confidence_level: float = 0.95,
    method: str | None = None,
    side: str = "two-sided",
    engine: str = "exact",
    draws: int = 40_000,
    rng: Any = None,
) -> Interval:
    """An interval on elusion, R0/N0: the unretrieved segment's share of relevant documents.

    Arguments as for `recall_interval`; given one segment only, it is the unretrieved one.

    Examples
    --------
    >>> import irbounds as irb
    >>> irb.elusion_interval((500, 50, 40), (2000, 100, 3))
    Interval(0.03 in [0.009, 0.0765], 0.95 two-sided, betabinom-half)
    """
    segment = retrieved if unretrieved is None else unretrieved
    method = usual_method(side, method)
    return _share_interval(
        "unretrieved", segment, confidence_level, method, side, engine, draws, rng
    )


def f_interval(
    retrieved: Any,
    unretrieved: Any,
    *,
    beta: float = 1.0,
    confidence_level: float = 0.95,
    method: str | None = None,
    side: str = "two-sided",
    engine: str = "exact",
    draws: int = 40_000,
    rng: Any = None,
) -> Interval:
    """An interval on F_β, (1 + β²) R1/(β² (R1 + R0) + N1).

    Arguments as for `recall_interval`; methods: the beta-binomial ones and "guaranteed".

    With β = 0 it is the interval on precision, with β = inf that on recall.

    Examples
    --------
    >>> import irbounds as irb
    >>> irb.f_interval((500, 50, 40), (2000, 100, 3))
    Interval(0.833333 in [0.727921, 0.898947], 0.95 two-sided, betabinom-half)
    """
    beta = check_number("beta", beta, "must be 0 or more", lambda x: x >= 0)
    method = usual_method(side, method)
    if beta in (0, math.inf):
        check_choice("method", method, (*PRIOR_OF, "guaranteed"))
        of = recall_interval if beta else precision_interval
        return of(
            retrieved,
            unretrieved,
            confidence_level=confidence_level,
            method=method,
            side=side,
            engine=engine,
            draws=draws,
            rng=rng,
        )
    beta = min(max(beta, 1e-100), 1e100)  # its square is a number there
    square = beta * beta

    def f_of(r1: Any, r0: Any, size: Any) -> Any:
        with np.errstate(divide="ignore", invalid="ignore"):
            return (1 + square) * r1 / (square * (r1 + r0) + size)

    return _pair_interval(
        "f",
        f_of,
        retrieved,
        unretrieved,
        PosteriorEnds(confidence_level, side, engine, draws, rng),
        method,
        beta,
    )


def yield_interval(
    retrieved: Any,
    unretrieved: Any,
    *,
    confidence_level: float = 0.95,
    method: str | None = None,
    side: str = "two-sided",
    engine: str = "exact",
    draws: int = 40_000,
    rng: Any = None,
) -> Interval:
    """An interval on the yield R1 + R0, in documents.

    Arguments as for `recall_interval`; methods: the beta-binomial ones and "guaranteed".

    Samples without relevant documents make the low end 0, samples of nothing else the high end all
    documents.

    Examples
    --------
    >>> import irbounds as irb
    >>> irb.yield_interval((500, 50, 40), (2000, 100, 3))
    Interval(460 in [387, 562], 0.95 two-sided, betabinom-half)
    """
    return _pair_interval(
        "yield",
        lambda r1, r0, size: r1 + r0,
        retrieved,
        unretrieved,
        PosteriorEnds(confidence_level, side, engine, draws, rng),
        usual_method(side, method),
        1.0,
    )


def _only_one_stratum(method: str, *segments: Segment) -> None:
    for name, segment in zip(("retrieved", "unretrieved"), segments, strict=True):
        if len(segment) > 1:
            raise InputError(
                f"method {method!r} has no form for strata; `{name}` has {len(segment)}"
            )


def _pair_interval(
    name: str,
    measure: Callable[..., Any],
    retrieved: Any,
    unretrieved: Any,
    options: PosteriorEnds,
    method: str,
    beta: float,
) -> Interval:
    check_choice("method", method, (*PRIOR_OF, "guaranteed"))
    one, other = check_segment("retrieved", retrieved), check_segment("unretrieved", unretrieved)
    shape = common_shape(one, other)
    (first, _), (second, _) = yield_estimate(one), yield_estimate(other)
    estimate = np.broadcast_to(measure(first, second, total(one, "size")), shape)
    errors = None
    if method == "guaranteed":
        low, high = around(
            estimate,
            f_ends(one, other, beta, options.level, options.side)
            if name == "f"
            else yield_ends(one, other, options.level, options.side),
        )
    else:
        prior = PRIOR_OF[method]
        low, high, errors = options.ends(
            yield_sampler(prior), measure, exact_quantiles(name, prior, beta), shape, one, other
        )
    if name == "f" and method != "guaranteed":
        low = np.where(total(one, "relevant") == 0, 0.0, low)
        sure = (
            (total(other, "relevant") == 0)
            & (total(one, "relevant") == total(one, "sampled"))
            & (total(one, "sampled") > 0)
        )
        high = np.where(sure, 1.0, high)
    most = 1.0 if name == "f" else total(one, "size") + total(other, "size")
    if name == "yield" and method != "guaranteed":
        relevant, sampled = (total([*one, *other], field) for field in ("relevant", "sampled"))
        low, high = np.where(relevant == 0, 0.0, low), np.where(relevant == sampled, most, high)
    low, high = with_known(
        *one_sided(low, high, options.side, 0.0, most),
        estimate,
        is_census(one, other) & (estimate == estimate),
    )
    return Interval(
        plain(estimate),
        plain(low),
        plain(high),
        options.level,
        options.side,
        method,
        options.engine,
        errors,
    )


def _share_interval(
    name: str,
    segment: Any,
    confidence_level: float,
    method: str,
    side: str,
    engine: str,
    draws: int,
    rng: Any,
) -> Interval:
    check_choice("method", method, (*PRIOR_OF, "beta-jeffreys", "guaranteed"))
    strata = check_segment(name, segment)
    shape = common_shape(strata)
    options = PosteriorEnds(confidence_level, side, engine, draws, rng)
    nothing = [Stratum(np.zeros(()), np.zeros(()), np.zeros(()))]
    size, errors = total(strata, "size"), None
    if method == "guaranteed" and len(strata) == 1:
        alpha = tail_probability(confidence_level, side)
        low, high = population_bounds(strata[0].relevant, strata[0].sampled, size, alpha)
    elif method == "guaranteed":
        low, high = (end * size for end in share_ends(strata, confidence_level, side))
    elif method == "beta-jeffreys":
        low, high, errors = options.ends(
            jeffreys_sampler(strata, nothing, True),
            lambda r1, r0, n: r1,
            lambda i, q, p: yield_quantile(beta_parts(q[0], True), p),
            shape,
            strata,
            nothing,
        )
    else:
        prior = PRIOR_OF[method]
        low, high, errors = options.ends(
            yield_sampler(prior),
            lambda r1, r0, n: r1,
            exact_quantiles("yield", prior),
            shape,
            strata,
            nothing,
        )
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high, estimate = low / size, high / size, yield_estimate(strata)[0] / size
        errors = (
            None if errors is None else tuple(plain(np.asarray(error) / size) for error in errors)
        )
    r, n = total(strata, "relevant"), total(strata, "sampled")
    if method != "guaranteed":
        low, high = np.where(r == 0, 0.0, low), np.where(r == n, 1.0, high)
    low, high = one_sided(np.where(size > 0, low, 0.0), np.where(size > 0, high, 1.0), side)
    low, high = with_known(low, high, estimate, is_census(strata) & (size > 0))
    used = engine if method != "guaranteed" else "exact"
    return Interval(
        plain(np.broadcast_to(estimate, shape)),
        plain(low),
        plain(high),
        confidence_level,
        side,
        method,
        used,
        errors,
    )
