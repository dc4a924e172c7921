"""Screening stops, certificates of one-phase reviews, and weighted recall."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from fractions import Fraction

import mpmath
import numpy as np

import irbounds as irb
from hunts import Arguments, Hunt, NoTwinError, last_answer, remembering
from hunts._draws import one_of, share, whole
from tests.reference import quick
from tests.reference import stopping as slow
from tests.reference.gammas import shifted_ratio_below

LONG = np.longdouble
RELATIVE, LEAST = 1e-11, 1e-290  # the docstring's
LONGEST = 300  # documents whose urns are summed in fractions
LONGEST_BETS = 150  # and whose totals have wealths of 40 digits
LONGEST_RANK = 400


def stretches(rng: np.random.Generator, longest: int) -> Arguments:
    """Stretches of relevant and of other documents, in a collection that is larger or not."""
    runs, left = [], whole(rng, 1, longest)
    while left > 0 and len(runs) < 30:
        runs.append(whole(rng, 0, left))
        left -= runs[-1]
    read = sum(runs)
    return {
        "runs": runs,
        "first": int(rng.integers(2)),
        "more": whole(rng, 0, int(one_of(rng, [3, 100, 1000]))),
        "target": f"{whole(rng, 1, 1000)}/1000",
        "read": read,
    }


def labels_of(args: Arguments, longest: int) -> tuple[list[int], int]:
    """The labels, and the collection's size."""
    if any(n < 0 for n in args["runs"]) or sum(args["runs"]) > 10 * longest or args["more"] < 0:
        raise NoTwinError("not a review")
    labels: list[int] = []
    for i, n in enumerate(args["runs"]):
        labels += [(i + args["first"]) % 2] * n
    return labels, len(labels) + args["more"]


def target_of(args: Arguments) -> Fraction:
    """The target, which must be one."""
    try:
        target = Fraction(args["target"])
    except (ValueError, ZeroDivisionError) as error:
        raise NoTwinError("no target") from error
    if not 0 < target <= 1:
        raise NoTwinError("no target")
    return target


def buscar_value(args: Arguments) -> float:
    """The last value of the curve."""
    labels, population = labels_of(args, LONGEST)
    if not labels:
        raise irb.InputError("nothing read")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", irb.warnings.OptionalStoppingWarning)
        return float(irb.stopping_curve(labels, population, target_of(args), "buscar").values[-1])


@last_answer
def buscar_truth(args: Arguments) -> float:
    """The least probability of all urns."""
    labels, population = labels_of(args, LONGEST)
    if len(labels) > LONGEST or not labels or population > 5000:
        raise NoTwinError("too long")
    return float(slow.buscar(labels, population, target_of(args))[0])


def certified_value(args: Arguments) -> float:
    """The last total."""
    labels, population = labels_of(args, LONGEST_BETS)
    if not labels:
        raise irb.InputError("nothing read")
    curve = irb.stopping_curve(labels, population, confidence_level=args["level"])
    return float(curve.total_bound[-1])


certified_value, certified_again = remembering(certified_value)


def certified_near(args: Arguments, bound_at: Callable[[float], int]) -> float:
    """The twin's total. Evidence of exactly 1/alpha decides either way, as 1 - level has lost a
    digit: the answer counts that an alpha beside it has."""
    labels, population = labels_of(args, LONGEST_BETS)
    alpha, totals = 1 - args["level"], []
    for beside in (1, 1 - 1e-12, 1 + 1e-12):
        bound = bound_at(alpha * beside)
        totals.append(float(population - labels.count(0) if bound < 0 else bound))
        if totals[-1] == certified_again(args):
            return totals[-1]
    return totals[0]


def certified_truth(args: Arguments) -> float:
    """The same of the twin."""
    labels, population = labels_of(args, LONGEST_BETS)
    if not labels or population > 250 or not 0 < args["level"] < 1:
        raise NoTwinError("too long")
    return certified_near(args, lambda alpha: slow.certified(labels, population, alpha)[-1])


def certified_quick(args: Arguments) -> float:
    """The same, all totals at once."""
    labels, population = labels_of(args, LONGEST_BETS)
    if not labels or not 0 < args["level"] < 1:
        raise NoTwinError("no review")
    return certified_near(args, lambda alpha: slow.certified_last(labels, population, alpha))


def rank_value(args: Arguments) -> float:
    """The rank, infinite where there is none."""
    level = float(1 - Fraction(args["alpha"]))
    rank = irb.stopping.certifying_rank(args["found"], target_of(args), confidence_level=level)
    return math.inf if rank is None else float(rank)


def rank_truth(args: Arguments) -> float:
    """The least rank by sums of whole numbers."""
    target, alpha, found = target_of(args), Fraction(args["alpha"]), args["found"]
    if not 0 <= found <= LONGEST_RANK or not 0 < alpha < 1:
        raise NoTwinError("too long")
    # all terms over the denominator of target, to the power of `found`
    hit, miss, least = target.numerator, target.denominator - target.numerator, math.inf
    term, tail = hit**found, 0  # C(found, x) hit^x miss^(found - x)
    bound = alpha.numerator * target.denominator**found // alpha.denominator  # of whole numbers
    for x in range(found, 0, -1):
        tail += term
        least = float(x) if tail <= bound else least
        term = term * x * miss // ((found - x + 1) * hit)
    return least


