"""Which system is better, for every measure: by inverting characteristic functions, which has
nothing in common with the quadrature of densities."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import irbounds as irb
from hunts import Arguments, Hunt, NoTwinError
from hunts._draws import one_of
from tests.reference import characteristic

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


def pair(measure: str | None) -> Any:
    """Two systems' counts, of one measure or of any."""

    def draw(rng: np.random.Generator) -> Arguments:
        a = cells(rng)
        b = cells(rng) if rng.random() < 0.25 else near(rng, a)
        return {
            "a": a,
            "b": b,
            "prior": one_of(rng, [0.5, 0.5, 1.0, float(10 ** rng.uniform(-1, 1))]),
            "measure": measure or one_of(rng, ["f", "accuracy", *SUCCESS]),
            "beta": 1.0 if measure is None else float(10 ** rng.uniform(-1.30102, 1.30102)),
        }

    return draw


def value(args: Arguments) -> float:
    """The answer of irbounds."""
    posteriors = [
        irb.CountsPosterior(*args[name][:3], tn=args[name][3], prior=args["prior"]) for name in "ab"
    ]
    return float(irb.prob_superior(*posteriors, args["measure"], args["beta"]).probability)


def shapes(counts: list[int], args: Arguments) -> tuple[float, ...]:
    """Parameters of the beta law, or of F's gamma variates."""
    known = {name: n + args["prior"] for name, n in zip(CELLS, counts, strict=True)}
    if args["measure"] == "f":
        return known["tp"], known["fp"], known["fn"]
    if args["measure"] == "accuracy":
        return known["tp"] + known["tn"], known["fp"] + known["fn"]
    success, failure = SUCCESS[args["measure"]]
    return known[success], known[failure]


def truth(args: Arguments) -> float:
    """By characteristic functions."""
    if max(*args["a"], *args["b"]) > 10**7 or not 0.1 <= args["prior"] <= 1e3:
        raise NoTwinError("outside the twin's range")
    if not 0.04 <= args["beta"] <= 25 or min(*args["a"], *args["b"]) < 0:
        raise NoTwinError("outside the twin's range")
    try:
        return characteristic.superior(
            shapes(args["a"], args), shapes(args["b"], args), args["beta"]
        )
    except characteristic.NoAnswerError:
        raise NoTwinError("too many terms") from None


NAMES = {"every measure": None, "F of any β": "f"}
HUNTS = [
    Hunt(
        f"prob_superior, {name}, by characteristic functions", pair(measure), value, truth, PROMISE
    )
    for name, measure in NAMES.items()
]
