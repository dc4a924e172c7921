"""p-values of the paired tests: few queries by enumeration, Student's and the sign test at any
size."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from fractions import Fraction

import mpmath
import numpy as np

import irbounds as irb
from hunts import Arguments, Hunt, NoTwinError, Relative
from hunts._draws import one_of, whole
from tests.reference import comparison as slow

SAME = Relative(1e-12, 1e-250)  # the tests': one formula in two places
FEW = 9  # queries whose changes of sign are all tried
TWINS = "all changes of sign and shuffles in fractions; tails, 40 digits"


def p_value(runs: list[list[float]], test: str, **options: object) -> irb.comparison.Difference:
    """The first two-sided comparison of runs with these values."""
    queries = tuple(range(len(runs[0])))
    evaluations = {
        f"run {i}": irb.Evaluation(("AP",), queries, np.array(row, float)[:, None])
        for i, row in enumerate(runs)
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of equal differences, and few ones
        found = irb.comparison.compare_evaluations(evaluations, test=test, rng=1, **options)
    return found.differences[0]


def differences(most: int) -> Callable[[np.random.Generator], Arguments]:
    """Whole numbers times a power of two, so that sums of doubles are exact; ties and zeros."""

    def draw(rng: np.random.Generator) -> Arguments:
        n = whole(rng, 2, most)
        width = one_of(rng, [1, 2, 10, 1000, 10**6])
        shift = one_of(rng, [0, 0, 1, width, 50 * width])
        values = (rng.integers(-width, width, n, endpoint=True) + shift).tolist()
        return {"differences": values, "exponent": int(rng.integers(-40, 10))}

    return draw


def hunt_of_test(test: str, most: int, truth: Callable[[Arguments], float]) -> Hunt:
    """The p-value of two runs, one of which has zeros."""

    def value(args: Arguments) -> float:
        unit = 2.0 ** min(max(args["exponent"], -200), 200)
        values = [unit * x for x in args["differences"]]
        return float(p_value([[0.0] * len(values), values], test).p_value)

    return Hunt(f"compare_evaluations, {test}", differences(most), value, truth, SAME)


def enumerated(twin: Callable[[list[int]], Fraction]) -> Callable[[Arguments], float]:
    """Every change of sign."""

    def truth(args: Arguments) -> float:
        if not any(args["differences"]):
            raise NoTwinError("nothing to test")
        return float(twin(args["differences"]))

    return truth


def sign_tail(args: Arguments) -> float:
    """Binomial tails of whole numbers."""
    wins = sum(value > 0 for value in args["differences"])
    moved = wins + sum(value < 0 for value in args["differences"])
    tail = sum(math.comb(moved, k) for k in range(min(wins, moved - wins) + 1))
    return float(min(Fraction(1), Fraction(2 * tail, 2**moved)))


def student(args: Arguments) -> float:
    """Means in fractions, the tail by the incomplete beta function with 40 digits; where all
    differences but zeros have one size, at least the sign test's."""
    values = [Fraction(value) for value in args["differences"]]
    n, mean = len(values), sum(values) / len(values)
    squares = sum((value - mean) ** 2 for value in values)
    if n < 2 or not squares:
        raise NoTwinError("one query, or equal differences")
    with mpmath.workdps(40):
        t2 = mean**2 * n * (n - 1) / squares
        share = (n - 1) / (n - 1 + mpmath.mpf(t2.numerator) / t2.denominator)
        p = float(mpmath.betainc(mpmath.mpf(n - 1) / 2, 0.5, 0, share, regularized=True))
    has_one_size = len({abs(value) for value in values if value}) == 1
    return max(p, sign_tail(args)) if has_one_size else p


def several_runs(rng: np.random.Generator) -> Arguments:
    """Four queries of three runs: 6^4 shuffles."""
    return {"table": rng.integers(0, 10, (4, 3)).tolist()}


def tukey_value(args: Arguments) -> float:
    """The p-value of the first two runs."""
    runs = [list(map(float, column)) for column in zip(*args["table"], strict=True)]
    return float(p_value(runs, "permutation", correction="tukey", resamples=9999).p_value)


HUNTS = [
    hunt_of_test("permutation", FEW, enumerated(slow.randomisation_p)),
    hunt_of_test("wilcoxon", FEW, enumerated(slow.tied_signed_rank_p)),
    hunt_of_test("sign", 400, sign_tail),
    hunt_of_test("t", 200, student),
    Hunt(
        "compare_evaluations, permutation and tukey",
        several_runs,
        tukey_value,
        lambda args: float(slow.randomised_tukey_p(args["table"])[0, 1]),
        SAME,
    ),
]
