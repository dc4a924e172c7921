"""When a review may stop: screening stops and certificates."""
