"""Expected widths, sample sizes and allocations."""
