"""Strata, estimands, priors and exact limits."""
