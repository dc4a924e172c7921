"""Intervals on one proportion (Webber 2013, sections 2.5 to 2.7), and what every interval here
is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from irbounds.foundation.arguments import broadcast, check_level, check_numbers, plain
from irbounds.foundation.errors import InputError, check_choice
from irbounds.samples.proportion_methods import PROPORTION_METHODS, Tail
from irbounds.samples.proportion_methods import population_bounds as population_bounds

SIDES = ("two-sided", "lower", "upper")


@dataclass(frozen=True, eq=False)
class Interval:
    """An estimate with its bounds; arrays where the question had arrays.

    Attributes
    ----------
    estimate, low, high : float or ndarray
        Of a one-sided interval the other end is the least or the greatest possible value; where
        everything was sampled that is the value itself, and both ends are.
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
        return (
            f"Interval({self.estimate:.6g} in [{self.low:.6g}, {self.high:.6g}], "
            f"{self.confidence_level:g} "
            f"{self.side}, {self.method})"
        )


def tail_probability(level: float, side: str) -> float:
    """What is left outside of each end."""
    level = check_level(level)
    return (1 - level) / 2 if check_choice("side", side, SIDES) == "two-sided" else 1 - level


def normal_quantile(level: float, side: str) -> float:
    """How many standard deviations that is.

    Near 0 it is taken from the probability between the ends: that outside of them keeps no digits
    of a small one.
    """
    tail = tail_probability(level, side)
    if 0.25 < tail < 0.75:
        from scipy.special import erfinv

        return math.sqrt(2) * float(erfinv(level if side == "two-sided" else 2 * level - 1))
    return -NormalDist().inv_cdf(tail)


def one_sided(low: Any, high: Any, side: str, least: Any = 0.0, most: Any = 1.0) -> tuple[Any, Any]:
    """Ends, with the one that was not asked for open."""
    low = np.broadcast_to(least, np.shape(low)).astype(float) if side == "upper" else low
    return low, (np.broadcast_to(most, np.shape(high)).astype(float) if side == "lower" else high)


def with_known(low: Any, high: Any, value: Any, is_known: Any) -> tuple[Any, Any]:
    """Ends, both of which are the value itself where that is known: everything was sampled, nothing
    is inferred."""
    return np.where(is_known, value, low), np.where(is_known, value, high)


def check_sample(
    relevant: Any, sampled: Any, names: tuple[str, str] = ("relevant", "sampled")
) -> list[np.ndarray]:
    """Counts, one at most as large as the other, in one shape."""
    arrays = [
        check_numbers(
            name,
            value,
            "must be a whole number, 0 or more",
            lambda x: (x >= 0) & (x < 2.0**52) & (x == np.floor(x)),
        )
        for name, value in zip(names, (relevant, sampled), strict=True)
    ]
    x, n = broadcast(**dict(zip(names, arrays, strict=True)))
    if (x > n).any():
        i = tuple(np.argwhere(x > n)[0])
        raise InputError(
            f"`{names[0]}` must be at most {names[1]}; found {x[i]:.0f} of {n[i]:.0f}"
            + (f" at index {', '.join(map(str, i))}" if i else "")
        )
    return [x, n]


