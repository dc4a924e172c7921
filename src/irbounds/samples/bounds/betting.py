"""Evidence about several strata at once that holds at every look, in whichever the next document is
drawn: what `samples/bounds/anytime_strata.py` bounds yields with.

T of the `size` documents of a stratum are of a kind, say relevant. A bettor against T, from more,
bets as if there were c T of the kind and as many others as there are, c > 1: each document of the
kind is then c times as likely compared with the others. After x of the kind among n documents the
bettor's wealth is the ratio of both chances,

    g(T) = (cT)_x (N)_n / ((T)_x (N + (c-1)T)_n),   with (y)_m = y (y-1) ... (y-m+1).

It depends on the counts alone, is a martingale of mean 1 where T is the truth, and falls as T
rises. log g is convex in T, as the derivatives of log (cT - i) - log (T - i), i < x, and of
-log(N + (c-1)T - i) show. For given T of all strata the product of their g is a martingale
whichever stratum is drawn from, and so are products of 1 - s + s g, s the bettor's stake, and means
of those products over bettors. The logarithm of the mean is convex again: the totals that are left
are a convex set."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]

# c - 1 of the bettors, four times as much from one to the next: wealth has its maximum at some c
# and is flat around it. Few win with a small c, which only samples of thousands can tell from 1.
ADDED = 4.0 ** np.arange(-6, 7)
ADDED_WEIGHTS = np.array([1, 1, 1, 1, 2, 3, 3, 3, 3, 2, 2, 2, 2], float)
# (power, stake, weight): c - 1 is scaled by the power of a stratum's share of the largest one. For
# samples in proportion to the strata the same c in all of them is best; for samples of equal size
# the odds of large strata, about which least is known, should be changed most. A half of the wealth
# at stake loses at most a half in a stratum where the worst totals have nothing to lose. Among six
# choices of weights these were within 3 % of the narrowest bound in eight of nine designs.
FAMILIES = ((0.0, 1.0, 2.0), (1.0, 1.0, 1.0), (1.0, 0.5, 1.0))
SERIES_FROM = 10.0  # Stirling's series have errors below 1e-12 from here on


LOG_MERGED = np.log([0.25, 0.25, 0.5])


class Strata(NamedTuple):
    """Samples of strata; `found` counts the documents of the kind."""

    size: Array
    sampled: Array
    found: Array


class LogEvidence(NamedTuple):
    """The logarithm of evidence at some totals, its slope and its curvature."""

    value: float
    slope: Array
    curvature: Array


def _series(x: Array, exact: Any, coefficients: tuple[float, ...], first: int) -> Array:
    """A series in 1/x, odd or even powers from the first on; SciPy's function for small x."""
    inverse = 1 / np.maximum(x, SERIES_FROM)
    square, value = inverse * inverse, np.zeros_like(inverse)
    for coefficient in reversed(coefficients):
        value = value * square + coefficient
    value *= inverse**first
    small = x < SERIES_FROM
    if small.any():
        value[small] = exact(x[small])
    return value


def _stirling_rest(x: Array) -> Array:
    """log Γ(x) - (x - ½) log x + x - ½ log 2π."""
    from scipy.special import gammaln

    def exact(x: Array) -> Any:
        return gammaln(x) - ((x - 0.5) * np.log(x) - x + 0.5 * np.log(2 * np.pi))

    # Stirling's series: the Bernoulli numbers B(2k) over 2k (2k - 1).
    return _series(x, exact, (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188), 1)


def _digamma_rest(x: Array) -> Array:
    """log x - ψ(x) - 1/(2x)."""
    from scipy.special import digamma

    def exact(x: Array) -> Any:
        return np.log(x) - digamma(x) - 0.5 / x

    # The Bernoulli numbers B(2k) over 2k.
    return _series(x, exact, (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132), 2)


def falling(y: Array, m: Array) -> tuple[Array, Array, Array]:
    """log of y (y-1) ... (y-m+1) and its first two derivatives in y, the second to some percent:
    only the search for the least uses it."""
    u = y + 1
    w = u - m
    # log((u - m)/u). log1p keeps digits where m is small beside u, the quotient where it is near 1.
    step = np.where(w < m, np.log(w / u), np.log1p(-m / u))
    # log Γ(u) - log Γ(u - m) by Stirling's series, in which the large terms cancel by formula:
    # differences of gammaln would lose the digits of populations of 10^9.
    value = m * np.log(u) - (w - 0.5) * step - m + _stirling_rest(u) - _stirling_rest(w)
    slope = -step + 0.5 / w - 0.5 / u + _digamma_rest(w) - _digamma_rest(u)
    curvature = -m / (u * w) - 0.5 / (w * w) + 0.5 / (u * u)
    return value, slope, curvature - (1 / w**3 - 1 / u**3) / 6


