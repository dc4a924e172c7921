"""Extrapolation of precision to another recall (Dimm 2015)."""
