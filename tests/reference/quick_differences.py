"""Bounds of a difference over unjudged documents: all labels at once, in arrays of long doubles.

Only measures that add a number for each document, given the number of relevant ones or the ideal
ranking: the mean over the orders of a tie is then the mean weight of its places.
"""

from itertools import combinations_with_replacement, product

import numpy as np

REAL = np.longdouble


def all_labels(n_open, hidden, labels):
    """A row for each labelling, a column for each open and each hidden document."""
    chosen = np.array(list(product(labels, repeat=n_open)), int)
    unseen = np.array(list(combinations_with_replacement(labels, hidden)), int)
    return np.hstack([np.repeat(chosen, len(unseen), axis=0), np.tile(unseen, (len(chosen), 1))])


def mean_weights(ranks, weight_of_place):
    """{document: the mean of the weights of its tie's places, the first of which is place 1}."""
    place, means = 1, {}
    for rank in ranks:
        weights = weight_of_place(np.arange(place, place + len(rank)))
        means |= dict.fromkeys(rank, np.mean(weights, axis=-1))
        place += len(rank)
    return means


def ratio(a, b):
    """a / b, 0 where b is."""
    return np.where(b == 0, 0, a / np.where(b == 0, 1, b))


def log_discount(places):
    """1 / log2(place + 1)."""
    return 1 / np.log2(REAL(1) + places)


def difference_bounds(name, one, other, judged, hidden=0, *, labels=(0, 1), **options):
    """As `unjudged.difference_bounds`."""
    retrieved = {doc for run in (one, other) for rank in run for doc in rank}
    unjudged = sorted(retrieved - set(judged))
    table = all_labels(len(unjudged), hidden, list(labels))
    grades = {doc: np.full(len(table), grade) for doc, grade in judged.items()}
    grades |= dict(zip(unjudged, table.T, strict=False))
    rows = [*grades.values(), *table.T[len(unjudged) :]]
    everything = np.array(rows, int).reshape(len(rows), len(table))
    values = [value(name, run, grades, everything, **options) for run in (one, other)]
    differences = values[0] - values[1]
    return differences.min(), differences.max()


def value(name, ranks, grades, everything, *, cutoff=None, rel=1, **options):
    """The measure for every labelling."""
    retrieved = sum(map(len, ranks))
    relevant = (everything >= rel).sum(axis=0)

    def total(gain, weight_of_place=lambda places: np.ones(places.size, REAL)):
        means = mean_weights(ranks, lambda at: weight_of_place(at) * (at <= (cutoff or at[-1])))
        found = (means[doc] * gain(grades[doc]) for rank in ranks for doc in rank)
        return sum(found, np.zeros(everything.shape[1], REAL))

    def is_relevant(grade):
        return (grade >= rel).astype(REAL)

    if name == "NumRel":
        return relevant.astype(REAL)
    if name == "RBP":
        p, highest = REAL(float(options["p"])), options.get("max_rel")
        share = is_relevant if highest is None else lambda grade: grade.astype(REAL) / highest
        return (1 - p) * total(share, lambda at: p ** (at - 1))
    if name in ("DCG", "nDCG"):
        return discounted(name, total, everything, cutoff, options.get("dcg", "log2"))
    if name == "Rprec":
        means = mean_weights(ranks, lambda at: at <= relevant[:, None])
        found = (means[doc] * is_relevant(grades[doc]) for rank in ranks for doc in rank)
        return ratio(sum(found, np.zeros(relevant.size, REAL)), relevant)
    found = total(is_relevant)
    weight = REAL(float(options.get("beta", 1))) ** 2
    return {
        "P": lambda: found / cutoff,
        "R": lambda: ratio(found, relevant),
        "F": lambda: ratio((1 + weight) * found, cutoff + weight * relevant),
        "SetP": lambda: ratio(found, retrieved),
        "SetR": lambda: ratio(found, relevant),
        "NumRelRet": lambda: found,
    }[name]()


def discounted(name, total, everything, cutoff, dcg):
    """DCG, or its share of the ideal ranking's."""

    def gain(grade):
        return grade.astype(REAL) if dcg == "log2" else np.exp2(grade.astype(REAL)) - 1

    found = total(gain, log_discount)
    if name == "DCG":
        return found
    best_first = -np.sort(-everything, axis=0)[:cutoff]
    places = np.arange(1, len(best_first) + 1)[:, None]
    return ratio(found, (gain(best_first) * log_discount(places)).sum(axis=0))
