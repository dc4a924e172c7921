"""Unjudged documents, slowly and obviously: try every label that they could have.

A ranking is as in `rankings`: a list of ranks of grades, a grade below 0 for an unjudged document.
`hidden` documents are neither retrieved nor judged and have a label as well.  A label is a grade of
`labels`, by default not relevant or relevant.  Once all are labelled all count as judged, so a
measure has one value for each labelling: the least and the greatest of them are its bounds.
"""

from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from math import prod

from . import rankings
from .rankings import MEASURES, Linear, measure, over


@measure("SetAP")
def set_average_precision(q):
    """SetP times SetR."""
    return rankings.set_precision(q) * rankings.set_recall(q)


@measure("SetRelP")
def set_relative_precision(q):
    """Relevant retrieved over the smaller of retrieved and relevant."""
    return over(sum(q.relevant), min(len(q.relevant), q.n))


def is_open(grade):
    """Whether nobody has judged it."""
    return grade < 0


def labelled(ranks, labels):
    """The same ranking, its open documents labelled in the order of the ranks."""
    label = iter(labels)
    return [[next(label) if is_open(grade) else grade for grade in rank] for rank in ranks]


def labellings(ranks, hidden, labels):
    """Every labelling: (the ranks, the grades of the hidden documents)."""
    n_open = sum(is_open(grade) for rank in ranks for grade in rank)
    for chosen in product(labels, repeat=n_open):
        for unseen in combinations_with_replacement(labels, hidden):
            yield labelled(ranks, chosen), list(unseen)


def values_of(name, ranks, unretrieved, **options):
    """The measure's values in every order of the ties, as (value, probability)."""
    return [
        (MEASURES[name](Linear(order, unretrieved, None, *take(options)), **extra(options)), p)
        for order, p in rankings.orders(ranks)
    ]


def take(options):
    """The cut-off and the lowest relevant grade."""
    return options.get("cutoff"), options.get("rel", 1)


def extra(options):
    """A measure's own parameters."""
    return {key: value for key, value in options.items() if key not in ("cutoff", "rel")}


RULES = {
    "expected": lambda values: [sum(value * p for value, p in values)],
    "best": lambda values: [max(value for value, _ in values)],
    "worst": lambda values: [min(value for value, _ in values)],
    "any": lambda values: [value for value, _ in values],
}


def bounds(name, ranks, unretrieved=(), hidden=0, *, labels=(0, 1), ties="expected", **options):
    """The least and the greatest value over all labels; with ties="any" over all orders too.

    "Judged" alone knows who was judged, whatever the labels are.
    """
    low = high = None
    for own, unseen in [(ranks, [])] if name == "Judged" else labellings(ranks, hidden, labels):
        for value in RULES[ties](values_of(name, own, [*unretrieved, *unseen], **options)):
            low = value if low is None else min(low, value)
            high = value if high is None else max(high, value)
    return low, high


def expectation(name, ranks, unretrieved, probability, unseen=(), **options):
    """The mean over labels and orders where open document number i is relevant with probability[i],
    and a hidden one with those of `unseen`, all independent."""
    total = Fraction(0)
    for chosen in product((0, 1), repeat=len(probability) + len(unseen)):
        chance = prod(
            p if label else 1 - p for label, p in zip(chosen, [*probability, *unseen], strict=True)
        )
        own = labelled(ranks, chosen[: len(probability)])
        judged = [*unretrieved, *chosen[len(probability) :]]
        total += chance * RULES["expected"](values_of(name, own, judged, **options))[0]
    return total


# Two runs over the same documents
# ---------------------------------------------------------------------------------------------


def difference_bounds(name, one, other, judged, hidden=0, *, labels=(0, 1), **options):
    """The least and the greatest difference of two runs over all labels of what either retrieved.

    A run is a list of ranks of document ids; `judged` has the grades, also of what neither
    retrieved; below 0 for nobody's.
    """
    judged = {doc: grade for doc, grade in judged.items() if not is_open(grade)}
    retrieved = {doc for run in (one, other) for rank in run for doc in rank}
    unjudged = sorted(retrieved - set(judged))
    differences = []

    @cache
    def expected(ranks, rest):  # labels of others' documents count by what they are alone
        own = [list(rank) for rank in ranks]
        return RULES["expected"](values_of(name, own, list(rest), **options))[0]

    for chosen in product(labels, repeat=len(unjudged)):
        for unseen in combinations_with_replacement(labels, hidden):
            grades = {**judged, **dict(zip(unjudged, chosen, strict=True))}
            values = []
            for run in (one, other):
                ranks = tuple(tuple(grades[doc] for doc in rank) for rank in run)
                found = {doc for rank in run for doc in rank}
                rest = [grade for doc, grade in grades.items() if doc not in found]
                values.append(expected(ranks, tuple(sorted([*rest, *unseen]))))
            differences.append(values[0] - values[1])
    return min(differences), max(differences)
