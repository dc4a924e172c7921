"""Ends of intervals on extrapolated precision, documents to review and cost, against all pairs of
yields."""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Callable
from functools import lru_cache

import numpy as np

import irbounds as irb
from hunts import Arguments, Hunt, NoTwinError
from hunts._draws import asked_again, one_of, share, whole
from tests.reference import extrapolation as slow

# the docstrings': where each likely count of one yield has a row of its own, and elsewhere
PROBABILITY, WITHOUT_ROWS, MOST_ROWS = 1e-9, 1.6e-5, 65_536
DIGITS = 2e-8  # of the twin's values near 1, whose curve it finds by halving, relative
MOST_PAIRS = 300_000  # of yields, which the twin enumerates in two seconds
MOST_DOCUMENTS = 10**6  # of a segment, whose law the twin holds whole
PRIORS = {"betabinom-half": 0.5, "betabinom-uniform": 1.0}
SIDES = ("two-sided", "lower", "upper")
LEVELS = (0.5, 0.8, 0.95, 0.99, 0.999)
Ends = tuple[float, float, float]
Stratum = tuple[int, int, int]


def stratum(rng: np.random.Generator) -> Stratum:
    """Small and large, sampled in part, whole or not at all; none relevant, all, some."""
    most = [10, 100, 100, 300, 1000] if rng.random() < 0.95 else [MOST_DOCUMENTS]
    size = whole(rng, 1, one_of(rng, most))
    sampled = whole(rng, 0, size)
    return size, sampled, whole(rng, 0, sampled)


def question(rng: np.random.Generator) -> Arguments:
    """Targets from near 0 to near 1."""
    return {
        "retrieved": stratum(rng),
        "unretrieved": stratum(rng),
        "target": share(rng, 1e-6),
        "method": one_of(rng, list(PRIORS)),
    } | place(rng)


def place(rng: np.random.Generator) -> Arguments:
    """The end that is asked for."""
    return {
        "level": float(one_of(rng, [*LEVELS, share(rng, 1e-6)])),
        "side": one_of(rng, SIDES),
        "end": one_of(rng, ["low", "high"]),
    }


def priced(rng: np.random.Generator) -> Arguments:
    """With prices of a document and of a relevant one."""
    return question(rng) | {"prices": [float(one_of(rng, [0.0, 1.0, 1.5, 1e3])) for _ in range(2)]}


def other_end(rng: np.random.Generator, args: Arguments) -> Arguments:
    """Another end of the same law."""
    return args | place(rng)


def found_end(function: Callable[..., irb.Interval]) -> Callable[[Arguments], float]:
    """One end of the interval."""

    def value(args: Arguments) -> float:
        prices = dict(zip(("per_document", "per_relevant"), args.get("prices", ()), strict=False))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", irb.warnings.ExtrapolationWarning)
            found = function(
                args["retrieved"],
                args["unretrieved"],
                args["target"],
                confidence_level=args["level"],
                side=args["side"],
                method=args["method"],
                **prices,
            )
        return getattr(found, args["end"])

    return value


def acceptable(name: str) -> Callable[[Arguments], Ends]:
    """The exact end, and the least and the greatest one whose probability is within the promise."""

    def ends(args: Arguments) -> Ends:
        one, other, target, at_end = (
            args["retrieved"],
            args["unretrieved"],
            args["target"],
            args["end"] == "high",
        )
        check(args)
        most = float(
            {"precision": 1, "documents": target * (one[0] + other[0])}.get(
                name, sum(args.get("prices", ())) * target * (one[0] + other[0])
            )
        )
        is_census = one[0] + other[0] == one[1] + other[1]
        is_known = is_census and one[2] + other[2] > 0
        is_perfect = one[1] == one[2] > 0 or other[2] == 0
        if not is_known:
            if args["side"] == ("upper", "lower")[at_end]:
                return ((0.0, most)[at_end],) * 3
            if name == "precision" and (one[2] == 0, is_perfect)[at_end]:
                return ((0.0, 1.0)[at_end],) * 3
            if name != "precision" and at_end and one[2] == 0:
                return (most,) * 3
        values, through = sorted_law(
            name, one, other, target, args["method"], tuple(args.get("prices", ()))
        )
        if is_known:
            return (float(values[0]),) * 3
        alpha = (1 - args["level"]) / (2 if args["side"] == "two-sided" else 1)
        p = 1 - alpha if at_end else alpha

        def quantile(p: float) -> float:
            return float(values[min(int(np.searchsorted(through, p)), values.size - 1)])

        size, sampled, _ = other if name == "precision" else one
        error = PROBABILITY if size - sampled < MOST_ROWS else WITHOUT_ROWS
        return quantile(p), quantile(p - error), quantile(p + error)

    return ends


def check(args: Arguments) -> None:
    """Only questions that the twin can answer."""
    one, other = args["retrieved"], args["unretrieved"]
    if any(not 0 <= r <= n <= size for size, n, r in (one, other)) or one[0] + other[0] == 0:
        raise NoTwinError("no samples")
    if not 0 < args["target"] < 1 or args["method"] not in PRIORS or not 0 < args["level"] < 1:
        raise NoTwinError("outside the twin's range")
    if max(one[0], other[0]) > MOST_DOCUMENTS:
        raise NoTwinError("too many documents")
    if math.prod(likely(*each, PRIORS[args["method"]]) for each in (one, other)) > MOST_PAIRS:
        raise NoTwinError("too many pairs")


def likely(size: int, sampled: int, relevant: int, prior: float) -> float:
    """About as many counts as 20 standard deviations of a yield hold, within what is possible."""
    a, b, unseen = relevant + prior, sampled - relevant + prior, size - sampled
    variance = unseen * a * b * (a + b + unseen) / ((a + b) ** 2 * (a + b + 1))
    return min(unseen + 1, 20 * math.sqrt(variance) + 20)


@lru_cache(maxsize=2)
def sorted_law(
    name: str, one: Stratum, other: Stratum, target: float, method: str, prices: tuple[float, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """Values of all pairs in order, and the probabilities up to each."""
    X, documents, probability = slow.all_pairs(one, other, target, PRIORS[method])
    values = X if name == "precision" else documents
    if name == "cost":
        (r1, _), (r0, _) = (slow.yield_law(*each, PRIORS[method]) for each in (one, other))
        values = prices[0] * documents + prices[1] * target * np.add.outer(r1, r0).ravel()
    order = np.argsort(values, kind="stable")
    return values[order], np.cumsum(probability[order])


def end_hunt(
    name: str, function: Callable[..., irb.Interval], draw: Callable[..., Arguments]
) -> Hunt:
    """The probability at an end must be right: as far away as that allows the end itself may be."""
    known: dict[str, Ends] = {}

    def ends(args: Arguments) -> Ends:
        key = repr(args)
        if key not in known:
            known.clear()
            known[key] = acceptable(name)(args)
        return known[key]

    return Hunt(
        f"{function.__name__}: an end",
        asked_again(draw, other_end, mean=12),
        found_end(function),
        lambda args: ends(args)[0],
        lambda args: (
            max(abs(end - ends(args)[0]) for end in ends(args))
            + DIGITS * abs(ends(args)[0])
            + sys.float_info.min  # numbers below it have fewer digits
        ),
        seconds=2.0,
    )


HUNTS = [
    end_hunt("precision", irb.extrapolation.extrapolated_precision_interval, question),
    end_hunt("documents", irb.extrapolation.documents_to_review_interval, question),
    end_hunt("cost", irb.extrapolation.cost_interval, priced),
]
