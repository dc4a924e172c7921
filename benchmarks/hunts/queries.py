"""Means over queries: ends of intervals against fractions, power against an integral."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from scipy import special

import irbounds as irb
from hunts import Arguments, Hunt, NoTwinError
from hunts._draws import one_of, positive, share, whole
from tests.reference import query_means as slow

TWINS = "divided differences and sums in fractions; quadrature, 30 digits"
END = 1e-11  # the tests'
MOST = 10  # values whose divided differences are taken
EQUAL = 1e-12  # relative: values that are equal but for rounding have no variance
LEAST_LEVEL = 1e-6


def unit_values(rng: np.random.Generator) -> Arguments:
    """Values of a measure: 0 and 1 among them, ties, clusters near either end."""
    n, kind = whole(rng, 1, MOST), one_of(rng, ["spread", "ends", "grid", "near 1"])
    if kind == "spread":
        values = rng.random(n)
    elif kind == "ends":
        values = np.where(rng.random(n) < 0.6, rng.integers(0, 2, n), rng.random(n))
    elif kind == "grid":
        values = rng.integers(0, 6, n) / 5
    else:
        values = 1 - 10.0 ** rng.uniform(-6, 0, n)
    return {"values": values.tolist()} | options(rng)


def options(rng: np.random.Generator) -> Arguments:
    return {
        "confidence_level": one_of(rng, [0.8, 0.95, share(rng, 1e-4)]),
        "side": one_of(rng, ["two-sided", "lower"]),
    }


def proportions(rng: np.random.Generator) -> Arguments:
    """Zeros and ones, of which the twin knows the law: any number, few of one kind among them."""
    n = whole(rng, 1, 3000)
    few = min(n, whole(rng, 0, 3))
    ones = one_of(rng, [few, n - few, whole(rng, 0, n)])
    return {"ones": int(ones), "zeros": int(n - ones)} | options(rng)


def jeffreys_end(args: Arguments) -> float:
    """The lower end of so many ones among zeros."""
    ones, zeros = args["ones"], args["zeros"]
    if ones < 0 or zeros < 0:
        raise irb.InputError("a count below 0")
    asked = {name: args[name] for name in ("confidence_level", "side")}
    return float(irb.mean_interval([1.0] * ones + [0.0] * zeros, method="jeffreys", **asked).low)


def beta_end(args: Arguments) -> float:
    """Jeffreys' of a proportion: a quantile of Beta(k + 1/2, n - k + 1/2), at most the mean."""
    ones, zeros = args["ones"], args["zeros"]
    end = float(special.betaincinv(ones + 0.5, zeros + 0.5, float(tail_of(args))))
    return min(end, ones / (ones + zeros)) if ones and zeros else (0.0 if zeros else end)


def low_end(method: str) -> Callable[[Arguments], float]:
    """The lower end by a method."""

    def value(args: Arguments) -> float:
        x = args["values"]
        if not all(0 <= each <= 1 for each in x):
            raise irb.InputError("outside of the limits")
        takes_equal = method == "gaffke" or (method == "wilson" and {*x} <= {0, 1})
        if not takes_equal and max(x) - min(x) <= EQUAL * max(x):
            raise irb.InputError("no spread")
        return float(irb.mean_interval(method=method, limits=(0, 1), **args).low)

    return value


def tail_of(args: Arguments) -> Fraction:
    """The probability below the end."""
    left = 1 - args["confidence_level"]
    if not LEAST_LEVEL <= left <= 1 - LEAST_LEVEL:
        raise NoTwinError("outside the twin's range")
    return Fraction(left / 2 if args["side"] == "two-sided" else left)


def fractions_of(args: Arguments, least: int = 1) -> list[Fraction]:
    x = [Fraction(value) for value in args["values"]]
    if len(x) > MOST or len(x) < least:
        raise NoTwinError("too many values, or too few")
    return x


def dirichlet_end(args: Arguments) -> float:
    """The place below which the mean with random weights, of 0 too, is with the tail's
    probability."""
    x = [*fractions_of(args), Fraction(0)]
    low, high, wanted = min(x), max(x), 1 - tail_of(args)
    if low == high:
        return float(low)
    while high - low > Fraction(1, 10**14):
        middle = ((low + high) / 2).limit_denominator(10**20)
        if slow.dirichlet_tail(x, middle) > wanted:
            low = middle
        else:
            high = middle
    return float(low)


def t_end(args: Arguments) -> float:
    """Mean and variance in fractions."""
    x = fractions_of(args, 2)
    n, mean = len(x), sum(x) / len(x)
    variance = sum((value - mean) ** 2 for value in x) / (n - 1) / n
    end = float(mean) + t_quantile(n - 1, tail_of(args)) * math.sqrt(variance)
    return min(max(end, 0.0), 1.0)


def wilson_end(args: Arguments) -> float:
    """A root with 50 digits."""
    x, tail = fractions_of(args), tail_of(args)
    if {*x} <= {Fraction(0), Fraction(1)}:
        quantile = float(special.ndtri(float(tail)))
    else:
        quantile = t_quantile(len(x) - 1, tail)
    return float(slow.wilson_ends(x, quantile)[tail > Fraction(1, 2)])


def t_quantile(freedom: int, tail: Fraction) -> float:
    """Student's t.  SciPy's stdtrit is off by 1e-9 next to the median (1.17: 4.172e-7 for
    4.162e-7), so that the law of t^2 serves there."""
    if not Fraction(1, 4) < tail < Fraction(3, 4):
        return float(special.stdtrit(freedom, float(tail)))
    inside = float(special.betaincinv(0.5, freedom / 2, float(abs(1 - 2 * tail))))
    return math.copysign(math.sqrt(freedom * inside / (1 - inside)), tail - Fraction(1, 2))


def designs(rng: np.random.Generator) -> Arguments:
    """Designs of a comparison, from two queries to ten thousand."""
    n = whole(rng, 2, 10**4)
    return {
        "n": n,
        "difference": positive(rng, 0.01, 30) / math.sqrt(n),
        "alpha": share(rng, 1e-6),
        "side": one_of(rng, ["two-sided", "one-sided"]),
    }


def power_truth(args: Arguments) -> float:
    """By the definition of the noncentral t."""
    sides = 2 if args["side"] == "two-sided" else 1
    cut = -float(special.stdtrit(args["n"] - 1, args["alpha"] / sides))
    if not 1e-2 < cut < 1e6 or args["n"] > 10**5:
        raise NoTwinError("no edges for the integral")
    return float(slow.power_of_t(args["n"], abs(args["difference"]), cut, sides))


HUNTS = [
    Hunt("mean_interval, gaffke", unit_values, low_end("gaffke"), dirichlet_end, END),
    Hunt("mean_interval, jeffreys", proportions, jeffreys_end, beta_end, END),
    Hunt("mean_interval, wilson", unit_values, low_end("wilson"), wilson_end, END),
    Hunt("mean_interval, t", unit_values, low_end("t"), t_end, END),
    Hunt(
        "comparison_power",
        designs,
        lambda args: irb.queries.comparison_power(sd=1.0, **args),
        power_truth,
        lambda args, truth: 1e-9 * truth + 1e-12,
        "1e-09 relative",
    ),
]
