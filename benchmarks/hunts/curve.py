"""Dimm's reference curves, precision carried along them, and what it means for a review."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np

import irbounds as irb
from hunts import Arguments, Hunt, NoTwinError, last_answer
from hunts._draws import one_of, positive, share
from tests.reference import extrapolation as slow

CURVE = 1e-14  # the docstring's, relative, within its ranges
POINT = 1e-13  # the tests', of a curve through a point; and of curves beyond those ranges
# a quotient of slopes, each to 13 digits, that may cancel in part; relative above 1
SENSITIVITY = 1e-9
BY_RECALL = 1e-15  # the docstring's, over recall or 1 - recall
ARITHMETIC = 1e-14  # a handful of products
NO_RECALL = 1e-18
STEP = 1e-12  # relative, of the differences that stand in for derivatives
MOST_DIGITS = 1500
POINT_OF = ("recall", "precision", "prevalence", "target_recall")


@contextmanager
def digits(*sizes: float) -> Iterator[None]:
    """So many that none is lost: formulas cancel by powers of these."""
    lost = sum(4 * abs(math.log10(x)) for x in sizes if 0 < x < math.inf)
    if lost > MOST_DIGITS:
        raise NoTwinError("too many digits")
    before, slow.DIGITS = slow.DIGITS, max(slow.DIGITS, int(60 + lost))
    try:
        yield
    finally:
        slow.DIGITS = before


def level(rng: np.random.Generator) -> float:
    """A recall, 0 and 1 among them."""
    return (
        one_of(rng, [0.0, 1.0, 0.2, math.nextafter(0.2, 0)])
        if rng.random() < 0.08
        else share(rng, 1e-12)
    )


def prevalence(rng: np.random.Generator) -> float:
    """Rare as a rule."""
    return 10 ** (-100 * rng.random()) if rng.random() < 0.05 else share(rng, 1e-9)


def curve(rng: np.random.Generator) -> Arguments:
    """β of all sizes: its switches are at 2e-4, 1e-140 and 1e140."""
    how = rng.random()
    beta = (
        -float(rng.random())
        if how < 0.1
        else 10 ** rng.uniform(-8, 12)
        if how < 0.8
        else one_of(rng, [0.0, -1.0, 1.0, 2e-4, math.nextafter(2e-4, 0), 1e-9, 1e20, 1e-30])
        if how < 0.95
        else 10 ** rng.uniform(-60, 60)
    )
    return {"recall": level(rng), "prevalence": prevalence(rng), "beta": float(beta)}


def on_curve(method: str, twin: Callable[..., Any]) -> Hunt:
    """Precision, or the probability of relevance, at a recall."""

    def value(args: Arguments) -> float:
        return getattr(irb.extrapolation.PrecisionCurve(args["prevalence"], args["beta"]), method)(
            args["recall"]
        )

    @last_answer
    def truth(args: Arguments) -> float:
        R, rho, beta = args["recall"], args["prevalence"], args["beta"]
        if math.isinf(beta):
            raise NoTwinError("the formulas have no such β")
        with digits(R or 1, 1 - R or 1, rho, abs(beta) or 1):
            if R == 0:  # both are the limit
                return float(slow.relevance(0, rho, beta))
            return float(twin(R, rho, beta))

    def promise(args: Arguments) -> float:
        is_in = (
            1e-9 <= args["prevalence"] <= 0.99
            and args["recall"] >= 1e-9
            and 1e-8 <= args["beta"] <= 1e12
        )
        return (CURVE if is_in else POINT) * truth(args)

    return Hunt(f"PrecisionCurve.{method}", curve, value, truth, promise)


def point(rng: np.random.Generator) -> Arguments:
    """A point above random order, barely or by far, and a target."""
    rho = prevalence(rng)
    above = share(rng, 1e-9)
    p = rho + (1 - rho) * above
    return {
        "recall": share(rng, 1e-9),
        "precision": p,
        "prevalence": rho,
        "target_recall": level(rng),
    }


def through(args: Arguments) -> float:
    """Precision that the formula has where the curve was made to go through a point."""
    R, P, rho = args["recall"], args["precision"], args["prevalence"]
    beta = irb.extrapolation.PrecisionCurve.through(R, P, rho).beta
    with digits(R, 1 - R, rho, abs(beta) or 1):
        return float(slow.precision(R, rho, beta)) if math.isfinite(beta) else 1.0


def extrapolated(args: Arguments) -> float:
    """X at the target."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", irb.warnings.ExtrapolationWarning)
        return irb.extrapolation.extrapolate_precision(*(args[name] for name in POINT_OF))


