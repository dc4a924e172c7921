"""Distributions of the yield of segments that fallible assessors coded and people audited
(csrc/two_phase.h)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from irbounds._core import binomial_draws
from irbounds._core.two_phase import (
    chebyshev_points,
    likely_ends,
    likely_shares,
    transform,
    transform_at,
)
from irbounds._core.yield_posterior import YieldLaw
from irbounds.foundation.errors import InputError
from irbounds.foundation.variates import random_beta
from irbounds.samples.audited_calls import LIKELY, gauss_calls, whole_calls
from irbounds.samples.audited_waves import SAMPLES, window
from irbounds.samples.strata import AuditedCounts
from irbounds.samples.sums import law_of_transform, mixture_law, sum_law

Pair = tuple[float, float]
Calls = tuple[float, float, np.ndarray]  # first, stride, weights
Points = tuple[np.ndarray, ...]  # odds and weights of one class, then of the other


class _Precision(NamedTuple):
    """The parts that are left out: a probability on either side of a law, the logarithm of a
    relative part of transforms, and of the transform of the yield, which is 1 at frequency 0."""

    tail: float
    depth: float
    negligible: float


EXACT_TO = 20_000  # documents to which every sum is exact, even if it takes seconds
EXACT = _Precision(1e-16, math.log(1e-15), 1e-14)
# Beyond, ends are promised to 1e-6, with tiny audits to 1e-4 (7e-5 was measured).  Probabilities
# were within 2e-9 of those of all waves to 1e-12 (181 designs to 10^9 documents).
LARGE = _Precision(1e-11, math.log(1e-10), 1e-8)
# Transforms of tiny audits fall like a power of the frequency.  After so many steps, 10 ms, waves
# below LOOSE may be left out: they changed probabilities by 1.4e-7 at most (181 designs).
QUICK_STEPS, LOOSE = 2e7, 1e-6
# Frequencies that share points, in blocks of 16.  Each group is half as long as what came before:
# with groups twice as long as the last one the kernel took a third longer.
FIRST_GROUP, LANES = 32, 16
# Groups of more steps, 2 ms, are fitted to some of their frequencies if the residuals are this part
# of what is negligible.
FITTED, RESIDUAL = 4e6, 0.05
FEW_STEPS = 2e6  # 1 ms, before the sum of two strata by lattices, which takes 0.8 to 10 ms
MOST_STEPS, MOST_LARGE_STEPS = 2e8, 2e9  # of the kernel, 0.1 and 1 seconds, before laws are mixed
# Laws for a few hundred numbers of calls C make a comb of densities that are singular at T1(C),
# where all of one class and none of the other is relevant.  With this many documents in the audits
# that say otherwise there is no such point: the error was 3e-14, as against 7e-7 with 2 audited
# documents in one class and 3 in the other.
ENOUGH = 20
# Such laws are nearly polynomials in C: points of Gauss do in place of a few hundred numbers.
# Probabilities were within 1.6e-10 of those of all numbers (289 designs of 4,000 to 20,000).
NODES = 48
# A mixture without points takes 4 s for 10^6 documents, 20 s for 10^7, 40 s for 10^9, and minutes
# beyond.
MOST_MIXED = 1e9
# Angles of powers are wrong from 8e8 on (csrc/vector_trig.h), and by rounding they err by 1e-7.
# Only segments of more than 1.6e8 documents with large audits reach them.
MOST_ANGLE = 5e8
# Steps of the kernel that the start of a point takes, with its logarithm, arc and powers, and that
# a document takes in the recurrence.
STARTS, RECURRENCE = 28, 4
TURNS, LOGITS = np.geomspace(1e-4, 3.1, 48), 96  # of log odds, for bounds on coefficients
MORE_POINTS = 4  # to have some where a handful would do
LEAST_SHARE = 1e-290  # a density with mass below it has no points
MOST_CALLS = 2**14
EMPTY = np.empty(0)


def classes_of(audit: AuditedCounts, prior: Pair) -> tuple[Pair, tuple[float, ...]]:
    """Parameters of the beta posteriors: of the share that is called relevant, and of the shares of
    relevant documents among the called and the other ones."""
    a, b = prior
    called = (a + audit.called, b + audit.judged - audit.called)
    return called, (
        a + audit.x1,
        b + audit.m1 - audit.x1,
        a + audit.x0,
        b + audit.m0 - audit.x0,
    )


@dataclass(frozen=True)
class _Classes:
    """Two classes of documents that were not audited, and the law of the calls of documents that
    nobody coded."""

    called: float
    other: float
    parameters: tuple[float, ...]
    calls: YieldLaw
    shape: Pair  # parameters of the calls

    def ends(self) -> Pair:
        """The least and the greatest likely yield."""
        (first, last), (a1, b1, a0, b0) = self.calls.ends, self.parameters
        least = (
            likely_ends(self.called + first, a1, b1)[0],
            likely_ends(self.other - last, a0, b0)[0],
        )
        most = (
            likely_ends(self.called + last, a1, b1)[1],
            likely_ends(self.other - first, a0, b0)[1],
        )
        return sum(least), sum(most)

    def law(self, seen: float) -> YieldLaw | None:
        """Of `seen` and both classes; None if the transform takes too long."""
        least, most = self.ends()
        most = min(most, self.called + self.other)
        ring = 1 << math.ceil(math.log2(most - least + 64))
        values = self.transform(ring)
        return None if values is None else law_of_transform(values, ring, least, most, seen)

    def transform(self, ring: int) -> np.ndarray | None:
        """E exp(i t Y) at t = 2 π k/ring until it is negligible; None if that takes too long."""
        found: list[np.ndarray] = []
        begin, length, most, is_done = 0, FIRST_GROUP, ring // 2 + 1, False
        steps, (quick_steps, most_steps) = 0.0, self._most_steps()
        exact = RECURRENCE * (self.called + self.other)
        while begin < most and not is_done:
            end = min(begin + length, most)
            calls, points, cost = self._quadrature(2 * math.pi * end / ring)
            n = end - begin if (end - begin) * min(cost, exact) < FITTED else SAMPLES
            steps += n * min(cost, exact)
            if steps > quick_steps and found and abs(found[-1][-LANES:]).max() < LOOSE:
                break
            if steps > most_steps:  # before there is a mass for each of many documents
                return None
            if exact <= cost:
                calls, points = (self.calls.ends[0], 1.0, self.calls.masses), (EMPTY,) * 4
            values, is_done = self._waves(begin, end, ring, calls, points, min(cost, exact))
            found.append(values)
            begin, length = end, max(FIRST_GROUP, end // 2 // LANES * LANES)
        return np.concatenate(found)

    def _waves(
        self, begin: int, end: int, ring: int, calls: Calls, points: Points, cost: float
    ) -> tuple[np.ndarray, bool]:
        """A group of the transform, and whether it became negligible."""
        negligible, law = self.precision.negligible, (self.called, self.other, self.parameters)
        if (end - begin) * cost >= FITTED and end - begin >= 2 * SAMPLES:
            of = partial(transform_at, *law, calls, points)
            values = window(of, self.called + self.other, ring, begin, end, negligible * RESIDUAL)
            if values is not None:
                return values, bool(abs(values[-LANES:]).max() < negligible)
        return transform(*law, calls, points, 2 * math.pi / ring, begin, end, negligible)

    def _most_steps(self) -> Pair:
        """To all waves that matter, and in all."""
        if self.called + self.other <= EXACT_TO:
            return math.inf, math.inf
        if self.calls.std == 0:
            return FEW_STEPS, FEW_STEPS
        a1, b1, a0, b0 = self.parameters
        is_enough = min(b1 + a0, a1 + b0) >= ENOUGH
        return QUICK_STEPS, MOST_STEPS if is_enough else MOST_LARGE_STEPS

    @cached_property
    def precision(self) -> _Precision:
        """As the number of documents allows."""
        return EXACT if self.called + self.other <= EXACT_TO else LARGE

    @cached_property
    def _densities(self) -> tuple[_Density, _Density]:
        a1, b1, a0, b0 = self.parameters
        return _Density.of(a1, b1, self.precision), _Density.of(a0, b0, self.precision)

    @cached_property
    def _range(self) -> Pair:
        """The least and the greatest number of calls, beyond which is no more than the tail."""
        if self.precision is EXACT:
            return self.calls.ends
        tail = self.precision.tail
        return self.calls.quantile(tail), self.calls.quantile(1 - tail)

    @cached_property
    def _band(self) -> float:
        """The frequency from which on the transform of the calls is negligible, by that of a law
        with the shape of a gamma's, (1 + (t s/√a)²)^(-a/2)."""
        a = max(0.5, min(self.shape))
        # With u = t s/√a: (1 + u²)^(-a/2) equals the tail where 1 + u² = tail^(-2/a). The cap of
        # 300 digits keeps the power a finite number.
        digits = -2 * math.log10(self.precision.tail)
        return math.sqrt((10 ** min(digits / a, 300) - 1) * a) / max(self.calls.std, 1e-9)

    def _quadrature(self, t: float) -> tuple[Calls, Points, float]:
        """Calls in strides, points of both beta densities, and what these cost for a frequency; all
        resolve waves of frequencies up to t."""
        first, last = self._range
        stride = max(1.0, math.floor(2 * math.pi / (self._band + t)))
        angle = max(self.called + last, self.other - first) * t
        if (last - first) / stride > MOST_CALLS or angle > MOST_ANGLE:
            return (first, stride, EMPTY), (EMPTY,) * 4, math.inf
        counts = np.arange(first, last + 1, stride)
        density1, density0 = self._densities
        one = density1.points(self.called + last, t)
        two = density0.points(self.other - first, t)
        if not (one[0].size and two[0].size):
            return (first, stride, EMPTY), (EMPTY,) * 4, math.inf
        cost = (counts.size + STARTS) * (one[0].size + two[0].size)
        weight = self.calls.above_between(counts) - self.calls.above_between(counts + 1)
        return (first, stride, weight / weight.sum()), (*one, *two), cost


