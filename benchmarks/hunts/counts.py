"""Laws of shares and of F, and their averages.

The twins integrate densities over panels, which leaves them errors of 1e-13 to counts of 10^6, some
1e-12 to 10^9 and some 1e-11 to 10^12.
"""

from __future__ import annotations

import functools
import math
import zlib
from typing import Any

import numpy as np

import irbounds as irb
from hunts import Arguments, Hunt, NoTwinError
from hunts._draws import asked_again
from tests.reference import float_shares as twin
from tests.reference import quick
from tests.reference.f_density import f_density

Counts = tuple[int, int, int]
EXACT, ENDS = 1e-11, 1e-10
DIGITS = 4e-16  # of a float, times densities: what the last digit of a share makes
# Shapes from which on the panels of the quick twin reach the promise of a density (6e-8 at 1e-3,
# far out), and the questions of smaller ones of which mpmath answers one: it takes 1 to 5 s.
TINY, TINY_EVERY = 0.05, 50
SMOOTH = 0.01  # smaller shapes make laws that bend too sharply for a polynomial
LAST_PLACE = 6  # log odds of shares that have 13 digits left
NARROW = 100  # shapes of a law whose peak mpmath's panels may miss, and the twin's do not


def draw_count(rng: np.random.Generator, most: float = 6) -> int:
    """0, a few, or any number to 10^most, each decade alike; seldom to 10^12."""
    kind = rng.random()
    if kind < 0.2:
        return 0
    return int(10 ** rng.uniform(0, 12 if kind > 0.95 else most))


def draw_prior(rng: np.random.Generator) -> float:
    """The usual ones, or any from 0.001 to 100."""
    return float(rng.choice([0.5, 0.5, 1.0, 10 ** rng.uniform(-3, 2)]))


def draw_beta(rng: np.random.Generator) -> float:
    """Above or below 1, as is usual or far beyond."""
    kind = rng.random()
    if kind < 0.25:
        return float(rng.choice([0.5, 2.0, 1 + 1e-9, 10.0]))
    return float(10 ** (rng.uniform(-1.3, 1.3) if kind < 0.9 else rng.uniform(-3, 3)))


def draw_law(rng: np.random.Generator) -> Arguments:
    """A law of F and a place: some standard deviations about the bulk, or a probability's
    quantile."""
    counts: Counts = (draw_count(rng, 8), draw_count(rng, 8), draw_count(rng, 8))
    beta = 1.0 if rng.random() < 0.1 else draw_beta(rng)
    return {
        "counts": counts,
        "beta": beta,
        "prior": draw_prior(rng),
        "offset": float(rng.normal() * 2.5),
    }


laws = asked_again(draw_law, lambda rng, args: args | {"offset": float(rng.normal() * 2.5)}, mean=8)


@functools.lru_cache(maxsize=4)
def twin_law(counts: Counts, beta: float, prior: float) -> Any:
    """The law of the twin; a weight of 0 is no F."""
    if not beta > 0:
        raise irb.InputError("`beta` must be above 0")
    if not 1e-150 < beta < 1e150:  # where the square is a double
        raise NoTwinError
    return twin.law_of("f", counts, beta, prior)


def share_of(args: Arguments) -> float:
    """The place, as a share."""
    law = twin_law(args["counts"], args["beta"], args["prior"])
    return float(1 / (1 + np.exp(-(law.centre + args["offset"] * law.std))))


def offset_of(args: Arguments) -> float:
    """The place as the float that a share has become, an offset from the twin's centre."""
    law, x = twin_law(args["counts"], args["beta"], args["prior"]), share_of(args)
    if not 0 < x < 1:
        raise NoTwinError
    x = twin.LONG(x)
    return float(np.log(x) - np.log1p(-x) - twin.LONG(law.centre))


def law_of(args: Arguments) -> Any:
    """The law of irbounds."""
    return irb.CountsPosterior(*args["counts"], prior=args["prior"]).f(args["beta"])


def asked(function: Any) -> Any:
    """A twin that may give up."""

    def answer(args: Arguments) -> float:
        try:
            with np.errstate(all="ignore"):
                answered = float(function(args))
        except twin.NoAnswerError:
            raise NoTwinError from None
        if not math.isfinite(answered):  # an overflow on the way
            raise NoTwinError
        return answered

    return answer


def below_twin(args: Arguments) -> float:
    """P(F <= x)."""
    law = twin_law(args["counts"], args["beta"], args["prior"])
    return law.below(np.array([offset_of(args)]))[0]


