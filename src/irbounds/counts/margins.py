"""P(F of one system > F of another + margin) on the same objects, by quasi-Monte Carlo.

With a margin the terms of both systems do not cancel as in `shares`, and seven gamma variates
remain.  One of those that distinguish the systems is integrated in closed form, given the others:
F_a - F_b rises with X10 and Y01, and falls with X01 and Y10.  It is the variate with the largest
share of the variance, so that the remaining integrand is smooth.  The integral over the others is
an average over Sobol points with REPLICATES fixed random scramblings.  The spread of the
replicates' averages estimates the error.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

REPLICATES = 16
POINTS = 13  # 2^13 points in each
THIN = 9  # 2^9 of them say roughly where a quantile is
EDGE = 1 - 1e-15
# Standard errors that are stated: Student's t of 15 degrees of freedom exceeds them once in 40,000.
ERRORS = 6.0
LEAST_ERROR = 1e-6  # what is rarer than the points are many may be seen by none of them
QUANTILES = 641  # of which a gamma variate's spline is made, by log odds of the probability
FARTHEST = 25.0  # such log odds: no coordinate of 2^16 points is nearer to 0 or 1 than 2^-33


class Cells(NamedTuple):
    """Gamma shapes or variates: x of the relevant objects, y of the others, by the systems that
    returned them."""

    x11: np.ndarray
    x10: np.ndarray
    x01: np.ndarray
    x00: np.ndarray
    y11: np.ndarray
    y10: np.ndarray
    y01: np.ndarray

    def exchanged(self) -> Cells:
        """The cells with the systems exchanged."""
        return Cells(self.x11, self.x01, self.x10, self.x00, self.y11, self.y01, self.y10)


class Difference:
    """The distribution of F_a - F_b.  F is TP/(weight R + (1 - weight) (TP + FP)): weight = β²/(1 +
    β²)."""

    def __init__(self, shapes: Cells, weight: float) -> None:
        self.weight = weight
        a, b = self._gradient(shapes), self._gradient(shapes.exchanged())
        # P(F_a - F_b > m) is 1 - P(F_b - F_a > -m): the systems are exchanged if the variate of
        # most influence is one that favours b.
        self.is_exchanged = max(b) > max(a)
        shapes = shapes.exchanged() if self.is_exchanged else shapes
        change = b if self.is_exchanged else a
        self.by = "x10" if change[0] >= change[1] else "y10"
        self.shape = float(getattr(shapes, self.by))
        names = [
            name
            for name in Cells._fields
            if name != self.by and not (name == "x00" and weight == 0)
        ]
        values = {
            name: gamma_variates(float(getattr(shapes, name)), column)
            for name, column in zip(names, points(len(names)), strict=True)
        }
        self.cells = Cells(
            **{name: values.get(name, np.zeros((REPLICATES, 1))) for name in Cells._fields}
        )

    def _gradient(self, shapes: Cells) -> tuple[float, float]:
        """Standard deviations of F_a - F_b due to X10 alone and to Y10 alone, near the means."""
        (tp_a, d_a), (tp_b, d_b) = self._parts(shapes), self._parts(shapes.exchanged())
        # X10 adds itself to the numerator and the denominator of F_a and its weight to that of F_b;
        # Y10 adds to that of F_a alone. √shape is the standard deviation of a gamma variate.
        by_x = (1 - tp_a / d_a) / d_a + tp_b * self.weight / d_b**2
        by_y = (1 - self.weight) * tp_a / d_a**2
        return float(by_x * shapes.x10**0.5), float(by_y * shapes.y10**0.5)

    def _parts(self, cells: Cells) -> tuple[np.ndarray, np.ndarray]:
        """Numerator and denominator of the first system's F."""
        tp = cells.x11 + cells.x10
        relevant = tp + cells.x01 + cells.x00
        return tp, self.weight * relevant + (1 - self.weight) * (tp + cells.y11 + cells.y10)

    def above(self, margin: float) -> tuple[float, float]:
        """P(F_a - F_b > margin), and an estimate of its error."""
        if abs(margin) >= 1:
            return float(margin < 0), 0.0
        means = self._means(margin)
        return float(means.mean()), ERRORS * float(
            means.std(ddof=1)
        ) / REPLICATES**0.5 + LEAST_ERROR

    def quantile(self, p: float) -> tuple[float, float]:
        """The point x with P(F_a - F_b <= x) = p, and its standard error."""
        from scipy.optimize import brentq

        def excess(x: float, points: int | None = None) -> float:
            return float(self._means(x, points).mean()) - (1 - p)

        # A sixteenth of the points first: each evaluation of all takes 16 times as long.
        rough = brentq(excess, -EDGE, EDGE, args=(2**THIN,), xtol=1e-9)
        low = high = rough
        step = 1e-3 * (1 - abs(rough))
        # The rough root is off by the sampling error of fewer points. Steps grow fourfold, so that
        # few evaluations of all points enclose the root.
        while low > -EDGE and excess(low) < 0:
            low, step = max(rough - step, -EDGE), 4 * step
        while high < EDGE and excess(high) > 0:
            high, step = min(rough + step, EDGE), 4 * step
        # 1e-10 is far below LEAST_ERROR, the least error that is stated.
        x = brentq(excess, low, high, xtol=1e-10) if low < high else rough
        # The density, by which an error of the probability becomes one of the place.
        width = 1e-4 * (1 - abs(x))
        slope = (excess(x - width) - excess(x + width)) / (2 * width)
        spread = float(self._means(x).std(ddof=1)) / REPLICATES**0.5
        return float(x), spread / slope if slope > 0 else float("nan")

    def _means(self, margin: float, points: int | None = None) -> np.ndarray:
        """P(F_a - F_b > margin) by each replicate, or by its first points."""
        from scipy.special import gammainc, gammaincc

        cells = (
            self.cells
            if points is None
            else Cells(*(values[..., :points] for values in self.cells))
        )
        margin = -margin if self.is_exchanged else margin
        if self.by == "x10":
            above = gammaincc(self.shape, self._least_x10(cells, margin))
        else:
            above = gammainc(self.shape, self._most_y10(cells, margin))
        means = above.mean(axis=-1)
        return 1 - means if self.is_exchanged else means

    def _most_y10(self, cells: Cells, margin: float) -> np.ndarray:
        """The largest Y10 for which F_a exceeds F_b + margin; 0 if there is none."""
        (tp_a, d_a), (tp_b, d_b) = self._parts(cells), self._parts(cells.exchanged())
        # tp_a/(d_a + (1 - w) Y10) > F_b + margin, solved for Y10.
        other = tp_b / d_b + margin
        with np.errstate(divide="ignore", over="ignore"):
            limit = np.where(other > 0, tp_a / np.where(other > 0, other, 1.0) - d_a, np.inf)
        return np.maximum(limit, 0) / (1 - self.weight)

    def _least_x10(self, cells: Cells, margin: float) -> np.ndarray:
        """The smallest X10 for which F_a exceeds F_b + margin; infinite if there is none.

        It is the root of a quadratic function of X10 that is not above 0 at 0.
        """
        (tp_a, d_a), (tp_b, d_b) = self._parts(cells), self._parts(cells.exchanged())
        w = self.weight  # X10 adds itself to tp_a and d_a, and w times itself to d_b
        # (tp_a + X)/(d_a + X) - tp_b/(d_b + w X) > margin times both denominators: the coefficients
        # of X², X and 1.
        square = w * (1 - margin)
        linear = tp_a * w + d_b - tp_b - margin * (d_a * w + d_b)
        fixed = tp_a * d_b - tp_b * d_a - margin * d_a * d_b
        fixed = np.minimum(fixed, 0.0)  # at 0 and above it holds for all X10: the root is 0
        root = np.sqrt(linear * linear - 4 * square * fixed)
        with np.errstate(divide="ignore", invalid="ignore"):
            # Each form of the root adds terms of one sign: the other one would lose its digits.
            rising = -2 * fixed / (linear + root)
            falling = (
                (root - linear) / (2 * square) if square > 0 else np.full(np.shape(root), np.inf)
            )
        return np.where(fixed == 0, 0.0, np.where(linear > 0, rising, falling))


