"""Intervals for recall, precision, F and yields from samples of a collection."""
