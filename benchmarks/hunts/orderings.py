"""`WeakOrdering` and the recall-precision graphs: ranks of up to 2^52 documents, stops of every
kind."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

import irbounds as irb
from hunts import Arguments, Hunt, NoTwinError, last_answer
from hunts._draws import one_of, whole
from tests.reference import long_rankings as long
from tests.reference import weak_orderings as slow

RELATIVE = 1e-12  # the tests': sums over the final rank; search_length.h, of ranks of 10^12
ROUNDING = 1e-300
FUNCTIONS = {"prr": slow.prr, "precall": slow.precall}
LEVELS = [i / 20 for i in range(21)]


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
    """A measure, and where it stops: real and whole numbers of relevant documents, recall levels,
    documents."""
    args = ordering(rng)
    n, size = args["n_relevant"], sum(map(sum, args["ranks"]))
    args["measure"] = one_of(rng, ["prr", "precall", "ep", "ep", "ep", "esl"])
    how = one_of(
        rng, ["nr", "nr", "recall", "nd"] if args["measure"] != "esl" else ["nr", "recall"]
    )
    if how == "nr":
        at: Any = whole(rng, 1, max(1, n))
        at = at if rng.random() < 0.6 else at - one_of(rng, [0.5, 0.25, float(rng.random()), 1e-3])
    elif how == "recall":
        at = one_of(
            rng, [0.0, 1.0, 0.5, int(rng.integers(21)) / 20, int(rng.integers(1, 1000)) / 1000]
        )
    else:
        at = whole(rng, 1, max(1, 2 * size))
    return {**args, "stop": how, "at": at}


def make(args: Arguments) -> irb.rankings.WeakOrdering:
    """The library's."""
    relevant, nonrelevant = zip(*args["ranks"], strict=True)
    return irb.rankings.WeakOrdering(relevant, nonrelevant, args["n_relevant"])


def stop_value(args: Arguments) -> float:
    """One measure at one stop."""
    return float(getattr(make(args), args["measure"])(**{args["stop"]: args["at"]}))


def precise(measure: str, ranks: list[tuple[int, int]], nr: Any) -> float:
    """At the nr-th relevant document."""
    try:
        if measure == "ep":
            return float(long.expected_precision(ranks, nr))
    except long.OutOfReachError:
        raise NoTwinError("a long sum") from None
    return float((slow.esl if measure == "esl" else FUNCTIONS[measure])(ranks, nr))


def number_of_relevant(at: float | Fraction) -> Fraction:
    """The number itself; within 8 units of rounding of a whole number it is that number."""
    nearest = Fraction(round(at))
    is_rounded = abs(Fraction(at) - nearest) <= 8 * Fraction(1, 2**52) * Fraction(at)
    return nearest if is_rounded else Fraction(at)


def wanted(args: Arguments) -> Fraction:
    """The number of relevant documents at which the search stops."""
    if args["stop"] == "nr":
        return number_of_relevant(args["at"])
    return number_of_relevant(slow.exact(args["at"]) * args["n_relevant"])


@last_answer
def stop_truth(args: Arguments) -> float:
    """Closed forms in fractions, and sums of whole numbers for expected precision."""
    ranks = [tuple(rank) for rank in args["ranks"]]
    if args["stop"] == "nd":
        return float(slow.precision_at_documents(ranks, args["at"]))
    if args["stop"] == "recall" and args["n_relevant"] == 0:
        return 0.0 if args["measure"] != "esl" else precise("esl", ranks, 0)
    return precise(args["measure"], ranks, wanted(args))


def stop_promise(args: Arguments) -> float:
    """With what the rounding of a recall level and of its product with the relevant documents
    changes."""
    promise = relative(stop_truth)(args)
    if args["stop"] != "recall" or wanted(args).denominator == 1:
        return float(promise)
    ranks = [tuple(rank) for rank in args["ranks"]]
    moved = precise(args["measure"], ranks, wanted(args) * (1 - Fraction(1, 2**52)))
    change = abs(moved - stop_truth(args))
    return float(promise + (change if change < np.inf else 0))


def read(rng: np.random.Generator) -> Arguments:
    """After so many documents of a known collection."""
    args = ordering(rng)
    ranks = args["ranks"]
    known = sum(map(sum, ranks)) + args["n_relevant"] - sum(r for r, _ in ranks)
    return {
        **args,
        "collection_size": known + whole(rng, 0, 10**9),
        "nd": whole(rng, 1, 2 * known + 5),
        "what": one_of(rng, ["expected_recall", "fallout", "generality"]),
    }


def read_value(args: Arguments) -> float:
    """Recall, fallout, generality."""
    relevant, nonrelevant = zip(*args["ranks"], strict=True)
    w = irb.rankings.WeakOrdering(
        relevant, nonrelevant, args["n_relevant"], args["collection_size"]
    )
    return float(
        w.generality if args["what"] == "generality" else getattr(w, args["what"])(args["nd"])
    )