@last_answer
def extrapolated_truth(args: Arguments) -> float:
    """By halving ln β."""
    R, P, rho, target = (args[name] for name in POINT_OF)
    with digits(R, 1 - R, rho, 1 - P, target or 1, 1 - target or 1):
        beta = slow.beta_through(R, P, rho)
        return float(slow.precision(target, rho, beta) if target else slow.relevance(0, rho, beta))


def sensitive(rng: np.random.Generator) -> Arguments:
    """Points that no limit is near, and one of the three derivatives."""
    rho = float(10 ** rng.uniform(-4, -0.3))
    p = rho + (1 - rho) * float(rng.uniform(0.02, 0.98))
    return {
        "recall": float(rng.uniform(0.02, 0.98)) if rng.random() < 0.8 else share(rng, 1e-7),
        "precision": p,
        "prevalence": rho,
        "target_recall": one_of(rng, [1.0, float(rng.uniform(0.02, 1))]),
        "by": one_of(rng, ["precision", "recall", "prevalence"]),
    }


def sensitivity(args: Arguments) -> float:
    """A derivative of the extrapolated precision."""
    R, target = args["recall"], args["target_recall"]
    found = irb.extrapolation.PrecisionCurve.through(
        R, args["precision"], args["prevalence"]
    ).sensitivity(R, target)
    return float(getattr(found, args["by"]))


def check_sensitive(args: Arguments) -> None:
    """A point above random order, none of whose numbers needs thousands of digits."""
    if not args["precision"] > args["prevalence"]:
        raise NoTwinError("no better than random")
    if not min(args["recall"], 1 - args["recall"], args["prevalence"]) > 1e-300:
        raise NoTwinError("too many digits")


@last_answer
def sensitivity_truth(args: Arguments) -> float:
    """By the rule of implicit functions; by differences where β has too few digits for it."""
    check_sensitive(args)
    if args["precision"] > 1 - 2**-52:  # it may round to 1 on the curve, where the answer is nan
        raise NoTwinError
    target = max(args["target_recall"], NO_RECALL)
    found = slow.sensitivities(args["recall"], args["precision"], args["prevalence"], target)
    return float(found[args["by"]]) if found else sensitivity_by_differences(args)


def sensitivity_by_differences(args: Arguments) -> float:
    """A central difference; its error is the square of the step.  At recall 0 X is the limit."""
    check_sensitive(args)
    target = max(args["target_recall"], NO_RECALL)
    point = args["recall"], 1 - args["recall"], args["prevalence"]
    with digits(*point), mpmath.workdps(slow.DIGITS):
        known = {name: mpmath.mpf(args[name]) for name in ("recall", "precision", "prevalence")}
        step = mpmath.mpf(STEP) * min(known[args["by"]], 1 - known[args["by"]])
        values = [
            slow.extrapolated(
                *{**known, args["by"]: known[args["by"]] + sign * step}.values(),
                target,
            )
            for sign in (1, -1)
        ]
        return float((values[0] - values[1]) / (2 * step))


def sensitivity_promise(args: Arguments) -> float:
    """By recall, a difference of two precisions loses digits near 0 and 1."""
    near = min(args["recall"], 1 - args["recall"])
    by_recall = BY_RECALL / near if args["by"] == "recall" else 0.0
    return SENSITIVITY * max(1.0, abs(sensitivity_truth(args))) + by_recall


