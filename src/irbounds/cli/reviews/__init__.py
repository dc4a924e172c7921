"""Commands for reviews."""
