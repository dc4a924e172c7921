"""Distributions of a function of two independent yields that rises with one of them.

P(f <= q) is a sum over rows of the other yield: the probability of the row times the probability
that the rising yield is at most the largest count with f <= q.  This count is searched in integers,
so the result has no rounding or interpolation.  The quantile is one of the values of f.

If the other yield has at most `ROWS` likely values, each has its own row, and the quantile is
exact.  Otherwise neighbouring values share a row, which is represented by its middle and has a
probability of at most 1/ROWS.  Let V be the total variation of P(f <= q | other yield) as a
function of the other yield: 1 if f is monotone, 2 if f turns once.  The error of P(f <= q) is then
at most V/(2 ROWS), which is 1.6e-5 for V = 2, whatever the shape of f.  If f is smooth, the errors
of neighbouring rows cancel, and the error is below 1e-7.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from irbounds._core.samples.yield_posterior import YieldLaw

ROWS = 2**16  # values of the other yield with a row of their own; see above
GUIDES = 320  # rows at which counts are looked for without a guess
UNLIKELY = 1e-15  # rows beyond which, at either end, there is less probability are left out
EQUAL = 1e-13  # a sum of probabilities so near to p, by rounding, is p
ROUGH = 0.05  # P(f <= q) by the guides' rows, a hundred equally probable ones among them, is nearer
MOST_LISTED = 2**17  # values between bounds of the quantile that are sorted to find it: 20 ms
NEAR = 1e-10  # bounds that are so near, relative to the value, are one

# f of (rising, other), on a scale of its own; arrays of one shape
Function = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Rows:
    """Counts of the other yield, ascending whole numbers, and their probabilities."""

    count: np.ndarray
    mass: np.ndarray


class Bound(NamedTuple):
    """A value q, P(f <= q), and for each row the largest count with f <= q."""

    q: float
    probability: float
    reached: np.ndarray


def make_rows(law: YieldLaw) -> Rows:
    """The rows of a distribution: single counts, or parts of cells with a probability above
    1/ROWS."""
    rows = Rows(*law.atoms) if law.is_single else _parts_of_cells(law)
    through = np.cumsum(rows.mass)
    likely = (through > UNLIKELY) & (through[-1] - through + rows.mass > UNLIKELY)
    return Rows(rows.count[likely], rows.mass[likely])


def _parts_of_cells(law: YieldLaw) -> Rows:
    """Parts with an odd number of counts: the middle is a count, and is the mean."""
    bounds, n = law.bounds, law.bounds.size - 1
    left, width = bounds[:-1], np.diff(bounds)
    wanted = np.maximum(1, np.ceil(-np.diff(_above(law, bounds)) * ROWS))
    part = np.maximum(1, np.floor(width / wanted))
    part -= part % 2 == 0
    full = np.floor(width / part).astype(np.int64)
    rest = width - full * part
    even = (rest > 0) & (rest % 2 == 0)
    cell = np.repeat(np.arange(n), full)
    within = np.arange(cell.size) - np.repeat(np.cumsum(full) - full, full)
    first = np.concatenate(
        [
            left[cell] + within * part[cell],  # full parts, the rest, and one more to make it odd
            (left + full * part)[rest > 0],
            (left + width - 1)[even],
        ]
    )
    size = np.concatenate([part[cell], (rest - even)[rest > 0], np.ones(int(even.sum()))])
    order = np.argsort(first, kind="stable")
    first, size = first[order], size[order]
    mass = -np.diff(np.append(_above(law, first), 0.0))
    return Rows(first + (size - 1) / 2, np.maximum(mass, 0.0))


class RisingFunction:
    """f of a rising yield and the rows of the other yield.

    Parameters
    ----------
    f : callable
        Rises with its first argument, or stays; takes whole counts.
    rising : YieldLaw
    rows : Rows
    most : float
        The greatest value that f has; it may be that of many pairs.
    scaled, unscaled : callable
        To a scale on which P(f <= q) has no far tail, and back.
    """

    def __init__(
        self,
        f: Function,
        rising: YieldLaw,
        rows: Rows,
        most: float,
        scaled: Callable[[Any], Any],
        unscaled: Callable[[float], float],
    ) -> None:
        self.f: Function = f
        self.law: YieldLaw = rising
        self.rows: Rows = rows
        self._most = most
        self._scaled, self._unscaled = scaled, unscaled
        self._ends = rising.ends
        self._guides = _guides(rows)
        # Each guide stands for the rows that are nearer to it than to other guides.
        edges = np.concatenate([[0], (self._guides[1:] + self._guides[:-1] + 1) // 2])
        self._guide_rows = Rows(rows.count[self._guides], np.add.reduceat(rows.mass, edges))

    def below(self, q: float) -> float:
        """P(f <= q)."""
        return self._bound(q).probability

    def quantile(self, p: float) -> float:
        """The smallest value with P(f <= value) >= p."""
        p = max(p - EQUAL, 0.0)
        # The largest value may have a probability of its own: it is asked for first, as bounds that
        # close in on it would never reach it.
        before_most = math.nextafter(self._most * (1 - NEAR), -math.inf)
        ends = (
            np.full(self._guide_rows.count.shape, end)
            for end in (self._ends[0] - 1, self._ends[1] + 1)
        )
        rough = self._weigh(self._search(before_most, self._guide_rows, *ends), self._guide_rows)
        if rough < p + ROUGH and self.below(before_most) < p:
            return self._most  # it may have much of the probability
        low, high = self._bracket(p, before_most)
        for step in range(200):
            listed = high.reached - low.reached
            if listed.sum() <= MOST_LISTED:
                return self._listed(low, listed.astype(np.int64), p)
            if high.q - low.q <= NEAR * abs(high.q):
                break
            middle = self._bound(self._between(low, high, p, step), low, high)
            low, high = (low, middle) if middle.probability >= p else (middle, high)
        return high.q

    def _listed(self, low: Bound, listed: np.ndarray, p: float) -> float:
        """The quantile from the list of all values between two bounds."""
        # One element for each count between the bounds, row after row.
        row = np.repeat(np.arange(listed.size), listed)
        after = np.arange(row.size) - np.repeat(np.cumsum(listed) - listed, listed)
        count = low.reached[row] + 1 + after
        value = self.f(count, self.rows.count[row])
        mass = self.rows.mass[row] * (_above(self.law, count) - _above(self.law, count + 1))
        order = np.argsort(value, kind="stable")
        through = low.probability + np.cumsum(mass[order])
        return float(value[order][min(int(np.searchsorted(through, p)), order.size - 1)])

    def _bracket(self, p: float, before_most: float) -> tuple[Bound, Bound]:
        """Bounds below and above the quantile: start at the estimate of the guide rows and move
        outwards in growing steps."""
        shape = self.rows.count.shape
        least = float(self.f(np.full(shape, self._ends[0]), self.rows.count).min())
        low = nothing = Bound(
            math.nextafter(least, -math.inf), 0.0, np.full(shape, self._ends[0] - 1)
        )
        high = everything = Bound(self._most, 1.0, np.full(shape, self._ends[1]))
        near = self._by_guides(p, nothing.q, before_most)
        step = 1e-9  # at least, and 64 times as much each time: P(f <= q) may be level for long
        while low.q < near < high.q:
            bound = self._bound(near, low, high)
            low, high = (low, bound) if bound.probability >= p else (bound, high)
            if low is not nothing and high is not everything:
                break
            # In proportion to the log odds that are missing, as both scales are nearly linear in
            # each other.
            missing = abs(_log_odds(bound.probability) - _log_odds(p))
            place = float(self._scaled(near)) + max(step, min(4 * missing, 0.1)) * (
                -1 if bound is high else 1
            )
            near, step = self._unscaled(place), 64 * step
        return low, high

    def _by_guides(self, p: float, low_q: float, high_q: float) -> float:
        """A rough quantile, from the guide rows only."""
        shape = self._guide_rows.count.shape
        low = Bound(low_q, 0.0, np.full(shape, self._ends[0] - 1))
        high = Bound(high_q, 1.0, np.full(shape, self._ends[1]))
        for step in range(60):
            # A start for `_bracket`, which moves outward from it: more digits would cost as much as
            # they save.
            if abs(low.probability - high.probability) < 1e-4 or high.q - low.q <= 1e-6 * abs(
                high.q
            ):
                break
            q = self._between(low, high, p, step)
            reached = self._search(q, self._guide_rows, low.reached, high.reached + 1)
            middle = Bound(q, self._weigh(reached, self._guide_rows), reached)
            low, high = (low, middle) if middle.probability >= p else (middle, high)
        return high.q

    def _between(self, low: Bound, high: Bound, p: float, step: int) -> float:
        """A value between two bounds, by linear interpolation of log odds; the middle at every
        third step."""
        first, last = float(self._scaled(low.q)), float(self._scaled(high.q))
        at_first, at_last = (_log_odds(bound.probability) - _log_odds(p) for bound in (low, high))
        # A secant on log odds; halving at every third step ends the search where it would creep.
        share = 0.5 if step % 3 == 2 or at_last <= at_first else -at_first / (at_last - at_first)
        # Not so near an end that the interval hardly gets smaller.
        q = self._unscaled(first + min(max(share, 0.02), 0.98) * (last - first))
        return q if low.q < q < high.q else (low.q + high.q) / 2

    def _bound(self, q: float, low: Bound | None = None, high: Bound | None = None) -> Bound:
        """The bound at a value between known ones."""
        rows = self.rows
        first = np.full(rows.count.shape, self._ends[0] - 1) if low is None else low.reached
        last = np.full(rows.count.shape, self._ends[1] + 1) if high is None else high.reached + 1
        guides = self._guides
        at_guides = self._search(q, self._guide_rows, first[guides], last[guides])
        guess = None
        if guides.size < rows.count.size:
            from scipy.interpolate import PchipInterpolator

            # The logarithm of the distance from the first row, as counts change most among the
            # first rows.
            start = rows.count[0]
            curve = PchipInterpolator(np.log1p(rows.count[guides] - start), at_guides)
            guess = np.rint(curve(np.log1p(rows.count - start)))
        reached = at_guides if guess is None else self._search(q, rows, first, last, guess)
        return Bound(q, self._weigh(reached, rows), reached)

    def _weigh(self, reached: np.ndarray, rows: Rows) -> float:
        return float(rows.mass @ (1 - _above(self.law, reached + 1)))

    def _search(
        self,
        q: float,
        rows: Rows,
        first: np.ndarray,
        last: np.ndarray,
        guess: np.ndarray | None = None,
    ) -> np.ndarray:
        """For each row the largest count with f <= q.  f <= q at `first`, or `first` is before all
        counts; f > q at `last`.  Starts at a guess, moves in growing steps, then bisects."""
        low, high = first.copy(), last.copy()
        place = np.flatnonzero(high - low > 1)
        if guess is None:
            guess = np.floor((low + high) / 2)
        test = np.clip(guess[place], low[place] + 1, high[place] - 1)
        step, halves = 1.0, np.zeros(place.size, bool)
        direction = np.zeros(place.size)
        while place.size:
            # Every round shrinks all intervals with f(low) <= q < f(high): `test` lies strictly
            # inside.
            under = self.f(test, rows.count[place]) <= q
            low[place], high[place] = (
                np.where(under, test, low[place]),
                np.where(under, high[place], test),
            )
            now = np.where(under, 1.0, -1.0)
            # A row whose count lies between two tests of unlike outcome is bisected from there on.
            halves |= direction * now < 0  # it was passed
            direction = now
            on = high[place] - low[place] > 1
            place, halves, direction = place[on], halves[on], direction[on]
            first_of, last_of = low[place], high[place]
            outward = np.where(direction > 0, first_of + step, last_of - step)
            test = np.where(
                halves,
                np.floor((first_of + last_of) / 2),
                np.clip(outward, first_of + 1, last_of - 1),
            )
            step *= 4
        return low


def _log_odds(p: float) -> float:
    # Clipped at the log odds of 4e-18: less is below the rounding of a sum of probabilities.
    return -40.0 if p < 1e-17 else 40.0 if p > 1 - 1e-16 else math.log(p / (1 - p))


def _guides(rows: Rows) -> np.ndarray:
    """Indices of guide rows, all rows if there are few: spaced evenly in probability, in logarithms
    and in counts."""
    if rows.count.size <= GUIDES:
        return np.arange(rows.count.size)
    # Even steps of probability serve the middle of the distribution, of logarithms the counts near
    # the first, and of counts the far end.
    scales = (
        np.cumsum(rows.mass),
        np.log1p(rows.count - rows.count[0]),
        rows.count - rows.count[0],
    )
    share = np.linspace(0, 1, GUIDES // 3)
    return np.unique(
        np.concatenate(
            [
                [0, rows.count.size - 1],
                *(
                    np.minimum(
                        np.searchsorted(scale, scale[0] + share * (scale[-1] - scale[0])),
                        rows.count.size - 1,
                    )
                    for scale in scales
                ),
            ]
        )
    )


def _above(law: YieldLaw, x: np.ndarray) -> np.ndarray:
    """P(yield >= x) for integer x."""
    return law.above_between(x)
