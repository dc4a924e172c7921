"""Rankings with ties, slowly and obviously: try every order the ties allow.

A ranking is a list of ranks (tie groups), best first; a rank is a list of grades. A grade >= 0 is a
judgement, -1 an unjudged document: it takes a place and is never relevant. `unretrieved` holds the
grades of the judged documents that the run did not return. The documents of one rank come in any
order, each equally likely. "Relevant" means grade >= rel, and n counts the relevant documents,
retrieved or not.

Everything here is brute force, straight from the definitions; the closed forms stand in
`weak_orderings` (stopping at a number of relevant documents) and `tied_rankings` (the common
measures), and the tests hold them against this. Numbers are exact Fractions; where logarithms or
irrational arguments come in, mpmath numbers of 50 digits.

The file is longer than 400 lines because every measure has its definition here.
"""

from fractions import Fraction
from functools import cache
from itertools import product
from math import comb, floor, prod
from operator import index

from mpmath import inf, mp, mpf

from .weak_orderings import (  # noqa: F401  the closed forms are part of this module's face
    ZERO,
    at_recall,
    counts,
    ep,
    esl,
    exact,
    expected_counts,
    expected_recall,
    fallout,
    final_rank,
    generality,
    over,
    precall,
    precision_at_documents,
    precision_from,
    prr,
    search_length_distribution,
    with_unretrieved,
)


def arrangements(rank):
    """Every distinct order of the grades of one rank."""
    if not rank:
        yield []
    for first in sorted(set(rank)):
        rest = list(rank)
        rest.remove(first)
        for tail in arrangements(rest):
            yield [first, *tail]


def orders(ranks):
    """Every distinct linear order of a ranking, as (grades, probability).

    Equal grades can be swapped in the same number of ways in each of them, so all are equally
    likely.
    """
    choices = [list(arrangements(rank)) for rank in ranks]
    probability = Fraction(1, prod(map(len, choices)))
    for choice in product(*choices):
        yield [grade for rank in choice for grade in rank], probability


class Linear:
    """One linear order, as a measure sees it."""

    def __init__(self, order, unretrieved, collection_size, cutoff, rel):
        self.grades = list(order)
        self.relevant = [int(grade >= rel) for grade in self.grades]  # 1 or 0 at each place
        self.top = self.grades[:cutoff]
        self.hits = self.relevant[:cutoff]
        self.judged = [grade for grade in [*order, *unretrieved] if grade >= 0]
        self.n = sum(grade >= rel for grade in self.judged)
        self.N, self.k, self.rel = collection_size, cutoff, rel


MEASURES = {}


def measure(name):
    """Enter a function of one Linear order into MEASURES."""
    return lambda function: MEASURES.setdefault(name, function)


def measure_of_order(
    name, order, unretrieved=(), collection_size=None, *, cutoff=None, rel=1, **params
):
    """The value of one measure on one linear order. Measures without a cut-off look at all of
    it."""
    return MEASURES[name](Linear(order, unretrieved, collection_size, cutoff, rel), **params)


def expected(name, ranks, unretrieved=(), collection_size=None, **options):
    """The mean over all orders; only PRR is a ratio of means, NR / (NR + ESL) (RBJ eq. 3.2)."""
    if name == "PRR":
        length = expected("ESL", ranks, unretrieved, collection_size, **options)
        return ZERO if length == inf else options["nr"] / (options["nr"] + length)
    return sum(
        probability * measure_of_order(name, order, unretrieved, collection_size, **options)
        for order, probability in orders(ranks)
    )


LOWER_IS_BETTER = {"ESL", "Fallout", "Hole"}


def best(name, ranks, *args, **options):
    """The value that the luckiest order gives the user."""
    values = [measure_of_order(name, order, *args, **options) for order, _ in orders(ranks)]
    return min(values) if name in LOWER_IS_BETTER else max(values)


def worst(name, ranks, *args, **options):
    """The value that the unluckiest order gives the user."""
    values = [measure_of_order(name, order, *args, **options) for order, _ in orders(ranks)]
    return max(values) if name in LOWER_IS_BETTER else min(values)


@measure("AP")
def average_precision(q):
    """(1/n) sum of (relevant in the top i) / i over the places i of relevant documents."""
    return over(sum(Fraction(sum(q.hits[:i]), i) for i, hit in enumerate(q.hits, 1) if hit), q.n)


@measure("P")
def precision_at_k(q):
    """Relevant in the top k / k, however few were retrieved."""
    return exact(sum(q.hits)) / q.k


@measure("R")
@measure("ER")
def recall_at_k(q):
    """Relevant in the top k / n: recall, whose mean over the orders is RBJ's expected recall at ND
    = k."""
    return over(sum(q.hits), q.n)


@measure("F")
def f_at_k(q, beta=1):
    """(1 + b²) tp / (k + b² n)."""
    weight = exact(beta) ** 2
    return over((1 + weight) * sum(q.hits), q.k + weight * q.n)


