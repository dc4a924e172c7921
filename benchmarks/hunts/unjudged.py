"""Unjudged documents of one run and of two: all labels, and all orders of ties; probabilities."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import comb, factorial, prod
from typing import Any

import numpy as np

import irbounds as irb
from hunts import Arguments, Hunt, NoTwinError
from hunts._draws import one_of, whole
from tests.reference import unjudged as slow

UNIT = 1e-13  # the tests', for values up to one: sums of a dozen terms
TWINS = "all labels and orders in fractions"
WORDS = "1e-13 of the highest gain"
MOST_VALUES = 1000  # labellings times orders that the twin tries
HIGHEST = 3  # grade

# Each: the twin's name and parameters.
WITH_MEANS: dict[str, tuple[str, dict[str, Any]]] = {
    "AP": ("AP", {}),
    "AP@3": ("AP", {"cutoff": 3}),
    "P@3": ("P", {"cutoff": 3}),
    "R@3": ("R", {"cutoff": 3}),
    "F(beta=2)@3": ("F", {"cutoff": 3, "beta": 2}),
    "RR": ("RR", {}),
    "Success@2": ("Success", {"cutoff": 2}),
    "RBP(p=0.5)": ("RBP", {"p": Fraction(1, 2)}),
    "DCG@4": ("DCG", {"cutoff": 4}),
    "nDCG": ("nDCG", {}),
    "nDCG(dcg=exp-log2)@3": ("nDCG", {"cutoff": 3, "dcg": "exp-log2"}),
    "ERR@4": ("ERR", {"cutoff": 4}),
    "SetP": ("SetP", {}),
    "SetR": ("SetR", {}),
    "SetF": ("SetF", {}),
}
EVERY = {
    **WITH_MEANS,
    "R(rel=2)@3": ("R", {"cutoff": 3, "rel": 2}),
    "Judged@3": ("Judged", {"cutoff": 3}),
    "SetP(relative=True)": ("SetRelP", {}),
    "SetAP": ("SetAP", {}),
    "NumRel": ("NumRel", {}),
    "NumRelRet": ("NumRelRet", {}),
    "Rprec": ("Rprec", {}),
    "Rprec(mult=0.4)": ("Rprec", {"mult": 0.4}),
    "Bpref": ("Bpref", {}),
    "IPrec@0.5": ("IPrec", {"recall": 0.5}),
    "IPrec(rounding=nearest)@0.3": ("IPrec", {"recall": 0.3, "rounding": "nearest"}),
}
# Bounds of a difference that labels reach; those of other measures may be wider.
REACHED = ("P", "R", "F", "DCG", "RBP", "nDCG", "SetP", "SetR", "NumRelRet")


def promise(args: Arguments, truth: float) -> float:
    """DCG's gains are grades; other values are at most 1, or counts of a few documents."""
    return UNIT * (HIGHEST if "DCG" in args["measure"] else 1)


def in_ranks(rng: np.random.Generator, items: list[Any]) -> list[list[Any]]:
    """Ties of all sizes up to four."""
    mix = one_of(rng, [0, 0.3, 0.7])
    ranks: list[list[Any]] = []
    for item in items:
        if ranks and len(ranks[-1]) < 4 and rng.random() < mix:
            ranks[-1].append(item)
        else:
            ranks.append([item])
    return ranks


def n_values(args: Arguments, n_open: int, *runs: list[list[Any]]) -> int:
    """Labellings times orders of all runs."""
    n_orders = sum(prod(factorial(len(rank)) for rank in run) for run in runs)
    n_labels, hidden = args["highest"] + 1, args["hidden"]
    return n_orders * n_labels**n_open * comb(hidden + n_labels - 1, hidden)


def values_of_one(args: Arguments) -> int:
    if not all(args["ranks"]) or args["hidden"] < 0:
        raise irb.InputError("not a ranking")
    n_open = sum(grade < 0 for rank in args["ranks"] for grade in rank)
    return n_values(args, n_open + len(args.get("unseen", ())), args["ranks"])


