"""P(F of one system > F of another) on the same objects, in milliseconds for usual tables.

With the notation of `shares`, P(z1 J1 > z2 J2) is the mean of H(J2/J1), H(r) = P(z1 > r z2).  H is
an average over one share of a tail of the other, and a function of one number: a spline represents
it, and another spline its mean over J1.  Every sum runs over the nodes of `beta_nodes`; sums over
half of them estimate the error.  If H is steep compared with the spread of J2/J1, or bends sharply
at r = 1 because the systems can differ on one kind of objects only, the sums over half the nodes do
not agree, and `shares` integrates products instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from irbounds.foundation.distributions import beta_below
from irbounds.foundation.quadrature import beta_nodes

ACCEPTED = 1e-9  # of the errors' sum, which is stated
# stated at least; of sums it is some 1e-14, and half the nodes may agree by chance
ROUNDING = 1e-10
SMOOTH = 8.0  # powers of |1 - r| that do no harm: errors of sums fall by 2^-8 for twice the nodes
HARMLESS = 1e-11  # probability of being where lower powers count
TRIES = ((64, 64), (96, 192))  # nodes of averages, points of splines
TAIL_POINTS = 384  # of the splines of Beta tails, which are wrong by 1e-13 then
DEGREE = 5
BEND_NODES = 24


class Share(NamedTuple):
    """Nodes of J: its logarithm, that of 1 - J, and weights; the last axis is the nodes."""

    log: np.ndarray
    log_rest: np.ndarray
    weights: np.ndarray


class Spline:
    """A function of one number, known at points that are equally spaced on an arcsinh scale.

    `half` is the spline through every other point; `error` is its largest error at the other points
    divided by 32: half the spacing divides the error of degree 5 by 64.
    """

    def __init__(
        self,
        function: Callable[[np.ndarray], np.ndarray],
        low: float,
        high: float,
        centre: float,
        scale: float,
        n: int,
    ) -> None:
        from scipy.interpolate import make_interp_spline

        self.centre, self.scale = centre, scale
        self.ends = math.asinh((low - centre) / scale), math.asinh((high - centre) / scale)
        t = np.linspace(*self.ends, 2 * n + 1)
        values = function(centre + scale * np.sinh(t))
        self.half = make_interp_spline(t[::2], values[::2], k=DEGREE)
        self.error = float(np.abs(self.half(t[1::2]) - values[1::2]).max()) / 32
        self.whole = make_interp_spline(t, values, k=DEGREE)

    def place(self, x: np.ndarray) -> np.ndarray:
        """The coordinate on the scale of the points."""
        return np.clip(np.arcsinh((x - self.centre) / self.scale), *self.ends)

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """Values of the spline through all points."""
        return self.whole(self.place(x))


def shares_of_two(t: float, c: float, n: int) -> Share:
    """J = T/(T + 2 C), T and C gamma variates with shapes t and c."""
    share, rest, weights = beta_nodes(t, c, n)
    total = np.log(share + 2 * rest)
    return Share(np.log(share) - total, np.log(2 * rest) - total, weights)


def shares_of_three(t: float, y: float, r: float, beta: float, n: int) -> Share:
    """J = T/(T + 2 (Y + β² R)), three gamma variates with shapes t, y and r."""
    share, rest, weights = beta_nodes(t, y + r, n)
    part, other, counts = beta_nodes(y, r, n)
    rest = 2 * rest * (part + beta * beta * other)[:, None]
    total = np.log(share + rest)
    return Share(np.log(share) - total, np.log(rest) - total, weights * counts[:, None])


def quick_probability(
    x: tuple[float, float],
    of_x: Callable[[int], Share],
    y: tuple[float, float],
    of_y: Callable[[int], Share],
) -> tuple[float, float] | None:
    """P(z1 J1 > z2 J2) and an estimate of its error; None if the quick method does not apply.

    x and y are the Beta parameters of the shares, z = 2 s - 1; `of_x` and `of_y` give the nodes.
    """
    if bend(x, of_x(BEND_NODES), y, of_y(BEND_NODES)) > HARMLESS:
        return None
    for n, points in TRIES:
        found, error = _try(x, of_x(n), y, of_y(n), n, points)
        if error <= ACCEPTED:
            return min(max(found, 0.0), 1.0), error + ROUNDING
    return None


def bend(x: tuple[float, float], of_x: Share, y: tuple[float, float], of_y: Share) -> float:
    """The probability that both shares and J2/J1 lie where H bends at r = 1 like a low power."""
    spread = math.sqrt(sum(float(_moments(side)[1]) for side in (of_x, of_y)))
    near = min(max(spread, 0.05), 0.5)
    place = np.asarray(near), np.asarray(1 - near)
    corners = [
        float(beta_below(p, q, *place) * beta_below(other_p, other_q, *place))
        for (p, q), (other_p, other_q) in ((x, y), (x[::-1], y[::-1]))
        if p + other_p < SMOOTH
    ]
    if max(corners, default=0.0) <= HARMLESS:
        return 0.0
    ratio = np.abs(np.subtract.outer(of_y.log, of_x.log))
    joint = of_y.weights[..., None] * of_x.weights
    return max(corners) * float(joint[ratio < 2 * near].sum())


def _try(
    x: tuple[float, float], of_x: Share, y: tuple[float, float], of_y: Share, n: int, points: int
) -> tuple[float, float]:
    """One attempt with n nodes: the mean, and its differences from the means with half the nodes
    and half the points."""
    tails = tail_of(x), tail_of(y)
    nodes = beta_nodes(*x, n), beta_nodes(*y, n)

    def ahead(log_ratio: np.ndarray) -> np.ndarray:
        """H by all nodes and by half of them, over the share whose ends are not cut off."""
        found = np.empty((len(log_ratio), 2))
        # For r > 1 the systems are exchanged, P(z1 > r z2) = 1 - P(z2 > z1/r), so that r is at most
        # 1.
        is_less = log_ratio <= 0
        for chosen, tail, (share, rest, weights) in (
            (is_less, tails[0], nodes[1]),
            (~is_less, tails[1], nodes[0]),
        ):
            r = np.exp(-np.abs(log_ratio[chosen]))[:, None]
            short = -np.expm1(-np.abs(log_ratio[chosen]))[:, None]
            # 2 s1 - 1 > r (2 s2 - 1) if s1 exceeds s = (1 - r)/2 + r s2. Both parts of the odds
            # s/(1 - s) are sums of positive terms.
            terms = tail(np.log((short + 2 * r * share) / (short + 2 * r * rest)))
            found[chosen] = _by_all_and_half(terms, weights)
        found[~is_less] = 1 - found[~is_less]
        return found

    centres, variances = zip(*map(_moments, (of_x, of_y)), strict=True)
    low, high = of_y.log.min() - of_x.log.max(), of_y.log.max() - of_x.log.min()
    lead = Spline(ahead, low, high, centres[1] - centres[0], math.sqrt(sum(variances)), points)

    def mean(log_share: np.ndarray) -> np.ndarray:
        """The mean of H over J1; also with half the nodes of J1, with half of those of H, and with
        half its points."""
        place = lead.place(log_share[:, None] - of_x.log)
        terms = lead.whole(place)
        every, by_x = _by_all_and_half(terms[..., 0], of_x.weights).T
        others = terms[..., 1] @ of_x.weights, lead.half(place)[..., 0] @ of_x.weights
        return np.stack([every, by_x, *others], axis=-1)

    if of_y.log.ndim == 1:
        # J2 has two independent factors here, and twice as many axes of nodes: the mean over J1
        # becomes a spline of its own, so that nodes need not be multiplied three times.
        values = mean(of_y.log)
    else:
        low, high = of_y.log.min(), of_y.log.max()
        over = Spline(mean, low, high, centres[1], math.sqrt(variances[1]), points)
        place = over.place(of_y.log)
        values = np.concatenate([over.whole(place), over.half(place)[..., :1]], axis=-1)
    weights = of_y.weights[..., None]
    axes = tuple(range(of_y.log.ndim))
    every, *others = (values * weights).sum(axis=axes)
    # The difference from the sum over every other node of an axis shows its error.
    for axis in axes:
        some = (slice(None),) * axis + (slice(None, None, 2),)
        others.append((values[some][..., 0] * of_y.weights[some]).sum() / of_y.weights[some].sum())
    error = sum(abs(every - other) for other in others) + sum(tail.error for tail in tails)
    return float(every), float(error)


def _moments(side: Share) -> tuple[float, float]:
    """Mean and variance of log J."""
    mean = float((side.log * side.weights).sum())
    return mean, float(((side.log - mean) ** 2 * side.weights).sum())


def tail_of(pair: tuple[float, float]) -> Spline:
    """P(share > s) as a function of the log odds of s."""
    from scipy.special import expit

    p, q = pair
    centre = math.log(max(p, 0.5) / max(q, 0.5))
    # Log odds of Beta(p, q) have about the variance 1/p + 1/q. The tails fall like exp(-p |u|) and
    # exp(-q u), over 40/p and 40/q to exp(-40).
    scale = math.sqrt(1 / max(p, 0.5) + 1 / max(q, 0.5))
    low, high = centre - 9 * scale - 40 / p, centre + 9 * scale + 40 / q
    return Spline(
        lambda u: beta_below(q, p, expit(-u), expit(u)), low, high, centre, scale, TAIL_POINTS
    )


def _by_all_and_half(terms: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Averages over the last axis, by every node and by every other one; they are the last axis."""
    half = weights[::2] / weights[::2].sum()
    return np.stack([terms @ weights, terms[..., ::2] @ half], axis=-1)
