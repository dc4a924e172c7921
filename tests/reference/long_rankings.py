"""Tied rankings of any number of documents, by counts: sums over places in closed form, or as whole
numbers.

A ranking is a list of ranks, best first, each the pair (relevant, nonrelevant) of its counts; all
are judged. n counts the relevant documents, retrieved or not, judged_nonrelevant the others.
`tied_rankings` has the same closed forms place by place; the tests hold these against those.
Numbers are mpmath's, of 50 digits, but for sums of discounts, which are doubles rounded once.
"""

from fractions import Fraction
from functools import lru_cache
from math import ceil, fsum, log2, sqrt

from mpmath import digamma, exp, loggamma, mp, mpf, workdps

from .hypergeometric import nodes
from .rankings import binary_ideal_dcg
from .weak_orderings import expected_counts, expected_precision_of_wide_rank, final_rank

DIGITS = 50
BITS = 192
LONGEST = 60_000  # terms summed one by one
TABLE = 1 << 19  # discounts that are kept


class OutOfReachError(Exception):
    """Too long for these sums."""


def ratio(x):
    """A Fraction as mpmath's number."""
    return mpf(x.numerator) / x.denominator


def places(ranks, cutoff):
    """t, t_r, g, r of each rank, and how many of its places come before the cut-off."""
    t = t_r = 0
    for r, i in ranks:
        g = r + i
        yield t, t_r, g, r, g if cutoff is None else max(0, min(g, cutoff - t))
        t, t_r = t + g, t_r + r


def precision(ranks, n, cutoff):
    return ratio(expected_counts(ranks, cutoff)[0] / cutoff)


def recall(ranks, n, cutoff):
    return ratio(expected_counts(ranks, cutoff)[0] / n) if n else mpf(0)


def r_precision(ranks, n):
    return precision(ranks, n, n) if n else mpf(0)


def average_precision(ranks, n, cutoff=None):
    """(r/g) (q M + (t_r + 1 - q (t + 1)) (H_{t+M} - H_t)) a rank, q = (r - 1)/(g - 1), M of its
    places counted."""
    with workdps(DIGITS):
        total = mpf(0)
        for t, t_r, g, r, m in places(ranks, cutoff):
            if r and m:
                q = mpf(r - 1) / (g - 1) if g > 1 else mpf(0)
                harmonic = digamma(t + m + 1) - digamma(t + 1)
                total += mpf(r) / g * (q * m + (t_r + 1 - q * (t + 1)) * harmonic)
        return total / n if n else total


def first_relevant(ranks, cutoff, value):
    """The mean of value(place) of the first relevant document, 0 beyond the cut-off; terms of
    2^-192."""
    for t, _, g, r, m in places(ranks, cutoff):
        if r == 0:
            continue
        one = 1 << BITS
        term, total = one * r // g, 0
        for k in range(1, m + 1):
            total += value(term, t + k)
            term = term * (g - k - r + 1) // (g - k) if g > k else 0
            if term << 110 < total:
                break
            if k > 5 * LONGEST:
                raise OutOfReachError
        return mpf(total) / one
    return mpf(0)