def density_twin(args: Arguments) -> float:
    """The density of F."""
    law, x = twin_law(args["counts"], args["beta"], args["prior"]), share_of(args)
    return law.density(np.array([offset_of(args)]))[0] / x / (1 - x)


def any_density(args: Arguments) -> float:
    """The same; with tiny shapes by mpmath, for one question in so many, as it takes seconds: the
    panels were off by up to 6e-3 where a tiny shape is all that counts."""
    shapes = [count + args["prior"] for count in args["counts"]]
    if min(shapes) > TINY or min(shapes[1:]) > NARROW:
        return density_twin(args)
    if zlib.crc32(repr(args).encode()) % TINY_EVERY:
        raise NoTwinError
    return f_density(shapes, args["beta"], share_of(args))


def law_promise(args: Arguments) -> float:
    """1e-11 to counts of 10^8; beyond, and near 0 and 1, the last digit of x is what counts."""
    most = max(args["counts"])
    return EXACT if most <= 1e8 else 1e-9


def beta_promise(args: Arguments) -> float:
    """The same, of pooled counts."""
    return EXACT if max(pooled(args)) <= 1e8 else 1e-9


def middle_of(args: Arguments) -> float:
    """A place whose neighbours have their digits."""
    place = twin_law(args["counts"], args["beta"], args["prior"]).centre + args["offset"]
    if abs(place) > LAST_PLACE:
        raise NoTwinError("places whose digits are lost")
    return 1 / (1 + math.exp(-place))


def roughness(args: Arguments) -> float:
    """The fifth difference of the distribution function at neighbours, which is rounding where all
    are right.  It needs no twin: there is time for places of which one in 10^5 is wrong."""
    law, middle = law_of(args), middle_of(args)
    tp, fp, fn = (n + args["prior"] for n in args["counts"])
    if min(args["counts"]) < 0 or min(tp, fp, fn) < SMOOTH:
        raise NoTwinError("a law that bends sharply")
    step = 2e-3 * math.sqrt(1 / (tp + 0.5) + 1 / (fp + fn + 0.5))
    places = math.log(middle) - math.log1p(-middle) + step * np.arange(-2, 4)
    return float(abs(np.diff(law.cdf(1 / (1 + np.exp(-places))), 5)[0]) / 10)


def quantile_value(args: Arguments) -> float:
    """P(F <= ppf(p)): its inverse is a hunt of its own."""
    law, p = law_of(args), 1 / (1 + math.exp(-3 * args["offset"]))
    x = law.ppf(p)
    if not 1e-300 < x < 1 - 1e-9:
        return p  # floats near 1 are too far apart
    return float(law.cdf(x))


def quantile_truth(args: Arguments) -> float:
    """The probability asked for."""
    return 1 / (1 + math.exp(-3 * args["offset"]))


def quantile_promise(args: Arguments) -> float:
    """And what the last digit of the quantile makes."""
    law = law_of(args)
    x = law.ppf(quantile_truth(args))
    rounding = law.pdf(x) * math.ulp(x) if 0 < x < 1 else 0.0
    return 2 * law_promise(args) + 2 * rounding


def moment_twin(power: int) -> Any:
    """The mean of F, or its variance, about 0 and about the mean, by panels."""

    def answer(args: Arguments) -> float:
        law = twin_law(args["counts"], args["beta"], args["prior"])
        law = twin.Pieces(law) if isinstance(law, twin.FOdds) else law
        edges = law.marks

        def share(t: np.ndarray) -> np.ndarray:
            return 1 / (1 + np.exp(-np.clip(law.centre + t, -700, 700)))

        mean = twin.integral(lambda t: law.density(t) * share(t), edges, 1e-14)
        if power == 1:
            return mean
        return twin.integral(
            lambda t: law.density(t) * (share(t) - mean) ** 2, edges, 1e-16 * law.std
        )

    return asked(answer)


def quick_moment(power: int) -> Any:
    """The same, by one integral."""

    def answer(args: Arguments) -> float:
        if min(args["counts"]) < 0 or not args["beta"] > 0 or not args["prior"] > 0:
            raise NoTwinError
        shapes = [float(n) + args["prior"] for n in args["counts"]]
        mean = quick.f_moment(1, *shapes, args["beta"])
        if power == 1:
            return float(mean)
        return float(quick.f_moment(2, *shapes, args["beta"]) - mean**2)

    return asked(answer)


def variance_promise(args: Arguments) -> float:
    """Relative 1e-9, as far as the twin has digits."""
    return 1e-9 * float(law_of(args).var) + 1e-14


