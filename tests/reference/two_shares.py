"""Ratios and sums of two independent Beta variates of whole shapes, in fractions: the distribution
functions are polynomials there.

U ~ Beta(a, b) is at most u with P(at least a of n = a + b - 1 trials succeed), success u.
"""

from fractions import Fraction
from math import comb


def beta_integral(p, q):
    """The integral of v^p (1 - v)^q over [0, 1]."""
    return Fraction(1, (p + q + 1) * comb(p + q, p))


def ratio_below(a, b, c, d, t):
    """P(U <= t V), V ~ Beta(c, d)."""
    if t > 1:  # V <= U/t otherwise, with a factor below 1
        return 1 - ratio_below(c, d, a, b, 1 / Fraction(t))
    t, n, total = Fraction(t), a + b - 1, Fraction(0)
    for j in range(a, n + 1):
        for i in range(n - j + 1):
            term = (-1) ** i * comb(n - j, i) * t ** (i + j)
            total += comb(n, j) * term * beta_integral(c - 1 + i + j, d - 1)
    return total / beta_integral(c - 1, d - 1)


def sum_below(a, b, c, d, s):
    """P(U + V <= s)."""
    if s > 1:
        return 1 - sum_below(b, a, d, c, 2 - Fraction(s))
    s, n, total = Fraction(s), a + b - 1, Fraction(0)
    for j in range(a, n + 1):  # (s - v)^j (1 - s + v)^(n - j) under v^(c - 1) (1 - v)^(d - 1)
        for i in range(n - j + 1):
            for k in range(d):
                p = c - 1 + i + k
                term = comb(n - j, i) * (1 - s) ** (n - j - i) * comb(d - 1, k) * (-1) ** k
                total += comb(n, j) * term * s ** (p + j + 1) * beta_integral(p, j)
    return total / beta_integral(c - 1, d - 1)
