"""Intervals on one proportion, on the ratio of two, and recall intervals that are made of them."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import mpmath
import numpy as np

import irbounds as irb
from hunts import Arguments, Hunt, NoTwinError, last_answer
from hunts._draws import asked_again, one_of, share, whole
from tests.reference import quick
from tests.reference import sample_intervals as slow

PROPORTION = 1e-11  # the tests', absolute
RATIO, NEAR_RATIO = 1e-13, 1e-8  # the docstring's, relative: usual levels, and those near 0
NEAR = 1e-3  # the docstring's, of levels near 0
FORMULA = 1e-9  # the tests', of recall
MOST_TRIALS = 300  # of sums over all outcomes, which take the twins half a second
MOST_FOR_BLAKER = 100  # its twins look at every stretch,
SURE_FOR_BLAKER = 40  # which takes the sure one 3 seconds there, and 28 at 100
LARGEST = 2**52 - 1  # what counts may be
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
QUICK = {
    "jeffreys": quick.jeffreys,
    "clopper-pearson": quick.clopper_pearson,
    "mid-p": quick.mid_p,
    "blaker": quick.blaker,
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
        "level": float(one_of(rng, [0.5, 0.8, 0.95, 0.99, 0.999, share(rng, 1e-15)])),
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
    x, n, asked = args["relevant"], args["sampled"], args["level"]
    if not (0 <= x <= n <= most) or n == 0 or not 0 < asked < 1 or args["side"] not in SIDES:
        raise NoTwinError("outside the twin's range")
    if args["side"] != "two-sided" and asked <= 0.5:
        raise NoTwinError("the twin's ends of less than one half are on the usual side")


def proportion_hunt(method: str, most: int) -> Hunt:
    """Both ends, one at a time."""
    twin = {**CLOSED, **TAILS}[method]

    def draw(rng: np.random.Generator) -> Arguments:
        few = one_of(rng, [20, 20, SURE_FOR_BLAKER, most])
        x, n = sample(rng, few if method == "blaker" else most)
        return {"relevant": x, "sampled": n, **options(rng)}

    def value(args: Arguments) -> float:
        return getattr(
            irb.binomial_interval(args["relevant"], args["sampled"], method=method, **of(args)),
            args["end"],
        )

    def truth(args: Arguments) -> float:
        check(args, SURE_FOR_BLAKER if method == "blaker" else most)
        with mpmath.workdps(20 if args["sampled"] < 10**4 else 60):  # large counts lose some digits
            # the double itself, not the decimal that it prints as: near 0 and 1 these differ
            ends = slow.binomial_interval(
                args["relevant"], args["sampled"], twin, mpmath.mpf(args["level"]), args["side"]
            )
            return float(ends[args["end"] == "high"])

    def quick_truth(args: Arguments) -> float:
        check(args, most)
        asked = args["relevant"], args["sampled"], args["level"], args["side"]
        low, high = QUICK[method](*asked)
        ends = slow.clipped(low, high, args["side"])
        return float(ends[args["end"] == "high"])

    name = f"binomial_interval, {method}"
    if method in QUICK:
        return Hunt(name, draw, value, quick_truth, PROPORTION, sure=truth)
    return Hunt(name, draw, value, truth, PROPORTION)


def finite_hunt(method: str) -> Hunt:
    """Numbers of relevant documents in populations that can be enumerated."""

    def draw(rng: np.random.Generator) -> Arguments:
        size = whole(rng, 1, 160)
        x, n = sample(rng, size)
        return {
            "relevant": x,
            "sampled": n,
            "size": size,
            **options(rng),
            "level": float(one_of(rng, [0.05, 0.5, 0.8, 0.9, 0.95, 0.99])),
        }

    def value(args: Arguments) -> float:
        found = irb.binomial_interval(
            args["relevant"], args["sampled"], size=args["size"], method=method, **of(args)
        )
        return getattr(found, args["end"])

    def truth(args: Arguments) -> float:
        size, side = args["size"], args["side"]
        check(args, min(size, MOST_TRIALS))
        if size > MOST_TRIALS:
            raise NoTwinError("too many populations")
        if args["sampled"] == size:
            return args["relevant"] / size
        if OPEN.get(side) == args["end"]:
            return float(args["end"] == "high")
        # tests that compare a probability with the level take the decimal that was meant; in a
        # normal quantile near 1 the double counts
        level = Fraction(args["level"]) if method in CLOSED else args["level"]
        with mpmath.workdps(25):
            ends = FINITE[method](args["relevant"], args["sampled"], size, level, side)
            return float(ends[args["end"] == "high"]) / size

    return Hunt(f"binomial_interval, size=, {method}", draw, value, truth, PROPORTION)


def large_hunt(method: str) -> Hunt:
    """Populations of up to 10^9 at all levels: that there is an answer, in time, and in its
    range."""

    def draw(rng: np.random.Generator) -> Arguments:
        size = whole(rng, 1, 10**9)
        x, n = sample(rng, size)
        return {"relevant": x, "sampled": n, "size": size, **options(rng)}

    def value(args: Arguments) -> float:
        x, n, size = args["relevant"], args["sampled"], args["size"]
        found = irb.binomial_interval(x, n, size=size, method=method, **of(args))
        is_in_order = (
            x / size * (1 - 1e-15) <= found.low <= found.high <= 1 - (n - x) / size * (1 - 1e-15)
        )
        is_open = args["side"] in OPEN and found.low >= 0 and found.high <= 1
        return float(is_in_order or is_open)

    def truth(args: Arguments) -> float:
        if not 0 <= args["relevant"] <= args["sampled"] <= args["size"] or args["sampled"] == 0:
            raise NoTwinError("no sample")
        return 1.0

    return Hunt(f"binomial_interval, large, {method}", draw, value, truth, 0.5)


def ratio_question(rng: np.random.Generator) -> Arguments:
    """All counts, all levels; the questions that once had no answer among them."""
    most = int(one_of(rng, [20, 1000, 10**9, LARGEST]))
    return {"counts": (*sample(rng, most), *sample(rng, most)), **options(rng)}


def other_end(rng: np.random.Generator, args: Arguments) -> Arguments:
    """The other end of the same interval."""
    return args | {"end": "low" if args["end"] == "high" else "high"}


both_ends = asked_again(ratio_question, other_end, mean=2)


@lru_cache(maxsize=4)
def koopman_ends(
    counts: tuple[int, ...], level: mpmath.mpf, side: str, is_sure: bool
) -> tuple[float, float]:
    """With 60 digits; or as far as a double has digits, with those that counts may lose."""
    digits = 60
    if not is_sure and abs(level - 0.5) > NEAR and level > NEAR:
        digits = 34 + math.ceil(2 * math.log10(max(*counts, 1)))
    with mpmath.workdps(min(digits, 60)):
        low, high = slow.koopman(*counts, level, side, None if is_sure else mpmath.mpf("1e-18"))
        return float(low), float(high)


def ratio_value(args: Arguments) -> float:
    """One end."""
    return getattr(irb.samples.binomial_ratio_interval(*args["counts"], **of(args)), args["end"])


def ratio_end(args: Arguments, is_sure: bool) -> float:
    """By the twin; a bound of less than one half is the other side's of more than one half."""
    x1, n1, x2, n2 = args["counts"]
    side, asked, end = args["side"], mpmath.mpf(args["level"]), args["end"]
    if not (
        0 <= x1 <= n1 <= LARGEST and 0 <= x2 <= n2 <= LARGEST and 0 < asked < 1 and side in SIDES
    ):
        raise NoTwinError("outside the twin's range")
    if OPEN.get(side) == end or 0 in (n1, n2, x1 + x2):
        return np.inf if end == "high" else 0.0
    if side != "two-sided" and asked == 0.5:
        return x1 / n1 / (x2 / n2) if x2 else np.inf
    if side != "two-sided" and asked < 0.5:
        # rounded, as the docstring's 1 - confidence_level is
        other_level = mpmath.mpf(1 - args["level"])
        turned = koopman_ends(args["counts"], other_level, SIDES[3 - SIDES.index(side)], is_sure)
        return turned[end == "low"]
    return koopman_ends(args["counts"], asked, side, is_sure)[end == "high"]


