"""Measures that few tools have: those of trec_eval alone, of user models, of subtopics and of
reviews, against every order of tied documents.

The file is longer than 400 lines because these measures share their draws of rankings.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import chain, permutations, product
from typing import Any

import numpy as np

import irbounds as irb
from hunts import Arguments, Hunt, NoTwinError, last_answer
from hunts._draws import one_of, positive, share, whole
from hunts.rankings import FEW_ORDERS, n_orders, relative
from tests.reference import rankings as slow
from tests.reference import (
    reviews,
    subtopics,
    trec_measures,
    user_models,  # noqa: F401  enters its measures
)

Draw = Callable[[np.random.Generator], Any]
LARGEST_SHIFT = 1e6  # of T
HUGE = 2.0**40
LONGEST_CUT = 10**6  # places of a sum that is taken whole


def patience(rng: np.random.Generator) -> float:
    """A probability of going on."""
    return one_of(rng, [0.5, 0.8, 0.95, share(rng, 1e-9)])


def level(rng: np.random.Generator) -> float:
    """A lowest relevant grade."""
    return one_of(rng, [1, 1, 2, 0.5, 5, positive(rng, 1e-9, HUGE)])


def target(rng: np.random.Generator) -> float:
    """T of a user model."""
    return one_of(rng, [1.0, 2.0, positive(rng, 1e-3, LARGEST_SHIFT)])


def multiple(rng: np.random.Generator) -> float:
    """A share of the relevant documents, or a worth of documents."""
    return one_of(rng, [0.2, 1.0, 2.0, positive(rng, 1e-3, 1e3)])


REL: dict[str, Draw] = {"rel": level}
MODEL: dict[str, Draw] = {
    "max_rel": lambda rng: one_of(rng, [1, 3, 4, 0.25, positive(rng, 1e-6, HUGE)])
}
WITH_T = {**MODEL, "T": target}
PATIENT: dict[str, Draw] = {"p": patience}
# Each: its parameters, and whether it takes a cut-off ("may", "must" or nothing).
MEANS_AND_ENDS: dict[str, tuple[dict[str, Draw], str]] = {
    "IDCG": ({}, "may"),
    "binG": (REL, ""),
    "nDCGrel": ({}, ""),
    "RnDCG": (REL, ""),
    "RBPGraded": (PATIENT, "may"),
    "RBPResid": (PATIENT, ""),
    "APRet": (REL, "may"),
    "APMin": (REL, "must"),
    "Hole": ({}, "must"),
    "Rprec": ({**REL, "mult": multiple}, ""),
    "RelP": (REL, "must"),
    "NumNonrelRet": (REL, ""),
    "NumQ": ({}, ""),
    "SetAP": (REL, ""),
    "GMAP": (REL, "may"),
    "GMBpref": (REL, ""),
    "Utility": ({**REL, "a": multiple, "b": lambda rng: -multiple(rng), "c": multiple}, ""),
    "SDCG": (MODEL, "must"),
    "INSQ": (WITH_T, ""),
    "Accuracy": (REL, "may"),
    "Compat": ({**PATIENT, "normalize": lambda rng: one_of(rng, [True, False])}, ""),
}
SEARCHED: dict[str, tuple[dict[str, Draw], str]] = {
    "IPrec": (REL, "level"),
    "IPrec11": (REL, ""),
    "infAP": (REL, ""),
    "G": ({}, ""),
    "BPM": (WITH_T, "must"),
    "APRet": (REL, "must"),
    "Accuracy": (REL, "must"),
}
ENDS_ALONE: dict[str, tuple[dict[str, Draw], str]] = {
    "YAAP": (REL, ""),
    "NERR8": (MODEL, "must"),
    "NERR9": (MODEL, "must"),
    "NERR10": ({**MODEL, **PATIENT}, ""),
    "NERR11": (WITH_T, ""),
}
ORDERS_ALONE: dict[str, tuple[dict[str, Draw], str]] = {
    "INST": (WITH_T, ""),
}
SETS = ("Utility", "NumNonrelRet", "IDCG")


def grades(rng: np.random.Generator, n: int) -> list[float]:
    """Grades of n documents: unjudged ones in the pool and outside it, fractions, and huge ones."""
    kinds = [
        [0, 1],
        [-1, 0, 1],
        [-1, -0.5, 0, 1, 2, 3, 4],
        [0, 0, 0, 1],
        [0, 0.5, 1, 10],
        [-0.5, 1],
        [0, positive(rng, 1e-9, HUGE), positive(rng, 1e-9, HUGE), HUGE],
    ]
    values = one_of(rng, kinds)
    return [one_of(rng, values) for _ in range(n)]


def drawn(rows: dict[str, tuple[dict[str, Draw], str]], rng: np.random.Generator) -> Arguments:
    """A measure and a ranking whose orders can all be tried."""
    name = one_of(rng, list(rows))
    parameters, cut = rows[name]
    ranks: list[list[float]] = []
    most = 6 if name in ENDS_ALONE else FEW_ORDERS  # twins of a thousand places are slow
    while not ranks or n_orders(ranks) > most:
        sizes = [whole(rng, 1, int(one_of(rng, [1, 3, 6]))) for _ in range(whole(rng, 1, 5))]
        ranks = [grades(rng, size) for size in sizes]
    given: dict[str, Any] = {
        key: draw(rng) for key, draw in parameters.items() if key == "max_rel" or rng.random() < 0.5
    }
    if cut == "level":
        given["cutoff"] = one_of(rng, [0.0, 0.1, 0.5, 0.7, 1.0, float(rng.random())])
    elif cut == "must" or (cut and rng.random() < 0.5):
        given["cutoff"] = whole(rng, 1, int(one_of(rng, [5, 2 * sum(sizes), 1200])))
    if name in ("IPrec", "IPrec11"):
        given["rounding"] = one_of(rng, ["up", "nearest"])
    if "max_rel" in given and rng.random() < 0.4:
        given["min_rel"] = given["max_rel"] * one_of(rng, [0.25, 0.5, float(rng.random())])
    unretrieved = [max(0, grade) for grade in grades(rng, whole(rng, 0, 5))]
    return {"measure": name, "given": given, "ranks": ranks, "unretrieved": unretrieved}


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
    unretrieved = np.array(args["unretrieved"], float)
    return irb.rank_measures(scores, relevance, [written(args)], unretrieved=unretrieved, **options)


def parameters_of(args: Arguments) -> dict[str, Any]:
    """As the twins take them."""
    given = dict(args["given"])
    names = {"T": "target"}
    if args["measure"] == "IPrec":
        names["cutoff"] = "recall"
    found = {
        names.get(key, key): Fraction(value)
        if isinstance(value, float) and key not in ("rel", "cutoff")
        else value
        for key, value in given.items()
    }
    if args["measure"] in ("Compat", "NERR10"):
        found = {key: float(value) if key == "p" else value for key, value in found.items()}
    return found


def every_value(args: Arguments) -> list[tuple[Any, Any]]:
    """The value of each order, and its probability."""
    options = parameters_of(args)
    return [
        (slow.measure_of_order(args["measure"], order, args["unretrieved"], **options), chance)
        for order, chance in slow.orders(args["ranks"])
    ]


def mean_value(args: Arguments) -> float:
    """The exact mean."""
    return float(evaluation(args).values[0, 0])


def mean_truth(args: Arguments) -> float:
    """Over all orders."""
    return float(sum(value * chance for value, chance in every_value(args)))


def end_value(args: Arguments) -> float:
    """By ties="best" or "worst"."""
    return float(evaluation(args, ties=args["end"]).values[0, 0])


def end_truth(args: Arguments) -> float:
    """The greatest or the least value of all orders."""
    values = [value for value, _ in every_value(args)]
    is_lower = args["measure"] in ("Hole", "RBPResid", "NumNonrelRet")
    return float(max(values) if (args["end"] == "best") != is_lower else min(values))


def order_value(args: Arguments) -> float:
    """In the order of the rows."""
    return float(evaluation(args, ties="given").values[0, 0])


def order_truth(args: Arguments) -> float:
    """The value for this order alone."""
    order = list(chain(*args["ranks"]))
    options = parameters_of(args)
    return float(slow.measure_of_order(args["measure"], order, args["unretrieved"], **options))


def with_end(rng: np.random.Generator) -> Arguments:
    """A measure that has a best and a worst order."""
    rows = one_of(rng, [MEANS_AND_ENDS, SEARCHED, ENDS_ALONE])
    return {**drawn(rows, rng), "end": one_of(rng, ["best", "worst"])}


FORMS = {
    "alpha_DCG": "alpha",
    "alpha_nDCG": "alpha",
    "ERR_IA": "",
    "nERR_IA": "",
    "NRBP": "alpha beta",
    "nNRBP": "alpha beta",
    "AP_IA": "",
    "P_IA": "",
    "StRecall": "",
}


def with_subtopics(rng: np.random.Generator, name: str = "") -> Arguments:
    """Judgments by subtopic, and a run with ties; one of the measures, or this one."""
    documents = [f"d{i}" for i in range(whole(rng, 1, 7))]
    topics = [f"s{i}" for i in range(whole(rng, 1, 5))]
    kinds = one_of(rng, [[0, 1], [-1, 0, 1, 2], [1], [0, 1, 2**31 - 1]])
    density = one_of(rng, [0.2, 0.5, 1.0])
    judged = {
        doc: {topic: one_of(rng, kinds) for topic in topics if rng.random() < density}
        for doc in documents
        if rng.random() < 0.8
    }
    judged = {doc: grades for doc, grades in judged.items() if grades} or {"d0": {"s0": 1}}
    n_scores = one_of(rng, [1, 2, 3, 100])
    run: dict[str, int] = {}
    while not run or n_orders(tied_groups(run)) > FEW_ORDERS:
        some = [doc for doc in [*documents, "x", "y"] if rng.random() < 0.8]
        run = {doc: int(rng.integers(n_scores)) for doc in some[: 5 if n_scores == 1 else 9]}
    name = name or one_of(rng, list(FORMS))
    given: dict[str, Any] = {"rel": one_of(rng, [1, 2])} if rng.random() < 0.3 else {}
    if "alpha" in FORMS[name] and rng.random() < 0.7:
        given["alpha"] = one_of(rng, [0.0, 1.0, 0.5, share(rng, 1e-9)])
    if "beta" in FORMS[name] and rng.random() < 0.7:
        given["beta"] = one_of(rng, [0.5, share(rng, 1e-6)])
    if name not in ("NRBP", "nNRBP", "AP_IA"):
        given["cutoff"] = whole(rng, 1, int(one_of(rng, [3, 10, 1000])))
    return {"measure": name, "given": given, "judged": judged, "run": run}


def tied_groups(run: dict[str, int]) -> list[list[str]]:
    """Documents of one score, highest first."""
    return [[d for d in run if run[d] == score] for score in sorted(set(run.values()))[::-1]]


def subtopics_value(args: Arguments) -> float:
    """Through `evaluate`."""
    if n_orders(tied_groups(args["run"])) > FEW_ORDERS:
        raise irb.InputError("more orders than the twin can take")
    found = irb.evaluate({"q": args["judged"]}, {"q": args["run"]}, written(args))
    return float(found.values[0, 0])


def quick_subtopics_truth(args: Arguments) -> float:
    """The mean over all orders, in one walk."""
    groups = tied_groups(args["run"])
    if n_orders(groups) > FEW_ORDERS:
        raise NoTwinError("too many orders")
    given = {"k" if key == "cutoff" else key: value for key, value in args["given"].items()}
    if not 0 < given.get("k", 1) <= LONGEST_CUT:
        raise NoTwinError("too long a sum")
    return float(subtopics.mean_over_orders(args["measure"], groups, args["judged"], **given))


def subtopics_truth(args: Arguments) -> float:
    """The mean over all orders of documents, which differ."""
    groups = tied_groups(args["run"])
    if n_orders(groups) > FEW_ORDERS:
        raise NoTwinError("too many orders")
    given = {"k" if key == "cutoff" else key: value for key, value in args["given"].items()}
    measure = subtopics.MEASURES[args["measure"]]
    values = [
        measure(list(chain(*order)), args["judged"], **given)
        for order in product(*map(permutations, groups))
    ]
    return float(sum(values) / len(values))


REVIEWS: dict[str, Callable[..., Any]] = {
    "WSS": reviews.wss,
    "TNR": reviews.tnr,
    "Depth": lambda order, level, **more: reviews.depth(order, level, **more)[0],
    "LastRel": lambda order, level, **more: reviews.depth(order, 1, **more)[0],
    "ATD": lambda order, level, **more: reviews.mean_place(order, **more),
    "NormArea": lambda order, level, **more: reviews.area(order, **more),
    "NormLoss": lambda order, level, **more: reviews.loss(order, **more),
    "LossR": lambda order, level, **more: reviews.losses(order, level, **more)[0],
    "LossE": lambda order, level, **more: reviews.losses(order, level, **more)[1],
    "LossER": lambda order, level, **more: sum(reviews.losses(order, level, **more)),
    "NCG": reviews.recall_at_share,
}


def review(rng: np.random.Generator, name: str = "") -> Arguments:
    """A collection of which some documents were retrieved; one of the measures, or this one."""
    name = name or one_of(rng, list(REVIEWS))
    args: Arguments = {}
    while not args or n_orders([*args["ranks"], rest_of(args)]) > FEW_ORDERS:
        args = drawn({name: (REL, "")}, rng)
        args["unretrieved"] = args["unretrieved"][: whole(rng, 0, 3)]
        args["more"] = one_of(rng, [0, 1, 2, None])
    given = args["given"]
    if name in ("WSS", "TNR", "Depth"):
        given["cutoff"] = one_of(rng, [0.0, 0.5, 0.6, 0.8, 0.95, 1.0, round(rng.random(), 3)])
    elif name in ("LossR", "LossE", "LossER"):
        given["cutoff"] = whole(rng, 1, 40)
    elif name == "NCG":
        given["cutoff"] = one_of(rng, [10, 40, 70, 100, 0.5, round(100 * rng.random(), 2)])
    if name == "WSS":
        given["penalty"] = one_of(rng, ["target", "reached"])
        given["wanted"] = one_of(rng, ["up", "down", "nearest-even"])
    return args


def rest_of(args: Arguments) -> list[float]:
    """Grades of documents that were not retrieved."""
    return [*args["unretrieved"], *[-1.0] * (args["more"] or 0)]


def review_size(args: Arguments) -> int | None:
    """Documents of the collection, or None where nobody says so."""
    if args["more"] is None:
        return None
    return sum(map(len, args["ranks"])) + len(rest_of(args))


def review_value(args: Arguments) -> float:
    """Through `rank_measures`."""
    return float(evaluation(args, collection_size=review_size(args)).values[0, 0])


def review_truth(args: Arguments) -> float:
    """The mean over all orders of the collection."""
    ranks, rest = args["ranks"], rest_of(args)
    given = dict(args["given"])
    retrieved = sum(map(len, ranks))
    level = given.pop("cutoff", None)
    if args["measure"] in ("LossR", "LossE", "LossER"):
        level = retrieved if level is None else min(level, retrieved)
    if given.get("wanted") == "nearest-even":
        given["retrieved"] = retrieved
    tails = list(slow.orders([rest]))
    measure = REVIEWS[args["measure"]]
    return float(
        sum(
            measure(head + tail, level, **given) * chance * other
            for head, chance in slow.orders(ranks)
            for tail, other in tails
        )
    )


def several(rng: np.random.Generator) -> Arguments:
    """Some queries, and a measure of which one number is the geometric mean."""
    rows = {name: MEANS_AND_ENDS[name] for name in ("GMAP", "GMBpref")}
    first = drawn(rows, rng)
    more = [drawn({first["measure"]: rows[first["measure"]]}, rng) for _ in range(whole(rng, 0, 3))]
    same = {"measure": first["measure"], "given": first["given"]}
    return {"queries": [{**within_qrels(args), **same} for args in (first, *more)]}


def within_qrels(args: Arguments) -> Arguments:
    """The same with grades that qrels may have."""
    ranks = [[min(grade, 2.0**31) for grade in rank] for rank in args["ranks"]]
    unretrieved = [min(grade, 2.0**31) for grade in args["unretrieved"]]
    return {**args, "ranks": ranks, "unretrieved": unretrieved}


def geometric_value(args: Arguments) -> float:
    """Through `evaluate`, by the scores of named documents."""
    qrels: dict[str, dict[str, float]] = {}
    run: dict[str, dict[str, float]] = {}
    for number, query in enumerate(args["queries"]):
        if written(query) != written(args["queries"][0]):
            raise irb.InputError("one measure for all queries")
        if n_orders(query["ranks"]) > FEW_ORDERS:
            raise irb.InputError("more orders than the twin can take")
        retrieved = [(-i, grade) for i, rank in enumerate(query["ranks"]) for grade in rank]
        run[f"q{number}"] = {f"d{i}": float(score) for i, (score, _) in enumerate(retrieved)}
        grades = [*(grade for _, grade in retrieved), *query["unretrieved"]]
        qrels[f"q{number}"] = {f"d{i}": grade for i, grade in enumerate(grades)}
    (value,) = irb.evaluate(qrels, run, written(args["queries"][0])).summary.values()
    return float(value)


def geometric_truth(args: Arguments) -> float:
    """The geometric mean of means over all orders."""
    means = [
        sum(value * chance for value, chance in every_value(query)) for query in args["queries"]
    ]
    return float(trec_measures.geometric_mean(means))


def ties_of(rows: dict[str, tuple[dict[str, Draw], str]]) -> Draw:
    """Draws of these measures."""
    return lambda rng: drawn(rows, rng)


mean_answer, end_answer, order_answer, subtopics_answer, review_answer = (
    last_answer(f)
    for f in (mean_truth, end_truth, order_truth, quick_subtopics_truth, review_truth)
)
geometric_answer = last_answer(geometric_truth)

HUNTS = [
    Hunt(
        "rank_measures, more",
        ties_of(MEANS_AND_ENDS),
        mean_value,
        mean_answer,
        relative(mean_answer),
    ),
    Hunt(
        "rank_measures, searched",
        ties_of(SEARCHED),
        mean_value,
        mean_answer,
        relative(mean_answer),
    ),
    Hunt("rank_measures, ends", with_end, end_value, end_answer, relative(end_answer)),
    Hunt(
        "rank_measures, given",
        ties_of({**MEANS_AND_ENDS, **SEARCHED, **ENDS_ALONE, **ORDERS_ALONE}),
        order_value,
        order_answer,
        relative(order_answer),
    ),
    Hunt(
        "evaluate, subtopics",
        with_subtopics,
        subtopics_value,
        subtopics_answer,
        relative(subtopics_answer),
        sure=subtopics_truth,
    ),
    Hunt(
        "evaluate, geometric mean",
        several,
        geometric_value,
        geometric_answer,
        relative(geometric_answer),
    ),
    Hunt("rank_measures, reviews", review, review_value, review_answer, relative(review_answer)),
]
