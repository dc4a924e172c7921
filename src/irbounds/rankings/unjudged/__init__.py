"""Documents without judgments."""
