"""Laws of shares and of F, their averages, and which of two systems is better."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from mpmath import mpf, workdps

import irbounds as irb
from hunts import Arguments, Hunt, NoTwinError, Relative
from hunts._draws import one_of, share
from tests.reference import counts as slow

EXACT, ENDS = 1e-11, 1e-9  # the docstrings'
DIGITS, FEW_DIGITS = 22, 16  # the latter for double integrals, which take seconds
TWINS = "quadrature, 16 to 22 digits"
LEAST_PRIOR, LEAST_BETA = 1e-3, 1e-3
RATES = ("precision", "recall", "specificity", "negative_predictive_value", "accuracy", "f")
NAMES_OF_TWIN = {"negative_predictive_value": "npv"}  # where they have other names
Counts = tuple[int, int, int]


def draw_count(rng: np.random.Generator, most: float = 4) -> int:
    """0, a few, or any number to 10^most, each decade alike."""
    return 0 if rng.random() < 0.2 else int(10 ** rng.uniform(0, most))


def draw_counts(rng: np.random.Generator, most: float = 4, n: int = 3) -> tuple[int, ...]:
    return tuple(draw_count(rng, most) for _ in range(n))


def draw_prior(rng: np.random.Generator) -> float:
    return one_of(rng, [0.5, 0.5, 1.0, float(10 ** rng.uniform(-2, 1))])


def draw_beta(rng: np.random.Generator) -> float:
    return one_of(rng, [0.5, 2.0, 10.0, float(10 ** rng.uniform(-1, 1))])


def check(args: Arguments, most: float) -> None:
    """Refuse what a search has made, unless the twin takes it."""
    counts = [n for name in ("counts", "a", "b") for n in args.get(name, ())]
    if min(counts) < 0 or max(counts) > most or not LEAST_PRIOR <= args["prior"] <= 100:
        raise NoTwinError("beyond the twin")
    if not LEAST_BETA <= args.get("beta", 1) <= 1 / LEAST_BETA:
        raise NoTwinError("beyond the twin")


def precisely(
    most: float, function: Callable[[Arguments], Any], digits: int = DIGITS
) -> Callable[[Arguments], float]:
    """A twin with many digits, for counts to 10^most."""

    def truth(args: Arguments) -> float:
        check(args, 10**most)
        with workdps(digits):
            return float(function(args))

    return truth


# One system
# ---------------------------------------------------------------------------------------------


def rate_question(rng: np.random.Generator) -> Arguments:
    """A rate of four cells, and the probability at whose quantile it is asked."""
    counts = draw_counts(rng, one_of(rng, [2, 6]), 4)
    rate = one_of(rng, [*RATES[:-1], "prevalence"])
    return {"counts": counts, "prior": draw_prior(rng), "rate": rate, "p": share(rng, 1e-9)}


def rate_of(args: Arguments) -> irb.distributions.BetaDistribution:
    tp, fp, fn, tn = args["counts"]
    return irb.CountsPosterior(tp, fp, fn, tn=tn, prior=args["prior"]).measure(args["rate"])


def rate_below(args: Arguments) -> Any:
    rates, x = slow.rates(*args["counts"], mpf(args["prior"])), float(rate_of(args).ppf(args["p"]))
    if not 1e-300 < x < 1 - 1e-9:
        raise NoTwinError("floats there are too far apart")
    a, b = rates[NAMES_OF_TWIN.get(args["rate"], args["rate"])]
    return slow.beta_cdf(x, a, b)


def reached_promise(law_of: Callable[[Arguments], Any]) -> Callable[[Arguments, float], float]:
    """Twice the promise, and the probability of the last digit of a quantile."""

    def promise(args: Arguments, truth: float) -> float:
        x = float(law_of(args).ppf(args["p"]))
        return 2 * EXACT + 2 * float(law_of(args).pdf(x)) * math.ulp(x)

    return promise


def f_question(rng: np.random.Generator) -> Arguments:
    """A law of F and a probability."""
    return {
        "counts": draw_counts(rng),
        "beta": one_of(rng, [1.0, draw_beta(rng)]),
        "prior": draw_prior(rng),
        "p": share(rng, 1e-9),
    }


def f_of(args: Arguments) -> irb.counts.FScoreDistribution:
    return irb.CountsPosterior(*args["counts"], prior=args["prior"]).f(args["beta"])


def place_of(args: Arguments) -> float:
    """Where it is asked: at the library's own quantile."""
    x = float(f_of(args).ppf(args["p"]))
    if not 1e-300 < x < 1 - 1e-9:
        raise NoTwinError("floats there are too far apart")
    return x


def f_truth(twin: Callable[..., Any]) -> Callable[[Arguments], float]:
    """A function of the twin at the place."""

    def at_place(args: Arguments) -> Any:
        return twin(place_of(args), *args["counts"], args["beta"], *(mpf(args["prior"]),) * 3)

    return precisely(5, at_place)


def few_counts(rng: np.random.Generator) -> Arguments:
    """Counts whose mean of F the twin takes a second for."""
    return f_question(rng) | {"counts": draw_counts(rng, 1.5)}


def mean_truth(args: Arguments) -> Any:
    return slow.f_mean(*args["counts"], args["beta"], *(mpf(args["prior"]),) * 3)


def posteriors(args: Arguments) -> list[irb.CountsPosterior]:
    return [irb.CountsPosterior(*args[name], prior=args["prior"]) for name in "ab"]


# Two systems on different objects
# ---------------------------------------------------------------------------------------------


