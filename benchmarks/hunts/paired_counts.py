"""Two systems on the same objects: probabilities and ends of intervals from the joint table.

Precision and F have two truths: quadrature of other integrals where cells are few, and draws of all
eight cells for any table, with the error that draws have.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import mpmath
import numpy as np
from scipy.special import ndtri

import irbounds as irb
from hunts import Arguments, Hunt, NoTwinError, last_answer, remembering
from hunts._draws import asked_again, one_of, positive, whole
from tests.reference import paired_counts as slow
from tests.reference import quick

LARGEST = 2**40
FEW = 12  # objects in a cell of the tables whose integrals are summed
STEP = 0.15  # of those sums: log odds of such shares have standard deviations above 0.2
DRAWS = 200_000
ROUNDING, FORMULA = 1e-12, 1e-9
SCORE = 1e-9


def tables(most: int, least_prior: float) -> Callable[[np.random.Generator], Arguments]:
    """Counts of all sizes; systems that agree, or miss objects of one kind only; empty cells."""

    def draw(rng: np.random.Generator) -> Arguments:
        cells = [whole(rng, 0, most) for _ in range(8)]
        how = rng.random()
        if how < 0.15:  # b is a, but for the relevant objects of one cell
            cells[1] = cells[2] = cells[5] = 0
        elif how < 0.3:  # a and b differ on few objects
            for i in (1, 2, 5, 6):
                cells[i] = whole(rng, 0, min(most, 10))
        elif how < 0.4:
            cells = [cell if i == int(rng.integers(8)) else 0 for i, cell in enumerate(cells)]
        prior = 0.5 if rng.random() < 0.6 else positive(rng, least_prior, 5.0)
        return {"table": cells, "prior": prior}

    return draw


def with_options(most: int, **options: Any) -> Callable[[np.random.Generator], Arguments]:
    """A table, and one of each option's values."""
    plain = tables(most, 0.25)

    def draw(rng: np.random.Generator) -> Arguments:
        chosen = {name: one_of(rng, values) for name, values in options.items()}
        if "beta" in chosen and rng.random() < 0.3:
            chosen["beta"] = positive(rng, 0.01, 100.0)
        return plain(rng) | chosen

    return draw


def pairs_of(args: Arguments) -> irb.PairedCounts:
    """The table, in its shape."""
    return irb.PairedCounts(np.reshape(args["table"], (2, 2, 2)), args["prior"])


def superiority(args: Arguments) -> Any:
    """The answer of the function."""
    return pairs_of(args).prob_superior(args["measure"], args.get("beta", 1.0))


superiority, superiority_again = remembering(superiority)


def probability(args: Arguments) -> float:
    """P(a better than b)."""
    return float(superiority(args).probability)


def stated(args: Arguments) -> float:
    """The error that the function reports."""
    return float(superiority_again(args).standard_error)


def counted(args: Arguments) -> tuple[float, float]:
    """Wins and losses of a proportion, with their prior."""
    _, y01, y10, _, _, x01, x10, _ = args["table"]
    prior = args["prior"]
    if args["measure"] == "recall":
        return x10 + prior, x01 + prior
    return x10 + y01 + 2 * prior, x01 + y10 + 2 * prior


def half_tail(args: Arguments) -> float:
    """P(share of wins > 1/2), a Beta variate."""
    wins, losses = counted(args)
    if wins + losses > 1e5:
        raise NoTwinError("the continued fraction is slow")
    with mpmath.workdps(30):
        return float(mpmath.betainc(losses, wins, 0, mpmath.mpf(1) / 2, regularized=True))


def quick_half_tail(args: Arguments) -> float:
    """The same, by panels."""
    if min(args["table"]) < 0:
        raise NoTwinError("counts below 0")
    return quick.beta_above_half(*counted(args))


def by_quadrature(args: Arguments) -> float:
    """The twin's sums."""
    check_few(args)
    return float(slow.prob_superior(args["table"], args["measure"], args["prior"], step=STEP))


def by_few_nodes(args: Arguments) -> float:
    """The same integrals by other nodes."""
    check_few(args)
    return float(slow.quick_prob_superior(args["table"], args["measure"], args["prior"]))


def check_few(args: Arguments) -> None:
    """Cells whose densities the grids resolve."""
    if not 0 <= min(args["table"]) <= max(args["table"]) <= FEW or not 0.4 <= args["prior"] <= 6:
        raise NoTwinError("its grids would be long")


