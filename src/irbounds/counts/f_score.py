"""The distribution of F_β."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds._core.counts import shares
from irbounds.foundation.arguments import check_number, plain
from irbounds.foundation.distributions import BetaDistribution, Distribution, _parameters
from irbounds.foundation.quadrature import find_roots
from irbounds.foundation.shares import flat_columns, share_quantiles, share_tails
from irbounds.foundation.variates import random_beta

if TYPE_CHECKING:
    from irbounds.typing import FloatOrArray

GRID = 65  # places among which the highest density is looked for before its root is found


def named_f(measure: str, beta: float) -> str:
    """The name "f" for "f1" with β = 1; others as they are."""
    is_f1 = isinstance(measure, str) and measure == "f1"
    return "f" if is_f1 and np.ndim(beta) == 0 and beta == 1 else measure


class FScoreDistribution(Distribution):
    """F_β = (1 + β²) X/((1 + β²) X + β² Z + Y), where X, Y, Z are gamma variates with shapes a,
    b_fp, b_fn and the same scale.

    F is at most x if and only if (1 + β²) (1 - x) X - x Y - β² x Z is at most 0.  This is a sum of
    independent variates, so the distribution function is one integral over its generating function,
    and so is the density.  With β = 1, F = 2Q/(1 + Q) where Q ~ Beta(a, b_fp + b_fn).

    `cdf` and `sf` are within 1e-11 for shapes up to 10^8, with any β and shapes down to 1e-3 and
    below.  For shapes of 10^12 the error is about 1e-9, because a float has too few digits for the
    share.
    """

    def __init__(
        self, a: FloatOrArray, b_fp: FloatOrArray, b_fn: FloatOrArray, beta: float = 1.0
    ) -> None:
        self.a: FloatOrArray
        self.b_fp: FloatOrArray
        self.b_fn: FloatOrArray
        self.a, self.b_fp, self.b_fn = _parameters(a=a, b_fp=b_fp, b_fn=b_fn)
        self.beta: float = check_number(
            "beta", beta, "must be above 0 and at most 1e150", lambda x: 0 < x <= 1e150
        )
        self.shape: tuple[int, ...] = np.shape(self.a)
        self._b = self.b_fp + self.b_fn

    def __repr__(self) -> str:
        return (
            f"FScoreDistribution(a={self.a}, b_fp={self.b_fp}, b_fn={self.b_fn}, beta={self.beta})"
        )

    @property
    def odds(self) -> BetaDistribution:
        """The distribution of Q = X/(X + Y + Z), Jaccard's index: the share of true positives among
        all objects except true negatives."""
        return BetaDistribution(self.a, self._b)

    @cached_property
    def _moments(self) -> tuple[Any, Any]:
        shape, (a, b_fp, b_fn) = flat_columns(self.a, self.b_fp, self.b_fn)
        mean, var = shares.moments(a, b_fp, b_fn, self.beta)
        return plain(mean.reshape(shape)), plain(var.reshape(shape))

    @property
    def mean(self) -> Any:
        """The mean, by quadrature."""
        return self._moments[0]

    @property
    def var(self) -> Any:
        """The variance, by quadrature."""
        return self._moments[1]

    @property
    def mode(self) -> Any:
        """The point of highest density: a closed form for β = 1, otherwise a root of the
        derivative."""
        a, b = np.asarray(self.a), np.asarray(self._b)
        if self.beta == 1:
            # The density of F = 2 q/(1 + q) is q^(a-1) (1 - q)^(b-1) (1 + q)², but for a constant.
            # Its derivative is 0 where (a + b) q² + (b - 3) q = a - 1.
            root = (b - 3) ** 2 + 4 * (a + b) * (a - 1)
            q = np.clip((3 - b + np.sqrt(np.maximum(root, 0))) / (2 * (a + b)), 0, 1)
            inside = 2 * q / (1 + q)
        else:
            inside = self._highest()
        at_end = np.where((a < 1) & (b < 1), math.nan, np.where(a < 1, 0.0, 1.0))
        return plain(np.where((a < 1) | (b < 1), at_end, inside))

    def _highest(self) -> np.ndarray:
        """The root of the derivative near the highest of several points between extreme quantiles.
        If a parameter is 1, the mode may be at an end."""
        from scipy.special import expit

        ends = (
            self._log_odds_at(np.full(self.shape, 1e-9)),
            self._log_odds_at(np.full(self.shape, 1 - 1e-9)),
        )
        # The highest point of the grid and its neighbours enclose a root of the derivative.
        steps = np.linspace(0, 1, GRID).reshape(-1, *(1,) * len(self.shape))
        grid = ends[0] + (ends[1] - ends[0]) * steps
        best = np.clip(np.argmax(self._density(expit(grid), expit(-grid)), axis=0), 1, GRID - 2)[
            None
        ]
        low, high = (np.take_along_axis(grid, best + side, 0)[0] for side in (-1, 1))
        log_odds = find_roots(self._derivative, low, high)
        places = np.stack([expit(log_odds), np.zeros(self.shape), np.ones(self.shape)])
        rests = np.stack([expit(-log_odds), np.ones(self.shape), np.zeros(self.shape)])
        first = np.argmax(self._density(places, rests), axis=0)[None]
        return np.take_along_axis(places, first, 0)[0]

    def _derivative(self, log_odds: np.ndarray) -> np.ndarray:
        """The derivative of the logarithm of the density with respect to the log odds."""
        shape, (a, b_fp, b_fn, u) = flat_columns(self.a, self.b_fp, self.b_fn, log_odds)
        # The density by x is that by log odds over x (1 - x), whose logarithm has the slope 1 - 2 x
        # = -tanh(u/2).
        return (shares.slopes(a, b_fp, b_fn, self.beta, u) + np.tanh(u / 2)).reshape(shape)

    def _log_odds_at(self, p: np.ndarray) -> np.ndarray:
        shape, (a, b_fp, b_fn, p) = flat_columns(self.a, self.b_fp, self.b_fn, p)
        return shares.quantiles(a, b_fp, b_fn, self.beta, p).reshape(shape)

    def _below(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        if self.beta == 1:
            # F is at most x where q is at most x/(2 - x); with y = 1 - x, which has its own digits.
            return self.odds._below(x / (x + 2 * y), 2 * y / (x + 2 * y))
        return share_tails(self.a, self.b_fp, self.b_fn, self.beta, x, y)[0]

    def _above(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        if self.beta == 1:
            return self.odds._above(x / (x + 2 * y), 2 * y / (x + 2 * y))
        return share_tails(self.a, self.b_fp, self.b_fn, self.beta, x, y)[1]

    def _density(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        shape, (a, b_fp, b_fn, x, y) = flat_columns(self.a, self.b_fp, self.b_fn, x, y)
        # at an end a density is 0 or infinite, or with a parameter of 1 about what it is near it
        inner_x, inner_y = np.maximum(x, 1e-290), np.maximum(y, 1e-290)
        found = shares.densities(a, b_fp, b_fn, self.beta, inner_x, inner_y)
        for at_end, power in ((x <= 0, a), (y <= 0, b_fp + b_fn)):
            found = np.where(at_end & (power != 1), np.where(power < 1, math.inf, 0.0), found)
        return found.reshape(shape)

    def _quantile(self, p: np.ndarray) -> np.ndarray:
        if self.beta == 1:
            q = self.odds._quantile(p)
            return 2 * q / (1 + q)
        return share_quantiles(self.a, self.b_fp, self.b_fn, self.beta, p)

    def _draw(self, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
        q = np.asarray(random_beta(self.a, self._b, shape, rng=rng))
        w = (
            np.asarray(random_beta(self.b_fn, self.b_fp, shape, rng=rng))
            if self.beta != 1
            else np.ones(())
        )
        # In q, the share of X, and w, the share of Z in Y + Z, which are independent.
        top = (1 + self.beta**2) * q
        return top / (top + (self.beta**2 * w + 1 - w) * (1 - q))
