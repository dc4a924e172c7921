"""Recall from samples in which documents had unequal chances to be drawn."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from irbounds.foundation.arguments import check_level, check_numbers
from irbounds.foundation.errors import InputError, check_choice, fail
from irbounds.foundation.interval import SIDES, Interval

RULE = "must be above 0 and at most 1"
LEAST = 1e-100  # probability: squares of weights, and sums of them, are numbers
# of Gauss and Legendre's rule over a gamma variate's quantiles: see _shifted_quantile
NODES = 400


class WeightedCount(NamedTuple):
    """The relevant documents of a segment, from those that were sampled: `known` ones whose
    inclusion was certain, the sum of the weights of the others, of their squares, and the largest
    weight that any of the others could have had (0 if there are none)."""

    known: float
    total: float
    squares: float
    largest: float

    @property
    def with_one_more(self) -> WeightedCount:
        """With one more document of the largest weight."""
        return self._replace(
            total=self.total + self.largest, squares=self.squares + self.largest**2
        )


def weighted_recall_interval(
    retrieved_probabilities: Any,
    unretrieved_probabilities: Any,
    largest_weights: Any = None,
    *,
    confidence_level: float = 0.95,
    side: str = "two-sided",
) -> Interval:
    """Bound recall by a sample whose documents had unequal probabilities to be drawn.

    Parameters
    ----------
    retrieved_probabilities, unretrieved_probabilities : array_like, shape (found,)
        The inclusion probabilities of the sampled documents that were found relevant, in the
        retrieved and in the unretrieved segment. Documents with probability 1 are known, not
        sampled: they widen nothing.
    largest_weights : float or pair of float, optional
        The largest weight, 1/probability, that any document of the segments could have had, for
        both segments or for each; 1 if every document was assessed. By default the largest weight
        that was found, which is too small if documents that are drawn less often exist. A segment
        in which no document with a probability below 1 was found needs it.
    confidence_level : float
    side : {"two-sided", "lower", "upper"}

    Returns
    -------
    Interval
        The estimate is the ratio of the weighted sums, nan where nothing was found.

    Raises
    ------
    InputError
        For probabilities that are not above 0 and at most 1, for a largest weight below one that
        was found, and where a largest weight is needed.

    Notes
    -----
    A weighted sum of independent counts has a gamma distribution about it (Fay & Feuer 1997):
    with mean y and variance v below, with y + m and v + m² above, where m is the largest weight.
    The interval takes quantiles of the ratio of two independent gamma variates, the lower one of
    the one segment and the upper one of the other (melding, Fay, Proschan & Brittain 2015). In the
    simulations of the tests its coverage was at least nominal; there is no proof.

    Examples
    --------
    40 of 500 documents' sample of 50 were relevant, and 3 of 2,000 documents' sample of 100:

    >>> import irbounds as irb
    >>> irb.weighted_recall_interval([0.1] * 40, [0.05] * 3)
    Interval(0.869565 in [0.679815, 0.971171], 0.95 two-sided, melded-gamma)
    """
    level = check_level(confidence_level)
    check_choice("side", side, SIDES)
    tail = (1 - level) / (2 if side == "two-sided" else 1)
    counts = [
        _weighted_count(name, probabilities, largest)
        for name, probabilities, largest in zip(
            ("retrieved_probabilities", "unretrieved_probabilities"),
            (retrieved_probabilities, unretrieved_probabilities),
            _pair(largest_weights),
            strict=True,
        )
    ]
    one, other = counts
    found, missed = (count.known + count.total for count in counts)
    low = 0.0 if side == "upper" else _odds_quantile(one, other.with_one_more, tail)
    high = math.inf if side == "lower" else _odds_quantile(one.with_one_more, other, 1 - tail)
    estimate = found / (found + missed) if found + missed else math.nan
    return Interval(estimate, _share(low), _share(high), level, side, "melded-gamma")


def _share(odds: float) -> float:
    return 1.0 if odds == math.inf else odds / (1 + odds)


def _pair(largest_weights: Any) -> tuple[float | None, float | None]:
    if largest_weights is None:
        return None, None
    rule = "must be one number or two, from 1 to 1e100"
    weights = check_numbers(
        "largest_weights", largest_weights, rule, lambda x: (x >= 1) & (x <= 1 / LEAST)
    ).ravel()
    if weights.size not in (1, 2):
        fail("largest_weights", rule, largest_weights)
    return float(weights[0]), float(weights[-1])


def _weighted_count(name: str, probabilities: Any, largest: float | None) -> WeightedCount:
    chances = check_numbers(name, probabilities, RULE, lambda x: (x > 0) & (x <= 1))
    if chances.ndim != 1:
        fail(name, "must be a list of numbers", probabilities)
    if (chances < LEAST).any():
        fail(name, f"must be at least {LEAST}", chances.min().item())
    weights = 1 / chances[chances < 1]
    if largest is None and weights.size == 0:
        raise InputError(
            f"`largest_weights` is needed where `{name}` has none below 1: the largest weight that "
            "a document could have had, or 1 if all were assessed"
        )
    most = float(weights.max()) if weights.size else 1.0
    largest = most if largest is None else largest
    if largest < most * (1 - 1e-12):
        fail("largest_weights", f"must be at least {most:g}, a weight of `{name}`", largest)
    return WeightedCount(
        float(chances.size - weights.size),
        math.fsum(weights),
        math.fsum(weights**2),
        largest if largest > 1 else 0.0,
    )


def _odds_quantile(one: WeightedCount, other: WeightedCount, p: float) -> float:
    """The p-quantile of (one.known + G)/(other.known + H), independent gamma variates."""
    from scipy.special import fdtri, gammaincinv

    if one.known == 0 == one.total:
        return 0.0 if other.known + other.total else (0.0 if p < 0.5 else math.inf)
    if other.known == 0 == other.total:
        return math.inf
    shapes = [c.total / c.squares * c.total if c.total else 0.0 for c in (one, other)]
    if one.known == 0 == other.known:
        ratio = one.total / other.total
        return ratio * float(fdtri(2 * shapes[0], 2 * shapes[1], p))
    scales = [c.squares / c.total if c.total else 0.0 for c in (one, other)]
    if shapes[0] == 0:
        h = float(gammaincinv(shapes[1], 1 - p)) * scales[1] if shapes[1] else 0.0
        return one.known / (other.known + h)
    if shapes[1] == 0:
        return (one.known + float(gammaincinv(shapes[0], p)) * scales[0]) / other.known
    return _shifted_quantile(one, other, shapes, scales, p)


def _shifted_quantile(
    one: WeightedCount,
    other: WeightedCount,
    shapes: list[float],
    scales: list[float],
    p: float,
) -> float:
    """With known documents there is no closed form: the distribution function is the mean of the
    one gamma variate's over quantiles of the other, from the one on that allows it to be above 0:
    it has a kink there."""
    from scipy.optimize import brentq
    from scipy.special import gammainc, gammaincinv, roots_legendre

    x, weight = roots_legendre(NODES)
    # quantiles near 0 and 1 are where H has its tails, and a power of the distance from the kink
    # begins: a node's share is that of a cubic's slope
    u = (2 - x) * (1 + x) ** 2 / 4
    weight = weight * 3 / 4 * (1 - x**2)
    every = gammaincinv(shapes[1], u) * scales[1]

    def excess(log_odds: float) -> float:
        odds = math.exp(log_odds)
        least = one.known / odds - other.known
        below = float(gammainc(shapes[1], least / scales[1])) if least > 0 else 0.0
        h = gammaincinv(shapes[1], below + (1 - below) * u) * scales[1] if below else every
        g = odds * (other.known + h) - one.known
        mean = float(weight @ gammainc(shapes[0], np.maximum(g, 0) / scales[0]))
        return (1 - below) * mean - p

    low, high = -1.0, 1.0
    while excess(low) > 0 and low > -1000:
        low *= 2
    while excess(high) < 0 and high < 1000:
        high *= 2
    return math.exp(brentq(excess, low, high, xtol=1e-13, rtol=1e-12))
