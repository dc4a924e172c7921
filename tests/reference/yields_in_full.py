"""Posteriors of two segments' yields with every document enumerated: to some 10^7 of them, in
NumPy's long doubles.

The laws are those of samples.py, where fractions enumerate a few hundred documents. Here
probabilities are products of P(k + 1)/P(k) = (k + a)(m - k)/((k + 1)(m - k - 1 + b)), scaled to sum
1. Strata are convolved by SciPy. Errors of a probability are about 1e-15.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from itertools import count

import numpy as np
from scipy.optimize import brentq

from .samples import posterior_parts

LONG_TO = 40_000  # documents of a law in long doubles
DIRECT_TO = 10**5  # products; for more, transforms are quicker
NEGLIGIBLE = 1e-30  # of the greatest probability: what is below is left out, at either end
NEAR_WHOLE = 1e-12  # a share as a float is the ratio of counts that it prints as


def betabinomial(m, a, b):
    """P(0), ..., P(m) of BetaBin(m; a, b): products from the mode outward, which underflow only
    where nothing is left; in plain doubles, which are ten times as quick, where 1e-9 will do."""
    k = np.arange(m, dtype=np.longdouble if m <= LONG_TO else float)
    ratios = (k + a) * (m - k) / ((k + 1) * (m - k - 1 + b))
    mode = m * (a - 1) / (a + b - 2) if min(a, b) > 1 else 0 if a <= b else m
    mode = int(min(max(mode, 0), m))
    weights = np.ones(m + 1, k.dtype)
    np.cumprod(ratios[mode:], out=weights[mode + 1 :])
    np.cumprod(1 / ratios[:mode][::-1], out=weights[:mode][::-1])
    return (weights / weights.sum()).astype(np.longdouble)


def convolved(pmfs):
    """The distribution of a sum, the two shortest laws first: directly where that is quick, else by
    Fourier transforms, in long doubles as well, which leave an error of 1e-20."""
    from scipy.signal import fftconvolve

    order = count()
    laws = [(len(pmf), next(order), pmf) for pmf in pmfs] or [(1, 0, np.ones(1, np.longdouble))]
    heapify(laws)
    while len(laws) > 1:
        one, other = heappop(laws)[2], heappop(laws)[2]
        if len(one) * len(other) < DIRECT_TO:
            total = np.convolve(one, other)
        else:
            total = np.maximum(fftconvolve(one, other), 0)
        heappush(laws, (len(total), next(order), total))
    return laws[0][2]


def likely_part(pmf):
    """Where its probabilities begin that are not negligible, and these."""
    likely = np.flatnonzero(pmf > NEGLIGIBLE * pmf.max())
    return int(likely[0]), pmf[likely[0] : likely[-1] + 1]


class FullYield:
    """R = first + k with probability pmf[k]; strata are (size, sampled, relevant)."""

    def __init__(self, strata, prior=(0.5, 0.5), is_shared=True):
        rows = posterior_parts(strata, *prior, is_shared)
        parts = [likely_part(betabinomial(unseen, float(a), float(b))) for _, unseen, a, b in rows]
        self.first = sum(relevant for _, _, relevant in strata) + sum(first for first, _ in parts)
        first, self.pmf = likely_part(convolved([pmf for _, pmf in parts]))
        self.first += first
        self.at_least = np.append(np.cumsum(self.pmf[::-1])[::-1], 0.0)
        self.values = self.first + np.arange(len(self.pmf), dtype=np.longdouble)
        # sums of doubles are good to 1e-14, and whole numbers are exact
        self.short_pmf, self.short_values = self.pmf.astype(float), self.values.astype(float)
        self.short_at_least = self.at_least.astype(float)

    def sf(self, x):
        """P(R >= x) for whole x."""
        return self.short_at_least[np.clip(x - self.first, 0, len(self.pmf)).astype(np.int64)]

    def quantile(self, p):
        """The least x with P(R <= x) >= p."""
        through = np.cumsum(self.pmf)
        return self.first + int(min(np.searchsorted(through, p), len(self.pmf) - 1))


def next_whole(x, strict):
    """The least whole number that is at least x, or above x."""
    x = np.asarray(x, float)  # whose rounding is far below what counts as near
    near = np.rint(x)
    is_near = np.abs(x - near) <= NEAR_WHOLE * np.maximum(1, np.abs(x))
    return np.where(is_near, near + strict, np.ceil(x))


def settled(needed, value, x, strict):
    """The least counts at which the value is at most x, or below it, by the value itself: near
    x = 1 the differences by which `needed` is estimated have lost their last digits.  Numbers
    within 1e-15 of x are x, but for 1, which has no rounding: it is above every x < 1."""
    near = x * (1 - 1e-15 if strict else 1 + 1e-15)
    if x < 1:
        near = min(near, float(np.nextafter(1.0, 0.0)))

    def holds(r0):
        return value(r0) < near if strict else value(r0) <= near

    for _ in range(3):
        before = needed
        needed = np.where((needed > 0) & holds(needed - 1), needed - 1, needed)
        needed = np.where(holds(np.maximum(needed, 0)), needed, needed + 1)
        if np.array_equal(before, needed):
            break
    return needed


class FullPair:
    """Measures of the yields R1 of the retrieved segment and R0 of the unretrieved one."""

    def __init__(self, retrieved, unretrieved, prior=(0.5, 0.5), is_shared=True):
        self.one, self.other = (
            FullYield(segment, prior, is_shared) for segment in (retrieved, unretrieved)
        )
        self.size = sum(size for size, _, _ in retrieved)

    def below(self, measure, x, strict=False, beta=1.0):
        """P(measure <= x) or P(measure < x); recall of nothing is 0."""
        r1, square = self.one.short_values, float(beta) ** 2
        if measure == "yield":
            needed = next_whole(x - r1, not strict)  # of R0 that is too much
            return float(1 - self.one.short_pmf @ self.other.sf(needed))
        if x <= 0:
            return 0.0 if strict or x < 0 else float(1 - self.one.sf(np.ones(1))[0])
        if x >= 1 and not strict:
            return 1.0
        if measure == "f":
            needed = settled(
                next_whole((((1 + square) / x - square) * r1 - self.size) / square, strict),
                lambda r0: (1 + square) * r1 / (square * (r1 + r0) + self.size),
                x,
                strict,
            )
            return float(self.one.short_pmf @ self.other.sf(needed))
        needed = settled(
            next_whole(r1 * (1 - x) / x, strict),
            # nothing relevant anywhere: `lost`, if strict
            lambda r0: np.where(r1 + r0 > 0, r1 / np.maximum(r1 + r0, 1), np.nan if strict else 0),
            x,
            strict,
        )
        lost = (
            (1 - self.one.sf(np.ones(1))[0]) * (1 - self.other.sf(np.ones(1))[0]) if strict else 0.0
        )
        return float(self.one.short_pmf @ self.other.sf(needed) + lost)

    def quantile(self, measure, p, beta=1.0, near=None):
        """The least x with P(measure <= x) >= p, whole for a yield and else to 1e-12; it is looked
        for about `near` first."""
        low, high = (
            0.0,
            float(self.one.values[-1] + self.other.values[-1]) if measure == "yield" else 1.0,
        )
        if self.below(measure, low, beta=beta) >= p:
            return low
        if near is not None:
            steps = (1, 64, 4096) if measure == "yield" else (2e-12, 1e-10, 1e-7, 1e-4)
            for step in steps:
                start, end = max(low, near - step), min(high, near + step)
                if not start < near < end:
                    break
                if (
                    self.below(measure, start, beta=beta)
                    < p
                    <= self.below(measure, near if step == 1 else end, beta=beta)
                ):
                    if step == steps[0]:
                        return float(near)
                    low, high = start, end
                    break
        if measure != "yield":  # wherever the sign changes, to 1e-12; most are smooth for brentq
            return float(
                brentq(
                    lambda x: self.below(measure, x, beta=beta) - p + 1e-300,
                    low,
                    high,
                    xtol=1e-12,
                    maxiter=1000,
                )
            )
        while high - low > 0.5:
            middle = (low + high) / 2
            low, high = (
                (low, middle) if self.below(measure, middle, beta=beta) >= p else (middle, high)
            )
        return float(np.floor(high + 0.25))

    def mean(self):
        """The mean of recall: a sum for every R1, since 1 less the integral of the distribution
        function is too coarse."""
        r0 = self.other.values
        total = np.longdouble(0)
        for r1, weight in zip(self.one.values, self.one.pmf, strict=True):
            if weight > 1e-22 and r1 > 0:
                total += weight * (self.other.pmf @ (r1 / (r1 + r0)))
        return float(total)
