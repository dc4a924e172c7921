"""Exact coverage of an interval method on one review, by enumeration of all samples in
fractions."""

from fractions import Fraction
from math import comb


def hypergeometric(size, relevant, sampled):
    """{r: P(r relevant documents in the sample)}, likely or not."""
    return {
        r: Fraction(comb(relevant, r) * comb(size - relevant, sampled - r), comb(size, sampled))
        for r in range(max(0, sampled - size + relevant), min(relevant, sampled) + 1)
    }


def coverage(retrieved, unretrieved, interval):
    """(covered, mean width, interval above recall, interval below), each a Fraction but for the
    width.

    `retrieved` and `unretrieved` are (size, relevant, sampled); `interval` maps two (size, sampled,
    r) to (low, high).
    """
    (size1, relevant1, sampled1), (size0, relevant0, sampled0) = retrieved, unretrieved
    recall = Fraction(relevant1, relevant1 + relevant0)
    covered = above = below = Fraction(0)
    width = 0
    for r1, p1 in hypergeometric(*retrieved).items():
        for r0, p0 in hypergeometric(*unretrieved).items():
            low, high = interval((size1, sampled1, r1), (size0, sampled0, r0))
            chance = p1 * p0
            width += chance * (Fraction(high) - Fraction(low))
            if recall < low:
                above += chance
            elif recall > high:
                below += chance
            else:
                covered += chance
    return covered, width, above, below


def lower_bound_reaches(target, retrieved, unretrieved, interval):
    """P(low >= target) over all samples."""
    (size1, _, sampled1), (size0, _, sampled0) = retrieved, unretrieved
    return sum(
        p1 * p0
        for r1, p1 in hypergeometric(*retrieved).items()
        for r0, p0 in hypergeometric(*unretrieved).items()
        if interval((size1, sampled1, r1), (size0, sampled0, r0))[0] >= target
    )
