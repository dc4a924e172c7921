"""p-values of the paired tests: few queries by enumeration, Student's and the sign test at any
size."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np

import irbounds as irb
from hunts import Arguments, Hunt, NoTwinError, last_answer
from hunts._draws import one_of, whole
from tests.reference import comparison as slow

RELATIVE = 1e-12  # the tests': one formula in two places
FEW = 10  # queries whose 1,024 changes of sign are tried
LEAST = 1e-250  # p below is not told apart


def differences(most: int, test: str) -> Any:
    """Whole numbers times a power of two, so that sums of doubles are exact; ties and zeros."""

    def draw(rng: np.random.Generator) -> Arguments:
        n = whole(rng, 2, most)
        width = one_of(rng, [1, 2, 10, 1000, 10**6])
        shift = one_of(rng, [0, 0, 1, width, 50 * width])
        values = (rng.integers(-width, width, n, endpoint=True) + shift).tolist()
        return {"differences": values, "exponent": int(rng.integers(-40, 10)), "test": test}

    return draw


def p_value(args: Arguments) -> float:
    """The two-sided one, of two runs with these differences."""
    values = np.array(args["differences"], float) * 2.0 ** min(max(args["exponent"], -200), 200)
    queries = tuple(range(values.size))
    runs = {
        name: irb.Evaluation(("AP",), queries, column[:, None].copy())
        for name, column in (("a", np.zeros(values.size)), ("b", values))
    }
    with warnings.catch_warnings():
        # of equal differences, which the twin refuses
        warnings.simplefilter("ignore", irb.warnings.NoVarianceWarning)
        return float(
            irb.comparison.compare_evaluations(runs, test=args["test"], rng=1)
            .differences[0]
            .p_value
        )


def enumerated(args: Arguments) -> float:
    """Every change of sign."""
    check_few(args)
    values = args["differences"]
    if args["test"] == "permutation":
        return float(slow.randomisation_p(values))
    return float(slow.tied_signed_rank_p(values))


def sums_of_signs(args: Arguments) -> float:
    """The same, with sums of whole numbers in arrays."""
    check_few(args)
    values = args["differences"]
    if args["test"] == "wilcoxon":
        values = [2 * rank for rank in slow.signed_midranks(values)]
    if sum(map(abs, values)) >= 2**62:
        raise NoTwinError("sums beyond whole numbers of 64 bits")
    sums = np.zeros(1, np.int64)
    for value in values:
        sums = np.concatenate([sums + int(value), sums - int(value)])
    own = sum(map(int, values))
    fewer = min(np.count_nonzero(sums <= own), np.count_nonzero(sums >= own))
    return float(min(1.0, 2 * int(fewer) / sums.size))


def check_few(args: Arguments) -> None:
    """So many queries that all changes of sign can be tried."""
    if len(args["differences"]) > FEW or not any(args["differences"]):
        raise NoTwinError("too many, or nothing to test")


def sign_tail(args: Arguments) -> float:
    """Binomial tails of whole numbers."""
    wins = sum(value > 0 for value in args["differences"])
    moved = wins + sum(value < 0 for value in args["differences"])
    tail = sum(math.comb(moved, k) for k in range(min(wins, moved - wins) + 1))
    return float(min(Fraction(1), Fraction(2 * tail, 2**moved)))


sign = last_answer(sign_tail)


@last_answer
def student(args: Arguments) -> float:
    """Means in fractions, the tail by the incomplete beta function with 40 digits; where all
    differences but zeros have one size, at least the sign test's."""
    values = [Fraction(value) for value in args["differences"]]
    n, mean = len(values), sum(values) / len(values)
    squares = sum((value - mean) ** 2 for value in values)
    if n < 2 or not squares:
        raise NoTwinError("one query, or equal differences")
    with mpmath.workdps(40):
        t2 = (
            mpmath.mpf((mean**2 * n * (n - 1) / squares).numerator)
            / (mean**2 * n * (n - 1) / squares).denominator
        )
        share = (n - 1) / ((n - 1) + t2)
        p = float(mpmath.betainc(mpmath.mpf(n - 1) / 2, 0.5, 0, share, regularized=True))
    has_one_size = len({abs(value) for value in values if value}) == 1
    return max(p, sign_tail(args)) if has_one_size else p


def relative(truth: Any) -> Any:
    """An error relative to the truth."""
    return lambda args: RELATIVE * truth(args) + LEAST


few = last_answer(sums_of_signs)
HUNTS = [
    Hunt(
        "compare_evaluations, permutation",
        differences(FEW, "permutation"),
        p_value,
        few,
        relative(few),
        sure=enumerated,
    ),
    Hunt(
        "compare_evaluations, wilcoxon",
        differences(FEW, "wilcoxon"),
        p_value,
        few,
        relative(few),
        sure=enumerated,
    ),
    Hunt("compare_evaluations, sign", differences(400, "sign"), p_value, sign, relative(sign)),
    Hunt("compare_evaluations, t", differences(200, "t"), p_value, student, relative(student)),
]
