"""Judges that err: coded and audited segments, shares by error rates, and judges with people."""

from __future__ import annotations

import warnings
from fractions import Fraction
from functools import lru_cache

import mpmath
import numpy as np

import irbounds as irb
from hunts import Arguments, Hunt, NoTwinError
from hunts._draws import one_of, whole
from irbounds.samples.intervals.estimators import RecallPosterior
from irbounds.samples.model.priors import PerStratum
from irbounds.samples.model.strata import check_segments
from tests.reference import assisted as slow
from tests.reference import audited as slow_audited
from tests.reference.yields_in_full import betabinomial

PROBABILITY, END, FORMULA = 1e-11, 1e-9, 1e-11  # the docstrings'
MOST = 300  # documents that the twin enumerates
MOST_BESIDE = 10_000  # documents of a stratum beside them
MOST_PAIRS = 30
KNOWN = 10  # relevant documents of the other segment, by which a yield is a recall
FIELDS = ("size", "sampled", "called", "m1", "x1", "m0", "x0")
TWINS = "enumeration of calls, yields and pairs; formulas, 30 digits"


def coded(rng: np.random.Generator) -> Arguments:
    """A segment with audits of both kinds, a stratum beside it, and a yield of both."""
    size = whole(rng, 1, one_of(rng, [50, 200, MOST]))
    sampled = whole(rng, 0, size)
    called = whole(rng, 0, sampled)
    m1, m0 = whole(rng, 0, called), whole(rng, 0, sampled - called)
    x1, x0 = whole(rng, 0, m1), whole(rng, 0, m0)
    found = dict(zip(FIELDS, (size, sampled, called, m1, x1, m0, x0), strict=True))
    more = whole(rng, 1, one_of(rng, [200, MOST_BESIDE]))
    seen = whole(rng, 0, min(more, 100))
    stratum = (more, seen, whole(rng, 0, seen)) if rng.random() < 0.5 else (0, 0, 0)
    return found | {"stratum": stratum, "yield": whole(rng, 0, size + stratum[0])}


def cdf(args: Arguments) -> float:
    """P(yield <= y) of both, each with a prior of its own."""
    size, sampled, called, m1, x1, m0, x0 = (args[name] for name in FIELDS)
    segment = [irb.Audited(size, sampled, called, (m1, x1), (m0, x0))]
    q = args["yield"] / (args["yield"] + KNOWN)
    if not 0 <= args["stratum"][2] <= args["stratum"][1] <= args["stratum"][0]:
        raise irb.InputError("not a stratum")
    if not args["stratum"][0]:
        return float(irb.recall_posterior(segment, (KNOWN,) * 3).cdf(q))
    both = check_segments(
        True, retrieved=[*segment, tuple(args["stratum"])], unretrieved=(KNOWN,) * 3
    )
    return float(RecallPosterior(*both, PerStratum((0.5, 0.5))).cdf(q))


def exact_cdf(args: Arguments) -> float:
    """By enumeration."""
    if args["size"] > MOST or args["stratum"][0] > 2 * MOST_BESIDE:
        raise NoTwinError("outside the twin's range")
    law = enumerated(tuple(args[name] for name in FIELDS), tuple(args["stratum"]))
    return float(law[: args["yield"] + 1].sum())


@lru_cache(maxsize=2)
def enumerated(fields: tuple[int, ...], stratum: tuple[int, int, int]) -> np.ndarray:
    """The probability of every yield."""
    size, sampled, relevant = stratum
    law = np.zeros(size + 1)
    law[relevant : relevant + size - sampled + 1] = betabinomial(
        size - sampled, relevant + 0.5, sampled - relevant + 0.5
    )
    return np.convolve(slow_audited.audited_masses(*fields), law)