ratio_truth = last_answer(lambda args: ratio_end(args, False))


def ratio_promise(args: Arguments) -> float:
    """Relative to the truth; by the probability between the bounds of both sides."""
    inside = args["level"] if args["side"] == "two-sided" else abs(2 * args["level"] - 1)
    truth = abs(ratio_truth(args))
    return (RATIO if inside >= NEAR else NEAR_RATIO) * truth if np.isfinite(truth) else RATIO


def recall_hunt(method: str) -> Hunt:
    """Segments of which none, one or both were sampled whole."""
    more = {"normal-laplace": 1, "normal-agresti-coull": 2}.get(method, 0)

    def draw(rng: np.random.Generator) -> Arguments:
        strata = []
        for _ in range(2):
            x, n = sample(rng, 10**4)
            strata.append((n if rng.random() < 0.3 else whole(rng, n, n + 10**6), n, x))
        return {
            "retrieved": strata[0],
            "unretrieved": strata[1],
            **options(rng),
            "level": float(one_of(rng, [0.6, 0.8, 0.95, 0.99])),
        }

    def value(args: Arguments) -> float:
        return getattr(
            irb.recall_interval(args["retrieved"], args["unretrieved"], method=method, **of(args)),
            args["end"],
        )

    def truth(args: Arguments) -> float:
        one, other = args["retrieved"], args["unretrieved"]
        if (
            any(not 0 <= r <= n <= size or n == 0 for size, n, r in (one, other))
            or one[2] + other[2] == 0
        ):
            raise NoTwinError("nothing found, or nothing sampled")
        if not 0.5 < args["level"] < 1 or args["side"] not in SIDES:
            raise NoTwinError("outside the twin's range")
        with mpmath.workdps(30):
            asked = mpmath.mpf(args["level"]), args["side"]  # the double, as above
            if method == "koopman":
                ends = slow.koopman_recall(one, other, *asked)
            else:
                estimate = (
                    slow.naive_recall([one], [other], *asked)
                    if method == "naive-binomial"
                    else slow.normal_recall([one], [other], more, *asked)
                )
                if estimate.estimate == 0 and one[2] == 0:
                    raise NoTwinError("nothing can be found among the retrieved")
                ends = slow.reported(estimate, [one], [other], more=more, side=args["side"])
            return float(ends[args["end"] == "high"])

    return Hunt(f"recall_interval, {method}", draw, value, truth, FORMULA)


HUNTS = [
    *(proportion_hunt(method, LARGEST) for method in CLOSED),
    *(
        proportion_hunt(method, MOST_FOR_BLAKER if method == "blaker" else MOST_TRIALS)
        for method in TAILS
    ),
    *(finite_hunt(method) for method in FINITE),
    *(large_hunt(method) for method in FINITE),
    Hunt(
        "binomial_ratio_interval",
        both_ends,
        ratio_value,
        ratio_truth,
        ratio_promise,
        sure=lambda args: ratio_end(args, True),
    ),
    *(recall_hunt(method) for method in RECALL),
]
