"""Bounds that hold at every look, slowly: sums over all yields in fractions, and their exact errors
over all looks.

From `size` documents, K of them relevant, `sampled` are drawn without replacement; `found` of
these are relevant. The prior is BetaBin(size; a, b).
"""

from fractions import Fraction
from functools import lru_cache
from math import comb

import numpy as np


def chance(size, total, sampled, found):
    """P(found | K = total)."""
    if not max(0, sampled - size + total) <= found <= min(total, sampled):
        return Fraction(0)
    return Fraction(comb(total, found) * comb(size - total, sampled - found), comb(size, sampled))


@lru_cache(None)
def prior(size, a, b):
    """All P(K), from BetaBin(size; a, b)."""
    a, b = Fraction(a), Fraction(b)
    terms = [Fraction(1)]
    for k in range(size):
        terms.append(terms[-1] * (size - k) * (a + k) / ((k + 1) * (b + size - k - 1)))
    total = sum(terms)
    return [term / total for term in terms]


@lru_cache(None)
def evidence(size, sampled, found, total, a=1, b=1):
    """e(total): the mean likelihood ratio of fewer relevant documents."""
    weights = prior(size, a, b)[:total]
    if not weights:
        return Fraction(0)
    mean = sum(w * chance(size, k, sampled, found) for k, w in enumerate(weights))
    return mean / sum(weights) / chance(size, total, sampled, found)


def possible(size, sampled, found):
    """All totals with which a sample can be."""
    return range(found, size - sampled + found + 1)


@lru_cache(None)
def upper(size, sampled, found, alpha, a=1, b=1):
    """The largest total with less evidence than 1/alpha against it."""
    return max(
        t
        for t in possible(size, sampled, found)
        if evidence(size, sampled, found, t, a, b) * alpha < 1
    )


def lower(size, sampled, found, alpha, a=1, b=1):
    """The least total with less evidence than 1/alpha against it, from more."""
    return size - upper(size, sampled, sampled - found, alpha, b, a)


def two_sided(size, sampled, found, alpha, a=1, b=1):
    """The least and the largest total whose chance of this sample is above alpha times its mean."""
    weights = prior(size, a, b)
    chances = {t: chance(size, t, sampled, found) for t in possible(size, sampled, found)}
    mean = sum(weights[t] * value for t, value in chances.items())
    kept = [t for t, value in chances.items() if value > alpha * mean]
    return min(kept), max(kept)


def least_share(one, other, alpha, a=1, b=1):
    """The least recall of all pairs of totals that are left, from (size, sampled, found) of both
    segments: evidence against the one from more, against the other from fewer."""
    least = Fraction(1)
    size, sampled, found = one
    for k1 in possible(*one):
        e1 = evidence(size, sampled, sampled - found, size - k1, b, a)
        for k0 in possible(*other):
            e0 = evidence(*other, k0, a, b)
            if (e1 + e0) / 4 + e1 * e0 / 2 < 1 / Fraction(alpha):
                least = min(least, Fraction(k1, k1 + k0) if k1 else Fraction(0))
    return least


def error_of_any_look(size, total, fails):
    """The probability that `fails(sampled, found)` at some look at a sample that grows to all."""
    alive, lost = {0: Fraction(1)}, Fraction(0)
    for n in range(size + 1):
        for found in [k for k in alive if fails(n, k)]:
            lost += alive.pop(found)
        then = {}
        for found, weight in alive.items():
            if n == size:
                continue
            p = Fraction(total - found, size - n)
            then[found + 1] = then.get(found + 1, 0) + weight * p
            then[found] = then.get(found, 0) + weight * (1 - p)
        alive = {k: w for k, w in then.items() if w}
    return lost


def error_of_all_looks(size, total, low, high):
    """The same in doubles: `low` and `high` by sampled and found."""
    alive, lost = np.zeros(size + 2), 0.0
    alive[0] = 1.0
    for n in range(size + 1):
        found = np.arange(n + 1)
        fails = (low[n, : n + 1] > total) | (high[n, : n + 1] < total)
        lost += alive[: n + 1][fails].sum()
        alive[: n + 1][fails] = 0
        if n < size:
            p = np.clip((total - found) / (size - n), 0, 1)
            then = np.zeros(size + 2)
            then[: n + 1] = alive[: n + 1] * (1 - p)
            then[1 : n + 2] += alive[: n + 1] * p
            alive = then
    return lost


def error_of_any_play(sizes, totals, fails):
    """The largest probability that `fails((n1, k1), (n0, k0))` at some look, over all ways to
    choose the segment of each next document by what was seen."""

    @lru_cache(None)
    def worst(n1, k1, n0, k0):
        if fails((n1, k1), (n0, k0)):
            return Fraction(1)
        values = [Fraction(0)]
        if n1 < sizes[0]:
            p = Fraction(totals[0] - k1, sizes[0] - n1)
            values.append(
                (p * worst(n1 + 1, k1 + 1, n0, k0) if p else 0)
                + ((1 - p) * worst(n1 + 1, k1, n0, k0) if p < 1 else 0)
            )
        if n0 < sizes[1]:
            p = Fraction(totals[1] - k0, sizes[1] - n0)
            values.append(
                (p * worst(n1, k1, n0 + 1, k0 + 1) if p else 0)
                + ((1 - p) * worst(n1, k1, n0 + 1, k0) if p < 1 else 0)
            )
        return max(values)

    return worst(0, 0, 0, 0)


def recall_low(one, other, alpha, a, b):
    """As `least_share`; where one segment is read whole, all evidence is about the other."""
    if one[0] == one[1] or other[0] == other[1]:
        found = one[2] if one[0] == one[1] else lower(*one, alpha, a, b)
        missed = other[2] if other[0] == other[1] else upper(*other, alpha, a, b)
        return Fraction(found, found + missed) if found else Fraction(0)
    return least_share(one, other, alpha, a, b)


def twin(measure, one, other, level, side):
    """Both ends, with the prior ½, ½; None for sums, which have a test of their own."""
    half = Fraction(1, 2)
    alpha = 1 - Fraction(repr(level))
    if measure == "yield":
        return None
    if measure == "recall":
        if one[2] + other[2] == 0:
            return 0, 1
        if one[0] == one[1] and other[0] == other[1]:
            return [Fraction(one[2], one[2] + other[2])] * 2
        end = alpha / 2 if side == "two-sided" else alpha
        low = 0 if side == "upper" else recall_low(one, other, end, half, half)
        high = 1 if side == "lower" else 1 - recall_low(other, one, end, half, half)
        return low, high
    size, sampled, found = one if measure == "precision" else other
    if size == sampled:
        return [Fraction(found, size)] * 2
    if side == "two-sided":
        low, high = two_sided(size, sampled, found, alpha, half, half)
    else:
        low = lower(size, sampled, found, alpha, half, half) if side == "lower" else 0
        high = upper(size, sampled, found, alpha, half, half) if side == "upper" else size
    return Fraction(low, size), Fraction(high, size)


TWINS = {"anytime": twin}