def reciprocal_rank(ranks, n, cutoff=None):
    return first_relevant(ranks, cutoff, lambda term, place: term // place)


def success(ranks, n, cutoff):
    return first_relevant(ranks, cutoff, lambda term, place: term)


@lru_cache(1)
def discounts():
    return [1 / log2(i + 2) for i in range(TABLE)]


def dcg(ranks, n, cutoff=None):
    parts = []
    for t, _, g, r, m in places(ranks, cutoff):
        if t + m > TABLE:
            raise OutOfReachError
        if r and m:
            parts.append(r / g * fsum(discounts()[t : t + m]))
    return mpf(fsum(parts))


def ndcg(ranks, n, cutoff=None):
    last = n if cutoff is None else min(n, cutoff)
    ideal = mpf(fsum(discounts()[:last])) if last <= TABLE else binary_ideal_dcg(last)
    return dcg(ranks, n, cutoff) / ideal if n else mpf(0)


def rank_biased_precision(ranks, n, p, cutoff=None):
    with workdps(DIGITS):
        p = mpf(p)
        return sum(
            (mpf(r) / g * p**t * (1 - p**m) for t, _, g, r, m in places(ranks, cutoff) if g), mpf(0)
        )


def bpref(ranks, n, judged_nonrelevant):
    """A relevant document has v of its rank's i others before it, v = 0..i equally likely."""
    total, before, most = Fraction(0), 0, min(judged_nonrelevant, n)
    for r, i in ranks:
        share = Fraction(1)
        if most:
            low, high = min(before, n), min(before + i, n)
            lost = (
                (low + high) * (high - low + 1) // 2 + n * (before + i - max(high, before))
                if before <= n
                else n * (i + 1)
            )
            share -= Fraction(lost, most * (i + 1))
        total += r * share
        before += i
    return ratio(total / n) if n else mpf(0)


def expected_precision(ranks, nr):
    """EP at the nr-th relevant document, nr real: sum of P_v nr/(nr + j + v) (RBJ example 2.3)."""
    nr = Fraction(nr)
    stop = final_rank(ranks, nr)
    if stop is None:
        return mpf(0)
    _, j, r, i, s = stop
    if nr == 0:
        return mpf(j == 0)
    if s.denominator == 1 and r <= 12 and i > LONGEST:
        return ratio(nr) / s * expected_precision_of_wide_rank(r, i, nr - s + j, int(s))
    # v is beta-binomial: i trials, with a chance that is Beta(s, r - s + 1)
    a, b = float(s), float(r - s + 1)
    mode = 0 if s <= 1 else min(i, max(0, ceil(((s - 1) * i - (r - s)) / (r - 1))))
    spread = sqrt(i * a / (a + b) * b / (a + b) * (a + b + i) / (a + b + 1)) if i else 0
    if i <= LONGEST or 40 * spread <= LONGEST:
        return ratio(nr) * mean_of_terms(s, r, i, mode, nr + j)
    if min(mode, i - mode) < 17 * spread:
        raise OutOfReachError
    return ratio(nr) * mean_by_integral(s, r, i, mode, nr + j, spread)


def mean_of_terms(s, r, i, mode, base):
    """The mean of 1/(base + v): each weight is its neighbour's times a quotient of whole numbers,
    from the mode outwards."""
    p, q = s.numerator, s.denominator
    one = weight = 1 << BITS
    total, whole = one, one * base.denominator // (base.numerator + mode * base.denominator)

    def add(weight, v):
        nonlocal total, whole
        total += weight
        whole += weight * base.denominator // (base.numerator + v * base.denominator)

    for v in range(mode, i):
        weight = weight * ((p + q * v) * (i - v)) // ((v + 1) * (q * r - p + q * (i - v)))
        add(weight, v + 1)
        if weight * (i - v) << 100 < total:
            break
    weight = one
    for v in range(mode, 0, -1):
        weight = weight * (v * (q * r - p + q * (i - v + 1))) // ((p + q * (v - 1)) * (i - v + 1))
        add(weight, v - 1)
        if weight * v << 100 < total:
            break
    return mpf(whole) / total


def mean_by_integral(s, r, i, mode, base, spread):
    """The same, of a bell so wide, and so far from the ends, that its sum is its integral."""
    with workdps(DIGITS + 20):
        s, base = ratio(s), ratio(base)

        def log_weight(v):
            return (
                loggamma(s + v)
                + loggamma(r - s + i - v + 1)
                - loggamma(v + 1)
                - loggamma(i - v + 1)
            )

        top, width = log_weight(mpf(mode)), 4 * mpf(spread)
        total = whole = mpf(0)
        for part in range(-4, 4):
            for node, weight in nodes():
                v = mode + width * (part + (node + 1) / 2)
                w = weight * exp(log_weight(v) - top)
                total, whole = total + w, whole + w / (base + v)
        return whole / total


mp.dps = max(mp.dps, DIGITS)
