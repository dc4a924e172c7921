"""Modules that all others use: errors, arguments, quadrature, distributions, data frames."""
