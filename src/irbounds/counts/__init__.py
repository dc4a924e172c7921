"""Posteriors of precision, recall and F from counts, and the probability that one system beats
another."""
