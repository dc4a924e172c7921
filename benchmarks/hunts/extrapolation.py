"""Dimm's reference curves, precision carried along them, and what it means for a review."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

import irbounds as irb
from hunts import Arguments, Hunt, NoTwinError, Relative
from hunts._draws import one_of, positive, share, whole
from tests.reference import extrapolation as slow

CURVE, POINT = Relative(1e-14), Relative(1e-13)  # the docstring's; the tests', through a point
ARITHMETIC = Relative(1e-14)  # a handful of products
TWINS = "printed formulas, 110 digits; all pairs of yields"
# the docstrings': where each likely count of one yield has a row of its own, and elsewhere
PROBABILITY, WITHOUT_ROWS, MOST_ROWS = 1e-9, 1.6e-5, 65_536
MOST_PAIRS = 300_000  # of yields, which the twin enumerates in two seconds
MOST_DOCUMENTS = 100_000  # of a segment, whose law the twin holds whole
PRIORS = {"betabinom-half": 0.5, "betabinom-uniform": 1.0}
POINT_OF = ("recall", "precision", "prevalence", "target_recall")
Stratum = tuple[int, int, int]


# Curves
# ---------------------------------------------------------------------------------------------


def check(args: Arguments) -> None:
    """Numbers for which the formulas keep enough of their 110 digits."""
    for name in ("recall", "prevalence", "target_recall", "precision"):
        if name in args and not 1e-12 <= args[name] <= 1:
            raise NoTwinError("too many digits")
    if not 1e-9 <= abs(args.get("beta", 1.0)) <= 1e12 or args["prevalence"] > 0.99:
        raise NoTwinError("too many digits")
    if not args.get("precision", 1.0) > args["prevalence"]:
        raise NoTwinError("no better than random")


def curve(rng: np.random.Generator) -> Arguments:
    """β of all sizes, its switch at 2e-4 among them."""
    beta = one_of(rng, [-float(rng.random()), 2e-4, 10 ** rng.uniform(-8, 12)])
    recall = one_of(rng, [1.0, 0.2, share(rng, 1e-9)])
    return {"recall": recall, "prevalence": share(rng, 1e-9), "beta": float(beta)}


def on_curve(method: str, twin: Callable[..., Any]) -> Hunt:
    """Precision, or the probability of relevance, at a recall."""

    def value(args: Arguments) -> float:
        found = irb.extrapolation.PrecisionCurve(args["prevalence"], args["beta"])
        return float(getattr(found, method)(args["recall"]))

    def truth(args: Arguments) -> float:
        check(args)
        return float(twin(args["recall"], args["prevalence"], args["beta"]))

    def promise(args: Arguments, truth: float) -> float:
        is_in = args["beta"] >= 1e-8 and min(args["recall"], args["prevalence"]) >= 1e-9
        return (CURVE if is_in else POINT)(args, truth)

    name = f"PrecisionCurve.{method}"
    return Hunt(name, curve, value, truth, promise, "1e-14 relative; of a line 1e-13")


def point(rng: np.random.Generator) -> Arguments:
    """A point above random order, barely or by far, and a target."""
    rho = share(rng, 1e-9)
    return {
        "recall": share(rng, 1e-9),
        "precision": rho + (1 - rho) * share(rng, 1e-9),
        "prevalence": rho,
        "target_recall": one_of(rng, [1.0, share(rng, 1e-9)]),
    }


def extrapolated(args: Arguments) -> float:
    """X at the target."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", irb.warnings.ExtrapolationWarning)
        return float(irb.extrapolation.extrapolate_precision(*(args[name] for name in POINT_OF)))


def extrapolated_truth(args: Arguments) -> float:
    """By halving ln β."""
    check(args)
    recall, precision, rho, target = (args[name] for name in POINT_OF)
    return float(slow.extrapolated(recall, precision, rho, target))


# Arithmetic
# ---------------------------------------------------------------------------------------------


def review(rng: np.random.Generator) -> Arguments:
    """A collection, and prices."""
    return {
        "population": positive(rng, 1, 1e12),
        "prevalence": share(rng),
        "recall": one_of(rng, [0.0, 1.0, share(rng)]),
        "precision": share(rng),
        "per_document": positive(rng, 1e-9, 1e9),
        "per_relevant": one_of(rng, [0.0, positive(rng, 1e-9, 1e9)]),
        "fixed": one_of(rng, [0.0, positive(rng, 1e-9, 1e9)]),
        "beta": one_of(rng, [0.0, 1.0, positive(rng, 1e-3, 1e3)]),
    }


def of_documents(args: Arguments) -> list[float]:
    return [args[name] for name in ("population", "prevalence", "recall", "precision")]


def documents_truth(args: Arguments) -> Fraction:
    population, rho, recall, precision = map(Fraction, of_documents(args))
    return rho * population * recall / precision


def cost_value(args: Arguments) -> float:
    prices = {name: args[name] for name in ("per_document", "per_relevant", "fixed")}
    return float(irb.extrapolation.cost(*of_documents(args), **prices))


def cost_truth(args: Arguments) -> Fraction:
    each, more, fixed = (Fraction(args[name]) for name in ("per_document", "per_relevant", "fixed"))
    needed = documents_truth(args)
    return fixed + each * needed + more * needed * Fraction(args["precision"])


