"""Posteriors and intervals of samples: segments of one stratum or several, whatever was sampled and
found; one sample of the whole collection.

Twins enumerate every document. The error of an end is how far it must be moved so that the
probability up to it, and below it, is right.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

import numpy as np
from scipy.special import betaincinv

import irbounds as irb
from hunts import Arguments, Hunt, NoTwinError
from hunts._draws import one_of, positive, share, whole
from tests.reference import conservative_prior
from tests.reference import samples as slow
from tests.reference.control_sample import RecallByPaths, guaranteed_low
from tests.reference.yields_in_full import FullPair, FullYield

EXACT_TO = 20_000  # documents of a segment, to which
EXACT_END, EXACT_PROBABILITY = 1e-9, 1e-11  # the docstrings promise that,
LARGE = 1e-6  # and beyond this, of ends and of probabilities
STEP = 1e-12  # of p, where an end is a step of the distribution
MOST = 100_000  # documents that the twin enumerates
MOST_OF_MEAN = 1000  # and for a mean, over all pairs
MOST_FRACTIONS = 40  # documents of the guaranteed twin, in fractions
TWINS = "enumeration of all documents or samples"
WORDS = "1e-11; 1e-06 beyond 20,000 documents"
END_WORDS = "1e-09; 1e-06 beyond 20,000 documents"
SEGMENTS = ("retrieved", "unretrieved")
Stratum = tuple[int, int, int]


def stratum(rng: np.random.Generator, most: int) -> Stratum:
    """(size, sampled, relevant): nothing, all, few or many of each."""
    size = whole(rng, 1, most)
    sampled = min(size, whole(rng, 0, one_of(rng, [10, 1000, size])))
    return size, sampled, whole(rng, 0, sampled)


def review(rng: np.random.Generator) -> Arguments:
    """Segments of mostly few documents, in up to 12 strata, mostly one; a place, a probability."""
    most = one_of(rng, [50, 300, 300, 1000, 5000, EXACT_TO])
    if rng.random() < 0.03:
        most = MOST
    args: Arguments = {}
    for name in SEGMENTS:
        n = one_of(rng, [1, 1, 1, 1, 1, 2, 3, whole(rng, 2, 12)])
        args[name] = [stratum(rng, max(1, most // n)) for _ in range(n)]
    args["prior"] = one_of(rng, [0.5, 0.5, 1.0, positive(rng, 0.01, 100)])
    return args | {"p": share(rng, 1e-4), "beta": positive(rng, 0.1, 10)}


def size_of(args: Arguments) -> int:
    """Documents of the larger segment."""
    return max(sum(size for size, _, _ in args[name]) for name in SEGMENTS)


def segments(args: Arguments) -> list[list[Stratum]]:
    return [[tuple(each) for each in args[name]] for name in SEGMENTS]


def twin(args: Arguments) -> FullPair:
    """Made once for all hunts of one question."""
    if not 0 < size_of(args) <= MOST or not 0.005 <= args["prior"] <= 200:
        raise NoTwinError("too many documents, or a prior whose digits are lost")
    retrieved, unretrieved = segments(args)
    return pair_of(tuple(retrieved), tuple(unretrieved), float(args["prior"]))


@lru_cache(maxsize=2)
def pair_of(one: tuple[Stratum, ...], other: tuple[Stratum, ...], prior: float) -> FullPair:
    return FullPair(one, other, (prior, prior))


def posterior(args: Arguments) -> irb.samples.RecallPosterior:
    return irb.recall_posterior(*segments(args), prior=args["prior"])


def place(args: Arguments) -> float:
    """A recall near the middle, one that pairs of yields have, or anything.  By the docstring a
    recall within 1e-12 of a ratio of counts is that ratio, so of 1 as well."""
    found = irb.samples.recall_estimate(*segments(args))
    p = args["p"] if args["p"] < 1 - 1e-12 else 1.0
    return float(found) if math.isfinite(found) and p < 0.3 else round(p, 3) if p < 0.5 else p


def promise(args: Arguments, truth: float) -> float:
    """The docstrings', of a probability."""
    return EXACT_PROBABILITY if size_of(args) <= EXACT_TO else LARGE


def mean_value(args: Arguments) -> float:
    return float(posterior(args).mean)


