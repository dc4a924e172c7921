"""A ranking with ties, and all orders that its ties allow."""

from itertools import permutations, product

TIED = {"a": 3.0, "b": 2.0, "c": 2.0, "d": 2.0, "e": 1.0, "f": 1.0}
GRADES = {"b": 1, "d": 2, "e": 1, "z": 1}


def all_orders(tied):
    """The same ranking without ties, in every order that they allow: {document: score}."""
    groups = {}
    for document, score in tied.items():
        groups.setdefault(score, []).append(document)
    for chosen in product(*(permutations(groups[score]) for score in sorted(groups))):
        yield {
            document: float(place)
            for place, document in enumerate(d for group in chosen for d in group)
        }
