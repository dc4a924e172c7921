"""The exact engine: laws of the yields of two segments, and of what is computed from them."""
from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from statistics import NormalDist
from typing import Any

import numpy as np

from irbounds._core import binomial_draws
from irbounds._core.yield_posterior import YieldLaw, below, count_cells, quantile
from irbounds.foundation.sampling import random_beta
from irbounds.samples.priors import Prior, priors_of
from irbounds.samples.strata import Stratum

EXACT_TO = 20_000    # documents in a segment to which every one of them has a cell
NARROW = 4096        # likely yields of one law to which it has a cell for each
WIDE = 2**15         # and of the other one, which is only looked up
FEWEST_POINTS, MOST_POINTS = 2**13, 2**21  # of a sum of strata; four times as many until results stay
SETTLED = 5e-6       # within this
ROUNDING = 5e-7      # more error from rounding up to whole documents is not left in a quantile


def segment_law(segment: Sequence[Stratum], prior: Prior, single: bool = False, points: int = MOST_POINTS) -> YieldLaw:
    """The posterior of a segment's yield; strata are independent, each with its share of the prior.

    `single` asks for a cell for every document of a single stratum; a sum of strata has at most so many `points`.
    """
    if len(segment) > 1:
        return _sum_law(segment, prior, points)
    return YieldLaw.beta_binomial(*_parameters(segment, prior)[0], 1 if single else math.inf)


def likely_yields(segment: Sequence[Stratum], prior: Prior) -> float:
    """How many values the yield of a single stratum likely has."""
    return count_cells(*_parameters(segment, prior)[0][1:], 1) if len(segment) == 1 else math.inf


def _parameters(segment: Sequence[Stratum], prior: Prior) -> list[tuple[float, float, float, float]]:
    """Each stratum's seen relevant and unseen documents, and both parameters of the posterior of its share."""
    return [(stratum.relevant, stratum.size - stratum.sampled, alpha + stratum.relevant,
             beta + stratum.sampled - stratum.relevant)
            for stratum, (alpha, beta) in zip(segment, priors_of(prior, segment), strict=True)]


