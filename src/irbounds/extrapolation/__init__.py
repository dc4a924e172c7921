"""Precision carried from one recall to another (Dimm 2015)."""
