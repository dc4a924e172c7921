"""The hypergeometric distribution, its curve along a ranking, and competitions of methods."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from mpmath import mpf, workdps

import irbounds as irb
from hunts import Arguments, Hunt, NoTwinError, last_answer
from hunts._draws import one_of, positive, whole
from tests.reference import hypergeometric as slow
from tests.reference import selection
from tests.reference.beta_laws import beta_cdf

LARGEST = 2**52  # what counts may be
RELATIVE, BEYOND = 1e-13, 1e-12  # the docstring's: to 10^10 documents, and beyond
LEAST = 1e-300  # below, doubles lose their digits, and nothing is promised
CURVE = 1e-12  # the docstring's, over 10^6 cuts
LONGEST_CURVE = 200_000  # cuts that are drawn here
SELECTION = 1e-9  # the docstring's
MOST_NESTED = 100  # methods: the enumeration calls itself for each
MOST_OUTCOMES = 3000  # multinomial outcomes that are enumerated
STEP = 2e-8  # seconds of one term of a sum, with room for slow machines


def question(rng: np.random.Generator) -> Arguments:
    """Collections of all sizes; x at the mode, in the tails, at the ends and beyond them."""
    population = whole(rng, 0, int(one_of(rng, [50, 10**4, 10**7, 10**10, 10**12, LARGEST])))
    relevant, drawn = (whole(rng, 0, population) for _ in range(2))
    if rng.random() < 0.9:  # long sums take the twin half a second
        drawn = min(drawn, whole(rng, 0, 10**6))
    least, most = max(0, relevant + drawn - population), min(relevant, drawn)
    how = rng.random()
    if how < 0.6 and population:
        mean = relevant * drawn / population
        spread = (
            math.sqrt(max(mean * (1 - relevant / population) * (1 - drawn / population), 0)) + 1
        )
        x = round(mean + float(rng.standard_t(2)) * spread)
    elif how < 0.95:
        x = whole(rng, least, most)
    else:
        x = whole(rng, 0, drawn)
    return {
        "found": min(max(x, 0), drawn),
        "population": population,
        "relevant": relevant,
        "drawn": drawn,
    }


def arguments(args: Arguments) -> tuple[int, int, int, int]:
    """In the twin's order."""
    return args["found"], args["population"], args["relevant"], args["drawn"]


def spread_of(args: Arguments) -> float:
    """The standard deviation of X."""
    n, r, d = args["population"], args["relevant"], args["drawn"]
    return math.sqrt(r / n * d / n * (n - r) * (n - d) / max(1, n - 1)) if n else 0.0


def probability(name: str, part: str, below: int = 0) -> Hunt:
    """A hunt for one of pmf, cdf, sf, tail."""
    function = getattr(irb.chance, f"hypergeometric_{name}")

    @last_answer
    def truth(args: Arguments) -> float:
        x, *rest = arguments(args)
        return float(getattr(slow.law(x - below, *rest), part))

    def promise(args: Arguments) -> float:
        return max((RELATIVE if args["population"] <= 10**10 else BEYOND) * truth(args), LEAST)

    return Hunt(
        f"hypergeometric_{name}",
        question,
        lambda args: function(*arguments(args)),
        truth,
        promise,
        seconds=seconds,
    )


def logarithm(name: str, part: str, below: int = 0) -> Hunt:
    """A hunt for one of logpmf, logcdf, logsf, logtail."""
    function = getattr(irb.chance, f"hypergeometric_{name}")

    @last_answer
    def truth(args: Arguments) -> float:
        x, *rest = arguments(args)
        return float(getattr(slow.logs(x - below, *rest), part))

    def promise(args: Arguments) -> float:
        exact = truth(args)
        relative = RELATIVE if args["population"] <= 10**10 else BEYOND
        return relative * max(1.0, abs(exact)) if math.isfinite(exact) else 0.0

    return Hunt(
        f"hypergeometric_{name}",
        question,
        lambda args: function(*arguments(args)),
        truth,
        promise,
        seconds=seconds,
    )


def seconds(args: Arguments) -> float:
    """A sum has a term for each value within some ten standard deviations."""
    return 0.05 + 20 * STEP * spread_of(args)


def ranking(rng: np.random.Generator) -> Arguments:
    """Stretches of relevant and other documents, and the cut that is looked at."""
    population = whole(rng, 1, int(one_of(rng, [60, 10**4, 10**7, 10**12, LARGEST])))
    relevant = whole(rng, 0, population)
    length = whole(rng, 1, min(population, one_of(rng, [10, 300, 20_000, LONGEST_CURVE])))
    stretches, left, others, cuts = [], relevant, population - relevant, 0
    rate = float(rng.random()) if rng.random() < 0.5 else relevant / population
    while cuts < length and len(stretches) < 40:
        n = min(length - cuts, whole(rng, 1, length))
        marked = min(left, n if rng.random() < 0.3 else int(rng.binomial(n, rate)))
        marked = max(marked, n - others)
        if not 0 <= marked <= min(left, n):
            break
        stretches.append([marked, n - marked, one_of(rng, ["first", "last", "spread"])])
        left, others, cuts = left - marked, others - (n - marked), cuts + n
    shown = whole(rng, 0, 1000) if rng.random() < 0.2 else 0
    shown_relevant = whole(rng, 0, shown)
    return {
        "stretches": stretches,
        "cut": whole(rng, 1, max(1, cuts)),
        "population": population + shown,
        "relevant": relevant + shown_relevant,
        "shown": shown,
        "shown_relevant": shown_relevant,
    }


