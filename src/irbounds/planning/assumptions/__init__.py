"""Assumed reviews."""
