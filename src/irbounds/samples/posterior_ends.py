"""The ends of intervals from posteriors of yields: exact quantiles or random draws."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from irbounds.foundation.arguments import check_rng, plain
from irbounds.foundation.errors import check_choice, check_count
from irbounds.foundation.interval import tail_probability
from irbounds.foundation.variates import random_beta
from irbounds.samples.continuous_yields import beta_parts
from irbounds.samples.priors import Prior
from irbounds.samples.strata import Segment, questions, total
from irbounds.samples.yields import YieldPair, draw_yields

ENGINES = ("exact", "monte-carlo")
PORTION = 8192  # draws at a time, so that memory is used again


@dataclass(frozen=True)
class PosteriorEnds:
    """The ends of an interval from posteriors of yields, for every question, by either engine."""

    level: float
    side: str
    engine: str
    draws: int
    rng: Any

    def __post_init__(self) -> None:
        check_choice("engine", self.engine, ENGINES)
        check_count("draws", self.draws, 10)
        if self.rng is not None:
            check_rng(self.rng)

    def ends(
        self,
        sampler: Callable[..., Any],
        measure: Callable[..., Any],
        exact: Callable[..., float],
        shape: tuple[int, ...],
        *segments: Segment,
    ) -> tuple[np.ndarray, np.ndarray, Any]:
        """Both ends for every question, and the standard errors of drawn ends."""
        alpha = tail_probability(self.level, self.side)
        low, high, errors = np.empty(shape), np.empty(shape), (np.empty(shape), np.empty(shape))
        if self.engine == "monte-carlo":
            draws, rng = int(self.draws), check_rng(self.rng)
            for index, question in questions(shape, *segments):
                drawn, size = np.empty(draws), total(question[0], "size")
                for start in range(0, draws, PORTION):
                    portion = drawn[start : start + PORTION]
                    portion[:] = measure(*sampler(question, portion.size, rng), size)
                (low[index], high[index]), (errors[0][index], errors[1][index]) = _quantiles(
                    drawn, alpha
                )
            return low, high, tuple(plain(error) for error in errors)
        for index, question in questions(shape, *segments):
            low[index] = exact(index, question, alpha) if self.side != "upper" else 0.0
            high[index] = exact(index, question, 1 - alpha) if self.side != "lower" else 1.0
        return low, np.maximum(low, high), None  # both are within a tolerance


def _quantiles(drawn: np.ndarray, alpha: float) -> tuple[list[float], list[float]]:
    """Ends by selection, and their standard errors from the distance of neighbouring order
    statistics."""
    n, ends, errors = drawn.size, [], []
    for p in (alpha, 1 - alpha):
        middle, room = math.ceil(p * n) - 1, max(1, math.ceil(math.sqrt(n * p * (1 - p))))
        first, middle, last = (
            min(n - 1, max(0, rank)) for rank in (middle - room, middle, middle + room)
        )
        if p < 0.5:  # the smaller side is sorted
            few = np.sort(np.partition(drawn, last)[: last + 1])
        else:
            few = np.sort(np.partition(drawn, first)[first:])
            first, middle, last = 0, middle - first, last - first
        ends.append(float(few[middle]))
        errors.append(float(few[last] - few[first]) / 2)
    return ends, errors


def yield_sampler(prior: Prior) -> Callable[..., Any]:
    """Draws of the segments' yields from their beta-binomial posteriors, for
    `PosteriorEnds.ends`."""
    return lambda question, draws, rng: [
        draw_yields(segment, prior, draws, rng) for segment in question
    ]


def jeffreys_sampler(one: Segment, other: Segment, finite_population: bool) -> Callable[..., Any]:
    """Draws of the segments' yields from beta posteriors of their shares, for
    `PosteriorEnds.ends`."""

    def sample(question: Any, draws: int, rng: np.random.Generator) -> Any:
        return [
            sum(
                seen + unseen * random_beta(a, b, draws, rng=rng)
                for seen, unseen, a, b in beta_parts(segment, finite_population)
            )
            for segment in question
        ]

    return sample


def exact_quantiles(measure: str, prior: Prior, beta: float = 1.0) -> Callable[..., float]:
    """Quantiles of one question after the other; both ends share a pair of distributions."""
    known: dict[Any, YieldPair] = {}

    def end(index: Any, question: Any, p: float) -> float:
        if index not in known:
            known.clear()
            known[index] = YieldPair(question[0], question[1], prior)
        return known[index].quantile(measure, p, beta)

    return end