def weighted_question(rng: np.random.Generator) -> Arguments:
    """Few or many relevant documents with chances of all sizes, and known ones at times; thousands
    of one chance now and then."""
    lists = [[min(share(rng, 1e-5), 1 - 1e-9) for _ in range(whole(rng, 1, 60))] for _ in range(2)]
    if rng.random() < 0.4:
        for chances in lists:
            chances += [1.0] * whole(rng, 0, one_of(rng, [3, 60]))
    return {
        "lists": lists,
        "end": one_of(rng, ["low", "high"]),
        "level": one_of(rng, [0.5, 0.8, 0.95, 0.95, 0.999, 0.999999]),
        "more": [whole(rng, 0, one_of(rng, [0, 0, 0, 5000])) for _ in range(2)],
    }


def weighted_lists(args: Arguments) -> list[list[float]]:
    """The chances, with more documents of the first one of each segment."""
    lists, more = args["lists"], args["more"]
    if len(lists) != 2 or len(more) != 2 or not all(lists) or not 0 <= min(more) <= max(more) < 1e5:
        raise irb.InputError("not two segments")
    return [[*chances, *[chances[0]] * n] for chances, n in zip(lists, more, strict=True)]


def weighted_truth(args: Arguments) -> float:
    """See `weighted_value`."""
    tail = (1 - args["level"]) / 2
    return tail if args["end"] == "low" else 1 - tail


def weighted_end(args: Arguments) -> float:
    """The end that is asked for."""
    interval = irb.samples.weighted_recall_interval(
        *weighted_lists(args), confidence_level=args["level"]
    )
    return float(getattr(interval, args["end"]))


weighted_end, weighted_end_again = remembering(weighted_end)


def weighted_below(args: Arguments, end: float) -> float:
    """The probability below an end, of the ratio of two gamma variates with what is known."""
    if not 0 < end < 1:
        return end
    lists = weighted_lists(args)
    known = [sum(p == 1 for p in chances) for chances in lists]
    weights = [[1 / p for p in chances if p < 1] for chances in lists]
    raised = weights[args["end"] == "low"]
    raised.append(max(raised))
    means = [math.fsum(some) for some in weights]
    squares = [math.fsum(x * x for x in some) for some in weights]
    odds = LONG(end) / (1 - LONG(end))
    shapes = [m * m / v for m, v in zip(means, squares, strict=True)]
    scales = [v / m for m, v in zip(means, squares, strict=True)]
    if not any(known):
        return quick.beta_below(*shapes, np.log(odds) + np.log(LONG(scales[1]) / scales[0]))
    return shifted_ratio_below(float(odds), shapes, scales, known)


def sure_weighted_below(args: Arguments) -> float:
    """The probability asked for, and what the quick law has too much of below the end: by mpmath,
    where nothing is known."""
    end, lists = weighted_end_again(args), weighted_lists(args)
    if not 0 < end < 1 or any(p == 1 for chances in lists for p in chances):
        raise NoTwinError("no closed form")
    with mpmath.workdps(30):
        weights = [[1 / mpmath.mpf(p) for p in chances] for chances in lists]
        raised = weights[args["end"] == "low"]
        raised.append(max(raised))
        means = [sum(some) for some in weights]
        squares = [sum(x * x for x in some) for some in weights]
        odds = mpmath.mpf(end) / (1 - mpmath.mpf(end))
        odds *= means[0] / squares[0] / (means[1] / squares[1])
        shapes = [m * m / v for m, v in zip(means, squares, strict=True)]
        below = mpmath.betainc(*shapes, 0, odds / (1 + odds), regularized=True)
    return weighted_truth(args) + weighted_below(args, end) - float(below)


def weighted_value(args: Arguments) -> float:
    """The probability below the end."""
    return weighted_below(args, weighted_end(args))


def weighted_promise(args: Arguments) -> float:
    """An end beside 1 has few digits of its distance from there."""
    end = weighted_end_again(args)
    if 1 - end >= 1e-5:
        return 1e-9
    near = [weighted_below(args, math.nextafter(end, side)) for side in (0, 1)]
    return 1e-9 + near[1] - near[0]


HUNTS = [
    Hunt(
        "stopping_curve, buscar",
        lambda rng: stretches(rng, LONGEST),
        buscar_value,
        buscar_truth,
        lambda args: max(RELATIVE * buscar_truth(args), LEAST),
    ),
    Hunt(
        "stopping_curve, certified",
        lambda rng: {
            **stretches(rng, LONGEST_BETS),
            "level": float(one_of(rng, [0.5, 0.8, 0.95, 0.999])),
        },
        certified_value,
        certified_quick,
        0.0,
        sure=certified_truth,
    ),
    Hunt(
        "certifying_rank",
        lambda rng: {
            "found": whole(rng, 0, LONGEST_RANK),
            "target": f"{whole(rng, 1, 1000)}/1000",
            "alpha": f"{whole(rng, 1, 999)}/1000",
        },
        rank_value,
        rank_truth,
        0.0,
    ),
    Hunt(
        "weighted_recall_interval: an end",
        weighted_question,
        weighted_value,
        weighted_truth,
        weighted_promise,
        seconds=5.0,  # with the twin's part
        sure=sure_weighted_below,
    ),
]
