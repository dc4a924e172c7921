"""P(one system is better than another) from characteristic functions of log odds.

The odds of F are TP (1 + β²) / (β² FN + FP) of gamma variates, and log odds those of a Beta law
less log(1 + (β² - 1) W), where W, the share of FN in FN + FP, has a Beta law and is independent of
their sum. So the characteristic function of the difference of two systems' log odds is a product of
gamma functions and of means over W, and P(X > 0) is a sum over odd multiples of a step (Gil-Pelaez;
the step leaves out only what is beyond its period). No density or distribution function is used.
"""

import math

import numpy as np
from scipy.linalg import eigh_tridiagonal
from scipy.special import digamma, polygamma

STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360)
BLOCK, MOST_BLOCKS = 256, 400
MOST_NODES = 400
MANY, NODES_OF_MANY = 300, 120  # counts, whose law is narrow; with 60 nodes the error is 3e-7


class NoAnswerError(Exception):
    """Too many terms or nodes."""


def log_gamma_ratio(a, s, centre):
    """log Γ(a + i s) - log Γ(a) - i s centre: Stirling's series with the large terms taken out."""
    out = np.zeros(s.shape, complex)
    while a < 30:
        out -= np.log1p(1j * s / a)
        a += 1
    z = 1j * s / a
    log = np.log1p(z)
    near = np.where(np.abs(z) < 1e-2, z, 0)
    series = sum((-1) ** (k + 1) * near**k / k for k in range(2, 12))
    out += a * np.where(near != 0, series, log - z) + (1j * s - 0.5) * log
    return out + 1j * s * (math.log(a) - centre) + _stirling(a + 1j * s) - _stirling(complex(a))


def _stirling(x):
    square = 1 / (x * x)
    total = 0.0
    for coefficient in reversed(STIRLING):
        total = total * square + coefficient
    return total / x


def beta_nodes(a, b, n):
    """Nodes in [0, 1] and weights of the mean over a Beta law (Golub & Welsch 1969)."""
    first, second = b - 1, a - 1
    k = np.arange(1.0, n)
    diagonal, t = np.empty(n), 2 * k + first + second
    diagonal[0] = (second - first) / (first + second + 2)
    diagonal[1:] = (second**2 - first**2) / (t * (t + 2))
    squares = np.empty(n - 1)
    squares[0] = 4 * (1 + first) * (1 + second)
    squares[0] /= (2 + first + second) ** 2 * (3 + first + second)
    k, t = k[1:], t[1:]
    squares[1:] = 4 * k * (k + first) * (k + second) * (k + first + second)
    squares[1:] /= t * t * (t * t - 1)
    x, vectors = eigh_tridiagonal(diagonal, np.sqrt(squares))
    return (1 + x) / 2, vectors[0] ** 2


def nodes_needed(weight, first, second):
    """The logarithm is singular at W = -1 / weight; laws that are narrow and symmetric see less of
    it."""
    place = 1 + 2 / weight if weight > 0 else -1 - 2 / weight  # beyond -1 or 1, on [-1, 1]
    rate = 2 * math.log(place + math.sqrt(place * place - 1))
    # exp(-rate n) is the error of a mean; powers i s of the logarithm take about twice as many
    most = MOST_NODES if min(first, second) < MANY else NODES_OF_MANY
    return min(math.ceil(64 / rate) + 24, most)


def superior(first, second, beta=1.0):
    """P(first > second), each (a, b) of a Beta law, or the gamma shapes (tp, fp, fn) of F."""
    ratios, means, mean, variance = [], [], 0.0, 0.0
    for sign, shapes in ((1, first), (-1, second)):
        top, bottom = shapes[0], math.fsum(shapes[1:])
        ratios.append((sign, top, bottom, digamma(top), digamma(bottom)))
        mean += sign * (digamma(top) - digamma(bottom))
        variance += polygamma(1, top) + polygamma(1, bottom)
        weight = beta * beta - 1
        if len(shapes) == 3 and weight:
            _, fp, fn = shapes
            w, share = beta_nodes(fn, fp, nodes_needed(weight, fp, fn))
            u = -sign * np.log1p(weight * w)
            centre = float((share * u).sum())
            means.append((u - centre, share))
            mean += centre
            variance += float((share * (u - centre) ** 2).sum())
    # log odds beyond the reach have a probability below 1e-15: tails are exponential with the
    # least shape as their rate, or those of a normal law
    least, std = min(min(pair[1:3]) for pair in ratios), math.sqrt(variance)
    reach = abs(mean) + max(40 / least if least * std < 4 else 9 * std, 10 * std)
    step = math.pi / (reach + sum(float(np.ptp(u)) for u, _ in means))
    total = 0.0
    for block in range(MOST_BLOCKS):
        odd = block * BLOCK + np.arange(BLOCK) + 0.5
        s = odd * step
        logarithm = 1j * s * mean
        for sign, top, bottom, at_top, at_bottom in ratios:
            ratio = log_gamma_ratio(top, s, at_top) + log_gamma_ratio(bottom, -s, at_bottom)
            logarithm += ratio if sign > 0 else np.conj(ratio)
        phi = np.exp(logarithm)
        for u, share in means:
            phi *= np.exp(1j * np.outer(s, u)) @ share
        total += float((phi.imag / odd).sum())
        if np.abs(phi[-8:]).max() < 1e-15 * odd[-1]:
            return 0.5 + total / math.pi
    raise NoAnswerError
