"""Distributions of the yield of segments that fallible assessors coded and people audited
(csrc/distributions/two_phase.h).

The file is longer than 400 lines because of the reasons of its constants.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from irbounds._core.distributions.two_phase import likely_ends, transform, transform_at
from irbounds._core.draws import binomial_draws
from irbounds._core.samples.yield_posterior import YieldLaw
from irbounds.foundation.errors import InputError
from irbounds.foundation.interval import LOW
from irbounds.foundation.variates import random_beta
from irbounds.samples.model.strata import AuditedCounts
from irbounds.samples.posterior.coded_quadrature import (
    EMPTY,
    SAMPLES,
    Density,
    Pair,
    Precision,
    window,
)
from irbounds.samples.posterior.convolution import (
    law_of_transform,
    open_parts,
    parts_law,
)

Parameters = tuple[float, ...]  # of both classes, as in `classes_of`

# An end takes a class as empty if its prior adds more than this part of the other class's yield,
# than so many standard deviations of it, or than its low end.  With the first rule alone, designs
# in which all that was audited of one class is relevant were covered in .86 to .91, and those with
# 3 to 5 relevant documents beside many false alarms in .83 to .87; with all three in .94 or more.
# Over 181 designs intervals were .65 % wider on average and 7 % at most.  Without any limit they
# are 1.3 % and 12 % wider.
LITTLE, DEVIATIONS = 0.2, 0.5
NORMAL = 1.959963984540054  # of the low bound, at 97.5 %


class _Class(NamedTuple):
    """The beta posterior of a class, what its audit found, and the documents not audited: how many
    on average, and the variance of that number."""

    a: float
    b: float
    found: float
    left: float
    variance: float

    @property
    def added(self) -> float:
        """Documents for which the posterior stands."""
        return self.left * self.a / (self.a + self.b)

    @property
    def mean(self) -> float:
        """Mean of the yield."""
        return self.found + self.added

    @property
    def deviation(self) -> float:
        """Standard deviation of the yield: a beta-binomial of a number of documents that varies."""
        total, share = self.a + self.b, self.a / (self.a + self.b)
        within = self.left * (total + self.left) + self.variance
        return math.sqrt(share * (1 - share) * within / (total + 1) + share**2 * self.variance)

    @property
    def low(self) -> float:
        """About the low end of the yield: a gamma's of the same mean and deviation, by Wilson and
        Hilferty's (1931) cube."""
        shape = (self.added / self.deviation) ** 2 if self.deviation else math.inf
        root = 1 - 1 / (9 * shape) - NORMAL / (3 * math.sqrt(shape))
        return self.found + self.added * max(0.0, root) ** 3


def end_parameters(
    audit: AuditedCounts, of_calls: Pair, parameters: Parameters, end: str | None
) -> Parameters:
    """The parameters of both classes' beta posteriors for an end of an interval of the yield: a = 0
    if the low end takes the class as empty, b = 0 if the high end takes all of it as relevant."""
    if end is None:
        return parameters
    a1, b1, a0, b0 = parameters
    n, total, share = audit.size - audit.judged, sum(of_calls), of_calls[0] / sum(of_calls)
    variance = n * share * (1 - share) * (total + n) / (total + 1)
    one = audit.called - audit.m1 + n * share, variance
    other = audit.size - audit.called - audit.m0 - n * share, variance
    if end == LOW:
        a1, a0 = _kept(_Class(a1, b1, audit.x1, *one), _Class(a0, b0, audit.x0, *other))
    else:
        b1, b0 = _kept(
            _Class(b1, a1, audit.m1 - audit.x1, *one),
            _Class(b0, a0, audit.m0 - audit.x0, *other),
        )
    return a1, b1, a0, b0


def _kept(one: _Class, other: _Class) -> Pair:
    """The first parameter of each class, or 0."""
    return _kept_beside(one, other), _kept_beside(other, one)


def _kept_beside(one: _Class, other: _Class) -> float:
    # If neither audit found any, nothing is known but by the prior.
    if one.found or not other.found:
        return one.a
    limit = min(LITTLE * other.mean, DEVIATIONS * other.deviation, other.low)
    return 0.0 if one.added > limit else one.a


Calls = tuple[float, float, np.ndarray]  # first, stride, weights
Points = tuple[np.ndarray, ...]  # odds and weights of one class, then of the other