@lru_cache(maxsize=2)
def points(axes: int) -> np.ndarray:
    """Sobol points as log odds, by axis and replicate."""
    from scipy.special import logit
    from scipy.stats import qmc

    drawn = [
        # Seeds that depend on nothing but the axes: the same table gives the same digits every
        # time.
        qmc.Sobol(axes, seed=np.random.default_rng([axes, i])).random_base2(POINTS)
        for i in range(REPLICATES)
    ]
    # Log odds of 2^-34 are 23.6, within the splines of `gamma_variates`.
    columns = logit(np.clip(np.moveaxis(np.array(drawn), -1, 0), 2.0**-34, 1 - 2.0**-34))
    columns.flags.writeable = False
    return columns


def gamma_variates(shape: float, log_odds: np.ndarray) -> np.ndarray:
    """Quantiles of gamma variates at probabilities with these log odds, by a spline of the
    quantiles' logarithm."""
    from scipy.interpolate import make_interp_spline
    from scipy.special import expit, gammainccinv, gammaincinv, gammaln

    grid = np.linspace(-FARTHEST, FARTHEST, QUANTILES)
    quantiles = np.where(
        grid < 0, gammaincinv(shape, expit(grid)), gammainccinv(shape, expit(-grid))
    )
    # Near 0 the probability is x^shape/Γ(1 + shape); there x may be too small for a double.
    with np.errstate(divide="ignore"):
        logs = np.where(
            quantiles > 1e-300,
            np.log(quantiles),
            (np.log(expit(grid)) + gammaln(1 + shape)) / shape,
        )
    return np.exp(make_interp_spline(grid, logs, k=5)(log_odds))
