"""Dunnett's many-to-one test: the law of the greatest of several t that share a baseline and an
error.

With equal numbers of queries the numerators, differences from one baseline, are correlated by 1/2
(Dunnett 1955, "A multiple comparison procedure for comparing several treatments with a control",
JASA 50; tables of the two-sided points: Dunnett 1964, Biometrics 20).  Given the error s, and the
baseline's own deviation z, they are independent:

    P(max |T| > t) = integral f(s) integral phi(z) (1 - (Phi(z + sqrt(2) t s) - Phi(z - sqrt(2) t
    s))^m) dz ds

where nu s^2 is chi-squared of nu degrees of freedom.  Both integrals are sums over equally spaced
nodes, z and log s, whose error falls exponentially with the nodes (Trefethen & Weideman 2014).
`scipy.stats.dunnett` is for independent samples, and `scipy.stats.multivariate_t` draws its points
at random.
"""

from __future__ import annotations

import math

import numpy as np

# halving it, or the next, changes probabilities by less than 1e-12 of them, up to 1,000 systems
STEP_Z = 0.1
STEP_S = 0.2  # standard deviations of log s
REACH = 9.0  # standard deviations: the normal density falls to 1e-18
DEPTH = 40.0  # the lower tail of log s, exp(nu log s), is followed down to exp(-40)


def dunnett_sf(t: float, others: int, freedom: int) -> float:
    """P(max |T_i| > t) for `others` systems against a baseline; relative error below 1e-10 down to
    1e-250.

    Parameters
    ----------
    t : float
        0 or more.
    others, freedom : int
        1 or more, and freedom no less than others, as it is (systems - 1)(queries - 1).
    """
    from scipy.special import stdtr

    if others == 1:
        return 2 * float(stdtr(freedom, -t))
    scale = 1 / math.sqrt(2 * freedom)
    # where the density of log s times exp(-(t s)^2 / 2) is greatest
    peak = -0.5 * math.log1p(t * t / freedom)
    low, high = peak - REACH * scale - DEPTH / freedom, REACH * scale
    y = low + (high - low) * np.linspace(
        0, 1, math.ceil((high - low) / (STEP_S * min(scale, 1))) + 1
    )
    # The density of y = log s is proportional to exp(nu y - nu exp(2 y) / 2); its height at y = 0
    # is kept apart, where both terms are large and cancel.
    log_density = freedom * (y - np.expm1(2 * y) / 2) + _log_height(freedom / 2)
    outside = _outside(math.sqrt(2) * t * np.exp(y), others)
    return min(1.0, float((np.exp(log_density) * outside).sum() * (y[1] - y[0])))


def dunnett_quantile(alpha: float, others: int, freedom: int) -> float:
    """The t that the largest |T_i| exceeds with probability alpha."""
    from scipy.optimize import brentq
    from scipy.special import stdtrit

    low, high = (float(-stdtrit(freedom, tail)) for tail in (alpha / 2, alpha / (2 * others)))
    if others == 1 or not math.isfinite(high):
        return high
    low, high = low * (1 - 1e-9), high * (1 + 1e-9)  # one test's point, and Bonferroni's
    return float(
        brentq(
            lambda t: math.log(dunnett_sf(t, others, freedom) / alpha),
            low,
            high,
            # t has this relative error; xtol must be above 0, and is never reached.
            rtol=1e-13,
            xtol=1e-300,
        )
    )


def _outside(reach: np.ndarray, others: int) -> np.ndarray:
    """P(|Z_i - z| > reach for some i), over normal z and Z_i, i = 1 .. others."""
    from scipy.special import ndtr

    # far tails lie about z = reach / 2
    z = np.arange(0, min(reach.max() / 2, 40) + REACH + STEP_Z, STEP_Z)
    # z and -z miss alike: nodes from 0 on, with twice the normal density, and half of that at 0.
    weight = np.exp(-z * z / 2) * STEP_Z * math.sqrt(2 / math.pi)
    weight[0] /= 2
    with np.errstate(divide="ignore"):
        missed = ndtr(z - reach[:, None]) + ndtr(-z - reach[:, None])
        # 1 - (1 - missed)^others, by logarithms: the difference would lose probabilities below
        # 1e-16.
        return -np.expm1(others * np.log1p(-np.minimum(missed, 1))) @ weight


def _log_height(z: float) -> float:
    """log of the density of log s at 0, z half the degrees of freedom: log 2 + z log z - z - log
    Gamma(z)."""
    if z < 30:
        return math.log(2) + z * math.log(z) - z - math.lgamma(z)
    stirling = 1 / (12 * z) - 1 / (360 * z**3) + 1 / (1260 * z**5)  # the next term is below 3e-14
    return math.log(2) + 0.5 * math.log(z / (2 * math.pi)) - stirling
