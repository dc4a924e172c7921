"""Screening stops, certificates of one-phase reviews, and weighted recall."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction

import mpmath
import numpy as np

import irbounds as irb
from hunts import Arguments, Hunt, NoTwinError, Relative
from hunts._draws import one_of, share, whole
from tests.reference import stopping as slow
from tests.reference.gammas import shifted_ratio_below

TWINS = "all urns and totals in fractions or 40 digits"
URNS = Relative(1e-11, 1e-290)  # the docstring's
LONGEST = 200  # documents whose urns are summed in fractions
LONGEST_BETS = 60  # and whose totals have wealths of 40 digits
LONGEST_RANK = 400


def stretches(rng: np.random.Generator, longest: int) -> Arguments:
    """Stretches of relevant and of other documents, in a collection that is larger or not."""
    runs, left = [], whole(rng, 1, longest)
    while left > 0 and len(runs) < 30:
        runs.append(whole(rng, 0, left))
        left -= runs[-1]
    more = whole(rng, 0, int(one_of(rng, [3, longest])))
    return {"runs": runs, "first": int(rng.integers(2)), "more": more}


def labels_of(args: Arguments, longest: int) -> tuple[list[int], int]:
    """The labels, and the collection's size."""
    if any(n < 0 for n in args["runs"]) or args["more"] < 0:
        raise NoTwinError("not a review")
    if not 0 < sum(args["runs"]) <= 2 * longest or args["more"] > 2 * longest:
        raise NoTwinError("nothing read, or too long")
    labels: list[int] = []
    for i, n in enumerate(args["runs"]):
        labels += [(i + args["first"]) % 2] * n
    return labels, len(labels) + args["more"]


def target_of(args: Arguments) -> Fraction:
    """The target, in thousandths."""
    if not 0 < args["target"] <= 1000:
        raise NoTwinError("no target")
    return Fraction(args["target"], 1000)


def buscar(rng: np.random.Generator) -> Arguments:
    return stretches(rng, LONGEST) | {"target": whole(rng, 1, 1000)}


def buscar_value(args: Arguments) -> float:
    """The last value of the curve."""
    labels, population = labels_of(args, LONGEST)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", irb.warnings.OptionalStoppingWarning)
        return float(irb.stopping_curve(labels, population, target_of(args), "buscar").values[-1])


def bets(rng: np.random.Generator) -> Arguments:
    """At levels that no wealth of so few documents meets exactly."""
    return stretches(rng, LONGEST_BETS) | {"level": float(rng.uniform(0.5, 0.999))}


def certified_value(args: Arguments) -> float:
    """The last total."""
    labels, population = labels_of(args, LONGEST_BETS)
    curve = irb.stopping_curve(labels, population, confidence_level=args["level"])
    return float(curve.total_bound[-1])


def certified_truth(args: Arguments) -> float:
    """The same of the twin."""
    labels, population = labels_of(args, LONGEST_BETS)
    bound = slow.certified(labels, population, 1 - args["level"])[-1]
    return float(population - labels.count(0) if bound < 0 else bound)


def rank_question(rng: np.random.Generator) -> Arguments:
    found, target, alpha = (whole(rng, *ends) for ends in ((0, LONGEST_RANK), (1, 1000), (1, 999)))
    return {"found": found, "target": target, "alpha": alpha}


def alpha_of(args: Arguments) -> Fraction:
    if not 0 < args["alpha"] < 1000 or not 0 <= args["found"] <= 2 * LONGEST_RANK:
        raise NoTwinError("no level, or too long")
    return Fraction(args["alpha"], 1000)


def rank_value(args: Arguments) -> float:
    """The rank, infinite where there is none."""
    level = float(1 - alpha_of(args))
    rank = irb.stopping.certifying_rank(args["found"], target_of(args), confidence_level=level)
    return math.inf if rank is None else float(rank)


def rank_truth(args: Arguments) -> float:
    """The least rank by sums of fractions."""
    target, alpha, found = target_of(args), alpha_of(args), args["found"]
    tail, least = Fraction(0), math.inf
    for x in range(found, 0, -1):
        tail += math.comb(found, x) * target**x * (1 - target) ** (found - x)
        least = float(x) if tail <= alpha else least
    return least


def weighted_question(rng: np.random.Generator) -> Arguments:
    """Few or many relevant documents with chances of all sizes, and known ones at times."""
    lists = [[share(rng, 1e-4) for _ in range(whole(rng, 1, 60))] for _ in range(2)]
    if rng.random() < 0.4:
        for chances in lists:
            chances += [1.0] * whole(rng, 0, one_of(rng, [3, 60]))
    end, level = one_of(rng, ["low", "high"]), one_of(rng, [0.5, 0.8, 0.95, 0.999])
    return {"lists": lists, "end": end, "level": level}


def weighted_below(args: Arguments) -> float:
    """The probability below the library's end, of the ratio of two gamma variates with what is
    known."""
    found = irb.samples.weighted_recall_interval(*args["lists"], confidence_level=args["level"])
    end = float(getattr(found, args["end"]))
    if not 1e-9 < end < 1 - 1e-6:
        raise NoTwinError("an end whose digits are lost")
    known = [sum(p == 1 for p in chances) for chances in args["lists"]]
    weights = [[1 / p for p in chances if p < 1] for chances in args["lists"]]
    if not all(weights):
        raise NoTwinError("everything is known")
    raised = weights[args["end"] == "low"]
    raised.append(max(raised))
    means = [math.fsum(some) for some in weights]
    squares = [math.fsum(x * x for x in some) for some in weights]
    shapes = [m * m / v for m, v in zip(means, squares, strict=True)]
    scales = [v / m for m, v in zip(means, squares, strict=True)]
    if any(known):
        return shifted_ratio_below(end / (1 - end), shapes, scales, known)
    with mpmath.workdps(30):
        odds = mpmath.mpf(end) / (1 - mpmath.mpf(end)) * scales[1] / scales[0]
        return float(mpmath.betainc(*shapes, 0, odds / (1 + odds), regularized=True))


def weighted_tail(args: Arguments) -> float:
    """The probability asked for."""
    tail = (1 - args["level"]) / 2
    return tail if args["end"] == "low" else 1 - tail


HUNTS = [
    Hunt(
        "stopping_curve, buscar",
        buscar,
        buscar_value,
        lambda args: float(slow.buscar(*labels_of(args, LONGEST), target_of(args))[0]),
        URNS,
    ),
    Hunt("stopping_curve, certified totals", bets, certified_value, certified_truth, 0.0),
    Hunt("certifying_rank", rank_question, rank_value, rank_truth, 0.0),
    Hunt(
        "weighted_recall_interval, probability reached",
        weighted_question,
        lambda args: weighted_tail(args),
        weighted_below,
        1e-9,
    ),
]