def screened(rng: np.random.Generator) -> Arguments:
    """A judge's calls and its error rates."""
    sampled = whole(rng, 1, 10**5)
    args: Arguments = {"positive": whole(rng, 0, sampled), "sampled": sampled}
    for name in ("sensitivity", "specificity"):
        tested = whole(rng, 1, 10**4)
        args[name] = (whole(rng, tested // 2, tested), tested)
    level, end = one_of(rng, [0.5, 0.8, 0.95, 0.99]), one_of(rng, ["raw_low", "raw_high"])
    return args | {"level": level, "end": end}


def corrected(args: Arguments) -> float:
    """One end, not clipped."""
    asked = (args[name] for name in ("positive", "sampled", "sensitivity", "specificity"))
    found = irb.samples.prevalence_interval(*asked, confidence_level=args["level"])
    return float(getattr(found, args["end"]))


def exact_corrected(args: Arguments) -> float:
    """With many digits."""
    if not args["sampled"]:  # nothing is known
        return float(args["end"] == "raw_high")
    rates = args["sensitivity"], args["specificity"]
    with mpmath.workdps(30):
        z = mpmath.sqrt(2) * mpmath.erfinv(mpmath.mpf(args["level"]))
        ends = slow_audited.lang_reiczigel(args["positive"], args["sampled"], *rates, z)
        return float(ends[args["end"] == "raw_high"])


def rounding(args: Arguments, truth: float) -> float:
    """Quotients by sensitivity + specificity - 1 lose digits."""
    se, sp = (
        (right + 1) / (tested + 2) for right, tested in (args["sensitivity"], args["specificity"])
    )
    return FORMULA * max(1.0, 1e-2 / max(1e-12, se + sp - 1) ** 2)


def judged(rng: np.random.Generator) -> Arguments:
    """Grades of a few pairs, and labels of some.  No probability is exactly that of such a level,
    where rounding would decide."""
    size = whole(rng, 3, MOST_PAIRS)
    labels = [one_of(rng, [None, 0, 1]) for _ in range(size)]
    labels[:2] = [0, 1]
    return {
        "grades": [whole(rng, 0, one_of(rng, [0, 1, 3])) for _ in range(size)],
        "labels": labels,
        "level": float(rng.uniform(0.5, 0.99)),
        "end": one_of(rng, ["low", "high", "estimate"]),
        "method": one_of(rng, ["strata", None]),
    }


def assisted(args: Arguments) -> float:
    """One number of the interval."""
    if not {*args["labels"]} <= {None, 0, 1} or min(args["grades"]) < 0:
        raise irb.InputError("not labels and grades")
    judge = {f"d{i}": grade for i, grade in enumerate(args["grades"])}
    human = {f"d{i}": label for i, label in enumerate(args["labels"]) if label is not None}
    options = {"measure": "SetP", "method": args["method"], "confidence_level": args["level"]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", irb.warnings.AssistedWarning)
        found = irb.assisted_interval({"q": human}, {"q": judge}, **options)
    return float(getattr(found, args["end"]))


def exact_assisted(args: Arguments) -> float:
    """By enumeration."""
    n, tail = len(args["grades"]), (1 - Fraction(args["level"])) / 2
    if n > MOST_PAIRS or {*args["labels"][:2]} != {0, 1}:
        raise NoTwinError("outside the twin's range")
    rows = list(zip(args["grades"], args["labels"], strict=True))
    law = slow.strata_pmf([(Fraction(1, n), grade, label) for grade, label in rows])
    ends = [n * slow_audited.quantile(law, p) for p in (tail, 1 - tail)]
    mean = float(sum(x * p for x, p in law.items()))
    if args["method"] is None:
        ones = [(1, grade, label) for grade, label in rows]
        ends = slow.moved_outward(ones, *ends, tail)
        mean += slow.prior_pull(ones) / n
    if args["end"] == "estimate":  # a mean beyond a quantile is moved to it
        return min(max(mean, float(ends[0]) / n), float(ends[1]) / n)
    return float(ends[args["end"] == "high"]) / n


HUNTS = [
    Hunt("Audited, cdf of the yield", coded, cdf, exact_cdf, PROBABILITY),
    Hunt(
        "prevalence_interval",
        screened,
        corrected,
        exact_corrected,
        rounding,
        "1e-11; more where the rates tell little",
    ),
    Hunt("assisted_interval", judged, assisted, exact_assisted, END),
]
