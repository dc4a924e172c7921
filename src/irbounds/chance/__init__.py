"""Comparison with random draws: hypergeometric tails and the selection of the best method."""
