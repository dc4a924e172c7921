"""What `benchmarks/accuracy.py` holds against slow twins: a module for each subject."""