@last_answer
def read_truth(args: Arguments) -> float:
    """In fractions."""
    n, size = args["n_relevant"], args["collection_size"]
    whole_ranks = slow.with_unretrieved([tuple(rank) for rank in args["ranks"]], n, size)
    if args["what"] == "generality":
        return float(slow.over(n, size))
    if args["what"] == "expected_recall":
        return float(slow.expected_recall(whole_ranks, args["nd"], n))
    return float(slow.fallout(whole_ranks, args["nd"], n, size))


def lengths(rng: np.random.Generator) -> Arguments:
    """One probability of the search length's distribution."""
    args = ordering(rng)
    args["ranks"] = [[min(r, 500), min(i, 500)] for r, i in args["ranks"]]
    args["n_relevant"] = found = sum(r for r, _ in args["ranks"])
    nr = whole(rng, 1, max(1, found))
    nr = nr if rng.random() < 0.6 else nr - one_of(rng, [0.5, float(rng.random()), 1e-3, 1 - 1e-3])
    return {**args, "nr": nr, "v": whole(rng, 0, 500)}


def lengths_value(args: Arguments) -> float:
    """P_v; 0 past the rank's end."""
    found = make(args).search_length_distribution(args["nr"])
    return float(found[args["v"]]) if 0 <= args["v"] < found.size else 0.0


@last_answer
def lengths_truth(args: Arguments) -> float:
    """In fractions, of the double itself: where nr is 12.0008, the decimal's 0.0008 beyond the 12
    documents of earlier ranks differs from the double's by 1e-12 of it."""
    ranks = [tuple(rank) for rank in args["ranks"]]
    end = slow.final_rank(ranks, number_of_relevant(args["nr"]))
    if end is None or end.i > 3000 or args["v"] < 0:
        raise NoTwinError("not such a rank")
    if args["v"] > end.i:
        return 0.0
    _, _, r, i, s = end
    v = args["v"]
    return float(
        long.ratio(
            slow.rising(s, v)
            / slow.factorial(v)
            * slow.rising(r - s + 1, i - v)
            / slow.factorial(i - v)
            / slow.comb(r + i, i)
        )
    )


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
        "level": one_of(rng, LEVELS),
        "interpolation": one_of(rng, ["intuitive", "ceiling"]),
    }


def graph_value(args: Arguments) -> float:
    """Precision at the level."""
    orderings = [make({"ranks": ranks, "n_relevant": n}) for ranks, n in args["queries"]]
    return float(
        irb.rankings.mean_graph(
            orderings, args["measure"], [args["level"]], args["interpolation"]
        ).precision[0]
    )


def graph_of_files(args: Arguments) -> float:
    """The same from judgments and a run."""
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for q, (ranks, n) in enumerate(args["queries"]):
        marks = [(k, mark) for k, (r, i) in enumerate(ranks) for mark in [1] * r + [0] * i]
        missing = n - sum(r for r, _ in ranks)
        counts = [missing, *(count for rank in ranks for count in rank)]
        if not marks or min(counts) < 0 or len(marks) > 1000 or missing > 1000:
            raise irb.InputError("not such a query")
        run[f"q{q}"] = {f"d{j}": -float(k) for j, (k, _) in enumerate(marks)}
        qrels[f"q{q}"] = {f"d{j}": mark for j, (_, mark) in enumerate(marks)} | {
            f"u{j}": 1 for j in range(missing)
        }
    found = irb.rankings.recall_precision_graph(
        qrels, run, args["measure"], [args["level"]], args["interpolation"]
    )
    return float(found.precision[0])


def snapped(level: float, n: int) -> Fraction:
    """A recall level of n documents within rounding of a whole number of them is that number's."""
    exact = Fraction(level)
    nearest = round(exact * n)
    if n and abs(exact * n - nearest) <= 8 * np.finfo(float).eps * exact * n:
        return Fraction(nearest, n)
    return exact


@last_answer
def graph_truth(args: Arguments) -> float:
    """The mean of the values of the queries, in fractions."""
    function = getattr(slow, args["measure"])
    values = []
    for ranks, n in args["queries"]:
        if sum(map(sum, ranks)) > 500 or n > 500:
            raise NoTwinError("too long for fractions")
        known = [tuple(rank) for rank in ranks]
        values.append(
            slow.at_recall(function, known, n, snapped(args["level"], n), args["interpolation"])
        )
    return float(sum(values) / len(values))


def relative(truth: Any) -> Any:
    """An error relative to the truth; an infinite length must be infinite."""
    return lambda args: RELATIVE * min(abs(truth(args)), 1e300) + ROUNDING


HUNTS = [
    Hunt("WeakOrdering, stops", stop, stop_value, stop_truth, stop_promise),
    Hunt("WeakOrdering, documents read", read, read_value, read_truth, relative(read_truth)),
    Hunt(
        "WeakOrdering.search_length_distribution",
        lengths,
        lengths_value,
        lengths_truth,
        relative(lengths_truth),
    ),
    Hunt("mean_graph", graph, graph_value, graph_truth, relative(graph_truth)),
    Hunt("recall_precision_graph", graph, graph_of_files, graph_truth, relative(graph_truth)),
]
