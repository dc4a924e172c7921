"""Means over queries: ends of intervals against fractions, power against an integral."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import special

import irbounds as irb
from hunts import Arguments, Hunt, NoTwinError, last_answer
from hunts._draws import one_of, positive, share, whole
from tests.reference import query_means as slow
from tests.reference import quick

MOST = 14  # values whose divided differences are taken
STEPS = 70  # of a bisection, whose last one is below 1e-20 of the range
LEAST_SPREAD = 1e-150  # whose square is no double: the function warns that there is no variance,
EQUAL = 1e-12  # as it does where values differ by so little, relative to the largest
EQUAL = 1e-12  # relative: values that are equal but for rounding have no variance


def unit_values(rng: np.random.Generator) -> Arguments:
    """Values of a measure: 0 and 1 among them, ties, clusters near either end."""
    n = whole(rng, 1, MOST)
    kind = one_of(rng, ["spread", "ends", "grid", "near 1"])
    if kind == "spread":
        values = rng.random(n)
    elif kind == "ends":
        values = np.where(rng.random(n) < 0.6, rng.integers(0, 2, n), rng.random(n))
    elif kind == "grid":
        values = rng.integers(0, 6, n) / 5
    else:
        values = 1 - 10.0 ** rng.uniform(-12, 0, n)
    return {
        "values": values.tolist(),
        "confidence_level": share(rng, 1e-4),
        "side": one_of(rng, ["two-sided", "lower"]),
    }


def proportions(rng: np.random.Generator) -> Arguments:
    """Zeros and ones, of which the twin knows the law: any number, few of one kind among them."""
    n = whole(rng, 1, 3000)
    few = min(n, whole(rng, 0, 3))
    ones = one_of(rng, [few, n - few, whole(rng, 0, n)])
    return {
        "ones": int(ones),
        "zeros": int(n - ones),
        "confidence_level": share(rng, 1e-4),
        "side": one_of(rng, ["two-sided", "lower"]),
    }


def jeffreys_end(args: Arguments) -> float:
    """The lower end of so many ones among zeros."""
    ones, zeros = args["ones"], args["zeros"]
    if ones < 0 or zeros < 0:
        raise irb.InputError("a count below 0")
    values = [1.0] * ones + [0.0] * zeros
    rest = {name: args[name] for name in ("confidence_level", "side")}
    return float(irb.mean_interval(values, method="jeffreys", **rest).low)


def beta_end(args: Arguments) -> float:
    """Jeffreys' of a proportion: a quantile of Beta(k + 1/2, n - k + 1/2), at most the mean."""
    ones, zeros = args["ones"], args["zeros"]
    if not 0 < args["confidence_level"] < 1 or min(ones, zeros) < 0 or ones + zeros < 1:
        raise NoTwinError("no question")
    end = float(special.betaincinv(ones + 0.5, zeros + 0.5, float(tail_of(args))))
    return min(end, ones / (ones + zeros)) if ones and zeros else (0.0 if zeros else end)


def low_end(method: str) -> Any:
    """The lower end by a method."""

    def value(args: Arguments) -> float:
        if not all(0 <= x <= 1 for x in args["values"]):
            raise irb.InputError("outside of the limits")
        x = args["values"]
        takes_equal = method == "guaranteed" or (method == "wilson" and {*x} <= {0, 1})
        if not takes_equal and max(x) - min(x) < max(LEAST_SPREAD, EQUAL * max(x)):
            raise irb.InputError("no spread")
        return float(irb.mean_interval(method=method, limits=(0, 1), **args).low)

    return value


def tail_of(args: Arguments) -> Fraction:
    """The probability below the end."""
    left = 1 - args["confidence_level"]
    return Fraction(left / 2 if args["side"] == "two-sided" else left)


def dirichlet_end(added: list[float]) -> Any:
    """The place below which the mean with random weights is with the tail's probability."""

    @last_answer
    def truth(args: Arguments) -> float:
        x = [Fraction(value) for value in [*args["values"], *added]]
        if len(x) > MOST + 1 or not 0 < args["confidence_level"] < 1:
            raise NoTwinError("too many")
        low, high, wanted = min(x), max(x), 1 - tail_of(args)
        if low == high:
            return float(low)
        for _ in range(STEPS):
            middle = (low + high) / 2
            middle = Fraction(middle).limit_denominator(10**30)
            if slow.dirichlet_tail(x, middle) > wanted:
                low = middle
            else:
                high = middle
        return float(low)

    return truth


def quick_end(added: list[float]) -> Any:
    """The same in whole numbers."""

    def truth(args: Arguments) -> float:
        x = [Fraction(value) for value in [*args["values"], *added]]
        if len(x) > MOST + 1 or not 0 < args["confidence_level"] < 1:
            raise NoTwinError("too many")
        if min(x) == max(x):
            return float(x[0])
        return quick.dirichlet_end(x, tail_of(args))

    return truth


