"""Two rankings of each query compared with each other."""
