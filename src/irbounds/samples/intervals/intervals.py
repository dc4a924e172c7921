"""Recall, precision, F, yield and elusion from assessed samples (Webber 2013)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from irbounds.foundation.arguments import check_flag, check_number
from irbounds.foundation.interval import Interval
from irbounds.samples.intervals.coded_pipeline import method_for, refuse_error_rates
from irbounds.samples.intervals.pipeline import caution, interval_of, request_of
from irbounds.samples.intervals.table import check_method_for
from irbounds.samples.model.estimands import FScore, Recall, SampleMeasure, Share, Yield
from irbounds.samples.model.quantiles import PosteriorEnds
from irbounds.samples.model.strata import Stratum, check_segments, common_shape


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
    prior: Any = None,
    sensitivity: Any = None,
    specificity: Any = None,
) -> Interval:
    """An interval on recall, from samples of the retrieved and of the unretrieved documents.

    Parameters
    ----------
    retrieved, unretrieved : Stratum, Audited, (size, sampled, relevant) or a list of such
        Segments as one stratum or several.  Fields may be arrays that broadcast: one question each.
    confidence_level : float
    method : str, optional
        Default: "betabinom-half" for two-sided intervals and for `Audited` segments, "guaranteed"
        for one-sided ones.
        "betabinom-half" (the paper's recommendation), "betabinom-uniform", "betabinom-mcp":
        beta-binomial posteriors of the segments' yields.  Strata share one prior, and
        those with 1 to 3 sampled documents are pooled;
        "betabinom-half-per-stratum" gives each a whole one, as the paper does, and covers less the
        more strata there are. "beta-jeffreys": beta posteriors.  "koopman": ratio of two
        proportions, one stratum each. "normal-mle", "normal-laplace", "normal-agresti-coull",
        "naive-binomial": formulas, as the paper compares them. "guaranteed": inverts a test of
        recall, so that coverage is at least the level in every review.  "anytime": the intervals at
        all looks at samples that grow hold together, whenever one stops; it takes at most 200
        strata in both segments, and is slow above tens of them.
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
        Refused with the reason: there is no such correction of recall.  `prevalence_interval`
        corrects a share.

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
        Where the estimate lies outside its interval, or the prior weighs more than a quarter of the
        sample of a segment.

    Notes
    -----
    Two-sided posterior intervals cover with about the level on average over reviews, in some
    reviews less: at 0.95 recall in 0.85 in the least covered one of the designs without strata
    that `benchmarks/studies/recall.py` measures.  One-sided posterior bounds cover much less in
    some reviews, 0.78 there.  With strata "betabinom-half" covered recall in 0.89 or more of the
    simulated reviews of each of 88 designs.  It covers less where a few sampled documents stand for
    a large stratum in which nothing is relevant.  "guaranteed" and "anytime" cover at least with
    the level in every review.

    Exact ends are within 1e-9 of full enumeration where both segments have at most 20,000
    documents, in one stratum or many, and within 1e-6 to 10^9 documents; within 1e-4 there, if an
    `Audited` segment has audits of a few dozen documents.  With an `Audited` segment that holds for
    the law of that end, which is not the posterior where an audit found nothing (`Audited`).  An
    end that is a step of the distribution stands for the probability within 1e-12, beyond 20,000
    documents within 1e-6.

    "guaranteed" covers recall with at least `confidence_level` in every review, whatever its
    yields: a one-sided bound as it is, each end of a two-sided interval with half of what may be
    missed. It needs simple random samples of the strata and nothing else. One stratum in each
    segment, or strata that were sampled at about the same rate (the expected counts of relevant
    documents differ by 15 % at most): Buehler's bound, nearly as narrow as the posterior's. Strata
    of very different rates: an exponential bound, about one and a half to three times as wide, and
    of little use where a large stratum has a sample of a few documents. Strata are not mixed with
    one another by assumption: the guarantee holds for every division of the relevant documents
    among them.

    "anytime" covers in every review as well, at all looks together, while both samples grow at
    random, whichever segment or stratum each next document is drawn from and by whatever rule. The
    page "Stopping rules" of the documentation derives it. A segment or stratum that is read whole
    counts as read before the others were sampled: if its end is reached while others are sampled as
    well, the interval of that look alone may miss more often than the level allows. `SampleMonitor`
    with ``looks="any"`` allows for that and intersects the intervals. With one stratum
    in each segment the bound is the best one that the evidence allows where at most 16,000 numbers
    of relevant documents of each are possible: so were 8139 bounds of random designs of up to 2000
    documents. Such designs, searched as larger ones are, gave bounds within a part of 1e-5 of the
    best for priors up to 1; where nearly all pairs of numbers decide, to save time, within 5e-4.
    Other priors can lose more, in large segments up to half of a low end
    where one document was assessed. It takes 200 strata at most; 40 in each segment take some
    tenths of a second.

    Examples
    --------
    >>> import irbounds as irb
    >>> irb.recall_interval((500, 50, 40), (2000, 100, 3))
    Interval(0.869565 in [0.719064, 0.957071], 0.95 two-sided, betabinom-half)
    >>> round(irb.recall_interval((10_000, 500, 350), (90_000, 1000, 12), side="lower").low, 4)
    0.8042
    """
    refuse_error_rates(sensitivity, specificity)
    method = method_for(side, method, retrieved, unretrieved)
    retrieved, unretrieved = check_segments(True, retrieved=retrieved, unretrieved=unretrieved)
    common_shape(retrieved, unretrieved)
    options = PosteriorEnds(confidence_level, side, engine, draws, rng)
    is_finite = check_flag("finite_population", finite_population)
    request = request_of(
        Recall(), method, retrieved, unretrieved, options, finite_population=is_finite, prior=prior
    )
    interval = interval_of(request)
    caution(request, interval, 2)
    return interval


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
    prior: Any = None,
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
    method = method_for(side, method, retrieved)
    options = PosteriorEnds(confidence_level, side, engine, draws, rng)
    return _share_interval("precision", "retrieved", retrieved, method, options, prior)


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
    prior: Any = None,
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
    method = method_for(side, method, segment)
    options = PosteriorEnds(confidence_level, side, engine, draws, rng)
    return _share_interval("elusion", "unretrieved", segment, method, options, prior)


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
    method = method_for(side, method, retrieved, unretrieved)
    # F of weight 0 is precision and F of infinite weight recall: the formula itself is 0/0 or ∞/∞
    # there.
    if beta in (0, math.inf):
        check_method_for("F", method)
        check_segments(True, retrieved=retrieved, unretrieved=unretrieved)  # precision takes one
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
    options = PosteriorEnds(confidence_level, side, engine, draws, rng)
    return _pair_interval(FScore(beta), retrieved, unretrieved, method, options)


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
    prior: Any = None,
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
    method = method_for(side, method, retrieved, unretrieved)
    return _pair_interval(Yield(), retrieved, unretrieved, method, options, prior)


def _pair_interval(
    measure: SampleMeasure,
    retrieved: Any,
    unretrieved: Any,
    method: str,
    options: PosteriorEnds,
    prior: Any = None,
) -> Interval:
    check_method_for(measure.name, method)
    retrieved, unretrieved = check_segments(True, retrieved=retrieved, unretrieved=unretrieved)
    request = request_of(measure, method, retrieved, unretrieved, options, prior=prior)
    interval = interval_of(request)
    caution(request, interval, 3)
    return interval


def _share_interval(
    measure: str,
    name: str,
    segment: Any,
    method: str,
    options: PosteriorEnds,
    prior: Any = None,
) -> Interval:
    check_method_for(measure, method)
    nothing = [Stratum(np.zeros(()), np.zeros(()), np.zeros(()))]
    (strata,) = check_segments(True, **{name: segment})
    request = request_of(Share(measure), method, strata, nothing, options, prior=prior)
    interval = interval_of(request)
    caution(request, interval, 3)
    return interval
