"""Extrapolated precision beside a loop over SciPy's brentq and a bisection of whole NumPy arrays,
on one thread.

    python benchmarks/extrapolation.py            # writes benchmarks/results/extrapolation.md
    python benchmarks/extrapolation.py --quick    # small, to see that it runs
"""

from __future__ import annotations

import math
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import brentq
from timing import best_seconds, is_quick, machine, publish, table

import irbounds as irb
from irbounds._core.distributions import precision_curve

LOW, HIGH = -14.0, 46.0  # ln β
TARGET = 0.75
DESIGN = (5000, 400, 260), (95_000, 1500, 34)


def cpu_seconds(work: Callable[[], Any], repeat: int) -> float:
    """The shortest processor time of one call."""
    return best_seconds(work, repeat, clock=time.process_time)


def points(n: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Recall, precision, prevalence, uniform; above the limit of β -> 0, so that eq. 11 as printed
    has a root."""
    rng = np.random.default_rng(seed)
    R, rho = rng.uniform(0.05, 0.98, n), rng.uniform(0.001, 0.5, n)
    limit = 1 / (1 + (1 - rho) / rho * (1 + R) / 2)
    P = limit + (1 - limit) * rng.uniform(0.001, 0.999, n)
    return R, P, rho


def printed(R: float, rho: float, beta: float) -> float:  # noqa: N803
    """Eq. 11 as it stands."""
    angle = math.atan(beta)
    braces = (
        1
        - math.atan(beta * (1 - R)) / angle * (1 + math.log1p(beta * beta) / (2 * beta * angle))
        + math.log1p((beta * (1 - R)) ** 2) / (2 * beta * angle)
    )
    return R / (R + (1 - rho) / rho * braces)


def with_brentq(R: np.ndarray, P: np.ndarray, rho: np.ndarray, target: float) -> np.ndarray:  # noqa: N803
    """One point after the other."""
    result = np.empty(R.size)
    for i, (r, p, q) in enumerate(zip(R.tolist(), P.tolist(), rho.tolist(), strict=True)):
        log_beta = brentq(
            lambda t, r=r, p=p, q=q: printed(r, q, math.exp(t)) - p,
            LOW,
            HIGH,
            xtol=1e-12,
            rtol=1e-14,
        )
        result[i] = printed(target, q, math.exp(log_beta))
    return result


def printed_array(R: np.ndarray | float, rho: np.ndarray, beta: np.ndarray) -> np.ndarray:  # noqa: N803
    """The same for arrays."""
    angle = np.arctan(beta)
    rest = 2 * beta * angle
    braces = (
        1
        - np.arctan(beta * (1 - R)) / angle * (1 + np.log1p(beta * beta) / rest)
        + np.log1p((beta * (1 - R)) ** 2) / rest
    )
    return R / (R + (1 - rho) / rho * braces)


def with_bisection(R: np.ndarray, P: np.ndarray, rho: np.ndarray, target: float) -> np.ndarray:  # noqa: N803
    """All points together, 46 halvings: ln β within 1e-12."""
    low, high = np.full(R.size, LOW), np.full(R.size, HIGH)
    for _ in range(46):
        middle = (low + high) / 2
        below = printed_array(R, rho, np.exp(middle)) < P
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return printed_array(target, rho, np.exp((low + high) / 2))


def kernel_rows(R: np.ndarray, P: np.ndarray, rho: np.ndarray) -> list[list[str]]:  # noqa: N803
    """Nanoseconds of the kernel by instruction set."""
    n = len(R)
    target = np.full(n, TARGET)
    beta = precision_curve.through(R, P, rho)
    rows = []
    for most, name in ((2, "AVX-512"), (1, "AVX2"), (0, "none but the baseline's")):
        times = [
            cpu_seconds(work, repeat=5) / n
            for work in (
                lambda most=most: precision_curve.through(R, P, rho, most),
                lambda most=most: precision_curve.values("precision", target, rho, beta, most),
            )
        ]
        rows.append([name, *(f"{seconds * 1e9:.0f}" for seconds in times)])
    return rows


def interval_rows() -> list[list[str]]:
    """Milliseconds of an interval, exact and by draws."""
    return [
        [
            name,
            f"{1e3 * cpu_seconds(lambda f=f, e=engine: f(*DESIGN, TARGET, engine=e), repeat=3):.0f}"
            " ms",
        ]
        for f, name in (
            (irb.extrapolation.extrapolated_precision_interval, "precision"),
            (irb.extrapolation.documents_to_review_interval, "documents to review"),
        )
        for engine, name in (("exact", name + ", exact"), ("monte-carlo", name + ", 40,000 draws"))
    ]


def main() -> None:
    """Measure and write the table."""
    quick = is_quick(__doc__)
    warnings.simplefilter("ignore", irb.warnings.ExtrapolationWarning)
    n, n_loop = (10_000, 100) if quick else (1_000_000, 5000)
    R, P, rho = points(n)
    some = tuple(column[:n_loop] for column in (R, P, rho))
    ours, brents, halved = (
        irb.extrapolation.extrapolate_precision(*some, TARGET),
        with_brentq(*some, TARGET),
        with_bisection(*some, TARGET),
    )
    # where the printed terms cancel, the others lose digits: all agree in six
    if not (np.allclose(ours, brents, rtol=1e-6) and np.allclose(ours, halved, rtol=1e-6)):
        sys.exit("the values differ: no comparison")
    one = (
        cpu_seconds(lambda: irb.extrapolation.extrapolate_precision(R, P, rho, TARGET), repeat=5)
        / n
    )
    brent = cpu_seconds(lambda: with_brentq(*some, TARGET), repeat=3) / n_loop
    half = cpu_seconds(lambda: with_bisection(R, P, rho, TARGET), repeat=2) / n
    rows = [
        ["irbounds.extrapolation.extrapolate_precision", f"{one * 1e9:.0f}", ""],
        ["bisection of NumPy arrays", f"{half * 1e9:,.0f}", f"{half / one:.0f}×"],
        ["a loop over scipy.optimize.brentq", f"{brent * 1e9:,.0f}", f"{brent / one:.0f}×"],
    ]
    kernel, intervals = kernel_rows(R, P, rho), interval_rows()
    publish(
        [
            "# Extrapolated precision",
            "",
            f"{n:,} random points carried to recall {TARGET} in one call (the loop: {n_loop:,}), "
            "with all checks of the "
            "arguments and all warnings. Processor time of one thread, the shortest of several "
            "runs; the values agree. "
            "Made by `python benchmarks/extrapolation.py`.",
            "",
            machine(["numpy", "scipy"]),
            "",
            *table(["", "ns each", "ratio"], rows),
            "",
            "The kernel alone, by the widest vector instructions it may use (results have the "
            "same bits):",
            "",
            *table(["instructions", "β through a point, ns", "X of a curve, ns"], kernel),
            "",
            "Intervals, "
            + " and ".join("/".join(f"{x:,}" for x in segment) for segment in DESIGN)
            + ":",
            "",
            *table(["interval on", "time"], intervals),
        ],
        "extrapolation.md",
        write=not quick,
    )


if __name__ == "__main__":
    main()
