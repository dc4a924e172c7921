"""Plans for samples: interval methods and their coverage, sample sizes, and allocations."""
