"""Intervals on one proportion, and on the ratio of two (Webber 2013, sections 2.5 to 2.7 and 3.4)."""
from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from irbounds.chance.hypergeometric import hypergeometric_cdf, hypergeometric_sf
from irbounds.foundation.arguments import broadcast, check_level, check_numbers, plain
from irbounds.foundation.errors import InputError, check_choice
from irbounds.foundation.quadrature import find_roots

SIDES = ("two-sided", "lower", "upper")
PROPORTION_METHODS = ("wilson", "wald", "agresti-coull", "clopper-pearson", "jeffreys")


@dataclass(frozen=True, eq=False)
class Interval:
    """An estimate with its bounds; arrays where the question had arrays.

    Attributes
    ----------
    estimate, low, high : float or ndarray
        Of a one-sided interval the other end is the least or the greatest possible value.
    confidence_level : float
    side : {"two-sided", "lower", "upper"}
    method : str
    engine : str
        "exact", "monte-carlo" or "formula".
    standard_error : pair or None
        Of the two ends, where they were drawn.
    raw_low, raw_high : float, ndarray or None
        Ends of a normal approximation before they were clipped to [0, 1].
    """

    estimate: Any
    low: Any
    high: Any
    confidence_level: float
    side: str
    method: str
    engine: str = "formula"
    standard_error: Any = None
    raw_low: Any = None
    raw_high: Any = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "confidence_level", float(self.confidence_level))

    def to_dict(self) -> dict[str, Any]:
        """All fields by name, arrays as lists."""
        def simple(value: Any) -> Any:
            if isinstance(value, tuple):
                return [simple(item) for item in value]
            return value.tolist() if isinstance(value, np.ndarray) else value

        return {name: simple(value) for name, value in vars(self).items()}

    def __repr__(self) -> str:
        if np.ndim(self.low):
            return f"Interval(low={self.low}, high={self.high}, method={self.method!r})"
        return (f"Interval({self.estimate:.6g} in [{self.low:.6g}, {self.high:.6g}], {self.confidence_level:g} "
                f"{self.side}, {self.method})")


def tail_probability(level: float, side: str) -> float:
    """What is left outside of each end."""
    level = check_level(level)
    return (1 - level) / 2 if check_choice("side", side, SIDES) == "two-sided" else 1 - level


def normal_quantile(level: float, side: str) -> float:
    """How many standard deviations that is."""
    return NormalDist().inv_cdf(1 - tail_probability(level, side))


def one_sided(low: Any, high: Any, side: str, least: Any = 0.0, most: Any = 1.0) -> tuple[Any, Any]:
    """Ends, with the one that was not asked for open."""
    low = np.broadcast_to(least, np.shape(low)).astype(float) if side == "upper" else low
    return low, (np.broadcast_to(most, np.shape(high)).astype(float) if side == "lower" else high)


def _check_sample(relevant: Any, sampled: Any, names: tuple[str, str] = ("relevant", "sampled")) -> list[np.ndarray]:
    arrays = [check_numbers(name, value, "must be a whole number, 0 or more",
                            lambda x: (x >= 0) & (x < 2.0**52) & (x == np.floor(x)))
              for name, value in zip(names, (relevant, sampled), strict=True)]
    x, n = broadcast(**dict(zip(names, arrays, strict=True)))
    if (x > n).any():
        i = tuple(np.argwhere(x > n)[0])
        raise InputError(f"`{names[0]}` must be at most {names[1]}; found {x[i]:.0f} of {n[i]:.0f}"
                         + (f" at index {', '.join(map(str, i))}" if i else ""))
    return [x, n]


