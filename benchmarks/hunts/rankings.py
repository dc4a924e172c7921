"""Measures of rankings with ties, against every order of tied documents."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import chain
from math import factorial, prod
from typing import Any

import numpy as np

import irbounds as irb
from hunts import Arguments, Hunt, Relative
from hunts._draws import one_of, positive, share, whole
from tests.reference import rankings as slow
from tests.reference import (
    trec_measures,  # noqa: F401  enters its measures
    user_models,  # noqa: F401  as does this one
)

Draw = Callable[[np.random.Generator], Any]
PROMISE = Relative(1e-13, 1e-15)  # the headers'; with a few units of 1 near 0
TWINS = "all orders in fractions"
FEW_ORDERS = 400


def level(rng: np.random.Generator) -> float:
    """A lowest relevant grade."""
    return one_of(rng, [1, 1, 2, 0.5, 5, positive(rng, 1e-3, 100)])


def multiple(rng: np.random.Generator) -> float:
    """A share of the relevant documents, or a worth of documents."""
    return one_of(rng, [0.2, 1.0, 2.0, positive(rng, 1e-2, 100)])


def patience(rng: np.random.Generator) -> float:
    """A probability of going on."""
    return one_of(rng, [0.5, 0.8, 0.95, share(rng, 1e-6)])


REL: dict[str, Draw] = {"rel": level}
BETA: dict[str, Draw] = {**REL, "beta": lambda rng: one_of(rng, [1, 2, positive(rng, 0.01, 100)])}
GAIN: dict[str, Draw] = {"dcg": lambda rng: one_of(rng, ["log2", "exp-log2"])}
MODEL: dict[str, Draw] = {"max_rel": lambda rng: one_of(rng, [1, 3, 4, positive(rng, 0.1, 100)])}
WITH_T = {**MODEL, "T": lambda rng: one_of(rng, [1.0, 2.0, positive(rng, 1e-2, 1000)])}
PATIENT: dict[str, Draw] = {"p": patience}
STOP: dict[str, Draw] = {**REL, "nr": lambda rng: whole(rng, 1, 8)}
ROUNDING: dict[str, Draw] = {**REL, "rounding": lambda rng: one_of(rng, ["up", "nearest"])}
NORMAL: dict[str, Draw] = {**PATIENT, "normalize": lambda rng: one_of(rng, [True, False])}
WORTH: dict[str, Draw] = {**REL, "a": multiple, "b": lambda rng: -multiple(rng), "c": multiple}
Rows = dict[str, tuple[dict[str, Draw], str]]

# Each: its parameters, and its cut-off: "may", "must", "level" of recall, or none.
MEANS_AND_ENDS: Rows = {
    **dict.fromkeys(("AP", "RR", "APRet", "Accuracy", "GMAP"), (REL, "may")),
    **dict.fromkeys(("P", "R", "Success", "RelP", "ER", "APMin"), (REL, "must")),
    **dict.fromkeys(("SetP", "SetR", "NumRel", "NumRelRet", "NumNonrelRet"), (REL, "")),
    **dict.fromkeys(("SetAP", "GMBpref", "Bpref", "binG", "RnDCG"), (REL, "")),
    **dict.fromkeys(("DCG", "nDCG"), (GAIN, "may")),
    "F": (BETA, "must"),
    "SetF": (BETA, ""),
    "RBP": ({**PATIENT, **MODEL}, "may"),
    "ERR": ({"max_rel": lambda rng: whole(rng, 1, 12)}, "may"),
    "Judged": ({}, "may"),
    "Hole": ({}, "must"),
    "IDCG": ({}, "may"),
    "nDCGrel": ({}, ""),
    "RBPGraded": (PATIENT, "may"),
    "RBPResid": (PATIENT, ""),
    "Rprec": ({**REL, "mult": multiple}, ""),
    "NumQ": ({}, ""),
    "NumRet": ({}, ""),
    "Utility": (WORTH, ""),
    "SDCG": (MODEL, "must"),
    "INSQ": (WITH_T, ""),
    "Compat": (NORMAL, "may"),
    "IPrec": (ROUNDING, "level"),
    "IPrec11": (ROUNDING, ""),
    "infAP": (REL, ""),
    "G": ({}, ""),
    "BPM": (WITH_T, "must"),
}
ENDS_ALONE: Rows = {
    "YAAP": (REL, ""),
    "NERR8": (MODEL, "must"),
    "NERR9": (MODEL, "must"),
    "NERR10": ({**MODEL, **PATIENT}, ""),
    "NERR11": (WITH_T, ""),
}
IN_COLLECTION: Rows = {
    "Fallout": (REL, "must"),
    "HT": (REL, "must"),
    **dict.fromkeys(("ESL", "EP", "PRR"), (STOP, "")),
}
ALWAYS = ("max_rel", "nr")  # parameters without a default
LOWER_IS_BETTER = ("Hole", "RBPResid", "NumNonrelRet")


def grades(rng: np.random.Generator, n: int) -> list[float]:
    """Grades of n documents: unjudged ones in the pool and outside it, and fractions."""
    kinds = [[0, 1], [-1, 0, 1], [-1, -0.5, 0, 1, 2, 3, 4], [0, 0, 0, 1], [0, 0.5, 1, 10]]
    values = one_of(rng, kinds)
    return [one_of(rng, values) for _ in range(n)]


def n_orders(ranks: list[list[Any]]) -> int:
    """The number of orders of distinct documents: too many rather than too few."""
    return prod(factorial(min(len(rank), 20)) for rank in ranks)


def drawn(rng: np.random.Generator, rows: Rows, most: int = FEW_ORDERS) -> Arguments:
    """A measure and a ranking whose orders can all be tried."""
    name = one_of(rng, list(rows))
    parameters, cut = rows[name]
    ranks: list[list[float]] = []
    while not ranks or n_orders(ranks) > most:
        sizes = [whole(rng, 1, int(one_of(rng, [1, 3, 6]))) for _ in range(whole(rng, 1, 5))]
        ranks = [grades(rng, size) for size in sizes]
    given: dict[str, Any] = {
        key: draw(rng) for key, draw in parameters.items() if key in ALWAYS or rng.random() < 0.5
    }
    if cut == "level":
        given["cutoff"] = one_of(rng, [0.0, 0.1, 0.5, 0.7, 1.0, float(rng.random())])
    elif cut == "must" or (cut and rng.random() < 0.5):
        given["cutoff"] = whole(rng, 1, int(one_of(rng, [5, 2 * sum(sizes), 1200])))
    if "max_rel" in given and name not in ("RBP", "ERR") and rng.random() < 0.4:
        given["min_rel"] = given["max_rel"] * one_of(rng, [0.25, float(rng.random())])
    unretrieved = [max(0, grade) for grade in grades(rng, whole(rng, 0, 5))]
    return {"measure": name, "given": given, "ranks": ranks, "unretrieved": unretrieved}


def in_collection(rng: np.random.Generator) -> Arguments:
    """A measure that needs the size of the collection."""
    args = drawn(rng, IN_COLLECTION, 60)
    retrieved = sum(map(len, args["ranks"]))
    if "cutoff" in args["given"]:
        args["given"]["cutoff"] = whole(rng, 1, retrieved)
    size = retrieved + len(args["unretrieved"]) + whole(rng, 0, 200)
    return {**args, "collection_size": size}


def written(args: Arguments) -> str:
    """The measure as text."""
    given = dict(args["given"])
    cut = given.pop("cutoff", None)
    inside = ",".join(f"{key}={value}" for key, value in given.items())
    return args["measure"] + f"({inside})" * bool(inside) + (f"@{cut}" if cut is not None else "")


def evaluation(args: Arguments, **options: Any) -> irb.Evaluation:
    """Through `rank_measures`."""
    ranks = args["ranks"]
    if n_orders(ranks) > FEW_ORDERS:
        raise irb.InputError("more orders than the twin can take")
    scores = [-float(i) for i, rank in enumerate(ranks) for _ in rank]
    relevance = [float(grade) for rank in ranks for grade in rank]
    return irb.rank_measures(
        scores,
        relevance,
        [written(args)],
        unretrieved=np.array(args["unretrieved"], float),
        collection_size=args.get("collection_size"),
        **options,
    )


def parameters_of(args: Arguments) -> dict[str, Any]:
    """As the twins take them: floats are what they are, and not the decimals that they print as."""
    found: dict[str, Any] = {}
    for key, value in args["given"].items():
        is_plain = key in ("rel", "cutoff") or args["measure"] in ("Compat", "NERR10") * (
            key == "p"
        )
        found[key] = Fraction(value) if isinstance(value, float) and not is_plain else value
    if "T" in found:
        found["target"] = found.pop("T")
    if args["measure"] == "IPrec":
        found["recall"] = found.pop("cutoff")
    return found


def values_of(args: Arguments) -> list[Any]:
    """The value of each order."""
    more = args["unretrieved"], args.get("collection_size")
    return [
        slow.measure_of_order(args["measure"], order, *more, **parameters_of(args))
        for order, _ in slow.orders(args["ranks"])
    ]


def mean_value(args: Arguments) -> float:
    """The exact mean."""
    return float(evaluation(args).values[0, 0])


def mean_truth(args: Arguments) -> float:
    """Over all orders."""
    more = args["unretrieved"], args.get("collection_size")
    return float(slow.expected(args["measure"], args["ranks"], *more, **parameters_of(args)))


def with_end(rng: np.random.Generator) -> Arguments:
    """A measure that has a best and a worst order."""
    rows, most = one_of(rng, [(MEANS_AND_ENDS, FEW_ORDERS), (ENDS_ALONE, 6)])
    args = drawn(rng, rows, most)
    return {**args, "end": one_of(rng, ["best", "worst"]), "by_bounds": bool(rng.random() < 0.5)}


def end_value(args: Arguments) -> float:
    """By ties="best" or "worst", or by bounds=True."""
    if not args["by_bounds"]:
        return float(evaluation(args, ties=args["end"]).values[0, 0])
    found = evaluation(args, bounds=True, ties=args["end"])
    return float((found.high if is_high(args) else found.low)[0, 0])


def is_high(args: Arguments) -> bool:
    return (args["end"] == "best") != (args["measure"] in LOWER_IS_BETTER)


def end_truth(args: Arguments) -> float:
    """The greatest or the least value of all orders."""
    return float(max(values_of(args)) if is_high(args) else min(values_of(args)))


def order_value(args: Arguments) -> float:
    """In the order of the rows."""
    return float(evaluation(args, ties="given").values[0, 0])


def order_truth(args: Arguments) -> float:
    """The value for this order alone."""
    return float(values_of({**args, "ranks": [[grade] for grade in chain(*args["ranks"])]})[0])


def value_of_files(args: Arguments) -> float:
    """Through `evaluate`; what is unjudged is not among the judgments."""
    if n_orders(args["ranks"]) > FEW_ORDERS:
        raise irb.InputError("more orders than the twin can take")
    run, judged = {}, {f"u{i}": grade for i, grade in enumerate(args["unretrieved"])}
    for i, rank in enumerate(args["ranks"]):
        run |= {f"d{i}.{j}": -float(i) for j in range(len(rank))}
        judged |= {f"d{i}.{j}": grade for j, grade in enumerate(rank) if grade != -1}
    qrels = {"q": judged or {"nobody": -1}}
    return float(irb.evaluate(qrels, {"q": run}, written(args)).values[0, 0])


EVERY = {**MEANS_AND_ENDS, **ENDS_ALONE, "INST": (WITH_T, "")}
HUNTS = [
    Hunt(
        "rank_measures, expected",
        lambda rng: drawn(rng, MEANS_AND_ENDS),
        mean_value,
        mean_truth,
        PROMISE,
    ),
    Hunt("rank_measures, in a collection", in_collection, mean_value, mean_truth, PROMISE),
    Hunt("rank_measures, best and worst", with_end, end_value, end_truth, PROMISE),
    Hunt(
        "rank_measures, given order",
        lambda rng: drawn(rng, EVERY, 6),
        order_value,
        order_truth,
        PROMISE,
    ),
    Hunt(
        "evaluate, expected",
        lambda rng: drawn(rng, MEANS_AND_ENDS),
        value_of_files,
        mean_truth,
        PROMISE,
    ),
]
