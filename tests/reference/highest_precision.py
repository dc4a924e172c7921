"""Interpolated precision of rankings with ties, by counting lattice paths.

A ranking is a list of ranks (documents, relevant ones), best first.  The highest precisions of the
ranks are independent, and those of one rank are at most x in as many orders as there are paths of
relevant and other documents that stay at or below x wherever the relevant documents so far are
enough.
"""

from fractions import Fraction
from itertools import pairwise
from math import comb


def orders_up_to(x, size, relevant, before, found, wanted):
    """Orders of a rank without a precision above x at a place that has the relevant documents."""
    ways = [1] + [0] * relevant
    for place in range(before + 1, before + size + 1):
        new = [ways[h] + (ways[h - 1] if h else 0) for h in range(relevant + 1)]
        ways = [
            0 if found + h >= wanted and found + h > x * place else way for h, way in enumerate(new)
        ]
    return ways[relevant]


def expected_highest_precision(ranks, wanted):
    """The mean over all orders of the highest precision with so many relevant documents or more."""
    values, above, before, found = {Fraction(0)}, [], 0, 0
    for size, relevant in ranks:
        above.append((size, relevant, before, found))
        values |= {
            Fraction(found + h, before + place)
            for place in range(1, size + 1)
            for h in range(max(0, place - size + relevant), min(place, relevant) + 1)
        }
        before, found = before + size, found + relevant

    def chance(x):
        product = Fraction(1)
        for size, relevant, t, f in above:
            orders = orders_up_to(x, size, relevant, t, f, wanted)
            product *= Fraction(orders, comb(size, relevant))
        return product

    values = sorted(values)
    chances = [Fraction(0), *map(chance, values)]
    steps = [high - low for low, high in pairwise(chances)]
    return sum(x * step for x, step in zip(values, steps, strict=True))
