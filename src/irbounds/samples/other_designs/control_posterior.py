"""The posterior of recall from one random sample of the whole collection, whose division into
retrieved and unretrieved documents is unknown or has no effect.

Every number m of unseen relevant documents has a distribution of the retrieved ones among them.
Up to EVERY_COUNT likely numbers are summed one by one: recall is on a lattice, with atoms at small
denominators. In larger collections these are small, and nodes stand for their neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from irbounds._core.samples.beta_binomial_path import beta_binomial_path
from irbounds._core.samples.yield_posterior import LawRow, YieldLaw, likely_counts

if TYPE_CHECKING:
    from irbounds.typing import FloatOrArray

# Likely numbers of unseen relevant documents that are all summed: a sum over 2^20 of them takes
# 70 ms.  Beyond FEW_COUNTS nodes, of which a sum takes 1 ms, first tell where the end is.
FEW_COUNTS = 2**16
EVERY_COUNT = 2**20
REACH = 2.0**-11  # from an end by nodes, as a part of it, where it is first looked for
# The posterior of recall depends on m only through the finite population, as smoothly as m changes
# by a small part of itself: nodes m/SPACING apart stand for all.
# In 59 designs of 630,000 to 2,000,000 documents ends were within 1.4e-5 of all m's; within 2e-6 in
# 26 where the sizes of the segments exclude less than half of the posterior.
SPACING = 400
SPACING_OF_GUESS = 50  # likewise within 5e-5
IMPOSSIBLE = 1e-9  # probability below which a sample contradicts the sizes of the segments
TOLERANCE = 2.0**-44  # of ends, 6e-14
ROUGHLY = 2.0**-34  # where sums are long, or nodes leave an error anyway: 6e-11
NEARBY = 64  # parts of an interval between a guess and the tries on its sides


@dataclass(frozen=True)
class Sample:
    """Counts of the sample, and the sizes of the segments, which may be infinite."""

    sampled: float
    r1: float
    r0: float
    size1: float
    size0: float

    @property
    def unseen(self) -> float:
        """Documents outside the sample."""
        return self.size1 + self.size0 - self.sampled

    def quantiles(self, prior: float, probabilities: tuple[float, ...]) -> list[float]:
        """Quantiles of recall.  The share of the relevant documents that are retrieved has a
        beta prior; it is independent of the number of relevant documents, whose share of the
        collection has a beta prior too."""
        from scipy.special import betaincinv

        found = self.r1 + self.r0
        a, b = prior + self.r1, prior + self.r0
        if not np.isfinite(self.unseen):
            return [float(betaincinv(a, b, p)) for p in probabilities]
        parameters = self.unseen, prior + found, prior + self.sampled - found
        n = likely_counts(*parameters)
        if n <= FEW_COUNTS:
            every = _EveryCount(self, YieldLaw.beta_binomial(0, *parameters, True), a, b)
            return [_least_share(every.below, p, TOLERANCE) for p in probabilities]
        # Nodes tell where an end is, so that few of the long sums are needed.
        is_every = n <= EVERY_COUNT
        nodes = self._nodes(parameters, a, b, SPACING_OF_GUESS if is_every else SPACING)
        ends = [_least_share(nodes.below, p, ROUGHLY) for p in probabilities]
        if not (is_every and ends):
            return ends
        every = _EveryCount(self, YieldLaw.beta_binomial(0, *parameters, True), a, b)
        return [
            _least_share(every.below, p, ROUGHLY, *_bracket(every.below, p, end))
            for p, end in zip(probabilities, ends, strict=True)
        ]

    def _nodes(
        self, parameters: tuple[float, float, float], a: float, b: float, spacing: int
    ) -> _Nodes:
        """Numbers of unseen relevant documents, and the distribution of the retrieved ones among
        them."""
        nodes, masses = _nodes(YieldLaw.beta_binomial(0, *parameters), self.unseen, spacing)
        # A node stands for the numbers after the node before it; one that stands for itself has the
        # width 0.
        step = np.diff(nodes, prepend=nodes[0] - 1)
        likely = masses > 1e-18
        return _Nodes(self, nodes[likely], masses[likely], step[likely] - 1, a, b)


class _Nodes:
    """The distribution of recall from some numbers m of unseen relevant documents, each of which
    may represent its neighbours; the width is 0 where it represents itself alone."""

    def __init__(
        self,
        sample: Sample,
        m: np.ndarray,
        weight: np.ndarray,
        width: np.ndarray,
        a: float,
        b: float,
    ) -> None:
        self.r1, self.found = sample.r1, sample.r1 + sample.r0
        self.m, self.weight, self.width = m, weight, width
        self.laws = LawRow([YieldLaw.beta_binomial(0, number, a, b) for number in m.tolist()])
        self.least = np.maximum(0.0, m - (sample.size0 - sample.r0))
        self.most = np.minimum(m, sample.size1 - sample.r1)
        first, last = self.laws.above(self.least), self.laws.above(self.most + 1)
        is_possible = self.least <= self.most
        self.first, self.last = np.where(is_possible, first, 0.0), np.where(is_possible, last, 0.0)
        self.possible = float((weight * (self.first - self.last)).sum())

    def below(self, q: float) -> float:
        """P(recall <= q), given that no segment has more relevant documents than documents.

        If the sample makes this nearly impossible, it contradicts the sizes, and they are ignored.
        """
        # (r1 + x)/(r1 + r0 + m) <= q; a product within rounding of a whole number is that number
        x = q * (self.found + self.m) * (1 + 4e-16) - self.r1
        total = 0.0
        for k, share in _counts_below(x, self.m, self.width * min(q, 1 - q), q > 0.5):
            if self.possible > IMPOSSIBLE:
                k = np.minimum(self.most, np.maximum(self.least - 1, k))
                part = self.first - np.maximum(self.last, self.laws.above(k + 1))
            else:
                part = 1 - self.laws.above(k + 1)
            total += float((self.weight * share * part).sum())
        return total / self.possible if self.possible > IMPOSSIBLE else total


class _EveryCount:
    """The distribution of recall by a sum over every likely number m of unseen relevant
    documents."""

    def __init__(self, sample: Sample, law: YieldLaw, a: float, b: float) -> None:
        self.first, self.weights, self.shapes = law.ends[0], law.masses, (a, b)
        self.r1, self.found = sample.r1, sample.r1 + sample.r0
        m = self.m = self.first + np.arange(self.weights.size, dtype=float)
        # no segment has more relevant documents than documents
        self.most = np.minimum(m, sample.size1 - sample.r1)
        least = np.maximum(0.0, m - (sample.size0 - sample.r0))
        self.under, self.up_to = self._reached(least - 1), self._reached(self.most)
        is_possible = least <= self.most
        possible = self.weights * np.where(is_possible, self.up_to - self.under, 0.0)
        # where the sample contradicts the sizes they are ignored
        if possible.sum() <= IMPOSSIBLE:
            self.under, self.up_to = np.zeros(m.shape), np.ones(m.shape)
        else:
            self.weights = np.where(is_possible, self.weights, 0.0)
        self.total = self._mean(self.up_to - self.under)

    def _reached(self, k: np.ndarray) -> np.ndarray:
        # k never falls as m rises, so that one walk over the lattice of (m, k) reaches all points.
        return beta_binomial_path(self.first, k, *self.shapes)

    def below(self, q: float) -> float:
        """P(recall <= q)."""
        # (r1 + x)/(r1 + r0 + m) <= q; a product within rounding of a whole number is that number
        k = np.floor(q * (self.found + self.m) * (1 + 4e-16) - self.r1)
        reached = self._reached(np.maximum.accumulate(np.maximum(k, -1.0)))
        reached = np.maximum(np.minimum(reached, self.up_to), self.under) - self.under
        return self._mean(reached) / self.total

    def _mean(self, values: np.ndarray) -> float:
        """In a fixed order, and without the threads that `@` starts."""
        return float((self.weights * values).sum())


def _counts_below(
    x: np.ndarray, m: np.ndarray, window: np.ndarray, from_top: bool
) -> list[tuple[np.ndarray, np.ndarray]]:
    """The largest whole numbers at or below x for the numbers m of nodes, and their shares.

    As m moves through a node, x moves by q times its width and m - x by 1 - q times it, which
    near a recall of 1 is less than a document: the shares are of a window of the lesser width, at
    most one document.  A node that represents itself has the window 0 and one count.
    """
    window = np.minimum(1.0, window)
    base = m if from_top else np.zeros(m.shape)
    start = base - x - window / 2
    first = np.ceil(start)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(window > 0, np.minimum(1.0, (first - start) / window), 1.0)
    one = np.where(window > 0, base - first, np.floor(x))
    return [(one, share), (one - 1, 1 - share)]


def _nodes(law: YieldLaw, unseen: float, spacing: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and their masses: whole numbers near none and near all unseen documents, numbers a
    `spacing`-th of themselves apart between, or closer.

    The numbers between two nodes are divided between them by linear interpolation: by halves, or
    more for that on whose side the probabilities rise, which are taken for a line there.
    """
    first, last = law.ends
    places = [first]
    while places[-1] < last:
        step = max(1.0, min(places[-1] // spacing, (unseen - places[-1]) // (spacing // 2)))
        places.append(min(last, places[-1] + step))
    nodes = np.array(places)
    above, beyond = law.above_between(nodes), law.above_between(nodes + 1)
    masses = above - beyond
    if nodes.size == 1:
        return nodes, masses
    between, steps = np.maximum(0.0, beyond[:-1] - above[1:]), np.diff(nodes)
    density = (above[:-1] - above[1:]) / steps
    middles = (nodes[:-1] + nodes[1:]) / 2
    rise = np.gradient(density, middles) if density.size > 1 else np.zeros(1)
    with np.errstate(divide="ignore", invalid="ignore"):
        # A line of slope r over a step h gives the node on its right ½ + r h²/(12 mass) of the
        # mass, by ∫ (t/h)(d + r t) dt. A line that is nowhere negative has r h²/mass of at most 2
        # and a tilt of at most 1/6: beyond 0.2 the slope is an artefact of the differences.
        tilt = np.where(density > 0, rise * steps / density / 12, 0.0)
    share = 0.5 + np.clip(np.nan_to_num(tilt), -0.2, 0.2)
    masses[1:] += between * share
    masses[:-1] += between * (1 - share)
    return nodes, masses


def _bracket(below: FloatOrArray, p: float, guess: float) -> tuple[float, float, float, float]:
    """Two shares about a guess, P(recall <= share) below p at the first and not at the other one,
    and these probabilities."""
    low, high, at_low, at_high = 0.0, 1.0, 0.0, 1.0
    reach = max(REACH * min(guess, 1 - guess), ROUGHLY)  # a guess may be 0 or 1
    # Steps outward grow eightfold; a share that is passed is a bound for the other side.
    while (share := guess - reach) > low:
        reached = below(share)
        if reached < p:
            low, at_low = share, reached
            break
        high, at_high, reach = share, reached, 8 * reach
    while (share := guess + reach) < high:
        reached = below(share)
        if reached >= p:
            high, at_high = share, reached
            break
        low, at_low, reach = share, reached, 8 * reach
    return low, high, at_low, at_high


def _least_share(
    below: FloatOrArray,
    p: float,
    tolerance: float,
    low: float = 0.0,
    high: float = 1.0,
    at_low: float = 0.0,
    at_high: float = 1.0,
) -> float:
    """The smallest q with P(recall <= q) >= p: the interval is halved, or cut down to near the
    place where a line through its ends reaches p."""
    while high - low > tolerance:
        width = high - low
        guess = low + width * (p - at_low) / (at_high - at_low)
        # A try a 64th of the width on either side of the line's root: if the root is between them,
        # two evaluations divide the width by 32 where halving divides it by 4.
        for middle in (guess - width / NEARBY, guess + width / NEARBY, None):
            if middle is None and high - low <= width / 4:
                break
            middle = (low + high) / 2 if middle is None else middle
            if not low < middle < high:
                continue
            reached = below(middle)
            if reached >= p:
                high, at_high = middle, reached
            else:
                low, at_low = middle, reached
    return high
