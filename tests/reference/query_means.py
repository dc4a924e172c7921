"""Slow twins of what queries are planned and judged by: fractions, and integrals of 30 digits."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import mpmath
import numpy as np
from scipy import stats


def dirichlet_tail(values: Sequence[Fraction], t: Fraction) -> Fraction:
    """P(Σ w_i x_i > t), w ~ Dirichlet(1, …, 1): a divided difference of powers (Curry & Schoenberg
    1966).  Values that are equal are moved apart by 10^-40 of their range."""
    step = (max(values) - min(values)) / 10**40
    seen: dict[Fraction, int] = {}
    x = []
    for value in values:
        seen[value] = seen.get(value, 0) + 1
        x.append(value + step * (seen[value] - 1))
    n, total = len(x) - 1, Fraction(0)
    for i, own in enumerate(x):
        if own > t:
            below = Fraction(1)
            for j, other in enumerate(x):
                if j != i:
                    below *= own - other
            total += (own - t) ** n / below
    return total


def jeffreys_tail(values: Sequence[Fraction], t: Fraction, nodes: int) -> float:
    """P(Σ w_i x_i > t), w ~ Dirichlet(1, …, 1, 1/2, 1/2), the last two weights those of 0 and 1.

    Together these weigh 1, and their mean is Beta(1/2, 1/2): a value more, over which the tail is
    averaged at the nodes of Chebyshev's rule, whose weights are that law's.
    """
    total = Fraction(0)
    for k in range(nodes):
        place = (1 + mpmath.cos(mpmath.pi * (2 * k + 1) / (2 * nodes))) / 2
        total += dirichlet_tail([*values, Fraction(float(place))], t)
    return float(total / nodes)


def wilson_ends(values: Sequence[Fraction], quantile: float) -> tuple[mpmath.mpf, mpmath.mpf]:
    """The means between 0 and 1 whose distance from the sample's is `quantile` standard errors,
    those of its mean if the variance is so many times μ (1 - μ) as the sample's is."""
    n = len(values)
    with mpmath.workdps(50):
        mean = mpmath.mpf(sum(values).numerator) / sum(values).denominator / n
        squares = sum(value * value for value in values)
        variance = mpmath.mpf(squares.numerator) / squares.denominator / n - mean * mean
        times = 1 if mean in (0, 1) else variance / (mean * (1 - mean))
        a = mpmath.mpf(quantile) ** 2 * times / n
        half = mpmath.sqrt((2 * mean + a) ** 2 - 4 * (1 + a) * mean * mean)
        return (2 * mean + a - half) / (2 + 2 * a), (2 * mean + a + half) / (2 + 2 * a)


def widened_ends(
    values: Sequence[Fraction], limits: tuple[Fraction, Fraction], tail: float, sides: int
) -> tuple[mpmath.mpf, mpmath.mpf]:
    """The default ends within limits, by the definitions: the further of Student's, those with a
    share of values at the limit that the sample lacks, and the score test's; within the Beta law's
    approximation of Gaffke's bound."""
    least, most = limits
    mirrored = [least + most - x for x in values]
    low = _widened_high(mirrored, limits, tail, sides)
    return least + most - low, _widened_high(values, limits, tail, sides)


def _widened_high(
    values: Sequence[Fraction], limits: tuple[Fraction, Fraction], tail: float, sides: int
) -> mpmath.mpf:
    n, (least, most) = len(values), (mpmath.mpf(end.numerator) / end.denominator for end in limits)
    x = [mpmath.mpf(value.numerator) / value.denominator for value in values]
    mean = sum(x) / n
    second, third = (sum((each - mean) ** power for each in x) / n for power in (2, 3))
    s = mpmath.sqrt(second * n / max(n - 1, 1))
    skewness = third / s**3 * n * n / ((n - 1) * (n - 2)) if n > 2 and s > 0 else mpmath.mpf(0)
    hidden = min(sides * tail * min(0.7 + 2 / n + 60 / n**2 + 20_000 / n**4, 1.7), 0.5)
    law = stats.t(max(n - 1, 1))
    found = [mean + law.isf(tail) * s / mpmath.sqrt(n)]
    for chance in np.geomspace(hidden, law.cdf(0.9), 8).tolist():
        p = 1 - (hidden / mpmath.mpf(chance)) ** (mpmath.mpf(1) / n)
        found.append(p * most + (1 - p) * (mean + law.isf(chance) * s / mpmath.sqrt(n)))
    z = mpmath.mpf(stats.norm.isf(hidden))
    # d² = z² (s² + γ s d)/n
    linear, constant = z * z * skewness * s / n, z * z * s * s / n
    found.append(mean + (linear + mpmath.sqrt(linear**2 + 4 * constant)) / 2)
    if mean == most:
        return most
    # the limit joins the values with a weight of its own; from 1 downwards, as a share
    away = [(most - each) / (most - least) for each in x] + [mpmath.mpf(0)]
    center = sum(away) / (n + 1)
    variance = (sum(each * each for each in away) / (n + 1) - center**2) / (n + 2)
    total = center * (1 - center) / variance - 1
    a, b = 1 / (9 * center * total), 1 / (9 * (1 - center) * total)
    z = mpmath.mpf(stats.norm.isf(0.8 * tail))
    if 1 - a <= z * mpmath.sqrt(a):  # the approximation has no quantile above 0
        return max(found)
    cube = mpmath.findroot(
        lambda u: (1 - b) * u - (1 - a) + z * mpmath.sqrt(u * u * b + a),
        (mpmath.mpf(0), mpmath.mpf(1)),
        solver="anderson",
        tol=1e-25,
    )
    odds = cube**3 * center / (1 - center)
    return min(max(found), most - (most - least) * odds / (1 + odds))


def power_of_t(n: int, effect: float, cut: float, sides: int) -> mpmath.mpf:
    """P(|T| > cut), or P(T > cut), of a noncentral t variate, by its definition."""
    nu = n - 1
    with mpmath.workdps(30):
        half, delta = mpmath.mpf(nu) / 2, mpmath.mpf(effect) * mpmath.sqrt(n)
        scale = 2 * mpmath.power(half, half) / mpmath.gamma(half)

        def tail(shift: mpmath.mpf) -> mpmath.mpf:
            width = 1 / mpmath.sqrt(2 * nu)
            edges = {mpmath.mpf(0)} | {
                1 + k * width for k in (-20, -10, -6, -3, -1, 0, 1, 3, 6, 10, 20, 40)
            }
            edges |= {(shift + k) / cut for k in (-12, -6, -3, 0, 3, 6, 12)}
            return mpmath.quad(
                lambda s: (
                    scale
                    * mpmath.power(s, nu - 1)
                    * mpmath.exp(-nu * s * s / 2)
                    * mpmath.ncdf(shift - cut * s)
                ),
                sorted(edge for edge in edges if edge >= 0),
            )

        return tail(delta) + (tail(-delta) if sides == 2 else 0)


def ranks(table: Sequence[Sequence[Fraction]]) -> list[list[Fraction]]:
    """For each system the shares of draws (rows of `table`) in which it has the places 1, 2, …;
    equal systems share the highest of theirs."""
    systems = len(table[0])
    shares = [[Fraction(0)] * systems for _ in range(systems)]
    for row in table:
        for s, own in enumerate(row):
            shares[s][sum(other > own for other in row)] += Fraction(1, len(table))
    return shares
