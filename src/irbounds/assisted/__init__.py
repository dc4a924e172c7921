"""Evaluation with a judge that labels everything and people who label a sample."""
