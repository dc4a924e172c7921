"""Priors of the beta-binomial posterior: uniform, half, and the most conservative one (Webber 2013,
section 2.8)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.foundation.arguments import broadcast, check_numbers, check_same_index, plain
from irbounds.foundation.errors import fail
from irbounds.samples.model.strata import Stratum

if TYPE_CHECKING:
    from irbounds.typing import FloatOrArray

MOST_CONSERVATIVE = "mcp"

# The least α = β that intervals by the most conservative prior use.  Its own values rise with the
# sample, from 0 at one document: a sample of nothing relevant would say most if it were small.
# With this floor, and no smaller one in steps of 0.005, upper quantiles of the yield, of 50 % and
# more, fall with every document that is found not relevant (populations of 3 to 100 documents by
# enumeration, of 300 to 10,000 by the limit for large ones, samples of 1 up).
LEAST_CONSERVATIVE = 0.25


@dataclass(frozen=True)
class PerStratum:
    """A whole prior for every stratum, as in Webber (2013); the coverage falls as the number of
    strata rises."""

    prior: tuple[float, float] | str


Prior = tuple[float, float] | str | PerStratum


def most_conservative_prior(size: FloatOrArray, sampled: FloatOrArray) -> Any:
    """Dyer & Pierce's most conservative prior α = β: it maximises the expected information in the
    sample.

    Parameters
    ----------
    size, sampled : int or array_like of int
        Documents in the stratum and in the sample.  As in the paper size counts up to 1000 only,
        and the sample up to 1000 - min(size - sampled, 200).

    Returns
    -------
    float or ndarray
        From 0 (one document sampled: the limit) to 1 (all sampled); 1/2 where every prior does as
        well (nothing sampled, or the only document).

    Notes
    -----
    These are the paper's values, within 1e-6.  Intervals ("betabinom-mcp") and posteriors
    (``prior="mcp"``) take 1/4 where the value is smaller, as it is for samples of up to 12
    documents: with smaller values more documents of the same kind may weaken a claim.

    Examples
    --------
    >>> import irbounds as irb
    >>> irb.samples.most_conservative_prior([20, 20], [5, 10]).round(6)
    array([0.192354, 0.321907])
    """
    check_same_index(size=size, sampled=sampled)
    arrays = [
        check_numbers(
            name,
            value,
            "must be a whole number, 0 or more",
            lambda x: (x >= 0) & (x < np.inf) & (x == np.floor(x)),
        )
        for name, value in (("size", size), ("sampled", sampled))
    ]
    sizes, samples = broadcast(size=arrays[0], sampled=arrays[1])
    if (samples > sizes).any():
        i = tuple(np.argwhere(samples > sizes)[0])
        fail("sampled", f"must be at most size, {sizes[i]:.0f}", int(samples[i]))
    found = [
        _most_conservative(*_limited(n_all, n))
        for n_all, n in zip(sizes.flat, samples.flat, strict=True)
    ]
    return plain(np.array(found).reshape(sizes.shape))


def _limited(size: float, sampled: float) -> tuple[int, int]:
    # The paper's limits: the sums of eq. 18 have a term for each count. Among the 1000 documents at
    # least 200 stay unseen, or all that are unseen where there are fewer.
    return int(min(size, 1000)), int(min(sampled, 1000 - min(size - sampled, 200)))


@lru_cache(maxsize=4096)
def _most_conservative(size: int, sampled: int) -> float:
    """The zero of the derivative of eq. 18, which is concave in α, by Newton's method and
    bisection."""
    from scipy.optimize import minimize_scalar

    # With nothing sampled, or one document in all, the information is the same for every α. One
    # sampled document tells most in the limit of α = 0. A census leaves the entropy of its count,
    # which is greatest for a uniform count, α = 1.
    if sampled == 0 or size == 1:
        return 0.5
    if sampled == 1:
        return 0.0
    if sampled == size:
        return 1.0
    # A rough place is enough: `_refined` finds the root of the slope next to it. α = 0 itself has
    # no beta distribution.
    result = minimize_scalar(
        lambda a: -_information_gain(size, sampled, a),
        bounds=(1e-9, 1),
        method="bounded",
        options={"xatol": 1e-6},
    )
    return _refined(size, sampled, float(result.x))


def _refined(size: int, sampled: int, a: float) -> float:
    """The maximum as the zero of its slope; comparisons of values give half the digits only."""
    from scipy.optimize import brentq

    def slope(x: float, h: float) -> float:
        """Fourth-order central difference."""
        # (f(-2) - 8 f(-1) + 8 f(1) - f(2))/(12 h) has an error of order h⁴ and cancels the even
        # terms.
        gain = [_information_gain(size, sampled, x + k * h) for k in (-2, -1, 1, 2)]
        return (gain[0] - 8 * gain[1] + 8 * gain[2] - gain[3]) / (12 * h)

    h = min(1e-3, a / 10)
    low, high = a - 3 * h, a + 3 * h
    # Where the maximum is at an end of the range or too near to it, no root is bracketed.
    if low - 2 * h <= 0 or slope(low, h) <= 0 or slope(high, h) >= 0:
        return a
    return float(brentq(lambda x: slope(x, h), low, high, xtol=1e-10))


def _information_gain(size: int, sampled: int, a: float) -> float:
    """Eq. 18 with α = β = a, as means over the beta-binomials of the rest, the whole and the
    sample."""
    from scipy.special import betaln, gammaln, xlogy

    def mean_log_choices(n: int) -> tuple[float, float]:
        k = np.arange(n + 1)
        # log of the number of samples with k relevant documents, and the beta-binomial at k.
        log_choose = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
        p = np.exp(log_choose + betaln(a + k, a + n - k) - betaln(a, a))
        return float(p @ log_choose), float(-xlogy(p, p).sum())

    (rest, _), (whole, _), (sample, entropy) = map(
        mean_log_choices, (size - sampled, size, sampled)
    )
    return rest - whole + sample + entropy


def conservative_prior(size: float, sampled: float) -> float:
    """`most_conservative_prior` of one stratum, at least 1/4."""
    return max(_most_conservative(*_limited(size, sampled)), LEAST_CONSERVATIVE)


def prior_of(prior: Prior, stratum: Stratum) -> tuple[float, float]:
    """α and β for a single stratum."""
    if isinstance(prior, PerStratum):
        prior = prior.prior
    if isinstance(prior, str):
        a = conservative_prior(stratum.size, stratum.sampled)
        return a, a
    return prior


def check_prior(prior: Any) -> Prior:
    """A number above 0, a pair of them, or "mcp"; also the prior of a method, as a row has it."""
    if isinstance(prior, PerStratum):
        return prior
    if isinstance(prior, str):
        if prior != MOST_CONSERVATIVE:
            fail("prior", 'must be a number above 0, a pair of them, or "mcp"', prior)
        return prior
    sides = check_numbers(
        "prior",
        prior,
        'must be a number above 0, a pair of them, or "mcp"',
        lambda x: (x > 0) & (x < 1e12),
    )
    if sides.shape not in ((), (2,)):
        fail("prior", 'must be a number above 0, a pair of them, or "mcp"', prior)
    return (float(sides), float(sides)) if not sides.ndim else (float(sides[0]), float(sides[1]))
