"""`WeakOrdering` and the recall-precision graphs: ranks of up to 10^12 documents, stops of every
kind."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

import irbounds as irb
from hunts import Arguments, Hunt, NoTwinError, Relative
from hunts._draws import one_of, whole
from tests.reference import long_rankings as long
from tests.reference import weak_orderings as slow

PROMISE = Relative(1e-12)  # the tests': sums over the final rank
TWINS = "closed forms in fractions"
FEW = 500  # documents of a query that fractions take
UNIT = Fraction(1, 2**52)  # of rounding


def ordering(rng: np.random.Generator) -> Arguments:
    """Ranks of all sizes, and how many relevant documents are missing from them."""
    most = int(one_of(rng, [3, 50, 10**4, 10**7, 10**12]))
    ranks = [
        [whole(rng, 0, int(one_of(rng, [1, 12, most]))), whole(rng, 0, most)]
        for _ in range(whole(rng, 1, 5))
    ]
    missing = 0 if rng.random() < 0.6 else whole(rng, 0, most)
    return {"ranks": ranks, "n_relevant": sum(r for r, _ in ranks) + missing}


def stop(rng: np.random.Generator) -> Arguments:
    """A measure, and the number of relevant documents or of documents at which it stops."""
    args = ordering(rng)
    args["measure"] = one_of(rng, ["prr", "precall", "ep", "ep", "esl"])
    if args["measure"] != "esl" and rng.random() < 0.25:
        return args | {"stop": "nd", "at": whole(rng, 1, max(1, 2 * sum(map(sum, args["ranks"]))))}
    at = whole(rng, 1, max(1, args["n_relevant"]))
    part = 0.0 if rng.random() < 0.6 else one_of(rng, [0.5, 0.25, float(rng.random()), 1e-3])
    return args | {"stop": "nr", "at": at - part}


def make(args: Arguments) -> irb.rankings.WeakOrdering:
    relevant, nonrelevant = zip(*args["ranks"], strict=True)
    return irb.rankings.WeakOrdering(
        relevant, nonrelevant, args["n_relevant"], args.get("collection_size")
    )


def ranks_of(args: Arguments) -> list[tuple[int, int]]:
    return [tuple(rank) for rank in args["ranks"]]


def stop_truth(args: Arguments) -> float:
    """Closed forms in fractions, and sums of whole numbers for expected precision."""
    ranks, measure = ranks_of(args), args["measure"]
    if args["stop"] == "nd":
        return float(slow.precision_at_documents(ranks, args["at"]))
    nr = near_whole(args["at"])
    if measure != "ep":
        return float(
            {"prr": slow.prr, "precall": slow.precall, "esl": slow.esl}[measure](ranks, nr)
        )
    try:
        return float(long.expected_precision(ranks, nr))
    except long.OutOfReachError:
        raise NoTwinError("a long sum") from None


def near_whole(at: float) -> Fraction:
    """The number itself; within 8 units of rounding of a whole number it is that number."""
    nearest = Fraction(round(at))
    return nearest if abs(Fraction(at) - nearest) <= 8 * UNIT * Fraction(at) else Fraction(at)


def lengths(rng: np.random.Generator) -> Arguments:
    """One probability of the search length's distribution."""
    ranks = [[int(rng.integers(0, 20)), int(rng.integers(0, 40))] for _ in range(whole(rng, 1, 5))]
    found = sum(r for r, _ in ranks)
    nr = whole(rng, 1, max(1, found)) - (0.0 if rng.random() < 0.6 else float(rng.random()))
    return {"ranks": ranks, "n_relevant": found, "nr": nr, "v": whole(rng, 0, 40)}


def lengths_value(args: Arguments) -> float:
    """P_v; 0 past the rank's end."""
    found = make(args).search_length_distribution(args["nr"])
    return float(found[args["v"]]) if 0 <= args["v"] < found.size else 0.0


def lengths_truth(args: Arguments) -> float:
    if sum(map(sum, args["ranks"])) > FEW:
        raise NoTwinError("too long for fractions")
    ranks, nr = ranks_of(args), near_whole(args["nr"])
    end = slow.final_rank(ranks, nr)
    if end is None:
        raise NoTwinError("not such a rank")
    return float(slow.search_length_distribution(ranks, nr).get(end.j + args["v"], 0))


def graph(rng: np.random.Generator) -> Arguments:
    """A few queries and one level of their mean graph."""
    queries = []
    for _ in range(whole(rng, 1, 4)):
        ranks = [
            [int(rng.integers(0, 8)), int(rng.integers(0, 30))] for _ in range(whole(rng, 1, 5))
        ]
        queries.append([ranks, sum(r for r, _ in ranks) + int(rng.integers(0, 4))])
    return {
        "queries": queries,
        "measure": one_of(rng, ["prr", "ep", "precall"]),
        "twentieth": int(rng.integers(21)),
        "interpolation": one_of(rng, ["intuitive", "ceiling"]),
    }


def graph_options(args: Arguments) -> tuple[Any, ...]:
    if not 0 <= args["twentieth"] <= 20:
        raise irb.InputError("not a level")
    return args["measure"], [args["twentieth"] / 20], args["interpolation"]


def graph_value(args: Arguments) -> float:
    """Precision at the level."""
    orderings = [make({"ranks": ranks, "n_relevant": n}) for ranks, n in args["queries"]]
    return float(irb.rankings.mean_graph(orderings, *graph_options(args)).precision[0])


def graph_truth(args: Arguments) -> float:
    """The mean of the values of the queries, in fractions."""
    function, values = getattr(slow, args["measure"]), []
    for ranks, n in args["queries"]:
        if sum(map(sum, ranks)) > FEW or n > FEW:
            raise NoTwinError("too long for fractions")
        known, level = [tuple(rank) for rank in ranks], Fraction(args["twentieth"], 20)
        values.append(slow.at_recall(function, known, n, level, args["interpolation"]))
    return float(sum(values) / len(values))


HUNTS = [
    Hunt(
        "WeakOrdering, stops",
        stop,
        lambda args: float(getattr(make(args), args["measure"])(**{args["stop"]: args["at"]})),
        stop_truth,
        PROMISE,
    ),
    Hunt("WeakOrdering.search_length_distribution", lengths, lengths_value, lengths_truth, PROMISE),
    Hunt("mean_graph", graph, graph_value, graph_truth, PROMISE),
]