EXACT_TO = 20_000  # documents to which every sum is exact, even if it takes seconds
EXACT = Precision(1e-16, math.log(1e-15), 1e-14)
# Beyond, ends are promised to 1e-6, with tiny audits to 1e-4 (7e-5 was measured).  Probabilities
# were within 2e-9 of those of all waves to 1e-12 (181 designs to 10^9 documents).
LARGE = Precision(1e-11, math.log(1e-10), 1e-8)
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
MOST_STEPS = 2e10  # of the kernel, 10 to 20 seconds, before a large segment is refused
# Angles of powers are wrong from 8e8 on (csrc/numeric/vector_trig.h), and by rounding they err by
# 1e-7. Only segments of more than 1.6e8 documents with large audits reach them.
MOST_ANGLE = 5e8
# Steps of the kernel that the start of a point takes, with its logarithm, arc and powers, and that
# a document takes in the recurrence.
STARTS, RECURRENCE = 28, 4
MOST_CALLS = 2**14
# A law of calls with a parameter below this has tails like powers, and waves too.
FEW = 8


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
            _likely_ends(self.called + first, a1, b1)[0],
            _likely_ends(self.other - last, a0, b0)[0],
        )
        most = (
            _likely_ends(self.called + last, a1, b1)[1],
            _likely_ends(self.other - first, a0, b0)[1],
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
        # Waves that turn with the number of calls are of another form.
        is_turning = min(self.shape) >= FEW and 2 * math.pi * begin / ring < self._band
        if (end - begin) * cost >= FITTED and end - begin >= 2 * SAMPLES and not is_turning:
            of = partial(transform_at, *law, calls, points)
            values = window(of, self.called + self.other, ring, begin, end, negligible * RESIDUAL)
            if values is not None:
                return values, bool(abs(values[-LANES:]).max() < negligible)
        return transform(*law, calls, points, 2 * math.pi / ring, begin, end, negligible)

    def _strides(self, band: float) -> tuple[np.ndarray, np.ndarray]:
        """Numbers of calls at equal steps that resolve waves to this frequency, and weights."""
        first, last = self._range
        counts = np.arange(first, last + 1, max(1.0, math.floor(2 * math.pi / band)))
        weight = self.calls.above_between(counts) - self.calls.above_between(counts + 1)
        return counts, weight / weight.sum()

    def _most_steps(self) -> Pair:
        """To all waves that matter, and in all."""
        if self.called + self.other <= EXACT_TO:
            return math.inf, math.inf
        return (FEW_STEPS, FEW_STEPS) if self.calls.std == 0 else (QUICK_STEPS, MOST_STEPS)

    @cached_property
    def precision(self) -> Precision:
        """As the number of documents allows."""
        return EXACT if self.called + self.other <= EXACT_TO else LARGE

    @cached_property
    def _densities(self) -> tuple[Density, Density]:
        a1, b1, a0, b0 = self.parameters
        return Density.of(a1, b1, self.precision), Density.of(a0, b0, self.precision)

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
        density1, density0 = self._densities
        one = density1.points(self.called + last, t)
        two = density0.points(self.other - first, t)
        if not (one[0].size and two[0].size):
            return (first, stride, EMPTY), (EMPTY,) * 4, math.inf
        counts, weight = self._strides(self._band + t)
        cost = (counts.size + STARTS) * (one[0].size + two[0].size)
        return (first, stride, weight), (*one, *two), cost


def _likely_ends(unseen: float, a: float, b: float) -> Pair:
    """The least and the greatest likely count, also of a share that is 0 or 1."""
    if a == 0 or b == 0:
        return (0.0, 0.0) if a == 0 else (unseen, unseen)
    return likely_ends(unseen, a, b)


def is_moved(audit: AuditedCounts, prior: Pair, end: str | None) -> bool:
    """Whether the law for an end is not the posterior."""
    of_calls, parameters = classes_of(audit, prior)
    return end_parameters(audit, of_calls, parameters, end) != parameters


def audited_law(audit: AuditedCounts, prior: Pair, end: str | None = None) -> YieldLaw:
    """The posterior of the yield: a mixture over the calls of documents that nobody coded; or the
    law by which an end of an interval is found (`audited_ends`)."""
    of_calls, parameters = classes_of(audit, prior)
    parameters = end_parameters(audit, of_calls, parameters, end)
    called, other = audit.called - audit.m1, audit.size - audit.called - audit.m0
    is_coded = audit.size == audit.judged  # the classes are strata
    if is_coded and (called + other <= EXACT_TO or not called or not other):
        return _strata_law(audit, parameters)
    calls = YieldLaw.beta_binomial(0.0, audit.size - audit.judged, *of_calls)
    classes = _Classes(called, other, parameters, calls, of_calls)
    law = classes.law(audit.relevant)
    if law is not None:
        return law
    if is_coded:  # two strata, where the transform takes longer
        return _strata_law(audit, parameters)
    raise InputError(
        f"an Audited segment of {audit.size:,.0f} documents with {audit.judged:,.0f} coded and "
        f"{audit.sampled:,.0f} audited takes too long: it needs more coded and audited documents, "
        "or all of it coded"
    )


def _strata_law(audit: AuditedCounts, parameters: tuple[float, ...]) -> YieldLaw:
    a1, b1, a0, b0 = parameters
    one = (audit.x1, audit.called - audit.m1, a1, b1)
    other = (audit.x0, audit.size - audit.called - audit.m0, a0, b0)
    return parts_law(open_parts([one, other]))


def draw_audited(
    audit: AuditedCounts,
    prior: Pair,
    draws: int,
    rng: np.random.Generator,
    end: str | None = None,
) -> np.ndarray:
    """Draws of the yield, class by class."""
    of_calls, parameters = classes_of(audit, prior)
    a1, b1, a0, b0 = end_parameters(audit, of_calls, parameters, end)

    def drawn(counts: np.ndarray, a: float, b: float) -> np.ndarray:
        if a == 0 or b == 0:
            return np.zeros(draws) if a == 0 else counts.astype(float)
        shares = np.asarray(random_beta(a, b, draws, rng=rng))
        return rng.binomial(counts.astype(np.int64), shares).astype(float)

    shares = np.asarray(random_beta(*of_calls, draws, rng=rng))
    calls = binomial_draws.fill(audit.size - audit.judged, shares, rng.bit_generator)
    of_called = drawn(calls + (audit.called - audit.m1), a1, b1)
    return audit.relevant + of_called + drawn(audit.size - audit.called - audit.m0 - calls, a0, b0)
