"""Which interval of a mean is the default: Student's, Wilson's where values repeat or are skewed,
or Jeffreys' where both cover too little."""

from __future__ import annotations

import math

import numpy as np

from irbounds.queries.ends import are_at_limits
from irbounds.queries.moments import Moments

# Measured on the real runs and the made distributions of benchmarks/results/means.md, 25 to 100
# queries: the page says how far from its level the default is with these limits.
MOST_SKEWED = 0.2  # of values that repeat,
MOST_SKEWED_APART = 0.28  # and of values that hardly do: their law has no rare value that is far
MOST_FOR_T = 0.14  # of those that hardly do
# Values repeat if one of them makes up more than one in so many, and so many queries at least.
REPEATED, LEAST_REPEATED = 10, 3
# Ranges of the sample from its mean: an upper limit further away is not reached, as by P@50 of one
# relevant document a query.  Recall@10 of CISI, one query of which has 1, is up to 9.2 without it,
# and AP@10 of a run, 0.16 at most, above 12 in one sample of 25 in six.
# The lower limit is always reached, by a run that fails for a query.
REACH = 20.0


def skewed_by(n: int, spread: float, third: float, low: float, high: float) -> float:
    """The criterion for leaving t, √(|γ γ₊|/n).

    The error of t grows with γ/√n, γ the skewness.  The sample's own says nothing of a rare value
    that it lacks, far away but within the limits: γ₊, that of the sample and half a query at either
    limit, does.  (By γ₊ alone AP of CISI, with means of 0.1 and no value above 0.6, would leave t,
    which covers there.)

    Parameters
    ----------
    n : int
    spread : float
        The standard deviation, with the divisor n - 1.
    third : float
        The mean third power of what values are away from their mean.
    low, high : float
        How far the limits of the values are from their mean.
    """
    second = (n - 1) / n * spread * spread
    skewness = third / second**1.5
    # moments of n + 1 about their mean, which is `moved` further
    moved = (low + high) / (2 * n + 2)
    third = n * (third - moved * (3 * second + moved * moved))
    third += ((low - moved) ** 3 + (high - moved) ** 3) / 2
    second = n * (second + moved * moved) + ((low - moved) ** 2 + (high - moved) ** 2) / 2
    widened = third / (n + 1) / (second / (n + 1)) ** 1.5
    return math.sqrt(abs(skewness * widened) / n)


def name_of_default(
    values: np.ndarray, moments: tuple[float, float, float, float], limits: tuple[float, float]
) -> str:
    """The method for values within limits; `moments` are those of `Moments`."""
    n, (mean, spread, lowest, highest), (least, most) = len(values), moments, limits
    size = highest - lowest
    if lowest in limits and highest in limits and are_at_limits(values, limits):
        return "wilson"
    if not spread > 0:
        return "jeffreys"
    if most - mean > REACH * size:
        return "t"
    is_repeating = repeats(values)
    most_skewed = MOST_SKEWED if is_repeating else MOST_SKEWED_APART
    # a skewness is at most the greatest distance from the mean, in standard deviations
    share = spread / size
    most_away = max(highest - mean, mean - lowest) / size
    bound = most_away * ((most - least) / size) * (n + 1) / (n * (n - 1))
    if bound <= (MOST_FOR_T * share) ** 2:
        return "wilson" if is_repeating else "t"
    # in ranges of the sample, so that powers neither overflow nor vanish
    away = (values - mean) / size
    third = float(np.dot(away * away, away)) / n
    skewed = skewed_by(n, share, third, (least - mean) / size, (most - mean) / size)
    if skewed > most_skewed:
        return "jeffreys"
    return "wilson" if is_repeating or skewed > MOST_FOR_T else "t"


def repeats(values: np.ndarray) -> bool:
    """Whether one value makes up more than a tenth, and three queries at least."""
    n = len(values)
    further = max(n // REPEATED + 1, LEAST_REPEATED) - 1
    # In order, a value equals the one `further` places on if it occurs `further` + 1 times.
    in_order = np.sort(values)
    return bool((in_order[further:] == in_order[: max(n - further, 0)]).any())


def names_of_default(
    values: np.ndarray, moments: Moments, limits: tuple[float, float] | None
) -> list[str]:
    """The default method by column: without limits always t."""
    if limits is None or not math.isfinite(limits[1] - limits[0]):
        return ["t"] * values.shape[1]
    columns = zip(*(moment.tolist() for moment in moments), strict=True)
    return [name_of_default(values[:, j], column, limits) for j, column in enumerate(columns)]
