"""Recall from one sample of the whole collection, the dependence on the prior, the law of the
estimator, and the most conservative prior."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.special import betaincinv

import irbounds as irb
from hunts import Arguments, Hunt, NoTwinError, last_answer, remembering
from hunts._draws import asked_again, one_of, share, whole
from hunts.samples import (
    SMALL,
    hunt_of_end,
    place_of,
    recall_quantile,
    review,
    seconds,
    segments,
)
from tests.reference import conservative_prior, samples
from tests.reference.control_sample import RecallByPaths, guaranteed_low

ENDS = 1e-9  # the docstring's, against full enumeration
MOST_UNSEEN = 20_000  # documents whose numbers of relevant ones the twin takes one by one
MOST_FRACTIONS = 60  # documents of the guaranteed twin, in fractions
MOST_SAMPLES = 12  # documents in each sample of the estimator's twin
LARGEST = 10**9
MOST_CONSERVATIVE_SIZE = 15  # documents of the twin of the most conservative prior, in mpmath


def control_sample(rng: np.random.Generator) -> Arguments:
    """A collection of up to 10^9 documents, or an infinite one, and a sample that it can have."""
    most = one_of(rng, [20, MOST_FRACTIONS // 2, 300, 300, 1500])
    if rng.random() < 0.05:
        most = one_of(rng, [MOST_UNSEEN // 2, MOST_UNSEEN // 2, LARGEST])
    sizes = [whole(rng, 0, most), whole(rng, 0, most)]
    sampled = whole(rng, 0, min(sum(sizes), one_of(rng, [20, 1000, sum(sizes)])))
    r1 = whole(rng, 0, min(sizes[0], sampled))
    r0 = whole(rng, 0, min(sizes[1], sampled - r1))
    if rng.random() < 0.15:
        sizes = [None, None]
    return {
        "sizes": sizes,
        "counts": [sampled, r1, r0],
        "method": one_of(rng, ["betabinom-half", "betabinom-uniform", "guaranteed"]),
    } | end_of_sample(rng)


def end_of_sample(rng: np.random.Generator) -> Arguments:
    """The probability beyond an end."""
    return {"p": share(rng, 1e-4)}


several_ends = asked_again(control_sample, lambda rng, args: args | end_of_sample(rng))


def low_end(args: Arguments) -> float:
    """The low end of a one-sided interval at level 1 - p."""
    options: dict[str, Any] = {"confidence_level": 1 - args["p"], "side": "lower"}
    return float(
        irb.recall_interval_from_sample(
            *args["sizes"], *args["counts"], method=args["method"], **options
        ).low
    )


low_value, low_again = remembering(low_end)


@last_answer
def low_truth(args: Arguments) -> float:
    """By enumeration; of an infinite collection the beta distribution's."""
    sampled, r1, r0 = args["counts"]
    alpha = 1 - (1 - args["p"])
    if not r1:
        return 0.0
    if args["sizes"][0] is None:
        if args["method"] == "guaranteed":
            return infinite_low(r1, r0, alpha)
        a = 0.5 if args["method"] == "betabinom-half" else 1.0
        return float(betaincinv(a + r1, a + r0, alpha))
    if args["method"] == "guaranteed":
        if sum(args["sizes"]) > MOST_FRACTIONS:
            raise NoTwinError("too many documents")
        # A sample may be exactly as probable as 1 - level, which is meant as a decimal: the one
        # that is printed shorter, or 1 less it.
        decimals = args["p"], 1 - args["p"]
        is_level = len(repr(decimals[1])) < len(repr(decimals[0]))
        tail = 1 - Fraction(repr(decimals[1])) if is_level else Fraction(repr(decimals[0]))
        return float(guaranteed_low(*args["sizes"], sampled, r1, r0, tail))
    return enumerated_quantile(args, alpha)


def infinite_low(r1: int, r0: int, alpha: float) -> float:
    """Clopper and Pearson's: no share below it makes `r1` of `r1 + r0` likelier than alpha.  The
    promise allows what the search finds no better: Hoeffding's bound holds up to (r1 - 1)/n."""
    least = float(betaincinv(r1, r0 + 1, alpha))
    return min(least, max(r1 - 1, alpha * r1) / (r1 + r0))


@lru_cache(maxsize=2)
def paths(size1: int, size0: int, sampled: int, r1: int, r0: int, prior: float) -> RecallByPaths:
    """The twin's distribution of recall."""
    if size1 + size0 - sampled > MOST_UNSEEN:
        raise NoTwinError("too many documents")
    law = RecallByPaths(size1, size0, sampled, r1, r0, prior)
    if not law.possible > 1e-6:
        raise NoTwinError("a sample that contradicts the sizes")
    return law