@last_answer
def t_end(args: Arguments) -> float:
    """Mean and variance in fractions."""
    x = [Fraction(value) for value in args["values"]]
    n = len(x)
    if n < 2 or max(x) - min(x) <= EQUAL * max(map(abs, x)):
        raise NoTwinError("one value, or values that are equal but for rounding")
    mean = sum(x) / n
    variance = sum((value - mean) ** 2 for value in x) / (n - 1) / n
    end = float(mean) + t_quantile(n - 1, tail_of(args)) * math.sqrt(variance)
    return min(max(end, 0.0), 1.0)


@last_answer
def wilson_end(args: Arguments) -> float:
    """A root with 50 digits."""
    x = [Fraction(value) for value in args["values"]]
    if not 0 < args["confidence_level"] < 1:
        raise NoTwinError("no question")
    tail = tail_of(args)
    if {*x} <= {Fraction(0), Fraction(1)}:
        quantile = float(special.ndtri(float(tail)))
    elif len(x) < 2 or max(x) - min(x) <= EQUAL * max(map(abs, x)):
        raise NoTwinError("one value, or values that are equal but for rounding")
    else:
        quantile = t_quantile(len(x) - 1, tail)
    low, high = slow.wilson_ends(x, quantile)
    return float(low if tail <= Fraction(1, 2) else high)


def t_quantile(freedom: int, tail: Fraction) -> float:
    """Student's t.  SciPy's stdtrit is off by 1e-9 next to the median (1.17: 4.172e-7 for
    4.162e-7), so that the law of t^2 serves there."""
    if not Fraction(1, 4) < tail < Fraction(3, 4):
        return float(special.stdtrit(freedom, float(tail)))
    share = float(special.betaincinv(0.5, freedom / 2, float(abs(1 - 2 * tail))))
    return math.copysign(math.sqrt(freedom * share / (1 - share)), tail - Fraction(1, 2))


def designs(rng: np.random.Generator) -> Arguments:
    """Designs of a comparison, from two queries to a million."""
    n = whole(rng, 2, 10**6)
    return {
        "n": n,
        "difference": positive(rng, 0.01, 30) / math.sqrt(n),
        "alpha": share(rng, 1e-9),
        "side": one_of(rng, ["two-sided", "one-sided"]),
    }


def power(args: Arguments) -> float:
    """The power for differences with the standard deviation 1."""
    return irb.queries.comparison_power(sd=1.0, **args)


def integral_of(power_of_t: Any) -> Any:
    """By its definition."""

    def answer(args: Arguments) -> float:
        sides = 2 if args["side"] == "two-sided" else 1
        cut = -float(special.stdtrit(args["n"] - 1, args["alpha"] / sides))
        if not 1e-3 < abs(cut) < 1e9:
            raise NoTwinError("no edges for the integral")
        return float(power_of_t(args["n"], abs(args["difference"]), cut, sides))

    return answer


integral = last_answer(integral_of(quick.power_of_t))


def detected(rng: np.random.Generator) -> Arguments:
    """A power, and the design that should have it."""
    alpha = share(rng, 1e-6) / 2
    return {
        "n": whole(rng, 2, 10**6),
        "power": float(rng.uniform(alpha, 1)) * 0.999,
        "alpha": alpha,
        "side": one_of(rng, ["two-sided", "one-sided"]),
    }


def power_of_detected(args: Arguments) -> float:
    """That of the difference found."""
    rest = {"alpha": args["alpha"], "side": args["side"]}
    found = irb.queries.detectable_difference(sd=1.0, **args)
    return irb.queries.comparison_power(args["n"], found, 1.0, **rest)


def power_asked(args: Arguments) -> float:
    """No difference has less than alpha."""
    return max(args["power"], args["alpha"])


HUNTS = [
    Hunt(
        "mean_interval, guaranteed",
        unit_values,
        low_end("guaranteed"),
        quick_end([0.0]),
        1e-11,
        sure=dirichlet_end([0.0]),
    ),
    Hunt(
        "mean_interval, bayesian-bootstrap",
        unit_values,
        low_end("bayesian-bootstrap"),
        quick_end([]),
        1e-11,
        sure=dirichlet_end([]),
    ),
    Hunt("mean_interval, jeffreys", proportions, jeffreys_end, beta_end, 1e-11),
    Hunt("mean_interval, wilson", unit_values, low_end("wilson"), wilson_end, 1e-11),
    Hunt("mean_interval, t", unit_values, low_end("t"), t_end, 1e-11),
    Hunt(
        "comparison_power",
        designs,
        power,
        integral,
        lambda args: 1e-9 * integral(args) + 1e-12,
        sure=integral_of(slow.power_of_t),
    ),
    Hunt("detectable_difference", detected, power_of_detected, power_asked, 1e-10),
]
