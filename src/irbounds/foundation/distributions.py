"""Distributions on [0, 1] for posteriors: beta distributions and samples; that of F is in
`counts.f_score`.

All are arrays of distributions: parameters broadcast, and every method returns their shape (a float
for one distribution); arguments broadcast against it.

The file is longer than 400 lines because both distributions share the formulas of their base.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irbounds.foundation.arguments import (
    broadcast,
    check_level,
    check_numbers,
    check_rng,
    check_size,
    plain,
)
from irbounds.foundation.errors import InputError, check_choice, fail
from irbounds.foundation.quadrature import find_roots
from irbounds.foundation.shares import share_quantiles, share_tails
from irbounds.foundation.variates import random_beta

if TYPE_CHECKING:
    from irbounds.typing import FloatOrArray, RNGLike


class Bounds(NamedTuple):
    """The ends of an interval, floats or arrays."""

    low: FloatOrArray
    high: FloatOrArray


def _probability(argument: str, value: Any) -> np.ndarray:
    return check_numbers(argument, value, "must be from 0 to 1", lambda p: (p >= 0) & (p <= 1))


class Distribution:
    """A distribution on [0, 1], or an array of them; that of a ratio ends at infinity (`support`).

    ``mean``, ``var``, ``std``, ``mode`` are properties (``mode`` is nan if the density has no
    single highest point); ``pdf``, ``cdf``, ``sf`` and ``ppf`` are as in SciPy.  ``is_approximate``
    is True for the result of `macro_average` by moments, which approximates another distribution.
    """

    is_approximate = False
    support = (0.0, 1.0)
    shape: tuple[int, ...]
    mean: FloatOrArray
    var: FloatOrArray
    mode: FloatOrArray

    def cdf(self, x: FloatOrArray) -> Any:
        """P(value <= x); x is clipped to the support."""
        x = np.clip(self._against("x", _finite("x", x)), *self.support)
        return plain(self._below(x, 1 - x))

    def sf(self, x: FloatOrArray) -> Any:
        """P(value > x)."""
        x = np.clip(self._against("x", _finite("x", x)), *self.support)
        return plain(self._above(x, 1 - x))

    def pdf(self, x: FloatOrArray) -> Any:
        """Density at x; 0 outside [0, 1]."""
        x = self._against("x", _finite("x", x))
        inside = np.clip(x, 0, 1)
        return plain(np.where(inside == x, self._density(inside, 1 - inside), 0.0))

    def ppf(self, p: FloatOrArray) -> Any:
        """The quantile: the point where `cdf` is p."""
        return plain(self._quantile(self._against("p", _probability("p", p))))

    def _against(self, argument: str, values: np.ndarray) -> np.ndarray:
        """The argument as an array, after a check that it broadcasts against the distributions."""
        if values.ndim and self.shape:
            broadcast(**{argument: values}, distributions=np.broadcast_to(0.0, self.shape))
        return values

    @property
    def std(self) -> Any:
        """Standard deviation."""
        return plain(np.sqrt(self.var))

    def interval(self, level: float = 0.95, kind: str = "equal-tailed") -> Bounds:
        """An interval that contains the value with this probability.

        Parameters
        ----------
        level : float
        kind : {"equal-tailed", "hpd"}
            "equal-tailed" leaves out the same probability on either side.  "hpd" is the shortest
            interval, where the density is highest; with a density that is infinite at both ends,
            the shorter of the two that reach an end.

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
        """A bound that the value exceeds with probability `level`."""
        return self.ppf(1 - check_level(level, "level"))

    def upper_bound(self, level: float = 0.95) -> Any:
        """A bound that the value does not exceed with probability `level`."""
        return self.ppf(check_level(level, "level"))

    def rvs(self, size: FloatOrArray = None, rng: RNGLike = None) -> Any:
        """Random draws of shape ``(*size, *shape)``; by default of the distributions' own shape."""
        return plain(self._draw((*check_size(size), *self.shape), check_rng(rng)))

    def _shortest(self, level: float) -> Bounds:
        """The shortest interval: the width of [quantile(p), quantile(p + level)] falls with p while
        the density is higher at the right end."""
        most = np.full(self.shape, 1 - level)

        def slope(p: np.ndarray) -> np.ndarray:
            low, high = self._quantile(p), self._quantile(np.minimum(p + level, 1))
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                left, right = self._density(low, 1 - low), self._density(high, 1 - high)
                return np.nan_to_num((left - right) / (left + right))

        # Not the ends themselves: quantiles are 0 or 1 there, where the density may be infinite.
        inner = find_roots(slope, most * 1e-9, most * (1 - 1e-9))
        # The shortest interval is at the root, or at an end where the density has its mode there.
        starts = np.stack([most / 2, inner, np.zeros(self.shape), most])
        lows, highs = self._quantile(starts), self._quantile(np.minimum(starts + level, 1))
        lows[2], highs[3] = 0.0, 1.0
        widths = highs - lows
        widths[0] *= 1 - 1e-12  # all are as long where the law is uniform: then the middle one
        best = np.argmin(widths, axis=0)[None]
        return Bounds(*(plain(np.take_along_axis(ends, best, 0)[0]) for ends in (lows, highs)))

    # Methods of each kind of distribution; y is 1 - x, which keeps digits near 1 that x loses.
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


