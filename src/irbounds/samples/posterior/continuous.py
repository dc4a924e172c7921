"""Yields whose unseen part is a beta variate times its size (Webber 2013, section 3.5), in parts of
documents.

For sums of strata, documents are divided into parts, about 10^11 in all.  The share of relevant
parts among the unseen ones is then beta-binomial, and equals the beta variate except that its
standard deviation is greater by the fraction (a + b)/10^11.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from irbounds.foundation.distributions import BetaDistribution, beta_below
from irbounds.foundation.quadrature import beta_expectation, find_roots
from irbounds.samples.model.strata import Stratum
from irbounds.samples.posterior.convolution import Part, open_parts, parts_law
from irbounds.samples.posterior.pooling import shared_priors
from irbounds.samples.posterior.recall_posterior import YieldPair

PIECES = 2.0**36  # of all documents


def beta_parts(segment: Sequence[Stratum], finite_population: bool) -> list[Part]:
    """Each portion's seen + unseen × Beta(a, b); the portions share one Jeffreys prior."""
    return [
        (one.portion.seen, one.portion.unseen, *one.posterior)
        for one in shared_priors(segment, (0.5, 0.5), finite_population)
    ]


def recall_quantile(retrieved: Sequence[Part], unretrieved: Sequence[Part], p: float) -> float:
    """The point q with P(R1/(R1 + R0) <= q) = p: by quadrature for single strata, otherwise from
    parts of documents."""
    retrieved, unretrieved = (_merged(parts) for parts in (retrieved, unretrieved))
    if len(retrieved) == 1 and len(unretrieved) == 1:
        least = _ratio(retrieved[0][0], unretrieved[0][0] + unretrieved[0][1])
        most = _ratio(retrieved[0][0] + retrieved[0][1], unretrieved[0][0])
        if most - least < 1e-15:
            return most
        # At the very ends the odds (1 - q)/q are infinite or 0, and products with them undefined.
        edge = 1e-13 * (most - least)
        root = find_roots(
            lambda q: np.asarray(_recall_below(retrieved[0], unretrieved[0], float(q)) - p),
            np.asarray(least + edge),
            np.asarray(most - edge),
            1e-13,
        )
        return float(root)
    return _pair(tuple(retrieved), tuple(unretrieved)).quantile("recall", p)


def _merged(parts: Sequence[Part]) -> Sequence[Part]:
    """The strata, with completely seen ones merged as a constant."""
    seen = sum(part[0] for part in parts if part[1] == 0)
    unseen = [part for part in parts if part[1] > 0]
    if len(unseen) <= 1:
        first = unseen[0] if unseen else (0.0, 0.0, 0.5, 0.5)
        return [(first[0] + seen, *first[1:])]
    return parts


def _ratio(first: float, second: float) -> float:
    return first / (first + second) if first > 0 else 0.0


def _recall_below(retrieved: Part, unretrieved: Part, q: float) -> float:
    """P(R0 >= R1 (1 - q)/q); the outer integral is over the narrower distribution."""
    (seen1, unseen1, a1, b1), (seen0, unseen0, a0, b0) = retrieved, unretrieved
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
    first, second = BetaDistribution(a1, b1), BetaDistribution(a0, b0)
    # Both spreads on the scale of R0: the function under the integral is smooth where the other law
    # is the wider one.
    if slope * unseen1 * first.std <= unseen0 * second.std:
        return float(
            beta_expectation(a1, b1, lambda y, rest: second_above(seen1 + unseen1 * y), 1e-10)
        )
    return float(beta_expectation(a0, b0, lambda y, rest: first_below(seen0 + unseen0 * y), 1e-10))


def yield_quantile(parts: Sequence[Part], p: float) -> float:
    """A quantile of one segment's yield."""
    from scipy.special import betaincinv

    if len(parts) == 1:
        seen, unseen, a, b = parts[0]
        return float(seen + unseen * betaincinv(a, b, p))
    scale = _scale(parts)
    return parts_law(open_parts(_cut(parts, scale))).quantile(p) / scale


@lru_cache(maxsize=2)
# The low and the high end ask for the same pair, one after the other.
def _pair(retrieved: tuple[Part, ...], unretrieved: tuple[Part, ...]) -> YieldPair:
    scale = _scale([*retrieved, *unretrieved])
    return YieldPair.of_parts(_cut(retrieved, scale), _cut(unretrieved, scale))


def _scale(parts: Sequence[Part]) -> float:
    """The number of parts of a document, a power of 2."""
    size = sum(seen + unseen for seen, unseen, _, _ in parts)
    # A power of 2, so that products with it and quotients by it are not rounded.
    return 2.0 ** max(0, math.floor(math.log2(PIECES / max(1.0, size))))


def _cut(parts: Sequence[Part], scale: float) -> list[Part]:
    return [(seen * scale, unseen * scale, a, b) for seen, unseen, a, b in parts]
