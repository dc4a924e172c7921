"""Intervals on sums in which documents have unequal weights: model-assisted, and by the posterior
within strata, by draws or by its moments."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irbounds.assisted.estimators import (
    SAME,
    Ends,
    clipped,
    holding,
    least_variance,
    strata_of,
)
from irbounds.assisted.population import Population
from irbounds.foundation.errors import InputError
from irbounds.queries.student import quantile

if TYPE_CHECKING:
    from irbounds.typing import ArrayLike

# Draws take one multinomial for each stratum and weight, 10^6 of them for a ranking of 10^6
# documents.  Beyond MOST_WEIGHTS, neighbouring weights join at their mean, each group with about
# the same part of the sums of |w| and w².  The mean of draws stays.  Their variance, given shares,
# lost 0.0013 of itself at most, for DCG at up to 10^6 ranks, RBP, differences of both, and uniform
# and log-uniform weights; 20,000 draws have an error of 0.01 there.
MOST_WEIGHTS = 64
MANY_LEVELS = 32  # gains by a judge: one with more has scores, which are not on people's scale
BEYOND = 10  # draws, at least, beyond each end

# Beyond this shape a gamma law differs from the normal one by less than 1e-4 deviations.
MOST_SHAPE = 1e8


def model_assisted(p: Population, alpha: float) -> Ends:
    """The judge's strata predict, the sample corrects: design-based, whatever goes with rank.

    Cochran (1977), chapters 5 and 7, for residuals w (y - ȳ) in strata; the variance of a stratum
    whose labels all agree is not taken as 0.
    """
    strata = strata_of(p, 2)
    n, n_strata = int(strata.sampled.sum()), strata.size.size
    if n < 2 or strata.sampled.min() < 2:
        raise InputError(f"`human` must label at least 2 pairs that count; found {n}")
    mean = np.bincount(strata.group[p.is_labelled], p.label[p.is_labelled]) / strata.sampled
    predicted = p.weight * mean[strata.group]
    residual = np.where(p.is_labelled, p.weight * p.label - predicted, 0.0)
    estimate, variance = float(predicted.sum()), 0.0
    for group in range(n_strata):
        of_sample = residual[(strata.group == group) & p.is_labelled]
        size, sampled = float(strata.size[group]), float(of_sample.size)
        estimate += size * float(of_sample.mean())
        spread = max(float(of_sample.var(ddof=1)), least_variance(p, strata.group == group))
        variance += size * (size - sampled) * spread / sampled
    # Means within strata and their residuals use up a degree of freedom for each stratum.
    half = quantile(max(1, n - n_strata), alpha) * float(np.sqrt(variance))
    return clipped(p, Ends(estimate, estimate - half, estimate + half))


def both_model_assisted(p: Population, alpha: float) -> tuple[Ends, Ends]:
    """The model-assisted interval, and the same with an end of the posterior by its moments where
    that is farther out.

    Weights as unequal as those of RBP make the sample's variance a poor guide: a sample without the
    few heavy documents that are not relevant has a high estimate and a small variance.  So 95 %
    intervals on RBP(p=0.5)@10 from 40 labels covered 84 % in the mean of eleven judges
    (benchmarks/results/assisted.md), all misses on the low side.
    """
    plain, by_prior = model_assisted(p, alpha), by_moments(p, alpha)
    low, high = min(plain.low, by_prior.low), max(plain.high, by_prior.high)
    return plain, Ends(plain.estimate, low, high)


class Moments(NamedTuple):
    """Mean, variance and third central moment, which add up over independent sums."""

    mean: np.ndarray
    variance: np.ndarray
    third: np.ndarray

    def quantile(self, p: ArrayLike) -> np.ndarray:
        """The one of each p, of a gamma law, shifted or reflected, with these moments."""
        from scipy.special import gammaincinv, ndtri

        deviation = np.sqrt(np.maximum(self.variance, 0.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            skewness = np.nan_to_num(self.third / deviation**3)
            # A gamma law of shape a has the skewness 2/√a.
            shape = np.minimum(4 / skewness**2, MOST_SHAPE)
        tail = gammaincinv(shape, np.where(skewness < 0, np.subtract(1, p), p))
        away = np.copysign(1.0, skewness) * (tail - shape) / np.sqrt(shape)
        away = np.where(shape < MOST_SHAPE, away, ndtri(p))
        return np.asarray(self.mean + deviation * away)


def sum_moments(
    powers: tuple[np.ndarray, np.ndarray, np.ndarray],
    levels: np.ndarray,
    alphas: np.ndarray,
    known: ArrayLike = 0.0,
) -> Moments:
    """Those of `known` + Σ w g over the pairs of all strata, where the gains of a stratum have
    levels whose shares have a Dirichlet law.

    Parameters
    ----------
    powers : arrays of shape (strata,)
        Sums of w, w² and w³ in each stratum.
    levels, alphas : ndarray, shape (…, strata, levels)
    known : float or ndarray, shape (…)
    """
    total = alphas.sum(axis=-1)
    share = alphas / total[..., None]
    m = (share * levels).sum(axis=-1)
    away = levels - m[..., None]
    c2, c3 = ((share * away**k).sum(axis=-1) for k in (2, 3))
    # With a = Σ alphas and central moments c2, c3 of one gain: given the shares, gains are
    # independent, with the mean M and the variance V.  Pólya's urn: var M = c2/(a + 1),
    # E V = a c2/(a + 1), κ3(M) = 2 c3/((a + 1)(a + 2)), cov(M, V) = a c3/((a + 1)(a + 2)), and the
    # third moment given the shares has the mean a² c3/((a + 1)(a + 2)).  Law of total cumulance:
    w1, w2, w3 = powers
    second = c2 * (total * w2 + w1**2) / (total + 1)
    third = c3 * (total**2 * w3 + 3 * total * w1 * w2 + 2 * w1**3) / ((total + 1) * (total + 2))
    return Moments(known + (m * w1).sum(axis=-1), second.sum(axis=-1), third.sum(axis=-1))


def by_moments(p: Population, alpha: float) -> Ends:
    """The posterior of `by_draws` without draws: a gamma law with its first three moments."""
    levels = gain_levels(p)
    group = 2 * strata_of(p).group + (p.weight > 0)
    n_groups = int(group.max()) + 1
    places = np.searchsorted(levels, p.label[p.is_labelled])
    seen = np.bincount(
        group[p.is_labelled] * levels.size + places, minlength=n_groups * levels.size
    ).reshape(n_groups, levels.size)
    is_open = ~p.is_labelled
    w1, w2, w3 = (np.bincount(group[is_open], p.weight[is_open] ** k, n_groups) for k in (1, 2, 3))
    known = float(p.weight[p.is_labelled] @ p.label[p.is_labelled])
    found = sum_moments((w1, w2, w3), levels, 1 / levels.size + seen, known)
    low, high = (float(found.quantile(q)) for q in (alpha, 1 - alpha))
    return clipped(p, Ends(float(found.mean), low, high))


def by_draws(
    p: Population, alpha: float, draws: int, rng: np.random.Generator
) -> tuple[Ends, np.ndarray]:
    """The posterior of a weighted sum: in each stratum gains have a Dirichlet posterior whose prior
    weighs one document, whatever the weights; and the draws.

    Weights above and below 0 are strata of their own: within a grade, documents that the better run
    ranks higher are relevant more often.  By grades alone, 95 % intervals on differences of DCG@10
    and RBP@10 covered 24 to 33 % in the mean of 11 judges.
    """
    levels = gain_levels(p)
    group = 2 * strata_of(p).group + (p.weight > 0)
    total = np.full(draws, float(p.weight[p.is_labelled] @ p.label[p.is_labelled]))
    mean = total[0]
    for each in np.unique(group).tolist():
        is_here = group == each
        labels = p.label[is_here & p.is_labelled]
        seen = (labels[:, None] == levels).sum(axis=0)
        # One document of the prior, divided among the levels.
        alphas = 1 / levels.size + seen
        shares = rng.dirichlet(alphas, draws) if levels.size > 1 else np.ones((draws, 1))
        weight, counts = joined_weights(p.weight[is_here & ~p.is_labelled])
        for w, count in zip(weight.tolist(), counts.tolist(), strict=True):
            total += w * (rng.multinomial(count, shares) @ levels)
            mean += w * count * float(alphas @ levels) / alphas.sum()
    low, high = np.quantile(total, [alpha, 1 - alpha])
    return holding(float(mean), float(low), float(high)), total


def check_draws(draws: int, alpha: float) -> None:
    """Draws that have enough of them beyond an end."""
    least = math.ceil(BEYOND / alpha * (1 - SAME))  # 0.05 is (1 - 0.9)/2 but for rounding
    if draws < least:
        raise InputError(
            f"`draws` must be at least {least:,} at this level, so that {BEYOND} of them are "
            f"beyond each end; found {draws:,}; use another method or a lower level"
        )


def gain_levels(p: Population) -> np.ndarray:
    """The gains that the prior allows: 0, the largest one, people's, and the judge's unless these
    are scores, means of judges or beyond people's scale."""
    labels, judged = p.label[p.is_labelled], np.unique(p.judged)
    if judged.size > MANY_LEVELS:
        judged = judged[:0]
    if (labels == np.rint(labels)).all():
        judged = judged[judged == np.rint(judged)]
    known = [[0.0, p.most_gain], labels, judged[judged <= p.most_gain]]
    return np.unique(np.concatenate(known))


def joined_weights(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weights of one sign and how often each occurs, at most about `MOST_WEIGHTS` of them."""
    # Weights of pairs that count alike differ by rounding only: to 15 decimals they are one.
    weight, counts = np.unique(weights.round(15), return_counts=True)
    if weight.size <= MOST_WEIGHTS:
        return weight, counts
    part = np.abs(weight) * counts
    part = part / part.sum() + weight * part / (weight @ part)
    middle = (np.cumsum(part) - part / 2) / 2
    first = np.flatnonzero(np.diff((middle * MOST_WEIGHTS).astype(int), prepend=-1))
    joined = np.add.reduceat(counts, first)
    return np.add.reduceat(weight * counts, first) / joined, joined
