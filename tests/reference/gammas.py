"""Ratios of gamma variates with something added to each."""

import math

import numpy as np
from scipy import special


def shifted_ratio_below(odds, shapes, scales, known):
    """P((known_1 + G_1)/(known_2 + G_2) <= odds), in doubles: the mean over the logarithm of G_2,
    from where these odds allow any G_1.

    Tanh-sinh nodes, which do not mind that the integrand begins with a power of the distance from
    there, as many as the other variate's spread in it needs. Its error is about 1e-13 for shapes
    from 1 to 10^4.
    """
    bottom, top = (math.log(special.gammaincinv(shapes[1], p) + 1e-300) for p in (1e-15, 1 - 1e-15))
    bottom, top = max(bottom, top - 750), top + 1  # beyond is less than 1e-15
    least = (known[0] / odds - known[1]) / scales[1]
    start = max(bottom, math.log(least)) if least > 0 else bottom
    if start >= top:
        return 0.0
    needed = 4 * (top - start) * math.sqrt(shapes[0])  # of a unit of u: the slope is below 1
    u = np.linspace(-3.2, 3.2, 1 + 2 * math.ceil(3.2 * max(1000, needed)))
    place = special.expit(math.pi * np.sinh(u))
    slope = place * special.expit(-math.pi * np.sinh(u)) * math.pi * np.cosh(u) * (top - start)
    log_h = start + (top - start) * place
    h = np.exp(log_h)
    density = np.exp(shapes[1] * log_h - h - special.gammaln(shapes[1]))
    g = (odds * (known[1] + h * scales[1]) - known[0]) / scales[0]
    below = special.gammainc(shapes[0], np.maximum(g, 0))
    return float((density * below * slope).sum() * (u[1] - u[0]))


def shifted_exponential_ratio_below(odds, shape, known):
    """The same for scales of 1 where G_2 is exponential: a closed form."""
    least = max(odds * known[1] - known[0], 0.0)
    power = (known[1] * odds - known[0]) / odds - shape * math.log1p(1 / odds)
    return float(
        special.gammainc(shape, least)
        + math.exp(power) * special.gammaincc(shape, least * (1 + 1 / odds))
    )
