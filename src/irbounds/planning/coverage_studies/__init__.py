"""Simulated coverage of interval methods."""