def _parameters(**values: FloatOrArray) -> Sequence[Any]:
    """The parameters in one shape; arrays are copied, so that later changes of them have no
    effect."""
    if all(type(value) is float and 0 < value < math.inf for value in values.values()):
        return tuple(values.values())
    arrays = {
        name: check_numbers(
            name, value, "must be above 0 and finite", lambda x: (x > 0) & (x < math.inf)
        )
        for name, value in values.items()
    }
    return [plain(array) for array in broadcast(**arrays)]


class BetaDistribution(Distribution):
    """Beta(a, b).

    Examples
    --------
    >>> import irbounds as irb
    >>> precision = irb.CountsPosterior(tp=3, fp=2, fn=1).precision
    >>> precision
    BetaDistribution(a=3.5, b=2.5)
    >>> round(precision.mean, 4), round(precision.sf(0.5), 4)
    (0.5833, 0.6698)
    """

    def __init__(self, a: FloatOrArray, b: FloatOrArray) -> None:
        self.a: FloatOrArray
        self.b: FloatOrArray
        self.a, self.b = _parameters(a=a, b=b)
        self.shape: tuple[int, ...] = np.shape(self.a)

    def __repr__(self) -> str:
        return f"BetaDistribution(a={self.a}, b={self.b})"

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
        """(a - 1)/(a + b - 2) if both exceed 1, otherwise the end with the higher density."""
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

        is_large = np.asarray(self.a + self.b) > LARGE
        if not is_large.any():
            return betaincinv(self.a, self.b, p)
        a, b, p, is_large = np.broadcast_arrays(self.a, self.b, p, is_large)
        result = np.asarray(betaincinv(a, b, np.where(is_large, 0.5, p)))
        a, b, p = (value[is_large] for value in (a, b, p))
        return _filled(result, is_large, share_quantiles(a, b, 0, 0.0, p))

    def _draw(self, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
        return np.asarray(random_beta(self.a, self.b, shape, rng=rng))


# From here on the kernel is the more exact, and the faster: with parameters of 10^7 SciPy's
# quantiles are off by up to 1e-9 in probability, and by 2e-5 with 10^12; its distribution function
# of whole parameters sums powers and loses digits.
LARGE = 1e4
LEAST_MEAN = 2.0**-1000


def beta_below(a: FloatOrArray, b: FloatOrArray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """P(Beta(a, b) <= x), y = 1 - x, computed from the smaller of x and y."""
    from scipy.special import betainc, betaincc

    # the kernel needs a mean above the least double; one of 1e-311 came out as if it were 1
    is_large = (np.add(a, b) > LARGE) & (np.minimum(a, b) > LEAST_MEAN * np.add(a, b))
    is_small = x < y
    if is_large.any():
        a, b, x, y, is_large, is_small = np.broadcast_arrays(a, b, x, y, is_large, is_small)
    below = np.empty(np.broadcast_shapes(np.shape(a), np.shape(b), np.shape(x)))
    betainc(a, b, x, out=below, where=is_small & ~is_large)
    betaincc(b, a, y, out=below, where=~is_small & ~is_large)
    if not is_large.any():
        return below
    a, b, x, y = (value[is_large] for value in (a, b, x, y))
    return _filled(below, is_large, share_tails(a, b, 0, 0.0, x, y)[0])


def _filled(array: np.ndarray, where: np.ndarray, values: np.ndarray) -> np.ndarray:
    array[where] = values
    return array


def log_beta_density(a: FloatOrArray, b: FloatOrArray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """log of the density of Beta(a, b) at x, y = 1 - x.

    Computed from the distance to the mean and the remainder of Stirling's formula (Loader 2000):
    logarithms of gamma functions would cancel, and leave 7 digits for counts of 10^8.
    """
    from scipy.special import betaln, xlogy

    a, b = np.asarray(a, float), np.asarray(b, float)
    total = a + b
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        # of a, from what x would have it be; b has it too much
        missing = np.where(x < y, a - total * x, total * y - b)
        fall = deviance(a, total * x, missing) + deviance(b, total * y, -missing)
        # The height of the normal density with the variance 1/a + 1/b of the log odds.
        spread = 0.5 * np.log(a / total * b / (2 * math.pi))
        inside = (
            spread
            - fall
            + beyond_stirling(total)
            - beyond_stirling(a)
            - beyond_stirling(b)
            - np.log(x)
            - np.where(x < y, np.log1p(-x), np.log(y))
        )
    is_inside = (x > 0) & (y > 0) & np.isfinite(inside)
    if is_inside.all():
        return np.asarray(inside)
    return np.where(is_inside, inside, xlogy(a - 1, x) + xlogy(b - 1, y) - betaln(a, b))


def deviance(count: np.ndarray, mean: np.ndarray, difference: np.ndarray) -> np.ndarray:
    """count log(count/mean) - difference, where difference = count - mean is known more accurately;
    a series for small differences."""
    # count/mean = (1 + v)/(1 - v), whose logarithm is 2 (v + v³/3 + v⁵/5 + …). The first term less
    # the difference is difference × v: nothing cancels. For |v| < 0.1 the first term that is left
    # out is below 1e-22 of the sum.
    v = difference / (count + mean)
    term, total = 2 * count * v, difference * v
    for k in range(1, 11):
        term = term * v * v
        total = total + term / (2 * k + 1)
    return np.where(np.abs(v) < 0.1, total, count * np.log(count / mean) - difference)


def beyond_stirling(z: np.ndarray) -> np.ndarray:
    """log Γ(z) - (z - 1/2) log z + z - log(2 π)/2."""
    from scipy.special import gammaln

    # Stirling's series; from 16 on the first term that is left out, 1/(156 z^13), is below 2e-18.
    r = 1 / np.maximum(z, 16.0) ** 2
    series = (
        1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r * (1 / 1188 - r * 691 / 360360))))
    ) * np.sqrt(r)
    return np.where(
        z < 16, gammaln(z) - (z - 0.5) * np.log(z) + z - 0.5 * math.log(2 * math.pi), series
    )


