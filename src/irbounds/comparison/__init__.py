"""Comparison of systems on the same queries: paired tests, corrections, intervals, and the
effect of ties."""
