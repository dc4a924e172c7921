"""Two weak orderings by enumeration of the orders of ties in both.

A weak ordering is a list of groups of documents, best first; a strict one is a list of documents.
Documents that one ranking lacks are its last group for Tau, TauAP and Spearman.
"""

from fractions import Fraction
from itertools import permutations, product
from math import comb, factorial, prod, sqrt


def orders(groups):
    """All orders of the documents."""
    return [sum(each, ()) for each in product(*(tuple(permutations(g)) for g in groups))]


def completed(groups, others):
    """With the documents of the other ranking that this one lacks as a last group."""
    own = {doc for group in groups for doc in group}
    lacking = [doc for group in others for doc in group if doc not in own]
    return [*groups, lacking] if lacking else list(groups)


def overlap(a, b, k):
    return Fraction(len(set(a[:k]) & set(b[:k])), k)


def rbo_sum(a, b, p, k):
    """The sum down to depth k."""
    return (1 - p) * sum(p ** (d - 1) * overlap(a, b, d) for d in range(1, k + 1))


def rbo(a, b, p):
    """Extrapolated (Webber, Moffat & Zobel 2010, equation 32)."""
    short, long = sorted((a, b), key=len)
    s, n = len(short), len(long)
    if s == 0:
        return 0
    seen = [None, *(len(set(short[:d]) & set(long[:d])) for d in range(1, n + 1))]
    total = sum(p**d * Fraction(seen[d], d) for d in range(1, n + 1))
    total += sum(p**d * Fraction(seen[s] * (d - s), s * d) for d in range(s + 1, n + 1))
    return (1 - p) / p * total + p**n * (Fraction(seen[n] - seen[s], n) + Fraction(seen[s], s))


def concordant_above(a, b):
    """For each document of b but the first: those above it that a has above it, too."""
    place = {doc: i for i, doc in enumerate(a)}
    return [sum(place[b[j]] < place[b[i]] for j in range(i)) for i in range(1, len(b))]


def tau(a, b):
    n = len(b)
    return 2 * Fraction(sum(concordant_above(a, b)), comb(n, 2)) - 1 if n > 1 else Fraction(1)


def tau_ap(a, b):
    """Yilmaz, Aslam & Robertson 2008: a is the reference."""
    n = len(b)
    shares = (Fraction(c, i) for i, c in enumerate(concordant_above(a, b), 1))
    return 2 * sum(shares) / (n - 1) - 1 if n > 1 else Fraction(1)


def spearman(a, b):
    place, n = {doc: i for i, doc in enumerate(a)}, len(b)
    squares = sum((place[doc] - i) ** 2 for i, doc in enumerate(b))
    return 1 - Fraction(6 * squares, n**3 - n) if n > 1 else Fraction(1)


def over_orders(function, a, b):
    """Mean, least and greatest of a function of two strict orders."""
    values = [function(x, y) for x in orders(a) for y in orders(b)]
    return sum(values) / len(values), min(values), max(values)


def shares_of(groups, d, together):
    """The share of each document at depth d: the chance to be above it, or 1 once its group has
    begun."""
    shares, before = {}, 0
    for group in groups:
        inside = min(max(d - before, 0), len(group))
        for doc in group:
            shares[doc] = float(inside > 0) if together else inside / len(group)
        before += len(group)
    return shares


def corsi_urbano(a, b, p, ties, k=None):
    """RBO^w, RBO^a, RBO^b of Corsi & Urbano 2024, extrapolated as their section 4 does; with k the
    sum of agreements down to depth k."""
    short, long = sorted((a, b), key=lambda groups: sum(map(len, groups)))
    s, n = (sum(map(len, groups)) for groups in (short, long))
    if s == 0:
        return 0.0
    common = {doc for group in short for doc in group} & {doc for group in long for doc in group}
    only_long = {doc for group in long for doc in group} - common

    def agreement(d, added=0.0):
        x, y = shares_of(short, d, ties == "w"), shares_of(long, d, ties == "w")
        seen = sum(x[doc] * y[doc] for doc in common) + added * (
            sum(y[doc] for doc in only_long) / max(1, sum(y[doc] > 0 for doc in only_long))
        )
        unseen = max(0, d - s), max(0, d - n)  # documents beyond their ends
        if ties == "w":
            return 2 * seen / (sum(x.values()) + sum(y.values()) + sum(unseen))
        if ties == "a":
            return seen / d
        own, other = (
            sum(share**2 for share in each.values()) + beyond
            for each, beyond in zip((x, y), unseen, strict=True)
        )
        return seen / sqrt(own) / sqrt(other)

    if k is not None:
        return (1 - p) * sum(p ** (d - 1) * agreement(d) for d in range(1, k + 1))
    at_end = agreement(s)
    total = sum(p ** (d - 1) * agreement(d, max(0, d - s) * at_end) for d in range(1, n + 1))
    return (1 - p) * total + p**n * (len(common) + (n - s) * at_end) / n


def n_orders(groups):
    """How many there are."""
    return prod(factorial(len(group)) for group in groups)
