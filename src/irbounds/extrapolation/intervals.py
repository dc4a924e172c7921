"""Intervals for extrapolated precision, documents to review and cost, from assessed samples.

Dimm (2015) has no such intervals.  The samples give posteriors of R1 and R0, the numbers of
relevant documents in the retrieved and the unretrieved segment.  Each pair is a point with recall
R1/(R1 + R0), precision R1/N1 and prevalence (R1 + R0)/N, and its own reference curve gives the
value at the target recall.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from irbounds._core.yield_posterior import YieldLaw
from irbounds.extrapolation.curve import (
    ExtrapolationWarning,
    check_target,
    through,
    values,
    warn_where_little_is_said,
)
from irbounds.extrapolation.review import check_prices, total_cost
from irbounds.extrapolation.rising import ROWS, RisingFunction, make_rows
from irbounds.foundation.arguments import check_number, plain
from irbounds.foundation.errors import InputError, check_choice
from irbounds.foundation.interval import Interval, one_sided, with_known
from irbounds.samples.approximations import yield_estimate
from irbounds.samples.intervals import is_census
from irbounds.samples.methods import PRIOR_OF
from irbounds.samples.posterior_ends import PosteriorEnds
from irbounds.samples.priors import Prior, check_prior
from irbounds.samples.strata import Segment, Stratum, check_segment, common_shape, total
from irbounds.samples.yields import YieldPair, draw_yields, likely_yields, segment_law

LEAST = 1e-300  # what is 0 has no logarithm


def extrapolated_precision_interval(
    retrieved: Any,
    unretrieved: Any,
    target_recall: float,
    *,
    confidence_level: float = 0.95,
    method: str = "betabinom-half",
    side: str = "two-sided",
    engine: str = "exact",
    draws: int = 40_000,
    rng: Any = None,
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
    higher than prevalence, that is an order no better than random, X is the prevalence; where
    recall or precision is 1, X is 1. As for `recall_interval`, a sample of the retrieved segment
    without a relevant document makes the low end 0; one with nothing else, or a sample of the
    unretrieved segment without a relevant document, makes the high end 1.

    The exact engine finds the quantile of the posterior of both yields.  Where R0 has at most
    65,536 likely values (so in unretrieved segments of at most 65,536 documents, and in larger ones
    with large enough samples), the end is a value whose probability is that of enumerating all
    pairs of yields, within 1e-9.  Where it has more, probabilities are within 1.6e-5 of nominal, a
    bound for every posterior in which X turns at most once with R0; random designs of up to 5
    million documents, enumerated in full, were within 6e-6, mostly within 1e-7.  Segments of
    several strata: within 1e-5.

    Examples
    --------
    A review stopped at about 60 % recall; what precision would it have at 75 %?

    >>> import irbounds as irb
    >>> irb.extrapolated_precision_interval((5000, 400, 260), (95_000, 1500, 34), 0.75)
    Interval(0.472254 in [0.377202, 0.581186], 0.95 two-sided, betabinom-half)
    """
    return _interval(
        PrecisionAt(),
        retrieved,
        unretrieved,
        target_recall,
        method,
        PosteriorEnds(confidence_level, side, engine, draws, rng),
    )


