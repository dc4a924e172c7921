"""Which system is better by F1 or by any share of two of the four counts, all of which have Beta
laws."""

from __future__ import annotations

import math

import numpy as np

import irbounds as irb
from hunts import Arguments, Hunt, NoTwinError
from hunts._draws import one_of
from tests.reference import quick_superiority as quick

PROMISE = 1e-11  # of `CountsPosterior`, for counts to 10^8
MOST = 6  # decimal digits of a count
CELLS = ("tp", "fp", "fn", "tn")
SUCCESS = {
    "precision": ("tp", "fp"),
    "recall": ("tp", "fn"),
    "specificity": ("tn", "fp"),
    "negative_predictive_value": ("tn", "fn"),
}


def cells(rng: np.random.Generator) -> list[int]:
    """Log-uniform counts; some or all but one of them 0 at times."""
    counts = [int(10 ** rng.uniform(0, MOST)) - int(rng.random() < 0.3) for _ in CELLS]
    how = rng.random()
    if how < 0.1:
        kept = int(rng.integers(4))
        return [count if i == kept else 0 for i, count in enumerate(counts)]
    if how < 0.35:
        counts[int(rng.integers(4))] = 0
    return counts


def near(rng: np.random.Generator, counts: list[int]) -> list[int]:
    """Some standard deviations away, of the same or of another size."""
    size = 1.0 if rng.random() < 0.6 else 10 ** rng.uniform(-3, 0)
    return [
        max(0, round(size * count + rng.normal() * 1.5 * math.sqrt(size * count + 1)))
        for count in counts
    ]


def pair(rng: np.random.Generator) -> Arguments:
    """Two systems' counts, and a measure."""
    a = cells(rng)
    b = cells(rng) if rng.random() < 0.25 else near(rng, a)
    return {
        "a": a,
        "b": b,
        "prior": one_of(rng, [0.5, 0.5, 1.0, float(10 ** rng.uniform(-6, 2))]),
        "measure": one_of(rng, ["f", "accuracy", *SUCCESS]),
    }


def value(args: Arguments) -> float:
    """The answer of irbounds."""
    posteriors = [
        irb.CountsPosterior(*args[name][:3], tn=args[name][3], prior=args["prior"]) for name in "ab"
    ]
    return float(irb.prob_superior(*posteriors, args["measure"]).probability)


def law(counts: list[int], args: Arguments) -> quick.Beta:
    """The law of log odds."""
    known = {name: n + args["prior"] for name, n in zip(CELLS, counts, strict=True)}
    if args["measure"] == "f":
        return quick.Beta(known["tp"], known["fp"] + known["fn"], math.log(2))
    if args["measure"] == "accuracy":
        return quick.Beta(known["tp"] + known["tn"], known["fp"] + known["fn"])
    success, failure = SUCCESS[args["measure"]]
    return quick.Beta(known[success], known[failure])


def truth(args: Arguments) -> float:
    """By polynomials on panels."""
    try:
        return float(quick.superior(law(args["a"], args), law(args["b"], args)))
    except quick.NoAnswerError:
        raise NoTwinError("densities that panels do not hold") from None


HUNTS = [Hunt("prob_superior, every measure", pair, value, truth, PROMISE)]