def binomial_interval(relevant: Any, sampled: Any, *, method: str = "wilson", size: Any = None,
                      confidence_level: float = 0.95, side: str = "two-sided") -> Interval:
    """An interval on a proportion, from a simple random sample.

    Parameters
    ----------
    relevant, sampled : int or array_like of int
        Relevant documents in the sample, and the sample.  Nothing sampled gives [0, 1].
    method : {"wilson", "wald", "agresti-coull", "clopper-pearson", "jeffreys"}
    size : int or array_like of int, optional
        Documents in the finite population.  The interval is then exact for it, whatever `method`: all proportions
        K/size that neither hypergeometric test rejects.
    confidence_level : float
    side : {"two-sided", "lower", "upper"}

    Returns
    -------
    Interval

    Examples
    --------
    >>> import irbounds as irb
    >>> irb.binomial_interval(15, 148)
    Interval(0.101351 in [0.0623864, 0.160487], 0.95 two-sided, wilson)
    >>> irb.binomial_interval(3, 10, size=100)
    Interval(0.3 in [0.08, 0.63], 0.95 two-sided, hypergeometric)
    """
    check_choice("method", method, PROPORTION_METHODS)
    x, n = _check_sample(relevant, sampled)
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = x / n
    if size is not None:
        n_all = check_numbers("size", size, "must be a whole number, 0 or more",
                              lambda v: (v >= 0) & (v < 2.0**52) & (v == np.floor(v)))
        n_all, x, n = broadcast(size=n_all, relevant=x, sampled=n)
        if (n > n_all).any():
            i = tuple(np.argwhere(n > n_all)[0])
            raise InputError(f"`sampled` must be at most size; found {n[i]:.0f} of {n_all[i]:.0f}")
        low, high = population_bounds(x, n, n_all, tail_probability(confidence_level, side))
        with np.errstate(divide="ignore", invalid="ignore"):
            low, high = np.where(n_all > 0, low / n_all, 0.0), np.where(n_all > 0, high / n_all, 1.0)
            estimate = x / n
        low, high = one_sided(low, high, side)
        return Interval(plain(estimate), plain(low), plain(high), confidence_level, side, "hypergeometric", "exact")
    low, high = _proportion(x, n, method, confidence_level, side)
    low, high = (np.clip(np.where(n > 0, end, other), 0, 1) for end, other in ((low, 0.0), (high, 1.0)))
    low, high = one_sided(low, high, side)
    return Interval(plain(estimate), plain(low), plain(high), confidence_level, side, method)


def _proportion(x: np.ndarray, n: np.ndarray, method: str, level: float, side: str) -> tuple[np.ndarray, np.ndarray]:
    from scipy.special import betaincinv

    alpha, z = tail_probability(level, side), normal_quantile(level, side)
    if method in ("clopper-pearson", "jeffreys"):
        more = 0.5 if method == "jeffreys" else 0.0
        other = more if more else 1.0
        low = np.where(x > 0, betaincinv(np.maximum(x + more, 1e-9), n - x + other, alpha), 0.0)
        high = np.where(x < n, betaincinv(x + other, np.maximum(n - x + more, 1e-9), 1 - alpha), 1.0)
        return low, high
    with np.errstate(divide="ignore", invalid="ignore"):
        if method == "wilson":
            p = x / n
            half = z * np.sqrt((p * (1 - p) + z * z / (4 * n)) / n)
            middle = p + z * z / (2 * n)
            low, high = (middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n)
            return np.where((x == 0) & (z >= 0), 0.0, low), np.where((x == n) & (z >= 0), 1.0, high)
        more = z * z / 2 if method == "agresti-coull" else 0.0
        x, n = x + more, n + 2 * more
        half = z * np.sqrt(x / n * (1 - x / n) / n)
        return x / n - half, x / n + half


def population_bounds(x: np.ndarray, n: np.ndarray, size: np.ndarray, alpha: float) -> tuple[np.ndarray, np.ndarray]:
    """The least and the greatest number of relevant documents in the population that no test at level alpha rejects:
    P(X >= x) > alpha and P(X <= x) > alpha; by bisection, all elements together.  A probability within rounding of
    alpha, as 1/5 is of 1 - 0.8, is equal to it."""
    alpha *= 1 + 1e-12

    def halve(inside: np.ndarray, outside: np.ndarray, kept: Any) -> np.ndarray:
        while (np.abs(outside - inside) > 1).any():
            middle = np.floor((inside + outside) / 2)
            good = kept(np.clip(middle, 0, size))
            far = np.abs(outside - inside) > 1
            inside, outside = np.where(far & good, middle, inside), np.where(far & ~good, middle, outside)
        return inside

    def at_least(k: np.ndarray) -> np.ndarray:
        return np.where(x > 0, np.asarray(hypergeometric_sf(np.maximum(x - 1, 0), size, k, n)), 1.0) > alpha

    def at_most(k: np.ndarray) -> np.ndarray:
        return np.asarray(hypergeometric_cdf(x, size, k, n)) > alpha

    start = np.where(n > 0, np.clip(np.round(size * x / np.maximum(n, 1)), x, size - n + x), x)
    return halve(start, x - 1.0, at_least), halve(start, size - n + x + 1.0, at_most)


