"""Plans for reviews of known yields, by going through all samples, all yields and all splits.

Segments are (size, relevant); samples are numbers of documents.  Intervals are those of the half
prior.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from math import comb

import numpy as np
from scipy.special import betaln, gammaln

ROUNDING = 1e-13  # of cumulative probabilities: what the search for an end allows
CLOSE = 1e-9  # of recall: bounds that are less below a target reach it


def betabinom(n, a, b):
    """Probabilities of 0, 1, ..., n: those of a beta-binomial law."""
    k = np.arange(n + 1)
    return np.exp(
        gammaln(n + 1)
        - gammaln(k + 1)
        - gammaln(n - k + 1)
        + betaln(a + k, b + n - k)
        - betaln(a, b)
    )


def hypergeom(size, relevant, sampled, found):
    """The probability of so many relevant documents in a sample."""
    return comb(relevant, found) * comb(size - relevant, sampled - found) / comb(size, sampled)


@cache
def yields(size, sampled, relevant, a=0.5, b=0.5):
    """Probabilities of 0, 1, ..., size relevant documents, given the sample."""
    pmf = np.zeros(size + 1)
    unseen = size - sampled
    pmf[relevant : relevant + unseen + 1] = (
        betabinom(unseen, a + relevant, b + sampled - relevant) if unseen else 1.0
    )
    return pmf


def recall_ends(first, second, found, missed, tail):
    """Quantiles of recall for independent yields; ends are forced where nothing was found."""
    r1, r0 = np.meshgrid(np.arange(first.size), np.arange(second.size), indexing="ij")
    values = r1 / np.maximum(r1 + r0, 1)
    order = np.argsort(values, axis=None, kind="stable")
    cumulative = np.cumsum(np.outer(first, second).ravel()[order])
    values = values.ravel()[order]
    if found == missed == 0:
        return 0.0, 1.0
    low, high = (
        values[min(np.searchsorted(cumulative, p - ROUNDING), values.size - 1)]
        for p in (tail, 1 - tail)
    )
    nothing_retrieved = found == 0 and np.count_nonzero(first) == 1
    return 0.0 if found == 0 else low, 1.0 if missed == 0 and not nothing_retrieved else high


@cache
def interval(one, other, tail):
    """Ends from (size, sampled, relevant) of both segments."""
    return recall_ends(yields(*one), yields(*other), one[2], other[2], tail)


def strata_interval(one, other, tail, priors):
    """Likewise from lists of strata; `priors` has the parameters of each stratum's."""
    laws = []
    for segment, parameters in zip((one, other), priors, strict=True):
        law = np.ones(1)
        for stratum, (a, b) in zip(segment, parameters, strict=True):
            law = np.convolve(law, yields(*stratum, a, b))
        laws.append(law)
    return recall_ends(*laws, sum(s[2] for s in one), sum(s[2] for s in other), tail)


@cache
def counts(size, relevant, sampled):
    """The counts that a sample can have, with their probabilities."""
    found = range(max(0, sampled - size + relevant), min(relevant, sampled) + 1)
    return [(r, hypergeom(size, relevant, sampled, r)) for r in found]


def outcomes(segments, samples):
    """Ends' arguments and probabilities of all outcomes."""
    (size1, relevant1), (size0, relevant0) = segments
    for (r1, p1), (r0, p0) in product(
        counts(size1, relevant1, samples[0]), counts(size0, relevant0, samples[1])
    ):
        yield (size1, samples[0], r1), (size0, samples[1], r0), p1 * p0


def tail_of(level, side):
    """The probability beyond each end."""
    return (1 - level) / (2 if side == "two-sided" else 1)


def width(segments, samples, side="two-sided", level=0.95):
    """Expected; of a one-sided interval the distance of its end from recall."""
    recall = segments[0][1] / (segments[0][1] + segments[1][1])
    total = 0.0
    for one, other, p in outcomes(segments, samples):
        low, high = interval(one, other, tail_of(level, side))
        total += p * {"two-sided": high - low, "lower": recall - low, "upper": high - recall}[side]
    return total


def coverage(segments, samples, side="two-sided", level=0.95):
    """Probability that the interval holds recall; its ends are inside."""
    recall = segments[0][1] / (segments[0][1] + segments[1][1])
    total = 0.0
    for one, other, p in outcomes(segments, samples):
        low, high = interval(one, other, tail_of(level, side))
        low, high = 0.0 if side == "upper" else low, 1.0 if side == "lower" else high
        total += p * (low - CLOSE <= recall <= high + CLOSE)
    return total


def chance(segments, samples, target, side="lower", level=0.95):
    """That the low end reaches a target."""
    return sum(
        p
        for one, other, p in outcomes(segments, samples)
        if interval(one, other, tail_of(level, side))[0] >= target - CLOSE
    )


def splits(segments, sample):
    """All samples of so many documents, one of each segment at least."""
    (size1, _), (size0, _) = segments
    return [(n, sample - n) for n in range(max(1, sample - size0), min(size1, sample - 1) + 1)]


def narrowest(segments, sample, side="two-sided"):
    """The least expected width of any split."""
    return min(width(segments, samples, side) for samples in splits(segments, sample))


def likeliest(segments, sample, target, side="lower"):
    """The greatest chance of any split."""
    return max(chance(segments, samples, target, side) for samples in splits(segments, sample))


def sizes_that_reach(segments, reached):
    """The first size that reaches a goal, and the one from which on all do; None where the
    collection misses it."""
    largest = segments[0][0] + segments[1][0]
    does = {n: reached(n) for n in range(2, largest + 1)}
    if not does[largest]:
        return None, None
    return min(n for n in does if does[n]), max([n for n in does if not does[n]], default=1) + 1


def single_sample(segments, sample, value):
    """The mean of a function of both samples, if one sample is drawn from the whole collection."""
    (size1, _), (size0, _) = segments
    return sum(
        hypergeom(size1 + size0, size1, sample, n) * value((n, sample - n))
        for n in range(max(0, sample - size0), min(size1, sample) + 1)
    )


def least_sample(sizes, target, side="lower"):
    """The fewest documents whose best outcome shows a target; None where none does."""
    for n in range(2, sum(sizes) + 1):
        for n1, n0 in splits(((sizes[0], 0), (sizes[1], 0)), n):
            if (
                interval((sizes[0], n1, n1), (sizes[1], n0, 0), tail_of(0.95, side))[0]
                >= target - CLOSE
            ):
                return n
    return None
