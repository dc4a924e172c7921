"""P(F of one system > F of another) on the same objects: a comparison of two independent products.

The cells are independent gamma variates: X of relevant objects, Y of the others; index 11 for
objects that both systems return, 10 and 01 for those that only one of them does.  With

    TP_a = X11 + X10,  FP_a = Y11 + Y10,  R = X11 + X10 + X01 + X00,
    F_a = (1 + β²) TP_a/(β² R + TP_a + FP_a),

F_a > F_b is

    TP_a (β² R + FP_b) > TP_b (β² R + FP_a), or
    (X10 - X01)/(X10 + X01 + 2 X11) > (Y10 - Y01)/(Y10 + Y01 + 2 C),  C = Y11 + β² R.

The left side depends on shares of the relevant objects alone, which are independent of R: the two
sides are independent.  Each is a product z J of two independent variates: z = 2 s - 1, s the first
system's share of the objects that one of the two returns, a Beta variate; and J = T/(T + 2 C), T
the sum of those objects.  The odds of J are half those of T/(T + C), which is a Beta variate where
C is a gamma variate, that is for precision (β = 0) and F_1.

The sides compare at once where their signs differ.  Else P is the integral over the density of one
product of the tail probability of the other; both are integrals over one of their factors.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol

import numpy as np

from irbounds.foundation.distributions import beta_below, log_beta_density
from irbounds.foundation.quadrature import beta_nodes

DEPTH = 42.0  # densities are followed down to exp(-42), 6e-19, of their greatest,
REACH = (2 * DEPTH) ** 0.5  # which a normal density reaches after this many standard deviations
NODES = 48  # of the first try; each further one has twice as many
MOST_NODES = 384  # so that no table takes more than a second
GRID = 768  # points of a mixed law
# Scale of nodes: power laws bend over some such length of log odds, however wide they are.
WIDEST = 2.0
TOLERANCE = 1e-9  # two tries that agree so far end the search
TAIL_POINTS = 384  # of the splines of Beta tails, which are wrong by 1e-13 then
DEGREE = 5
LEAST_ERROR = 1e-12  # stated where they agree to the last digit
NOTHING = 1e-25  # of the greatest term of a sum: what is less changes no digit
LIKELY = 1e-3  # probability of a condition: a spline's error over it is then some 1e-10 at most
NEGLIGIBLE = 1e-16  # probability of both signs being equal, below which the rest does not matter


class TailSpline:
    """P(share > s) of a Beta variate as a function of the log odds of s, at points that are equally
    spaced on an arcsinh scale.

    `error` is the largest error of the spline through every other point at the other points,
    divided by 32: half the spacing divides the error of degree 5 by 64.
    """

    def __init__(self, p: float, q: float) -> None:
        from scipy.interpolate import make_interp_spline

        self.centre = math.log(max(p, 0.5) / max(q, 0.5))
        # Log odds of Beta(p, q) have about the variance 1/p + 1/q. The tails fall like exp(-p |u|)
        # and exp(-q u), over 40/p and 40/q to exp(-40).
        self.scale = math.sqrt(1 / max(p, 0.5) + 1 / max(q, 0.5))
        self.ends = math.asinh(-9 - 40 / p / self.scale), math.asinh(9 + 40 / q / self.scale)
        place = np.linspace(*self.ends, 2 * TAIL_POINTS + 1)
        s, rest = sigmoid(self.centre + self.scale * np.sinh(place))
        values = beta_below(q, p, rest, s)
        half = make_interp_spline(place[::2], values[::2], k=DEGREE)
        self.error = float(np.abs(half(place[1::2]) - values[1::2]).max()) / 32
        self._spline = make_interp_spline(place, values, k=DEGREE)

    def __call__(self, log_odds: np.ndarray) -> np.ndarray:
        """The tail beyond these log odds."""
        place = np.arcsinh((log_odds - self.centre) / self.scale)
        return np.asarray(self._spline(np.clip(place, *self.ends)))


class Part(Protocol):
    """A variate x on (0, 1), as functions of x and 1 - x; its density is that of its log odds.

    `centre` and `scale` give the place and width of its bulk in log odds; the powers say how the
    probability falls towards 0 and 1.
    """

    centre: float
    scale: float
    low_power: float
    high_power: float
    error: float  # of probabilities

    def density(self, x: np.ndarray, rest: np.ndarray) -> np.ndarray:
        """The density of the log odds of x."""

    def above(self, x: np.ndarray, rest: np.ndarray) -> np.ndarray:
        """P(variate > x)."""


class Lead:
    """2 s - 1 for s ~ Beta(p, q), given that s > 1/2.

    If s > 1/2 is likely, a spline gives the tail: the part it lacks is smaller than the probability
    of s <= 1/2.
    """

    def __init__(self, p: float, q: float) -> None:
        self.p, self.q = p, q
        self.held = float(beta_below(q, p, np.asarray(0.5), np.asarray(0.5)))
        self.tail = TailSpline(p, q) if self.held > LIKELY else None
        self.error = self.tail.error / self.held if self.tail else 0.0
        self.low_power, self.high_power = 1.0, q
        # The density of log odds is highest at ζ = 1 - rest: (p + q) ζ² + (q - p + 1) ζ = 1.
        slope, total = q - p + 1, p + q
        root = math.sqrt(slope * slope + 4 * total)
        # ζ by the form of the root that adds; 1 - ζ from a quadratic of its own, (p + q) r² - (p +
        # 3 q + 1) r + 2 q = 0, as the difference would lose its digits near ζ = 1.
        best = 2 / (slope + root) if slope > 0 else (root - slope) / (2 * total)
        sum_ = p + 3 * q + 1
        rest = 4 * q / (sum_ + math.sqrt(max(0.0, sum_ * sum_ - 8 * q * total)))
        bend = best * rest * (1 + q + (p - 1) * (best / (1 + best) - rest / (1 + best) ** 2))
        self.centre = math.log(best / rest)
        # The log density of log odds has the curvature p q/(p + q), 1/4 for shapes of 1/2. A
        # flatter top of smaller shapes would stretch the grid over tails that fall exponentially
        # anyway.
        self.scale = 1 / math.sqrt(max(bend, 0.25))

    def density(self, x: np.ndarray, rest: np.ndarray) -> np.ndarray:
        """The density of the log odds of x."""
        return _of_log_odds(
            log_beta_density(self.p, self.q, (1 + x) / 2, rest / 2), x * rest / 2 / self.held
        )

    def above(self, x: np.ndarray, rest: np.ndarray) -> np.ndarray:
        """P(variate > x)."""
        if self.tail is not None:
            with np.errstate(divide="ignore"):
                return self.tail(np.log((1 + x) / rest)) / self.held
        return beta_below(self.q, self.p, rest / 2, (1 + x) / 2) / self.held


class Share:
    """J = T/(T + 2 C), T and C gamma variates with shapes t and c."""

    error = 0.0

    def __init__(self, t: float, c: float) -> None:
        self.t, self.c = t, c
        self.low_power, self.high_power = t, c
        t, c = max(t, 0.5), max(c, 0.5)
        self.centre = math.log(t / c / 2)
        self.scale = math.sqrt(1 / t + 1 / c)

    def density(self, x: np.ndarray, rest: np.ndarray) -> np.ndarray:
        """The density of the log odds of x."""
        q, q_rest = 2 * x / (1 + x), rest / (1 + x)
        return _of_log_odds(log_beta_density(self.t, self.c, q, q_rest), q * q_rest)

    def above(self, x: np.ndarray, rest: np.ndarray) -> np.ndarray:
        """P(variate > x)."""
        return beta_below(self.c, self.t, rest / (1 + x), 2 * x / (1 + x))


class MixedShare:
    """J = T/(T + 2 (Y + β² R)) for three gamma variates with shapes t, y and r.

    Its log odds are those of T/(T + 2 (Y + R)) minus log(W + β² (1 - W)), with W = Y/(Y + R)
    independent of them.  The sums over W are computed once, on a grid; splines of degree 5
    interpolate between its points.
    """

    def __init__(self, t: float, y: float, r: float, beta: float) -> None:
        from scipy.interpolate import make_interp_spline

        self.low_power, self.high_power = t, y + r
        self.centre: float
        self.scale: float
        whole = Share(t, y + r)
        above = TailSpline(
            t, y + r
        )  # of T/(T + Y + R), whose odds are twice those of the whole's J
        last, n = None, NODES
        while True:
            # Twice the nodes until two tries agree.
            w, w_rest, counts = (values.ravel() for values in beta_nodes(y, r, n))
            shift = np.log(w + beta * beta * w_rest)
            mean = float(counts @ shift)
            if last is None:  # the grid must not change with the nodes
                self.centre = whole.centre - mean
                self.scale = math.sqrt(whole.scale**2 + float(counts @ (shift - mean) ** 2))
            u, weights = _log_odds(self, 2 * GRID)
            found = np.zeros((2, len(u)))
            # A part of the nodes at a time bounds the memory of the table (grid × nodes).
            for some in np.array_split(np.arange(len(shift)), max(1, len(shift) // NODES)):
                place = u[:, None] + shift[some]
                values = whole.density(*sigmoid(place)), above(place + math.log(2))
                found += [value @ counts[some] for value in values]
            if last is not None:
                difference = np.abs(found - last)
                self.error = max(difference[1].max(), float(difference[0] @ weights))
                if self.error < TOLERANCE or n >= MOST_NODES:
                    break
            last, n = found, 2 * n
        place = self._place(u)
        self._spline = make_interp_spline(place[::2], found.T[::2], k=DEGREE)
        missed = np.abs(self._spline(place[1::2]).T - found[:, 1::2])
        self.error += max(missed[1].max(), 2 * float(missed[0] @ weights[1::2])) + above.error
        self._ends = place[0], place[-1]

    def _place(self, u: np.ndarray) -> np.ndarray:
        return np.arcsinh((u - self.centre) / min(self.scale, WIDEST))

    def _values(self, x: np.ndarray, rest: np.ndarray) -> np.ndarray:
        return self._spline(np.clip(self._place(np.log(x) - np.log(rest)), *self._ends))

    def density(self, x: np.ndarray, rest: np.ndarray) -> np.ndarray:
        """The density of the log odds of x."""
        return np.maximum(self._values(x, rest)[..., 0], 0)

    def above(self, x: np.ndarray, rest: np.ndarray) -> np.ndarray:
        """P(variate > x)."""
        return np.clip(self._values(x, rest)[..., 1], 0, 1)


class Product:
    """The product h of two independent parts x and y."""

    def __init__(self, first: Part, second: Part) -> None:
        self.error = first.error + second.error
        self.low_power = min(first.low_power, second.low_power)
        self.high_power = first.high_power + second.high_power
        (x, rest, weights), (y, y_rest, y_weights) = (
            _nodes(part, NODES) for part in (first, second)
        )
        short = np.log(rest[:, None] + x[:, None] * y_rest)  # log(1 - x y)
        place = np.log(x)[:, None] + np.log(y) - short
        joint = weights[:, None] * y_weights
        self.centre = float((joint * place).sum())
        self.scale = float(np.sqrt((joint * (place - self.centre) ** 2).sum()))
        # Integrals are over the part with which the density's own integral is nearer to 1.  That is
        # mostly the narrower one, but a part with a heavy tail is narrow and wide at once.
        self.inner, self.outer = first, second
        defect = self._defect()
        self.inner, self.outer = second, first
        if defect < self._defect():
            self.inner, self.outer = first, second

    def _defect(self) -> float:
        """The difference of the density's integral from 1."""
        u, weights = _log_odds(self, NODES)
        h, rest = sigmoid(u)
        return abs(float((self.density(h, rest, NODES) * weights).sum()) - 1)

    def density(self, h: np.ndarray, rest: np.ndarray, n: int) -> np.ndarray:
        """The density of the log odds of h: on the scale of `_inside` the densities of x and y
        multiply."""
        fall = self.inner.low_power - self.outer.low_power
        x, x_rest, y, y_rest, _, weights = self._inside(h, rest, n, fall)
        return _sum(self.inner.density(x, x_rest) * weights, self.outer.density, y, y_rest)

    def above(self, h: np.ndarray, rest: np.ndarray, n: int) -> np.ndarray:
        """P(x y > h)."""
        x, x_rest, y, y_rest, share, weights = self._inside(h, rest, n, self.inner.low_power)
        return _sum(
            self.inner.density(x, x_rest) * (share / x * weights), self.outer.above, y, y_rest
        )

    def _inside(
        self, h: np.ndarray, rest: np.ndarray, n: int, fall: float
    ) -> tuple[np.ndarray, ...]:
        """x from h to 1, 1 - x, y = h/x, 1 - y, (x - h)/(1 - h), and the weight of each x.

        Nodes are spaced on the scale w = log((x - h)/(1 - x)).  From the bulk of x down to h the
        integrand falls like x^fall, or rises.
        """
        inner, outer = self.inner, self.outer
        # Most of x above h: about its centre, or within a standard deviation of h where h is
        # further up.
        ahead = np.maximum(inner.centre - np.log(h) + np.log(rest), inner.scale)
        past = -np.expm1(-ahead)
        middle = np.log(h) + ahead + np.log(past)
        width = inner.scale * (rest + past * h) / past  # as dw/du = (1 - h) x/(x - h)
        scale = np.minimum(width, WIDEST)[:, None]
        # A bulk that falls like a normal density, and beyond it tails like exp(-power |w|): that of
        # x down to h, that of y from there on.
        down = np.minimum(ahead, DEPTH / fall) if fall > 0 else ahead
        left = np.arcsinh((REACH * width + down + DEPTH / outer.high_power)[:, None] / scale)
        right = np.arcsinh((REACH * width + DEPTH / inner.high_power)[:, None] / scale)
        step = (left + right) / n
        t = -left + step * np.arange(n + 1)
        w = middle[:, None] + scale * np.sinh(t)
        share, other = sigmoid(w)
        h, rest = h[:, None], rest[:, None]
        x = h + rest * share
        return x, rest * other, h / x, rest * share / x, share, step * scale * np.cosh(t)


