"""All pairs of systems on the same queries (Tukey's honestly significant differences), or all
against one (Dunnett).

Queries are blocks: a hard query is hard for all systems.  A two-way layout without replication
(Carterette 2012; Sakai 2018, "Laboratory Experiments in Information Retrieval") removes the effect
of the queries.  `scipy.stats.tukey_hsd` and `scipy.stats.dunnett` treat the samples as independent
and keep this effect, so that they find few differences.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from irbounds._core.common.exact_sum import column_means, column_sums
from irbounds.comparison.significance.paired_tests import EQUAL, Plan
from irbounds.comparison.significance.resampling import null_spreads


class Honest(NamedTuple):
    """Arrays of shape (pairs, measures), and the residual standard deviation, shape (measures,)."""

    statistic: np.ndarray
    p_value: np.ndarray
    margin: np.ndarray
    residual: np.ndarray


def residual_deviation(systems: np.ndarray) -> np.ndarray:
    """The standard deviation of values minus the effects of system and query; `systems` has shape
    (systems, measures, queries).

    It is 0 if systems differ by the same amount on every query, up to rounding.
    """
    k, m, n = systems.shape
    if k < 2 or n < 2:
        return np.full(m, math.nan)
    residual = np.empty(m)
    for j in range(m):
        values = systems[:, j, :]
        # Two-way residuals: less the mean of the query and that of the system.
        rest = values - column_means(values)  # less the mean of each query
        rest -= column_means(rest.T)[:, None]
        deviation = math.sqrt(column_sums(rest.reshape(-1, 1) ** 2)[0] / ((k - 1) * (n - 1)))
        residual[j] = deviation if np.abs(rest).max() > EQUAL * np.abs(values).max() else 0.0
    return residual


def two_way(
    systems: np.ndarray,
    differences: np.ndarray,
    plan: Plan,
    baseline: int | None = None,
    freedom: float | None = None,
) -> Honest:
    """Tests by the studentised range with (systems - 1)(queries - 1) degrees of freedom; with a
    baseline by Dunnett's distribution.

    For two systems both equal the paired t test.  If the residual is 0, there is no margin and no
    p-value, except 1 for systems that do not differ.

    Parameters
    ----------
    systems : ndarray, shape (systems, measures, queries)
    differences : ndarray, shape (pairs, measures)
        Differences of means.
    plan : Plan
    baseline : int, optional
        The place of the system that all differences are from.
    freedom : float, optional
        Degrees of freedom of the queries in place of queries - 1.
    """
    from scipy.stats import studentized_range

    k, _, n = systems.shape
    residual = residual_deviation(systems)
    freedom = (k - 1) * (n - 1 if freedom is None else freedom)
    if n < 2:
        nothing = np.full(differences.shape, math.nan)
        return Honest(nothing, nothing, nothing, residual)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.where(residual > 0, residual, math.nan) / math.sqrt(n)
        if baseline is None:
            statistic = np.abs(differences) / error
            p_value = studentized_range.sf(statistic, k, freedom)
            margin = studentized_range.ppf(1 - plan.alpha, k, freedom) * error
        else:
            # A difference of two means has √2 times the error of one.
            statistic = differences / (math.sqrt(2) * error)
            p_value = np.array(
                [
                    [math.nan if math.isnan(t) else dunnett_sf(t, k - 1, freedom) for t in row]
                    for row in np.abs(statistic).tolist()
                ]
            )
            margin = dunnett_quantile(plan.alpha, k - 1, freedom) * math.sqrt(2) * error
    is_nothing = (residual == 0) & (differences == 0)
    return Honest(
        np.where(is_nothing, 0.0, statistic),
        np.where(is_nothing, 1.0, np.clip(p_value, 0, 1)),
        np.broadcast_to(margin, differences.shape),
        residual,
    )


def randomised(
    systems: np.ndarray, differences: np.ndarray, plan: Plan, baseline: int | None = None
) -> Honest:
    """Tests by the range of the means when the systems' values are shuffled within every query
    (Carterette 2012), or with a baseline by their largest distance from its mean.

    Takes and returns the same as `two_way`.
    """
    size = np.abs(differences)
    # Spreads that equal the difference but for the rounding of the means count as at least as
    # large.
    tolerance = 1e-13 * np.maximum(size, np.abs(systems).mean(axis=2).mean(axis=0))
    p_value, margin = np.empty(size.shape), np.empty(size.shape[1])
    nulls = null_spreads(systems, plan.resamples, plan.seed, baseline)
    for j, (spreads, is_exact) in enumerate(nulls):
        added = 0 if is_exact else 1
        count = len(spreads) + added
        for pair, least_size in enumerate(size[:, j] - tolerance[:, j]):
            p_value[pair, j] = (np.count_nonzero(spreads >= least_size) + added) / count
        # The margin is the spread that would have p = alpha: of B draws and the sample itself at
        # most a share alpha is as large.
        # 1e-9: a product that is whole but for rounding is not rounded up to the next number.
        place = math.ceil(plan.alpha * count - added - 1e-9)
        margin[j] = np.partition(spreads, -place)[-place] if place > 0 else math.inf
        largest = spreads.max()
        # The p-value of the largest spread that can occur.
        least = (np.count_nonzero(spreads >= largest * (1 - 1e-12)) + added) / count
        if least >= plan.alpha and largest > 0:  # no difference could be significant
            margin[j] = math.inf
    return Honest(
        size if baseline is None else differences,
        p_value,
        np.broadcast_to(margin, size.shape),
        residual_deviation(systems),
    )


# halving it, or the next, changes probabilities by less than 1e-12 of them, up to 1,000 systems
# Dunnett's many-to-one test (1955, JASA 50; two-sided points: 1964, Biometrics 20).  Differences
# from one baseline are correlated by 1/2.  Given the error s and the baseline's deviation z they
# are independent, so that with nu s^2 chi-squared of nu degrees of freedom
#
#     P(max |T| > t) = ∫ f(s) ∫ phi(z) (1 - (Phi(z + √2 t s) - Phi(z - √2 t s))^m) dz ds.
#
# Both integrals are sums over equally spaced nodes, z and log s, whose error falls exponentially
# (Trefethen & Weideman 2014).  SciPy's `multivariate_t` draws its points at random.
STEP_Z = 0.1
STEP_S = 0.2  # standard deviations of log s
REACH = 9.0  # standard deviations: the normal density falls to 1e-18
DEPTH = 40.0  # the lower tail of log s, exp(nu log s), is followed down to exp(-40)


def dunnett_sf(t: float, others: int, freedom: float) -> float:
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


def dunnett_quantile(alpha: float, others: int, freedom: float) -> float:
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