class SampledDistribution(Distribution):
    """A distribution given by random draws: the first axis of `values` is the draws.

    `standard_error` is that of `mean`.  There is no density.
    """

    def __init__(self, values: FloatOrArray) -> None:
        self.values: np.ndarray = check_numbers("values", values, "must be finite", np.isfinite)
        if not self.values.ndim or not len(self.values):
            fail("values", "must be draws, one or more along the first axis", values)
        self.shape: tuple[int, ...] = self.values.shape[1:]

    def __repr__(self) -> str:
        return f"SampledDistribution({self.values.shape[0]} draws, mean={self.mean})"

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
        """Not available for draws."""
        raise InputError("a distribution of draws has no `pdf` and no `mode`")

    def pdf(self, x: FloatOrArray) -> Any:
        """Not available for draws."""
        return self.mode

    def cdf(self, x: FloatOrArray) -> Any:
        """Share of the draws that are x or less."""
        return plain(self._count(self._against("x", _finite("x", x))) / self.values.shape[0])

    def sf(self, x: FloatOrArray) -> Any:
        """Share of the draws above x."""
        return plain(
            (self.values.shape[0] - self._count(self._against("x", _finite("x", x))))
            / self.values.shape[0]
        )

    def _count(self, x: np.ndarray) -> np.ndarray:
        return self._each(
            x, lambda draws, some: np.searchsorted(np.sort(draws), some, side="right")
        )

    def _quantile(self, p: np.ndarray) -> np.ndarray:
        return self._each(
            p,
            lambda draws, some: (
                np.quantile(draws, some.ravel()).reshape(some.shape) if some.size else some
            ),
        )

    def _each(
        self, argument: np.ndarray, function: Callable[[np.ndarray, np.ndarray], Any]
    ) -> np.ndarray:
        """The results of a function of each distribution's draws and of its part of an argument
        that broadcasts."""
        shape = np.broadcast_shapes(argument.shape, self.shape)
        inner = shape[len(shape) - len(self.shape) :]
        argument = np.broadcast_to(argument, shape)
        draws = np.broadcast_to(self.values, (self.values.shape[0], *inner))
        result = np.empty(shape)
        for index in np.ndindex(inner):
            result[(..., *index)] = function(draws[(slice(None), *index)], argument[(..., *index)])
        return result

    def _shortest(self, level: float) -> Bounds:
        ordered = np.sort(self.values, axis=0)
        held = math.ceil(level * ordered.shape[0])
        widths = ordered[held - 1 :] - ordered[: ordered.shape[0] - held + 1]
        first = np.argmin(widths, axis=0)[None]
        return Bounds(
            plain(np.take_along_axis(ordered, first, 0)[0]),
            plain(np.take_along_axis(ordered, first + held - 1, 0)[0]),
        )

    def _draw(self, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
        return rng.choice(self.values, shape[: len(shape) - len(self.shape)], axis=0)