def enumerated_quantile(args: Arguments, p: float) -> float:
    """Over all numbers of unseen relevant documents, in floating point; about the answer first."""
    prior = 0.5 if args["method"] == "betabinom-half" else 1.0
    return paths(*args["sizes"], *args["counts"], prior).quantile(p, low_again(args))


def low_promise(args: Arguments) -> float:
    """The docstring's, and the step of the distribution at p."""
    if args["method"] == "guaranteed" or args["sizes"][0] is None or not args["counts"][1]:
        return 1e-9
    if abs(low_again(args) - low_truth(args)) <= SMALL * ENDS:  # without the step, too
        return ENDS
    p, step = args["p"], 1e-9
    alpha = 1 - (1 - p)
    return ENDS + enumerated_quantile(args, alpha + step) - enumerated_quantile(args, alpha - step)


def known_samples(rng: np.random.Generator) -> Arguments:
    """Yields that are known, and samples to be drawn."""
    known = []
    for _ in range(2):
        size = whole(rng, 1, one_of(rng, [20, 1000, LARGEST]))
        known.append((size, whole(rng, 1, min(size, MOST_SAMPLES)), whole(rng, 0, size)))
    return {"known": known, "what": one_of(rng, ["mean", "bias"])}


def estimator_value(args: Arguments) -> float:
    """The mean, or the bias."""
    law = irb.samples.recall_estimator_distribution(*args["known"])
    return float(getattr(law, args["what"]))


def estimator_truth(args: Arguments) -> float:
    """In fractions, of the samples that have an estimate."""
    (size1, n1, r1), (size0, n0, r0) = args["known"]
    law = samples.estimator_law((size1, r1, n1), (size0, r0, n0))
    total = sum(law.values())
    if not total:
        return math.nan
    mean = sum(value * weight for value, weight in law.items()) / total
    return float(mean if args["what"] == "mean" else mean - samples.Fraction(r1, r1 + r0))


def under_prior(rng: np.random.Generator) -> Arguments:
    """A review, and the prior whose end is asked."""
    return review(rng) | {"prior": one_of(rng, [0.25, 0.5, 1.0, share(rng, 1e-3)])}


priors = asked_again(under_prior, lambda rng, args: args | place_of(rng))


def end_under_prior(args: Arguments) -> float:
    """The low end under the second of two priors."""
    found = irb.samples.prior_sensitivity(
        *segments(args), priors=(2.0, args["prior"]), confidence_level=1 - args["p"], side="lower"
    )
    return float(found.low[1])


def end_truth(args: Arguments, p: float, near: float) -> float:
    """The twin's quantile, where nothing forces the end."""
    if sum(relevant for _, _, relevant in args["retrieved"]) == 0:
        return 0.0
    return recall_quantile(args, p, near)


def prior_question(rng: np.random.Generator) -> Arguments:
    """Sizes up to 2^49 and samples of them."""
    most = one_of(rng, [MOST_CONSERVATIVE_SIZE, 60, 60, 150, 300])
    if rng.random() < 0.02:
        most = one_of(rng, [1000, 1500, 2**49])
    size = whole(rng, 1, most)
    return {"size": size, "sampled": whole(rng, 0, size)}


def quick_prior_truth(args: Arguments) -> float:
    """By the derivative; sizes and samples above 1000 count as 1000."""
    size, sampled = args["size"], args["sampled"]
    if not 0 <= sampled <= size:
        raise NoTwinError("no sample")
    if not sampled or size == 1:
        return 0.5
    return float(conservative_prior.quick_most_conservative_prior(size, sampled))


def prior_truth(args: Arguments) -> float:
    """Golden sections; the limits where every prior does as well."""
    size, sampled = args["size"], args["sampled"]
    if size > MOST_CONSERVATIVE_SIZE:
        raise NoTwinError("too many documents")
    if not sampled or size == 1:
        return 0.5
    return float(conservative_prior.most_conservative_prior(size, sampled))


HUNTS = [
    Hunt(
        "recall_interval_from_sample",
        several_ends,
        low_value,
        low_truth,
        low_promise,
        seconds=4.0,
    ),
    Hunt(
        "recall_estimator_distribution",
        known_samples,
        estimator_value,
        estimator_truth,
        1e-11,
    ),
    hunt_of_end(
        "prior_sensitivity",
        "recall",
        priors,
        end_under_prior,
        end_truth,
        lambda args: 1 - (1 - args["p"]),
        lambda args: 2 * seconds(args),
    ),
    Hunt(
        "most_conservative_prior",
        prior_question,
        lambda args: float(irb.samples.most_conservative_prior(args["size"], args["sampled"])),
        quick_prior_truth,
        1e-6,  # the docstring's
        seconds=0.5,
        sure=prior_truth,
    ),
]
