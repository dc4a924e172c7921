"""Posteriors and intervals of samples: segments of one stratum or many, whatever was sampled and
found.

The twin enumerates every document. Questions of more documents than it takes are asked all the
same: they must be answered, and in time.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

import irbounds as irb
from hunts import Arguments, Hunt, NoTwinError, last_answer, remembering
from hunts._draws import asked_again, one_of, positive, share, whole
from tests.reference.yields_in_full import FullPair, FullYield

EXACT_TO = 20_000  # documents in both segments, to which
EXACT_END, EXACT_PROBABILITY = 1e-9, 1e-11  # the docstrings promise that,
LARGE = 1e-6  # and beyond this, of ends and of probabilities
STEP = 1e-12  # of p: an end may be a step of the distribution
SMALL = 0.1  # of a promise
LAST = 1e-9  # of p, where a yield alone is a step
MOST = 300_000  # documents that the twin enumerates
MOST_OF_MEAN = 2000  # and for a mean, over all pairs
SEGMENTS = ("retrieved", "unretrieved")
Stratum = tuple[int, int, int]


def stratum(rng: np.random.Generator, most: int) -> Stratum:
    """(size, sampled, relevant): nothing, all, few or many of each."""
    size = whole(rng, 1, most)
    sampled = min(size, whole(rng, 0, one_of(rng, [10, 1000, size])))
    return size, sampled, whole(rng, 0, sampled)


def review(rng: np.random.Generator) -> Arguments:
    """Segments of up to 10^9 documents, mostly few, in up to 60 strata, mostly one."""
    most = one_of(rng, [50, 50, 300, 300, 1000, 1000, 5000, EXACT_TO])
    if rng.random() < 0.07:
        most = one_of(rng, [MOST // 4, 10**9])
    args: Arguments = {}
    for name in SEGMENTS:
        n = one_of(rng, [1, 1, 1, 1, 1, 1, 2, 2, 3, whole(rng, 2, 60)])
        args[name] = [stratum(rng, max(1, most // n)) for _ in range(n)]
    args["prior"] = one_of(rng, [0.5, 0.5, 1.0, positive(rng, 1e-6, 1e3)])
    return args | place_of(rng)


def place_of(rng: np.random.Generator) -> Arguments:
    """A place of a law."""
    return {"p": share(rng, 1e-6), "beta": positive(rng, 0.1, 10)}


# several places of each law
question = asked_again(review, lambda rng, args: args | place_of(rng))


def size_of(args: Arguments) -> int:
    """Documents of the larger segment."""
    return max(sum(size for size, _, _ in args[name]) for name in SEGMENTS)


def segments(args: Arguments) -> list[list[Stratum]]:
    """Both."""
    return [[tuple(each) for each in args[name]] for name in SEGMENTS]


def twin(args: Arguments) -> FullPair:
    """Made once for all hunts of one question."""
    if not (0 < size_of(args) <= MOST and 1e-12 <= args["prior"] <= 1e9):
        raise NoTwinError("too many documents, or a prior whose digits are lost")
    retrieved, unretrieved = segments(args)
    return _twin(tuple(retrieved), tuple(unretrieved), float(args["prior"]))


@lru_cache(maxsize=2)
def _twin(
    retrieved: tuple[Stratum, ...], unretrieved: tuple[Stratum, ...], prior: float
) -> FullPair:
    return FullPair(retrieved, unretrieved, (prior, prior))


def posterior(args: Arguments) -> irb.samples.RecallPosterior:
    """The posterior of the question."""
    return irb.recall_posterior(*segments(args), prior=args["prior"])


def place(args: Arguments) -> float:
    """A recall near the middle, one that pairs of yields have, or anything.  By the docstring a
    recall within 1e-12 of a ratio of counts is that ratio, so of 1 as well."""
    found = irb.samples.recall_estimate(*segments(args))
    p = args["p"] if args["p"] < 1 - 1e-12 else 1.0
    return float(found) if math.isfinite(found) and p < 0.3 else round(p, 3) if p < 0.5 else p


def seconds(args: Arguments) -> float:
    """Strata that are singular at both ends are summed document by document; means go over all
    pairs of cells."""
    return 0.5 if max(len(args[name]) for name in SEGMENTS) == 1 else 8.0


def probability_promise(args: Arguments) -> float:
    """The docstring's."""
    return EXACT_PROBABILITY if size_of(args) <= EXACT_TO else LARGE


def ends_promise(
    measure: str,
    quantile: Callable[[Arguments, float], float],
    error: Callable[[Arguments], float],
) -> Callable[[Arguments], float]:
    """The docstring's, and the step at p, if there is one; it matters where the error is not small
    without it."""

    def promise(args: Arguments) -> float:
        unit = 1.0 if measure == "yield" else EXACT_END if size_of(args) <= EXACT_TO else LARGE
        unit *= measure != "yield"
        if error(args) <= SMALL * unit:
            return unit
        tolerance = STEP if size_of(args) <= EXACT_TO else LARGE
        p = args["p"]
        if p in (0, 1):  # the ends of the support
            return unit
        return unit + quantile(args, min(1, p + tolerance)) - quantile(args, max(0, p - tolerance))

    return promise


