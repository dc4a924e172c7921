"""Recall from samples in which documents had unequal chances to be drawn."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irbounds.foundation.arguments import check_level, check_numbers
from irbounds.foundation.errors import InputError, check_choice, fail
from irbounds.foundation.interval import SIDES, Interval

if TYPE_CHECKING:
    from irbounds.typing import ArrayLike, FloatOrArray

RULE = "must be above 0 and at most 1"
LEAST = 1e-100  # probability: squares of weights, and sums of them, are numbers
# The rule in _mean_below leaves out this probability on either side, and what is below exp(-45),
# 3e-20, of the greatest value.  With 800 nodes the error was at most 3e-14 in 6,000 hostile pairs
# of variates with shapes to 10^6, as large as that of 1,600 nodes, and 4e-7 with 400.
LEFT_OUT, LONGEST_LOG, NODES = 1e-18, 45.0, 800


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
    retrieved_probabilities: FloatOrArray,
    unretrieved_probabilities: FloatOrArray,
    largest_weights: FloatOrArray = None,
    *,
    clusters: tuple[ArrayLike, ArrayLike] | None = None,
    confidence_level: float = 0.95,
    side: str = "two-sided",
) -> Interval:
    """Bound recall by a sample whose documents had unequal probabilities to be drawn.

    Each document must be drawn independently of the others, or each cluster of documents, such as a
    family, with `clusters`. Where documents were drawn together and this is not told, the interval
    is too narrow.

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
        in which no document with a probability below 1 was found needs it.  With `clusters` it is
        needed: the largest number of documents of a cluster over its probability.
    clusters : pair of array_like, optional
        A label for each document of either list, where clusters were drawn whole. Documents of one
        cluster have one probability. None and nan are documents that were drawn alone.
    confidence_level : float
    side : {"two-sided", "lower", "upper"}

    Returns
    -------
    Interval
        The estimate is the ratio of the weighted sums, nan where nothing was found.

    Raises
    ------
    InputError
        For probabilities that are not above 0 and at most 1, for several of one cluster, for a
        largest weight below one that was found, and where a largest weight is needed.

    Notes
    -----
    A weighted sum of independent counts has a gamma distribution about it (Fay & Feuer 1997):
    with mean y and variance v below, with y + m and v + m² above, where m is the largest weight.
    The interval takes quantiles of the ratio of two independent gamma variates, the lower one of
    the one segment and the upper one of the other (melding, Fay, Proschan & Brittain 2015). In the
    simulations of the tests its coverage was at least nominal; there is no proof. The weight of a
    cluster is the sum of those of its relevant documents in the segment; that both segments have
    documents of one cluster makes the interval wider than needed.

    Examples
    --------
    40 of 500 documents' sample of 50 were relevant, and 3 of 2,000 documents' sample of 100:

    >>> import irbounds as irb
    >>> irb.samples.weighted_recall_interval([0.1] * 40, [0.05] * 3)
    Interval(0.869565 in [0.679815, 0.971171], 0.95 two-sided, melded-gamma)
    """
    level = check_level(confidence_level)
    check_choice("side", side, SIDES)
    tail = (1 - level) / (2 if side == "two-sided" else 1)
    if clusters is not None and (largest_weights is None or len(clusters) != 2):
        raise InputError(
            "`clusters` must be a pair of lists, and needs `largest_weights`: the largest number "
            "of documents of a cluster over its probability"
        )
    of_cluster: dict[Any, float] = {}
    counts = [
        _weighted_count(name, probabilities, largest, labels, of_cluster)
        for name, probabilities, largest, labels in zip(
            ("retrieved_probabilities", "unretrieved_probabilities"),
            (retrieved_probabilities, unretrieved_probabilities),
            _pair(largest_weights),
            clusters or (None, None),
            strict=True,
        )
    ]
    one, other = counts
    found, missed = (count.known + count.total for count in counts)
    # Melding: the low end takes the odds least in favour, one more document of the largest weight
    # on the other side; the high end one more on this side (compare Clopper and Pearson's x and x +
    # 1).
    low = 0.0 if side == "upper" else _odds_quantile(one, other.with_one_more, tail)
    high = math.inf if side == "lower" else _odds_quantile(one.with_one_more, other, 1 - tail)
    estimate = found / (found + missed) if found + missed else math.nan
    return Interval(estimate, _share(low), _share(high), level, side, "melded-gamma")


def _share(odds: float) -> float:
    return 1.0 if odds == math.inf else odds / (1 + odds)


def _pair(largest_weights: FloatOrArray) -> tuple[float | None, float | None]:
    if largest_weights is None:
        return None, None
    rule = "must be one number or two, from 1 to 1e100"
    weights = check_numbers(
        "largest_weights", largest_weights, rule, lambda x: (x >= 1) & (x <= 1 / LEAST)
    ).ravel()
    if weights.size not in (1, 2):
        fail("largest_weights", rule, largest_weights)
    return float(weights[0]), float(weights[-1])


def _weighted_count(
    name: str, probabilities: Any, largest: float | None, labels: Any, of_cluster: dict[Any, float]
) -> WeightedCount:
    chances = check_numbers(name, probabilities, RULE, lambda x: (x > 0) & (x <= 1))
    if chances.ndim != 1:
        fail(name, "must be a list of numbers", probabilities)
    if (chances < LEAST).any():
        fail(name, f"must be at least {LEAST}", chances.min().item())
    # Documents that were sure to be drawn are known: they have no sampling error.
    weights = 1 / chances[chances < 1]
    if labels is not None:
        weights = _weights_of_clusters(name, chances, labels, of_cluster)
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
        float((chances == 1).sum()),
        math.fsum(weights),
        math.fsum(weights**2),
        largest if largest > 1 else 0.0,
    )


def _weights_of_clusters(
    name: str, chances: np.ndarray, labels: Any, of_cluster: dict[Any, float]
) -> np.ndarray:
    """The weight of each cluster that was not sure to be drawn, that of all its documents together;
    `of_cluster` has the probabilities of clusters that were met before."""
    listed = [*getattr(labels, "tolist", lambda: labels)()]
    if len(listed) != chances.size:
        raise InputError(
            f"`clusters` must have a label for each of the {chances.size} `{name}`; found "
            f"{len(listed)}"
        )
    found: dict[Any, float] = {}
    for place, (label, chance) in enumerate(zip(listed, chances.tolist(), strict=True)):
        is_alone = label is None or label != label
        if not is_alone and of_cluster.setdefault(label, chance) != chance:
            raise InputError(
                "documents of one cluster must have one probability; found "
                f"{of_cluster[label]} and {chance} for {label!r}"
            )
        key = (None, place) if is_alone else (label,)
        if chance < 1:
            found[key] = found.get(key, 0.0) + 1 / chance
    return np.array([*found.values()])


def _odds_quantile(one: WeightedCount, other: WeightedCount, p: float) -> float:
    """The p-quantile of (one.known + G)/(other.known + H), independent gamma variates."""
    from scipy.special import fdtri, gammaincinv

    if one.known == 0 == one.total:
        return 0.0 if other.known + other.total else (0.0 if p < 0.5 else math.inf)
    if other.known == 0 == other.total:
        return math.inf
    # A gamma variate with the mean and the variance of the weighted count: shape total²/squares and
    # scale squares/total. Divided in this order, squares of small numbers stay above 0.
    shapes = [c.total / c.squares * c.total if c.total else 0.0 for c in (one, other)]
    if one.known == 0 == other.known:
        # A ratio of gamma variates of known shapes is F-distributed, but for the ratio of their
        # means.
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
    """With known documents there is no closed form: see `_shifted_below`."""
    from scipy.optimize import brentq

    gammas = [
        _Gamma(count.known / scale, shape)
        for count, shape, scale in zip((one, other), shapes, scales, strict=True)
    ]

    def excess(log_odds: float) -> float:
        return _shifted_below(gammas[0], gammas[1], math.exp(log_odds) * scales[1] / scales[0]) - p

    low, high = -1.0, 1.0
    # Ratios beyond exp(±709) are no doubles.
    while excess(low) > 0 and low > -1000:
        low *= 2
    while excess(high) < 0 and high < 1000:
        high *= 2
    # An error of 1e-13 in log odds is a relative one of 1e-13 in the ratio.
    return math.exp(brentq(excess, low, high, xtol=1e-13, rtol=1e-14))


class _Gamma(NamedTuple):
    """A gamma variate of scale 1, and what is known beside it in the same unit."""

    known: float
    shape: float


def _shifted_below(one: _Gamma, other: _Gamma, odds: float) -> float:
    """P(one.known + G <= odds (other.known + H)): the mean of the distribution function of the
    wider variate over the narrower one, as steps of the wider density would need more nodes."""
    if math.sqrt(one.shape) < odds * math.sqrt(other.shape):
        return 1 - _mean_below(other, one, 1 / odds)
    return _mean_below(one, other, odds)


def _mean_below(wide: _Gamma, narrow: _Gamma, odds: float) -> float:
    """E P(G <= odds (narrow.known + H) - wide.known | H), by equal steps of log(H - start), where
    start is 0 or, if greater, where G begins to be possible.

    Near start both factors are powers with exponents of 1 or more, and towards the other end the
    density of H falls exponentially of the logarithm: equal steps then have an error that falls
    exponentially with their number (trapezoidal rule, Trefethen & Weideman 2014).
    """
    from scipy.special import gammainc, gammainccinv, gammaincinv

    shape = narrow.shape
    lost = wide.known / odds - narrow.known  # documents of H, before G may be above 0
    start = max(lost, 0.0)
    most = float(gammainccinv(shape, LEFT_OUT)) - start
    if most <= 0:
        return 0.0
    least = max(float(gammaincinv(shape, LEFT_OUT)) - start, most * math.exp(-LONGEST_LOG))
    length, steps = math.log(most / least), np.arange(NODES) / (NODES - 1)
    above = most * np.exp(-length * steps)
    density = np.exp(_log_gamma_density(shape, start + above)) * above
    density *= length / (NODES - 1)
    density[[0, -1]] /= 2
    below = gammainc(wide.shape, odds * (above - min(lost, 0.0)))
    return float(density @ below)


def _log_gamma_density(shape: float, x: np.ndarray) -> np.ndarray:
    """log(x^(shape - 1) e^-x / Γ(shape)): about x = shape, where x^shape e^-x is flat, without the
    digits that large powers lose."""
    from scipy.special import gammaln

    d = x / shape - 1
    near = np.log1p(np.maximum(d, -0.5))
    log_ratio = np.where(d > -0.5, near, np.log(x / shape))
    # log(shape^shape e^-shape/Γ(shape)); the series leaves out 1/(1680 shape^7), 8e-16 at 50
    constant = (
        shape * math.log(shape) - shape - float(gammaln(shape))
        if shape < 50
        else 0.5 * math.log(shape / (2 * math.pi))
        - (1 / 12 - (1 / 360 - 1 / 1260 / shape**2) / shape**2) / shape
    )
    return constant + shape * (log_ratio - d) - log_ratio - math.log(shape)