class EvidenceFromMore:
    """The mean wealth of all bettors against totals of some strata, from more."""

    def __init__(self, strata: Strata) -> None:
        self.strata = strata
        self.least = strata.found
        # where nothing was sampled there is no evidence
        unseen = strata.size - strata.sampled
        self.most = strata.found + np.where(strata.sampled > 0, unseen, 0)
        families = FAMILIES if len(strata.size) > 1 else ((0.0, 1.0, 1.0),)
        share = strata.size / strata.size.max()
        added, logs, stakes = [], [], []
        for power, stake, weight in families:
            added.append(ADDED[:, None] * share**power)
            logs.append(np.log(weight * ADDED_WEIGHTS))
            stakes.append(np.full((ADDED.size, 1), stake))
        self._added = np.concatenate(added)
        self._log_weight = np.concatenate(logs)
        self._log_weight -= np.log(np.exp(self._log_weight).sum())
        self._stake = np.concatenate(stakes)
        self._constant = falling(strata.size, strata.sampled)[0]

    def log_wealth(self, totals: Array) -> tuple[Array, Array, Array]:
        """log(1 - s + s g) for each bettor and stratum, and its first two derivatives."""
        size, sampled, found = self.strata
        c = 1 + self._added
        likelier, plain = falling(c * totals, found), falling(totals, found)
        everything = falling(size + self._added * totals, sampled)
        # (cT)_x/(T)_x and (N)_n/(N + (c - 1)T)_n, in logarithms.
        log = likelier[0] - plain[0] + self._constant - everything[0]
        slope = c * likelier[1] - plain[1] - self._added * everything[1]
        curvature = c * c * likelier[2] - plain[2] - self._added**2 * everything[2]
        with np.errstate(divide="ignore"):
            # log(1 - s + s g). The share of s g in the sum carries its derivatives.
            kept = np.log1p(-self._stake)
        mixed = np.logaddexp(kept, np.log(self._stake) + log)
        share = np.exp(np.log(self._stake) + log - mixed)
        # g is convex in logarithms (see above); rounding must not make its curvature negative, or
        # Newton's step would go uphill.
        curvature = share * (np.maximum(curvature, 0) + (1 - share) * slope * slope)
        return mixed, share * slope, curvature

    def at(self, totals: Array) -> LogEvidence:
        """The logarithm of the mean wealth."""
        log, slope, curvature = self.log_wealth(totals)
        value, share = log_of_sum(log.sum(1) + self._log_weight)
        mean = share @ slope
        # einsum does not go to several threads, which would wait for each other here
        # The Hessian of log Σ w exp(f): the mean of the Hessians of f, and the covariance of their
        # slopes.
        square = np.einsum("ji,j,jk->ik", slope, share, slope) - np.outer(mean, mean)
        return LogEvidence(value, mean, np.diag(share @ curvature) + square)


def log_of_sum(logs: Array) -> tuple[float, Array]:
    """log of the sum of exp(logs), and the share of each."""
    most = logs.max()
    parts = np.exp(logs - most)
    total = parts.sum()
    return float(most + np.log(total)), parts / total


class SegmentEvidence:
    """The evidence about one segment's strata, or e1/4 + e0/4 + e1 e0/2 of two segments."""

    def __init__(self, *segments: Strata) -> None:
        self._parts = [EvidenceFromMore(strata) for strata in segments]
        self._cut = self._parts[0].least.size
        self.least = np.concatenate([part.least for part in self._parts])
        self.most = np.concatenate([part.most for part in self._parts])

    def at(self, totals: Array) -> LogEvidence:
        """The logarithm of the evidence."""
        if len(self._parts) == 1:
            return self._parts[0].at(totals)
        n = self._cut
        one, other = self._parts[0].at(totals[:n]), self._parts[1].at(totals[n:])
        value, share = self._merged(one.value, other.value)
        # Slopes of log e1, log e0 and log e1 e0: the third has both.
        slopes = np.zeros((3, totals.size))
        slopes[0, :n] = slopes[2, :n] = one.slope
        slopes[1, n:] = slopes[2, n:] = other.slope
        slope = share @ slopes
        curvature = np.einsum("ji,j,jk->ik", slopes, share, slopes) - np.outer(slope, slope)
        curvature[:n, :n] += (share[0] + share[2]) * one.curvature
        curvature[n:, n:] += (share[1] + share[2]) * other.curvature
        return LogEvidence(value, slope, curvature)

    @staticmethod
    def _merged(one: float, other: float) -> tuple[float, Array]:
        return log_of_sum(np.array([one, other, one + other]) + LOG_MERGED)


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