def draw_near(rng: np.random.Generator, counts: tuple[int, ...]) -> tuple[int, ...]:
    """Counts of a system that may well be better or worse: some standard deviations away."""
    size = one_of(rng, [1.0, 1.0, float(10 ** rng.uniform(-2, 0))])
    moved = (size * n + rng.normal() * 1.5 * math.sqrt(size * n + 1) for n in counts)
    return tuple(max(0, round(count)) for count in moved)


def draw_pair(measures: tuple[str, ...], most: float) -> Callable[..., Arguments]:
    """Two systems and a margin, none as a rule."""

    def draw(rng: np.random.Generator) -> Arguments:
        a = draw_counts(rng, most)
        b = draw_near(rng, a) if rng.random() < 0.75 else draw_counts(rng, most)
        margin = one_of(rng, [0.0, 0.0, float(rng.uniform(-0.3, 0.3))])
        measure, prior = one_of(rng, measures), draw_prior(rng)
        return {"a": a, "b": b, "prior": prior, "measure": measure, "margin": margin}

    return draw


def with_weight(rng: np.random.Generator) -> Arguments:
    """F of other β, of counts for which the twin takes some seconds."""
    return draw_pair(("f",), 2)(rng) | {"beta": one_of(rng, [0.5, 2.0, draw_beta(rng)])}


def superior(args: Arguments) -> irb.counts.Superiority:
    options = args["measure"], args.get("beta", 1.0)
    return irb.prob_superior(*posteriors(args), *options, margin=args["margin"])


def superior_truth(args: Arguments) -> Any:
    asked = args["a"], args["b"], args["measure"], args.get("beta", 1), mpf(args["margin"])
    if not -0.99 < args["margin"] < 0.99 or 0 < abs(args["margin"]) < 1e-9:
        raise NoTwinError("margins whose digits are lost")
    return slow.prob_superior(*asked, (mpf(args["prior"]),) * 3)


def superior_promise(args: Arguments, truth: float) -> float:
    """The error that the result states, with the last digits, and at most 1e-11."""
    return min(EXACT, float(superior(args).standard_error) + 2e-13)


# Paired comparisons
# ---------------------------------------------------------------------------------------------


def outcomes(rng: np.random.Generator) -> Arguments:
    """Wins, losses, the rest, and a place some standard deviations about the mean."""
    counts, prior = draw_counts(rng, 6), draw_prior(rng)
    a, b, c = (n + prior for n in counts)
    spread = math.sqrt((a + b) / (a + b + c) / (a + b + c + 1))
    x = (a - b) / (a + b + c) + 2 * spread * rng.normal()
    return {"counts": counts, "prior": prior, "x": float(min(max(x, -0.999), 0.999))}


def comparison(args: Arguments) -> irb.counts.PairedComparison:
    return irb.counts.paired_comparison(*args["counts"], prior=args["prior"])


def below(args: Arguments, x: float) -> Any:
    """P(π1 - π2 <= x)."""
    if not abs(x) < 0.9999:
        raise NoTwinError("beyond the twin")
    return slow.paired_difference_cdf(x, *args["counts"], *(mpf(args["prior"]),) * 3)


LEVEL = 0.9


def end_reached(args: Arguments) -> Any:
    """The probability below the low end of the interval."""
    end = float(comparison(args).difference_interval(LEVEL)[0])
    if abs(end) < 1e-9:
        raise NoTwinError("ends whose digits are lost")
    return below(args, end)


REACHED = "2e-11, and the last digit of the quantile"
STATED = "what is stated, at most 1e-11"
HUNTS = [
    Hunt(
        "CountsPosterior, a rate of four cells",
        rate_question,
        lambda args: rate_of(args).cdf(rate_of(args).ppf(args["p"])),
        precisely(7, rate_below),
        EXACT,
    ),
    Hunt(
        "BetaDistribution.ppf, probability reached",
        rate_question,
        lambda args: args["p"],
        precisely(7, rate_below),
        reached_promise(rate_of),
        REACHED,
    ),
    Hunt(
        "FScoreDistribution.cdf",
        f_question,
        lambda args: f_of(args).cdf(place_of(args)),
        f_truth(slow.f_cdf),
        EXACT,
    ),
    Hunt(
        "FScoreDistribution.pdf",
        f_question,
        lambda args: f_of(args).pdf(place_of(args)),
        f_truth(slow.f_pdf),
        Relative(1e-8, 1e-12),
    ),
    Hunt(
        "FScoreDistribution.ppf, probability reached",
        f_question,
        lambda args: (place_of(args), args["p"])[1],
        f_truth(slow.f_cdf),
        reached_promise(f_of),
        REACHED,
    ),
    Hunt(
        "FScoreDistribution.mean",
        few_counts,
        lambda args: f_of(args).mean,
        precisely(2, mean_truth, FEW_DIGITS),
        EXACT,
    ),
    Hunt(
        "prob_superior, Beta laws",
        draw_pair(("precision", "recall", "f"), 5),
        lambda args: superior(args).probability,
        precisely(6, superior_truth),
        superior_promise,
        STATED,
    ),
    Hunt(
        "prob_superior, F of other β",
        with_weight,
        lambda args: superior(args).probability,
        precisely(3, superior_truth, FEW_DIGITS),
        superior_promise,
        STATED,
    ),
    Hunt(
        "paired_comparison.difference_cdf",
        outcomes,
        lambda args: comparison(args).difference_cdf(args["x"]),
        precisely(7, lambda args: below(args, args["x"])),
        1e-10,  # the docstring's
    ),
    Hunt(
        "paired_comparison.difference_interval, probability reached",
        outcomes,
        lambda args: (1 - LEVEL) / 2,
        precisely(7, end_reached),
        ENDS,
    ),
]