def binomial_interval(
    relevant: Any,
    sampled: Any,
    *,
    method: str | None = None,
    size: Any = None,
    confidence_level: float = 0.95,
    side: str = "two-sided",
) -> Interval:
    """An interval on a proportion, from a simple random sample.

    Parameters
    ----------
    relevant, sampled : int or array_like of int
        Relevant documents in the sample, and the sample.  Nothing sampled gives [0, 1].
    method : str, optional
        "wilson" (the default), "wilson-cc" with correction for continuity, "wald", "agresti-coull":
        by the normal distribution.  "jeffreys": the posterior with Jeffreys' prior.
        "clopper-pearson" and "blaker" are exact: they never cover less than the level, and "blaker"
        lies within "clopper-pearson".  "mid-p": exact tails, in which the sample itself counts
        half; it covers the level on the average, not always.

        With `size` the methods have forms for a finite population: the tests are hypergeometric, or
        the variance is (size - sampled)/(size - 1) of the binomial one.  The default is then
        "hypergeometric", all numbers that neither tail rejects, as "clopper-pearson" also gives.
        "blaker" is the shorter exact interval.  "jeffreys" has no such form here: it is
        "betabinom-half" of `precision_interval`.

        Two-sided intervals hold the estimate with these exceptions.  Those for a finite population
        end at whole documents, between which the estimate may be.  "jeffreys" and "mid-p" have the
        middle at a median, which shows at levels near 0.
    size : int or array_like of int, optional
        Documents in the finite population.  Where all of them were sampled, both ends are the
        proportion itself.
    confidence_level : float
    side : {"two-sided", "lower", "upper"}
        A one-sided "blaker" bound is that of "clopper-pearson": it has one tail.

    Returns
    -------
    Interval

    Notes
    -----
    Coverage of 95 % intervals, all samples enumerated: the least over all p, and the mean over p,
    for samples of 1 to 30; and the same over all numbers of relevant documents in populations of 2
    to 30 (samples of less than all).

    ===============  ============  ============
    method           endless       finite
    ===============  ============  ============
    wilson           0.793, 0.954  0.800, 0.963
    wilson-cc        0.945, 0.980  0.947, 0.994
    wald             0.000, 0.751  0.000, 0.784
    agresti-coull    0.820, 0.963  0.800, 0.970
    jeffreys         0.853, 0.954
    mid-p            0.912, 0.967  0.900, 0.984
    blaker           0.950, 0.971  0.950, 0.987
    clopper-pearson  0.950, 0.982  0.950, 0.993
    ===============  ============  ============

    Examples
    --------
    >>> import irbounds as irb
    >>> irb.binomial_interval(15, 148)
    Interval(0.101351 in [0.0623864, 0.160487], 0.95 two-sided, wilson)
    >>> irb.binomial_interval(3, 10, size=100)
    Interval(0.3 in [0.08, 0.63], 0.95 two-sided, hypergeometric)
    >>> irb.binomial_interval(3, 10, size=100, method="blaker")
    Interval(0.3 in [0.1, 0.6], 0.95 two-sided, blaker)
    """
    name = (
        ("wilson" if size is None else "hypergeometric")
        if method is None
        else check_choice("method", method, PROPORTION_METHODS)
    )
    x, n = check_sample(relevant, sampled)
    tail = Tail(
        tail_probability(confidence_level, side), normal_quantile(confidence_level, side), side
    )
    if size is None:
        low, high = _endless(name, x, n, tail)
        is_known: Any = False
    else:
        n_all, x, n = _check_size(size, x, n)
        low, high = _of_population(name, x, n, n_all, tail)
        is_known = (n == n_all) & (n_all > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = x / n
    low, high = with_known(*one_sided(low, high, side), estimate, is_known)
    is_exact = size is not None and PROPORTION_METHODS[name].is_exact
    return Interval(
        plain(estimate),
        plain(low),
        plain(high),
        confidence_level,
        side,
        name,
        "exact" if is_exact else "formula",
    )


def _endless(name: str, x: np.ndarray, n: np.ndarray, tail: Tail) -> tuple[np.ndarray, np.ndarray]:
    """Ends for an unlimited population."""
    ends = PROPORTION_METHODS[name].ends
    if ends is None:
        raise InputError(f"method {name!r} is for a finite population: give its `size`")
    some = n > 0
    low, high = ends(x, np.where(some, n, 1.0), tail)
    return np.clip(np.where(some, low, 0.0), 0, 1), np.clip(np.where(some, high, 1.0), 0, 1)


def _of_population(
    name: str, x: np.ndarray, n: np.ndarray, size: np.ndarray, tail: Tail
) -> tuple[np.ndarray, np.ndarray]:
    """Ends for a finite population: no fewer relevant documents than were seen, and no more than
    may be left."""
    method = PROPORTION_METHODS[name]
    if method.finite is None:
        raise InputError(f"method {name!r} has no form for a finite population: {method.note}")
    some = n > 0
    low, high = method.finite(x, np.where(some, n, 1.0), np.where(some, size, 1.0), tail)
    low, high = np.clip(low, x, size - n + x), np.clip(high, x, size - n + x)
    total = np.maximum(size, 1.0)
    return np.where(some, low / total, 0.0), np.where(some, high / total, 1.0)


def _check_size(size: Any, x: np.ndarray, n: np.ndarray) -> tuple[np.ndarray, ...]:
    """The population, its sample and what was found, in one shape."""
    n_all = check_numbers(
        "size",
        size,
        "must be a whole number, 0 or more",
        lambda v: (v >= 0) & (v < 2.0**52) & (v == np.floor(v)),
    )
    n_all, x, n = broadcast(size=n_all, relevant=x, sampled=n)
    if (n > n_all).any():
        i = tuple(np.argwhere(n > n_all)[0])
        raise InputError(f"`sampled` must be at most size; found {n[i]:.0f} of {n_all[i]:.0f}")
    return n_all, x, n