def binomial_ratio_interval(x1: Any, n1: Any, x2: Any, n2: Any, *, confidence_level: float = 0.95,
                            side: str = "two-sided") -> Interval:
    """Koopman's interval on the ratio of two proportions, (x1/n1)/(x2/n2).

    Parameters
    ----------
    x1, n1, x2, n2 : int or array_like of int
        Successes and trials.  With x1 = 0 the interval begins at 0, with x2 = 0 it is not bounded above.

    Returns
    -------
    Interval
        All ratios whose chi-square (Koopman 1984) is not significant; inverting the ratio inverts the interval.

    Examples
    --------
    >>> import irbounds as irb
    >>> irb.binomial_ratio_interval(36, 40, 16, 80)
    Interval(4.5 in [2.93957, 7.15222], 0.95 two-sided, koopman)
    """
    x, m = _check_sample(x1, n1, ("x1", "n1"))
    y, k = _check_sample(x2, n2, ("x2", "n2"))
    x, m, y, k = broadcast(x1=x, n1=m, x2=y, n2=k)
    low, high = _koopman(x, m, y, k, normal_quantile(confidence_level, side))
    low, high = one_sided(low, high, side, 0.0, math.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = x / m / (y / k)
    return Interval(plain(estimate), plain(low), plain(high), confidence_level, side, "koopman")


def _koopman(x: np.ndarray, m: np.ndarray, y: np.ndarray, k: np.ndarray,
             z: float) -> tuple[np.ndarray, np.ndarray]:
    """Ends of the ratios whose chi-square is at most z², all questions together.  Bounds of less than one half, with z
    below 0, are on the other side of the ratio."""
    known = (m > 0) & (k > 0) & (x + y > 0)
    limit = max(z * z, 1e-30)
    x, m, y, k = (np.where(known, value, 1.0) for value in (x, m, y, k))

    def end(step: float, exists: np.ndarray) -> np.ndarray:
        def excess(log_ratio: np.ndarray) -> np.ndarray:
            return _koopman_chi_square(np.exp(log_ratio), x, m, y, k) - limit

        inside = np.log(np.where(x > 0, x, 1.0) / m / (np.where(y > 0, y, 1.0) / k))
        is_inner = (x > 0) & (y > 0)
        inside = np.where(is_inner, inside, 0.0)
        is_end = is_inner & (excess(inside) >= 0)  # for a limit within rounding of 0
        exists = exists & ~is_end
        while (out := exists & (excess(inside) > 0)).any():  # only where the ratio itself is 0 or infinite
            inside = inside - step * out
        outside = inside + step
        while (far := exists & (excess(outside) <= 0)).any():
            inside, outside = np.where(far, outside, inside), outside + step * far
        root = find_roots(lambda place: np.where(exists, excess(place), place), np.where(exists, inside, -1.0),
                          np.where(exists, outside, 1.0))
        return np.exp(np.where(is_end, inside, root))

    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        low, high = end(-1.0, known & (x > 0)), end(1.0, known & (y > 0))
    low, high = np.where(x > 0, low, 0.0), np.where(y > 0, high, math.inf)
    low, high = (low, high) if z >= 0 else (high, low)
    return np.where(known, low, 0.0), np.where(known, high, math.inf)


def _koopman_chi_square(ratio: np.ndarray, x: np.ndarray, m: np.ndarray, y: np.ndarray, k: np.ndarray) -> np.ndarray:
    """Pearson's chi-square at p1/p2 = ratio with the likeliest p1 and p2; the root is written without cancellation."""
    s = ratio * (m + y) + x + k
    p1 = np.minimum(1.0, 2 * ratio * (x + y) / (s + np.sqrt(np.maximum(0.0, s * s - 4 * ratio * (m + k) * (x + y)))))
    return _pearson(x, m, p1) + _pearson(y, k, np.minimum(1.0, p1 / ratio))


def _pearson(x: np.ndarray, n: np.ndarray, p: np.ndarray) -> np.ndarray:
    between = np.where((p > 0) & (p < 1), (x - n * p) ** 2 / (n * p * (1 - p)), math.inf)
    none = np.where(p < 1, n * p / (1 - p), math.inf)
    every = np.where(p > 0, n * (1 - p) / p, math.inf)
    return np.where(x == 0, none, np.where(x == n, every, between))