def often_without_empty(
    draw: Callable[[np.random.Generator], Arguments],
) -> Callable[[np.random.Generator], Arguments]:
    """Half of the tables have no empty cells, which take the library the longest."""

    def drawn(rng: np.random.Generator) -> Arguments:
        args = draw(rng)
        return args | {"table": [max(1, n) for n in args["table"]]} if rng.random() < 0.5 else args

    return drawn


@lru_cache(maxsize=1)
def drawn_cells(table: tuple[int, ...], prior: float) -> list[np.ndarray]:
    """Gammas of all cells; the same ones for the same table."""
    rng = np.random.default_rng(zlib.crc32(repr((table, prior)).encode()))
    return [rng.standard_gamma(count + prior, DRAWS) for count in table]


def any_table(rng: np.random.Generator) -> Arguments:
    """Mostly thousands of objects, which take the library a fifth of the time of more."""
    most = one_of(rng, [30, 1000, 1000, 10**5] if rng.random() < 0.9 else [LARGEST])
    return other_weight(rng, tables(most, 0.25)(rng))


def other_weight(rng: np.random.Generator, args: Arguments) -> Arguments:
    """Another measure of the same table."""
    return args | {
        "measure": one_of(rng, ["f", "precision"]),
        "beta": one_of(rng, [0.1, 0.5, 1.0, 2.0, 20.0, positive(rng, 0.01, 100.0)]),
    }


@last_answer
def by_draws(args: Arguments) -> float:
    """The share of draws."""
    _, y01, y10, y11, x00, x01, x10, x11 = drawn_cells(tuple(args["table"]), args["prior"])
    tp_a, tp_b = x11 + x10, x11 + x01
    square = args["beta"] ** 2 if args["measure"] == "f" else 0.0
    relevant = x11 + x10 + x01 + x00
    below_a, below_b = (
        square * relevant + tp + fp for tp, fp in ((tp_a, y11 + y10), (tp_b, y11 + y01))
    )
    return float((tp_a * below_b > tp_b * below_a).mean())


def error_of_draws(args: Arguments) -> float:
    """Six standard errors, and what none of so many draws may have seen."""
    share = by_draws(args)
    return 6 * (share * (1 - share) / DRAWS) ** 0.5 + 20 / DRAWS


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
    if not total or not (wins or losses):
        raise NoTwinError("no objects, or none that tells the systems apart")
    with mpmath.workdps(40):
        z = mpmath.sqrt(2) * mpmath.erfinv(mpmath.mpf(args["level"]))
        ends = (
            slow.tango(wins, losses, total, z)
            if args["method"] == "tango"
            else slow.newcombe(both, wins, losses, total, z)
        )
        return float(ends[args["is_high"]])


def quick_tango_end(args: Arguments) -> float:
    """By bisection in long doubles."""
    neither, losses, wins, both = args["table"][4:]
    total = both + wins + losses + neither
    if not total or not (wins or losses):
        raise NoTwinError("no objects, or none that tells the systems apart")
    return quick_tango_ends(wins, losses, total, args["level"])[int(args["is_high"])]


@lru_cache(maxsize=2)
def quick_tango_ends(wins: int, losses: int, total: int, level: float) -> list[float]:
    """Both ends."""
    z = -ndtri((1 - level) / 2)  # which moves ends by 1e-16 of a width
    return [float(end) for end in slow.quick_tango(wins, losses, total, z)]


ENDS = {"level": [0.5, 0.8, 0.95, 0.999], "is_high": [False, True]}
HUNTS = [
    Hunt(
        "PairedCounts, recall and accuracy",
        with_options(LARGEST, measure=["recall", "accuracy"]),
        probability,
        quick_half_tail,
        ROUNDING,
        stated,
        sure=half_tail,
    ),
    Hunt(
        "PairedCounts, precision and F1 of few objects",
        often_without_empty(with_options(FEW, measure=["f", "precision"])),
        probability,
        by_few_nodes,
        FORMULA,
        stated,
        sure=by_quadrature,
    ),
    Hunt(
        "PairedCounts, F of any weight",
        asked_again(
            often_without_empty(any_table),
            other_weight,
            mean=25,
        ),
        probability,
        by_draws,
        error_of_draws,
    ),
    Hunt(
        "PairedCounts.difference_interval, newcombe",
        with_options(10**9, method=["newcombe"], **ENDS),
        end,
        exact_end,
        SCORE,
    ),
    Hunt(
        "PairedCounts.difference_interval, tango",
        asked_again(
            with_options(10**9, method=["tango"], **ENDS),
            lambda rng, args: args | {"is_high": not args["is_high"]},
            mean=2,
        ),
        end,
        quick_tango_end,
        SCORE,
        sure=exact_end,
    ),
]
