"""Cooper 1968 and Raghavan, Bollmann & Jung 1989 (RBJ): weak orderings, in closed form.

A weak ordering is a list of ranks, best first, each the pair (relevant, nonrelevant) of its counts.
The search stops at NR relevant documents, NR real, or at ND documents. Numbers are exact Fractions
as long as the arguments are rational; irrational ones go in as mpmath numbers, and 50 digits come
out.
"""

from collections import namedtuple
from fractions import Fraction
from itertools import pairwise
from math import ceil, comb, factorial, prod

from mpmath import inf, mp, mpf

mp.dps = max(mp.dps, 50)

ZERO = Fraction(0)


def exact(x):
    """The number that was meant: a float is the decimal it prints as (0.8 is 4/5); an mpf stays
    itself."""
    return x if isinstance(x, mpf) else Fraction(str(x))


def over(a, b):
    """a / b, and 0 where there is nothing to divide by."""
    return exact(a) / b if b else ZERO


Stop = namedtuple("Stop", "t_r j r i s")


def counts(ranks, rel=1):
    """Grades to (relevant, nonrelevant) counts."""
    relevant = [sum(grade >= rel for grade in rank) for rank in ranks]
    return [(r, len(rank) - r) for r, rank in zip(relevant, ranks, strict=True)]


def with_unretrieved(ranks_counts, n, collection_size):
    """The ranking and, as one last rank, every document of the collection that it leaves out."""
    r = n - sum(r for r, _ in ranks_counts)
    i = collection_size - n - sum(i for _, i in ranks_counts)
    return [*ranks_counts, (r, i)]


def final_rank(ranks_counts, nr):
    """Where the search for NR relevant documents stops (RBJ section 3.1); None if it never does.

    Before that rank: t_r relevant and j nonrelevant documents; in it: r and i; wanted from it: s =
    NR - t_r. NR = 0 stands for the limit from above: the first rank with a relevant document, s =
    0.
    """
    if nr < 0:
        raise ValueError(f"`nr` must be >= 0; found {nr}")
    t_r = j = 0
    for r, i in ranks_counts:
        if r > 0 and t_r + r >= nr:
            return Stop(t_r, j, r, i, nr - t_r)
        t_r, j = t_r + r, j + i
    return None


def rising(x, m):
    """x (x + 1) … (x + m - 1) = Γ(x + m) / Γ(x)."""
    if not isinstance(x, int | Fraction):  # a real number of mpmath
        return prod((x + a for a in range(m)), start=Fraction(1))
    over = prod(x.numerator + a * x.denominator for a in range(m))
    return Fraction(over, x.denominator**m)


def search_length_distribution(ranks_counts, nr):
    """{j + v: P_v}, the chance of v nonrelevant documents in the final rank (RBJ Lemma 3.1).

    P_v = Γ(s+v) Γ(r-s+i-v+1) / (Γ(s) v! Γ(r-s+1) (i-v)!) / C(r+i, i). The quotients of Γ are rising
    factorials, so a rational s keeps P_v rational.
    """
    stop = final_rank(ranks_counts, exact(nr))
    if stop is None:
        return {}
    _, j, r, i, s = stop
    return {
        j + v: rising(s, v)
        / factorial(v)
        * rising(r - s + 1, i - v)
        / factorial(i - v)
        / comb(r + i, i)
        for v in range(i + 1)
    }


def esl(ranks_counts, nr):
    """j + i s / (r + 1) (Cooper 1968; RBJ Lemma 3.1); infinite if NR is never reached."""
    stop = final_rank(ranks_counts, exact(nr))
    return stop.j + stop.i * stop.s / (stop.r + 1) if stop else inf


def prr(ranks_counts, nr):
    """Probability of relevance, NR / (NR + ESL) (RBJ eq. 3.3, 3.4); 0 if NR is never reached."""
    nr = exact(nr)
    stop = final_rank(ranks_counts, nr)
    if stop is None or (nr == 0 and stop.j > 0):
        return ZERO
    if nr == 0:
        return Fraction(stop.r + 1, stop.r + stop.i + 1)
    return nr / (nr + esl(ranks_counts, nr))


