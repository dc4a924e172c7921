"""Two systems on the same objects: probabilities and ends of intervals from the joint table.

Precision and F have two truths: quadrature of other integrals where cells are few, and draws of all
eight cells for any table, with the error that draws have.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np

import irbounds as irb
from hunts import Arguments, Hunt, NoTwinError
from hunts._draws import one_of, positive, whole
from tests.reference import paired_counts as slow
from tests.reference.beta_laws import beta_cdf

TWINS = "quadrature of other integrals, 25 digits; draws; formulas, 40 digits"
FEW = 12  # objects in a cell of the tables whose integrals are summed
STEP = 0.15  # of those sums: log odds of such shares have standard deviations above 0.2
DRAWS = 100_000
ROUNDING, FORMULA, SCORE = 1e-12, 1e-9, 1e-9  # the docstrings'
LARGEST = 10**6


def table(most: int, **options: list[Any]) -> Callable[[np.random.Generator], Arguments]:
    """Counts of all sizes; systems that agree, or miss objects of one kind only; and one of each
    option's values."""

    def draw(rng: np.random.Generator) -> Arguments:
        cells = [whole(rng, 0, most) for _ in range(8)]
        how = rng.random()
        if how < 0.15:  # b is a, but for the relevant objects of one cell
            cells[1] = cells[2] = cells[5] = 0
        elif how < 0.3:  # a and b differ on few objects
            for i in (1, 2, 5, 6):
                cells[i] = whole(rng, 0, min(most, 10))
        prior = 0.5 if rng.random() < 0.6 else positive(rng, 0.25, 5.0)
        chosen = {name: one_of(rng, values) for name, values in options.items()}
        return {"table": cells, "prior": prior} | chosen

    return draw


def pairs_of(args: Arguments) -> irb.PairedCounts:
    return irb.PairedCounts(np.reshape(args["table"], (2, 2, 2)), args["prior"])


def superiority(args: Arguments) -> Any:
    return pairs_of(args).prob_superior(args["measure"], args.get("beta", 1.0))


def promise(most: float) -> Callable[[Arguments, float], float]:
    """At most that, and what the result states with the last digits."""
    return lambda args, truth: min(most, float(superiority(args).standard_error) + 1e-13)


def half_tail(args: Arguments) -> float:
    """P(share of wins > 1/2), a Beta variate."""
    if not 0 <= min(args["table"]) <= max(args["table"]) <= LARGEST or args["prior"] < 1e-3:
        raise NoTwinError("beyond the twin")
    _, y01, y10, _, _, x01, x10, _ = args["table"]
    prior = args["prior"]
    wins, losses = x10 + prior, x01 + prior
    if args["measure"] == "accuracy":
        wins, losses = wins + y01 + prior, losses + y10 + prior
    with mpmath.workdps(25):
        return float(beta_cdf(mpmath.mpf(1) / 2, losses, wins))


def by_quadrature(args: Arguments) -> float:
    """The twin's sums, of cells whose densities its grids resolve."""
    if not 0 <= min(args["table"]) <= max(args["table"]) <= FEW or not 0.4 <= args["prior"] <= 6:
        raise NoTwinError("its grids would be long")
    return float(slow.prob_superior(args["table"], args["measure"], args["prior"], step=STEP))


def of_any_weight(rng: np.random.Generator) -> Arguments:
    """Tables of all sizes, precision and F."""
    draw = table(one_of(rng, [30, 1000, LARGEST]), measure=["f", "precision"])
    return draw(rng) | {"beta": one_of(rng, [0.1, 0.5, 2.0, positive(rng, 0.05, 20.0)])}


def by_draws(args: Arguments) -> float:
    """The share of draws of gammas of all cells; the same ones for the same table."""
    rng = np.random.default_rng(zlib.crc32(repr((args["table"], args["prior"])).encode()))
    cells = [rng.standard_gamma(count + args["prior"], DRAWS) for count in args["table"]]
    _, y01, y10, y11, x00, x01, x10, x11 = cells
    tp_a, tp_b = x11 + x10, x11 + x01
    square = args["beta"] ** 2 if args["measure"] == "f" else 0.0
    relevant = square * (x11 + x10 + x01 + x00)
    below_a, below_b = relevant + tp_a + y11 + y10, relevant + tp_b + y11 + y01
    return float((tp_a * below_b > tp_b * below_a).mean())


def error_of_draws(args: Arguments, truth: float) -> float:
    """Six standard errors, and what none of so many draws may have seen."""
    return 6 * (truth * (1 - truth) / DRAWS) ** 0.5 + 20 / DRAWS


def end(args: Arguments) -> float:
    """One end of an interval of recall's difference."""
    interval = pairs_of(args).difference_interval(
        "recall", confidence_level=args["level"], method=args["method"]
    )
    return float(interval.high if args["is_high"] else interval.low)


def exact_end(args: Arguments) -> float:
    """By the formula, or by bisection, with 40 digits."""
    neither, losses, wins, both = args["table"][4:]
    total = both + wins + losses + neither
    if not total or not (wins or losses) or not 1e-6 <= args["level"] < 1:
        raise NoTwinError("no objects, or none that tells the systems apart")
    with mpmath.workdps(40):
        z = mpmath.sqrt(2) * mpmath.erfinv(mpmath.mpf(args["level"]))
        if args["method"] == "tango":
            ends = slow.tango(wins, losses, total, z)
        else:
            ends = slow.newcombe(both, wins, losses, total, z)
        return float(ends[args["is_high"]])


def interval_of(method: str) -> Hunt:
    options = {"level": [0.5, 0.8, 0.95, 0.999], "is_high": [False, True], "method": [method]}
    name = f"PairedCounts.difference_interval, {method}"
    return Hunt(name, table(10**9, **options), end, exact_end, SCORE)


HUNTS = [
    Hunt(
        "PairedCounts, recall and accuracy",
        table(LARGEST, measure=["recall", "accuracy"]),
        lambda args: float(superiority(args).probability),
        half_tail,
        promise(ROUNDING),
        "1e-12, and what is stated",
    ),
    Hunt(
        "PairedCounts, precision and F1 of few objects",
        table(FEW, measure=["f", "precision"]),
        lambda args: float(superiority(args).probability),
        by_quadrature,
        promise(FORMULA),
        "1e-09, and what is stated",
    ),
    Hunt(
        "PairedCounts, F of any weight",
        of_any_weight,
        lambda args: float(superiority(args).probability),
        by_draws,
        error_of_draws,
        "six standard errors of the draws",
    ),
    interval_of("newcombe"),
    interval_of("tango"),
]
