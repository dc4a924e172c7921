"""Is the new system worse than the baseline?"""