def one_run(rng: np.random.Generator, measures: Any = EVERY) -> Arguments:
    """A measure, a tie rule, a ranking, and one end of its bounds."""
    while True:
        highest, n = int(one_of(rng, [1, 1, 2, HIGHEST])), whole(rng, 0, 8)
        n_open = min(n, whole(rng, 0, 6))
        found = rng.integers(0, highest, n - n_open, endpoint=True).tolist()
        # below -1: unjudged documents that the qrels list as such
        found += [int(one_of(rng, [-1, -1, -1, -2])) for _ in range(n_open)]
        rng.shuffle(found)
        args = {
            "measure": one_of(rng, list(measures)),
            "ranks": in_ranks(rng, found),
            "unretrieved": rng.integers(-1, highest, whole(rng, 0, 3), endpoint=True).tolist(),
            "hidden": int(one_of(rng, [0, 0, 1, 2])),
            "highest": highest,
            "ties": one_of(rng, ["expected", "best", "worst", "any"]),
            "is_high": bool(rng.integers(2)),
        }
        if "IPrec" in args["measure"] and args["ties"] == "expected":
            args["ties"] = "any"
        if values_of_one(args) <= MOST_VALUES:
            return args


def as_input(args: Arguments) -> tuple[dict[str, Any], dict[str, Any]]:
    """Qrels and run."""
    run = {f"d{i}.{j}": -i for i, rank in enumerate(args["ranks"]) for j in range(len(rank))}
    flat = [grade for rank in args["ranks"] for grade in rank]
    qrels = {doc: grade for doc, grade in zip(run, flat, strict=True) if grade != -1}
    qrels |= {f"u{i}": grade for i, grade in enumerate(args["unretrieved"])}
    return {"q": qrels or {"nobody": -1}}, {"q": run}


def bound(args: Arguments) -> float:
    """Through `evaluate`."""
    values_of_one(args)
    found = irb.evaluate(
        *as_input(args),
        args["measure"],
        ties="best" if args["ties"] == "any" else args["ties"],
        bounds=args["ties"] == "any",
        unjudged="bounds",
        unjudged_hidden=args["hidden"],
        max_grade=args["highest"],
    )
    return float((found.unjudged_high if args["is_high"] else found.unjudged_low)[0, 0])


def bound_truth(args: Arguments) -> float:
    """The least or the greatest of all labels, and of all orders with ties "any"."""
    every = [grade for rank in args["ranks"] for grade in rank] + args["unretrieved"]
    if values_of_one(args) > 2 * MOST_VALUES or max(every, default=0) > args["highest"]:
        raise NoTwinError("beyond enumeration")
    name, options = EVERY[args["measure"]]
    options = {**options, "labels": range(args["highest"] + 1), "ties": args["ties"]}
    ends = slow.bounds(name, args["ranks"], args["unretrieved"], args["hidden"], **options)
    return float(ends[args["is_high"]])


def with_chances(rng: np.random.Generator) -> Arguments:
    """Probabilities of open documents, some of which the run lacks."""
    while True:
        args = {**one_run(rng, WITH_MEANS), "hidden": 0, "highest": 1}
        flat = [min(grade, 1) for rank in args["ranks"] for grade in rank]
        args["ranks"] = in_ranks(rng, flat)
        args["unretrieved"] = [min(grade, 1) for grade in args["unretrieved"]]
        values = [0, 1, 0.5, 0.25, float(rng.random()), 1e-9, 1 - 1e-9]
        args["chances"] = [one_of(rng, values) for grade in flat if grade < 0]
        args["unseen"] = [one_of(rng, values) for _ in range(whole(rng, 0, 3))]
        if values_of_one(args) <= MOST_VALUES:
            return args


def mean(args: Arguments) -> float:
    """Through `evaluate` with a table."""
    values_of_one(args)
    qrels, run = as_input(args)
    unjudged = [doc for doc in run["q"] if qrels["q"].get(doc, -1) < 0]
    if len(args["chances"]) != len(unjudged):
        raise irb.InputError("not as many probabilities as documents")
    table = dict(zip(unjudged, args["chances"], strict=True))
    table |= {f"h{i}": chance for i, chance in enumerate(args["unseen"])}
    return float(irb.evaluate(qrels, run, args["measure"], unjudged={"q": table}).values[0, 0])