def documents_to_review_interval(
    retrieved: Any,
    unretrieved: Any,
    target_recall: float,
    *,
    population: float | None = None,
    confidence_level: float = 0.95,
    method: str = "betabinom-half",
    side: str = "two-sided",
    engine: str = "exact",
    draws: int = 40_000,
    rng: Any = None,
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
    >>> irb.documents_to_review_interval((5000, 400, 260), (95_000, 1500, 34), 0.75)
    Interval(8581.18 in [6341.31, 11861.4], 0.95 two-sided, betabinom-half)
    """
    measure = CostAt(_check_population(population))
    return _interval(
        measure,
        retrieved,
        unretrieved,
        target_recall,
        method,
        PosteriorEnds(confidence_level, side, engine, draws, rng),
    )


def cost_interval(
    retrieved: Any,
    unretrieved: Any,
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
    rng: Any = None,
) -> Interval:
    """An interval for the cost of a review up to a target recall; unit costs as for `cost`.

    All other arguments as for `documents_to_review_interval`.

    Examples
    --------
    >>> import irbounds as irb
    >>> segments = (5000, 400, 260), (95_000, 1500, 34)
    >>> irb.cost_interval(*segments, 0.75, per_document=1.5, per_relevant=4)
    Interval(29081.8 in [23941, 36157.8], 0.95 two-sided, betabinom-half)
    """
    prices = check_prices(per_document=per_document, per_relevant=per_relevant, fixed=fixed)
    return _interval(
        CostAt(_check_population(population), **prices),
        retrieved,
        unretrieved,
        target_recall,
        method,
        PosteriorEnds(confidence_level, side, engine, draws, rng),
    )


def _check_population(population: float | None) -> float | None:
    return (
        None
        if population is None
        else check_number(
            "population", population, "must be 0 or more and finite", lambda x: 0 <= x < 1e300
        )
    )


class AtTarget(Protocol):
    """A quantity at the target recall, as a function of both yields."""

    @property
    def rises_with_retrieved(self) -> bool:
        """True if it rises with the retrieved yield, False if it rises with the unretrieved
        yield."""

    def __call__(self, r1: Any, r0: Any, n1: Any, n0: Any, target: float) -> np.ndarray:
        """The value for yields of n1 retrieved and n0 unretrieved documents."""

    def most(self, size: Any, target: float) -> Any:
        """The largest possible value for these numbers of documents."""

    def scaled(self, value: Any) -> Any:
        """The value on a scale on which the function is nearly linear."""

    def unscaled(self, place: float) -> float:
        """The value at a point of that scale."""

    def forced(
        self, low: Any, high: Any, most: Any, none_found: Any, is_perfect: Any
    ) -> tuple[Any, Any]:
        """Fixed ends, if a sample contains no relevant document or only relevant documents."""


@dataclass(frozen=True)
class PrecisionAt:
    """X: it rises with R1, and may rise or fall with R0."""

    rises_with_retrieved: ClassVar[bool] = True

    def __call__(self, r1: Any, r0: Any, n1: Any, n0: Any, target: float) -> np.ndarray:
        """See `AtTarget`."""
        found, extrapolated, _ = _at_target(r1, r0, n1, n0, target)
        return np.where(found > 0, extrapolated, 0.0)

    def most(self, size: Any, target: float) -> Any:
        """Precision 1."""
        return np.ones_like(size)

    def scaled(self, value: Any) -> Any:
        """Log odds."""
        value = np.asarray(value, float)
        return np.log(np.maximum(value, LEAST)) - np.log(np.maximum(1 - value, 1e-17))

    def unscaled(self, place: float) -> float:
        """From log odds."""
        return 1 / (1 + math.exp(-min(max(place, -700.0), 700.0)))

    def forced(
        self, low: Any, high: Any, most: Any, none_found: Any, is_perfect: Any
    ) -> tuple[Any, Any]:
        """No relevant document in the retrieved sample: low end 0.  Only relevant ones there, or
        none in the other sample: high end 1."""
        return np.where(none_found, 0.0, low), np.where(is_perfect, most, high)


@dataclass(frozen=True)
class CostAt:
    """Documents to review, or their cost: both rise with R0, and may rise or fall with R1."""

    population: float | None = None
    per_document: float = 1.0
    per_relevant: float = 0.0
    fixed: float = 0.0
    rises_with_retrieved: ClassVar[bool] = False

    def __call__(self, r1: Any, r0: Any, n1: Any, n0: Any, target: float) -> np.ndarray:
        """See `AtTarget`."""
        found, extrapolated, rho = _at_target(r1, r0, n1, n0, target)
        population = n1 + n0 if self.population is None else self.population
        relevant = population * target * (found / np.maximum(n1 + n0, LEAST))
        # as for precision, what random order needs is the most
        documents = np.where(
            found > 0,
            np.minimum(relevant / np.maximum(extrapolated, rho), population * target),
            population * target,
        )
        return self._cost(documents, relevant)

    def _cost(self, documents: Any, relevant: Any) -> Any:
        return total_cost(documents, relevant, self.per_document, self.per_relevant, self.fixed)

    def most(self, size: Any, target: float) -> Any:
        """The value if all documents are relevant."""
        documents = (
            size if self.population is None else np.full_like(size, self.population)
        ) * target
        return self._cost(documents, documents)

    def scaled(self, value: Any) -> Any:
        """Logarithms."""
        return np.log(np.maximum(np.asarray(value, float), LEAST))

    def unscaled(self, place: float) -> float:
        """From logarithms."""
        return math.exp(min(place, 700.0))

    def forced(
        self, low: Any, high: Any, most: Any, none_found: Any, is_perfect: Any
    ) -> tuple[Any, Any]:
        """No relevant document in the retrieved sample: the high end is the largest value."""
        return low, np.where(none_found, most, high)


def _at_target(
    r1: Any, r0: Any, n1: Any, n0: Any, target: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All relevant documents, precision at the target recall, and prevalence."""
    r1, r0 = np.broadcast_arrays(np.asarray(r1, float), np.asarray(r0, float))
    found = r1 + r0
    rho = np.maximum(found / np.maximum(n1 + n0, LEAST), 1e-100)
    return (
        found,
        _extrapolated(r1 / np.maximum(found, LEAST), r1 / np.maximum(n1, LEAST), rho, target),
        rho,
    )


def _extrapolated(
    recall: np.ndarray, precision: np.ndarray, rho: np.ndarray, target: float
) -> np.ndarray:
    """X at the target; its limit for points without a curve."""
    result = values(
        "precision", np.full(recall.shape, float(target)), rho, through(recall, precision, rho)
    )
    return np.where((recall == target) & (precision > rho) & (recall < 1), precision, result)


def _interval(
    measure: AtTarget,
    retrieved: Any,
    unretrieved: Any,
    target_recall: Any,
    method: str,
    options: PosteriorEnds,
) -> Interval:
    check_choice("method", method, PRIOR_OF)
    target = check_target(target_recall)
    one, other = check_segment("retrieved", retrieved), check_segment("unretrieved", unretrieved)
    shape, prior = common_shape(one, other), PRIOR_OF[method]

    def draw(question: Any, draws: int, rng: np.random.Generator) -> list[Any]:
        return [
            *(draw_yields(segment, prior, draws, rng) for segment in question),
            total(question[1], "size"),
        ]

    low, high, errors = options.ends(
        draw,
        lambda r1, r0, n0, n1: measure(r1, r0, n1, n0, target),
        _exact(measure, prior, target),
        shape,
        one,
        other,
    )
    size = np.broadcast_to(total(one, "size") + total(other, "size"), shape)
    most = measure.most(size, target)
    r1, n1, r0 = total(one, "relevant"), total(one, "sampled"), total(other, "relevant")
    is_perfect = (((r1 == n1) & (n1 > 0)) | (r0 == 0)) & (target < 1)
    low, high = measure.forced(
        np.minimum(low, most), np.minimum(high, most), most, r1 == 0, is_perfect
    )
    known = _known(measure, one, other, shape, target)
    low, high = with_known(*one_sided(low, high, options.side, 0.0, most), known, ~np.isnan(known))
    estimate = _estimate(measure, one, other, shape, target)
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


def _exact(measure: AtTarget, prior: Prior, target: float) -> Callable[..., float]:
    """Quantiles of one question after the other; both ends share the intermediate results."""
    known: dict[Any, Callable[[float], float]] = {}

    def end(index: Any, question: Any, p: float) -> float:
        if index not in known:
            known.clear()
            known[index] = _quantiles(measure, question, prior, target)
        return known[index](p)

    return end


def _quantiles(
    measure: AtTarget, question: Any, prior: Prior, target: float
) -> Callable[[float], float]:
    n1, n0 = (total(segment, "size") for segment in question)
    most = float(measure.most(n1 + n0, target))

    def f(rising: np.ndarray, fixed: np.ndarray) -> np.ndarray:
        r1, r0 = (rising, fixed) if measure.rises_with_retrieved else (fixed, rising)
        return measure(r1, r0, n1, n0, target)

    def function_of(laws: Sequence[YieldLaw]) -> RisingFunction:
        rising, other = laws if measure.rises_with_retrieved else laws[::-1]
        return RisingFunction(f, rising, make_rows(other), most, measure.scaled, measure.unscaled)

    if max(map(len, question)) == 1:
        return function_of(
            [
                segment_law(segment, prior, likely_yields(segment, prior) <= ROWS)
                for segment in question
            ]
        ).quantile
    pair = YieldPair(question[0], question[1], prior)
    made: dict[int, RisingFunction] = {}

    def quantile_from(laws: Sequence[YieldLaw], p: float) -> float:
        if id(laws) not in made:
            made[id(laws)] = function_of(laws)
        return made[id(laws)].quantile(p)

    return lambda p: pair.settled(lambda laws: quantile_from(laws, p))


def _known(
    measure: AtTarget, one: Segment, other: Segment, shape: tuple[int, ...], target: float
) -> np.ndarray:
    """The value itself if everything was sampled and something was found; otherwise nan."""
    r1, r0, n1, n0 = np.broadcast_arrays(
        total(one, "relevant"), total(other, "relevant"), total(one, "size"), total(other, "size")
    )
    is_known = is_census(one, other) & (r1 + r0 > 0)
    return np.broadcast_to(np.where(is_known, measure(r1, r0, n1, n0, target), np.nan), shape)


def _estimate(
    measure: AtTarget, one: Segment, other: Segment, shape: tuple[int, ...], target: float
) -> np.ndarray:
    """The estimate from the estimated yields.  Warns if the point is unreliable or has no curve."""
    (first, _), (second, _) = yield_estimate(one), yield_estimate(other)
    first, second, n1, n0 = np.broadcast_arrays(
        first, second, total(one, "size"), total(other, "size")
    )
    result = measure(first, second, n1, n0, target)
    found = first + second
    with np.errstate(divide="ignore", invalid="ignore"):
        recall, precision, rho = first / found, first / n1, found / (n1 + n0)
    inferred = (second == 0) & ~is_census(other), (first == n1) & (n1 > 0) & ~is_census(one)
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


def estimated_point(retrieved: Any, unretrieved: Any) -> tuple[float, float, float]:
    """Recall, precision and prevalence from the estimated yields of one question; nan if nothing
    was found."""
    one, other = _one_question(retrieved, unretrieved)
    (r1, _), (r0, _) = yield_estimate(one), yield_estimate(other)
    n1, n0 = total(one, "size"), total(other, "size")
    with np.errstate(divide="ignore", invalid="ignore"):
        return tuple(float(value) for value in (r1 / (r1 + r0), r1 / n1, (r1 + r0) / (n1 + n0)))  # type: ignore[return-value]


def draw_curves(
    retrieved: Any, unretrieved: Any, prior: Any, draws: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Prevalence and β of the curves through points drawn from the posterior of one question."""
    one, other = _one_question(retrieved, unretrieved)
    r1, r0 = (
        draw_yields(
            [Stratum(*map(float, stratum)) for stratum in segment], check_prior(prior), draws, rng
        )
        for segment in (one, other)
    )
    n1, n0 = float(total(one, "size")), float(total(other, "size"))
    rho = np.clip((r1 + r0) / (n1 + n0), 1e-100, 1 - 1e-16)
    return rho, through(r1 / np.maximum(r1 + r0, LEAST), r1 / max(n1, LEAST), rho)


def _one_question(retrieved: Any, unretrieved: Any) -> tuple[Segment, Segment]:
    one, other = check_segment("retrieved", retrieved), check_segment("unretrieved", unretrieved)
    if common_shape(one, other):
        raise InputError("counts must be numbers, not arrays: one question")
    return one, other
