"""Superiority and paired comparisons.

The twins integrate densities as those of `hunts.counts` do. Superiority has a quick one, which
makes polynomials of the densities and knows where it may be off; there, and now and then, the slow
one answers.
"""

from __future__ import annotations

import math
import zlib
from functools import lru_cache
from typing import Any

import numpy as np

import irbounds as irb
from hunts import Arguments, Hunt, NoTwinError, last_answer, remembering
from hunts._draws import asked_again
from hunts._search import SURE_ABOVE, SURE_EVERY
from hunts.counts import ENDS, Counts, asked, draw_beta, draw_count, draw_prior
from tests.reference import float_shares as twin
from tests.reference import quick_superiority as quick


def draw_near(rng: np.random.Generator, counts: Counts) -> Counts:
    """Counts of a system that may well be better or worse: some standard deviations away."""
    moved = (count + rng.normal() * 1.5 * math.sqrt(count + 1) for count in counts)
    return tuple(max(0, round(count)) for count in moved)  # type: ignore[return-value]


def draw_pair(rng: np.random.Generator, most: float = 6) -> Arguments:
    """Near each other, of different sizes with like shares, or as they come."""
    a: Counts = (draw_count(rng, most), draw_count(rng, most), draw_count(rng, most))
    kind = rng.random()
    if kind < 0.5:
        b = draw_near(rng, a)
    elif kind < 0.7:
        size = 10 ** rng.uniform(-3, 0)
        b = draw_near(rng, tuple(int(count * size) for count in a))  # type: ignore[arg-type]
    else:
        b = draw_count(rng, most), draw_count(rng, most), draw_count(rng, most)
    return {"a": a, "b": b, "prior": draw_prior(rng)}


def draw_shares(rng: np.random.Generator) -> Arguments:
    """Precision, recall and F1, all of which are Beta laws."""
    return draw_pair(rng) | {
        "measure": str(rng.choice(["precision", "recall", "f"])),
        "beta": 1.0,
        "margin": 0.0,
    }


def draw_f(rng: np.random.Generator) -> Arguments:
    """F of other β."""
    return draw_pair(rng) | {"measure": "f", "beta": draw_beta(rng), "margin": 0.0}


def with_margin(draw: Any) -> Any:
    """Margins of all sizes and signs."""

    def other(rng: np.random.Generator, args: Arguments) -> Arguments:
        size = rng.choice([rng.uniform(0, 1), 10 ** rng.uniform(-9, 0), rng.uniform(0, 0.1)])
        return args | {"margin": float(size * rng.choice([-1, 1]))}

    return asked_again(lambda rng: other(rng, draw(rng)), other, mean=3)


LAST: list[Any] = []  # arguments and answer: the value and the stated error are of one call


def superiority(args: Arguments) -> irb.counts.Superiority:
    """The answer of irbounds."""
    if not LAST or LAST[0] != repr(args):
        a, b = (irb.CountsPosterior(*args[name], prior=args["prior"]) for name in "ab")
        answer = irb.prob_superior(a, b, args["measure"], args["beta"], margin=args["margin"])
        LAST[:] = [repr(args), answer]
    return LAST[1]  # type: ignore[no-any-return]


def fresh_superiority(args: Arguments) -> float:
    """The same, always calculated: its time is measured."""
    LAST.clear()
    return float(superiority(args).probability)


# A shape of 7e-8 that lowers a probability by 5.6e-10 raised the twins' by 2e-10.
LEAST_SHAPE = 1e-3
quick_law = lru_cache(maxsize=4)(quick.law_of)


def quick_superiority(args: Arguments) -> float:
    """By polynomials on panels; by the slow twin where they are not sure."""
    if not 1e-150 < args["beta"] < 1e150:  # where the square is a double
        raise NoTwinError
    least = min(args["prior"] + n for name in "ab" for n in args[name])
    if args["measure"] == "f" and args["beta"] != 1 and least < LEAST_SHAPE:
        raise NoTwinError("shapes whose part the panels lose")
    try:
        first, second = (
            quick_law(args["measure"], tuple(args[name]), args["beta"], args["prior"])
            for name in "ab"
        )
        if not abs(args["margin"]) < 1:
            raise NoTwinError
        return quick.superior(first, second, args["margin"])
    except quick.NoAnswerError:
        return superiority_twin(args)


def superiority_twin(args: Arguments) -> float:
    """Over the law of the first system."""
    first, second = (
        twin.law_of(args["measure"], args[name], args["beta"], args["prior"]) for name in "ab"
    )
    try:
        return float(twin.superior(first, second, args["margin"]))
    except twin.NoAnswerError:
        raise NoTwinError from None


quick_answer = last_answer(quick_superiority)