def _of_log_odds(log_density: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """A density times the derivative of its variable with respect to the log odds; 0 if that
    underflows."""
    return np.where(slope > 0, np.exp(np.where(slope > 0, log_density, 0.0)) * slope, 0.0)


def _sum(
    weights: np.ndarray,
    function: Callable[[np.ndarray, np.ndarray], np.ndarray],
    y: np.ndarray,
    rest: np.ndarray,
) -> np.ndarray:
    """Sum over the nodes that count; where the density of x underflows, x and y may be 0 or 1."""
    counts = weights > weights.max(axis=-1, keepdims=True, initial=0) * NOTHING
    terms = np.zeros(weights.shape)
    terms[counts] = weights[counts] * function(y[counts], rest[counts])
    return terms.sum(axis=-1)


def _nodes(part: Part, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """x, 1 - x and weights whose sum is 1."""
    u, weights = _log_odds(part, n)
    x, rest = sigmoid(u)
    weights = weights * part.density(x, rest)
    return x, rest, weights / weights.sum()


def _log_odds(law: Part | Product, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Log odds and their weights; they are centre + scale sinh(t) with t equally spaced."""
    scale = min(law.scale, WIDEST)
    # As in `Product._inside`: REACH standard deviations for the bulk, and DEPTH/power for the tail.
    left, right = (
        math.asinh((REACH * law.scale + DEPTH / power) / scale)
        for power in (law.low_power, law.high_power)
    )
    step = (left + right) / n
    t = -left + step * np.arange(n + 1)
    return law.centre + scale * np.sinh(t), step * scale * np.cosh(t)


def sigmoid(u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """x of log odds, and 1 - x."""
    from scipy.special import expit

    return expit(u), expit(-u)


def product_above(first: Product, second: Product) -> tuple[float, float]:
    """P(first > second), and an estimate of its error."""
    # The narrower density decides where the nodes are: the tail of the wider one is smooth there.
    is_first = first.scale < second.scale
    narrow, wide = (first, second) if is_first else (second, first)
    last, n = math.nan, NODES
    while True:
        u, weights = _log_odds(narrow, n)
        h, rest = sigmoid(u)
        density = weights * narrow.density(h, rest, n)
        total = density.sum()
        counts = density > density.max() * NOTHING
        found = float(density[counts] @ wide.above(h[counts], rest[counts], n) / total)
        # The integral of the density should be 1: the difference shows what the nodes miss.
        error = max(abs(found - last), abs(total - 1))
        if error < TOLERANCE or n >= MOST_NODES:
            return (1 - found if is_first else found), error + narrow.error + wide.error
        last, n = found, 2 * n


def first_is_greater(
    x: tuple[float, float], of_x: Part, y: tuple[float, float], of_y: Part
) -> tuple[float, float]:
    """P(z1 J1 > z2 J2), and an estimate of its error; x and y are the Beta parameters of the
    shares."""
    half = np.asarray(0.5)
    x_up, x_down = (float(beta_below(*pair, half, half)) for pair in (x[::-1], x))
    y_up, y_down = (float(beta_below(*pair, half, half)) for pair in (y[::-1], y))
    # With signs + and - the first side is greater for sure, with - and + the second one.
    total, error = x_up * y_down, 0.0
    for both, sign in ((x_up * y_up, 1), (x_down * y_down, -1)):
        if both > NEGLIGIBLE:
            products = [Product(Lead(*pair[::sign]), part) for pair, part in ((x, of_x), (y, of_y))]
            above, its_error = product_above(*products[::sign])
            total, error = total + both * above, error + both * its_error
    return total, max(error, LEAST_ERROR)
