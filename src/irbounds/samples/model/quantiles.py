"""The ends of intervals from posteriors of yields: exact quantiles or random draws."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from irbounds.foundation.arguments import check_rng, plain
from irbounds.foundation.errors import check_choice, check_count
from irbounds.foundation.interval import HIGH, LOW, tail_probability
from irbounds.samples.model.strata import Segment, questions

if TYPE_CHECKING:
    from irbounds.typing import RNGLike

ENGINES = ("exact", "monte-carlo")
PORTION = 8192  # draws at a time, so that memory is used again


class Posterior(Protocol):
    """The distribution of one question's value."""

    def at(self, end: str) -> Posterior:
        """The distribution by which the low or the high end is found, which may be this one."""

    def draw(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """So many draws."""

    def quantile(self, p: float) -> float:
        """The least value that it is at most with probability p."""


@dataclass(frozen=True)
class PosteriorEnds:
    """The ends of an interval from posteriors, for every question, by either engine: quantiles of
    the distribution itself, or of draws."""

    level: float
    side: str
    engine: str
    draws: int
    rng: RNGLike

    def __post_init__(self) -> None:
        check_choice("engine", self.engine, ENGINES)
        check_count("draws", self.draws, 10)
        if self.rng is not None:
            check_rng(self.rng)

    def ends(
        self, make: Callable[[Any], Posterior], shape: tuple[int, ...], *segments: Segment
    ) -> tuple[np.ndarray, np.ndarray, Any]:
        """Both ends for every question, and the standard errors of drawn ones.

        `make` is called once for each question, with its segments.
        """
        alpha = tail_probability(self.level, self.side)
        low, high = np.empty(shape), np.empty(shape)
        if self.engine == "monte-carlo":
            errors, rng = (np.empty(shape), np.empty(shape)), check_rng(self.rng)
            for index, question in questions(shape, *segments):
                posterior = make(question)
                below, above = posterior.at(LOW), posterior.at(HIGH)
                ends, found = _quantiles(self._drawn(below, rng), alpha)
                if above is not below:
                    of_high = _quantiles(self._drawn(above, rng), alpha)
                    ends[1], found[1] = (each[1] for each in of_high)
                (low[index], high[index]), (errors[0][index], errors[1][index]) = ends, found
            return low, high, tuple(plain(error) for error in errors)
        for index, question in questions(shape, *segments):
            posterior = make(question)
            low[index] = posterior.at(LOW).quantile(alpha) if self.side != "upper" else 0.0
            high[index] = posterior.at(HIGH).quantile(1 - alpha) if self.side != "lower" else 1.0
        return low, np.maximum(low, high), None  # both are within a tolerance

    def _drawn(self, posterior: Posterior, rng: np.random.Generator) -> np.ndarray:
        """All draws of one question."""
        drawn = np.empty(int(self.draws))
        for start in range(0, drawn.size, PORTION):
            portion = drawn[start : start + PORTION]
            portion[:] = posterior.draw(portion.size, rng)
        return drawn


def _quantiles(drawn: np.ndarray, alpha: float) -> tuple[list[float], list[float]]:
    """Ends by selection, and their standard errors from the distance of neighbouring order
    statistics."""
    n, ends, errors = drawn.size, [], []
    for p in (alpha, 1 - alpha):
        # The rank of an order statistic has the standard deviation √(n p(1 - p)): ranks as far on
        # either side are one standard error of the quantile away.
        middle, reach = math.ceil(p * n) - 1, max(1, math.ceil(math.sqrt(n * p * (1 - p))))
        first, middle, last = (
            min(n - 1, max(0, rank)) for rank in (middle - reach, middle, middle + reach)
        )
        if p < 0.5:  # the smaller side is sorted
            few = np.sort(np.partition(drawn, last)[: last + 1])
        else:
            few = np.sort(np.partition(drawn, first)[first:])
            first, middle, last = 0, middle - first, last - first
        ends.append(float(few[middle]))
        errors.append(float(few[last] - few[first]) / 2)
    return ends, errors
