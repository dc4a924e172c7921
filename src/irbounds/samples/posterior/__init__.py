"""Posteriors of recall and other estimands."""