def mean_truth(args: Arguments) -> float:
    """Labelling by labelling."""
    if values_of_one(args) > 2 * MOST_VALUES:
        raise NoTwinError("beyond enumeration")
    chances, unseen = (list(map(Fraction, args[name])) for name in ("chances", "unseen"))
    name, options = EVERY[args["measure"]]
    asked = name, args["ranks"], args["unretrieved"], chances, unseen
    return float(slow.expectation(*asked, **options))


def two_runs(rng: np.random.Generator) -> Arguments:
    """Rankings of the same documents, some of them judged."""
    names = [text for text, (name, _) in WITH_MEANS.items() if name in (*REACHED, "AP", "ERR")]
    while True:
        highest, docs = int(one_of(rng, [1, 1, 2])), [f"d{i}" for i in range(whole(rng, 1, 7))]
        share = one_of(rng, [0.2, 0.5, 0.8])
        known = [doc for doc in docs if rng.random() < share] or ["x"]
        args = {
            "measure": one_of(rng, names),
            "judged": {doc: int(rng.integers(0, highest + 1)) for doc in known},
            "highest": highest,
            "hidden": int(one_of(rng, [0, 0, 1, 2])),
            "is_high": bool(rng.integers(2)),
        }
        for run in ("one", "other"):
            mine = rng.permutation(docs)[: whole(rng, 0, len(docs))].tolist()
            args[run] = in_ranks(rng, mine)
        if values_of_two(args) <= MOST_VALUES // 4:
            return args


def values_of_two(args: Arguments) -> int:
    runs = args["one"], args["other"]
    retrieved = {doc for run in runs for rank in run for doc in rank}
    known = {doc for doc, grade in args["judged"].items() if grade >= 0}
    return n_values(args, len(retrieved - known), *runs)


def asked_of_two(args: Arguments) -> tuple[tuple[Any, ...], Arguments]:
    """Qrels, runs and measure; options."""
    runs = {
        name: {"q": {doc: -place for place, rank in enumerate(args[name]) for doc in rank}}
        for name in ("one", "other")
    }
    options = {"unjudged_hidden": args["hidden"], "max_grade": args["highest"]}
    return ({"q": args["judged"]}, runs, args["measure"]), options


def end_of_difference(args: Arguments) -> float:
    """Through `compare`; the truth where bounds that are not exact hold it."""
    asked, options = asked_of_two(args)
    found = irb.compare(*asked, test="sign", unjudged="bounds", **options).between("one", "other")
    low, high = found.unjudged_bounds
    if found.unjudged_is_exact:
        return float((low, high)[args["is_high"]])
    assert EVERY[args["measure"]][0] not in REACHED
    truth = difference_truth(args)
    return truth if low - UNIT <= truth <= high + UNIT else float((low, high)[args["is_high"]])


def end_of_next(args: Arguments) -> float:
    """Through `next_judgments`."""
    asked, options = asked_of_two(args)
    found = irb.next_judgments(*asked, **options)
    return float(found.bounds["one", "other"][args["is_high"]])


def difference_truth(args: Arguments) -> float:
    """The least or the greatest of all labels."""
    if values_of_two(args) > MOST_VALUES:
        raise NoTwinError("beyond enumeration")
    name, options = EVERY[args["measure"]]
    labels = range(args["highest"] + 1)
    asked = name, args["one"], args["other"], args["judged"], args["hidden"]
    return float(slow.difference_bounds(*asked, labels=labels, **options)[args["is_high"]])


def for_next(rng: np.random.Generator) -> Arguments:
    """Measures of which `next_judgments` knows the bounds."""
    while True:
        args = two_runs(rng)
        if EVERY[args["measure"]][0] in REACHED:
            return args


def hunt(name: str, draw: Callable[..., Arguments], value: Any, truth: Any) -> Hunt:
    return Hunt(name, draw, value, truth, promise, WORDS)


HUNTS = [
    hunt("evaluate, unjudged bounds", one_run, bound, bound_truth),
    hunt("evaluate, unjudged means", with_chances, mean, mean_truth),
    hunt("compare, unjudged bounds", two_runs, end_of_difference, difference_truth),
    hunt("next_judgments", for_next, end_of_next, difference_truth),
]
