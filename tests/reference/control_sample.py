"""Recall from one random sample of the whole collection, by enumeration of everything that may be
unseen."""

from fractions import Fraction
from math import comb

import numpy as np


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


class RecallByPaths:
    """The distribution of recall for up to 10^5 unseen documents, in doubles.

    Every number m of unseen relevant documents has its own distribution of the retrieved ones among
    them.  P(X <= k) loses P(X = k) (a + k)/(a + b + m) from m to m + 1, and gains the probabilities
    of what k rises by.
    """

    def __init__(self, size1, size0, sampled, r1, r0, prior):
        self.r1, self.found = r1, r1 + r0
        self.a, self.b = prior + r1, prior + r0
        unseen = size1 + size0 - sampled
        # In long doubles: of a sample that hardly fits the sizes, only a tail counts, and 7e-12 of
        # a probability were lost to the rounding of log gamma.
        k = np.arange(1, unseen + 1, dtype=np.longdouble)

        def rising(x):  # log of x (x + 1) … (x + k - 1) / k!
            return np.concatenate([[0], np.cumsum(np.log((x + k - 1) / k))])

        self.parts = rising(self.a), rising(self.b), rising(self.a + self.b)
        weights = rising(prior + self.found) + rising(prior + sampled - self.found)[::-1]
        self.m, weights = np.arange(unseen + 1), np.exp(weights - weights.max())
        least, most = np.maximum(0, self.m - (size0 - r0)), np.minimum(self.m, size1 - r1)
        self.under, self.up_to = self.along(least - 1), self.along(most)
        self.weights = np.where(least <= most, weights, 0) / weights.sum()
        self.possible = float(self.weights @ (self.up_to - self.under))

    def mass(self, m, k):
        inside = (k >= 0) & (k <= m)
        k = np.where(inside, k, 0)
        first, second, both = self.parts
        return np.where(inside, np.exp(first[k] + second[m - k] - both[m]), 0)

    def along(self, k):
        """P(X <= k[m]) for each m; k rises by 0 or 1."""
        k = np.maximum(k, -1)
        assert set(np.diff(k)) <= {0, 1}
        lost = self.mass(self.m, k) * (self.a + k) / (self.a + self.b + self.m)
        gained = np.where(np.diff(k) == 1, self.mass(self.m[1:], k[1:]), 0)
        return (k[0] >= 0) + np.concatenate([[0], np.cumsum(gained - lost[:-1])])

    def below(self, q):
        """P(recall <= q)."""
        # 1e-10: a product within rounding of a whole number is that number
        k = np.floor(q * (self.found + self.m) - self.r1 + 1e-10).astype(int)
        reached = np.clip(self.along(np.minimum(k, self.m)), self.under, self.up_to)
        return float(self.weights @ (reached - self.under)) / self.possible

    def quantile(self, p, near=None):
        """The least q with P(recall <= q) >= p, which is looked for about `near` first."""
        low, high = 0.0, 1.0
        for step in (1e-12, 1e-9, 1e-6) if near is not None else ():
            start, end = max(0.0, near - step), min(1.0, near + step)
            if self.below(start) < p <= self.below(end):
                low, high = start, end
                break
        while high - low > 3e-12:
            middle = (low + high) / 2
            low, high = (low, middle) if self.below(middle) >= p else (middle, high)
        return high
