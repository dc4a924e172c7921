"""The power of a paired t-test, from an integral that holds for any effect.

T = (Z + δ)/S, with Z normal, δ = effect √n, and S² a chi-squared variate over its ν = n - 1 degrees
of freedom, exceeds t with the probability E Φ(δ - t S).  SciPy's noncentral t gives nan for δ of
some 28 and more (and is slow); this integral is smooth, and its terms are all positive.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from irbounds.queries.student import quantile

NODES = 40  # of a Gauss-Legendre panel
# of √ν-scaled deviations: beyond them the density of S and the normal tail are below 1e-30
FAR = 12.0
SERIES = 0.02  # below, e - log(1 + e) is taken from 14 terms: the last is below 1e-22 of the first


@lru_cache(maxsize=1)
def _rule() -> tuple[np.ndarray, np.ndarray]:
    return np.polynomial.legendre.leggauss(NODES)


def _log_density(s: np.ndarray, freedom: int) -> np.ndarray:
    """That of S, but for a constant: (ν - 1) log s - ν s²/2, about its value at 1."""
    e = s - 1
    log_s = np.log(np.maximum(s, 1e-300))
    series = np.zeros_like(e)
    # e - log(1 + e) = e² (1/2 - e/3 + e²/4 - …), by Horner's rule.
    for k in range(15, 1, -1):
        series = series * -e + 1 / k
    rest = np.where(np.abs(e) < SERIES, e * e * series, e - log_s)
    # ν (log s - (s² - 1)/2) = -ν (e - log(1 + e)) - ν e²/2
    return -freedom * (rest + e * e / 2) - log_s


def _panels(freedom: int, delta: float, cut: float) -> np.ndarray:
    """Edges between which the density of S and the normal tail are both smooth."""
    # S² has the variance 2/ν, and S nearly this standard deviation.
    width = 1 / math.sqrt(2 * freedom)
    density = [max(0.0, 1 + k * width) for k in (-FAR, -6, -3, -1, 0, 1, 3, 6, FAR, 2 * FAR)]
    if freedom < 60:  # the lower tail is a power: s^(ν - 1)
        density += [0.0, 0.01, 0.1, 0.3]
    low, high = min(density), max(density)
    switch = (
        [(delta + k) / cut for k in (-9, -6, -3, -1, 0, 1, 3, 6, 9)] if cut > 0 else []
    )  # where Φ(δ - t s) falls
    return np.unique([low, high, *density, *(x for x in switch if low < x < high)])


def upper_tail(freedom: int, delta: float, cut: float) -> float:
    """P(T > cut), of a noncentral t variate."""
    nodes, weights = _rule()
    edges = _panels(freedom, delta, abs(cut))
    half = np.diff(edges)[:, None] / 2
    s = edges[:-1, None] + half * (1 + nodes)
    density = np.exp(_log_density(s, freedom)) * half * weights
    normal = [math.erfc(x) / 2 for x in ((cut * s - delta) / math.sqrt(2)).ravel().tolist()]
    # The quotient of both sums needs no constant of the density.
    return float(np.sum(density.ravel() * normal) / np.sum(density))


def power_of_t(n: int, effect: float, alpha: float, sides: int) -> float:
    """The chance that a t-test of n pairs rejects when the mean difference is `effect` standard
    deviations, 0 or more; with one side, that in its direction."""
    freedom = n - 1
    cut = quantile(freedom, alpha / sides)
    delta = effect * math.sqrt(n)
    if math.isinf(cut):
        return 0.0
    power = upper_tail(freedom, delta, cut)
    # the other side's: P(T < -cut) of effect δ is P(T > cut) of -δ
    return min(1.0, power + (upper_tail(freedom, -delta, cut) if sides == 2 else 0.0))
