"""Evidence about several strata that holds at every look, in fractions, and exact errors over all
ways to look.

A stratum is (size, sampled, found); a group of strata has totals, the numbers of documents of the
kind that is counted. A bettor against totals from more takes the urn of each stratum for one with
c times as many documents of the kind, c = 1 + added * share**power, share being the stratum's size
in parts of the largest one, and stakes a part of the wealth in each stratum.
"""

from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import prod

import numpy as np

WEIGHTS = (1, 1, 1, 1, 2, 3, 3, 3, 3, 2, 2, 2, 2)
ADDED = {Fraction(4) ** (j - 6): weight for j, weight in enumerate(WEIGHTS)}
FAMILIES = {(0, Fraction(1)): 2, (1, Fraction(1)): 1, (1, Fraction(1, 2)): 1}


def chance_of_order(kind, others, x, y):
    """P(x documents of the kind and y others, in one order), drawn from an urn."""
    value = Fraction(1)
    for i in range(x):
        value *= (kind - i) / (kind + others - i)
    for i in range(y):
        value *= (others - i) / (kind + others - x - i)
    return value


def wealth(size, sampled, found, total, c):
    """The chance under the bettor's urn in parts of that under the truth `total`."""
    total = Fraction(total)
    x, y = found, sampled - found
    plain = chance_of_order(total, size - total, x, y)
    return chance_of_order(c * total, size - total, x, y) / plain


@lru_cache(None)
def evidence_from_more(strata, totals):
    """The mean wealth of all bettors."""
    largest = max(size for size, _, _ in strata)
    families = FAMILIES if len(strata) > 1 else {(0, Fraction(1)): 1}
    value = weights = Fraction(0)
    for (power, stake), weight in families.items():
        for added, share in ADDED.items():
            c = [1 + added * Fraction(size, largest) ** power for size, _, _ in strata]
            value += (weight * share) * prod(
                1 - stake + stake * wealth(*stratum, total, one)
                for stratum, total, one in zip(strata, totals, c, strict=True)
            )
            weights += weight * share
    return value / weights


def merged(one, other):
    """Evidence of two groups."""
    return (one + other) / 4 + one * other / 2


def possible(strata):
    """All totals with which samples can be; those of strata without a sample at their least."""
    return product(*(range(x, size - n + x + 1) if n else [0] for size, n, x in strata))


def least_share(one, other, alpha):
    """The least recall of all totals that are left."""
    missed = tuple((size, n, n - x) for size, n, x in other)
    everything = sum(size for size, _, _ in other)
    least = Fraction(1)
    for totals in possible(one):
        e1 = evidence_from_more(tuple(one), totals)
        for others in possible(missed):
            if merged(e1, evidence_from_more(missed, others)) * alpha < 1:
                found, lost = sum(totals), everything - sum(others)
                least = min(least, Fraction(found, found + lost) if found else Fraction(0))
    return least


def least_sum(strata, alpha):
    """The least sum of all totals that are left, of one group."""
    strata = tuple(strata)
    return min(
        sum(totals) for totals in possible(strata) if evidence_from_more(strata, totals) * alpha < 1
    )


@lru_cache(None)
def wealths(sizes, h, sampled, found, total):
    """The wealth of all bettors about stratum h of a group, as doubles."""
    families = FAMILIES if len(sizes) > 1 else {(0, Fraction(1)): 1}
    share = Fraction(sizes[h], max(sizes))
    return np.array(
        [
            float(1 - stake + stake * wealth(sizes[h], sampled, found, total, 1 + a * share**power))
            for power, stake in families
            for a in ADDED
        ]
    )


def mean_wealth(sizes, state, totals):
    """`evidence_from_more`, as a double, of ((sampled, found), ...)."""
    families = FAMILIES if len(sizes) > 1 else {(0, Fraction(1)): 1}
    weights = np.outer(list(families.values()), list(ADDED.values())).ravel()
    product_of = prod(
        wealths(sizes, h, *pair, total)
        for h, (pair, total) in enumerate(zip(state, totals, strict=True))
    )
    return float(weights @ product_of) / weights.sum()


def refuses(one, other, totals, alpha):
    """Whether the evidence against the truth reaches 1/alpha: `totals` relevant documents of
    strata of these sizes."""
    n, bar = len(one), (1 - 1e-12) / alpha
    missed = tuple(size - k for size, k in zip(other, totals[n:], strict=True))

    @lru_cache(None)
    def first(state):
        return mean_wealth(one, state, totals[:n]) if one else None

    @lru_cache(None)
    def second(state):
        state = tuple((m, m - k) for m, k in state)
        return mean_wealth(other, state, missed) if other else None

    def fails(state):
        e1, e0 = first(state[:n]), second(state[n:])
        if e1 is None or e0 is None:
            return (e1 if e0 is None else e0) >= bar
        return merged(e1, e0) >= bar

    return fails


def error_of_any_play(sizes, totals, fails):
    """The largest probability that `fails(((n, k), ...))` at some look, over all ways to choose the
    stratum of each next document by what was seen."""

    @lru_cache(None)
    def worst(state):
        if fails(state):
            return 1.0
        values = [0.0]
        for h, (n, k) in enumerate(state):
            if n == sizes[h]:
                continue
            p = (totals[h] - k) / (sizes[h] - n)
            then = [
                (share, (*state[:h], (n + 1, found), *state[h + 1 :]))
                for share, found in ((p, k + 1), (1 - p, k))
                if share > 0
            ]
            values.append(sum(share * worst(next_state) for share, next_state in then))
        return max(values)

    return worst(tuple((0, 0) for _ in sizes))
