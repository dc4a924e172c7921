"""Measures of rankings with ties: short ones of grades, long ones by counts, best and worst
orders."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

import irbounds as irb
from hunts import Arguments, Hunt, NoTwinError, last_answer
from hunts._draws import one_of, positive, whole
from tests.reference import long_rankings as long
from tests.reference import rankings as slow
from tests.reference import tied_rankings

LARGEST = 2**52
RELATIVE = 1e-13  # the header's, of ranks up to 10^6
ROUNDING = 1e-15  # of what is near 0: an absolute error of a few units of 1
LONGEST = 300_000  # documents of a ranking that are drawn here
FEW_ORDERS = 400  # orders of tied documents that are tried, for bounds
SETS = ["SetP", "SetR", "SetF", "NumRet", "NumRel", "NumRelRet"]
WITH_CUTOFF = ["AP", "P", "R", "F", "RR", "Success", "Judged", "DCG", "nDCG", "RBP", "ERR", "ER"]
STOPS = ["ESL", "EP", "PRR"]


def grades(rng: np.random.Generator, n: int) -> list[float]:
    """Grades of n documents, -1 for unjudged ones."""
    values = [[0, 1], [-1, 0, 1], [-1, 0, 1, 2, 3, 4], [0, 0, 0, 0, 1], [0, 0.5, 1, 10]][
        int(rng.integers(5))
    ]
    return [one_of(rng, values) for _ in range(n)]


def short(rng: np.random.Generator) -> Arguments:
    """Up to some 30 documents in ranks of all sizes, a measure and its parameters."""
    sizes = [whole(rng, 1, int(one_of(rng, [1, 3, 12]))) for _ in range(whole(rng, 1, 6))]
    name = one_of(rng, [*WITH_CUTOFF, *SETS, *STOPS, "Rprec", "RelP", "Bpref", "Fallout", "HT"])
    given: dict[str, Any] = {}
    if name in ("DCG", "nDCG"):
        given["dcg"] = one_of(rng, ["log2", "exp-log2"])
    elif name == "ERR" or (name == "RBP" and rng.random() < 0.5):
        given["max_rel"] = int(rng.integers(1, 12))
    elif name != "Judged" and rng.random() < 0.4:
        given["rel"] = one_of(rng, [0, 0.5, 1, 2, 5]) if name != "NumRet" else 1
    if name == "RBP":
        given["p"] = one_of(rng, [0.5, 0.8, 0.99, float(rng.random()), 1e-3, 1 - 1e-9])
    if name in ("F", "SetF"):
        given["beta"] = one_of(rng, [1, 2, 0.5, positive(rng, 1e-9, 1e9)])
    if name in STOPS:
        given["nr"] = int(rng.integers(1, 8))
    if name in ("P", "R", "F", "Success", "RelP", "ER", "Fallout", "HT") or (
        name in WITH_CUTOFF and rng.random() < 0.5
    ):
        given["cutoff"] = whole(rng, 1, 2 * sum(sizes))
    ranks = [grades(rng, size) for size in sizes]
    unretrieved = [max(0, grade) for grade in grades(rng, whole(rng, 0, 6))]
    size = None
    if name in ("Fallout", "HT") or (name in STOPS and rng.random() < 0.5):
        size = sum(sizes) + len(unretrieved) + whole(rng, 0, 200)
    return {
        "measure": name,
        "given": given,
        "ranks": ranks,
        "unretrieved": unretrieved,
        "collection_size": size,
    }


def written(name: str, given: dict[str, Any]) -> str:
    """The measure as text."""
    options = {key: value for key, value in given.items() if key != "cutoff"}
    inside = ", ".join(
        f"{key}={value!r}" if key != "dcg" else f"dcg={value}" for key, value in options.items()
    )
    return (
        name + f"({inside})" * bool(inside) + (f"@{given['cutoff']}" if "cutoff" in given else "")
    )


def evaluation(args: Arguments, **options: Any) -> irb.Evaluation:
    """Through `rank_measures`."""
    ranks = args["ranks"]
    scores = [-float(i) for i, rank in enumerate(ranks) for _ in rank]
    relevance = [float(grade) for rank in ranks for grade in rank]
    if sum(map(len, ranks)) > 80:
        raise irb.InputError("longer than the twin can take")
    return irb.rank_measures(
        scores,
        relevance,
        [written(args["measure"], args["given"])],
        unretrieved=np.array(args["unretrieved"], float),
        collection_size=args["collection_size"],
        **options,
    )


def parameters(args: Arguments) -> dict[str, Any]:
    """As the twins take them."""
    given = dict(args["given"])
    given = {key: Fraction(value) if key == "beta" else value for key, value in given.items()}
    if args["measure"] == "RBP":
        given["p"] = Fraction(given["p"])
    return given


def short_truth(args: Arguments) -> float:
    """Place by place, in fractions; measures of sets from any order."""
    ranks, name = args["ranks"], args["measure"]
    if any(grade < 0 for grade in args["unretrieved"]) or any(
        grade > 200 for rank in ranks for grade in rank
    ):
        raise NoTwinError("not such grades")
    more = args["unretrieved"], args["collection_size"]
    if name in SETS and not (name == "NumRet" and args["given"]):
        order = [grade for rank in ranks for grade in rank]
        return float(slow.measure_of_order(name, order, *more, **parameters(args)))
    if name == "NumRet":
        return float(sum(grade >= args["given"]["rel"] for rank in ranks for grade in rank))
    if name == "Fallout":
        return float(fallout(ranks, *more, **parameters(args)))
    return float(tied_rankings.by_formula(name, ranks, *more, **parameters(args)))


def fallout(
    ranks: list[list[float]], unretrieved: list[float], size: int, cutoff: int, rel: float = 1
) -> Any:
    """Beyond the ranking, what was not retrieved is read in any order."""
    pairs = slow.counts(ranks, rel)
    n = sum(grade >= rel for rank in [*ranks, unretrieved] for grade in rank)
    return slow.fallout(slow.with_unretrieved(pairs, n, size), cutoff, n, size)


def value_of(args: Arguments) -> float:
    """The only one."""
    return float(evaluation(args).values[0, 0])


def at_files(args: Arguments) -> float:
    """The same through `evaluate`; what is unjudged is not among the judgments."""
    ranks = args["ranks"]
    run = {f"d{i}.{j}": -float(i) for i, rank in enumerate(ranks) for j in range(len(rank))}
    judged = {
        f"d{i}.{j}": grade
        for i, rank in enumerate(ranks)
        for j, grade in enumerate(rank)
        if grade >= 0
    }
    judged |= {f"u{i}": grade for i, grade in enumerate(args["unretrieved"])}
    if any(not float(grade).is_integer() for grade in judged.values()):
        raise irb.InputError("judgments of files are whole")
    text = written(args["measure"], args["given"])
    size = args["collection_size"]
    return float(irb.evaluate({"q": judged}, {"q": run}, text, collection_size=size).values[0, 0])


def relative(truth: Any, promise: float = RELATIVE) -> Any:
    """An error relative to the truth, with a tolerance for rounding near 0."""
    return lambda args: promise * abs(truth(args)) + ROUNDING


def tied_few(rng: np.random.Generator) -> Arguments:
    """Rankings whose orders can all be tried."""
    while True:
        args = short(rng)
        if n_orders(args["ranks"]) <= FEW_ORDERS:
            return {**args, "end": one_of(rng, ["low", "high"])}


def n_orders(ranks: list[list[float]]) -> int:
    """The number of orders of distinct documents: too many rather than too few."""
    total = 1
    for rank in ranks:
        for k in range(2, len(rank) + 1):
            total *= k
    return total


def bound(args: Arguments) -> float:
    """The lower or upper end over the orders of tied documents."""
    found = evaluation(args, bounds=True)
    ends = found.low if args["end"] == "low" else found.high
    return float(ends[0, 0])


def bound_truth(args: Arguments) -> float:
    """The least or greatest value of all orders."""
    if n_orders(args["ranks"]) > FEW_ORDERS:
        raise NoTwinError("too many orders")
    if args["measure"] in SETS:
        return short_truth(args)
    orders = [order for order, _ in slow.orders(args["ranks"])]
    more = args["unretrieved"], args["collection_size"]
    if args["measure"] == "Fallout":
        every = [
            fallout([[grade] for grade in order], *more, **parameters(args)) for order in orders
        ]
    else:
        every = [
            slow.measure_of_order(args["measure"], order, *more, **parameters(args))
            for order in orders
        ]
    return float(min(every) if args["end"] == "low" else max(every))


def wide(rng: np.random.Generator) -> Arguments:
    """Counts of relevant and other documents in each rank, and a number of relevant ones up to
    2^52."""
    left = whole(rng, 1, int(one_of(rng, [10, 1000, LONGEST])))
    ranks = []
    while left > 0 and len(ranks) < 8:
        size = whole(rng, 1, left)
        relevant = whole(rng, 0, size)
        ranks.append([relevant, size - relevant])
        left -= size
    found = sum(r for r, _ in ranks)
    n = found + (
        0 if rng.random() < 0.4 else whole(rng, 0, int(one_of(rng, [5, 10**5, 10**9, LARGEST])))
    )
    name = one_of(rng, ["AP", "RR", "P", "R", "Success", "Rprec", "DCG", "nDCG", "RBP", "Bpref"])
    given: dict[str, Any] = {}
    if name in ("P", "R", "Success") or (
        name in ("AP", "RR", "DCG", "nDCG", "RBP") and rng.random() < 0.5
    ):
        given["cutoff"] = whole(rng, 1, int(one_of(rng, [20, 2 * sum(map(sum, ranks)), 2**40])))
    if name == "RBP":
        given["p"] = one_of(rng, [0.5, 0.8, 0.99, 1 - 1e-6, float(rng.random())])
    return {"measure": name, "given": given, "ranks": ranks, "n_relevant": min(n, LARGEST)}


def wide_value(args: Arguments) -> float:
    """Through `rank_measures` with n_relevant."""
    if min([0, *(count for rank in args["ranks"] for count in rank)]) < 0:
        raise irb.InputError("not a ranking")
    sizes = np.array(args["ranks"], np.int64)
    if sizes.sum() > 2 * LONGEST:
        raise irb.InputError("too long")
    scores = np.repeat(-np.arange(len(sizes), dtype=float), sizes.sum(axis=1))
    relevance = np.repeat(np.tile([1.0, 0.0], len(sizes)), sizes.ravel())
    text = written(args["measure"], args["given"])
    return float(
        irb.rank_measures(scores, relevance, text, n_relevant=args["n_relevant"]).values[0, 0]
    )


def wide_truth(args: Arguments) -> float:
    """In closed form, or by sums of whole numbers."""
    functions = {
        "AP": long.average_precision,
        "RR": long.reciprocal_rank,
        "P": long.precision,
        "R": long.recall,
        "Success": long.success,
        "Rprec": long.r_precision,
        "DCG": long.dcg,
        "nDCG": long.ndcg,
        "RBP": long.rank_biased_precision,
    }
    ranks, n = [tuple(rank) for rank in args["ranks"]], args["n_relevant"]
    try:
        if args["measure"] == "Bpref":
            return float(long.bpref(ranks, n, sum(i for _, i in ranks)))
        return float(functions[args["measure"]](ranks, n, **args["given"]))
    except long.OutOfReachError:
        raise NoTwinError("a long sum") from None


def wide_seconds(args: Arguments) -> float:
    """A pass over the documents, and logarithms of the ideal ranking; nothing grows with
    n_relevant."""
    return 0.1 + 2e-6 * sum(map(sum, args["ranks"]))


short_answer, bound_answer, wide_answer = (
    last_answer(f) for f in (short_truth, bound_truth, wide_truth)
)

HUNTS = [
    Hunt("rank_measures, short", short, value_of, short_answer, relative(short_answer)),
    Hunt("evaluate, short", short, at_files, short_answer, relative(short_answer)),
    Hunt("rank_measures, bounds", tied_few, bound, bound_answer, relative(bound_answer)),
    Hunt(
        "rank_measures, long",
        wide,
        wide_value,
        wide_answer,
        relative(wide_answer),
        seconds=wide_seconds,
    ),
]