@measure("RR")
def reciprocal_rank(q):
    """1 / place of the first relevant document."""
    return next((Fraction(1, i) for i, hit in enumerate(q.hits, 1) if hit), ZERO)


@measure("Success")
def success(q):
    """1 if anything relevant is in the top k."""
    return Fraction(any(q.hits))


@measure("Rprec")
def r_precision(q, mult=1):
    """Relevant in the top k / k, k = mult n as trec_eval rounds it."""
    depth = documents_at(q, mult, "up")
    return over(sum(q.relevant[:depth]), depth)


def two_to(grade):
    """2 ** grade, exact for a whole grade."""
    return Fraction(2) ** grade if Fraction(grade).denominator == 1 else mpf(2) ** grade


GAINS = {"log2": lambda grade: max(grade, 0), "exp-log2": lambda grade: two_to(max(grade, 0)) - 1}


def discounted(gains):
    """sum over places i of gain / log2(i + 1)."""
    return sum((gain * discount_at(i, mp.prec) for i, gain in enumerate(gains, 1) if gain), ZERO)


@cache
def discount_at(place, precision):
    """1 / log2(place + 1) to so many bits: questions ask for the same ones all the time."""
    return 1 / mp.log(place + 1, 2)


def binary_ideal_dcg(n):
    """That of n documents of gain 1: places one by one, from 2,000 on by Euler and Maclaurin's
    formula.

    The terms left out are below 1e-30.
    """

    def discount(place):
        return mp.log(2) / mp.log(place + 1)

    start = min(n, 2000)
    total = sum(discount(mpf(place)) for place in range(1, start + 1))
    if n == start:
        return total
    first, last = mpf(start), mpf(n)
    total += (
        mp.log(2) * (mp.li(last + 1) - mp.li(first + 1)) + (discount(last) - discount(first)) / 2
    )
    for k in range(1, 6):
        slopes = mp.diff(discount, last, 2 * k - 1) - mp.diff(discount, first, 2 * k - 1)
        total += mp.bernoulli(2 * k) / mp.factorial(2 * k) * slopes
    return total


def ideal_dcg(q, dcg):
    """The DCG of all judged documents, best first, at the same cut-off."""
    return discounted(map(GAINS[dcg], sorted(q.judged, reverse=True)[: q.k]))


@measure("DCG")
def dcg_at_k(q, dcg="log2"):
    """sum of gain / log2(i + 1); the gain is the grade, or 2^grade - 1."""
    return discounted(map(GAINS[dcg], q.top))


@measure("nDCG")
def ndcg_at_k(q, dcg="log2"):
    """DCG / ideal DCG."""
    return over(dcg_at_k(q, dcg), ideal_dcg(q, dcg))


def rbp_gain(q, max_rel):
    """A document's gain: relevant or not, or with max_rel its share of the highest grade."""
    return lambda grade: (
        int(grade >= q.rel) if max_rel is None else Fraction(max(grade, 0)) / max_rel
    )


@measure("RBP")
def rank_biased_precision(q, p=Fraction(4, 5), max_rel=None):
    """(1 - p) sum of p^(i-1) gain (Moffat & Zobel 2008)."""
    p = exact(p)
    return (1 - p) * sum(
        p ** (i - 1) * gain for i, gain in enumerate(map(rbp_gain(q, max_rel), q.top), 1)
    )


def stop_probability(grade, max_rel):
    """The chance that a document ends the search, (2^grade - 1) / 2^max_rel."""
    return (two_to(max(grade, 0)) - 1) / two_to(max_rel)


@measure("ERR")
def expected_reciprocal_rank(q, max_rel=4):
    """sum of (1/i) P(the user stops at place i) (Chapelle et al. 2009)."""
    total, still_reading = ZERO, Fraction(1)
    for i, grade in enumerate(q.top, 1):
        stop = stop_probability(grade, max_rel)
        total += still_reading * stop / i
        still_reading *= 1 - stop
    return total


def bpref_share(q, nonrelevant_before):
    """The share of one relevant document: 1 - min(nonrelevant before, n) / min(all judged
    nonrelevant, n)."""
    return 1 - over(min(nonrelevant_before, q.n), min(len(q.judged) - q.n, q.n))


@measure("Bpref")
def bpref(q):
    """(1/n) sum of the relevant documents' shares (Buckley & Voorhees 2004, as in trec_eval)."""
    total, nonrelevant = ZERO, 0
    for grade in q.grades:
        if grade >= q.rel:
            total += bpref_share(q, nonrelevant)
        elif grade >= 0:
            nonrelevant += 1
    return over(total, q.n)


def documents_at(q, share, rounding):
    """So many relevant documents are a share of n: share n + 0.9, truncated, in doubles as
    trec_eval 9 computes it, or rounded to the nearest, halves upwards."""
    if rounding == "nearest":
        return floor(exact(share) * q.n + Fraction(1, 2))
    return int(float(share) * q.n + 0.9)


