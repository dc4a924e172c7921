"""Evaluations side by side."""
