"""The posterior of what is asked for at a target recall, from the posteriors of both yields."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds._core.samples.yield_posterior import YieldLaw
from irbounds.extrapolation.at_target import LEAST, AtTarget
from irbounds.extrapolation.curve import through
from irbounds.extrapolation.monotone_functional import ROWS, RisingFunction, make_rows
from irbounds.foundation.errors import InputError
from irbounds.samples.model.point_estimates import yield_estimate
from irbounds.samples.model.priors import Prior, check_prior
from irbounds.samples.model.strata import Segment, Stratum, check_segments, common_shape, total
from irbounds.samples.posterior.recall_posterior import (
    YieldPair,
    draw_yields,
    likely_yields,
    segment_law,
)

if TYPE_CHECKING:
    from irbounds.typing import PriorLike, SegmentLike


class ExtrapolatedPosterior:
    """The distribution of a value at the target recall, of one question."""

    def __init__(self, measure: AtTarget, prior: Prior, target: float, question: list[Any]) -> None:
        self.measure = measure
        self.prior = prior
        self.target = target
        self.question = question
        self.n1, self.n0 = (total(segment, "size") for segment in question)

    def at(self, end: str) -> ExtrapolatedPosterior:
        """Itself, for both ends."""
        return self

    def draw(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """Draws of the value."""
        r1, r0 = (draw_yields(segment, self.prior, count, rng) for segment in self.question)
        return self.measure(r1, r0, self.n1, self.n0, self.target)

    def quantile(self, p: float) -> float:
        """The least value that it is at most with probability p."""
        return self._function.quantile(p)

    @cached_property
    def _function(self) -> RisingFunction:
        laws = self._laws()
        rising, other = laws if self.measure.rises_with_retrieved else laws[::-1]
        return RisingFunction(
            self._value,
            rising,
            make_rows(other),
            float(self.measure.most(self.n1 + self.n0, self.target)),
            self.measure.scaled,
            self.measure.unscaled,
        )

    def _value(self, rising: np.ndarray, fixed: np.ndarray) -> np.ndarray:
        """The value, from the yield with which it rises and the other one."""
        r1, r0 = (rising, fixed) if self.measure.rises_with_retrieved else (fixed, rising)
        return self.measure(r1, r0, self.n1, self.n0, self.target)

    def _laws(self) -> list[YieldLaw]:
        """Laws of both yields; single strata have a cell for every document where the rows of
        `RisingFunction` hold them."""
        if max(map(len, self.question)) > 1:
            return YieldPair(self.question[0], self.question[1], self.prior).laws
        return [
            segment_law(segment, self.prior, likely_yields(segment, self.prior) <= ROWS)
            for segment in self.question
        ]


def estimated_point(retrieved: SegmentLike, unretrieved: SegmentLike) -> tuple[float, float, float]:
    """Recall, precision and prevalence from the estimated yields of one question; nan if nothing
    was found."""
    retrieved, unretrieved = _one_question(retrieved, unretrieved)
    (r1, _), (r0, _) = yield_estimate(retrieved), yield_estimate(unretrieved)
    n1, n0 = total(retrieved, "size"), total(unretrieved, "size")
    with np.errstate(divide="ignore", invalid="ignore"):
        return tuple(float(value) for value in (r1 / (r1 + r0), r1 / n1, (r1 + r0) / (n1 + n0)))  # type: ignore[return-value]


def draw_curves(
    retrieved: SegmentLike,
    unretrieved: SegmentLike,
    prior: PriorLike,
    draws: int,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Prevalence and β of the curves through points drawn from the posterior of one question."""
    retrieved, unretrieved = _one_question(retrieved, unretrieved)
    r1, r0 = (
        draw_yields(
            [Stratum(*map(float, stratum)) for stratum in segment], check_prior(prior), draws, rng
        )
        for segment in (retrieved, unretrieved)
    )
    n1, n0 = float(total(retrieved, "size")), float(total(unretrieved, "size"))
    # Curves need a prevalence above 0 and below 1: the least that their kernel takes, and the
    # largest double below 1.
    rho = np.clip((r1 + r0) / (n1 + n0), 1e-100, 1 - 1e-16)
    return rho, through(r1 / np.maximum(r1 + r0, LEAST), r1 / max(n1, LEAST), rho)


def _one_question(retrieved: SegmentLike, unretrieved: SegmentLike) -> tuple[Segment, Segment]:
    retrieved, unretrieved = check_segments(retrieved=retrieved, unretrieved=unretrieved)
    if common_shape(retrieved, unretrieved):
        raise InputError("counts must be numbers, not arrays")
    return retrieved, unretrieved
