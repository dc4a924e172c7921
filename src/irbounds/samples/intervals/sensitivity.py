"""The dependence of a recall interval and a claim on the prior."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.foundation.arguments import check_number
from irbounds.foundation.errors import InputError
from irbounds.foundation.interval import HIGH, LOW, tail_probability
from irbounds.samples.intervals.estimators import recall_posterior
from irbounds.samples.intervals.pipeline import holds_audited
from irbounds.samples.model.estimands import Recall
from irbounds.samples.model.priors import MOST_CONSERVATIVE, check_prior
from irbounds.samples.model.strata import check_segments, questions
from irbounds.samples.posterior.methods import BetaBinomialPosterior

if TYPE_CHECKING:
    from irbounds.typing import SegmentLike

# The priors that the literature names: a quarter (between Haldane's and Jeffreys'), Jeffreys' half,
# the uniform one, and Dyer and Pierce's most conservative one.
USUAL_PRIORS = (0.25, 0.5, 1.0, MOST_CONSERVATIVE)


@dataclass(frozen=True, eq=False)
class PriorSensitivity:
    """Ends of the interval for recall, and the probability of a target, under several priors.

    Attributes
    ----------
    priors : tuple
        As given; one for each element of the arrays.
    low, high : ndarray
        Ends of the interval under each prior.
    probability : ndarray or None
        P(recall >= target) under each prior.
    target : float or None
    confidence_level : float
    side : str
    """

    priors: tuple[Any, ...]
    low: np.ndarray
    high: np.ndarray
    probability: np.ndarray | None
    target: float | None
    confidence_level: float
    side: str

    @property
    def low_range(self) -> tuple[float, float]:
        """The smallest and the largest lower end."""
        return float(self.low.min()), float(self.low.max())

    @property
    def high_range(self) -> tuple[float, float]:
        """The smallest and the largest upper end."""
        return float(self.high.min()), float(self.high.max())

    @property
    def probability_range(self) -> tuple[float, float] | None:
        """The smallest and the largest P(recall >= target)."""
        return (
            None
            if self.probability is None
            else (float(self.probability.min()), float(self.probability.max()))
        )

    def to_dict(self) -> dict[str, Any]:
        """All fields by name, arrays as lists, and the ranges."""
        return {
            "priors": [list(p) if isinstance(p, tuple) else p for p in self.priors],
            "low": self.low.tolist(),
            "high": self.high.tolist(),
            "probability": None if self.probability is None else self.probability.tolist(),
            "target": self.target,
            "confidence_level": self.confidence_level,
            "side": self.side,
            "low_range": list(self.low_range),
            "high_range": list(self.high_range),
            "probability_range": None
            if self.probability is None
            else list(self.probability_range or ()),
        }

    def __repr__(self) -> str:
        text = "PriorSensitivity(low from {:.6g} to {:.6g}, high from {:.6g} to {:.6g}".format(
            *self.low_range, *self.high_range
        )
        if self.probability_range is not None:
            least, most = self.probability_range
            text += f", P(recall >= {self.target:g}) from {least:.6g} to {most:.6g}"
        return text + ")"


def prior_sensitivity(
    retrieved: SegmentLike,
    unretrieved: SegmentLike,
    target: float | None = None,
    priors: Sequence[Any] | None = None,
    *,
    confidence_level: float = 0.95,
    side: str = "two-sided",
) -> PriorSensitivity:
    """The interval for recall and the probability of a target, under a family of priors.

    Parameters
    ----------
    retrieved, unretrieved : Stratum, Audited, (size, sampled, relevant) or a list of such
    target : float, optional
        A recall whose probability is wanted.
    priors : sequence of float, pair or "mcp", optional
        Priors of a segment's share of relevant documents: α = β, both, or the most conservative
        one.  Default: 1/4, 1/2, 1 and "mcp", which `Audited` segments do not have.  One prior is
        shared among the strata of a segment.
    confidence_level : float
    side : {"two-sided", "lower", "upper"}

    Returns
    -------
    PriorSensitivity
        `low_range`, `high_range` and `probability_range` are the ranges over the priors.

    Examples
    --------
    >>> import irbounds as irb
    >>> found = irb.samples.prior_sensitivity((500, 50, 40), (2000, 100, 3), target=0.75)
    >>> [round(end, 4) for end in found.low_range], [round(p, 4) for p in found.probability_range]
    ([0.7015, 0.7284], [0.9093, 0.9545])
    """
    if priors is None:
        is_audited = holds_audited(retrieved) or holds_audited(unretrieved)
        priors = USUAL_PRIORS[:-1] if is_audited else USUAL_PRIORS
    priors = tuple(priors)
    if not priors:
        raise InputError("`priors` must hold at least one prior")
    alpha = tail_probability(confidence_level, side)
    if target is not None:
        target = check_number("target", target, "must be from 0 to 1", lambda x: 0 <= x <= 1)
    first, second = check_segments(True, retrieved=retrieved, unretrieved=unretrieved)
    for prior in priors:
        recall_posterior(retrieved, unretrieved, prior=prior)  # refuses what it has no form for
    ((_, question),) = questions((), first, second)
    laws = [BetaBinomialPosterior(Recall(), check_prior(prior), question) for prior in priors]
    low = np.array([law.at(LOW).quantile(alpha) for law in laws])
    high = np.array([law.at(HIGH).quantile(1 - alpha) for law in laws])
    ends = [
        Recall().finished(*pair, first, second, side, True) for pair in zip(low, high, strict=True)
    ]
    low, high = np.array(ends, float).T
    chances = None if target is None else np.array([law.reached(target) for law in laws])
    return PriorSensitivity(priors, low, high, chances, target, float(confidence_level), side)
