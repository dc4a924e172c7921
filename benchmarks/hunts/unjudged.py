"""Unjudged documents of one run: all labels of up to six of them and all orders of ties, also with
probabilities."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

import irbounds as irb
from hunts import Arguments, Hunt, NoTwinError
from hunts._draws import one_of, whole
from tests.reference import unjudged as slow

PROMISE = 1e-13  # the tests', for values up to one: sums of a dozen terms
MOST_OPEN = 6
MOST_VALUES = 3_000  # labellings times orders that the twin tries
GRADED = ("DCG", "nDCG", "ERR")
WITH_CUTOFF = ("AP", "P", "R", "F", "RR", "Success", "Judged", *GRADED)
NEED_CUTOFF = ("P", "R", "F", "Success")
SETS = ("SetP", "SetRelP", "SetR", "SetF", "SetAP", "NumRel", "NumRelRet")
NAMES = (*WITH_CUTOFF, *SETS, "Rprec", "Bpref", "IPrec", "RBP")
HAVE_MEANS = ("AP", "P", "R", "F", "RR", "Success", *GRADED, "RBP", "SetP", "SetR", "SetF")


def parameters(rng: np.random.Generator, name: str, highest: int, depth: int) -> dict[str, Any]:
    """A measure's own, as the twin names them; fractions as text."""
    given: dict[str, Any] = {}
    if name in NEED_CUTOFF or (name in WITH_CUTOFF and rng.random() < 0.6):
        given["cutoff"] = whole(rng, 1, depth)
    if name in ("DCG", "nDCG"):
        given["dcg"] = one_of(rng, ["log2", "exp-log2"])
    elif name == "ERR":
        given["max_rel"] = whole(rng, highest, max(highest, 5))
    elif name == "RBP":
        given["p"] = one_of(rng, [0.5, 0.8, 0.99, float(rng.random())])
        if rng.random() < 0.4:
            given["max_rel"] = whole(rng, highest, max(highest, 5))
    elif name != "Judged" and highest > 1 and rng.random() < 0.5:
        given["rel"] = whole(rng, 1, highest + 1)
    if name in ("F", "SetF"):
        given["beta"] = one_of(rng, [1, 2, 0.5, float(rng.uniform(0.01, 9))])
    if name == "Rprec":
        given["mult"] = one_of(rng, [1, 0.4, 2.5])
    if name == "IPrec":
        given["recall"] = one_of(rng, [0, 0.3, 0.5, 1])
        given["rounding"] = one_of(rng, ["up", "nearest"])
    return given


def written(name: str, given: dict[str, Any]) -> str:
    """The measure as text."""
    inside = {key: value for key, value in given.items() if key not in ("cutoff", "recall")}
    if name == "SetRelP":
        name, inside = "SetP", {**inside, "relative": True}
    text = ", ".join(f"{key}={value}" for key, value in inside.items())
    end = f"@{given['cutoff']}" if "cutoff" in given else ""
    end = f"@{given['recall']}" if "recall" in given else end
    return f"{name}({text}){end}" if text else f"{name}{end}"


def options_of(args: Arguments) -> dict[str, Any]:
    """As the twin takes them."""
    given = dict(args["given"])
    for key in ("p", "beta"):
        if key in given:
            given[key] = Fraction(given[key])
    if "recall" in given:  # 0.3 of 5 documents are 1.5, in decimals as in doubles
        given["recall"] = Fraction(str(given["recall"]))
    return given


def labels_of(args: Arguments) -> Sequence[int]:
    """Those that make a difference."""
    if args["measure"] in GRADED or "max_rel" in args["given"]:
        return range(args["highest"] + 1)
    return [0, args["highest"]]


def promise(args: Arguments) -> float:
    """For DCG, in units of the highest gain that a document can have: all others are at most 1, but
    for counts of a few documents."""
    if args["measure"] != "DCG":
        return PROMISE
    highest = max(1.0, float(args["highest"]))
    return PROMISE * (highest if args["given"].get("dcg") == "log2" else math.exp2(highest) - 1)


def check(args: Arguments, *lists: list[list[Any]]) -> None:
    """Refuse what a search has made of a question that is none."""
    is_end = args.get("end", 0) in (0, 1)
    has_ranks = all(rank for ranks in lists for rank in ranks)
    if not is_end or not has_ranks or args["measure"] not in NAMES:
        raise irb.InputError("not a question")


def grades(rng: np.random.Generator, most: int, highest: int) -> list[int]:
    """Gains of a ranking; open documents have -1, or less where the qrels list them as such."""
    n = whole(rng, 0, most)
    n_open = min(n, whole(rng, 0, MOST_OPEN))
    found = rng.integers(0, highest, n - n_open, endpoint=True).tolist()
    found += [int(one_of(rng, [-1, -1, -1, -2])) for _ in range(n_open)]
    rng.shuffle(found)
    return list(found)


def in_ranks(rng: np.random.Generator, items: list[Any]) -> list[list[Any]]:
    """Ties of all sizes up to four."""
    mix, ranks = one_of(rng, [0, 0.3, 0.7]), []
    for item in items:
        if ranks and len(ranks[-1]) < 4 and rng.random() < mix:
            ranks[-1].append(item)
        else:
            ranks.append([item])
    return ranks