def review(rng: np.random.Generator) -> Arguments:
    """A collection, and prices."""
    part = [one_of(rng, [0.0, 1.0]) if rng.random() < 0.1 else share(rng, 1e-300) for _ in range(3)]
    return {
        "population": one_of(rng, [0.0, positive(rng, 1, 1e15), 1e300]),
        "prevalence": part[0],
        "recall": part[1],
        "precision": part[2] or 1.0,
        "per_document": positive(rng, 1e-9, 1e9),
        "per_relevant": one_of(rng, [0.0, positive(rng, 1e-9, 1e9)]),
        "fixed": one_of(rng, [0.0, positive(rng, 1e-9, 1e9)]),
        "beta": one_of(rng, [0.0, 1.0, math.inf, positive(rng, 1e-120, 1e120)]),
    }


def names(*wanted: str) -> Callable[[Arguments], list[float]]:
    """Values of arguments."""
    return lambda args: [args[name] for name in wanted]


of_documents = names("population", "prevalence", "recall", "precision")


def exact_documents(args: Arguments) -> tuple[Fraction, Fraction]:
    """Documents to review, and relevant ones among them."""
    N, rho, R, P = map(Fraction, of_documents(args))
    return rho * N * R / P, rho * N * R


def as_float(x: Fraction) -> float:
    """Infinite where a double cannot hold it."""
    try:
        return float(x)
    except OverflowError:
        return math.inf


@last_answer
def documents_truth(args: Arguments) -> float:
    return as_float(exact_documents(args)[0])


@last_answer
def cost_truth(args: Arguments) -> float:
    needed, relevant = exact_documents(args)
    each, more, fixed = map(Fraction, names("per_document", "per_relevant", "fixed")(args))
    if each and math.isinf(as_float(needed)):
        return math.inf
    return as_float(fixed + each * needed + more * relevant)


@last_answer
def f_truth(args: Arguments) -> float:
    R, P, b = args["recall"], args["precision"], args["beta"]
    if math.isinf(b) or b == 0:
        return R if b else P
    R, P, square = Fraction(R), Fraction(P), Fraction(b) ** 2
    return float((square + 1) * R * P / (square * P + R)) if R or P else 0.0


def costs(args: Arguments) -> float:
    """With all prices."""
    prices = {name: args[name] for name in ("per_document", "per_relevant", "fixed")}
    return irb.extrapolation.cost(*of_documents(args), **prices)


def relative(truth: Callable[[Arguments], float], promise: float) -> Callable[[Arguments], float]:
    """An error relative to the truth, where doubles have all their digits."""
    return lambda args: promise * abs(truth(args)) + 1e-300 if math.isfinite(truth(args)) else 0.0


def cost_promise(args: Arguments) -> float:
    """As `documents_to_review`, whose digits end at 1e-300 documents, times the prices."""
    prices = args["per_document"] + args["per_relevant"]
    return relative(cost_truth, ARITHMETIC)(args) + 1e-300 * min(prices, 1e300)


HUNTS = [
    on_curve("precision", slow.precision),
    on_curve("relevance_probability", slow.relevance),
    Hunt(
        "PrecisionCurve.through",
        point,
        through,
        lambda args: args["precision"],
        lambda args: POINT * args["precision"],
        seconds=5.0,
    ),
    Hunt(
        "extrapolate_precision",
        point,
        extrapolated,
        extrapolated_truth,
        relative(extrapolated_truth, POINT),
    ),
    Hunt(
        "PrecisionCurve.sensitivity",
        sensitive,
        sensitivity,
        sensitivity_truth,
        sensitivity_promise,
        sure=sensitivity_by_differences,
    ),
    Hunt(
        "documents_to_review",
        review,
        lambda args: irb.extrapolation.documents_to_review(*of_documents(args)),
        documents_truth,
        relative(documents_truth, ARITHMETIC),
    ),
    Hunt("cost", review, costs, cost_truth, cost_promise),
    Hunt(
        "f_score",
        review,
        lambda args: irb.extrapolation.f_score(args["recall"], args["precision"], args["beta"]),
        f_truth,
        relative(f_truth, ARITHMETIC),
    ),
]
