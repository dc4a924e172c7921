"""Counts of classifiers: posteriors of precision, recall and F, and comparisons.

`__init__.pyi` lists the public names.
"""

from irbounds._lazy import public_names

__getattr__, __dir__, __all__ = public_names(__name__, __file__)
