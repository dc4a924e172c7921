"""Judges that err: coded and audited segments, shares by error rates, and judges with people."""

from __future__ import annotations

import warnings
from fractions import Fraction
from functools import lru_cache

import mpmath
import numpy as np

import irbounds as irb
from hunts import Arguments, Hunt, NoTwinError, remembering
from hunts._draws import asked_again, one_of, share, whole
from irbounds.samples.intervals.estimators import RecallPosterior
from irbounds.samples.model.priors import PerStratum
from irbounds.samples.model.strata import check_segments
from tests.reference import assisted as slow
from tests.reference import audited as slow_audited
from tests.reference.yields_in_full import betabinomial

PROBABILITY, LARGE, END, FORMULA = 1e-11, 1e-6, 1e-9, 1e-11  # the docstrings'
MOST = 600  # documents that the twin enumerates
MOST_PAIRS = 40
EXACT_TO = 20_000  # documents to which probabilities are promised so exactly
KNOWN = 10  # relevant documents of the other segment, by which a yield is a recall
ROUNDED = Fraction(1, 10**12)  # of a probability, relative
FIELDS = ("size", "sampled", "called", "m1", "x1", "m0", "x0")


def coded(rng: np.random.Generator) -> Arguments:
    """Segments that the twin takes, and now and then up to 10^9 with audits of both kinds."""
    is_large = rng.random() < 0.03
    size = whole(rng, 20_000, 10**9) if is_large else whole(rng, 1, one_of(rng, [50, 200, MOST]))
    least = 1000 if is_large else 0
    sampled = whole(rng, least, min(size, 20_000))
    called = whole(rng, least // 5, sampled - least // 5)
    m1, m0 = whole(rng, least // 50, called), whole(rng, least // 50, sampled - called)
    x1, x0 = whole(rng, least // 100, m1), whole(rng, least // 500, m0)
    found = dict(zip(FIELDS, (size, sampled, called, m1, x1, m0, x0), strict=True))
    return found | {"yield": whole(rng, 0, size)}


several_yields = asked_again(coded, lambda rng, args: args | {"yield": whole(rng, 0, args["size"])})


def audited(args: Arguments) -> irb.Audited:
    """As the library takes it."""
    size, sampled, called, m1, x1, m0, x0 = (args[name] for name in FIELDS)
    return irb.Audited(size, sampled, called, (m1, x1), (m0, x0))


def cdf(args: Arguments) -> float:
    """P(yield <= y)."""
    q = args["yield"] / (args["yield"] + KNOWN)
    return irb.recall_posterior(audited(args), (KNOWN,) * 3).cdf(q)


def exact_cdf(args: Arguments) -> float:
    """By enumeration."""
    if args["size"] > MOST:
        raise NoTwinError("outside the twin's range")
    return float(enumerated(*(args[name] for name in FIELDS))[: args["yield"] + 1].sum())


@lru_cache(maxsize=2)
def enumerated(*fields: int) -> np.ndarray:
    """The probability of every yield."""
    return slow_audited.audited_masses(*fields)


def beside(rng: np.random.Generator) -> Arguments:
    """An audited segment and a stratum, of 20,000 documents at most."""
    args = coded(rng)
    while args["size"] > MOST:
        args = coded(rng)
    size = whole(rng, 1, one_of(rng, [200, 4000, EXACT_TO - MOST, EXACT_TO - MOST]))
    sampled = min(size, whole(rng, 0, one_of(rng, [10, 100, size])))
    stratum = (size, sampled, whole(rng, 0, sampled))
    return args | {"stratum": stratum, "yield": whole(rng, 0, args["size"] + size)}


several_beside = asked_again(
    beside,
    lambda rng, args: args | {"yield": whole(rng, 0, args["size"] + args["stratum"][0])},
)


def beside_cdf(args: Arguments) -> float:
    """P(yield <= y) of both, each with a prior of its own."""
    q = args["yield"] / (args["yield"] + KNOWN)
    segment = [audited(args), tuple(args["stratum"])]
    return RecallPosterior(
        *check_segments(True, retrieved=segment, unretrieved=(KNOWN,) * 3),
        PerStratum((0.5, 0.5)),
    ).cdf(q)


def exact_beside_cdf(args: Arguments) -> float:
    """By enumeration."""
    if args["size"] > MOST or args["size"] + args["stratum"][0] > EXACT_TO:
        raise NoTwinError("outside the twin's range")
    law = enumerated_beside(tuple(args[name] for name in FIELDS), tuple(args["stratum"]))
    return float(law[: args["yield"] + 1].sum())


@lru_cache(maxsize=2)
def enumerated_beside(fields: tuple[int, ...], stratum: tuple[int, int, int]) -> np.ndarray:
    """The probability of every yield."""
    size, sampled, relevant = stratum
    law = np.zeros(size + 1)
    law[relevant : relevant + size - sampled + 1] = betabinomial(
        size - sampled, relevant + 0.5, sampled - relevant + 0.5
    )
    return np.convolve(enumerated(*fields), law)


def screened(rng: np.random.Generator) -> Arguments:
    """A judge's calls and its error rates."""
    sampled = whole(rng, 1, 10**6)
    args: Arguments = {"positive": whole(rng, 0, sampled), "sampled": sampled}
    for name in ("sensitivity", "specificity"):
        tested = whole(rng, 1, 10**5)
        args[name] = (whole(rng, tested // 2, tested), tested)
    return args | {"level": share(rng, 1e-6), "end": one_of(rng, ["raw_low", "raw_high"])}


def corrected(args: Arguments) -> float:
    """One end, not clipped."""
    found = irb.samples.prevalence_interval(
        args["positive"],
        args["sampled"],
        args["sensitivity"],
        args["specificity"],
        confidence_level=args["level"],
    )
    return getattr(found, args["end"])


def exact_corrected(args: Arguments) -> float:
    """With many digits."""
    if not args["sampled"]:  # nothing is known
        return float(args["end"] == "raw_high")
    rates = args["sensitivity"], args["specificity"]
    with mpmath.workdps(30):
        z = mpmath.sqrt(2) * mpmath.erfinv(mpmath.mpf(args["level"]))
        ends = slow_audited.lang_reiczigel(args["positive"], args["sampled"], *rates, z)
        return float(ends[args["end"] == "raw_high"])


def rounding(args: Arguments) -> float:
    """Quotients by sensitivity + specificity - 1 lose digits."""
    se, sp = (
        (right + 1) / (tested + 2) for right, tested in (args["sensitivity"], args["specificity"])
    )
    return FORMULA * max(1.0, 1e-2 / max(1e-12, se + sp - 1) ** 2)


def judged(rng: np.random.Generator) -> Arguments:
    """Grades of a few pairs, and labels of some."""
    size = whole(rng, 3, MOST_PAIRS)
    labels = [one_of(rng, [None, 0, 1]) for _ in range(size)]
    labels[:2] = [0, 1]
    grades = [whole(rng, 0, one_of(rng, [0, 1, 3])) for _ in range(size)]
    level = float(one_of(rng, [0.5, 0.8, 0.95, 0.99]))
    end = one_of(rng, ["low", "high", "estimate"])
    method = one_of(rng, ["strata", None])
    return {"grades": grades, "labels": labels, "level": level, "end": end, "method": method}


def assisted(args: Arguments) -> float:
    """One number of the interval."""
    judge = {f"d{i}": grade for i, grade in enumerate(args["grades"])}
    human = {f"d{i}": label for i, label in enumerate(args["labels"]) if label is not None}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", irb.warnings.AssistedWarning)
        found = irb.assisted_interval(
            {"q": human},
            {"q": judge},
            measure="SetP",
            method=args["method"],
            confidence_level=args["level"],
        )
    return getattr(found, args["end"])


assisted, assisted_again = remembering(assisted)


def exact_assisted(args: Arguments) -> float:
    """By enumeration.  Where a probability is exactly that of the level, rounding decides: the
    answer counts that a level beside it has."""
    tail = (1 - Fraction(str(args["level"]))) / 2
    answers = []
    for beside in (1, 1 - ROUNDED, 1 + ROUNDED):
        answers.append(enumerated_end(args, tail * beside))
        if abs(answers[-1] - assisted_again(args)) <= END:
            return answers[-1]
    return answers[0]


def enumerated_end(args: Arguments, tail: Fraction) -> float:
    """The same for one tail.  A grade below 0 means unjudged; a label of 1 or more means
    relevant."""
    if len(args["grades"]) != len(args["labels"]):
        raise NoTwinError("outside the twin's range")
    rows = [
        (g, None if y is None or y < 0 else int(y >= 1))
        for g, y in zip(args["grades"], args["labels"], strict=True)
        if g >= 0
    ]
    n = len(rows)
    if n > MOST_PAIRS or {y for _, y in rows[:2]} != {0, 1}:
        raise NoTwinError("outside the twin's range")
    law = slow.strata_pmf([(Fraction(1, n), g, y) for g, y in rows])
    ends = [n * slow_audited.quantile(law, p) for p in (tail, 1 - tail)]
    mean = float(sum(x * p for x, p in law.items()))
    if args["method"] is None:
        ones = [(1, g, y) for g, y in rows]
        ends = slow.moved_outward(ones, *ends, tail)
        mean += slow.prior_pull(ones) / n
    if args["end"] == "estimate":  # a mean beyond a quantile is moved to it
        return min(max(mean, float(ends[0]) / n), float(ends[1]) / n)
    return float(ends[args["end"] == "high"]) / n


HUNTS = [
    Hunt(
        "Audited, cdf of the yield",
        several_yields,
        cdf,
        exact_cdf,
        lambda args: PROBABILITY if args["size"] <= 20_000 else LARGE,
        seconds=30,
    ),
    Hunt(
        "Audited beside a stratum, cdf", several_beside, beside_cdf, exact_beside_cdf, PROBABILITY
    ),
    Hunt("prevalence_interval", screened, corrected, exact_corrected, rounding),
    Hunt("assisted_interval, strata", judged, assisted, exact_assisted, END),
]
