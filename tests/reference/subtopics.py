"""Measures of subtopics of one linear order, as ndeval.c goes through it.

`order` lists the documents that were retrieved, best first; `judged` is {doc: {subtopic: grade}}.
"""

from fractions import Fraction

import numpy as np
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


# All orders of ties in one walk
# ---------------------------------------------------------------------------------------------

LONG = np.longdouble
STEPS = {
    "DCG": lambda place, beta: 1 / np.log2(LONG(place + 1)),
    "ERR": lambda place, beta: 1 / LONG(place),
    "RBP": lambda place, beta: LONG(beta) ** (place - 1),
}
NOVELTY = {
    "alpha_DCG": ("DCG", False),
    "alpha_nDCG": ("DCG", True),
    "ERR_IA": ("ERR", False),
    "nERR_IA": ("ERR", True),
    "NRBP": ("RBP", False),
    "nNRBP": ("RBP", True),
}


def mean_over_orders(name, groups, judged, k=None, rel=1, alpha=0.5, beta=0.5):
    """The mean of a measure over all orders of the documents of each group, in long doubles: an
    order is followed as far as it differs, and what does not depend on it is taken once."""
    topics = {doc: on_what(judged, doc, rel) for group in groups for doc in group}
    names = subtopics_of(judged, rel)
    if not names:
        return LONG(0)
    places = sum(map(len, groups))
    k = places + len(judged) if k is None else k
    if name in NOVELTY:
        kind, is_ideal = NOVELTY[name]
        powers = [(1 - LONG(alpha)) ** i for i in range(len(judged) + places + 1)]
        worth = [STEPS[kind](place, beta) for place in range(1, max(places, len(judged)) + 1)]
        worth = [w if place < k else LONG(0) for place, w in enumerate(worth)]

        def gain(place, doc, seen):
            return worth[place] * sum((powers[seen.get(s, 0)] for s in topics[doc]), LONG(0))

        if is_ideal:
            seen, scale = {}, LONG(0)
            best = greedy(judged, rel, alpha)
            topics |= {doc: on_what(judged, doc, rel) for doc in best}
            for place, doc in enumerate(best):
                scale += gain(place, doc, seen)
                for s in topics[doc]:
                    seen[s] = seen.get(s, 0) + 1
        elif kind == "RBP":
            scale = len(names) / (1 - (1 - LONG(alpha)) * LONG(beta))
        else:
            # beyond so many places the rest of the sum is taken as an array
            place = np.arange(1, k + 1, dtype=LONG)
            steps = 1 / np.log2(place + 1) if kind == "DCG" else 1 / place
            scale = len(names) * ((1 - LONG(alpha)) ** (place - 1) * steps).sum()
    else:
        n = {s: sum(s in on_what(judged, doc, rel) for doc in judged) for s in names}
        scale = LONG(len(names))

        def gain(place, doc, seen):
            if name == "AP_IA":
                found = [LONG(seen.get(s, 0) + 1) / (place + 1) / n[s] for s in topics[doc]]
            elif place >= k:
                found = []
            elif name == "P_IA":
                found = [1 / LONG(k) for _ in topics[doc]]
            else:
                found = [LONG(1) for s in topics[doc] if s not in seen]
            return sum(found, LONG(0))

    return _walk(groups, 0, {}, gain, topics) / scale


def _walk(groups, place, seen, gain, topics):
    """The mean of what the rest of the ranking gains; groups leave the same documents seen in any
    order."""
    if not groups:
        return LONG(0)
    after = dict(seen)
    for doc in groups[0]:
        for s in topics[doc]:
            after[s] = after.get(s, 0) + 1

    def within(left, place, seen):
        total = LONG(0)
        for i, doc in enumerate(left):
            total += gain(place, doc, seen)
            if len(left) > 1:
                more = dict(seen)
                for s in topics[doc]:
                    more[s] = more.get(s, 0) + 1
                total += within([*left[:i], *left[i + 1 :]], place + 1, more)
        return total / len(left)

    rest = _walk(groups[1:], place + len(groups[0]), after, gain, topics)
    return within(groups[0], place, seen) + rest
