"""Measures of trec_eval that its users alone ask for, one linear order at a time, as its own files
(m_binG.c and so on) go through it."""

from fractions import Fraction
from functools import partial

from mpmath import mp

from .rankings import MEASURES, discounted, exact, measure, over
from .weak_orderings import ZERO


def log2(x):
    """With 50 digits."""
    return mp.log(x, 2)


def ideal(q):
    """Gains of all judged documents, best first."""
    return sorted((grade for grade in q.judged if grade > 0), reverse=True)


@measure("IDCG")
def ideal_dcg_at_k(q):
    """DCG of the ideal ranking."""
    return discounted(ideal(q)[: q.k])


@measure("binG")
def binary_gain(q):
    """(1/n) sum over relevant documents of 1/log2(2 + others above)."""
    others, total = 0, ZERO
    for hit in q.relevant:
        if hit:
            total += 1 / log2(2 + others)
        others += 1 - hit
    return over(total, q.n)


@measure("G")
def cost_discounted_gain(q):
    """sum gain / log2(2 + cost - gains so far) / sum of all gains."""
    gains, cost, total = 0, 0, ZERO
    best = ideal(q)
    for place, grade in enumerate(q.grades):
        gain = max(grade, 0)
        gains += Fraction(gain)  # as sums of large gains have no digits of small differences
        cost += max(Fraction(best[place]), 1) if place < len(best) else 1
        if gain:
            behind = 2 + cost - gains
            total += gain / log2(mp.mpf(behind.numerator) / behind.denominator)
    return over(total, sum(best))


def dcg_at(gains, k):
    """DCG of the first k."""
    return discounted([max(gain, 0) for gain in gains[:k]])


@measure("nDCGrel")
def ndcg_at_relevant(q):
    """The mean over documents with a gain of nDCG where they stand, or at the end."""
    best, total, found = ideal(q), ZERO, 0
    for place, grade in enumerate(q.grades, 1):
        if grade > 0:
            total += dcg_at(q.grades, place) / dcg_at(best, place)
            found += 1
    if best:
        missed = dcg_at(q.grades, len(q.grades)) / dcg_at(best, len(best))
        total += (len(best) - found) * missed
    return over(total, len(best))


@measure("RnDCG")
def ndcg_at_steps(q):
    """The mean of nDCG where the ideal gain falls, and once more at the end of a longer ranking."""
    best = ideal(q) if q.n else []  # as trec_eval, also where documents have gains
    steps = [k for k in range(1, len(best) + 1) if k == len(best) or best[k] != best[k - 1]]
    values = [dcg_at(q.grades, k) / dcg_at(best, k) for k in steps]
    if best and len(q.grades) > len(best) + 1:
        values.append(dcg_at(q.grades, len(q.grades)) / dcg_at(best, len(best)))
    return over(sum(values, ZERO), len(values))


@measure("YAAP")
def logit_average_precision(q):
    """log((1 + s) / (1 + n - s)), s the sum of precisions."""
    s = MEASURES["AP"](q) * q.n
    return mp.log(mp.mpf((1 + s).numerator) / (1 + s).denominator) - mp.log(
        mp.mpf((1 + q.n - s).numerator) / (1 + q.n - s).denominator
    )


@measure("APRet")
def retrieved_average_precision(q):
    """The mean precision at relevant documents of the first k."""
    total = sum(Fraction(sum(q.hits[:i]), i) for i, hit in enumerate(q.hits, 1) if hit)
    return over(total, sum(q.hits))


@measure("APMin")
def capped_average_precision(q):
    """AP over as many as the first k can hold."""
    return over(MEASURES["AP"](q) * q.n, min(q.k, q.n))


@measure("infAP")
def inferred_average_precision(q):
    """m_infap.c: a grade from -0.5 to 0 is that of a document in the pool that nobody judged."""
    epsilon = Fraction(1e-5)
    relevant = others = pooled = 0
    total = ZERO
    for j, grade in enumerate(q.grades):
        if -0.5 <= grade < 0:
            pooled += 1
        elif 0 <= grade < q.rel:
            others += 1
        elif grade >= q.rel:
            judged = relevant + others
            total += Fraction(1, j + 1)
            if j > 0:
                share = Fraction(judged + pooled, j)
                precision = (relevant + epsilon) / (judged + 2 * epsilon)
                total += Fraction(j, j + 1) * share * precision
            relevant += 1
    return over(total, q.n)


@measure("RBPGraded")
def graded_rank_biased_precision(q, p=Fraction(9, 10)):
    """Gains over the highest grade of the judgments, at least 1."""
    highest = max([1, *q.judged])
    return (1 - exact(p)) * sum(
        exact(p) ** i * Fraction(max(grade, 0)) / highest for i, grade in enumerate(q.top)
    )


@measure("RBPResid")
def rank_biased_residual(q, p=Fraction(9, 10)):
    """p^n + (1 - p) sum of p^(i-1) over unjudged documents; 0 if there is none."""
    p = exact(p)
    places = [i for i, grade in enumerate(q.grades) if grade < 0]
    if not places:
        return ZERO
    return p ** len(q.grades) + (1 - p) * sum(p**i for i in places)


@measure("SetAP")
def set_average_precision(q):
    """Precision times recall of all that was retrieved."""
    found = sum(q.relevant)
    return over(found, len(q.relevant)) * over(found, q.n)


@measure("NumQ")
def one_query(q):
    """A query counts once."""
    return exact(1)


MEASURES["GMAP"], MEASURES["GMBpref"] = partial(MEASURES["AP"]), partial(MEASURES["Bpref"])
