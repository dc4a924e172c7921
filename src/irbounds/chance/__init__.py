"""What chance alone would do: hypergeometric tails and the selection of the best method."""