def sure_superiority(args: Arguments) -> float:
    """The slow twin, for one question of 200 and for what looks wrong: that an error is near what
    is stated, 1e-13 as a rule, is no reason, as the quick twin's own is part of that."""
    error = abs(superiority(args).probability - quick_answer(args))
    is_small = error <= SURE_ABOVE * superiority_promise(args) and error <= superiority_stated(args)
    if is_small and zlib.crc32(repr(args).encode()) % SURE_EVERY:
        raise NoTwinError
    return superiority_twin(args)


def superiority_promise(args: Arguments) -> float:
    """The docstring of `prob_superior`."""
    return 1e-11 if max(*args["a"], *args["b"]) <= 1e8 else 1e-9


def superiority_stated(args: Arguments) -> float:
    """With what the twin may be off by."""
    most = max(*args["a"], *args["b"], 1)
    return float(superiority(args).standard_error) + 2e-13 + 3e-17 * most**0.5


def draw_difference(rng: np.random.Generator) -> Arguments:
    """Lopsided and huge outcomes, and places some standard deviations about the mean, or
    anywhere."""
    wins, losses, same = (draw_count(rng, 12 if rng.random() < 0.5 else 4) for _ in range(3))
    prior = draw_prior(rng)
    a, b, c = wins + prior, losses + prior, same + prior
    total = a + b + c
    mean = (a - b) / total
    std = math.sqrt((4 * (a / total) * (b / total) + (a + b) / total * (c / total)) / (total + 1))
    x = mean + rng.normal() * 3 * std if rng.random() < 0.8 else rng.uniform(-1, 1)
    return {"outcomes": (wins, losses, same), "prior": prior, "x": float(min(max(x, -1.0), 1.0))}


def difference_twin(args: Arguments) -> float:
    """Over π1 + π2; at 0, where that is lost if it is all but 0, by their ratio alone."""
    if args["x"] == 0:
        return 1 - rounded_twin(args)
    a, b, c = (float(n + args["prior"]) for n in args["outcomes"])
    return twin.dirichlet_difference_below(args["x"], a, b, c)


def comparison(args: Arguments) -> irb.counts.PairedComparison:
    """The answer of irbounds."""
    return irb.counts.paired_comparison(*args["outcomes"], prior=args["prior"])


def rounded_twin(args: Arguments) -> float:
    """P(π1 > π2)."""
    a, b = (float(n + args["prior"]) for n in args["outcomes"][:2])
    if max(a, b) < 1e-100:  # all is at 0 or at 1, but for parts of the size of a and b
        return a / (a + b)
    law = twin.BetaOdds(b, a)
    return float(law.below(np.array([-law.centre]))[0])


def low_end(args: Arguments) -> float:
    """The low end of the interval."""
    level = min(abs(args["x"]) * 0.98 + 0.01, 0.999)
    return float(comparison(args).difference_interval(level)[0])


low_end, low_end_again = remembering(low_end)


def end_value(args: Arguments) -> float:
    """P(π1 - π2 <= end), of an end of the interval."""
    return float(comparison(args).difference_cdf(low_end(args)))


def end_truth(args: Arguments) -> float:
    """The probability asked for."""
    return (1 - min(abs(args["x"]) * 0.98 + 0.01, 0.999)) / 2


def end_promise(args: Arguments) -> float:
    """1e-9, and what the last digits of the end make."""
    found, end = comparison(args), low_end_again(args)
    # tiny shapes have ends of 1e-300
    digits = 4 * math.ulp(end) + 1e-15 * float(found.difference_variance) ** 0.5
    below, above = max(-1.0, end - digits), min(1.0, end + digits)
    return 1e-9 + float(found.difference_cdf(above) - found.difference_cdf(below))


HUNTS = [
    *(
        Hunt(
            f"prob_superior, {what}",
            draw,
            fresh_superiority,
            quick_answer,
            superiority_promise,
            superiority_stated,
            1.0,
            sure_superiority,
        )
        for what, draw in (
            ("precision recall F1", draw_shares),
            ("F of other β", draw_f),
            ("margin, precision recall F1", with_margin(draw_shares)),
            ("margin, F of other β", with_margin(draw_f)),
        )
    ),
    Hunt(
        "paired_comparison.difference_cdf",
        draw_difference,
        lambda args: comparison(args).difference_cdf(args["x"]),
        asked(difference_twin),
        ENDS,
    ),
    Hunt(
        "paired_comparison.difference_sf",
        draw_difference,
        lambda args: comparison(args).difference_sf(args["x"]),
        asked(lambda args: 1 - difference_twin(args)),
        ENDS,
    ),
    Hunt(
        "paired_comparison.difference_interval, probability reached",
        draw_difference,
        end_value,
        end_truth,
        end_promise,
        seconds=lambda args: 5.0 if args["prior"] < 1e-3 else 1.0,  # as its docstring says
    ),
    Hunt(
        "paired_comparison.probability",
        draw_difference,
        lambda args: comparison(args).probability,
        rounded_twin,
        lambda args: 1e-11 if max(args["outcomes"]) <= 1e8 else 2e-10,
    ),
]
