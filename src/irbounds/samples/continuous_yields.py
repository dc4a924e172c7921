"""Yields whose unseen part is a beta variate times its size (Webber 2013, section 3.5), as laws on a fine lattice."""
from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from irbounds._core.yield_posterior import YieldLaw
from irbounds.foundation.laws import BetaLaw, beta_below
from irbounds.foundation.quadrature import beta_expectation, find_roots
from irbounds.samples.priors import priors_of
from irbounds.samples.strata import Stratum
from irbounds.samples.yields import lattice_law

POINTS = 2**17  # of a sum
Part = tuple[float, float, float, float]  # seen, unseen, a, b


def beta_parts(segment: Sequence[Stratum], finite_population: bool) -> list[Part]:
    """Each stratum's seen + unseen × Beta(a, b); one Jeffreys' prior, shared among the strata."""
    return [(s.relevant if finite_population else 0.0, s.size - s.sampled if finite_population else s.size,
             s.relevant + alpha, s.sampled - s.relevant + beta)
            for s, (alpha, beta) in zip(segment, priors_of((0.5, 0.5), segment), strict=True)]


def recall_quantile(retrieved: Sequence[Part], unretrieved: Sequence[Part], p: float) -> float:
    """Where P(R1/(R1 + R0) <= q) is p: by quadrature for single strata."""
    one, other = (_merged(parts) for parts in (retrieved, unretrieved))
    if len(one) == 1 and len(other) == 1:
        least = _ratio(one[0][0], other[0][0] + other[0][1])
        most = _ratio(one[0][0] + one[0][1], other[0][0])
        if most - least < 1e-15:
            return most
        edge = 1e-13 * (most - least)
        root = find_roots(lambda q: np.asarray(_recall_below(one[0], other[0], float(q)) - p), np.asarray(least + edge),
                          np.asarray(most - edge), 1e-13)
        return float(root)
    from irbounds._core.yield_posterior import quantile

    return float(quantile("recall", sum_law(tuple(retrieved)), sum_law(tuple(unretrieved)), p))


def _merged(parts: Sequence[Part]) -> Sequence[Part]:
    """Strata of which all is seen add a constant: they need no law of their own."""
    seen = sum(part[0] for part in parts if part[1] == 0)
    unseen = [part for part in parts if part[1] > 0]
    if len(unseen) <= 1:
        first = unseen[0] if unseen else (0.0, 0.0, 0.5, 0.5)
        return [(first[0] + seen, *first[1:])]
    return parts


def _ratio(first: float, second: float) -> float:
    return first / (first + second) if first > 0 else 0.0


def _recall_below(one: Part, other: Part, q: float) -> float:
    """P(R0 >= R1 (1 - q)/q), the narrower law outside."""
    (seen1, unseen1, a1, b1), (seen0, unseen0, a0, b0) = one, other
    slope = (1 - q) / q

    def second_above(yield1: np.ndarray) -> np.ndarray:
        """P(R0 >= slope yield1)"""
        needed = slope * yield1 - seen0
        if unseen0 == 0:
            return (needed <= 0).astype(float)
        share = np.clip(needed / unseen0, 0, 1)
        return beta_below(b0, a0, 1 - share, share)

    def first_below(yield0: np.ndarray) -> np.ndarray:
        """P(R1 <= yield0/slope)"""
        share = np.clip((yield0 / slope - seen1) / unseen1, 0, 1)
        return beta_below(a1, b1, share, 1 - share)

    if unseen1 == 0:
        return float(second_above(np.asarray(seen1)))
    if unseen0 == 0:
        return float(first_below(np.asarray(seen0)))
    first, second = BetaLaw(a1, b1), BetaLaw(a0, b0)
    if slope * unseen1 * first.std <= unseen0 * second.std:
        return float(beta_expectation(a1, b1, lambda y, rest: second_above(seen1 + unseen1 * y), 1e-10)[0])
    return float(beta_expectation(a0, b0, lambda y, rest: first_below(seen0 + unseen0 * y), 1e-10)[0])


@lru_cache(maxsize=4)
def sum_law(parts: tuple[Part, ...]) -> YieldLaw:
    """The law of a sum of such yields, by convolution on a lattice."""
    laws = [BetaLaw(a, b) for _, _, a, b in parts]
    seen = sum(part[0] for part in parts)
    spreads = [part[1] * law.std for part, law in zip(parts, laws, strict=True)]
    mean = sum(part[1] * law.mean for part, law in zip(parts, laws, strict=True))
    room = 14 * math.sqrt(sum(s * s for s in spreads)) + 40 * max(spreads)
    high = min(sum(part[1] for part in parts), mean + room)
    if high == 0:
        return lattice_law(np.array([seen]), np.ones(1), 1)
    step = high / (POINTS - 2)
    n = 2 * POINTS
    edges = (np.arange(n + 1) - 0.5) * step
    spectrum = np.ones(n // 2 + 1, complex)
    for (_, unseen, a, b) in parts:
        if unseen > 0:
            share = np.clip(edges / unseen, 0, 1)
            spectrum *= np.fft.rfft(np.diff(beta_below(a, b, share, 1 - share)))
    masses = np.maximum(np.fft.irfft(spectrum, n), 0)[:POINTS]
    points = seen + step * np.arange(POINTS)
    return lattice_law(points, masses / masses.sum(), step, continuous=True)


def yield_quantile(parts: Any, p: float) -> float:
    """A quantile of one segment's yield."""
    from scipy.special import betaincinv

    if len(parts) == 1:
        seen, unseen, a, b = parts[0]
        return float(seen + unseen * betaincinv(a, b, p))
    return float(sum_law(tuple(parts)).quantile(p))
