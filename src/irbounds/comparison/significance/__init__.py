"""Paired tests and corrections for several comparisons."""
