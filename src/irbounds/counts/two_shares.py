"""Distributions of measures that are made of shares: the number needed to read, likelihood ratios
and balanced accuracy."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from irbounds._core.counts import shares
from irbounds.foundation.arguments import plain
from irbounds.foundation.distributions import BetaDistribution, Distribution, beta_below
from irbounds.foundation.errors import InputError
from irbounds.foundation.quadrature import Function, beta_expectation, find_roots
from irbounds.foundation.shares import flat_columns

if TYPE_CHECKING:
    from irbounds.typing import FloatOrArray

PIECE = 16  # laws that have as many nodes as the one that needs most
TOLERANCE = 1e-11


class _WithoutDensity(Distribution):
    """A distribution with quantiles and moments, but no density: mode, `pdf` and "hpd" intervals
    raise InputError."""

    @property
    def mode(self) -> NoReturn:
        """Not available."""
        _refuse()

    def _density(self, x: np.ndarray, y: np.ndarray) -> NoReturn:
        _refuse()

    def _shortest(self, level: float) -> NoReturn:
        _refuse()


def _refuse() -> NoReturn:
    raise InputError(
        "`pdf`, `mode` and intervals of the kind 'hpd' are not available for number needed to "
        "read, likelihood ratios and balanced accuracy: use 'equal-tailed'"
    )


def _of_reciprocal(law: BetaDistribution) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of 1/P; infinite for a first parameter of at most 1 and 2."""
    a, b = np.asarray(law.a), np.asarray(law.b)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(a > 1, (a + b - 1) / (a - 1), math.inf)
        return mean, np.where(a > 2, mean * (b / (a - 1) / (a - 2)), math.inf)


