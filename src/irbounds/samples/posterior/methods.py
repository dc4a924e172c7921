"""Methods that take quantiles of posteriors of both yields: the beta-binomial ones, and beta ones
of the shares (Webber 2013, sections 3.5 and 3.6)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from irbounds._core.samples.yield_posterior import YieldLaw
from irbounds.foundation.variates import random_beta
from irbounds.samples.model.estimands import SampleMeasure
from irbounds.samples.model.priors import Prior
from irbounds.samples.model.request import Ends, Method, Request
from irbounds.samples.model.strata import AuditedCounts, Stratum, total
from irbounds.samples.posterior.continuous import beta_parts, recall_quantile, yield_quantile
from irbounds.samples.posterior.convolution import EXACT_TO
from irbounds.samples.posterior.pooling import shared_priors
from irbounds.samples.posterior.recall_posterior import (
    NARROW,
    YieldPair,
    draw_yields,
    is_moved_at,
    likely_yields,
    segment_law,
)

# A document is cut into parts for "beta-jeffreys", so that the larger segment has 2^44 of them or
# nearly so: counts of parts are then whole numbers of doubles, and steps of 6e-14 a continuum.
PARTS_LOG2 = 44


def beta_binomial(request: Request) -> Ends:
    """Quantiles of a measure of yields with beta-binomial posteriors, under the method's prior."""
    prior = request.method.prior
    assert prior is not None
    make = partial(BetaBinomialPosterior, request.measure, prior)
    return Ends(*request.options.ends(make, request.shape, request.one, request.other))


def beta_jeffreys(request: Request) -> Ends:
    """Quantiles of a measure of yields whose unseen parts are beta variates times their sizes."""
    make = partial(BetaPosterior, request.measure, request.finite_population)
    return Ends(*request.options.ends(make, request.shape, request.one, request.other))


class BetaBinomialPosterior:
    """A measure of one question, with beta-binomial posteriors of both yields."""

    def __init__(self, measure: SampleMeasure, prior: Prior, question: list[Any]) -> None:
        self.measure = measure
        self.prior = prior
        self.question = question
        self._whole: BetaBinomialPosterior = self
        self._ends: Sequence[str | None] = (None, None)  # of both yields

    def at(self, end: str) -> BetaBinomialPosterior:
        """The posterior, or the distribution by which an end is found (`audited_ends`)."""
        if not any(isinstance(s, AuditedCounts) for segment in self.question for s in segment):
            return self
        ends = self.measure.ends_of(end)
        if not any(
            is_moved_at(shared_priors(segment, self.prior), each)
            for segment, each in zip(self.question, ends, strict=True)
        ):
            return self
        found = BetaBinomialPosterior(self.measure, self.prior, self.question)
        found._whole, found._ends = self, ends
        return found

    @cached_property
    def _pair(self) -> YieldPair:
        if self._whole is not self:
            return self._whole._pair.at(self._ends)
        return YieldPair(self.question[0], self.question[1], self.prior)

    def draw(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """Draws of the measure."""
        r1, r0 = (
            draw_yields(segment, self.prior, count, rng, end)
            for segment, end in zip(self.question, self._ends, strict=True)
        )
        return np.asarray(self.measure.of(r1, r0, total(self.question[0], "size")))

    def quantile(self, p: float) -> float:
        """The least value that the measure is at most with probability p."""
        return self._pair.quantile(self.measure.kernel, p, self.measure.beta)

    def reached(self, value: float) -> float:
        """The probability that the measure is at least the value."""
        return 1 - self._pair.below(self.measure.kernel, value, strict=True, beta=self.measure.beta)


class BetaPosterior:
    """A measure of one question, with beta posteriors of the shares of what was not seen."""

    def __init__(self, measure: SampleMeasure, finite_population: bool, question: list[Any]):
        self.measure = measure
        self.size = total(question[0], "size")
        self.parts = [beta_parts(segment, finite_population) for segment in question]

    def at(self, end: str) -> BetaPosterior:
        """Itself, for both ends."""
        return self

    def draw(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """Draws of the measure."""
        r1, r0 = (
            sum(seen + unseen * random_beta(a, b, count, rng=rng) for seen, unseen, a, b in parts)
            for parts in self.parts
        )
        return np.asarray(self.measure.of(r1, r0, self.size))

    def quantile(self, p: float) -> float:
        """A quantile of recall, or of the first segment's yield."""
        if self.measure.kernel == "recall":
            return recall_quantile(self.parts[0], self.parts[1], p)
        return yield_quantile(self.parts[0], p)


def beta_binomial_law(method: Method, stratum: Stratum, largest: float) -> YieldLaw:
    """The law of one stratum's yield, of a design whose larger segment has so many documents."""
    prior = method.prior
    assert prior is not None
    # where both are small, and where few yields are likely, every document has a cell
    is_single = largest <= EXACT_TO or likely_yields([stratum], prior) <= NARROW
    return segment_law([stratum], prior, is_single)


def beta_law(method: Method, stratum: Stratum, largest: float) -> YieldLaw:
    """The same distribution, approximated by a beta-binomial of small parts of documents."""
    # A power of 2 for each document, so that seen and unseen parts are exact numbers.
    parts = 2.0 ** (PARTS_LOG2 - math.ceil(math.log2(largest)))
    return YieldLaw.beta_binomial(
        stratum.relevant * parts,
        (stratum.size - stratum.sampled) * parts,
        stratum.relevant + 0.5,
        stratum.sampled - stratum.relevant + 0.5,
    )
