"""Pictures of what irbounds computes: each function draws on an Axes of Matplotlib and returns it.

Needs the extra ``plot`` (``pip install "irbounds[plot]"``).
"""
