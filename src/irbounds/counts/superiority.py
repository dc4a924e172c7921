"""The probability that one system is better than another, from the counts of both (Goutte &
Gaussier 2005, eq. 12)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds._core.counts import shares
from irbounds.counts.f_score import FScoreDistribution, named_f
from irbounds.counts.posterior import MEASURES, CountsPosterior
from irbounds.foundation.arguments import broadcast, check_number, check_rng, plain
from irbounds.foundation.distributions import BetaDistribution, Distribution
from irbounds.foundation.errors import InputError, check_choice, check_count, fail
from irbounds.foundation.shares import flat_columns

if TYPE_CHECKING:
    from irbounds.typing import FloatOrArray, RNGLike

# Laws of F with shapes below it are narrow and wide at once: quadrature may miss their bulk.
LEAST_SHAPE = 1e-4


@dataclass(frozen=True, eq=False)
class Superiority:
    """P(M_A > M_B + margin).

    Attributes
    ----------
    probability : float or ndarray
    standard_error : float or ndarray
        Standard error of the Monte Carlo estimate; for the exact method a bound on its error,
        mostly below 1e-11; nan where it is not known.
    method : str
        "exact" or "monte-carlo"; "mover" of several classes, where the probability is the
        confidence of a one-sided interval.
    posterior : BetaDistribution or None
        Distribution of the probability, given the draws (Jeffreys' prior); None for the exact
        method.
    """

    probability: FloatOrArray
    standard_error: FloatOrArray
    method: str
    posterior: BetaDistribution | None = None

    @classmethod
    def of_draws(cls, wins: np.ndarray, draws: int) -> Superiority:
        """From the number of draws in which A is better."""
        share = wins / draws
        error = np.sqrt(share * (1 - share) / draws)
        posterior = BetaDistribution(wins + 0.5, draws - wins + 0.5)
        return cls(plain(share), plain(error), "monte-carlo", posterior)


def prob_superior(
    a: CountsPosterior,
    b: CountsPosterior,
    measure: str = "f",
    beta: float = 1.0,
    method: str = "exact",
    *,
    margin: float = 0.0,
    draws: int = 100_000,
    rng: RNGLike = None,
) -> Superiority:
    """The probability that system A is better than system B, for systems evaluated on different
    data.

    Parameters
    ----------
    a, b : CountsPosterior
        Arrays of posteriors broadcast.
    measure : {"f", "precision", "recall", ...}
    beta : float
        The weight of recall in F.
    method : {"exact", "monte-carlo"}
        Exact is quadrature; Monte Carlo is the paper's, pairs of draws.
    margin : float, from -1 to 1
        How much better A must be to matter: P(M_A - M_B > margin).
    draws : int
        Pairs of draws for Monte Carlo.
    rng : None, int or numpy.random.Generator

    Returns
    -------
    Superiority
        The probability, and its standard error or a bound on its error.

    Raises
    ------
    InputError
        For unknown measures, measures that need true negatives where there are none, options
        outside their ranges, and F with β other than 1 under priors below 1e-4 beside counts of 0.

    Notes
    -----
    For systems evaluated on the same objects, `PairedCounts` sees smaller differences.

    Examples
    --------
    >>> import irbounds as irb
    >>> a, b = irb.CountsPosterior(10, 10, 5), irb.CountsPosterior(3, 2, 3)
    >>> round(irb.prob_superior(b, a, "precision").probability, 12)
    0.652222372209
    >>> round(irb.prob_superior(b, a, "f", margin=0.05).probability, 3)
    0.327
    """
    for name, posterior in (("a", a), ("b", b)):
        if not isinstance(posterior, CountsPosterior):
            fail(name, "must be a CountsPosterior", posterior)
    measure = check_choice("measure", named_f(measure, beta), MEASURES)
    margin = check_number("margin", margin, "must be from -1 to 1", lambda x: -1 <= x <= 1)
    laws = a.measure(measure, beta), b.measure(measure, beta)
    if a.shape or b.shape:
        broadcast(a=np.empty(a.shape), b=np.empty(b.shape))
    if check_choice("method", method, ("exact", "monte-carlo")) == "monte-carlo":
        return _by_draws(*laws, margin, check_count("draws", draws), check_rng(rng))
    if measure == "matthews":
        fail("method", "must be 'monte-carlo' for the measure 'matthews'", method)
    probability, error = _exact(*laws, margin)
    return Superiority(plain(np.minimum(np.maximum(probability, 0), 1)), plain(error), "exact")


def _by_draws(
    a: Distribution, b: Distribution, margin: float, draws: int, rng: np.random.Generator
) -> Superiority:
    shape = np.broadcast_shapes(a.shape, b.shape)
    wins, left = np.zeros(shape), draws
    # A million numbers at a time, so that memory is bounded and interrupts are heard.
    portion = max(1000, 10**6 // max(1, math.prod(shape)))
    while left:
        n = min(left, portion)
        first, second = (
            np.reshape(law.rvs(n, rng), (n, *(1,) * (len(shape) - len(law.shape)), *law.shape))
            for law in (a, b)
        )
        wins += (first - second > margin).sum(axis=0)
        left -= n
    return Superiority.of_draws(wins, draws)


def _exact(a: Distribution, b: Distribution, margin: float) -> tuple[np.ndarray, np.ndarray]:
    """The probabilities of all pairs, from the kernel."""
    shape, columns = flat_columns(*_shapes(a), *_shapes(b))
    beta = a.beta if isinstance(a, FScoreDistribution) else 0.0
    if beta not in (0, 1) and min(column.min(initial=1) for column in columns) < LEAST_SHAPE:
        raise InputError(
            f"the prior must be {LEAST_SHAPE:g} or more for F with beta other than 1 where counts "
            "are 0, or the method 'monte-carlo'"
        )
    probability, error = shares.superiority(tuple(columns[:3]), tuple(columns[3:]), beta, margin)
    return probability.reshape(shape), error.reshape(shape)


def _shapes(law: Distribution) -> tuple[Any, Any, Any]:
    """Shapes of the gamma variates whose shares follow a distribution."""
    if isinstance(law, FScoreDistribution):
        return law.a, law.b_fp, law.b_fn
    return law.a, law.b, 0.0  # type: ignore[attr-defined]