class _Density(NamedTuple):
    """A beta density, whose mass lies between the shares low and 1 - high."""

    a: float
    b: float
    low: float
    high: float
    precision: _Precision

    @classmethod
    def of(cls, a: float, b: float, precision: _Precision) -> _Density:
        """The shares by bounds on both tails."""
        return cls(a, b, *likely_shares(a, b, math.log(precision.tail)), precision)

    def points(self, count: float, t: float) -> tuple[np.ndarray, np.ndarray]:
        """Odds of points of the density and their weights, for sums of q -> (1 - q + q exp(i w))^T,
        |w| <= t and T <= count: with the prior of ½ equally spaced in the angle, which are fewer,
        else in log odds."""
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
        product = np.square(1 / np.cosh(logit / 2))  # 4 q (1 - q)
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


def audited_law(audit: AuditedCounts, prior: Pair) -> YieldLaw:
    """The posterior of the yield: a mixture over the calls of documents that nobody coded."""
    of_calls, parameters = classes_of(audit, prior)
    called, other = audit.called - audit.m1, audit.size - audit.called - audit.m0
    is_coded = audit.size == audit.judged  # the classes are strata
    if is_coded and (called + other <= EXACT_TO or not called or not other):
        return _strata_law(audit, parameters)
    calls = YieldLaw.beta_binomial(0.0, audit.size - audit.judged, *of_calls)
    classes = _Classes(called, other, parameters, calls, of_calls)
    # First by its transform; two strata or a mixture of sums where that takes too long.
    law = classes.law(audit.relevant)
    if law is not None:
        return law
    if is_coded:
        return _strata_law(audit, parameters)
    if audit.size > MOST_MIXED:
        raise InputError(
            f"an Audited segment of more than {MOST_MIXED:,.0f} documents needs more coded and "
            f"audited documents; found {audit.size:,.0f} with {audit.judged:,.0f} coded and "
            f"{audit.sampled:,.0f} audited"
        )
    return _mixed_law(classes, audit.relevant)


