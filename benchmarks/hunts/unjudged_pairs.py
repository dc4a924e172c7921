"""Unjudged documents of two runs: differences for all labels and all orders of ties."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import irbounds as irb
from hunts import Arguments, Hunt, NoTwinError
from hunts._draws import one_of, whole
from hunts.unjudged import (
    MOST_VALUES,
    check,
    in_ranks,
    labels_of,
    options_of,
    parameters,
    promise,
    written,
)
from tests.reference import quick_differences as quick
from tests.reference import unjudged as slow

FEW_VALUES, OFTEN_MANY = 200, 0.05  # mostly fewer
EXACT = ("P", "R", "F", "DCG", "RBP", "nDCG", "Rprec", "SetP", "SetR", "NumRel", "NumRelRet")
OUTER = ("AP", "ERR", "Bpref", "SetF", "RR", "Success")
NEXT = ("P", "R", "F", "SetP", "SetR", "RBP", "DCG", "nDCG", "NumRelRet")


def two_runs(names: tuple[str, ...]) -> Any:
    """Rankings of the same documents, some of them judged."""

    def draw(rng: np.random.Generator) -> Arguments:
        most = MOST_VALUES if rng.random() < OFTEN_MANY else FEW_VALUES
        while True:
            highest, name = int(one_of(rng, [1, 1, 1, 2, 2, 24])), one_of(rng, names)
            docs = [f"d{i}" for i in range(whole(rng, 1, 8))]
            share = one_of(rng, [0.2, 0.5, 0.8])
            lowest, n_unseen = int(one_of(rng, [0, 0, -1])), whole(rng, 0, 2)
            judged = {
                doc: int(rng.integers(lowest, highest + 1)) for doc in docs if rng.random() < share
            }
            judged |= {f"x{i}": int(rng.integers(lowest, highest + 1)) for i in range(n_unseen)}
            args = {
                "measure": name,
                "given": parameters(rng, name, highest, len(docs) + 1),
                "judged": judged or {"x": 0},
                "highest": highest,
                "hidden": int(one_of(rng, [0, 0, 1, 2])),
                "end": int(rng.integers(2)),
            }
            if args["given"].get("mult", 1) != 1:
                args["given"]["mult"] = 1
            for run in ("one", "other"):
                mine = rng.permutation(docs)[: whole(rng, 0, len(docs))].tolist()
                args[run] = in_ranks(rng, mine)
            if n_pairs(args) <= most:
                return args

    return draw


def known_grades(args: Arguments) -> dict[str, int]:
    """A grade below 0 means unjudged."""
    return {doc: grade for doc, grade in args["judged"].items() if grade >= 0}


def n_pairs(args: Arguments) -> int:
    """Labellings times orders of both runs."""
    runs = args["one"], args["other"]
    n_open = len({doc for run in runs for rank in run for doc in rank} - set(known_grades(args)))
    n_orders = sum(math.prod(math.factorial(len(rank)) for rank in run) for run in runs)
    n_labels, hidden = len(labels_of(args)), args["hidden"]
    return n_orders * n_labels**n_open * math.comb(hidden + n_labels - 1, hidden)


def as_runs(args: Arguments) -> dict[str, Any]:
    """Two runs by name."""
    return {
        name: {"q": {doc: -place for place, rank in enumerate(args[name]) for doc in rank}}
        for name in ("one", "other")
    }


def difference(args: Arguments) -> irb.comparison.Difference:
    """Through `compare`."""
    check(args, args["one"], args["other"])
    return irb.compare(
        {"q": args["judged"]},
        as_runs(args),
        written(args["measure"], args["given"]),
        test="sign",
        unjudged="bounds",
        unjudged_hidden=args["hidden"],
        max_grade=args["highest"],
    ).between("one", "other")


def difference_end(args: Arguments) -> float:
    """An end of bounds that labels reach."""
    found = difference(args)
    assert found.unjudged_is_exact
    assert found.unjudged_bounds is not None
    return float(found.unjudged_bounds[args["end"]])


def end_of_next(args: Arguments) -> float:
    """Through `next_judgments`."""
    check(args, args["one"], args["other"])
    found = irb.next_judgments(
        {"q": args["judged"]},
        as_runs(args),
        written(args["measure"], args["given"]),
        unjudged_hidden=args["hidden"],
        max_grade=args["highest"],
    )
    return float(found.bounds["one", "other"][args["end"]])


def difference_truth(args: Arguments) -> float:
    """The least or the greatest of all labels."""
    return end_by(slow.difference_bounds, args)


def quick_difference_truth(args: Arguments) -> float:
    """The same, all labels at once."""
    return end_by(quick.difference_bounds, args)


def end_by(difference_bounds: Any, args: Arguments) -> float:
    """An end, by one of the twins."""
    docs = [[doc for rank in args[run] for doc in rank] for run in ("one", "other")]
    if n_pairs(args) > 2 * MOST_VALUES or any(len(set(own)) < len(own) for own in docs):
        raise NoTwinError("beyond enumeration")
    ends = difference_bounds(
        args["measure"],
        args["one"],
        args["other"],
        known_grades(args),
        args["hidden"],
        labels=labels_of(args),
        **options_of(args),
    )
    return float(ends[args["end"]])


def beyond(args: Arguments) -> float:
    """How far a difference that labels reach lies outside bounds that are not exact."""
    found = difference(args)
    assert found.unjudged_bounds is not None
    truth = difference_truth(args)
    low, high = found.unjudged_bounds
    outside = max(0.0, truth - high) if args["end"] else max(0.0, low - truth)
    return abs(truth - (low, high)[args["end"]]) if found.unjudged_is_exact else outside


def nothing(args: Arguments) -> float:
    """No difference should lie there."""
    if n_pairs(args) > 2 * MOST_VALUES:
        raise NoTwinError("beyond enumeration")
    return 0.0


HUNTS = [
    Hunt(
        "compare, unjudged bounds",
        two_runs(EXACT),
        difference_end,
        quick_difference_truth,
        promise,
        seconds=3.0,
        sure=difference_truth,
    ),
    Hunt("compare, outer bounds", two_runs(OUTER), beyond, nothing, promise, seconds=20.0),
    Hunt(
        "next_judgments",
        two_runs(NEXT),
        end_of_next,
        quick_difference_truth,
        promise,
        seconds=3.0,
        sure=difference_truth,
    ),
]
