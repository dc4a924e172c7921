"""Recall from one random sample of the whole collection, by enumeration of everything that may be
unseen."""

from fractions import Fraction
from math import comb


def rising(x, k):
    """x (x + 1) … (x + k - 1)."""
    product = Fraction(1)
    for i in range(k):
        product *= x + i
    return product


def beta_binomial(k, n, a, b):
    return comb(n, k) * rising(a, k) * rising(b, n - k) / rising(a + b, n)


def recall_law(size1, size0, sampled, r1, r0, prior=Fraction(1, 2)):
    """{recall: probability}, given that neither segment holds more relevant documents than
    documents."""
    unseen, found = size1 + size0 - sampled, r1 + r0
    law = {}
    for m in range(unseen + 1):
        weight = beta_binomial(m, unseen, prior + found, prior + sampled - found)
        for x in range(m + 1):
            if x <= size1 - r1 and m - x <= size0 - r0:
                recall = Fraction(r1 + x, found + m)
                law[recall] = law.get(recall, 0) + weight * beta_binomial(
                    x, m, prior + r1, prior + r0
                )
    total = sum(law.values())
    return {recall: weight / total for recall, weight in sorted(law.items())}


def quantile(law, p):
    """The least value that is at most reached with probability p."""
    reached = Fraction(0)
    for value, weight in law.items():
        reached += weight
        if reached >= p:
            return value
    return value


def tail(x, drawn, population, relevant):
    """P(X >= x) of a hypergeometric count."""
    return sum(
        Fraction(
            comb(relevant, k) * comb(population - relevant, drawn - k), comb(population, drawn)
        )
        for k in range(x, min(drawn, relevant) + 1)
        if drawn - k <= population - relevant
    )


def guaranteed_low(size1, size0, sampled, r1, r0, alpha):
    """The least share R1/R that is not rejected, over all totals R."""
    unseen, found = size1 + size0 - sampled, r1 + r0
    shares = [
        Fraction(big1, total)
        for total in range(found, found + unseen + 1)
        for big1 in range(r1, total - r0 + 1)
        if big1 <= size1 and total - big1 <= size0 and tail(r1, found, total, big1) > alpha
    ]
    return min(shares)
