"""Distributions of the yield of segments that fallible assessors coded and people audited
(csrc/two_phase.h)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from irbounds._core import binomial_draws
from irbounds._core.two_phase import likely_ends, transform
from irbounds._core.yield_posterior import YieldLaw
from irbounds.foundation.errors import InputError
from irbounds.foundation.variates import random_beta
from irbounds.samples.strata import AuditedCounts
from irbounds.samples.sums import law_of_transform, mixture_law, sum_law

Pair = tuple[float, float]
Calls = tuple[float, float, np.ndarray]  # first, stride, weights
Points = tuple[np.ndarray, ...]  # odds and weights of one class, then of the other

NEGLIGIBLE = 1e-14  # of the transform, which is 1 at frequency 0
FIRST_GROUP = 32  # frequencies that share points; each group is twice as long as the last
EXACT_TO = 20_000  # documents to which every sum is exact, even if it takes seconds
MOST_STEPS, MOST_LARGE_STEPS = 2e8, 2e9  # of the kernel, 0.4 and 4 seconds, before laws are mixed
# Laws for a few hundred numbers of calls C make a comb of densities that are singular at T1(C),
# where all of one class and none of the other is relevant.  With this many documents in the audits
# that say otherwise there is no such point: the error was 3e-14, as against 7e-7 with 2 audited
# documents in one class and 3 in the other.
ENOUGH = 20
# A mixture of laws takes 4 s for 10^6 documents, 20 s for 10^7, 40 s for 10^9, and minutes beyond.
MOST_MIXED = 1e9
# Steps of the kernel (2 ns) that the start of a point takes, with its logarithm, arc and powers,
# and that a document takes in the recurrence.
STARTS, RECURRENCE = 60, 4
TAIL = 1e-16  # of a beta density on either side, left out
DEPTH = math.log(1e-15)  # of a transform, taken as 0
SHIFTS = np.geomspace(1e-5, 10, 60)  # of angles, for bounds on coefficients
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

    def transform(self, ring: int) -> np.ndarray | None:
        """E exp(i t Y) at t = 2 π k/ring until it is negligible; None if that takes too long."""
        found: list[np.ndarray] = []
        begin, length, most, is_done = 0, FIRST_GROUP, ring // 2 + 1, False
        steps, most_steps = 0.0, self._most_steps()
        while begin < most and not is_done:
            end = min(begin + length, most)
            calls, points, cost = self._quadrature(2 * math.pi * end / ring)
            exact = RECURRENCE * (self.called + self.other)
            steps += (end - begin) * min(cost, exact)
            if steps > most_steps:  # before there is a mass for each of many documents
                return None
            if exact <= cost:
                calls, points = (self.calls.ends[0], 1.0, self.calls.masses), (EMPTY,) * 4
            values, is_done = transform(
                self.called,
                self.other,
                self.parameters,
                calls,
                points,
                2 * math.pi / ring,
                begin,
                end,
                NEGLIGIBLE,
            )
            found.append(values)
            begin, length = end, 2 * length
        return np.concatenate(found)

    def _most_steps(self) -> float:
        a1, b1, a0, b0 = self.parameters
        if min(b1 + a0, a1 + b0) >= ENOUGH:
            return MOST_STEPS
        return math.inf if self.called + self.other <= EXACT_TO else MOST_LARGE_STEPS

    def _quadrature(self, t: float) -> tuple[Calls, Points, float]:
        """Calls in strides, points of both beta densities, and what these cost for a frequency; all
        resolve waves of frequencies up to t."""
        first, last = self.calls.ends
        a1, b1, a0, b0 = self.parameters
        # the transform of a law with the shape of a gamma's, (1 + (t s/√a)²)^(-a/2)
        a = max(0.5, min(self.shape))
        band = math.sqrt(10 ** min(32 / a, 300) - 1) * math.sqrt(a) / max(self.calls.std, 1e-9)
        stride = max(1.0, math.floor(2 * math.pi / (band + t)))
        if (last - first) / stride > MOST_CALLS:
            return (first, stride, EMPTY), (EMPTY,) * 4, math.inf
        counts = np.arange(first, last + 1, stride)
        one = beta_points(a1, b1, self.called + last, t)
        two = beta_points(a0, b0, self.other - first, t)
        if not (one[0].size and two[0].size):
            return (first, stride, EMPTY), (EMPTY,) * 4, math.inf
        cost = counts.size * (one[0].size + two[0].size) + STARTS * (one[0].size + two[0].size)
        weight = self.calls.above_between(counts) - self.calls.above_between(counts + 1)
        return (first, stride, weight / weight.sum()), (*one, *two), cost


def beta_points(a: float, b: float, count: float, t: float) -> tuple[np.ndarray, np.ndarray]:
    """Odds of points of a beta density and their weights, equally spaced in log odds, for sums of
    q -> (1 - q + q exp(i w))^T, |w| <= t and T <= count.

    The error is the transform of the density of the log odds, |Γ(a + i f) Γ(b - i f)|, at the
    frequency of the points less that of the waves.  With the prior of ½ there are fewer points,
    equally spaced in the angle.
    """
    from scipy.special import betaincinv, loggamma

    low, high = float(betaincinv(a, b, TAIL)), float(betaincinv(b, a, TAIL))  # q and 1 - q
    if min(low, high) < LEAST_SHARE:
        return EMPTY, EMPTY
    if a % 1 == b % 1 == 0.5:
        return angle_points(a - 0.5, b - 0.5, low, high, count, t)
    left, right = math.log(low) - math.log1p(-low), math.log1p(-high) - math.log(high)
    middle = min(max(0.5, low), 1 - high)
    steepest = middle * (1 - middle)
    band = 1.0
    at_0 = loggamma(a).real + loggamma(b).real
    while loggamma(a + 1j * band).real + loggamma(b - 1j * band).real - at_0 > DEPTH:
        band *= 1.25
    step = 2 * math.pi / (band + count * t * steepest)
    logits = np.arange(left, right + step, step)
    log_density = -a * np.logaddexp(0, -logits) - b * np.logaddexp(0, logits)
    weight = np.exp(log_density - log_density.max())
    return np.exp(logits), weight / weight.sum()


def angle_points(
    x: float, y: float, low: float, high: float, count: float, t: float
) -> tuple[np.ndarray, np.ndarray]:
    """The points for a = x + ½ and b = y + ½, from q = low to 1 - high: those of Gauss and
    Chebyshev, q = (1 - cos u)/2 with K equally spaced angles u between 0 and π.

    The density of u is q^x (1 - q)^y, a trigonometric polynomial.  With n = x + y it is at u + i h
    at most (1 + n (cosh h - 1)/(2 x))^x (1 + n (cosh h - 1)/(2 y))^y times as large as at its mode.
    A wave, which is nearly exp(T (i w q - w² q (1 - q)/2)), is at most exp(T (w sin(u) sinh(h)/2 +
    w² sinh(h)²/8)).  Coefficient m is exp(-m h) times as large for every h; the error is
    coefficient 2K.
    """
    first, last = 2 * math.asin(math.sqrt(low)), math.pi - 2 * math.asin(math.sqrt(high))
    steepest = math.sin(min(max(first, math.pi / 2), last))
    excess, n = np.cosh(SHIFTS) - 1, x + y
    growth = count * t * (steepest * np.sinh(SHIFTS) / 2 + t * np.square(np.sinh(SHIFTS)) / 8)
    for k in (x, y):
        if k > 0:
            growth += k * np.log1p(n / (2 * k) * excess)
    band = float(((growth - DEPTH) / SHIFTS).min())
    n_points = math.ceil(band / 2) + MORE_POINTS
    index = np.arange(
        max(0, math.floor(first / math.pi * n_points) - 1),
        min(n_points, math.ceil(last / math.pi * n_points) + 1),
    )
    half = (index + 0.5) * (math.pi / (2 * n_points))
    odds = np.square(np.tan(half))
    log_density = x * np.log(odds) - (x + y) * np.log1p(odds)
    weight = np.exp(log_density - log_density.max())
    return odds, weight / weight.sum()


def audited_law(audit: AuditedCounts, prior: Pair) -> YieldLaw:
    """The posterior of the yield: a mixture over the calls of documents that nobody coded."""
    of_calls, parameters = classes_of(audit, prior)
    if audit.size == audit.judged:  # the classes are strata
        return _strata_law(audit, parameters)
    calls = YieldLaw.beta_binomial(0.0, audit.size - audit.judged, *of_calls)
    classes = _Classes(
        audit.called - audit.m1,
        audit.size - audit.called - audit.m0,
        parameters,
        calls,
        of_calls,
    )
    least, most = classes.ends()
    ring = 1 << math.ceil(math.log2(most - least + 64))
    values = classes.transform(ring)
    if values is None:
        if audit.size > MOST_MIXED:
            raise InputError(
                f"an Audited segment of more than {MOST_MIXED:,.0f} documents needs more coded and "
                f"audited documents; found {audit.size:,.0f} with {audit.judged:,.0f} coded and "
                f"{audit.sampled:,.0f} audited"
            )
        return _mixed_law(classes, audit.relevant)
    return law_of_transform(values, ring, least, most, audit.relevant)


def _mixed_law(classes: _Classes, seen: float) -> YieldLaw:
    """The law of a large segment in whose audits few documents are relevant, or few are not: sums
    of both classes for a few hundred numbers of calls."""
    a1, b1, a0, b0 = classes.parameters
    return mixture_law(
        [
            (
                weight,
                [(seen, classes.called + c, a1, b1), (0.0, classes.other - c, a0, b0)],
            )
            for c, weight in zip(*classes.calls.atoms, strict=True)
            if weight > TAIL
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
