"""Intervals of recall, precision and other estimands."""
