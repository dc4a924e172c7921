"""Agreement of two raters, slowly: from all pairs by definition, and its posterior by enumerating
the labels that are not known."""

from collections import Counter
from fractions import Fraction
from itertools import product

from .samples import HALF, betabinomial_pmf


def measure(kind, table, distance=lambda i, j: int(i != j)):
    """Of {(grade by people, grade by the judge): pairs}; None where it does not exist."""
    n = sum(table.values())
    if kind == "accuracy":
        return Fraction(sum(count for (h, j), count in table.items() if h == j), n)
    if kind in ("sensitivity", "specificity"):
        wanted = int(kind == "sensitivity")
        own = sum(count for (h, _), count in table.items() if h == wanted)
        return Fraction(table.get((wanted, wanted), 0), own) if own else None
    observed = Fraction(sum(distance(h, j) * count for (h, j), count in table.items()), n)
    people, judge = Counter(), Counter()
    for (h, j), count in table.items():
        people[h] += count
        judge[j] += count
    if kind == "kappa":
        rows, columns, all_pairs = people, judge, n * n
    else:  # Krippendorff: all pairs of the 2n values, without replacement
        rows = columns = people + judge
        all_pairs = 2 * n * (2 * n - 1)
    apart = sum(distance(a, b) * rows[a] * columns[b] for a, b in product(rows, columns))
    return 1 - observed / Fraction(apart, all_pairs) if apart else None


def posterior(kind, cells):
    """[(value, probability)] for grades 0 and 1: a cell (judge's grade, pairs, labels, relevant
    labels) has a beta-binomial number of relevant ones among those without a label."""
    law = []
    ways = [
        list(betabinomial_pmf(size - n, x + HALF, n - x + HALF).items()) for _, size, n, x in cells
    ]
    for found in product(*ways):
        table, chance = Counter(), 1.0
        for (judge, size, _, x), (more, p) in zip(cells, found, strict=True):
            table[1, judge] += x + more
            table[0, judge] += size - x - more
            chance *= float(p)
        law.append((measure(kind, table), chance))
    return law