class ReciprocalDistribution(_WithoutDensity):
    """1/P for P ~ Beta."""

    support = (1.0, math.inf)

    def __init__(self, share: BetaDistribution) -> None:
        self.share, self.shape = share, share.shape

    def __repr__(self) -> str:
        return f"1/{self.share}"

    @property
    def mean(self) -> Any:
        """(a + b - 1)/(a - 1); infinite if a is at most 1."""
        return plain(_of_reciprocal(self.share)[0])

    @property
    def var(self) -> Any:
        """The variance; infinite if a is at most 2."""
        return plain(_of_reciprocal(self.share)[1])

    def _below(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return self.share._above(1 / x, 1 - 1 / x)

    def _above(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return self.share._below(1 / x, 1 - 1 / x)

    def _quantile(self, p: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return 1 / self.share._quantile(1 - p)

    def _draw(self, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
        return 1 / self.share._draw(shape, rng)


class RatioDistribution(_WithoutDensity):
    """U/V of two independent beta variates."""

    support = (0.0, math.inf)

    def __init__(self, first: BetaDistribution, second: BetaDistribution) -> None:
        self.first, self.second = first, second
        self.shape = np.broadcast_shapes(first.shape, second.shape)

    def __repr__(self) -> str:
        return f"{self.first}/{self.second}"

    @property
    def mean(self) -> Any:
        """The mean; infinite if the first parameter of V is at most 1."""
        return plain(self.first.mean * _of_reciprocal(self.second)[0])

    @property
    def var(self) -> Any:
        """The variance; infinite if the first parameter of V is at most 2."""
        mean, var = _of_reciprocal(self.second)
        return plain(self.first.var * (var + mean**2) + self.first.mean**2 * var)

    def _below(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return self._tail(x, is_below=True)

    def _above(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return self._tail(x, is_below=False)

    def _tail(self, x: np.ndarray, is_below: bool) -> np.ndarray:
        laws = self.first.a, self.first.b, self.second.a, self.second.b
        return _by_pieces(partial(_ratio_tail, is_below=is_below), PIECE, *laws, x)

    def _quantile(self, p: np.ndarray) -> np.ndarray:
        # U/V is below the ratio of these quantiles with a probability of at most p, and above that
        # of those with at most 1 - p.
        inside = np.clip(p, 1e-300, 1 - 1e-16)
        ends = (
            (self.first._quantile(inside / 2), self.second._quantile(1 - inside / 2)),
            (self.first._quantile((1 + inside) / 2), self.second._quantile((1 - inside) / 2)),
        )
        low, high = (np.log(np.maximum(u, 1e-300)) - np.log(np.maximum(v, 1e-300)) for u, v in ends)
        place = find_roots(lambda t: self._tail(np.exp(t), True) - inside, low, high, 1e-13)
        return np.where(p == 0, 0.0, np.where(p == 1, math.inf, np.exp(place)))

    def _draw(self, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
        return self.first._draw(shape, rng) / self.second._draw(shape, rng)


def _by_pieces(tail: Callable[..., np.ndarray], length: int, *values: FloatOrArray) -> np.ndarray:
    """A function of columns of numbers, of so many rows at a time; values broadcast."""
    shape, columns = flat_columns(*values)
    found = np.empty(columns[0].size)
    for start in range(0, found.size, length):
        piece = slice(start, start + length)
        found[piece] = tail(*(column[piece] for column in columns))
    return found.reshape(shape)


def _ratio_tail(
    a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray, x: np.ndarray, is_below: bool
) -> np.ndarray:
    """P(U <= x V), or P(U > x V); U ~ Beta(a, b), V ~ Beta(c, d).

    The tail of V at U/x has no bend inside where x is 1 or more, that of U at x V none where x is
    less: the sum is over U, or over V.
    """
    found = np.empty(x.shape)
    for over_first in (True, False):
        at = (x >= 1) == over_first
        if at.any():
            outer, inner = ((a, b), (c, d)) if over_first else ((c, d), (a, b))
            t = 1 / x[at] if over_first else x[at]  # at most 1
            # P(V >= t U) where the sum is over U: then the upper tail of V is that below
            tail = _tail_at(inner[0][at], inner[1][at], t, is_below != over_first)
            found[at] = beta_expectation(outer[0][at], outer[1][at], tail, TOLERANCE)
    return np.clip(found, 0, 1)


def _tail_at(p: np.ndarray, q: np.ndarray, t: np.ndarray, is_low: bool) -> Function:
    """P(Beta(p, q) <= t y), or above, as a function of y and 1 - y."""
    p, q, t = p[:, None], q[:, None], t[:, None]

    def tail(y: np.ndarray, rest: np.ndarray) -> np.ndarray:
        share, short = t * y, 1 - t + t * rest
        return beta_below(p, q, share, short) if is_low else beta_below(q, p, short, share)

    return tail


class MeanDistribution(_WithoutDensity):
    """(U + V)/2 of two independent beta variates."""

    def __init__(self, first: BetaDistribution, second: BetaDistribution) -> None:
        self.first, self.second = first, second
        self.shape = np.broadcast_shapes(first.shape, second.shape)

    def __repr__(self) -> str:
        return f"({self.first} + {self.second})/2"

    @property
    def mean(self) -> Any:
        """The mean of both means."""
        return plain((np.asarray(self.first.mean) + self.second.mean) / 2)

    @property
    def var(self) -> Any:
        """A quarter of the sum of both variances."""
        return plain((np.asarray(self.first.var) + self.second.var) / 4)

    def _above(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """P(U > (1 - V) + 2 x - 1)."""
        first, second, none = self.first, self.second, np.zeros(1)

        def above(*one: np.ndarray) -> np.ndarray:
            p, q, r, s, margin = one
            of_both = (p, q, none), (r, s, none)
            return np.clip(shares.superiority(*of_both, 0.0, float(margin[0]))[0], 0, 1)

        return _by_pieces(above, 1, first.a, first.b, second.b, second.a, 2 * x - 1)

    def _below(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        first, second = (BetaDistribution(law.b, law.a) for law in (self.first, self.second))
        return MeanDistribution(first, second)._above(y, x)

    def _quantile(self, p: np.ndarray) -> np.ndarray:
        shape = np.broadcast_shapes(np.shape(p), self.shape)
        low, high = np.zeros(shape), np.ones(shape)
        found = find_roots(lambda x: self._below(x, 1 - x) - p, low, high)
        return np.where(p == 0, 0.0, np.where(p == 1, 1.0, found))

    def _draw(self, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
        return (self.first._draw(shape, rng) + self.second._draw(shape, rng)) / 2
