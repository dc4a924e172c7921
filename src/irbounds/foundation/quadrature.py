"""Expectations over beta distributions, and roots of many functions at once.

An expectation is a sum over equally spaced nodes on the scale t, where log odds are ``centre + scale sinh(t)``: the
density falls double exponentially there, whether the parameters are tiny or huge, and the error of the sum falls
exponentially with the nodes (Trefethen & Weideman 2014).  Every other node gives the sum with half of them, whose
difference tells the error.
"""
from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

NODES = 64
MOST_NODES = 4096
DEPTH = 42.0  # density is followed down to exp(-42) of its greatest,
REACH = (2 * DEPTH) ** 0.5  # this many standard deviations
USUAL_LENGTH = 11.0  # of the scale t, for parameters of 1/2 and more

Function = Callable[[np.ndarray, np.ndarray], np.ndarray]


def beta_nodes(a: Any, b: Any, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Nodes y, 1 - y and weights (sum 1) for Beta(a, b), a and b arrays: they get one more axis, n + 1 long, or an even
    multiple of n for parameters so small that the log odds reach far."""
    from scipy.special import expit

    a, b = np.asarray(a, float)[..., None], np.asarray(b, float)[..., None]
    centre, scale = _bulk(a, b)
    left, right = np.arcsinh(REACH + DEPTH / a / scale), np.arcsinh(REACH + DEPTH / b / scale)
    n *= _more_nodes(left + right)
    t = -left + (left + right) * (np.arange(n + 1) / n)
    log_odds = centre + scale * np.sinh(t)
    weights = _density_of_log_odds(a, b, log_odds) * np.cosh(t)
    return expit(log_odds), expit(-log_odds), weights / weights.sum(axis=-1, keepdims=True)


def _bulk(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the density of the log odds of Beta(a, b) bends, and over what length; beyond that it falls as
    exp(-a |u|) or exp(-b |u|), which with small parameters is not what needs nodes."""
    a, b = np.maximum(a, 0.5), np.maximum(b, 0.5)
    return np.log(a / b), np.sqrt(1 / a + 1 / b)


def _more_nodes(length: np.ndarray) -> int:
    """How many times as many nodes, a power of 2, keep them as near to each other as for parameters of 1/2."""
    return 1 << max(0, math.ceil(math.log2(length.max(initial=1) / USUAL_LENGTH)))


def _density_of_log_odds(a: np.ndarray, b: np.ndarray, log_odds: np.ndarray) -> np.ndarray:
    """Beta(a, b)'s density over its greatest, of the log odds; by the smaller parameter, so that little cancels."""
    total, least = a + b, np.minimum(a, b)
    step = np.where(a <= b, 1, -1) * (log_odds - np.log(a / b))
    log_fall = np.log1p(least / total * np.expm1(np.minimum(step, 1)))
    far = step > 1
    if far.any():
        log_fall = np.where(far, np.logaddexp(np.log1p(-least / total), step + np.log(least / total)), log_fall)
    return np.exp(least * step - total * log_fall)


def beta_expectation(a: Any, b: Any, function: Function, tolerance: float = 5e-8) -> tuple[np.ndarray, np.ndarray]:
    """E[function(Y, 1 - Y)], Y ~ Beta(a, b), and what its error may be.

    The function gets and gives arrays whose last axis is the nodes.  Half the nodes must agree within `tolerance`
    times the greatest value, else their number is doubled; the error of all is then far below it.
    """
    n = NODES
    while True:
        y, rest, weights = beta_nodes(a, b, n)
        with np.errstate(invalid="ignore"):  # an infinite function, the density at an end, has an infinite expectation
            terms = np.where(weights > 0, weights * function(y, rest), 0.0)
            every = terms.sum(axis=-1)
            half = terms[..., ::2].sum(axis=-1) / weights[..., ::2].sum(axis=-1)
            difference = np.abs(every - half)
        if n >= MOST_NODES or not (difference > tolerance * np.maximum(np.abs(every), 1e-3)).any():
            return every, np.maximum(1e-4 * difference, 4e-15 * np.abs(every))
        n *= 2


class LogOdds(NamedTuple):
    """The law of log odds log(X/(1 - X)): its density up to a factor, mean, standard deviation, and the powers of X and
    1 - X that the probability falls with at the ends."""

    density: Callable[[np.ndarray, int], np.ndarray]
    mean: np.ndarray
    std: np.ndarray
    low_power: np.ndarray
    high_power: np.ndarray


def beta_log_odds(a: Any, b: Any) -> LogOdds:
    """Those of Beta(a, b)."""
    a, b = np.asarray(a, float)[..., None], np.asarray(b, float)[..., None]
    return LogOdds(lambda u, n: _density_of_log_odds(a, b, u), *_bulk(a, b), a, b)


def f_log_odds(a: Any, b_fp: Any, b_fn: Any, beta: float) -> LogOdds:
    """Those of F_β: log odds of Q + log(1 + β²) - log(β² W + 1 - W), of Q ~ Beta(a, b_fp + b_fn), W ~ Beta(b_fn, b_fp).
    """
    odds = beta_log_odds(a, np.asarray(b_fp) + b_fn)

    def shifts(n: int) -> tuple[np.ndarray, np.ndarray]:
        w, rest, weights = beta_nodes(b_fn, b_fp, n)
        return np.log(beta**2 * w + rest) - np.log1p(beta**2), weights

    def density(u: np.ndarray, n: int) -> np.ndarray:
        shift, weights = shifts(n)
        terms = _density_of_log_odds(odds.low_power[..., None], odds.high_power[..., None],
                                     u[..., None] + shift[..., None, :])
        return (terms * weights[..., None, :]).sum(axis=-1)

    shift, weights = shifts(NODES)
    mean = (shift * weights).sum(axis=-1, keepdims=True)
    var = ((shift - mean) ** 2 * weights).sum(axis=-1, keepdims=True)
    return odds._replace(density=density, mean=odds.mean - mean, std=np.sqrt(odds.std**2 + var))


def are_near(first: LogOdds, second: LogOdds) -> np.ndarray:
    """Whether `probability_above` is at its best: standard deviations at most 6 times, means 3 of them apart."""
    var1, var2 = first.std**2, second.std**2
    near = (var1 < 36 * var2) & (var2 < 36 * var1) & ((first.mean - second.mean) ** 2 < 9 * (var1 + var2))
    return near[..., 0]


def probability_above(first: LogOdds, second: LogOdds) -> tuple[np.ndarray, np.ndarray]:
    """P(first > second), independent, and what its error may be: absolute, 2e-12 at most and mostly near 1e-14.

    Both densities are taken at the same nodes, and one of them is integrated as a series of sinc functions (Stenger
    1993), a constant matrix; no distribution function is needed.
    """
    middle = (first.mean + second.mean) / 2
    scale = np.sqrt(first.std**2 + second.std**2) / 1.5
    low, high = (end(*(law.mean + sign * (REACH * law.std + DEPTH / power) for law, power in powers))
                 for end, sign, powers in (
                     (np.minimum, -1, ((first, first.low_power), (second, second.low_power))),
                     (np.maximum, 1, ((first, first.high_power), (second, second.high_power)))))
    left, right = np.arcsinh((low - middle) / scale), np.arcsinh((high - middle) / scale)
    n = 2 * NODES * _more_nodes(right - left)  # of fewer, the half may agree with all by chance where laws are skew
    while True:
        t = left + (right - left) * (np.arange(n + 1) / n)
        log_odds, stretch = middle + scale * np.sinh(t), np.cosh(t)
        f, g = (law.density(log_odds, n) * stretch for law in (first, second))
        every, half = (
            ((f[..., ::step] @ _sinc_integrals(n // step)) * g[..., ::step]).sum(axis=-1)
            / (f[..., ::step].sum(axis=-1) * g[..., ::step].sum(axis=-1)) for step in (1, 2))
        difference = np.abs(every - half)
        if n >= MOST_NODES // 4 or (difference <= 1e-8).all():
            return every, np.maximum(2e-4 * difference, 1e-14)
        n *= 2


@lru_cache(maxsize=8)
def _sinc_integrals(n: int) -> np.ndarray:
    """At [j, k] the integral of the sinc function from -inf to j - k, j and k from 0 to n."""
    from scipy.special import sici

    integrals = 0.5 + sici(np.pi * np.arange(-n, n + 1))[0] / np.pi
    return np.array(integrals[n + np.subtract.outer(np.arange(n + 1), np.arange(n + 1))])


def interval_expectation(density: Function, function: Callable[..., np.ndarray], least: Any, most: Any, mean: Any,
                         std: Any, powers: tuple[Any, Any] = (1.0, 1.0), tolerance: float = 1e-12
                         ) -> tuple[np.ndarray, np.ndarray]:
    """E[function(X, 1 - X, X - least, most - X) | least < X < most], and what its error may be.

    The density, of X and 1 - X, may lack a factor; mean and std say where most of it is, and at the ends the
    probability grows as these powers of the distance or faster.  Nodes are equally spaced as for `beta_expectation`,
    for the log odds of the place within the interval.
    """
    from scipy.special import expit

    least, most, mean, std = (np.asarray(value, float)[..., None] for value in (least, most, mean, std))
    length = most - least
    with np.errstate(divide="ignore", invalid="ignore"):  # intervals of no length give nan
        centre = np.clip(mean, least + 1e-3 * length, most - 1e-3 * length)
        into, out = centre - least, most - centre
        width = std * length / (into * out)
        middle, scale = np.log(into / out), np.clip(width, 1e-8, 4.0)
        left, right = (np.arcsinh((12 * width + DEPTH / np.asarray(power)[..., None]) / scale) for power in powers)
    n = 2 * NODES
    while True:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            t = -left + (left + right) * (np.arange(n + 1) / n)
            log_odds = middle + scale * np.sinh(t)
            share, rest = expit(log_odds), expit(-log_odds)
            past, short = length * share, length * rest
            x, y = least + past, 1 - most + short
            weights = np.nan_to_num(density(x, y) * share * rest * np.cosh(t), posinf=0.0)
            terms = np.where(weights > 0, weights * function(x, y, past, short), 0.0)
            every, half, quarter = (terms[..., ::step].sum(axis=-1) / weights[..., ::step].sum(axis=-1)
                                    for step in (1, 2, 4))
        # halves of steep functions may agree by chance: as errors fall by squares, a quarter must be near, too
        difference = np.maximum(np.abs(every - half), (half - quarter) ** 2)
        if n >= MOST_NODES or not (difference > tolerance).any():
            return every, np.maximum(difference, 1e-12)
        n *= 2


def find_roots(function: Callable[[np.ndarray], np.ndarray], low: np.ndarray, high: np.ndarray,
               tolerance: float = 1e-15) -> np.ndarray:
    """Where each element of an elementwise function changes its sign between low and high (Chandrupatla 1997)."""
    a, b = np.array(low, float), np.array(high, float)
    at_a, at_b = function(a), function(b)
    c, at_c, t = a.copy(), at_a.copy(), np.full_like(a, 0.5)
    for _ in range(200):
        x = a + t * (b - a)
        at_x = function(x)
        same = np.sign(at_x) == np.sign(at_a)
        c, at_c = np.where(same, a, b), np.where(same, at_a, at_b)
        b, at_b = np.where(same, b, a), np.where(same, at_b, at_a)
        a, at_a = x, at_x
        best = np.where(np.abs(at_a) < np.abs(at_b), a, b)
        room = (2e-16 * np.abs(best) + tolerance) / np.maximum(np.abs(b - a), 1e-300)
        if ((room > 0.5) | (at_a == 0) | (at_b == 0)).all():
            return best
        with np.errstate(divide="ignore", invalid="ignore"):
            xi, phi = (a - b) / (c - b), (at_a - at_b) / (at_c - at_b)
            inverse = at_a / (at_b - at_a) * at_c / (at_b - at_c) + (c - a) / (b - a) * at_a / (at_c - at_a) * at_b / (
                at_c - at_b)
            quadratic = (phi * phi < xi) & ((1 - phi) ** 2 < 1 - xi) & np.isfinite(inverse)
        t = np.where(quadratic, inverse, 0.5)
        t = np.clip(t, np.minimum(room, 0.5), 1 - np.minimum(room, 0.5))
    return best
