"""Uncertainty over queries: intervals of means, how many queries are needed, ranks."""
