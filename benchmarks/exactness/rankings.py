"""Measures of rankings with ties: every order of small ones, closed forms for long ones."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import chain
from typing import Any

import numpy as np

import irbounds as irb
from exactness.measure import ABOVE_1, ABSOLUTE, RELATIVE, Family, Row
from tests.reference import rankings as slow
from tests.reference import tied_rankings

SHORT = 1e-13  # the tests' absolute one: values up to a few units, sums of a dozen terms
LONG = 1e-12  # the tests' relative one: sums over hundreds of places
ORDERS = "all orders, fractions"

# Each measure: how it is asked for, and the twin's parameters.
MEASURES: dict[str, dict[str, dict[str, Any]]] = {
    "AP": {"AP": {}, "AP@3": {"cutoff": 3}, "AP(rel=2)": {"rel": 2}},
    "P": {"P@1": {"cutoff": 1}, "P@4": {"cutoff": 4}, "P(rel=2)@3": {"cutoff": 3, "rel": 2}},
    "R": {"R@3": {"cutoff": 3}},
    "F": {"F@3": {"cutoff": 3}, "F(beta=2)@5": {"cutoff": 5, "beta": 2}},
    "RR": {"RR": {}, "RR@2": {"cutoff": 2}, "RR(rel=3)": {"rel": 3}},
    "Success": {"Success@1": {"cutoff": 1}, "Success@4": {"cutoff": 4}},
    "Rprec": {
        "Rprec": {},
        "Rprec(mult=0.4)": {"mult": 0.4},
        "Rprec(mult=2.5)": {"mult": 2.5},
    },
    "RelP": {"RelP@1": {"cutoff": 1}, "RelP@4": {"cutoff": 4}},
    "Hole": {"Hole@3": {"cutoff": 3}},
    "DCG": {"DCG": {}, "DCG@2": {"cutoff": 2}},
    "nDCG": {
        "nDCG": {},
        "nDCG@3": {"cutoff": 3},
        "nDCG(dcg=exp-log2)@4": {"cutoff": 4, "dcg": "exp-log2"},
    },
    "RBP": {
        "RBP": {},
        "RBP(p=0.5)@3": {"p": Fraction(1, 2), "cutoff": 3},
        "RBP(max_rel=3)": {"max_rel": 3},
    },
    "ERR": {"ERR": {}, "ERR@3": {"cutoff": 3}, "ERR(max_rel=3)@5": {"cutoff": 5, "max_rel": 3}},
    "Bpref": {"Bpref": {}, "Bpref(rel=2)": {"rel": 2}},
    "Judged": {"Judged": {}, "Judged@2": {"cutoff": 2}},
    "SetP": {"SetP": {}},
    "SetR": {"SetR(rel=2)": {"rel": 2}},
    "SetF": {"SetF": {}, "SetF(beta=0.5)": {"beta": Fraction(1, 2)}},
    "NumRet": {"NumRet": {}},
    "NumRel": {"NumRel": {}},
    "NumRelRet": {"NumRelRet": {}},
    "NumNonrelRet": {"NumNonrelRet(rel=2)": {"rel": 2}},
    "Utility": {"Utility": {}, "Utility(a=3,b=-0.5,c=-2)": {"a": 3, "b": Fraction(-1, 2), "c": -2}},
    "ESL": {"ESL(nr=1)": {"nr": 1}, "ESL(nr=2)": {"nr": 2}},
    "PRR": {"PRR(nr=2)": {"nr": 2}},
    "EP": {"EP(nr=1)": {"nr": 1}, "EP(nr=2)": {"nr": 2}},
    "ER": {"ER@3": {"cutoff": 3}},
}
OF_LONG: dict[str, tuple[str, dict[str, Any]]] = {
    "AP": ("AP", {}),
    "AP@700": ("AP", {"cutoff": 700}),
    "RR": ("RR", {}),
    "P@700": ("P", {"cutoff": 700}),
    "Success@3": ("Success", {"cutoff": 3}),
    "nDCG": ("nDCG", {}),
    "Bpref": ("Bpref", {}),
    "ERR@40": ("ERR", {"cutoff": 40}),
    "RBP(p=0.99)": ("RBP", {"p": Fraction(99, 100)}),
    "ESL(nr=20)": ("ESL", {"nr": 20}),
    "EP(nr=20)": ("EP", {"nr": 20}),
    "PRR(nr=20)": ("PRR", {"nr": 20}),
    "Judged@700": ("Judged", {"cutoff": 700}),
}
UNBOUNDED = {"DCG", "ESL", "NumRet", "NumRel", "NumRelRet", "NumNonrelRet", "Utility"}
LEVELS = [0.0, 0.25, 0.5, 0.75, 1.0]
ROUNDINGS = ("up", "nearest")


def kind_of(name: str) -> str:
    """Most measures end at 1."""
    return ABOVE_1 if name in UNBOUNDED else ABSOLUTE


def random_ranking(rng: np.random.Generator) -> tuple[list[list[int]], list[int]]:
    """Ranks of grades, one of which may be wide, and grades of what was not retrieved."""
    sizes = [5] if rng.random() < 0.2 else rng.integers(1, 4, rng.integers(1, 4)).tolist()
    return [rng.choice([-1, 0, 0, 1, 1, 2, 3], size).tolist() for size in sizes], rng.integers(
        0, 4, rng.integers(0, 3)
    ).tolist()


def asked(
    ranks: list[list[int]], unretrieved: list[int], measures: list[str], **options: Any
) -> irb.Evaluation:
    """Through `rank_measures`."""
    scores = [-float(i) for i, rank in enumerate(ranks) for _ in rank]
    grades = [float(grade) for rank in ranks for grade in rank]
    return irb.rank_measures(
        scores, grades, measures, unretrieved=np.array(unretrieved, float), **options
    )


def asked_of_files(
    ranks: list[list[int]], unretrieved: list[int], measures: list[str]
) -> np.ndarray:
    """The values again, through `evaluate`; what is unjudged is not among the judgments."""
    run = {f"d{i}.{j}": -float(i) for i, rank in enumerate(ranks) for j in range(len(rank))}
    judged = {
        f"d{i}.{j}": grade
        for i, rank in enumerate(ranks)
        for j, grade in enumerate(rank)
        if grade >= 0
    }
    judged |= {f"u{i}": grade for i, grade in enumerate(unretrieved)}
    return (
        irb.evaluate({"q": judged}, {"q": run}, measures).values
        if judged
        else np.empty((0, len(measures)))
    )


def small(n: int) -> Iterator[Row]:
    """Expectation and bounds of each measure."""
    rng = np.random.default_rng(1)
    rows = {
        name: tuple(
            Row(f"{name}, {what} under ties", ORDERS, SHORT, kind_of(name))
            for what in ("expected", "bounds")
        )
        for name in MEASURES
    }
    forms = [
        (name, text, options) for name, texts in MEASURES.items() for text, options in texts.items()
    ]
    for _ in range(n):
        ranks, unretrieved = random_ranking(rng)
        found = asked(ranks, unretrieved, [text for _, text, _ in forms], bounds=True)
        again = asked_of_files(ranks, unretrieved, [text for _, text, _ in forms])
        orders = [order for order, _ in slow.orders(ranks)]
        for i, (name, _, options) in enumerate(forms):
            every = [slow.measure_of_order(name, order, unretrieved, **options) for order in orders]
            exact = slow.expected(name, ranks, unretrieved, **options)
            rows[name][0].add([found.values[0, i], *again[:, i]], [exact] * (1 + len(again)))
            rows[name][1].add([found.low[0, i], found.high[0, i]], [min(every), max(every)])
    for pair in rows.values():
        yield from pair


def in_a_collection(n: int) -> Iterator[Row]:
    """Where its size counts: what was not retrieved comes last."""
    rng = np.random.default_rng(2)
    rows = {
        name: Row(
            f"{name} in a known collection, expected under ties", ORDERS, SHORT, kind_of(name)
        )
        for name in ("ESL", "PRR", "EP", "Fallout", "HT")
    }
    bounds = {name: Row(f"{name}, bounds under ties", ORDERS, SHORT) for name in ("Fallout", "HT")}
    for _ in range(n):
        ranks, unretrieved = random_ranking(rng)
        retrieved = sum(map(len, ranks))
        size, cutoff = (
            retrieved + len(unretrieved) + int(rng.integers(1, 9)),
            int(rng.integers(1, retrieved + 1)),
        )
        forms = {
            "ESL(nr=3)": ("ESL", {"nr": 3}),
            "PRR(nr=2)": ("PRR", {"nr": 2}),
            "EP(nr=2)": ("EP", {"nr": 2}),
            f"Fallout@{cutoff}": ("Fallout", {"cutoff": cutoff}),
            f"HT@{cutoff}": ("HT", {"cutoff": cutoff}),
        }
        found = asked(ranks, unretrieved, list(forms), collection_size=size, bounds=True)
        for i, (name, options) in enumerate(forms.values()):
            rows[name].add(
                found.values[0, i], slow.expected(name, ranks, unretrieved, size, **options)
            )
            if name in bounds:
                every = [
                    slow.measure_of_order(name, order, unretrieved, size, **options)
                    for order, _ in slow.orders(ranks)
                ]
                bounds[name].add([found.low[0, i], found.high[0, i]], [min(every), max(every)])
    yield from rows.values()
    yield from bounds.values()


def stops(n: int) -> Iterator[Row]:
    """PRR, EP and PRECALL at recall levels and after so many documents."""
    rng = np.random.default_rng(3)
    rows = {
        (name, what): Row(f"{name}(recall=…), (nd=…), {what} under ties", ORDERS, SHORT)
        for name in ("PRR", "EP", "PRECALL")
        for what in ("expected", "bounds")
    }
    for _ in range(n):
        ranks, unretrieved = random_ranking(rng)
        level, documents = float(rng.choice(LEVELS)), int(rng.integers(1, sum(map(len, ranks)) + 1))
        stopped = [f"recall={level}", f"recall={level},interpolation=ceiling", f"nd={documents}"]
        orders = [slow.counts([[grade] for grade in order]) for order, _ in slow.orders(ranks)]
        n_relevant = sum(grade >= 1 for grade in [*chain(*ranks), *unretrieved])
        for name in ("PRR", "EP", "PRECALL"):
            found = asked(ranks, unretrieved, [f"{name}({stop})" for stop in stopped], bounds=True)
            each = [at_stops(name, order, n_relevant, level, documents) for order in orders]
            rows[name, "expected"].add(
                found.values, at_stops(name, slow.counts(ranks), n_relevant, level, documents)
            )
            rows[name, "bounds"].add(found.low, list(map(min, zip(*each, strict=True))))
            rows[name, "bounds"].add(found.high, list(map(max, zip(*each, strict=True))))
    yield from rows.values()


def at_stops(
    name: str, counts: list[tuple[int, int]], n_relevant: int, level: float, documents: int
) -> list[Fraction]:
    """By the closed forms; at a number of documents all three are one."""
    twin = getattr(slow, name.lower())
    return [
        *(slow.at_recall(twin, counts, n_relevant, level, how) for how in ("intuitive", "ceiling")),
        slow.precision_at_documents(counts, documents),
    ]


def given_orders(n: int) -> Iterator[Row]:
    """IPrec and IPrec11 in the order of the rows."""
    rng = np.random.default_rng(4)
    row = Row("IPrec, in the given order", "definition, fractions", SHORT)
    mean = Row("IPrec11, in the given order", "definition, fractions", SHORT)
    levels = [*LEVELS, 0.1, 0.3, 0.6, 0.7, 0.9]  # between whole numbers, where the roundings differ
    for _ in range(n):
        ranks, unretrieved = random_ranking(rng)
        order = list(chain(*ranks))
        for how in ROUNDINGS:
            texts = [f"IPrec(rounding={how})@{level}" for level in levels]
            texts.append(f"IPrec11(rounding={how})")
            found = asked(ranks, unretrieved, texts, ties="given").values[0]
            exact = [
                slow.measure_of_order("IPrec", order, unretrieved, recall=level, rounding=how)
                for level in levels
            ]
            row.add(found[:-1], exact)
            exact = slow.measure_of_order("IPrec11", order, unretrieved, rounding=how)
            mean.add(found[-1:], [exact])
    yield row
    yield mean


def long(n: int) -> Iterator[Row]:
    """Hundreds of documents in a rank."""
    rng = np.random.default_rng(5)
    rows = {
        name: Row(f"{name}, expected, ranks of hundreds", "closed forms, fractions", LONG, RELATIVE)
        for name in dict.fromkeys(name for name, _ in OF_LONG.values())
    }
    for _ in range(n):
        ranks = [
            [-1] * int(rng.integers(1, 300)),
            [1, *rng.choice([-1, -1, 0, 0, 0, 0, 0, 1, 2], 300).tolist()],
            [0],
            [1],
            rng.choice([0, 0, 0, 0, 0, 1], 350).tolist(),
        ]
        found = asked(ranks, [1, 2, 0], list(OF_LONG))
        for i, (name, options) in enumerate(OF_LONG.values()):
            rows[name].add(
                found.values[0, i], tied_rankings.by_formula(name, ranks, [1, 2, 0], **options)
            )
    row = Row("HT, expected, ranks of hundreds", "closed forms, fractions", LONG, RELATIVE)
    for _ in range(n):
        relevant, others, unseen = rng.integers(5, 60), rng.integers(50, 200), rng.integers(0, 200)
        ranks, unretrieved = [[1] * int(relevant) + [0] * int(others)], [1] * int(unseen)
        found = asked(ranks, unretrieved, ["HT@40"], collection_size=2000)
        row.add(found.values, tied_rankings.by_formula("HT", ranks, unretrieved, 2000, cutoff=40))
    yield from [*rows.values(), row]


FAMILIES = [
    Family(small, 200, 8, "rank_measures evaluate Evaluator"),
    Family(in_a_collection, 300, 20, ""),
    Family(stops, 300, 20, ""),
    Family(given_orders, 300, 20, ""),
    Family(long, 6, 1, ""),
]