def mean_truth(args: Arguments) -> float:
    """Over all pairs of yields."""
    if size_of(args) > MOST_OF_MEAN:
        raise NoTwinError("too many pairs")
    return twin(args).mean()


def end_error(below: Callable[..., float], end: float, p: float, step: float = STEP) -> float:
    """The least power of ten by which an end may be moved so that P(x <= end) is at least p and
    P(x < end) at most p."""
    for power in range(-14, 0):
        near = 10.0**power
        if below(end + near) >= p - step and below(end - near, strict=True) <= p + step:
            return near
    return 1.0


def recall_error(args: Arguments, end: float, p: float, measure: str = "recall") -> float:
    """The same of the posterior of a question.  Yields are whole numbers."""
    law = twin(args)
    step = STEP if size_of(args) <= EXACT_TO else LARGE

    def below(x: float, strict: bool = False) -> float:
        return law.below(measure, x, strict=strict, beta=args["beta"])

    if measure == "yield":
        return float(below(end + 0.5) < p - step) + float(below(end - 0.5) > p + step)
    return end_error(below, end, p, step)


def end_promise(args: Arguments, truth: float) -> float:
    return EXACT_END if size_of(args) <= EXACT_TO else LARGE


def quantile_error(args: Arguments) -> float:
    return recall_error(args, float(posterior(args).quantile(args["p"])), args["p"])


def one_sided(args: Arguments) -> Arguments:
    """Keywords of a lower bound, below which p is left."""
    return {"confidence_level": 1 - args["p"], "side": "lower", "method": "betabinom-half"}


def end_of(measure: str) -> Hunt:
    """The low end of a one-sided interval; it is 0 where nothing relevant was found, and the prior
    is the method's."""

    def value(args: Arguments) -> float:
        options = one_sided(args) | ({"beta": args["beta"]} if measure == "f" else {})
        end = float(getattr(irb.samples, f"{measure}_interval")(*segments(args), **options).low)
        decisive = SEGMENTS if measure == "yield" else SEGMENTS[:1]
        if not any(relevant for name in decisive for _, _, relevant in args[name]):
            return abs(end)
        return recall_error(args | {"prior": 0.5}, end, args["p"], measure)

    name = f"{measure}_interval, an end"
    return Hunt(name, review, value, zero, end_promise, END_WORDS)


def share_of(name: str, segment: str) -> Hunt:
    """The low end of precision or elusion: a yield's quantile over the size."""

    def value(args: Arguments) -> float:
        strata = segments(args)[SEGMENTS.index(segment)]
        size = sum(size for size, _, _ in strata)
        end = float(getattr(irb.samples, name)(strata, **one_sided(args)).low)
        if not any(relevant for _, _, relevant in strata):
            return abs(end)
        if size > MOST:
            raise NoTwinError("too many documents")
        law = FullYield(strata)

        at, under = (float(1 - law.sf(np.array([round(end * size) + more]))[0]) for more in (1, 0))
        return float(at < args["p"] - STEP) + float(under > args["p"] + STEP)

    name_of_hunt = f"{name}, an end"
    return Hunt(name_of_hunt, review, value, zero, end_promise, END_WORDS)


def zero(args: Arguments) -> float:
    return 0.0


# One sample of the whole collection
# ---------------------------------------------------------------------------------------------


