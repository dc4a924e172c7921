"""The exact engine: distributions of the yields of two segments, and of measures of both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from statistics import NormalDist
from typing import Any

import numpy as np

from irbounds._core.draws import binomial_draws
from irbounds._core.samples.yield_posterior import YieldLaw, below, likely_counts, quantile
from irbounds.foundation.variates import random_beta
from irbounds.samples.model.priors import Prior
from irbounds.samples.model.strata import AuditedCounts, Stratum
from irbounds.samples.posterior.coded import audited_law, draw_audited, is_moved
from irbounds.samples.posterior.convolution import EXACT_TO, Part, open_parts, parts_law, sum_law
from irbounds.samples.posterior.pooling import Shared, shared_priors

# A law with at most NARROW likely counts has a cell for each: P(recall <= x) then takes 0.025 ms,
# and 0.015 ms with cells of many counts, but a search ends with a list of the last values, after
# ten sums instead of forty (measured).  The wider law is only looked up; to make 2^15 cells of it
# takes 1 ms.  To EXACT_TO documents both laws have all cells: their ends are promised to 1e-11.
NARROW = 8192
WIDE = 2**15
# An end that the whole numbers of documents may move is searched again with a cell for each count
# of the narrower law, up to FINE counts: there P(recall <= x) takes 2.5 ms, at 2^19 counts 53 ms.
FINE = 2**17
# Cells of many counts shift a probability near an end by about ROUNDED/n for n likely counts of the
# narrower law.  The rule leaves shifts of an end below UNSEEN; the docstrings promise 1e-6.
# Measured on 2,834 ends of random reviews that it left as they were: 2.5e-7 at most.  The largest
# of 3,775 shifts of a probability was 0.032/n, where the density is high.
ROUNDED = 0.01
UNSEEN = 3e-7
LEAST = 1e-300  # of a parameter, so that it is not 0


def segment_parts(segment: Sequence[Stratum], prior: Prior) -> list[Part]:
    """For each portion of a segment the relevant documents seen, the documents not seen, and the
    parameters of the beta-binomial."""
    return parts_of(shared_priors(segment, prior))


def parts_of(shared: Sequence[Shared]) -> list[Part]:
    """The parts of portions that are not audited."""
    parts = []
    for one in shared:
        if one.portion.audited is None:
            alpha, beta = one.posterior
            seen, unseen = float(one.portion.seen), float(one.portion.unseen)
            parts.append((seen, unseen, max(LEAST, alpha), max(LEAST, beta)))
    return parts


def audited_laws(shared: Sequence[Shared], end: str | None = None) -> list[YieldLaw]:
    """The posteriors of the yields of portions that are audited, or their laws for an end."""
    return [audited_law(audit, prior, end) for audit, prior in audits_of(shared)]


def audits_of(shared: Sequence[Shared]) -> list[tuple[AuditedCounts, tuple[float, float]]]:
    """The portions that are audited, with their priors."""
    return [(one.portion.audited, one.prior) for one in shared if one.portion.audited is not None]


def is_moved_at(shared: Sequence[Shared], end: str | None) -> bool:
    """Whether the law for an end is another one than the posterior."""
    return any(is_moved(*audit, end) for audit in audits_of(shared))


def segment_law(segment: Sequence[Stratum], prior: Prior, single: bool = False) -> YieldLaw:
    """The posterior of a segment's yield; `single` asks for a cell for every document of a
    single stratum."""
    return parts_law(open_parts(segment_parts(segment, prior)), single)


def likely_yields(segment: Sequence[Stratum], prior: Prior) -> float:
    """The number of likely values of the yield of a single stratum."""
    parts = open_parts(segment_parts(segment, prior))
    return likely_counts(*parts[0][1:]) if len(parts) == 1 else math.inf


def _sum_of(parts: Sequence[Part], known: Sequence[YieldLaw]) -> YieldLaw | None:
    """The law of a sum, None if it is that of one part."""
    if len(known) == 1 and parts == [(0.0, 0.0, 0.5, 0.5)]:  # nothing but an audited segment
        return known[0]
    return sum_law(parts, known) if len(parts) + len(known) > 1 else None


class YieldPair:
    """The yields R1 of the retrieved and R0 of the unretrieved segment, independent, and measures
    of both."""

    _shared: tuple[Sequence[Shared], Sequence[Shared]]

    def __init__(
        self, retrieved: Sequence[Stratum], unretrieved: Sequence[Stratum], prior: Prior
    ) -> None:
        segments = retrieved, unretrieved
        self._shared = shared_priors(retrieved, prior), shared_priors(unretrieved, prior)
        self._set(
            [parts_of(portions) for portions in self._shared],
            all(sum(s.size for s in segment) <= EXACT_TO for segment in segments),
            [audited_laws(portions) for portions in self._shared],
        )
        self.size: float = sum(stratum.size for stratum in retrieved)

    @classmethod
    def of_parts(cls, retrieved: Sequence[Part], unretrieved: Sequence[Part]) -> YieldPair:
        """A pair from the parts of both; its quantiles are as accurate as for small collections."""
        pair = cls.__new__(cls)
        pair._shared = (), ()
        pair._set([retrieved, unretrieved], True)
        pair.size = sum(seen + unseen for seen, unseen, _, _ in retrieved)
        return pair

    def at(self, ends: Sequence[str | None]) -> YieldPair:
        """The pair by which an end of an interval is found, at these ends of both yields
        (`audited_ends`)."""
        laws = [
            audited_laws(portions, end) if is_moved_at(portions, end) else known
            for portions, end, known in zip(self._shared, ends, self._known, strict=True)
        ]
        pair = YieldPair.__new__(YieldPair)
        pair._shared, pair.size = self._shared, self.size
        pair._set([parts_of(portions) for portions in self._shared], self._is_small, laws)
        return pair

    def _set(
        self,
        parts: Sequence[Sequence[Part]],
        is_small: bool,
        known: Sequence[Sequence[YieldLaw]] = ((), ()),
    ) -> None:
        self._parts = [open_parts(segment) for segment in parts]
        self._is_small, self._is_audited, self._known = is_small, any(known), known
        self._sums = [
            _sum_of(segment, laws) for segment, laws in zip(self._parts, known, strict=True)
        ]
        self._likely = [
            likely_counts(*segment[0][1:]) if law is None else law.ends[1] - law.ends[0] + 1
            for segment, law in zip(self._parts, self._sums, strict=True)
        ]

    def _law(self, segment: int, single: bool) -> YieldLaw:
        known = self._sums[segment]
        if known is None:
            return YieldLaw.beta_binomial(*self._parts[segment][0], single)
        return known.singled() if single else known

    @cached_property
    def laws(self) -> list[YieldLaw]:
        """Both distributions, with a cell for every document if few yields are likely."""
        limit = WIDE if self._is_small or min(self._likely) <= NARROW else NARROW
        return [self._law(i, n <= limit) for i, n in enumerate(self._likely)]

    @cached_property
    def fine_laws(self) -> list[YieldLaw]:
        """The same, but the narrower distribution has a cell for every document unless it has
        too many of them, so that no rounding to whole documents is averaged."""
        n = min(self._likely)
        if n > FINE or any(law.is_single for law in self.laws):
            return self.laws
        return [
            self._law(i, True) if likely == n else self.laws[i]
            for i, likely in enumerate(self._likely)
        ]

    def below(self, measure: str, x: float, *, strict: bool = False, beta: float = 1) -> float:
        """P(measure <= x), or P(measure < x)."""
        laws = self.fine_laws
        return float(
            min(1.0, max(0.0, below(measure, laws[0], laws[1], x, strict, beta, self.size)))
        )

    def quantile(self, measure: str, p: float, beta: float = 1) -> float:
        """The smallest value with P(measure <= value) >= p."""
        # Beyond 20,000 documents the promise is 1e-6.  The distribution is a staircase: for
        # 10,000/500/350 and 90,000/1,000/12 its steps are 1e-7 wide, and on one only halving goes
        # on, for 7 of 18 evaluations down to 2e-9 (measured).  2e-8 is enough there; narrow
        # distributions keep 2e-9, so that ends at near probabilities stay in order.
        # A normal approximation first tells where to look and how wide the distribution is.
        guess, spread = self._guess(measure, p)
        width = self._guess(measure, 0.5)[1]
        tolerance = 1e-11 if self._is_small else min(max(2e-9, 1e-6 * width), 2e-8)
        laws = self.laws
        fine = self.fine_laws if self._may_be_rounded(measure, p, spread) else laws
        if min(self._likely) <= 2 * NARROW:
            laws = fine
        x = float(
            quantile(measure, laws[0], laws[1], p, beta, self.size, guess, 0.1 * spread, tolerance)
        )
        if fine[0] is laws[0] and fine[1] is laws[1]:
            return x
        if measure == "recall" and self._is_audited and not self._is_small:
            # One sum over single documents in place of six: it changes the probabilities of all
            # recalls near x alike.  Ends of 1,182 random reviews moved by 5e-7 at most, where the
            # distribution has steps so wide; 99 % by less than 9e-8.
            found = below(measure, fine[0], fine[1], x, False, beta, self.size)
            rough = below(measure, laws[0], laws[1], x, False, beta, self.size)
            p = min(max(p + rough - found, 0.0), 1.0)
            return float(
                quantile(measure, laws[0], laws[1], p, beta, self.size, x, 1e-7, tolerance)
            )
        bracket = 1.0 if measure == "yield" else 1e-7
        return float(quantile(measure, fine[0], fine[1], p, beta, self.size, x, bracket, tolerance))

    def _may_be_rounded(self, measure: str, p: float, spread: float) -> bool:
        """True if the rounding to whole documents may move an end: it moves its probability, and
        the end by more if the density is small."""
        if self._is_small or measure != "recall" or not spread:
            return True
        normal = NormalDist()
        # Near an end of probability p a normal law has the density φ(z_p)/spread. At least 0.05,
        # that of |z| = 2, is assumed: far out the approximation underrates tails.
        density = max(0.05, normal.pdf(normal.inv_cdf(p))) / spread
        return ROUNDED / max(NARROW, min(self._likely)) / density > UNSEEN

    def _guess(self, measure: str, p: float) -> tuple[float, float]:
        """A quantile of recall by the normal approximation of log(R0/R1), and its standard
        deviation of recall."""
        first, second = self.laws
        if measure != "recall" or first.mean <= 0 or second.mean <= 0 or not 0 < p < 1:
            return 0.0, 0.0
        # log(R0/R1) has the relative errors of both yields, to first order.
        spread = math.hypot(first.std / first.mean, second.std / second.mean)
        log_odds = math.log(first.mean / second.mean) + NormalDist().inv_cdf(p) * spread
        q = 1 / (1 + math.exp(-log_odds)) if log_odds > -700 else 0.0
        # d recall/d log odds = q (1 - q).
        return q, q * (1 - q) * spread

    def mean(self, measure: str, beta: float = 1) -> float:
        """E[measure], as a sum over both lattices."""
        laws = [
            self._law(i, False) if n > NARROW else self.laws[i] for i, n in enumerate(self._likely)
        ]
        (r1, w1), (r0, w0) = (
            (position[likely], weight[likely])
            for position, weight in (law.atoms for law in laws)
            # The atoms that are left out, 2^24 at most (MOST_COUNTS of `sums`), add up to 2e-12.
            for likely in [weight > 1e-19]
        )
        # Chunks of 256 yields bound the memory of the outer product.
        square, total = beta * beta, 0.0
        for chunk in range(0, r1.size, 256):
            first = r1[chunk : chunk + 256, None]
            if measure == "recall":
                values = first / np.maximum(first + r0, 1e-300)
            elif measure == "f":
                values = (1 + square) * first / (square * (first + r0) + self.size)
            else:
                values = first + r0
            total += float(w1[chunk : chunk + 256] @ (values @ w0))
        return total if measure == "yield" else min(1.0, total)


def draw_yields(
    segment: Sequence[Any],
    prior: Prior,
    draws: Any,
    rng: np.random.Generator,
    end: str | None = None,
) -> np.ndarray:
    """Draws of a segment's yield: for each stratum a beta variate, then a binomial one; or of the
    yield by which an end of an interval is found."""
    total = np.full(draws, float(sum(stratum.relevant for stratum in segment)))
    shared = shared_priors(segment, prior)
    for one in shared:
        if (audited := one.portion.audited) is not None:
            # The documents that the audits found are in `total` already.
            total += draw_audited(audited, one.prior, draws, rng, end) - audited.relevant
    for _, unseen, a, b in parts_of(shared):
        if unseen:
            shares = np.asarray(random_beta(a, b, draws, rng=rng))
            total += binomial_draws.fill(unseen, shares.ravel(), rng.bit_generator).reshape(
                shares.shape
            )
    return total
