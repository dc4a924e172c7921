"""Measures of rankings with tied scores."""
