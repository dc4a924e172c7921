"""Intervals on one proportion, on the ratio of two, and recall intervals that are made of them."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np

import irbounds as irb
from hunts import Arguments, Hunt, NoTwinError
from hunts._draws import one_of, share, whole
from tests.reference import sample_intervals as slow

PROPORTION = 1e-11  # the tests', absolute
RATIO, NEAR_RATIO, NEAR = 1e-13, 1e-8, 1e-3  # the docstring's, relative: usual levels, and small
FORMULA = 1e-9  # the tests', of recall
MOST_TRIALS, MOST_FOR_BLAKER = 60, 20  # of sums over all outcomes
LARGEST = 10**9
LEAST_LEVEL = 1e-9
TWINS = "formulas and bisection, 20 to 60 digits; all populations"
SIDES = ("two-sided", "lower", "upper")
OPEN = {"upper": "low", "lower": "high"}  # the end that a side leaves open
CLOSED = {
    "wald": slow.wald,
    "wilson": slow.wilson,
    "wilson-cc": slow.wilson_corrected,
    "agresti-coull": slow.agresti_coull,
}
TAILS = {
    "jeffreys": slow.jeffreys,
    "clopper-pearson": slow.clopper_pearson,
    "mid-p": slow.mid_p,
    "blaker": slow.blaker,
}
FINITE = {
    "hypergeometric": slow.hypergeometric_bounds,
    "clopper-pearson": slow.hypergeometric_bounds,
    "mid-p": slow.hypergeometric_mid_p,
    "blaker": slow.hypergeometric_blaker,
    **{name: slow.scaled(twin) for name, twin in CLOSED.items()},
}
RECALL = ("koopman", "normal-mle", "normal-laplace", "normal-agresti-coull", "naive-binomial")


def options(rng: np.random.Generator) -> Arguments:
    """A level, near 0 and 1 as well, a side, and the end that is asked for."""
    return {
        "level": float(one_of(rng, [0.5, 0.8, 0.95, 0.99, share(rng, 1e-6)])),
        "side": one_of(rng, SIDES),
        "end": one_of(rng, ["low", "high"]),
    }


def sample(rng: np.random.Generator, most: int) -> tuple[int, int]:
    """(relevant, sampled): few, none, all, all but few, any."""
    sampled = whole(rng, 1, most)
    return whole(rng, 0, sampled), sampled


def of(args: Arguments) -> Arguments:
    """The keywords of every interval."""
    return {"confidence_level": args["level"], "side": args["side"]}


def check(args: Arguments, most: int) -> None:
    """Only questions that a twin can answer."""
    x, n, level = args["relevant"], args["sampled"], args["level"]
    if not 0 <= x <= n <= most or n == 0 or not LEAST_LEVEL <= level <= 1 - LEAST_LEVEL:
        raise NoTwinError("outside the twin's range")
    if args["side"] != "two-sided" and level <= 0.5:
        raise NoTwinError("the twin's ends of less than one half are on the usual side")


def end_of(ends: tuple[mpmath.mpf, mpmath.mpf], args: Arguments) -> float:
    return float(ends[args["end"] == "high"])


def proportion_hunt(method: str, most: int) -> Hunt:
    """Both ends, one at a time."""
    twin = {**CLOSED, **TAILS}[method]

    def draw(rng: np.random.Generator) -> Arguments:
        x, n = sample(rng, most)
        return {"relevant": x, "sampled": n, **options(rng)}

    def value(args: Arguments) -> float:
        x, n = args["relevant"], args["sampled"]
        return float(getattr(irb.binomial_interval(x, n, method=method, **of(args)), args["end"]))

    def truth(args: Arguments) -> float:
        check(args, most)
        with mpmath.workdps(20 if most < 10**4 else 50):  # large counts lose some digits
            # the double itself, not the decimal that it prints as: near 0 and 1 these differ
            level = mpmath.mpf(args["level"])
            asked = args["relevant"], args["sampled"], twin, level, args["side"]
            return end_of(slow.binomial_interval(*asked), args)

    return Hunt(f"binomial_interval, {method}", draw, value, truth, PROPORTION)


def finite_question(rng: np.random.Generator) -> Arguments:
    """Populations that can be enumerated."""
    size = whole(rng, 1, 100)
    x, n = sample(rng, size)
    asked = options(rng) | {"level": float(one_of(rng, [0.05, 0.5, 0.8, 0.9, 0.95, 0.99]))}
    return {"relevant": x, "sampled": n, "size": size, "method": one_of(rng, list(FINITE)), **asked}


def finite_value(args: Arguments) -> float:
    options = {"size": args["size"], "method": args["method"], **of(args)}
    found = irb.binomial_interval(args["relevant"], args["sampled"], **options)
    return float(getattr(found, args["end"]))


def finite_truth(args: Arguments) -> float:
    size, side, method = args["size"], args["side"], args["method"]
    check(args, min(size, 150))
    if size > 150:
        raise NoTwinError("too many populations")
    if args["sampled"] == size:
        return float(args["relevant"] / size)
    if OPEN.get(side) == args["end"]:
        return float(args["end"] == "high")
    # tests that compare a probability with the level take the decimal that was meant; in a normal
    # quantile near 1 the double counts
    level = Fraction(args["level"]) if method in CLOSED else args["level"]
    with mpmath.workdps(25):
        ends = FINITE[method](args["relevant"], args["sampled"], size, level, side)
        return end_of(ends, args) / size


def ratio_question(rng: np.random.Generator) -> Arguments:
    """All counts, all levels."""
    most = int(one_of(rng, [20, 1000, LARGEST]))
    return {"counts": (*sample(rng, most), *sample(rng, most)), **options(rng)}


def ratio_value(args: Arguments) -> float:
    return float(
        getattr(irb.samples.binomial_ratio_interval(*args["counts"], **of(args)), args["end"])
    )


def ratio_truth(args: Arguments) -> float:
    """With 60 digits; a bound of less than one half is the other side's of more than one half."""
    x1, n1, x2, n2 = args["counts"]
    side, level, end = args["side"], args["level"], args["end"]
    if not (0 <= x1 <= n1 <= LARGEST and 0 <= x2 <= n2 <= LARGEST) or not 1e-16 < level < 1:
        raise NoTwinError("outside the twin's range")
    if OPEN.get(side) == end or 0 in (n1, n2, x1 + x2):
        return np.inf if end == "high" else 0.0
    if side != "two-sided" and level == 0.5:
        return x1 / n1 / (x2 / n2) if x2 else np.inf
    if side != "two-sided" and level < 0.5:
        level, side = 1 - level, SIDES[3 - SIDES.index(side)]  # rounded, as the docstring's is
        end = "high" if end == "low" else "low"
    with mpmath.workdps(60):
        ends = slow.koopman(*args["counts"], mpmath.mpf(level), side)
        return float(ends[end == "high"])


