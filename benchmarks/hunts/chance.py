"""The hypergeometric distribution, its curve along a ranking, and competitions of methods."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from mpmath import mpf, workdps

import irbounds as irb
from hunts import Arguments, Hunt, NoTwinError, Relative
from hunts._draws import one_of, positive, whole
from tests.reference import hypergeometric as slow
from tests.reference import selection
from tests.reference.beta_laws import beta_cdf

NEAR, BEYOND = 1e-13, 1e-12  # the docstring's: to 10^10 documents, and beyond
LEAST = 1e-300  # below, doubles lose their digits, and nothing is promised
TWINS = "sums with 50 digits; enumeration in fractions"
LONGEST_CURVE = 20_000  # cuts that are drawn here
MOST_OUTCOMES = 3000  # multinomial outcomes that are enumerated


def question(rng: np.random.Generator) -> Arguments:
    """Collections of all sizes; x at the mode, in the tails, at the ends and beyond them."""
    population = whole(rng, 0, int(one_of(rng, [50, 10**4, 10**7, 10**10, 10**12])))
    relevant, drawn = (whole(rng, 0, population) for _ in range(2))
    drawn = min(drawn, whole(rng, 0, 10**5))  # longer sums take the twin half a second
    mean = relevant * drawn / max(population, 1)
    x = round(mean + float(rng.standard_t(2)) * (mean**0.5 + 1))
    if rng.random() < 0.2:
        x = whole(rng, 0, drawn)
    found = min(max(x, 0), drawn)
    return {"found": found, "population": population, "relevant": relevant, "drawn": drawn}


def hypergeometric(name: str, part: str, below: int = 0) -> Hunt:
    """A hunt for one of the functions; `part` of the twin's law, at x less `below`."""
    function, is_log = getattr(irb.chance, f"hypergeometric_{name}"), name.startswith("log")
    twin = slow.logs if is_log else slow.law

    def asked(args: Arguments) -> tuple[int, int, int, int]:
        return args["found"], args["population"], args["relevant"], args["drawn"]

    def truth(args: Arguments) -> float:
        x, *rest = asked(args)
        return float(getattr(twin(x - below, *rest), part))

    def promise(args: Arguments, truth: float) -> float:
        relative = NEAR if args["population"] <= 10**10 else BEYOND
        if not math.isfinite(truth):
            return 0.0
        return max(relative * abs(truth), relative if is_log else LEAST)

    words = "1e-13 relative, 1e-12 beyond 10^10" + ", absolute below 1" * is_log
    return Hunt(
        f"hypergeometric_{name}",
        question,
        lambda args: function(*asked(args)),
        truth,
        promise,
        words,
    )


def ranking(rng: np.random.Generator) -> Arguments:
    """A ranking that is drawn by its seed, and the cut that is looked at."""
    population = whole(rng, 1, int(one_of(rng, [60, 10**4, 10**7, 10**12])))
    relevant = whole(rng, 0, population)
    length = whole(rng, 1, min(population, one_of(rng, [10, 300, LONGEST_CURVE])))
    rate = float(rng.random()) if rng.random() < 0.5 else relevant / population
    return {
        "population": population,
        "relevant": relevant,
        "length": length,
        "rate": rate,
        "seed": int(rng.integers(2**31)),
        "cut": whole(rng, 1, length),
    }


def marks(args: Arguments) -> np.ndarray:
    """The ranking, with no more relevant or other documents than there are."""
    if not 1 <= args["cut"] <= args["length"] <= min(args["population"], 2 * LONGEST_CURVE):
        raise irb.InputError("no such ranking")
    found = np.random.default_rng(abs(args["seed"])).random(args["length"]) < args["rate"]
    found &= np.cumsum(found) <= args["relevant"]
    found |= np.cumsum(~found) > args["population"] - args["relevant"]
    return found


def curve_value(args: Arguments) -> float:
    curve = irb.chance.hypergeometric_curve(marks(args), args["population"], args["relevant"])
    return float(curve[args["cut"] - 1])


def curve_truth(args: Arguments) -> float:
    """The tail at the cut, alone."""
    found = int(marks(args)[: args["cut"]].sum())
    return float(slow.law(found - 1, args["population"], args["relevant"], args["cut"]).below)


def selections(rng: np.random.Generator) -> Arguments:
    """Few trials of some methods, or many of two (odd, so that none is tied)."""
    ratio = one_of(rng, [1.0, 1 + math.exp(rng.uniform(-12, 6)), positive(rng, 1, 1e6)])
    if rng.random() < 0.3:
        return {"trials": 2 * whole(rng, 0, 50_000) + 1, "methods": 2, "ratio": ratio}
    return {"trials": whole(rng, 0, 20), "methods": whole(rng, 1, 8), "ratio": ratio}


def selection_truth(args: Arguments) -> float:
    """Enumeration; or the binomial tail, for two methods without a tie."""
    trials, methods, ratio = args["trials"], args["methods"], Fraction(args["ratio"])
    if methods == 2 and trials % 2:
        with workdps(50):
            p = mpf(ratio.numerator) / (ratio.numerator + ratio.denominator)
            return float(beta_cdf(p, trials // 2 + 1, trials - trials // 2))
    if trials == 0 or methods == 1:
        return 1 / methods
    if methods > 100 or math.comb(trials + methods - 1, trials) > MOST_OUTCOMES:
        raise NoTwinError("too many outcomes")
    return float(selection.probability_of_correct_selection(trials, methods, ratio))


def trials(rng: np.random.Generator) -> Arguments:
    """Values of one to six methods, tied and not, infinite at times; and one of the methods."""
    shape = whole(rng, 1, 6), whole(rng, 1, 40)
    values = rng.integers(0, one_of(rng, [1, 2, 3, 1000]), shape, endpoint=True).astype(float)
    if rng.random() < 0.2:
        values[rng.random(shape) < 0.2] = one_of(rng, [math.inf, -math.inf])
    return {"values": values.tolist(), "method": int(rng.integers(shape[0]))}


def share_of(args: Arguments) -> float:
    shares = irb.chance.competition(args["values"], ties="shared").shares
    return float(shares[args["method"] % shares.size])


HUNTS = [
    hypergeometric("pmf", "point"),
    hypergeometric("cdf", "below"),
    hypergeometric("sf", "above"),
    hypergeometric("tail", "below", below=1),
    hypergeometric("logpmf", "point"),
    hypergeometric("logcdf", "below"),
    hypergeometric("logsf", "above"),
    hypergeometric("logtail", "below", below=1),
    Hunt("hypergeometric_curve", ranking, curve_value, curve_truth, Relative(1e-12, LEAST)),
    Hunt(
        "probability_of_correct_selection",
        selections,
        lambda args: irb.chance.probability_of_correct_selection(
            args["trials"], args["methods"], args["ratio"]
        ),
        selection_truth,
        1e-9,
    ),
    Hunt(
        "competition, ties shared",
        trials,
        share_of,
        lambda args: float(selection.shares(args["values"])[args["method"] % len(args["values"])]),
        1e-12,
    ),
]