def marks(args: Arguments) -> np.ndarray:
    """The ranking: in each stretch the relevant documents first, last, or spread evenly."""
    parts = []
    for relevant, others, order in args["stretches"]:
        n = relevant + others
        if min(relevant, others) < 0 or n > 10 * LONGEST_CURVE:
            raise NoTwinError("not a stretch")
        place = np.arange(n, dtype=np.int64)
        if order == "spread":
            parts.append((place + 1) * relevant // max(n, 1) - place * relevant // max(n, 1))
        else:
            parts.append((place < relevant) if order == "first" else (place >= others))
    return np.concatenate([np.zeros(0), *parts]).astype(float)


def curve_value(args: Arguments) -> float:
    """At the cut."""
    known = {name: args[name] for name in ("population", "relevant", "shown", "shown_relevant")}
    try:
        relevance = marks(args)
    except NoTwinError as error:
        raise irb.InputError(str(error)) from None
    curve = irb.chance.hypergeometric_curve(relevance, **known)
    if not 1 <= args["cut"] <= curve.size:
        raise irb.InputError("no such cut")
    return float(curve[args["cut"] - 1])


@last_answer
def curve_truth(args: Arguments) -> float:
    """The tail at the cut, alone."""
    found = int(marks(args)[: args["cut"]].sum())
    left, relevant = args["population"] - args["shown"], args["relevant"] - args["shown_relevant"]
    return float(slow.law(found - 1, left, relevant, args["cut"]).below)


def curve_seconds(args: Arguments) -> float:
    """Starts every 2,048 cuts and where the tail shrinks: at worst a sum for every cut."""
    n = sum(relevant + others for relevant, others, _ in args["stretches"])
    return 0.1 + 1e-5 * n + n / 500 * 20 * STEP * math.sqrt(n)


def selections(rng: np.random.Generator) -> Arguments:
    """Few trials of few or many methods, or many of two (odd, so that none is tied)."""
    ratio = one_of(
        rng,
        [1.0, 1 + math.exp(rng.uniform(-12, 6)), positive(rng, 1, 1e6), float(rng.integers(1, 10))],
    )
    if rng.random() < 0.7:
        methods = whole(rng, 1, 8)
        most = next(
            n
            for n in range(60, 0, -1)
            if math.comb(n + methods - 1, methods - 1) <= MOST_OUTCOMES or n == 1
        )
        return {"trials": whole(rng, 0, most), "methods": methods, "ratio": ratio}
    if rng.random() < 0.5:
        return {"trials": whole(rng, 1, 20), "methods": whole(rng, 2, 10**6), "ratio": ratio}
    return {"trials": 2 * whole(rng, 0, 50_000) + 1, "methods": 2, "ratio": ratio}


def selection_truth(args: Arguments) -> float:
    """Enumeration; or the binomial tail, for two methods without a tie."""
    trials, methods, ratio = args["trials"], args["methods"], Fraction(args["ratio"])
    if methods == 2 and trials % 2 and trials > 60:
        with workdps(50):
            p = mpf(ratio.numerator) / (ratio.numerator + ratio.denominator)
            return float(beta_cdf(p, trials // 2 + 1, trials - trials // 2))
    if trials == 0 or methods == 1:
        return 1 / methods
    if methods > MOST_NESTED or math.comb(trials + methods - 1, trials) > MOST_OUTCOMES:
        if trials > 25:
            raise NoTwinError("too many outcomes")
        return float(selection.by_series(trials, methods, args["ratio"]))
    return float(selection.probability_of_correct_selection(trials, methods, ratio))


def trials(rng: np.random.Generator) -> Arguments:
    """Values of two to six methods, tied and not, infinite at times; and the method that is looked
    at."""
    shape = whole(rng, 1, 6), whole(rng, 1, 40)
    values = rng.integers(0, one_of(rng, [1, 2, 3, 1000]), shape, endpoint=True).astype(float)
    if rng.random() < 0.2:
        values[rng.random(shape) < 0.2] = one_of(rng, [math.inf, -math.inf, 1e308, 5e-324])
    return {"values": values.tolist(), "method": int(rng.integers(shape[0]))}


def share_of(args: Arguments) -> float:
    """The method's."""
    shares = irb.chance.competition(args["values"], ties="shared").shares
    return float(shares[args["method"] % shares.size])


HUNTS = [
    probability("pmf", "point"),
    probability("cdf", "below"),
    probability("sf", "above"),
    probability("tail", "below", below=1),
    logarithm("logpmf", "point"),
    logarithm("logcdf", "below"),
    logarithm("logsf", "above"),
    logarithm("logtail", "below", below=1),
    Hunt(
        "hypergeometric_curve",
        ranking,
        curve_value,
        curve_truth,
        lambda args: max(CURVE * curve_truth(args), LEAST),
        seconds=curve_seconds,
    ),
    Hunt(
        "probability_of_correct_selection",
        selections,
        lambda args: irb.chance.probability_of_correct_selection(
            args["trials"], args["methods"], args["ratio"]
        ),
        selection_truth,
        SELECTION,
        seconds=lambda args: 0.2 + 1e-4 * args["trials"],
    ),
    Hunt(
        "competition, ties shared",
        trials,
        share_of,
        lambda args: float(selection.shares(args["values"])[args["method"] % len(args["values"])]),
        1e-12,
    ),
]