def f_truth(args: Arguments) -> float:
    recall, precision, b = (Fraction(args[name]) for name in ("recall", "precision", "beta"))
    if b == 0:
        return float(precision)
    below = b * b * precision + recall
    return float((b * b + 1) * recall * precision / below) if below else 0.0


# Ends of intervals
# ---------------------------------------------------------------------------------------------


def stratum(rng: np.random.Generator) -> Stratum:
    """Small and large; some are relevant and some are not, as nothing forces an end then."""
    most = [10, 100, 100, 300, 1000] if rng.random() < 0.95 else [MOST_DOCUMENTS]
    size = whole(rng, 3, one_of(rng, most))
    sampled = whole(rng, 2, size)
    return size, sampled, whole(rng, 1, sampled - 1)


def end_question(rng: np.random.Generator) -> Arguments:
    """An end of one side, of a review with a target and prices."""
    return {
        "retrieved": stratum(rng),
        "unretrieved": stratum(rng),
        "target": share(rng, 1e-3),
        "method": one_of(rng, list(PRIORS)),
        "level": float(one_of(rng, [0.8, 0.95, 0.99, share(rng, 1e-3)])),
        "end": one_of(rng, ["low", "high"]),
        "prices": [float(one_of(rng, [0.0, 1.0, 1.5, 1e3])) for _ in range(2)],
    }


def likely(size: int, sampled: int, relevant: int, prior: float) -> float:
    """About as many counts as 20 standard deviations of a yield hold, within what is possible."""
    a, b, unseen = relevant + prior, sampled - relevant + prior, size - sampled
    variance = unseen * a * b * (a + b + unseen) / ((a + b) ** 2 * (a + b + 1))
    return min(unseen + 1, 20 * math.sqrt(variance) + 20)


@lru_cache(maxsize=2)
def law(
    name: str, one: Stratum, other: Stratum, target: float, prior: float, prices: tuple[float, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """Values of all pairs of yields, and their probabilities."""
    precision, documents, probability = slow.all_pairs(one, other, target, prior)
    if name == "precision":
        return precision, probability
    if name == "documents":
        return documents, probability
    (r1, _), (r0, _) = (slow.yield_law(*each, prior) for each in (one, other))
    return prices[0] * documents + prices[1] * target * np.add.outer(r1, r0).ravel(), probability


def end_hunt(name: str, function: Callable[..., irb.Interval]) -> Hunt:
    """The probability that an end misses: up to it too little, or below it too much."""

    def value(args: Arguments) -> float:
        prices = dict(zip(("per_document", "per_relevant"), args["prices"], strict=True))
        side = {"low": "lower", "high": "upper"}[args["end"]]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", irb.warnings.ExtrapolationWarning)
            found = function(
                args["retrieved"],
                args["unretrieved"],
                args["target"],
                confidence_level=args["level"],
                side=side,
                method=args["method"],
                **(prices if name == "cost" else {}),
            )
        return missing(args, float(getattr(found, args["end"])))

    def missing(args: Arguments, end: float) -> float:
        one, other = tuple(args["retrieved"]), tuple(args["unretrieved"])
        prior = PRIORS[args["method"]]
        if not (0 < one[2] < one[1] and 0 < other[2] < other[1]):
            raise NoTwinError("ends that the data force")
        if max(one[0], other[0]) > MOST_DOCUMENTS:
            raise NoTwinError("too many documents")
        if likely(*one, prior) * likely(*other, prior) > MOST_PAIRS:
            raise NoTwinError("too many pairs")
        p = args["level"] if args["end"] == "high" else 1 - args["level"]
        asked = name, one, other, args["target"], prior, tuple(args["prices"])
        return slow.missing_probability(*law(*asked), end, p)

    def promise(args: Arguments, truth: float) -> float:
        size, sampled, _ = args["unretrieved" if name == "precision" else "retrieved"]
        return PROBABILITY if size - sampled < MOST_ROWS else WITHOUT_ROWS

    return Hunt(
        f"{function.__name__}, probability missing at an end",
        end_question,
        value,
        lambda args: 0.0,
        promise,
        "1e-09; 1.6e-05 beyond 65,536 documents",
    )


HUNTS = [
    on_curve("precision", slow.precision),
    on_curve("relevance_probability", slow.relevance),
    Hunt("extrapolate_precision", point, extrapolated, extrapolated_truth, POINT),
    Hunt(
        "documents_to_review",
        review,
        lambda args: irb.extrapolation.documents_to_review(*of_documents(args)),
        lambda args: float(documents_truth(args)),
        ARITHMETIC,
    ),
    Hunt("cost", review, cost_value, lambda args: float(cost_truth(args)), ARITHMETIC),
    Hunt(
        "f_score",
        review,
        lambda args: irb.extrapolation.f_score(args["recall"], args["precision"], args["beta"]),
        f_truth,
        ARITHMETIC,
    ),
    end_hunt("precision", irb.extrapolation.extrapolated_precision_interval),
    end_hunt("documents", irb.extrapolation.documents_to_review_interval),
    end_hunt("cost", irb.extrapolation.cost_interval),
]
