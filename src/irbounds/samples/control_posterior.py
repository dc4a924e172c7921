"""The posterior of recall from one random sample of the whole collection, whose division into
retrieved and unretrieved documents is unknown or has no effect.

Every number m of unseen relevant documents has a distribution of the retrieved ones among them.
Up to EVERY_COUNT likely numbers are summed one by one: recall is on a lattice, with atoms at small
denominators. In larger collections these are small, and nodes stand for their neighbours.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from irbounds._core.beta_binomial_path import beta_binomial_path
from irbounds._core.yield_posterior import YieldLaw, likely_counts

# Likely numbers of unseen relevant documents that are all summed: 12 ms a sum, 0.25 to 0.6 s an
# end, where nodes took 0.3 to 0.8 s.
EVERY_COUNT = 2**19
# The posterior of recall depends on m only through the finite population, as smoothly as m changes
# by a small part of itself: nodes m/SPACING apart stand for all.
SPACING = 400  # ends were within 3e-6 of all m's in 20 designs of 150,000 to 600,000 documents
SPACING_AT_TOP = 200  # the same near m = all unseen, where the law of m may be singular too
MOST_SINGLE = 2**20  # numbers of relevant documents whose probabilities are all computed
IMPOSSIBLE = 1e-9  # probability below which a sample contradicts the sizes of the segments
TOLERANCE = 2.0**-44  # of ends, 6e-14
ROUGHLY = 2.0**-34  # where nodes leave an error anyway
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
        if likely_counts(*parameters) <= EVERY_COUNT:
            every = _EveryCount(self, YieldLaw.beta_binomial(0, *parameters, True), a, b)
            return [_least_share(every.below, p, TOLERANCE) for p in probabilities]
        laws = self._laws(parameters, a, b)
        return [_least_share(lambda q: self._below(laws, q), p, ROUGHLY) for p in probabilities]

    def _laws(self, parameters: tuple[float, float, float], a: float, b: float) -> list[_Node]:
        """Numbers of unseen relevant documents, and the distribution of the retrieved ones among
        them."""
        position, weights = YieldLaw.beta_binomial(
            0, *parameters, likely_counts(*parameters) <= MOST_SINGLE
        ).atoms
        nodes, masses = _nodes(np.round(position), weights, self.unseen)
        step = np.diff(nodes, prepend=nodes[0] - 1)
        return [
            _Node(m, mass, width - 1, YieldLaw.beta_binomial(0, m, a, b))
            for m, mass, width in zip(nodes.tolist(), masses.tolist(), step.tolist(), strict=True)
            if mass > 1e-18
        ]

    def _below(self, laws: list[_Node], q: float) -> float:
        """P(recall <= q), given that no segment has more relevant documents than documents.

        If the sample makes this nearly impossible, it contradicts the sizes, and they are ignored.
        """
        reached = possible = everything = 0.0
        for m, weight, width, law in laws:
            least, most = max(0.0, m - (self.size0 - self.r0)), min(m, self.size1 - self.r1)
            # (r1 + x)/(r1 + r0 + m) <= q; a product within rounding of a whole number is that
            # number
            x = q * (self.r1 + self.r0 + m) * (1 + 4e-16) - self.r1
            parts = _counts_below(x, m, min(1.0, width * min(q, 1 - q)), q > 0.5)
            everything += weight * (1 - sum(part * law.above_at(k + 1) for k, part in parts))
            if least > most:
                continue
            first, last = law.above_at(least), law.above_at(most + 1)
            possible += weight * (first - last)
            reached += weight * sum(
                part * (first - max(last, law.above_at(min(most, max(least - 1, k)) + 1)))
                for k, part in parts
            )
        return reached / possible if possible > IMPOSSIBLE else everything


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


class _Node(NamedTuple):
    """A number of unseen relevant documents, which may represent its neighbours, and the
    distribution given it; the width is 0 where it represents itself alone."""

    number: float
    weight: float
    width: float
    law: YieldLaw


def _counts_below(x: float, m: float, window: float, from_top: bool) -> list[tuple[float, float]]:
    """The largest whole number at or below x for the numbers m of a node, and their shares.

    As m moves through the node, x moves by q times its width and m - x by 1 - q times it, which
    near a recall of 1 is less than a document: the shares are of a window of the lesser width.
    """
    if not window:
        return [(math.floor(x), 1.0)]
    base = m if from_top else 0.0
    start = base - x - window / 2
    first = math.ceil(start)
    share = min(1.0, (first - start) / window)
    return [(base - first, share), (base - first - 1, 1 - share)]


def _nodes(values: np.ndarray, weights: np.ndarray, unseen: float) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and their masses: whole numbers near none and near all unseen documents, numbers a
    SPACING-th of themselves apart between, or closer.  The mass between two nodes is divided by
    linear interpolation."""
    values, weights = values[weights > 0], weights[weights > 0]
    places, last = [float(values.min())], float(values.max())
    while places[-1] < last:
        step = max(1.0, min(places[-1] // SPACING, (unseen - places[-1]) // SPACING_AT_TOP))
        places.append(min(last, places[-1] + step))
    nodes = np.array(places)
    if nodes.size == 1:
        return nodes, np.array([weights.sum()])
    left = np.clip(np.searchsorted(nodes, values, side="right") - 1, 0, nodes.size - 2)
    part = (values - nodes[left]) / (nodes[left + 1] - nodes[left])
    masses = np.bincount(left, weights * (1 - part), nodes.size)
    return nodes, masses + np.bincount(left + 1, weights * part, nodes.size)


def _least_share(below: Any, p: float, tolerance: float) -> float:
    """The smallest q with P(recall <= q) >= p: the interval is halved, or cut down to near the
    place where a line through its ends reaches p."""
    low, high, at_low, at_high = 0.0, 1.0, 0.0, 1.0
    while high - low > tolerance:
        width = high - low
        guess = low + width * (p - at_low) / (at_high - at_low)
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
