"""Measures of subtopics of one linear order, as ndeval.c goes through it.

`order` lists the documents that were retrieved, best first; `judged` is {doc: {subtopic: grade}}.
"""

from fractions import Fraction

from mpmath import mp


def on_what(judged, doc, rel):
    """The subtopics on which a document is relevant."""
    return sorted(s for s, grade in judged.get(doc, {}).items() if grade >= rel)


def subtopics_of(judged, rel):
    """Those on which any document is relevant."""
    return sorted({s for doc in judged for s in on_what(judged, doc, rel)})


def novel_gains(order, judged, rel, alpha):
    """Gains of the places: (1 - alpha)^(documents above) for each of its subtopics."""
    seen, gains = {}, []
    for doc in order:
        found = on_what(judged, doc, rel)
        gains.append(sum((1 - mp.mpf(alpha)) ** seen.get(s, 0) for s in found))
        for s in found:
            seen[s] = seen.get(s, 0) + 1
    return gains


def greedy(judged, rel, alpha):
    """The ideal order: each time the document that adds most, of equal ones the last by id."""
    order, left = [], sorted(judged, reverse=True)
    while left:
        best = max(left, key=lambda doc: novel_gains([*order, doc], judged, rel, alpha)[-1])
        order.append(best)
        left.remove(best)
    return order


WORTH = {
    "DCG": lambda place, beta: 1 / mp.log(place + 1, 2),
    "ERR": lambda place, beta: mp.mpf(1) / place,
    "RBP": lambda place, beta: mp.mpf(beta) ** (place - 1),
}


def summed(gains, kind, k, beta):
    """Gains times the worth of places down to k."""
    return sum((g * WORTH[kind](i, beta) for i, g in enumerate(gains[:k], 1) if g), mp.mpf(0))


def novelty(kind, order, judged, k=None, rel=1, alpha=0.5, beta=0.5, ideal=False):
    """alpha_DCG, ERR_IA and NRBP; with `ideal` alpha_nDCG, nERR_IA and nNRBP."""
    n = len(subtopics_of(judged, rel))
    if n == 0:
        return mp.mpf(0)
    value = summed(novel_gains(order, judged, rel, alpha), kind, k, beta)
    if ideal:
        best = novel_gains(greedy(judged, rel, alpha), judged, rel, alpha)
        return value / summed(best, kind, k, beta)
    if kind == "RBP":
        return value * (1 - (1 - mp.mpf(alpha)) * beta) / n
    return value / (n * summed([(1 - mp.mpf(alpha)) ** i for i in range(k)], kind, k, beta))


def intent_aware(measure, order, judged, k=None, rel=1):
    """The mean over subtopics of AP, P@k, or whether one is found."""
    names = subtopics_of(judged, rel)
    if not names:
        return Fraction(0)
    total = Fraction(0)
    for s in names:
        hits = [s in on_what(judged, doc, rel) for doc in order][:k]
        n = sum(s in on_what(judged, doc, rel) for doc in judged)
        if measure == "AP":
            total += sum(Fraction(sum(hits[: i + 1]), i + 1) for i, h in enumerate(hits) if h) / n
        elif measure == "P":
            total += Fraction(sum(hits), k)
        else:
            total += any(hits)
    return total / len(names)


MEASURES = {
    "alpha_DCG": lambda *a, **o: novelty("DCG", *a, **o),
    "alpha_nDCG": lambda *a, **o: novelty("DCG", *a, ideal=True, **o),
    "ERR_IA": lambda *a, **o: novelty("ERR", *a, **o),
    "nERR_IA": lambda *a, **o: novelty("ERR", *a, ideal=True, **o),
    "NRBP": lambda *a, **o: novelty("RBP", *a, **o),
    "nNRBP": lambda *a, **o: novelty("RBP", *a, ideal=True, **o),
    "AP_IA": lambda *a, **o: intent_aware("AP", *a, **o),
    "P_IA": lambda *a, **o: intent_aware("P", *a, **o),
    "StRecall": lambda *a, **o: intent_aware("StRecall", *a, **o),
}
