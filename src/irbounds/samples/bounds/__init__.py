"""Guaranteed and any-time bounds."""
