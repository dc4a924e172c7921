"""Evaluation of runs."""
