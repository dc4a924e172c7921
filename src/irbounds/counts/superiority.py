"""The probability that one system is better than another, from the counts of both (Goutte & Gaussier 2005, eq. 12)."""
from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from irbounds.counts.posterior import CountsPosterior
from irbounds.foundation.arguments import broadcast, check_number, check_rng, plain
from irbounds.foundation.errors import check_choice, check_count, fail
from irbounds.foundation.laws import BetaLaw, FLaw, Law, beta_below
from irbounds.foundation.quadrature import (
    LogOdds,
    are_near,
    beta_expectation,
    beta_log_odds,
    f_log_odds,
    interval_expectation,
    probability_above,
)


@dataclass(frozen=True, eq=False)
class Superiority:
    """P(M_A > M_B + margin).

    Attributes
    ----------
    probability : float or ndarray
    standard_error : float or ndarray
        Of the estimate by Monte Carlo; for the exact method what its error may be at most, about 1e-12.
    method : str
        "exact" or "monte-carlo".
    posterior : BetaLaw or None
        Of the probability, given the draws (Jeffreys' prior); None for the exact method.
    """

    probability: Any
    standard_error: Any
    method: str
    posterior: BetaLaw | None = None


def prob_superior(a: CountsPosterior, b: CountsPosterior, measure: str = "f", beta: float = 1.0,
                  method: str = "exact", *, margin: float = 0.0, draws: int = 100_000, rng: Any = None) -> Superiority:
    """The probability that system A is better than system B, the two evaluated on different data.

    Parameters
    ----------
    a, b : CountsPosterior
        Arrays of posteriors broadcast.
    measure : {"f", "precision", "recall", ...}
    beta : float
        Of F.
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
    margin = check_number("margin", margin, "must be from -1 to 1", lambda x: -1 <= x <= 1)
    laws = a.measure(measure, beta), b.measure(measure, beta)
    if a.shape or b.shape:
        broadcast(a=np.empty(a.shape), b=np.empty(b.shape))
    if check_choice("method", method, ("exact", "monte-carlo")) == "monte-carlo":
        return _by_draws(*laws, margin, check_count("draws", draws), check_rng(rng))
    probability, error = _above(*laws, margin) if margin else _without_margin(*laws)
    return Superiority(plain(np.minimum(np.maximum(probability, 0), 1)), plain(error), "exact")


def _by_draws(a: Law, b: Law, margin: float, draws: int, rng: np.random.Generator) -> Superiority:
    shape = np.broadcast_shapes(a.shape, b.shape)
    wins, left = np.zeros(shape), draws
    portion = max(1000, 10**6 // max(1, math.prod(shape)))
    while left:
        n = min(left, portion)
        first, second = (np.reshape(law.rvs(n, rng), (n, *(1,) * (len(shape) - len(law.shape)), *law.shape))
                         for law in (a, b))
        wins += (first - second > margin).sum(axis=0)
        left -= n
    share = wins / draws
    return Superiority(plain(share), plain(np.sqrt(share * (1 - share) / draws)), "monte-carlo",
                       BetaLaw(wins + 0.5, draws - wins + 0.5))


def _without_margin(a: Law, b: Law) -> tuple[Any, Any]:
    """P(A > B): by densities where the laws overlap well, else by a distribution function."""
    first, second = _log_odds(a), _log_odds(b)
    near = are_near(first, second)
    if near.all():
        return probability_above(first, second)
    probability, error = np.empty(near.shape), np.empty(near.shape)
    is_narrow = (first.std <= second.std)[..., 0]
    for chosen in (near, ~near & is_narrow, ~near & ~is_narrow):
        if chosen.any():
            some = _chosen(a, chosen), _chosen(b, chosen)
            probability[chosen], error[chosen] = (
                probability_above(*map(_log_odds, some)) if chosen is near else _by_distribution_function(*some))
    return probability, error


def _log_odds(law: Law) -> LogOdds:
    """The law's log odds; those of Q for F_1, which grows with it."""
    if isinstance(law, FLaw):
        return f_log_odds(law.a, law.b_fp, law.b_fn, law.beta) if law.beta != 1 else _log_odds(law.odds)
    return beta_log_odds(law.a, law.b)  # type: ignore[attr-defined]