def hunt_of_end(
    name: str,
    measure: str,
    draw: Callable[[np.random.Generator], Arguments],
    value: Callable[[Arguments], float],
    quantile: Callable[[Arguments, float, float], float],
    probability: Callable[[Arguments], float],
    seconds: Callable[[Arguments], float] = seconds,
) -> Hunt:
    """A quantile, which the twin looks for about the answer, and finds wherever it is."""
    value, again = remembering(value)
    truth = last_answer(lambda args: quantile(args, probability(args), again(args)))

    def at(args: Arguments, p: float) -> float:
        return quantile(args, p, truth(args))

    promise = ends_promise(measure, at, lambda args: abs(again(args) - truth(args)))
    return Hunt(name, draw, value, truth, promise, seconds=seconds)


def mean_truth(args: Arguments) -> float:
    """Over all pairs of yields."""
    if size_of(args) > MOST_OF_MEAN:
        raise NoTwinError("too many pairs")
    return twin(args).mean()


def end_of(measure: str) -> Hunt:
    """The low end of a one-sided interval at level 1 - p, where nothing forces it."""

    def value(args: Arguments) -> float:
        options: dict[str, Any] = {
            "confidence_level": 1 - args["p"],
            "side": "lower",
            "method": "betabinom-half",
        }
        if measure == "f":
            options["beta"] = args["beta"]
        return float(getattr(irb.samples, f"{measure}_interval")(*segments(args), **options).low)

    def quantile(args: Arguments, p: float, near: float) -> float:
        forced = (
            sum(r for name in SEGMENTS[: 1 if measure != "yield" else 2] for _, _, r in args[name])
            == 0
        )
        law = twin(args | {"prior": 0.5})
        return 0.0 if forced else law.quantile(measure, p, args["beta"], near)

    return hunt_of_end(
        f"{measure}_interval",
        measure,
        half_prior,
        value,
        quantile,
        lambda args: 1 - (1 - args["p"]),
    )


def half_prior(rng: np.random.Generator) -> Arguments:
    """The methods' own."""
    return question(rng) | {"prior": 0.5}


def share_of(name: str, segment: str) -> Hunt:
    """The low end of precision or elusion: a yield's quantile over the size."""

    def value(args: Arguments) -> float:
        return float(
            getattr(irb, name)(
                segments(args)[SEGMENTS.index(segment)],
                confidence_level=1 - args["p"],
                side="lower",
                method="betabinom-half",
            ).low
        )

    def quantile(args: Arguments, p: float) -> float:
        strata = segments(args)[SEGMENTS.index(segment)]
        if sum(size for size, _, _ in strata) > MOST:
            raise NoTwinError("too many documents")
        none = sum(relevant for _, _, relevant in strata) == 0
        return 0.0 if none else _yield(tuple(strata)).quantile(p) / sum(n for n, _, _ in strata)

    def truth(args: Arguments) -> float:
        return quantile(args, 1 - (1 - args["p"]))

    def promise(args: Arguments) -> float:
        if abs(again(args) - truth(args)) <= 1e-13:
            return 1e-12
        p = args["p"]
        return 1e-12 + quantile(args, min(1, p + LAST)) - quantile(args, max(0, p - LAST))

    value, again = remembering(value)
    return Hunt(name, half_prior, value, truth, promise, seconds=seconds)


@lru_cache(maxsize=2)
def _yield(strata: tuple[Stratum, ...]) -> FullYield:
    return FullYield(strata)


def with_ends(rng: np.random.Generator) -> Arguments:
    """The ends of the support are asked for, too."""
    args = question(rng)
    return args if rng.random() < 0.95 else args | {"p": one_of(rng, [0.0, 1.0])}


def recall_quantile(args: Arguments, p: float, near: float) -> float:
    """The twin's, and the ends of the support: all that was not seen is relevant in one segment,
    and nothing in the other."""
    if p in (0, 1):
        seen, unseen = (
            [sum(of(s) for s in args[name]) for name in SEGMENTS]
            for of in (lambda s: s[2], lambda s: s[0] - s[1])
        )
        r1, r0 = seen[0] + p * unseen[0], seen[1] + (1 - p) * unseen[1]
        return r1 / (r1 + r0) if r1 else 0.0
    return twin(args).quantile("recall", p, near=near)


HUNTS = [
    Hunt(
        "recall_posterior.cdf",
        question,
        lambda args: posterior(args).cdf(place(args)),
        lambda args: twin(args).below("recall", place(args)),
        probability_promise,
        seconds=seconds,
    ),
    Hunt(
        "recall_posterior.sf",
        question,
        lambda args: posterior(args).sf(place(args)),
        lambda args: 1 - twin(args).below("recall", place(args), strict=True),
        probability_promise,
        seconds=seconds,
    ),
    hunt_of_end(
        "recall_posterior.quantile",
        "recall",
        with_ends,
        lambda args: posterior(args).quantile(args["p"]),
        recall_quantile,
        lambda args: args["p"],
    ),
    Hunt(
        "recall_posterior.mean",
        question,
        lambda args: posterior(args).mean,
        mean_truth,
        probability_promise,
        seconds=seconds,
    ),
    Hunt(
        "recall_estimate, posterior-mean",
        question,
        lambda args: float(
            irb.samples.recall_estimate(*segments(args), "posterior-mean", prior=args["prior"])
        ),
        mean_truth,
        probability_promise,
        seconds=seconds,
    ),
    end_of("recall"),
    end_of("f"),
    end_of("yield"),
    share_of("precision_interval", "retrieved"),
    share_of("elusion_interval", "unretrieved"),
]
