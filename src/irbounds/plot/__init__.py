"""Figures of results.

Each function draws on a Matplotlib Axes, ``ax``, or on those of a new figure, and returns them.

Needs the extra ``plot`` (``pip install "irbounds[plot]"``).  `__init__.pyi` lists the names.
"""

from irbounds._lazy import public_names

__getattr__, __dir__, __all__ = public_names(__name__, __file__)
