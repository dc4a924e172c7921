"""Unjudged documents: every label and every order of small rankings."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import chain
from typing import Any

import numpy as np

import irbounds as irb
from exactness.measure import ABSOLUTE, Family, Row
from tests.reference import unjudged as slow

SHORT = 1e-13  # the tests': values up to a few units, sums of a dozen terms
LABELS = "all labels and orders, fractions"
MEASURES: dict[str, tuple[str, dict[str, Any]]] = {
    "AP": ("AP", {}),
    "P@3": ("P", {"cutoff": 3}),
    "R@3": ("R", {"cutoff": 3}),
    "F@3": ("F", {"cutoff": 3}),
    "RR": ("RR", {}),
    "Rprec": ("Rprec", {}),
    "Rprec(mult=0.4)": ("Rprec", {"mult": 0.4}),
    "Bpref": ("Bpref", {}),
    "RBP(p=0.5)": ("RBP", {"p": Fraction(1, 2)}),
    "nDCG": ("nDCG", {}),
    "nDCG@3": ("nDCG", {"cutoff": 3}),
    "ERR@4": ("ERR", {"cutoff": 4}),
    "DCG@4": ("DCG", {"cutoff": 4}),
}


def rankings(n: int, rng: np.random.Generator) -> Iterator[tuple[list[list[int]], list[int], int]]:
    """Ranks of grades 0, 1 and -1 for nobody's; grades that are not retrieved; hidden documents."""
    for _ in range(n):
        grades = rng.choice([-1, -1, 0, 1], rng.integers(1, 7)).tolist()
        while grades.count(-1) > 4:
            grades.remove(-1)
        cuts = np.flatnonzero(rng.random(len(grades) - 1) < 0.6) + 1 if grades else []
        ranks = [part.tolist() for part in np.split(np.array(grades, int), cuts)]
        if max(map(len, ranks)) < 4:
            yield ranks, rng.integers(0, 2, rng.integers(0, 3)).tolist(), int(rng.integers(3))


def as_input(ranks: list[list[int]], unretrieved: list[int]) -> tuple[Any, Any]:
    """Qrels and run."""
    run = {f"d{i}-{j}": -i for i, rank in enumerate(ranks) for j in range(len(rank))}
    flat = dict(zip(run, chain.from_iterable(ranks), strict=True))
    qrels = {doc: grade for doc, grade in flat.items() if grade >= 0}
    qrels |= {f"u{i}": grade for i, grade in enumerate(unretrieved)}
    return {"q": qrels or {"nobody": -1}}, {"q": run}


def bounds(n: int) -> Iterator[Row]:
    """At the tie rule, and over the orders of ties too."""
    row = Row("bounds over labels", LABELS, SHORT, ABSOLUTE)
    both = Row("bounds over labels and orders of ties", LABELS, SHORT, ABSOLUTE)
    for ranks, unretrieved, hidden in rankings(n, np.random.default_rng(21)):
        for text, (name, options) in MEASURES.items():
            for of, ties in ((row, "expected"), (both, "any")):
                found = irb.evaluate(
                    *as_input(ranks, unretrieved),
                    text,
                    unjudged="bounds",
                    unjudged_hidden=hidden,
                    max_grade=1,
                    bounds=ties == "any",
                )
                low, high = slow.bounds(name, ranks, unretrieved, hidden, ties=ties, **options)
                of.add([found.unjudged_low[0, 0], found.unjudged_high[0, 0]], [low, high])
    yield row
    yield both


def differences(n: int) -> Iterator[Row]:
    """Bounds on differences of runs, as in compare and next_judgments."""
    row = Row("bounds of a difference over labels", LABELS, SHORT, ABSOLUTE)
    rng = np.random.default_rng(22)
    for _ in range(n):
        docs = [f"d{i}" for i in range(5)]
        judged = {"x": 0} | {doc: int(rng.integers(2)) for doc in docs if rng.random() < 0.4}
        runs = [[[doc] for doc in rng.permutation(docs)[: rng.integers(1, 6)]] for _ in range(2)]
        scores = {
            name: {"q": {doc: -i for i, (doc,) in enumerate(ranks)}}
            for name, ranks in zip("ab", runs, strict=True)
        }
        for text in ("P@3", "R@3", "RBP(p=0.5)", "nDCG@3"):
            name, options = MEASURES[text]
            exact = slow.difference_bounds(name, *runs, judged, **options)
            found = irb.compare(
                {"q": judged}, scores, text, test="sign", unjudged="bounds", unjudged_hidden=0
            )
            row.add(list(found.between("a", "b").unjudged_bounds), list(exact))
            asked = irb.next_judgments({"q": judged}, scores, text)
            row.add(list(asked.bounds["a", "b"]), list(exact))
    yield row


def means(n: int) -> Iterator[Row]:
    """Over independent labels of given probability."""
    row = Row("means over labels of given probability", LABELS, SHORT, ABSOLUTE)
    rng = np.random.default_rng(23)
    for ranks, unretrieved, _ in rankings(n, rng):
        p = float(rng.choice([0, 0.25, 0.5, 1]))
        n_open = sum(grade < 0 for rank in ranks for grade in rank)
        for text, (name, options) in MEASURES.items():
            if name in ("Rprec", "Bpref"):
                continue
            found = irb.evaluate(*as_input(ranks, unretrieved), text, unjudged=p)
            exact = slow.expectation(name, ranks, unretrieved, [Fraction(p)] * n_open, **options)
            row.add(found.values[0], [exact])
    yield row


FAMILIES = [
    Family(bounds, 60, 2, ""),
    Family(differences, 40, 2, "next_judgments NextJudgments"),
    Family(means, 40, 2, ""),
]
