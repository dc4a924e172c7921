"""The least measure among all totals of strata with little evidence against them.

The totals that are left are a convex set in a box (`samples/bounds/betting.py`). A barrier method
walks through its inside towards the least. The bound is then proved, however far the walk came: the
tangent of the evidence at any point is nowhere above the evidence, so the totals on one side of a
plane contain all that are left, and the least measure among those has a closed form.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from irbounds.samples.bounds.betting import Array, SegmentEvidence

# The barrier's weight is 1/t. It falls until the log evidence is as near the bar as its rounding
# allows; the bound is then that of a bar higher by 2 H + 1 times as much, with H strata.
FIRST_T, T_FACTOR, SLACK = 20.0, 8.0, 100.0
MOST_STEPS, MOST_HALVES, MOST_ROUNDS, MOST_LEVELS = 60, 30, 8, 60
ENOUGH = 0.01  # Newton's decrement: the next step gains a half of it
TO_THE_EDGE, SMALLEST_SHARE = 0.95, 1e-12
NEAR = 1e-7  # of the measure: another round gains less


class Goal(NamedTuple):
    """A measure that rises with every total: its value, and prices of documents, up to a factor, at
    which totals have a lower sum of prices than those with a given value if they have a lower
    value."""

    value: Callable[[Array], float]
    prices: Callable[[float], Array]


class Problem(NamedTuple):
    """All totals from `least` to `most` whose log evidence is below `log_bar`; the evidence has an
    error of rounding up to `error`. `own` is a bound that the numerator of a share is not below, 0
    where none is known."""

    evidence: SegmentEvidence
    least: Array
    most: Array
    log_bar: float
    error: float
    own: float = 0.0


def least_measure(problem: Problem, goal: Goal) -> float:
    """A bound that no totals that are left are below, next to the least of them."""
    least = goal.value(problem.least)
    is_constant = least == goal.value(problem.most)  # all prices are 0, as where none can be missed
    if is_constant or problem.evidence.at(problem.least).value < problem.log_bar:
        return least
    totals = _inside(problem)
    t, best, n_rounds = FIRST_T / float((problem.most - problem.least).sum()), -np.inf, 0
    last = SLACK * problem.error
    # The barrier gets lighter until the evidence is as near the bar as rounding allows. From then
    # on bounds are proved, until another round gains next to nothing.
    for level in range(MOST_LEVELS):
        prices = goal.prices(goal.value(totals))
        totals, slack = _centre(problem, totals, t * prices / prices.max())
        if slack > 2 * last and level < MOST_LEVELS - MOST_ROUNDS:
            t *= min(T_FACTOR, slack / last)
            continue
        n_rounds += 1
        proved = _beyond_tangent(problem, totals, goal)
        is_near = min(proved - best, goal.value(totals) - proved) <= NEAR * abs(proved)
        best = max(best, proved)
        if is_near or n_rounds == MOST_ROUNDS:
            break
    return best


def _inside(problem: Problem) -> Array:
    """Totals with little evidence against them: nearly the most, where it is below 1."""
    # The most totals have the least evidence against them, as g falls in every total; but they lie
    # on the wall of the box, where the barrier is infinite.
    width, share = problem.most - problem.least, 1e-3
    totals = problem.most - share * width
    while problem.evidence.at(totals).value >= problem.log_bar and share > SMALLEST_SHARE:
        share /= 16
        totals = problem.most - share * width
    return totals


def _centre(problem: Problem, totals: Array, prices: Array) -> tuple[Array, float]:
    """Totals inside whose sum of prices and barrier are least, by Newton's steps; and how far their
    log evidence is below the bar."""
    free = problem.most > problem.least
    low, high, price = problem.least[free], problem.most[free], prices[free]
    now = problem.evidence.at(totals)
    for _ in range(MOST_STEPS):
        x, slack = totals[free], problem.log_bar - now.value
        # Gradient and Hessian of price·x - log slack - Σ log(x - low) - Σ log(high - x), where
        # slack is the bar less the log evidence.
        below, above, slope = 1 / (x - low), 1 / (high - x), now.slope[free] / slack
        gradient = price + slope - below + above
        curved = now.curvature[np.ix_(free, free)] / slack + np.outer(slope, slope)
        step = -_solved(curved + np.diag(below**2 + above**2), gradient)
        gain = -float(gradient @ step)
        if not gain > ENOUGH:
            break
        with np.errstate(divide="ignore"):
            edges = np.where(step < 0, (low - x) / step, (high - x) / step)
        # A full step may cross a wall: it stops at 95 % of the way to the nearest one.
        length = min(1.0, TO_THE_EDGE * float(np.min(np.abs(edges))))
        start = _barrier(price, x, low, high, slack)
        for _ in range(MOST_HALVES):
            moved = totals.copy()
            moved[free] = x + length * step
            then = problem.evidence.at(moved)
            value = _barrier(price, moved[free], low, high, problem.log_bar - then.value)
            # Armijo's condition: at least a tenth of the fall that the slope promises.
            if value <= start - 0.1 * length * gain:
                break
            length /= 2
        else:
            break  # rounding hides what is left to gain
        totals, now = moved, then
    return totals, problem.log_bar - now.value


def _solved(matrix: Array, gradient: Array) -> Array:
    """Newton's step, by a matrix whose diagonal is one: its entries differ by many powers."""
    scale = 1 / np.sqrt(np.diag(matrix))
    scaled = matrix * np.outer(scale, scale)
    return np.asarray(scale * np.linalg.solve(scaled, gradient * scale), float)


