"""Intervals of one proportion, and of a ratio of two."""
