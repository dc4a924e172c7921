"""Ranks of systems."""