def control_sample(rng: np.random.Generator) -> Arguments:
    """A collection, or an infinite one, and a sample that it can have."""
    most = one_of(rng, [20, MOST_FRACTIONS // 2, 300, 1500])
    sizes = [whole(rng, 0, most), whole(rng, 0, most)]
    sampled = whole(rng, 0, min(sum(sizes), one_of(rng, [20, 1000])))
    r1 = whole(rng, 0, min(sizes[0], sampled))
    r0 = whole(rng, 0, min(sizes[1], sampled - r1))
    return {
        "sizes": [None, None] if rng.random() < 0.15 else sizes,
        "counts": [sampled, r1, r0],
        "method": one_of(rng, ["betabinom-half", "betabinom-uniform", "guaranteed"]),
        "thousandth": whole(rng, 1, 999),
    }


def control_end(args: Arguments) -> float:
    """The low end of a one-sided interval, or what it misses."""
    sampled, r1, r0 = args["counts"]
    if not 0 < args["thousandth"] < 1000:
        raise irb.InputError("no level")
    alpha = Fraction(args["thousandth"], 1000)
    options = {"confidence_level": float(1 - alpha), "side": "lower", "method": args["method"]}
    found = irb.recall_interval_from_sample(*args["sizes"], sampled, r1, r0, **options)
    end = float(found.low)
    if not r1:
        return end
    if args["sizes"][0] is None:
        return abs(end - endless_end(args["method"], r1, r0, float(alpha)))
    if args["method"] == "guaranteed":
        if sum(args["sizes"]) > MOST_FRACTIONS:
            raise NoTwinError("too many documents")
        return abs(end - float(guaranteed_low(*args["sizes"], sampled, r1, r0, alpha)))
    if sum(args["sizes"]) > EXACT_TO:
        raise NoTwinError("too many documents")
    prior = 0.5 if args["method"] == "betabinom-half" else 1.0
    law = RecallByPaths(*args["sizes"], sampled, r1, r0, prior)
    if not law.possible > 1e-6:
        raise NoTwinError("a sample that contradicts the sizes")
    return end_error(lambda x, strict=False: law.below(x), end, float(alpha))


def endless_end(method: str, r1: int, r0: int, alpha: float) -> float:
    """The end for an infinite collection: a quantile of a Beta distribution.  For "guaranteed" no
    share below it makes `r1` of `r1 + r0` likelier than alpha (Clopper and Pearson), but
    Hoeffding's bound, which is searched, holds up to (r1 - 1)/n only."""
    if method != "guaranteed":
        a = 0.5 if method == "betabinom-half" else 1.0
        return float(betaincinv(a + r1, a + r0, alpha))
    least = float(betaincinv(r1, r0 + 1, alpha))
    return min(least, max(r1 - 1, alpha * r1) / (r1 + r0))


def known_samples(rng: np.random.Generator) -> Arguments:
    """Yields that are known, and samples to be drawn."""
    known = []
    for _ in range(2):
        size = whole(rng, 1, one_of(rng, [20, 1000, 10**6]))
        known.append((size, whole(rng, 1, min(size, 10)), whole(rng, 0, size)))
    return {"known": known}


def estimator_truth(args: Arguments) -> float:
    """The mean in fractions, of the samples that have an estimate."""
    (size1, n1, r1), (size0, n0, r0) = args["known"]
    if max(n1, n0) > 20:
        raise NoTwinError("too many samples")
    law = slow.estimator_law((size1, r1, n1), (size0, r0, n0))
    total = sum(law.values())
    return float(sum(value * p for value, p in law.items()) / total) if total else math.nan


def prior_question(rng: np.random.Generator) -> Arguments:
    size = whole(rng, 2, 12)
    return {"size": size, "sampled": whole(rng, 1, size)}


def prior_truth(args: Arguments) -> float:
    """Golden sections."""
    if not 1 < args["size"] <= 12 or not args["sampled"]:
        raise NoTwinError("too many documents, or every prior does as well")
    return float(conservative_prior.most_conservative_prior(args["size"], args["sampled"]))


HUNTS = [
    Hunt(
        "recall_posterior.cdf",
        review,
        lambda args: posterior(args).cdf(place(args)),
        lambda args: twin(args).below("recall", place(args)),
        promise,
        WORDS,
    ),
    Hunt("recall_posterior.quantile, an end", review, quantile_error, zero, end_promise, END_WORDS),
    Hunt("recall_posterior.mean", review, mean_value, mean_truth, promise, WORDS),
    end_of("recall"),
    end_of("f"),
    end_of("yield"),
    share_of("precision_interval", "retrieved"),
    share_of("elusion_interval", "unretrieved"),
    Hunt("recall_interval_from_sample, an end", control_sample, control_end, zero, 1e-9),
    Hunt(
        "recall_estimator_distribution.mean",
        known_samples,
        lambda args: irb.samples.recall_estimator_distribution(*args["known"]).mean,
        estimator_truth,
        1e-11,
    ),
    Hunt(
        "most_conservative_prior",
        prior_question,
        lambda args: irb.samples.most_conservative_prior(args["size"], args["sampled"]),
        prior_truth,
        1e-6,  # the docstring's
    ),
]
