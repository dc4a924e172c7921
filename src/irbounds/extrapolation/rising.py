"""Distributions of a function of two independent yields that rises with one of them.

P(f <= q) is the expectation over one yield of the probability that the other, with which f rises, is at most where f
reaches q.  Where that is depends smoothly on the first yield, so that it is looked for at some hundred values of it.
"""
from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from irbounds._core.yield_posterior import YieldLaw
from irbounds.foundation.quadrature import find_roots

NODES = 320       # values of the other yield at which f is solved for the rising one, where there are more
LIKELY = 1e-15    # less probable values of it are left out
NEAR = 4e-6       # so near to p, relative to p, is a probability that is p
TOLERANCE = 1e-8  # of a quantile, on the scale that f is given in

Function = Callable[[np.ndarray, np.ndarray], np.ndarray]


class RisingFunction:
    """f(rising, other) of two yields: `rise` gives it, for arrays, on a scale that is near to a line."""

    def __init__(self, rise: Function, rising: YieldLaw, other: YieldLaw) -> None:
        self.rise: Function = rise
        self.law: YieldLaw = rising
        self._is_single = rising.is_single and other.is_single
        likely = other.weight > LIKELY
        self._value, self._weight = other.position[likely], other.weight[likely]
        place = _nodes(self._weight, self._value)
        self._node = self._value[place]
        self._ends = float(rising.left[0]), float(rising.left[rising.n_cells]) - 1
        first, last = (np.full(self._node.shape, end) for end in self._ends)
        self._at_ends = [rise(end, self._node) for end in (first, last)]
        self._slopes = [np.maximum(abs(rise(inside, self._node) - at_end), 1e-9)
                        for inside, at_end in zip((np.minimum(first + 1, last), np.maximum(last - 1, first)),
                                                  self._at_ends, strict=True)]
        self._most = float(self._at_ends[1].max())
        self._solved: list[tuple[float, np.ndarray]] = []

    def below(self, q: float) -> float:
        """P(f <= q)."""
        reached = self._reached(q)
        if self._node.size < self._value.size:
            from scipy.interpolate import CubicSpline

            start = self._value[0]
            curve = CubicSpline(np.log1p(self._node - start), reached)
            reached = curve(np.log1p(self._value - start))
        # Of single documents those up to `reached` count.  A point that stands for its neighbourhood has on the average
        # those up to half a document less, on a line between them.
        above = np.floor(reached + 1e-9) + 1 if self._is_single else reached + 0.5
        return float(self._weight @ (1 - _above(self.law, above)))

    def _reached(self, q: float) -> np.ndarray:
        """At each node the argument where f is q; beyond its ends it goes on by a line, so that there is no step."""
        first, last = self._ends
        low, high = np.full(self._node.shape, first), np.full(self._node.shape, last)
        for known, reached in self._solved:  # what is known of other q is a bracket
            if known <= q:
                low = np.maximum(low, reached)
            else:
                high = np.minimum(high, np.maximum(reached, first))
        under, over = self._at_ends[0] > q, self._at_ends[1] <= q
        inside = ~(under | over)
        short = (self._at_ends[0] - q) / self._slopes[0], (q - self._at_ends[1]) / self._slopes[1]
        room = 2 + 0.1 * (last - first)
        roots = np.where(under, first - np.minimum(short[0], room), last + np.minimum(short[1], room))
        if inside.any() and first < last:
            node = self._node[inside]
            width = 1e-7 * (last - first)  # roots are as near as that times 1e-3
            low, high = np.maximum(low[inside] - width, first), np.minimum(high[inside] + width, last)
            roots[inside] = find_roots(lambda x: self.rise(x, node) - q, low, high, 1e-10 * (last - first))
        self._solved = sorted([*self._solved, (q, roots)], key=lambda item: abs(item[0] - q))[:4]
        return roots

    def quantile(self, p: float) -> float:
        """The least q with P(f <= q) >= p."""
        low, high = self._bracket(p)

        def excess(q: np.ndarray) -> np.ndarray:
            reached = self.below(float(q[0]))
            return np.array([0.0 if abs(reached - p) < NEAR * min(p, 1 - p) else _log_odds(reached) - _log_odds(p)])

        if low == high:
            return low
        found = float(find_roots(excess, np.array([low]), np.array([high]), TOLERANCE)[0])
        return self._most if found > self._most - 4 * TOLERANCE else found

    def _bracket(self, p: float) -> tuple[float, float]:
        """From the values that f has at a few values of both yields, widened until the quantile is inside."""
        few = _middles(self.law.position, self.law.weight), _middles(self._value, self._weight)
        values = np.sort(self.rise(*(grid.ravel() for grid in np.meshgrid(*few))))
        least, most = float(self._at_ends[0].min()), self._most
        middle = float(values[min(values.size - 1, int(p * values.size))])
        room = 0.05 * float(values[int(0.9 * values.size)] - values[int(0.1 * values.size)]) + 1e-6
        low = high = middle
        while self.below(low) >= p:
            if low <= least:
                return low, low
            high, low, room = low, max(least, low - room), 2 * room
        while high < most and self.below(high) < p:
            low, high, room = high, min(most, high + room), 2 * room
        return low, high


def _log_odds(p: float) -> float:
    return -40.0 if p < 1e-17 else 40.0 if p > 1 - 1e-16 else math.log(p / (1 - p))


def _middles(value: np.ndarray, weight: np.ndarray, count: int = 24) -> np.ndarray:
    """Values in the middle of so many equally probable parts."""
    through = np.cumsum(weight)
    return value[np.minimum(np.searchsorted(through, (np.arange(count) + 0.5) / count * through[-1]), value.size - 1)]


def _nodes(weight: np.ndarray, value: np.ndarray) -> np.ndarray:
    """Places of some values, all where there are few: as dense as probability, as logarithms, and as values are."""
    if value.size <= NODES:
        return np.arange(value.size)
    scales = (np.cumsum(weight), np.log1p(value - value[0]), value - value[0])
    share = np.linspace(0, 1, NODES // 3)
    return np.unique(np.concatenate([
        [0, value.size - 1],
        *(np.minimum(np.searchsorted(scale, scale[0] + share * (scale[-1] - scale[0])), value.size - 1)
          for scale in scales)]))


def _above(law: YieldLaw, x: np.ndarray) -> np.ndarray:
    """P(yield >= x), between whole numbers by a curve."""
    n = law.n_cells
    cell = np.clip(np.searchsorted(law.left[:n + 1], x, side="right") - 1, 0, n - 1)
    width = law.left[cell + 1] - law.left[cell]
    t = np.clip((x - law.left[cell]) / width, 0, 1)
    first, second = law.above[cell], law.above[cell + 1]
    u = 1 - t
    curve = (u * u * (1 + 2 * t) * first + t * t * (1 + 2 * u) * second
             - t * u * width * (u * law.slope[cell] - t * law.slope[cell + 1]))
    inside = np.where(width == 1, first + t * (second - first), curve)
    return np.where(x <= law.left[0], law.above[0], np.where(x >= law.left[n], 0.0, inside))