def _chosen(law: Law, chosen: np.ndarray) -> Law:
    """Some of an array of laws."""
    return _with_parameters(law, lambda value: np.broadcast_to(value, chosen.shape)[chosen])


def _by_distribution_function(a: Law, b: Law) -> tuple[np.ndarray, np.ndarray]:
    """With relative accuracy, also where spreads differ: the expectation over the narrower laws of the distribution
    function of the wider ones.  All of a's laws are the narrower ones, or all of b's."""
    if any(isinstance(law, FLaw) and law.beta != 1 for law in (a, b)):
        return _above(a, b, 0.0)
    first, second = (law.odds if isinstance(law, FLaw) else law for law in (a, b))
    (a1, b1), (a2, b2) = ((np.asarray(law.a), np.asarray(law.b)) for law in (first, second))  # type: ignore[attr-defined]
    if np.all(1 / a1 + 1 / b1 <= 1 / a2 + 1 / b2):
        return beta_expectation(a1, b1, lambda y, rest: beta_below(a2[..., None], b2[..., None], y, rest), 1e-10)
    return beta_expectation(a2, b2, lambda y, rest: beta_below(b1[..., None], a1[..., None], rest, y), 1e-10)


def _above(a: Law, b: Law, margin: float) -> tuple[np.ndarray, np.ndarray]:
    """P(A > B + margin), over whichever law is the narrower: the other one's distribution function is smooth there."""
    is_narrow = np.asarray(b.std) <= np.asarray(a.std)
    probability, error = np.empty(is_narrow.shape), np.empty(is_narrow.shape)
    for chosen in (is_narrow, ~is_narrow):
        if chosen.any():
            first, second = _chosen(a, chosen), _chosen(b, chosen)
            if chosen is is_narrow:
                probability[chosen], error[chosen] = _over_second(first, second, margin)
            else:
                below, error[chosen] = _over_second(second, first, -margin)
                probability[chosen] = 1 - below
    return probability, error


def _over_second(a: Law, b: Law, margin: float) -> tuple[np.ndarray, np.ndarray]:
    """P(A > B + margin): the expectation over B, where A's distribution function there is neither 0 nor 1."""
    least, most = max(0.0, -margin), min(1.0, 1 - margin)  # with B below least A is above for sure
    sure, below_most = (np.asarray(b._below(np.asarray(x), np.asarray(1 - x))) for x in (least, most))
    if most <= least:
        return sure, np.zeros(sure.shape)
    wide_a, wide_b = _with_nodes(a), _with_nodes(b)


    def a_is_above(x: np.ndarray, y: np.ndarray, past: np.ndarray, short: np.ndarray) -> np.ndarray:
        return wide_a._above(*((x + margin, short) if margin >= 0 else (past, y - margin)))

    ends = b.odds if isinstance(b, FLaw) else b
    powers = (1.0 if least else ends.a, 1.0 if most < 1 else ends.b)  # type: ignore[attr-defined]
    mean, error = interval_expectation(wide_b._density, a_is_above, least, most, b.mean, b.std, powers)
    held = below_most - sure
    return np.where(held > 0, sure + held * mean, sure), error


def _with_axis(value: Any) -> np.ndarray:
    """With an axis for nodes."""
    return np.asarray(value)[..., None]


def _with_nodes(law: Law) -> Law:
    """The same laws with one more axis, for nodes."""
    return _with_parameters(law, lambda value: np.asarray(value)[..., None])


def _with_parameters(law: Law, change: Callable[[Any], np.ndarray]) -> Law:
    if isinstance(law, FLaw):
        return FLaw(change(law.a), change(law.b_fp), change(law.b_fn), law.beta)
    return BetaLaw(*map(change, (law.a, law.b)))  # type: ignore[attr-defined]