def n_values(args: Arguments) -> int:
    """Labellings times orders."""
    n_orders = math.prod(math.factorial(len(rank)) for rank in args["ranks"])
    n_labels, hidden = len(labels_of(args)), args["hidden"]
    n_open = sum(grade < 0 for rank in args["ranks"] for grade in rank)
    return n_orders * n_labels**n_open * math.comb(hidden + n_labels - 1, hidden)


def one_run(rng: np.random.Generator) -> Arguments:
    """A measure, a tie rule, a ranking, and one end of its bounds."""
    while True:
        highest = int(one_of(rng, [1, 1, 1, 2, 2, 3, 24, 54]))
        found = grades(rng, 8, highest)
        name = one_of(rng, NAMES)
        args = {
            "measure": name,
            "given": parameters(rng, name, highest, len(found) + 2),
            "ranks": in_ranks(rng, found),
            "unretrieved": rng.integers(-1, highest, whole(rng, 0, 3), endpoint=True).tolist(),
            "hidden": int(one_of(rng, [0, 0, 1, 2, 3])),
            "highest": highest,
            "ties": one_of(rng, ["expected", "best", "worst", "any", "given"]),
            "end": int(rng.integers(2)),
        }
        if name == "IPrec" and args["ties"] == "expected":
            args["ties"] = "any"
        if n_values(args) <= MOST_VALUES:
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
    check(args, args["ranks"])
    found = irb.evaluate(
        *as_input(args),
        written(args["measure"], args["given"]),
        ties="best" if args["ties"] == "any" else args["ties"],
        bounds=args["ties"] == "any",
        unjudged="bounds",
        unjudged_hidden=args["hidden"],
        max_grade=args["highest"],
    )
    ends = found.unjudged_high if args["end"] else found.unjudged_low
    assert ends is not None
    return float(ends[0, 0])


def bound_truth(args: Arguments) -> float:
    """The least or the greatest of all labels, and of all orders with ties "any"."""
    every = [grade for rank in args["ranks"] for grade in rank] + args["unretrieved"]
    if n_values(args) > 2 * MOST_VALUES or max(every, default=0) > args["highest"]:
        raise NoTwinError("beyond enumeration")
    ranks = args["ranks"]
    if args["ties"] == "given":
        ranks = [[grade] for rank in ranks for grade in rank]
    ends = slow.bounds(
        args["measure"],
        ranks,
        args["unretrieved"],
        args["hidden"],
        labels=labels_of(args),
        ties="expected" if args["ties"] == "given" else args["ties"],
        **options_of(args),
    )
    return float(ends[args["end"]])


def with_chances(rng: np.random.Generator) -> Arguments:
    """Probabilities of open documents, some of which the run lacks."""
    while True:
        args = {**one_run(rng), "hidden": 0, "highest": 1, "ties": "expected"}
        name = one_of(rng, HAVE_MEANS)
        args["measure"], args["given"] = name, parameters(rng, name, 1, 9)
        flat = [min(grade, 1) for rank in args["ranks"] for grade in rank]
        args["ranks"] = in_ranks(rng, flat)
        args["unretrieved"] = [min(grade, 1) for grade in args["unretrieved"]]
        values = [0, 1, 0.5, 0.25, float(rng.random()), 1e-9, 1 - 1e-9]
        args["chances"] = [one_of(rng, values) for grade in flat if grade < 0]
        args["unseen"] = [one_of(rng, values) for _ in range(whole(rng, 0, 3))]
        if n_values(args) * 2 ** len(args["unseen"]) <= MOST_VALUES:
            return args


def mean(args: Arguments) -> float:
    """Through `evaluate` with a table."""
    check(args, args["ranks"])
    qrels, run = as_input(args)
    unjudged = [doc for doc in run["q"] if qrels["q"].get(doc, -1) < 0]
    if len(args["chances"]) != len(unjudged):
        raise irb.InputError("not as many probabilities as documents")
    table = dict(zip(unjudged, args["chances"], strict=True))
    table |= {f"h{i}": chance for i, chance in enumerate(args["unseen"])}
    found = irb.evaluate(qrels, run, written(args["measure"], args["given"]), unjudged={"q": table})
    return float(found.values[0, 0])


def mean_truth(args: Arguments) -> float:
    """Labelling by labelling, in fractions."""
    if n_values({**args, "hidden": 0}) * 2 ** len(args["unseen"]) > 2 * MOST_VALUES:
        raise NoTwinError("beyond enumeration")
    return float(
        slow.expectation(
            args["measure"],
            args["ranks"],
            args["unretrieved"],
            list(map(Fraction, args["chances"])),
            list(map(Fraction, args["unseen"])),
            **options_of(args),
        )
    )


HUNTS = [
    Hunt("evaluate, unjudged bounds", one_run, bound, bound_truth, promise),
    Hunt("evaluate, unjudged means", with_chances, mean, mean_truth, promise),
]
