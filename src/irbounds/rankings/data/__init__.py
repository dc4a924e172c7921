"""Runs, judgments and evaluations."""