def draw_precision(rng: np.random.Generator) -> Arguments:
    """Counts of one or two categories, and a place about the bulk of their precision."""
    categories = [[draw_count(rng, 8), draw_count(rng, 8), 3] for _ in range(2)]
    return {"categories": categories, "prior": draw_prior(rng), "offset": float(rng.normal() * 2.5)}


def pooled(args: Arguments) -> Counts:
    """Counts of all categories together; a search may climb to counts below 0, which are 0 then."""
    return tuple(sum(max(0, n) for n in column) for column in zip(*args["categories"], strict=True))  # type: ignore


def beta_place(args: Arguments, counts: Counts) -> tuple[Any, float]:
    """The twin's law of precision and the share."""
    law = twin.law_of("precision", counts, 1.0, args["prior"])
    return law, float(1 / (1 + np.exp(-(law.centre + args["offset"] * law.std))))


def beta_twin(args: Arguments, counts: Counts) -> float:
    """P(precision <= share)."""
    law, x = beta_place(args, counts)
    if not 0 < x < 1:
        raise NoTwinError
    return float(
        law.below(np.array([float(np.log(twin.LONG(x)) - np.log1p(-twin.LONG(x))) - law.centre]))[0]
    )


def beta_law_value(args: Arguments) -> float:
    """The distribution function of a BetaDistribution."""
    tp, fp, _ = pooled(args)
    found = irb.distributions.BetaDistribution(
        tp + args["prior"], fp + args["prior"]
    )  # refused before the twin
    return float(found.cdf(beta_place(args, pooled(args))[1]))


def micro_value(args: Arguments) -> float:
    """The micro-average of the pooled counts."""
    posts = [
        irb.CountsPosterior(*(max(0, n) for n in some), prior=args["prior"])
        for some in args["categories"]
    ]
    return float(irb.counts.micro_average(posts).precision.cdf(beta_place(args, pooled(args))[1]))


def macro_value(args: Arguments) -> float:
    """The mean of the mean precision."""
    posts = [
        irb.CountsPosterior(*(max(0, n) for n in some), prior=args["prior"])
        for some in args["categories"]
    ]
    return float(irb.counts.macro_average(posts, "precision").mean)


def macro_twin(args: Arguments) -> float:
    """Means of Beta laws, averaged."""
    prior = args["prior"]
    means = [
        (max(0, tp) + prior) / (max(0, tp) + max(0, fp) + 2 * prior)
        for tp, fp, _ in args["categories"]
    ]
    return math.fsum(means) / len(means)


HUNTS = [
    Hunt(
        "BetaDistribution.cdf",
        draw_precision,
        beta_law_value,
        lambda args: beta_twin(args, pooled(args)),
        beta_promise,
    ),
    Hunt(
        "CountsPosterior.precision",
        draw_precision,
        lambda args: irb.CountsPosterior(*pooled(args), prior=args["prior"]).precision.cdf(
            beta_place(args, pooled(args))[1]
        ),
        lambda args: beta_twin(args, pooled(args)),
        beta_promise,
    ),
    Hunt(
        "micro_average",
        draw_precision,
        micro_value,
        lambda args: beta_twin(args, pooled(args)),
        beta_promise,
    ),
    Hunt("macro_average.mean", draw_precision, macro_value, macro_twin, EXACT),
    Hunt(
        "FScoreDistribution.cdf",
        laws,
        lambda args: law_of(args).cdf(share_of(args)),
        asked(below_twin),
        law_promise,
    ),
    Hunt(
        "FScoreDistribution.cdf, neighbours",
        laws,
        roughness,
        lambda args: 0.0,
        lambda args: law_promise(args) + DIGITS * law_of(args).pdf(middle_of(args)),
    ),
    Hunt(
        "FScoreDistribution.sf",
        laws,
        lambda args: law_of(args).sf(share_of(args)),
        asked(lambda args: 1 - below_twin(args)),
        law_promise,
    ),
    Hunt(
        "FScoreDistribution.pdf",
        laws,
        lambda args: law_of(args).pdf(share_of(args)),
        asked(any_density),
        lambda args: 1e-8 * float(law_of(args).pdf(share_of(args))) + 1e-12,
    ),
    Hunt(
        "FScoreDistribution.ppf, probability reached",
        draw_law,
        quantile_value,
        quantile_truth,
        quantile_promise,
    ),
    Hunt(
        "FScoreDistribution.mean",
        draw_law,
        lambda args: law_of(args).mean,
        quick_moment(1),
        EXACT,
        sure=moment_twin(1),
    ),
    Hunt(
        "FScoreDistribution.var",
        draw_law,
        lambda args: law_of(args).var,
        quick_moment(2),
        variance_promise,
        sure=moment_twin(2),
    ),
]
