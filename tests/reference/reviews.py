"""Measures of document reviews for one linear order of a whole collection, as grades."""

from fractions import Fraction
from itertools import pairwise
from math import ceil, floor

ROUND = {"up": ceil, "nearest-even": round, "down": floor}


def places(order, rel):
    """Places of the relevant documents."""
    return [i for i, grade in enumerate(order, 1) if grade >= rel]


def depth(order, level, rel=1, wanted="up"):
    """Documents read until the level of recall is reached; relevant ones among them.

    A product within 1e-12 of a whole number, relative, is that number.
    """
    found = places(order, rel)
    product = Fraction(str(level)) * len(found)
    near = round(product)
    is_whole = abs(product - near) <= Fraction(near, 10**12)
    number = near if is_whole else ROUND[wanted](product)
    return (found[number - 1] if number else 0), number


def wss(order, level, rel=1, wanted="up", penalty="target", retrieved=None):
    """Work saved over sampling."""
    n, size = len(places(order, rel)), len(order)
    if n == 0:
        return Fraction(0)
    read, number = depth(order, level, rel, wanted)
    if wanted == "nearest-even" and number > len(places(order[:retrieved], rel)):
        return Fraction(0)
    reached = Fraction(number, n) if penalty == "reached" else Fraction(str(level))
    return Fraction(size - read, size) - (1 - reached)


def tnr(order, level, rel=1):
    """Others behind the stop, of all others."""
    n = len(places(order, rel))
    others = len(order) - n
    if not n or not others:
        return Fraction(0)
    read, number = depth(order, level, rel)
    return 1 - Fraction(read - number, others)


def mean_place(order, rel=1):
    """ATD."""
    found = places(order, rel)
    return Fraction(sum(found), len(found)) if found else Fraction(0)


def area(order, rel=1):
    """By the trapezoid rule, from no document read to all, over that of the best order."""

    def below(sequence):
        curve = [0]
        for grade in sequence:
            curve.append(curve[-1] + (grade >= rel))
        return sum(Fraction(a + b, 2) for a, b in pairwise(curve))

    best = below(sorted(order, key=lambda grade: -(grade >= rel)))
    return below(order) / best if best else Fraction(0)


def loss(order, rel=1):
    """Pairs in the wrong order."""
    pairs = [
        (i, j)
        for i, a in enumerate(order)
        for j, b in enumerate(order)
        if a >= rel and not b >= rel
    ]
    return Fraction(sum(i > j for i, j in pairs), len(pairs)) if pairs else Fraction(0)


def losses(order, k, rel=1):
    """loss_r, loss_e."""
    n = len(places(order, rel))
    missed = 1 - Fraction(len(places(order[:k], rel)), n) if n else Fraction(0)
    return missed**2, Fraction(100, len(order)) ** 2 * Fraction(k, n + 100) ** 2


def recall_at_share(order, percentage, rel=1):
    """Recall after so many of a hundred documents."""
    n = len(places(order, rel))
    k = ceil(Fraction(str(percentage)) * len(order) / 100)
    return Fraction(len(places(order[:k], rel)), n) if n else Fraction(0)
