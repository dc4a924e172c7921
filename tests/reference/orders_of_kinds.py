"""Measures of rankings with large ties.  Documents of one grade are alike, so an order is a path
through counts of grades, and what is still to come depends on the counts alone.

A ranking is a list of ranks of grades, as in `rankings`.  A measure is a sum of rewards: what a
document adds, by the counts of grades above it.
"""

from collections import Counter
from fractions import Fraction
from functools import cache

from mpmath import mp

from .rankings import measure_of_order


def over_paths(ranks, reward, pick=None):
    """The greatest (pick=max) or least (min) sum of rewards over all orders, or the mean."""
    above, total = Counter(), 0
    for rank in ranks:
        kinds = sorted(set(rank))
        counts = [rank.count(kind) for kind in kinds]

        @cache
        def rest(taken, kinds=kinds, counts=counts, above=above):
            here = above + Counter(dict(zip(kinds, taken, strict=True)))
            found, left = [], sum(counts) - sum(taken)
            for i, kind in enumerate(kinds):
                if taken[i] < counts[i]:
                    more = (*taken[:i], taken[i] + 1, *taken[i + 1 :])
                    found.append((counts[i] - taken[i], reward(here, kind) + rest(more)))
            if not found:
                return 0
            if pick is None:
                return sum(n * value for n, value in found) / left
            return pick(value for _, value in found)

        total += rest((0,) * len(kinds))
        above = above + Counter(rank)
    return total


def cost_discounted_gain(judged):
    """The reward of trec_eval's G; `judged` has all grades of the query."""
    ideal = sorted((grade for grade in judged if grade > 0), reverse=True)

    def reward(above, grade):
        if grade <= 0:
            return mp.mpf(0)
        place = above.total() + 1
        cost = sum(max(1, ideal[i]) if i < len(ideal) else 1 for i in range(place))
        gains = grade + sum(max(0, kind) * n for kind, n in above.items())
        return grade / mp.log(2 + cost - gains, 2) / sum(ideal)

    return reward


def inferred_precision(judged):
    """The reward of infAP."""
    epsilon, n = Fraction(1e-5), sum(grade >= 1 for grade in judged)

    def reward(above, grade):
        if grade < 1:
            return Fraction(0)
        j = above.total()
        relevant = sum(m for kind, m in above.items() if kind >= 1)
        known = sum(m for kind, m in above.items() if kind >= 0)
        if j == 0:
            return Fraction(1, n)
        pooled = sum(m for kind, m in above.items() if kind >= -0.5)
        precision = (relevant + epsilon) / (known + 2 * epsilon)
        return (1 + pooled * precision) / (j + 1) / n

    return reward


def player(cutoff, target, max_rel):
    """The reward of BPM: the mean gain, where the user stops."""

    def gains(above):
        return sum(Fraction(max(0, kind), max_rel) * n for kind, n in above.items())

    def reward(above, grade):
        place, total = above.total() + 1, gains(above)
        if place > cutoff or (place > 1 and total >= target):
            return Fraction(0)
        total += Fraction(max(0, grade), max_rel)
        return total / place if total >= target or place == cutoff else Fraction(0)

    return reward


def end_of_cut(name, ranks, cutoff, pick):
    """APRet@k or Accuracy@k of the best (max) or worst (min) order: relevant documents are first or
    last among those of their rank that are read, whose number is free where the cut divides it."""
    orders, first = [[]], pick is max
    for rank in ranks:
        read = min(len(rank), cutoff - len(orders[0]))
        relevant = sum(grade >= 1 for grade in rank)
        numbers = range(max(0, read - len(rank) + relevant), min(read, relevant) + 1)
        parts = [sorted([1] * n + [0] * (read - n), reverse=first) for n in numbers]
        orders = [order + part for order in orders for part in parts]
    return pick(measure_of_order(name, order, cutoff=cutoff) for order in orders)
