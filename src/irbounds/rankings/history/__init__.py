"""Evaluations over time."""