@measure("IPrec")
def interpolated_precision(q, recall, rounding="up"):
    """The highest precision at or after the c-th relevant document, c = x n rounded."""
    needed = documents_at(q, recall, rounding)
    seen = [sum(q.relevant[:i]) for i in range(1, len(q.relevant) + 1)]
    return max((Fraction(s, i) for i, s in enumerate(seen, 1) if s >= needed), default=ZERO)


@measure("IPrec11")
def mean_interpolated_precision(q, rounding="up"):
    """The mean of IPrec at 0, 0.1, .., 1."""
    levels = [i / 10 for i in range(11)]
    return Fraction(sum(interpolated_precision(q, level, rounding) for level in levels), 11)


@measure("RelP")
def relative_precision(q):
    """Relevant in the top k / the most that can be there."""
    return over(sum(q.hits), min(q.k, q.n))


@measure("NumNonrelRet")
def nonrelevant_retrieved(q):
    """Judged documents retrieved that are not relevant."""
    return Fraction(sum(0 <= grade < q.rel for grade in q.grades))


@measure("NumQ")
def one(q):
    """1 a query."""
    return Fraction(1)


@measure("Utility")
def utility(q, a=1, b=-1, c=0):
    """a, b and c for each relevant retrieved, other retrieved and relevant unretrieved document."""
    found = sum(q.relevant)
    return exact(a) * found + exact(b) * (len(q.relevant) - found) + exact(c) * (q.n - found)


@measure("Hole")
def hole(q):
    """Unjudged in the top k / k."""
    return Fraction(sum(grade < 0 for grade in q.top), q.k)


@measure("SetP")
def set_precision(q):
    """Relevant retrieved / retrieved."""
    return over(sum(q.relevant), len(q.relevant))


@measure("SetR")
def set_recall(q):
    """Relevant retrieved / n."""
    return over(sum(q.relevant), q.n)


@measure("SetF")
def set_f(q, beta=1):
    """(1 + b²) P R / (b² P + R)."""
    precision, recall, weight = set_precision(q), set_recall(q), exact(beta) ** 2
    return over((1 + weight) * precision * recall, weight * precision + recall)


@measure("NumRet")
def retrieved(q):
    """Documents retrieved."""
    return Fraction(len(q.grades))


@measure("NumRel")
def relevant(q):
    """Relevant documents, retrieved or not."""
    return Fraction(q.n)


@measure("NumRelRet")
def relevant_retrieved(q):
    """Relevant documents retrieved."""
    return Fraction(sum(q.relevant))


@measure("Judged")
def judged(q):
    """Judged documents in the top k / documents in the top k."""
    return over(sum(grade >= 0 for grade in q.top), len(q.top))


def search_lengths(q, nr):
    """{nonrelevant documents before the nr-th relevant one: probability}; empty if it is never
    reached.

    One certain length when the order itself reaches it. Otherwise, and if the collection's size N
    is known, all documents that were not retrieved are one last rank of the weak ordering.
    """
    if index(nr) < 1:
        raise ValueError(f"`nr` must be a whole number >= 1 on a linear order; found {nr}")
    found = sum(q.relevant)
    if found >= nr:
        place = next(i for i in range(1, len(q.relevant) + 1) if sum(q.relevant[:i]) == nr)
        return {place - nr: Fraction(1)}
    if q.N is None:
        return {}
    retrieved = (found, len(q.relevant) - found)
    return search_length_distribution(with_unretrieved([retrieved], q.n, q.N), nr)


@measure("ESL")
def search_length(q, nr):
    """Nonrelevant documents before the nr-th relevant one (Cooper 1968)."""
    lengths = search_lengths(q, nr)
    return sum(length * p for length, p in lengths.items()) if lengths else inf


@measure("EP")
def precision_at_stop(q, nr):
    """Precision on reaching the nr-th relevant document (RBJ example 2.3); 0 if it is never
    reached."""
    return sum((p * nr / (nr + length) for length, p in search_lengths(q, nr).items()), ZERO)


@measure("PRR")
def relevance_probability(q, nr):
    """NR / (NR + search length) of this order; see `expected` for a ranking with ties."""
    length = search_length(q, nr)
    return ZERO if length == inf else nr / (nr + length)


@measure("Fallout")
def fallout_at_k(q):
    """Nonrelevant in the top k / nonrelevant in the collection."""
    return over(len(q.hits) - sum(q.hits), q.N - q.n)


def hypergeometric(x, population, relevant, drawn):
    """P(X = x) for x relevant documents among those drawn without replacement."""
    return Fraction(
        comb(relevant, x) * comb(population - relevant, drawn - x), comb(population, drawn)
    )


def random_does_worse(q, found):
    """P(X < found), X ~ Hypergeometric(N documents, n relevant, k drawn)."""
    return sum((hypergeometric(x, q.N, q.n, q.k) for x in range(found)), ZERO)


@measure("HT")
def random_does_worse_at_k(q):
    """The chance that k documents drawn at random hold fewer relevant ones than the top k (Joiner &
    Werner)."""
    return random_does_worse(q, sum(q.hits))
