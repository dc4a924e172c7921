"""The difference of two probabilities without data, under a tiny prior."""

from __future__ import annotations

from typing import Any

import numpy as np

# Kernels sum the transform of the difference, which falls as 1/t to the power of the shapes: where
# both are below 2e-4, errors up to 1e-3 were found; from 3e-4 on they are below 1e-14.
SMALL = 1e-3
TINIEST = 1e-200  # below it, betainc may be 0; the parts that count are equal to rounding
POINTS = 20  # of Gauss-Legendre in a panel: 1e-13 of functions of e^-t over a length of 1
PAST = 60.0  # e^-60 of x changes no double


def is_small(a: Any, b: Any) -> Any:
    """Whether these sums take the place of the kernel's for shapes a and b."""
    return np.maximum(a, b) < SMALL


def add_small(
    shapes: tuple[np.ndarray, np.ndarray, np.ndarray],
    x: np.ndarray,
    below: np.ndarray,
    above: np.ndarray,
) -> None:
    """Put P(π1 - π2 < x) and P(π1 - π2 > x) where the shapes of π1 and π2 are both small."""
    a, b, c = shapes
    for i in np.flatnonzero(is_small(a, b) & (np.abs(x) < 1)):
        if x[i] == 0:  # π1/(π1 + π2) ~ Beta(a, b) is near 0 or 1, and at either end at last
            # For tiny shapes I_1/2(b, a) is a/(a + b), and betainc is 0 below some size.
            above[i] = (
                a[i] / (a[i] + b[i]) if max(a[i], b[i]) < TINIEST else _beyond_half(a[i], b[i])
            )
            below[i] = 1 - above[i]
        elif x[i] < 0:
            below[i] = _beyond(a[i], b[i], c[i], -x[i])
            above[i] = 1 - below[i]
        else:
            above[i] = _beyond(b[i], a[i], c[i], x[i])
            below[i] = 1 - above[i]


def _beyond_half(a: float, b: float) -> float:
    from scipy.special import betainc

    return float(betainc(b, a, 0.5))


def _beyond(a: float, b: float, c: float, x: float) -> float:
    """P(π2 - π1 > x), x > 0: over t = -log π1, π1 ~ Beta(a, b + c), the tail of the share of π2 in
    what is left, Beta(b, c), beyond (x + π1)/(1 - π1)."""
    from scipy.special import betaincc, betaln

    first = -np.log((1 - x) / 2)  # that tail is 0 from there on
    last = first + PAST - np.log(x)
    # with small c the tail has a power of the distance from `first`
    near = first + np.geomspace(1e-14, 0.5, 40)
    edges = np.concatenate([[first], near, np.arange(first + 1, last, 1.0), [last]])
    node, weight = np.polynomial.legendre.leggauss(POINTS)
    half = np.diff(edges)[:, None] / 2
    t = edges[:-1, None] + half * (1 + node)
    share = np.exp(-t)
    tail = betaincc(b, c, np.minimum((x + share) / (1 - share), 1))
    density = np.exp((b + c - 1) * np.log1p(-share) - a * t - betaln(a, b + c))
    # Beyond `last`, π1 is nothing beside x: the tail is constant, and the integral of the density
    # exp(-a t)/B(a, b + c) has a closed form.
    rest = betaincc(b, c, x) * np.exp(-a * last - np.log(a) - betaln(a, b + c))
    return float(np.sum(tail * density * half * weight) + rest)
