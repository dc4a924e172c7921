"""Distributions with quantiles, intervals and draws, and variates of the beta distribution."""

from irbounds.foundation.distributions import (
    BetaDistribution,
    Bounds,
    Distribution,
    SampledDistribution,
)
from irbounds.foundation.variates import random_beta

__all__ = ["BetaDistribution", "Bounds", "Distribution", "SampledDistribution", "random_beta"]
