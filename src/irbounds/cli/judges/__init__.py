"""Commands for judgments of models and people."""
