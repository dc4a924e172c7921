"""Expectations over tie orders in closed form, for ties too long to enumerate.

A rank with t documents, t_r of them relevant, before it holds g documents, r of them relevant. A
document at a place of the rank is relevant with probability r/g, and given that it is, so is each
other place with probability (r-1)/(g-1). After McSherry & Najork 2008; ERR, Bpref and HT go beyond
them. The tests hold `by_formula` against the brute force of `rankings.expected`.
"""

from collections import namedtuple
from fractions import Fraction
from math import comb

from . import rankings
from .rankings import GAINS, MEASURES, ZERO, Linear, exact, over

FORMULAS = {}


def formula(name):
    """Enter a function of (any one order of the ranking, its ranks) into FORMULAS."""
    return lambda function: FORMULAS.setdefault(name, function)


def by_formula(name, ranks, unretrieved=(), collection_size=None, *, cutoff=None, rel=1, **params):
    """The same value as `rankings.expected`, at the cost of a few sums."""
    order = [grade for rank in ranks for grade in rank]
    return FORMULAS[name](Linear(order, unretrieved, collection_size, cutoff, rel), ranks, **params)


Rank = namedtuple("Rank", "t t_r g r grades places")


def walk(q, ranks):
    """Each rank as above; `places` are the m = 1..g at which place t + m is not beyond the
    cut-off."""
    t = t_r = 0
    for grades in ranks:
        g, r = len(grades), sum(grade >= q.rel for grade in grades)
        yield Rank(t, t_r, g, r, grades, [m for m in range(1, g + 1) if t + m <= len(q.top)])
        t, t_r = t + g, t_r + r


# Linear in what stands at each place
# --------------------------------------------------------------------


def place_means(ranks, value):
    """The mean of value(grade) at each place: any document of the rank may stand there."""
    return [sum(map(value, rank), ZERO) / len(rank) for rank in ranks for _ in rank]


def linear(name):
    """A measure linear in the relevance at each place: the place's expected relevance goes in."""

    def expected_relevance(q, ranks, **params):
        q.relevant = place_means(ranks, lambda grade: int(grade >= q.rel))
        q.hits = q.relevant[: q.k]
        return MEASURES[name](q, **params)

    return expected_relevance


FORMULAS |= {name: linear(name) for name in ("P", "R", "ER", "F", "Rprec", "RelP", "Fallout")}


@formula("Judged")
def judged(q, ranks):
    """Mean over the places of the chance that a judged document stands there."""
    return over(sum(place_means(ranks, lambda grade: int(grade >= 0))[: q.k]), len(q.top))


@formula("RBP")
def rank_biased_precision(q, ranks, p=Fraction(4, 5), max_rel=None):
    """(1 - p) sum of p^(i-1) (mean gain at place i)."""
    p, gains = exact(p), place_means(ranks, rankings.rbp_gain(q, max_rel))[: q.k]
    return (1 - p) * sum(p ** (i - 1) * gain for i, gain in enumerate(gains, 1))


@formula("DCG")
def dcg_at_k(q, ranks, dcg="log2"):
    """sum of (mean gain at place i) / log2(i + 1)."""
    return rankings.discounted(place_means(ranks, GAINS[dcg])[: q.k])


@formula("nDCG")
def ndcg_at_k(q, ranks, dcg="log2"):
    """Ties do not change the ideal."""
    return over(dcg_at_k(q, ranks, dcg), rankings.ideal_dcg(q, dcg))


# Not linear
# ---------------------------------------------------------------------------------------------


@formula("AP")
def average_precision(q, ranks):
    """A rank adds (1/n) (r/g) sum over its places of (t_r + 1 + (m-1)(r-1)/(g-1)) / (t+m)."""
    total = ZERO
    for t, t_r, g, r, _, places in walk(q, ranks):
        others = over(r - 1, g - 1)
        total += Fraction(r, g) * sum((t_r + 1 + (m - 1) * others) / (t + m) for m in places)
    return over(total, q.n)


def first_relevant(q, ranks):
    """{place of the first relevant document, if not beyond the cut-off: probability}.

    Negative hypergeometric in the first rank that has one: P(t+m) = C(g-m, r-1) / C(g, r).
    """
    for t, _, g, r, _, places in walk(q, ranks):
        if r > 0:
            return {t + m: Fraction(comb(g - m, r - 1), comb(g, r)) for m in places}
    return {}


@formula("RR")
def reciprocal_rank(q, ranks):
    """Mean of 1 / place of the first relevant document."""
    return sum((p / place for place, p in first_relevant(q, ranks).items()), ZERO)


@formula("Success")
def success(q, ranks):
    """P(the first relevant document is in the top k)."""
    return sum(first_relevant(q, ranks).values(), ZERO)


def mean_products(values):
    """[A_0, …, A_g]: A_m is the mean over all m-subsets of the g values of their product, e_m /
    C(g, m)."""
    e = [Fraction(1)]
    for value in values:
        e = [a + value * b for a, b in zip([*e, 0], [0, *e], strict=True)]
    return [e_m / comb(len(values), m) for m, e_m in enumerate(e)]


@formula("ERR")
def expected_reciprocal_rank(q, ranks, max_rel=4):
    """A_m is the chance to read on past m documents of the rank, so A_(m-1) - A_m that to stop at
    the m-th."""
    total, still_reading = ZERO, Fraction(1)
    for t, _, g, _, grades, places in walk(q, ranks):
        on = mean_products([1 - rankings.stop_probability(grade, max_rel) for grade in grades])
        total += still_reading * sum((on[m - 1] - on[m]) / (t + m) for m in places)
        still_reading *= on[g]
    return total


@formula("Bpref")
def bpref(q, ranks):
    """A relevant document has v of its rank's i judged nonrelevant ones before it, v = 0..i equally
    likely."""
    total, before = ZERO, 0
    for _, _, _, r, grades, _ in walk(q, ranks):
        i = sum(0 <= grade < q.rel for grade in grades)
        total += Fraction(r, i + 1) * sum(rankings.bpref_share(q, before + v) for v in range(i + 1))
        before += i
    return over(total, q.n)


@formula("HT")
def random_does_worse_at_k(q, ranks):
    """The number of relevant documents that k takes from the rank it cuts is hypergeometric."""
    for _, t_r, g, r, _, places in walk(q, ranks):
        if len(places) < g:
            taken = len(places)
            return sum(
                rankings.hypergeometric(x, g, r, taken) * rankings.random_does_worse(q, t_r + x)
                for x in range(taken + 1)
            )
    return rankings.random_does_worse(q, sum(q.relevant))


# Stopping at the nr-th relevant document
# ----------------------------------------------------------------


def stopping(closed_form):
    """Cooper's and RBJ's closed forms, with the rest of the collection, where it is known, as a
    last rank."""

    def at_nr(q, ranks, nr):
        pairs = rankings.counts(ranks, q.rel)
        return closed_form(pairs if q.N is None else rankings.with_unretrieved(pairs, q.n, q.N), nr)

    return at_nr


FORMULAS |= {
    "ESL": stopping(rankings.esl),
    "EP": stopping(rankings.ep),
    "PRR": stopping(rankings.prr),
}