def precall(ranks_counts, nr):
    """NR / (NR + j + i s / r) (RBJ eq. 2.2); 0 if NR is never reached."""
    nr = exact(nr)
    stop = final_rank(ranks_counts, nr)
    if stop is None or (nr == 0 and stop.j > 0):
        return ZERO
    if nr == 0:
        return Fraction(stop.r, stop.r + stop.i)
    return nr / (nr + stop.j + stop.i * stop.s / stop.r)


def ep(ranks_counts, nr):
    """Expected precision, sum of P_v NR / (NR + j + v) (RBJ example 2.3); 0 if NR is never reached.

    As NR -> 0 all of P_v goes to v = 0 and the sum to 1 (j = 0) or 0 (j > 0).
    """
    nr = exact(nr)
    lengths = search_length_distribution(ranks_counts, nr)
    if nr == 0:
        return Fraction(0 in lengths)
    return sum((p * nr / (nr + length) for length, p in lengths.items()), ZERO)


def at_recall(precision, ranks_counts, n, x, interpolation="intuitive"):
    """One of `prr`, `precall`, `ep` at recall level x (RBJ sections 2.2 and 3.2.2).

    "intuitive": at NR = x n, whole or not. "ceiling": at NR = 1..n, each value raised to the
    highest later one, read at NR = ceil(x n), but at least 1.
    """
    if n == 0:
        return ZERO
    nr = exact(x) * n
    if interpolation == "intuitive":
        return precision(ranks_counts, nr)
    if interpolation == "ceiling":
        return max(precision(ranks_counts, h) for h in range(max(1, ceil(nr)), n + 1))
    raise ValueError(f'`interpolation` must be "intuitive" or "ceiling"; found {interpolation!r}')


def expected_counts(ranks_counts, nd):
    """Expected (relevant, nonrelevant) among the first ND documents: t_r + k r / (r + i), and so
    for i."""
    left = exact(nd)
    relevant = nonrelevant = ZERO
    for r, i in ranks_counts:
        k = min(left, r + i)
        relevant += over(k * r, r + i)
        nonrelevant += over(k * i, r + i)
        left -= k
    return relevant, nonrelevant


def precision_at_documents(ranks_counts, nd):
    """PRR and EP, which are one, on stopping after ND documents (RBJ theorems 3.3, 3.4)."""
    return expected_counts(ranks_counts, nd)[0] / exact(nd)


def expected_recall(ranks_counts, nd, n):
    """ER on stopping after ND documents (RBJ section 3.4)."""
    return over(expected_counts(ranks_counts, nd)[0], n)


def fallout(ranks_counts, nd, n, collection_size):
    """Expected share of the collection's nonrelevant documents among the first ND."""
    return over(expected_counts(ranks_counts, nd)[1], collection_size - n)


def generality(n, collection_size):
    """G = n / N."""
    return Fraction(n, collection_size)


def precision_from(generality, recall, fallout):
    """G R / (G R + (1 - G) F) (Robertson 1969; RBJ eq. 3.5)."""
    return over(generality * recall, generality * recall + (1 - generality) * fallout)


def expected_precision_of_wide_rank(relevant, nonrelevant, before, wanted):
    """EP of a rank of any size that holds few relevant documents, `wanted` of them wanted (a whole
    number).

    P_v C(r+i, i) = C(s-1+v, s-1) C(r-s+i-v, r-s) is a polynomial p of v, and so is (p(v) -
    p(-c))/(v+c), summed by its differences; what is left, p(-c)/(v+c), sums to a difference of
    digamma functions.
    """
    r, i, s = relevant, nonrelevant, wanted
    c = s + before

    def p(v):
        return prod((Fraction(v + k, k) for k in range(1, s)), start=Fraction(1)) * prod(
            (Fraction(i - v + k, k) for k in range(1, r - s + 1)), start=Fraction(1)
        )

    quotients = [(p(v) - p(-c)) / (v + c) for v in range(r)]
    total = ZERO
    for k in range(r):
        total += quotients[0] * comb(i + 1, k + 1)
        quotients = [b - a for a, b in pairwise(quotients)]
    with mp.workdps(60 + 16 * r):  # the two parts nearly cancel
        rest = mpf(p(-c).numerator) / p(-c).denominator * (mp.digamma(c + i + 1) - mp.digamma(c))
        return s * (mpf(total.numerator) / total.denominator + rest) / comb(r + i, i)
