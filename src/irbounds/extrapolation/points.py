"""The estimated point of one review, and curves through points of its posterior."""

from __future__ import annotations

from typing import Any

import numpy as np

from irbounds.extrapolation.at_target import LEAST
from irbounds.extrapolation.curve import through
from irbounds.foundation.errors import InputError
from irbounds.samples.model.point_estimates import yield_estimate
from irbounds.samples.model.priors import check_prior
from irbounds.samples.model.strata import Segment, Stratum, check_segments, common_shape, total
from irbounds.samples.posterior.recall_posterior import draw_yields


def estimated_point(retrieved: Any, unretrieved: Any) -> tuple[float, float, float]:
    """Recall, precision and prevalence from the estimated yields of one question; nan if nothing
    was found."""
    retrieved, unretrieved = _one_question(retrieved, unretrieved)
    (r1, _), (r0, _) = yield_estimate(retrieved), yield_estimate(unretrieved)
    n1, n0 = total(retrieved, "size"), total(unretrieved, "size")
    with np.errstate(divide="ignore", invalid="ignore"):
        return tuple(float(value) for value in (r1 / (r1 + r0), r1 / n1, (r1 + r0) / (n1 + n0)))  # type: ignore[return-value]


def draw_curves(
    retrieved: Any, unretrieved: Any, prior: Any, draws: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Prevalence and β of the curves through points drawn from the posterior of one question."""
    retrieved, unretrieved = _one_question(retrieved, unretrieved)
    r1, r0 = (
        draw_yields(
            [Stratum(*map(float, stratum)) for stratum in segment], check_prior(prior), draws, rng
        )
        for segment in (retrieved, unretrieved)
    )
    n1, n0 = float(total(retrieved, "size")), float(total(unretrieved, "size"))
    # Curves need a prevalence above 0 and below 1: the least that their kernel takes, and the
    # largest double below 1.
    rho = np.clip((r1 + r0) / (n1 + n0), 1e-100, 1 - 1e-16)
    return rho, through(r1 / np.maximum(r1 + r0, LEAST), r1 / max(n1, LEAST), rho)


def _one_question(retrieved: Any, unretrieved: Any) -> tuple[Segment, Segment]:
    retrieved, unretrieved = check_segments(retrieved=retrieved, unretrieved=unretrieved)
    if common_shape(retrieved, unretrieved):
        raise InputError("counts must be numbers, not arrays")
    return retrieved, unretrieved