def _sum_law(segment: Sequence[Stratum], prior: Prior, points: int) -> YieldLaw:
    """The law of a sum, by convolution on a common lattice.

    Its step is one document where the sum has no more likely values than points.  A wider step shares the probability
    of each count between its two neighbours on the lattice so that the mean stays: the variance grows by at most a
    quarter of the squared step for each stratum.
    """
    parameters = _parameters(segment, prior)
    coarse = [YieldLaw.beta_binomial(*four, math.inf) for four in parameters]
    mean, spread = sum(law.mean for law in coarse), math.sqrt(sum(law.std**2 for law in coarse))
    room = 14 * spread + 40 * max(law.std for law in coarse)
    low = max(sum(law.left[0] for law in coarse), math.floor(mean - room))
    high = min(sum(law.left[law.n_cells] - 1 for law in coarse), math.ceil(mean + room))
    step = max(1, math.ceil((high - low + 1) / points))
    # each law begins at its own least count; the sum's first point is the sum of these, and what lies far below is cut
    first = sum(law.left[0] for law in coarse)
    n = 1 << max(1, math.ceil(math.log2((high - first) / step + 2)))
    spectrum = np.ones(n // 2 + 1, complex)
    for four, law in zip(parameters, coarse, strict=True):
        narrow = law if law.is_single else YieldLaw.beta_binomial(*four, step)
        place = (narrow.position - law.left[0]) / step
        floor = np.floor(place)
        share, lower = place - floor, floor.astype(np.int64) % n
        masses = np.bincount(lower, (1 - share) * narrow.weight, n) + np.bincount(
            (lower + 1) % n, share * narrow.weight, n)
        spectrum *= np.fft.rfft(masses)
    masses = np.maximum(np.fft.irfft(spectrum, n), 0)
    counts = first + step * np.arange(n)
    kept = slice(0, max(1, int((high - first) // step) + 2))
    return lattice_law(counts[kept], masses[kept] / masses[kept].sum(), step)


def lattice_law(points: np.ndarray, masses: np.ndarray, step: float, *, continuous: bool = False) -> YieldLaw:
    """A law from equally spaced points, each of which stands for what is about it; a step of 1 is documents."""
    left = np.append(points, points[-1] + step) - (step - 1) / 2
    above = np.append(np.cumsum(masses[::-1])[::-1], 0.0)
    slope = np.zeros(left.size)
    slope[1:-1] = (masses[1:] + masses[:-1]) / (2 * step)
    n_single = left.size - 1 if step == 1 and not continuous else 0
    return YieldLaw(left, above, slope, points.astype(float), masses, None, None, n_single)


class YieldPair:
    """The yields R1 of the retrieved and R0 of the unretrieved segment, independent, and measures of both."""

    def __init__(self, retrieved: Sequence[Stratum], unretrieved: Sequence[Stratum], prior: Prior) -> None:
        self.segments: list[list[Stratum]] = [list(retrieved), list(unretrieved)]
        self.prior = prior
        both_small = self._is_small = all(sum(s.size for s in segment) <= EXACT_TO for segment in self.segments)
        counts = self._likely = [likely_yields(segment, prior) for segment in self.segments]
        self._single = [both_small or n <= NARROW or (n <= WIDE and min(counts) <= NARROW) for n in counts]
        self._at: dict[int, list[YieldLaw]] = {}
        self.size: int = sum(stratum.size for stratum in retrieved)

    @property
    def _rounds(self) -> bool:
        """Whether both laws have cells of several documents, though one could do without."""
        return math.isfinite(max(self._likely)) and not any(law.is_single for law in self.laws)

    @cached_property
    def _fine(self) -> list[YieldLaw]:
        """The narrower law with a cell for every document, so that no rounding is averaged."""
        return [segment_law(segment, self.prior, n == min(self._likely) or n <= 4 * WIDE)
                for segment, n in zip(self.segments, self._likely, strict=True)]

    def laws_at(self, points: int) -> list[YieldLaw]:
        """Both laws, sums of strata with so many points."""
        if points not in self._at:
            self._at[points] = [segment_law(segment, self.prior, single, points)
                                for segment, single in zip(self.segments, self._single, strict=True)]
        return self._at[points]

    @property
    def laws(self) -> list[YieldLaw]:
        """The laws with as few points as there may be; single strata have no others."""
        return self.laws_at(FEWEST_POINTS)

    def settled(self, value_with: Callable[[list[YieldLaw]], float], least: float = SETTLED) -> float:
        """A value from laws of sums, with four times as many points until it stays."""
        points = FEWEST_POINTS
        value = value_with(self.laws_at(points))
        while points < MOST_POINTS and not all(len(segment) == 1 or law.is_single for segment, law in
                                               zip(self.segments, self.laws_at(points), strict=True)):
            points *= 4
            before, value = value, value_with(self.laws_at(points))
            if abs(value - before) <= least * max(1.0, abs(value)):
                break
        return value

    def below(self, measure: str, x: float, *, strict: bool = False, beta: float = 1) -> float:
        """P(measure <= x), or P(measure < x)."""
        if max(map(len, self.segments)) > 1:
            return min(1.0, max(0.0, self.settled(
                lambda laws: below(measure, laws[0], laws[1], x, strict, beta, self.size))))
        laws = self._fine if self._rounds and min(self._likely) <= 4 * WIDE else self.laws
        return float(min(1.0, max(0.0, below(measure, laws[0], laws[1], x, strict, beta, self.size))))

    def quantile(self, measure: str, p: float, beta: float = 1) -> float:
        """The least value with P(measure <= value) >= p."""
        if max(map(len, self.segments)) > 1:
            return self.settled(lambda laws: quantile(measure, laws[0], laws[1], p, beta, self.size))
        x = float(quantile(measure, self.laws[0], self.laws[1], p, beta, self.size, *self._guess(measure, p),
                           1e-11 if self._is_small else 2e-9))
        if measure == "yield" or not self._rounds:
            return x
        # A step of recall is about q²/R1, of which up to a half may be rounding at simple ratios R0 : R1.
        retrieved, unretrieved = (max(1.0, law.mean) for law in self.laws)
        if x * x / (2 * max(retrieved, retrieved**2 / unretrieved)) < ROUNDING:
            return x
        return float(quantile(measure, self._fine[0], self._fine[1], p, beta, self.size, x, 2e-6, 2e-9))

    def rough_recall(self, p: float) -> float:
        """A quantile of recall from laws with few points: to about four digits, and quickly."""
        return float(quantile("recall", self.laws[0], self.laws[1], p, 1, self.size, *self._guess("recall", p), 1e-6))

    def _guess(self, measure: str, p: float) -> tuple[float, float]:
        """A quantile of recall by the normal approximation of log(R0/R1), and how near it may be."""
        first, second = self.laws
        if measure != "recall" or first.mean <= 0 or second.mean <= 0 or not 0 < p < 1:
            return 0.0, 0.0
        spread = math.hypot(first.std / first.mean, second.std / second.mean)
        log_odds = math.log(first.mean / second.mean) + NormalDist().inv_cdf(p) * spread
        q = 1 / (1 + math.exp(-log_odds))
        return q, 0.1 * q * (1 - q) * spread

    def mean(self, measure: str, beta: float = 1) -> float:
        """E[measure], as a sum over both lattices."""
        coarse = [segment_law(segment, self.prior) if math.isfinite(n) and law.position.size > NARROW else law
                  for segment, law, n in zip(self.segments, self.laws, self._likely, strict=True)]
        (r1, w1), (r0, w0) = ((law.position[likely], law.weight[likely]) for law in coarse
                              for likely in [law.weight > 1e-17])
        square, total = beta * beta, 0.0
        for chunk in range(0, r1.size, 256):
            first = r1[chunk:chunk + 256, None]
            if measure == "recall":
                values = first / np.maximum(first + r0, 1e-300)
            elif measure == "f":
                values = (1 + square) * first / (square * (first + r0) + self.size)
            else:
                values = first + r0
            total += float(w1[chunk:chunk + 256] @ (values @ w0))
        return total


def draw_yields(segment: Sequence[Stratum], prior: Prior, draws: Any, rng: np.random.Generator) -> np.ndarray:
    """Draws of a segment's yield: for each stratum a beta variate, then a binomial one."""
    total = np.full(draws, sum(stratum.relevant for stratum in segment))
    for _, unseen, a, b in _parameters(segment, prior):
        if unseen:
            shares = np.asarray(random_beta(a, b, draws, rng=rng))
            total += binomial_draws.fill(unseen, shares.ravel(), rng.bit_generator).reshape(shares.shape)
    return total
