"""Quadrature over the posteriors of coded segments: points of beta densities, and frequencies of
which others are interpolated."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.polynomial.chebyshev import chebval, chebvander

from irbounds._core.distributions.two_phase import chebyshev_points, likely_shares

Pair = tuple[float, float]
TURNS, LOGITS = np.geomspace(1e-4, 3.1, 48), 96  # of log odds, for bounds on coefficients
MORE_POINTS = 4  # to have some where a handful would do
LEAST_SHARE = 1e-290  # a density with mass below it has no points
EMPTY = np.empty(0)
# The odds of a share that is 1: the greatest power of 10 whose inverse is a normal number.
CERTAIN = 1e307


class Precision(NamedTuple):
    """The parts that are left out: a probability on either side of a law, the logarithm of a
    relative part of transforms, and of the transform of the yield, which is 1 at frequency 0."""

    tail: float
    depth: float
    negligible: float


class Density(NamedTuple):
    """A beta density, whose mass lies between the shares low and 1 - high.  With a = 0 the share is
    0, and with b = 0 it is 1."""

    a: float
    b: float
    low: float
    high: float
    precision: Precision

    @classmethod
    def of(cls, a: float, b: float, precision: Precision) -> Density:
        """The shares by bounds on both tails."""
        if a == 0 or b == 0:
            return cls(a, b, float(b == 0), float(a == 0), precision)
        return cls(a, b, *likely_shares(a, b, math.log(precision.tail)), precision)

    def points(self, count: float, t: float) -> tuple[np.ndarray, np.ndarray]:
        """Odds of points of the density and their weights, for sums of q -> (1 - q + q exp(i w))^T,
        |w| <= t and T <= count: with the prior of ½ equally spaced in the angle, which are fewer,
        else in log odds."""
        if self.a == 0 or self.b == 0:
            return np.array([CERTAIN if self.b == 0 else 0.0]), np.ones(1)
        if min(self.low, self.high) < LEAST_SHARE:
            return EMPTY, EMPTY
        if self.a % 1 == self.b % 1 == 0.5:
            return self._angles(self.a - 0.5, self.b - 0.5, count, t)
        return self._logits(count, t)

    def _logits(self, count: float, t: float) -> tuple[np.ndarray, np.ndarray]:
        """The points for any a and b.

        The error of equal steps is the Fourier transform of density times wave at frequency
        2 π/step.  At l + i h, 0 < h < π, that is exp(-f h) of the one at l, if the product is as
        large.  There |1 + e^(l + i h)|² is (1 + e^l)² (1 - 4 q (1 - q) sin²(h/2)), and with
        1 - q + q z = (1 + e^(l + i w))/(1 + e^l) both are known; the worst w is the one nearest h.
        """
        a, b, low, high, _ = self
        left, right = math.log(low) - math.log1p(-low), math.log1p(-high) - math.log(high)
        # beyond the density's mass a wave may grow by more than the density falls
        logit = np.append(np.linspace(2 * left - right, 2 * right - left, LOGITS), 0.0)
        small = np.exp(-abs(logit))  # cosh(l/2) is infinite where densities reach to 1e-290
        product = 4 * small / np.square(1 + small)  # 4 q (1 - q)
        turned, nearest = (
            np.log1p(-product * np.square(np.sin(shift / 2))[:, None])
            for shift in (TURNS, np.maximum(TURNS - t, 0))
        )
        log_density = self._log_density(logit)
        growth = (
            log_density - log_density.max() - (a + b) / 2 * turned + count / 2 * (nearest - turned)
        ).max(axis=1)
        band = ((growth - self.precision.depth) / TURNS).min()
        logits = np.arange(left, right + 2 * math.pi / band, 2 * math.pi / band)
        log_density = self._log_density(logits)
        weight = np.exp(log_density - log_density.max())
        return np.exp(logits), weight / weight.sum()

    def _log_density(self, logit: np.ndarray) -> np.ndarray:
        """The logarithm of the density of log odds, but for a constant."""
        return -self.a * np.logaddexp(0, -logit) - self.b * np.logaddexp(0, logit)

    def _angles(self, x: float, y: float, count: float, t: float) -> tuple[np.ndarray, np.ndarray]:
        """The points for a = x + ½ and b = y + ½: those of Gauss and Chebyshev,
        q = (1 - cos u)/2 with K equally spaced angles u between 0 and π.

        The density of u is q^x (1 - q)^y, a trigonometric polynomial.  With n = x + y it is at u +
        i h at most (1 + n (cosh h - 1)/(2 x))^x (1 + n (cosh h - 1)/(2 y))^y times as large as at
        its mode.  A wave, which is nearly exp(T (i w q - w² q (1 - q)/2)), is at most
        exp(T (w sin(u) sinh(h)/2 + w² sinh(h)²/8)).  Coefficient m is exp(-m h) times as large for
        every h; the error is coefficient 2K.
        """
        return chebyshev_points(
            x, y, self.low, self.high, count, t, self.precision.depth, MORE_POINTS
        )


DEGREE, SAMPLES = 14, 48
RANK = 1e-13  # relative: directions that the samples do not tell


def window(
    transform: Callable[[np.ndarray], np.ndarray],
    documents: float,
    ring: int,
    begin: int,
    end: int,
    most_residual: float,
) -> np.ndarray | None:
    """E exp(i t Y) at t = 2 π k/ring, begin <= k < end, from its values at some of them; None if
    these do not have the form.  `transform` takes an array of t."""
    middle, half = (begin + end - 1) / 2, (end - 1 - begin) / 2
    nodes = np.cos((np.arange(SAMPLES) + 0.5) * (math.pi / SAMPLES))
    some = np.unique(np.rint(middle + half * nodes))
    values = transform(some * (2 * math.pi / ring))
    powers = chebvander((some - middle) / half, DEGREE)
    basis = np.hstack([powers, _turned(some, documents, ring)[:, None] * powers])
    found = np.linalg.lstsq(basis, values, rcond=RANK)[0]
    if not abs(basis @ found - values).max() <= most_residual:
        return None
    every = np.arange(begin, end, dtype=float)
    x = (every - middle) / half
    low, high = chebval(x, np.column_stack(np.split(found, 2)))
    return np.asarray(low + _turned(every, documents, ring) * high)


def _turned(k: np.ndarray, documents: float, ring: int) -> np.ndarray:
    """exp(i U t), whose angle keeps its digits."""
    return np.exp(2j * math.pi / ring * np.fmod(k * documents, ring))
