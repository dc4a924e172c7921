"""Distributions of measures that are made of shares: the number needed to read, likelihood ratios
and balanced accuracy."""

from __future__ import annotations

import math
from typing import Any, NoReturn

import numpy as np

from irbounds._core.counts import shares
from irbounds.foundation.arguments import plain
from irbounds.foundation.distributions import BetaDistribution, Bounds, Distribution, beta_below
from irbounds.foundation.errors import InputError
from irbounds.foundation.quadrature import beta_expectation, find_roots
from irbounds.foundation.shares import flat_columns

PIECE = 16  # laws that have as many nodes as the one that needs most
TOLERANCE = 1e-11


class _WithoutDensity(Distribution):
    """A distribution with quantiles and moments, but no density: mode, `pdf` and "hpd" intervals
    raise InputError."""

    @property
    def mode(self) -> NoReturn:  # type: ignore[override]
        """Not available."""
        raise InputError(
            "`pdf`, `mode` and intervals of the kind 'hpd' are not available for number needed to "
            "read, likelihood ratios and balanced accuracy: use 'equal-tailed'"
        )

    def _density(self, x: np.ndarray, y: np.ndarray) -> NoReturn:
        return self.mode

    def _shortest(self, level: float) -> Bounds:
        return self.mode

    @property
    def var(self) -> Any:  # type: ignore[override]
        """The variance; infinite where there is none."""
        square, mean = self._square, np.asarray(self.mean)
        with np.errstate(invalid="ignore"):
            return plain(np.where(np.isinf(square), math.inf, np.maximum(square - mean**2, 0)))

    _square: Any  # the mean of the square


def _inverse_powers(law: BetaDistribution) -> tuple[np.ndarray, np.ndarray]:
    """The means of 1/P and 1/P²; infinite for a first parameter of at most 1 and 2."""
    a, total = np.asarray(law.a), np.asarray(law.a) + law.b
    with np.errstate(divide="ignore", invalid="ignore"):
        first = np.where(a > 1, (total - 1) / (a - 1), math.inf)
        return first, np.where(a > 2, first * (total - 2) / (a - 2), math.inf)


class ReciprocalDistribution(_WithoutDensity):
    """1/P for P ~ Beta."""

    support = (1.0, math.inf)

    def __init__(self, share: BetaDistribution) -> None:
        self.share, self.shape = share, share.shape

    def __repr__(self) -> str:
        return f"1/{self.share}"

    @property
    def mean(self) -> Any:  # type: ignore[override]
        """(a + b - 1)/(a - 1); infinite if a is at most 1."""
        return plain(_inverse_powers(self.share)[0])

    @property
    def _square(self) -> np.ndarray:  # type: ignore[override]
        return _inverse_powers(self.share)[1]

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
    def mean(self) -> Any:  # type: ignore[override]
        """The mean; infinite if the first parameter of V is at most 1."""
        return plain(self.first.mean * _inverse_powers(self.second)[0])

    @property
    def _square(self) -> np.ndarray:  # type: ignore[override]
        return (self.first.var + self.first.mean**2) * _inverse_powers(self.second)[1]

    def _below(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return self._tail(x, is_below=True)

    def _above(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return self._tail(x, is_below=False)

    def _tail(self, x: np.ndarray, is_below: bool) -> np.ndarray:
        laws = self.first.a, self.first.b, self.second.a, self.second.b
        shape, columns = flat_columns(*laws, x)
        found = np.empty(columns[0].size)
        for start in range(0, found.size, PIECE):
            piece = slice(start, start + PIECE)
            found[piece] = _ratio_tail(*(column[piece] for column in columns), is_below)
        return found.reshape(shape)

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
        if not at.any():
            continue
        outer, inner = ((a, b), (c, d)) if over_first else ((c, d), (a, b))
        p, q = (shape[at, None] for shape in inner)
        t = 1 / x[at, None] if over_first else x[at, None]  # at most 1
        # P(V >= t U) where the sum is over U: V is the inner law then, whose other tail counts
        is_low = is_below != over_first

        def tail(y: np.ndarray, rest: np.ndarray, p=p, q=q, t=t, is_low=is_low) -> np.ndarray:
            share, short = t * y, 1 - t + t * rest
            return beta_below(p, q, share, short) if is_low else beta_below(q, p, short, share)

        found[at] = beta_expectation(*(shape[at] for shape in outer), tail, TOLERANCE)
    return np.clip(found, 0, 1)


class MeanDistribution(_WithoutDensity):
    """(U + V)/2 of two independent beta variates."""

    def __init__(self, first: BetaDistribution, second: BetaDistribution) -> None:
        self.first, self.second = first, second
        self.shape = np.broadcast_shapes(first.shape, second.shape)

    def __repr__(self) -> str:
        return f"({self.first} + {self.second})/2"

    @property
    def mean(self) -> Any:  # type: ignore[override]
        """The mean of both means."""
        return plain((np.asarray(self.first.mean) + self.second.mean) / 2)

    @property
    def var(self) -> Any:  # type: ignore[override]
        """A quarter of the sum of both variances."""
        return plain((np.asarray(self.first.var) + self.second.var) / 4)

    def _above(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """P(U > (1 - V) + 2 x - 1)."""
        first, second = self.first, self.second
        shape, columns = flat_columns(first.a, first.b, second.b, second.a, 2 * x - 1)
        found = np.empty(columns[0].size)
        none = np.zeros(1)
        for i in range(found.size):
            p, q, r, s = (column[i : i + 1] for column in columns[:4])
            margin = float(columns[4][i])
            found[i] = shares.superiority((p, q, none), (r, s, none), 0.0, margin)[0][0]
        return np.clip(found, 0, 1).reshape(shape)

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