def _barrier(prices: Array, x: Array, low: Array, high: Array, slack: float) -> float:
    if slack <= 0 or (x <= low).any() or (x >= high).any():
        return np.inf
    return float(prices @ x - np.log(slack) - np.log(x - low).sum() - np.log(high - x).sum())


def _beyond_tangent(problem: Problem, totals: Array, goal: Goal) -> float:
    """The least measure on the far side of a plane; each round has the least sum at the prices of
    the round before, so that the measure falls until no sum is cheaper.

    Where few documents are far from the plane its rounding lets shares of them through. If K in the
    numerator and M others have (1 - s) K - s M >= d, d <= 0, then K/(K + M) >= s + d/(K + M), and K
    + M is at least `own`. d is the least sum at the prices of s.
    """
    now = problem.evidence.at(totals)
    gain = np.maximum(0, -now.slope)  # of evidence that every document less would bring
    # With the tangent at `totals`, evidence at `least` exceeds the bar by as much. Documents are
    # added until it does not.
    needed = -float(now.slope @ (totals - problem.least)) + now.value - problem.log_bar
    width, best = problem.most - problem.least, goal.value(totals)
    by_own = -np.inf
    while True:
        prices = goal.prices(best)
        # from the least on, documents are added where they take most evidence for their price
        # Buying evidence at the lowest price is a fractional knapsack: the greedy order is optimal.
        order = np.argsort(-gain / np.maximum(prices, 1e-300), kind="stable")
        taken = (gain * width)[order]
        missing = np.clip(needed - (np.cumsum(taken) - taken), 0, None)
        part = np.divide(missing, gain[order], out=np.zeros_like(width), where=gain[order] > 0)
        added = np.zeros_like(width)
        added[order] = np.minimum(width[order], part)
        if problem.own > 0 and by_own == -np.inf:
            below = float(prices @ (problem.least + added - totals))
            by_own = best + min(0.0, below) / problem.own
        found = goal.value(problem.least + added)
        # Gains below the rounding of the sums are none: without this the loop may alternate between
        # two solutions.
        if not found < best * (1 - 1e-12):
            return max(best, by_own)
        best = found


def share_goal(n: int, n_others: int, own: float, others: float) -> Goal:
    """The share of the first n totals, with `own` documents known besides, in all; the rest counts
    documents that are not among the `others`."""
    is_own = np.arange(n + n_others) < n

    def parts(totals: Array) -> tuple[float, float]:
        return own + float(totals[:n].sum()), others - float(totals[n:].sum())

    def value(totals: Array) -> float:
        one, other = parts(totals)
        return one / (one + other) if one > 0 else 0.0

    return Goal(value, lambda share: np.where(is_own, 1 - share, share))


def sum_goal(n: int) -> Goal:
    """The sum of n totals."""
    return Goal(lambda totals: float(totals.sum()), lambda value: np.ones(n))
