"""Slow twins of what queries are planned and judged by: fractions, and integrals of 30 digits."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import mpmath


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


def default_name(values: Sequence[float]) -> str:
    """The method of the default interval within 0 and 1, by the rule of the page."""
    x = [Fraction(value) for value in values]
    n = len(x)
    if set(x) <= {0, 1}:
        return "wilson"
    if max(x) == min(x):
        return "jeffreys"
    mean = sum(x) / n
    if 1 - mean > 20 * (max(x) - min(x)):
        return "t"

    def skewness(pairs: list[tuple[Fraction, Fraction]]) -> float:
        size = sum(weight for _, weight in pairs)
        middle = sum(weight * value for value, weight in pairs) / size
        second, third = (
            sum(weight * (value - middle) ** power for value, weight in pairs) / size
            for power in (2, 3)
        )
        return float(third) / float(second) ** 1.5

    own = [(value, Fraction(1)) for value in x]
    half = Fraction(1, 2)
    widened = skewness([*own, (Fraction(0), half), (Fraction(1), half)])
    criterion = float(abs(skewness(own) * widened) / n) ** 0.5
    most = max(x.count(value) for value in x)
    repeats = most > Fraction(n, 10) and most >= 3
    if criterion > (0.2 if repeats else 0.28):
        return "jeffreys"
    return "wilson" if repeats or criterion > 0.14 else "t"


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
