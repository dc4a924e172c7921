"""Commands that evaluate rankings."""