def ratio_promise(args: Arguments, truth: float) -> float:
    """Relative to the truth; by the probability between the bounds of both sides."""
    inside = args["level"] if args["side"] == "two-sided" else abs(2 * args["level"] - 1)
    return (RATIO if inside >= NEAR else NEAR_RATIO) * truth if np.isfinite(truth) else 0.0


def recall_question(rng: np.random.Generator) -> Arguments:
    """Segments of which none, one or both were sampled whole."""
    strata = []
    for _ in range(2):
        x, n = sample(rng, 10**4)
        strata.append((n if rng.random() < 0.3 else whole(rng, n, n + 10**6), n, x))
    level = float(one_of(rng, [0.6, 0.8, 0.95, 0.99]))
    method = one_of(rng, RECALL)
    return {"strata": strata, **options(rng), "level": level, "method": method}


def recall_value(args: Arguments) -> float:
    found = irb.recall_interval(*args["strata"], method=args["method"], **of(args))
    return float(getattr(found, args["end"]))


def recall_truth(args: Arguments) -> float:
    one, other = args["strata"]
    if any(not 0 <= r <= n <= size or n == 0 for size, n, r in (one, other)):
        raise NoTwinError("no samples")
    if one[2] + other[2] == 0 or not 0.5 < args["level"] <= 1 - LEAST_LEVEL:
        raise NoTwinError("nothing found, or outside the twin's range")
    method, side = args["method"], args["side"]
    more = {"normal-laplace": 1, "normal-agresti-coull": 2}.get(method, 0)
    with mpmath.workdps(30):
        level = mpmath.mpf(args["level"])  # the double, as above
        if method == "koopman":
            return end_of(slow.koopman_recall(one, other, level, side), args)
        if method == "naive-binomial":
            estimate = slow.naive_recall([one], [other], level, side)
        else:
            estimate = slow.normal_recall([one], [other], more, level, side)
        if estimate.estimate == 0 and one[2] == 0:
            raise NoTwinError("nothing can be found among the retrieved")
        return end_of(slow.reported(estimate, [one], [other], more=more, side=side), args)


HUNTS = [
    *(proportion_hunt(method, LARGEST) for method in CLOSED),
    *(
        proportion_hunt(method, MOST_FOR_BLAKER if method == "blaker" else MOST_TRIALS)
        for method in TAILS
    ),
    Hunt("binomial_interval, size=", finite_question, finite_value, finite_truth, PROPORTION),
    Hunt(
        "binomial_ratio_interval",
        ratio_question,
        ratio_value,
        ratio_truth,
        ratio_promise,
        "1e-13 relative; levels below 0.001 1e-08",
    ),
    Hunt("recall_interval, by formulas", recall_question, recall_value, recall_truth, FORMULA),
]
