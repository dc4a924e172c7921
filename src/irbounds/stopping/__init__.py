"""When to stop a review: curves, certificates, simulations.

`__init__.pyi` lists the public names.
"""

from irbounds._lazy import public_names

__getattr__, __dir__, __all__ = public_names(__name__, __file__)
