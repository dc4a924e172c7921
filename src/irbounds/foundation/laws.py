"""Distributions on [0, 1] that posteriors follow: Beta, that of F, and a set of draws.

All are arrays of distributions: parameters broadcast, and every method returns their shape (a float where there is one
distribution); arguments broadcast against it.
"""
from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from irbounds.foundation.arguments import (
    broadcast,
    check_level,
    check_number,
    check_numbers,
    check_rng,
    check_size,
    plain,
)
from irbounds.foundation.errors import InputError, check_choice, fail
from irbounds.foundation.quadrature import beta_expectation, beta_nodes, find_roots
from irbounds.foundation.sampling import random_beta


class Bounds(NamedTuple):
    """The ends of an interval, floats or arrays."""

    low: Any
    high: Any


def _probability(argument: str, value: Any) -> np.ndarray:
    return check_numbers(argument, value, "must be from 0 to 1", lambda p: (p >= 0) & (p <= 1))


class Law:
    """A distribution on [0, 1], or an array of them.

    ``mean``, ``var``, ``std``, ``mode`` are properties (``mode`` is nan where the density has no single highest point);
    ``pdf``, ``cdf``, ``sf`` and ``ppf`` are as SciPy's.  ``is_approximate`` is True for the result of
    `macro_average` by moments, which stands for another law.
    """

    is_approximate = False
    shape: tuple[int, ...]
    mean: Any
    var: Any
    mode: Any

    def cdf(self, x: Any) -> Any:
        """P(value <= x); x is clipped to [0, 1]."""
        x = np.clip(self._against("x", _finite("x", x)), 0, 1)
        return plain(self._below(x, 1 - x))

    def sf(self, x: Any) -> Any:
        """P(value > x)."""
        x = np.clip(self._against("x", _finite("x", x)), 0, 1)
        return plain(self._above(x, 1 - x))

    def pdf(self, x: Any) -> Any:
        """Density at x; 0 outside [0, 1]."""
        x = self._against("x", _finite("x", x))
        inside = np.clip(x, 0, 1)
        return plain(np.where(inside == x, self._density(inside, 1 - inside), 0.0))

    def ppf(self, p: Any) -> Any:
        """The quantile: where `cdf` is p."""
        return plain(self._quantile(self._against("p", _probability("p", p))))

    def _against(self, argument: str, values: np.ndarray) -> np.ndarray:
        """The argument's values, once it is sure that they broadcast against the distributions."""
        if values.ndim and self.shape:
            broadcast(**{argument: values}, distributions=np.broadcast_to(0.0, self.shape))
        return values

    @property
    def std(self) -> Any:
        """Standard deviation."""
        return plain(np.sqrt(self.var))

    def interval(self, level: float = 0.95, kind: str = "equal-tailed") -> Bounds:
        """An interval that holds the value with this probability.

        Parameters
        ----------
        level : float
        kind : {"equal-tailed", "hpd"}
            "equal-tailed" leaves as much on either side.  "hpd" is the shortest interval, where the density is
            highest; with a density that is infinite at both ends, the shorter of the two that reach an end.

        Returns
        -------
        Bounds
            ``low, high``.
        """
        level = check_level(level, "level")
        if check_choice("kind", kind, ("equal-tailed", "hpd")) == "hpd":
            return self._shortest(level)
        return Bounds(self.ppf((1 - level) / 2), self.ppf((1 + level) / 2))

    def lower_bound(self, level: float = 0.95) -> Any:
        """The value is at least this, with probability `level`."""
        return self.ppf(1 - check_level(level, "level"))

    def upper_bound(self, level: float = 0.95) -> Any:
        """The value is at most this, with probability `level`."""
        return self.ppf(check_level(level, "level"))

    def rvs(self, size: Any = None, rng: Any = None) -> Any:
        """Draws of shape ``(*size, *shape)``, or of the distributions' own shape."""
        return plain(self._draw((*check_size(size), *self.shape), check_rng(rng)))

    def _shortest(self, level: float) -> Bounds:
        """The width of [quantile(p), quantile(p + level)] falls while the density at the right end is the greater."""
        most = np.full(self.shape, 1 - level)

        def slope(p: np.ndarray) -> np.ndarray:
            low, high = self._quantile(p), self._quantile(np.minimum(p + level, 1))
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                left, right = self._density(low, 1 - low), self._density(high, 1 - high)
                return np.nan_to_num((left - right) / (left + right))

        inner = find_roots(slope, most * 1e-9, most * (1 - 1e-9))
        starts = np.stack([most / 2, inner, np.zeros(self.shape), most])
        lows, highs = self._quantile(starts), self._quantile(np.minimum(starts + level, 1))
        lows[2], highs[3] = 0.0, 1.0
        widths = highs - lows
        widths[0] *= 1 - 1e-12  # all are as long where the law is uniform: then the middle one
        best = np.argmin(widths, axis=0)[None]
        return Bounds(*(plain(np.take_along_axis(ends, best, 0)[0]) for ends in (lows, highs)))

    # What a kind of distribution must know; y is 1 - x, which near 1 says more than x does.
    def _below(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def _above(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def _density(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def _quantile(self, p: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def _draw(self, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
        raise NotImplementedError


def _finite(argument: str, value: Any) -> np.ndarray:
    return check_numbers(argument, value, "must be a number", lambda x: ~np.isnan(x))


def _parameters(**values: Any) -> Sequence[Any]:
    """Parameters in one shape; arrays are copied, so that a law does not change with them."""
    if all(type(value) is float and 0 < value < math.inf for value in values.values()):
        return tuple(values.values())
    arrays = {name: check_numbers(name, value, "must be above 0 and finite", lambda x: (x > 0) & (x < math.inf))
              for name, value in values.items()}
    return [plain(array) for array in broadcast(**arrays)]


class BetaLaw(Law):
    """Beta(a, b).

    Examples
    --------
    >>> import irbounds as irb
    >>> precision = irb.CountsPosterior(tp=3, fp=2, fn=1).precision
    >>> precision
    BetaLaw(a=3.5, b=2.5)
    >>> round(precision.mean, 4), round(precision.sf(0.5), 4)
    (0.5833, 0.6698)
    """

    def __init__(self, a: Any, b: Any) -> None:
        self.a: Any
        self.b: Any
        self.a, self.b = _parameters(a=a, b=b)
        self.shape: tuple[int, ...] = np.shape(self.a)

    def __repr__(self) -> str:
        return f"BetaLaw(a={self.a}, b={self.b})"

    @property
    def mean(self) -> Any:
        """a/(a + b)."""
        return self.a / (self.a + self.b)

    @property
    def var(self) -> Any:
        """a b/((a + b)^2 (a + b + 1))."""
        total = self.a + self.b
        return self.a / total * (self.b / total) / (total + 1)

    @property
    def mode(self) -> Any:
        """(a - 1)/(a + b - 2) where both exceed 1, else the end at which the density is higher."""
        a, b = np.asarray(self.a), np.asarray(self.b)
        with np.errstate(divide="ignore", invalid="ignore"):
            inside = (a - 1) / (a + b - 2)
        at_end = np.where(a < b, 0.0, np.where(a > b, 1.0, math.nan))
        return plain(np.where((a > 1) & (b > 1), inside, at_end))

    def _below(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return beta_below(self.a, self.b, x, y)

    def _above(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return beta_below(self.b, self.a, y, x)

    def _density(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.exp(log_beta_density(self.a, self.b, x, y))

    def _quantile(self, p: np.ndarray) -> np.ndarray:
        from scipy.special import betaincinv

        return betaincinv(self.a, self.b, p)

    def _draw(self, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
        return np.asarray(random_beta(self.a, self.b, shape, rng=rng))


def beta_below(a: Any, b: Any, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """P(Beta(a, b) <= x), y = 1 - x, from whichever of x and y is the smaller."""
    from scipy.special import betainc, betaincc

    is_small = x < y
    a, b = _not_whole(a), _not_whole(b)
    below = np.empty(np.broadcast_shapes(np.shape(a), np.shape(b), np.shape(x)))
    betainc(a, b, x, out=below, where=is_small)
    betaincc(b, a, y, out=below, where=~is_small)
    return below


def _not_whole(parameter: Any) -> np.ndarray:
    """A large parameter within rounding: for whole ones Boost sums powers of 1 - x, and 10^7 of them lose 9 digits."""
    large = np.asarray(parameter, float)
    return np.where((large > 1e4) & (large < 2**51) & (large == np.rint(large)), np.nextafter(large, math.inf), large)


def log_beta_density(a: Any, b: Any, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """log of the density of Beta(a, b) at x, y = 1 - x.

    By its distance from the mean and what Stirling's formula lacks (Loader 2000): logarithms of gamma functions would
    cancel, and leave 7 digits of counts of 10^8.
    """
    from scipy.special import betaln, xlogy

    a, b = np.asarray(a, float), np.asarray(b, float)
    total = a + b
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        missing = np.where(x < y, a - total * x, total * y - b)  # of a, from what x would have it be; b has it too much
        fall = _deviance(a, total * x, missing) + _deviance(b, total * y, -missing)
        spread = 0.5 * np.log(a / total * b / (2 * math.pi))
        inside = spread - fall + _beyond_stirling(total) - _beyond_stirling(a) - _beyond_stirling(b) - np.log(
            x) - np.where(x < y, np.log1p(-x), np.log(y))
    is_inside = (x > 0) & (y > 0) & np.isfinite(inside)
    if is_inside.all():
        return np.asarray(inside)
    return np.where(is_inside, inside, xlogy(a - 1, x) + xlogy(b - 1, y) - betaln(a, b))


def _deviance(count: np.ndarray, mean: np.ndarray, difference: np.ndarray) -> np.ndarray:
    """count log(count/mean) - difference, of a difference = count - mean that is known better; a series for small ones.
    """
    v = difference / (count + mean)
    term, total = 2 * count * v, difference * v
    for k in range(1, 11):
        term = term * v * v
        total = total + term / (2 * k + 1)
    return np.where(np.abs(v) < 0.1, total, count * np.log(count / mean) - difference)


def _beyond_stirling(z: np.ndarray) -> np.ndarray:
    """log Γ(z) - (z - 1/2) log z + z - log(2 π)/2."""
    from scipy.special import gammaln

    r = 1 / np.maximum(z, 16.0) ** 2
    series = (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r * (1 / 1188 - r * 691 / 360360))))) * np.sqrt(r)
    return np.where(z < 16, gammaln(z) - (z - 0.5) * np.log(z) + z - 0.5 * math.log(2 * math.pi), series)


class FLaw(Law):
    """F_β = (1 + β²) X/((1 + β²) X + β² Z + Y); X, Y, Z gamma variates with shapes a, b_fp, b_fn and one scale.

    With Q = X/(X + Y + Z) ~ Beta(a, b_fp + b_fn) and, independent of it, W = Z/(Y + Z) ~ Beta(b_fn, b_fp),
    F/(1 - F) = (1 + β²)/(β² W + 1 - W) × Q/(1 - Q): given W all is an incomplete beta function, and the expectation
    over W a sum over some 50 nodes.  With β = 1, F = 2Q/(1 + Q), and no sum is needed.
    """

    def __init__(self, a: Any, b_fp: Any, b_fn: Any, beta: float = 1.0) -> None:
        self.a: Any
        self.b_fp: Any
        self.b_fn: Any
        self.a, self.b_fp, self.b_fn = _parameters(a=a, b_fp=b_fp, b_fn=b_fn)
        self.beta: float = check_number("beta", beta, "must be above 0 and at most 1e150", lambda x: 0 < x <= 1e150)
        self.shape: tuple[int, ...] = np.shape(self.a)
        self._b = self.b_fp + self.b_fn

    def __repr__(self) -> str:
        return f"FLaw(a={self.a}, b_fp={self.b_fp}, b_fn={self.b_fn}, beta={self.beta})"

    @property
    def odds(self) -> BetaLaw:
        """The law of Q = X/(X + Y + Z), the share of true positives among all but true negatives (Jaccard's index)."""
        return BetaLaw(self.a, self._b)

    @cached_property
    def _moments(self) -> tuple[Any, Any]:
        """Mean and variance; some distributions at a time, as β other than 1 takes thousands of nodes for each."""
        shapes = np.stack([np.ravel(value) for value in (self.a, self.b_fp, self.b_fn)])
        portion = 10_000 if self.beta == 1 else 50
        portions = (shapes[:, start:start + portion] for start in range(0, shapes.shape[1], portion))
        parts = [_f_moments(a, b_fp, b_fn, self.beta) for a, b_fp, b_fn in portions]
        mean, var = np.concatenate(parts, axis=1) if parts else np.empty((2, 0))
        return plain(mean.reshape(self.shape)), plain(var.reshape(self.shape))

    @property
    def mean(self) -> Any:
        """By quadrature."""
        return self._moments[0]

    @property
    def var(self) -> Any:
        """By quadrature."""
        return self._moments[1]

    @property
    def mode(self) -> Any:
        """Where the density is highest: in closed form for β = 1, else by search."""
        a, b = np.asarray(self.a), np.asarray(self._b)
        if self.beta == 1:
            root = (b - 3) ** 2 + 4 * (a + b) * (a - 1)
            q = np.clip((3 - b + np.sqrt(np.maximum(root, 0))) / (2 * (a + b)), 0, 1)
            inside = 2 * q / (1 + q)
        else:
            inside = self._highest()
        at_end = np.where((a < 1) & (b < 1), math.nan, np.where(a < 1, 0.0, 1.0))
        return plain(np.where((a < 1) | (b < 1), at_end, inside))

    def _highest(self) -> np.ndarray:
        """Golden-section search between far quantiles; with a parameter of 1 it may be at an end."""
        ratio = (math.sqrt(5) - 1) / 2
        low, high = self._quantile(np.full(self.shape, 1e-6)), self._quantile(np.full(self.shape, 1 - 1e-6))
        for _ in range(60):
            left, right = high - ratio * (high - low), low + ratio * (high - low)
            rises = self._density(left, 1 - left) < self._density(right, 1 - right)
            low, high = np.where(rises, left, low), np.where(rises, high, right)
        places = np.stack([(low + high) / 2, np.zeros(self.shape), np.ones(self.shape)])
        best = np.argmax(self._density(places, 1 - places), axis=0)[None]
        return np.take_along_axis(places, best, 0)[0]

    def _at(self, x: np.ndarray, y: np.ndarray, w: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, ...]:
        """Q and 1 - Q where F is x, given W = w = 1 - v; and dQ/dF."""
        gain, weight = 1 + self.beta**2, self.beta**2 * w + v
        below, above = x * weight, gain * y
        with np.errstate(divide="ignore", invalid="ignore"):
            return below / (below + above), above / (below + above), weight * gain / (below + above) ** 2

    def _expect(self, function: Any, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """E over W of function(Q, 1 - Q, dQ/dF) at F = x."""
        if self.beta == 1:
            return function(self.odds, *self._at(x, y, np.ones(()), np.zeros(())))
        x, y, b_fn, b_fp = np.broadcast_arrays(x, y, self.b_fn, self.b_fp)
        odds = BetaLaw(np.asarray(self.a)[..., None], np.asarray(self._b)[..., None])
        return beta_expectation(b_fn, b_fp, lambda w, v: function(odds, *self._at(x[..., None], y[..., None], w, v)),
                                tolerance=1e-10)[0]

    def _below(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return self._expect(lambda odds, q, rest, slope: odds._below(q, rest), x, y)

    def _above(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return self._expect(lambda odds, q, rest, slope: odds._above(q, rest), x, y)

    def _density(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return self._expect(lambda odds, q, rest, slope: odds._density(q, rest) * slope, x, y)

    def _quantile(self, p: np.ndarray) -> np.ndarray:
        q = self.odds._quantile(p)
        if self.beta == 1:
            return 2 * q / (1 + q)
        from scipy.special import expit

        # The weight of W in the odds is between the least and the greatest of 1 and β².
        p = np.broadcast_to(p, q.shape)
        gain = math.log1p(self.beta**2)
        with np.errstate(divide="ignore"):
            log_odds = np.clip(np.log(q) - np.log1p(-q), -700, 700) + gain
        shift = 2 * abs(math.log(self.beta)) * np.array([-1, 0] if self.beta > 1 else [0, 1])
        roots = find_roots(lambda u: self._below(expit(u), expit(-u)) - p, log_odds + shift[0] - 1e-9,
                           log_odds + shift[1] + 1e-9)
        return np.where(p == 0, 0.0, np.where(p == 1, 1.0, expit(roots)))

    def _draw(self, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
        q = np.asarray(random_beta(self.a, self._b, shape, rng=rng))
        w = np.asarray(random_beta(self.b_fn, self.b_fp, shape, rng=rng)) if self.beta != 1 else np.ones(())
        top = (1 + self.beta**2) * q
        return top / (top + (self.beta**2 * w + 1 - w) * (1 - q))


def _f_moments(a: np.ndarray, b_fp: np.ndarray, b_fn: np.ndarray, beta: float) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of F, from means of F and of 1 - F, whichever is the smaller and keeps its digits."""
    gain = 1 + beta**2
    q, rest, weights = beta_nodes(a, b_fp + b_fn, 96)
    one = np.ones(1)
    w, v, w_weights = (one, 0 * one, one) if beta == 1 else beta_nodes(b_fn, b_fp, 96)
    rise = gain * q[..., None]
    loss = (beta**2 * w + v)[..., None, :] * rest[..., None]
    rise, fall = rise / (rise + loss), loss / (rise + loss)
    joint = weights[..., None] * w_weights[..., None, :]
    mean, short = ((joint * value).sum(axis=(-1, -2)) for value in (rise, fall))
    is_low = mean < short
    less = np.where(is_low, mean, short)
    away = np.where(is_low[..., None, None], rise, fall) - less[..., None, None]
    return np.where(is_low, less, 1 - less), (joint * away**2).sum(axis=(-1, -2))


class Draws(Law):
    """A distribution known by draws from it: `values` has one more axis than the distributions, the first.

    `standard_error` is that of `mean`.  There is no density.
    """

    def __init__(self, values: Any) -> None:
        self.values: np.ndarray = check_numbers("values", values, "must be finite", np.isfinite)
        if not self.values.ndim or not len(self.values):
            fail("values", "must be draws, one or more along the first axis", values)
        self.shape: tuple[int, ...] = self.values.shape[1:]

    def __repr__(self) -> str:
        return f"Draws({self.values.shape[0]} draws, mean={self.mean})"

    @property
    def mean(self) -> Any:
        """Mean of the draws."""
        return plain(self.values.mean(axis=0))

    @property
    def var(self) -> Any:
        """Variance of the draws."""
        return plain(self.values.var(axis=0, ddof=1))

    @property
    def standard_error(self) -> Any:
        """Standard error of the mean."""
        return plain(np.sqrt(np.asarray(self.var) / self.values.shape[0]))

    @property
    def mode(self) -> Any:
        """Draws have none."""
        raise InputError("draws have no density: neither `pdf` nor `mode`")

    def pdf(self, x: Any) -> Any:
        """Draws have none."""
        return self.mode

    def cdf(self, x: Any) -> Any:
        """Share of the draws that are x or less."""
        return plain(self._count(self._against("x", _finite("x", x))) / self.values.shape[0])

    def sf(self, x: Any) -> Any:
        """Share of the draws above x."""
        return plain((self.values.shape[0] - self._count(self._against("x", _finite("x", x)))) / self.values.shape[0])

    def _count(self, x: np.ndarray) -> np.ndarray:
        return self._each(x, lambda draws, some: np.searchsorted(np.sort(draws), some, side="right"))

    def _quantile(self, p: np.ndarray) -> np.ndarray:
        return self._each(p, lambda draws, some: np.quantile(draws, some.ravel()).reshape(some.shape) if some.size
                          else some)

    def _each(self, argument: np.ndarray, function: Callable[[np.ndarray, np.ndarray], Any]) -> np.ndarray:
        """A function of each distribution's draws and of its part of an argument that broadcasts against all."""
        shape = np.broadcast_shapes(argument.shape, self.shape)
        inner = shape[len(shape) - len(self.shape):]
        argument = np.broadcast_to(argument, shape)
        draws = np.broadcast_to(self.values, (self.values.shape[0], *inner))
        result = np.empty(shape)
        for index in np.ndindex(inner):
            result[(..., *index)] = function(draws[(slice(None), *index)], argument[(..., *index)])
        return result

    def _shortest(self, level: float) -> Bounds:
        ordered = np.sort(self.values, axis=0)
        held = math.ceil(level * ordered.shape[0])
        widths = ordered[held - 1:] - ordered[:ordered.shape[0] - held + 1]
        first = np.argmin(widths, axis=0)[None]
        return Bounds(plain(np.take_along_axis(ordered, first, 0)[0]),
                      plain(np.take_along_axis(ordered, first + held - 1, 0)[0]))

    def _draw(self, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
        return rng.choice(self.values, shape[:len(shape) - len(self.shape)], axis=0)
