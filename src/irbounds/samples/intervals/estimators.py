"""The posterior of recall, point estimates, and the distribution of the usual estimator (Webber
2013, section 2.4)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.chance.sampling_chances import likely_counts
from irbounds.foundation.arguments import check_numbers, check_rng, check_size, plain
from irbounds.foundation.errors import InputError, check_choice, check_count, fail
from irbounds.samples.model.estimands import recall_of
from irbounds.samples.model.point_estimates import recall_ratio, yield_estimate
from irbounds.samples.model.priors import Prior, check_prior
from irbounds.samples.model.strata import Segment, check_segments, common_shape, questions
from irbounds.samples.posterior.recall_posterior import YieldPair, draw_yields

if TYPE_CHECKING:
    from irbounds.typing import FloatOrArray, RNGLike, SegmentLike

# Limits of the estimator's distribution: 2^23 pairs of counts take 1 s and 0.5 GB; samples of 10^9
# documents have up to 3 * 10^5 likely counts.
MOST_PAIRS, MOST_SAMPLED = 2**23, 10**9


class RecallPosterior:
    """The distribution of recall given the samples, as made by `recall_posterior`.

    If neither segment has a relevant document, recall counts as 0.
    """

    def __init__(self, retrieved: Segment, unretrieved: Segment, prior: Prior) -> None:
        self._segments = [
            [type(stratum)(*map(float, stratum)) for stratum in segment]
            for segment in (retrieved, unretrieved)
        ]
        self._prior = prior

    def __reduce__(self) -> tuple[Any, ...]:
        return RecallPosterior, (*self._segments, self._prior)

    @cached_property
    def _pair(self) -> YieldPair:
        return YieldPair(self._segments[0], self._segments[1], self._prior)

    def __repr__(self) -> str:
        return f"RecallPosterior(mean={self.mean:.6g}, median={self.median:.6g})"

    def _each(self, argument: str, values: FloatOrArray, function: Callable[[float], float]) -> Any:
        array = check_numbers(
            argument, values, "must be from 0 to 1", lambda x: (x >= 0) & (x <= 1)
        )
        return plain(
            np.array([function(float(value)) for value in array.flat]).reshape(array.shape)
        )

    def cdf(self, q: FloatOrArray) -> Any:
        """P(recall <= q)."""
        return self._each("q", q, lambda x: self._pair.below("recall", x))

    def sf(self, q: FloatOrArray) -> Any:
        """P(recall >= q), the probability that the target q is reached."""
        return self._each("q", q, lambda x: 1 - self._pair.below("recall", x, strict=True))

    def quantile(self, p: FloatOrArray) -> Any:
        """The smallest value with P(recall <= value) >= p; the least recall that is possible for
        p = 0, and the greatest one for p = 1."""
        return self._each(
            "p", p, lambda x: self._pair.quantile("recall", x) if 0 < x < 1 else self._end(x == 1)
        )

    def _end(self, is_high: bool) -> float:
        """Recall if every document that was not seen is relevant in one segment, and none in the
        other: laws of yields leave out tails that are improbable."""
        r1, r0 = (
            sum(s.relevant + (s.size - s.sampled) * all_unseen for s in segment)
            for segment, all_unseen in zip(self._segments, (is_high, not is_high), strict=True)
        )
        return float(recall_of(np.float64(r1), np.float64(r0)))

    @cached_property
    def mean(self) -> float:
        """Expected recall."""
        return self._pair.mean("recall")

    @cached_property
    def median(self) -> float:
        """The quantile of 1/2."""
        return float(self.quantile(0.5))

    def rvs(self, size: FloatOrArray = None, rng: RNGLike = None) -> Any:
        """Random draws: a beta and a binomial variate of every stratum for each."""
        generator = check_rng(rng)
        r1, r0 = (
            draw_yields(segment, self._prior, check_size(size), generator)
            for segment in self._segments
        )
        return plain(recall_of(r1, r0))


def recall_posterior(
    retrieved: SegmentLike, unretrieved: SegmentLike, prior: Any = 0.5
) -> RecallPosterior:
    """The posterior distribution of recall, exact.

    Parameters
    ----------
    retrieved, unretrieved : Stratum, (size, sampled, relevant) or a list of such
    prior : float, pair or "mcp"
        Prior of the share of relevant documents in each stratum: α = β, both, or the most
        conservative one.

    Notes
    -----
    ``cdf``, ``sf`` and ``mean`` are within 1e-11 of full enumeration where both segments have at
    most 20,000 documents, and within 1e-6 to 10^9 documents (1e-4, if an `Audited` segment has
    audits of a few dozen documents); quantiles are as near as the ends of `recall_interval`.  A q
    within 1e-12 of a ratio of counts, relative to the counts, is that ratio.

    Where nothing is relevant in either segment, recall counts as 0.

    Examples
    --------
    >>> import irbounds as irb
    >>> post = irb.recall_posterior((500, 50, 40), (2000, 100, 3))
    >>> round(post.sf(0.75), 4), round(post.mean, 4)       # P(recall >= 0.75)
    (0.9417, 0.8565)
    """
    retrieved, unretrieved = check_segments(True, retrieved=retrieved, unretrieved=unretrieved)
    if common_shape(retrieved, unretrieved):
        raise InputError(
            "counts must be numbers, not arrays: there is one posterior for each review"
        )
    return RecallPosterior(retrieved, unretrieved, check_prior(prior))


ESTIMATORS = ("ratio", "bias-corrected", "posterior-mean", "posterior-median")


def recall_estimate(
    retrieved: SegmentLike, unretrieved: SegmentLike, estimator: str = "ratio", *, prior: Any = 0.5
) -> Any:
    """A point estimate of recall.

    Parameters
    ----------
    retrieved, unretrieved : Stratum, Audited, (size, sampled, relevant) or a list of such
    estimator : {"ratio", "bias-corrected", "posterior-mean", "posterior-median"}
        "ratio" is the ratio of the estimated yields, biased upwards where the unretrieved segment
        has few relevant documents (section 2.4).  "bias-corrected" takes off the bias to second
        order; it has no form for `Audited` segments.  The others are of the posterior.
    prior : float, pair or "mcp"
        Prior of the yields.

    Returns
    -------
    float or ndarray
        nan where nothing relevant was found (ratio).

    Examples
    --------
    >>> import irbounds as irb
    >>> segments = (2000, 100, 50), (100_000, 100, 3)
    >>> [round(irb.samples.recall_estimate(*segments, e), 4) for e in ("ratio", "bias-corrected")]
    [0.25, 0.205]
    """
    check_choice("estimator", estimator, ESTIMATORS)
    has_form = estimator != "bias-corrected"
    retrieved, unretrieved = check_segments(has_form, retrieved=retrieved, unretrieved=unretrieved)
    shape = common_shape(retrieved, unretrieved)
    if estimator == "ratio":
        return plain(np.broadcast_to(recall_ratio(retrieved, unretrieved), shape))
    if estimator == "bias-corrected":
        (r1, v1), (r0, v0) = yield_estimate(retrieved), yield_estimate(unretrieved)
        # The term of second order of Taylor's series of r1/(r1 + r0): half of the variances times
        # the second derivatives, -2 r0/(r1 + r0)³ and 2 r1/(r1 + r0)³.
        with np.errstate(divide="ignore", invalid="ignore"):
            bias = (r1 * v0 - r0 * v1) / (r1 + r0) ** 3
            return plain(np.clip(np.broadcast_to(r1 / (r1 + r0) - bias, shape), 0, 1))
    checked, result = check_prior(prior), np.empty(shape)
    for index, question in questions(shape, retrieved, unretrieved):
        pair = YieldPair(question[0], question[1], checked)
        result[index] = (
            pair.mean("recall") if estimator == "posterior-mean" else pair.quantile("recall", 0.5)
        )
    return plain(result)


@dataclass(frozen=True, eq=False)
class EstimatorDistribution:
    """The distribution of the ratio estimator of recall over all samples, for known yields.

    Attributes
    ----------
    values, probabilities : ndarray
        Estimates in rising order; samples without a relevant document, for which there is none, are
        left out.
    undefined : float
        Their probability.
    recall : float
        The true one.
    """

    values: np.ndarray
    probabilities: np.ndarray
    undefined: float
    recall: float

    @property
    def mean(self) -> float:
        """The mean of the defined estimates; nan if none is defined."""
        if not self.values.size:
            return math.nan
        return float(self.values @ self.probabilities / self.probabilities.sum())

    @property
    def bias(self) -> float:
        """Mean minus the true recall."""
        return self.mean - self.recall

    @property
    def std(self) -> float:
        """Standard deviation."""
        if not self.values.size:
            return math.nan
        squares = (self.values - self.mean) ** 2 @ self.probabilities
        return math.sqrt(float(squares / self.probabilities.sum()))


def recall_estimator_distribution(retrieved: Any, unretrieved: Any) -> EstimatorDistribution:
    """The exact distribution of the ratio estimator of recall for known yields (Webber 2013,
    section 2.4).

    Parameters
    ----------
    retrieved, unretrieved : (size, sampled, relevant)
        Documents in the segment, documents to be sampled, and the relevant ones in the whole
        segment.

    Returns
    -------
    EstimatorDistribution
        Counts that are less likely than 1e-15 in large samples are left out.

    Raises
    ------
    InputError
        For impossible counts, and for samples so large that more than 2^23 pairs of counts are
        likely.

    Examples
    --------
    >>> import irbounds as irb
    >>> known = irb.samples.recall_estimator_distribution((2000, 100, 1000), (100_000, 100, 3000))
    >>> round(known.recall, 2), round(known.mean, 2)
    (0.25, 0.31)
    """
    estimates, probabilities, yields = [], [], []
    for name, segment in (("retrieved", retrieved), ("unretrieved", unretrieved)):
        if np.shape(segment) != (3,):
            fail(name, "must be (size, sampled, relevant in all)", segment)
        size = check_count(f"{name}.size", segment[0])
        sampled = check_count(f"{name}.sampled", segment[1])
        relevant = check_count(f"{name}.relevant", segment[2], least=0)
        for part, count in (("sampled", sampled), ("relevant", relevant)):
            if count > size:
                fail(f"{name}.{part}", f"must be at most {name}.size, {size}", count)
        if sampled > MOST_SAMPLED:
            fail(f"{name}.sampled", f"must be at most {MOST_SAMPLED:,}", sampled)
        counts, chances = likely_counts(size, relevant, sampled, 0)
        estimates.append(counts * (size / sampled))
        probabilities.append(chances)
        yields.append(relevant)
    pairs = estimates[0].size * estimates[1].size
    if pairs > MOST_PAIRS:
        raise InputError(
            f"the samples are too large: {pairs:,} pairs of counts are likely, and the "
            f"distribution takes at most {MOST_PAIRS:,}"
        )
    first, second = estimates[0][:, None], estimates[1][None, :]
    with np.errstate(invalid="ignore"):
        values = (first / (first + second)).ravel()
    # Counts are independent between segments, so that the joint probabilities are an outer product.
    joint = np.multiply.outer(*probabilities).ravel()
    defined = ~np.isnan(values) & (joint > 0)
    distinct, place = np.unique(values[defined], return_inverse=True)
    recall = yields[0] / sum(yields) if sum(yields) else math.nan
    return EstimatorDistribution(
        distinct,
        np.bincount(place, joint[defined], distinct.size),
        float(joint[np.isnan(values)].sum()),
        recall,
    )
