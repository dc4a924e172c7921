"""Pictures of what irbounds computes: each function draws on an Axes of Matplotlib and returns it.

Needs the extra ``plot`` (``pip install "irbounds[plot]"``).  `__init__.pyi` lists the names.
"""

from irbounds._lazy import public_names

__getattr__, __dir__, __all__ = public_names(__name__, __file__)
