"""The posterior of what is asked for at a target recall, from the posteriors of both yields."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from irbounds._core.samples.yield_posterior import YieldLaw
from irbounds.extrapolation.at_target import AtTarget
from irbounds.extrapolation.rising import ROWS, RisingFunction, make_rows
from irbounds.samples.model.priors import Prior
from irbounds.samples.model.strata import total
from irbounds.samples.posterior.recall_posterior import (
    YieldPair,
    draw_yields,
    likely_yields,
    segment_law,
)


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
