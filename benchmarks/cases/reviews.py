"""Intervals of samples and audits beside 40,000 draws with NumPy; extrapolated precision beside a
search for the root of the printed equation."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import brentq

import irbounds as irb
from cases import Case, Tools, unchecked

DRAWS, TARGET = 40_000, 0.75
LOW, HIGH = -14.0, 46.0  # ln β
LEVELS = [0.025, 0.975]
Part = tuple[Any, ...]
SAMPLES = (
    ((500, 50, 40), (2000, 100, 3)),
    ((10_000, 500, 350), (90_000, 1000, 12)),
    ((100_000, 1000, 700), (900_000, 2000, 5)),
    ((500_000, 1000, 600), (45_000_000, 3000, 6)),
)
# retrieved: size, coded, called, audits; unretrieved: a stratum or the same
AUDITS = (
    ((10_000, 1000, 300, (60, 51), (120, 4)), (90_000, 1000, 3)),
    ((20_000, 20_000, 600, (250, 60), (250, 2)), (80_000, 1000, 1)),
    ((500, 200, 80, (30, 25), (30, 4)), (4500, 500, 100, (60, 30), (100, 2))),
    ((100_000, 5000, 1200, (200, 170), (300, 9)), (900_000, 10_000, 300, (100, 30), (600, 2))),
    # tiny audits, the hardest ones
    ((20_000, 10, 3, (2, 1), (3, 0)), (100_000, 1000, 3)),
    ((100_000, 1000, 300, (5, 4), (5, 0)), (100_000, 1000, 3)),
)
METHODS = ("koopman", "guaranteed", "beta-jeffreys", "normal-laplace")


def draw_yield(rng: np.random.Generator, part: Part) -> np.ndarray:
    """Betas, then binomials: of calls, and of relevant documents of both classes."""
    if len(part) == 3:
        size, sampled, relevant = part
        share = rng.beta(0.5 + relevant, 0.5 + sampled - relevant, DRAWS)
        return relevant + rng.binomial(size - sampled, share)
    size, coded, called, (m1, x1), (m0, x0) = part
    share = rng.beta(0.5 + called, 0.5 + coded - called, DRAWS)
    calls = called + rng.binomial(size - coded, share)
    of_called = rng.binomial(calls - m1, rng.beta(0.5 + x1, 0.5 + m1 - x1, DRAWS))
    of_others = rng.binomial(size - calls - m0, rng.beta(0.5 + x0, 0.5 + m0 - x0, DRAWS))
    return x1 + x0 + of_called + of_others


def draw_recall(rng: np.random.Generator, parts: tuple[Part, Part]) -> np.ndarray:
    """Both quantiles."""
    one, other = (draw_yield(rng, part) for part in parts)
    return np.quantile(one / np.maximum(one + other, 1), LEVELS)


def ends(interval: irb.Interval) -> tuple[float, float]:
    """Both ends."""
    return interval.low, interval.high


def recall(_: bool, parts: tuple[Part, Part]) -> Tools:
    """Recall of both segments: exact, by our Monte Carlo engine, by NumPy."""
    rng = np.random.default_rng(1)
    segments = [irb.Audited(*part) if len(part) > 3 else irb.Stratum(*part) for part in parts]
    posterior = irb.recall_posterior(*segments)
    has_audits = any(len(part) > 3 for part in parts)
    drawn = {"NumPy": lambda: lambda: draw_recall(rng, parts)}
    if has_audits:  # an end may be of another distribution (`samples/posterior/coded.py`)
        exact = [posterior.quantile(level) for level in LEVELS]
        return {"irbounds": lambda: lambda: irb.recall_interval(*segments) and exact, **drawn}
    options = {"engine": "monte-carlo", "rng": rng}
    return {
        "irbounds": lambda: lambda: ends(irb.recall_interval(*segments)),
        **drawn,
        "engine='monte-carlo'": lambda: lambda: ends(irb.recall_interval(*segments, **options)),
    }


def methods(_: bool) -> Tools:
    """Other methods, whose ends differ."""

    def by(method: str) -> Any:
        return unchecked(irb.recall_interval, *SAMPLES[1], method=method)

    return {"irbounds": lambda: by("betabinom-half"), **{m: partial(by, m) for m in METHODS}}


def printed(recall_: float, rho: float, beta: float) -> float:
    """Eq. 11 as it stands."""
    angle, log = math.atan(beta), math.log1p((beta * (1 - recall_)) ** 2)
    rest = 2 * beta * angle
    share = math.atan(beta * (1 - recall_)) / angle
    braces = 1 - share * (1 + math.log1p(beta * beta) / rest) + log / rest
    return recall_ / (recall_ + (1 - rho) / rho * braces)


def extrapolation(quick: bool, n: int) -> Tools:
    """Random points carried to the target, above the limit of β → 0, so that eq. 11 as printed has
    a root."""
    rng, n = np.random.default_rng(1), n // 50 if quick else n
    recall_, rho = rng.uniform(0.05, 0.98, n), rng.uniform(0.001, 0.5, n)
    limit = 1 / (1 + (1 - rho) / rho * (1 + recall_) / 2)
    precision = limit + (1 - limit) * rng.uniform(0.001, 0.999, n)

    def by_brentq() -> list[float]:
        found = []
        for r, p, q in zip(recall_.tolist(), precision.tolist(), rho.tolist(), strict=True):

            def apart(t: float, r: float = r, p: float = p, q: float = q) -> float:
                return printed(r, q, math.exp(t)) - p

            log_beta = brentq(apart, LOW, HIGH, xtol=1e-12, rtol=1e-14)
            found.append(printed(TARGET, q, math.exp(log_beta)))
        return found

    return {
        "irbounds": lambda: (
            lambda: irb.extrapolation.extrapolate_precision(recall_, precision, rho, TARGET)
        ),
        "SciPy, a loop of brentq": lambda: by_brentq,
    }


def shown(part: Part) -> str:
    """Counts with slashes."""
    return "/".join("-".join(map(str, x)) if isinstance(x, tuple) else f"{x:,}" for x in part)


CASES = (
    *(
        Case(f"recall, {' and '.join(map(shown, parts))}", partial(recall, parts=parts), 0.015)
        for parts in (*SAMPLES, *AUDITS)
    ),
    Case("other methods, the second design", methods),
    # where the printed terms cancel, the others lose digits
    Case("5,000 points to recall 0.75", partial(extrapolation, n=5000), 1e-6),
)