def _mixed_law(classes: _Classes, seen: float) -> YieldLaw:
    """The law of a large segment in whose audits few documents are relevant, or few are not: sums
    of both classes for a few hundred numbers of calls."""
    a1, b1, a0, b0 = classes.parameters
    calls, weights = (np.array(each) for each in classes.calls.atoms)
    calls, weights = calls[weights > LIKELY], weights[weights > LIKELY]
    if min(b1 + a0, a1 + b0) >= ENOUGH:
        calls, weights = gauss_calls(calls, weights, NODES)
    else:
        calls, weights = whole_calls(calls, weights)
    return mixture_law(
        [
            (
                weight,
                [(seen, classes.called + c, a1, b1), (0.0, classes.other - c, a0, b0)],
            )
            for c, weight in zip(calls.tolist(), weights.tolist(), strict=True)
        ]
    )


def _strata_law(audit: AuditedCounts, parameters: tuple[float, ...]) -> YieldLaw:
    a1, b1, a0, b0 = parameters
    parts = [
        (seen, unseen, a, b)
        for seen, unseen, a, b in (
            (audit.x1, audit.called - audit.m1, a1, b1),
            (audit.x0, audit.size - audit.called - audit.m0, a0, b0),
        )
    ]
    if all(part[1] for part in parts):
        return sum_law(parts)
    _, unseen, a, b = max(parts, key=lambda part: part[1])
    return YieldLaw.beta_binomial(audit.relevant, unseen, a, b)


def draw_audited(
    audit: AuditedCounts, prior: Pair, draws: int, rng: np.random.Generator
) -> np.ndarray:
    """Draws of the yield, class by class."""
    of_calls, (a1, b1, a0, b0) = classes_of(audit, prior)

    def drawn(counts: np.ndarray, a: float, b: float) -> np.ndarray:
        shares = np.asarray(random_beta(a, b, draws, rng=rng))
        return rng.binomial(counts.astype(np.int64), shares).astype(float)

    shares = np.asarray(random_beta(*of_calls, draws, rng=rng))
    calls = binomial_draws.fill(audit.size - audit.judged, shares, rng.bit_generator)
    of_called = drawn(calls + (audit.called - audit.m1), a1, b1)
    return audit.relevant + of_called + drawn(audit.size - audit.called - audit.m0 - calls, a0, b0)
